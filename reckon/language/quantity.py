"""Quantities: a number, a range, an open bound or `unknown`, read exactly, in the unit that its key names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct

from reckon.language.lazy import regex

from .text import NOWHERE, Place, Refusal
from .units import SIGNS, Powers, Unit, kind_words, value_unit

MOST_DIGITS = 30
ZERO = Fraction(0)
ONE = Fraction(1)


class Value(Struct, frozen=True):
    """A number with its uncertainty: low <= use <= high. A missing end is unbounded, a missing use is not known."""

    low: Fraction | None
    use: Fraction | None
    high: Fraction | None

    @property
    def exact(self) -> bool:
        """One number, no range."""
        return self.use is not None and (self.low is self.use is self.high or self.low == self.use == self.high)

    @property
    def unknown(self) -> bool:
        """Nothing is known: not even a bound."""
        return self.low is None and self.use is None and self.high is None

    @property
    def ends(self) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
        """The low end, what to plan with, and the high end."""
        return self.low, self.use, self.high

    def scaled(self, factor: Fraction) -> Value:
        """The value in another unit; factor is positive."""
        return Value(*(None if end is None else end * factor for end in self.ends))


def point(number: Fraction | int) -> Value:
    """A value without a range."""
    exact = number if type(number) is Fraction else Fraction(number)
    return Value(exact, exact, exact)


def add_up(numbers: Iterable[Fraction]) -> Fraction:
    """The exact sum of some numbers."""
    return sum(numbers, ZERO)


UNKNOWN = Value(None, None, None)


class Quantity(Struct, frozen=True):
    """A stated value as it stands in a ledger: in `unit`, written as `text` at `place`; form is `%`, `x` or empty."""

    value: Value
    unit: Unit
    text: str
    place: Place = NOWHERE
    form: str = ""


NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
FORM, SUFFIX, WORDS = r"%|x(?![a-z])", "[kMBT](?![A-Za-z_])", "[A-Za-z][A-Za-z_/ -]*"
PLAIN_NUMBER, ZERO_FIRST = r"[0-9]+(?:\.[0-9]+)?", "-?0[0-9]"
"""Of what a quantity is written: the schemas of editors are made of the same."""
_MARK, _TAIL = f"({FORM}|{SUFFIX})?", f"({WORDS})?"
_ONE = regex(rf"({NUMBER})\s*{_MARK}\s*{_TAIL}")
_RANGE = regex(rf"({NUMBER})\s*{_MARK}\s*-\s*({NUMBER})\s*{_MARK}\s*{_TAIL}")
_OPEN = regex(rf"({NUMBER})\s*{_MARK}\s*\+\s*{_TAIL}")
_PART = rf"({PLAIN_NUMBER})\s*([A-Za-z_]+)"
_SUM = regex(rf"{_PART}(?:\s+{_PART})+")
_ZERO_FIRST = regex(ZERO_FIRST)
_FACTOR = {"k": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
_NO_SUFFIX = ("data", "time", "mass", "month")


def read_quantity(text: str, unit: Unit, place: Place = NOWHERE) -> Quantity:
    """The quantity that a text states under a key of this unit.

    Raises Refusal (what is wrong, what would be right) for anything that is not one.
    """
    if len(text) > 100:
        raise Refusal("the value is too long for a quantity", "write one number or one range")
    stripped = text.strip()
    value, form = _read(stripped, unit)
    return Quantity(value, unit, stripped, place, form)


@lru_cache(maxsize=4096)
def _read(text: str, unit: Unit) -> tuple[Value, str]:
    if text == "unknown":
        return UNKNOWN, ""
    if found := _OPEN.fullmatch(text):
        low, form = _number(found, unit)
        return Value(low, None, None), form
    if text.endswith("+"):
        raise _why_not(text[:-1].strip())
    if text.startswith("<"):
        high, form = _end(text[1:].strip(), unit)
        if high <= 0:
            raise Refusal(f"`{text[:40]}` contains no value", "`<x` starts at zero; write a range, such as `-5-0`")
        return Value(ZERO, None, high), form
    if found := _ONE.fullmatch(text):
        number, form = _number(found, unit)
        return point(number), form
    if found := _RANGE.fullmatch(text):
        return _range(text, unit, *found.groups())
    if _SUM.fullmatch(text):
        parts = re.findall(_PART, text)
        return point(sum((exact(digits) * _conversion(tail, unit) for digits, tail in parts), ZERO)), ""
    raise _why_not(text)


def _range(
    text: str, unit: Unit, low: str, mark: str | None, high: str, last: str | None, tail: str | None
) -> tuple[Value, str]:
    tail = " " + tail if tail else ""
    first, form = _end(low + (mark or last or "") + tail, unit)
    second, last_form = _end(high + (last or "") + tail, unit)
    if form != last_form or (mark and not last):
        raise Refusal(
            f"`{text}` mixes two ways of writing", f"write both ends the same way, such as `{low}-{high}{last or mark}`"
        )
    if first > second:
        raise Refusal(f"the range `{text}` runs backwards", f"write `{high}{last or ''}-{low}{mark or last or ''}`")
    return Value(first, (first + second) / 2, second), form


def _end(text: str, unit: Unit) -> tuple[Fraction, str]:
    """One end of a range, or the number of an open one."""
    found = _ONE.fullmatch(text)
    if not found:
        raise _why_not(text)
    return _number(found, unit)


def _number(found: re.Match[str], unit: Unit) -> tuple[Fraction, str]:
    """One number with its suffix and unit, in the unit of the key; and its form."""
    digits, mark, tail = found.groups()
    number = exact(digits)
    if mark in _FACTOR:
        if not takes_suffix(unit.kinds):
            raise Refusal(
                f"`{mark}` cannot be used with {kind_words(unit.kinds)}",
                "write the number in full, or its unit after it",
            )
        number *= _FACTOR[mark]
    if mark in ("%", "x"):
        if tail or unit.kinds:
            right = f"the key takes {kind_words(unit.kinds)}; write a number without `{mark}`"
            if " 1 /" in right:  # a chance per hour
                right += ", as 0.05 for 5%"
            raise Refusal(f"`{found[0]}` is a ratio", right)
        return (number / 100 if mark == "%" else number), mark
    return (number * _conversion(tail.strip(), unit) if tail else number), ""


def takes_suffix(kinds: Powers) -> bool:
    """Whether `k`, `M`, `B` and `T` can stand after a number of these kinds: of data or time they would be a unit."""
    return ("gpu", 1) in kinds or not any(kind in _NO_SUFFIX and power > 0 for kind, power in kinds)


def _conversion(tail: str, unit: Unit) -> Fraction:
    written = value_unit(tail)
    if written is None:
        raise Refusal(
            f"`{tail}` is not a unit",
            "write only the number (the key has the unit), or a unit such as h, min, GiB, gpu_hours",
        )
    if written.kinds != unit.kinds:
        right = "write only the number, in the unit of the key"
        if written.kinds == (("time", 1),) and ("gpu", 1) in unit.kinds:
            right = "multiply wall-clock hours by the number of GPUs, or use another key"
        if "node" in tail:
            right = "multiply by the GPUs of a node; where a node counts as one GPU, write only the number"
        raise Refusal(f"`{tail}` measures {kind_words(written.kinds)}, the key {kind_words(unit.kinds)}", right)
    # Under hours_per_1000_steps `90 min` is 90 minutes for each 1,000 steps: the lot belongs to the key.
    return written.scale / (unit.scale / unit.lot)


def decimal_text(number: Fraction, places: int) -> str:
    """A number with so many decimals, rounded half to even."""
    return f"{Decimal(f'{round(number * 10**places)}e-{places}'):f}"


def exact(digits: str) -> Fraction:
    """A decimal number as a fraction, without loss. Raises Refusal for leading zeros and for absurd sizes."""
    mantissa, _, exponent = digits.lower().partition("e")
    if len(mantissa.strip("-").replace(".", "")) > MOST_DIGITS or len(exponent) > 3 or abs(int(exponent or 0)) > 99:
        raise Refusal(
            f"`{digits[:40]}` is too long a number", f"write at most {MOST_DIGITS} digits and an exponent below 100"
        )
    if _ZERO_FIRST.match(mantissa):
        shorter = re.sub(r"^(-?)0+(?=[0-9])", r"\1", digits)
        raise Refusal(f"`{digits}` begins with a zero", f"write `{shorter}`")
    whole, _, decimals = mantissa.partition(".")
    shift = int(exponent or 0) - len(decimals)
    number = int(whole + decimals)
    return Fraction(number * 10**shift) if shift >= 0 else Fraction(number, 10**-shift)


def _as_time(text: str) -> str:
    hours, minutes = text.split(":")[:2]
    if "-" in hours:  # as Slurm writes days
        days, hours = hours.split("-")
        return f"write `{int(days)} d {int(hours)} h {int(minutes)} min`"
    return f"write hours as a decimal, or `{hours} h {minutes} min`"


_HINTS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    (r"^\d{1,3}(,\d{3})+(\.\d+)?$", "has commas", lambda text: f"write `{text.replace(',', '')}`"),
    (
        r"^\d{1,3}(\.\d{3})+,\d+$",
        "has its thousands and decimal marks swapped",
        lambda text: f"write `{text.replace('.', '').replace(',', '.')}`",
    ),
    (r"^\d+,\d+$", "has a comma", lambda text: f"write `{text.replace(',', '.')}`"),
    (r"^\d+(_\d+)+$", "has underscores", lambda text: f"write `{text.replace('_', '')}`"),
    (r"^(?=.{1,40}$)(\d+-)?\d+:\d+(:\d+)?$", "looks like a clock time", _as_time),
    (r"[–—−]", "has a typographic dash", lambda text: f"write `{re.sub('[–—−]', '-', text)}`"),
    (
        rf"^[{SIGNS}]\s*\d",
        "has a currency sign",
        lambda text: f"remove the sign, the key has the currency: write `{text[1:].strip()}`",
    ),
    (
        r"^[~≈]\s*\d",
        "is marked as approximate",
        lambda text: f"only `states:` of a claim takes `~`; write `{text[1:].strip()}` or a range",
    ),
    (
        r"^[.+-]?(nan|inf|infinity)$",
        "is not a number",
        lambda _: "write `unknown` for an unknown value, or `5+` for an open range",
    ),
    (r"^>\s*=?\s*\d", "is an open range", lambda text: f"write `{text[1:].lstrip('= ')}+`"),
    (r"^\.\d", "lacks its leading zero", lambda text: f"write `0{text}`"),
    (r"^\d+/\d+$", "is a fraction", lambda text: f"write `{{formula: {text.replace('/', ' / ')}}}`"),
    (
        r"^$",
        "is empty",
        lambda _: "write a number, a range such as `8-10`, or `unknown`; quote a text that has a comma",
    ),
)


def _why_not(text: str) -> Refusal:
    for pattern, wrong, mend in _HINTS:
        if re.search(pattern, text, re.IGNORECASE | re.ASCII):
            return Refusal(f"`{text[:40]}` {wrong}" if text else f"the value {wrong}", mend(text[:40]))
    return Refusal(
        f"`{text[:40]}` is not a number", "write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`"
    )
