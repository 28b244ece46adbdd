"""What levers come to: their measured effect, and how many times less of a setting they leave."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from measured_cases import lever, ran

from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence

MEASURED = """\
before:
  {title: Before, kind: measured, rows: [{run_seconds: 100}, {run_seconds: 140}], total: [run_seconds]}
after: {title: After, kind: measured, rows: [{run_seconds: 30}], total: [run_seconds]}
bare: {title: Bare, kind: measured}
"""


def figure(ledger: Any, lever: str, name: str) -> Any:
    return ledger(measurements=MEASURED, levers=f"l: {{title: L, {lever}}}\n").book().get(f"p.levers.l.{name}")


def test_the_effect_is_the_time_of_a_step_with_the_lever_over_that_without_it(ledger: Any) -> None:
    """30 s over a mean of 120 s is a quarter; the mean's spread is that of two rows, and goes the other way."""
    found = figure(ledger, "measured_with: after, measured_without: before", "effect")
    assert (found.use, found.form) == (Fraction(1, 4), "x")
    assert found.value.low < Fraction(1, 4) < found.value.high == Fraction(3, 10)


def test_the_effect_of_what_was_not_measured_is_unknown(ledger: Any) -> None:
    assert figure(ledger, "measured_with: after", "effect").missing == ("p.levers.l.measured_without",)
    found = figure(ledger, "measured_with: bare, measured_without: before", "effect")
    assert found.missing == ("p.measurements.bare.seconds_per_step",)


def test_a_change_is_how_many_times_less_of_a_setting_is_left(ledger: Any) -> None:
    """1,920 x 1,080 pixels over 800 x 450 are 5.76; from 5 pictures to 15 a third is 'less'."""
    pixels = figure(ledger, "was: {image.pixels: 2073600}, sets: {image.pixels: 360000}", "change.image.pixels")
    assert (pixels.use, pixels.form) == (Fraction("5.76"), "x")
    assert figure(ledger, "was: {pictures: 5}, sets: {pictures: 15}", "change.pictures").use == Fraction(1, 3)


def test_what_is_no_number_or_set_to_nothing_has_no_ratio(ledger: Any) -> None:
    assert figure(ledger, "was: {mode: sampled}, sets: {mode: greedy}", "change.mode") is None
    assert figure(ledger, "sets: {pictures: 15}", "change.pictures") is None
    nothing = figure(ledger, "was: {heat: 0.7}, sets: {heat: 0}", "change.heat")
    assert nothing.missing == ("p.levers.l.sets.heat",)


@pytest.mark.parametrize(
    ("says", "entries"),
    [
        ("pictures: 5", [("increase", 1)]),  # what it was is in force: the two values were turned
        ("pictures: 4", [("configuration", 0), ("increase", 0)]),
        ("pictures: 6", [("increase", 0)]),
        ("", [("increase", 0)]),
    ],
)
def test_values_of_a_reduction_that_were_turned_are_one_cause(
    ledger: Any, says: str, entries: list[tuple[str, int]]
) -> None:
    files = ran(says, levers=lever("was: {pictures: 5}, sets: {pictures: 6}, lowers: [pictures]"))
    groups = by_cause(ledger(**files).book().findings["p"])
    found = [(group.lead.id.partition("#")[2], len(group.following)) for group in groups if group.severity != "note"]
    assert found == entries
    assert ("seem to be swapped: the first one" in format_sentence(groups[0].lead.meaning)) is (entries[0][1] == 1)
