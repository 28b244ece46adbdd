"""The colours of pictures and what they mean.

Every fill has a contrast of at least 3:1 against white and against the site's dark page (near #1e2129), so bars need no
second colour. Fills that meet in a picture stay apart for readers with any of the three kinds of colour blindness
(CIE76 distance of 12 or more). No meaning hangs on colour alone: bars of a waterfall are named and numbered, what is
forecast, running or wasted is an outline instead of a surface, a plan is dashed, what is overdrawn lies below zero. No
single colour reads at 4.5:1 on both pages, so text has two (6:1 and 7:1 on their own page, and still above 2:1 on the
other).
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Role = Literal["one-time", "per-seed", "single-seed", "all-seeds", "contingency", "extension", "subtotal", "total",
               "phase", "raises", "lowers"]  # fmt: skip
"""What a bar is in the budget formula, or in a bridge from one total to another."""

Use = Literal["planned", "actual", "forecast", "wasted"]
"""What hours are."""

Outcome = Literal["completed", "running", "wasted"]
"""What became of a run."""

Merit = Literal["hull", "frontier", "dominated"]
"""How a choice stands to the others. The hull is a part of the frontier."""


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

ON_DEEP, ON_PALE = "#ffffff", "#10151f"
"""Words on the two shades of a solid colour, at 4.5:1 or more; words in an outline have the ink of the page."""

INKS = (TEXT, LINE, THREAD)
"""All inks that change with the page."""


class Fill(NamedTuple):
    """What a role is called in the legend, and the fill of its bars."""

    name: str
    fill: str


PARTS: Mapping[Role, Fill] = {
    "one-time": Fill("one-time", "#8659e4"),
    "per-seed": Fill("per seed", "#5d90e4"),
    "single-seed": Fill("single seed", "#2fa776"),
    "all-seeds": Fill("all seeds", "#c034a7"),
    "contingency": Fill("contingency", "#bc8922"),
    "extension": Fill("extension", "#b65639"),
    "subtotal": Fill("subtotal", "#8a92a0"),
    "total": Fill("total", "#697281"),
}
"""The parts of the budget formula, in the order of the legend."""

STEPS: Mapping[Role, Fill] = {
    "raises": Fill("raises it", PARTS["extension"].fill),
    "lowers": Fill("lowers it", PARTS["single-seed"].fill),
}
"""The steps of a bridge between two totals, in the order of the legend; they never meet the parts of a formula."""

PHASES: Mapping[Role, Fill] = {"phase": Fill("phase", PARTS["per-seed"].fill)}
"""The bars of a budget by phase, where its items are too many."""

BARS: Mapping[Role, Fill] = {**PARTS, **PHASES, **STEPS}
"""All roles of a waterfall."""


class Look(NamedTuple):
    """How an amount of a kind is drawn: two shades of one colour, or an outline around two tints of it."""

    deep: str
    pale: str
    solid: bool


_PLANNED = Look("#6b727d", "#8d939e", solid=True)
_ACTUAL = Look("#2a6dd9", "#6293e3", solid=True)
_OPEN = Look("#248e6b", "#248e6b", solid=False)
_WASTED = Look("#c24e28", "#c24e28", solid=False)

TINTS = (0.1, 0.22)
"""How opaque the two tints inside an outline are."""

USES: Mapping[Use, Look] = {"planned": _PLANNED, "actual": _ACTUAL, "forecast": _OPEN, "wasted": _WASTED}
"""The looks of hours, in the order of the legend."""

OUTCOMES: Mapping[Outcome, Look] = {"completed": _ACTUAL, "running": _OPEN, "wasted": _WASTED}
"""The looks of runs, in the order of the legend."""

MERITS: Mapping[Merit, str] = {"hull": _ACTUAL.deep, "frontier": _ACTUAL.deep, "dominated": _PLANNED.pale}
"""The fills of choices, in the order of the legend; the shape of a mark tells the first two apart."""

NEEDS = tuple(part.fill for part in PARTS.values())
"""The fills of the parts of a need, in the order of the legend."""

LEFT, OVERDRAWN = PARTS["contingency"].fill, _WASTED.deep
"""What is left of a reserve, and what was taken beyond it."""
