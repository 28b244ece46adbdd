"""The page of runs of a project that has imports: its sources, what is open, what belongs to no item, and all runs.

A scheduler has thousands of jobs: the newest are shown one by one, older ones by month, item, card and status.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

from reckon.compute.budget.unassigned_jobs import (
    OTHERS,
    Heap,
    heaps,
    ignored,
    jobs_in,
    loose_name,
    unassigned,
    without_gpus,
)
from reckon.language.groups import group_by
from reckon.language.quantity import ONE, add_up, point
from reckon.language.text import NOWHERE, Place
from reckon.language.units import GPU_HOURS, HOURS, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.finding import Sentence, joined

from ..render.printing import counted
from ..table import Cell, CellRow, CellRows, Code, Column, LedgerLine, Table, figures, words
from ..table_rows import hours_of
from ..view import OfProject, View

MOST_RUNS, MOST_OPEN = 50, 20


class SourceState(NamedTuple):
    """A source of imports: its id, its title, the day through which it was imported (empty: never), from how many
    exports, its runs, and its entries without hours, each as the importer wrote it."""

    id: str
    title: str
    through: str
    exports: int
    runs: Sequence[r.Run]
    added: Sequence[r.Run]

    @property
    def jobs(self) -> int:
        """How many jobs its runs are: a job that is split is several."""
        return jobs_in(self.runs)

    @property
    def open(self) -> Sequence[r.Run]:
        """The runs of jobs that had not ended when they were last seen, the longest first."""
        running = (run for run in self.runs if run.status == "running")
        return sorted(running, key=lambda run: (-run.charged_hours, str(run.job)))


def sources_of(view: View) -> list[SourceState]:
    """The sources of a project, in the order of its ledger."""
    runs = (run for file in view.ledger.written for run in file.runs)
    found = group_by(runs, lambda run: (run.imported.source if run.imported else "", bool(run.adds)))
    sources: list[SourceState] = []
    for name, source in view.ledger.imports.items():
        lock = view.ledger.locks.get(name)
        through, exports = (lock.through, len(lock.exports)) if lock else ("", 0)
        own, added = (found.get((name, adds), []) for adds in (False, True))
        sources.append(SourceState(name, source.title or name, through, exports, own, added))
    return sources


def imported_line(view: View) -> Sentence:
    """Through which day runs were imported from where, how many jobs are still open, and what is unassigned or ignored;
    empty where nothing was imported."""
    sources = sources_of(view)
    said: list[Sentence] = [(f"through {each.through} from {each.title}",) for each in sources if each.through]
    if running := jobs_in(run for source in sources for run in source.open):
        said.append((counted(running, "open jobs"), " still open"))
    if spent := view.maybe("actual.unassigned"):
        said.append((spent, " unassigned"))
    if left := add_up(heap.hours for heap in _ignored(view).values()):
        said.append((_hours(left), " ignored"))
    return joined(said)


def ledger_line(view: View, run: r.Run) -> LedgerLine:
    """Where a run is corrected: its line, or the rule that took it where it was imported."""
    return line_of(_rule_of(view, run))


def line_of(place: Place) -> LedgerLine:
    """A ledger line by its path in the ledger of its project."""
    return LedgerLine(f"{place.file.split('/', 2)[-1]}:{place.line}", place)


def _rule_of(view: View, run: r.Run) -> Place:
    source = view.ledger.imports.get(run.imported.source) if run.imported else None
    if not (source and run.imported):
        return run.place
    found = source.rules.get(run.imported.rule or "", source).place
    return run.place if found is NOWHERE else found


def _hours(hours: Fraction) -> Figure:
    return Figure("", "GPU-hours of runs", GPU_HOURS, point(hours), Worked("hours of runs"))


def _ignored(view: View) -> dict[tuple[str, str], Heap]:
    """The jobs that a rule ignores, by source and rule."""
    names = list(view.ledger.locks)
    return {(name, rule): heap for name in names for rule, heap in ignored(view.ledger, name).items()}


class Imports(OfProject):
    """What the page of imported runs shows."""

    @cached_property
    def sources(self) -> Table:
        """The sources: through which day they were imported, from how many exports, and what they brought."""
        rows: CellRows = []
        for source in sources_of(self.view):
            total = add_up(run.charged_hours for run in source.runs)
            still = sum(run.many for run in source.open)
            rows.append(
                [
                    source.title,
                    Code(source.id),
                    source.through or "never",
                    counted(source.exports, "exports"),
                    counted(source.jobs, "jobs"),
                    _hours(total),
                    counted(still, "runs"),
                    *_amounts(source.added),
                ]
            )
        return Table(
            [
                "Source",
                "Name",
                "Imported through",
                *map(figures, ("Exports", "Jobs", "GPU-hours", "Still open")),
                *_adding("Entries without hours"),
            ],
            rows,
        )

    @cached_property
    def open(self) -> Table:
        """The jobs that had not ended when they were last seen, the longest first."""
        found = [run for source in sources_of(self.view) for run in source.open if run.jobs is None]
        found.sort(key=lambda run: (-run.charged_hours, str(run.job)))
        rows: CellRows
        rows = [[Code(str(run.job)), self._item(run), _moment(run), hours_of(run)] for run in found[:MOST_OPEN]]
        return Table(
            ["Job", "Item", "Since", figures("GPU-hours so far")], rows, max(len(found) - MOST_OPEN, 0), "runs"
        )

    @cached_property
    def unassigned(self) -> Table:
        """The runs that no rule assigns, by the names of their jobs and accounts; of jobs that are counted together no
        account is kept."""
        runs = unassigned(self.ledger)
        if any(run.jobs is not None for run in runs):
            names = heaps(((loose_name(run),), run.many, run.charged_hours) for run in runs)
            shown: dict[tuple[str, ...], Heap] = {(_OTHERS.get(name, name),): heap for (name,), heap in names.items()}
            return self._by(("Job name",), shown, "Runs")
        found = heaps((_said_of(run, "name", "account"), run.many, run.charged_hours) for run in runs)
        return self._by(("Job name", "Account"), found, "Runs")

    @cached_property
    def unassigned_added(self) -> Table:
        """The entries without hours that no rule assigns, by their names."""
        found: dict[tuple[str, str], list[r.Run]] = defaultdict(list)
        for source in sources_of(self.view):
            for run in source.added:
                if run.unassigned and run.imported:
                    found[source.title, run.imported.name or ""].append(run)
        rows: Iterator[CellRow] = ([*key, *_amounts(runs)] for key, runs in sorted(found.items()))
        return Table.of(["Source", "Name", *_adding("Entries")], rows)

    @cached_property
    def ignored(self) -> Table:
        """The jobs that a rule ignores, with its reason."""
        imports = self.ledger.imports
        found: dict[tuple[str, ...], Heap] = {}
        for (source, rule), heap in _ignored(self.view).items():
            known = imports.get(source)
            record = known.rules.get(rule) if known else None
            found[source, rule, (record.ignore or "") if record else ""] = heap
        return self._by(("Source", "Rule", "Why"), found, "Jobs")

    @cached_property
    def without_gpus(self) -> Table:
        """The jobs that state no GPU on partitions that have some."""
        ledger, rows = self.ledger, CellRows()
        for name in map(str, ledger.locks):
            for partition, heap in without_gpus(ledger, name).items():
                hours = Figure("", "node-hours", HOURS, point(heap.hours), Worked("hours of jobs × their nodes"))
                rows.append([name, partition, counted(heap.jobs, "jobs"), hours])
        return Table.of(["Source", "Partition", figures("Jobs"), figures("Node-hours")], rows)

    @cached_property
    def newest(self) -> Table:
        """The newest runs one by one."""
        rows: CellRows = []
        for run in self._newest:
            job: CellRow = [_moment(run), self._item(run), run.seed, _name(run), self._card(run)]
            rows.append([*job, hours_of(run), run.status, ledger_line(self.view, run)])
        return Table(
            [
                "When",
                "Item",
                words("Seed", optional=True),
                words("Job", optional=True),
                "Card",
                figures("GPU-hours"),
                "Status",
                "Correct in",
            ],
            rows,
        )

    def _group(self, run: r.Run) -> tuple[str, str, str, str]:
        """What older runs are added up by: month, item, card and status."""
        return _time(run)[:7], self._item(run), self._card(run), run.status

    @cached_property
    def older(self) -> Table:
        """All other runs, by month, item, card and status; the newest month first."""
        newest = {id(run) for run in self._newest}
        older = (run for run in self.ledger.rows if id(run) not in newest)
        found = heaps((self._group(run), run.many, run.charged_hours) for run in older)
        ordered = sorted(found.items(), key=lambda pair: pair[0][0], reverse=True)
        rows: Iterator[CellRow] = (
            [month or "no date", *rest, counted(heap.jobs, "runs"), _hours(heap.hours)]
            for (month, *rest), heap in ordered
        )
        return Table.of(["Month", "Item", "Card", "Status", figures("Runs"), figures("GPU-hours")], rows)

    @cached_property
    def counted(self) -> bool:
        """Whether jobs are counted together, of which no entry tells one alone."""
        return self.ledger.rows.says("jobs")

    @cached_property
    def _newest(self) -> list[r.Run]:
        return nlargest(MOST_RUNS, (run for run in self.ledger.rows if run.jobs is None), key=_time)

    def _by(self, headings: Sequence[str], found: Mapping[tuple[str, ...], Heap], what: str) -> Table:
        """Hours by what they are told by, the most first."""
        rows: Iterator[CellRow]
        rows = ([*key, counted(heap.jobs, what), _hours(heap.hours)] for key, heap in found.items())
        return Table.of([*map(words, headings), figures(what), figures("GPU-hours")], rows)

    def _item(self, run: r.Run) -> str:
        """The title of the item of a run, or that it has none."""
        if run.unassigned:
            return "unassigned"
        item = self.ledger.item_of(run)
        return item.title if item else str(run.item)

    def _card(self, run: r.Run) -> str:
        """The card that a run was on."""
        return self.view.card(self.ledger.card_of(run))


_OTHERS = {OTHERS: "others, some of these names too"}
_AMOUNTS = (("energy_kwh", key_unit("kwh")), ("billed_usd", key_unit("usd")), ("effective_usd", key_unit("usd")))


def _adding(entries: str) -> list[Column]:
    """The columns of `_amounts`, those that any row has."""
    return [figures(title, "full", optional=True) for title in (entries, "Energy", "Billed", "Effective")]


def _amounts(runs: Sequence[r.Run]) -> CellRow:
    """How many entries without hours there are, and their energy and money; None for what none states."""
    cells: CellRow = [counted(len(runs), "entries") if runs else None]
    for name, unit in _AMOUNTS:
        stated = [
            (run.imported.part or ONE) * amount
            for run in runs
            if run.imported and (amount := getattr(run.imported, name)) is not None
        ]
        how = Worked("as sources state it")
        cells.append(Figure("", name, unit, point(add_up(stated)), how) if stated else None)
    return cells


def _moment(run: r.Run) -> str:
    """When a run ended, or began, to the minute."""
    return _time(run)[:16].replace("T", " ")


def _time(run: r.Run) -> str:
    return run.end or run.date or run.start or ""


def _said_of(run: r.Run, *fields: str) -> tuple[str, ...]:
    """What an imported run keeps of its job in some fields, empty where it says nothing."""
    return tuple(str(getattr(run.imported, field, None) or "") for field in fields)


def _name(run: r.Run) -> Cell:
    """The name of the job of an imported run; the name of another one."""
    return run.imported.name if run.imported and run.imported.name else run.run
