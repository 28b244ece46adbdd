"""The tables of the first page of all: budgets, comparisons of hardware, measurements, allocations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reckon.compute.book import Book
from reckon.model.finding import Finding

from .choosing import Choosing
from .measured import Overview
from .standing import Standing
from .table import DASH, As, Bold, Cell, Link, ShareBar, Table, below, figures, joined, words
from .view import View


@dataclass(frozen=True)
class Portfolio:
    """All projects, by what they are about, and what they share."""

    book: Book
    standings: Sequence[Standing]
    choosings: Sequence[Choosing]
    overviews: Sequence[Overview]

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
        """The cheapest and the fastest setup of each comparison."""
        columns = [words("Project"), *(words(head, nothing=DASH) for head in ("Cheapest setup", "Fastest setup")),
                   figures("On the frontier"), words("Findings"), figures("As of")]  # fmt: skip
        return Table(columns, [_comparison(choosing) for choosing in self.choosings])

    @property
    def measurements(self) -> Table:
        """The pages of each project that measures, and what stands on them."""
        fitted = any(overview.view.one.configurations for overview in self.overviews)
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
        columns = [words("Allocation"), words("Share used", nothing=DASH), *map(figures, ("GPU-hours", "Used", "Left")),
                   figures("Last day", nothing=""), figures("Unused then"), words("Projects")]  # fmt: skip
        return Table(columns, [_allocation(self.book, name) for name in self.book.ledger.allocations])


def _project(view: View, page: str) -> Cell:
    return (Link(view.project.title, f"{view.id}/{page}.md"), " ", view.project.version)


def _found(view: View) -> Cell:
    """Errors and warnings of a project; how many are accepted, where there are none."""
    kinds: Iterable[tuple[list[Finding], str, str]] = (
        (view.severity("error"), "error", "errors"),
        (view.severity("warning"), "warning", "warnings"),
    )
    accepted = view.many(view.accepted, "accepted", "accepted") if view.accepted else "none"
    return joined(As(view.many(*kind)) for kind in kinds if kind[0]) or accepted


def _budget(standing: Standing) -> list[Cell]:
    view, state = standing.view, standing.state
    budget = (view.maybe("budget.final") or view.maybe("budget.extended")) if view.planned else None
    counts = [(As(count, "bare"), f" {word}") for count, word in standing.verdicts]
    policies = [Bold(said) if said[1] == " breached" else said for said in counts]
    return [
        _project(view, "status"),
        state.word if state.tone == "NOTE" else Bold(state.word),
        ShareBar(standing.used) if standing.used else None,
        As(view.fig("actual.total"), "bare"),
        budget,
        view.maybe("forecast.p50") if view.planned else None,
        joined(policies),
        _found(view),
        view.through,
    ]


def _comparison(choosing: Choosing) -> list[Cell]:
    view, comparison = choosing.view, choosing.main
    best: list[Cell] = [None, None, None]
    if comparison:
        ranks, at = comparison.found.ranks, f"setups.{comparison.found.name}"
        for number, rank in enumerate(("cheapest", "fastest")):
            if rank in ranks:
                cost = (As(view.fig(f"{at}.{rank}.{name}"), "planned") for name in ("hours", "usd"))
                best[number] = (comparison.title(ranks[rank]), ": ", joined(cost))
        best[2] = (As(comparison.on_frontier, "bare"), " of ", As(comparison.many, "bare"))
    return [_project(view, "index"), *best, _found(view), view.project.as_of]


def _overview(overview: Overview) -> list[Cell]:
    view = overview.view
    configurations = view.count(view.one.configurations, "configurations")
    papers = below(*(Link(paper.record.title, f"{view.id}/{paper.id}.md") for paper in overview.papers))
    return [_project(view, "index"), papers, overview.measurements, overview.projections, configurations, _found(view),
            view.through]  # fmt: skip


def _allocation(book: Book, name: str) -> list[Cell]:
    grant, gpus = book.ledger.allocations[name], book.ledger.catalog.gpus
    keys = ("used_share", "used", "left", "unused")
    share, used, left, unused = (book.get(f"allocations.{name}.{key}") for key in keys)
    return [
        (grant.title, " (", gpus[grant.gpu].title, ")") if grant.gpu else grant.title,
        ShareBar(share) if share else None,
        As(book[f"allocations.{name}.gpu_hours"], "bare"),
        used,
        left,
        grant.until,
        unused,
        joined(grant.projects),
    ]
