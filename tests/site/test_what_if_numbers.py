"""A page reads what is typed as the ledger does: the same ends, and the same words for what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from browser import Browser, Page
from conftest import ROOT
from reckon.language.quantity import point
from reckon.language.text import Text
from reckon.language.units import GPU_HOURS, PLAIN, Unit, key_unit, spellings
from reckon.load.yaml_nodes import UNPRINTABLE
from reckon.model.amounts import amount, read_gpu_hours, read_ratio
from reckon.model.figure import Figure, Worked
from reckon.model.scalars import Wrong
from reckon.model.values import read_seeds, read_whole_quantity
from reckon.present.render.numbers import figure_text
from reckon.present.whatif.page import SCRIPTS
from serving import served
from tests.small import plant
from tests.trying import examples

pytestmark = pytest.mark.full

READERS: Mapping[str, tuple[str, Unit, Callable[[Text], object]]] = MappingProxyType(
    {
        "seeds": ("seeds", key_unit("seeds"), lambda text: read_seeds(text).quantity),
        "runs": ("runs", key_unit("runs"), partial(read_whole_quantity, "runs")),
        "contingency": ("ratio", PLAIN, read_ratio),
        "gpu_hours": ("positive", GPU_HOURS, read_gpu_hours),
        **{
            key: ("any", key_unit(key), lambda text, key=key: amount(text, key_unit(key)))
            for key in (
                "samples",
                "hours_per_1000_steps",
                "usd_per_gpu_hour",
                "memory_gb",
                "months",
                "gpus",
                "watts",
                "tokens_per_second",
                "share",
            )
        },
    }
)
"""Keys with the rule of the page for them, their unit, and the reader of the ledger."""

PIECES = (
    "0",
    "7",
    "12",
    "1000",
    "0.25",
    "007",
    "8-10",
    "10-8",
    "-3",
    "1e3",
    "2E-5",
    "1e100",
    "9" * 31,
    "5+",
    "<4",
    "< 0",
    "k",
    "M",
    "T",
    "%",
    "x",
    " ",
    " ",
    "-",
    "+",
    "/",
    ".",
    "h",
    "min",
    "mins",
    "d",
    "2 h 30 min",
    "gpu_hours",
    "GPU-hours",
    "gpus",
    "node hours",
    "usd",
    "$/h",
    "usd per gpu hour",
    "GiB",
    "gb",
    "kWh",
    "s",
    "seconds",
    "weeks",
    "tokens",
    "constructor",
    "_per_",
    "unknown",
    "1,000",
    "1_000",
    "12:30",
    "1-02:03",
    "8–10",
    "−5",
    "$ 5",
    "~6",
    ">= 3",
    ".5",
    "nan",
    "\xa0",
    "\t",
    "\x1f",
    "\ufeff",
    "[1]",
    "{low: 1}",
    "é",
    "𝟙",
)
TYPED = st.one_of(
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), max_size=5).map("".join),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-10, max_value=10**6).map(str),
    st.text(alphabet="0123456789.eE+-kMx% <hmin", max_size=12),
    st.text(max_size=110),
)
ASK = """(asked => asked.map(([rule, per, kinds, text]) => {
  const { Rational, Refusal, read } = budgetWhatIf;
  try {
    const ends = read(text, { rule, form: "", scale: { per: Rational.of(per), kinds } }, words);
    return ends.map(end => end === null ? null : `${end}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}))"""


@pytest.fixture(scope="module")
def reading(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page with what reads numbers, and nothing else."""
    parts = [(ROOT / f"docs/assets/what-if/{name}.js").read_text("utf-8") for name in SCRIPTS[:4]]
    words = {word: [str(unit.scale), unit.kinds, short] for word, (unit, short) in spellings().items()}
    script = "\n".join([*parts, f"const words = {json.dumps(words)};"])
    web = plant(
        tmp_path_factory.mktemp("numbers"),
        {
            "reading.html": "<!doctype html><meta charset=utf-8><title>Read</title><script src=reading.js></script>",
            "reading.js": script,
        },
    )
    with served(web) as top:
        page = chromium.open(f"{top}reading.html")
        yield page
        page.close()


def read_here(read: Callable[[Text], object], typed: str) -> list[str | None] | str:
    """What the ledger reads: the ends as fractions; or why it refuses."""
    if strange := UNPRINTABLE.search(typed):
        return f"U+{ord(strange[0]):04X} is not allowed in a text; remove it"
    try:
        value = read(Text(typed)).value  # type: ignore[attr-defined]
    except Wrong as wrong:
        return wrong.problems[0].text
    return [None if end is None else str(Fraction(end)) for end in (value.low, value.use, value.high)]


def told_alike(reading: Page, typed: Sequence[str]) -> None:
    """Holds what the page reads of some texts, under every key, against what the ledger reads."""
    for key, (rule, unit, read) in READERS.items():
        asked = [[rule, str(unit.scale / unit.lot), unit.kinds, text] for text in typed]
        told = reading.ask(f"{ASK}({json.dumps(asked)})")
        assert dict(zip(typed, told, strict=True)) == {text: read_here(read, text) for text in typed}, key


@settings(max_examples=examples(200), deadline=None)
@given(typed=st.lists(TYPED, min_size=1, max_size=60))
def test_what_is_typed_is_read_as_in_a_ledger(reading: Page, typed: list[str]) -> None:
    told_alike(reading, typed)


def test_pieces_of_numbers_and_each_two_of_them(reading: Page) -> None:
    told_alike(reading, [*PIECES, *(first + second for first in PIECES for second in PIECES)])


def test_some_of_it_by_hand(reading: Page) -> None:
    """2k hours; a range; an hour and a half of a GPU-hour's key is refused; 90 minutes for each 1,000 steps."""
    asked = [
        ["positive", "1", GPU_HOURS.kinds, "2k"],
        ["ratio", "1", [], "8-10%"],
        ["positive", "1", GPU_HOURS.kinds, "90 min"],
        ["any", "1", [["time", 1]], "90 min"],
        ["ratio", "1", [], "15"],
    ]
    assert reading.ask(f"{ASK}({json.dumps(asked)})") == [
        ["2000", "2000", "2000"],
        ["2/25", "9/100", "1/10"],
        "`min` measures time, the key GPU × time; multiply wall-clock hours by the number of GPUs, or use another key",
        ["3/2", "3/2", "3/2"],
        "`15` lacks its percent sign; write `15%`, or `x` after it if it is a factor",
    ]


def test_small_numbers_are_printed_alike(reading: Page) -> None:
    """Two seconds of a GPU are no power of ten; two seconds of anything else are."""
    for key in ("gpu_hours", "seconds", "usd"):
        unit = key_unit(key)
        for number in ("1/1800", "-1/1800", "1/2000000", "3/4000", "0"):
            exact = f"Rational.of({json.dumps(number)})"
            asked = f"budgetWhatIf.figureText({{unit: {json.dumps(unit.symbol)}}}, [{', '.join([exact] * 3)}])"
            told = reading.ask(f"(() => {{ const {{ Rational }} = budgetWhatIf; return {asked}; }})()")
            assert told == figure_text(Figure("", "small", unit, point(Fraction(number)), Worked("by hand")))
