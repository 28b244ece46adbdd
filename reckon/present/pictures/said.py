"""How pictures say what they show: hours that are added up for a picture alone, and lists in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Worked

from ..numbers import figure_text, value_text

UNIT = "GPU-hours"
MOST_SAID = 8


def hours_text(hours: Fraction, unit: bool = True) -> str:
    """Hours as printed: `1,335 GPU-h`."""
    figure = Figure("", "", GPU_HOURS, point(hours), Worked("added up for a picture"))
    return figure_text(figure) if unit else value_text(figure)


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence, the first few of many: `a, b and 3 more`."""
    rest = len(parts) - MOST_SAID
    shown = [*parts[:MOST_SAID], f"{rest} more"] if rest > 0 else list(parts)
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
