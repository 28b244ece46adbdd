"""What the first page of a budget says first: one sentence of what is planned, spent, estimated and forecast."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.model.figure import Figure
from reckon.model.finding import Sentence, say
from reckon.model.kinds import CEILING, EXTENDED, FINAL

from ..view import View

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
        return (*say("{whole} are planned", whole=whole), *with_more, *charged, *self._estimated(whole), *self._ahead())

    def _spent_alone(self) -> Sentence:
        spent = self._known(CEILING.actual)
        return say("{spent} were used. No plan is known", spent=spent) if spent and not self.view.planned else ()

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
        return say("; it is forecast to end between {low} and {high}", low=low, high=high)

    def _known(self, address: str) -> Figure | None:
        figure = self.view.maybe(address)
        return None if figure is None or figure.missing or figure.use is None else figure
