"""What a reader takes, the pattern for editors takes; most of what it refuses, that refuses too."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reckon.language.text import Text
from reckon.language.units import spellings
from reckon.load.schema import schemas
from reckon.model import amounts, scalars, shares
from reckon.model.scalars import Wrong
from scripts.grammar import FIXED, MEASURED, definition

READERS: Mapping[str, Callable[[Any, Any], object]] = {
    "quantity": lambda raw, info: amounts.read_free({info.field_name: raw}),
    "amount": amounts.read_amount,
    "above": amounts.read_above,
    "counts-as": lambda raw, _: amounts.read_under({"card": raw}, SimpleNamespace(field_name="counts_as")),  # type: ignore[arg-type]
    "gpu-hours": lambda raw, _: amounts.read_gpu_hours(raw),
    "limit": lambda raw, _: (amounts.read_ceiling_of_hours(raw), amounts.read_ceiling_of_money(raw)),
    "number": amounts.read_number,
    "positive": amounts.read_positive,
    "signed": amounts.read_signed,
    "lasting": shares.read_lasting,
    "charged": shares.read_charged,
    "held": shares.read_held,
    "pue": lambda raw, _: amounts.read_pue(raw),
    "ratio": lambda raw, _: amounts.read_ratio(raw),
    "share": lambda raw, _: amounts.read_share(raw),
    "efficiency": lambda raw, _: amounts.read_efficiency(raw),
    "chance": lambda raw, _: shares.read_chance(raw),
    "date": lambda raw, _: scalars.read_date(raw),
    "moment": lambda raw, _: scalars.read_time(raw),
    "flag": lambda raw, _: scalars.read_flag(raw),
    "count": lambda raw, _: scalars.read_whole(1, raw),
    "whole": lambda raw, _: scalars.read_whole(0, raw),
    "id": lambda raw, _: scalars.read_id(raw),
    "name": lambda raw, _: scalars.input_key(raw),
    "portion": lambda raw, _: shares.read_portion(raw),
    "zone": lambda raw, _: scalars.read_zone(raw),
}
KEYS = {
    **dict.fromkeys(
        MEASURED, ("layers", "hours", "wall_hours", "gpus", "watts", "vram_gib", "usd", "usd_per_gpu_hour")
    ),
    **dict.fromkeys(("gpu-hours", "limit", "pue", "ratio", "share", "efficiency", "chance"), ("any",)),
    "lasting": ("wall_hours", "wall_seconds"),
    "charged": ("gpu_hours",),
    "held": ("gpus",),
    "counts-as": ("counts_as",),
}
CASES = [(name, key) for name in READERS for key in KEYS.get(name, ("any",))]
DIVIDED = ("watts", "usd_per_gpu_hour", "co2e_grams_per_kwh", "memory_gb_per_second")
"""Keys whose unit is a quotient. Under others `kWh/kW` are hours too, which no pattern tells."""
NUMBERS = (
    "0",
    "1",
    "4",
    "12",
    "50",
    "60",
    "99",
    "100",
    "101",
    "150",
    "2000",
    "0.5",
    "2.25",
    "1e3",
    "4.3E-2",
    "-3",
    "007",
)
UNITS = tuple(spellings())
ODD = ("four", "4,5", "5 hours 40", "2:30", "~5", "", "x", "1_000", "$5", ">5", "nan", ".5", "5-", "1/7", "3600/7 s")


def reads(name: str, key: str, text: str) -> bool:
    try:
        READERS[name](Text(text), SimpleNamespace(field_name=key))
    except Wrong:
        return False
    return True


@cache
def told_by(name: str, key: str) -> jsonschema.Draft7Validator:
    own, schema = definition(name, key)
    parts = {own: schema, "formula": FIXED["formula"], "quantity": definition("quantity", "")[1]}
    return jsonschema.Draft7Validator({"$defs": parts, "$ref": f"#/$defs/{own}"})


def spelled(unit: str, draw: random.Random) -> str:
    word = unit + draw.choice(("", "s"))
    word = draw.choice((word, word.upper(), word.capitalize()))
    head = draw.choice(("", "", "GPU-", "gpu_", "node ", "wall "))
    return head + word + draw.choice(("", "", "", "", "/h", " per gpu_hour", "/s"))


def quantity(draw: random.Random) -> str:
    """A text that may be a quantity: its parts in the order of one, each of them right or nearly so."""
    number, other = draw.sample(NUMBERS, 2)
    mark = draw.choice(("", "", "", "%", "x", "k", "M"))
    unit = draw.choice(("", " ", "  ")) + spelled(draw.choice(UNITS), draw) if draw.random() < 0.5 else ""
    form = draw.choice(("{n}{m}{u}", "{n}{m}{u}", "{n}-{o}{m}{u}", "{n}{m}-{o}{m}{u}", "{n} - {o}{u}", "{n}{m}+{u}"))
    form = draw.choice((form, form, form, "<{n}{m}{u}", "{n} h {o} min", "{n} {u} {o}", "unknown", " {n} ", *ODD))
    return form.format(n=number, o=other, m=mark, u=unit)


TEXTS = st.builds(lambda seed: quantity(random.Random(seed)), st.integers(0, 2**32))


@given(st.sampled_from(CASES), TEXTS)
@example(("amount", "wall_hours"), "118 d 5 h 41 min")
@example(("amount", "gpu_hours"), "2 GPU-days")
@example(("amount", "co2e_grams_per_kwh"), "0.385 kg/kWh")
@example(("amount", "memory_gb_per_second"), "2 TB/s")
@example(("amount", "watts"), "0.4 kWh/h")
@example(("lasting", "wall_hours"), "3600/7 s")
@example(("limit", "ceiling"), "2400 usd")
@example(("counts-as", "counts_as"), "1/7")
@example(("efficiency", "any"), "85-100%")
def test_what_a_reader_takes_an_editor_takes(case: tuple[str, str], text: str) -> None:
    name, key = case
    divided = "/" in text or " per " in text
    if reads(name, key, text) and not (divided and key not in DIVIDED):
        assert told_by(name, key).is_valid(text), (name, key, text)


def test_most_of_what_a_reader_refuses_an_editor_refuses() -> None:
    draw = random.Random(42)
    counts = {True: 0, False: 0}
    for name, key in CASES:
        for _ in range(400):
            text = quantity(draw)
            if not reads(name, key, text):
                counts[told_by(name, key).is_valid(text)] += 1
    assert counts[False] > 5000
    assert counts[True] / counts[False] < 0.06


@pytest.mark.parametrize("year", ["0000", "1000", "1900", "2000", "2023", "2024", "2100", "9999"])
def test_a_date_is_one_of_the_calendar(year: str) -> None:
    """The day, and the same as a moment: the pattern and the readers agree on each."""
    days = [f"{year}-{month:02}-{day:02}" for month in range(14) for day in range(33)]
    for text in (year, *(f"{year}-{month:02}" for month in range(20)), *days):
        assert told_by("date", "").is_valid(text) == reads("date", "", text), text
        assert told_by("moment", "").is_valid(text) == reads("moment", "", text), text
        timed = f"{text}T14:30"
        assert told_by("moment", "").is_valid(timed) == reads("moment", "", timed), timed


@pytest.mark.parametrize("day", ["2026-01-05", "2026-01", "5.1.2026"])
@pytest.mark.parametrize("between", ["T", " ", "t", "", "  "])
@pytest.mark.parametrize("clock", ["00:00", "23:59:59", "24:00", "9:30", "09:60", "09:30:5", "09", "noon"])
@pytest.mark.parametrize("zone", ["", "Z", "+02:00", "-0200", " CET"])
def test_a_moment_has_a_time_of_day_and_perhaps_an_offset(day: str, between: str, clock: str, zone: str) -> None:
    text = f"{day}{between}{clock}{zone}"
    assert told_by("moment", "").is_valid(text) == reads("moment", "", text)


def patterns() -> list[str]:
    """Every pattern in a schema."""
    found: dict[str, None] = {}
    for text in schemas({}).values():
        for pattern in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', text):
            found[json.loads(pattern)] = None
    return list(found)


@pytest.mark.parametrize("foreign", [r"\(\?P", r"\(\?<", r"\(\?[aiLmsux-]+[:)]", r"\(\?>", r"[*+?}]\+", r"\\[AZzpPGK]"])
def test_a_pattern_has_nothing_that_only_python_knows(foreign: str) -> None:
    """ECMA 262, which draft 7 of JSON Schema asks for: no named groups, flags, possessive repeats or other anchors."""
    assert len(patterns()) > 50
    for pattern in patterns():
        assert not re.search(foreign, re.sub(r"\[[^]]*\]", "[]", pattern)), pattern


ASKED = """
const [patterns, texts] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const made = patterns.map((pattern) => new RegExp(pattern, "u"));
console.log(JSON.stringify(made.map((pattern) => texts.map((text) => pattern.test(text)))));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")
def test_a_pattern_fits_the_same_texts_in_javascript() -> None:
    draw = random.Random(7)
    texts = [quantity(draw) for _ in range(150)] + [
        "2026-02-29",
        "2024-02-29",
        "2026-01-05T14:30Z",
        "an-id",
        "{a}",
        "é",
    ]
    given = json.dumps([patterns(), texts])
    done = subprocess.run(["node", "-e", ASKED], input=given, capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stdout) == [[bool(re.search(one, text)) for text in texts] for one in patterns()]
