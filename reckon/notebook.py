"""A ledger in Python: what `reckon.open` gives, for notebooks and scripts.

Nothing here writes into the tree. Tables are pandas DataFrames, each a copy of its own: what is done to one changes
nothing else. pandas is imported when the first table is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import plural
from reckon.model.finding import InvalidLedger, Problem
from reckon.model.kinds import EXTENDED, FINAL

if TYPE_CHECKING:
    import pandas

    from reckon.compute.book import Book
    from reckon.model.figure import Figure
    from reckon.model.release import Snapshot


class Explanation(str):
    """A text over several lines, which a notebook shows as it stands."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedVersion:
    """A released version of a project: what it came to on the day of its release."""

    _snapshot: Snapshot

    @property
    def version(self) -> str:
        """Its number, as `1.1.0`."""
        return self._snapshot.version

    @property
    def date(self) -> str:
        """The day of the release, as `2025-09-03`."""
        return self._snapshot.date

    @property
    def reason(self) -> str:
        """Why it was released."""
        return self._snapshot.reason

    @property
    def figures(self) -> pandas.DataFrame:
        """Its figures by address, with the columns of `OpenedLedger.figures` but `text`, `formula` and `lines`."""
        from reckon.present.export_columns import released_frame

        return released_frame(self._snapshot)

    def __repr__(self) -> str:
        return f"{self._snapshot.project} {self.version}, released {self.date}: {len(self._snapshot.figures):,} figures"


