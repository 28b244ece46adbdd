"""The portfolio: all projects of a tree on shelves by whose they are, and the tables in which they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import EXTENDED, FINAL, budget_of
from reckon.model.pages import STATEMENT
from reckon.model.records.shared import DOCUMENT, EXAMPLE

from .budget.limits import NOT_KNOWN
from .budget.status import Standing
from .choosing import Choosing
from .measuring import Overview
from .table import DASH, As, Bold, Cell, Link, ShareBar, Table, below, figures, joined, words
from .view import View


@dataclass(frozen=True)
class Portfolio:
    """All projects, by what they are about, and what they share. A shelf of it has those of one origin alone."""

    book: Book
    standings: Sequence[Standing]
    choosings: Sequence[Choosing]
    overviews: Sequence[Overview]
    closed: Sequence[str] = ()
    """The allocations that have a statement."""
    origin: str = ""
    """Of a shelf: whose its projects are; empty for the team's own, and for all together."""

    @classmethod
    def of(cls, book: Book, standings: Sequence[Standing], closed: Sequence[str] = ()) -> Portfolio:
        """The portfolio of some projects, in the order of the ledger."""
        views = [standing.view for standing in standings]
        return cls(
            book,
            [standing for standing in standings if standing.view.kind == "budget"],
            [Choosing(view) for view in views if view.kind == "comparison"],
            [Overview(view) for view in views if view.kind == "measured"],
            closed,
        )

    @cached_property
    def views(self) -> list[View]:
        """All its projects: budgets, then comparisons, then what was measured."""
        return [each.view for some in (self.standings, self.choosings, self.overviews) for each in some]

    @cached_property
    def shelves(self) -> list[Portfolio]:
        """The team's own projects, documents of others, and examples: those that there are, never mixed."""
        found = [self._shelf(origin) for origin in ("", DOCUMENT, EXAMPLE)]
        return [shelf for shelf in found if shelf.views]

    def _shelf(self, origin: str) -> Portfolio:
        def kept(some: Sequence[Any]) -> list[Any]:
            return [each for each in some if str(each.view.project.origin or "") == origin]

        standings, choosings, overviews = map(kept, (self.standings, self.choosings, self.overviews))
        return Portfolio(self.book, standings, choosings, overviews, self.closed, origin)

    @property
    def heading(self) -> str:
        """What a shelf is called."""
        return {DOCUMENT: "Documents of others", EXAMPLE: "Examples"}.get(self.origin, "The team's own")

    @property
    def budgets(self) -> Table:
        """Where each project with a budget stands."""
        columns = [
            *map(words, ("Project", "State")),
            words("Budget spent", nothing=DASH),
            *map(figures, ("Actual", "Budget", "Forecast")),
            words("Policies", nothing=DASH, optional=True),
            words("Findings"),
            figures("Data through"),
        ]
        return Table(columns, [_budget(standing) for standing in self.standings])

    @property
    def comparisons(self) -> Table:
        """The cheapest and the fastest setup of each comparison, and between them that of least cost times time."""
        heads = ("Cheapest setup", "Least cost × time", "Fastest setup")
        columns = [
            words("Project"),
            *(words(head, nothing=DASH) for head in heads),
            figures("On the frontier"),
            words("Findings"),
            figures("As of"),
        ]
        return Table(columns, [_comparison(choosing) for choosing in self.choosings])

    @property
    def measurements(self) -> Table:
        """The pages of each project that measures, and what stands on them."""
        fitted = any(overview.view.ledger.configurations for overview in self.overviews)
        columns = [
            words("Project"),
            words("Pages", nothing=DASH),
            *map(figures, ("Measurements", "Projections")),
            figures("Configurations", shown=fitted),
            words("Findings"),
            figures("Data through"),
        ]
        return Table(columns, [_overview(overview) for overview in self.overviews])

    @property
    def allocations(self) -> Table:
        """How much is used and left of each allocation, and who draws on it."""
        columns = [
            words("Allocation"),
            words("Share used", nothing=DASH),
            *map(figures, ("Left", "Used", "GPU-hours")),
            figures("Last day"),
            figures("Unused then"),
            words("Projects"),
        ]
        return Table(
            columns, [_allocation(self.book, name, name in self.closed) for name in self.book.ledger.allocations]
        )


