"""The tables of the catalogue: what the projects of a ledger share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.language.units import key_unit
from reckon.model.ledger import Catalog
from reckon.model.records.shared import Card, Facility, Grid, Market

from .table import DASH, MOST_ROWS, As, Cell, CellRow, CellRows, Code, Columns, Table, below, figures, joined, words
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
        return self.book.catalog

    def _title(self, card: str) -> str:
        return self._catalog.gpus[card].title if card in self._catalog.gpus else card

    @property
    def gpus(self) -> Table:
        """The cards with their memory, cores and power."""
        columns: Columns = ["GPU", "Architecture", figures("Released", nothing="")]
        columns += map(figures, ("VRAM, GiB", "Usable, GiB", "GB/s", "Cores", "W"))
        rows = [
            [card.title, card.architecture, card.released, *self.book.get_all(f"catalog.gpus.{name}", *GPUS)]
            for name, card in self._catalog.gpus.items()
        ]
        return Table.of(columns, rows, what="GPUs")

    @property
    def peaks(self) -> Table:
        """The dense peaks of the cards by number format."""
        formats = union(card.dense_tflops for card in self._catalog.gpus.values())
        rows = [
            [card.title, *self.book.get_all(f"catalog.gpus.{name}.dense_tflops", *formats)]
            for name, card in islice(self._catalog.gpus.items(), MOST_ROWS)
            if card.dense_tflops
        ]
        return Table(["Dense peak, TFLOP/s", *map(figures, formats)], rows)

    @property
    def sources(self) -> list[Remark]:
        """Where the figures of the cards are from, and what is to be said of them."""
        remarks = []
        for name, card in islice(self._catalog.gpus.items(), MOST_ROWS):
            source = (card.source, f" ({card.as_of})" if card.as_of else "")
            remarks.append(Remark(name, card.title, source, self._list_notes(f"catalog.gpus.{name}", card)))
        return remarks

    def _list_notes(self, at: str, card: Card) -> CellRow:
        """What is to be said of a card at an address: its notes, its sparse peaks, and the cards that it counts as."""
        notes: CellRow = [card.notes] if card.notes else []
        if card.sparse_tflops:
            peaks = joined((name, " ", self._bare(f"{at}.sparse_tflops.{name}")) for name in card.sparse_tflops)
            notes.append(("With sparsity: ", peaks, "."))
        for other in card.counts_as:
            hour = self._bare(f"{at}.counts_as.{other}")
            notes.append(("An hour counts as ", hour, f" on {self._title(other)}."))
        return notes

    def _bare(self, address: str) -> Cell:
        """A figure without its unit."""
        return As(self.book[address], "bare")

    @property
    def models(self) -> Table:
        """The models with what decides their memory."""
        numbers = map(figures, ("Parameters", "Layers", "KV heads", "Head size"))
        columns: Columns = ["Model", *numbers, words("Format", nothing=DASH)]
        rows = [
            [model.title, *self.book.get_all(f"catalog.models.{name}", *MODELS), model.dtype]
            for name, model in self._catalog.models.items()
        ]
        return Table.of(columns, rows, what="models")

    @property
    def origins(self) -> list[Remark]:
        """Where the figures of the models are from, and what is to be said of them."""
        return [
            Remark(name, model.title, model.source, [model.notes] if model.notes else [])
            for name, model in islice(self._catalog.models.items(), MOST_ROWS)
        ]

    @property
    def grids(self) -> Table:
        """What a kWh from each grid emits."""
        return self._tell_energy("Grid", "g CO₂e/kWh", "grids", self._catalog.grids, "co2e_grams_per_kwh")

    @property
    def facilities(self) -> Table:
        """What data centres take for each kWh of their machines."""
        return self._tell_energy("Data centre", "PUE", "facilities", self._catalog.facilities, "pue")

    def _tell_energy(
        self, title: str, measure: str, kind: str, records: Mapping[str, Grid | Facility], key: str
    ) -> Table:
        """Grids or data centres, with the one figure that each has."""
        columns: Columns = [words(title), "Year", figures(measure), "Source", "Licence", "Notes"]
        rows = []
        for name, record in records.items():
            figure = self.book.get(f"catalog.{kind}.{name}.{key}")
            named = below(record.title, Code(name))
            rows.append([named, record.year, figure, record.source, record.licence, record.notes])
        return Table.of(columns, rows, what=f"{title.lower()}s")

    @property
    def providers(self) -> Table:
        """Who rents GPUs out."""
        rows = [
            [provider.title, Code(provider.url) if provider.url else None, provider.source, provider.notes]
            for provider in self._catalog.providers.values()
        ]
        return Table.of(["Provider", "Address", "Source", "Notes"], rows, what="providers")

    def terms(self, search: Market) -> Table:
        """How the conditions of a search are written at a provider."""
        rows: CellRows = [[VALUES.get(key) or worded(key), Code(term)] for key, term in search.terms.items()]
        return Table(["Condition", "Written as"], rows)

    def names(self, search: Market) -> Table:
        """What cards are called at a provider."""
        rows: CellRows = [[self._title(card), Code(name)] for card, name in islice(search.names.items(), MOST_ROWS)]
        return Table(["GPU", "Its name there"], rows)

    def prices(self, name: str) -> Table:
        """The prices of a list: of an hour, with the days from which they hold, then of a month."""
        prices, at = self._catalog.prices[name], f"catalog.prices.{name}"
        own_key = f"{prices.currency}_per_gpu_hour"
        hourly = [(card, when, price) for card in prices.cards for when, price in prices.told(card)]
        rows: CellRows = []
        for card, when, price in hourly[:MOST_ROWS]:
            dollars = self.book[f"{at}.{price}"]
            own_money = self.book[f"{at}.{price.replace('usd_per_gpu_hour', own_key)}"]
            rows.append([self._title(card), when or None, dollars, own_money, prices.market.get(card)])
        for card in islice(prices.usd_per_month, MOST_ROWS):
            month = As(self.book[f"{at}.usd_per_month.{card}"])
            rows.append([self._title(card), None, month, None, prices.market.get(card)])
        heading = f"An hour, {key_unit(prices.currency).symbol}"
        columns: Columns = [
            "GPU",
            words("From", optional=True),
            figures("An hour, $", "spread"),
            figures(heading, "spread", shown=own_key != "usd_per_gpu_hour"),
            words("On the market", optional=True),
        ]
        return Table(columns, rows, max(0, len(hourly) - MOST_ROWS), "prices")

    def throughputs(self, name: str) -> Table:
        """How fast a model runs on each card."""
        table, at = self._catalog.throughputs[name], f"catalog.throughputs.{name}.tokens_per_second_per_gpu"
        columns: Columns = ["GPU", figures("Tokens/s on one GPU", "spread")]
        speeds = [[self._title(card), self.book.get(f"{at}.{card}")] for card in table.tokens_per_second_per_gpu]
        return Table.of(columns, speeds, what="throughputs")
