"""The budget as one table: its lines with how often each counts, what is planned, estimated and charged, and sums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from reckon.compute.book import Book
from reckon.compute.budget.budget import budget_lines
from reckon.model.figure import OUTSIDE, Calculated, Figure
from reckon.model.kinds import BEST_CASE, CEILING, EXTENDED, FINAL

from ..render.numbers import CONVERSION
from ..table import MOST_ROWS, Bold, Cell, CellRow, Columns, Link, Table, figures, given, joined, words
from ..table_rows import BY_SETTINGS, estimate_called
from ..view import OfProject

SCOPE_WORDS = {
    "one-time": "once",
    "per-seed": "for each seed",
    "single-seed": "one seed",
    "all-seeds": "once for all seeds",
}
"""How often a line counts, in words, by its `scope`."""
BASE = (("subtotal", "Planned work"), ("contingency", "Contingency"), (FINAL.id, "Budget"))
MORE = (
    ("extensions", "Extensions"),
    ("extensions_contingency", "Contingency on extensions"),
    (EXTENDED.id, "With extensions"),
)
"""The sums of the plan, those of the budget and those with extensions: the name of each, and what it is called."""
TOTALS = {FINAL.id: FINAL, EXTENDED.id: EXTENDED}


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


@dataclass(frozen=True)
class WholeBudget(OfProject):
    """The lines of a budget by phase with their sums, in GPU-hours: planned, estimated, proposed, spent and left."""

    proposed: Book | None = None
    """The book as the one proposal would have it."""

    @property
    def table(self) -> Table:
        """Phase by phase, the budget first, then what extends it, in a row a phase."""
        view = self.view
        estimated = view.maybe("estimates.subtotal") or view.maybe("estimates.extended")
        called = estimate_called(view.book, view.id)
        stated = called == BY_SETTINGS
        columns: Columns = [
            "Work, GPU-h",
            figures("Each", nothing="", shown=self._repeated),
            words("×", optional=True),
            figures(("Version ", self.project.version) if stated else "Planned"),
            figures(called, shown=estimated is not None),
            figures(Link("Proposal", "proposals.md"), shown=self.proposed is not None),
            figures("Spent", shown=view.runs),
            figures("Left", shown=view.runs and not (estimated and self.proposed)),
        ]
        rows = [*([] if self._alone else self._phases()), *self._unplanned(), *self._sums(BASE)]
        if self._alone:
            titles = [item.title for item in view.ledger.items.values()]
            rows = [[(row[0], ": ", *titles), *row[1:]] for row in rows]
        rows += [*self._extensions(), *self._sums(MORE)]
        if ceiling := self.bare(CEILING.hours):
            rows.append([CEILING.title, "", "", ceiling, "", "", "", ""])
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

    def _phases(self) -> Iterator[CellRow]:
        for name, phase in self.ledger.plan.items():
            if phase.hour_items and not phase.extension:
                yield [Bold(phase.title), "", "", *self._phase_hours(name, f"phases.{name}.estimated")]
                yield from (self._line(item) for item in phase.hour_items if item in self.view.shown)

    def _extensions(self) -> Iterator[CellRow]:
        """A row for each phase that extends the budget, with its lines in the name."""
        for name, phase in self.ledger.plan.items():
            if phase.hour_items and phase.extension:
                shown = [item for item in phase.hour_items if item in self.view.shown]
                lines = ((self.ledger.items[item].title, " ", self.bare(f"plan.{item}.total")) for item in shown)
                estimate = f"phases.{name}.estimated"
                if self._only_extension and not self.maybe(estimate):
                    estimate = "estimates.extensions"
                title = "Extensions" if self._only_extension else phase.title
                yield [(Bold(title), ": ", joined(lines)), "", "", *self._phase_hours(name, estimate)]

    def _phase_hours(self, name: str, estimate: str) -> CellRow:
        at = f"phases.{name}"
        return self._hours(f"{at}.planned", estimate, f"{at}.actual", f"{at}.remaining")

    def _line(self, name: str) -> CellRow:
        at, item = f"plan.{name}", self.ledger.items[name]
        factors = joined(self._factors(name), " × ")
        scope = SCOPE_WORDS[item.scope] if self.project.seeds and item.scope != "per-seed" else None
        times = joined((part for part in (scope, factors) if part), " × ")
        hours = self._hours(f"{at}.total", f"{at}.estimate_total", f"{at}.actual", f"{at}.remaining")
        return [item.title, given(self.maybe(f"{at}.gpu_hours"), "sourced"), times, *(cell or None for cell in hours)]

    def _factors(self, name: str) -> list[Figure]:
        """What the hours of a line are multiplied by: seeds, and a share."""
        return factors_of(self.view.fig(f"plan.{name}.total"))

    def _hours(self, planned: str, estimate: str, spent: str, left: str) -> CellRow:
        """The hours of a row, by the addresses of its figures: planned, estimated, proposed, spent and left."""
        return [self.bare(planned), self.bare(estimate), self._proposal(planned), self.bare(spent), self.bare(left)]

    def _proposal(self, planned: str) -> Cell:
        """What a figure of the plan would be. It leads nowhere: derivations are of the plan as it stands."""
        figure = self.proposed.get(f"{self.view.id}.{planned}") if self.proposed else None
        return given(figure and replace(figure, address=""), "bare") or ""

    def _unplanned(self) -> Iterator[CellRow]:
        """What was charged beside the plan."""
        for each in OUTSIDE:
            if cell := self.bare(f"actual.{each.key}"):
                yield [each.title, "", "", "", "", "", cell, ""]

    def _sums(self, keys: Iterable[tuple[str, str]]) -> Iterator[CellRow]:
        for key, title in keys:
            total = TOTALS.get(key)
            again = key == "extensions" and self._only_extension
            unneeded = key == "subtotal" and not self.maybe("budget.contingency")
            if self.maybe(f"budget.{key}") and not (again or unneeded):
                spent = (total.actual, total.remaining) if total else ("", "")
                name: Cell = BEST_CASE if key == FINAL.id and self.project.plan_is else title
                if key == "contingency":
                    name = joined((title, *self._rate()), " ")
                elif total or key == "subtotal":
                    name = Bold(name)
                yield [name, "", "", *self._hours(f"budget.{key}", f"estimates.{key}", *spent)]

    def _rate(self) -> list[Figure]:
        """The contingency rate, if one covers every line of the budget."""
        rates = {line.rate for line in budget_lines(self.ledger) if not line.extension}
        return [self.view.fig(rate) for rate in rates if len(rates) == 1 and rate]
