"""The numbers that a text prints: with unit, range, bound, `~`, and how far their printed digits reach.

Units and exact fractions are those of `language`; what documents write beside it (`hrs`, `$`, 7,043, 8x) is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import exact
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, SHORT, Powers, Unit, key_unit, value_unit

from .document import Passage

_DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})++(?!\d)|\d{1,2}(?:,\d\d(?=,))++,\d{3}(?!\d)|\d++)"
    r"(?:\.\d++)?+(?:[eE][+-]?\d{1,3}(?!\w))?+(?![.:]\d)"
)
"""In groups of three digits, or as in India: 13,35,000."""
_MARK = (
    r"\s?%|\s?percent\b|[kKMBT](?![A-Za-z])|\s[KM]\b|\s?\(?(?i:million|billion|lakh|crore)\b"
    r"|\s?(?:x(?![A-Za-z])|×)(?!\s?\d)"
)
_NUMBER = re.compile(
    r"([<>≤≥]=? ?|~ ?|≈ ?|\babout |\baround )?\+?([$€£]|\b(?:USD|EUR|GBP|CHF) )?(?<![\w.])(?<![A-Za-z]-)(?<!\d[,:])"
    rf"({_DIGITS})(?:(?:{_MARK}|\s?[A-Za-z]{{1,9}}|\s?[$€£])?(?:-|\s+to\s+)[$€£~]?({_DIGITS}))?"
    rf"(?:\s?\(?({_MARK}))?(\+)?(?:\s?([$€£]|USD\b|EUR\b|GBP\b|CHF\b)(?!\s?\d))?"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_CLEANED = {
    r"\s?[×x]\s?10(?:\^(?=-?\d)|(?=[⁻⁰¹²³⁴-⁹]))": "e",
    r"(?<![\w.,])10(?:\^(?=-?\d)|(?=[⁻⁰¹²³⁴-⁹]))": "1e",
    r"(?<![e⁻⁰¹²³⁴-⁹])[⁻⁰¹²³⁴-⁹]+": "",
    r"(?<=[\d%])(?:\s?[–−]\s?|\s-\s)(?=[$€£~]?\d)": "-",
    rf"\b(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?\b|\b{_MONTH} \d{{1,2}}, \d{{4}}\b|\b\d{{1,2}} {_MONTH}": " ",
    r"(?<!\d )\b([A-Za-z]\w*)(?:-\d++)++(?![\w%]|\.\d)|(?<=[A-Za-z]/)\d+(?![kKMBT]\b)[A-Za-z]+(?=[-/_])": r"\1 ",
    r"(?<![\w.,])\d{1,2}(?: \d{1,2}){2,}(?![\w.,:])": " ",
    r"\b[A-Z]{1,3}\d{2,4}(?:[ -]\d{1,3}GB)?[ -](?:GPU[ -])?(?=hours?\b)": "GPU-",
    r"\b([Cc]ore|CPU)s? (?=h(?:ours?|rs?)?\b)": r"\1-",
    r"\b(?:(?!(?:per|and|for|with|from|the|each|using|[mb]illion|lakh|crore) )[A-Za-z]{2,11}[A-Za-rt-z] ){1,2}"
    r"(?=(?:GPU|node|[Cc]ore|CPU)[ -][hd])": "",
    r"(?<!\d )(?<!GPU[ -])\b((?:GPU|node|core|CPU)[ -]h(?:ours?|rs?)?|[Hh]ours?|[Dd]ays|GB|GiB|TB|kWh) "
    rf"([<>≤≥]=? ?)({_DIGITS})": r"\2\3 \1",
    r"\b[Dd]evice-(?=hours?\b|days?\b)": "GPU-",
    r"FLOPs\b": "FLOP",
    rf"(?<!\d )\b[Hh]ours? ({_DIGITS}(?:-{_DIGITS})?)": r"\1 hours",
}
"""What is not read as it is printed, and what stands for it: dates, RTX5000-28, `data/3d-ice` and the list
`GPUS="4 5 6 7"` are no numbers, A100-hours and `ACC GPU-hours` are GPU-hours, `hours < 5` have their unit behind."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_OPERATOR = re.compile(r"\s?[-+*/=^x×]\s?[(\d]")
_FACTOR = re.compile(r"\s?(?:x(?![A-Za-z])|×)")
_PRICED = re.compile(r"\A.*?(?=/|\bper\b|\b[Hh]ourly\b|\b[Mm]onthly\b)")
"""What a sign in the cell stands for in a head such as `price/hour` or `rent, monthly`."""
_TIMES = re.compile(r"([A-Za-z-]+) ?[x×] ?$")
"""What stands before a price that it is multiplied by: `8.5 hours x $32.77`."""
_CORES = re.compile(r"\b(?:core|cpu)-(?=h)", re.IGNORECASE)
"""Core-hours are hours to the ledger, or a number of `corehours`."""
_WORD = re.compile(r"(?:\b(?:[Cc]ore|CPU)-(?=h))?(?:[A-Za-z]{2,}|\b[shdgtWJ]\b)|[/$€£]")
_OTHERS = rf"(?:, {_DIGITS})*+,? (?:and|or) {_DIGITS}|(?:, \d{{1,15}}\.\d{{1,15}}){{1,9}}+"
_BETWEEN = re.compile(rf"\A(?:{_OTHERS})(?=\s?[A-Za-z])")
"""What stands between a number and its unit: others, of which the last has the unit of all."""
_TAIL = re.compile(r"(?:[ -]?(?:/ ?)?[A-Za-z]++(?!\d)(?:[ /-]{1,3}[A-Za-z]++(?!\d)){0,4})?")
_PART = re.compile(r"(?<![^(),\[\]:=])[^(),\[\]:=\d]++(?![^(),\[\]:=])")
FACTORS = {"k": 3, "m": 6, "million": 6, "b": 9, "billion": 9, "t": 12, "lakh": 5, "crore": 7, "%": -2, "percent": -2}
"""The power of ten that a mark behind a number stands for."""
OTHER_WORDS = {
    "hr": "hour",
    "hrs": "hour",
    "hourly": "per_hour",
    "mo": "month",
    "monthly": "per_month",
    "mins": "minute",
    "secs": "second",
    "tps": "tokens_per_second",
    "dollars": "usd",
    "$": "usd",
    "€": "eur",
    "£": "gbp",
    "/": "per",
    **SHORT,
}
BINARY = {"MB": 2, "GB": 3, "TB": 4, "PB": 5}
"""How often 1024 stands for 1000 in a decimal unit that is meant as a binary one."""
DEVICES = {"gpu", "node"}
TIME: Powers = (("time", 1),)
_NAMED = re.compile(r"\b(?:\d[\d,]{0,9}-[a-z]{2,12}|[A-Za-z]{1,4}\d{1,4}) ")
"""What a head names before its unit: `128,000-step seconds`, `FP16 TFLOPS`."""
MOST_TAIL = 60
MOST_WORDS = 8

Ends = tuple[Fraction, ...]
Reading = tuple[Powers, Ends, Fraction]
"""What a number measures, its ends in base units, and half a unit of its last printed digit."""


class Number(Struct, frozen=True):
    """A number of a document as it is printed, in each way that it can be read: several where documents write one unit
    for another. `begins` is one with which a cell of a table begins, `is_name` one such as in `a 3-hour run`."""

    passage: Passage
    shown: str
    readings: tuple[Reading, ...]
    has_unit: bool
    begins: bool
    is_name: bool


def kinds_of(unit: Unit) -> Powers:
    """What a unit measures strictly. How many GPUs or nodes is a count, and a size of each GPU a size."""
    kinds = tuple((name, power) for name, power in unit.kinds if power > 0 or name not in DEVICES)
    return () if dict(kinds).keys() <= DEVICES else kinds


def numbers_in(passage: Passage) -> Iterator[Number]:
    """The numbers that a passage prints."""
    text = _clean(passage.text)
    for found in _NUMBER.finditer(text):
        try:
            yield _read(passage, text, found)
        except Refusal:
            continue  # it is absurdly large


def _clean(text: str) -> str:
    """A text with what is not read as it is printed in the form that is read."""
    for pattern, instead in _CLEANED.items():
        text = re.sub(pattern, instead, text)
    return text.translate(_RAISED)


def _read(passage: Passage, text: str, found: re.Match[str]) -> Number:
    rough, before_it, low, high, mark, more, behind_it = found.groups("")
    sign = (before_it or behind_it).split()
    last = high or low
    mark = mark.strip().lower()
    power = FACTORS.get(mark, 0)
    factor = Fraction(10) ** power
    ends = tuple(exact(digits.replace(",", "").lstrip("0") or "0") * factor for digits in dict.fromkeys((low, last)))
    decimals = len(last.partition(".")[2])
    zeros = len(last) - len(last.rstrip("0,")) if rough or more else 0
    reach = factor * Fraction(10) ** (-decimals or zeros) / 2
    tail = f"{text[found.end() : found.end() + MOST_TAIL]} {passage.following}"
    unit, behind = _unit_behind(_BETWEEN.sub("", tail), sign)
    readings = _readings(unit or PLAIN, ends, reach)
    is_share = power < 0
    is_factor = _FACTOR.match(mark + tail)
    head = _clean(passage.head)
    before = text[: found.start()][-MOST_TAIL:]
    label = before.rpartition(": ")[0] if before.endswith(": ") else ""
    if not (is_share or is_factor) and (sign or not unit or kinds_of(unit) == TIME):
        for part in (head, label):
            readings += _readings(_unit_within(part, sign), ends, reach)
    if sign and (times := _TIMES.search(before)):
        readings += _readings(read_unit([*sign, "per", *times[1].split("-")]) or PLAIN, ends, reach)
    shown = f"{found[0]}{behind}".strip()
    has_unit = bool(readings) or is_share
    if not readings or _CORES.search(f"{behind} {head} {label}"):
        readings.append(((), ends, reach))
    is_labelled = bool(label) and not is_factor and not _OPERATOR.match(tail)
    begins = is_labelled or (bool(passage.head) and found.start() == 0)
    return Number(passage, shown, tuple(readings), has_unit, begins, tail.startswith("-"))


def _unit_behind(tail: str, sign: list[str]) -> tuple[Unit | None, str]:
    """The unit behind a number, and its text; a sign before the number is part of it."""
    words = list(_WORD.finditer(tail, 0, _TAIL.match(tail).end()))  # type: ignore[union-attr]
    while words:
        if unit := read_unit([*sign, *(word[0] for word in words)]):
            return unit, tail[: words[-1].end()]
        words.pop()
    return read_unit(sign), ""


def _unit_within(head: str, sign: list[str]) -> Unit:
    """The unit with which a part of a head begins or ends: `$/hour saved`, `power, W`, `price/hour` below which there
    is a sign. One with a number is a name."""
    for part in reversed(_PART.findall(_NAMED.sub("", head))):
        priced = _PRICED.sub(sign[0], part) if sign else part
        words = _WORD.findall(priced)[:MOST_WORDS]
        for count in range(len(words), 0, -1):
            if unit := read_unit(words[:count]) or read_unit(words[-count:]):
                return unit
    return PLAIN


def read_unit(words: list[str]) -> Unit | None:
    """The unit that some words name as documents write it: `hrs`, `$ / hr`, `GPU hours`, `tokens / sec`; or None."""
    joined = _CORES.sub("", "_".join(OTHER_WORDS.get(word.lower(), word.lower()) for word in words))
    above, *below = joined.split("_per_")
    is_known = all(map(_is_known, below))
    if is_known and _is_known(above):
        return value_unit(joined)
    return key_unit(joined) if is_known and below and above.isalpha() else None


def _is_known(words: str) -> bool:
    """Whether some words are a unit and nothing else: value_unit reads the last of them alone, but for one of two words
    (GPU-hours)."""
    unit = value_unit(words)
    return unit is not None and words.count("_") == unit.symbol.count("-")


def _readings(unit: Unit, ends: Ends, reach: Fraction) -> list[Reading]:
    """A number in a unit; one of decimal bytes in the binary ones too that documents call by the same name."""
    kinds = kinds_of(unit)
    scale = unit.scale / unit.lot
    if not kinds:
        return []
    scales = dict.fromkeys((scale, scale * Fraction(1024, 1000) ** BINARY.get(unit.symbol[:2], 0)))
    return [(kinds, tuple(end * factor for end in ends), reach * factor) for factor in scales]
