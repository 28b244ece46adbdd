"""Devices side by side, and models by size, out of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.measuring.measured import STEP
from reckon.compute.measuring.projections import Fields
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import MOST_COLUMNS, FigureLine, union
from ..view import View

FACTS = (("architecture", "Architecture"), ("released", "Released"))
SIZES = (
    ("cores", "Cores"), ("vram_gib", "Memory, GiB"), ("usable_vram_gib", "Usable memory, GiB"),
    ("memory_gb_per_second", "Memory bandwidth, GB/s"), ("watts", "Power, W"),
)  # fmt: skip


@dataclass(frozen=True)
class Specifications:
    """Devices by their addresses in the catalogue, in columns of one table."""

    view: View
    every: tuple[str, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """Those that are shown."""
        return self.every[:MOST_COLUMNS]

    @cached_property
    def devices(self) -> list[r.Card | r.Device]:
        """Their records."""
        catalog = self.view.book.ledger.catalog
        found = (address.split(".", 2) for address in self.addresses)
        return [getattr(catalog, kind)[name] for _, kind, name in found]

    @property
    def facts(self) -> list[tuple[str, list[str]]]:
        """What is said of them in words."""
        rows = [(title, [str(getattr(one, key, None) or "") for one in self.devices]) for key, title in FACTS]
        return [row for row in rows if any(row[1])]

    @property
    def lines(self) -> list[FigureLine]:
        """The figures, a line a quantity: cores, memory, bandwidth, power, and the dense peak of each number format."""
        formats = union(one.dense_tflops for one in self.devices)
        peaks = [self._line(f"dense_tflops.{name}", f"Dense peak, {name}, TFLOP/s") for name in formats]
        lines = [*(self._line(key, title) for key, title in SIZES), *peaks]
        return [line for line in lines if line.known]

    def _line(self, key: str, title: str) -> FigureLine:
        return FigureLine(title, list(self._cells(key)), "sourced")

    def _cells(self, key: str) -> Iterator[Figure | None]:
        for address in self.addresses:
            # What a card has of VRAM is the memory of another device.
            yield self.view.book.get(f"{address}.{key}") or (
                self.view.book.get(f"{address}.memory_gib") if key == "vram_gib" else None
            )

    @property
    def unstated(self) -> bool:
        """Whether a figure of any of them is not stated."""
        return any(cell is None or cell.missing for line in self.lines for cell in line.cells)


class Size(NamedTuple):
    """A model of the table: its record, its parameters, and the time of a step from each measurement of the table."""

    id: str
    record: r.Model
    parameters: Figure | None
    steps: tuple[Figure | None, ...]


@dataclass(frozen=True)
class Sizes:
    """Models by size, with the time of a step: measured where the model is the measured one, else projected."""

    view: View
    ids: tuple[str, ...]

    @cached_property
    def measured(self) -> list[str]:
        """The measurements that say something of any of these models."""
        every = self.view.one.measurements
        return [str(name) for name in every if any(self._step(one, str(name)) for one in self.ids)][:MOST_COLUMNS]

    @property
    def titles(self) -> list[str]:
        """What those are called."""
        return [str(self.view.one.measurements[name].title) for name in self.measured]

    @property
    def rows(self) -> list[Size]:
        """The models, in the order of the page."""
        models = self.view.book.ledger.catalog.models
        return [
            Size(one, models[one], self.view.book.get(f"catalog.models.{one}.parameters"),
                 tuple(self._step(one, name) for name in self.measured))
            for one in self.ids
        ]  # fmt: skip

    def _step(self, model: str, name: str) -> Figure | None:
        measurement = self.view.one.measurements[name]
        if measurement.model == model:
            return self.view.maybe(f"measurements.{name}.{STEP}")
        found = (self.view.maybe(f"projections.{key}.{name}.{STEP}") for key in self._scaled(model, name))
        return next((figure for figure in found if figure), None)

    def _scaled(self, model: str, measurement: str) -> Iterator[str]:
        """The projections to this model from a measurement that change nothing else: neither GPUs nor a multiplier."""
        for key in self.view.one.projections:
            fields = Fields(self.view.one, str(key))
            plain = not fields.holder("gpus") and not fields.holder("multiplier")
            if plain and fields.value("model") == model and measurement in fields.measurements:
                yield str(key)
