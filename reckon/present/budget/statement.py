"""The statement of an allocation over all its projects: granted, used, by failed attempts and left, by period.

A closed period says what it said when it was closed, and beside that what was learned since: the two add up to what is
true now. What closings of format 1 do not keep is `not kept then`. Periods that are not closed are open, and say what
is true now alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.compute.budget.closed_periods import Charges, unadjusted
from reckon.language.calendar_days import LAST, iso
from reckon.language.quantity import UNKNOWN, ZERO, decimal_text, point
from reckon.language.units import GPU_HOURS, Unit, key_unit
from reckon.model.closing import (
    BALANCE,
    CHARGED,
    FAILED,
    GRANTED,
    HELD,
    KEPT_FIRST,
    LEFT,
    OUTSIDE_ITEMS,
    USED,
    Closing,
    Sums,
    added,
    by_row,
    items_of,
    total_of,
)
from reckon.model.figure import COSTS, Figure, Worked
from reckon.model.finding import Sentence

from ..export import no_formula, write_csv
from ..render.printing import counted
from ..table import MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Code, Table, figures, joined, words

CLOSED, ADJUSTED, LOOSE, OPEN = "closed", "adjusted", "not adjusted yet", "open"
UNDATED = "no date"
NOT_KEPT = "not kept then"
MOST_ADJUSTMENTS = 50
PLACES, DIGITS = 2, 9
_PARTS = ("completed or running", "failed")
_CHANGES = BALANCE[2:]
_COST_COLUMNS = tuple(figures(f"Stated cost, {key_unit(name).symbol}", optional=True) for name in COSTS)
_BALANCE_COLUMNS = tuple(
    figures(heading, nothing="", optional=True)
    for heading in (
        *("Granted in it", "Refunded in it", "Charged without a run", "Moved in it"),
        *("Granted then", "Left then"),
    )
)
_WORDS = ("allocation", "period", "state", "day", "project", "item", "card")


class StatementEntry(NamedTuple):
    """What is known of a project in a period: closed, adjusted on a day, edited and not adjusted yet, or open."""

    period: str
    state: str
    project: str
    sums: Sums
    day: str = ""
    why: str = ""


def _figure_of(key: str) -> cached_property[Figure]:
    """A property that is a figure of the allocation of a statement."""
    return cached_property(lambda statement: statement.book[f"allocations.{statement.id}.{key}"])


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
        return str(self.book.allocations[self.id].title)

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
        found = {UNDATED: (0, 0, False)}
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
        return self.charges.balance(self.id, 0, LAST)[1]

    @cached_property
    def entries(self) -> list[StatementEntry]:
        """All that is known, in order of periods: what was closed, what adjusts it, and what is open."""
        found, met = list[StatementEntry](), set[str]()
        for each in self.closings:
            state = ADJUSTED if each.number else CLOSED
            # What is of the allocation stands in the closing of each project.
            sums = items_of(each.sums) if state == CLOSED and each.period in met else each.sums
            found.append(StatementEntry(each.period, state, each.project, sums, each.date, each.reason))
            met.add(each.period)
        found += [
            StatementEntry(rest.closed.period, LOOSE, rest.project, rest.sums)
            for rest in unadjusted(self.charges, self.closings)
            if rest.sums and not rest.missing
        ]
        for name, (first, last, closed) in self._days.items():
            for project in () if closed else self.charges.projects(self.id):
                sums, _ = self.charges.sums(self.id, project, first, last)
                found += [StatementEntry(name, OPEN, project, sums)] if sums else []
        order = {name: number for number, name in enumerate(self.periods)}
        return sorted(found, key=lambda entry: order[entry.period])

    def _of(self, *states: str, period: str = "", project: str = "") -> Sums:
        """The sums of the entries in some states (all, if none is named), of a period or a project."""
        return added(
            *(
                entry.sums
                for entry in self.entries
                if (not states or entry.state in states)
                and period in ("", entry.period)
                and project in ("", entry.project)
            )
        )

    # With the changes up to the last day of data, and as it is known now.
    granted = _figure_of("granted")
    used = _figure_of("used")
    left = _figure_of("left")
    end = _figure_of("end")

    @property
    def unknown(self) -> Sentence:
        """Why it is not known what was used, where other allocations could be charged for some of it."""
        return why_unknown(self.book, self.id) if self.id in self.book.shared_grants else ()

    @property
    def expired(self) -> Figure | None:
        """What an allocation that has ended left unused; None where there is nothing of it."""
        granted, used, left = (figure.use for figure in (self.granted, self.used, self.left))
        unused = granted - used - left if granted and used is not None and left is not None else ZERO
        return self._amount(unused) if unused else None

    @property
    def counted(self) -> str:
        """What it counts in: GPU-hours, or what its centre calls its unit."""
        allocation = self.book.allocations[self.id]
        if allocation.currency:
            return f"Amounts in {allocation.unit_words}"
        return allocation.unit_words if allocation.units is not None else "GPU-hours"

    def _amount(self, number: Fraction) -> Figure:
        """What was charged, in the unit of the allocation."""
        return _figure(number, (), self.granted.unit)

    def _used(self, *states: str) -> Figure:
        return self._amount(total_of(self._of(*states), USED))

    @property
    def closed(self) -> Figure:
        """What was closed."""
        return self._used(CLOSED)

    @property
    def adjusted(self) -> Figure:
        """By how much that was adjusted since."""
        return self._used(ADJUSTED)

    @property
    def loose(self) -> bool:
        """Whether closed periods were edited in a way that is not adjusted yet."""
        return bool(self._of(LOOSE))

    @property
    def open(self) -> Figure:
        """What is not closed yet."""
        return _figure(None, self.missing) if self.missing else self._used(OPEN)

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
        rows: CellRows = []
        for name, (_, _, closed) in self._days.items():
            now = self._of(period=name)
            if closed or now or name == self.periods[-1]:
                parts = [*self._then(name, closed), *self._hours(now), *self._balance(name)]
                rows.append([name, self._state(name), *parts, *self._beside(name, now, COSTS)])
        del rows[:-MOST_ROWS]
        now = self._of()
        nothing = [*(None for _ in _CHANGES), "", ""]
        total = [*self._then("", True), *self._hours(now), *nothing, *self._beside("", now, COSTS)]
        columns = [
            words("Period"),
            words("State"),
            figures("As closed", nothing=""),
            figures("Adjusted since", nothing=""),
            figures("Not adjusted yet", nothing="", optional=True),
            *map(figures, ("Used now", *_PARTS)),
            *_BALANCE_COLUMNS,
            *_COST_COLUMNS,
        ]
        return Table(columns, [*rows, [Bold("All"), "", *total]])

    def _state(self, period: str) -> str:
        day = next((entry.day for entry in self.entries if entry.period == period and entry.state == CLOSED), "")
        return f"closed on {day}" if day else OPEN

    def _then(self, period: str, closed: bool) -> CellRow:
        """What was closed, adjusted and not adjusted yet in a period (empty: in all); nothing in an open one."""
        if not closed:
            return [None, None, None]
        loose = self._of(LOOSE, period=period)
        found = (total_of(self._of(state, period=period), USED) for state in (CLOSED, ADJUSTED))
        return [*map(_cell, found), _cell(total_of(loose, USED)) if loose else None]

    def _balance(self, period: str) -> CellRow:
        """What changed in a period, and what was granted by its end and left then."""
        (_, last, closed), sums = self._days[period], self._balances[period]
        if last == LAST:
            then: CellRow = [_cell(figure.use) for figure in (self.granted, self.left)]
        elif period in self._kept_first:
            then = [NOT_KEPT, NOT_KEPT]
        else:
            then = [(_cell if closed else self._cell)(total_of(sums, name)) for name in (GRANTED, LEFT)]
        return [*self._beside(period, sums, _CHANGES), *then]

    @cached_property
    def _balances(self) -> dict[str, Sums]:
        """The balance of each period: of a closed one as it is kept, of an open one as it is known now."""
        return {
            name: self._of(CLOSED, ADJUSTED, period=name) if closed else self.charges.balance(self.id, first, last)[0]
            for name, (first, last, closed) in self._days.items()
        }

    @cached_property
    def _kept_first(self) -> set[str]:
        """The periods that were closed in format 1."""
        return {each.period for each in self.closings if each.format == 1}

    @cached_property
    def _lacking(self) -> set[str]:
        """The columns in which some period has something, and of which files of format 1 know nothing."""
        sums = (*self._balances.values(), self._of())
        return {cell.column for each in sums for cell in each}.difference(KEPT_FIRST)

    def _beside(self, period: str, sums: Sums, columns: Sequence[str]) -> CellRow:
        """Amounts of columns that stand there only if some period has something in them."""
        lacking = self._lacking if period in self._kept_first else ()
        return [NOT_KEPT if name in lacking else _optional(sums, name) for name in columns]

    @cached_property
    def by_project(self) -> Table:
        """The same by project."""
        rows: CellRows = []
        for project in dict.fromkeys([*self.charges.projects(self.id), *(each.project for each in self.entries)]):
            closed, adjusted, open_ = (
                total_of(self._of(state, project=project), USED) for state in (CLOSED, ADJUSTED, OPEN)
            )
            parts = [_cell(closed), _cell(adjusted), self._cell(open_)]
            rows.append([self._project(project), *parts, *self._hours(self._of(project=project))])
        columns = [words("Project"), *map(figures, ("As closed", "Adjusted since", "Open", "Used now", *_PARTS))]
        return Table(columns, rows[:MOST_ROWS])

    def _project(self, name: str) -> str:
        known = self.book.projects.get(name)
        return str(known.project.title) if known else name

    @cached_property
    def adjustments(self) -> Table:
        """The newest adjustments, with the day on which each was learned."""
        found = sorted((entry for entry in self.entries if entry.state == ADJUSTED), key=lambda entry: entry.day)
        rows: CellRows = []
        for entry in found[: -MOST_ADJUSTMENTS - 1 : -1]:
            amounts = [*map(_cell, _amounts(entry.sums)), *(_optional(entry.sums, name) for name in (GRANTED, LEFT))]
            project, items = self._project(entry.project), self._items(entry.sums)
            costs = (_optional(entry.sums, name) for name in COSTS)
            rows.append([entry.day, entry.period, project, items, *amounts, *costs, entry.why])
        columns = [
            *map(words, ("Learned", "Period", "Project", "Items")),
            *map(figures, ("Used", *_PARTS)),
            *_BALANCE_COLUMNS[-2:],
            *_COST_COLUMNS,
            words("Why", optional=True),
        ]
        return Table(columns, rows)

    @property
    def older(self) -> Figure | None:
        """How many adjustments are older than those; None where there are no more."""
        more = sum(1 for entry in self.entries if entry.state == ADJUSTED) - MOST_ADJUSTMENTS
        return counted(more, "older adjustments") if more > 0 else None

    def _items(self, sums: Sums) -> Cell:
        names = list(dict.fromkeys(OUTSIDE_ITEMS.get(each.item, each.item) for each in items_of(sums)))
        return joined([*map(Code, names[:3]), *(["…"] if len(names) > 3 else [])])

    def _hours(self, sums: Sums) -> CellRow:
        """What was used, of runs that completed or run, and of failed ones, as it is known now."""
        return [self._cell(number) for number in _amounts(sums)]

    def _cell(self, number: Fraction) -> Cell:
        """Hours that rest on what is true now: unknown where a ratio is missing."""
        return As(_figure(None if self.missing else number, self.missing), "placed", PLACES)

    def rows(self) -> Iterator[list[str]]:
        """The rows of the csv, the names of its columns first."""
        kept = {cell.column for entry in self.entries for cell in entry.sums}
        names = (*CHARGED, HELD, *(cost for cost in COSTS if cost in kept), *BALANCE)
        yield [*_WORDS, *map(self._heading, names), "why"]
        for entry in self.entries:
            for (item, card), row in by_row(entry.sums).items():
                about = [entry.project, OUTSIDE_ITEMS.get(item, item), card] if card else ["", "", ""]
                amounts = dict.fromkeys(CHARGED if card else (*CHARGED, GRANTED, LEFT), ZERO) | row
                cells = (format_decimal(amounts[name]) if name in amounts else "" for name in names)
                yield [self.id, entry.period, entry.state, entry.day, *about, *cells, entry.why]

    def _heading(self, column: str) -> str:
        """What the csv calls a column: with its unit."""
        if column.startswith("cost_"):
            return column.replace("cost", "stated")
        allocation = self.book.allocations[self.id]
        in_hours = column == HELD or allocation.amount_key == "gpu_hours"
        unit = "gpu_hours" if in_hours else re.sub("[^a-z0-9]+", "_", allocation.unit_words.lower()).strip("_")
        return f"{'wasted' if column == FAILED else column}_{unit or 'units'}"

    def csv_text(self) -> str:
        """The csv; no cell is a formula for a spreadsheet."""
        rows = []
        for row in self.rows():
            rows.append([no_formula(_idle(text)) for text in row])
        return write_csv(rows)


def _idle(text: str) -> str:
    """A text on one line, without signs that act on a terminal."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def format_decimal(number: Fraction) -> str:
    """A number for other programs: up to nine decimals, a point, no separators."""
    return decimal_text(number, DIGITS).rstrip("0").rstrip(".")


def _amounts(sums: Sums) -> list[Fraction]:
    """What was used, of runs that completed or run, and of failed ones."""
    return [total_of(sums, name) for name in CHARGED]


def _figure(number: Fraction | None, missing: tuple[str, ...] = (), unit: Unit = GPU_HOURS) -> Figure:
    value = UNKNOWN if number is None else point(number)
    return Figure("", "GPU-hours of an allocation", unit, value, Worked("hours charged in a period"), "", missing)


def _cell(number: Fraction | None) -> Cell:
    return As(_figure(number), "placed", PLACES)


def _optional(sums: Sums, column: str) -> Cell:
    """All amounts of a column; None where it has none."""
    number = total_of(sums, column)
    return _cell(number) if number else None
