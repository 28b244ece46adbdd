"""What the ledger states beside its figures: claims, formulas and texts held against what follows from its inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.language.text import first_of, place_of
from reckon.model.figure import Figure, closure
from reckon.model.finding import Common, Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..choosing.memory import TIGHT, Verdict
from ..choosing.pareto import RANKS, Tradeoff
from ..fitting.verdict import Fitted
from ..sheet.cells import picked
from ..statements.agreement import CARRIED_ON, SLIGHT, assumed, decimals_of
from ..statements.claims import AGAIN, WAYS, Check, Checks, Worded
from ..statements.guesses import BESIDE, CUT
from .common import called, in_unit_of, numbered, places, stated_at, supposed
from .stated import StatedEntry, entries_of
from .verdicts import CAUTIOUS, carried_verdict, moved_need

MOST_DECIMALS = 12
MOST_NAMED = 3
"""So many subjects of words that are wrong alike are named."""


Grounds = tuple[Sentence, tuple[Figure, ...]]
"""Why a word is what it is: a sentence, and the figures in it."""


def claim_contradicted(project: ProjectLedger, book: Book) -> Findings:
    """A stated figure or word that the calculated one contradicts, as grave as it is far off; a warning where a verdict
    is off by one, a note where it says that what is tight does not fit. What the document's own figures give stands
    below these, as grave as before."""
    seen = Counter[str]()
    checks = book.checks.get(project.id, ())
    entries, homes = entries_of(checks)
    found = {
        at: _contradicted(check, numbered(seen, check.figure.address))
        for at, check in enumerate(checks)
        if not check.holds
    }
    for at, finding in found.items():
        yield _of_entry(finding, at, entries[homes[at]], found, checks) if at in homes else finding
    wrong = [worded for worded in book.worded.get(project.id, ()) if worded.holds is False]
    alike = group_by(wrong, _like)
    for worded in wrong:
        named = _misnamed(project, book, worded, numbered(seen, worded.address))
        rests = carried_verdict(project.id, book, worded, checks) or moved_need(project.id, book, worded, checks)
        home = next((entries[homes[place]] for place in rests if place in homes), None)
        if home:
            yield _concluded(_of_entry(named, -1, home, found, checks), worded)
        else:
            some = alike[_like(worded)]
            yield structs.replace(named, common=Common(f"{named.rule}:{some[0].address}", _all_named(some)))


def _concluded(finding: Finding, worded: Worded) -> Finding:
    """A stated verdict that is right, or too cautious, by stated figures that do not agree: it follows from these."""
    what, stated, word = (say("{it}", it=it) for it in (worded.word.about, worded.stated.title, worded.word.title))
    told = finding.arithmetic + say("; it follows from stated figures that do not agree")
    return structs.replace(finding, arithmetic=told, cells=(what, stated, word))


def _like(worded: Worded) -> Hashable:
    """What words that are stated of several setups, cards or configurations have in common, all missed alike."""
    parts = worded.address.split(".")
    last = parts[-1]
    if parts[1] == "configurations" and last == "verdict":
        pattern = (*parts[:2], last)
    elif len(parts) > 4 and (parts[1], last) != ("setups", "standing"):
        pattern = (*parts[:2], *parts[-2:])
    else:
        pattern = (*parts[:3], last)
    return worded.claim.document, pattern, worded.stated.id, worded.word.id


def _all_named(alike: Sequence[Worded]) -> Sentence:
    """What all of several words are stated to be, and are; nothing for what is stated of one subject alone."""
    about = list(dict.fromkeys(each.word.about for each in alike))
    if len(about) == 1:
        return ()
    what, of, _ = about[0].partition(" of ")
    if of and all(each.startswith(what + of) for each in about):  # "Standing of" once, before all that it is said of
        about[1:] = [each.removeprefix(what + of) for each in about[1:]]
    return say(
        "{about}: stated {stated}, calculated {word}",
        about=first_of(about, MOST_NAMED),
        stated=alike[0].stated.title,
        word=alike[0].word.title,
    )


def _of_entry(finding: Finding, at: int, entry: StatedEntry, found: Mapping[int, Finding], checks: Checks) -> Finding:
    """A finding with the entry that it is part of, or follows from."""
    title = entry.title(checks) if len(entry.roots) > 1 else ()
    common = Common(found[entry.roots[0]].id, title)
    if entry.words and at in entry.roots:
        finding = _by_plan(finding, checks[at])
    return structs.replace(finding, common=common, follows=at not in entry.roots)


def _by_plan(finding: Finding, check: Check) -> Finding:
    """A finding whose row shows the value to plan with before the range, and no cause of its own."""
    planned = in_unit_of(check.stated, check.figure)
    title, stated, calculated, *_ = finding.cells
    if not planned.value.exact and planned.use is not None:
        calculated = say("{use} ({range})", use=picked(planned, "use"), range=planned)
    return structs.replace(finding, cells=(title, stated, calculated, (), finding.cells[4]))


def _contradicted(check: Check, subject: str) -> Finding:
    figure = check.figure
    claim = check.claim
    why = WAYS.get(check.way, check.slip)
    stated, calculated = _told_apart(check, in_unit_of(check.stated, figure))
    told = {
        "title": called(figure),
        "about": "~" if str(claim.states).startswith(("~", "≈")) else "",
        "stated": stated,
        "at": stated_at(claim),
        "has": "the ledger has" if figure.is_stated else "calculated",
        "figure": calculated,
        "right": _as_precise(check, calculated),
        "why": why,
    }
    ours = "" if check.way else check.supposed
    is_note = check.kind == CARRIED_ON
    title = "{title}: {about}{stated} is stated, {figure} " + ("in the ledger" if figure.is_stated else "calculated")
    return make_finding(
        "claim-contradicted",
        subject,
        say(
            "{title}: {stated} for {figure} is carried on from a rounded figure" if is_note else title,
            **{**told, "figure": replace(calculated, address="")},
        ),
        say("stated {stated} ({at}), {has} {figure}" + ("; {why}" if why else ""), **told) + supposed(ours),
        "A reader who takes the stated figure plans with a number that its own inputs do not give.",
        say("Write {about}{right}, or say that it is rounded." if is_note else "Write {about}{right}.", **told),
        (claim.place, *places(figure)[:10]),
        remark=bool(ours),
        cells=(
            say("{title}", **told),
            (stated,),
            (calculated,),
            say("{why}", why=why.replace(BESIDE, "from") if is_note else check.slip),
            say("{at}", at=claim.at if check.way == AGAIN else stated_at(claim)),
        ),
        severity="note" if ours else check.agreement.severity,
    )


def _as_precise(check: Check, calculated: Figure) -> Figure:
    """What is calculated, with as many digits behind the point as are stated: what was cut off is rounded there."""
    written = decimals_of(str(check.claim.states))
    if calculated.decimals is None:
        return replace(calculated, decimals=written) if written else calculated
    return replace(calculated, decimals=max(written, calculated.decimals - _beyond(check)))


def _beyond(check: Check) -> int:
    """How many digits more are shown, so that one sees what was cut off."""
    return 2 if check.slip.endswith(CUT) else 0


def _told_apart(check: Check, calculated: Figure) -> tuple[Figure, Figure]:
    """What is stated and what follows, both printed to the digit where they differ, where that is behind the point."""
    stated = check.stated
    written = decimals_of(str(check.claim.states))
    first, second = (
        (end or ZERO) * (100 if part.form == "%" else 1)
        for part, end in ((stated, stated.use), (calculated, calculated.use))
    )
    if not (stated.value.exact and calculated.value.exact):
        return stated, calculated
    differ = (places for places in range(written, MOST_DECIMALS) if round(first, places) != round(second, places))
    apart = next(differ, 0)
    more = _beyond(check)
    if not apart + more:
        return stated, calculated
    return replace(stated, decimals=max(apart, written)), replace(calculated, decimals=apart + more)


def _misnamed(project: ProjectLedger, book: Book, found: Worded, subject: str) -> Finding:
    told, figures = _grounds(project, book, found)
    ours = assumed(*figures)
    arithmetic = say(
        "stated {stated} ({at}), calculated {word}",
        stated=found.stated.title,
        at=stated_at(found.claim),
        word=found.word.title,
    )
    # What is tight fits, if without what is to stay free: it is next to either of the other verdicts. Nobody who takes
    # it for what does not fit runs out of memory.
    cautious = (found.stated.id, found.word.id) == CAUTIOUS
    near = TIGHT in (found.stated.id, found.word.id) and TIGHT in found.word.among
    # Which offer is the cheapest moves no hours, and changes with the lists.
    near = near or found.address.endswith(".cheapest")
    severity = "note" if ours or cautious else "warning" if near else "error"
    return make_finding(
        "claim-contradicted",
        subject,
        say(
            "{what}: {stated} is stated, {word} calculated",
            what=found.word.about,
            stated=found.stated.title,
            word=found.word.title,
        ),
        arithmetic + (say(": ") + told if told else ()) + supposed(ours),
        "A reader who takes what is stated decides on something that the figures do not give.",
        say("Write {word}.", word=found.word.title),
        (found.claim.place, *places(*figures)[:10]),
        remark=bool(ours),
        severity=severity,
    )


def _terms(project: ProjectLedger, book: Book, of: str) -> list[str]:
    """The items, and the contingency, that a total of the budget sums; found by walking down from it."""
    figure = book.quoted(project.id, of)
    found = closure(figure, through=lambda below: not _term(project, below)) if figure else ()
    return list(dict.fromkeys(term for below in found if (term := _term(project, below))))


def _term(project: ProjectLedger, figure: Figure) -> str:
    """The item that a figure belongs to, or `contingency`; empty for any other figure."""
    parts = figure.address.split(".")
    if parts[1:2] == ["plan"] and len(parts) > 2:
        return parts[2]
    return "contingency" if figure.address == f"{project.id}.budget.contingency" else ""


def _gravity(whole: Figure | None, parts: Sequence[Figure], missed: Sequence[str]) -> str:
    """An error, unless what a formula leaves out is a small share of what it gives."""
    if whole is None or not whole.use or len(parts) < len(missed):
        return "error"
    return "warning" if sum(part.use or whole.use for part in parts) < SLIGHT * whole.use else "error"


def formula_misses_line(project: ProjectLedger, book: Book) -> Findings:
    """A formula stated elsewhere whose terms are not the lines that the budget sums; a warning for under a tenth."""
    seen = Counter[str]()
    for claim in project.claims:
        wanted = _terms(project, book, claim.of)
        missed = [name for name in wanted if name not in claim.terms]
        if not claim.terms or not missed:
            continue
        shown = ", ".join(map(project.title_of, missed))
        parts = [book[f"{project.id}.plan.{name}.total"] for name in missed if name in project.items]
        yield make_finding(
            "formula-misses-line",
            numbered(seen, f"{project.id}.{claim.of}"),
            "A stated formula leaves out a line of the budget",
            say("{at} does not name {missed}", at=claim.at, missed=shown)
            + (say(": {part}", part=parts[0]) if len(parts) == 1 else ()),
            "Whoever applies the formula gets less than the budget that stands beside it.",
            "Add the line to the formula, or take it out of the budget.",
            (place_of(claim.of), *places(*parts)),
            severity=_gravity(book.quoted(project.id, claim.of), parts, missed),
        )


def _grounds(project: ProjectLedger, book: Book, found: Worded) -> Grounds:
    """Why a word is what it is, as a sentence and the figures in it; nothing where no more is known."""
    for fitted in book.fits.get(project.id, ()):
        if found.address == f"{project.id}.{fitted.pair.at}.verdict" and fitted.verdict:
            return _fit(fitted, fitted.verdict)
    if found.address.startswith(f"{project.id}.projections.") and found.address.endswith(".cheapest"):
        costs = [
            (word.title, book.get(found.address.removesuffix("cheapest") + f"costs.{word.id}.usd"))
            for word in (found.stated, found.word)
        ]
        told = [(say("{title} {cost}", title=title, cost=cost), cost) for title, cost in costs if cost]
        return joined((said for said, _ in told), ", "), tuple(cost for _, cost in told)
    for weighed in book.tradeoffs.get(project.id, ()):
        at = f"{project.id}.setups.{weighed.name}."
        if found.address.startswith(at):
            return _setup(book, weighed, found, found.address.removeprefix(at))
    return (), ()


def _fit(fitted: Fitted, verdict: Verdict) -> Grounds:
    """The need, what the card has, what is to stay free, and the pools that are too small."""
    told = say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)
    told += say(", {reserve} of them to stay free", reserve=fitted.reserve) if fitted.reserve else ()
    for part in fitted.short:
        told += say("; {pool} is too small for what is in it", pool=part)
    return told, tuple(figure for figure in (verdict.need, verdict.usable, fitted.reserve) if figure)


def _setup(book: Book, weighed: Tradeoff, found: Worded, last: str) -> Grounds:
    """Time and cost of the two setups that a ranking could pick, or of a setup and the one that dominates it."""
    if last in RANKS:
        some = [name for name in (found.stated.id, found.word.id) if name in weighed.points]
        return _beside(book, weighed, some)
    choice, _, what = last.rpartition(".")
    if what == "standing" and choice in weighed.points:
        some = [choice, *([weighed.dominated[choice]] if choice in weighed.dominated else [])]
        return _beside(book, weighed, some)
    if what == "memory" and (verdict := weighed.verdicts.get(choice)):
        told = say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)
        return told, (verdict.need, verdict.usable)
    return (), ()


def _beside(book: Book, weighed: Tradeoff, choices: list[str]) -> Grounds:
    found = [(weighed.titles[choice], *_figures(book, weighed, choice)) for choice in choices]
    told = (say("{setup} {hours} for {usd}", setup=title, hours=hours, usd=usd) for title, hours, usd in found)
    return joined(told, ", "), tuple(figure for _, *figures in found for figure in figures)


def _figures(book: Book, weighed: Tradeoff, choice: str) -> tuple[Figure, Figure]:
    """Time and cost at the values to plan with, by which setups are weighed."""
    hours, usd = (book[f"{weighed.choices[choice].at}.{key}"] for key in ("hours", "usd"))
    return replace(picked(hours, "use"), address=hours.address), replace(picked(usd, "use"), address=usd.address)
