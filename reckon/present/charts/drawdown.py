"""What is left of a reserve over time: a surface that goes down in numbered steps, and what is overdrawn below zero.

The numbers are those of the page's table of what drew on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from reckon.language.calendar_days import iso
from reckon.language.quantity import ZERO

from ..budget.status import Standing
from ..render.numbers import figure_text, value_text
from . import palette
from .axes import moment
from .layout import AT_WIDTH, VALUE_LENGTH, Layers, Rows, Spec, bold, framed, layer, room, word
from .time_plane import HEIGHT, Plane, drawn, merged
from .words import UNIT, drawable, hours_text, join_list, joined, tidy, titled

MOST_STEPS = 2000
"""The most steps that a picture holds."""

COARSER = (1, 7, 28, 91, 364, 3640)
"""The days that steps are taken together by, where there are more."""

Taking = tuple[int, int, Fraction]
"""The day, the number of what drew on the reserve, and how much."""


@dataclass(frozen=True)
class DrawdownStep:
    """A change of a reserve: what is `left` after it (below zero: overdrawn), and its number in the page's table.

    `value` is what is left as printed, `label` what happened; both are shown on hover.
    """

    date: str
    left: float
    number: int
    value: str
    label: str = ""


@dataclass(frozen=True)
class Drawdown:
    """A reserve of `start` (in `unit`) at `since`, the steps by which it changes, and the date at which it `ends`.

    Steps stand oldest first; those that are drawn too close together share a label ("3–5", "2, 4").
    """

    title: str
    unit: str
    since: str
    start: float
    steps: Sequence[DrawdownStep]
    end: str
    alt: str
    about: str = ""

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        levels = [(self.since, self.start), *((step.date, step.left) for step in self.steps)]
        levels.append((self.end, levels[-1][1]))
        plane = Plane.around([date for date, _ in levels], [left for _, left in levels])
        told: Rows = []
        for step in self.steps:
            said = {"item": joined(f"{step.number}", step.label, by=" "), "amount": tidy(step.value)}
            told.append({"at": moment(step.date), "level": step.left, **said})
        left = [drawable(step.value, VALUE_LENGTH) for step in self.steps[-1:]]
        last = [{"at": moment(self.end), "level": levels[-1][1], "left": said} for said in left]
        # Below its step, or above where it stands on the axis.
        side = -8 if plane.down(levels[-1][1]) > 0.9 * HEIGHT else 18
        end = layer("text", bold(align="right", dx=-4, dy=side), last, x=plane.x, y=plane.y(), text=word("left"))
        layers = [*_surface(drawn(levels), plane), _numbers(self, plane), end, plane.hover(told)]
        return framed(self, layers, HEIGHT, room(8, 0), unit=self.unit)


def contingency(standing: Standing) -> Drawdown | None:
    """The contingency going down; None where nothing drew on it, or where no day is known."""
    view = standing.view
    history, start = view.book.histories.get(view.id), view.maybe("budget.contingency")
    if not standing.draws or not history or history.missing or not history.whole.days or not start or start.use is None:
        return None
    left, first, steps = start.use, history.whole.first, []
    for day, number, hours in _merged(list(_takings(standing))):
        left -= hours
        said = f"{standing.draws[number - 1].title}: {hours_text(hours)}"
        steps.append(DrawdownStep(iso(max(day, first)), float(left), number, hours_text(left), said))
    if not steps:
        return None
    said = join_list([f"{row.title} {figure_text(row.drawn)}" for row in standing.draws])
    rest = view.fig("contingency.left")
    alt = f"Of {figure_text(start)} of contingency, {figure_text(rest)} are left; drawn by {said}."
    title = f"{value_text(rest)} of {figure_text(start)} of contingency are left"
    if left < 0:
        title = f"The contingency of {figure_text(start)} is overdrawn by {hours_text(-left)}"
    about, end = f"{titled(view)}: contingency left", iso(history.whole.last)
    return Drawdown(title, UNIT, iso(first), float(start.use), steps, end, alt, about)


def _takings(standing: Standing) -> Iterator[Taking]:
    """What each source drew, day by day: what its running total rose above its plan."""
    nothing = ZERO
    for number, row in enumerate(standing.draws, 1):
        plan, spent = (row.planned and row.planned.use) or nothing, row.source.spent
        above = [(day, max(so_far - plan, nothing)) for day, so_far in ((0, spent.undated), *spent.so_far())]
        for (_, before), (day, now) in pairwise([(0, nothing), *above]):
            if now > before:
                yield day, number, now - before


def _merged(takings: Sequence[Taking]) -> list[Taking]:
    """In order of days; by week, month and so on where there is more than a picture holds."""
    for width in COARSER:
        found: dict[tuple[int, int], tuple[int, Fraction]] = {}
        for day, number, hours in takings:
            last, so_far = found.get((day // width, number), (0, ZERO))
            found[day // width, number] = (max(day, last), so_far + hours)
        if len(found) <= MOST_STEPS:
            break
    return sorted((day, number, hours) for (_, number), (day, hours) in found.items())[:MOST_STEPS]


def _surface(line: Rows, plane: Plane) -> Layers:
    """Return the layers of what is left and what is overdrawn, each with its edge, and of zero between them."""
    layers = []
    for ink, kept in ((palette.LEFT, max), (palette.OVERDRAWN, min)):
        rows = [{**point, "level": kept(point["level"], 0.0)} for point in line]
        if any(row["level"] for row in rows):
            edge = {"color": ink, "strokeWidth": 1.5}
            look = {"interpolate": "step-after", "color": ink, "opacity": 0.3, "line": edge}
            layers.append(layer("area", look, rows, x=plane.x, y=plane.y()))
    zero = {"color": palette.TEXT, "strokeWidth": 2}
    return [*layers, layer("rule", zero, [{"level": 0}], y=plane.y())]


def _numbers(picture: Drawdown, plane: Plane) -> Spec:
    """Return the layer of the steps' numbers, each above the place where its step begins."""

    def number(first: int, last: int) -> str:
        some = sorted({step.number for step in picture.steps[first : last + 1]})
        whole = len(some) > 2 and some[-1] - some[0] == len(some) - 1
        return f"{some[0]}–{some[-1]}" if whole else ", ".join(map(str, some))

    levels = [picture.start, *(step.left for step in picture.steps)]
    moments = [moment(step.date) for step in picture.steps]
    rows: Rows = []
    for narrow, width in enumerate(plane.widths(0)):
        places = [plane.along(at, width) for at in moments]
        for first, last in merged(places, lambda first, last: 6 + 8 * len(number(first, last))):
            highest = max(0.0, *levels[first : last + 2])
            told = {"at": moments[first], "level": highest, "number": number(first, last)}
            rows.append({**told, "narrow": bool(narrow)})
    return {**layer("text", bold(dx=3, dy=-9), rows, x=plane.x, y=plane.y(), text=word("number")), **AT_WIDTH}
