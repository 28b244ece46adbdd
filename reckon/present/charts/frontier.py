"""Choices by how long they take and what they cost, and which of them nothing else beats.

The frontier is joined by steps and named, and the choice of least cost × time stands out; the dominated are small and
numbered. What has its number alone is named below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from textwrap import wrap

from reckon.compute.choosing.setups import Choice

from ..choosing import SetupComparison
from ..choosing.comparison import BEST
from ..render.numbers import planned_text
from . import palette
from .axes import Scale
from .layout import (
    AT_WIDTH,
    LABEL_LENGTH,
    NAME_LENGTH,
    Layers,
    Rows,
    Spec,
    framed,
    keyed,
    layer,
    room,
    tooltip_channel,
    word,
)
from .time_plane import Box, Spot, Taken, around, near, text_size, words_near
from .words import drawable, join_list, tidy

PLACES = {"x": "time", "y": "cost"}
"""The fields that places are in."""

POINT = ("hours", "usd")
"""The figures of a choice that are shown."""

WIDTHS, HEIGHT = (615, 275), 340
"""The widths (about) and the height of the plane in pixels, in a wide picture and in a narrow one."""

WAY = 3
"""How far words stay away from ranges and steps, in pixels: the plane may be a little wider or narrower."""

KEY_PLACES = {"x": {"value": {"expr": "300 * datum.column"}}, "y": {"value": {"expr": "height + 52 + 16 * datum.line"}}}
"""Where the names of numbers stand, below the plane."""

MOST_NAMED, MOST_NUMBERED, MOST_KEYED = 20, 200, 24
"""The most choices of the frontier that have their names, the most dominated ones that have their numbers, and the most
numbers that are named below."""

SHORT_LENGTH = 12
"""The most characters in a line of a name that has no room in longer ones."""

NAMES_AWAY, NUMBERS_AWAY = (8, 22, 36, 52, 70, 90, 112, 136, 162), (7, 14, 22, 34)
"""How far from their points names and numbers are tried, in pixels."""

CALLED = {
    "best": "least cost × time",
    "frontier": "no other is both faster and cheaper",
    "dominated": "another is faster and cheaper",
}
SHAPES = {"best": "diamond", "frontier": "circle", "dominated": "square"}
SIZES = {"best": 200, "frontier": 80, "dominated": 28}
REACHES = {"best": 8, "frontier": 5.5, "dominated": 3}

RANGE_OPACITY = 0.8

RANGES = "Lines through points are ranges of their cost."


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
    standing: str
    number: int
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that the choice costs."""
        low, high = (self.cost if end is None else end for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Frontier:
    """Time across, cost up, a point for each choice; those of the frontier are joined by steps.

    There is at least one point. An axis whose largest number is more than 20 times its smallest (above zero) is
    logarithmic, and says so. `reference` is the id of the choice that others are compared with; an empty one is none.
    """

    title: str
    points: Sequence[Dot]
    time_unit: str
    cost_unit: str
    alt: str
    reference: str = ""
    about: str = ""

    @cached_property
    def front(self) -> list[Dot]:
        """The choices of the frontier, by their times."""
        front = [dot for dot in self.points if dot.standing != "dominated"]
        return sorted(front, key=lambda dot: (dot.time, -dot.cost))

    @cached_property
    def beaten(self) -> list[Dot]:
        """The dominated choices."""
        return [dot for dot in self.points if dot.standing == "dominated"]

    @cached_property
    def scales(self) -> tuple[Scale, Scale]:
        """The axes of time and cost, which hold all points with the ranges of their cost."""
        time = Scale.around([dot.time for dot in self.points])
        return time, Scale.around([end for dot in self.points for end in dot.ends])

    def places(self, x: str = "time", y: str = "cost") -> Spec:
        """Return the channels of the times and costs in two fields."""
        time, cost = self.scales
        return {"x": time.channel(x, "time", self.time_unit), "y": cost.channel(y, "cost", self.cost_unit)}

    def pixel(self, time: float, cost: float, width: float) -> Spot:
        """Return where a time and a cost are, in pixels from the top left of a plane so wide."""
        return self.scales[0].along(time) * width, (1 - self.scales[1].along(cost)) * HEIGHT

    def spot(self, dot: Dot, width: float) -> Spot:
        """Return where a choice is, likewise."""
        return self.pixel(dot.time, dot.cost, width)

    def name(self, dot: Dot) -> str:
        """Return what a choice is called, with the remark that it is recommended or the reference where it is."""
        remarks = {"recommended": dot.standing == "best", "reference": dot.id == self.reference}
        said, name = ", ".join(remark for remark, holds in remarks.items() if holds), drawable(dot.label, LABEL_LENGTH)
        return f"{name} ({said})" if said else name

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        shown = (*self.beaten, *self.front) if len(self.beaten) <= MOST_NUMBERED else self.front
        ranged = [dot for dot in shown if dot.ends[0] < dot.ends[1]]
        layers = [*_ranges(self, ranged), *_steps(self), _dots(self), *_words(self)]
        return framed(self, layers, HEIGHT, room(8, 0), unit=RANGES if ranged else "")


def frontier(comparison: SetupComparison) -> Frontier | None:
    """Cost against time; None where fewer than two setups have both. Numbers are those of the page's tables."""
    found = comparison.found
    dots = [_dot(comparison, choice) for choice in comparison.shown if choice.id in comparison.numbers]
    if len(dots) < 2:
        return None
    said = [f"{comparison.title(setup)} ({_value(comparison, found.choices[setup])})" for setup in comparison.front]
    beside = len(dots) - len(said)
    others = f"; {beside} others have no advantage" if beside else ""
    alt = f"Best trade-offs of time and cost, from the cheapest to the fastest: {join_list(said)}{others}."
    reference = found.reference if found.reference in comparison.numbers else ""
    best = found.choices[found.ranks.get(BEST, comparison.front[0])]
    hours, usd = (planned_text(comparison.view.book[f"{best.at}.{key}"]) for key in POINT)
    title = f"{comparison.title(best.id)} takes {hours} for {usd}; nothing cheaper is faster"
    return Frontier(title, dots, "h", "$", alt, reference, f"{comparison.record.title}: cost against time")


def _dot(comparison: SetupComparison, choice: Choice) -> Dot:
    found = comparison.found
    _, time, cost = found.points[choice.id]
    usd = comparison.view.book[f"{choice.at}.usd"]
    low, _, high = (None if end is None else float(end) for end in usd.value.ends)
    if choice.id == found.ranks.get(BEST):
        standing = "best"
    elif choice.id in found.front:
        standing = "frontier"
    else:
        standing = "dominated"
    label, number = comparison.title(choice.id), comparison.numbers[choice.id]
    return Dot(choice.id, label, float(time), float(cost), _value(comparison, choice), standing, number, low, high)


def _value(comparison: SetupComparison, choice: Choice) -> str:
    return ", ".join(planned_text(comparison.view.book[f"{choice.at}.{key}"]) for key in POINT)


def _ranges(picture: Frontier, dots: Iterable[Dot]) -> Layers:
    """Return the layer of the ranges of cost, if any: thin lines."""
    rows = [{"time": dot.time, "low": dot.ends[0], "high": dot.ends[1]} for dot in dots]
    look = {"color": palette.TEXT, "opacity": RANGE_OPACITY}
    return [layer("rule", look, rows, **picture.places(y="low"), y2={"field": "high"})] if rows else []


def _steps(picture: Frontier) -> Layers:
    """Return the layer of the line under which no choice lies: the least cost for which a time can be had."""
    rows = [{"time": dot.time, "cost": dot.cost} for dot in picture.front]
    look = {"interpolate": "step-after", "strokeWidth": 2, "color": palette.MERITS["frontier"]}
    return [layer("line", look, rows, **picture.places())] if len(rows) > 1 else []


def _dots(picture: Frontier) -> Spec:
    rows = []
    for dot in (*picture.beaten, *picture.front):
        said = {"item": f"{dot.number} {picture.name(dot)}", "amount": tidy(dot.value)}
        rows.append({"time": dot.time, "cost": dot.cost, "standing": CALLED[dot.standing], **said})
    standings = {dot.standing for dot in picture.points}
    shown = [called for merit, called in CALLED.items() if merit in standings]
    key = {"values": shown, "symbolOpacity": 1} if len(shown) > 1 else None
    # Vega takes a range of one size for none, so the scales hold what is not shown too.
    names = list(CALLED.values())
    fills, shapes, sizes = (list(looks.values()) for looks in (palette.MERITS, SHAPES, SIZES))
    looks = {**keyed("standing", names, key, color=fills, shape=shapes), **keyed("standing", names, None, size=sizes)}
    hover = tooltip_channel("item", "amount", "standing")
    return layer("point", {"filled": True, "opacity": 1}, rows, **picture.places(), **looks, tooltip=hover)


def _words(picture: Frontier) -> Layers:
    """Return the layers of the words, and of the lines that lead to those that stand further away."""
    rows = [{**row, "narrow": width < WIDTHS[0]} for width in WIDTHS for row in written(picture, width)]
    places = picture.places()
    ends = {f"{x}2": {"value": {"expr": f"scale('{x}', datum.{of}) + datum.to_{x}"}} for x, of in PLACES.items()}
    led = [row for row in rows if row["to_x"] or row["to_y"]]
    leads = layer("rule", {"color": palette.THREAD}, led, **places, **ends)
    return [{**leads, **AT_WIDTH}, words_near(rows, **places), *_key(picture, rows)]


def _key(picture: Frontier, rows: Rows) -> Layers:
    """Return the layer of what numbers stand for, in columns below the plane; none where they are too many."""
    shown = {(row["narrow"], row["words"]) for row in rows}
    names = sorted((dot.number, picture.name(dot)) for dot in picture.points)
    told: Rows = []
    for narrow, columns in ((False, 2), (True, 1)):
        key = [f"{number}: {name}" for number, name in names if (narrow, f"{number}") in shown]
        for place, words in enumerate(key if len(key) <= MOST_KEYED else []):
            line, column = divmod(place, columns)
            told.append({"words": words, "line": line, "column": column, "narrow": narrow})
    look = {"align": "left", "baseline": "top", "fontSize": 11, "color": palette.TEXT}
    return [{**layer("text", look, told, **KEY_PLACES, text=word("words")), **AT_WIDTH}] if told else []


def written(picture: Frontier, width: float) -> Rows:
    """Return the words beside choices on a plane so wide as rows of data: those of the frontier have their names, or
    their numbers where a name has no room; dominated ones have numbers. The recommended one and the reference come
    first. Words without room are left out.
    """
    taken, rows = Taken(width, HEIGHT), []
    taken.take(_drawn(picture, width))
    points = sorted(picture.front, key=lambda dot: (dot.standing != "best", dot.id != picture.reference))
    points += sorted(picture.beaten, key=lambda dot: dot.id != picture.reference)[:MOST_NUMBERED]
    for rank, dot in enumerate(points):
        bold, (x, y) = dot.standing != "dominated", picture.spot(dot, width)
        named = bold and rank < MOST_NAMED
        lengths = (NAME_LENGTH, SHORT_LENGTH) if named else ()
        words = ["\n".join(wrap(picture.name(dot), length, break_long_words=False)) for length in lengths]
        for said in (*words, f"{dot.number}"):
            if place := taken.place(x, y, text_size(said), NAMES_AWAY if named else NUMBERS_AWAY):
                to_x, to_y = place.lead or (x, y)
                lead = {"to_x": round(to_x - x, 1), "to_y": round(to_y - y, 1)}
                rows.append({"time": dot.time, "cost": dot.cost, "bold": bold, **near(said, x, y, place.box), **lead})
                break
    return rows


def _drawn(picture: Frontier, width: float) -> Iterator[Box]:
    """The boxes of what no words may lie on: points, and the ranges and steps of the frontier."""
    for dot in picture.points:
        yield around(*picture.spot(dot, width), REACHES[dot.standing], REACHES[dot.standing])
        (x, low), (_, high) = (picture.pixel(dot.time, end, width) for end in dot.ends)
        yield Box(x - WAY, high, x + WAY, low)
    for (x, y), (to_x, to_y) in pairwise(picture.spot(dot, width) for dot in picture.front):
        yield Box(x, y - WAY, to_x, y + WAY)
        yield Box(to_x - WAY, min(y, to_y), to_x + WAY, max(y, to_y))
