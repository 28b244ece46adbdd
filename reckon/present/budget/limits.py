"""What must not be exceeded (budgets, the ceiling, grants), whether and when each is reached, and the state of all.

`reach` and `reach_grant` are the one rule by which pages and terminal tell when a limit is reached. A day is told only
where the limit is as likely passed as not; else the work ends first.

`state_of` gives the state of a project in a word, with the figures that decide it. The first of RULES that speaks
decides, the gravest first: what has happened before what may happen. `spending only` and `not begun` come before all,
since nothing can be held against a plan there. Findings that the authors accept do not count, and what is not known is
never taken to be well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.audit.common import is_above
from reckon.compute.book import Book
from reckon.model.figure import Figure, operands
from reckon.model.finding import Sentence, say
from reckon.model.kinds import CEILING, EXTENDED, FINAL, TOTALS, Total, budget_of

from ..table import As, Bold, Cell, ShareBar, Table, below, figures, words
from ..view import View

LIKELY = Fraction(1, 2)
"""From this probability on a limit is taken to be passed."""
PASSED = "passed"
DONE = "the work is done"
ENDS_FIRST = "the work ends first"
NOT_BEFORE = "not before its end"
ENDED = "ended"
NO_PACE = "nothing was charged lately"


class Reach(NamedTuple):
    """How near a limit is: whether it is passed, the day of that, past or to come, or why no day is told."""

    passed: bool
    day: Figure | None
    instead: str
    chance: Figure | None


def reach(book: Book, project: str, name: str) -> Reach | None:
    """How near a project is to one of TOTALS; None where it has no such limit."""
    total = TOTALS[name]
    left = book.get(f"{project}.{total.remaining}")
    if left is None:
        return None
    chance = book.get(f"{project}.{total.chance}")
    if chance is None and total is EXTENDED:
        chance = book.get(f"{project}.{FINAL.chance}")  # of a project that is all extension
    return _reach(book, (project,), left, book.get(f"{project}.limits.{name}.reached"), chance)


def reach_grant(book: Book, name: str) -> Reach | None:
    """How near the projects that share a grant are to using it up; None where none of them has figures."""
    at, projects = f"allocations.{name}", book.ledger.allocations[name].projects
    left, end, left_days = (book.get(f"{at}.{key}") for key in ("left", "end", "days_to_end"))
    if left is None:
        return None
    found = _reach(book, projects, left, book.get(f"{at}.reached"), book.get(f"{at}.probability_over"))
    if found.passed:
        return found
    if left_days and left_days.use == 0:
        return found._replace(day=None, instead=ENDED)
    late = found.day and end and found.day.use is not None and end.use is not None and found.day.use > end.use
    return found._replace(day=None, instead=NOT_BEFORE) if late else found


def is_passed(left: Figure) -> bool:
    """Whether more was spent than there was."""
    return not left.missing and left.use is not None and left.use < 0


def _reach(book: Book, projects: Iterable[str], left: Figure, day: Figure | None, chance: Figure | None) -> Reach:
    passed = is_passed(left)
    if passed:
        instead = "" if day and not day.missing else PASSED
    elif all(is_done(book, project) for project in projects):
        instead = DONE
    elif chance and not chance.missing and chance.use is not None and chance.use < LIKELY:
        instead = ENDS_FIRST
    elif day is None:
        begun = any(file.runs for project in projects for file in book.ledger.projects[project].runs)
        instead = "runs have no dates" if begun else "not begun"
    else:
        instead = NO_PACE if day.missing or day.use is None else ""
    return Reach(passed, None if instead else day, instead, chance)


def is_done(book: Book, project: str) -> bool:
    """Whether all the work of a project is done, extensions included, so that nothing more is spent."""
    done = next((figure for total in (EXTENDED, FINAL) if (figure := book.get(f"{project}.{total.complete}"))), None)
    return done is not None and done.use == 1


class ProjectState(NamedTuple):
    """A state: the word, the kind of callout that it stands in, and why."""

    word: str
    tone: str
    why: Sentence


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
    return _over(view, "over budget", FINAL) or _over(view, "over budget", EXTENDED)


def _policy_breached(view: View) -> ProjectState | None:
    grave = [*view.severity("error"), *view.severity("warning")]
    broken = next((finding for finding in grave if finding.rule == "policy-breached"), None)
    if broken is None:
        return None
    return ProjectState("policy breached", "WARNING", (*broken.title, ": ", *broken.arithmetic))


def _done(view: View) -> ProjectState | None:
    if not is_done(view.book, view.id):
        return None
    why = say("all planned work is complete, with {spent}", spent=view.fig("actual.total"))
    return ProjectState("done", "NOTE", why)


def _at_risk(view: View) -> ProjectState | None:
    for what, near in chances(view):
        chance = near.chance
        if chance and chance.use is not None and chance.use >= LIKELY:
            why = say("the probability of passing {what} is {chance}", what=what, chance=chance)
            return ProjectState("at risk", "WARNING", why)
    return None


def _unclear(view: View) -> ProjectState | None:
    p50 = view.maybe("forecast.p50")
    if p50 and not p50.missing:
        return None
    return ProjectState("unclear", "WARNING", say("where it ends cannot be forecast yet"))


def chances(view: View) -> list[tuple[str, Reach]]:
    """How near budget, ceiling and grants are, each with the words for what is passed; those that have a chance."""
    totals = (budget_of(view.book.figures, view.id), CEILING)
    found = [(f"the {total.words}", reach(view.book, view.id, total.id)) for total in totals]
    for name in view.allocations:
        title = f"the allocation “{view.book.ledger.allocations[name].title}”"
        found.append((title, reach_grant(view.book, name)))
    return [(what, near) for what, near in found if near and near.chance and not near.chance.missing]


def _likeliest(view: View) -> Sentence:
    for what, near in chances(view):
        if near.chance:
            return say("the probability of passing {what} is {chance}", what=what, chance=near.chance)
    return ()


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
    _done,
    _at_risk,
    _unclear,
)  # fmt: skip


def state_of(view: View) -> ProjectState:
    """The state of a project."""
    found = (rule(view) for rule in RULES)
    return next(filter(None, found), None) or ProjectState("within plan", "NOTE", _likeliest(view))


def limits_table(view: View) -> Table:
    """The limits that a project has: what is left to each, and when it is reached, or was."""
    rows: list[list[Cell]] = []
    for total in TOTALS.values():
        near = reach(view.book, view.id, total.id) if view.planned or not total.planned else None
        if near:
            days = None if near.passed or near.instead else view.maybe(f"limits.{total.id}.days_left")
            hours, left = As(view.fig(total.hours), "bare"), view.fig(total.remaining)
            rows.append([total.title, hours, left, days, _day(near), _chance(near)])
    headings = ("GPU-hours", "Left", "Days left", "Reached on", "Chance of passing")
    return Table([words("Limit"), *map(figures, headings)], rows)


def grants_table(view: View) -> Table:
    """The grants that a project draws on: what is used and left of each, its end and what that leaves."""
    rows = [_grant(view, name, near) for name in view.allocations if (near := reach_grant(view.book, name))]
    ends = ("Used up on", "Last day", "Unused then", "Pace needed", "Chance of passing")
    return Table([words("Allocation"), *map(figures, ("GPU-hours", "Used", "Left", *ends))], rows)


def _grant(view: View, name: str, near: Reach) -> list[Cell]:
    book, title = view.book, str(view.book.ledger.allocations[name].title)
    keys = ("used_share", "end", "used", "left", "unused", "pace_to_use_up")
    share, end, used, left, unused, needed = (book.get(f"allocations.{name}.{key}") for key in keys)
    hours = As(book[f"allocations.{name}.gpu_hours"], "bare")
    bar = ShareBar(share) if share and not share.missing else None
    last = end or "none"
    return [below(title, bar), hours, used, left, _day(near, "overdrawn since"), last, unused, needed, _chance(near)]


def _day(near: Reach, word: str = "passed on") -> Cell:
    """The day on which a limit is reached, or was passed; or why there is none."""
    if near.instead or not near.day:
        return near.instead or None
    return (f"{word} ", near.day) if near.passed else near.day


def _chance(near: Reach) -> Cell:
    return PASSED if near.passed else near.chance


def money_table(view: View) -> Table:
    """Planned and actual amounts by phase, and of the whole."""
    phases = [(str(phase.title), f"phases.{name}.money") for name, phase in view.ledger.plan.items() if phase.items]
    rows: list[list[Cell]] = [[title, view.maybe(f"{at}.planned"), view.maybe(f"{at}.actual")] for title, at in phases]
    for total in TOTALS.values() if view.planned else ():
        if figure := view.maybe(f"money.{total.id}"):
            rows.append([Bold(total.title) if total.planned else total.title, figure, ""])
    rows.append([Bold("Charged in all"), "", view.maybe("money.actual")])
    return Table([words(""), figures("Planned", "full", shown=view.planned), figures("Actual", "full")], rows)


def money_by_card(view: View) -> Table:
    """What was spent by card and price, with the hours there; nothing where it is all at one price."""
    spent = view.maybe("money.actual")
    parts = operands(spent) if spent and view.maybe("money.base") else ()
    rows = [_priced(view, part) for part in parts]
    columns = [words("GPU"), figures("Hours there", "full"), figures("Price", "full"), figures("Cost", "full")]
    return Table(columns, rows if len(rows) > 1 else [])


def _priced(view: View, cost: Figure) -> list[Cell]:
    """A row of hours on a card at a price; or what runs state that they cost."""
    hours = [*operands(cost)]
    if not hours:
        return ["As runs state", "", "", cost]
    _, _, card, *price = cost.address.removeprefix(f"{view.id}.").split(".")
    since = f", from {price[1]}" if price[0] == "since" else ""
    return [view.card(card) + since, *hours, cost]
