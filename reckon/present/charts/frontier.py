"""Choices by how long they take and what they cost, and which of them nothing else beats.

The frontier is joined by steps and named, and the choice of least cost × time stands out; the dominated are small and
numbered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from reckon.compute.choosing.setups import Choice

from ..choosing import SetupComparison
from ..choosing.comparison import BEST
from ..render.numbers import planned_text
from . import palette
from .axes import Scale
from .layout import LABEL_LENGTH, VALUE_LENGTH, Layers, Rows, Spec, framed, keyed, layer, room, tooltip_channel
from .time_plane import Box, Placed, Spot, Taken, around
from .words import drawable, join_list, tidy

POINT = ("hours", "usd")
"""The figures of a choice that are shown."""

WIDE, HEIGHT = 605, 340
"""The size of the plane in a still picture, in pixels (its width is about that)."""

NAMED = round(0.8 * WIDE)
"""The width in pixels below which the plane has room for numbers only, whatever was written at its full width."""

MOST_NUMBERED = 200
"""The most dominated choices that have their numbers."""

NAMES_AWAY, NUMBERS_AWAY = (9, 22, 36, 52, 70, 90, 112, 136, 162), (7, 14, 22)
"""How far from their points names and numbers are tried, in pixels."""

LINE, SMALL = 15, 12
"""The heights in pixels of a line of a name, and of a number."""

CALLED = {
    "best": "least cost × time",
    "frontier": "no other is both faster and cheaper",
    "dominated": "another is faster and cheaper",
}
SHAPES = {"best": "diamond", "frontier": "circle", "dominated": "circle"}
SIZES = {"best": 200, "frontier": 80, "dominated": 28}

FADES = {"dominated": 0.7, "frontier": 0.9, "best": 0.9}
"""How opaque the range of a choice is: all are seen on both pages, those of dominated choices are paler."""

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


Said = tuple[Dot, str, str]
"""A choice, and the two lines of words beside it; an empty one is none."""


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

    def pixel(self, time: float, cost: float) -> Spot:
        """Return where a time and a cost are, in pixels from the top left."""
        return self.scales[0].along(time) * WIDE, (1 - self.scales[1].along(cost)) * HEIGHT

    def spot(self, dot: Dot) -> Spot:
        """Return where a choice is, likewise."""
        return self.pixel(dot.time, dot.cost)

    def numbered(self, dot: Dot) -> Said:
        """Return a choice with its number, as the words beside it."""
        return dot, self.marked(f"{dot.number}", dot), ""

    def marked(self, words: str, dot: Dot) -> str:
        """Return `words` about a choice, with the remark that it is recommended or the reference where it is."""
        remarks = {"recommended": dot.standing == "best", "reference": dot.id == self.reference}
        said = ", ".join(remark for remark, holds in remarks.items() if holds)
        return f"{words} ({said})" if said else words

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        shown = (*self.beaten, *self.front) if len(self.beaten) <= MOST_NUMBERED else self.front
        ranged = [dot for dot in shown if dot.ends[0] < dot.ends[1]]
        layers = [*_ranges(self, ranged), *_steps(self), _dots(self), *_words(self, written(self))]
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
    """Return the layer of the ranges of cost, if any: thin lines, those of dominated choices paler."""
    rows = [
        {"time": dot.time, "low": low, "high": high, "fade": FADES[dot.standing]}
        for dot in dots
        for low, high in [dot.ends]
    ]
    look = {"color": palette.TEXT, "opacity": {"expr": "datum.fade"}}
    return [layer("rule", look, rows, **picture.places(y="low"), y2={"field": "high"})] if rows else []


def _steps(picture: Frontier) -> Layers:
    """Return the layer of the line under which no choice lies: the least cost for which a time can be had."""
    rows = [{"time": dot.time, "cost": dot.cost} for dot in picture.front]
    look = {"interpolate": "step-after", "strokeWidth": 1.5, "color": palette.MERITS["best"], "opacity": 0.6}
    return [layer("line", look, rows, **picture.places())] if len(rows) > 1 else []


def _dots(picture: Frontier) -> Spec:
    rows = []
    for dot in (*picture.beaten, *picture.front):
        said = {"item": picture.marked(f"{dot.number} {tidy(dot.label)}".rstrip(), dot), "amount": tidy(dot.value)}
        rows.append({"time": dot.time, "cost": dot.cost, "standing": CALLED[dot.standing], **said})
    standings = {dot.standing for dot in picture.points}
    shown = [called for merit, called in CALLED.items() if merit in standings]
    key = {"values": shown, "symbolOpacity": 1} if len(shown) > 1 else None
    # Vega takes a range of one size for none, so the scales hold what is not shown too.
    names = list(CALLED.values())
    fills = [palette.MERITS[merit] for merit in CALLED]
    shapes = [SHAPES[merit] for merit in CALLED]
    sizes = [SIZES[merit] for merit in CALLED]
    looks = {**keyed("standing", names, key, color=fills, shape=shapes), **keyed("standing", names, None, size=sizes)}
    hover = tooltip_channel("item", "amount", "standing")
    return layer("point", {"filled": True, "opacity": 1}, rows, **picture.places(), **looks, tooltip=hover)


def _words(picture: Frontier, rows: Rows) -> Layers:
    """Return the layers of the words, and of the lines that lead to those that stand further away."""
    places = picture.places()
    # Numbers are small: where they stand for names, they come nearer.
    near = f"(width < {NAMED} && (datum.to_x || datum.to_y) ? 0.4 : 1)"
    to_x, to_y = (f"scale('{x}', datum.{of}) + {near} * datum.to_{x}" for x, of in (("x", "time"), ("y", "cost")))
    ends = {"x2": {"value": {"expr": to_x}}, "y2": {"value": {"expr": to_y}}}
    leads = layer("rule", {"color": palette.THREAD}, rows, **places, **ends)
    layers = [{**leads, "transform": [{"filter": "datum.to_x || datum.to_y"}]}]
    for field, down in (("words", f"- (datum.figures && width >= {NAMED} ? 7 : 0)"), ("figures", "+ 8")):
        look = {
            "align": {"expr": "datum.align"},
            "baseline": "middle",
            "dx": {"expr": f"{near} * datum.across"},
            "dy": {"expr": f"{near} * datum.down {down}"},
            "fontSize": {"expr": "datum.weight == 'bold' ? 12 : 10"},
            "fontWeight": {"expr": f"'{field}' == 'words' ? datum.weight : 'normal'"},
            "color": palette.TEXT,
        }
        narrow = "datum.number" if field == "words" else "''"
        text = {"value": {"expr": f"width < {NAMED} ? {narrow} : datum.{field}"}}
        layers.append(layer("text", look, rows, **places, text=text))
    return layers


def written(picture: Frontier) -> Rows:
    """Return the words beside choices as rows of data: those of the frontier have names and figures where all have
    room, else names where all have room, else numbers. Dominated choices have numbers. Words without room are left out.
    """
    loose, ranges = Taken(WIDE, HEIGHT), list(_range_boxes(picture, picture.beaten))
    loose.take(_drawn(picture))
    strict = loose.copy()
    strict.take(ranges)
    rows, taken = _front(picture, strict, loose)
    taken.take(ranges)
    beaten = sorted(picture.beaten, key=lambda dot: dot.id != picture.reference)
    numbers, _ = _place_labels(picture, map(picture.numbered, beaten[:MOST_NUMBERED]), taken)
    return rows + numbers


def _drawn(picture: Frontier) -> Iterator[Box]:
    """The boxes of what no words may lie on: points, and the ranges and steps of the frontier."""
    for dot in picture.points:
        reach = 3 if dot.standing == "dominated" else 5.5
        yield around(*picture.spot(dot), reach, reach)
    yield from _range_boxes(picture, picture.front)
    for (x, y), (to_x, to_y) in pairwise(map(picture.spot, picture.front)):
        yield Box(x, y - 1, to_x, y + 1)
        yield Box(to_x - 1, min(y, to_y), to_x + 1, max(y, to_y))


def _range_boxes(picture: Frontier, dots: Iterable[Dot]) -> Iterator[Box]:
    for dot in dots:
        (x, low), (_, high) = (picture.pixel(dot.time, end) for end in dot.ends)
        yield Box(x - 1, high, x + 1, low)


def _front(picture: Frontier, strict: Taken, loose: Taken) -> tuple[Rows, Taken]:
    """Return what is written beside the frontier, and what is taken then.

    Names may lie on the pale ranges of dominated choices (they do on the `loose` plane) before they give way to
    numbers. The reference comes first, so that it has room.
    """
    front = sorted(picture.front, key=lambda dot: dot.id != picture.reference)
    names = [picture.marked(drawable(dot.label, LABEL_LENGTH), dot) for dot in front]
    full = [(dot, name, drawable(dot.value, VALUE_LENGTH)) for dot, name in zip(front, names, strict=True)]
    bare = [(dot, name, "") for dot, name, _ in full]
    for plane, said in ((strict, full), (strict, bare), (loose, bare)):
        rows, tried = _place_labels(picture, said, plane, whole=True)
        if len(rows) == len(front):
            return rows, tried
    return _place_labels(picture, map(picture.numbered, front), loose)


def _place_labels(picture: Frontier, said: Iterable[Said], plane: Taken, whole: bool = False) -> tuple[Rows, Taken]:
    """Return the words that have room on the `plane`, as rows of data, and what is taken then.

    Where only the `whole` is of use, the first words without room are the end.
    """
    tried, rows = plane.copy(), []
    for dot, first, second in said:
        rings: Sequence[float] = NAMES_AWAY
        size = (6 + max(6.9 * len(first), 6.4 * len(second)), LINE * (1 + bool(second)))
        if dot.standing == "dominated":
            size, rings = (4 + 6.4 * len(first), SMALL), NUMBERS_AWAY
        if place := tried.place(*picture.spot(dot), size, rings):
            rows.append(_label_row(picture, (dot, first, second), place))
        elif whole:
            break
    return rows, tried


def _label_row(picture: Frontier, said: Said, place: Placed) -> Spec:
    """Return words as a row of data, with their place in pixels from their point."""
    dot, first, second = said
    x, y = picture.spot(dot)
    box, (to_x, to_y) = place.box, place.lead or (x, y)
    middle = ("center", (box.left + box.right) / 2)
    align, along = {-1: ("right", box.right), 1: ("left", box.left)}.get(int(place.side), middle)
    down = (box.top + box.bottom) / 2 - y
    away = {"across": along - x, "down": down, "to_x": to_x - x, "to_y": to_y - y}
    weight = "normal" if dot.standing == "dominated" else "bold"
    words = {"words": first, "figures": second, "number": f"{dot.number}", "weight": weight, "align": align}
    places = {field: round(pixels, 1) for field, pixels in away.items()}
    return {"time": dot.time, "cost": dot.cost, **words, **places}
