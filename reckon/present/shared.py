"""The tables of the pages of a whole ledger: the catalogue of what projects share, and the portfolio of projects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from reckon.compute.book import Book
from reckon.language.lean import dataclass
from reckon.language.units import key_unit
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.ledger import Catalog
from reckon.model.pages import STATEMENT
from reckon.model.records.shared import Card, Market

from .budget.status import Standing
from .choosing import Choosing
from .measuring import Overview
from .rows import union
from .rows import words as worded
from .table import DASH, MOST_ROWS, As, Bold, Cell, Code, Link, ShareBar, Table, below, figures, joined, words
from .view import View

GPUS = ("vram_gib", "usable_vram_gib", "memory_gb_per_second", "cores", "watts")
MODELS = ("parameters", "layers", "kv_heads", "head_size")


@dataclass(frozen=True)
class Catalogue:
    """The shared records of a ledger as tables, the first two hundred of each."""

    book: Book

    @property
    def _catalog(self) -> Catalog:
        return self.book.ledger.catalog

    def _title(self, card: str) -> str:
        return str(self._catalog.gpus[card].title) if card in self._catalog.gpus else card

    @property
    def gpus(self) -> Table:
        """The cards with their memory, cores and power."""
        columns = [words("GPU"), words("Architecture"), figures("Released", nothing=""),
                   *map(figures, ("VRAM, GiB", "Usable, GiB", "GB/s", "Cores", "W"))]  # fmt: skip
        return Table.of(columns, (
            [card.title, card.architecture, card.released, *self._figures(f"catalog.gpus.{name}", GPUS)]
            for name, card in self._catalog.gpus.items()
        ), what="GPUs")  # fmt: skip

    def _figures(self, at: str, keys: Iterable[str]) -> list[Figure | None]:
        return [self.book.get(f"{at}.{key}") for key in keys]

    @property
    def peaks(self) -> Table:
        """The dense peaks of the cards by number format."""
        formats = union(card.dense_tflops for card in self._catalog.gpus.values())
        rows = [[card.title, *self._figures(f"catalog.gpus.{name}.dense_tflops", formats)]
                for name, card in list(self._catalog.gpus.items())[:MOST_ROWS] if card.dense_tflops]  # fmt: skip
        return Table([words("Dense peak, TFLOP/s"), *map(figures, formats)], rows)

    @property
    def sources(self) -> Table:
        """Where the figures of the cards are from, and what is to be said of them."""
        cards = list(self._catalog.gpus.items())[:MOST_ROWS]
        rows = [[below(card.title, Code(name)), (card.source, f" ({card.as_of})" if card.as_of else ""),
                 self._notes(f"catalog.gpus.{name}", card)] for name, card in cards]  # fmt: skip
        return Table([*map(words, ("GPU", "Source", "Notes"))], rows)

    def _notes(self, at: str, card: Card) -> Cell:
        notes: list[Cell] = [card.notes]
        if card.sparse_tflops:
            peaks = ((name, " ", As(self.book[f"{at}.sparse_tflops.{name}"], "bare")) for name in card.sparse_tflops)
            notes += [" " if card.notes else "", "With sparsity: ", joined(peaks), "."]
        for other in card.counts_as:
            hour = As(self.book[f"{at}.counts_as.{other}"], "bare")
            notes += [" An hour counts as ", hour, f" on {self._title(other)}."]
        return tuple(notes)

    @property
    def models(self) -> Table:
        """The models with what decides their memory."""
        columns = [words("Model"), *map(figures, ("Parameters", "Layers", "KV heads", "Head size")),
                   *map(words, ("Format", "Source", "Notes"))]  # fmt: skip
        return Table.of(columns, (
            [below(model.title, Code(name)), *self._figures(f"catalog.models.{name}", MODELS), model.dtype,
             model.source, model.notes]
            for name, model in self._catalog.models.items()
        ), what="models")  # fmt: skip

    @property
    def grids(self) -> Table:
        """What a kWh from each grid emits."""
        columns = [words("Grid"), words("Year"), figures("g CO₂e/kWh"), *map(words, ("Source", "Licence", "Notes"))]
        return Table.of(columns, (
            [below(grid.title, Code(name)), grid.year, self.book.get(f"catalog.grids.{name}.co2e_grams_per_kwh"),
             grid.source, grid.licence, grid.notes]
            for name, grid in self._catalog.grids.items()
        ), what="grids")  # fmt: skip

    @property
    def facilities(self) -> Table:
        """What data centres take for each kWh of their machines."""
        columns = [words("Data centre"), words("Year"), figures("PUE"), *map(words, ("Source", "Licence", "Notes"))]
        return Table.of(columns, (
            [below(facility.title, Code(name)), facility.year, self.book.get(f"catalog.facilities.{name}.pue"),
             facility.source, facility.licence, facility.notes]
            for name, facility in self._catalog.facilities.items()
        ), what="data centres")  # fmt: skip

    @property
    def providers(self) -> Table:
        """Who rents GPUs out."""
        return Table.of([*map(words, ("Provider", "Address", "Source", "Notes"))], (
            [provider.title, Code(provider.url) if provider.url else None, provider.source, provider.notes]
            for provider in self._catalog.providers.values()
        ), what="providers")  # fmt: skip

    def terms(self, search: Market) -> Table:
        """How the conditions of a search are written at a provider."""
        rows: list[list[Cell]] = [[worded(key), Code(term)] for key, term in search.terms.items()]
        return Table([words("Condition"), words("Written as")], rows)

    def names(self, search: Market) -> Table:
        """What cards are called at a provider."""
        names = list(search.names.items())[:MOST_ROWS]
        return Table([words("GPU"), words("Its name there")], [[self._title(card), Code(name)] for card, name in names])

    def prices(self, name: str) -> Table:
        """The prices of a list: of an hour, with the days from which they hold, then of a month."""
        prices, at = self._catalog.prices[name], f"catalog.prices.{name}"
        own = f"{prices.currency}_per_gpu_hour"
        hourly = ((card, when, price) for card in prices.cards for when, price in prices.told(card))
        rows: list[list[Cell]] = [[self._title(card), when or None, self.book[f"{at}.{price}"],
                                   self.book[f"{at}.{price.replace('usd_per_gpu_hour', own)}"], prices.market.get(card)]
                                  for card, when, price in islice(hourly, MOST_ROWS)]  # fmt: skip
        rows += [[self._title(card), None, As(self.book[f"{at}.usd_per_month.{card}"]), None, prices.market.get(card)]
                 for card in islice(prices.usd_per_month, MOST_ROWS)]  # fmt: skip
        columns = [words("GPU"), words("From", optional=True), figures("An hour, $", "spread"),
                   figures(f"An hour, {key_unit(prices.currency).symbol}", "spread", shown=own != "usd_per_gpu_hour"),
                   words("On the market")]  # fmt: skip
        return Table(columns, rows, sum(1 for _ in hourly), "prices")

    def throughputs(self, name: str) -> Table:
        """How fast a model runs on each card."""
        table, at = self._catalog.throughputs[name], f"catalog.throughputs.{name}.tokens_per_second_per_gpu"
        columns = [words("GPU"), figures("Tokens/s on one GPU", "spread")]
        speeds = ([self._title(card), self.book.get(f"{at}.{card}")] for card in table.tokens_per_second_per_gpu)
        return Table.of(columns, speeds, what="throughputs")


@dataclass(frozen=True)
class Portfolio:
    """All projects, by what they are about, and what they share."""

    book: Book
    standings: Sequence[Standing]
    choosings: Sequence[Choosing]
    overviews: Sequence[Overview]
    closed: Sequence[str] = ()
    """The allocations that have a statement."""

    @property
    def budgets(self) -> Table:
        """Where each project with a budget stands."""
        columns = [*map(words, ("Project", "State")), words("Budget spent", nothing=DASH),
                   *map(figures, ("Actual", "Budget", "Forecast")), words("Policies", nothing=DASH, optional=True),
                   words("Findings"), figures("Data through")]  # fmt: skip
        return Table(columns, [_budget(standing) for standing in self.standings])

    @property
    def comparisons(self) -> Table:
        """The cheapest and the fastest setup of each comparison, and between them that of least cost times time."""
        heads = ("Cheapest setup", "Least cost × time", "Fastest setup")
        columns = [words("Project"), *(words(head, nothing=DASH) for head in heads),
                   figures("On the frontier"), words("Findings"), figures("As of")]  # fmt: skip
        return Table(columns, [_comparison(choosing) for choosing in self.choosings])

    @property
    def measurements(self) -> Table:
        """The pages of each project that measures, and what stands on them."""
        fitted = any(overview.view.ledger.configurations for overview in self.overviews)
        columns = [words("Project"), words("Pages", nothing=DASH), *map(figures, ("Measurements", "Projections")),
                   figures("Configurations", shown=fitted), words("Findings"), figures("Data through")]  # fmt: skip
        return Table(columns, [_overview(overview) for overview in self.overviews])

    @property
    def allocations(self) -> Table:
        """How much is used and left of each allocation, and who draws on it."""
        columns = [words("Allocation"), words("Share used", nothing=DASH), *map(figures, ("GPU-hours", "Used", "Left")),
                   figures("Last day", nothing=""), figures("Unused then"), words("Projects")]  # fmt: skip
        return Table(columns, [_allocation(self.book, name, name in self.closed)
                               for name in self.book.ledger.allocations])  # fmt: skip


def _project(view: View, page: str) -> Cell:
    return (Link(view.project.title, f"{view.id}/{page}.md"), " ", view.project.version)


def _found(view: View) -> Cell:
    """The open findings of a project by their kind, those of its source apart; and how many are accepted, where none
    is an error or a warning."""
    kinds = [(name, found) for name in SEVERITIES if (found := view.severity(name))]
    told: list[Cell] = [As(view.many(found, name, f"{name}s")) for name, found in kinds]
    sourced = [(name, found) for name in SEVERITIES if (found := view.sourced(name))]
    if sourced:
        counts = joined(As(view.many(found, name, f"{name}s")) for name, found in sourced)
        told.append(("in the source ", counts))
    if view.accepted and all(name == "note" for name, _ in (*kinds, *sourced)):
        told.append(As(view.many(view.accepted, "accepted", "accepted")))
    return joined(told) or "none"


def _budget(standing: Standing) -> list[Cell]:
    view, state = standing.view, standing.state
    budget = (view.maybe(FINAL.hours) or view.maybe(EXTENDED.hours)) if view.planned else None
    counts = [(As(count, "bare"), f" {word}") for count, word in standing.verdicts]
    policies = [Bold(said) if said[1] == " breached" else said for said in counts]
    word = state.word if state.tone == "NOTE" else Bold(state.word)
    forecast = view.maybe("forecast.p50") if view.planned and view.runs else None
    used = ShareBar(standing.used) if standing.used else None
    return [_project(view, "status"), word, used, As(view.fig("actual.total"), "bare"), budget, forecast,
            joined(policies), _found(view), view.through if view.dated else None]  # fmt: skip


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
    return [_project(view, "index"), *best, _found(view), view.project.as_of]


def _overview(overview: Overview) -> list[Cell]:
    view = overview.view
    configurations = view.count(view.ledger.configurations, "configurations")
    papers = below(*(Link(paper.record.title, f"{view.id}/{paper.id}.md") for paper in overview.papers))
    return [_project(view, "index"), papers, overview.measurements, overview.projections, configurations, _found(view),
            view.through if view.dated else None]  # fmt: skip


def _allocation(book: Book, name: str, closed: bool) -> list[Cell]:
    grant, gpus = book.ledger.allocations[name], book.ledger.catalog.gpus
    keys = ("used_share", "used", "left", "unused")
    share, used, left, unused = (book.get(f"allocations.{name}.{key}") for key in keys)
    head: Cell = Link(grant.title, f"{STATEMENT.name}/{name}.md") if closed else grant.title
    title = (head, " (", gpus[grant.gpu].title, ")") if grant.gpu else head
    return [title, ShareBar(share) if share else None, As(book[f"allocations.{name}.gpu_hours"], "bare"), used, left,
            grant.until, unused, joined(grant.projects)]  # fmt: skip
