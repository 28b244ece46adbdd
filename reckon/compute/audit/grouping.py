"""Which findings are told together: the same on several cards or seeds, and those accepted for one reason."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.language.text import first_of, plural
from reckon.language.units import GPU_HOURS
from reckon.model.figure import planned
from reckon.model.finding import SEVERITIES, Common, Finding, Findings, Sentence, figures_in, joined, say
from reckon.model.ledger import Ledger
from reckon.model.rules import KINDS

from ..sheet.cells import base_of

CLAIMED = "claim-contradicted"
DIFFERENTLY = "stated-differently"
LOW_END, RECORDS, MEMORY = "rests-on-low-end", "records-far-apart", "memory-far-apart"
UNSAID = "progress-unknown"
"""What is left unsaid of the runs of an item, mostly of all items alike."""
ONE_MATTER = {
    DIFFERENTLY: CLAIMED,
    f"{UNSAID}#plan": "plan-unlike-its-estimate",
    "text-left-out#undecided": "input-missing",
    MEMORY: "hardware-cannot-hold",
    "run-outside-its-dates": "date-cannot-be-met",
}
"""What is found that is one matter with what another rule finds about the same figure."""
NOT_KEPT = {
    "limit": ("limit-passed", "plan-above-limit", "planned-without-reserve", "policy-breached"),
    "date": ("date-cannot-be-met",),
}
"""The rules about limits, and those about dates: a project breaks several of them with the same hours."""
MOST_NAMED = 2
"""So many are named in a title; more are counted there, and named below it."""


def together(ledger: Ledger, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, each that is told with others with what it has in common with them. None is lost, or altered.

    A figure that is stated differently, and does not agree either, is one matter, as is all else of `ONE_MATTER`. What
    follows from a finding that has a cause stands with that cause.
    """
    about: dict[tuple[str, str], Finding] = {}
    for found in sorted(findings, key=lambda found: (found.follows, found.severity == "note")):
        for name in _names(found):
            about.setdefault((found.rule, name), found)
    causes = {found.id: found.common for found in findings}
    names = {*ledger.catalog.gpus, *ledger.catalog.models}
    told = {}
    for found in findings:
        rule = ONE_MATTER.get(found.judgement, "")
        words = [word for part in found.arithmetic if isinstance(part, str) for word in part.split(", ")]
        first = next((about[rule, name] for name in (*_names(found), *words) if (rule, name) in about), None)
        if found.accepted:
            continue
        # What a document says in two ways is its own, whatever the ledger calculates.
        if first and (first.severity != "note" or found.severity == "note"):
            follows = found.rule == DIFFERENTLY or bool(first.accepted)
            told[found.id] = replace(found, common=first.common or Common(first.id), follows=follows)
        elif found.common:
            cause = causes.get(found.common.key) if found.follows else None
            told[found.id] = replace(found, common=cause or found.common)
    alone = [found for found in findings if found.id not in told]
    for some in group_by(alone, lambda found: _key(found, names)).values():
        common = _of_all(ledger, some)
        told |= {found.id: replace(found, common=common) for found in some}
    return list(_beside_accepted([told[found.id] for found in findings]))


def join_not_kept(findings: Sequence[Finding]) -> list[Finding]:
    """The findings; limits that a project does not keep are one entry, and so are dates, but for notes, what follows
    from a cause and what is accepted. The first of them says what all of them mean, and what to do."""
    told: dict[str, Finding] = {}
    for noun, rules in NOT_KEPT.items():
        alone = [found for found in findings if found.rule in rules and not found.follows and found.severity != "note"]
        if len(alone) > 1:
            first = min(alone, key=lambda found: SEVERITIES.index(found.severity))
            common = Common(first.id, (*first.title, f", and {plural(len(alone) - 1, f'more {noun}')}"))
            told |= {found.id: replace(found, common=common) for found in alone}
            rest = [first, *alone]
            meaning = _each_once(found.meaning for found in rest)
            remedy = _each_once(found.remedy for found in rest)
            told[first.id] = replace(told[first.id], meaning=meaning, remedy=remedy)
    return [told.get(found.id, found) for found in findings]


