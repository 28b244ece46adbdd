"""Parts of a whole: one as `1/7`, `50%` or `0.5`, and several that make all of it together."""

from __future__ import annotations

import re
from fractions import Fraction

from .amounts import each_of
from .scalars import complain, read_text, scalar

_PORTION = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})|([0-9]{1,3}(?:\.[0-9]{1,9})?)%|(0?\.[0-9]{1,9}|1)")


def read_portion(raw: object) -> Fraction:
    """A part of a whole: `1/7`, `50%` or `0.5`; above zero, and at most all of it."""
    text = scalar(raw)
    found = _PORTION.fullmatch(text)
    if found is None:
        raise complain(text, f"`{text[:40]}` is not written as a part of a whole", "write it as 1/7 or 50%")
    above, below, percent, number = found.groups()
    part = Fraction(int(above), int(below)) if above else Fraction(percent) / 100 if percent else Fraction(number)
    if not 0 < part <= 1:
        raise complain(text, f"`{text[:40]}` is not a part of a whole", "write more than nothing, and at most 100%")
    return part


def read_portions(raw: object) -> dict[str, Fraction]:
    """Parts of a whole by name, which make all of it together."""
    found = each_of(raw, lambda _, written: read_portion(written), read_text)
    if (whole := sum(found.values(), Fraction(0))) != 1:
        share = float(whole * 100)
        raise complain(raw, f"these parts make {share:g}% of the whole", "make them 100% together")
    return found
