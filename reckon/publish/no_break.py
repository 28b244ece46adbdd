"""Figures that stay in one line with their units, put in while a page is staged: `1,535 GPU-h` is never split at its
space or at its hyphen, nor is a range.

The text stays as it is, so that it can be copied and found: an element around it forbids the break. Signs that join
(U+2060, U+2011) would be copied along.
"""

from __future__ import annotations

import re

from reckon.language.units import SIGNS, spellings

from .reference_links import PASSED

LONGEST = 24
"""A range with more letters than this may break behind its dash: on a telephone it would be wider than its cell."""

DONE = "\0"
"""What stands before a line whose figures are kept together already; no text of a ledger has it."""

_OPEN, _SHUT = '<bdi class="unit">', "</bdi>"
_POWER = "[ ]×[ ]10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_NUMBER = rf"[{SIGNS}]?\d(?:[\d.,]*\d)?(?:{_POWER})?"
_SIGNED = rf"[≥≤~≈±+−]{{0,3}}{_NUMBER}"
_SYMBOLS = "|".join(sorted({re.escape(unit.symbol) for unit, _ in spellings().values() if unit.symbol[0].isalpha()}))
_AMOUNT = rf"(?:(?<![\w.,])(?:[≥≤] )?{_SIGNED}–(?=[{SIGNS}]?\d))?(?:(?<![\w.,])(?:[≥≤] )?{_SIGNED}[ ])"
_UNIT = rf"(?:GPU|seeds?|GPU-(?:h|hours?|d|days?)|{_SYMBOLS})(?:/(?:GPU-h|[A-Za-z]+))?(?![\w-])"
_RANGE = rf"(?<![\w.,–])[≥≤~≈±+−]{{0,3}}{_NUMBER}–{_NUMBER}(?:[%×]|(?![\w–-]))"
_ALONE = rf"(?<![\w-])(?:[{SIGNS}](?:[\d.,]*\d)?/)?GPU-h(?:ours)?(?:/[A-Za-z]+)?(?![\w-])"
# What is no text: scripts, tags, pictures, where links lead, the heading that becomes a title, and code; and what is
# done already.
_OTHER = (
    rf"^{DONE}[^\n]*|"
    r"<(?P<element>script|style)\b.*?</(?P=element)>|</?[A-Za-z!][^<>]*>|"
    r"!\[(?:\\.|[^\[\]\\])*\]|\]\([^()\n]*\)|^ {0,3}\[[^\]\n]+\]:[^\n]*|^# [^\n]*|^(?: {4}|\t)[^\n]*"
)
# A number with a power of ten, and the one name whose halves are numbers, stand alone too.
_WHOLE = rf"(?<![\w.,]){_SIGNED}(?<=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])|(?<![\w-])x86-64(?![\w-])"
_FIGURE = rf"{_AMOUNT}{_UNIT}|{_ALONE}|{_RANGE}|{_WHOLE}"
_FOUND = re.compile(
    rf"(?=[`~\\<!\]\[# \t{DONE}\d≥≤≈±+−{SIGNS}Gx])(?:{PASSED}|{_OTHER}|(?P<figure>{_FIGURE}))",
    re.MULTILINE | re.DOTALL,
)


def undivided(markdown: str, column: bool = False) -> str:
    """A text of a page, without front matter, whose figures stay in one line with their units, ranges among them.

    In a `column` of figures, which is to be narrow on a telephone, a number may stand above GPU-h, and a range without
    a unit may break there behind its dash. Lines that begin with DONE are left as they are.
    """

    def kept(found: re.Match[str]) -> str:
        figure = found["figure"]
        if not figure:
            return found[0]
        number, space, unit = figure.rpartition(" ")
        if column and "–" in figure and not space:
            return f'<bdi class="range">{figure}{_SHUT}'
        if column and "-" in unit:
            number = f'<bdi class="range">{number}{_SHUT}' if "–" in number else number
            return f"{number}{space}{_OPEN}{unit}{_SHUT}"
        is_wide = len(figure) > LONGEST or " × 10" in figure  # spaces and powers take more room than digits
        apart = figure.partition("–")[0] + "–" if is_wide and "–" in figure else ""
        return f"{apart}{apart and '<wbr>'}{_OPEN}{figure.removeprefix(apart)}{_SHUT}"

    return _FOUND.sub(kept, markdown)
