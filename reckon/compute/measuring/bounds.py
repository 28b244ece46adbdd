"""The least time that the peaks of a device allow for a piece of inference, and how far from it the measured time is.

Prefill is bound by arithmetic: FLOPs per parameter and token (two of a forward pass, a multiplication and an addition;
Kaplan et al., Scaling Laws for Neural Language Models, section 2.1) x parameters x tokens / peak. In decoding, each
token also reads all weights once: it takes the longer of its arithmetic and weight bytes / memory bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.units import BYTES, key_unit
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import formula_of, read_formula
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .results import STEP, lacking_model, take_over

FLOP = "flop_per_parameter_per_token"
FORWARD = "a multiplication and an addition, of a forward pass (Kaplan et al., Scaling Laws)"


def write_bounds(sheet: Sheet, ledger: Ledger, project: ProjectLedger) -> None:
    """Writes FLOPs, weights, the bounds of prefill and decoding, and measured against bound, for each measurement."""
    for name, record in project.bounds.items():
        at = f"{project.id}.bounds.{name}"
        if record.flop_per_parameter_per_token is None:
            writer = FigureWriter(sheet, at, record.title)
            writer.count(FLOP, "FLOPs of a parameter and token", key_unit(FLOP), 2, FORWARD)
        for measurement in record.measurements:
            if measurement in project.measurements:
                _Bounded(sheet, ledger, project, name, measurement).write(record.measurements[0])


class _Bounded:
    """Writes the bound of one measurement's device."""

    def __init__(self, sheet: Sheet, ledger: Ledger, project: ProjectLedger, name: str, measurement: str) -> None:
        self.sheet, self.project_id, self.bound = sheet, project.id, f"bounds.{name}"
        self.measured, self.record = f"measurements.{measurement}", project.measurements[measurement]
        title = f"{project.bounds[name].title}, {self.record.title}"
        self.writer = FigureWriter(sheet, f"{project.id}.{self.bound}.{measurement}", title)
        self.device = device_at(ledger, self.record.device or "")
        self.name, self.formula = measurement, self.writer.formula

    def write(self, first: str) -> None:
        """Writes what can be told; without model, number format or device nothing can, and the first figure says so."""
        if missing := tuple(self._lacking()):
            self.writer.lack("seconds", missing)
            return
        self._work()
        self._times()
        self.formula("seconds", "least time", "prefill_seconds + max(decode_compute_seconds, decode_bandwidth_seconds)")
        if f"{self.project_id}.{self.measured}.{STEP}" in self.sheet.cells:
            self._held_against(first)
        if self.name != first:
            times = formula_of("{}.seconds / seconds", f"{self.bound}.{first}")
            self.formula("speedup", "theoretical speed-up", times, "x", "seconds")

    def _lacking(self) -> Iterator[str]:
        measured = f"{self.project_id}.{self.measured}"
        yield from lacking_model(self.sheet, self.record.model, measured)
        if self.record.dtype is None or self.record.dtype not in BYTES:
            yield f"{measured}.dtype"
        if not self.device:
            yield f"{measured}.device"
        elif self.record.dtype is not None:
            wanted = (f"{self.device}.dense_tflops.{self.record.dtype}", f"{self.device}.memory_gb_per_second")
            yield from (address for address in wanted if address not in self.sheet.cells)

    def _work(self) -> None:
        parameters = f"catalog.models.{self.record.model}.parameters"
        for part in ("prefill", "decode"):
            work = formula_of("{0}.{1} * {2} * {0}.{3}_tokens", self.bound, FLOP, parameters, part)
            self.formula(f"{part}_tflop", f"arithmetic, {part}", work)
        self.formula("tflop", "arithmetic", "prefill_tflop + decode_tflop")
        size = read_formula(f"{BYTES[str(self.record.dtype)]} bytes")
        self.formula("weights_gb", "weights", formula_of("{} * {}", parameters, size))

    def _times(self) -> None:
        gpus = " * {1}.gpus / 1 gpu" if self.record.gpus is not None else ""
        peak = formula_of("{0}.dense_tflops.{2}" + gpus, self.device, self.measured, str(self.record.dtype))
        self.formula("peak_tflops", "peak", peak)
        self.formula("prefill_seconds", "least time of prefill", "prefill_tflop / peak_tflops")
        self.formula("decode_compute_seconds", "decoding, bound by arithmetic", "decode_tflop / peak_tflops")
        self.formula("compute_seconds", "bound by arithmetic alone", "prefill_seconds + decode_compute_seconds")
        pattern = "weights_gb * {2}.decode_tokens / ({0}.memory_gb_per_second" + gpus + ")"
        formula = formula_of(pattern, self.device, self.measured, self.bound)
        self.formula("decode_bandwidth_seconds", "decoding, bound by memory bandwidth", formula)

    def _held_against(self, first: str) -> None:
        """Arithmetic per second, share of the peak, how many times the bound, and the speed-up that is practice."""
        own = "measured_seconds"
        of, writer = f"{self.project_id}.{self.measured}.{STEP}", self.writer
        take_over(writer, own, "measured time", of, "the time of a step")
        self.formula("effective_gflops", "achieved arithmetic per second", formula_of("tflop / {}", own), over=own)
        self.formula("share_of_peak", "share of the peak", formula_of("tflop / {} / peak_tflops", own), "%", own)
        self.formula("times_bound", "measured against the bound", formula_of("{} / seconds", own), "x", "seconds")
        there = f"{self.bound}.{first}.{own}"
        if self.name != first and f"{self.project_id}.{there}" in self.sheet.cells:
            self.formula("measured_speedup", "speed-up in practice", formula_of("{} / {}", there, own), "x", own)


def device_at(ledger: Ledger, device: str) -> str:
    """Where a device of the catalogue stands: a card, or another device; empty where it is neither."""
    if device in ledger.catalog.gpus:
        return f"catalog.gpus.{device}"
    return f"catalog.devices.{device}" if device in ledger.catalog.devices else ""
