"""What was imported and is not yet as it should be: runs that no rule assigns, jobs that state no GPU, old rules."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from reckon.language.calendar_days import first_day, iso, last_day
from reckon.language.quantity import ZERO
from reckon.language.text import NOWHERE, Place, some_of
from reckon.language.units import GPU_HOURS, HOURS, Unit
from reckon.model.boundary_days import named_edges
from reckon.model.digests import digest_of
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import ImportSource, Run
from reckon.model.records.imports import FEWER, LAST_SEEN, LEFT_OUT, NO_GPUS
from reckon.model.runs import AllRuns

from ..book import Book
from ..budget.unassigned_jobs import OTHERS, Heap, heaps, jobs_in, loose_name, unassigned, without_gpus
from .common import counted, hours_of, number_of, some_said

SHOWN, LONGEST, MOST_PLACES = 5, 40, 20
MANY_ENDED, MOST_HOURS, GRACE = 20, Fraction(720), Fraction(21, 20)
"""Ended jobs from whose longest it is known how long those of a partition run; hours that no job runs for; and the part
of a time limit for which a scheduler lets jobs end."""
END = (
    "Where it has ended, say when under its source in imports.yaml, or `last-seen`: `ended: {ended}`; then `budget "
    "import --reapply --with SOURCE`. Of an entry that was not imported correct the `status`."
)
TAKE_OUT = (
    "Accept this where what is counted is right. Else take its month out (`budget import --undo SOURCE --month …`), "
    "and import the other export."
)
"""What to do about jobs in doubt: those that run, and those with fewer hours in a later export."""
YEAR = 12
"""Months that are named."""
_SYMBOL = "node-hours"
NODE_HOURS = HOURS.named(_SYMBOL)


def runs_unassigned(project: ProjectLedger, book: Book) -> Findings:
    """Imported runs that no rule of their source assigns: how many hours, and the names with most of them."""
    spent = book.find(project, "actual.unassigned")
    runs = unassigned(project)
    if spent is None or not runs:
        return
    found = heaps((loose_name(run), run.many, run.charged_hours) for run in runs)
    sources = sorted({run.imported.source for run in runs if run.imported})
    many = jobs_in(runs)
    yield make_finding(
        "runs-unassigned",
        f"{project.id}.actual.unassigned",
        "No rule says to which item imported runs belong",
        say("{many} with {spent}: ", many=number_of(many, "job", "jobs"), spent=spent) + _listed(found, GPU_HOURS),
        (
            "They are spent and in all totals, earn nothing, and draw nothing from the contingency: what they were for "
            "is not known."
        ),
        say(
            "Write rules for these names in imports.yaml, and apply them: `budget import --reapply --with {source}`. "
            "What the plan has no item for takes `unplanned: true`.",
            source=sources[0] if len(sources) == 1 else "SOURCE",
        ),
        (*_rules_of(project, sources), *(run.place for run in runs))[:MOST_PLACES],
    )


def jobs_without_gpus(project: ProjectLedger, book: Book) -> Findings:
    """Jobs that state no GPU on partitions that have some, source by source: how many node-hours on which."""
    for name, lock in project.locks.items():
        found = without_gpus(project, name)
        if not found:
            continue
        source = project.imports[name]
        many = sum(heap.jobs for heap in found.values())
        hours = sum((heap.hours for heap in found.values()), ZERO)
        yield make_finding(
            "jobs-without-gpus",
            f"{project.id}.imports.{name}",
            say("{title}: jobs on partitions with GPUs state none", title=source.title or name),
            say(
                "{many} with {hours} are not counted: ",
                many=number_of(many, "job", "jobs"),
                hours=counted(hours, NODE_HOURS),
            )
            + _listed(found, NODE_HOURS),
            (
                "Other jobs on these partitions state a GPU. Older records often leave it out; then what was spent is "
                "too low."
            ),
            say(
                "Say under `gpus:` of `{source}` what such jobs had, and apply it: `budget import --reapply --with "
                "{source}`. If they had none, say so there by `count: 0`.",
                source=name,
            ),
            (source.place, *(aside.place for aside in lock.aside if aside.why == NO_GPUS))[:MOST_PLACES],
        )


def jobs_in_doubt(project: ProjectLedger, book: Book) -> Findings:
    """Jobs whose hours are in doubt: running ones that a later export lacks, or that run for too long, and those of
    which a later export has fewer hours."""
    rows = project.rows
    doubts = {job: str(why) for lock in project.locks.values() for job, why in lock.doubts.items()}
    found = {number: doubts[job] for number, job in enumerate(rows.column("job")) if job in doubts}
    found |= dict.fromkeys(_find_too_long(rows), "it runs for longer than jobs do")
    for number, why in found.items():
        run = rows.run(number)
        job = str(run.job or run.place)
        yield make_finding(
            "jobs-in-doubt",
            f"{project.id}.{job}",
            "The hours of a job are in doubt",
            say("`{job}` {hours}: {why}", job=job, hours=counted(run.charged_hours, GPU_HOURS), why=why),
            "Accounting may have lost its end, or a program has begun its clock anew.",
            say(TAKE_OUT if why.startswith(FEWER) else END, ended=json.dumps({job: LAST_SEEN})),
            [run.place],
        )


def _find_too_long(rows: AllRuns) -> Iterator[int]:
    """The rows of running jobs that run for longer than their time limit; where none is stated, than 30 days, or than
    twice the longest of many ended ones on their partition."""
    if "running" not in rows.column("status"):
        return
    names = ("status", "imported.partition", "limit_hours", "jobs")
    table = list(zip(*map(rows.column, names), rows.held.exact(), strict=True))
    ended: dict[str, list[Fraction]] = defaultdict(list)
    for status, partition, _, jobs, hours in table:
        if status != "running" and hours and not jobs:
            ended[partition].append(hours)
    usual = {partition: 2 * max(some) for partition, some in ended.items() if len(some) >= MANY_ENDED}
    for number, (status, partition, limit, jobs, hours) in enumerate(table):
        most = limit * GRACE if limit else min(MOST_HOURS, usual.get(partition, MOST_HOURS))
        if status == "running" and (hours or 0) > most and not jobs:
            yield number


def rules_not_applied(project: ProjectLedger, book: Book) -> Findings:
    """Sources whose entries were made by other rules than imports.yaml has now: how many entries, with which hours."""
    for name, lock in project.locks.items():
        source = project.imports[name]
        if lock.rules == digest_of(source) and not lock.leaves_out:
            continue
        runs = [run for file in project.runs for run in file.runs if run.imported and run.imported.source == name]
        sums = (sums for month in lock.counted.values() for sums in month.aside if sums.why not in LEFT_OUT)
        asides = sum(int(each.jobs) for each in sums)
        asides += len({aside.job for aside in lock.aside})
        if not runs and not asides:
            continue
        many = jobs_in(runs) or asides
        hours = hours_of(runs)
        why = "rules have changed since the last import"
        if lock.leaves_out:
            why = "an earlier version left out attempts of jobs, which count today"
        yield make_finding(
            "rules-not-applied",
            f"{project.id}.imports.{name}",
            say("{title}: {why}", title=source.title or name, why=why),
            say("{many} with {hours}, by the rules before", many=number_of(many, "job", "jobs"), hours=hours),
            "What the rules of today make of these jobs is in no figure yet.",
            _applied(project, source, name),
            (source.place, lock.place),
        )


def counted_across(project: ProjectLedger, book: Book) -> Findings:
    """Jobs that were counted together over a day by which figures tell hours apart: where they went is guessed."""
    named = [edge for edge in named_edges(book.ledger, project) if edge[0]] if project.rows.says("jobs") else []
    found: dict[str, list[tuple[Run, int, str]]] = defaultdict(list)
    for number, jobs in enumerate(project.rows.column("jobs") if named else ()):
        run = project.rows.run(number) if jobs is not None else None
        if run is not None and run.imported is not None:
            first = first_day(str(run.start or ""))
            last = last_day(str(run.end or ""))
            found[run.imported.source] += [(run, day, what) for day, what in named if first < day <= last][:1]
    for name, rows in found.items():
        if rows:
            yield _across(project, name, rows)


def _across(project: ProjectLedger, name: str, rows: Sequence[tuple[Run, int, str]]) -> Finding:
    source = project.imports.get(name)
    runs = [run for run, _, _ in rows]
    _, day, what = max(rows, key=lambda row: row[0].charged_hours)
    hours = hours_of(runs)
    return make_finding(
        "counted-across-a-day",
        f"{project.id}.imports.{name}",
        say(
            "{title}: jobs are counted together that figures tell apart",
            title=(source.title or name) if source else name,
        ),
        say(
            "{many} with {hours} ran before and after {day}, on which {what}",
            many=number_of(jobs_in(runs), "job", "jobs"),
            hours=hours,
            day=iso(day),
            what=what,
        ),
        "Their hours are spread evenly over the days, so that those before and after it are guessed.",
        say("Count them anew: `budget import {project} --reapply --with {source}`.", project=project.id, source=name),
        tuple(run.place for run in runs)[:MOST_PLACES],
    )


def _applied(project: ProjectLedger, source: ImportSource, name: str) -> Sentence:
    """How rules that have changed are applied: by a command, or by the exports where they ask for what is not kept."""
    lock = project.locks[name]
    if lock.leaves_out:
        undo = "Import anew: `budget import {project} --undo {source}`, then its exports."
        return say(undo, project=project.id, source=name)
    if not source.forgetful:
        months = [month for month, known in lock.counted.items() if known.archive]
        reads = say(" That reads the files of jobs of {months}.", months=some_of(months, YEAR)) if months else ()
        return (
            say("Apply them: `budget import {project} --reapply --with {source}`.", project=project.id, source=name)
            + reads
        )
    rules = ", ".join(f"`{rule}`" for rule in source.forgetful[:SHOWN])
    return say("Import its exports again: {rules} asks for what no entry keeps.", rules=rules)


def _listed(found: Mapping[str, Heap], unit: Unit) -> Sentence:
    """The first of some heaps with their hours, and how many more there are."""
    first = list(found.items())[:SHOWN]
    said = [say("{name} {hours}", name=_shown(name), hours=counted(heap.hours, unit)) for name, heap in first]
    return some_said(said, len(found))


def _shown(name: str) -> str:
    return "others" if name == OTHERS else f"`{name[:LONGEST]}`" if name else "without a name"


def _rules_of(project: ProjectLedger, sources: Sequence[str]) -> list[Place]:
    """Where the rules of some sources stand."""
    found = (project.imports[name].place for name in sources if name in project.imports)
    return [place for place in found if place is not NOWHERE]
