"""The state of a project in a word, with the figures that decide it.

The first of `_states` decides, the gravest first: what has happened before what may happen; `dangers` tells all
of them. `no budget stated` comes before all: without a plan nothing can be compared. A plan that has not begun can
be at risk like any other. Findings that somebody accepts do not decide, and are said at the end. What is not known is
never taken to be well. Extensions that have not begun may never be run: of what is likely with them alone that is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.audit.common import is_above
from reckon.compute.budget.alarms import is_alarming
from reckon.language.quantity import ZERO
from reckon.language.text import capitalise
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Finding, Sentence, joined, say
from reckon.model.finding_groups import FindingGroup
from reckon.model.kinds import BEST_CASE, CEILING, EXTENDED, FINAL, MONEY_CEILING, Total, called

from ..view import View
from .accepted_findings import BREACHED, accepted_breaches, quoted
from .dates import in_days, latest_phase
from .grants import overdrawn_grant
from .limits import Reach, reach, reach_grant, reach_money


class ProjectState(NamedTuple):
    """A state: the word, the kind of callout that it stands in, and why."""

    word: str
    tone: str
    why: Sentence

    @property
    def grave(self) -> bool:
        """Whether somebody should look at it: what digest, review and `status` tell."""
        return self.tone in ("CAUTION", "WARNING")

    @property
    def safe(self) -> bool:
        """Whether no limit is likely exceeded by the base plan, and nothing else is to be said."""
        return self.word in (WITHIN, BASE_ONLY)

    @property
    def dangerous(self) -> bool:
        """Whether that is since a limit or policy is not kept, or likely will not be."""
        return self.grave and self.word in DANGERS


OVER = OVER_CEILING, OVER_ALLOCATION, OVER_BUDGET = "over ceiling", "over allocation", "over budget"
DANGERS = (*OVER, "policy breached", "at risk", "planned above a limit")
"""The states in which a limit or a policy is not kept, or likely will not be."""

PLANNED_ABOVE = ("plan-above-limit",)
NO_RUNS = "no runs are recorded yet"

WITHIN = "within plan"
BASE_ONLY = "within budget"
"""The state of a project whose base plan keeps all limits, and whose extensions likely would not."""


def _states(view: View) -> Iterator[ProjectState]:
    """All states that a project is in: what is told first decides."""
    if not view.planned:
        yield ProjectState(
            "no budget stated", "NOTE", say("no plan is known; what was charged is all that is recorded")
        )
    yield from _exceeded(view)
    if broken := _breaches(view):
        yield ProjectState("policy breached", "WARNING", broken[0])
    if above := _above_best_case(view):
        yield ProjectState("above its best case", "NOTE", above)
    if view.done:
        why = say("all planned work is complete, with {spent}", spent=view.fig("actual.total"))
        yield ProjectState("done", "NOTE", why)
    # A limit that is likely exceeded by the base plan, or with the extensions once they have begun.
    if ahead := _ahead(view, [odds for odds in _bounding(view) if odds.risk]):
        yield ProjectState("at risk", "WARNING", ahead)
    if planned := _planned_above(view):
        yield ProjectState("planned above a limit", "WARNING", planned)
    errors = view.severity("error")
    if not view.runs and errors:
        yield ProjectState("not begun, with open errors", "WARNING", (*say(NO_RUNS), "; ", *_open(view, errors)))
    if not view.runs:
        yield ProjectState("not begun", "NOTE", say(NO_RUNS))
    # What is likely to end above a plan that is the best case: that sets no limit, so nothing is at risk.
    own = chances(view)[:1] if view.project.plan_is else []
    if own and own[0].risk:
        yield ProjectState("likely above its best case", "NOTE", _describe_odds(own))
    p50 = view.maybe("forecast.p50")
    if not p50 or p50.missing:
        yield ProjectState("unclear", "WARNING", say("where it ends cannot be forecast yet"))
    yield _within_limits_state(view)


def _exceeded(view: View) -> Iterator[ProjectState]:
    """The ceilings, the grants and the budget that are exceeded; the extended one too, where that is part of the
    plan."""
    if ceiling := _over(view, OVER_CEILING, CEILING) or _over(view, OVER_CEILING, MONEY_CEILING):
        yield ceiling
    if why := overdrawn_grant(view):
        yield ProjectState(OVER_ALLOCATION, "CAUTION", why)
    budget = None if view.project.plan_is else _over(view, OVER_BUDGET, FINAL) or _over(view, OVER_BUDGET, EXTENDED)
    if budget:
        yield budget


def _breaches(view: View) -> list[Sentence]:
    """What each policy that is not kept requires, and what is: the word for the state says that it is not kept."""
    grave = [*view.severity("error"), *view.severity("warning")]
    return [(*quoted(found.title), ": ", *found.arithmetic) for found in _find_all(grave, (BREACHED,))]


def _find_all(groups: Sequence[FindingGroup], rules: Sequence[str]) -> Iterator[Finding]:
    """What some rules found as causes, or graver than a note as what follows from others."""
    for group in groups:
        yield from (found for found in group.members if found.rule in rules)
        yield from (found for found in group.consequences if found.rule in rules and found.severity != "note")


def _above_best_case(view: View) -> Sentence:
    """What is beyond a plan that is the best case, and so sets no limit."""
    used, best = view.maybe(CEILING.actual), view.maybe(view.budget.hours)
    if not (view.project.plan_is and used and best and is_above(used, best)):
        return ()
    why = say("{used} were used, the best case is {best}", used=used, best=best)
    return (*why, "; all its work is done") if view.done else why


def _ahead(view: View, base: list[Odds]) -> Sentence:
    """What is likely exceeded by the base plan, and what with the extensions; empty where neither is a risk."""
    likely = likely_extended(view)
    risks = [*([_describe_odds(base)] if base else []), *([_extended(view, likely)] if likely else [])]
    return joined(risks) if base or extensions_begun(view) else ()


def _planned_above(view: View) -> Sentence:
    """A plan that the ceiling or a grant does not allow, even where contingency may never be needed."""
    above = [found.arithmetic for found in _find_all(view.severity("error"), PLANNED_ABOVE)]
    return joined([*above, _within_limits_state(view).why]) if above else ()


class Odds(NamedTuple):
    """How likely a limit is exceeded, with the words for it, and what that was as `planned`, where it is known;
    `passed` where it is already. `is_own` says that it is the project's own budget, which nobody else set. `risky` is
    the chance from which on the project says that it is at risk (`at_risk`); None where it says nothing."""

    what: str
    chance: Figure
    passed: bool
    planned: Figure | None = None
    is_own: bool = False
    risky: Figure | None = None

    @property
    def risk(self) -> bool:
        """Whether the limit is so likely exceeded that the project is at risk."""
        planned, stated = (figure.use if figure else None for figure in (self.planned, self.risky))
        return self.chance.use is not None and is_alarming(self.chance.use, planned, self.is_own, stated)


def chances(view: View, extended: bool = False) -> list[Odds]:
    """How likely budget, ceiling and grants are exceeded by the base plan, or with the extensions."""
    budget = EXTENDED if extended else view.budget
    own, found = _words_of(view, budget), list[Odds]()
    for what, kind, near in _near_limits(view, budget):
        chance = near and (near.extended if extended else near.chance)
        if near and is_known(chance):
            risky = view.maybe(f"at_risk.{kind}")
            found.append(Odds(what, chance, near.passed, view.as_planned(chance), what == own, risky))
    return found


def _words_of(view: View, total: Total) -> str:
    return f"the {called(view.project, total.words)}"


def _bounding(view: View) -> list[Odds]:
    """What bounds a project: all these but a plan that is the best case."""
    best = f"the {BEST_CASE.lower()}"
    return [odds for odds in chances(view) if not (view.project.plan_is and odds.what == best)]


def _near_limits(view: View, budget: Total) -> Iterator[tuple[str, str, Reach | None]]:
    """How near a budget, the ceiling and the grants are, each with the words for what is exceeded and its kind."""
    for total, kind in ((budget, "budget"), (CEILING, "ceiling")) if view.in_hours else ():
        yield _words_of(view, total), kind, reach(view.book, view.id, total)
    yield "the ceiling in money", "ceiling", reach_money(view.book, view.id)
    for name in view.allocations:
        yield f"the allocation “{view.book.allocations[name].title}”", "allocations", reach_grant(view.book, name)


def extensions_begun(view: View) -> bool:
    """Whether a phase beside the base budget was charged anything."""
    beside = [name for name, phase in view.ledger.plan.items() if phase.extension]
    return any((spent := view.maybe(f"phases.{name}.actual")) is not None and bool(spent.use) for name in beside)


def likely_extended(view: View) -> list[Odds]:
    """The limits that are likely exceeded with the extensions, and are not yet."""
    return [odds for odds in chances(view, extended=True) if odds.risk and not odds.passed]


def _extended(view: View, found: list[Odds]) -> Sentence:
    """How likely limits are exceeded with the extensions, and whether these have begun: only then it is a risk."""
    if extensions_begun(view):
        return ("with the extensions, which have begun, ", *_describe_odds(found))
    return (
        "with the extensions, which have not begun, ",
        *_describe_odds([odds._replace(risky=None) for odds in found]),
    )


def _describe_odds(found: list[Odds]) -> Sentence:
    """How likely limits are exceeded, in words, with what that was as planned; and from which chance on that is a risk,
    where the project says it."""
    parts = [(*say("{what} {chance}", what=odds.what, chance=odds.chance), *_beside(odds)) for odds in found[1:]]
    first = say("the chance of exceeding {what} is {chance}", what=found[0].what, chance=found[0].chance)
    return joined(((*first, *_beside(found[0])), *parts), ", of exceeding ")


def _beside(odds: Odds) -> Sentence:
    """In parentheses behind a chance: what it was as planned, and from where on the project says that it is a risk."""
    planned = say("{planned} before any run", planned=odds.planned) if odds.planned else ()
    stated = say("at risk from {risky}", risky=odds.risky) if odds.risky and odds.risk else ()
    parts = [part for part in (planned, stated) if part]
    return (" (", *joined(parts), ")") if parts else ()


def _within_limits_state(view: View) -> ProjectState:
    """No limit is likely exceeded: by the base plan, and by the extensions if they were run. Open errors are said."""
    base, likely, errors = chances(view), likely_extended(view), view.severity("error")
    above = [odds for odds in base[1:] if _chance(odds) > _chance(base[0])]
    said = _describe_odds([*base[:1], *above]) if base else ()
    others = likely or sorted(chances(view, extended=True), key=_chance, reverse=True)[:1]
    if others:
        said = (
            *said,
            "; ",
            *(_extended(view, likely) if likely else ("with the extensions, ", *_describe_odds(others))),
        )
    word, tone = BASE_ONLY if likely else WITHIN, "NOTE"
    if errors:
        open_ = _open(view, errors)
        word, tone, said = f"{word}, with open errors", "WARNING", (*said, "; ", *open_) if said else open_
    return ProjectState(word, tone, said)


def _open(view: View, errors: list[FindingGroup]) -> Sentence:
    """How many errors are open."""
    return say("{many} " + ("is" if len(errors) == 1 else "are") + " open", many=view.many(errors, "error"))


def _chance(odds: Odds) -> Fraction:
    return odds.chance.use or ZERO


def _over(view: View, word: str, total: Total) -> ProjectState | None:
    used, allowed = view.maybe(total.actual), view.maybe(total.hours)
    if not (used and allowed and is_above(used, allowed)):
        return None
    what = called(view.project, total.words)
    why = say("{used} are charged, the {what} is {allowed}", used=used, what=what, allowed=allowed)
    return ProjectState(word, "CAUTION", (*why, "; all planned work is done") if view.done else why)


def state_of(view: View) -> ProjectState:
    """The state of a project, with what of it is accepted; of a plan in danger also that it has not begun."""
    state = next(_states(view))
    idle = [] if view.runs or not state.dangerous else [f"; {NO_RUNS}"]
    return state._replace(why=joined([part for part in ((*state.why, *idle), *_accepted(view)) if part]))


def verdict(view: View) -> tuple[Sentence, Sentence]:
    """The state in a few words, with by how much it is late, and the sentences that explain it: first what the plan
    itself may exceed, and what the extensions would, which are optional until they have begun."""
    state, late = state_of(view), latest_phase(view)
    word = say(capitalise(state.word))
    if late and late.days_late and not state.grave:
        word += say(", {days} late", days=late.days_late)
    told: Sentence = () if state.safe else (": ", *state.why)
    told += (".",)
    if late and late.done:
        text = " At the pace of the last {days} of data, {pace}, {phase} ends on {day}, {late} after its last day."
        days, pace = view.fig("pace.days"), view.fig("pace.gpu_hours_per_day")
        span = in_days(days.use or ZERO, days.address)
        told += say(text, days=span, pace=pace, phase=late.title, day=late.done, late=late.days_late)
    if state.safe and (likely := likely_extended(view)):
        own = chances(view)[:1]
        risk = " Planned work has a {chance} risk of exceeding {what};"
        for odds in own:
            told += say(risk, chance=odds.chance, what=odds.what)
        beyond = joined((say("{what} ({chance})", what=odds.what, chance=odds.chance) for odds in likely), " and ")
        told += (" optional extensions, not begun, would likely exceed ", *beyond, ".")
    return word, told


def _accepted(view: View) -> list[Sentence]:
    return [("accepted: ", *breach) for breach in accepted_breaches(view)]


def dangers(view: View) -> list[Sentence]:
    """Why a project needs attention, one by one: the limits that are exceeded or likely will be, then each policy that
    is not kept, and what is accepted. Its state tells the first of the open ones alone."""
    state = state_of(view)
    if not state.dangerous:
        return [state.why]
    over = [found.why for found in _exceeded(view)]
    done = bool(view.planned) and view.done
    base = [odds for odds in _bounding(view) if odds.risk and not odds.passed]
    if ahead := () if done else _ahead(view, base):
        over.append(ahead)
    elif not over and (planned := _planned_above(view)):
        over.append(planned)
    rest = [] if view.runs else [say(NO_RUNS)]
    return [*over, *(("policy ", *broken) for broken in _breaches(view)), *_accepted(view), *rest]
