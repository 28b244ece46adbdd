"""How a sum adds up: items from top to bottom, each bar starting where the one above it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.budget.budget import budget_lines
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..render.numbers import figure_text, value_text
from . import palette
from .axes import MANY, bars_x
from .frame import LABEL_LENGTH, VALUE_LENGTH, Rows, Spec, amount, bold, framed, keyed, layer, room, told, word
from .palette import Role
from .words import UNIT, drawable, tidy

MOST_LINES = 120
"""The most lines of a budget that are shown."""

SUMS = ("subtotal", "total")
"""The roles whose bars start from zero and whose names are bold."""

NAME = "slice(datum.value, 5)"
"""The part of a row's key that is its name, in Vega's language; see `_row`."""

IS_SUM = "slice(datum.value, 4, 5) == '='"
"""Whether a row's key is that of a subtotal or total, in Vega's language; see `_row`."""

SCOPES = {"one-time": "one-time", "per-seed": "per seed", "single-seed": "single seed", "all-seeds": "all seeds"}
"""The scopes of items in the order of the formula, and what sentences call them."""


@dataclass(frozen=True)
class Bar:
    """One row of a waterfall: it floats from `start` to `end`, both in the picture's unit.

    `value` is the amount as printed (the picture never formats it); `running` is the total so far as printed,
    shown on hover where given. Subtotals and totals start at zero.
    """

    label: str
    start: float
    end: float
    role: Role
    value: str
    running: str = ""


@dataclass(frozen=True)
class Waterfall:
    """The budget formula, or a bridge between two totals, bar by bar.

    `unit` is what the axis counts (such as "GPU-hours"), `alt` the sentence read instead of the picture, with its
    numbers. There is at least one bar.
    """

    title: str
    unit: str
    bars: tuple[Bar, ...]
    alt: str

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        rows = _rows(self)
        height = {"step": 26 if len(rows) <= 40 else 20 if len(rows) <= 200 else 16}
        margins = room(*(max(len(row[column]) for row in rows) for column in ("key", "value")))
        return framed([_threads(), _bars(self), _values(self)], self.title, self.alt, height, margins, rows=rows)


def waterfall(book: Book, project: ProjectLedger) -> Waterfall | None:
    """The budget formula as a waterfall: its lines, subtotal, contingency, final budget and extensions."""
    at = f"{project.id}.budget"
    every = budget_lines(project)
    few = len(every) == 1 and f"{at}.contingency" not in book.figures  # one bar says nothing
    if f"{at}.final" not in book.figures or few or sum(not line.extension for line in every) > MOST_LINES:
        return None
    totals = {line.item: book[f"{project.id}.plan.{line.item}.total"] for line in every}
    if any(total.use is None for total in totals.values()):
        return None
    stairs = _Stairs()
    for scope in SCOPES:
        for line in every:
            if line.scope == scope and not line.extension:
                stairs.step(str(project.items[line.item].title), totals[line.item], scope)  # type: ignore[arg-type]
    if contingency := book.get(f"{at}.contingency"):
        stairs.level("Subtotal", book[f"{at}.subtotal"], "subtotal")
        stairs.step("Contingency", contingency, "contingency")
    stairs.level("Final budget", book[f"{at}.final"], "total")
    if extended := book.get(f"{at}.extended"):
        for line in every:
            if line.extension:
                stairs.step(str(project.items[line.item].title), totals[line.item], "extension")
        if extra := book.get(f"{at}.extensions_contingency"):
            stairs.step("Contingency on extensions", extra, "contingency")
        stairs.level("Extended budget", extended, "total")
    title = f"{project.project.title}: how the budget adds up"
    return Waterfall(title, UNIT, tuple(stairs.bars), _said(book, at))


@dataclass
class _Stairs:
    """Bars that go on from where the last one ended; the running sum stays exact."""

    bars: list[Bar] = field(default_factory=list)
    height: Fraction = Fraction(0)

    def step(self, label: str, figure: Figure, role: Role) -> None:
        start, self.height = self.height, self.height + (figure.use or 0)
        self.bars.append(Bar(label, float(start), float(self.height), role, value_text(figure)))

    def level(self, label: str, figure: Figure, role: Role) -> None:
        self.bars.append(Bar(label, 0.0, float(self.height), role, value_text(figure)))


def _said(book: Book, at: str) -> str:
    """The picture in a sentence with its numbers."""
    parts = [f"{said} {figure_text(part)}" for scope, said in SCOPES.items() if (part := book.get(f"{at}.{scope}"))]
    text = f"The budget adds up from {', '.join(parts)}"
    if contingency := book.get(f"{at}.contingency"):
        text += f" to a subtotal of {figure_text(book[f'{at}.subtotal'])};"
        text += f" contingency of {figure_text(contingency)} makes the"
    else:
        text += " to a"
    text += f" final budget of {figure_text(book[f'{at}.final'])}"
    if extended := book.get(f"{at}.extended"):
        added = figure_text(book[f"{at}.extensions"])
        text += f", extensions of {added} the extended budget of {figure_text(extended)}"
    return text + "."


def _rows(picture: Waterfall) -> Rows:
    """Return the bars as rows of data; `next` is the row that a thread leads to, where the two meet."""
    rows = [_row(number, bar) for number, bar in enumerate(picture.bars)]
    for place, (bar, below) in enumerate(zip(picture.bars, picture.bars[1:], strict=False)):
        if bar.end in (below.start, below.end):
            rows[place]["next"] = rows[place + 1]["key"]
    return rows


def _row(number: int, bar: Bar) -> Spec:
    """Return one bar as a row; its key sorts by place, is never shared, and says whether the bar is a sum."""
    mark = "=" if bar.role in SUMS else "+"
    value = tidy(bar.value)
    return {
        "key": f"{number:04}{mark}{drawable(bar.label, LABEL_LENGTH)}",
        "low": min(bar.start, bar.end),
        "high": max(bar.start, bar.end),
        "end": bar.end,
        "role": palette.BARS[bar.role].name,
        "value": drawable(bar.value, VALUE_LENGTH),
        "item": tidy(bar.label),
        "amount": value,
        "running": tidy(bar.running) or (value if bar.role in SUMS else "–"),
    }


def _y() -> Spec:
    weight = {"condition": {"test": IS_SUM, "value": 600}, "value": 400}
    axis, scale = {"labelExpr": NAME, "labelFontWeight": weight}, {"paddingInner": 0.3, "paddingOuter": 0.2}
    return {"field": "key", "type": "ordinal", "title": None, "axis": axis, "scale": scale}


def _threads() -> Spec:
    thread = layer("rule", {"color": palette.THREAD.light}, x=amount("end"), y=_y(), y2={"field": "next"})
    return {**thread, "transform": [{"filter": "isValid(datum.next)"}]}


def _bars(picture: Waterfall) -> Spec:
    parts = {role: part for role, part in palette.BARS.items() if any(bar.role == role for bar in picture.bars)}
    # Sums need no key: they stand out by their bold names.
    told = [part.name for role, part in parts.items() if role not in SUMS]
    fills = [part.fill for part in parts.values()]
    key = {"values": told} if len(told) > 1 else None
    # A stroke in the colour of the fill keeps an item of next to nothing visible.
    colours = keyed("role", [part.name for part in parts.values()], key, fill=fills, stroke=fills)
    ends = [0.0, *(bar.start for bar in picture.bars), *(bar.end for bar in picture.bars)]
    low, high = min(ends), max(ends)
    x = bars_x(low, high if high > low else low + 1, picture.unit, above=len(picture.bars) > MANY)
    look = {"strokeWidth": 1, "strokeJoin": "round"}
    return layer("bar", look, x=x, x2={"field": "high"}, y=_y(), tooltip=_hover(picture), **colours)


def _hover(picture: Waterfall) -> list[Spec]:
    running = [word("running", title="total so far")] if any(tidy(bar.running) for bar in picture.bars) else []
    return [*told("item", "amount"), word("role", title="part"), *running]


def _values(picture: Waterfall) -> Spec:
    return layer("text", bold(dx=7), x=amount("high"), y=_y(), text=word("value"), tooltip=_hover(picture))
