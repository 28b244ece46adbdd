"""Figures that stay in one line with their units, put in while a page is staged: `1,535 GPU-h` is never split at its
space or at its hyphen, nor are a range and a day.

The text stays as it is, so that it can be copied and found: an element around it forbids the break. Signs that join
(U+2060, U+2011) would be copied along.
"""

from __future__ import annotations

import re

from reckon.language.lean import regex
from reckon.language.units import spellings

from .referring import PASSED

LONGEST = 26
"""A range with more letters than this may break behind its dash: on a telephone it would be wider than its cell."""

# No `span`: the search of Material takes its end for that of a span around it, which it is to leave out.
_OPEN, _SHUT = '<bdi class="unit">', "</bdi>"
_NUMBER = r"[$€£¥]?\d(?:[\d.,]*\d)?"
_SYMBOLS = "|".join(sorted({re.escape(unit.symbol) for unit, _ in spellings().values() if unit.symbol[0].isalpha()}))
_AMOUNT = rf"(?:(?<![\w.,])[≥≤~≈±+−]{{0,3}}{_NUMBER}–(?=[$€£¥]?\d))?(?:(?<![\w.,])[≥≤~≈±+−]{{0,3}}{_NUMBER}[ ])"
_UNIT = rf"(?:GPU|GPU-(?:h|hours?|d|days?)|{_SYMBOLS})(?:/(?:GPU-h|[A-Za-z]+))?(?![\w-])"
_DAY = r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])"
_RANGE = rf"(?<![\w.,–])[≥≤~≈±+−]{{0,3}}{_NUMBER}–{_NUMBER}(?:[%×]|(?![\w–-]))"
_ALONE = r"(?<![\w-])(?:[$€£¥](?:[\d.,]*\d)?/)?GPU-h(?:ours)?(?:/[A-Za-z]+)?(?![\w-])"
# What is no text: scripts, tags, pictures, where links lead, the heading that becomes a title, and code; and what is
# kept together already.
_OTHER = (
    r'<bdi class="unit">[^<>]*</bdi>|<(?P<element>script|style)\b.*?</(?P=element)>|</?[A-Za-z!][^<>]*>|'
    r"!\[(?:\\.|[^\[\]\\])*\]|\]\([^()\n]*\)|^ {0,3}\[[^\]\n]+\]:[^\n]*|^# [^\n]*|^(?: {4}|\t)[^\n]*"
)
_FOUND = regex(
    rf"(?=[`~\\<!\]\[# \t\d≥≤≈±+−$€£¥G])(?:{PASSED}|{_OTHER}|(?P<figure>{_AMOUNT}{_UNIT}|{_ALONE}|{_DAY}|{_RANGE}))",
    re.MULTILINE | re.DOTALL,
)


def undivided(markdown: str, column: bool = False) -> str:
    """A text of a page, without front matter, whose figures stay in one line with their units, ranges among them.

    In a `column` of figures, which is to be narrow on a telephone, a number may stand above GPU-h, and a range in two
    lines.
    """

    def kept(found: re.Match[str]) -> str:
        figure = found["figure"]
        if not figure:
            return found[0]
        if column or len(figure) > LONGEST:
            low, dash, rest = figure.rpartition("–")
            number, space, unit = rest.rpartition(" ")
            if not column or "-" not in unit or not number:
                number, space, unit = "", "", rest
            together = f"{_OPEN}{unit}{_SHUT}" if " " in unit or "-" in unit else unit
            return f"{low}{dash and f'{dash}<wbr>'}{number}{space}{together}"
        return f"{_OPEN}{figure}{_SHUT}"

    return _FOUND.sub(kept, markdown)
