"""The colours of pictures and what they mean.

One meaning has one colour in every picture, and no colour a second meaning: what is planned, and what a change adds to
it, is a warm grey; what is spent indigo; what is to come an outline with a tint of the same indigo; what is lost
hatched red, what is overdrawn red; what is held in reserve teal; what is recommended amber. Limits are lines in the ink
of words, and so are choices and measured amounts. Parts of a need of memory have four colours of their own.

Each colour has a contrast of at least 3:1 against white and against the site's dark page (#1e2229), and any two of them
that meet are CIEDE2000 20 or more apart for readers of any sight, with each of the three kinds of colour blindness too;
or one is an outline, or its shape, dash or bold name tells it apart. Nor does any meaning hang on colour alone: bars of
a waterfall are named and numbered, a plan is dashed, what is overdrawn lies below zero. No single colour reads at 4.5:1
on both pages, so text has two (6:1 and 7:1 on their own page, and still above 2:1 on the other), as have thin lines and
parts of a need. Words have a rim in the colour of the page, so that no line crosses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

TEXT, LINE, THREAD, PAGE = "#58606e", "#d9dce2", "#9097a3", "#fefefe"
"""The inks of words and numbers, of the grid, of the threads that lead from the end of one bar to the next, and of the
rim around words, on a light page. None of them may be used for anything else."""

PALE_TEXT = "#858c98"
"""Choices that have no advantage, on both pages."""

SPENT_LINE, PLAN_LINE = "#655cd2", "#79695d"
"""The inks of lines of what is spent and planned, and of outlines: a thin line needs more contrast than a surface."""

ON_PART = "#fdfdfd"
"""Words on parts of a need."""

PART_INKS = {"#1f70cc": "#5a8ee6", "#66701a": "#b8e060", "#8f3f62": "#c65c78", "#0b0f12": "#f4e4f0"}
"""The colours of parts of a need, each with that on a dark page."""

ON_DEEP, ON_PALE = "#ffffff", "#10151f"
"""Words on the two shades of a solid colour, at 4.5:1 or more; words in an outline have the ink of the page."""

TEAL, INDIGO, AMBER, RED = "#0ea5a4", "#655cd1", "#d67a0c", "#d64545"
GREY, PALE_GREY, PALE_INDIGO = "#79695c", "#a08c84", "#9c7efc"
"""The colours of all surfaces and outlines."""


class Fill(NamedTuple):
    """What a role is called in the legend, the colour of its bars, and whether they are surfaces or outlines."""

    name: str
    ink: str
    solid: bool = True


WORK, SUM = Fill("planned work", PALE_GREY), Fill("sum", GREY)

PARTS = {
    **dict.fromkeys(("one-time", "per-seed", "single-seed", "all-seeds", "phase"), WORK),
    "contingency": Fill("contingency", TEAL, solid=False),
    "extension": Fill("extension", PLAN_LINE, solid=False),
    **dict.fromkeys(("subtotal", "total"), SUM),
}
"""The parts of the budget formula, in the order of the legend. Sums stand out by their bold names."""

STEPS = {"raises": Fill("raises it", PALE_GREY), "lowers": Fill("lowers it", PLAN_LINE, solid=False)}
"""The steps of a bridge between two totals, in the order of the legend; they never meet the parts of a formula."""

BARS = {**PARTS, **STEPS}
"""All roles of a waterfall: those of a budget by its items, or by phase where these are too many, and of a bridge."""


class Look(NamedTuple):
    """How an amount of a kind is drawn: two shades of one colour, or an outline around two tints of it."""

    deep: str
    pale: str
    solid: bool

    @property
    def fills(self) -> Sequence[str]:
        """The colours inside its two kinds of surfaces."""
        return (self.deep, self.pale) if self.solid else [tint(self.deep, each) for each in TINTS]


_PLANNED = Look(GREY, PALE_GREY, solid=True)
_SPENT = Look(INDIGO, PALE_INDIGO, solid=True)
_TO_COME = Look(SPENT_LINE, SPENT_LINE, solid=False)
_LOST = Look(RED, RED, solid=False)

TINTS = (0.1, 0.22)
"""How opaque the two tints inside an outline are."""

USES = {
    "planned": _PLANNED,
    "spent": _SPENT,
    "useful": _SPENT,
    "to come": _TO_COME,
    "lost": _LOST,
}
"""What hours are and how they look, in the order of the legend."""

OUTCOMES = {"completed": _SPENT, "running": _TO_COME, "failed": _LOST}
"""What became of a run and how it looks, in the order of the legend."""

MERITS = {"best": AMBER, "frontier": TEXT, "dominated": PALE_TEXT}
"""How a choice stands to the others, with its fill, in the order of the legend. Each has a shape of its own."""

NEEDS = (*(Fill("", ink) for ink in PART_INKS), *(Fill("", ink, solid=False) for ink in reversed(PART_INKS)))
"""The looks of the parts of a need."""

KNOWN_NEEDS = ("weights", "kv cache", "activations", "cuda", "", " ", "  ", "   ")
"""The parts of a need that look alike in every picture, and room for others, in the order of NEEDS."""


def looks_of_needs(names: Sequence[str]) -> dict[str, Fill]:
    """Return the look of each part of a need by its name, in which an amount may stand behind a colon; one that is not
    known takes that of a known one last."""
    left = dict(zip(KNOWN_NEEDS, NEEDS, strict=True))
    known = {name: left.pop(name.casefold().partition(":")[0], None) for name in names}
    return {name: known[name] or left.popitem()[1] for name in names}


LEFT, OVERDRAWN = TEAL, RED
"""What is left of a reserve, and what was taken beyond it."""


def surface(fill: Fill) -> str:
    """Return the colour inside a bar: its own, or a tint of it inside an outline."""
    return fill.ink if fill.solid else tint(fill.ink, TINTS[-1])


def tint(ink: str, opacity: float) -> str:
    """Return a tint of a colour. It is a colour too, since a key would show the opacity of a mark as full."""
    red, green, blue = bytes.fromhex(ink[1:])
    return f"rgba({red},{green},{blue},{opacity})"


STYLE = (
    '<style>text{paint-order:stroke}[fill^="rgba(214,69,69,"]{fill:url(#lost)}</style><defs><pattern id="lost" '
    'width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V5" '
    f'stroke="{RED}" stroke-width="2"/></pattern></defs>'
)
"""What an SVG file needs beside what is drawn: words lie over their rims, and tints of what is lost are hatched."""

DARK = {
    TEXT: "#a7afbc",
    LINE: "#3a404c",
    THREAD: "#7c8491",
    PAGE: "#1e2229",
    SPENT_LINE: "#a396ff",
    PLAN_LINE: "#e6cfba",
    ON_PART: "#10151e",
    **PART_INKS,
}
"""The inks that stand for these on a dark page."""
