"""What the templates of the status page and of the portfolio see of a project beside its View."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reckon.model.figure import Figure

from ..printing import counted
from ..rows import Row, Unclear
from ..table import Table
from ..view import View
from . import charged, limits, reserve, rules
from .glance import glance_table
from .reaching import Reach
from .reserve import Draw
from .state import State, chances, state_of
from .work import useful_table, work_table


@dataclass(frozen=True)
class Standing:
    """Where a project stands: the tables of its status page. They have no rows where there is nothing to say."""

    view: View

    @cached_property
    def state(self) -> State:
        """The state in a word, and why."""
        return state_of(self.view)

    @cached_property
    def chances(self) -> list[tuple[str, Reach]]:
        """How likely budget, ceiling and grants are passed, and which are."""
        return chances(self.view)

    @property
    def used(self) -> Figure | None:
        """The share of the budget that is spent: of the final one, or of the extended where all is extension."""
        return self.view.maybe("performance.used_share") if self.view.planned else None

    @property
    def glance(self) -> Table:
        """All that follows in the document, in a few lines."""
        return glance_table(self)

    @cached_property
    def work(self) -> Table:
        """Phases, items and seeds, and the budgets as a whole."""
        return work_table(self.view)

    @property
    def useful(self) -> Table:
        """What of the hours of phases and items was useful."""
        return useful_table(self.view)

    @cached_property
    def months(self) -> Table:
        """What was charged in each month."""
        return charged.months_table(self.view)

    @cached_property
    def limits(self) -> Table:
        """Budgets and ceiling."""
        return limits.limits_table(self.view)

    @cached_property
    def grants(self) -> Table:
        """The grants that the project draws on."""
        return limits.grants_table(self.view)

    @property
    def money(self) -> Table:
        """Planned and actual amounts by phase."""
        return limits.money_table(self.view)

    @cached_property
    def reserve(self) -> Table:
        """The contingency by phase, and of all."""
        return reserve.reserve_table(self.view)

    @cached_property
    def draws(self) -> list[Draw]:
        """What drew on the contingency."""
        return reserve.draws(self.view)

    @property
    def drawn(self) -> Table:
        """The same as a table."""
        return reserve.draws_table(self.draws)

    @cached_property
    def rules(self) -> Table:
        """The policies with their verdicts, at most two hundred, what is breached first."""
        return rules.rules_table(self.view)

    @cached_property
    def verdicts(self) -> list[tuple[Figure, str]]:
        """How many policies are breached, undecided and kept; what none is, is left out."""
        found = [kept.holds for kept in self.view.book.policies.get(self.view.id, ())]
        return [(counted(number, word), word) for holds, word in rules.WORST_FIRST if (number := found.count(holds))]

    @cached_property
    def dropped(self) -> Table:
        """What would be given up first."""
        return rules.dropped_table(self.view)

    @cached_property
    def causes(self) -> list[Row]:
        """What was wasted by its causes."""
        return charged.causes(self.view)

    @property
    def waste(self) -> Table:
        """The same as a table."""
        return charged.waste_table(self.view)

    @cached_property
    def statuses(self) -> Table:
        """What was charged by the status of runs."""
        return charged.statuses_table(self.view)

    @property
    def latest(self) -> Table:
        """The newest runs."""
        return charged.runs_table(self.view)

    @property
    def earned(self) -> Table:
        """Earned value by phase, and of the budgets as a whole."""
        return charged.earned_table(self.view)

    @cached_property
    def unclear(self) -> list[Unclear]:
        """What cannot be estimated at completion, and why."""
        return list(charged.unclear(self.view))
