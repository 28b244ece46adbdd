"""What the project is bound to and does not keep: limits of hours, policies, conditions of texts; and what is planned
against what limits allow: the ceilings of a project, and the allocations that pay for its work.

Work to do is held against what is left of a limit, without contingency. Of allocations, it is held against what is left
of the one that pays for it, with what is left of those that follow it; where several could pay, against what is left of
all of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.calendar_days import last_day
from reckon.language.groups import group_by
from reckon.language.quantity import add_up
from reckon.language.text import Place
from reckon.model.figure import Figure, is_known, places_of, planned
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import CEILING, FINAL, MONEY_CEILING, TOTALS, budget_of
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Allocation

from ..book import Book
from ..budget.payers import cards_of
from ..budget.shared_grants import join_titles
from ..statements.conditions import Compared, PolicyResult
from .common import (
    POLICY,
    accepted_in,
    counted,
    day_since_first_run,
    excess,
    is_above,
    is_done,
    named,
    ratio,
    shared_grants_of,
    side,
    stands,
)

SLIGHT_SHARE = Fraction(1, 1000)
"""A plan that misses a limit by less than this share of it is no error."""
LOST = "actual.waste"
MOST = 20
"""How many breaches of one policy are findings of their own."""


WORDS = {
    "<": "must be below",
    "<=": "must be at most",
    ">": "must be above",
    ">=": "must be at least",
    "is": "must be",
    "is not": "must not be",
    "inside": "must be inside",
    "not inside": "must be outside of",
}
"""What the left side of a comparison is to be, by its operator."""


AFTER_ITS_END = "All its work is done: correct the runs if they are wrong, else accept the finding with the reason."


class Limit(NamedTuple):
    """A limit of what is charged: what is told of it, what it is called and the title of a finding that it is passed;
    the addresses of what is allowed and of what was charged, the projects that charge it, that of a forecast of what is
    charged, without its percentage (empty for none), and of what of that is spent; and whether a plan sets it itself.
    """

    subject: str
    name: str
    title: str
    allowed: str
    charged: str
    projects: Sequence[str]
    forecast: str = ""
    spent: str = ""
    is_planned: bool = False


def limit_exceeded(project: ProjectLedger, book: Book) -> Findings:
    """More was charged than the budget, a ceiling or a grant allows. A plan that is its best case, and so allows for
    nothing that goes wrong, sets no limit."""
    for limit in limits_of(project, book):
        if limit.is_planned and project.project.plan_is:
            continue
        allowed, charged = map(book.get, (limit.allowed, limit.charged))
        if not is_above(charged, allowed):
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
            is_mild=limit.is_planned,
        )


def limits_of(project: ProjectLedger, book: Book) -> Iterator[Limit]:
    """The totals of a project, its ceilings in money and of phases, and its grants, by themselves and together."""
    home = project.id
    own = (home,)
    budget = budget_of(book.figures, home)
    for total in TOTALS.values():
        # The forecast of the budget is held against the ceiling, too, with what the other phases have spent.
        mine = total if total.planned else budget
        yield Limit(
            f"{home}.limits.{total.id}",
            total.title,
            f"The {total.words} is {'spent' if total.planned else 'passed'}",
            f"{home}.{total.hours}",
            f"{home}.{total.actual}",
            own,
            f"{home}.{FINAL.forecast if mine is budget else mine.forecast}.p",
            f"{home}.{mine.actual}",
            total.planned,
        )
    at = f"{home}.{MONEY_CEILING.hours}"
    charged = f"{home}.{MONEY_CEILING.actual}"
    forecast = f"{home}.money.paid_forecast_p"
    yield Limit(at, MONEY_CEILING.title, "The ceiling in money is passed", at, charged, own, forecast, charged)
    for phase_id, phase in project.plan.items():
        name = f"Ceiling of {phase.title}"
        title = f"The ceiling of {phase.title} is passed"
        for within, words in (("", title), (".money", f"{title}, in money")):
            at = f"{home}.phases.{phase_id}{within}"
            charged = f"{at}.actual"
            yield Limit(f"{at}.ceiling", name, words, f"{at}.ceiling", charged, own, f"{at}.forecast_p", charged)
    for name, grant in book.ledger.grants_of(home).items():
        at = f"allocations.{name}"
        charged = used_for_certain(book, name)
        forecast = f"{at}.forecast_p"
        yield Limit(
            at, grant.title, "A grant is overdrawn", f"{at}.granted", charged, grant.projects, forecast, charged
        )
    for group in shared_grants_of(project, book):
        at = f"allocations.{group.names[0]}.together"
        titles = join_titles(book.ledger, group.names, "and")
        projects = [each for name in group.names for each in book.allocations[name].projects]
        yield Limit(at, titles, "Grants are overdrawn together", f"{at}.granted", f"{at}.used", projects)


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
    failing = [part for part in result.judged.parts if part.holds is False]
    about = say(" ({about})", about=result.about) if result.about else ()
    sides = (part.left for part in failing if result.policy.members == "run")
    lines = places_of(*(side for side in sides if isinstance(side, Figure)))
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
        policy.remedy,
        (*lines, require.place),
        severity=policy.severity,
    )


def compared(part: Compared) -> Sentence:
    """A comparison in words: what its left side is, and what it is to be."""
    return (*side(part.left), " and ", f"{WORDS[part.operator]} ", *named(part.right))


def plan_above_limit(project: ProjectLedger, book: Book) -> Findings:
    """More is planned than limits allow, or the work to do exceeds what is left of them."""
    yield from above_ceilings(project, book)
    yield from above_allocations(project, book)


def _plan_above(
    subject: str,
    title: str,
    told: Sentence,
    limit: Figure | None,
    short: Figure | None = None,
    lost: Figure | None = None,
) -> Finding:
    """A finding about a limit, with what is missing of it. Where that is less than a thousandth it is a warning, which
    says so, and what was lost, for which the plan has no room."""
    is_slight = False
    if short and limit and planned(short):
        told += say(": short by {short}", short=short)
        is_slight = planned(short) < SLIGHT_SHARE * planned(limit)
        if is_slight:
            told += say(" ({share} of the limit)", share=ratio(short, limit, form="%"))
            told += say("; failed or idle GPUs lost {lost}", lost=lost) if planned(lost) else ()
    return make_finding("plan-above-limit", subject, title, told, places=places_of(limit), is_mild=is_slight)


def above_ceilings(project: ProjectLedger, book: Book) -> Findings:
    """More is planned than the ceiling allows, or more is to do than is left of it, of that in money, or of one of a
    phase. What was exceeded already, another rule tells."""
    final, ceiling, lost = book.get_all(project.id, FINAL.hours, CEILING.hours, LOST)
    if final and ceiling and is_above(final, ceiling):
        yield _plan_above(
            final.address,
            "More is planned than the ceiling allows",
            say("the final budget is {final}, the ceiling {ceiling}", final=final, ceiling=ceiling),
            ceiling,
            excess(final, ceiling),
        )
    else:
        to_do, left = book.get_all(project.id, "work_to_do", CEILING.remaining)
        yield from _short_of_ceiling(ceiling, left, to_do, "the ceiling", lost)
    left, to_do, ceiling = book.get_all(f"{project.id}.money", "below_ceiling", "paid_to_do", "ceiling")
    yield from _short_of_ceiling(ceiling, left, to_do, "the ceiling in money", lost)
    for name, phase in project.plan.items():
        for within in ("", "money."):
            ceiling, left = book.get_all(f"{project.id}.phases.{name}", f"{within}ceiling", f"{within}below_ceiling")
            parts = [book.find(project, f"plan.{item}.{within}to_do") for item in phase.items]
            if left and all(map(is_known, parts)):
                to_do = counted(left.unit.from_base(add_up(map(planned, parts))), left.unit)
                yield from _short_of_ceiling(ceiling, left, to_do, f"the ceiling of {phase.title}")


def _short_of_ceiling(
    ceiling: Figure | None, left: Figure | None, to_do: Figure | None, words: str, lost: Figure | None = None
) -> Findings:
    """That more is to do than is left of a ceiling."""
    if ceiling and left and planned(left) >= 0 and is_above(to_do, left):
        title = f"More is to do than is left of {words}"
        text = "{to_do} of the planned work are to do, {left} are left of {limit}"
        told = say(text, to_do=to_do, left=left, limit=words)
        yield _plan_above(ceiling.address, title, told, ceiling, excess(to_do, left), lost)


def above_allocations(project: ProjectLedger, book: Book) -> Findings:
    """More is to be done than is left of the allocations that pay for it, or of all that could; or none is open."""
    grants = book.ledger.grants_of(project.id)
    amounts = {name: book.get(f"allocations.{name}.{grant.amount_key}") for name, grant in grants.items()}
    for name, grant in grants.items():
        short = _short_of(book, f"allocations.{name}")
        if short:
            title = f"{grant.title}: the work to do exceeds what is left"
            missing, lost = map(book.get, (f"allocations.{name}.short_by", f"{project.id}.{LOST}"))
            yield _plan_above(f"allocations.{name}", title, short, amounts[name], missing, lost)
    at = f"{project.id}.payers"
    to_do, left, alone = book.get_all(at, "unnamed.to_do", "unnamed.left", "none.to_do")
    if is_above(to_do, left):
        text = "{to_do} are still to be done, {left} are left of all that could pay for it"
        title = "The work to do exceeds what is left of the grants together"
        yield _plan_above(f"{at}.unnamed", title, say(text, to_do=to_do, left=left), to_do)
    cards = {project.card_for(item) for item in project.items.values()}
    ended = [name for name, grant in grants.items() if _has_ended(book, name, grant, cards)]
    if ended and planned(alone):
        name = max(ended, key=lambda name: (last_day(grants[name].until), name))
        title = f"{grants[name].title}: it has ended before the work"
        text = "{to_do} are still to be done, and the last grant ended on {day}"
        told = say(text, to_do=alone, day=book[f"allocations.{name}.end"])
        yield _plan_above(f"allocations.{name}", title, told, amounts[name])


def _short_of(book: Book, at: str) -> Sentence:
    """By how much the work to do of one allocation is more than is left of it, or than is left of it at the most;
    nothing where it is not."""
    to_do, left, short, most = book.get_all(at, "to_do", "left", "short_by", "left_at_most")
    if not short:
        return ()
    words = "{to_do} of the work that it pays for are still to be done, "
    if short.use:
        words += "{left} are left of it{more}"
        more = " and of those that follow it" if book.get(f"{at}.granted_in_turn") else ""
        return say(words, to_do=to_do, left=left, more=more)
    is_short = short.missing and is_above(to_do, most)
    return say(words + "at most {most} are left of it", to_do=to_do, most=most) if is_short else ()


def _has_ended(book: Book, name: str, grant: Allocation, cards: set[str]) -> bool:
    """Whether an allocation that could pay for work on some cards is over."""
    own = cards_of(book.ledger, grant)
    is_over = grant.until and book.get(f"allocations.{name}.days_since_end")
    return bool(is_over) and (own is None or bool(own & cards))


def text_left_out(project: ProjectLedger, book: Book) -> Findings:
    """A text that is left out: what it is bound to does not hold, and it says nothing otherwise; or that is not known
    yet, which is milder."""
    for said in book.texts[project.id]:
        when = said.passage.when
        judged = said.judged
        if not when or not judged or judged.holds or said.stands:
            continue
        is_open = judged.holds is None
        found = joined((stands(part) for part in judged.parts), ", ")
        if is_open and judged.missing:
            found = say("it cannot be decided without {wanted}", wanted=", ".join(judged.missing[:6]))
        yield make_finding(
            "text-left-out",
            f"{project.id}.texts.{said.name}",
            said.title or said.name,
            found,
            say("It is shown only where {when}.", when=" ".join(when.formula.text.split())),
            places=(when.place,),
            evidence="undecided" if is_open else "",
        )
