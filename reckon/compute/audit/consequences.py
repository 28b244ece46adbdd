"""What is not kept, and would be if an entry that looks wrong were corrected, stands with that entry.

This is tried: the project is calculated again with the entry corrected, as its finding reads it, and the same rules are
asked. So what stands with a cause is gone once it is corrected. What is not gone stands alone, with the numbers that it
has once all such entries are corrected. Nothing is calculated again where there is no such entry, or where all is kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import Quantity
from reckon.language.text import Place, Text
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES, Finding, Problem, Sentence, say
from reckon.model.kinds import FINAL
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Claim
from reckon.model.rules import CAUSE, CONSEQUENCE, RULES
from reckon.model.runs import RunFile

from ..book import Book

Judge = Callable[[ProjectLedger, Book], Iterable[Finding]]
"""A function that yields the findings of a rule, or of several, about a project."""
Calculate = Callable[[Ledger], tuple[Book, list[Problem]]]
"""Calculates a ledger: its book, and what is wrong with it."""
ASKED = {name: rule for name, rule in RULES.items() if rule.kind == CONSEQUENCE and rule.judge != "entries.odd_entries"}
"""The rules whose findings may follow, but for the one that looks at runs as those of causes do."""
MOST_TRIED = 8
"""How many entries are corrected by themselves: those that move most."""


def attach_consequences(
    project: ProjectLedger, ledger: Ledger, findings: Iterable[Finding], judges: Sequence[Judge], calculate: Calculate
) -> list[Finding]:
    """The findings; of those that are not kept, what `judges` no longer find with an entry corrected stands with that
    entry, and the others say what is found with all of them corrected. None is lost, or less severe."""
    every = list(findings)
    broken = {found.id: found for found in every if found.rule in ASKED and not found.accepted}
    # It is known what would be right of runs, of a line of the plan, and of a ceiling that is too low.
    suspects = [
        found
        for found in every
        if _is_open(found) and (found.corrections or found.judgement in PLANNED or _is_too_low(project, found))
    ]
    suspects.sort(key=lambda found: found.hours, reverse=True)

    def find_broken(corrected: Iterable[Finding]) -> dict[str, Finding]:
        """What is still not kept with some corrected; what was not before where that cannot be calculated."""
        right = reduce(_correct, corrected, project)
        book, problems = calculate(_only(ledger, right))
        if problems:
            return broken
        return {each.id: each for judge in judges for each in judge(right, book) if each.id in broken}

    if not broken or not suspects:
        return every
    # Mostly nothing follows, which one calculation tells: with all of them corrected.
    left = find_broken(suspects)
    told = {name: _stand_alone(broken[name], found) for name, found in left.items()}
    waiting = broken.keys() - left.keys()
    for suspect in suspects[:MOST_TRIED]:
        if waiting:
            kept = waiting if len(suspects) == 1 else waiting - find_broken([suspect]).keys()
            told |= {name: _follow(broken[name], suspect) for name in kept}
            waiting = waiting - kept
    return [told.get(found.id, found) for found in every]


def attach_effects(
    project: ProjectLedger, book: Book, findings: Sequence[Finding], calculate: Calculate
) -> list[Finding]:
    """The findings; the remedy of each cause in the plan says what correcting it makes of the final budget, and what is
    stated of figures that are then right stands with it."""
    before = book.find(project, FINAL.hours)
    of_plan = (found for found in findings if found.judgement in PLANNED and not found.accepted)
    claimed = [found for found in findings if found.rule == "claim-contradicted" and not found.accepted]
    told: dict[str, Finding] = {}
    for some in group_by(of_plan, lambda found: found.common.key if found.common else found.id).values():
        corrected = reduce(_correct, some, project)
        right, problems = calculate(_only(book.ledger, corrected, corrected.claims))
        if problems:
            continue
        after = right.find(project, FINAL.hours)
        if before and after and before.value != after.value:
            effect = say(" Then the final budget is {after}, not {before}.", after=after, before=before)
            told |= {found.id: replace(found, remedy=found.remedy + _without_addresses(effect)) for found in some}
        settled = {(check.figure.address, check.claim.place) for check in right.checks[project.id] if check.holds}
        told |= {found.id: _follow(found, some[0]) for found in claimed if (found.address, found.places[0]) in settled}
    return [told.get(found.id, found) for found in findings]


def _is_open(found: Finding) -> bool:
    """Whether a finding is a cause in the ledger's own entries, which nobody accepts."""
    return found.kind == CAUSE and found.severity != "note" and not (found.of_source or found.accepted or found.follows)


