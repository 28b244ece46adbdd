"""Labels that must not lie on each other: in a column, above a plane, along a line, and beside points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from . import palette
from .frame import Rows, Spec, expr, layer, word

RULE_LENGTH, RULE_LINE = 24, 15
"""The most characters of the label of a dashed rule, and the height of its line in pixels."""

NARROW = 170
"""The width in pixels for which such labels are kept apart: that of a plane on a small screen."""

CELL = 32
"""The side of the squares in pixels by which neighbours are found."""

SIDES = (
    *((-1, 1), (1, 1), (-1, 0), (1, 0), (1, -1), (-1, -1)),
    *((0, 1), (0, -1), (-0.5, 1), (0.5, 1), (0.5, -1), (-0.5, -1)),
)
"""The sides of a point on which words are tried, in this order: left (-1) to right (1), above (-1) to below (1)."""


def ruled(rows: Rows, x: Spec) -> list[Spec]:
    """Return the layers of dashed rules through the plane at the places `x`, and of their labels above it.

    Each of `rows` has its `label`, how it is to `align`, and the `line` that it stands on, counted upwards from 0.
    """
    ink, above = palette.TEXT.light, {"value": expr(f"-6 - {RULE_LINE} * datum.line")}
    rule = {"color": ink, "opacity": 0.8, "strokeDash": [3, 3]}
    words = {"align": expr("datum.align"), "baseline": "bottom", "fontSize": 12, "color": ink}
    return [
        layer("rule", rule, rows, x=x, y=above, y2={"value": "height"}),
        layer("text", words, rows, x=x, y=above, text=word("label")),
    ]


def rules_height(rows: Rows) -> int:
    """Return how many pixels the labels of dashed rules take above the plane."""
    return RULE_LINE * (1 + max((row["line"] for row in rows), default=-1))


def spread(places: Sequence[float], gap: float, length: float) -> list[float]:
    """Return `places` (in any order) moved so that they are `gap` apart: those too near spread around their middle.

    All are kept between 0 and `length`; where they do not fit, they run out at the end.
    """
    groups: list[list[int]] = []
    starts: list[float] = []
    for label in sorted(range(len(places)), key=lambda label: places[label]):
        group, start = [label], _start([places[label]], gap, length)
        while groups and start < starts[-1] + gap * len(groups[-1]):
            group = groups.pop() + group
            starts.pop()
            start = _start([places[other] for other in group], gap, length)
        groups.append(group)
        starts.append(start)
    found = {}
    for group, start in zip(groups, starts, strict=True):
        found.update({label: start + gap * place for place, label in enumerate(group)})
    return [found[label] for label in range(len(places))]


def _start(places: Sequence[float], gap: float, length: float) -> float:
    """Return where the first of some labels stands, so that together they surround the mean of their places."""
    whole = gap * (len(places) - 1)
    return max(0.0, min(length - whole, fsum(places) / len(places) - whole / 2))


def levels(extents: Sequence[tuple[float, float]]) -> list[int]:
    """Return a level for each label, which reaches from left to right: the lowest (0) on which it touches no other."""
    reached: list[float] = []
    found = [0] * len(extents)
    for label in sorted(range(len(extents)), key=lambda label: extents[label]):
        left, right = extents[label]
        level = next((level for level, end in enumerate(reached) if end <= left), len(reached))
        reached[level : level + 1] = [right]
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


class Box(NamedTuple):
    """A rectangle in pixels, from the top left of the plane."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Tell whether the two overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def around(x: float, y: float, reach: float) -> Box:
    """Return the square that reaches `reach` pixels from a point to each side."""
    return Box(x - reach, y - reach, x + reach, y + reach)


@dataclass(frozen=True)
class Placed:
    """Where words stand: their box, the side of their point that they are on, and the end of the lead, if any."""

    box: Box
    side: float
    lead: tuple[float, float] | None


@dataclass
class Taken:
    """What is taken of a plane that is `width` by `height` pixels."""

    width: float
    height: float
    cells: dict[tuple[int, int], list[Box]] = field(default_factory=dict)

    def copy(self) -> Taken:
        """Return a plane of which the same is taken."""
        return Taken(self.width, self.height, {cell: list(boxes) for cell, boxes in self.cells.items()})

    def take(self, boxes: Iterable[Box]) -> None:
        """Keep `boxes` free of words from now on."""
        for box in boxes:
            for cell in _cells(box):
                self.cells.setdefault(cell, []).append(box)

    def is_free(self, box: Box) -> bool:
        """Tell whether `box` lies inside the plane and on nothing that is taken."""
        inside = box.left >= 0 and box.top >= 0 and box.right <= self.width and box.bottom <= self.height
        return inside and not any(box.meets(other) for cell in _cells(box) for other in self.cells.get(cell, ()))

    def place(self, x: float, y: float, size: tuple[float, float], rings: Sequence[float]) -> Placed | None:
        """Return the first free place of words of `size` at a point, and take it; None where there is none.

        `rings` are the distances that are tried, the nearest first; from beyond the first a line leads to the point.
        """
        for ring in rings:
            for side, up in SIDES:
                box = _beside(x, y, size, ring, (side, up))
                if not self.is_free(box):
                    continue
                lead = _lead(x, y, box) if ring > rings[0] else []
                if all(map(self.is_free, lead[3:])):
                    self.take([box, *lead])
                    return Placed(box, side, _nearest(x, y, box) if lead else None)
        return None


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    for across in range(int(box.left // CELL), int(box.right // CELL) + 1):
        for down in range(int(box.top // CELL), int(box.bottom // CELL) + 1):
            yield across, down


def _beside(x: float, y: float, size: tuple[float, float], ring: float, side: tuple[float, float]) -> Box:
    width, height = size
    # On a slant, the corner of the box is as far away as its side would be.
    away = ring if 0 in side else 0.7 * ring
    middle = x + side[0] * (away + width / 2), y + side[1] * (away + height / 2)
    return Box(middle[0] - width / 2, middle[1] - height / 2, middle[0] + width / 2, middle[1] + height / 2)


def _nearest(x: float, y: float, box: Box) -> tuple[float, float]:
    return min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)


def _lead(x: float, y: float, box: Box) -> list[Box]:
    """Return the line from a point to a box as small squares, about one each four pixels."""
    to_x, to_y = _nearest(x, y, box)
    count = max(1, int(max(abs(to_x - x), abs(to_y - y)) // 4))
    return [around(x + (to_x - x) * n / count, y + (to_y - y) * n / count, 1.0) for n in range(count)]
