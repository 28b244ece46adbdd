"""The cells of what failed attempts lost: their hours, less what the progress that they made was planned to take.

What a failed attempt got done is kept in a checkpoint, and the next one goes on from there. So the hours of that are
useful, for at most what the plan gives for so much progress; all else it took is lost, and so are GPUs held idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, PLAIN, Unit
from reckon.model.figure import Figure, Worked

from ..sheet.cells import Cell, Computed, total_of
from ..sheet.inputs import scopes
from .actuals import Tally, by_seed
from .attempts import Lost
from .progress import PieceOfWork

LOST = "Lost in failed attempts"
HOW = "hours of failed attempts, less what the progress that they made was planned to take"


def write_lost(tally: Tally) -> frozenset[str]:
    """Writes hours and number of losses of each piece of work that had a failed attempt, and of a project with runs.

    Gives back the addresses of these pieces.
    """
    sheet, project = tally.sheet, tally.project.id
    found = list(_failed(tally))
    for at, title, work in found:
        runs = tally.project.items[at.split(".")[2]].runs
        _write_lost_hours(tally, at, title, work, runs.value.use if runs else None)
    if found:
        lost = total_of([f"{at}.lost" for at, _, _ in found])
        number = total_of([f"{at}.losses" for at, _, _ in found])
        sheet.formula(f"{project}.forecast.lost", LOST, GPU_HOURS, lost)
        sheet.formula(f"{project}.forecast.losses_seen", "Losses so far", PLAIN, number)
    elif tally.begun:
        for name, words, unit in (("lost", LOST, GPU_HOURS), ("losses_seen", "Losses so far", PLAIN)):
            sheet.counted(Figure(f"{project}.forecast.{name}", words, unit, point(0), Worked("no attempt failed")))
    return frozenset(at for at, _, _ in found)


def _failed(tally: Tally) -> Iterator[tuple[str, str, PieceOfWork]]:
    """The address, title and runs of each piece of work that had a failed attempt; runs that name no seed beside."""
    for _, _, name, item in scopes(tally.project):
        at, seeds = f"{tally.project.id}.plan.{name}", by_seed(tally.project, item)
        parts = [(f"{at}.seeds.{seed}", f"{item.title}, seed {seed}", (name, seed)) for seed in seeds]
        parts += [(f"{at}.no_seed", f"{item.title}, no seed named", (name, ""))] if seeds else []
        for where, title, key in parts or [(at, str(item.title), (name, ""))]:
            if (work := tally.work.get(key)) and work.failed:
                yield where, title, work


def _write_lost_hours(tally: Tally, at: str, title: str, work: PieceOfWork, runs: Fraction | None) -> None:
    """The cells of a piece of work. Attempts that name no seed made no progress of any."""
    plan = f"{at}.bac"
    needs = (plan,) if plan in tally.sheet.cells else ()

    def losses(figures: Mapping[str, Figure]) -> list[Lost]:
        return work.losses((figures[plan].use if needs else None) or Fraction(0), runs)

    def write(name: str, words: str, unit: Unit, made: Callable[[list[Lost]], Fraction | int]) -> None:
        address = f"{at}.{name}"

        def figure(figures: Mapping[str, Figure]) -> Figure:
            origin = Worked(HOW, tuple(figures[need] for need in needs))
            return Figure(address, words, unit, point(made(losses(figures))), origin)

        tally.sheet.write(Cell(address, words, unit, Computed(needs, figure)))

    def hours(lost: list[Lost]) -> Fraction:
        return sum((each.hours for each in lost), Fraction(0))

    write("lost", f"{title}: lost in failed attempts", GPU_HOURS, hours)
    write("losses", f"{title}: losses", PLAIN, lambda lost: sum(each.many for each in lost))
