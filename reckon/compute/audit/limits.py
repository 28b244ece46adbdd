"""What the project is bound to and does not keep: limits of hours, and policies."""

from __future__ import annotations

from reckon.language.groups import group_by
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import CEILING, FINAL, MONEY_CEILING, TOTALS
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.conditions import Compared, PolicyResult
from .common import POLICY, accepted_in, counted, is_above, is_done, named, places, shared_grants_of, side
from .work_to_do import money_above_ceiling, work_above_ceiling, work_above_phase_ceilings

MOST = 20
"""How many breaches of one policy are findings of their own."""


WORDS = {
    "<": "is to be below",
    "<=": "is to be at most",
    ">": "is to be above",
    ">=": "is to be at least",
    "is": "is to be",
    "is not": "is not to be",
    "inside": "is to lie inside",
    "not inside": "is to lie outside of",
}
"""What the left side of a comparison is to be, by its operator."""


OVERDRAWN = "A grant is overdrawn"

AFTER_ITS_END = "All its work is done: correct the runs if they are wrong, else accept the finding with the reason."


def limit_exceeded(project: ProjectLedger, book: Book) -> Findings:
    """More was charged than the budget, the ceiling or a grant allows."""
    for total in TOTALS.values():
        limit, spent, subject = (f"{project.id}.{name}" for name in (total.hours, total.actual, f"limits.{total.id}"))
        what = "spent" if total.planned else "passed"
        ended = is_done(book, project.id)
        if total.planned and project.project.plan_is:
            yield from _above_best_case(book, limit, spent, subject)
        else:
            title = f"The {total.words} is {what}"
            yield from _exceeded(book, limit, spent, title, subject, ended, is_mild=total.planned)
    yield from _money_exceeded(project, book)
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        ended = all(is_done(book, each) for each in grant.projects)
        yield from _exceeded(book, f"{at}.granted", used_for_certain(book, name), OVERDRAWN, at, ended)
    for group in shared_grants_of(project, book):
        at = f"allocations.{group.names[0]}.together"
        title = "Grants are overdrawn together"
        projects = {each for name in group.names for each in book.allocations[name].projects}
        ended = all(is_done(book, each) for each in projects)
        yield from _exceeded(book, f"{at}.granted", f"{at}.used", title, at, ended)


def _money_exceeded(project: ProjectLedger, book: Book) -> Findings:
    """More was paid than the ceiling in money allows, or more of a phase was spent than its own ceilings do."""
    ended = is_done(book, project.id)
    limit = f"{project.id}.{MONEY_CEILING.hours}"
    paid = f"{project.id}.{MONEY_CEILING.actual}"
    yield from _exceeded(book, limit, paid, "The ceiling in money is passed", limit, ended)
    for name, phase in project.plan.items():
        title = f"The ceiling of {phase.title} is passed"
        at = f"{project.id}.phases.{name}"
        yield from _exceeded(book, f"{at}.ceiling", f"{at}.actual", title, f"{at}.ceiling", ended)
        money = f"{at}.money.ceiling"
        yield from _exceeded(book, money, f"{at}.money.actual", f"{title}, in money", money, ended)


def used_for_certain(book: Book, name: str) -> str:
    """The address of what a grant has used or, where others could be charged for some of it, used at the least."""
    at = f"allocations.{name}"
    return f"{at}.used_at_least" if name in book.shared_grants else f"{at}.used"


def plan_above_ceiling(project: ProjectLedger, book: Book) -> Findings:
    """More is planned than the ceiling allows, or more of it is to do than is left."""
    final = book.find(project, FINAL.hours)
    ceiling = book.find(project, CEILING.hours)
    if final and ceiling and is_above(final, ceiling):
        yield make_finding(
            "plan-above-ceiling",
            final.address,
            "More is planned than the ceiling allows",
            say("the final budget is {final}, the ceiling {ceiling}", final=final, ceiling=ceiling),
            "Carried out as planned, the project passes its ceiling.",
            "Plan less, or have the ceiling raised.",
            places(ceiling),
        )
    else:
        yield from work_above_ceiling(book, project)
    yield from money_above_ceiling(book, project)
    yield from work_above_phase_ceilings(book, project)


