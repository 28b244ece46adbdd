"""`power` in formulas: exact where it can be, to 40 digits else; ranges go the way in which they move it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.compute.sheet.arithmetic import power


def figure(ledger: Any, base: str, exponent: str) -> Any:
    text = f"f: {{title: F, ratio: {{formula: 'power(base, exponent)', base: {base}, exponent: {exponent}}}}}\n"
    return ledger(figures=text).book()["p.figures.f"]


def told(ledger: Any, formula: str) -> list[str]:
    return [one.split(": ", 1)[1] for one in ledger(figures=f"f: {{title: F, ratio: {formula}}}\n").problems()]


@pytest.mark.parametrize(
    ("base", "exponent", "comes_to"),
    [
        ("1.5", "2", Fraction(9, 4)),
        ("3", "0", Fraction(1)),
        ("0", "0", Fraction(1)),
        ("0.1", "-3", Fraction(1000)),
        ("-2", "3", Fraction(-8)),
        ("0", "0.5", Fraction(0)),
        ("2", "64", Fraction(2**64)),
    ],
)
def test_whole_powers_are_exact(ledger: Any, base: str, exponent: str, comes_to: Fraction) -> None:
    assert figure(ledger, base, exponent).use == comes_to


def test_roots_have_forty_digits(ledger: Any) -> None:
    """3.5 times the parameters, with the square root: 1.870828693386970692791…"""
    root = figure(ledger, "3.5", "0.5").use
    assert abs(root**2 - Fraction(7, 2)) < Fraction(1, 10**38)
    assert f"{float(root):.12f}" == "1.870828693387"


@pytest.mark.parametrize(
    ("base", "exponent", "low", "high"),
    [
        ("2-3", "2", 4, 9),
        ("4-9", "-1", Fraction(1, 9), Fraction(1, 4)),
        ("4", "0.5-1", 2, 4),  # above one a larger exponent raises
        ("0.25", "0.5-1", Fraction(1, 4), Fraction(1, 2)),  # below one it lowers
        ("0.25-4", "1-2", Fraction(1, 16), 16),  # around one it does both
        ("4-9", "0.5-2", 2, 81),
    ],
)
def test_ranges_raise_or_lower(ledger: Any, base: str, exponent: str, low: Fraction, high: Fraction) -> None:
    value = figure(ledger, base, exponent).value
    assert (value.low, value.high) == (low, high)


def test_an_input_that_stands_twice_moves_the_power_once(ledger: Any) -> None:
    """x² / x is x: between 2 and 3, and not between 4/3 and 9/2."""
    text = "f: {title: F, ratio: {formula: 'power(x, 2) / x', x: 2-3}}\n"
    value = ledger(figures=text).book()["p.figures.f"].value
    assert (value.low, value.use, value.high) == (2, Fraction(5, 2), 3)


def test_what_is_unknown_stays_so(ledger: Any) -> None:
    assert figure(ledger, "2", "unknown").missing == ("p.figures.f.exponent",)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("{formula: 'power(long_hours, 2)', long_hours: 3}", "`power` of time; divide by what it is compared with"),
        ("{formula: 'power(2, long_hours)', long_hours: 3}", "`power` of time; divide by what it is compared with"),
        ("{formula: 'power(base)', base: 3}", "`power` takes two terms; "),
        ("{formula: 'power(base, 0.5)', base: -4}", "this power has no value; "),
        ("{formula: 'power(base, -1)', base: 0}", "this power has no value; "),
        ("{formula: 'power(base, 100)', base: 2}", "the number grows beyond all measure; "),
        ("{formula: 'power(base, exponent)', base: 2-3, exponent: 0.5-100}", "the number grows beyond all measure; "),
        ("{formula: 'power(power(base, 64), 64)', base: 1e20}", "the number grows beyond all measure; "),
    ],
)
def test_what_has_no_power_is_refused_at_its_place(ledger: Any, formula: str, says: str) -> None:
    (line,) = told(ledger, formula)
    assert line.startswith(says)


def test_a_ratio_of_times_can_be_raised(ledger: Any) -> None:
    text = "f: {title: F, ratio: {formula: 'power(long_hours / short_minutes, 2)', long_hours: 1, short_minutes: 30}}\n"
    assert ledger(figures=text).book()["p.figures.f"].use == 4


positive = st.fractions(min_value=Fraction(1, 100), max_value=100, max_denominator=1000)
exponents = st.fractions(min_value=-4, max_value=4, max_denominator=12)


@given(positive, exponents, exponents)
def test_exponents_add_up(base: Fraction, one: Fraction, two: Fraction) -> None:
    product, whole = power(base, one) * power(base, two), power(base, one + two)
    assert abs(product - whole) <= abs(whole) / 10**35


@given(positive, positive, st.fractions(min_value=Fraction(1, 10), max_value=4, max_denominator=12))
def test_a_larger_base_has_the_larger_power(one: Fraction, two: Fraction, exponent: Fraction) -> None:
    low, high = sorted((one, two))
    assert power(low, exponent) <= power(high, exponent)


def test_a_base_that_is_open_below_leaves_its_power_open(ledger: Any) -> None:
    """(10 - 3 or more) / 2 is at most 3.5; so is its power from a half to one."""
    formula = "{formula: 'power((ten - some) / two, exponent)', ten: 10, some: 3+, two: 2, exponent: 0.5-1}"
    found = ledger(figures=f"f: {{title: F, ratio: {formula}}}\n").book()["p.figures.f"]
    assert found.value.ends == (None, None, Fraction(7, 2))
