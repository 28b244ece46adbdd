"""Words beside points that lie neither on each other nor on anything else: each has the first free place around its
own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

CELL = 32
"""The side of the squares in pixels by which neighbours are found."""

SIDES = (
    *((-1, 1), (1, 1), (-1, 0), (1, 0), (1, -1), (-1, -1)),
    *((0, 1), (0, -1), (-0.5, 1), (0.5, 1), (0.5, -1), (-0.5, -1)),
)
"""The sides of a point on which words are tried, in this order: left (-1) to right (1), above (-1) to below (1)."""


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
                return Placed(box, side, _nearest(x, y, box) if lead else None)
        return None


def _cells(box: Box) -> Iterable[tuple[int, int]]:
    across = range(int(box.left // CELL), int(box.right // CELL) + 1)
    return product(across, range(int(box.top // CELL), int(box.bottom // CELL) + 1))


def _nearest(x: float, y: float, box: Box) -> tuple[float, float]:
    return min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)


def _lead(x: float, y: float, box: Box) -> list[Box]:
    """Return the line from a point to a box as small squares, about one each four pixels."""
    to_x, to_y = _nearest(x, y, box)
    count = max(1, int(max(abs(to_x - x), abs(to_y - y)) // 4))
    return [around(x + (to_x - x) * n / count, y + (to_y - y) * n / count, 1, 1) for n in range(count)]
