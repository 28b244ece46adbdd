"""How a figure is printed, and how it comes about, in names and in numbers. Rounding is here alone: once, half to even.

What a ledger states is printed with all its digits; what is calculated is printed to whole units from 100 up, to one
decimal from 0.1 up, and to two significant digits below, as a power of ten below a thousandth; hours of GPUs only below
a millionth, since a run of two seconds takes 0.00056. Money below 100 has its two decimals, or more where it is
small; of what is stated only whole amounts have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from reckon.language.calendar_days import DATE, iso
from reckon.language.lazy import regex
from reckon.language.quantity import ZERO, Value
from reckon.language.units import GPU_HOURS, HOURS, SIGNS, Unit, key_unit, single
from reckon.model.figure import Calculated, Figure, Stated, Tallied, Worked, closure, operands
from reckon.model.finding import Sentence

from .formulas import formula_text

CENTS = 2
USUAL, FINE = 10**3, 10**6
CONVERSION, CONVERTED = ".counts_as.", 3
"""Addresses of what hours are converted with, and its decimals: a product of 0.588 does not follow from 0.6."""
TAILS = {"%": "%", "x": "×"}
_RANGE = regex(r"[0-9][^-]*-\s*[0-9]")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimal(number: Fraction, places: int | None = None) -> str:
    """A number with thousands separators, rounded half to even to some places; with None, all digits (at most 12).

    What has no last digit, as 40 minutes in hours, gets four that tell: 0.6667.
    """
    if places is None:
        places = next((most for most in range(13) if not 10**most % number.denominator), None)
    if places is None:
        size, least = abs(number.numerator), 1000 * number.denominator
        places = next((most for most in range(2, 12) if size * 10**most >= least), 12)
    last = _rounded(number, places)
    whole, rest = divmod(abs(last), 10**places)
    sign = "−" if last < 0 else ""
    return f"{sign}{whole:,}.{rest:0{places}d}" if places else f"{sign}{whole:,}"


def _rounded(number: Fraction, places: int) -> int:
    """A number in units of its last decimal, rounded half to even; whole numbers take less time than fractions."""
    below = number.denominator
    above: int = number.numerator * 10**places
    whole, rest = divmod(above, below)
    return whole + int(2 * rest > below or (2 * rest == below and whole % 2 == 1))


def places_of(number: Fraction) -> int:
    """The decimals that a calculated number of this size is printed with."""
    size, below = abs(number.numerator), number.denominator
    if below == 1 or size >= 100 * below:
        return 0
    if size * 10 >= below:
        return 1
    return next((places for places in range(2, 12) if size * 10**places >= 10 * below), 12)


def _is_usual(number: Fraction, most: int, finest: int = USUAL) -> bool:
    """Whether the size of a number is from one of `finest` parts up to `most`."""
    size, below = abs(number.numerator), number.denominator
    return below <= size * finest and size < most * below


def share_places(share: Fraction, places: int) -> int:
    """The decimals that a percentage needs so that no part of the whole is hidden: 99.996 is not 100, 0.0004 not 0."""
    if share in (0, 100):
        return places
    return next((more for more in range(places, 12) if _rounded(share, more) not in (0, 10 ** (more + 2))), 12)


def _tidy(text: str) -> str:
    """Without zeros at the end of a fraction: 2.0 is 2."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _large(number: Fraction) -> str:
    """Very large and very small numbers: 7B, 4.3 × 10²³, 10⁻⁵."""
    size = abs(number)
    if 10**9 <= size < 10**15:
        factor, letter = (10**12, "T") if size >= 10**12 else (10**9, "B")
        return _tidy(decimal(number / factor, 3)) + letter
    exponent = len(str(int(size))) - 1 if size >= 1 else -1
    while size and size < Fraction(10) ** exponent:
        exponent -= 1
    mantissa = _tidy(decimal(number / Fraction(10) ** exponent, 3))
    power = "10" + str(exponent).translate(_SUPERSCRIPT)
    return power if mantissa == "1" else f"{mantissa} × {power}"


def number_text(number: Fraction, exact: bool = False, money: bool = False, finest: int = FINE) -> str:
    """One number: with all its digits where exact, else rounded by its size; with its cents where it is money. Below
    one of `finest` parts, by default as of hours of GPUs, it is a power of ten."""
    if number.numerator and not _is_usual(number, 10**9, finest):
        return _large(number)
    if money and number.numerator and _is_usual(number, 100):
        return _money(number, exact)
    return decimal(number) if exact else _tidy(decimal(number, places_of(number)))


def _money(number: Fraction, exact: bool) -> str:
    """An amount below 100: $4.74, $0.35, $0.031; $4 only where that is stated."""
    if not exact:
        return decimal(number, max(CENTS, places_of(number)))
    stated = decimal(number)
    return decimal(number, CENTS) if 0 < len(stated.partition(".")[2]) < CENTS else stated


