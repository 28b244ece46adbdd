"""The page of all runs, which a site has beside those of the ledger: one table, for readers who look for some of them.

Only a site has it, made when it is built: of a project of thousands of runs it would make each commit a large one.
"""

from __future__ import annotations

from functools import cached_property

from reckon.language.units import HOURS, PLAIN
from reckon.model import records as r

from ..table import CellRow, Columns, Table, figures, words
from ..table_rows import are_abroad, figure_of, hours_of
from ..view import OfProject
from .work import newest_runs, run_cells

MOST_LISTED = 5_000
"""The most entries that the page lists: the newest. A browser sorts and filters these within a blink."""
BESIDE_PLAN = "Beside the plan"


class EveryRun(OfProject):
    """All runs of a project as its template sees them."""

    @property
    def entries(self) -> int:
        """How many entries the ledger has; each is a run, or several that a scheduler's jobs were counted as."""
        return len(self.view.ledger.rows)

    @cached_property
    def table(self) -> Table:
        """The newest runs, phase by phase in the order of the plan; each phase has its newest first."""
        listed = [(self._phase(run), run) for run in newest_runs(self.view, MOST_LISTED)]
        order = [*dict.fromkeys(str(phase.title) for phase in self.view.ledger.plan.values()), BESIDE_PLAN]
        listed.sort(key=lambda pair: order.index(pair[0]))
        columns: Columns = [
            words("When", optional=True),
            "Phase",
            "Item",
            words("Seed", optional=True),
            figures("GPU-hours"),
            "Status",
            "Card",
            figures("GPUs", optional=True),
            figures("Hours", optional=True),
            figures("Runs", optional=True),
            words("Notes", optional=True),
            "Ledger line",
        ]
        rows = [self._row(phase, run) for phase, run in listed]
        return Table(columns, rows, max(0, self.entries - MOST_LISTED), "runs")

    @property
    def abroad(self) -> bool:
        """Whether runs were on another GPU than the project's, so that the budget is charged other hours."""
        return are_abroad(self.view.ledger, newest_runs(self.view, MOST_LISTED))

    @cached_property
    def _phases(self) -> dict[str, str]:
        """The title of the phase of each item."""
        plan = self.view.ledger.plan.values()
        return {str(item): str(phase.title) for phase in plan for item in phase.items}

    def _phase(self, run: r.Run) -> str:
        planned = self.view.ledger.item_of(run) is not None
        return self._phases.get(str(run.item), BESIDE_PLAN) if planned else BESIDE_PLAN

    def _row(self, phase: str, run: r.Run) -> CellRow:
        when, item, seed, _, status, notes, line = run_cells(self.view, run)
        held = None if run.gpus is None else figure_of(run, "GPUs", PLAIN, run.gpus)
        took = None if run.wall_hours is None else figure_of(run, "hours", HOURS, run.wall_hours)
        many = None if run.jobs is None else figure_of(run, "runs", PLAIN, run.jobs)
        card = self.view.card(str(self.view.ledger.card_of(run)))
        return [when, phase, item, seed, hours_of(run), status, card, held, took, many, notes, line]
