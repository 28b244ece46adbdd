"""What the project is bound to and does not keep: limits of hours, and policies."""

from __future__ import annotations

from collections.abc import Sequence

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS, Unit
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import CEILING, FINAL, MONEY_CEILING, TOTALS
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.conditions import Compared, PolicyResult
from .common import (
    POLICY,
    accepted_in,
    counted,
    day_since_first_run,
    is_above,
    is_done,
    named,
    places,
    shared_grants_of,
    side,
)

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
    """More is planned than the ceiling allows, or more of it is to do, without contingency, than is left of the ceiling
    in hours, in money, or of a phase. What was exceeded already, another rule tells."""
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
        left = book.find(project, CEILING.remaining)
        yield from _to_do_above(book, f"{project.id}.{CEILING.hours}", left, _to_do(book, project), "the ceiling")
    left, to_do = book.get_all(f"{project.id}.money", "below_ceiling", "paid_to_do")
    yield from _to_do_above(book, f"{project.id}.{MONEY_CEILING.hours}", left, to_do, "the ceiling in money")
    yield from _work_above_phase_ceilings(book, project)


def _work_above_phase_ceilings(book: Book, project: ProjectLedger) -> Findings:
    """More of a phase is to do than is left of its own ceiling, in hours or in money."""
    for name, phase in project.plan.items():
        at = f"{project.id}.phases.{name}"
        for within, unit_of in ((at, "to_do"), (f"{at}.money", "money.to_do")):
            left = book.get(f"{within}.below_ceiling")
            limit = f"{within}.ceiling"
            parts = [book.find(project, f"plan.{item}.{unit_of}") for item in phase.items]
            if left is not None:
                yield from _to_do_above(book, limit, left, _sum_up(parts, left.unit), f"the ceiling of {phase.title}")


def _to_do_above(book: Book, limit: str, left: Figure | None, to_do: Figure | None, words: str) -> Findings:
    """That more is to do than is left of a limit; what was exceeded already, another rule tells."""
    if left is None or to_do is None or (left.use or 0) < 0 or not is_above(to_do, left):
        return
    yield make_finding(
        "plan-above-ceiling",
        limit,
        say("More is to do than is left of {limit}", limit=words),
        say("{to_do} of the planned work are to do, {left} are left of {limit}", to_do=to_do, left=left, limit=words),
        "Carried out as planned, the work exceeds the ceiling.",
        "Plan less, or have the ceiling raised.",
        places(book.get(limit)),
    )


def _to_do(book: Book, project: ProjectLedger) -> Figure | None:
    """The work of the base budget, or of what there is, that is not done; None where some of it is not known."""
    phases = [phase for phase in project.plan.values() if phase.items]
    base = [phase for phase in phases if not phase.extension] or phases
    return _sum_up([book[f"{project.id}.plan.{name}.to_do"] for phase in base for name in phase.items], GPU_HOURS)


def _sum_up(parts: Sequence[Figure | None], unit: Unit) -> Figure | None:
    """Work to do that is added up; None where some of it is not known."""
    known = [part for part in parts if is_known(part)]
    if len(known) < len(parts):
        return None
    total = add_up(part.use or ZERO for part in known)
    return counted(total, unit)


def _exceeded(
    book: Book, limit: str, spent: str, title: str, subject: str, ended: bool, is_mild: bool = False
) -> Findings:
    """That more is charged than a limit allows; `ended` where no work is left that could be stopped."""
    allowed = book.get(limit)
    used = book.get(spent)
    if allowed is None or used is None or not is_above(used, allowed):
        return
    owner, name = subject.split(".")[:2]
    projects = book.allocations[name].projects if owner == "allocations" else (owner,)
    day = day_since_first_run(book, projects, book.get(f"{subject}.reached"))
    since = say(", passed on {day}", day=day) if day else ()
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
    remedy = say("{remedy}", remedy=policy.remedy)
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
    of_run = [part.left for part in failing if isinstance(part.left, Figure)] if policy.members == "run" else []
    return make_finding(
        "policy-breached",
        subject,
        title,
        arithmetic,
        _requires(result),
        say("{remedy}", remedy=policy.remedy),
        (*places(*of_run), policy.require.place),
        severity=policy.severity,
    )


def compared(part: Compared) -> Sentence:
    """A comparison in words: what its left side is, and what it is to be."""
    return (*side(part.left), " and ", f"{WORDS[part.operator]} ", *named(part.right))
