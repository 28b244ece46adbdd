"""What a closed period says of itself: its days, exact numbers, and a text that reads as what was written."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.language.calendar_days import iso
from reckon.model.closing import ChargedSum, Closing, added, exact, less, period_of, read_closing
from reckon.model.release import Changed, seal

AMOUNTS = st.fractions(max_denominator=25_200)
SUMS = st.builds(
    ChargedSum,
    st.sampled_from(["", "?", "train", "test-2"]),
    st.sampled_from(["a100", "h100"]),
    AMOUNTS,
    AMOUNTS,
    st.none() | AMOUNTS.filter(bool),
)


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


@given(st.lists(SUMS, max_size=6), st.sampled_from(["", "Because | of `this`\nand \x1b that"]))
def test_what_is_written_is_read_again(some: list[ChargedSum], reason: str) -> None:
    closing = Closing("grant-2", "demo", "2026-Q1", "2026-04-05", "2026-04-02", added(some), 1, reason, ("demo",))
    assert read_closing(closing.text(), closing.file) == closing


@given(st.lists(SUMS, max_size=6), st.lists(SUMS, max_size=6))
def test_what_is_true_is_what_was_closed_and_the_difference(now: list[ChargedSum], then: list[ChargedSum]) -> None:
    assert added(then, added(now, less(then))) == added(now)
    assert added(now, less(now)) == ()


def sealed(**changed: object) -> str:
    """The text of a closing that says something else, with a checksum of its own."""
    sums = (ChargedSum("train", "a100", Fraction(3), Fraction(2)),)
    whole = json.loads(Closing("grant", "demo", "2026-Q1", "2026-04-05", "2026-04-02", sums, 0, "", ("demo",)).text())
    del whole["sha256"]
    whole |= changed
    return json.dumps({**whole, "sha256": seal(whole)})


ROW = {"item": "train", "gpu": "a100", "used": "3", "useful": "2", "wasted": "1", "usd": None}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sums": [{**ROW, "used": "4"}]}, "a sum cannot be one"),  # it is not what is useful and wasted
        ({"sums": [{**ROW, "used": "3.0"}]}, "a sum cannot be one"),
        ({"sums": [{**ROW, "item": "../x"}]}, "a sum cannot be one"),
        ({"sums": [{**ROW, "more": "x"}]}, "a sum cannot be one"),
        ({"sums": [ROW, ROW]}, "an item and card stand there twice, or out of order"),
        ({"projects": ["../x"]}, "`project`, `allocation` or `projects` cannot be one"),
        ({"period": "2026-Q7"}, "its period or a day cannot be one"),
        ({"date": "2026-02-30"}, "its period or a day cannot be one"),
        ({"number": -1}, "`number` or `reason` cannot be one"),
        ({"number": True}, "`number` or `reason` cannot be one"),
        ({"reason": "x" * 1001}, "`number` or `reason` cannot be one"),
        ({"reason": 3}, "a field is missing"),
        ({"format": 2}, "newer format"),
        ({"project": "other"}, "this is what was closed as ledger/other/closings/grant.2026-Q1.json"),
    ],
)
def test_what_no_closing_says_is_refused_though_it_is_sealed(changed: dict[str, object], said: str) -> None:
    with pytest.raises(Changed, match=said.replace(".", r"\.")):
        read_closing(sealed(**changed), "ledger/demo/closings/grant.2026-Q1.json")
    assert read_closing(sealed(), "ledger/demo/closings/grant.2026-Q1.json").used == 3
