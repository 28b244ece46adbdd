"""The state of a project in a word, with the figures that decide it.

The first of RULES that speaks decides, the gravest first: what has happened before what may happen. `spending only` and
`not begun` come before all, since nothing can be held against a plan there. Findings that somebody accepts do not
count, and what is not known is never taken to be well. Extensions that have not begun may never be run: what is likely
with them alone is said, and is not a risk yet.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.audit.common import is_above, is_done
from reckon.model.figure import Figure
from reckon.model.finding import Sentence, joined, say
from reckon.model.kinds import BEST_CASE, CEILING, EXTENDED, FINAL, Total, budget_of, called

from ..table import Cell, Link
from ..view import View
from .limits import Reach, is_likely, reach, reach_grant


class ProjectState(NamedTuple):
    """A state: the word, the kind of callout that it stands in, and why."""

    word: str
    tone: str
    why: Sentence

    @property
    def grave(self) -> bool:
        """Whether somebody should look at it: what digest, review and `status` tell."""
        return self.tone in ("CAUTION", "WARNING")


Rule = Callable[[View], ProjectState | None]


def _spending_only(view: View) -> ProjectState | None:
    why = "no plan is known; what was charged is all that is recorded"
    return None if view.planned else ProjectState("spending only", "NOTE", say(why))


def _not_begun(view: View) -> ProjectState | None:
    return None if view.runs else ProjectState("not begun", "NOTE", say("no runs are recorded yet"))


def _over_ceiling(view: View) -> ProjectState | None:
    return _over(view, "over ceiling", CEILING)


def _over_allocation(view: View) -> ProjectState | None:
    for name in view.allocations:
        at = f"allocations.{name}"
        if is_above(view.book.get(f"{at}.used"), view.book.get(f"{at}.gpu_hours")):
            return ProjectState("over allocation", "CAUTION", say(
                "{used} of {granted} are used of “{title}”", used=view.book[f"{at}.used"],
                granted=view.book[f"{at}.gpu_hours"], title=str(view.book.ledger.allocations[name].title),
            ))  # fmt: skip
    return None


def _over_budget(view: View) -> ProjectState | None:
    """The final budget; the extended one too, where extensions are part of the plan."""
    if view.project.plan_is:
        return None
    return _over(view, "over budget", FINAL) or _over(view, "over budget", EXTENDED)


def _policy_breached(view: View) -> ProjectState | None:
    grave = [*view.severity("error"), *view.severity("warning")]
    broken = next((finding for finding in grave if finding.rule == "policy-breached"), None)
    if broken is None:
        return None
    return ProjectState("policy breached", "WARNING", (*broken.title, ": ", *broken.arithmetic))


def _above_best_case(view: View) -> ProjectState | None:
    """What is beyond a plan that is the best case, and so sets no limit."""
    used, best = view.maybe(CEILING.actual), view.maybe(budget_of(view.book.figures, view.id).hours)
    if not view.project.plan_is or used is None or best is None or not is_above(used, best):
        return None
    end = "; all its work is done" if is_done(view.book, view.id) else ""
    why = say("{used} were used, the best case is {best}", used=used, best=best)
    return ProjectState("above its best case", "NOTE", (*why, end) if end else why)


def _done(view: View) -> ProjectState | None:
    if not is_done(view.book, view.id):
        return None
    why = say("all planned work is complete, with {spent}", spent=view.fig("actual.total"))
    return ProjectState("done", "NOTE", why)


def _at_risk(view: View) -> ProjectState | None:
    """A limit that is likely exceeded by the base plan; with the extensions, once they have begun."""
    if found := [odds for odds in _bounding(view) if odds.risk]:
        return ProjectState("at risk", "WARNING", _told(found))
    if likely := _likely_extended(view) if _extensions_begun(view) else []:
        return ProjectState("at risk", "WARNING", ("with the extensions, which have begun, ", *_told(likely)))
    return None


def _above_best_case_soon(view: View) -> ProjectState | None:
    """What is likely to end above a plan that is the best case: it sets no limit, so that nothing is at risk."""
    odds = chances(view)[:1] if view.project.plan_is else []
    likely = [found for found in odds if found.risk]
    return ProjectState("likely above its best case", "NOTE", _told(likely)) if likely else None


def _unclear(view: View) -> ProjectState | None:
    p50 = view.maybe("forecast.p50")
    if p50 and not p50.missing:
        return None
    return ProjectState("unclear", "WARNING", say("where it ends cannot be forecast yet"))


class Odds(NamedTuple):
    """How likely a limit is exceeded, with the words for it; `passed` where it is already. `risky` is the chance from
    which on the project says that it is at risk (`at_risk`); None where it says nothing."""

    what: str
    chance: Figure
    passed: bool
    risky: Figure | None = None

    @property
    def risk(self) -> bool:
        """Whether the limit is so likely exceeded that the project is at risk."""
        return is_likely(self.chance, self.risky)


def chances(view: View, extended: bool = False) -> list[Odds]:
    """How likely budget, ceiling and grants are exceeded by the base plan, or with the extensions."""
    near = near_limits(view, EXTENDED if extended else budget_of(view.book.figures, view.id))
    found = [(what, limit.extended if extended else limit.chance, limit) for what, limit in near]
    return [Odds(what, chance, limit.passed, limit.risky) for what, chance, limit in found
            if chance and not chance.missing]  # fmt: skip


def _bounding(view: View) -> list[Odds]:
    """The same without a plan that is the best case."""
    found = chances(view)
    return [odds for odds in found if odds.what != f"the {BEST_CASE.lower()}"] if view.project.plan_is else found


def near_limits(view: View, budget: Total) -> list[tuple[str, Reach]]:
    """How near a budget, the ceiling and the grants are, each with the words for what is exceeded."""
    found = [(f"the {called(view.project, total.words)}", risk, reach(view.book, view.id, total.id))
             for total, risk in ((budget, "budget"), (CEILING, "ceiling"))]  # fmt: skip
    for name in view.allocations:
        title = f"the allocation “{view.book.ledger.allocations[name].title}”"
        found.append((title, "allocations", reach_grant(view.book, name)))
    return [(what, near._replace(risky=view.maybe(f"at_risk.{risk}"))) for what, risk, near in found if near]


def _extensions_begun(view: View) -> bool:
    """Whether a phase beside the base budget was charged anything."""
    beside = [name for name, phase in view.ledger.plan.items() if phase.extension]
    return any((spent := view.maybe(f"phases.{name}.actual")) is not None and bool(spent.use) for name in beside)


def _likely_extended(view: View) -> list[Odds]:
    return [odds for odds in chances(view, extended=True) if odds.risk and not odds.passed]


def _told(found: list[Odds]) -> Sentence:
    """How likely limits are exceeded, in words; and from which chance on that is a risk, where the project says it."""
    parts = [(*say("{what} {chance}", what=odds.what, chance=odds.chance), *_beyond(odds)) for odds in found[1:]]
    first = say("the chance of exceeding {what} is {chance}", what=found[0].what, chance=found[0].chance)
    return joined(((*first, *_beyond(found[0])), *parts), ", of exceeding ")


def _beyond(odds: Odds) -> Sentence:
    return say(" (at risk from {risky})", risky=odds.risky) if odds.risky and odds.risk else ()


def _within(view: View) -> ProjectState:
    """No limit is likely exceeded: by the base plan, and by the extensions if they were run. Open errors are said."""
    base, likely, errors = chances(view), _likely_extended(view), view.severity("error")
    above = [odds for odds in base[1:] if _chance(odds) > _chance(base[0])]
    said = _told([*base[:1], *above]) if base else ()
    others = likely or sorted(chances(view, extended=True), key=_chance, reverse=True)[:1]
    if others:
        said = (*said, f"; with the extensions, {'which have not begun, ' if likely else ''}", *_told(others))
    word, tone = "within the base plan" if likely else "within plan", "NOTE"
    if errors:
        many = view.many(errors, "error", "errors")
        open_ = say("{many} " + ("is" if len(errors) == 1 else "are") + " open", many=many)
        word, tone, said = f"{word}, with open errors", "WARNING", (*said, "; ", *open_) if said else open_
    return ProjectState(word, tone, said)


def _chance(odds: Odds) -> Fraction:
    return odds.chance.use or Fraction(0)


def _over(view: View, word: str, total: Total) -> ProjectState | None:
    used, allowed = view.maybe(total.actual), view.maybe(total.hours)
    if used is None or allowed is None or not is_above(used, allowed):
        return None
    end = "; all planned work is done" if is_done(view.book, view.id) else ""
    why = say("{used} are charged, {allowed} allowed", used=used, allowed=allowed)
    return ProjectState(word, "CAUTION", (*why, end) if end else why)


RULES: tuple[Rule, ...] = (
    _spending_only,
    _not_begun,
    _over_ceiling,
    _over_allocation,
    _over_budget,
    _policy_breached,
    _above_best_case,
    _done,
    _at_risk,
    _above_best_case_soon,
    _unclear,
)  # fmt: skip


def state_of(view: View) -> ProjectState:
    """The state of a project."""
    found = (rule(view) for rule in RULES)
    return next(filter(None, found), None) or _within(view)


def version_cell(view: View) -> Cell:
    """What a living page is: a version as it is written, or what has come after the newest release, if only in how a
    document is kept that was published so."""
    if not view.released:
        return view.project.version
    release = Link(view.released, f"releases/{view.released}/index.md")
    if view.releases[0].as_published:
        return (release, " as published; this page is newer, data through ", view.through)
    return ("after ", release, ", data through ", view.through)
