"""Text that a stranger wrote, made fit to be drawn: one line, no control characters, only glyphs the font has."""

import unicodedata

from reckon.present.charts.picture import FONT

UNKNOWN_GLYPH = "\N{WHITE SQUARE}"
"""What stands for a character that the bundled font cannot draw."""


def bundled_glyphs() -> frozenset[int]:
    """Return the code points that every face of the bundled font can draw, from the list beside it."""
    lines = (FONT / "coverage.txt").read_text(encoding="ascii").splitlines()
    ends = [[int(end, 16) for end in line.split("-")] for line in lines if not line.startswith("#")]
    return frozenset(point for first, last in ends for point in range(first, last + 1))


def tidy(text: str) -> str:
    """Return `text` on one line, composed (NFC), without what cannot be seen or stored.

    Whitespace and control characters become single spaces; format characters (such as those that turn the direction
    of writing round) vanish; surrogates and code points that are no characters become an empty square.
    """
    kept = "".join(_visible(character) for character in unicodedata.normalize("NFC", text))
    return " ".join(kept.split())


def drawable(text: str, glyphs: frozenset[int], most: int) -> str:
    """Return `text` tidied, an empty square for each character outside `glyphs`, cut with an ellipsis to `most`."""
    seen = "".join(c if ord(c) in glyphs else UNKNOWN_GLYPH for c in tidy(text))
    return seen if len(seen) <= most else seen[: most - 1].rstrip() + "…"


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    if category == "Cf":
        return ""
    # Lone surrogates cannot be encoded, and XML has no U+FFFE or U+FFFF.
    return UNKNOWN_GLYPH if category == "Cs" or ord(character) & 0xFFFE == 0xFFFE else character
