"""The colours of pictures and what they mean.

Every fill has a contrast of at least 3:1 against white and against the site's dark page (near #1e2129), so bars need no
second colour. The fills stay apart for readers with any of the three kinds of colour blindness (CIE76 distance of 12 or
more), and no meaning hangs on colour alone: each bar is named and numbered. No single colour reads at 4.5:1 on both
pages, so text has two (6:1 and 7:1 on their own page, and still above 2:1 on the other).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from reckon.present.charts.picture import Role


class Ink(NamedTuple):
    """One ink: its colour on a light page and on a dark one (no light colour may be used for anything else)."""

    light: str
    dark: str


TEXT = Ink("#58606e", "#a7afbc")
"""Words and numbers."""

LINE = Ink("#d9dce2", "#3a404c")
"""The grid."""

THREAD = Ink("#9097a3", "#7c8491")
"""The threads that lead from the end of one bar to the next."""

INKS = (TEXT, LINE, THREAD)
"""All inks that change with the page."""


class Part(NamedTuple):
    """What a role is called in the legend, and the fill of its bars."""

    name: str
    fill: str


PARTS: Mapping[Role, Part] = MappingProxyType(
    {
        "one-time": Part("one-time", "#8659e4"),
        "per-seed": Part("per seed", "#5d90e4"),
        "single-seed": Part("single seed", "#2fa776"),
        "all-seeds": Part("all seeds", "#c034a7"),
        "contingency": Part("contingency", "#bc8922"),
        "extension": Part("extension", "#b65639"),
        "subtotal": Part("subtotal", "#8a92a0"),
        "total": Part("total", "#697281"),
    }
)
"""The parts of the budget formula, in the order of the legend."""