def value_text(figure: Figure, exact: bool = False) -> str:
    """The value of a figure without its unit: `1,335`, `8–10`, `15%`, `≥ 5`, `unknown`."""
    if figure.missing:
        return "unknown"
    if figure.unit is DATE:
        return "unknown" if figure.use is None else iso(int(figure.use))
    full = exact or figure.is_stated
    value, tail = figure.value, TAILS.get(figure.form, "")
    if value.use is not None and value.exact:
        return _end_text(figure, value.use, full) + tail
    if not full and _uneven(figure):
        figure = replace(figure, decimals=places_of(value.low or ZERO))
    low, use, high = (None if end is None else _end_text(figure, end, full) for end in value.ends)
    if low is None and high is None:
        return f"{use}{tail}" if use is not None else "unknown"
    if high is None and isinstance(figure.origin, Stated):  # as it was written
        return f"{low}{tail}+"
    if low is None or high is None:
        return (f"≤ {high}" if low is None else f"≥ {low}") + tail
    return spanned(low, high) + tail


def spanned(low: str, high: str) -> str:
    """The two ends of a range: `8–10`; `−8 to −5` from below zero on, where a dash would stand beside a minus."""
    if low == high:
        return low
    if low.startswith("−"):
        return f"{low} to {high}"
    return f"{low}–{high}"


def _uneven(figure: Figure) -> bool:
    """Whether the low end of a range would have two digits and the high one, below 1, only one: 0.089–0.1."""
    low, high = figure.value.low, figure.value.high
    plain = figure.decimals is None and figure.form != "%" and not _is_money(figure)
    return plain and low is not None and high is not None and Fraction(1, 1000) <= low < Fraction(1, 10) <= high < 1


def _end_text(figure: Figure, end: Fraction, exact: bool) -> str:
    """One end of a figure in its form."""
    if figure.decimals is not None and _is_usual(shown := end * 100 if figure.form == "%" else end, 10**9):
        return decimal(shown, figure.decimals)
    if CONVERSION in figure.address and not exact and end > 0 and _is_usual(end, 100):
        return _tidy(decimal(end, CONVERTED))
    if figure.form != "%":
        finest = FINE if figure.unit.symbol == GPU_HOURS.symbol else USUAL
        return number_text(end, exact, _is_money(figure), finest)
    share = end * 100
    if exact or not share.denominator <= abs(share.numerator) * 10**6 or abs(share) >= 100:
        return number_text(share, exact, finest=USUAL)
    return _tidy(decimal(share, share_places(share, places_of(share))))


def _is_money(figure: Figure) -> bool:
    return bool(symbol := figure.unit.symbol) and symbol[0] in SIGNS


def use_text(figure: Figure) -> str:
    """The value to plan with, alone."""
    if figure.use is None or figure.unit is DATE:
        return value_text(figure)
    return _end_text(figure, figure.use, figure.is_stated) + TAILS.get(figure.form, "")


# From which time on a person counts in minutes, hours, days: each unit with the least time that is told in it.
_TIMES = ((key_unit("days"), 48), (key_unit("hours"), 2), (key_unit("minutes"), Fraction(1, 30)))


def time_unit(*figures: Figure) -> Unit:
    """The unit that a person would tell some times in, side by side: s, min, h or days, by the longest of them."""
    longest = ZERO
    for figure in figures:
        ends = [end for end in (figure.use, figure.value.high, figure.value.low) if end is not None]
        if ends:
            longest = max(longest, figure.unit.to_base(ends[0]))
    return next((unit for unit, least in _TIMES if longest >= least), key_unit("seconds"))


def in_time(figure: Figure, unit: Unit | None = None) -> Figure:
    """A time in another unit: that of others beside it, or else the one that a person would tell it in."""
    is_time = not figure.missing and figure.unit.kinds == HOURS.kinds
    return in_unit(figure, unit or time_unit(figure)) if is_time else figure


def in_unit(figure: Figure, unit: Unit) -> Figure:
    """A figure in another unit of its kind."""
    ends = (None if end is None else unit.from_base(figure.unit.to_base(end)) for end in figure.value.ends)
    # What is stated is printed with all its digits, but not what its unit was changed of.
    stated = figure.is_stated and unit.scale != figure.unit.scale
    origin = Worked("the same in another unit", (figure,), figure.place) if stated else figure.origin
    return replace(figure, unit=unit, value=Value(*ends), origin=origin)


def figure_text(figure: Figure) -> str:
    """The value of a figure with its unit: `1,335 GPU-h`, `$5`, `8–10 h/epoch`."""
    return _with_unit(figure, value_text(figure))


def format_sentence(sentence: Sentence) -> str:
    """A sentence with its figures printed."""
    return "".join(figure_text(part) if isinstance(part, Figure) else part for part in sentence)


