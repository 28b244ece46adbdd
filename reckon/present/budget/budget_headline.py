"""What the first page of a budget says first: one sentence of what is planned, spent, estimated and forecast."""

from __future__ import annotations

from reckon.model.finding import Sentence
from reckon.model.kinds import CEILING, EXTENDED, FINAL

from ..view import View
from ..word_templates import compose
from .energy import amount
from .limits import one_price
from .state import extensions_begun, state_of

UNLIKE_ESTIMATE, MOST_CAUSES = ("plan-unlike-its-estimate", "seeds-counted-twice"), 3
"""The rules that say why estimates need other hours than the plan, and how many of their errors are named."""


def budget_answer(view: View) -> Sentence:
    """The opening sentence of a budget, without its full stop, unless the ledger has an `answer` of its own.

    It is empty where no total of the plan is known or, without a plan, nothing of what was used."""
    if view.planned:
        whole = view.known(FINAL.hours) or view.known(EXTENDED.hours)
        return compose("budget", "answer", view, state_of(view), extensions_begun(view)) if whole else ()
    spent = view.known(CEILING.actual)
    if spent is None:
        return ()
    groups = [group for group in ("energy", "carbon") if view.known(f"{group}.actual")]
    amounts = [amount(view, group, f"{group}.actual") for group in groups]
    return compose("budget", "used", spent, view.known("money.actual"), one_price(view), amounts)
