"""Pieces of lines that fit a terminal: bars, cut titles, two texts at both ends of a line."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from textwrap import wrap

from reckon.model.figure import Figure

from ..numbers import decimal, use_text

WIDTH = 80
BAR = 8
LABEL = 18


def bar(share: Fraction | None) -> str:
    """A share as blocks and percent; what is beyond the whole fills the bar. Empty where it is not known."""
    if share is None:
        return ""
    full = max(0, min(int(share * BAR), BAR))
    return "█" * full + "░" * (BAR - full) + (f" {decimal(share * 100, 0)}%" if share < 10 else " >10×")


def used_bar(planned: Figure | None, actual: Figure | None) -> str:
    """Hours used of the hours planned; that is no measure of the work done."""
    if planned is None or actual is None or not planned.use or actual.use is None:
        return ""
    return bar(actual.use / planned.use)


def use(figure: Figure | None) -> str:
    """The value to plan with; nothing where there is no figure."""
    return use_text(figure) if figure else ""


def cut(text: str, width: int) -> str:
    """A text in so many columns."""
    return text if len(text) <= width else text[: width - 1] + "…"


def fitted(left: str, right: str) -> str:
    """Two texts at both ends of a line; the left one is cut where they do not fit."""
    left = cut(left, WIDTH - len(right) - 2)
    return left + right.rjust(WIDTH - len(left))


def listed(label: str, text: str) -> Iterator[str]:
    """The lines of an entry of a list: its label and what is said under it, which goes on below where it is long."""
    for number, line in enumerate(wrap(text, WIDTH - LABEL, break_on_hyphens=False)):
        yield f"{'' if number else f'  {label}:':{LABEL}}{line}"
