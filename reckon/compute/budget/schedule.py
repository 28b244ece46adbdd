"""The plan as a duration: where phases can end with the GPUs that there are, and where they end at the present pace.

The capacity is `gpus` of the project: the GPUs that it can hold at one time. Where it states none, it is that of the
grants that it draws on, if each states one; a grant on another GPU than the budget counts in is left aside, with the
lines that are planned there. What is to be done in a phase are the planned hours of the work that is not done, or what
is not spent where nothing says how much is done; contingency is not counted. All GPUs are taken to be held at all times
from the day that the plan begins, or from the last day of data. So no phase ends before its day, and most end later.

Phases come one after the other in the order of the plan, extensions last. Phases whose dates overlap share the GPUs:
those that are to end first are done first, and none begins before its own `since`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from reckon.language.calendar_days import DATE, DAYS, LAST, first_day, last_day
from reckon.language.expression import Formula
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figures, Stated, missing_of
from reckon.model.kinds import FINAL
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Addresses, Result, chain_of, formula_of, read_formula, result
from ..sheet.inputs import phases_of, ratios_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .forecast import DrawnFigures
from .forecast_inputs import Outlook
from .pace import day_after, write_days
from .simulation import PERCENTS


class PlannedPhase(Struct, frozen=True):
    """A phase with the first and the last day that it is planned for, as days of the calendar; 0 for none."""

    name: str
    record: r.Phase
    since: int
    until: int


def write_schedule(sheet: Sheet, ledger: Ledger, tally: Tally, through: int) -> None:
    """Writes the earliest end of each phase, where the capacity is known; `through` is the last day of data, or 0."""
    project, whole = tally.project, FigureWriter(sheet, f"{tally.project.id}.schedule")
    phases = _order_phases(project)
    capacity, every = _find_capacity(ledger, project)
    if not capacity or not phases:
        return
    start = _find_start(project, phases, through)
    whole.formula("gpus", "GPUs that can be held at one time", capacity)
    how = "the last day of data" if through else "the first day that is planned, or the day of the plan"
    whole.count("start", "Work to come begins, at the earliest", DATE, start, how)
    last = _last_days(tally)
    before: Addresses = ()
    for group in _group_overlapping(phases):
        for number, phase in enumerate(group):
            writer = FigureWriter.of_phase(sheet, project, phase.name)
            _write_days(writer, project, phase, start, every)
            _write_end_days(writer, group[: number + 1], group, before)
            _write_earliest(writer, project.id, start, max((last[item] for item in phase.record.items), default=0))
        before = tuple(phase.name for phase in group)
    base = [f"{project.id}.phases.{phase.name}.earliest_end" for phase in phases if not phase.record.extension]
    if base:
        _write_last(whole, base)


def _last_days(tally: Tally) -> Mapping[str, int]:
    """The last day of the runs of each item."""
    last: dict[str, int] = defaultdict(int)
    for (item, _), by_day in tally.days.items():
        last[item] = max(last[item], *by_day)
    return last


def _order_phases(project: ProjectLedger) -> list[PlannedPhase]:
    """The phases of the base budget in the order of the plan, then the extensions."""
    phases = []
    for name, phase in phases_of(project):
        since, until = first_day(phase.since or ""), last_day(phase.until or "")
        phases.append(PlannedPhase(name, phase, since, until))
    return sorted(phases, key=lambda phase: bool(phase.record.extension))


def _group_overlapping(phases: Sequence[PlannedPhase]) -> Iterator[list[PlannedPhase]]:
    """Phases whose dates overlap, each group in the order in which they are to end."""
    group: list[PlannedPhase] = []
    for phase in phases:
        dated = [other for other in group if other.since and other.until]
        overlaps = any(phase.since <= other.until and other.since <= phase.until for other in dated)
        if group and not (phase.since and phase.until and overlaps):
            yield sorted(group, key=lambda other: other.until or LAST)
            group = []
        group.append(phase)
    if group:
        yield sorted(group, key=lambda other: other.until or LAST)


def _find_capacity(ledger: Ledger, project: ProjectLedger) -> tuple[Formula | None, bool]:
    """The GPUs that can be held at one time, as a formula (none: not known); and whether it is of every card."""
    if project.project.gpus is not None:
        return formula_of("{}", f"{project.id}.gpus"), True
    cards = (None, project.gpu)
    grants = ledger.allocations.items()
    usable = {name: grant for name, grant in grants if project.id in grant.projects and grant.gpu in cards}
    if not usable or any(grant.gpus is None for grant in usable.values()):
        return None, False
    every = any(grant.gpu is None for grant in usable.values())
    return chain_of(" + ", [f"allocations.{name}.gpus" for name in usable]), every


def _find_start(project: ProjectLedger, phases: Sequence[PlannedPhase], through: int) -> int:
    """The day on which work to come can begin: the last day of data, else the first that is planned."""
    if through:
        return through
    stated = first_day(project.project.began or project.project.as_of)
    planned = [phase.since for phase in phases if phase.since]
    return min(planned) if planned and phases[0].since else min([stated, *planned])


def _write_days(writer: FigureWriter, project: ProjectLedger, phase: PlannedPhase, start: int, every: bool) -> None:
    """What is to be done in a phase, the days that it takes on all GPUs, and when it may begin."""
    items = {}
    for name, item in phase.record.items.items():
        if every or item.gpu is None or item.gpu == project.gpu:
            items[f"{project.id}.plan.{name}"] = ratios_of(writer.sheet.cells, project, item)
    needs = (
        *(f"{item}.{name}" for item in items for name in ("bac", "earned", "actual")),
        *chain.from_iterable(items.values()),
    )

    def to_do(figures: Figures) -> Formula:
        parts = []
        for item, ratios in items.items():
            done = "actual" if figures[f"{item}.earned"].missing else "earned"
            # The plan was turned into hours of the project at this ratio: its range would count once more here.
            left = formula_of("max({0}.bac - {0}.{1}, 0 gpu_hours)", item, done)
            parts.append(chain_of(" / ", [left, *(f"{ratio}.use" for ratio in ratios)]))
        return chain_of(" + ", parts) if parts else read_formula("0 gpu_hours")

    writer.compute("to_do", "still to be done, in hours held", GPU_HOURS, needs, to_do)
    writer.formula("days_needed", "days on all GPUs", "to_do / schedule.gpus", unit=DAYS)
    if phase.since:
        origin = Stated(str(phase.record.since), getattr(phase.record.since, "place", phase.record.place))
        words = "days from the start of the work to do to its `since`"
        writer.count("starts_after", words, DAYS, max(phase.since - start, 0), origin)


def _write_end_days(
    writer: FigureWriter, done: Sequence[PlannedPhase], group: Sequence[PlannedPhase], before: Sequence[str]
) -> None:
    """The days from the start to the end of a phase: after the phases before it, and its share of those beside it."""
    phase = done[-1]
    waits = [f"phases.{name}.ends_after" for name in before]
    own = [*waits, f"phases.{phase.name}.starts_after"] if phase.since else waits
    ends = formula_of("{} + days_needed", _latest(own)) if own else read_formula("days_needed")
    if len(group) > 1:
        # By then all work that is to end by then has to be done, from the day on which the first of them may begin.
        first = min(group, key=lambda other: other.since)
        begins = _latest([*waits, f"phases.{first.name}.starts_after"])
        shared = f"phases.{done[-2].name}.shared_days" if len(done) > 1 else begins
        words = "days to the end of all work due by then"
        writer.formula("shared_days", words, formula_of("{} + days_needed", shared), unit=DAYS)
        ends = formula_of("max({}, shared_days)", ends)
    writer.formula("ends_after", "days to its end, at least", ends, unit=DAYS)


def _latest(names: Sequence[str]) -> Formula:
    return chain_of(", ", names, "max({})" if len(names) > 1 else "{}")


def _write_earliest(writer: FigureWriter, project: str, start: int, last: int) -> None:
    """The day on which a phase ends at the earliest; of one that is done, the last day of its runs."""
    needs = (f"{writer.at}.to_do", f"{writer.at}.ends_after", f"{project}.schedule.start")

    def earliest(figures: Figures) -> Result:
        to_do, after, first = (figures[name] for name in needs)
        if to_do.use == 0 and last:
            return result(last, "the last day of its runs", [to_do])
        return day_after(start - 1, after, "start + days, in whole days", (first, after), least=start)

    writer.compute("earliest_end", "ends at the earliest", DATE, needs, earliest)


def _write_last(writer: FigureWriter, ends: Sequence[str]) -> None:
    """The last of the days on which phases end at the earliest."""

    def last(figures: Figures) -> Result:
        found = [figures[end] for end in ends]
        return result(max(figure.use or 0 for figure in found), "the last of these days", found, missing_of(found))

    writer.compute("earliest_end", "Planned work done at the earliest", DATE, ends, last)


def write_phase_ends(sheet: Sheet, tally: Tally, outlook: Outlook) -> None:
    """Writes when the phases of the base budget are done at the present pace, each with all that come before it. The
    last one is done when the project is."""
    project, pace = tally.project, f"{outlook.id}.pace"
    if f"{pace}.gpu_hours_per_day" not in sheet.cells:
        return
    days = _last_days(tally)
    names = [phase.name for phase in _order_phases(project) if phase.name in outlook.base]
    for number, name in enumerate(names, 1):
        so_far = names[:number]
        forecast, spent = "forecast.p", [FINAL.actual]
        if number < len(names):
            forecast, spent = f"phases.{name}.cumulative_forecast_p", [f"phases.{each}.actual" for each in so_far]
            _write_cumulative(FigureWriter.of_phase(sheet, project, name), outlook, so_far)
        last = max((days[item] for item in project.plan[name].items), default=0)
        writer = FigureWriter.of_phase(sheet, project, name)
        write_days(writer, forecast, spent, pace, (f"{writer.at}.complete_share", last))


def _write_cumulative(writer: FigureWriter, outlook: Outlook, phases: Sequence[str]) -> None:
    """Writes the forecast of some phases together, at the last of them."""
    drawn = DrawnFigures(writer, outlook, lambda figures: outlook.drawn(figures, phases).totals)
    for percent in PERCENTS:
        words = f"with the phases before it: forecast, P{percent}"
        drawn.quantile(f"cumulative_forecast_p{percent}", words, percent)