def _project(view: View, page: str) -> Cell:
    """A project with its version; a pending one is not released yet, so it is what comes after the newest release."""
    newer = view.released and view.project.version != view.released
    version = f"after {view.released}" if newer else view.project.version
    return (Link(view.project.title, f"{view.id}/{page}.md"), " ", version)


def _findings_cell(view: View) -> Cell:
    """The open findings of a project by their kind, those of its source apart; and how many are accepted."""
    kinds = [(name, found) for name in SEVERITIES if (found := view.severity(name))]
    told: list[Cell] = [As(view.many(found, name, f"{name}s")) for name, found in kinds]
    sourced = [(name, found) for name in SEVERITIES if (found := view.sourced(name))]
    if sourced:
        counts = joined(As(view.many(found, name, f"{name}s")) for name, found in sourced)
        told.append(("in the source ", counts))
    if view.accepted:
        told.append(As(view.many(view.accepted, "accepted", "accepted")))
    return joined(told) or "none"


def _budget(standing: Standing) -> list[Cell]:
    view, state = standing.view, standing.state
    budget = (view.maybe(FINAL.hours) or view.maybe(EXTENDED.hours)) if view.planned else None
    counts = [(As(count, "bare"), f" {word}") for count, word in standing.verdicts]
    policies = [Bold(said) if said[1] == " breached" else said for said in counts]
    word = state.word if state.tone == "NOTE" else Bold(state.word)
    forecast = view.maybe("forecast.p50") if view.planned and view.runs else None
    charged = view.maybe(budget_of(view.book.figures, view.id).actual) if budget else None
    used = ShareBar(standing.used) if standing.used else None
    return [
        _project(view, "status"),
        word,
        used,
        As(charged or view.fig("actual.total"), "bare"),
        budget,
        forecast,
        joined(policies),
        _findings_cell(view),
        view.through if view.dated else None,
    ]


def _comparison(choosing: Choosing) -> list[Cell]:
    view, comparison = choosing.view, choosing.main
    best: list[Cell] = [None, None, None, None]
    if comparison:
        ranks, at = comparison.found.ranks, f"setups.{comparison.found.name}"
        for number, rank in enumerate(("cheapest", "fewest-dollar-hours", "fastest")):
            if rank in ranks:
                cost = (As(view.fig(f"{at}.{rank}.{name}"), "planned") for name in ("hours", "usd"))
                best[number] = (comparison.title(ranks[rank]), ": ", joined(cost))
        best[3] = (As(comparison.on_frontier, "bare"), " of ", As(comparison.many, "bare"))
    return [_project(view, "index"), *best, _findings_cell(view), view.project.as_of]


def _overview(overview: Overview) -> list[Cell]:
    view = overview.view
    configurations = view.count(view.ledger.configurations, "configurations")
    papers = below(*(Link(paper.record.title, f"{view.id}/{paper.id}.md") for paper in overview.papers))
    return [
        _project(view, "index"),
        papers,
        overview.measurements,
        overview.projections,
        configurations,
        _findings_cell(view),
        view.through if view.dated else None,
    ]


def _allocation(book: Book, name: str, closed: bool) -> list[Cell]:
    grant, gpus = book.ledger.allocations[name], book.ledger.catalog.gpus
    keys = ("used_share", "used", "left", "unused")
    share, used, left, unused = (book.get(f"allocations.{name}.{key}") for key in keys)
    head: Cell = Link(grant.title, f"{STATEMENT.name}/{name}.md") if closed else grant.title
    title = (head, " (", gpus[grant.gpu].title, ")") if grant.gpu else head
    if name in book.shared_grants:
        why: Cell = (f"{NOT_KNOWN}: ", *why_unknown(book, name))
        hours = As(book[f"allocations.{name}.gpu_hours"], "bare")
        return [title, why, NOT_KNOWN, NOT_KNOWN, hours, grant.until or "none", NOT_KNOWN, joined(grant.projects)]
    return [
        title,
        ShareBar(share) if share else None,
        left,
        used,
        As(book[f"allocations.{name}.gpu_hours"], "bare"),
        grant.until or "none",
        unused,
        joined(grant.projects),
    ]
