"""Bounds: the least time that the peaks of a device allow, worked out by hand, and what they cannot be told without."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

CATALOG = {
    "gpus": "card:\n  title: Card\n  vram_gib: 80\n  dense_tflops: {bf16: 312}\n  memory_gb_per_second: 2000\n"
    "plain: {title: Plain}\n",
    "models": "small: {title: Small, parameters: 2B}\nvague: {title: Vague}\n",
    "ledger/catalog/devices.yaml": "cpu: {title: CPU, dense_tflops: {fp32: 0.1}, memory_gb_per_second: 100}\n",
}
CPU = "{title: CPU, kind: measured, device: cpu, model: small, dtype: fp32, seconds_per_step: 3600}"
GPU = "{title: GPU, kind: estimated, device: card, gpus: 1, model: small, dtype: bf16, seconds_per_step: 3-5}"
BOUND = "b: {title: B, measurements: [cpu, gpu], prefill_tokens: 786, decode_tokens: 94.25}\n"
# 2 FLOP x 2B parameters x tokens.
PREFILL, DECODE = Fraction("3.144"), Fraction("0.377")


def book(ledger: Any, cpu: str = CPU, gpu: str = GPU, bound: str = BOUND, **more: str) -> Any:
    return ledger(**{**CATALOG, **more}, measurements=f"cpu: {cpu}\ngpu: {gpu}\n", bounds=bound).book()


def bound(found: Any, of: str, key: str) -> Any:
    return found[f"p.bounds.b.{of}.{key}"]


def test_the_bound_of_the_cpu_by_hand(ledger: Any) -> None:
    """3.144 and 0.377 TFLOP at 0.1 TFLOP/s are 31.44 and 3.77 s; 8 GB of weights 94.25 times at 100 GB/s are 7.54 s."""
    found = book(ledger)
    wanted = {
        "prefill_tflop": PREFILL,
        "decode_tflop": DECODE,
        "tflop": PREFILL + DECODE,
        "weights_gb": 8,
        "peak_tflops": Fraction("0.1"),
        "prefill_seconds": Fraction("31.44"),
        "decode_compute_seconds": Fraction("3.77"),
        "compute_seconds": Fraction("35.21"),
        "decode_bandwidth_seconds": Fraction("7.54"),
        "seconds": Fraction("38.98"),
        "measured_seconds": 3600,
        "effective_gflops": Fraction(3521, 3600),
        "share_of_peak": Fraction("35.21") / 3600,
        "times_bound": 3600 / Fraction("38.98"),
    }
    assert {key: bound(found, "cpu", key).use for key in wanted} == wanted
    assert found.get("p.bounds.b.cpu.speedup") is None


def test_a_gpu_has_two_bytes_a_parameter_and_its_own_peaks(ledger: Any) -> None:
    """4 GB 94.25 times at 2,000 GB/s are 0.1885 s, more than 0.377 / 312 s."""
    found = book(ledger)
    assert bound(found, "gpu", "weights_gb").use == 4
    assert bound(found, "gpu", "decode_bandwidth_seconds").use == Fraction("0.1885")
    seconds = bound(found, "gpu", "seconds").use
    assert seconds == PREFILL / 312 + Fraction("0.1885")
    assert bound(found, "gpu", "speedup").use == Fraction("38.98") / seconds
    assert bound(found, "gpu", "measured_speedup").use == 900
    practical = bound(found, "gpu", "measured_speedup").value
    assert (practical.low, practical.high) == (720, 1200)


def test_decoding_takes_the_longer_of_arithmetic_and_bandwidth(ledger: Any) -> None:
    """With a tenth of the peak, a token's arithmetic (37.7 s) takes longer than its weights (7.54 s)."""
    slow = {"ledger/catalog/devices.yaml": CATALOG["ledger/catalog/devices.yaml"].replace("0.1", "0.01")}
    found = book(ledger, **slow)
    assert bound(found, "cpu", "seconds").use == Fraction("314.4") + Fraction("37.7")


def test_several_gpus_add_up(ledger: Any) -> None:
    found = book(ledger, gpu=GPU.replace("gpus: 1", "gpus: 4"))
    assert bound(found, "gpu", "peak_tflops").use == 1248
    assert bound(found, "gpu", "decode_bandwidth_seconds").use == Fraction("0.1885") / 4


def test_the_flops_of_a_token_can_be_stated(ledger: Any) -> None:
    found = book(ledger, bound=BOUND.replace("94.25", "94.25, flop_per_parameter_per_token: 6"))
    assert bound(found, "cpu", "tflop").use == 3 * (PREFILL + DECODE)
    assert book(ledger)["p.bounds.b.flop_per_parameter_per_token"].use == 2


@pytest.mark.parametrize(
    ("field", "missing"),
    [
        (", dtype: fp32", ("p.measurements.cpu.dtype",)),
        (", device: cpu", ("p.measurements.cpu.device",)),
        (", model: small", ("p.measurements.cpu.model",)),
    ],
)
def test_a_missing_field_is_named(ledger: Any, field: str, missing: tuple[str, ...]) -> None:
    found = book(ledger, cpu=CPU.replace(field, ""))
    assert bound(found, "cpu", "seconds").missing == missing
    assert bound(found, "gpu", "speedup").missing == missing
    assert bound(found, "gpu", "seconds").use is not None


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("dtype: fp32", "dtype: bf16", ("catalog.devices.cpu.dense_tflops.bf16",)),
        ("model: small", "model: vague", ("catalog.models.vague.parameters",)),
        (
            "device: cpu",
            "device: plain",
            ("catalog.gpus.plain.dense_tflops.fp32", "catalog.gpus.plain.memory_gb_per_second"),
        ),
        ("device: cpu", "device: an old laptop", ("p.measurements.cpu.device",)),
    ],
)
def test_what_the_catalogue_lacks_is_named(ledger: Any, old: str, new: str, missing: tuple[str, ...]) -> None:
    assert bound(book(ledger, cpu=CPU.replace(old, new)), "cpu", "seconds").missing == missing


def test_without_a_measured_time_the_bound_stands_alone(ledger: Any) -> None:
    found = book(ledger, cpu=CPU.replace(", seconds_per_step: 3600", ""))
    assert bound(found, "cpu", "seconds").use == Fraction("38.98")
    assert found.get("p.bounds.b.cpu.times_bound") is None
    assert found.get("p.bounds.b.gpu.measured_speedup") is None


def test_a_measured_time_that_may_be_zero_leaves_the_shares_undefined(ledger: Any) -> None:
    rows = CPU.replace("seconds_per_step: 3600", "rows: [{a_seconds: 0}, {a_seconds: 10}], total: [a_seconds]")
    found = book(ledger, cpu=rows)
    assert bound(found, "cpu", "share_of_peak").missing == ("p.bounds.b.cpu.measured_seconds",)
    assert bound(found, "cpu", "times_bound").use == 5 / Fraction("38.98")


def test_a_first_measurement_that_is_not_there_is_told(ledger: Any) -> None:
    """What is no id, and is looked up all the same, is a problem of the ledger and not of a formula."""
    found = ledger(**CATALOG, measurements=f"gpu: {GPU}\n", bounds=BOUND.replace("cpu", "3b")).problems()
    assert found[0].startswith("ledger/p/bounds.yaml:1:30: there is no `3b` in measurements.yaml")
