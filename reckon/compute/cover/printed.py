"""The numbers that a text prints: with unit, range, bound, `~`, and how far their printed digits reach.

Units and exact fractions are those of `language`; what documents write beside it (`hrs`, `$`, 7,043, 8x) is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from msgspec import Struct

from reckon.language.quantity import exact
from reckon.language.text import Refusal
from reckon.language.unit_words import read_unit
from reckon.language.units import CURRENCIES, PLAIN, SIGNS, Powers, Unit

from .document import Passage

_PIECES = {
    # in groups of three digits, or as in India: 13,35,000
    "DIGITS": r"(?:\d{1,3}(?:,\d{3})++(?!\d)|\d{1,2}(?:,\d\d(?=,))++,\d{3}(?!\d)|\d++)"
    r"(?:\.\d++)?+(?:[eE][+-]?\d{1,3}(?!\w))?+(?![.:]\d)",
    "MARK": r"\s?%|\s?percent\b|[kKMBT](?![A-Za-z])|\s[KM]\b|\s?\(?(?i:million|billion|lakh|crore)\b"
    r"|\s?(?:x(?![A-Za-z])|×)(?!\s?\d)",
    "SIGN": f"[{SIGNS}]",
    "CODE": "|".join(CURRENCIES).upper(),
    "MONTH": r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?",
    "SMALL": "per|and|for|with|from|the|each|using|million|billion|lakh|crore|an?|as|at|by|in|is|it|no|of|on|or|to|x",
}
"""What stands for a word in capitals in the expressions below."""


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    for name, piece in _PIECES.items():
        pattern = pattern.replace(name, piece)
    return re.compile(pattern)


_NUMBER = _compile(
    r"([<>≤≥]=? ?|~ ?|≈ ?|\b[Aa]bout |\b[Aa]round )?\+?(SIGN|\b(?:CODE) )?(?<![\w.])(?<![A-Za-z]-)(?<!\d[,:])(DIGITS)"
    r"(?:(?:MARK|\s?[A-Za-z]{1,9}|\s?SIGN)?(?:-|\s+to\s+)(?:SIGN|~)?(DIGITS))?"
    r"(?:\s?\(?(MARK))?(\+)?(?:\s?(SIGN|(?:CODE)\b)(?!\s?\d))?"
)
_CLEANED = {
    # powers of ten: 2 × 10^9, 10⁹
    r"\s?[×x]\s?10(?:\^(?=-?\d)|(?=[⁻⁰¹²³⁴-⁹]))": "e",
    r"(?<![\w.,])10(?:\^(?=-?\d)|(?=[⁻⁰¹²³⁴-⁹]))": "1e",
    # marks of notes: 76²
    r"(?<![e⁻⁰¹²³⁴-⁹])[⁻⁰¹²³⁴-⁹]+": "",
    # mathematics: $5$, $N = 5$
    r"(?<![\w$])\$([\d.,]+|[^$|\s][^$|]{0,60}[\\^_={}][^$|]{0,60})\$(?![\w$])": r"\1",
    # dollars: US$5, CA$5, A$5
    r"\bUS\$": "$",
    r"\bCA?\$ ?": "CAD ",
    r"\bAU?\$ ?": "AUD ",
    # rupees: Rs. 500, ₹10-15L, ₹2 Cr
    r"\bRs\.? ?(?=\d)": "₹",
    r"(₹DIGITS(?:[-–]₹?DIGITS)?) ?L\b": r"\1 lakh",
    r"(₹DIGITS(?:[-–]₹?DIGITS)?) ?Cr\b": r"\1 crore",
    # the time of a job behind its nodes: 2 x 01:30
    r"(?<=[x×] )0?(\d{1,2}):00\b(?!:)": r"\1 h",
    r"(?<=[x×] )0?(\d{1,2}):30\b(?!:)": r"\1.5 h",
    # what a price is multiplied by: 8.5 hours x $32.77
    r"(?<![\w-])([A-Za-z-]{1,20}) ?[x×] ?(SIGNDIGITS)(?!\d|\s?/)": r"\1 x \2/\1",
    # ranges: 5 / 8 s, 1–2, 1 - 2
    r"(?<![\w.,$€£¥₹])(DIGITS) / (DIGITS ?[A-Za-z])(?![^|]{0,30}=)": r"\1-\2",
    r"(?<=[\d%])(?:\s?[–−]\s?|\s-\s)(?=(?:SIGN|~)?\d)": "-",
    # dates
    r"\b(?:19|20)\d\d-[01]\d(?:-[0-3]\d)?\b|\bMONTH \d{1,2}, \d{4}\b|\b\d{1,2} MONTH": " ",
    # names with numbers: RTX5000-28, data/3d-ice
    r"(?<!\d )\b([A-Za-z]\w*)(?:-\d++)++(?![\w%]|\.\d)|(?<=[A-Za-z]/)\d+(?![kKMBT]\b)[A-Za-z]+(?=[-/_])": r"\1 ",
    # lists: GPUS="4 5 6 7"
    r"(?<![\w.,])\d{1,2}(?: \d{1,2}){2,}(?![\w.,:])": " ",
    # hours of a card: A100-hours, H100-80GB GPU-hours
    r"\b[A-Z]{1,3}\d{2,4}(?:[ -]\d{1,3}GB)?[ -](?:GPU[ -])?(?=hours?\b)": "GPU-",
    # core hours, and hours of a partition: ACC GPU-hours, gg node-hours
    r"\b([Cc]ore|CPU)s? (?=h(?:ours?|rs?)?\b)": r"\1-",
    r"\b(?:(?!(?:SMALL) )[A-Za-z]{1,11}[A-Za-rt-z] ){1,2}(?=(?:GPU|node|[Cc]ore|CPU)[ -][hd])": "",
    r"\b[Dd]evice-(?=hours?\b|days?\b)": "GPU-",
    # units before a bound or a number: hours < 5, hours 5-6
    r"(?<!\d )(?<!GPU[ -])\b((?:GPU|node|core|CPU)[ -]h(?:ours?|rs?)?|[Hh]ours?|[Dd]ays|GB|GiB|TB|kWh) "
    r"([<>≤≥]=? ?)(DIGITS)": r"\2\3 \1",
    r"(?<!\d )\b[Hh]ours? (DIGITS(?:-DIGITS)?)": r"\1 hours",
    r"FLOPs\b": "FLOP",
}
"""What is not read as it is printed, and what stands for it."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_OPERATOR = re.compile(r"\s?[-+*/=^x×]\s?[(\d]")
_FACTOR = re.compile(r"\s?(?:x(?![A-Za-z])|×)")
_PRICED = re.compile(r"\A.*?(?=/|\bper\b|\b[Hh]ourly\b|\b[Mm]onthly\b)")
"""What a sign in the cell stands for in a head such as `price/hour` or `rent, monthly`."""
_LABEL = _compile(r"(.*): (?:SIGNDIGITS(?: \([^()]{0,30}\))?(?:,| or| and) ){0,5}\Z")
"""What names the numbers behind it: `Cost per GPU-hour: $6.30 (spot) or $13.70`."""
_COUNTED = re.compile(r"\b(?:core|CPU)-(?=h)|₹", re.IGNORECASE)
"""What a ledger can also count without a unit: a number of `corehours`, or of `rupees`."""
_WORD = _compile(r"SIGN|(?:\b(?:[Cc]ore|CPU)-(?=h))?(?:[A-Za-z]{2,}|\b[shdgtWJ]\b)|/")
_BETWEEN = _compile(r"\A(?:(?:, DIGITS)*+,? (?:and|or) DIGITS|(?:, \d{1,15}\.\d{1,15}){1,9}+)(?=\s?[A-Za-z])")
"""What stands between a number and its unit: others, of which the last has the unit of all."""
_TAIL = re.compile(r"(?:[ -]?(?:/ ?)?[A-Za-z]++(?!\d)(?:[ /-]{1,3}[A-Za-z]++(?!\d)){0,4})?")
_PART = re.compile(r"(?<![^(),\[\]:=])[^(),\[\]:=\d]++(?![^(),\[\]:=])")
FACTORS = {
    "k": "1e3",
    "m": "1e6",
    "million": "1e6",
    "b": "1e9",
    "billion": "1e9",
    "t": "1e12",
    "lakh": "1e5",
    "crore": "1e7",
    "%": "1e-2",
    "percent": "1e-2",
}
"""What a mark behind a number multiplies it by."""
BINARY = {"MB": 2, "GB": 3, "TB": 4, "PB": 5}
"""How often 1024 stands for 1000 in a decimal unit that is meant as a binary one."""
DEVICES = {"gpu", "node"}
TIME: Powers = (("time", 1),)
ANYTHING: Powers = (("any", 1),)
"""What a number can measure that begins a cell or stands behind a label, and has no unit: `"cost": 2.05`."""
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
        text = _compile(pattern).sub(instead, text)
    return text.translate(_RAISED)


def _read(passage: Passage, text: str, found: re.Match[str]) -> Number:
    rough, before_it, low, high, mark, more, behind_it = found.groups("")
    sign = (before_it or behind_it).split()
    last = high or low
    mark = mark.strip().lower()
    factor = Fraction(FACTORS.get(mark, 1))
    ends = tuple(exact(digits.replace(",", "").lstrip("0") or "0") * factor for digits in dict.fromkeys((low, last)))
    zeros = len(last) - len(last.rstrip("0,")) if rough or more else 0
    reach = factor * Fraction(10) ** (-len(last.partition(".")[2]) or zeros) / 2
    tail = f"{text[found.end() : found.end() + MOST_TAIL]} {passage.following}"
    unit, behind = _unit_behind(_BETWEEN.sub("", tail), sign)
    readings = _readings(unit or PLAIN, ends, reach)
    is_share = factor < 1
    is_factor = _FACTOR.match(mark + tail)
    head = _clean(passage.head)
    before = text[: found.start()][-MOST_TAIL:]
    label = "".join(_LABEL.findall(before))
    if not (is_share or is_factor) and (sign or not unit or kinds_of(unit) == TIME):
        for part in (head, label):
            readings += _readings(_unit_within(part, sign), ends, reach)
    shown = f"{found[0]}{behind}".strip()
    has_unit = bool(readings) or is_share
    if not readings or is_share or _COUNTED.search(f"{shown} {head} {label}"):
        readings.append(((), ends, reach))
    begins = (bool(passage.head) and found.start() == 0) or (
        before.endswith(": ") and not is_factor and not _OPERATOR.match(tail)
    )
    if begins and not has_unit:
        readings.append((ANYTHING, ends, reach))
    return Number(passage, shown, tuple(readings), has_unit, begins, tail.startswith("-") or passage.is_code)


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


def _readings(unit: Unit, ends: Ends, reach: Fraction) -> list[Reading]:
    """A number in a unit; one of decimal bytes in the binary ones too that documents call by the same name."""
    kinds = kinds_of(unit)
    scale = unit.scale / unit.lot
    if not kinds:
        return []
    scales = dict.fromkeys((scale, scale * Fraction(1024, 1000) ** BINARY.get(unit.symbol[:2], 0)))
    return [(kinds, tuple(end * factor for end in ends), reach * factor) for factor in scales]
