"""Choices by how long they take and what they cost, and which of them nothing else beats.

The frontier is joined by steps and named, the dominated are small and numbered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reckon.compute.choosing.setups import Choice

from ..choosing import SetupComparison
from ..render.numbers import planned_text
from . import palette
from .axes import Scale
from .beside import HEIGHT, MOST_NUMBERED, REFERENCE, WIDE, Dot, Ground, written
from .frame import Rows, Spec, expr, framed, keyed, layer, room, told
from .palette import Merit
from .words import listed, tidy

NAMED = round(0.8 * WIDE)
"""The width in pixels below which the plane has room for numbers only, whatever was written at its full width."""

CALLED: dict[Merit, str] = {"hull": "frontier, on its hull", "frontier": "frontier", "dominated": "dominated"}
SHAPES: dict[Merit, str] = {"hull": "diamond", "frontier": "circle", "dominated": "circle"}
SIZES: dict[Merit, int] = {"hull": 110, "frontier": 80, "dominated": 28}

RANGES = "Lines through points are ranges of their cost."


@dataclass(frozen=True)
class Frontier:
    """Time across, cost up, a point for each choice; those of the frontier are joined by steps.

    There is at least one point. An axis whose largest number is more than 20 times its smallest (above zero) is
    logarithmic, and says so. `reference` is the id of the choice that others are compared with; an empty one is none.
    """

    title: str
    points: tuple[Dot, ...]
    time_unit: str
    cost_unit: str
    alt: str
    reference: str = ""

    @property
    def ground(self) -> Ground:
        """The plane that holds all points, with the ranges of their cost."""
        time = Scale.around([dot.time for dot in self.points])
        cost = Scale.around([end for dot in self.points for end in dot.ends])
        return Ground(time, cost, self.time_unit, self.cost_unit)

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        ground = self.ground
        front = [dot for dot in self.points if dot.standing != "dominated"]
        front.sort(key=lambda dot: (dot.time, -dot.cost))
        beaten = [dot for dot in self.points if dot.standing == "dominated"]
        shown = (*beaten, *front) if len(beaten) <= MOST_NUMBERED else front
        ranged = [dot for dot in shown if dot.ends[0] < dot.ends[1]]
        layers = [
            *(_ranges(ranged, ground) if ranged else ()),
            *(_steps(front, ground) if len(front) > 1 else ()),
            _dots([*beaten, *front], ground, self.reference),
            *_words(written(front, beaten, ground, self.reference), ground),
        ]
        said = RANGES if ranged else ""
        return framed(layers, self.title, self.alt, HEIGHT, room(8, 0), unit=said)


def frontier(comparison: SetupComparison) -> Frontier | None:
    """Cost against time; None where fewer than two setups have both. Numbers are those of the page's tables."""
    found = comparison.found
    dots = [_dot(comparison, choice) for choice in comparison.shown if choice.id in comparison.numbers]
    if len(dots) < 2:
        return None
    said = [f"{comparison.title(setup)} ({_value(comparison, found.choices[setup])})" for setup in comparison.front]
    beside = len(dots) - len(said)
    others = {0: "no other is dominated", 1: "one other is dominated"}.get(beside, f"{beside} others are dominated")
    alt = f"On the frontier of time and cost, from the cheapest to the fastest: {listed(said)}; {others}."
    reference = found.reference if found.reference in comparison.numbers else ""
    return Frontier(f"{comparison.record.title}: cost against time", tuple(dots), "h", "$", alt, reference)


def _dot(comparison: SetupComparison, choice: Choice) -> Dot:
    found = comparison.found
    _, time, cost = found.points[choice.id]
    usd = comparison.view.book[f"{choice.at}.usd"]
    low, high = (None if end is None else float(end) for end in (usd.value.low, usd.value.high))
    on = choice.id in found.front
    standing: Merit = "hull" if choice.id in found.hull else "frontier" if on else "dominated"
    label, number = comparison.title(choice.id), comparison.numbers[choice.id]
    return Dot(choice.id, label, float(time), float(cost), _value(comparison, choice), standing, number, low, high)


