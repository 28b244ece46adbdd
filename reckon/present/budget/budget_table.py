"""The budget as one table: its lines with how often each counts, what is planned, estimated and charged, and sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from reckon.compute.budget.budget import budget_lines
from reckon.model.figure import OUTSIDE, Calculated, Figure
from reckon.model.kinds import CEILING, EXTENDED, FINAL, called

from ..render.numbers import CONVERSION
from ..table import MOST_ROWS, Bold, Cell, CellRow, Columns, Table, below, figures, joined, words
from ..table_rows import estimate_called
from ..view import OfProject

SCOPE_WORDS = {
    "one-time": "once",
    "per-seed": "for each seed",
    "single-seed": "with one seed",
    "all-seeds": "once for all seeds",
}
"""How often a line counts, in words, by its `scope`."""
BASE = (("subtotal", "Subtotal"), ("contingency", "Contingency"), (FINAL.id, FINAL.title))
MORE = (
    ("extensions", "Extensions"),
    ("extensions_contingency", "Contingency on extensions"),
    (EXTENDED.id, EXTENDED.title),
)
"""The sums of the plan, those of the base budget and those with extensions: the name of each, and what it is called."""
TOTALS = {FINAL.id: FINAL, EXTENDED.id: EXTENDED}
LIMITS = (
    (CEILING.hours, CEILING.title),
    ("budget.below_ceiling", f"{CEILING.title} less {FINAL.words}"),
    (CEILING.remaining, f"{CEILING.title} less actual"),
)


def factors_of(total: Figure) -> list[Figure]:
    """What the hours of a line are multiplied by: seeds, and a ratio without the sign of its own, `0.6` for `0.6×`."""
    operands = total.origin.operands if isinstance(total.origin, Calculated) else {}
    return [
        replace(factor, form="") if factor.form == "x" else factor
        for key, factor in operands.items()
        if key != "gpu_hours"
    ]


def is_converted(total: Figure) -> bool:
    """Whether the hours of a line are of another card than those of the budget."""
    return any(CONVERSION in factor.address for factor in factors_of(total))


class WholeBudget(OfProject):
    """The lines of a budget by phase with their sums, in GPU-hours; actual and remaining hours once there are runs."""

    @property
    def table(self) -> Table:
        """Phase by phase, the base budget first, then what extends it."""
        view = self.view
        estimated = view.maybe("estimates.subtotal") or view.maybe("estimates.extended")
        columns: Columns = [
            view.hours,
            figures("Planned"),
            figures("Actual", shown=view.runs),
            figures("Left of plan", shown=view.runs),
            figures(estimate_called(view.book, view.id), shown=estimated is not None),
            words("Counted", optional=True),
            figures("Each", shown=self._repeated),
        ]
        rows = [*([] if self._alone else self._phases(extension=False)), *self._unplanned(), *self._sums(BASE)]
        if self._alone:
            titles = [item.title for item in view.ledger.items.values()]
            rows = [[(row[0], ": ", *titles), *row[1:]] for row in rows]
        rows += [*self._phases(extension=True), *self._sums(MORE)]
        limits = [(called(self.project, title), self.bare(at)) for at, title in LIMITS]
        rows += [[title, cell, "", "", "", "", ""] for title, cell in limits if cell]
        return Table(columns, rows, max(0, len(view.ledger.items) - MOST_ROWS), "items")

    @property
    def _alone(self) -> bool:
        """Whether the budget is one line once and nothing else, so that its phase and its sum say the same again."""
        view = self.view
        phases = [phase for phase in view.ledger.plan.values() if phase.items]
        more = self._repeated or any(phase.extension for phase in phases) or bool(list(self._unplanned()))
        return len(view.ledger.items) == len(phases) == 1 and not (more or view.maybe("budget.contingency"))

    @property
    def _repeated(self) -> bool:
        """Whether any line counts otherwise than once as it stands."""
        return any(self._factors(name) for name in self.ledger.items)

    @property
    def _only_extension(self) -> bool:
        """Whether one phase is all that extends the budget, so that its row is the sum of the extensions."""
        return sum(bool(phase.items) and bool(phase.extension) for phase in self.ledger.plan.values()) == 1

    def _phases(self, extension: bool) -> Iterator[CellRow]:
        for name, phase in self.ledger.plan.items():
            if phase.hour_items and phase.extension == extension:
                estimate = self.bare(f"phases.{name}.estimated")
                if phase.extension and self._only_extension:
                    estimate = estimate or self.bare("estimates.extensions")
                yield [Bold(phase.title), *self._cells(f"phases.{name}", "planned", estimate), "", ""]
                yield from (self._line(item) for item in phase.hour_items if item in self.view.shown)

    def _line(self, name: str) -> CellRow:
        at, item = f"plan.{name}", self.ledger.items[name]
        factors = self._factors(name)
        times = joined((("× ", factor) for factor in factors), " ")
        scope = SCOPE_WORDS[item.scope] if self.project.seeds else ""
        counted: Cell = times if factors and item.scope == "per-seed" else below(scope, times if factors else None)
        cells = self._cells(at, "total", self.bare(f"{at}.estimate_total") or None)
        return [item.title, *cells, counted, self.bare(f"{at}.gpu_hours") if factors else ""]

    def _factors(self, name: str) -> list[Figure]:
        """What the hours of a line are multiplied by: seeds, and a share."""
        return factors_of(self.view.fig(f"plan.{name}.total"))

    def _cells(self, at: str, planned: str, estimate: Cell) -> CellRow:
        return [self.bare(f"{at}.{planned}"), self.bare(f"{at}.actual"), self.bare(f"{at}.remaining"), estimate]

    def _unplanned(self) -> Iterator[CellRow]:
        """What was charged beside the plan."""
        for each in OUTSIDE:
            if cell := self.bare(f"actual.{each.key}"):
                yield [each.title, "", cell, "", "", "", ""]

    def _sums(self, keys: Iterable[tuple[str, str]]) -> Iterator[CellRow]:
        for key, title in keys:
            planned, total = self.bare(f"budget.{key}"), TOTALS.get(key)
            again = key == "extensions" and self._only_extension
            if not planned or again or (key == "subtotal" and not self.maybe("budget.contingency")):
                continue
            spent: CellRow = [self.bare(total.actual), self.bare(total.remaining)] if total else ["", ""]
            title = called(self.project, title)
            name = Bold(title) if total or key == "subtotal" else title
            yield [
                name,
                planned,
                *spent,
                self.bare(f"estimates.{key}") or "",
                self._rate() if key == "contingency" else "",
                "",
            ]

    def _rate(self) -> Cell:
        """The contingency rate, if one covers every line of the base budget."""
        rates = {line.rate for line in budget_lines(self.ledger) if not line.extension}
        return self.view.fig(rates.pop()) if len(rates) == 1 and all(rates) else ""