def _is_too_low(project: ProjectLedger, found: Finding) -> bool:
    """Whether a finding says that the ceiling is a thousand times too low."""
    is_ceiling = found.id == f"input-implausible:{project.id}.ceiling"
    return is_ceiling and isinstance(project.project.ceiling, Quantity)


def _follow(found: Finding, cause: Finding) -> Finding:
    """A finding as a row of its cause."""
    place = cause.corrections[0].place if cause.corrections else cause.places[0]
    line = f"line {place.line} of {place.file.rpartition('/')[2]}"
    return replace(
        found, common=cause.common, follows=True, remedy=say("It follows from {line}: correct that first.", line=line)
    )


def _stand_alone(found: Finding, corrected: Finding) -> Finding:
    """A finding that stays once all that looks wrong is corrected, with what it says then: numbers of no page."""
    if _values(found.arithmetic) == _values(corrected.arithmetic):
        return found
    return replace(
        found,
        severity=min(found.severity, corrected.severity, key=SEVERITIES.index),
        title=corrected.title + say(", even with what looks wrong corrected"),
        arithmetic=_without_addresses(corrected.arithmetic),
    )


def _values(sentence: Sentence) -> list[object]:
    return [part.value if isinstance(part, Figure) else part for part in sentence]


def _without_addresses(sentence: Sentence) -> Sentence:
    return tuple(dataclasses.replace(part, address="") if isinstance(part, Figure) else part for part in sentence)


def _correct(project: ProjectLedger, found: Finding) -> ProjectLedger:
    """The project with what a finding is about corrected: runs, the ceiling, or a line of the plan."""
    if found.corrections:
        right = {each.place: dict(each.fields) or {"gpu_hours": each.right} for each in found.corrections}
        named = {place.file for place in right}
        files = (_correct_runs(file, right) if file.file in named else file for file in project.runs)
        return replace(project, runs=tuple(files))
    ceiling = project.project.ceiling
    if _is_too_low(project, found) and isinstance(ceiling, Quantity):
        higher = replace(ceiling, value=ceiling.value.scaled(Fraction(1000)))
        return replace(project, project=project.project.model_copy(update={"ceiling": higher}))
    name = found.address.rpartition(".")[2]
    item = project.items[name]
    is_twice = found.rule == "seeds-counted-twice"
    changed = item.model_copy(update={"scope": Text("all-seeds")} if is_twice else {"gpu_hours": item.estimate})
    plan = {
        at: phase.model_copy(update={"items": {**phase.items, name: changed}}) if name in phase.items else phase
        for at, phase in project.plan.items()
    }
    return replace(project, plan=plan)


def _correct_runs(file: RunFile, right: Mapping[Place, Mapping[str, object]]) -> RunFile:
    """A file of runs of which some state what is right."""
    runs = (run.model_copy(update=right[run.place]) if run.place in right else run for run in file.runs)
    return RunFile(file.file, tuple(runs))


PLANNED = ("seeds-counted-twice", *(f"plan-unlike-its-estimate#{evidence}" for evidence in ("above", "below", "clock")))
"""The judgements that find a line of the plan too high or too low, and by which it is known what would be right."""


def _only(ledger: Ledger, project: ProjectLedger, claims: tuple[Claim, ...] = ()) -> Ledger:
    """A ledger with nothing but a project, as it is given here, and those that share its allocations. Its claims decide
    nothing, and are asked only where they are given."""
    grants = ledger.grants_of(project.id)
    names = {project.id, *(name for grant in grants.values() for name in grant.projects)}
    others = {name: other for name, other in ledger.projects.items() if name in names}
    return replace(ledger, projects={**others, project.id: replace(project, claims=claims)})
