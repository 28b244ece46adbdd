"""No job is charged twice, however it came in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from reckon.language.calendar_days import since_1970
from reckon.language.lazy import regex
from reckon.language.text import place_of, plural
from reckon.model.day_split import clocks_of
from reckon.model.finding import Problem, Problems
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Run

LATER_ATTEMPT = regex("(?<=Z)/[0-9T:-]+Z$")
"""What the id of an attempt ends with that is not the first of its job."""


def jobs_twice(_: Ledger, project: ProjectLedger) -> Problems:
    """A job is charged once: a second entry with its id is most likely the same run, added again.

    Entries whose times are known and have none in common are attempts of it. What the importer made of one job are its
    parts. A job that it has may not stand elsewhere by its own id.
    """
    runs = _naming(project)
    imported = {own: run.job for run in runs for own in _own_ids(run)}
    known: dict[str, list[Run]] = {}
    for run in runs:
        job = run.job
        before = known.setdefault(str(job), [])
        there = next((other for other in before if _may_be_same(run, other)), None)
        before.append(run)
        if there is not None:
            yield Problem(
                place_of(job),
                f"job `{str(job)[:60]}` is entered twice",
                f"the first is {place_of(there.job).short}; keep one; change an entry with `budget update run`",
            )
        elif not run.imported and (other := imported.get(str(job))):
            yield Problem(
                place_of(job),
                f"job `{str(job)[:60]}` was imported too, as `{other[:80]}` ({place_of(other).short})",
                "remove this entry; imports update the other one",
            )


def _may_be_same(run: Run, other: Run) -> bool:
    """Whether two entries of one job can be of the same time: attempts come one after the other."""
    if run.imported and other.imported:
        return False
    first = clocks_of(run)
    second = clocks_of(other)
    if first is None or second is None:
        return True
    return first[0].instant < second[1].instant and second[0].instant < first[1].instant


def _naming(project: ProjectLedger) -> list[Run]:
    """The runs that name their job; none where no two of them can be one: the importer keeps its own apart."""
    rows = project.rows
    if not rows.says("job"):
        return []
    named = [job for job in rows.column("job") if job is not None]
    sources = [source for source, job in zip(rows.column("imported.source"), rows.column("job"), strict=True) if job]
    if all(sources) or (not any(sources) and len(set(named)) == len(named)):
        return []
    return [run for run in project.rows if run.job is not None]


def jobs_of_two_projects(ledger: Ledger) -> Problems:
    """A job is charged to one project: a problem for each source whose jobs stand in an earlier project too.

    Of several attempts of a job the first has no start in its id, whichever of them a project has: they are told apart
    by when they began.
    """
    importing = [project for project in ledger.projects.values() if project.rows.says("job")]
    known: dict[str, list[tuple[ProjectLedger, int]]] = defaultdict(list)
    for project in importing if len(importing) > 1 else ():
        found: dict[tuple[str, str], list[Run]] = {}
        rows = project.rows
        jobs = rows.columns("job", "imported.source", "adds")
        for number, (job, source, adds) in enumerate(jobs):
            if not job or source is None or adds:
                continue
            attempts = known[LATER_ATTEMPT.sub("", job)]
            for other, at in attempts:
                if other is not project and _began(other, at) == _began(project, number):
                    found.setdefault((other.id, source), []).append(rows.run(number))
                    break
            attempts.append((project, number))
        for (there, source), runs in found.items():
            many = len({str(run.job) for run in runs})
            first = runs[0].job
            also = "is" if many == 1 else "are"
            wrong = f"{plural(many, 'job')} of `{source}` {also} in `{there}` too, as `{str(first)[:80]}`"
            undone = f"`budget import {project.id} --undo {source}`"
            yield Problem(
                place_of(first),
                wrong,
                f"assign them with `only:`, and remove them from one project, as with {undone}",
            )


def _began(project: ProjectLedger, number: int) -> int | None:
    """When a run of a project began, in seconds since 1970; None where that is not known."""
    return since_1970(str(project.rows.column("start")[number] or ""))


def _own_ids(run: Run) -> Iterator[str]:
    """The ids by which a person would name an imported job."""
    if run.job and run.imported and not run.adds:
        yield run.job.rpartition("/")[2].partition("@")[0]
        if run.imported.also:
            yield run.imported.also
