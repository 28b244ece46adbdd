"""The cells of what was lost and what was useful: of each piece of work, item and phase, and of the project.

**Lost** are the hours of attempts that failed and of GPUs held idle, less what the progress that is kept was planned to
take: a failed attempt leaves its progress in a checkpoint, and the next one goes on from there. Progress that goes back
loses the difference. The measure is the plan; where several attempts made progress and all were slower, it is the
fastest of them, since slow is not lost. Runs that belong to no item have no plan: those that failed are lost whole.
**Useful** is all else that was held. Forecast, pages and policies use these figures (`waste` in addresses).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS, PLAIN
from reckon.model import records as r
from reckon.model.figure import NO_RUN, OUTSIDE, USEFUL, Figures, Selection, missing_of

from ..sheet.cells import Result, result, total_of
from ..sheet.inputs import phases_of
from ..sheet.writer import FigureWriter
from .actuals import Tally, by_seed
from .attempts import Lost
from .progress import PieceOfWork

LOST = "Lost"
HOW = "hours of attempts that failed, less what the progress that is kept was planned to take"
SEEN = "attempts that failed"
USEFUL_HOURS = "actual - waste"


class LossyPiece(NamedTuple):
    """A piece of work that may have lost hours: what writes its figures, the address of its plan (empty where nothing
    hangs on it: its runs made no progress, or name no seed that they could have advanced), and how many runs it takes.
    """

    writer: FigureWriter
    plan: str
    work: PieceOfWork
    runs: Fraction | None

    def lost(self, figures: Figures) -> Sequence[Lost]:
        """What it lost."""
        return self.work.losses((figures[self.plan].use if self.plan else None) or ZERO, self.runs)


def write_lost(tally: Tally) -> frozenset[str]:
    """Writes lost and useful hours of each piece of work, item and phase, and of the project.

    Gives back the addresses of the pieces that may have lost hours.
    """
    sheet, project = tally.sheet, tally.project
    found = [piece for name, item in project.items.items() for piece in _item(tally, name, item)]
    for name, phase in phases_of(project):
        _write_sum(FigureWriter.of_phase(sheet, project, name), [f"plan.{item}" for item in phase.items])
    _whole(tally, found)
    return frozenset(piece.writer.at for piece in found)


def _write_sum(writer: FigureWriter, parts: Iterable[str]) -> None:
    """Writes what some parts lost together, and what was useful."""
    writer.hours("waste", "lost", total_of([f"{part}.waste" for part in parts]))
    writer.hours("useful", "useful", USEFUL_HOURS)


def _item(tally: Tally, name: str, item: r.Item) -> list[LossyPiece]:
    """The cells of an item and of its seeds; gives back its pieces of work that may have lost hours."""
    seeds, whole = by_seed(tally.project, item), tally.writer(name)
    if not seeds:
        return _piece(tally, whole, (name, ""), Selection(tally.project.id, item=name))
    found = []
    for seed in seeds:
        writer = tally.writer(name, seed)
        found += _piece(tally, writer, (name, seed), Selection(tally.project.id, item=name, seed=seed))
    parts, unnamed = [f"seeds.{seed}" for seed in seeds], Selection(tally.project.id, item=name, seed="")
    if tally.has(unnamed):
        parts.append("no_seed")
        writer = FigureWriter(tally.sheet, f"{whole.at}.no_seed", f"{whole.title}, no seed named")
        found += _piece(tally, writer, (name, ""), unnamed, is_planned=False)
    _write_sum(whole, parts)
    return found


def _piece(
    tally: Tally, writer: FigureWriter, key: tuple[str, str], selection: Selection, is_planned: bool = True
) -> list[LossyPiece]:
    """The cells of a piece of work; gives it back if it may have lost hours."""
    work, item = tally.work.get(key) or PieceOfWork(), tally.project.items[key[0]]
    failed = replace(selection, failed=True)
    held = tally.figure(failed, "", f"{writer.title}: held by attempts that failed")
    plan = f"{writer.at}.bac" if is_planned and work.needs_plan else ""
    piece = LossyPiece(writer, plan, work, item.runs_a_piece)
    needs = [plan] if plan else []

    def lost(figures: Figures) -> Result:
        on = [held, *(figures[address] for address in needs)]
        unknown = [each.address for each in on[1:] if each.use is None and not each.missing]
        total = add_up(each.hours for each in piece.lost(figures))
        return result(total, HOW, on, [*missing_of(on), *unknown])

    def many(figures: Figures) -> Result:
        return result(sum(each.many for each in piece.lost(figures)), HOW)

    writer.compute("waste", "lost", GPU_HOURS, needs, lost)
    writer.hours("useful", "useful", USEFUL_HOURS)
    if not tally.has(failed) and not work.causes:
        return []
    writer.compute("losses", "losses", PLAIN, needs, many)
    writer.hours("lost", "lost", "waste")
    return [piece]


def _whole(tally: Tally, pieces: Sequence[LossyPiece]) -> None:
    """What a project lost and what was useful: in all, as a share and by the status of what lost it."""
    sheet, project = tally.sheet, tally.project
    writer, outside = FigureWriter(sheet, project.id), list(_outside(tally))
    parts = [f"phases.{name}.waste" for name, _ in phases_of(project)] + [f"{each}.waste" for each in outside]
    if parts:
        writer.hours("actual.waste", LOST, total_of(parts))
    else:
        writer.count("actual.waste", LOST, GPU_HOURS, 0, SEEN)
    writer.hours("actual.useful", "Actual, useful", "total - waste")
    writer.formula("actual.waste_share", "Share of the actual hours lost", "waste / total", "%", "total")
    failed = {traits.status for traits in tally.groups if traits.status not in (*USEFUL, NO_RUN)}
    for status in sorted(failed.union(*(piece.work.causes for piece in pieces))):
        _by_cause(tally, status, [piece for piece in pieces if status in piece.work.causes])
    if tally.begun:
        writer.hours("forecast.lost", LOST, "actual.waste")
        seen, words = "forecast.losses_seen", "Losses of planned work so far"
        if pieces:
            losses = total_of([f"{piece.writer.at}.losses" for piece in pieces])
            writer.formula(seen, words, losses, unit=PLAIN)
        else:
            writer.count(seen, words, PLAIN, 0, SEEN)


def _outside(tally: Tally) -> Iterator[str]:
    """Writes what failed runs of no item lost, which is all that they held; gives the addresses."""
    for key, item, title in OUTSIDE:
        failed = Selection(tally.project.id, item=item, failed=True)
        if tally.has(failed):
            tally.write(failed, f"{tally.project.id}.actual.{key}.waste", f"{title}: lost")
            yield f"actual.{key}"


def _by_cause(tally: Tally, status: str, pieces: Sequence[LossyPiece]) -> None:
    """What attempts with a status lost: the parts of all that was lost."""
    writer = FigureWriter(tally.sheet, f"{tally.project.id}.actual.waste.by_cause")
    title = f"Lost, {status.replace('-', ' ')}"
    outside = [Selection(tally.project.id, item=each.item, status=status, failed=True) for each in OUTSIDE]
    held = [tally.figure(each, "", f"{title}, of no item") for each in outside if tally.has(each)]
    wholes = [f"{piece.writer.at}.waste" for piece in pieces]

    def lost(figures: Figures) -> Result:
        parts = [figures[whole] for whole in wholes] + held
        hours = [each.hours for piece in pieces for each in piece.lost(figures) if each.status == status]
        total = add_up(hours) + sum(each.use or 0 for each in held)
        return result(total, "what attempts with this status lost of it", parts, missing_of(parts))

    needs = (*(piece.plan for piece in pieces if piece.plan), *wholes)
    writer.compute(status, title, GPU_HOURS, needs, lost)
