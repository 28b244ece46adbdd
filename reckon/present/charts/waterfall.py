"""How a sum adds up: items from top to bottom, each bar starting where the one above it ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reckon.compute.budget.budget import BudgetLine, budget_lines
from reckon.language.quantity import ZERO, add_up, point
from reckon.model.figure import Figure, Worked
from reckon.model.kinds import CEILING, EXTENDED, FINAL, called
from reckon.model.records import SCOPES

from ..render.numbers import figure_text, value_text
from ..view import View
from . import palette
from .axes import MANY, bars_x, zero_line
from .burn_up import DrawnLimit, bound, drawn_limits, level_of
from .layout import (
    LABEL_LENGTH,
    VALUE_LENGTH,
    Layers,
    Rows,
    Spec,
    amount,
    bold,
    framed,
    keyed,
    layer,
    names_axis,
    room,
    tooltip_channel,
    word,
)
from .time_plane import RULE_LINE, ruled
from .words import UNIT, amount_in_unit, drawable, tidy

MOST_LINES, MOST_PHASES = 120, 16
"""The most lines of a budget that are shown, and the most phases where it is shown by phase."""

SUMS = ("subtotal", "total")
"""The roles whose bars start from zero and whose names are bold."""

WEIGHT = {"expr": "slice(datum.key, 4, 5) == '=' ? 600 : 400"}
"""The weight of a value: that of its name."""

ASIDE = (
    "7 + (inrange(scale('x', LEVEL) - scale('x', datum.high), [0, 12 + 7 * length(datum.value)]) ? "
    "scale('x', LEVEL) - scale('x', datum.high) : 0)"
)
"""How far a value stands from its bar in pixels, in Vega's language: behind a limit that would run through it, whose
LEVEL it takes."""

FARTHEST = 2
"""How many times as high as the bars a ceiling may be to stand in the picture."""

Step = tuple[str, Figure, str]
"""What a bar is called, what it adds (or what all comes to there), and its role."""


@dataclass(frozen=True)
class Bar:
    """One row of a waterfall: it floats from `start` to `end`, both in the picture's unit.

    `value` is the amount as printed (the picture never formats it). Subtotals and totals start at zero.
    """

    label: str
    start: float
    end: float
    role: str
    value: str


@dataclass(frozen=True)
class Waterfall:
    """The budget formula, or a bridge between two totals, bar by bar.

    `unit` is what the axis counts (such as "GPU-hours"), `alt` the sentence read instead of the picture, with its
    numbers. There is at least one bar; the one that the title names is `foremost`. `limits` are rules through
    all of them, one at most.
    """

    title: str
    unit: str
    bars: Sequence[Bar]
    alt: str
    about: str = ""
    limits: Sequence[DrawnLimit] = ()
    foremost: str = ""

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        rows = _bar_rows(self)
        height = {"step": 26 if len(rows) <= 40 else 20 if len(rows) <= 200 else 16}
        margins = room(max(len(row["key"]) for row in rows), max(len(row["value"]) for row in rows))
        return framed(self, _layers(self), height, margins, rows=rows)


def waterfall(view: View) -> Waterfall | None:
    """The budget formula as a waterfall: its lines, subtotal, contingency, final budget and extensions."""
    if not view.in_hours:
        return None
    contingency, final, lines = view.maybe("budget.contingency"), view.maybe(FINAL.hours), budget_lines(view.ledger)
    few = len(lines) == 1 and not contingency  # one bar says nothing
    if not final or few or sum(not line.extension for line in lines) > MOST_LINES:
        return None
    return _add_up(view, "how the budget adds up", [_step(view, line) for line in lines])


def by_phase(view: View) -> Waterfall | None:
    """The same with a bar a phase, for a page on which that of the items has no room; None where it says nothing."""
    phases = {name: phase for name, phase in view.ledger.plan.items() if phase.items}
    if view.maybe(FINAL.hours) is None or len(phases) < 2:
        return None
    every: list[Step] = [
        (phase.title, view.fig(f"phases.{name}.planned"), "extension" if phase.extension else "phase")
        for name, phase in phases.items()
    ]
    most = MOST_PHASES if len(every) > MOST_PHASES + 1 else len(every)
    items = every[:most]
    for role in ("phase", "extension"):
        rest = [figure for _, figure, own in every[most:] if own == role]
        if rest:
            uses = [figure.use or ZERO for figure in rest]
            whole = Figure("", "", rest[0].unit, point(add_up(uses)), Worked("the rest of the phases"))
            items.append((f"{len(rest)} more phases", whole, role))
    return _add_up(view, "how the budget adds up, by phase", items)


def _add_up(view: View, about: str, items: Sequence[Step]) -> Waterfall | None:
    """The picture of some steps and their sums; None where one of the steps is not known."""
    if any(figure.use is None for _, figure, _ in items):
        return None
    own = [step for step in items if step[2] != "extension"]
    bars = tuple(_stairs(_with_sums(view, items)))
    largest, hours, _ = max(own, key=lambda step: step[1].use or ZERO)
    title = f"{largest} is the largest part: {value_text(hours)} of {figure_text(view.fig(FINAL.hours))}"
    limits = tuple(limit for limit in drawn_limits(view, CEILING) if limit.level <= FARTHEST * bars[-1].end)
    about = f"{view.project.title}: {about}"
    if estimate := view.maybe("estimates.final"):
        about += f"; estimated {figure_text(estimate)}"
    return Waterfall(title, UNIT, bars, _describe(view), about, limits, largest)


def _with_sums(view: View, items: Sequence[Step]) -> list[Step]:
    """Steps with the sums that they come to."""
    contingency, extended = view.maybe("budget.contingency"), view.maybe(EXTENDED.hours)
    steps = [step for step in items if step[2] != "extension"]
    if contingency:
        steps += [("Subtotal", view.fig("budget.subtotal"), "subtotal"), ("Contingency", contingency, "contingency")]
    steps.append((called(view.project, FINAL.title), view.fig(FINAL.hours), "total"))
    if extended:
        steps += [step for step in items if step[2] == "extension"]
        if extra := view.maybe("budget.extensions_contingency"):
            steps.append(("Contingency on extensions", extra, "contingency"))
        steps.append(("Extended budget", extended, "total"))
    return steps


def _step(view: View, line: BudgetLine) -> Step:
    role = "extension" if line.extension else line.scope
    return view.ledger.items[line.item].title, view.fig(f"plan.{line.item}.total"), role


def _stairs(steps: Iterable[Step]) -> Iterator[Bar]:
    """Bars that go on from where the last one ended; the running sum stays exact."""
    height = ZERO
    for label, figure, role in steps:
        start, height = (ZERO, height) if role in SUMS else (height, height + (figure.use or 0))
        yield Bar(label, float(start), float(height), role, value_text(figure))


def _describe(view: View) -> str:
    """The picture in a sentence with its numbers."""
    scopes = [(role.replace("-s", " s"), view.maybe(f"budget.{role}")) for role in SCOPES]
    text = f"The budget adds up from {', '.join(f'{name} {figure_text(hours)}' for name, hours in scopes if hours)}"
    if contingency := view.maybe("budget.contingency"):
        text += f" to a subtotal of {figure_text(view.fig('budget.subtotal'))};"
        text += f" contingency of {figure_text(contingency)} makes the"
    else:
        text += " to a"
    text += f" {called(view.project, FINAL.words)} of {figure_text(view.fig(FINAL.hours))}"
    if extended := view.maybe(EXTENDED.hours):
        text += f", extensions of {figure_text(view.fig('budget.extensions'))} the"
        text += f" extended budget of {figure_text(extended)}"
    return text + "."


def _bar_rows(picture: Waterfall) -> Rows:
    """Return the bars as rows of data; `next` is the row that a thread leads to, where the two meet."""
    rows = [_bar_row(number, bar, picture) for number, bar in enumerate(picture.bars)]
    for place, (bar, below) in enumerate(pairwise(picture.bars)):
        if bar.end in (below.start, below.end):
            rows[place]["next"] = rows[place + 1]["key"]
    return rows


def _bar_row(number: int, bar: Bar, picture: Waterfall) -> Spec:
    """Return one bar as a row; its key sorts by place, is never shared, and says whether the bar is a sum or foremost.

    Beside the bar its value stands without a unit, which the axis has; the pointer is told it with its unit.
    """
    is_bold = bar.role in SUMS or bar.label == picture.foremost
    key = f"{number:04}{'=' if is_bold else '+'}{drawable(bar.label, LABEL_LENGTH)}"
    said = {"item": tidy(bar.label), "amount": amount_in_unit(tidy(bar.value), picture.unit)}
    ends = {"low": min(bar.start, bar.end), "high": max(bar.start, bar.end), "end": bar.end}
    role = palette.BARS[bar.role].name
    return {"key": key, "value": drawable(bar.value, VALUE_LENGTH), **ends, **said, "role": role}


def _layers(picture: Waterfall) -> Layers:
    """Return the layers of the threads, the bars and their values."""
    weight = {"condition": {"test": "slice(datum.value, 4, 5) == '='", "value": 600}, "value": 400}
    axis = names_axis(5, labelFontWeight=weight)
    scale = {"paddingInner": 0.3, "paddingOuter": 0.2}
    y = {"field": "key", "type": "ordinal", "title": None, "axis": axis, "scale": scale}
    threads = layer("rule", {"color": palette.THREAD}, x=amount("end"), y=y, y2={"field": "next"})
    hover = [*tooltip_channel("item", "amount"), word("role", title="part")]
    bars = _bars(picture)
    rules, _ = ruled(bound(picture.limits, "right"), bars["x"])
    look = {"strokeWidth": 1, "strokeJoin": "round"}
    aside = {"expr": ASIDE.replace("LEVEL", f"{level_of(picture.limits)}")}
    return [
        zero_line(),
        {**threads, "transform": [{"filter": "isValid(datum.next)"}]},
        layer("bar", look, y=y, tooltip=hover, **bars),
        *rules,
        layer("text", bold(dx=aside, fontWeight=WEIGHT), x=amount("high"), y=y, text=word("value"), tooltip=hover),
    ]


def _bars(picture: Waterfall) -> Spec:
    """Return the channels of the bars: where they are and how they are coloured."""
    roles = {bar.role for bar in picture.bars}
    parts = list(dict.fromkeys(part for role, part in palette.BARS.items() if role in roles))
    # Sums need no key: they stand out by their bold names.
    named = [part.name for part in parts if part is not palette.SUM]
    inks, fills = [part.ink for part in parts], [palette.surface(part) for part in parts]
    above = 10 + RULE_LINE * len(picture.limits)
    key = {"values": named, "offset": above} if len(named) > 1 else None
    # A stroke of the full colour keeps an item of next to nothing visible.
    colours = keyed("role", [part.name for part in parts], key, fill=fills, stroke=inks)
    ends = [0.0, *(bar.start for bar in picture.bars), *(bar.end for bar in picture.bars)]
    ends += [limit.level for limit in picture.limits]
    low, high = min(ends), max(ends)
    unit = f"change, {picture.unit}" if roles & palette.STEPS.keys() else picture.unit
    places = bars_x(low, high if high > low else low + 1, unit, above=len(picture.bars) > MANY and not picture.limits)
    return {**places, **colours}
