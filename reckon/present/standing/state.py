"""The state of a project in a word, with the figures that decide it.

The first rule that speaks decides, the gravest first: what has happened before what may happen. `spending only` and
`not begun` come before all, since nothing can be held against a plan there. Findings that the authors accept do not
count, and what is not known is never taken to be well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reckon.compute.audit.common import is_above
from reckon.model.finding import Sentence, say
from reckon.model.kinds import CEILING, EXTENDED, FINAL, Total, budget_of

from ..view import View
from .reaching import LIKELY, Reach, is_done, reach, reach_grant


class State(NamedTuple):
    """A state: the word, the kind of callout that it stands in, and why."""

    word: str
    tone: str
    why: Sentence


Rule = Callable[[View], State | None]


def state_of(view: View) -> State:
    """The state of a project."""
    found = (rule(view) for rule in RULES)
    return next((state for state in found if state), State("within plan", "NOTE", _chance(view)))


def _spending_only(view: View) -> State | None:
    why = "no plan is known; what was charged is all that is recorded"
    return None if view.planned else State("spending only", "NOTE", say(why))


def _not_begun(view: View) -> State | None:
    return None if view.runs else State("not begun", "NOTE", say("no runs are recorded yet"))


def _over_ceiling(view: View) -> State | None:
    return _over(view, "over ceiling", CEILING)


def _over_allocation(view: View) -> State | None:
    for name in view.allocations:
        at = f"allocations.{name}"
        if is_above(view.book.get(f"{at}.used"), view.book.get(f"{at}.gpu_hours")):
            return State("over allocation", "CAUTION", say(
                "{used} of {granted} are used of “{title}”", used=view.book[f"{at}.used"],
                granted=view.book[f"{at}.gpu_hours"], title=str(view.book.ledger.allocations[name].title),
            ))  # fmt: skip
    return None


def _over_budget(view: View) -> State | None:
    """The final budget; the extended one too, where extensions are part of the plan."""
    return _over(view, "over budget", FINAL) or _over(view, "over budget", EXTENDED)


def _policy_breached(view: View) -> State | None:
    grave = [*view.severity("error"), *view.severity("warning")]
    broken = next((one for one in grave if one.rule == "policy-breached"), None)
    return None if broken is None else State("policy breached", "WARNING", (*broken.title, ": ", *broken.arithmetic))


def _done(view: View) -> State | None:
    if not is_done(view.book, view.id):
        return None
    return State("done", "NOTE", say("all planned work is complete, with {spent}", spent=view.fig("actual.total")))


def _at_risk(view: View) -> State | None:
    for what, near in chances(view):
        chance = near.chance
        if chance and chance.use is not None and chance.use >= LIKELY:
            why = say("the probability of passing {what} is {chance}", what=what, chance=chance)
            return State("at risk", "WARNING", why)
    return None


def _unclear(view: View) -> State | None:
    p50 = view.maybe("forecast.p50")
    if p50 and not p50.missing:
        return None
    return State("unclear", "WARNING", say("where it ends cannot be forecast yet"))


RULES: tuple[Rule, ...] = (
    _spending_only,
    _not_begun,
    _over_ceiling,
    _over_allocation,
    _over_budget,
    _policy_breached,
    _done,
    _at_risk,
    _unclear,
)  # fmt: skip


def chances(view: View) -> list[tuple[str, Reach]]:
    """How near budget, ceiling and grants are, each with the words for what is passed; those that have a chance."""
    totals = (budget_of(view.book.figures, view.id), CEILING)
    found = [(f"the {total.words}", reach(view.book, view.id, total.id)) for total in totals]
    for name in view.allocations:
        title = f"the allocation “{view.book.ledger.allocations[name].title}”"
        found.append((title, reach_grant(view.book, name)))
    return [(what, near) for what, near in found if near and near.chance and not near.chance.missing]


def _chance(view: View) -> Sentence:
    for what, near in chances(view):
        if near.chance:
            return say("the probability of passing {what} is {chance}", what=what, chance=near.chance)
    return ()


def _over(view: View, word: str, total: Total) -> State | None:
    used, allowed = view.maybe(total.actual), view.maybe(total.hours)
    if used is None or allowed is None or not is_above(used, allowed):
        return None
    end = "; all planned work is done" if is_done(view.book, view.id) else ""
    why = say("{used} are charged, {allowed} allowed", used=used, allowed=allowed)
    return State(word, "CAUTION", (*why, end) if end else why)
