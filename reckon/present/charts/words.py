"""Words in pictures: those of strangers made fit to be drawn, and sentences that say what is shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

from reckon.language.units import GPU_HOURS, single

from ..render.numbers import number_text
from ..view import View

FONT = Path(__file__).parent / "font"
"""The folder of the bundled font."""

UNKNOWN_GLYPH = "\N{WHITE SQUARE}"
"""What stands for a character that the bundled font cannot draw."""

UNIT = "GPU-hours"
"""What most pictures count."""

MOST_SAID = 8
"""The most parts of a sentence that are listed."""


@cache
def bundled_glyphs() -> frozenset[int]:
    """Return the code points that every face of the bundled font can draw, from the list beside it."""
    points = set[int]()
    for line in (FONT / "coverage.txt").read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            first, last = line.split("-")
            points.update(range(int(first, 16), int(last, 16) + 1))
    return frozenset(points)


def tidy(text: str) -> str:
    """Return `text` on one line, composed (NFC), without what cannot be seen or stored.

    Whitespace and control characters become single spaces; format characters (such as those that turn the direction
    of writing round) vanish; surrogates and code points that are no characters become an empty square.
    """
    return " ".join("".join(map(_visible, unicodedata.normalize("NFC", text))).split())


def drawable(text: str, most: int) -> str:
    """Return `text` tidied, an empty square for each character that the font lacks, cut with an ellipsis to `most`."""
    glyphs = bundled_glyphs()
    seen = "".join(c if ord(c) in glyphs else UNKNOWN_GLYPH for c in tidy(text))
    return seen if len(seen) <= most else seen[: most - 1].rstrip() + "…"


def joined(*names: str, by: str = " · ") -> str:
    """Return names tidied and in a row, such as those of a group, a row and a part of it; empty ones are left out."""
    return by.join(name for name in map(tidy, names) if name)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    if category == "Cf":
        return ""
    # Lone surrogates cannot be encoded, and XML has no U+FFFE or U+FFFF.
    return UNKNOWN_GLYPH if category == "Cs" or ord(character) & 0xFFFE == 0xFFFE else character


def titled(view: View) -> str:
    """Return what a picture of runs is of: a project, and the last day of its data where one is known."""
    return f"{view.project.title}, data to {view.through}" if view.dated else view.project.title


def hours_text(hours: Fraction) -> str:
    """Return hours that are added up for a picture alone, as printed: `1,335 GPU-h`."""
    text = number_text(hours)
    return f"{text} {single(GPU_HOURS.symbol) if text == '1' else GPU_HOURS.symbol}"


def symbol_of(unit: str) -> str:
    """Return the unit of a picture as it stands behind a number."""
    return GPU_HOURS.symbol if unit == UNIT else tidy(unit)


def amount_in_unit(value: str, unit: str) -> str:
    """Return an amount as printed with the unit of its picture behind it: `+665.85 GPU-h`."""
    return f"{value} {symbol_of(unit)}".rstrip()


def join_list(parts: Sequence[str]) -> str:
    """Return parts of a sentence in a list, the first few of many: `a, b and 3 more`."""
    rest = len(parts) - MOST_SAID
    shown = [*parts[:MOST_SAID], f"{rest} more"] if rest > 0 else list(parts)
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
