"""What the templates of the status page and of the portfolio see of a project beside its View."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from reckon.model.figure import Figure

from ..printing import counted
from ..rows import MOST_ROWS, Month, Row, RunRow, Unclear
from ..view import View
from . import charged
from .limits import Grant, Limit, grant_rows, limit_rows
from .reaching import Reach
from .reserve import Draw, Reserve, draws, reserve_rows
from .rules import WORST_FIRST, Dropped, Rule, dropped_rows, rule_rows
from .state import State, chances, state_of
from .work import Work, budget_rows, work_rows


@dataclass(frozen=True)
class Standing:
    """Where a project stands: the rows of each section of its status page. Empty where there is nothing to say."""

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

    @cached_property
    def work(self) -> list[Work]:
        """Phases, items and seeds; the first two hundred rows."""
        return list(islice(work_rows(self.view), MOST_ROWS))

    @cached_property
    def more_work(self) -> Figure | None:
        """How many rows more there are; None if all are shown."""
        more = sum(1 for _ in work_rows(self.view)) - MOST_ROWS
        return counted(more, "rows") if more > 0 else None

    @cached_property
    def budgets(self) -> list[Work]:
        """The final and the extended budget as a whole."""
        return budget_rows(self.view)

    @cached_property
    def months(self) -> list[Month]:
        """What was charged in each month."""
        return charged.months(self.view)

    @cached_property
    def limits(self) -> list[Limit]:
        """Budgets and ceiling."""
        return list(limit_rows(self.view))

    @cached_property
    def grants(self) -> list[Grant]:
        """The grants that the project draws on."""
        return list(grant_rows(self.view))

    @cached_property
    def reserve(self) -> list[Reserve]:
        """The contingency by phase, and of all."""
        return list(reserve_rows(self.view))

    @cached_property
    def draws(self) -> list[Draw]:
        """What drew on the contingency."""
        return draws(self.view)

    @cached_property
    def rules(self) -> list[Rule]:
        """The policies with their verdicts, at most two hundred, what is breached first."""
        return list(islice(rule_rows(self.view), MOST_ROWS))

    @cached_property
    def verdicts(self) -> list[tuple[Figure, str]]:
        """How many policies are breached, undecided and kept; what none is, is left out."""
        found = [kept.holds for kept in self.view.book.policies.get(self.view.id, ())]
        return [(counted(number, word), word) for one, word in WORST_FIRST if (number := found.count(one))]

    @cached_property
    def dropped(self) -> list[Dropped]:
        """What would be given up first."""
        return list(islice(dropped_rows(self.view), MOST_ROWS))

    @cached_property
    def causes(self) -> list[Row]:
        """What was wasted by its causes."""
        return charged.causes(self.view)

    @cached_property
    def statuses(self) -> list[Row]:
        """What was charged by the status of runs."""
        return charged.statuses(self.view)

    @cached_property
    def stated(self) -> list[Row]:
        """What runs state beside their hours: energy, cost."""
        return charged.stated(self.view)

    @cached_property
    def latest(self) -> list[RunRow]:
        """The newest runs."""
        return charged.latest(self.view)

    @cached_property
    def unclear(self) -> list[Unclear]:
        """What cannot be estimated at completion, and why."""
        return list(charged.unclear(self.view))
