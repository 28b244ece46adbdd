"""`can-i`: what a run that has not begun would do to each limit of a project, and who would pay for it.

The ledger as it is is compared with the ledger with the run in it. What is left at the end, at P50 and P90, is the
limit less the forecast of all work; the run is a part of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from reckon.compute.audit.common import counted
from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.compute.budget.payers import PayerRules, cards_of, is_open
from reckon.compute.budget.shared_grants import join_titles
from reckon.language.calendar_days import last_day
from reckon.language.quantity import ZERO
from reckon.language.text import Text, list_first
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Finding, Sentence, joined, say
from reckon.model.kinds import CEILING, EXTENDED, FINAL, MONEY_CEILING, TOTALS

from ..budget.dates import whole_dates
from ..budget.grants import amount_cell, payer_title
from ..export import exact
from ..render.escape import terminal
from ..render.numbers import format_sentence
from ..table import Cell, figures
from ..view import View
from .lines import LINE_WIDTH, Lines, grid, missing_text, pieces

FITS, SHORT, AS_BEFORE, PASSED, UNKNOWN, ENDED = "fits", "short", "as before", "passed", "unknown", "ended"
"""What a run does to a limit. `short`: not passed by it, but with what is promised, or at the end; `as before`: short
at the end, but not by more than before it."""
MOST_FINDINGS, MORE = 5, "… and {} more findings: --format json has them"
HEADINGS = ("Limit", "Left now", "This run", "Left after", "P50", "P90", "Verdict")
COLUMN = figures("", nothing="–")


class Limit(NamedTuple):
    """What must not be exceeded: its title, what findings about it are about, and the addresses of its size, of what
    is left and charged of it, of the forecast of its work (with `{}` for the percentage; empty for none), of what of
    that is spent, and of what is promised."""

    title: Cell
    subject: str
    size: str
    left: str
    charged: str
    forecast: str = ""
    spent: str = ""
    promised: str = ""


def limits_of(view: View, item: str) -> Iterator[Limit]:
    """The limits of a project: its totals, its ceiling in money, those of the phase of an item, and who pays."""
    home, has_base = view.id, view.maybe(FINAL.hours) is not None
    for total in TOTALS.values() if view.in_hours else ():
        if (total is FINAL and view.project.plan_is) or not (view.planned or total is CEILING):
            continue
        forecast = EXTENDED.forecast if total is EXTENDED and has_base else FINAL.forecast
        spent = FINAL.actual if total is CEILING and has_base else total.actual
        places = (total.hours, total.remaining, total.actual, f"{forecast}.p{{}}", spent)
        yield Limit(total.title, f"{home}.limits.{total.id}", *(f"{home}.{place}" for place in places))
    money = [f"{home}.{at}" for at in (MONEY_CEILING.hours, MONEY_CEILING.remaining, MONEY_CEILING.actual)]
    # Where granted hours have a worth, what is forecast of money is more than what will be paid.
    paid = () if view.maybe("money.in_kind") else (f"{home}.money.forecast_p{{}}", f"{home}.money.actual")
    yield Limit(MONEY_CEILING.title, money[0], *money, *paid)
    for name, phase in view.ledger.plan.items():
        at, title = f"{home}.phases.{name}", f"Ceiling of {phase.title}"
        if item in phase.items:
            own = (f"{at}.ceiling", f"{at}.ceiling", f"{at}.below_ceiling", f"{at}.actual")
            yield Limit(title, *own, f"{at}.forecast_p{{}}", f"{at}.actual")
            at = f"{at}.money"
            yield Limit(title, f"{at}.ceiling", f"{at}.ceiling", f"{at}.below_ceiling", f"{at}.actual")
    for name in view.allocations:
        at = f"allocations.{name}"
        size = f"{at}.granted_in_turn" if view.book.get(f"{at}.granted_in_turn") else f"{at}.granted"
        forecast, used = f"{at}.forecast_p{{}}", f"{at}.used"
        yield Limit(payer_title(view, name), at, size, f"{at}.left", used, forecast, used, f"{at}.committed")


class Effect(NamedTuple):
    """A limit with what is left of it before and after a run, what the run takes, what is left at the end at P50 and
    P90 (and `was` before it), and what the run does to it, in a word and in words."""

    limit: Limit
    left: Figure | None
    taken: Figure | None
    after: Figure | None
    ends: tuple[Figure | None, ...]
    state: str
    words: Sentence

    @property
    def adds(self) -> bool:
        """Whether the run takes any of it."""
        return self.taken is not None and bool(self.taken.use)

    @property
    def row(self) -> Mapping[str, Any]:
        """It as data: exact numbers, in a unit."""
        amounts = zip(("left", "this_run", "left_after", "left_p50", "left_p90"), self.amounts, strict=True)
        row = {name: exact(figure.use) if figure else None for name, figure in amounts}
        unit = self.after.unit.symbol if self.after else ""
        title = "".join(pieces(self.limit.title, COLUMN))
        told = {"state": self.state, "verdict": format_sentence(self.words)}
        return {"limit": title, "address": self.limit.subject, "unit": unit, **row, **told}

    @property
    def amounts(self) -> tuple[Figure | None, ...]:
        """Its numbers, in the order of the columns."""
        return (self.left, self.taken, self.after, *self.ends)


def effects(before: Book, after: Book, project_id: str, item: str) -> list[Effect]:
    """What a run of an item does to each limit that a project has."""
    found = []
    for limit in limits_of(View(after, after.projects[project_id]), item):
        left, now = before.get(limit.left), after.get(limit.left)
        if now is None:
            continue
        taken = difference(after.get(limit.charged), before.get(limit.charged))
        ends, was = _ends(after, limit), _ends(before, limit)
        state, words = _judge(before, after, limit, left or now, now, taken)
        if state == FITS:
            state, words = _judge_end(ends, was)
        has_ended = after.get(f"{limit.subject}.days_since_end") is not None
        found.append(Effect(limit, left, taken, now, (None, None) if has_ended else ends, state, words))
    return found


def difference(first: Figure | None, second: Figure | None) -> Figure | None:
    """One figure less another, which is nothing where there is none; None where either is not known."""
    if first is None or first.use is None or (second and second.use is None):
        return None
    return counted(first.use - ((second.use if second else None) or ZERO), first.unit)


def _ends(book: Book, limit: Limit) -> tuple[Figure | None, ...]:
    """What is left of a limit once all work is done, at P50 and at P90."""
    beside, ends = difference(book.get(limit.charged), book.get(limit.spent)), list[Figure | None]()
    for percent in (50, 90) if limit.forecast else ():
        left = difference(book.get(limit.size), book.get(limit.forecast.format(percent)))
        known = book.get(limit.forecast.format(percent)) is not None
        ends.append(difference(left, beside) if known else None)
    return tuple(ends) if ends else (None, None)


def _judge(
    before: Book, after: Book, limit: Limit, left: Figure, now: Figure, taken: Figure | None
) -> tuple[str, Sentence]:
    """What a run does to what is left of a limit."""
    name = limit.subject.removeprefix("allocations.")
    if not is_known(now) or now.use is None:
        why = why_unknown(after, name) if name in after.allocations else ()
        return UNKNOWN, ("not known: ", *(why or (missing_text(now.missing, {}),)))
    if after.get(f"{limit.subject}.days_since_end"):
        ended = say("ended {day}", day=after[f"{limit.subject}.end"])
        return (SHORT, ("charged after it ", *ended)) if taken and taken.use else (ENDED, ended)
    if (left.use or 0) < 0:
        more = say("; this run adds {more}", more=taken) if taken and taken.use else ()
        return PASSED, ("already passed", *more)
    if now.use < 0:
        return PASSED, say("passed by {over}", over=counted(-now.use, now.unit))
    promised = before.get(limit.promised)
    free = difference(now, promised) if promised else None
    if free and free.use is not None and free.use < 0:
        return SHORT, say("short by {over}, with what is promised", over=counted(-free.use, free.unit))
    return FITS, ()


def _judge_end(ends: Sequence[Figure | None], was: Sequence[Figure | None]) -> tuple[str, Sentence]:
    """Whether something is left of a limit once all work is done, and how much was before the run."""
    for percent, end, earlier in zip((50, 90), ends, was, strict=True):
        if end and (end.use or 0) < 0:
            text = "over by {over} at P" + str(percent)
            told = say(text, over=_size(end))
            if earlier is None or earlier.use is None:
                return SHORT, told
            words = " (before: over by {was})" if earlier.use < 0 else " (before: {was} left)"
            state = AS_BEFORE if end.use is not None and earlier.use <= end.use else SHORT
            return state, told + say(words, was=_size(earlier))
    return FITS, ("fits",)


def _size(figure: Figure) -> Figure:
    """A number without its sign."""
    return counted(abs(figure.use or ZERO), figure.unit)


def describe_payer(book: Book, project_id: str, fields: Mapping[str, str]) -> Sentence:
    """Who pays for a run, and why an allocation does not, or is not made for it."""
    project, item = book.projects[project_id], fields["item"]
    rules, named = PayerRules(book.ledger, project), project.named("allocation", item, fields.get("allocation", ""))
    card, day = project.card_on(item, Text(fields["gpu"]) if "gpu" in fields else None), last_day(fields["date"])
    payers = rules.payers(named, card, day)
    told = say("Paid by {titles}", titles=join_titles(book.ledger, payers, "or") if payers else "the project itself")
    if len(payers) > 1:
        told += ("; which one is not known: name it with --allocation",)
    reasons = list[Sentence]()
    for name in payers if named else () if payers else rules.drawn:
        grant = rules.drawn[name]
        cards = cards_of(book.ledger, grant)
        if cards is not None and card not in cards:
            reasons.append(say("“{title}” is not for {card}", title=grant.title, card=card))
        if not is_open(grant, day):
            days = " ".join(f"{word} {end}" for word, end in (("from", grant.since), ("to", grant.until)) if end)
            reasons.append(say("“{title}” goes {days}", title=grant.title, days=days))
    return told + (("; ", *joined(reasons)) if reasons else ()) + (".",)


def describe_progress(was: Figure | None, now: Figure | None, is_assumed: bool) -> Sentence:
    """How much of its task is done before and after a run; of no task that is planned there is none."""
    if was is None:
        return ("It names no task of the plan: it comes on top of all planned work.",)
    if was.use == 1:
        return ("Its task is done: the run comes on top of all planned work.",)
    if not is_known(now):
        return ("Not known how much of its task it does: state --progress.",)
    how = ", at the rate of the task so far or else as planned" if is_assumed else ""
    return say("Its task is {was} done before it, {now} after it{how}.", was=was, now=now, how=how)


def describe_promised(before: Book, project_id: str) -> Iterator[Sentence]:
    """What is promised already: to jobs on their way, by each allocation, and to planned work."""
    view = View(before, before.projects[project_id])
    promised = []
    for name in view.allocations:
        if committed := before.get(f"allocations.{name}.committed"):
            title = before.allocations[name].title
            promised.append(say("{hours} of “{title}” to jobs on their way", hours=committed, title=title))
    if is_known(to_do := view.maybe("work_to_do")):
        promised.append(say("{hours} to planned work", hours=to_do))
    if promised:
        yield ("Promised already: ", *joined(promised), ".")


def describe_dates(before: Book, after: Book, project_id: str) -> Iterator[Sentence]:
    """When the work is done with a run, where that is another day than before it."""
    was, now = (whole_dates(View(book, book.projects[project_id])).done for book in (before, after))
    if is_known(was) and is_known(now) and was.use != now.use:
        yield say("Work is done by {now} (before: {was}).", now=now, was=was)


def gate_data(
    project_id: str,
    fields: Mapping[str, str],
    hours: Figure | None,
    found: Sequence[Effect],
    broken: Sequence[Finding],
    new: Sequence[Finding],
    notes: Sequence[Sentence],
) -> dict[str, Any]:
    """The answer as data: the verdict with its reason, the run, each limit, new findings, and what else is said."""
    unknown = [each for each in found if each.state == UNKNOWN and is_known(each.left)]
    short = [each for each in found if each.state in (SHORT, PASSED) and each.adds]
    verdict, reason = "yes", say("{hours} break no limit", hours=hours or "this run")
    if broken:
        verdict, reason = "no", (*broken[0].title, ": ", *broken[0].arithmetic)
    elif unknown:
        verdict, reason = "unknown", (*_named(unknown[0]),)
    elif short:
        verdict, reason = "yes, but", joined(map(_named, short))
    elif not found:
        reason = ("the ledger sets no limit",)
    return {
        "verdict": verdict,
        "reason": format_sentence(reason),
        "project": project_id,
        "entry": dict(fields),
        "gpu_hours": exact(hours.use) if hours else None,
        "limits": [each.row for each in found],
        "findings": [_finding_row(finding, finding in broken) for finding in new],
        "notes": [format_sentence(note) for note in notes],
    }


def _named(effect: Effect) -> Sentence:
    return ("".join(pieces(effect.limit.title, COLUMN)), " ", *effect.words)


def _finding_row(finding: Finding, breaks: bool) -> Mapping[str, Any]:
    text = format_sentence((*finding.title, ": ", *finding.arithmetic))
    row = {"severity": finding.severity, "id": finding.id, "text": text}
    return {**row, "accepted": finding.accepted, "breaks": breaks}


def format_gate(data: Mapping[str, Any], found: Sequence[Effect]) -> Lines:
    """The same for a terminal of 80 columns: the verdict, the table of limits, then the rest."""
    verdict = f"{data['verdict'].capitalize()}: {data['reason']}."
    yield from map(terminal, wrap(verdict, LINE_WIDTH, break_on_hyphens=False))
    rows = []
    for each in found:
        amounts = [pieces(amount_cell(figure) if figure else None, COLUMN)[0] for figure in each.amounts]
        rows.append(["".join(pieces(each.limit.title, COLUMN)), *amounts, format_sentence(each.words)])
    yield from map(terminal, grid(HEADINGS, rows))
    lines = [*data["notes"], *list_first([*map(_finding_line, data["findings"])], MOST_FINDINGS, MORE)]
    for line in ["P50, P90: left once all work is done."] * bool(found) + lines:
        yield from map(terminal, wrap(line, LINE_WIDTH, subsequent_indent="  ", break_on_hyphens=False))


def _finding_line(finding: Mapping[str, Any]) -> str:
    kind = f"accepted ({finding['accepted']})" if finding["accepted"] else finding["severity"]
    return f"{kind}: {finding['text']} ({finding['id']})"
