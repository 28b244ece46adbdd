"""A bound as its block shows it: what the peaks of each device allow, beside what was measured there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.measuring.bounds import FLOP, device_at
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import FigureLine, Open, open_inputs
from ..view import View

WORK = (
    ("prefill_tflop", "Arithmetic of the prefill", "ranged"), ("decode_tflop", "Arithmetic of decoding", "ranged"),
    ("tflop", "Arithmetic in all", "ranged"), ("weights_gb", "Weights", "ranged"), ("peak_tflops", "Peak", "ranged"),
)  # fmt: skip
BANDWIDTH = "memory_gb_per_second"
TIMES = (
    ("prefill_seconds", "Prefill, bound by arithmetic", "spent"),
    ("decode_compute_seconds", "Decoding, bound by arithmetic", "spent"),
    ("decode_bandwidth_seconds", "Decoding, bound by memory bandwidth", "spent"),
    ("compute_seconds", "Bound by arithmetic alone", "spent"), ("seconds", "Least time", "spent"),
    ("measured_seconds", "Time of a step", "spent"), ("times_bound", "Times the least time", "ranged"),
    ("effective_gflops", "Effective arithmetic", "ranged"), ("share_of_peak", "Share of the peak", "ranged"),
    ("speedup", "Theoretical speed-up", "ranged"), ("measured_speedup", "Practical speed-up", "ranged"),
)  # fmt: skip


class Binding(NamedTuple):
    """Which of the two limits decoding on a device meets first: how long reading and reckoning take."""

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


@dataclass(frozen=True)
class Bounded:
    """A bound of a project."""

    view: View
    id: str

    @property
    def at(self) -> str:
        """Its address inside the project."""
        return f"bounds.{self.id}"

    @property
    def record(self) -> r.Bound:
        """The record in bounds.yaml."""
        return self.view.one.bounds[self.id]

    @cached_property
    def names(self) -> list[str]:
        """The measurements that it is held against."""
        return [str(name) for name in self.record.measurements if name in self.view.one.measurements]

    @property
    def measured(self) -> list[r.Measurement]:
        """The same as records."""
        return [self.view.one.measurements[name] for name in self.names]

    @property
    def inputs(self) -> list[tuple[str, Figure | None]]:
        """The tokens, and the FLOPs of a parameter and token."""
        named = (("prefill_tokens", "Tokens of the prefill"), ("decode_tokens", "Tokens decoded"),
                 (FLOP, "FLOPs of a parameter and token"))  # fmt: skip
        return [(title, self.view.maybe(f"{self.at}.{key}")) for key, title in named]

    @cached_property
    def lines(self) -> list[FigureLine]:
        """The table, a line a figure."""
        devices = [device_at(self.view.book.ledger, str(one.device or "")) for one in self.measured]
        bandwidth = FigureLine("Memory bandwidth", [self.view.book.get(f"{at}.{BANDWIDTH}") for at in devices])
        lines = [*(self._line(*one) for one in WORK), bandwidth, *(self._line(*one) for one in TIMES)]
        return [line for line in lines if line.known]

    def _line(self, key: str, title: str, how: str) -> FigureLine:
        return FigureLine(title, [self.view.maybe(f"{self.at}.{name}.{key}") for name in self.names], how)

    @property
    def binding(self) -> Iterator[Binding]:
        """Which limit decoding on each device meets first, where both are known."""
        for name, one in zip(self.names, self.measured, strict=True):
            pair = [self.view.maybe(f"{self.at}.{name}.decode_{key}_seconds") for key in ("bandwidth", "compute")]
            bandwidth, arithmetic = pair
            if bandwidth and arithmetic and bandwidth.use is not None and arithmetic.use is not None:
                yield Binding(str(one.title), bandwidth, arithmetic)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what has no value."""
        return open_inputs(self.view.book, (cell for line in self.lines for cell in line.cells))
