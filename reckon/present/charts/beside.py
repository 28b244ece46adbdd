"""Choices on a plane of time and cost, and what is written beside them: names with figures, names, or numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .axes import Scale
from .frame import LABEL_LENGTH, VALUE_LENGTH, Rows, Spec
from .labels import Box, Placed, Taken, around
from .palette import Merit
from .words import drawable

WIDE, HEIGHT = 605, 340
"""The size of the plane in a still picture, in pixels (its width is about that)."""

MOST_NUMBERED = 200
"""The most dominated choices that have their numbers."""

NAMES_AWAY, NUMBERS_AWAY = (9, 22, 36, 52, 70, 90, 112, 136, 162), (7, 14, 22)
"""How far from their points names and numbers are tried, in pixels."""

LINE, SMALL = 15, 12
"""The heights in pixels of a line of a name, and of a number."""

REFERENCE = " (reference)"


@dataclass(frozen=True)
class Dot:
    """A choice: its `time` and `cost` in the picture's units, and its number in the page's table.

    `value` is the two as printed, `low` and `high` are the ends of the cost where it has a range.
    """

    id: str
    label: str
    time: float
    cost: float
    value: str
    standing: Merit
    number: int
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that the choice costs."""
        low, high = (self.cost if end is None else end for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Ground:
    """The plane: its scales, and what they count."""

    time: Scale
    cost: Scale
    time_unit: str
    cost_unit: str

    def x(self, field: str) -> Spec:
        """Return the horizontal place of the times in `field`."""
        return self.time.channel(field, "time", self.time_unit)

    def y(self, field: str) -> Spec:
        """Return the vertical place of the costs in `field`."""
        return self.cost.channel(field, "cost", self.cost_unit)

    def pixel(self, time: float, cost: float) -> tuple[float, float]:
        """Return where a time and a cost are, in pixels from the top left."""
        return self.time.along(time) * WIDE, (1 - self.cost.along(cost)) * HEIGHT


def written(front: Sequence[Dot], beaten: Sequence[Dot], ground: Ground, reference: str) -> Rows:
    """Return the words beside the choices of the frontier (by time) and the `beaten`, as rows of data.

    Those of the frontier have names and figures where all have room, else names where all have room, else numbers.
    Words without room are left out.
    """
    loose, ranges = Taken(WIDE, HEIGHT), list(_ranges(beaten, ground))
    loose.take(_drawn(front, beaten, ground))
    strict = loose.copy()
    strict.take(ranges)
    names, taken = _front(front, ground, reference, (strict, loose))
    taken.take(ranges)
    numbers = []
    for dot in sorted(beaten, key=lambda dot: dot.id != reference)[:MOST_NUMBERED]:
        said = str(dot.number) + REFERENCE * (dot.id == reference)
        size = (4 + 6.4 * len(said), SMALL)
        if place := taken.place(*ground.pixel(dot.time, dot.cost), size, NUMBERS_AWAY):
            numbers.append(_row(dot, (said, ""), place, ground))
    return [*names, *numbers]


def _drawn(front: Sequence[Dot], beaten: Sequence[Dot], ground: Ground) -> Iterator[Box]:
    """The boxes of what no words may lie on: points, and the ranges and steps of the frontier."""
    for dot in (*front, *beaten):
        yield around(*ground.pixel(dot.time, dot.cost), 3 if dot.standing == "dominated" else 5.5)
    yield from _ranges(front, ground)
    for dot, following in pairwise(front):
        (x, y), (to_x, to_y) = ground.pixel(dot.time, dot.cost), ground.pixel(following.time, following.cost)
        yield Box(x, y - 1, to_x, y + 1)
        yield Box(to_x - 1, min(y, to_y), to_x + 1, max(y, to_y))


def _ranges(dots: Sequence[Dot], ground: Ground) -> Iterator[Box]:
    for dot in dots:
        x, low = ground.pixel(dot.time, dot.ends[0])
        yield Box(x - 1, ground.pixel(dot.time, dot.ends[1])[1], x + 1, low)


def _front(front: Sequence[Dot], ground: Ground, reference: str, planes: tuple[Taken, Taken]) -> tuple[Rows, Taken]:
    """Return what is written beside the frontier, and what is taken then.

    Names may lie on the pale ranges of dominated choices (they do on the second of the planes) before they give way to
    numbers. The reference comes first, so that it has room.
    """
    strict, loose = planes
    front = sorted(front, key=lambda dot: dot.id != reference)
    marks = [REFERENCE * (dot.id == reference) for dot in front]
    names = [drawable(dot.label, LABEL_LENGTH) + mark for dot, mark in zip(front, marks, strict=True)]
    figures = [drawable(dot.value, VALUE_LENGTH) for dot in front]
    nothing = [""] * len(front)
    for plane, second in ((strict, figures), (strict, nothing), (loose, nothing)):
        rows, tried = _tried(front, list(zip(names, second, strict=True)), ground, plane, whole=True)
        if len(rows) == len(front):
            return rows, tried
    numbers = [f"{dot.number}{mark}" for dot, mark in zip(front, marks, strict=True)]
    return _tried(front, list(zip(numbers, nothing, strict=True)), ground, loose)


def _tried(
    dots: Sequence[Dot], said: Sequence[tuple[str, str]], ground: Ground, plane: Taken, whole: bool = False
) -> tuple[Rows, Taken]:
    """Return the words that have room on the `plane`, as rows of data, and what is taken then.

    Where only the `whole` is of use, the first words without room are the end.
    """
    tried, rows = plane.copy(), []
    for dot, (first, second) in zip(dots, said, strict=True):
        size = (6 + max(6.9 * len(first), 6.4 * len(second)), LINE * (1 + bool(second)))
        if place := tried.place(*ground.pixel(dot.time, dot.cost), size, NAMES_AWAY):
            rows.append(_row(dot, (first, second), place, ground))
        elif whole:
            break
    return rows, tried


def _row(dot: Dot, said: tuple[str, str], place: Placed, ground: Ground) -> Spec:
    """Return words as a row of data, with their place in pixels from their point."""
    x, y = ground.pixel(dot.time, dot.cost)
    box, (to_x, to_y) = place.box, place.lead or (x, y)
    align, along = {-1: ("right", box.right), 1: ("left", box.left)}.get(
        int(place.side), ("center", (box.left + box.right) / 2)
    )
    return {
        "time": dot.time,
        "cost": dot.cost,
        "words": said[0],
        "figures": said[1],
        "number": f"{dot.number}",
        "weight": "normal" if dot.standing == "dominated" else "bold",
        "align": align,
        "across": round(along - x, 1),
        "down": round((box.top + box.bottom) / 2 - y, 1),
        "to_x": round(to_x - x, 1),
        "to_y": round(to_y - y, 1),
    }
