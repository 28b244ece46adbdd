"""Measurements with rows: statistics held against figures worked out by hand, and what rows can be like."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.compute.measuring import statistics as s

# The four requests of the ARPO report: seconds of tokenization, generation and decoding.
REQUESTS = (("0.21", 2821, "0.03"), ("0.07", 3099, "0.03"), ("0.08", 3279, "0.03"), ("0.08", 5294, "0.02"))
GENERATION = [Fraction(seconds) for _, seconds, _ in REQUESTS]


def measurement(rows: Sequence[str], total: str = "[a_seconds]", more: str = "") -> str:
    lines = "".join(f"    - {{{row}}}\n" for row in rows)
    return f"m:\n  title: M\n  kind: measured\n  rows:\n{lines}" + (f"  total: {total}\n" if total else "") + more


def figures(ledger: Any, *rows: str, total: str = "[a_seconds]") -> dict[str, Any]:
    book = ledger(measurements=measurement(rows, total)).book()
    at = "p.measurements.m."
    return {address.removeprefix(at): one for address, one in book.figures.items() if address.startswith(at)}


def near(found: Fraction | None, wanted: float, places: int = 6) -> bool:
    return found is not None and round(float(found), places) == round(wanted, places)


def test_the_four_requests(ledger: Any) -> None:
    """Sum 14,493 s, mean 3,623.25; deviations −802.25, −524.25, −344.25, 1,670.75, whose squares sum to 3,828,356.75;
    a third of that is 1,276,118.916…, its root 1,129.654…; half of it times t(3) = 3.182446 is 1,797.53."""
    rows = [f"tokenization_seconds: {t}, generation_seconds: {g}, decoding_seconds: {d}" for t, g, d in REQUESTS]
    found = figures(ledger, *rows, total="[tokenization_seconds, generation_seconds, decoding_seconds]")
    column = {key: found[f"generation_seconds.{key}"] for key in ("n", "sum", "mean", "median", "sd", "min", "max")}
    assert [column[key].use for key in ("n", "sum", "mean", "median", "min", "max")] == [
        4,
        14493,
        Fraction("3623.25"),
        3189,
        2821,
        5294,
    ]
    assert near(column["sd"].use ** 2, 3_828_356.75 / 3)
    assert near(column["sd"].use, 1129.654, 3)
    mean = column["mean"].value
    assert near(mean.low, 1825.72, 2)
    assert near(mean.high, 5420.78, 2)
    assert mean.low + mean.high == 2 * mean.use
    assert found["rows.1.total_seconds"].use == Fraction("2821.24")
    assert found["total_seconds.mean"].use == Fraction("3623.3875")
    assert found["seconds_per_step"].value == found["total_seconds.mean"].value


def test_shares_are_of_the_sums_and_hide_no_part(ledger: Any) -> None:
    rows = [f"tokenization_seconds: {t}, generation_seconds: {g}, decoding_seconds: {d}" for t, g, d in REQUESTS]
    found = figures(ledger, *rows, total="[tokenization_seconds, generation_seconds, decoding_seconds]")
    shares = [found[f"{one}_seconds.share"].use for one in ("tokenization", "generation", "decoding")]
    assert shares == [one / Fraction("14493.55") for one in (Fraction("0.44"), Fraction(14493), Fraction("0.11"))]
    assert sum(shares) == 1


def test_a_fifth_request_changes_all_of_them(ledger: Any) -> None:
    four = figures(ledger, *(f"a_seconds: {one}" for one in GENERATION))
    five = figures(ledger, *(f"a_seconds: {one}" for one in [*GENERATION, 2000]))
    for key in (
        "a_seconds.n",
        "a_seconds.sum",
        "a_seconds.mean",
        "a_seconds.median",
        "a_seconds.sd",
        "seconds_per_step",
    ):
        assert four[key].value != five[key].value, key
    assert five["a_seconds.mean"].use == Fraction("3298.6")
    assert five["a_seconds.median"].use == 3099


def test_one_row_has_a_mean_without_spread(ledger: Any) -> None:
    found = figures(ledger, "a_seconds: 12.5")
    assert found["a_seconds.mean"].value.exact
    assert "a_seconds.sd" not in found
    assert found["a_seconds.mean"].origin.how == "the only row"
    assert {found[f"a_seconds.{key}"].use for key in ("mean", "median", "min", "max", "sum")} == {Fraction("12.5")}


def test_equal_rows_have_no_spread(ledger: Any) -> None:
    found = figures(ledger, *["a_seconds: 786"] * 4)
    assert found["a_seconds.sd"].use == 0
    assert found["a_seconds.mean"].value.exact


def test_times_of_zero_have_no_shares_and_break_nothing(ledger: Any) -> None:
    found = figures(ledger, "a_seconds: 0, b_seconds: 0", total="[a_seconds, b_seconds]")
    assert found["total_seconds.mean"].use == 0
    assert found["a_seconds.share"].missing == ("p.measurements.m.total_seconds.sum",)


def test_an_interval_that_would_reach_zero_ends_at_the_least_row(ledger: Any) -> None:
    """1 and 10: mean 5.5, and t(1) = 12.7 times 4.5 on each side."""
    mean = figures(ledger, "a_seconds: 1", "a_seconds: 10")["a_seconds.mean"].value
    assert mean.low == 1
    assert near(mean.high, 5.5 + 12.706204736 * 4.5)


def test_columns_in_other_units_are_summed_as_what_they_measure(ledger: Any) -> None:
    found = figures(
        ledger,
        "a_milliseconds: 500, b_seconds: 3",
        "a_milliseconds: 700, b_seconds: 1",
        total="[a_milliseconds, b_seconds]",
    )
    assert [found[f"rows.{number}.total_milliseconds"].use for number in (1, 2)] == [3500, 1700]
    assert found["total_milliseconds.mean"].use == 2600
    assert found["seconds_per_step"].use == Fraction("2.6")
    assert found["b_seconds.share"].use == Fraction(4000, 5200)


def test_a_time_in_hours_is_a_time_too(ledger: Any) -> None:
    assert figures(ledger, "a_hours: 0.5", total="[a_hours]")["seconds_per_step"].use == 1800


def test_a_stated_step_time_goes_before_that_of_the_rows(ledger: Any) -> None:
    text = measurement(["a_seconds: 4"], more="  seconds_per_step: 5\n")
    assert ledger(measurements=text).book()["p.measurements.m.seconds_per_step"].use == 5


@pytest.mark.parametrize(("many", "has"), [(200, True), (201, False)])
def test_more_than_two_hundred_rows_have_statistics_only(ledger: Any, many: int, has: bool) -> None:
    found = figures(ledger, *(f"a_seconds: {number}" for number in range(1, many + 1)))
    assert ("rows.1.a_seconds" in found) == has
    assert found["a_seconds.n"].use == many
    assert found["a_seconds.mean"].use == Fraction(many + 1, 2)
    assert near(found["a_seconds.sd"].use ** 2, many * (many + 1) / 12)


def test_counts_have_statistics_and_no_time_of_a_step(ledger: Any) -> None:
    found = figures(
        ledger,
        "input_tokens: 700, output_tokens: 80",
        "input_tokens: 800, output_tokens: 90",
        total="[input_tokens, output_tokens]",
    )
    assert found["total_tokens.mean"].use == 835
    assert "seconds_per_step" not in found


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [
        (1, 12.706204736),
        (2, 4.302652730),
        (3, 3.182446305),
        (4, 2.776445105),
        (10, 2.228138852),
        (29, 2.045229642),
        (100, 1.983971519),
        (200, 1.971896224),
        (1000, 1.962339081),
    ],
)
def test_the_quantiles_are_those_of_the_tables(degrees: int, quantile: float) -> None:
    assert abs(float(s.t_quantile(degrees)) - quantile) < 2e-9


def test_the_quantile_falls_without_a_step_between_its_two_ways_of_reckoning() -> None:
    some = [s.t_quantile(degrees) for degrees in range(195, 207)]
    gaps = [one - two for one, two in pairwise(some)]
    assert all(gap > 0 for gap in gaps)
    assert max(gaps) - min(gaps) < Fraction(1, 10**5)


samples = st.lists(st.fractions(min_value=0, max_value=10**4, max_denominator=100), min_size=1, max_size=12)


def test_the_expansion_of_many_degrees_is_the_published_one() -> None:
    """Abramowitz, Stegun 26.7.5 at 2, over one degree: 2 + 10/4 + (160 + 128 + 6)/96 + (384 + 608 + 136 - 30)/384."""
    assert s._expanded(2.0, 1) == pytest.approx(2 + 2.5 + 3.0625 + 2.859375, abs=1e-12)


@given(samples)
def test_a_row_equal_to_the_mean_leaves_the_mean_and_narrows_the_spread(sample: list[Fraction]) -> None:
    middle = s.mean(sample)
    more = [*sample, middle]
    assert s.mean(more) == middle
    before, after = s.deviation(sample), s.deviation(more)
    assert after is not None
    assert before is None or after <= before
    if len(sample) > 1:
        assert s.interval(more).high <= s.interval(sample).high


@given(samples, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(sample: list[Fraction], chance: Any) -> None:
    other = sample.copy()
    chance.shuffle(other)
    for one in (s.mean, s.median, s.deviation, s.interval):
        assert one(sample) == one(other)


@given(samples, st.integers(min_value=1, max_value=3600))
def test_another_unit_changes_no_statistic(sample: list[Fraction], factor: int) -> None:
    scaled = [one * factor for one in sample]
    assert s.mean(scaled) == s.mean(sample) * factor
    assert s.median(scaled) == s.median(sample) * factor
    spread, other = s.deviation(sample), s.deviation(scaled)
    if spread is not None and other is not None:
        assert abs(other - spread * factor) <= other / 10**30


@given(samples)
def test_the_statistics_keep_their_order(sample: list[Fraction]) -> None:
    value = s.interval(sample)
    assert min(sample) <= s.median(sample) <= max(sample)
    assert 0 <= value.low <= value.use <= value.high
    assert min(sample) <= value.use <= max(sample)


@pytest.mark.parametrize("degrees", [201, 250, 400])
def test_the_expansion_gives_what_the_series_does(degrees: int) -> None:
    assert s._probability_within(float(s.t_quantile(degrees)), degrees) == pytest.approx(0.95, abs=2e-9)