def _each_once(sentences: Iterable[Sentence]) -> Sentence:
    """Sentences one after the other, none of them twice and none that is empty."""
    return joined(filter(None, dict.fromkeys(sentences)), " ")


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings by kind: what cannot be calculated with, causes, what is not kept, notes, and what is accepted; of each
    kind the most severe first, and of these what is about most GPU-hours. Then in the order given.

    An entry is as severe as the gravest of its rows. What follows is told with its cause, and stands with the notes
    here.
    """
    graver: dict[str, int] = {}
    for found in findings:
        if found.follows and found.common:
            key = found.common.key
            graver[key] = min(graver.get(key, len(SEVERITIES)), SEVERITIES.index(found.severity))
    return tuple(sorted(findings, key=lambda found: _rank(found, graver)))


def _rank(found: Finding, graver: Mapping[str, int]) -> tuple[bool, int, int, int, Fraction]:
    """Its place among all; of its kind by the severity of its entry, then by its own, then by the GPU-hours that it is
    about: those that its entries are too many, else how far those of its arithmetic are apart."""
    own = SEVERITIES.index(found.severity)
    severity = min(own, graver.get(found.common.key, own)) if found.common else own
    if found.follows or SEVERITIES[severity] == "note":
        return bool(found.accepted), len(KINDS), 0, 0, ZERO
    ends = [planned(figure) for figure in figures_in(found.arithmetic) if figure.unit.kinds == GPU_HOURS.kinds]
    size = found.hours or max(ends, default=ZERO) - min(ends, default=ZERO)
    return bool(found.accepted), KINDS.index(found.kind), severity, own, -size


def _measurement(found: Finding) -> tuple[str, str]:
    """The project and the measurement that a projection is made from which is far from an estimate."""
    project, _, _, measurement, *_ = found.subject.split(".")
    return project, measurement


def _of_all(ledger: Ledger, some: list[Finding]) -> Common:
    """What findings that are told together have in common: what one slip makes of several lines has their titles, and
    what is far from one measurement has the title of that."""
    first = some[0]
    if len(some) == 1 or first.accepted or first.rule not in SLIPS:
        return Common(first.id)
    if first.rule == RECORDS:
        project, name = _measurement(first)
        record = ledger.projects[project].measurements[name]
        text = "{title} ({kind}): its figures are far from the estimates"
        return Common(first.id, say(text, title=record.title, kind=record.kind))
    titles = [str(found.title[0]) for found in some]
    return Common(first.id, (first_of(titles, MOST_NAMED), *first.title[1:]))


def _beside_accepted(told: Sequence[Finding]) -> Findings:
    """The findings; a note that follows from a cause which is accepted stands with it. What is graver is accepted by
    itself alone."""
    causes = {found.id: found.common for found in told if found.accepted}
    for found in told:
        key = found.common.key if found.common and found.follows else ""
        is_note = found.severity == "note"
        yield replace(found, common=causes[key] if is_note else None, follows=is_note) if key in causes else found


def _names(found: Finding) -> list[str]:
    """The addresses of what a finding is about, and of the figures of its arithmetic."""
    return [base_of(found.address), *(figure.address for figure in figures_in(found.arithmetic) if figure.address)]


def _key(found: Finding, names: set[str]) -> Hashable:
    """What is the same of findings that are told together: of the same about several cards or seeds, or of several
    lines that one slip makes.

    Several estimates at the low end of a setting are one habit; several lines far from what is projected from one
    measurement are one disagreement with that measurement. What is left unsaid of the runs of several items is one
    question, with one answer.
    """
    if found.accepted:
        return found.accepted, found.until, found.by
    if found.rule == UNSAID:
        return found.rule, found.severity, found.remedy
    if found.rule == LOW_END:
        return found.rule, found.severity
    if found.rule == RECORDS:
        return found.rule, _measurement(found)
    whole = found.subject.split(".")
    pairs = zip(["", *whole], whole, strict=False)
    parts = tuple("*" if before == "seeds" or _named(part, names) else part for before, part in pairs)
    return found.rule, found.severity, parts, found.meaning if "*" in parts else found.id


SLIPS = (UNSAID, LOW_END, RECORDS)
"""Rules of which one slip makes several findings."""


def _named(part: str, names: set[str]) -> bool:
    """Whether a part of an address names a card, a model or a seed, or some of a card."""
    card, _, many = part.rpartition("-x")
    return part in names or (card in names and many.isdigit())
