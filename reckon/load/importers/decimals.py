"""Numbers as programs write them, exactly: `0.0004`, `3.43e-05`, `-1.5`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from .job_records import PLACES

_NUMBER = re.compile(r"[-+]?[0-9]{1,15}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?|[-+]?\.[0-9]{1,40}")
_NONE = frozenset({"", "nan", "null", "none", "n/a"})
_MARKED = {
    ",": re.compile(
        r"[-+]?(?:[1-9][0-9]{0,2}(?:[.\s'’][0-9]{3})*|[0-9]{1,15})(?:,[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?"
    ),
    ".": re.compile(
        r"[-+]?(?:[1-9][0-9]{0,2}(?:[,\s'’][0-9]{3})*|[0-9]{1,15})(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,2})?"
    ),
}
"""Numbers by their decimal mark; their thousands may stand apart."""
MOST = 10**15
Mark = str | None
"""The decimal mark of numbers, or ASK; None where a point is the usual one."""
ASK = "?"
"""In place of a decimal mark: a number that means another one with the other mark is not read."""


class Unreadable(Exception):
    """A text is not a number, or one that no amount can be; and how a source says that it is one, if it may be."""


def find_mark(texts: Iterable[str], *, is_spreadsheet: bool) -> Mark:
    """The decimal mark of a file, by the numbers in it that only one mark fits; None where a point is the usual one.

    A spreadsheet's file (`;` between its cells) may have either: without such a number it is ASK.
    """
    proven = set()
    for text in texts:
        marks = [mark for mark, pattern in _MARKED.items() if pattern.fullmatch(text)]
        if len(marks) == 1:
            proven.add(marks[0])
    if len(proven) == 1:
        return proven.pop()
    return ASK if is_spreadsheet and not proven else None


def parse_number(text: str, places: int = PLACES, mark: Mark = None) -> Fraction | None:
    """A number to so many decimals (half to even), with a decimal mark as a source names it; None where the text says
    that there is none. Raises Unreadable."""
    plain = text.strip()
    if plain.lower() in _NONE:
        return None
    fitting = [other for other, pattern in _MARKED.items() if pattern.fullmatch(plain)]
    if mark == ASK:
        mark = None
        if len(fitting) == 2 and not plain.lstrip("+-").isdecimal():
            raise Unreadable("state the decimal mark: `decimal: ','` or `decimal: '.'`")
    if mark in fitting:
        plain = re.sub(r"[^0-9eE+-]", lambda sign: "." if sign[0] == mark else "", plain)
    elif mark or "," in plain:
        marks = [f"`decimal: '{other}'`" for other in fitting]
        raise Unreadable(f"state the decimal mark: {' or '.join(marks)}" if marks and not mark else "")
    if not _NUMBER.fullmatch(plain) or abs(amount := Fraction(plain)) > MOST:
        raise Unreadable
    return round(amount, places)
