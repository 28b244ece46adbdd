"""The plane of time and amount that some pictures are drawn on, and labels that must not lie on each other: in a
column, above a plane, along a line, and beside points."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import fsum, inf
from textwrap import wrap
from typing import Any, NamedTuple

from . import palette
from .axes import ends, moment, thinned, time_x
from .layout import AT_WIDTH, HOVER, NUMBERS, WIDTH, Layers, Rows, Spec, amount, bold, layer, word
from .layout import NARROW as NARROW_WIDTH
from .words import drawable, symbol_of

HEIGHT = 300
"""Of the plane, in pixels."""

LINE, LETTER = 14, 7.8
"""The height of a line of words near a point, and the width of its letters, in pixels."""

RULE_LENGTH, RULE_LINE, RULE_LINES = 24, 15, 3
"""The most characters in a line of the label of a dashed rule, the height of the line in pixels, and the most lines."""

NARROW = 170
"""The width in pixels for which such labels are kept apart: that of a plane on a small screen."""

OVER = 4
"""How far words may reach over the left edge of a plane, in pixels; the numbers of the axis are further away."""

CELL = 32
"""The side of the squares in pixels by which neighbours are found."""

SIDES = (
    *((-1, 1), (1, 1), (-1, 0), (1, 0), (1, -1), (-1, -1)),
    *((0, 1), (0, -1), (-0.5, 1), (0.5, 1), (0.5, -1), (-0.5, -1)),
)
"""The sides of a point on which words are tried, in this order: left (-1) to right (1), above (-1) to below (1)."""

TOLD = (
    "{'item': ROW.item, 'day': utcFormat(ROW.at, '%-d %b %Y'), 'amount': ROW.amount || (format(ROW.level, "
    "abs(ROW.level) >= 100 ? ',.0f' : abs(ROW.level) >= 0.1 ? ',.1~f' : ',.2~r') + UNIT)}"
).replace("ROW", "(datum.datum || datum)")
"""What the pointer is told, in Vega's language: the amount as printed, or rounded as the pages round and with its UNIT.

