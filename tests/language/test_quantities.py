# ruff: noqa: PT017 (tables read better unbroken)
"""Every form in which a quantity may be written, every form that is refused, and what the refusal says."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.language.calendar_days import is_day
from reckon.language.quantity import Value, read_quantity
from reckon.language.text import Refusal
from reckon.language.units import GPU_HOURS, HOURS, PLAIN, key_unit

OPEN = None


@pytest.mark.parametrize(
    ("key", "text", "low", "use", "high"),
    [
        ("hours", "45", 45, 45, 45),
        ("hours", "0.1", F(1, 10), F(1, 10), F(1, 10)),
        ("hours", "-2", -2, -2, -2),
        ("hours", "8-10", 8, 9, 10),
        ("hours", "8 - 10", 8, 9, 10),
        ("hours", "-5--3", -5, -4, -3),
        ("hours", "5+", 5, OPEN, OPEN),
        ("hours", "90+ min", F(3, 2), OPEN, OPEN),
        ("hours", "<0.1", 0, OPEN, F(1, 10)),
        ("hours", "45 min", F(3, 4), F(3, 4), F(3, 4)),
        ("hours", "30-90 min", F(1, 2), 1, F(3, 2)),
        ("hours", "118 d 5 h 41 min", 118 * 24 + 5 + F(41, 60), 118 * 24 + 5 + F(41, 60), 118 * 24 + 5 + F(41, 60)),
        ("hours", "7200 s", 2, 2, 2),
        ("hours", "2 weeks", 336, 336, 336),
        ("days", "48 h", 2, 2, 2),
        ("seconds", "500 ms", F(1, 2), F(1, 2), F(1, 2)),
        ("hours_per_1000_steps", "90 min", F(3, 2), F(3, 2), F(3, 2)),
        ("hours_per_epoch", "90 min", F(3, 2), F(3, 2), F(3, 2)),
        ("gpu_hours", "10k", 10_000, 10_000, 10_000),
        ("gpu_hours", "1.5M", 1_500_000, 1_500_000, 1_500_000),
        ("gpu_hours", "2 GPU-days", 48, 48, 48),
        ("gpu_hours", "5-10k", 5000, 7500, 10_000),
        ("parameters", "7B", 7 * 10**9, 7 * 10**9, 7 * 10**9),
        ("tokens", "1.5T", 15 * 10**11, 15 * 10**11, 15 * 10**11),
        ("tokens_per_second", "4.8k", 4800, 4800, 4800),
        ("flop", "4.30e23", 430 * 10**21, 430 * 10**21, 430 * 10**21),
        ("learning_rate", "1e-5", F(1, 10**5), F(1, 10**5), F(1, 10**5)),
        ("share", "15%", F(15, 100), F(15, 100), F(15, 100)),
        ("share", "50-85%", F(1, 2), F(135, 200), F(85, 100)),
        ("share", "50%-85%", F(1, 2), F(135, 200), F(85, 100)),
        ("factor", "1.3x", F(13, 10), F(13, 10), F(13, 10)),
        ("factor", "5x-8x", 5, F(13, 2), 8),
        ("gb", "5-10 MB", F(5, 1000), F(75, 10_000), F(10, 1000)),
        ("gb", "1 TB", 1000, 1000, 1000),
        ("gib", "1 TiB", 1024, 1024, 1024),
        ("gib", "1 GB", F(10**9, 1024**3), F(10**9, 1024**3), F(10**9, 1024**3)),
        ("kg", "5-10 kg", 5, F(15, 2), 10),
        ("co2e_tonnes", "24.69 t", F(2469, 100), F(2469, 100), F(2469, 100)),
        ("kwh", "5-10 MWh", 5000, 7500, 10_000),
        ("gb_per_second", "5 GB/s", 5, 5, 5),
        ("gb_per_second", "300 GB/min", 5, 5, 5),
        ("usd_per_gpu_hour", "0.60", F(6, 10), F(6, 10), F(6, 10)),
        ("months", "2 months", 2, 2, 2),
    ],
)
def test_is_read_exactly(key: str, text: str, low: object, use: object, high: object) -> None:
    assert read_quantity(text, key_unit(key)).value == Value(low, use, high)  # type: ignore[arg-type]


def test_unknown_is_not_zero() -> None:
    value = read_quantity("unknown", HOURS).value
    assert value.unknown
    assert value.use is None


def test_a_ratio_keeps_how_it_was_written() -> None:
    assert [read_quantity(text, PLAIN).form for text in ("15%", "1.3x", "5-8%", "2")] == ["%", "x", "%", ""]


HINT = "write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`"
EMPTY = "write a number, a range such as `8-10`, or `unknown`; quote a text that has a comma"
BY_NODE = "multiply by the GPUs of a node; where a node counts as one GPU, write only the number"


@pytest.mark.parametrize(
    ("key", "text", "wrong", "right"),
    [
        ("hours", "010", "`010` begins with a zero", "write `10`"),
        ("hours", "-007", "`-007` begins with a zero", "write `-7`"),
        ("hours", "1_000", "`1_000` has underscores", "write `1000`"),
        ("hours", "1:30", "`1:30` looks like a clock time", "write hours as a decimal, or `1 h 30 min`"),
        ("hours", "7" * 41 + ":30", "`" + "7" * 40 + "` is not a number", HINT),
        ("hours", "10,000", "`10,000` has commas", "write `10000`"),
        ("hours", "11,5", "`11,5` has a comma", "write `11.5`"),
        ("hours", "1.600,5", "`1.600,5` has its thousands and decimal marks swapped", "write `1600.5`"),
        ("hours", "8–10", "`8–10` has a typographic dash", "write `8-10`"),
        ("usd", "$3", "`$3` has a currency sign", "remove the sign, the key has the currency: write `3`"),
        ("hours", "~3", "`~3` is marked as approximate", "only `states:` of a claim takes `~`; write `3` or a range"),
        ("hours", "NaN", "`NaN` is not a number", "write `unknown` for an unknown value, or `5+` for an open range"),
        ("hours", "-inf", "`-inf` is not a number", "write `unknown` for an unknown value, or `5+` for an open range"),
        ("hours", ">= 5", "`>= 5` is an open range", "write `5+`"),
        ("hours", ".5", "`.5` lacks its leading zero", "write `0.5`"),
        ("hours", "", "the value is empty", EMPTY),
        ("share", "1/3", "`1/3` is a fraction", "write `{formula: 1 / 3}`"),
        ("gpu_hours", "6144 node-hours", "`node-hours` measures node × time, the key GPU × time", BY_NODE),
        (
            "hours",
            "many",
            "`many` is not a number",
            "write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`",
        ),
        ("hours", "~", "`~` is not a number", "write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`"),
        ("hours", "٤٥", "`٤٥` is not a number", "write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`"),
        ("hours", "10-8", "the range `10-8` runs backwards", "write `8-10`"),
        ("share", "5%-0.1x", "`5%-0.1x` mixes two ways of writing", "write both ends the same way, such as `5-0.1x`"),
        ("tokens", "5k-10", "`5k-10` mixes two ways of writing", "write both ends the same way, such as `5-10k`"),
        ("hours", "<0", "`<0` contains no value", "`<x` starts at zero; write a range, such as `-5-0`"),
        ("hours", "5k", "`k` cannot be used with time", "write the number in full, or its unit after it"),
        ("gb", "5M", "`M` cannot be used with data", "write the number in full, or its unit after it"),
        ("hours", "15%", "`15%` is a ratio", "the key takes time; write a number without `%`"),
        (
            "chance_per_hour",
            "5%",
            "`5%` is a ratio",
            "the key takes 1 / time; write a number without `%`, as 0.05 for 5%",
        ),
        (
            "hours",
            "5 parsec",
            "`parsec` is not a unit",
            "write only the number (the key has the unit), or a unit such as h, min, GiB, gpu_hours",
        ),
        (
            "tokens",
            "10k 5M",
            "`k` is not a unit",
            "write only the number (the key has the unit), or a unit such as h, min, GiB, gpu_hours",
        ),
        ("gb", "5 h", "`h` measures time, the key data", "write only the number, in the unit of the key"),
        (
            "months",
            "3 weeks",
            "`weeks` measures time, the key month",
            "write only the number, in the unit of the key",
        ),
        (
            "eur",
            "3 usd",
            "`usd` measures money (USD), the key money (EUR)",
            "write only the number, in the unit of the key",
        ),
        (
            "gpu_hours",
            "5 h",
            "`h` measures time, the key GPU × time",
            "multiply wall-clock hours by the number of GPUs, or use another key",
        ),
        ("hours", "1e999", "`1e999` is too long a number", "write at most 30 digits and an exponent below 100"),
        ("hours", "1" * 31, f"`{'1' * 31}` is too long a number", "write at most 30 digits and an exponent below 100"),
        ("hours", "1" * 101, "the value is too long for a quantity", "write one number or one range"),
    ],
)
def test_is_refused_with_what_would_be_right(key: str, text: str, wrong: str, right: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_quantity(text, key_unit(key))
    assert (caught.value.wrong, caught.value.right) == (wrong, right)


def test_thirty_digits_are_read_with_their_sign_and_point() -> None:
    digits = "1" * 15 + "." + "2" * 15
    assert read_quantity(f"-{digits}", HOURS).value.use == -F(digits)


KEYS = st.sampled_from(["hours", "gpu_hours", "share", "gb", "usd_per_gpu_hour", "steps", "hours_per_1000_steps"])


@given(KEYS, st.one_of(st.text(max_size=30), st.text("0123456789.-+eEkMx%<> hd", max_size=12)))
def test_any_text_is_a_quantity_or_a_refusal(key: str, text: str) -> None:
    try:
        value = read_quantity(text, key_unit(key)).value
    except Refusal as refusal:
        assert refusal.wrong
        assert refusal.right
    else:
        known = [end for end in (value.low, value.use, value.high) if end is not None]
        assert known == sorted(known)


@given(st.text(max_size=40))
def test_any_key_has_a_unit(key: str) -> None:
    assert key_unit(key).scale > 0


@given(st.fractions(0, 10**6), st.sampled_from(["min", "d", "s"]))
def test_converting_there_and_back_is_exact(number: F, unit: str) -> None:
    written = f"{number.numerator} {unit}"
    assert read_quantity(written, HOURS).value.scaled(F(1, 1)) == read_quantity(written, key_unit("days")).value.scaled(
        F(24)
    )


def test_gpu_hours_are_no_hours() -> None:
    assert GPU_HOURS.kinds != HOURS.kinds


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("0000-01-01", False),
        ("0001-01-01", True),
        ("2024-02-29", True),
        ("2025-02-29", False),
        ("2025-00-10", False),
        ("2025-13-10", False),
        ("2025-12-31", True),
        ("2025-12-32", False),
        ("2025-12-00", False),
        ("9999-12-31", True),
    ],
)
def test_which_days_there_are(text: str, there: bool) -> None:
    assert is_day(text) is there
