"""The portfolio: all projects of a tree on shelves by whose they are, and the tables in which they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.language.groups import group_by
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.pages import STATEMENT
from reckon.model.records.shared import DOCUMENT, EXAMPLE

from .budget.limits import NOT_KNOWN
from .budget.status import Standing
from .choosing import Choosing
from .measuring import Overview
from .render.printing import counted
from .table import DASH, As, Bold, Cell, CellRow, Columns, Link, ShareBar, Table, below, figures, joined, words
from .view import Causes, View


@dataclass(frozen=True)
class Portfolio:
    """All projects, by what they are about, and what they share. A shelf of it has those of one origin alone."""

    book: Book
    every: Sequence[Standing]
    """The projects, in the order of the ledger."""
    closed: Sequence[str] = ()
    """The allocations that have a statement."""
    origin: str = ""
    """Of a shelf: whose its projects are; empty for the team's own, and for all together."""

    @cached_property
    def standings(self) -> list[Standing]:
        """Those that have a budget."""
        return [standing for standing in self.every if standing.view.kind == "budget"]

    @cached_property
    def choosings(self) -> list[Choosing]:
        """Those that compare hardware."""
        return [Choosing(standing.view) for standing in self.every if standing.view.kind == "comparison"]

    @cached_property
    def overviews(self) -> list[Overview]:
        """Those that measure."""
        return [Overview(standing.view) for standing in self.every if standing.view.kind == "measured"]

    @property
    def views(self) -> list[View]:
        """All its projects: budgets, then comparisons, then what was measured."""
        return [each.view for each in (*self.standings, *self.choosings, *self.overviews)]

    @cached_property
    def shelves(self) -> list[Portfolio]:
        """The team's own projects, documents of others, and examples: those that there are, never mixed."""
        by_origin = group_by(self.every, lambda standing: str(standing.view.project.origin or ""))
        origins = [origin for origin in ("", DOCUMENT, EXAMPLE) if origin in by_origin]
        return [Portfolio(self.book, by_origin[origin], self.closed, origin) for origin in origins]

    @property
    def heading(self) -> str:
        """What a shelf is called."""
        return {DOCUMENT: "Documents of others", EXAMPLE: "Examples"}.get(self.origin, "The team's own")

    @property
    def budgets(self) -> Table:
        """Where each project with a budget stands."""
        columns: Columns = ["Project", "State", words("Budget spent", nothing=DASH)]
        columns += map(figures, ("Actual", "Budget", "Forecast"))
        columns += [words("Policies", nothing=DASH, optional=True), "Findings", figures("Data through")]
        return Table(columns, [_make_budget_row(standing) for standing in self.standings])

    @property
    def comparisons(self) -> Table:
        """The cheapest and the fastest setup of each comparison, and between them that of least cost times time."""
        best = ("Cheapest setup", "Least cost × time", "Fastest setup")
        columns: Columns = ["Project", *(words(heading, nothing=DASH) for heading in best)]
        columns += [figures("On the frontier"), "Findings", figures("As of")]
        return Table(columns, [_make_comparison_row(choosing) for choosing in self.choosings])

    @property
    def measurements(self) -> Table:
        """The pages of each project that measures, and what stands on them."""
        fitted = any(overview.view.ledger.configurations for overview in self.overviews)
        columns: Columns = ["Project", words("Pages", nothing=DASH), *map(figures, ("Measurements", "Projections"))]
        columns += [figures("Configurations", shown=fitted), "Findings", figures("Data through")]
        return Table(columns, [_make_overview_row(overview) for overview in self.overviews])

    @property
    def allocations(self) -> Table:
        """How much is used and left of each allocation, and who draws on it."""
        numbers = map(figures, ("Left", "Used", "GPU-hours", "Last day", "Unused then"))
        columns: Columns = ["Allocation", words("Share used", nothing=DASH), *numbers, "Projects"]
        names = self.book.allocations
        return Table(columns, [_make_allocation_row(self.book, name, name in self.closed) for name in names])


