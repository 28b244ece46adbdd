"""What the templates of the status page and of the portfolio see of a project beside its View."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from reckon.model.figure import Figure

from ..rows import Row, Unclear
from ..table import Table
from ..view import View
from .charged import causes, earned_table, months_table, runs_table, statuses_table, unclear, waste_table
from .glance import glance_table
from .limits import grants_table, limits_table, money_table
from .reaching import Reach
from .reserve import Draw, draws, draws_table, reserve_table
from .rules import dropped_table, rules_table, verdicts
from .state import State, chances, state_of
from .work import used_share, useful_table, work_table


def _table(of: Callable[[View], Table]) -> cached_property[Table]:
    """A property that is a table of the project, made once; what is in it, its function says."""
    return cached_property(lambda standing: of(standing.view))


@dataclass(frozen=True)
class Standing:
    """Where a project stands: the tables of its status page. They have no rows where there is nothing to say."""

    view: View

    glance = _table(glance_table)
    work = _table(work_table)
    months = _table(months_table)
    limits = _table(limits_table)
    grants = _table(grants_table)
    money = _table(money_table)
    reserve = _table(reserve_table)
    drawn = _table(draws_table)
    rules = _table(rules_table)
    waste = _table(waste_table)
    statuses = _table(statuses_table)
    useful = _table(useful_table)
    dropped = _table(dropped_table)
    latest = _table(runs_table)
    earned = _table(earned_table)

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
        return used_share(self.view)

    @cached_property
    def draws(self) -> list[Draw]:
        """What drew on the contingency."""
        return draws(self.view)

    @cached_property
    def verdicts(self) -> list[tuple[Figure, str]]:
        """How many policies are breached, undecided and kept; what none is, is left out."""
        return verdicts(self.view)

    @cached_property
    def causes(self) -> list[Row]:
        """What was wasted by its causes."""
        return causes(self.view)

    @cached_property
    def unclear(self) -> list[Unclear]:
        """What cannot be estimated at completion, and why."""
        return list(unclear(self.view))