def _exceeded(
    book: Book, limit: str, spent: str, title: str, subject: str, ended: bool, is_mild: bool = False
) -> Findings:
    """That more is charged than a limit allows; `ended` where no work is left that could be stopped."""
    allowed = book.get(limit)
    used = book.get(spent)
    day = book.get(f"{subject}.reached")
    if allowed is None or used is None or not is_above(used, allowed):
        return
    since = say(", passed on {day}", day=day) if day and not day.missing else ()
    arithmetic = say("{used} are charged, {allowed} allowed", used=used, allowed=allowed) + since
    remedy = AFTER_ITS_END if ended else "Stop, find more hours, or correct the runs if they are wrong."
    yield make_finding(
        "limit-passed",
        subject,
        title,
        arithmetic,
        "What is spent beyond a limit is not covered by it.",
        remedy,
        places(allowed),
        is_mild=is_mild,
    )


def _above_best_case(book: Book, limit: str, spent: str, subject: str) -> Findings:
    """That the work took more than a plan that is its best case, and so allows for nothing that goes wrong."""
    best = book.get(limit)
    used = book.get(spent)
    if best is None or used is None or not is_above(used, best):
        return
    yield make_finding(
        "limit-passed",
        subject,
        "The work is above its best case",
        say("{used} were used, the best case is {best}", used=used, best=best),
        "A best case sets no limit: it leaves out whatever may go wrong.",
        "Correct the runs if they are wrong; else there is nothing to do.",
        places(best),
        severity="note",
    )


def policy_breached(project: ProjectLedger, book: Book) -> Findings:
    """Policies that do not hold; of one over many things the first twenty, those accepted, and how many more."""
    accepted = accepted_in(project)
    broken = (result for result in book.policies.get(project.id, ()) if result.holds is False)
    for found in group_by(broken, lambda result: result.name).values():
        rest = []
        for number, result in enumerate(found):
            breach = _breach(project, result)
            if number < MOST or breach.id in accepted:
                yield breach
            else:
                rest.append(result)
        if rest:
            yield _more(project, rest)


def _more(project: ProjectLedger, rest: list[PolicyResult]) -> Finding:
    """The breaches of a policy beyond the first, in one finding."""
    policy = rest[0].policy
    count = counted(len(rest))
    title = say(POLICY + "{title} (and {count} more)", title=_title(rest[0]), count=count)
    about = say("the first of these is {first}", first=rest[0].about)
    subject = f"{project.id}.policies.{rest[0].name}"
    remedy = say("{message}", message=policy.message)
    place = (policy.require.place,)
    return make_finding(
        "policy-breached", subject, title, about, _requires(rest[0]), remedy, place, severity=policy.severity
    )


def _title(result: PolicyResult) -> str:
    return result.policy.title or result.name


def _requires(result: PolicyResult) -> Sentence:
    return say("It requires {require}.", require=result.policy.require.formula.text)


def breach_id(project: ProjectLedger, result: PolicyResult) -> str:
    """The id of the finding that a policy is not kept."""
    return f"policy-breached:{_subject(project, result)}"


def _subject(project: ProjectLedger, result: PolicyResult) -> str:
    inside = result.at.removeprefix(f"{project.id}.").removeprefix("phases.").removeprefix("plan.")
    return f"{project.id}.policies.{result.name}" + (f".{inside}" if result.about else "")


def _breach(project: ProjectLedger, result: PolicyResult) -> Finding:
    policy = result.policy
    about = say(" ({about})", about=result.about) if result.about else ()
    title = say(POLICY + "{title}", title=_title(result)) + about
    failing = [part for part in result.judged.parts if part.holds is False] or list(result.judged.parts)
    arithmetic = joined((compared(part) for part in failing), ", ")
    subject = _subject(project, result)
    return make_finding(
        "policy-breached",
        subject,
        title,
        arithmetic,
        _requires(result),
        say("{message}", message=policy.message),
        (policy.require.place,),
        severity=policy.severity,
    )


def compared(part: Compared) -> Sentence:
    """A comparison in words: what its left side is, and what it is to be."""
    return (*side(part.left), " and ", f"{WORDS[part.operator]} ", *named(part.right))
