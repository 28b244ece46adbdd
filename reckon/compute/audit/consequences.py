"""What is not kept, and would be if an entry that looks wrong were corrected, stands with that entry.

This is tried: the project is calculated again with the entry corrected, as its finding reads it, and the same rules are
asked. So what stands with a cause is gone once it is corrected. What is not gone stands alone, with the numbers that it
has once all such entries are corrected. Nothing is calculated again where there is no such entry, or where all is kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

from msgspec.structs import replace

from reckon.language.groups import group_by
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
    project: ProjectLedger, ledger: Ledger, findings: list[Finding], judges: Sequence[Judge], calculate: Calculate
) -> list[Finding]:
    """The findings; of those that are not kept, what `judges` no longer find with an entry corrected stands with that
    entry, and the others say what is found with all of them corrected. None is lost, or less severe."""
    broken = {found.id: found for found in findings if found.rule in ASKED and not found.accepted}
    suspects = [found for found in findings if found.corrections and _is_open(found)]
    suspects.sort(key=lambda found: found.hours, reverse=True)

    def find_broken(corrected: Iterable[Finding]) -> dict[str, Finding]:
        """What is still not kept with some corrected; what was not before where that cannot be calculated."""
        right = reduce(_correct, corrected, project)
        book, problems = calculate(_only(ledger, right))
        if problems:
            return broken
        return {each.id: each for judge in judges for each in judge(right, book) if each.id in broken}

    if not broken or not suspects:
        return findings
    # Mostly nothing follows, which one calculation tells: with all of them corrected.
    left = find_broken(suspects)
    told = {name: _stand_alone(broken[name], found) for name, found in left.items()}
    waiting = broken.keys() - left.keys()
    for suspect in suspects[:MOST_TRIED]:
        if waiting:
            kept = waiting if len(suspects) == 1 else waiting - find_broken([suspect]).keys()
            told |= {name: _follow(broken[name], suspect) for name in kept}
            waiting = waiting - kept
    return [told.get(found.id, found) for found in findings]


def attach_effects(
    project: ProjectLedger, book: Book, findings: Sequence[Finding], judge: Judge | None, calculate: Calculate
) -> list[Finding]:
    """The findings; each cause in the plan says what correcting it makes of the final budget, and what is stated of
    figures that are then right, as `judge` finds it, stands with it."""
    before = book.find(project, FINAL.hours)
    lines = [f"{project.id}.plan.{name}" for name in project.items]
    of_plan = [found for found in findings if found.address in lines and found.corrections and not found.accepted]
    claimed = [found for found in findings if found.rule == "claim-contradicted" and not found.accepted]
    told: dict[str, Finding] = {}
    for some in group_by(of_plan, lambda found: found.common.key if found.common else found.id).values():
        corrected = reduce(_correct, some, project)
        right, problems = calculate(_only(book.ledger, corrected, corrected.claims))
        if problems:
            continue
        after = right.find(project, FINAL.hours)
        if before and after and before.value != after.value:
            effect = say(
                "With this alone corrected, the final budget is {after}, not {before}.", after=after, before=before
            )
            told |= {found.id: replace(found, effect=without_links(effect)) for found in some}
        contradicted = judge(corrected, right) if judge else ()
        wrong = {(found.address, found.places[0]): found for found in contradicted}
        left = {found.id: wrong.get((found.address, found.places[0])) for found in claimed}
        # Where it settles some of what is stated, the others are told as they are without it.
        if None in left.values():
            for found in claimed:
                still = left[found.id]
                told[found.id] = _stand_alone(found, still) if still else _follow(found, some[0])
                if still and found.common and found.common.key in left:  # in its entry without what is settled
                    told[found.id] = replace(told[found.id], common=still.common)
    return [told.get(found.id, found) for found in findings]


def _is_open(found: Finding) -> bool:
    """Whether a finding is a cause in the ledger's own entries, which nobody accepts."""
    return found.kind == CAUSE and found.severity != "note" and not (found.of_source or found.follows)


def _follow(found: Finding, cause: Finding) -> Finding:
    """A finding as a row of its cause."""
    place = cause.corrections[0].place
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
        arithmetic=without_links(corrected.arithmetic),
        remedy=without_links(corrected.remedy),
        cells=tuple(map(without_links, corrected.cells)),
    )


def _values(sentence: Sentence) -> list[object]:
    return [part.value if isinstance(part, Figure) else part for part in sentence]


def without_links(sentence: Sentence) -> Sentence:
    """A sentence whose figures lead to no derivation."""
    return tuple(dataclasses.replace(part, address="") if isinstance(part, Figure) else part for part in sentence)


def _correct(project: ProjectLedger, found: Finding) -> ProjectLedger:
    """The project with what a finding is about corrected: runs, lines of the plan, or its own settings."""
    right = {each.place: dict(each.fields) or {"gpu_hours": each.right} for each in found.corrections}

    def corrected(record: Any) -> Any:
        return record.model_copy(update=right[record.place]) if record.place in right else record

    files = []
    for file in project.runs:
        is_named = any(place.file == file.file for place in right)
        files.append(RunFile(file.file, tuple(map(corrected, file.runs))) if is_named else file)
    plan = {}
    for at, phase in project.plan.items():
        items = {name: corrected(item) for name, item in phase.items.items()}
        plan[at] = phase.model_copy(update={"items": items})
    return replace(project, runs=tuple(files), plan=plan, project=corrected(project.project))


def _only(ledger: Ledger, project: ProjectLedger, claims: tuple[Claim, ...] = ()) -> Ledger:
    """A ledger with nothing but a project, as it is given here, and those that share its allocations. Its claims decide
    nothing, and are asked only where they are given."""
    grants = ledger.grants_of(project.id)
    names = {project.id, *(name for grant in grants.values() for name in grant.projects)}
    others = {name: other for name, other in ledger.projects.items() if name in names}
    return replace(ledger, projects={**others, project.id: replace(project, claims=claims)})
