"""What the project is bound to and does not keep: limits of hours, and policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reckon.language.groups import group_by
from reckon.language.text import Place
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import MONEY_CEILING, TOTALS
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


AFTER_ITS_END = "All its work is done: correct the runs if they are wrong, else accept the finding with the reason."


class _Limit(NamedTuple):
    """A limit of what is charged: what is told of it and its title, the addresses of what is allowed and of what was
    charged, the projects that charge it, and whether it is one that a plan sets itself."""

    subject: str
    title: str
    allowed: str
    charged: str
    projects: Sequence[str]
    is_planned: bool = False


def limit_exceeded(project: ProjectLedger, book: Book) -> Findings:
    """More was charged than the budget, a ceiling or a grant allows. Of a plan that is its best case, and so allows for
    nothing that goes wrong, that is a note."""
    for limit in _limits(project, book):
        allowed = book.get(limit.allowed)
        charged = book.get(limit.charged)
        if allowed is None or charged is None or not is_above(charged, allowed):
            continue
        if limit.is_planned and project.project.plan_is:
            yield make_finding(
                "limit-passed",
                limit.subject,
                "The work is above its best case",
                say("{used} were used, the best case is {best}", used=charged, best=allowed),
                "A best case sets no limit: it leaves out whatever may go wrong.",
                "Correct the runs if they are wrong; else there is nothing to do.",
                places(allowed),
                severity="note",
            )
            continue
        day = day_since_first_run(book, limit.projects, book.get(f"{limit.subject}.reached"))
        told = say("{used} are charged, {allowed} allowed", used=charged, allowed=allowed)
        told += say(", passed on {day}", day=day) if day else ()
        remedy = AFTER_ITS_END if all(is_done(book, each) for each in limit.projects) else ""
        yield make_finding(
            "limit-passed",
            limit.subject,
            limit.title,
            told,
            remedy=remedy,
            places=places(allowed),
            is_mild=limit.is_planned,
        )


def _limits(project: ProjectLedger, book: Book) -> Iterator[_Limit]:
    """The totals of a project, its ceilings in money and of phases, and its grants, by themselves and together."""
    home = project.id
    own = (home,)
    for total in TOTALS.values():
        title = f"The {total.words} is {'spent' if total.planned else 'passed'}"
        charged = f"{home}.{total.actual}"
        yield _Limit(f"{home}.limits.{total.id}", title, f"{home}.{total.hours}", charged, own, total.planned)
    money = f"{home}.{MONEY_CEILING.hours}"
    yield _Limit(money, "The ceiling in money is passed", money, f"{home}.{MONEY_CEILING.actual}", own)
    for name, phase in project.plan.items():
        title = f"The ceiling of {phase.title} is passed"
        for within, words in (("", title), (".money", f"{title}, in money")):
            at = f"{home}.phases.{name}{within}"
            yield _Limit(f"{at}.ceiling", words, f"{at}.ceiling", f"{at}.actual", own)
    for name, grant in book.ledger.grants_of(home).items():
        at = f"allocations.{name}"
        yield _Limit(at, "A grant is overdrawn", f"{at}.granted", used_for_certain(book, name), grant.projects)
    for group in shared_grants_of(project, book):
        at = f"allocations.{group.names[0]}.together"
        projects = [each for name in group.names for each in book.allocations[name].projects]
        yield _Limit(at, "Grants are overdrawn together", f"{at}.granted", f"{at}.used", projects)


def used_for_certain(book: Book, name: str) -> str:
    """The address of what a grant has used or, where others could be charged for some of it, used at the least."""
    at = f"allocations.{name}"
    return f"{at}.used_at_least" if name in book.shared_grants else f"{at}.used"


def policy_breached(project: ProjectLedger, book: Book) -> Findings:
    """Policies that do not hold; of one over many things the first twenty, those accepted, and how many more."""
    accepted = accepted_in(project)
    broken = (result for result in book.policies[project.id] if result.holds is False)
    for found in group_by(broken, lambda result: result.name).values():
        rest = []
        for number, result in enumerate(found):
            if number < MOST or breach_id(project, result) in accepted:
                yield _breach(project, result)
            else:
                rest.append(result)
        if rest:
            count = say(" (and {count} more)", count=counted(len(rest)))
            about = say("the first of these is {first}", first=rest[0].about)
            yield _finding(rest[0], f"{project.id}.policies.{rest[0].name}", count, about)


def breach_id(project: ProjectLedger, result: PolicyResult) -> str:
    """The id of the finding that a policy is not kept."""
    return f"policy-breached:{_subject(project, result)}"


def _subject(project: ProjectLedger, result: PolicyResult) -> str:
    inside = result.at.removeprefix(f"{project.id}.").removeprefix("phases.").removeprefix("plan.")
    return f"{project.id}.policies.{result.name}" + (f".{inside}" if result.about else "")


def _breach(project: ProjectLedger, result: PolicyResult) -> Finding:
    """That a policy is not kept, over all things or one of them."""
    failing = [part for part in result.judged.parts if part.holds is False] or list(result.judged.parts)
    about = say(" ({about})", about=result.about) if result.about else ()
    sides = (part.left for part in failing if result.policy.members == "run")
    lines = places(*(side for side in sides if isinstance(side, Figure)))
    return _finding(result, _subject(project, result), about, joined(map(compared, failing), ", "), lines)


def _finding(
    result: PolicyResult, subject: str, which: Sentence, arithmetic: Sentence, lines: Sequence[Place] = ()
) -> Finding:
    policy = result.policy
    require = policy.require
    return make_finding(
        "policy-breached",
        subject,
        (*say(POLICY + "{title}", title=policy.title or result.name), *which),
        arithmetic,
        say("It requires {require}.", require=require.formula.text),
        say("{remedy}", remedy=policy.remedy),
        (*lines, require.place),
        severity=policy.severity,
    )


def compared(part: Compared) -> Sentence:
    """A comparison in words: what its left side is, and what it is to be."""
    return (*side(part.left), " and ", f"{WORDS[part.operator]} ", *named(part.right))