The pointer is over the area that is nearest to a point, which has the point's row as the datum of its datum.
"""


class Plane(NamedTuple):
    """From the moments `low` to `high` (milliseconds), and from the amounts `floor` to `top`."""

    low: int
    high: int
    floor: float
    top: float

    @classmethod
    def around(cls, dates: Iterable[str], amounts: Iterable[float]) -> Plane:
        """Return the plane that holds `dates` and `amounts`, with a little air around."""
        amounts = [0.0, *amounts]
        air = 0.05 * (max(amounts) - min(amounts)) or 1
        return cls(*ends(dates), min(amounts) - air if min(amounts) < 0 else 0, max(amounts) + air)

    @property
    def x(self) -> Spec:
        """The horizontal place of the moments in the field `at`."""
        return time_x("at", self.low, self.high, grid=False)

    def y(self, field: str = "level") -> Spec:
        """Return the vertical place of the amounts in `field`."""
        axis = {"format": NUMBERS}
        scale = {"domain": [self.floor, self.top], "nice": False}
        # Left to itself, Vega-Lite adds up the amounts of an area that share a moment.
        return amount(field, title=None, axis=axis, scale=scale, stack=None)

    def down(self, level: float) -> float:
        """Return how many pixels the amount `level` is from the top."""
        return (self.top - level) / (self.top - self.floor) * HEIGHT

    def level(self, down: float) -> float:
        """Return the amount that is `down` pixels from the top."""
        return self.top - down / HEIGHT * (self.top - self.floor)

    def along(self, at: int, width: int) -> float:
        """Return how many pixels a moment is from the left, where the plane is `width` wide."""
        return (at - self.low) / (self.high - self.low) * width

    def widths(self, beside: int) -> tuple[int, int]:
        """Return how wide the plane is in a wide and in a narrow picture, about, with so many pixels `beside` it."""
        axis = 24 + 8 * len(f"{self.top:,.0f}")
        return WIDTH - axis - beside, NARROW_WIDTH - axis - beside

    def hover(self, told: Rows, unit: str = "") -> Spec:
        """Return the layer that answers to the pointer: the nearest of the points `told` shows itself.

        A point without a printed amount is told with `unit` behind the number.
        """
        shown = {"condition": {"param": "near", "value": 1, "empty": False}, "value": 0}
        look = {"filled": True, "size": 70, "color": palette.TEXT}
        said = TOLD.replace("UNIT", json.dumps(f" {symbol_of(unit)}" if unit else ""))
        points = layer("point", look, told, x=self.x, y=self.y(), opacity=shown, tooltip={"value": {"expr": said}})
        return {**points, "name": HOVER}


def drawn(line: Iterable[tuple[str, float]], **more: Any) -> Rows:
    """Return the points of `line`, dates and levels (oldest first), as rows of data with `more` in each."""
    points = thinned([(moment(date), level) for date, level in line])
    return [{"at": at, "level": level, **more} for at, level in points]


def marked_days(days: Sequence[tuple[str, str]], plane: Plane, longest: int = RULE_LENGTH) -> Rows:
    """Return days and their labels, of so many characters a line at most, as rows for dashed rules, one a line.

    Labels lean away from the sides, and stand above each other where they meet.
    """
    extents, told = [], [_wrap_label(words, longest) for _, words in days]
    tallest, rows = max(map(len, told), default=1), []
    for (date, _), lines in zip(days, told, strict=True):
        along = plane.along(at := moment(date), 1)
        # How the label is aligned, and what part of it stands to the left of its place.
        if along < 0.2:
            align, before = ("left", 0.0)
        elif along > 0.8:
            align, before = ("right", 1.0)
        else:
            align, before = ("center", 0.5)
        left = plane.along(at, NARROW) - before * (width := 12 + 6.4 * max(map(len, lines)))
        rows.append([{"at": at, "label": line, "align": align} for line in lines])
        extents.append((left, left + width))
    return [
        {**row, "line": level * tallest + above}
        for lines, level in zip(rows, levels(extents), strict=True)
        for above, row in enumerate(reversed(lines))
    ]


def _wrap_label(words: str, longest: int) -> list[str]:
    """A label in lines that break between words, the last one cut where there would be more than `RULE_LINES`."""
    found = wrap(drawable(words, RULE_LINES * longest), longest) or [""]
    rest = " ".join(found[RULE_LINES - 1 :])
    return [*found[: RULE_LINES - 1], drawable(rest, longest)] if rest else found


def ruled(rows: Rows, x: Spec) -> tuple[Layers, int]:
    """Return the layers of rules through the plane at the places `x` and of their labels above it, if there are any,
    and how many pixels the labels take. Rules are dashed unless their row is `firm`.

    Each of `rows` has its `label`, how it is to `align`, and the `line` that it stands on, counted upwards from 0.
    """
    if not rows:
        return [], 0
    ink, above = palette.TEXT, {"value": {"expr": f"-6 - {RULE_LINE} * datum.line"}}
    rule = {"color": ink, "opacity": 0.8, "strokeDash": {"expr": "datum.firm ? [1, 0] : [3, 3]"}}
    beside = {"expr": "datum.align === 'left' ? 3 : datum.align === 'right' ? -3 : 0"}  # a rule touches no words
    words = {"align": {"expr": "datum.align"}, "baseline": "bottom", "fontSize": 12, "color": ink, "dx": beside}
    words["fontWeight"] = {"expr": "datum.firm ? 600 : 400"}
    # A rule ends above the words that it stands beside, and below those in its middle.
    upwards = sorted(rows, key=lambda row: -row["line"] if row["align"] == "center" else row["line"])
    top = {row["at"]: row["line"] for row in upwards if "at" in row}
    highest = [row for row in rows if row["line"] == top.get(row.get("at"), row["line"])]
    rules = layer("rule", rule, highest, x=x, y=above, y2={"value": "height"})
    height = RULE_LINE * (1 + max(row["line"] for row in rows))
    return [rules, layer("text", words, rows, x=x, y=above, text=word("label"))], height


def spread(places: Sequence[float], gap: float, length: float) -> list[float]:
    """Return `places` (in any order) moved so that they are `gap` apart: those too near spread around their middle.

    All are kept between 0 and `length`; where they do not fit, they run out at the end.
    """

    def start(group: list[int]) -> float:
        """Where the first of a group stands, so that together they surround the mean of their places."""
        whole = gap * (len(group) - 1)
        return max(0.0, min(length - whole, fsum(places[label] for label in group) / len(group) - whole / 2))

    groups = []
    for label in sorted(range(len(places)), key=lambda label: places[label]):
        groups.append([label])
        while len(groups) > 1 and start(groups[-1]) < start(groups[-2]) + gap * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    found = {label: start(group) + gap * place for group in groups for place, label in enumerate(group)}
    return [found[label] for label in range(len(places))]


def levels(extents: Sequence[tuple[float, ...]], most: float = inf) -> list[int]:
    """Return a level for each label: the lowest (0) on which it touches no other.

    Labels reach from the first to the last number of their extents, by which they are sorted. There are at most `most`
    levels: what has no room on them lies on the one that is free the soonest.
    """
    reached: list[float] = []
    found = [0] * len(extents)
    for label in sorted(range(len(extents)), key=lambda label: extents[label]):
        left, *_, right = extents[label]
        level = next((level for level, end in enumerate(reached) if end <= left), len(reached))
        if level == most:
            level = reached.index(min(reached))
        reached[level : level + 1] = [max([right, *reached[level : level + 1]])]
        found[label] = level
    return found


def merged(places: Sequence[float], width: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Return the first and last of each run of labels that share one, so that none lies on the next.

    `places` are where labels begin, in rising order; `width` says how wide the label of a run is.
    """
    found: list[tuple[int, int]] = []
    for label, place in enumerate(places):
        if found and place < places[found[-1][0]] + width(*found[-1]):
            found[-1] = (found[-1][0], label)
        else:
            found.append((label, label))
    return found


