"""The statement of an allocation over all its projects: used, by failed attempts and left, by period.

A closed period says what it said when it was closed, and beside that what was learned since: the two add up to what is
true now. Periods that are not closed are open, and say what is true now alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.compute.budget.allocations import change_granted
from reckon.compute.budget.closed_periods import Charges, unadjusted
from reckon.language.calendar_days import LAST, iso
from reckon.language.quantity import UNKNOWN, point
from reckon.language.units import GPU_HOURS, Unit, key_unit
from reckon.model.closing import OUTSIDE_ITEMS, Closing, Sums
from reckon.model.figure import Figure, Worked
from reckon.model.finding import Sentence

from ..export import no_formula
from ..render.printing import counted
from ..table import MOST_ROWS, As, Bold, Cell, Code, Table, figures, joined, words

CLOSED, ADJUSTED, LEFT, OPEN = "closed", "adjusted", "not adjusted yet", "open"
UNDATED = "no date"
MOST_ADJUSTMENTS = 50
USD = key_unit("cost_usd")
PLACES, DIGITS = 2, 9
COLUMNS = (
    "allocation",
    "period",
    "state",
    "day",
    "project",
    "item",
    "card",
    "used_gpu_hours",
    "useful_gpu_hours",
    "wasted_gpu_hours",
    "stated_usd",
    "why",
)


class StatementEntry(NamedTuple):
    """What is known of a project in a period: closed, adjusted on a day, edited and not adjusted yet, or open."""

    period: str
    state: str
    project: str
    sums: Sums
    day: str = ""
    why: str = ""


class _Hours(NamedTuple):
    used: Fraction
    useful: Fraction

    @property
    def wasted(self) -> Fraction:
        return self.used - self.useful


def _total(entries: Iterable[StatementEntry]) -> _Hours:
    sums = [each for entry in entries for each in entry.sums]
    return _Hours(sum((each.used for each in sums), Fraction(0)), sum((each.useful for each in sums), Fraction(0)))


@dataclass(frozen=True)
class Statement:
    """What the page and the csv of an allocation with closed periods show. `closings` are those of this one."""

    book: Book
    id: str
    closings: Sequence[Closing]
    charges: Charges

    @property
    def title(self) -> str:
        """The title of the allocation."""
        return str(self.book.ledger.allocations[self.id].title)

    @property
    def files(self) -> list[str]:
        """What it is made of, beside the runs."""
        folders = sorted({f"{each.file.rpartition('/')[0]}/" for each in self.closings})
        return [file for file in self.book.ledger.files if file == "ledger/allocations.yaml"] + folders

    @cached_property
    def periods(self) -> list[str]:
        """The periods in order: closed ones, and what is open before, between and after them; the last one is open."""
        return list(self._days)

    @cached_property
    def _days(self) -> dict[str, tuple[int, int, bool]]:
        """The first and last day of each period, and whether it is closed."""
        closed = sorted({(each.days.first, each.days.last, each.period) for each in self.closings})
        found: dict[str, tuple[int, int, bool]] = {UNDATED: (0, 0, False)}
        after = 1
        for first, last, name in closed:
            if after < first:
                gap = f"{iso(after)} to {iso(first - 1)}" if after > 1 else f"before {iso(first)}"
                found[gap] = (after, first - 1, False)
            found[name] = (first, last, True)
            after = last + 1
        found[f"since {iso(after)}"] = (after, LAST, False)
        return found

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The ratios of GPUs because of which it is not known what is true now."""
        every = (self.charges.sums(self.id, name, 0, LAST)[1] for name in self.charges.projects(self.id))
        return tuple(sorted({name for some in every for name in some}))

    @cached_property
    def entries(self) -> list[StatementEntry]:
        """All that is known, in order of periods: what was closed, what adjusts it, and what is open."""
        found = [
            StatementEntry(
                each.period, ADJUSTED if each.number else CLOSED, each.project, each.sums, each.date, each.reason
            )
            for each in self.closings
        ]
        found += [
            StatementEntry(rest.period, LEFT, rest.project, rest.sums)
            for rest in unadjusted(self.charges, self.closings)
            if rest.sums and not rest.missing
        ]
        for name, (first, last, closed) in self._days.items():
            for project in () if closed else self.charges.projects(self.id):
                sums, _ = self.charges.sums(self.id, project, first, last)
                found += [StatementEntry(name, OPEN, project, sums)] if sums else []
        order = {name: number for number, name in enumerate(self.periods)}
        return sorted(found, key=lambda entry: order[entry.period])

    def _of(self, *states: str, period: str = "", project: str = "") -> _Hours:
        """The hours of the entries in some states (all, if none is named), of a period or a project."""
        return _total(
            entry
            for entry in self.entries
            if (not states or entry.state in states) and period in ("", entry.period) and project in ("", entry.project)
        )

    @property
    def granted(self) -> Figure:
        """What was granted, with its changes up to the last day of data."""
        return self.book[f"allocations.{self.id}.granted"]

    def _granted_through(self, day: int) -> Fraction | None:
        """What was granted by the end of a day; None where that is not known."""
        allocation = self.book.ledger.allocations[self.id]
        stated = self.book[f"allocations.{self.id}.{allocation.amount_key}"].use
        if stated is None or day == LAST:
            return self.granted.use
        return stated + change_granted(self.book.ledger, self.id, day)

    @property
    def used(self) -> Figure:
        """All that was used, as it is known now."""
        return self.book[f"allocations.{self.id}.used"]

    @property
    def unknown(self) -> Sentence:
        """Why it is not known what was used, where other allocations could be charged for some of it."""
        return why_unknown(self.book, self.id) if self.id in self.book.shared_grants else ()

    @property
    def left(self) -> Figure:
        """What is left of the allocation."""
        return self.book[f"allocations.{self.id}.left"]

    @property
    def counted(self) -> str:
        """What it counts in: GPU-hours, or what its centre calls its unit."""
        allocation = self.book.ledger.allocations[self.id]
        if allocation.currency:
            return f"Amounts in {allocation.unit_words}"
        return allocation.unit_words if allocation.units is not None else "GPU-hours"

    def _amount(self, number: Fraction) -> Figure:
        """What was charged, in the unit of the allocation."""
        return _figure(number, (), self.granted.unit)

    @property
    def closed(self) -> Figure:
        """What was closed."""
        return self._amount(self._of(CLOSED).used)

    @property
    def adjusted(self) -> Figure:
        """By how much that was adjusted since."""
        return self._amount(self._of(ADJUSTED).used)

    @property
    def loose(self) -> Figure | None:
        """What was edited in closed periods and is not adjusted yet; None where nothing was."""
        rest = [entry for entry in self.entries if entry.state == LEFT]
        return self._amount(_total(rest).used) if rest else None

    @property
    def open(self) -> Figure:
        """What is not closed yet."""
        used = self._of(OPEN).used
        return self._now(used) if self.missing else self._amount(used)

    @property
    def through(self) -> str:
        """The newest closed period."""
        return max(self.closings, key=lambda each: each.days.last).period

    @property
    def csv(self) -> str:
        """The name of its csv."""
        return f"{self.id}.csv"

    @cached_property
    def by_period(self) -> Table:
        """Period by period: as it was closed, as it was adjusted since, as it is now, and what was left then."""
        rows: list[list[Cell]] = []
        used = Fraction(0)
        for name, (_, last, closed) in self._days.items():
            now = self._of(period=name)
            used += now.used
            granted = self._granted_through(last)
            left = None if granted is None else granted - used
            if closed or now.used or now.useful or name == self.periods[-1]:
                rows.append(
                    [
                        name,
                        self._state(name),
                        *self._then(name, closed),
                        *map(self._cell, (now.used, now.useful, now.wasted, left)),
                        self._cost(name),
                    ]
                )
        del rows[:-MOST_ROWS]
        now = self._of()
        total = [*map(self._cell, (now.used, now.useful, now.wasted)), "", self._cost()]
        parts: list[Cell] = [_cell(self._of(CLOSED).used), _cell(self._of(ADJUSTED).used), self._loose(), *total]
        columns = [
            words("Period"),
            words("State"),
            figures("As closed", nothing=""),
            figures("Adjusted since", nothing=""),
            figures("Not adjusted yet", nothing="", optional=True),
            *map(figures, ("Used now", "completed or running", "failed", "Left then")),
            figures("Stated cost, $", optional=True),
        ]
        return Table(columns, [*rows, [Bold("All"), "", *parts]])

    def _state(self, period: str) -> str:
        day = next((entry.day for entry in self.entries if entry.period == period and entry.state == CLOSED), "")
        return f"closed on {day}" if day else OPEN

    def _then(self, period: str, closed: bool) -> list[Cell]:
        """What was closed, adjusted and not adjusted yet in a period; nothing in an open one."""
        if not closed:
            return [None, None, None]
        return [_cell(self._of(state, period=period).used) for state in (CLOSED, ADJUSTED)] + [self._loose(period)]

    def _cost(self, period: str = "") -> Cell:
        """What runs of a period, or all, state that they cost, as it is known now."""
        return _usd(tuple(each for entry in self.entries if period in ("", entry.period) for each in entry.sums))

    def _loose(self, period: str = "") -> Cell:
        rest = [entry for entry in self.entries if entry.state == LEFT and period in ("", entry.period)]
        return _cell(_total(rest).used) if rest else None

    @cached_property
    def by_project(self) -> Table:
        """The same by project."""
        rows: list[list[Cell]] = []
        for project in dict.fromkeys([*self.charges.projects(self.id), *(each.project for each in self.entries)]):
            now = self._of(project=project)
            parts = [_cell(self._of(state, project=project).used) for state in (CLOSED, ADJUSTED)]
            open_ = self._cell(self._of(OPEN, project=project).used)
            rows.append([self._project(project), *parts, open_, *map(self._cell, (now.used, now.useful, now.wasted))])
        columns = [
            words("Project"),
            *map(figures, ("As closed", "Adjusted since", "Open", "Used now", "completed or running", "failed")),
        ]
        return Table(columns, rows[:MOST_ROWS])

    def _project(self, name: str) -> str:
        known = self.book.ledger.projects.get(name)
        return str(known.project.title) if known else name

    @cached_property
    def adjustments(self) -> Table:
        """The newest adjustments, with the day on which each was learned."""
        found = sorted((entry for entry in self.entries if entry.state == ADJUSTED), key=lambda entry: entry.day)
        rows: list[list[Cell]] = []
        for entry in found[: -MOST_ADJUSTMENTS - 1 : -1]:
            hours = _total([entry])
            amounts = [*map(_cell, (hours.used, hours.useful, hours.wasted)), _usd(entry.sums)]
            project, items = self._project(entry.project), self._items(entry.sums)
            rows.append([entry.day, entry.period, project, items, *amounts, entry.why])
        columns = [
            *map(words, ("Learned", "Period", "Project", "Items")),
            *map(figures, ("Used", "completed or running", "failed")),
            figures("Stated cost, $", optional=True),
            words("Why", optional=True),
        ]
        return Table(columns, rows)

    @property
    def older(self) -> Figure | None:
        """How many adjustments are older than those; None where there are no more."""
        more = sum(1 for entry in self.entries if entry.state == ADJUSTED) - MOST_ADJUSTMENTS
        return counted(more, "older adjustments") if more > 0 else None

    def _items(self, sums: Sums) -> Cell:
        names = list(dict.fromkeys(OUTSIDE_ITEMS.get(each.item, each.item) for each in sums))
        return joined([*map(Code, names[:3]), *(["…"] if len(names) > 3 else [])])

    def _cell(self, number: Fraction | None) -> Cell:
        return As(self._now(number), "placed", PLACES)

    def _now(self, number: Fraction | None) -> Figure:
        """Hours that rest on what is true now: unknown where a ratio is missing."""
        return _figure(number) if number is not None and not self.missing else _figure(None, self.missing)

    def rows(self) -> Iterator[list[str]]:
        """The rows of the csv, the names of its columns first."""
        yield list(COLUMNS)
        for entry in self.entries:
            for each in entry.sums:
                usd = "" if each.usd is None else format_decimal(each.usd)
                hours = (format_decimal(number) for number in (each.used, each.useful, each.wasted))
                yield [
                    self.id,
                    entry.period,
                    entry.state,
                    entry.day,
                    entry.project,
                    OUTSIDE_ITEMS.get(each.item, each.item),
                    each.gpu,
                    *hours,
                    usd,
                    entry.why,
                ]

    def csv_text(self) -> str:
        """The csv; no cell is a formula for a spreadsheet."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for row in self.rows():
            writer.writerow([no_formula(_idle(text)) for text in row])
        return out.getvalue()


def _idle(text: str) -> str:
    """A text on one line, without signs that act on a terminal."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def format_decimal(number: Fraction) -> str:
    """A number for other programs: up to nine decimals, a point, no separators."""
    text = f"{round(abs(number) * 10**DIGITS):0{DIGITS + 1}d}"
    text = f"{text[:-DIGITS]}.{text[-DIGITS:]}".rstrip("0").rstrip(".")
    return f"-{text}" if number < 0 and text != "0" else text


def _figure(number: Fraction | None, missing: tuple[str, ...] = (), unit: Unit = GPU_HOURS) -> Figure:
    value = UNKNOWN if number is None else point(number)
    return Figure("", "GPU-hours of an allocation", unit, value, Worked("hours charged in a period"), "", missing)


def _cell(number: Fraction) -> Cell:
    return As(_figure(number), "placed", PLACES)


def _usd(sums: Sums) -> Cell:
    known = [each.usd for each in sums if each.usd is not None]
    return As(_figure(sum(known, Fraction(0)), (), USD), "placed", PLACES) if known else None
