"""The cells of hours that were held and not used: of each item that has runs which state `utilisation`, and of the
project.

**Idle** are the GPU-hours of a run × (1 − its utilisation), never below 0. They stand beside what is lost, and are no
part of it: runs that failed are left out, since their hours are lost already.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import ONE, ZERO, Quantity, Value, add_up
from reckon.language.text import plural
from reckon.language.units import GPU_HOURS
from reckon.model.figure import OUTSIDE, USEFUL, Traits

from ..sheet.cells import total_of
from ..sheet.inputs import ratio_address
from ..sheet.writer import FigureWriter
from .actuals import Tally


class MeasuredRun(NamedTuple):
    """A run that states its utilisation: its GPU-hours and its idle ones, in hours of the project's card; 0 where its
    own card has no ratio to that."""

    traits: Traits
    hours: Fraction
    idle: Value


def write_idle(tally: Tally) -> None:
    """Writes the idle hours of items and of the project, and over how many hours they were measured; nothing where no
    run that counts as useful states its utilisation."""
    project = tally.project
    by_item = defaultdict(list)
    for run in _measured(tally):
        by_item[run.traits.item].append(run)
    parts = []
    for name in project.items:
        if name in by_item:
            _write_part(tally, tally.writer(name), by_item[name])
            parts.append(f"plan.{name}")
    for key, item, title in OUTSIDE:
        if item in by_item:
            _write_part(tally, FigureWriter(tally.sheet, f"{project.id}.actual.{key}", title), by_item[item])
            parts.append(f"actual.{key}")
    if parts:
        writer = FigureWriter(tally.sheet, project.id)
        writer.hours("actual.idle", "Idle, of runs that did not fail", total_of([f"{part}.idle" for part in parts]))
        writer.hours("actual.measured", "Actual, measured", total_of([f"{part}.measured" for part in parts]))
        writer.formula("actual.idle_share", "Share of the measured hours idle", "idle / measured", "%", "measured")
        words = "Share of the actual hours measured"
        writer.formula("actual.measured_share", words, "measured / total", "%", "total")


def _measured(tally: Tally) -> Iterator[MeasuredRun]:
    """The runs that did not fail and state a utilisation with both ends."""
    rows, kinds = tally.project.rows, tally.project.kinds
    hours, per = rows.charged
    for number in rows.where(["utilisation"], lambda stated: isinstance(stated, Quantity)):
        traits, stated = kinds.traits[kinds.of[number]], rows.column("utilisation")[number]
        if traits.budgeted and traits.status in USEFUL and None not in stated.value.ends:
            held = Fraction(hours[number], per) * (tally.ratio(traits.gpu) or ZERO)
            ends = [max(ONE - end, ZERO) for end in reversed(stated.value.ends)]
            yield MeasuredRun(traits, held, Value(*ends).scaled(held))


def _write_part(tally: Tally, writer: FigureWriter, runs: list[MeasuredRun]) -> None:
    """Writes the measured and the idle hours of some runs."""
    unknown = {run.traits.gpu for run in runs if tally.ratio(run.traits.gpu) is None}
    missing = sorted(ratio_address(gpu, tally.target) for gpu in unknown)
    of = f"of {plural(len(runs), 'entry', 'entries')} that did not fail and state utilisation"
    hours = add_up(run.hours for run in runs)
    writer.count("measured", "measured", GPU_HOURS, hours, f"GPU-hours {of}", missing)
    idle = Value(*map(add_up, zip(*(run.idle.ends for run in runs), strict=True)))
    how = f"GPU-hours × (1 − utilisation) {of}"
    writer.count("idle", "idle", GPU_HOURS, idle, how, missing, is_uncertain=not idle.exact)
    writer.formula("idle_share", "share of the measured hours idle", "idle / measured", "%", "measured")
