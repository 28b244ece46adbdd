"""What the first page of a budget says first: one sentence of what is planned, spent, estimated and forecast."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.model.figure import Figure
from reckon.model.finding import Sentence, say
from reckon.model.kinds import CEILING, EXTENDED, FINAL

from ..view import View
from .energy import amount
from .limits import is_passed, one_price
from .state import OVER_ALLOCATION, OVER_BUDGET, OVER_CEILING, extensions_begun, state_of

MOST_CAUSES = 3
"""How many open errors are named behind the answer; the page of findings has all."""


@dataclass(frozen=True)
class BudgetAnswer:
    """The opening sentence of a budget, unless the ledger has an `answer` of its own."""

    view: View

    @property
    def sentence(self) -> Sentence:
        """Words and figures without the full stop at their end; empty where no total of the plan is known."""
        whole = self._known(FINAL.hours) or self._known(EXTENDED.hours)
        if whole is None or not self.view.planned:
            return self._spent_alone()
        more = self._known(EXTENDED.hours) if self._known(FINAL.hours) else None
        with_more = say(" ({more} with extensions)", more=more) if more and more.use != whole.use else ()
        spent = self._known(CEILING.actual)
        charged = say(", and {spent} are spent", spent=spent) if spent and spent.use else say(", and none are spent")
        plan = say("The best case is {whole}" if self.view.project.plan_is else "{whole} are planned", whole=whole)
        return (*self._exceeded(), *plan, *with_more, *charged, *self._estimated(whole), *self._ahead())

    def _exceeded(self) -> Sentence:
        """That a limit is passed, which nobody should have to find out from the figures."""
        state = state_of(self.view)
        if state.word == OVER_BUDGET:
            return say("Over budget: ")
        if state.word == OVER_CEILING:
            return say("Over its ceiling of {ceiling}: ", ceiling=self.view.fig(CEILING.hours))
        return (*say("Over an allocation ("), *state.why, "): ") if state.word == OVER_ALLOCATION else ()

    def _spent_alone(self) -> Sentence:
        spent = self._known(CEILING.actual)
        if spent is None or self.view.planned:
            return ()
        return (*say("{spent} were used", spent=spent), *self._worth(), "; no plan is known")

    def _worth(self) -> Sentence:
        """What the hours that were used come to: in money, or else in energy and emissions; nothing where unknown."""
        if usd := self._known("money.actual"):
            price = one_price(self.view)
            return (*say(", {usd}", usd=usd), *(say(" at {price}", price=price) if price else ()))
        known = [name for name in ("energy", "carbon") if self._known(f"{name}.actual")]
        found = (amount(self.view, name, f"{name}.actual") for name in known)
        return tuple(part for figure in found if figure for part in (", ", figure))

    def _estimated(self, whole: Figure) -> Sentence:
        """What the estimates come to: beside a plan that they support, or against it."""
        estimate = self._known("estimates.final") or self._known("estimates.extended")
        if estimate is None or estimate.value.low is None or whole.use is None:
            return ()
        more = whole.use < estimate.value.low
        return say("; by its own estimates the work takes {estimate}" if more else "; the estimates come to {estimate}",
                   estimate=estimate)  # fmt: skip

    def _ahead(self) -> Sentence:
        """Where the forecast sees the end; nothing before the first run, as it says no more than the plan then."""
        key = "forecast" if self._known(FINAL.hours) else "forecast.extended"
        low, high = self._known(f"{key}.p10"), self._known(f"{key}.p90")
        if not self.view.runs or low is None or high is None:
            return ()
        if low.use == high.use:
            return say("; all its work is done")
        left = self._known(FINAL.remaining if key == "forecast" else EXTENDED.remaining)
        passed = left is not None and is_passed(left)
        begun = not passed and extensions_begun(self.view) and self._known(f"{key}.probability_over_{FINAL.id}")
        ahead = say("; it is forecast to end between {low} and {high} (P10 to P90)", low=low, high=high)
        if begun:
            words = "; with what extensions have taken, the chance of exceeding the budget is {odds}"
            return (*ahead, *say(words, odds=begun))
        odds = None if passed else self._known(f"{key}.probability_over_plan")
        return (*ahead, *say(", with a chance of {odds} of exceeding the budget", odds=odds)) if odds else ahead

    def _known(self, address: str) -> Figure | None:
        figure = self.view.maybe(address)
        return None if figure is None or figure.missing or figure.use is None else figure