@dataclass(frozen=True, eq=False, repr=False)
class OpenedLedger:
    """A ledger that was read and calculated; `reckon.open` makes one.

    Tables have addresses (runs their place, findings their id) as index. Hours are GPU-hours as floats, with the exact
    text beside them in a column that ends in `_exact`. What is unknown is a missing value, and `missing` says which
    inputs it lacks. docs/guide/columns.md lists all columns.
    """

    root: Path
    """The tree that it was read from, as it was given."""
    _home: Path = field(repr=False)
    """The same wherever the notebook goes: a cell may change its folder."""
    changes: Mapping[str, str]
    """What it was changed by, as `--set` does: values by address."""
    _book: Book = field(repr=False)

    @property
    def projects(self) -> pandas.DataFrame:
        """The projects by id: state, budget, what was charged, forecast (GPU-hours), and how many findings."""
        return self._table("projects")

    @property
    def runs(self) -> pandas.DataFrame:
        """The runs by their place: day, item, seed, status, hours held, and `counted_hours` on the project's GPU."""
        return self._table("runs")

    @property
    def figures(self) -> pandas.DataFrame:
        """Every figure by its address: low, use and high, each in its `unit`."""
        return self._table("figures")

    @property
    def plan(self) -> pandas.DataFrame:
        """The items of the plans by address: planned, estimated, charged and remaining GPU-hours."""
        return self._table("plan")

    @property
    def charges(self) -> pandas.DataFrame:
        """Who pays: hours held by project, item, seed, GPU and day, and what their payer booked in its unit."""
        return self._table("charges")

    @property
    def findings(self) -> pandas.DataFrame:
        """What the audit found, by id, in sentences; accepted findings too."""
        return self._table("findings")

    @property
    def releases(self) -> dict[str, dict[str, ReleasedVersion]]:
        """The releases of each project by version, the newest first: `releases["pixelis"]["1.0.0"].figures`.

        Raises InvalidLedger where a snapshot is not as it was released.
        """
        from reckon.publish.releases import releases

        known, problems = releases(self._home)
        if problems:
            raise invalid(problems)
        versions = {}
        for project, snapshots in known.items():
            versions[project] = {snapshot.version: ReleasedVersion(snapshot) for snapshot in snapshots}
        return versions

    def explain(self, address: str) -> Explanation:
        """How a figure comes about, down to its ledger lines, as `budget explain` says it.

        The project can be left out where that is clear. Raises LookupError where there is no such figure.
        """
        from reckon.present.terminal.derivation import explain, resolve
        from reckon.present.terminal.lines import list_changes

        found = resolve(self._book, address)
        if isinstance(found, str):
            raise LookupError(found)
        return Explanation("\n".join([*list_changes(self._book), *explain(self._book, found)]))

    def with_changes(self, changes: Mapping[str, object]) -> OpenedLedger:
        """The ledger as if it said something else, as `--set` does: `with_changes({"pixelis.seeds": 5})`.

        Values are what the ledger would say there: numbers, or texts such as "8-10", "20%", "unknown". The files are
        read again and nothing is written; changes of before stay. Raises InvalidLedger where a change does not fit.
        """
        changed = {**self.changes, **{str(at): str(value) for at, value in changes.items()}}
        return opened(self._home, changed, shown=self.root)

    @cached_property
    def _kept(self) -> dict[str, pandas.DataFrame]:
        """The tables that were asked for before."""
        return {}

    def _table(self, name: str) -> pandas.DataFrame:
        from reckon.present.export_columns import frame

        if name not in self._kept:
            self._kept[name] = frame(name, self._book)
        return self._kept[name].copy()

    def __repr__(self) -> str:
        return "\n".join(self._told())

    def _size(self) -> str:
        projects = self._book.ledger.projects.values()
        findings = [finding for some in self._book.findings.values() for finding in some if not finding.accepted]
        run_count = sum(sum(project.rows.many) for project in projects)
        counts = (
            (len(projects), "project"),
            (run_count, "run"),
            (len(self._book.figures), "figure"),
            (len(findings), "open finding"),
        )
        return ", ".join(plural(*count) for count in counts)

    def _told(self) -> list[str]:
        """What was read, and with which changes."""
        from reckon.present.render.escape import terminal
        from reckon.present.terminal.lines import list_changes

        return [terminal(f"Ledger of {self.root}, {self._size()}"), *list_changes(self._book)]

    def _repr_html_(self) -> str:
        """Where the projects stand, as a table, for notebooks."""
        head = ("Project", "Version", "State", "Budget", "Charged", "Forecast P50", "Open findings")
        rows = [self._row(name) for name in self._book.ledger.projects]
        told = "<br>".join(map(escape, self._told()))
        body = "".join(_cells(cells, "td") for cells in rows)
        return f"<p>{told}</p>\n<table><thead>{_cells(head, 'th')}</thead><tbody>{body}</tbody></table>"

    def _row(self, name: str) -> tuple[str, ...]:
        from reckon.present.budget.state import state_of
        from reckon.present.terminal.lines import counts
        from reckon.present.view import View

        view = View(self._book, self._book.ledger.projects[name])
        state = state_of(view).word if view.kind == "budget" else view.kind
        budget = view.maybe(FINAL.hours) or view.maybe(EXTENDED.hours)
        figures = (budget, view.maybe("actual.total"), view.maybe("forecast.p50"))
        title = str(view.project.title)
        version = str(view.project.version)
        return title, version, state, *map(_printed, figures), counts(self._book, name)


def _printed(figure: Figure | None) -> str:
    from reckon.present.render.numbers import figure_text

    return figure_text(figure) if figure else ""


def _cells(cells: tuple[str, ...], tag: str) -> str:
    """A row of an HTML table."""
    from reckon.present.render.escape import terminal

    return "<tr>" + "".join(f"<{tag}>{escape(terminal(cell))}</{tag}>" for cell in cells) + "</tr>"


def invalid(problems: list[Problem]) -> InvalidLedger:
    """The exception that carries all problems, in order of their places."""
    from reckon.present.terminal.messages import list_problems

    ordered = tuple(sorted(set(problems)))
    return InvalidLedger("\n".join(list_problems(ordered)), ordered)


def opened(root: Path, changes: Mapping[str, str], shown: Path | None = None) -> OpenedLedger:
    """A ledger, read and calculated with changes. Raises InvalidLedger with all that is wrong with it.

    `shown` is the path that it is said to be read from, where that is another.
    """
    from reckon.compute.calculation import calculate
    from reckon.load.reader import load

    ledger, problems = load(root, tuple(changes.items()))
    book, more = calculate(ledger)
    if problems or more:
        raise invalid([*problems, *more])
    return OpenedLedger(shown or root, root.resolve(), dict(changes), book)
