"""The tables of the catalogue: what the projects of a ledger share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.language.units import key_unit
from reckon.model.figure import Figure
from reckon.model.ledger import Catalog
from reckon.model.records.shared import Card, Market

from .table import DASH, MOST_ROWS, As, Cell, Code, Table, below, figures, joined, words
from .table_rows import union
from .table_rows import words as worded

GPUS = ("vram_gib", "usable_vram_gib", "memory_gb_per_second", "cores", "watts")
MODELS = ("parameters", "layers", "kv_heads", "head_size")

VALUES = {"vram_gib": "VRAM, GiB", "usd_per_hour": "Price of an hour, $"}
"""What conditions of a search are called whose values have a unit."""


class Remark(NamedTuple):
    """What is to be said of a shared record beside its figures."""

    id: str
    title: str
    source: Cell
    notes: Sequence[Cell]


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
        columns = [
            words("GPU"),
            words("Architecture"),
            figures("Released", nothing=""),
            *map(figures, ("VRAM, GiB", "Usable, GiB", "GB/s", "Cores", "W")),
        ]
        return Table.of(
            columns,
            (
                [card.title, card.architecture, card.released, *self._figures(f"catalog.gpus.{name}", GPUS)]
                for name, card in self._catalog.gpus.items()
            ),
            what="GPUs",
        )

    def _figures(self, at: str, keys: Iterable[str]) -> list[Figure | None]:
        return [self.book.get(f"{at}.{key}") for key in keys]

    @property
    def peaks(self) -> Table:
        """The dense peaks of the cards by number format."""
        formats = union(card.dense_tflops for card in self._catalog.gpus.values())
        rows = [
            [card.title, *self._figures(f"catalog.gpus.{name}.dense_tflops", formats)]
            for name, card in list(self._catalog.gpus.items())[:MOST_ROWS]
            if card.dense_tflops
        ]
        return Table([words("Dense peak, TFLOP/s"), *map(figures, formats)], rows)

    @property
    def sources(self) -> list[Remark]:
        """Where the figures of the cards are from, and what is to be said of them."""
        return [
            Remark(
                name,
                str(card.title),
                (card.source, f" ({card.as_of})" if card.as_of else ""),
                self._notes(f"catalog.gpus.{name}", card),
            )
            for name, card in islice(self._catalog.gpus.items(), MOST_ROWS)
        ]

    def _notes(self, at: str, card: Card) -> list[Cell]:
        notes: list[Cell] = [card.notes] if card.notes else []
        if card.sparse_tflops:
            peaks = ((name, " ", As(self.book[f"{at}.sparse_tflops.{name}"], "bare")) for name in card.sparse_tflops)
            notes.append(("With sparsity: ", joined(peaks), "."))
        for other in card.counts_as:
            hour = As(self.book[f"{at}.counts_as.{other}"], "bare")
            notes.append(("An hour counts as ", hour, f" on {self._title(other)}."))
        return notes

    @property
    def models(self) -> Table:
        """The models with what decides their memory."""
        columns = [
            words("Model"),
            *map(figures, ("Parameters", "Layers", "KV heads", "Head size")),
            words("Format", nothing=DASH),
        ]
        return Table.of(
            columns,
            (
                [model.title, *self._figures(f"catalog.models.{name}", MODELS), model.dtype]
                for name, model in self._catalog.models.items()
            ),
            what="models",
        )

    @property
    def origins(self) -> list[Remark]:
        """Where the figures of the models are from, and what is to be said of them."""
        return [
            Remark(name, str(model.title), model.source, [model.notes] if model.notes else [])
            for name, model in islice(self._catalog.models.items(), MOST_ROWS)
        ]

    @property
    def grids(self) -> Table:
        """What a kWh from each grid emits."""
        columns = [words("Grid"), words("Year"), figures("g CO₂e/kWh"), *map(words, ("Source", "Licence", "Notes"))]
        return Table.of(
            columns,
            (
                [
                    below(grid.title, Code(name)),
                    grid.year,
                    self.book.get(f"catalog.grids.{name}.co2e_grams_per_kwh"),
                    grid.source,
                    grid.licence,
                    grid.notes,
                ]
                for name, grid in self._catalog.grids.items()
            ),
            what="grids",
        )

    @property
    def facilities(self) -> Table:
        """What data centres take for each kWh of their machines."""
        columns = [words("Data centre"), words("Year"), figures("PUE"), *map(words, ("Source", "Licence", "Notes"))]
        return Table.of(
            columns,
            (
                [
                    below(facility.title, Code(name)),
                    facility.year,
                    self.book.get(f"catalog.facilities.{name}.pue"),
                    facility.source,
                    facility.licence,
                    facility.notes,
                ]
                for name, facility in self._catalog.facilities.items()
            ),
            what="data centres",
        )

    @property
    def providers(self) -> Table:
        """Who rents GPUs out."""
        return Table.of(
            [*map(words, ("Provider", "Address", "Source", "Notes"))],
            (
                [provider.title, Code(provider.url) if provider.url else None, provider.source, provider.notes]
                for provider in self._catalog.providers.values()
            ),
            what="providers",
        )

    def terms(self, search: Market) -> Table:
        """How the conditions of a search are written at a provider."""
        rows: list[list[Cell]] = [[VALUES.get(key) or worded(key), Code(term)] for key, term in search.terms.items()]
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
        rows: list[list[Cell]] = [
            [
                self._title(card),
                when or None,
                self.book[f"{at}.{price}"],
                self.book[f"{at}.{price.replace('usd_per_gpu_hour', own)}"],
                prices.market.get(card),
            ]
            for card, when, price in islice(hourly, MOST_ROWS)
        ]
        rows += [
            [self._title(card), None, As(self.book[f"{at}.usd_per_month.{card}"]), None, prices.market.get(card)]
            for card in islice(prices.usd_per_month, MOST_ROWS)
        ]
        columns = [
            words("GPU"),
            words("From", optional=True),
            figures("An hour, $", "spread"),
            figures(f"An hour, {key_unit(prices.currency).symbol}", "spread", shown=own != "usd_per_gpu_hour"),
            words("On the market", optional=True),
        ]
        return Table(columns, rows, sum(1 for _ in hourly), "prices")

    def throughputs(self, name: str) -> Table:
        """How fast a model runs on each card."""
        table, at = self._catalog.throughputs[name], f"catalog.throughputs.{name}.tokens_per_second_per_gpu"
        columns = [words("GPU"), figures("Tokens/s on one GPU", "spread")]
        speeds = ([self._title(card), self.book.get(f"{at}.{card}")] for card in table.tokens_per_second_per_gpu)
        return Table.of(columns, speeds, what="throughputs")
