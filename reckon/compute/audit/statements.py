"""What the ledger states beside its figures: claims, formulas and verdicts held against what follows from its inputs,
and from other stated figures; and what is stated more narrowly than its inputs give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil

from msgspec import structs

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO, point
from reckon.language.text import first_of, place_of
from reckon.language.units import PLAIN
from reckon.model.figure import Figure, closure, operands, places_of, planned
from reckon.model.finding import Common, Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import Ids, ProjectLedger

from ..book import Book
from ..choosing.memory import TIGHT, Verdict
from ..choosing.pareto import RANKS, Point, Tradeoff, dominators, frontier, rank
from ..sheet.cells import picked
from ..statements.agreement import IMPRECISE, SLIGHT, assumed, decimals_of, rounding_of
from ..statements.claims import AGAIN, WAYS, Check, Checks, Worded, statement_of
from ..statements.guesses import BESIDE, CUT
from ..statements.structure import by_its_name
from .common import called, excess, in_unit_of, name_of, numbered, room_of, stated_at, supposed
from .stated import entries_of, is_rounding, title_of

MOST_DECIMALS = 12
CENTS = 2
NOTHING_NEEDED = "None needed, unless a later figure is calculated from it."
OWN = " (its own inputs: {given})"
SHORT = "; it is short by "
"""Stands in the reasons of a verdict that rounding decides."""
BOUNDS = ".bounds."
"""In the addresses of what a request reaches, of which a rate of the hardware may be stated."""
SAID_OTHERWISE = "{about}: {word}; the document says {stated}"
MOST_NAMED = 4
"""So many subjects of words that are wrong alike are named."""


def claim_contradicted(project: ProjectLedger, book: Book) -> Findings:
    """What is wrong with stated figures and words; and in one entry what is more precise than its inputs, below the
    rest what is wrong or stated as a range elsewhere in its document."""
    checks = book.checks[project.id]
    yield from _contradictions(project, book)
    every = [check for check in checks if check.kind in IMPRECISE]
    wrong = {_what_is_stated(each) for each in checks if not (each.holds and (each.value.exact or each in every))}
    every.sort(key=lambda check: _what_is_stated(check) in wrong)
    seen = Counter[str]()
    known = set[Hashable]()
    some = []
    for check in every:
        finding = _contradicted(check, numbered(seen, check.figure.address))
        key = (check.figure.address, check.value)
        some.append(structs.replace(finding, follows=_what_is_stated(check) in wrong or key in known))
        known.add(key)
    told = [finding.title for finding in some if not finding.follows]
    title = told[0] if len(told) == 1 else say(f"{len(told)} stated figures are more precise than their inputs")
    for finding in some:
        yield structs.replace(finding, common=Common(some[0].id, title))


def _what_is_stated(check: Check) -> Hashable:
    """A document, and what is stated there of records of one kind."""
    return check.claim.document, check.figure.address.rpartition(".")[2]


def _contradictions(project: ProjectLedger, book: Book) -> Findings:
    """A stated figure or word that the calculated one contradicts, as grave as it is far off; a warning where a verdict
    is off by one, a note where it says that what is tight does not fit. What the document's own figures give stands
    below these, as grave as before."""
    seen = Counter[str]()
    checks = book.checks[project.id]
    entries, homes = entries_of(checks)
    found = {}
    for at, check in enumerate(checks):
        if not check.holds:
            made = _contradicted(check, numbered(seen, check.figure.address))
            found[at] = _weighed(book, made, check, checks)
    words = [worded for worded in book.worded[project.id] if worded.holds is False]
    alike = group_by(words, partial(_like, project, book))
    for at, finding in found.items():
        yield _of_entry(finding, at, entries[homes[at]], found, checks) if at in homes else finding
    for worded in words:
        named = _misnamed(project, book, worded, numbered(seen, worded.address))
        rests = find_wrong_grounds(project, book, worded)
        home = next((entries[homes[place]] for place in rests if place in homes), None)
        if home:  # it is right, or too cautious, by stated figures that do not agree: these make it wrong
            if named.severity == "note" and not named.remark:
                named = structs.replace(named, severity="warning")
            yield _of_entry(named, -1, home, found, checks)
        else:
            some = alike[_like(project, book, worded)]
            title = _all_named(some, named.title)
            yield structs.replace(named, common=Common(f"{named.rule}:{some[0].address}", title))


def _like(project: ProjectLedger, book: Book, worded: Worded) -> Hashable:
    """What words that are stated of several setups, cards or configurations have in common, all missed alike."""
    _, kind, *_, last = worded.address.split(".")
    is_rounded = SHORT in _grounds(project, book, worded)
    return worded.claim.document, kind, last, worded.stated.id, worded.word.id, is_rounded


def _all_named(alike: Sequence[Worded], title: Sentence) -> Sentence:
    """What all of several words are stated to be, and are, by the title of one; nothing for what is stated of one
    subject alone."""
    about = list(dict.fromkeys(each.word.about for each in alike))
    if len(about) == 1:
        return ()
    what = about[0].partition(" of ")[0] + " of "  # "Standing of" once, before all that it is said of
    subjects = [about[0], *(each.removeprefix(what) for each in about[1:])]
    cards = {each.rpartition(" on ")[2] for each in about}
    card = f" on {cards.pop()}" if len(cards) == 1 else ""  # once, behind all that is said of it
    subjects = [each.removesuffix(card) for each in subjects]
    names = " and ".join(subjects) if len(subjects) == 2 else first_of(subjects, MOST_NAMED)
    return (name_of(names + card), *title[1:])


def _of_entry(finding: Finding, at: int, entry: Sequence[int], found: Mapping[int, Finding], checks: Checks) -> Finding:
    """A finding with the entry that it is part of, or follows from."""
    title = title_of([checks[root] for root in entry]) if len(entry) > 1 else ()
    return structs.replace(finding, common=Common(found[entry[0]].id, title), follows=at not in entry)


def _contradicted(check: Check, subject: str) -> Finding:
    figure, claim = check.figure, check.claim
    is_imprecise = check.kind in IMPRECISE
    is_given = by_its_name(figure).is_stated
    ends = {figure.value.low: "it is the low end of the range", figure.value.high: "it is the high end of the range"}
    words = str(claim.notes or ends.get(check.value.use) or IMPRECISE[check.kind]) if is_imprecise else check.slip
    why = WAYS.get(check.way, words)
    stated, calculated, right = _to_the_digit(check, in_unit_of(check.stated, figure))
    is_little = is_rounding(check)
    # 475 is no rounding of 476.47.
    is_rounded = is_little and not (check.value.exact and (check.value.use or 0) % (20 * check.low or 1))
    told: dict[str, Figure | str] = {
        "title": name_of(called(figure)),
        "about": check.about,
        "stated": stated,
        "at": stated_at(claim),
        "has": "the ledger has" if is_given else "calculated",
        "figure": calculated,
        "given": in_unit_of(stated, check.given or figure),
        "right": right,
        "why": why,
        "roughly": "" if None in right.value.ends else check.about,
    }
    ours = "" if check.way else check.supposed
    severity = "note" if ours or is_imprecise else check.agreement.severity
    is_sure = severity == "note" or check.slip.partition(" ")[0] not in ("", "perhaps")
    remedy = "Write {roughly}{right}" + ("." if is_sure else ", or correct its inputs.")
    if is_little or planned(right) < 0 <= planned(stated):
        remedy = NOTHING_NEEDED if is_little else "Correct its inputs: they give less than nothing."
    title = "{title}: {figure}" + (" in the ledger" if is_given else "")
    how = "stated more precisely as" if is_imprecise else "rounded to" if is_rounded else "not"
    title += f", {how} {{about}}{{stated}}"
    aim: Sentence = (calculated,)
    if stated.value.exact and not calculated.value.exact and calculated.use is not None:
        aim = say("{use} ({range})", use=picked(calculated, "use"), range=calculated)
    own = OWN if check.given else ""
    return make_finding(
        "claim-imprecise" if is_imprecise else "claim-contradicted",
        subject,
        say(title, **told),
        say("stated {stated} ({at}), {has} {figure}" + own + ("; {why}" if why else ""), **told) + supposed(ours),
        "" if is_imprecise else claim.notes or "",
        claim.remedy or ("Nothing contradicts the document: measure it." if ours else say(remedy, **told)),
        (claim.place, *places_of(figure)[:10]),
        remark=bool(ours),
        cells=(
            (called(figure),),
            (stated,),
            aim + say(own, **told),
            say("{why}", why=(words or "rounded" * is_rounded).replace(BESIDE, "from").rstrip(".")),
            (claim.at if check.way == AGAIN else stated_at(claim),),
        ),
        severity=severity,
    )


def _weighed(book: Book, finding: Finding, check: Check, checks: Checks) -> Finding:
    """A finding with what else hangs on it. A statement that holds of another figure may mean that one. A ratio from
    which nothing is calculated decides nothing, if it is not far off."""
    for other in checks:
        meant = other.figure
        is_reached = BOUNDS in check.figure.address
        if other.holds and (meant.unit == PLAIN or is_reached) and statement_of(other) == statement_of(check):
            title = finding.title
            if not is_reached:
                what = called(meant).rpartition(", ")[2]
                title += (f" ({what}: ", in_unit_of(check.stated, meant), ")")
            remedy = (check.claim.remedy or "Say which of the two is meant.",)
            meaning = finding.meaning or ("The document may mean the other figure.",)
            return structs.replace(finding, severity="note", title=title, meaning=meaning, remedy=remedy)
    is_slight = finding.severity == "error" and check.figure.form == "x" and check.off < 1
    if is_slight and not any(check.figure in operands(other) for other in book.figures.values()):
        return structs.replace(finding, severity="warning")
    return finding


def _to_the_digit(check: Check, calculated: Figure) -> tuple[Figure, Figure, Figure]:
    """What is stated and what follows, both printed to the digit where they differ, where that is behind the point, and
    two more where digits were cut off, so that one sees these; and what follows as it is to be written. Many digits of
    what follows are printed without zeros at their end; where it has no digit there, its own are. Of GPUs and nodes as
    many are needed as hold all."""
    stated = check.stated
    written = decimals_of(check.text)
    one, other = ((part.use or ZERO) * (100 if part.form == "%" else 1) for part in (stated, calculated))
    digits = range(written, MOST_DECIMALS if stated.value.exact and calculated.value.exact else 0)
    apart = next((places for places in digits if round(one, places) != round(other, places)), 0)
    more = 2 if check.slip.endswith(CUT) else 0
    needed = right = max(apart, written)
    if other and not round(other, needed):
        return stated, calculated, calculated
    if digits and not needed and calculated.unit.symbol in ("GPUs", "nodes") and other % 1:
        return stated, replace(calculated, decimals=2), replace(calculated, value=point(ceil(other)))
    shown = apart + more
    if apart > CENTS:
        shown = right = next(places for places in range(apart + 1) if round(other, places) == round(other, apart))
    if apart + more:
        stated = replace(stated, decimals=needed)
    return stated, replace(calculated, decimals=shown or None), replace(calculated, decimals=right or None)


def _misnamed(project: ProjectLedger, book: Book, found: Worded, subject: str) -> Finding:
    grounds = _grounds(project, book, found)
    figures = [part for part in grounds if isinstance(part, Figure)]
    ours = assumed(*figures)
    is_short = SHORT in grounds
    word = "fits only just, if at all" if is_short else found.word.title
    words = {"about": name_of(found.word.about), "stated": found.stated.title, "word": word}
    arithmetic = say("stated {stated} ({at}), calculated {word}", at=stated_at(found.claim), **words)
    # What is tight fits, if without what is to stay free: it is next to either of the other verdicts. Nobody who takes
    # it for what does not fit runs out of memory. Which of several is the best moves no figure. What is
    # short by less than rounding may fit, but has nothing to spare.
    is_cautious = (found.stated.id, found.word.id) == CAUTIOUS
    is_near = TIGHT in (found.stated.id, found.word.id) or found.address.rpartition(".")[2] in RANKS or is_short
    return make_finding(
        "claim-contradicted",
        subject,
        say(SAID_OTHERWISE, **words),
        arithmetic + (say(": ") + grounds if grounds else ()) + supposed(ours),
        found.claim.notes or "",
        found.claim.remedy or say("Write “{word}”.", **words),
        (found.claim.place, *places_of(*figures)[:10]),
        remark=bool(ours),
        cells=((found.word.about,), (found.stated.title,), (word,), grounds, (stated_at(found.claim),)),
        severity="note" if ours or is_cautious else "warning" if is_near else "error",
    )


def _term(project: ProjectLedger, figure: Figure) -> str:
    """The item that a figure belongs to, or `contingency`; empty for any other figure."""
    parts = figure.address.split(".")
    if parts[1:2] == ["plan"]:
        return parts[2]
    return "contingency" if figure.address == f"{project.id}.budget.contingency" else ""


def formula_misses_line(project: ProjectLedger, book: Book) -> Findings:
    """A formula stated elsewhere whose terms are not the lines that the budget sums; a warning for under a tenth, and a
    note where the stated sum has them."""
    seen = Counter[str]()
    for claim in project.claims:
        figure = book.quoted(project.id, claim.of) if claim.terms else None
        if figure is None:
            continue
        # The items, and the contingency, that it sums: down to these.
        found = closure(figure, through=lambda below: not _term(project, below))
        terms = dict.fromkeys(_term(project, below) for below in found)
        missed = [name for name in terms if name and name not in claim.terms]
        if not missed:
            continue
        shown = ", ".join(map(project.title_of, missed))
        parts = [book[f"{project.id}.plan.{name}.total"] for name in missed if name in project.items]
        is_slight = len(parts) == len(missed) and sum(map(planned, parts)) < SLIGHT * planned(figure)
        is_summed = is_slight and any(check.figure is figure and check.holds for check in book.checks[project.id])
        yield make_finding(
            "formula-misses-line",
            numbered(seen, f"{project.id}.{claim.of}"),
            shown,
            say("{at} does not name {missed}", at=claim.at, missed=shown)
            + (say(", planned at {part}", part=parts[0]) if len(parts) == 1 else ()),
            places=(place_of(claim.of), *places_of(*parts)),
            is_mild=is_slight,
            severity="note" * is_summed,
        )


def _grounds(project: ProjectLedger, book: Book, found: Worded) -> Sentence:
    """Why a word is what it is; nothing where no more is known."""
    for fitted in book.fits[project.id]:
        verdict = fitted.verdict
        if found.address == f"{project.id}.{fitted.pair.at}.verdict" and verdict:
            told = room_of(verdict)
            told += say(", of which {reserve} should stay free", reserve=fitted.reserve) if fitted.reserve else ()
            told += _describe_gap(verdict, project)
            return told + joined(
                (say("; {pool} is too small for what is in it", pool=part) for part in fitted.short), ""
            )
    if found.address.startswith(f"{project.id}.projections.") and found.address.endswith(".cheapest"):
        at = found.address.removesuffix("cheapest")
        costs = [(word.title, book.get(f"{at}costs.{word.id}.usd")) for word in (found.stated, found.word)]
        return joined(
            (say("the run costs {cost} at {title}", title=title, cost=cost) for title, cost in costs if cost), "; "
        )
    for weighed in book.tradeoffs[project.id]:
        at = f"{project.id}.setups.{weighed.name}."
        if found.address.startswith(at):
            return _setup(book, weighed, found, found.address.removeprefix(at))
    return ()


def _describe_gap(verdict: Verdict, project: ProjectLedger) -> Sentence:
    """By how little a need is above what a card has, where the rounding of its inputs may be more; else nothing."""
    gap = excess(verdict.need, verdict.usable)
    is_rounded = 0 < (gap.use or ZERO) <= rounding_of(verdict.need, project)
    return (SHORT, gap, ", less than its inputs are rounded by") if is_rounded else ()


def _setup(book: Book, weighed: Tradeoff, found: Worded, last: str) -> Sentence:
    """Time and cost of the two setups that a ranking could pick, or of a setup and the one that dominates it: at the
    values to plan with, by which setups are weighed; or the memory of one."""
    choice, _, what = last.rpartition(".")
    if what == "memory":
        verdict = weighed.verdicts.get(choice)
        return room_of(verdict) if verdict else ()
    some = (found.stated.id, found.word.id) if last in RANKS else ()
    if what == "standing":
        some = (choice, weighed.dominated.get(choice, ""))
    told = []
    checks = book.checks[found.address.partition(".")[0]]
    where = _stated(weighed, checks, found.claim.document)
    for name in (name for name in some if name in weighed.points):
        at = weighed.choices[name].at
        hours, usd = (replace(picked(book[each], "use"), address=each) for each in (f"{at}.hours", f"{at}.usd"))
        told.append(say("{setup}: {hours} for {usd}", setup=weighed.titles[name], hours=hours, usd=usd))
        if name in where:
            less, paid = (checks[place].stated for place in where[name])
            told[-1] += say(", stated {hours} for {usd}", hours=less, usd=paid)
    return joined(told)


CAUTIOUS = ("does-not-fit", TIGHT)
"""What is stated and what is calculated, where the statement errs on the side that runs out of no memory."""


def _stated(weighed: Tradeoff, checks: Checks, source: str) -> dict[str, tuple[int, ...]]:
    """Where the first time and cost that a document states of each setup stand among the checks."""
    first: dict[str, int] = {}
    for at, check in enumerate(checks):
        if check.stated.value.exact and check.claim.document == source:
            first.setdefault(check.figure.address, at)
    asked = {choice.id: [f"{choice.at}.hours", f"{choice.at}.usd"] for choice in weighed.choices.values()}
    return {name: tuple(map(first.__getitem__, both)) for name, both in asked.items() if first.keys() >= {*both}}


def _decides(book: Book, weighed: Tradeoff, at: str, found: Worded, points: Mapping[str, Point]) -> Ids:
    """The setups whose stated figures make a stated verdict; nothing where they give another one."""
    last = found.address.removeprefix(f"{at}.")
    if last in RANKS:
        best = rank(book.figures, at, points, weighed.choices).get(last)
        return (best,) if best == found.stated.id else ()
    choice = last.rpartition(".")[0]
    every = points.values()
    by = dominators(every, frontier(every)).get(choice)
    return (by, choice) if by and found.stated.id == "dominated" else ()


def find_wrong_grounds(project: ProjectLedger, book: Book, found: Worded) -> tuple[int, ...]:
    """Where the stated figures that do not agree stand among the checks, from which a stated verdict follows: times and
    costs of which it is the right conclusion, or parts of the need of what is tight and is stated not to fit."""
    checks = book.checks[project.id]
    source = found.claim.document
    wrong = {at: check for at, check in enumerate(checks) if not check.holds and check.claim.document == source}
    for weighed in book.tradeoffs[project.id]:
        at = f"{project.id}.setups.{weighed.name}"
        if found.address.startswith(f"{at}."):
            where = _stated(weighed, checks, source)
            said = [planned(check.stated) for check in checks]
            points = {name: Point(name, said[hours], said[usd]) for name, (hours, usd) in where.items()}
            decides = _decides(book, weighed, at, found, points)
            return tuple(place for name in decides for place in where[name] if place in wrong)
    if (found.stated.id, found.word.id) != CAUTIOUS:
        return ()
    parts = {part.address for part in closure(book[f"{found.address.removesuffix('.verdict')}.need_gib"])}
    return tuple(at for at, check in wrong.items() if check.figure.address in parts)
