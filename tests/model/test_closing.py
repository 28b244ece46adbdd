"""What a closed period says of itself: its days, exact numbers, and a text that reads as what was written."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.language.calendar_days import iso
from reckon.model.closing import (
    BALANCE,
    COLUMNS,
    KEPT_FIRST,
    Cell,
    Closing,
    Sums,
    added,
    exact,
    less,
    period_of,
    read_closing,
)
from reckon.model.release import Changed, seal

WHY = "Because | of `this`\nand \x1b that"
AMOUNTS = st.fractions(max_denominator=25_200)
ITEMS = st.builds(
    Cell, st.sampled_from(["", "?", "train", "test-2"]), st.sampled_from(["a100", "h100"]), st.sampled_from(COLUMNS)
)
BALANCES = st.builds(Cell, st.just(""), st.just(""), st.sampled_from(BALANCE))
SUMS = st.dictionaries(ITEMS | BALANCES, AMOUNTS, max_size=8).map(lambda sums: adding_up(sums))
FIRST = SUMS.map(lambda sums: {cell: sums[cell] for cell in sums if cell.column in KEPT_FIRST})
"""What files of format 1 can say."""


def adding_up(sums: Sums) -> Sums:
    """Sums in which what was used is what was useful, and what failed."""
    parts = {cell: amount for cell, amount in sums.items() if cell.column != "used"}
    used = [{cell._replace(column="used"): parts[cell]} for cell in parts if cell.column in ("useful", "failed")]
    return added(parts, *used)


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("2024", "2024-01-01", "2024-12-31"),
        ("2024-Q1", "2024-01-01", "2024-03-31"),
        ("2024-Q4", "2024-10-01", "2024-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
    ],
)
def test_a_period_has_a_first_and_a_last_day(name: str, first: str, last: str) -> None:
    period = period_of(name)
    assert period
    assert (iso(period.first), iso(period.last)) == (first, last)


@pytest.mark.parametrize("name", ["", "24", "2024-Q5", "2024-q1", "2024-13", "0000", "2024-01-01", "2024-Q1 ", "../x"])
def test_other_texts_are_no_period(name: str) -> None:
    assert period_of(name) is None


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 8), "0.125"),
        (Fraction(103, 1800), "0.0572 ~ 103/1800"),
        (Fraction(-1, 7), "-0.1429 ~ -1/7"),
        (Fraction(10**9), "1000000000"),
    ],
)
def test_a_number_is_written_exactly(number: Fraction, text: str) -> None:
    assert exact(number) == text


@given(st.tuples(SUMS, st.just(2)) | st.tuples(FIRST, st.just(1)), st.integers(0, 1), st.sampled_from(["", WHY]))
def test_what_is_written_is_read_again(some: tuple[Sums, int], number: int, reason: str) -> None:
    sums, form = added(some[0]), some[1]
    unit = "GPU-h" if form > 1 else ""
    days = "2026-04-05", "2026-04-02"
    closing = Closing("grant-2", "demo", "2026-Q1", *days, sums, number, reason, ("demo",), unit, form)
    assert read_closing(closing.text(), closing.file) == closing


@given(SUMS, SUMS)
def test_what_is_true_is_what_was_closed_and_the_difference(now: Sums, then: Sums) -> None:
    assert added(then, added(now, less(then))) == added(now)
    assert added(now, less(now)) == {}


SAID: Sums = {
    Cell("", "", "granted"): Fraction(100),
    Cell("", "", "left"): Fraction(97),
    Cell("train", "a100", "failed"): Fraction(1),
    Cell("train", "a100", "used"): Fraction(3),
    Cell("train", "a100", "useful"): Fraction(2),
}


def sealed(form: int, **changed: object) -> str:
    """The text of a closing that says something else, with a checksum of its own."""
    sums = {cell: amount for cell, amount in SAID.items() if form > 1 or cell.gpu}
    words = "grant", "demo", "2026-Q1", "2026-04-05", "2026-04-02", sums, 0, "", ("demo",), "GPU-h" if form > 1 else ""
    whole = json.loads(Closing(*words, form).text())
    del whole["sha256"]
    whole |= changed
    return json.dumps({**whole, "sha256": seal(whole)})


BALANCE_ROW = {"granted": "100", "left": "97"}
NEW = {"item": "train", "gpu": "a100", "used": "3", "useful": "2", "failed": "1"}
ROW = {"item": "train", "gpu": "a100", "used": "3", "useful": "2", "wasted": "1", "usd": None}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sums": [{**ROW, "used": "4"}]}, "a sum is invalid"),  # it is not what is useful and wasted
        ({"sums": [{**ROW, "used": "3.0"}]}, "a sum is invalid"),
        ({"sums": [{**ROW, "item": "../x"}]}, "a sum is invalid"),
        ({"sums": [{**ROW, "item": []}]}, "a sum is invalid"),
        ({"sums": [{**ROW, "more": "x"}]}, "a sum is invalid"),
        ({"sums": [ROW, ROW]}, "a sum is invalid"),
        ({"sums": [ROW, {**ROW, "item": "test"}]}, "a sum is invalid"),  # out of order
        ({"balance": BALANCE_ROW}, "a sum is invalid"),
        ({"projects": ["../x"]}, "`project`, `allocation` or `projects` is invalid"),
        ({"period": "2026-Q7"}, "its period or a day is invalid"),
        ({"date": "2026-02-30"}, "its period or a day is invalid"),
        ({"number": -1}, "`number` or `reason` is invalid"),
        ({"number": True}, "`number` or `reason` is invalid"),
        ({"reason": "x" * 1001}, "`number` or `reason` is invalid"),
        ({"reason": 3}, "a field is missing"),
        ({"format": 3}, "newer format"),
        ({"project": "other"}, "this is the closing ledger/other/closings/grant.2026-Q1.json"),
    ],
)
def test_what_no_closing_says_is_refused_though_it_is_sealed(changed: dict[str, object], said: str) -> None:
    refused_once_changed(1, changed, said)


@pytest.mark.parametrize(
    "changed",
    [
        {"balance": {**BALANCE_ROW, "more": "1"}},
        {"balance": {"granted": "100"}},  # what was left is always said
        {"balance": {**BALANCE_ROW, "left": "97.0"}},
        {"balance": {**BALANCE_ROW, "refunded_in_it": "0"}},
        {"balance": []},
        {"unit": 3},
        {"sums": [{**NEW, "held": "0"}]},
        {"sums": [{**NEW, "useful": "1"}]},
        {"sums": [{**NEW, "failed": "1", "wasted": "1"}]},
        {"sums": [{**NEW, "left": "2"}]},
        {"sums": [{**NEW, "cost_usd": None}]},
        {"sums": [{**NEW, "used": 3}]},
        {"sums": [{**NEW, "gpu": ""}]},
        {"format": 1},
    ],
)
def test_a_balance_and_sums_are_written_in_one_way(changed: dict[str, object]) -> None:
    refused_once_changed(2, changed, "a sum is invalid")


def refused_once_changed(form: int, changed: dict[str, object], said: str) -> None:
    """A closing is read, and is not once it is changed."""
    path = "ledger/demo/closings/grant.2026-Q1.json"
    with pytest.raises(Changed, match=said.replace(".", r"\.")):
        read_closing(sealed(form, **changed), path)
    assert read_closing(sealed(form), path).sums == {cell: SAID[cell] for cell in SAID if form > 1 or cell.gpu}