def _value(comparison: SetupComparison, choice: Choice) -> str:
    return ", ".join(planned_text(comparison.view.book[f"{choice.at}.{key}"]) for key in ("hours", "usd"))


def _ranges(dots: Iterable[Dot], ground: Ground) -> list[Spec]:
    """Return the layer of the ranges of cost: thin lines, those of dominated choices paler."""
    rows = [
        {"time": dot.time, "low": low, "high": high, "fade": 0.35 if dot.standing == "dominated" else 0.9}
        for dot in dots
        for low, high in [dot.ends]
    ]
    look = {"color": palette.TEXT.light, "opacity": expr("datum.fade")}
    return [layer("rule", look, rows, x=ground.x("time"), y=ground.y("low"), y2={"field": "high"})]


def _steps(front: Sequence[Dot], ground: Ground) -> list[Spec]:
    """Return the layer of the line under which no choice lies: the least cost for which a time can be had."""
    rows = [{"time": dot.time, "cost": dot.cost} for dot in front]
    look = {"interpolate": "step-after", "strokeWidth": 1.5, "color": palette.MERITS["frontier"], "opacity": 0.6}
    return [layer("line", look, rows, x=ground.x("time"), y=ground.y("cost"))]


def _dots(dots: Iterable[Dot], ground: Ground, reference: str) -> Spec:
    rows = [
        {
            "time": dot.time,
            "cost": dot.cost,
            "standing": CALLED[dot.standing],
            "item": f"{dot.number} {tidy(dot.label)}".rstrip() + REFERENCE * (dot.id == reference),
            "amount": tidy(dot.value),
        }
        for dot in dots
    ]
    shown = [called for called in CALLED.values() if any(row["standing"] == called for row in rows)]
    key = {"values": shown, "symbolOpacity": 1} if len(shown) > 1 else None
    # Vega takes a range of one size for none, so the scales hold what is not shown too.
    names = list(CALLED.values())
    fills, shapes, sizes = ([looks[merit] for merit in CALLED] for looks in (palette.MERITS, SHAPES, SIZES))
    channels = {
        **keyed("standing", names, key, color=fills, shape=shapes),
        **keyed("standing", names, None, size=sizes),
        "tooltip": told("item", "amount", "standing"),
    }
    return layer("point", {"filled": True, "opacity": 1}, rows, x=ground.x("time"), y=ground.y("cost"), **channels)


def _words(rows: Rows, ground: Ground) -> list[Spec]:
    """Return the layers of the words, and of the lines that lead to those that stand further away."""
    places = {"x": ground.x("time"), "y": ground.y("cost")}
    # Numbers are small: where they stand for names, they come nearer.
    near = f"(width < {NAMED} && (datum.to_x || datum.to_y) ? 0.4 : 1)"
    to_x, to_y = (f"scale('{x}', datum.{of}) + {near} * datum.to_{x}" for x, of in (("x", "time"), ("y", "cost")))
    ends = {"x2": {"value": expr(to_x)}, "y2": {"value": expr(to_y)}}
    leads = layer("rule", {"color": palette.THREAD.light}, rows, **places, **ends)
    layers = [{**leads, "transform": [{"filter": "datum.to_x || datum.to_y"}]}]
    for field, down in (("words", f"- (datum.figures && width >= {NAMED} ? 7 : 0)"), ("figures", "+ 8")):
        look = {
            "align": expr("datum.align"),
            "baseline": "middle",
            "dx": expr(f"{near} * datum.across"),
            "dy": expr(f"{near} * datum.down {down}"),
            "fontSize": expr("datum.weight == 'bold' ? 12 : 10"),
            "fontWeight": expr(f"'{field}' == 'words' ? datum.weight : 'normal'"),
            "color": palette.TEXT.light,
        }
        narrow = "datum.number" if field == "words" else "''"
        text = {"value": expr(f"width < {NAMED} ? {narrow} : datum.{field}")}
        layers.append(layer("text", look, rows, **places, text=text))
    return layers
