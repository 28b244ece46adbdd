"""What was used over time, beside the plan, the forecast and the limits.

A running total is a step line, the plan a dashed one, the forecast a fan; limits are labelled rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reckon.compute.budget.drawdown import History
from reckon.language.calendar_days import first_day, iso, last_day
from reckon.language.quantity import ZERO
from reckon.language.text import capitalise
from reckon.model.kinds import BEST_CASE, CEILING, EXTENDED, FINAL, Total, called

from ..render.numbers import figure_text, number_text
from ..table_rows import use_of
from ..view import View
from . import palette
from .axes import MOST_POINTS, moment
from .layout import Layers, Rows, Spec, framed, keyed, layer, room, word
from .time_plane import HEIGHT, RULE_LENGTH, Plane, drawn, marked_days, ruled, spread
from .words import UNIT, amount_in_unit, drawable, hours_text, join_list, joined, tidy, titled

MOST_LIMITS, MOST_DAYS = 8, 6
"""The most limits and marked days that a picture holds: their labels stand one below the other."""

LIMIT_LENGTH, LIMIT_GAP = 20, 31
"""The most characters of a limit's name, and how far labels are apart, in pixels (two lines of words each)."""

PAPER_LENGTH = 48
"""The most characters of the label of a day on paper, which is never narrow."""

FARTHEST = 3660
"""A forecast that is more days away than this is not drawn."""

SPENT, PLAN, FORECAST = "spent", "plan", "forecast"
APART = "without contingency"
DASHES = {SPENT: [1, 0], PLAN: [5, 4], FORECAST: [2, 3]}
INKS = {
    SPENT: palette.SPENT_LINE,
    PLAN: palette.PLAN_LINE,
    FORECAST: palette.SPENT_LINE,
}
SERIES = keyed("series", [*INKS], None, color=[*INKS.values()], strokeDash=[*DASHES.values()])

Curve = tuple[tuple[str, float], ...]
"""Dates and levels, oldest first."""


@dataclass(frozen=True)
class DrawnLimit:
    """A level that should not be passed; `value` is the level as printed."""

    label: str
    level: float
    value: str


def level_of(limits: Iterable[DrawnLimit]) -> float:
    """Return the level of a limit, if any; else zero, where bars begin."""
    return max([0.0, *(limit.level for limit in limits)])


def bound(limits: Iterable[DrawnLimit], align: str) -> Rows:
    """Return a limit, if any, as a row for a firm rule, with its label on the side that it is to `align` from."""
    told = [(limit.level, drawable(joined(limit.label, limit.value, by=" "), RULE_LENGTH)) for limit in limits]
    return [{"low": level, "label": label, "align": align, "line": 0, "firm": True} for level, label in told]


@dataclass(frozen=True)
class Fan:
    """A forecast: from the `level` reached at `start` to somewhere between `low` (P10) and `high` (P90) at `end`.

    `middle` is the median, `value` the forecast as printed, shown on hover.
    """

    start: str
    level: float
    end: str
    low: float
    middle: float
    high: float
    value: str = ""


@dataclass(frozen=True)
class BurnUp:
    """A running total over time, in `unit`.

    `actual` is the total after each day on which it changed (any number of them), `plan` the total that was planned
    (its points are joined by straight lines); there is one of the two at least. `days` are dates with a label, such
    as the end of a grant. `plan_is` says what the plan is where that is not all that is planned. Drawn for `paper`,
    labels of days have room.
    """

    title: str
    unit: str
    actual: Curve
    alt: str
    plan: Curve = ()
    fan: Fan | None = None
    limits: tuple[DrawnLimit, ...] = ()
    days: tuple[tuple[str, str], ...] = ()
    plan_is: str = ""
    paper: bool = False
    about: str = ""

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        plane = _plane(self)
        days, _ = ruled(marked_days(self.days, plane, PAPER_LENGTH if self.paper else RULE_LENGTH), plane.x)
        lines = _lines(self)
        named = [*_limits(self.limits), *_ends(self, lines)]
        told = drawn(self.actual, item=SPENT) + drawn(self.plan, item=PLAN)
        if fan := self.fan:
            told.append({"at": moment(fan.end), "level": fan.middle, "item": FORECAST, "amount": tidy(fan.value)})
        layers = [
            *_beside(self, plane, named),
            *days,
            *(_fan(fan, plane) if fan else ()),
            *_line_layers(lines, plane),
            plane.hover(told, self.unit),
        ]
        longest = max(len(row["value"]) for row in named)
        asked: Spec = {"time": [plane.low, plane.high], "unit": tidy(self.unit)}
        if len(self.actual) > MOST_POINTS:  # differences of what is left of the line are about right
            asked["thinned"] = True
        return framed(self, layers, HEIGHT, room(8, longest), unit=self.unit, asked=asked)


