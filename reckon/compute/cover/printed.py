"""The numbers that a text prints: with unit, range, bound, `~`, and how far their printed digits reach.

Units and exact fractions are those of `language`; what documents write beside it (`hrs`, `$`, 7,043, 8x) is here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import exact
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, Powers, Unit, singular, spellings, value_unit

from .document import Passage

_DIGITS = r"(?:\d{1,3}(?:,\d{3})++(?!\d)|\d++)(?:\.\d++)?+(?:[eE][+-]?\d{1,3}(?!\w))?+(?![.:]\d)"
_MARK = r"\s?%|[kKMBT](?![A-Za-z])|\s[KM]\b|\s?x(?![A-Za-z])|\s?\(?(?:[Mm]|[Bb])illion\b"
_NUMBER = re.compile(
    rf"(?<![\w.])(?<![A-Za-z]-)(?<!\d[,:])(?P<low>{_DIGITS})(?P<low_mark>{_MARK})?"
    rf"(?:(?P<unit>\s?[A-Za-z]{{1,9}})?(?:-|\s+to\s+)(?P<sign>[$€£~])?(?P<high>{_DIGITS})(?P<mark>{_MARK})?)?(?P<open>\+)?"
)
_BEFORE = re.compile(r"(<|>|≤|≥)?=?\s?(~|≈|about |around |roughly |approx\. )?\+?([$€£])?$")
_DATE = re.compile(
    r"\b(?:19|20)\d\d-(?:0\d|1[0-2])(?:-[0-3]\d)?\b"
    r"|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.? \d{1,2}, (?:19|20)\d\d\b"
    r"|\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?(?: (?:19|20)\d\d)?\b"
)
_BETWEEN = re.compile(r"(?<=[\d%])\s?[–−]\s?(?=[$€£~]?\d)")
_TAIL = re.compile(r"[A-Za-z]+|[/$€£]")
_GAP = re.compile(r"[ \t]?[ -]?")
_CARD_HOURS = re.compile(r"[\s-]?[A-Z]{1,3}\d{1,4}(?:[ -]\d{1,3}GB)?[ -](?:GPU[ -])?(?:hours?|h)\b")
_CARBON = re.compile(r"\s?CO(?:2|₂)(?:eq?)?")
_LISTED = re.compile(r"/|\s?(?:,|and|or|, and)\s")
_PARTS = re.compile(r"[^(),\[\]:=]+")
FACTORS = {"k": 10**3, "K": 10**3, "M": 10**6, "million": 10**6, "B": 10**9, "billion": 10**9, "T": 10**12}
MONEY = {"$": "usd", "€": "eur", "£": "gbp"}
OTHER_WORDS = {"hr": "hour", "hrs": "hours", "mins": "min", "secs": "sec", "gbps": "gbit_per_second", "dollars": "usd"}
OTHER_WORDS |= {"tps": "tokens_per_second", "mo": "month", **MONEY, "/": "per"}
LETTERS = {"s": "s", "h": "h", "d": "d", "g": "g", "t": "t", "W": "w", "J": "j"}
"""Units of one letter, as they are written."""
KNOWN = frozenset((*spellings(), "gpu", "node"))
DECIMAL = frozenset(["kB", "MB", "GB", "TB", "PB"])
BINARY = {Fraction(1000**power): Fraction(1024**power) for power in range(1, 6)}
MOST_TAIL = 40
MOST_GAP = 8
MOST_SHOWN = 30
MOST_LABEL = 100
MOST_WORDS = 8


class Measure(Struct, frozen=True):
    """What a number may measure: strict kinds, and how many base units one is."""

    kinds: Powers
    scale: Fraction


class Number(Struct, frozen=True):
    """A number of a document as it is printed. `low` and `high` are its ends, alike where it is no range; `reach` is
    half a unit of the last printed digit. `measures` are what it can be measured in: several where documents write one
    for another, as GB for GiB; none for a plain number."""

    shown: str
    low: Fraction
    high: Fraction
    reach: Fraction
    passage: Passage
    measures: tuple[Measure, ...] = ()
    is_share: bool = False
    is_rough: bool = False
    is_adjective: bool = False

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """Its ends: one where it is no range."""
        return (self.low,) if self.low == self.high else (self.low, self.high)

    @property
    def has_unit(self) -> bool:
        """Whether it is printed with a unit; a percent sign is one."""
        return bool(self.measures) or self.is_share

    @property
    def digits(self) -> int:
        """How many digits it has of which none is a zero at an end: of the end that has more."""
        return max(_count_digits(end) for end in self.ends)


def _count_digits(number: Fraction) -> int:
    """How many digits a number has, zeros at its ends left out."""
    return len(f"{float(abs(number)):.12e}".partition("e")[0].replace(".", "").rstrip("0"))


def kinds_of(unit: Unit) -> Powers:
    """What a unit measures strictly. How many GPUs or nodes is a count, and a size of each GPU a size."""
    kinds = tuple(kind for kind in unit.kinds if kind[0] not in ("gpu", "node") or kind[1] > 0)
    return () if all(name in ("gpu", "node") for name, _ in kinds) else kinds


def numbers_in(passage: Passage) -> Iterator[Number]:
    """The numbers that a passage prints. Dates are none; those of a list, as in `2, 4 and 8 GB`, have the unit of its
    end."""
    text = _BETWEEN.sub("-", passage.text.replace("×", "x ").replace("·", " "))
    text = _CARBON.sub("", _DATE.sub(lambda found: " " * len(found[0]), text))
    found = [(match, number) for match in _NUMBER.finditer(text) if (number := _read(passage, text, match))]
    numbers: list[Number] = []
    later: tuple[int, Number] | None = None
    for match, number in reversed(found):
        gap = text[match.end() : later[0]] if later and later[0] - match.end() < MOST_GAP else ""
        if later and _LISTED.fullmatch(gap) and match["mark"] is match["low_mark"] is None and not number.has_unit:
            number = replace(number, measures=later[1].measures, is_share=False)
        numbers.append(number)
        later = match.start(), number
    yield from _join_times(numbers[::-1])


def _join_times(numbers: list[Number]) -> Iterator[Number]:
    """Numbers in their order, times of several units as one: `118 days 5 hours 41 minutes`."""
    waiting: Number | None = None
    for number in numbers:
        if waiting and _goes_with(waiting, number):
            first, second = waiting.measures[0].scale, number.measures[0].scale
            total = (waiting.low * first + number.low * second) / second
            shown = f"{waiting.shown} {number.shown}"
            waiting = replace(number, shown=shown, low=total, high=total)
            continue
        if waiting:
            yield waiting
        waiting = number
    if waiting:
        yield waiting


def _goes_with(first: Number, second: Number) -> bool:
    """Whether two numbers are a time together: they stand side by side, the larger unit first."""
    if not (first.measures and second.measures) or len(first.ends) > 1 or len(second.ends) > 1:
        return False
    larger, smaller = first.measures[0], second.measures[0]
    is_time = larger.kinds == smaller.kinds == (("time", 1),) and larger.scale > smaller.scale
    return is_time and f"{first.shown} {second.shown}" in first.passage.text


def _read(passage: Passage, text: str, found: re.Match[str]) -> Number | None:
    before = _BEFORE.search(text[max(0, found.start() - 12) : found.start()])
    bound, about, sign = before.groups() if before else (None, None, None)
    tail = (text[found.end() : found.end() + MOST_TAIL] + " " + passage.following)[:MOST_TAIL]
    sign = sign or (found["sign"] if found["sign"] in MONEY else None)
    mark = (found["mark"] or found["low_mark"] or "").strip(" (")
    try:
        ends = [_scaled(found["low"], (found["low_mark"] or found["mark"] or "").strip(" ("))]
        if found["high"]:
            ends.append(_scaled(found["high"], mark))
    except Refusal:
        return None
    unit, length = _unit_behind(tail, sign)
    is_share = mark == "%"
    above = None
    if not is_share and mark != "x" and (unit is None or (sign and len(unit.kinds) == 1)):
        above = _unit_above(passage, text[: found.start()], sign)
    rough = bool(about or bound or found["open"]) or found["sign"] == "~"
    shown = text[found.start() : found.end() + length].strip()[:MOST_SHOWN]
    return Number(
        (bound or "") + ("~" if about or found["sign"] == "~" else "") + (sign or "") + shown,
        min(ends),
        max(ends),
        _reach(found["high"] or found["low"], mark, rough),
        passage,
        () if is_share else tuple(measure for each in (unit, above) if each for measure in _measures(each)),
        is_share,
        rough,
        tail.startswith("-"),
    )


def _scaled(digits: str, mark: str) -> Fraction:
    """A printed number as a fraction. Raises Refusal where it is absurdly large."""
    plain = digits.replace(",", "")
    stripped = re.sub(r"^0+(?=\d)", "", plain)
    number = exact(stripped)
    return number / 100 if mark == "%" else number * FACTORS.get(mark.lower() if len(mark) > 1 else mark, 1)


def _reach(digits: str, mark: str, rough: bool) -> Fraction:
    """Half a unit of the last printed digit; of a rough number, of its last digit that is not zero."""
    mantissa = re.split("[eE]", digits.replace(",", ""))[0]
    whole, _, decimals = mantissa.partition(".")
    power = -len(decimals)
    if rough and not decimals and whole.strip("0"):
        power = len(whole) - len(whole.rstrip("0"))
    return _scaled("1", mark) * Fraction(10) ** min(power, 99) / 2


def _unit_behind(tail: str, sign: str | None) -> tuple[Unit | None, int]:
    """The unit behind a number, and how many characters of the tail it takes; that of the sign before it, if any."""
    if card := _CARD_HOURS.match(tail):
        return value_unit("gpu_hours"), card.end()
    words: list[tuple[str, int]] = []
    position = 0
    while len(words) < 5:
        gap = _GAP.match(tail, position)
        found = _TAIL.match(tail, gap.end() if gap else position)
        if not found:
            break
        words.append((found[0], found.end()))
        position = found.end()
    spoken = [word for word, _ in words]
    if sign:
        spoken = [sign, *spoken]
    for count in range(len(spoken), 0, -1):
        if unit := read_unit(spoken[:count]):
            taken = count - 1 if sign else count
            return unit, words[taken - 1][1] if taken else 0
    return None, 0


def read_unit(words: list[str]) -> Unit | None:
    """The unit that some words name as documents write it: `hrs`, `$ / hr`, `GPU hours`, `tokens / sec`; or None."""
    words = [word[:-1] if word.endswith("FLOPs") else word for word in words]
    parts = [LETTERS.get(word, "") if len(word) == 1 and word.isalpha() else word.lower() for word in words]
    parts = [OTHER_WORDS.get(part, part) for part in parts]
    joined = "_".join(parts)
    above, _, below = joined.partition("_per_")
    if not all(parts) or joined.endswith("_per"):
        return None
    if _is_known(above):
        return value_unit(joined)
    rates = [value_unit(part) for part in below.split("_per_") if below]
    if not rates or not above.isalpha():
        return None
    unit = PLAIN
    for rate in rates:
        if rate is None:
            return None
        unit = unit.per(rate)
    return unit


def _is_known(words: str) -> bool:
    """Whether some words are a unit and nothing else: value_unit reads the last of them alone."""
    first, _, last = words.partition("_per_")[0].rpartition("_")
    return first in ("", "gpu", "node") and (last in KNOWN or singular(last) in KNOWN)


def _unit_above(passage: Passage, before: str, sign: str | None) -> Unit | None:
    """The unit that the head of the column, the head of the row or the label of a line names."""
    label = before[-MOST_LABEL:].rpartition(":")[0]
    for head in (passage.column, passage.row, label):
        for part in reversed(_PARTS.findall(_CARBON.sub("", head[:MOST_LABEL]))):
            unit = None if re.search(r"\d", part) else _unit_within(_TAIL.findall(part)[:MOST_WORDS])
            if unit and (not sign or ("money:" + MONEY[sign], 1) in unit.kinds):
                return unit
    return None


def _unit_within(words: list[str]) -> Unit | None:
    """The unit with which some words begin, or else end: `$ / hour saved`, `total hours`."""
    beginnings = [words[:count] for count in range(len(words), 0, -1)]
    endings = [words[start:] for start in range(1, len(words))]
    return next(filter(None, map(read_unit, [*beginnings, *endings])), None)


def _measures(unit: Unit) -> Iterator[Measure]:
    """What a unit measures; of decimal bytes the binary ones too, which documents call by the same name."""
    kinds = kinds_of(unit)
    if not kinds:
        return
    scale = unit.scale / unit.lot
    yield Measure(kinds, scale)
    if dict(kinds).get("data") == 1:
        for decimal, binary in BINARY.items():
            if unit.symbol.partition("/")[0] in DECIMAL and value_scale(unit) == decimal:
                yield Measure(kinds, scale * binary / decimal)


def value_scale(unit: Unit) -> Fraction:
    """How many bytes the prefix of a decimal unit of data stands for."""
    prefix = unit.symbol[:1].upper()
    return Fraction(1000 ** ("KMGTP".index(prefix) + 1)) if prefix in "KMGTP" else Fraction(1)