def planned_text(figure: Figure) -> str:
    """The value to plan with, alone, with its unit."""
    return _with_unit(figure, use_text(figure))


def ranged_text(figure: Figure) -> str:
    """The value to plan with, with its unit, and its range behind it: `60.4 min (30.4–90.4)`."""
    value = figure.value
    if figure.missing or value.use is None or value.low == value.high:
        return figure_text(figure)
    use, whole = use_text(figure), value_text(figure)
    return planned_text(figure) if use == whole else f"{planned_text(figure)} ({whole})"


def told_text(figure: Figure) -> str:
    """As `ranged_text`, but a range alone where nobody stated its middle: `3–5 s`, not `4 s (3–5)`."""
    return figure_text(figure) if _of_ranges_alone(figure) else ranged_text(figure)


def _of_ranges_alone(figure: Figure) -> bool:
    """Whether all that makes a figure uncertain is ranges that are stated without a value to plan with."""
    found = [each for each in closure(figure) if not _is_exact(each)]
    whole = bool(found) and None not in (figure.value.low, figure.value.high)
    return whole and all(_is_range(each) or not all(map(_is_exact, operands(each))) for each in found)


def _is_range(figure: Figure) -> bool:
    return isinstance(figure.origin, Stated) and bool(_RANGE.match(figure.origin.text))


def _is_exact(figure: Figure) -> bool:
    return figure.value.low == figure.value.high


def _with_unit(figure: Figure, text: str) -> str:
    symbol = figure.unit.symbol
    if not symbol or figure.form in ("%", "x") or text == "unknown" or figure.unit is DATE:
        return text
    if _is_money(figure):
        return _priced(text, symbol[0]) + symbol[1:]
    return f"{text} {single(symbol) if text == '1' else symbol}"


def with_unit(figure: Figure, text: str) -> str:
    """A text that prints a figure, with its unit unless it has that."""
    is_bare = text[-1].isdigit() and figure.unit.symbol[:1] not in text
    return _with_unit(figure, text) if is_bare else text


def _priced(text: str, sign: str) -> str:
    """An amount with its currency, whose sign stands behind that of the number: `$5–7`, `≥ $5`, `−$2 to $4`."""
    if text.startswith(("≥ ", "≤ ")):
        return text[:2] + _priced(text[2:], sign)
    if not text.startswith("−"):
        return sign + text
    return " to ".join(f"−{sign}{end[1:]}" if end.startswith("−") else sign + end for end in text.split(" to "))


def exact_text(figure: Figure) -> str:
    """All digits of a figure, where they say more than the rounded text and come to an end; else empty."""
    if any(end is not None and 10**12 % end.denominator for end in (figure.value.low, figure.value.high)):
        return ""
    rounded, full = value_text(figure), value_text(figure, exact=True)
    return full if full != rounded and len(full) <= 24 else ""


DIGITS = 4


def placed_text(figure: Figure, places: int) -> str:
    """The value to plan with, without its unit, with some decimals."""
    return value_text(figure) if figure.use is None or figure.missing else decimal(figure.use, places)


def fine_text(figure: Figure, places: int) -> str:
    """The value of a figure without its unit, each end with the usual decimals, or with some where those are more."""
    value = figure.value
    if figure.missing or value.low is None or value.high is None:
        return value_text(figure)
    low, high = (_finely(end, places) for end in (value.low, value.high))
    return spanned(low, high)


def row_text(figure: Figure, places: int) -> str:
    """A number of a row, without its unit: as stated, or else with some decimals at least."""
    return value_text(figure) if figure.is_stated else fine_text(figure, places)


def planned_finely(figure: Figure, places: int) -> str:
    """The value to plan with, with its unit: with the usual decimals, or with some where those are more."""
    if figure.use is None or figure.missing:
        return figure_text(figure)
    return f"{_finely(figure.use, places)} {figure.unit.symbol}".rstrip()


def decimals_of(numbers: Iterable[Fraction], like: Fraction) -> int:
    """The most decimals that some numbers have, as far as four digits of one like these reach."""
    most = max((len(decimal(number).partition(".")[2]) for number in numbers), default=0)
    reach = (places for places in range(most) if not like or abs(like) * 10**places >= 10 ** (DIGITS - 1))
    return next(reach, most)


def _finely(number: Fraction, places: int) -> str:
    usual = _tidy(decimal(number, places_of(number)))
    return usual if len(usual.partition(".")[2]) > places else decimal(number, places)


def with_names(figure: Figure) -> str:
    """How a figure comes about, in names: its formula, its selection of runs, or the text that states it."""
    match figure.origin:
        case Calculated(formula=formula, operands=operands):
            return formula_text(formula.tree, {name: name for name in operands})
        case Tallied(selection=selection):
            return f"sum over {selection.words}"
        case Worked(how=text) | Stated(text=text):
            return text