def burn_up(view: View) -> BurnUp | None:
    """The running total of a project; None where too few days are known to make a line."""
    history = view.book.histories.get(view.id)
    if history is None or history.missing:
        return None
    spent, plan = history.whole, _planned_days(view)
    # The total at the end of each day, from the one before the first on.
    so_far = ((max(spent.first - 1, 1), spent.undated), *spent.so_far()) if spent.days else ()
    actual = tuple((iso(day), float(hours)) for day, hours in so_far)
    if len(actual) < 3 and not plan:
        return None
    totals = (CEILING, FINAL, EXTENDED) if view.planned else (CEILING,)
    limits, fan = drawn_limits(view, *totals), _forecast(view, history)
    shown = [date for date, _ in (*actual, *plan)] + ([fan.end] if fan else [])
    days = _grant_ends(view, min(shown), max(shown))
    title, alt = _say_finding(view, history, fan, shown), _describe(view, history, limits, fan)
    about = f"{titled(view)}: {'hours spent' if len(actual) > 1 else 'planned hours'} over time"
    return BurnUp(title, UNIT, actual, alt, plan, fan, limits, days, about=about)


def on_paper(view: View, picture: BurnUp) -> BurnUp:
    """The same for paper, where nobody can point at it."""
    return replace(picture, paper=True, plan_is=APART if picture.plan and view.maybe("budget.contingency") else "")


def _planned_days(view: View) -> Curve:
    """The planned hours over time, evenly over each phase; nothing unless each phase of the base budget has dates."""
    spans = []
    for phase_id, phase in view.ledger.plan.items():
        if phase.extension or not phase.items:
            continue
        planned = view.fig(f"phases.{phase_id}.planned").use
        first, last = first_day(str(phase.since or "")), last_day(str(phase.until or ""))
        if planned is None or not first or not last or last < first:
            return ()
        spans.append((max(first - 1, 1), last, planned))
    days = sorted({day for first, last, _ in spans for day in (first, last)})
    points = []
    for day in days:
        hours = sum(_by(day, *span) for span in spans)
        points.append((iso(day), float(hours)))
    return tuple(points)


def _by(day: int, first: int, last: int, hours: Fraction) -> Fraction:
    """What of some hours, spread evenly, falls before the end of a day."""
    return hours * Fraction(min(max(day - first, 0), last - first), max(last - first, 1))


def drawn_limits(view: View, *totals: Total) -> tuple[DrawnLimit, ...]:
    """Those of some totals that are known, as limits of a picture."""
    return tuple(
        DrawnLimit(called(view.project, total.title), float(figure.use or 0), figure_text(figure))
        for total in totals
        if (figure := view.known(total.hours))
    )


def _budget(view: View, history: History) -> Total:
    """The budget that the forecast is of: with extensions once these are charged, since the line holds everything that
    was charged."""
    beyond = history.whole.total != history.base.total and view.maybe(f"{EXTENDED.forecast}.p50")
    return EXTENDED if beyond else FINAL


def _say_finding(view: View, history: History, fan: Fan | None, dates: Sequence[str]) -> str:
    """How far the end of the forecast, or else what is spent or planned, is from the budget or else the ceiling."""
    budget = _budget(view, history)
    at = f"{budget.forecast}.p50" if fan else "actual.total"
    end, limit = view.fig(at), view.known(budget.hours)
    if not history.whole.days or not limit:
        return f"{'Spent' if history.whole.days else 'Planned'} by {max(dates)}: {figure_text(limit or end)}"
    left = (limit.use or ZERO) - (end.use or ZERO)
    side = f"{'below' if left >= 0 else 'over'} the {called(view.project, budget.words)}"
    verb = "The forecast ends" if fan else "Spending is"
    return f"{verb} {hours_text(abs(left))} {side} on {fan.end if fan else iso(history.whole.last)}"


