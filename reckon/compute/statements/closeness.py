"""How near a stated value is to the reckoned one, and by how much it may be off: half of its last written digit."""

from __future__ import annotations

import re
from fractions import Fraction

from reckon.language.quantity import Quantity, Value, read_quantity


def tolerances(text: str, quantity: Quantity) -> tuple[Fraction, Fraction]:
    """Half of the last written digit of the first and of the last number in a text, in the quantity's unit."""
    written = re.findall(r"([0-9]+(?:\.[0-9]+)?)(?:[eE][+-]?[0-9]+)?", text)
    value = quantity.value
    if value.exact and len(written) > 1:
        # A sum of units, as in `118 d 5 h 41 min`: its last digit is that of its last part.
        last = read_quantity(f"{written[-1]}{text.rpartition(written[-1])[2]}", quantity.unit)
        half = _half_digit(written[-1], last.value.use, "~" in text)
        return half, half
    return _half_digit(written[0], value.low, "~" in text), _half_digit(written[-1], value.high, "~" in text)


def _half_digit(digits: str, end: Fraction | None, rounded: bool) -> Fraction:
    """Half of the last digit (the last that is not zero, in a rounded figure) of a number that comes to `end`."""
    if end is None or Fraction(digits) == 0:
        return Fraction(0)
    power = -len(digits.partition(".")[2])
    if rounded and not power:
        power = len(digits) - len(digits.rstrip("0"))
    return Fraction(10) ** power / 2 * abs(end) / Fraction(digits)


def distance(stated: Value, figure: Value, low: Fraction, high: Fraction) -> Fraction:
    """0 where a stated value holds, else by what share of the figure it is off at its worse end."""
    if stated.use is not None and stated.exact:
        number = stated.use
        beyond = [figure.low - low - number] if figure.low is not None else []
        beyond += [number - figure.high - high] if figure.high is not None else []
        if max(beyond, default=Fraction(0)) <= 0:
            return Fraction(0)
        if figure.use is not None:
            gap = max(abs(number - figure.use) - low, Fraction(0))
            return gap / abs(figure.use) if gap and figure.use else Fraction(1 if gap else 0)
        return max(beyond) / abs(number) if number else Fraction(1)
    if figure.exact:
        assert figure.use is not None
        below = (stated.low - low - figure.use) if stated.low is not None else Fraction(-1)
        above = (figure.use - stated.high - high) if stated.high is not None else Fraction(-1)
        gap = max(below, above, Fraction(0))
        return gap / abs(figure.use) if gap and figure.use else Fraction(1 if gap else 0)
    gaps = [Fraction(0)]
    for one, two, tolerance in ((stated.low, figure.low, low), (stated.high, figure.high, high)):
        if one is not None and two is not None and abs(one - two) > tolerance:
            gaps.append((abs(one - two) - tolerance) / abs(two) if two else Fraction(1))
    return max(gaps)
