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

NAMES_AWAY, NUMBERS_AWAY = (9, 22, 36, 52, 70, 90, 112, 136, 162), (7, 14, 22)
"""How far from their points names and numbers are tried, in pixels."""

LINE, SMALL = 15, 12
"""The heights in pixels of a line of a name, and of a number."""

REFERENCE = " (reference)"


def written(front: Sequence[Dot], beaten: Sequence[Dot], ground: Ground, reference: str) -> list[dict[str, Any]]:
    """Return the words beside the choices of the frontier (by time) and the `beaten`, as rows of data.

    Those of the frontier have names and figures where all have room, else names where all have room, else numbers.
    Words without room are left out.
    """
    loose, ranges = Sheet(WIDE, HEIGHT), list(_ranges(beaten, ground))
    loose.take(_drawn(front, beaten, ground))
    strict = loose.copy()
    strict.take(ranges)
    names, sheet = _front(front, ground, reference, (strict, loose))
    sheet.take(ranges)
    numbers = []
    for dot in sorted(beaten, key=lambda dot: dot.id != reference)[:MOST_NUMBERED]:
        said = str(dot.number) + REFERENCE * (dot.id == reference)
        size = (4 + 6.4 * len(said), SMALL)
        if place := sheet.place(*ground.pixel(dot.time, dot.cost), size, NUMBERS_AWAY):
            numbers.append(_row(dot, (said, ""), place, ground))
    return [*names, *numbers]


def _drawn(front: Sequence[Dot], beaten: Sequence[Dot], ground: Ground) -> Iterator[Box]:
    """The boxes of what no words may lie on: points, and the ranges and steps of the frontier."""
    for dot in (*front, *beaten):
        yield around(*ground.pixel(dot.time, dot.cost), 3 if dot.standing == "dominated" else 5.5)
    yield from _ranges(front, ground)
    for one, other in pairwise(front):
        (x, y), (to_x, to_y) = ground.pixel(one.time, one.cost), ground.pixel(other.time, other.cost)
        yield Box(x, y - 1, to_x, y + 1)
        yield Box(to_x - 1, min(y, to_y), to_x + 1, max(y, to_y))


def _ranges(dots: Sequence[Dot], ground: Ground) -> Iterator[Box]:
    for dot in dots:
        x, low = ground.pixel(dot.time, dot.ends[0])
        yield Box(x - 1, ground.pixel(dot.time, dot.ends[1])[1], x + 1, low)


def _front(
    front: Sequence[Dot], ground: Ground, reference: str, sheets: tuple[Sheet, Sheet]
) -> tuple[list[dict[str, Any]], Sheet]:
    """Return what is written beside the frontier, and what is taken then.

    Names may lie on the pale ranges of dominated choices (they do on the second of the sheets) before they give way to
    numbers. The reference comes first, so that it has room.
    """
    strict, loose = sheets
    front = sorted(front, key=lambda dot: dot.id != reference)
    glyphs = bundled_glyphs()
    marks = [REFERENCE * (dot.id == reference) for dot in front]
    names = [drawable(dot.label, glyphs, LABEL_LENGTH) + mark for dot, mark in zip(front, marks, strict=True)]
    figures = [drawable(dot.value, glyphs, VALUE_LENGTH) for dot in front]
    nothing = [""] * len(front)
    for sheet, second in ((strict, figures), (strict, nothing), (loose, nothing)):
        rows, tried = _tried(front, list(zip(names, second, strict=True)), ground, sheet, whole=True)
        if len(rows) == len(front):
            return rows, tried
    numbers = [f"{dot.number}{mark}" for dot, mark in zip(front, marks, strict=True)]
    return _tried(front, list(zip(numbers, nothing, strict=True)), ground, loose)


def _tried(
    dots: Sequence[Dot], said: Sequence[tuple[str, str]], ground: Ground, sheet: Sheet, whole: bool = False
) -> tuple[list[dict[str, Any]], Sheet]:
    """Return the words that have room on `sheet`, as rows of data, and what is taken then.

    Where only the `whole` is of use, the first words without room are the end.
    """
    tried, rows = sheet.copy(), []
    for dot, (first, second) in zip(dots, said, strict=True):
        size = (6 + max(6.9 * len(first), 6.4 * len(second)), LINE * (1 + bool(second)))
        if place := tried.place(*ground.pixel(dot.time, dot.cost), size, NAMES_AWAY):
            rows.append(_row(dot, (first, second), place, ground))
        elif whole:
            break
    return rows, tried


def _row(dot: Dot, said: tuple[str, str], place: Placed, ground: Ground) -> dict[str, Any]:
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
