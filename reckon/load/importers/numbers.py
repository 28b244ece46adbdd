"""Numbers as programs write them, exactly: `0.0004`, `3.43e-05`, `-1.5`."""

from __future__ import annotations

import re
from fractions import Fraction

from .stored import PLACES

_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?|[-+]?\.[0-9]{1,40}")
_NONE = frozenset({"", "nan", "null", "none", "n/a"})
MOST = 10**15


class Unreadable(Exception):
    """A text is not a number, or one that no amount can be."""


def number(text: str, places: int = PLACES) -> Fraction | None:
    """A number to so many decimals (half to even); None where the text says that there is none. Raises Unreadable."""
    plain = text.strip()
    if plain.lower() in _NONE:
        return None
    if not _NUMBER.fullmatch(plain) or abs(found := Fraction(plain)) > MOST:
        raise Unreadable
    return Fraction(round(found * 10**places), 10**places)