def _forecast(view: View, history: History) -> Fan | None:
    """The forecast, on the day on which its median is spent at the present pace; None where there is no such day."""
    at = _budget(view, history).forecast
    low, middle, high = map(use_of, view.maybe_all(at, "p10", "p50", "p90"))
    pace, level = use_of(view.maybe("pace.gpu_hours_per_day")), history.whole.total
    if low is None or middle is None or high is None or not pace or middle <= level:
        return None
    days = -(-(middle - level) // pace)
    if days > FARTHEST:
        return None
    start, end, value = history.whole.last, history.whole.last + int(days), figure_text(view.fig(f"{at}.p50"))
    return Fan(iso(start), float(level), iso(end), float(low), float(middle), float(high), value)


def _grant_ends(view: View, first: str, last: str) -> tuple[tuple[str, str], ...]:
    """The last days of grants, unless they are so far off that the rest would shrink."""
    farthest = 2 * last_day(last) - last_day(first)
    grants = view.book.allocations
    known = [(end.use, name) for name in view.allocations if (end := view.book.get(f"allocations.{name}.end"))]
    shown = [(end, name) for end, name in known if end is not None and last_day(first) <= end <= farthest]
    return tuple(sorted((iso(int(end)), f"End of {grants[name].title}") for end, name in shown)[:MOST_DAYS])


def _describe(view: View, history: History, limits: Sequence[DrawnLimit], fan: Fan | None) -> str:
    """The picture in a sentence with its numbers."""
    through, parts = view.maybe("pace.through"), []
    if through and history.whole.days:
        parts.append(f"by {figure_text(through)}, {figure_text(view.fig('actual.total'))} are charged")
    bounds = [limit for limit in limits if limit.label != BEST_CASE]
    parts += [f"the best case is {limit.value}" for limit in limits if limit not in bounds]
    if bounds:
        known = join_list([f"{limit.label.lower()} {limit.value}" for limit in bounds])
        parts.append(f"the limit{'s are' if len(bounds) > 1 else ' is the'} {known}")
    if fan:
        parts.append(f"the forecast's median of {fan.value} is spent on {fan.end} at the present pace")
    return f"{capitalise('; '.join(parts) or 'the plan over time')}."


def _plane(picture: BurnUp) -> Plane:
    fan = picture.fan
    ends = ((fan.start, fan.level), (fan.end, fan.low), (fan.end, fan.high)) if fan else ()
    lines = (*picture.actual, *picture.plan, *ends)
    heights = [*(level for _, level in lines), *(limit.level for limit in picture.limits)]
    return Plane.around([date for date, _ in (*lines, *picture.days)], heights)


def _lines(picture: BurnUp) -> dict[str, Rows]:
    """Return the points of each line by its name; the forecast's is its median."""
    fan = picture.fan
    points = {
        PLAN: picture.plan,
        FORECAST: ((fan.start, fan.level), (fan.end, fan.middle)) if fan else (),
        SPENT: picture.actual,
    }
    return {series: drawn(line, series=series) for series, line in points.items() if line}


def _line_layers(lines: Mapping[str, Rows], plane: Plane) -> Layers:
    """Return the layers of the lines.

    First those that are no steps: the plan, and the median of the forecast. Then what was spent, with a dot at its end.
    """
    places = {"x": plane.x, "y": plane.y(), **SERIES}
    steps, straight = lines.get(SPENT, []), [*lines.get(PLAN, []), *lines.get(FORECAST, [])]
    dot = {"filled": True, "size": 50, "opacity": 1, "color": INKS[SPENT]}
    return [
        layer("line", {"strokeWidth": 2}, straight, **places),
        layer("line", {"interpolate": "step-after", "strokeWidth": 2.5}, steps, **places),
        layer("point", dot, steps[-1:], x=plane.x, y=plane.y()),
    ]


def _fan(fan: Fan, plane: Plane) -> Layers:
    ends = ((fan.start, fan.level, fan.level), (fan.end, fan.low, fan.high))
    rows = [{"at": moment(date), "level": low, "high": high} for date, low, high in ends]
    look = {"color": INKS[FORECAST], "opacity": palette.TINTS[1]}
    return [layer("area", look, rows, x=plane.x, y=plane.y(), y2={"field": "high"})]


def _limits(limits: Iterable[DrawnLimit]) -> Rows:
    """Return limits as rows, each with its words."""
    rows = []
    for limit in limits:
        label, value = (drawable(words, LIMIT_LENGTH) for words in (limit.label, limit.value))
        rows.append({"level": limit.level, "label": label, "value": value})
    return rows


def _ends(picture: BurnUp, lines: Mapping[str, Rows]) -> Rows:
    """Return the ends of lines as rows, each with its words."""
    rows = []
    for series, line in lines.items():
        level = amount_in_unit(number_text(Fraction(line[-1]["level"])), picture.unit)
        said = (series == PLAN and picture.plan_is) or level
        rows.append({**line[-1], "label": series, "value": drawable(said, LIMIT_LENGTH)})
    return rows


def _beside(picture: BurnUp, plane: Plane, named: Rows) -> Layers:
    """Return the layers of what is `named` beside the plane, led aside where two are near: a rule for each limit, and a
    dotted one from the end of each line."""
    heights = spread([plane.down(row["level"]) for row in named], LIMIT_GAP, HEIGHT)
    rows = [{**row, "beside": plane.level(down)} for row, down in zip(named, heights, strict=True)]
    limits, ends = rows[: len(picture.limits)], rows[len(picture.limits) :]
    ink = {"condition": {"test": "isValid(datum.series)", **SERIES["color"]}, "value": palette.TEXT}
    rule, words = {"opacity": 0.8}, {"align": "left", "fontSize": 12}
    right, far, text = ({"value": {"expr": f"width + {pixels}"}} for pixels in (0, 12, 16))
    level, beside = {"y": plane.y(), "color": ink}, {"y": plane.y("beside"), "color": ink}
    return [
        layer("rule", rule, limits, **level),
        layer("rule", {**rule, "strokeDash": DASHES[FORECAST]}, ends, x=plane.x, x2=right, **level),
        layer("rule", rule, rows, x=right, x2=far, y2={"field": "beside"}, **level),
        layer("text", {**words, "dy": -6, "fontWeight": 600}, rows, x=text, text=word("label"), **beside),
        layer("text", {**words, "dy": 8}, rows, x=text, text=word("value"), **beside),
    ]
