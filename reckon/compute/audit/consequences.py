"""What is not kept, and would be if an entry that looks wrong were corrected, stands with that entry.

This is tried: the project is calculated again with the entry corrected, as its finding reads it, and the same rules are
asked. So what stands with a cause is gone once it is corrected. Nothing is calculated again where there is no such
entry, or where all is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.text import Place, Text
from reckon.model.finding import Correction, Finding, Problem, say
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Item
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
    entry. None is lost, or less severe."""
    every = list(findings)
    broken = {found.id for found in every if found.rule in ASKED and not found.accepted}
    suspects = [found for found in every if _is_open(found) and (found.corrections or found.judgement in PLANNED)]
    suspects.sort(key=lambda found: found.hours, reverse=True)

    def find_kept(corrected: ProjectLedger) -> set[str]:
        book, problems = calculate(_only(ledger, corrected))
        return set() if problems else broken.difference(each.id for judge in judges for each in judge(corrected, book))

    # Mostly nothing follows, which one calculation tells: with all of them corrected.
    waiting = find_kept(reduce(_correct, suspects, project)) if broken and suspects else set()
    homes: dict[str, Finding] = {}
    for suspect in suspects[:MOST_TRIED] if waiting else ():
        kept = waiting if len(suspects) == 1 else waiting & find_kept(_correct(project, suspect))
        homes |= dict.fromkeys(kept, suspect)
        waiting = waiting - kept
        if not waiting:
            break
    return [_follow(found, homes[found.id]) if found.id in homes else found for found in every]


def _is_open(found: Finding) -> bool:
    """Whether a finding is a cause in the ledger's own entries, which nobody accepts."""
    return found.kind == CAUSE and found.severity != "note" and not (found.of_source or found.accepted or found.follows)


def _follow(found: Finding, cause: Finding) -> Finding:
    """A finding as a row of its cause."""
    place = cause.corrections[0].place if cause.corrections else cause.places[0]
    line = f"line {place.line} of {place.file.rpartition('/')[2]}"
    return replace(
        found, common=cause.common, follows=True, remedy=say("It follows from {line}: correct that first.", line=line)
    )


def _correct(project: ProjectLedger, found: Finding) -> ProjectLedger:
    """The project with what a finding is about corrected: runs, or else a line of the plan."""
    if found.corrections:
        by_file = group_by(found.corrections, lambda correction: correction.place.file)
        right = {name: {each.place: each for each in some} for name, some in by_file.items()}
        files = [_correct_runs(file, right[file.file]) if file.file in right else file for file in project.runs]
        return replace(project, runs=tuple(files))
    name = found.address.rpartition(".")[2]
    changed = PLANNED[found.judgement](project.items[name])
    plan = {
        at: phase.model_copy(update={"items": {**phase.items, name: changed}}) if name in phase.items else phase
        for at, phase in project.plan.items()
    }
    return replace(project, plan=plan)


def _correct_runs(file: RunFile, right: Mapping[Place, Correction]) -> RunFile:
    """A file of runs of which some are charged what is right."""
    runs = (
        run.model_copy(update={"gpu_hours": right[run.place].right}) if run.place in right else run for run in file.runs
    )
    return RunFile(file.file, tuple(runs))


def _once(item: Item) -> Item:
    """A line whose hours are those of all seeds."""
    return item.model_copy(update={"scope": Text("all-seeds")})


def _as_estimated(item: Item) -> Item:
    """A line that is planned as it is estimated."""
    return item.model_copy(update={"gpu_hours": item.estimate})


PLANNED = {"seeds-counted-twice": _once, "plan-unlike-its-estimate#above": _as_estimated}
"""How a line of the plan is corrected, by the judgement that finds it too high."""


def _only(ledger: Ledger, project: ProjectLedger) -> Ledger:
    """A ledger with nothing but a project, as it is given here, and those that share its allocations. Its claims decide
    nothing."""
    grants = ledger.grants_of(project.id)
    names = {project.id, *(name for grant in grants.values() for name in grant.projects)}
    others = {name: other for name, other in ledger.projects.items() if name in names}
    return replace(ledger, projects={**others, project.id: replace(project, claims=())})
