"""How the budget adds up, as a waterfall."""

from __future__ import annotations

from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.spending.budget import budget_lines
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..charts import Bar, Waterfall
from ..numbers import figure_text, value_text

MOST = 120


def waterfall(book: Book, one: ProjectLedger) -> Waterfall | None:
    """The budget formula as a waterfall: its lines, subtotal, contingency, final budget and extensions."""
    at = f"{one.id}.budget"
    lines = [line for line in budget_lines(one) if not line.extension]
    if (
        f"{at}.final" not in book.figures
        or len(lines) > MOST
        or (len(budget_lines(one)) == 1 and f"{at}.contingency" not in book.figures)  # one bar says nothing
        or any(book[f"{one.id}.plan.{one_.item}.total"].use is None for one_ in budget_lines(one))
    ):
        return None
    stairs = _Stairs()
    for scope in ("one-time", "per-seed", "single-seed", "all-seeds"):
        for line in lines:
            if line.scope == scope:
                stairs.step(str(one.items[line.item].title), book[f"{one.id}.plan.{line.item}.total"], scope)
    if contingency := book.get(f"{at}.contingency"):
        stairs.level("Subtotal", book[f"{at}.subtotal"], "subtotal")
        stairs.step("Contingency", contingency, "contingency")
    stairs.level("Final budget", book[f"{at}.final"], "total")
    if extended := book.get(f"{at}.extended"):
        for line in budget_lines(one):
            if line.extension:
                stairs.step(str(one.items[line.item].title), book[f"{one.id}.plan.{line.item}.total"], "extension")
        if extra := book.get(f"{at}.extensions_contingency"):
            stairs.step("Contingency on extensions", extra, "contingency")
        stairs.level("Extended budget", extended, "total")
    title = f"{one.project.title}: how the budget adds up"
    return Waterfall(title, "GPU-hours", tuple(stairs.bars), _alt(book, one))


class _Stairs:
    """Bars that go on from where the last one ended; the running sum stays exact."""

    def __init__(self) -> None:
        self.bars: list[Bar] = []
        self.height = Fraction(0)

    def step(self, label: str, figure: Figure, role: str) -> None:
        start, self.height = self.height, self.height + (figure.use or 0)
        self.bars.append(Bar(label, float(start), float(self.height), role, value_text(figure)))  # type: ignore[arg-type]

    def level(self, label: str, figure: Figure, role: str) -> None:
        self.bars.append(Bar(label, 0.0, float(self.height), role, value_text(figure)))  # type: ignore[arg-type]


def _alt(book: Book, one: ProjectLedger) -> str:
    """The picture in a sentence with its numbers."""
    at, parts = f"{one.id}.budget", []
    for key, said in (
        ("one-time", "one-time"),
        ("per-seed", "per seed"),
        ("single-seed", "single seed"),
        ("all-seeds", "all seeds"),
    ):
        if figure := book.get(f"{at}.{key}"):
            parts.append(f"{said} {figure_text(figure)}")
    text = f"The budget adds up from {', '.join(parts)}"
    if contingency := book.get(f"{at}.contingency"):
        text += f" to a subtotal of {figure_text(book[f'{at}.subtotal'])};"
        text += f" contingency of {figure_text(contingency)} makes the"
    else:
        text += " to a"
    text += f" final budget of {figure_text(book[f'{at}.final'])}"
    if extended := book.get(f"{at}.extended"):
        text += (
            f", extensions of {figure_text(book[f'{at}.extensions'])} the extended budget of {figure_text(extended)}"
        )
    return text + "."
