"""When the work is done: at the present pace, with its range, and at the earliest, beside the last day of the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from msgspec import Struct

from reckon.language.calendar_days import last_day
from reckon.language.quantity import ZERO
from reckon.model.figure import Figure

from ..render.printing import several
from ..table import Bold, Cell, CellRow, Columns, Table, below, figures
from ..view import View


class WorkDates(Struct, frozen=True):
    """When a phase, or the whole of a project, begins and is to end by its plan, and when it can be done.

    `done` is at the present pace at the median, `low` and `high` are the tenth and the ninetieth percentile of it;
    each is None where there is no pace, or too little data for a date. `earliest` is when all GPUs are held at all
    times, with `to_do` and `days` on all GPUs that it follows from; None where it is not known how many there are.
    """

    title: str
    since: str
    until: str
    done: Figure | None
    low: Figure | None
    high: Figure | None
    earliest: Figure | None
    to_do: Figure | None
    days: Figure | None

    @property
    def spread(self) -> tuple[Figure, Figure] | None:
        """The two ends of the range, where it has two."""
        if self.low and self.high and self.low.use != self.high.use:
            return self.low, self.high
        return None

    @property
    def days_late(self) -> Figure | None:
        """By how many days the work ends after its last day by the plan, at the present pace; None if it does not."""
        if not (self.done and self.is_late(self.done)):
            return None
        return in_days((self.done.use or ZERO) - last_day(self.until), self.done.address)

    def is_late(self, end: Figure | None) -> bool:
        """Whether one of these days is after the last day of the plan."""
        return bool(self.until and end and end.use is not None and end.use > last_day(self.until))


def whole_dates(view: View) -> WorkDates:
    """The dates of all work of the base budget."""
    at_pace = _at_pace(view, "pace")
    return WorkDates("All planned work", "", "", *at_pace, view.known("schedule.earliest_end"), None, None)


def has_few_days(view: View) -> bool:
    """Whether there is a pace, and data of too few days to say when work is done."""
    end = view.maybe("pace.end")
    return end is not None and any(address.endswith(".days_of_data") for address in end.missing)


def phase_dates(view: View) -> Iterator[WorkDates]:
    """The dates of each phase for which it is known when it can be done."""
    found = (_dates_of(view, name) for name in view.ledger.plan)
    return (dates for dates in found if dates.done or dates.earliest)


def _dates_of(view: View, phase_id: str) -> WorkDates:
    at, phase = f"phases.{phase_id}", view.ledger.plan[phase_id]
    ends, need = view.known(f"{at}.earliest_end"), view.maybe_all(at, "to_do", "days_needed")
    return WorkDates(phase.title, phase.since or "", phase.until or "", *_at_pace(view, at), ends, *need)


def in_days(number: Fraction, address: str) -> Figure:
    """A number of days with the word for it, which leads to the figure that it is taken from."""
    return replace(several(int(number), "day"), address=address)


def end_cell(view: View, phase_id: str) -> Cell:
    """When a phase is done at the present pace, and its last day by the plan; nothing where that is not known."""
    found = _dates_of(view, phase_id)
    planned = f" ({found.until})" if found.until else ""
    return (_late(found, found.done), planned) if found.done else None


def latest_phase(view: View) -> WorkDates | None:
    """The last phase of the plan that ends after its last day; None where none is late. Phases are done in order."""
    late = [found for found in phase_dates(view) if found.days_late]
    return late[-1] if late else None


def _at_pace(view: View, at: str) -> tuple[Figure | None, Figure | None, Figure | None]:
    if view.done:
        return None, None, None
    return view.known(f"{at}.end"), view.known(f"{at}.end_p10"), view.known(f"{at}.end_p90")


def dates_table(view: View) -> Table:
    """The dates of each phase and of the whole, and what is still to do; nothing where no date is known."""
    rows = [[found.title, *_day_cells(found), found.to_do, found.days] for found in phase_dates(view)]
    whole = whole_dates(view)
    if rows and whole.done:
        rows.append([Bold(whole.title), *_day_cells(whole), "", ""])
    ends = ("Done by, at the present pace", "Earliest possible end")
    columns: Columns = ["Phase", *(figures(heading, optional=True) for heading in ends)]
    columns += [figures("From"), figures("To")]
    columns += [figures(heading, optional=True) for heading in ("To do, hours held", "Days on all GPUs")]
    return Table(columns, rows)


def _day_cells(found: WorkDates) -> CellRow:
    """When the work is done, the earliest day for that, and the planned days."""
    spread = (found.spread[0], " to ", found.spread[1]) if found.spread else None
    done, earliest = (_late(found, end) for end in (found.done, found.earliest))
    return [below(done, spread), earliest, found.since, found.until]


def _late(found: WorkDates, end: Figure | None) -> Cell:
    return (Bold("late"), ": ", end) if end and found.is_late(end) else end
