"""Devices side by side, models by size, and what the peaks of devices allow, beside what was measured on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from reckon.compute.measuring.bounds import FLOP, device_at
from reckon.compute.measuring.projections import Fields
from reckon.compute.measuring.results import STEP
from reckon.model import records as r
from reckon.model.figure import Figure

from ..table import DASH, As, CellRow, CellRows, Table, figures, given, known, words
from ..table_rows import MOST_COLUMNS, FigureLine, Open, only, open_inputs, union
from ..view import OfProject, OfRecord

FACTS = (("architecture", "Architecture"), ("released", "Released"))
SIZES = (
    ("cores", "Cores"),
    ("vram_gib", "Memory, GiB"),
    ("usable_vram_gib", "Usable memory, GiB"),
    ("memory_gb_per_second", "Memory bandwidth, GB/s"),
    ("watts", "Power, W"),
)
BANDWIDTH = "memory_gb_per_second"
BOUNDS = (
    ("tflop", "Total arithmetic"),
    ("weights_gb", "Weights"),
    ("peak_tflops", "Peak"),
    (BANDWIDTH, "Memory bandwidth"),
    ("prefill_seconds", "Prefill, bound by arithmetic"),
    ("decode_compute_seconds", "Decoding, bound by arithmetic"),
    ("decode_bandwidth_seconds", "Decoding, bound by memory bandwidth"),
    ("seconds", "Least time"),
    ("measured_seconds", "Time of a step"),
    ("times_bound", "Times the least time"),
    ("effective_gflops", "Arithmetic per second"),
    ("share_of_peak", "Share of the peak"),
    ("speedup", "Speed-up, by least times"),
    ("measured_speedup", "Speed-up, by times of a step"),
)
"""What stands in the table of a bound, which is that of a device for its bandwidth; what ends in seconds is a time."""


@dataclass(frozen=True)
class Specifications(OfProject):
    """Devices by their addresses in the catalogue, in columns of one table."""

    every: tuple[str, ...]

    @cached_property
    def devices(self) -> list[r.Card | r.Device]:
        """The records of those that are shown."""
        catalog = self.view.catalog
        found = (address.split(".", 2) for address in self.every[:MOST_COLUMNS])
        return [getattr(catalog, kind)[name] for _, kind, name in found]

    @cached_property
    def _rows(self) -> CellRows:
        """The figures: cores, memory, bandwidth, power, and the dense peak of each number format."""
        formats = union(device.dense_tflops for device in self.devices)
        peaks = ((f"dense_tflops.{name}", f"Dense peak, {name}, TFLOP/s") for name in formats)
        rows: CellRows = []
        for key, title in (*SIZES, *peaks):
            figures_of_row = self._figures(key)
            if any(figures_of_row):
                rows.append([title, *(known(figure, "sourced") for figure in figures_of_row)])
        return rows

    @property
    def lines(self) -> Table:
        """What is said of them in words, then their figures."""
        rows: CellRows = []
        for key, title in FACTS:
            facts = [getattr(device, key, None) or None for device in self.devices]
            if any(facts):
                rows.append([title, *facts])
        rows += self._rows
        return Table(["", *(figures(device.title) for device in self.devices)], rows)

    def _figures(self, key: str) -> list[Figure | None]:
        other = "memory_gib" if key == "vram_gib" else key  # what a card has of VRAM is the memory of another device
        return [self.book.get(f"{at}.{key}") or self.book.get(f"{at}.{other}") for at in self.every[:MOST_COLUMNS]]

    @property
    def unstated(self) -> bool:
        """Whether a figure of any of them is not stated."""
        return any(None in row for row in self._rows)


@dataclass(frozen=True)
class Sizes(OfProject):
    """Models by size, with the time of a step: measured where the model is the measured one, else projected."""

    ids: tuple[str, ...]

    @cached_property
    def measured(self) -> list[str]:
        """The measurements that say something of any of these models."""
        names = filter(self._is_shown, map(str, self.ledger.measurements))
        return list(islice(names, MOST_COLUMNS))

    def _is_shown(self, name: str) -> bool:
        return any(self._step(model, name) for model in self.ids)

    @property
    def titles(self) -> list[str]:
        """What those are called."""
        return [self.ledger.measurements[name].title for name in self.measured]

    @property
    def rows(self) -> Table:
        """The models, in the order of the page, with the time of a step from each measurement of the table."""
        steps = (figures(("A step: ", title)) for title in self.titles)
        rows: CellRows = []
        for model in self.ids:
            record = self.view.catalog.models[model]
            size = given(self.book.get(f"catalog.models.{model}.parameters"), "sourced")
            times = (known(self._step(model, name), "spent") for name in self.measured)
            rows.append([record.title, size, *times, record.source or None])
        return Table(["Model", figures("Parameters"), *steps, words("Source", nothing=DASH)], rows)

    def _step(self, model: str, name: str) -> Figure | None:
        measurement = self.ledger.measurements[name]
        if measurement.model == model:
            return self.maybe(f"measurements.{name}.{STEP}")
        found = (self.maybe(f"projections.{key}.{name}.{STEP}") for key in self._scaled(model, name))
        return next((figure for figure in found if figure), None)

    def _scaled(self, model: str, measurement: str) -> Iterator[str]:
        """The projections to this model from a measurement that change nothing else: neither GPUs nor a multiplier."""
        for key in self.ledger.projections:
            fields = Fields(self.ledger, key)
            plain = not fields.holder("gpus") and not fields.holder("multiplier")
            if plain and fields.value("model") == model and measurement in fields.measurements:
                yield key


class Binding(NamedTuple):
    """Which of the two limits decoding on a device meets first: how long reading and arithmetic take."""

    title: str
    bandwidth: Figure
    arithmetic: Figure

    @property
    def by_bandwidth(self) -> bool:
        """Whether reading the weights takes longer than the arithmetic."""
        return (self.bandwidth.use or 0) > (self.arithmetic.use or 0)

    @property
    def surely(self) -> bool:
        """Whether it is so over the whole of both ranges."""
        more, less = (self.bandwidth, self.arithmetic) if self.by_bandwidth else (self.arithmetic, self.bandwidth)
        low, high = more.value.low, less.value.high
        return low is not None and high is not None and low >= high


class Bounded(OfRecord):
    """A bound of a project."""

    @property
    def at(self) -> str:
        """Its address inside the project."""
        return f"bounds.{self.id}"

    @property
    def record(self) -> r.Bound:
        """The record in bounds.yaml."""
        return self.ledger.bounds[self.id]

    @cached_property
    def names(self) -> list[str]:
        """The measurements that it is held against."""
        return [name for name in self.record.measurements if name in self.ledger.measurements]

    @property
    def measured(self) -> list[r.Measurement]:
        """The same as records."""
        return [self.ledger.measurements[name] for name in self.names]

    @property
    def inputs(self) -> Table:
        """The tokens, and the FLOPs of a parameter and token."""
        named = (
            ("Tokens of the prefill", "prefill_tokens"),
            ("Tokens decoded", "decode_tokens"),
            ("FLOPs of a parameter and token", FLOP),
        )
        found = ((title, self.maybe(f"{self.at}.{key}")) for title, key in named)
        return Table(["Input", figures("")], [[title, As(figure, "ranged")] for title, figure in found if figure])

    @cached_property
    def _rows(self) -> list[FigureLine]:
        rows = [
            FigureLine(key, title, self._figures(key), "spent" if key.endswith("seconds") else "ranged")
            for key, title in BOUNDS
        ]
        return [row for row in rows if any(row.figures)]

    def _figures(self, key: str) -> list[Figure | None]:
        book = self.book
        if key == BANDWIDTH:
            return [book.get(f"{device_at(book.ledger, record.device or '')}.{key}") for record in self.measured]
        return [self.maybe(f"{self.at}.{name}.{key}") for name in self.names]

    @cached_property
    def lines(self) -> Table:
        """What the peaks allow and what was measured, with a column for each measurement."""
        kinds: CellRow = ["Kind", *(record.kind for record in self.measured)]
        rows = [[row.title, *row.cells] for row in self._rows]
        return Table(["", *(figures(record.title) for record in self.measured)], [kinds, *rows] if rows else ())

    @property
    def bound_alike(self) -> str:
        """The limit that decoding surely meets first on each of several devices; empty where it is not one."""
        found = list(self.binding)
        sure = ["memory bandwidth" if row.by_bandwidth else "arithmetic" for row in found if row.surely]
        return only(sure) if 1 < len(found) == len(sure) else ""

    @property
    def binding(self) -> Iterator[Binding]:
        """Which limit decoding on each device meets first, where both are known."""
        pairs = (self._figures(f"decode_{key}_seconds") for key in ("bandwidth", "compute"))
        for record, bandwidth, arithmetic in zip(self.measured, *pairs, strict=True):
            if bandwidth and arithmetic and bandwidth.use is not None and arithmetic.use is not None:
                yield Binding(str(record.title), bandwidth, arithmetic)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what has no value."""
        return open_inputs(self.book, (figure for row in self._rows for figure in row.figures))