def _link_project(view: View, page: str) -> Cell:
    """A project with its version; a pending one is not released yet, so it is what comes after the newest release."""
    newer = view.released and view.project.version != view.released
    version = f"after {view.released}" if newer else view.project.version
    return (Link(view.project.title, f"{view.id}/{page}.md"), " ", version)


def _count_findings(view: View) -> Cell:
    """The open findings of a project by their kind, those of its source apart; and how many are accepted."""
    counts = _count_by_severity(view, view.severity)
    sourced = _count_by_severity(view, view.sourced)
    if sourced:
        counts.append(("in the source ", joined(sourced)))
    if view.accepted:
        counts.append(As(view.many(view.accepted, "accepted", "accepted")))
    return joined(counts) or "none"


def _count_by_severity(view: View, find: Callable[[str], Causes]) -> CellRow:
    """How many causes of each severity there are, the gravest first, of those that `find` gives for one."""
    return [As(view.many(causes, severity)) for severity in SEVERITIES if (causes := find(severity))]


def _make_budget_row(standing: Standing) -> CellRow:
    view, state = standing.view, standing.state
    budget = (view.maybe(FINAL.hours) or view.maybe(EXTENDED.hours)) if view.planned else None
    policies = []
    for count, verdict in standing.verdicts:
        policy = (As(count, "bare"), f" {verdict}")
        policies.append(Bold(policy) if verdict == "breached" else policy)
    forecast = view.maybe("forecast.p50") if view.planned and view.runs else None
    charged = view.maybe(view.budget.actual) if budget else None
    return [
        _link_project(view, "status"),
        state.word if state.tone == "NOTE" else Bold(state.word),
        ShareBar(standing.used) if standing.used else None,
        As(charged or view.fig("actual.total"), "bare"),
        budget,
        forecast,
        joined(policies),
        *_date_findings(view),
    ]


def _date_findings(view: View) -> CellRow:
    """The last cells of a budget and of what was measured: the findings, and the newest day of its data."""
    return [_count_findings(view), view.through if view.dated else None]


def _make_comparison_row(choosing: Choosing) -> CellRow:
    view, comparison = choosing.view, choosing.main
    best: CellRow = [None, None, None, None]
    if comparison:
        ranks, at = comparison.found.ranks, f"setups.{comparison.found.name}"
        for number, rank in enumerate(("cheapest", "fewest-dollar-hours", "fastest")):
            if rank in ranks:
                hours, usd = (As(view.fig(f"{at}.{rank}.{key}"), "planned") for key in ("hours", "usd"))
                best[number] = (comparison.title(ranks[rank]), ": ", joined((hours, usd)))
        on_frontier = counted(len(comparison.found.front), "setups on the frontier")
        best[3] = (As(on_frontier, "bare"), " of ", As(counted(len(comparison.found.choices), "setups"), "bare"))
    return [_link_project(view, "index"), *best, _count_findings(view), view.project.as_of]


def _make_overview_row(overview: Overview) -> CellRow:
    view = overview.view
    kinds = ("measurements", "projections", "configurations")
    counts = (view.count(getattr(view.ledger, kind), kind) for kind in kinds)
    papers = [Link(paper.record.title, f"{view.id}/{paper.id}.md") for paper in overview.papers]
    return [_link_project(view, "index"), below(*papers), *counts, *_date_findings(view)]


def _make_allocation_row(book: Book, name: str, closed: bool) -> CellRow:
    grant, gpus = book.allocations[name], book.catalog.gpus
    at = f"allocations.{name}"
    title: Cell = Link(grant.title, f"{STATEMENT.name}/{name}.md") if closed else grant.title
    if grant.gpu:
        title = (title, " (", gpus[grant.gpu].title, ")")
    hours, until = As(book[f"{at}.granted"], "bare"), grant.until or "none"
    projects = joined(grant.projects)
    if name in book.shared_grants:
        why = (f"{NOT_KNOWN}: ", *why_unknown(book, name))
        return [title, why, NOT_KNOWN, NOT_KNOWN, hours, until, NOT_KNOWN, projects]
    share, used, left, unused = book.get_all(at, "used_share", "used", "left", "unused")
    return [title, ShareBar(share) if share else None, left, used, hours, until, unused, projects]
