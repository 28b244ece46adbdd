"""What is written beside choices: names with their figures, names, or numbers, as there is room."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from reckon.present.charts.drawing.frame import LABEL_LENGTH, VALUE_LENGTH
from reckon.present.charts.drawing.ground import HEIGHT, WIDE, Ground
from reckon.present.charts.drawing.placing import Box, Placed, Sheet, around
from reckon.present.charts.kinds.frontier import Dot
from reckon.present.charts.words import bundled_glyphs, drawable

MOST_NUMBERED = 200
"""The most dominated choices that have their numbers."""

NAMES_AWAY, NUMBERS_AWAY = (9, 22, 36, 52, 70, 90, 112), (7, 14, 22)
"""How far from their points names and numbers are tried, in pixels."""

LINE, SMALL = 15, 12
"""The heights in pixels of a line of a name, and of a number."""

REFERENCE = " (reference)"


def written(front: Sequence[Dot], beaten: Sequence[Dot], ground: Ground, reference: str) -> list[dict[str, Any]]:
    """Return the words beside the choices of the frontier (by time) and the `beaten`, as rows of data.

    Those of the frontier have names and figures where all have room, else names where all have room, else numbers.
    Words without room are left out.
    """
    sheet = Sheet(WIDE, HEIGHT)
    sheet.take(_drawn(front, beaten, ground))
    names = _names(front, ground, reference, sheet)
    numbers = []
    for dot in beaten[:MOST_NUMBERED]:
        said = str(dot.number) + REFERENCE * (dot.id == reference)
        size = (4 + 6.4 * len(said), SMALL)
        if place := sheet.place(*ground.pixel(dot.time, dot.cost), size, NUMBERS_AWAY):
            numbers.append(_row(dot, (said, ""), place, ground))
    return [*names, *numbers]


def _drawn(front: Sequence[Dot], beaten: Sequence[Dot], ground: Ground) -> Iterator[Box]:
    """The boxes of what words may not lie on: points, the ranges of those of the frontier, and its steps."""
    for dot in front:
        x, y = ground.pixel(dot.time, dot.cost)
        yield around(x, y, 5.5)
        low, high = (ground.pixel(dot.time, end)[1] for end in dot.ends)
        yield Box(x - 1, high, x + 1, low)
    for dot in beaten:
        yield around(*ground.pixel(dot.time, dot.cost), 3)
    for one, other in pairwise(front):
        (x, y), (to_x, to_y) = ground.pixel(one.time, one.cost), ground.pixel(other.time, other.cost)
        yield Box(x, y - 1, to_x, y + 1)
        yield Box(to_x - 1, min(y, to_y), to_x + 1, max(y, to_y))


def _names(front: Sequence[Dot], ground: Ground, reference: str, sheet: Sheet) -> list[dict[str, Any]]:
    glyphs = bundled_glyphs()
    marks = [REFERENCE * (dot.id == reference) for dot in front]
    names = [drawable(dot.label, glyphs, LABEL_LENGTH) + mark for dot, mark in zip(front, marks, strict=True)]
    figures = [drawable(dot.value, glyphs, VALUE_LENGTH) for dot in front]
    numbers = [f"{dot.number}{mark}" for dot, mark in zip(front, marks, strict=True)]
    nothing = [""] * len(front)
    for first, second in ((names, figures), (names, nothing), (numbers, nothing)):
        tried, rows = sheet.copy(), []
        for dot, *said in zip(front, first, second, strict=True):
            size = (6 + max(6.9 * len(said[0]), 6.4 * len(said[1])), LINE * (1 + bool(said[1])))
            place = tried.place(*ground.pixel(dot.time, dot.cost), size, NAMES_AWAY)
            if place:
                rows.append(_row(dot, (said[0], said[1]), place, ground))
        if len(rows) == len(front) or first is numbers:
            break
    sheet.cells = tried.cells
    return rows


def _row(dot: Dot, said: tuple[str, str], place: Placed, ground: Ground) -> dict[str, Any]:
    """Return words as a row of data, with their place in pixels from their point."""
    x, y = ground.pixel(dot.time, dot.cost)
    box, (to_x, to_y) = place.box, place.lead or (x, y)
    along = {-1: box.right, 0: (box.left + box.right) / 2, 1: box.left}[place.side]
    return {
        "time": dot.time,
        "cost": dot.cost,
        "words": said[0],
        "figures": said[1],
        "number": f"{dot.number}",
        "weight": "normal" if dot.standing == "dominated" else "bold",
        "align": {-1: "right", 0: "center", 1: "left"}[place.side],
        "across": round(along - x, 1),
        "down": round((box.top + box.bottom) / 2 - y, 1),
        "to_x": round(to_x - x, 1),
        "to_y": round(to_y - y, 1),
    }