Spot = tuple[float, float]
"""A place in pixels, across and down; or a size."""


class Box(NamedTuple):
    """A rectangle in pixels, from the top left of the plane."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Tell whether the two overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def around(x: float, y: float, across: float, up: float) -> Box:
    """Return the box that reaches some pixels from a point to the sides, and some up and down."""
    return Box(x - across, y - up, x + across, y + up)


class Placed(NamedTuple):
    """Where words stand: their box, and the end of the lead, if any."""

    box: Box
    lead: Spot | None


@dataclass
class Taken:
    """What is taken of a plane that is `width` by `height` pixels."""

    width: float
    height: float
    cells: dict[tuple[int, int], list[Box]] = field(default_factory=dict)

    def take(self, boxes: Iterable[Box]) -> None:
        """Keep `boxes` free of words from now on."""
        for box in boxes:
            for cell in _cells(box):
                self.cells.setdefault(cell, []).append(box)

    def is_free(self, box: Box) -> bool:
        """Tell whether `box` lies inside the plane, or a little over its left edge, and on nothing that is taken."""
        inside = box.left >= -OVER and box.top >= 0 and box.right <= self.width and box.bottom <= self.height
        return inside and not any(box.meets(other) for cell in _cells(box) for other in self.cells.get(cell, ()))

    def place(self, x: float, y: float, size: Spot, rings: Sequence[float]) -> Placed | None:
        """Return the first free place of words of `size` at a point, and take it; None where there is none.

        `rings` are the distances that are tried, the nearest first; from beyond the first a line leads to the point.
        """
        width, height = size[0] / 2, size[1] / 2
        for ring, (side, up) in product(rings, SIDES):
            # On a slant, the corner of the box is as far away as its side would be.
            away = ring if 0 in (side, up) else 0.7 * ring
            box = around(x + side * (away + width), y + up * (away + height), width, height)
            if not self.is_free(box):
                continue
            lead = _lead(x, y, box) if ring > rings[0] else []
            if all(map(self.is_free, lead[3:])):
                self.take([box, *lead])
                return Placed(box, _nearest(x, y, box) if lead else None)
        return None


def _cells(box: Box) -> Iterable[tuple[int, int]]:
    across = range(int(box.left // CELL), int(box.right // CELL) + 1)
    return product(across, range(int(box.top // CELL), int(box.bottom // CELL) + 1))


def _nearest(x: float, y: float, box: Box) -> Spot:
    return min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)


def _lead(x: float, y: float, box: Box) -> list[Box]:
    """Return the line from a point to a box as small squares, about one each four pixels."""
    to_x, to_y = _nearest(x, y, box)
    count = max(1, int(max(abs(to_x - x), abs(to_y - y)) // 4))
    return [around(x + (to_x - x) * n / count, y + (to_y - y) * n / count, 1, 1) for n in range(count)]


def text_size(words: str) -> Spot:
    """Return how much room words take, in lines."""
    lines = words.split("\n")
    return 4 + LETTER * max(map(len, lines)), LINE * len(lines)


def near(words: str, x: float, y: float, box: Box) -> Spec:
    """Return words in a box near a point as a part of a row of data, with their place in pixels from there."""
    return {"words": words, "dx": round(box.left - x, 1), "dy": round(box.top - y, 1)}


def words_near(rows: Rows, **places: Spec) -> Spec:
    """Return the layer of the words of `near`, each at one width alone."""
    moved = {way: {"expr": f"datum.{way}"} for way in ("dx", "dy")}
    weight = {"fontSize": {"expr": "datum.bold ? 12 : 11"}, "fontWeight": {"expr": "datum.bold ? 600 : 400"}}
    look = bold(baseline="top", lineBreak="\n", lineHeight=LINE, **moved, **weight)
    return {**layer("text", look, rows, **places, text=word("words")), **AT_WIDTH}
