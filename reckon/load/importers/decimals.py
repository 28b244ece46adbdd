"""Numbers as programs write them, exactly: `0.0004`, `3.43e-05`, `-1.5`."""

from __future__ import annotations

import re
from fractions import Fraction

from .job_records import PLACES

_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?|[-+]?\.[0-9]{1,40}")
_NONE = frozenset({"", "nan", "null", "none", "n/a"})
_MARKED = {
    ",": re.compile(r"[-+]?(?:[0-9]{1,3}(?:[.\s'’][0-9]{3})*|[0-9]{1,15})(?:,[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?"),
    ".": re.compile(r"[-+]?(?:[0-9]{1,3}(?:[,\s'’][0-9]{3})*|[0-9]{1,15})(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?"),
}
"""Numbers by their decimal mark; their thousands may stand apart."""
MOST = 10**15


class Unreadable(Exception):
    """A text is not a number, or one that no amount can be; and how a source says that it is one, if it may be."""


def parse_number(text: str, places: int = PLACES, mark: str | None = None) -> Fraction | None:
    """A number to so many decimals (half to even), with a decimal mark as a source names it; None where the text says
    that there is none. Raises Unreadable."""
    plain = text.strip()
    if plain.lower() in _NONE:
        return None
    if mark and _MARKED[mark].fullmatch(plain):
        plain = re.sub(r"[^0-9eE+-]", lambda sign: "." if sign[0] == mark else "", plain)
    elif mark or "," in plain:
        marks = [f"`decimal: '{other}'`" for other, pattern in _MARKED.items() if pattern.fullmatch(plain)]
        raise Unreadable(f"state the decimal mark: {' or '.join(marks)}" if marks and not mark else "")
    if not _NUMBER.fullmatch(plain) or abs(amount := Fraction(plain)) > MOST:
        raise Unreadable
    return round(amount, places)
