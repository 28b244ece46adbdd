"""How figures are printed beside numbers that were measured: with as many decimals as those, where that is more."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from reckon.model.figure import Figure, Stated

from .numbers import decimal, figure_text, places_of, value_text

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
    return low if low == high else f"{low}–{high}"


def row_text(figure: Figure, places: int) -> str:
    """A number of a row, without its unit: as stated, or else with some decimals at least."""
    return value_text(figure) if isinstance(figure.origin, Stated) else fine_text(figure, places)


def planned_finely(figure: Figure, places: int) -> str:
    """The value to plan with, with its unit: with the usual decimals, or with some where those are more."""
    if figure.use is None or figure.missing:
        return figure_text(figure)
    return f"{_finely(figure.use, places)} {figure.unit.symbol}".rstrip()


def decimals_of(numbers: Iterable[Fraction], like: Fraction) -> int:
    """The most decimals that some numbers have, as far as four digits of one like these reach."""
    most = max((len(decimal(one).partition(".")[2]) for one in numbers), default=0)
    places = 0
    while like and places < most and abs(like) * 10**places < 10 ** (DIGITS - 1):
        places += 1
    return places


def _finely(number: Fraction, places: int) -> str:
    usual = decimal(number, places_of(number))
    usual = usual.rstrip("0").rstrip(".") if "." in usual else usual
    return usual if len(usual.partition(".")[2]) > places else decimal(number, places)
