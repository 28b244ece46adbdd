"""Units are read off the end of a key, and words written after a number are the same units."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from reckon.language.units import carries, key_unit, kind_words, singular, spellings, value_unit


@pytest.mark.parametrize(
    ("key", "kinds", "counts", "symbol", "scale"),
    [
        ("hours", "time", (), "h", 1),
        ("wall_hours", "time", (), "h", 1),
        ("all_gpu_hours", "GPU × time", (), "GPU-h", 1),
        ("node_days", "node × time", (), "node-d", 24),
        ("gpus", "GPU", (), "GPUs", 1),
        ("stored_gb_months", "data × month", (), "GB-month", 1000**3),
        ("usd_per_gb_month", "money (USD) / data / month", (), "$/GB-month", F(1, 1000**3)),
        ("network_gbps", "data / time", (), "Gbit/s", F(10**9, 8) * 3600),
        ("hours_per_epoch", "time", (("epoch", -1),), "h/epoch", 1),
        ("hours_per_1000_steps", "time", (("step", -1),), "h/1,000 steps", F(1, 1000)),
        ("hours_per_10k_steps", "time", (("step", -1),), "h/10,000 steps", F(1, 10_000)),
        ("hours_per_0_steps", "time", (("0_step", -1),), "h/0 steps", 1),
        ("tokens_per_second_per_gpu", "1 / GPU / time", (), "tokens/s/GPU", 3600),
        ("usd_per_gpu_hour", "money (USD) / GPU / time", (), "$/GPU-h", 1),
        ("usd_per_month", "money (USD) / month", (), "$/month", 1),
        ("vram_gib", "data", (), "GiB", 1024**3),
        ("vram_gb", "data", (), "GB", 1000**3),
        ("network_gbit_per_second", "data / time", (), "Gbit/s", F(10**9, 8) * 3600),
        ("tflop", "FLOP", (), "TFLOP", 10**12),
        ("tflops", "FLOP / time", (), "TFLOP/s", 10**12 * 3600),
        ("watts", "energy / time", (), "W", 1),
        ("energy_kwh", "energy", (), "kWh", 1000),
        ("co2e_grams_per_kwh", "mass / energy", (), "g/kWh", F(1, 1000)),
        ("seeds", "a plain number", (), "seeds", 1),
        ("temperature_min", "a plain number", (), "", 1),
        ("status", "a plain number", (), "status", 1),
    ],
)
def test_of_a_key(key: str, kinds: str, counts: object, symbol: str, scale: object) -> None:
    unit = key_unit(key)
    assert (kind_words(unit.kinds), unit.counts, unit.scale) == (kinds, counts, scale)
    assert unit.symbol in (symbol, "") if key == "status" else unit.symbol == symbol


def test_a_gpu_hour_is_a_gpu_times_an_hour() -> None:
    assert key_unit("gpus").times(key_unit("hours")).kinds == key_unit("gpu_hours").kinds
    assert key_unit("gpu_hours").per(key_unit("gpus")).kinds == key_unit("hours").kinds


@pytest.mark.parametrize("word", ["", "parsec", "x", "m", "hours per epoch", "h//h", "per", "_"])
def test_words_that_are_no_unit(word: str) -> None:
    assert value_unit(word) is None


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("GPU-hours", "gpu_hours"),
        ("gpu hours", "gpu_hours"),
        ("GB/s", "gb_per_second"),
        ("min", "minutes"),
        ("GiB", "gib"),
    ],
)
def test_units_after_a_number_are_those_of_keys(written: str, key: str) -> None:
    unit = value_unit(written)
    assert unit is not None
    assert (unit.scale, unit.kinds) == (key_unit(key).scale, key_unit(key).kinds)


@pytest.mark.parametrize(
    ("name", "count", "does"),
    [
        ("epochs", "epoch", True),
        ("rl_steps", "step", True),
        ("steps_per_task", "step", True),
        ("steps_per_task", "task", False),
        ("plan.rft.estimate.steps", "step", True),
        ("plan.rft.estimate.steps.low", "step", True),
        ("warm-up-steps", "step", True),
        ("missteps", "step", False),
        ("queries", "query", True),
        ("batches", "batch", True),
    ],
)
def test_names_carry_the_counts_that_they_end_in(name: str, count: str, does: bool) -> None:
    assert carries(name, count) is does


def test_singulars() -> None:
    assert [singular(word) for word in ("epochs", "batches", "queries", "class", "gpus", "boxes")] == [
        "epoch",
        "batch",
        "query",
        "class",
        "gpu",
        "box",
    ]


def test_short_spellings_are_told_from_words_that_have_a_plural() -> None:
    found = spellings()
    assert [found[word][1] for word in ("min", "minute", "h", "hour", "usd")] == [True, False, True, False, False]
