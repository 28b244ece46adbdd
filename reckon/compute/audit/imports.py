"""What was imported and is not yet as it should be: what no rule assigns, jobs that state no GPU, jobs in doubt, old
rules."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

from reckon.language.calendar_days import last_day
from reckon.language.quantity import ONE, ZERO, add_up
from reckon.language.text import NOWHERE, plural, some_of
from reckon.language.units import GPU_HOURS, HOURS, PLAIN, Unit, key_unit
from reckon.model.digests import digest_of
from reckon.model.figure import SUMMED, Figure
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import ImportSource, Run
from reckon.model.records.imports import FEWER, LAST_SEEN, NO_GPUS
from reckon.model.runs import AllRuns

from ..book import Book
from ..budget import unassigned_jobs
from ..budget.unassigned_jobs import OTHERS, heaps, jobs_in, loose_name, unassigned_added, unclear, without_gpus
from . import data_through
from .common import counted, hours_of, some_said

SHOWN, LONGEST, MOST_PLACES = 5, 60, 20
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
WRITE_RULES = (
    "Write rules for these names in imports.yaml, and apply them: `budget import --reapply --with {source}`. What the "
    "plan has no item for takes `unplanned: true`, what this project was not charged for `ignore:` with the reason."
)
SAY_GPUS = (
    "Say under `gpus:` of `{source}` what such jobs had, and apply it: `budget import --reapply --with {source}`. If "
    "they had none, say so there by `count: 0`."
)
YEAR = 12
"""Months that are named."""
NODE_HOURS = HOURS.named("node-hours")


def unassigned(project: ProjectLedger, book: Book) -> Findings:
    """Imported runs, and entries without hours, that no rule of their source assigns: how much, and the names with most
    of it."""
    spent = book.find(project, "actual.unassigned")
    runs = unassigned_jobs.unassigned(project)
    if spent and runs:
        yield _unassigned_runs(project, spent, runs)
    for name in project.imports:
        by_name = unassigned_added(project, name)
        if by_name:
            yield _unassigned_entries(project, name, by_name)


def _unassigned_runs(project: ProjectLedger, spent: Figure, runs: list[Run]) -> Finding:
    found = heaps((loose_name(run), run.many, run.charged_hours) for run in runs)
    names = sorted({run.imported.source for run in runs if run.imported})
    sources = [project.imports[name].place for name in names if name in project.imports]
    lines = [place for place in sources if place is not NOWHERE] + [run.place for run in runs]
    told = say("{many} with {spent}: ", many=plural(jobs_in(runs), "job"), spent=spent)
    return make_finding(
        "unassigned",
        f"{project.id}.actual.unassigned",
        "No rule says to which item imported runs belong",
        told + _listed({name: heap.hours for name, heap in found.items()}, GPU_HOURS),
        "They are spent and in all totals, earn nothing, and draw nothing from the contingency: what they were for is "
        "not known.",
        say(WRITE_RULES, source=names[0] if len(names) == 1 else "SOURCE"),
        lines[:MOST_PLACES],
    )


def _unassigned_entries(project: ProjectLedger, name: str, by_name: Mapping[str, list[Run]]) -> Finding:
    runs = [run for some in by_name.values() for run in some]
    field = next((each.name for each in SUMMED if getattr(runs[0], each.name) is not None), "")
    unit = key_unit(field) if field else PLAIN
    amounts = {
        key: add_up(getattr(run, field) or ZERO if field else ONE for run in some) for key, some in by_name.items()
    }
    meaning = "What they say of the work done counts nowhere."
    whole: Sentence = ()
    if field:
        whole = say(" with {amount}", amount=counted(add_up(amounts.values()), unit))
        meaning = "They are in the totals of the project, and in those of no item."
    ordered = sorted(amounts.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    return make_finding(
        "unassigned",
        f"{project.id}.imports.{name}",
        f"{_title(project, name)}: no rule says to which item entries belong",
        (_entries(len(runs)), *whole, ": ", *_listed(dict(ordered), unit)),
        meaning,
        say(WRITE_RULES, source=name),
        [project.imports[name].place, *(run.place for run in runs)][:MOST_PLACES],
    )


def additions_without_job(project: ProjectLedger, _: Book) -> Findings:
    """Entries that name a job to which they add nothing, source by source: it is not there, or its id is not unique."""
    for name in project.imports:
        found = unclear(project, name)
        shown = []
        for run, many in found[:SHOWN]:
            more = f" (an id of {many:,} jobs)" if many else ""
            shown.append(say("`{job}`{more}", job=str(run.adds_to)[:LONGEST], more=more))
        if found:
            told = say("{many} for a job that is not there, or more than once: ", many=_entries(len(found)))
            yield make_finding(
                "additions-without-job",
                f"{project.id}.imports.{name}",
                _title(project, name),
                told + some_said(shown, len(found)),
                places=[run.place for run, _ in found][:MOST_PLACES],
            )


def jobs_without_gpus(project: ProjectLedger, book: Book) -> Findings:
    """Jobs that state no GPU on partitions that have some, source by source: how many node-hours on which."""
    for name, lock in project.locks.items():
        found = without_gpus(project, name)
        if found:
            many = plural(sum(heap.jobs for heap in found.values()), "job")
            hours = {key: heap.hours for key, heap in found.items()}
            whole = counted(add_up(hours.values()), NODE_HOURS)
            lines = [aside.place for aside in lock.aside if aside.why == NO_GPUS]
            yield make_finding(
                "jobs-without-gpus",
                f"{project.id}.imports.{name}",
                _title(project, name),
                say("{many} with {hours} are not counted: ", many=many, hours=whole) + _listed(hours, NODE_HOURS),
                remedy=say(SAY_GPUS, source=name),
                places=[project.imports[name].place, *lines][:MOST_PLACES],
            )


def jobs_in_doubt(project: ProjectLedger, book: Book) -> Findings:
    """Jobs whose hours are in doubt: running ones that a later export lacks, or that run for too long, and those of
    which a later export has fewer hours."""
    rows = project.rows
    doubts = {job: str(why) for lock in project.locks.values() for job, why in lock.doubts.items()}
    found = {number: doubts[job] for number, job in enumerate(rows.column("job")) if job in doubts}
    found |= dict.fromkeys(_find_too_long(rows, last_day(data_through(project))), "it runs for longer than jobs do")
    for number, why in found.items():
        run = rows.run(number)
        job = str(run.job or run.place)
        told = say("`{job}` {hours}: {why}", job=job, hours=counted(run.charged_hours, GPU_HOURS), why=why)
        to_do = say(TAKE_OUT if why.startswith(FEWER) else END, ended=json.dumps({job: LAST_SEEN}))
        yield make_finding("jobs-in-doubt", f"{project.id}.{job}", "", told, remedy=to_do, places=[run.place])


def _find_too_long(rows: AllRuns, today: int) -> Iterator[int]:
    """The rows of running jobs that run for longer than their time limit; where none is stated, than 30 days, or than
    twice the longest of many ended ones on their partition. One without hours runs from its start to the last day of
    the data."""
    if "running" not in rows.column("status"):
        return
    ended = defaultdict(list)
    running = []
    said = rows.columns("status", "imported.partition", "limit_hours", "jobs", "start")
    for number, ((status, partition, limit, jobs, start), held) in enumerate(zip(said, rows.held.exact(), strict=True)):
        hours = held
        if start and not held and status == "running":
            hours = Fraction(24 * (today - last_day(start[:10])))
        if hours and not jobs and status == "running":
            running.append((number, partition, limit, hours))
        elif hours and not jobs:
            ended[partition].append(hours)
    for number, partition, limit, hours in running:
        known = ended[partition]
        usual = 2 * max(known) if len(known) >= MANY_ENDED else MOST_HOURS
        if hours > (limit * GRACE if limit else min(MOST_HOURS, usual)):
            yield number


def rules_not_applied(project: ProjectLedger, book: Book) -> Findings:
    """Sources whose entries were made by other rules than imports.yaml has now: how many entries, with which hours."""
    for name, lock in project.locks.items():
        source = project.imports[name]
        if lock.rules == digest_of(source):
            continue
        runs = [run for run in project.rows if run.imported and run.imported.source == name]
        aside = [sums for month in lock.counted.values() for sums in month.aside]
        many = jobs_in(runs) or sum(int(sums.jobs) for sums in aside) + len({each.job for each in lock.aside})
        if many:
            jobs = plural(many, "job")
            yield make_finding(
                "rules-not-applied",
                f"{project.id}.imports.{name}",
                f"{_title(project, name)}: rules have changed since the last import",
                say("{jobs} with {hours}, by the rules before", jobs=jobs, hours=hours_of(runs)),
                remedy=_applied(project, source, name),
                places=(source.place, lock.place),
            )


def _applied(project: ProjectLedger, source: ImportSource, name: str) -> Sentence:
    """How rules that have changed are applied: by a command, or by the exports where they ask for what is not kept."""
    lock = project.locks[name]
    if source.forgetful:
        rules = ", ".join(f"`{rule}`" for rule in source.forgetful[:SHOWN])
        return say("Import its exports again: {rules} asks for what no entry keeps.", rules=rules)
    text = "Apply them: `budget import {project} --reapply --with {source}`."
    months = [month for month, known in lock.counted.items() if known.archive]
    reads = say(" That reads the files of jobs of {months}.", months=some_of(months, YEAR)) if months else ()
    return say(text, project=project.id, source=name) + reads


def _title(project: ProjectLedger, source: str) -> str:
    return project.imports[source].title or source


def _entries(many: int) -> str:
    return plural(many, "entry", "entries")


def _listed(amounts: Mapping[str, Fraction], unit: Unit) -> Sentence:
    """The first of some names, each with what it comes to, and how many more there are."""
    said = []
    for name, amount in list(amounts.items())[:SHOWN]:
        words = f"`{name[:LONGEST]}`" if name else "without a name"
        shown = "others" if name == OTHERS else words
        said.append(say("{name} {amount}", name=shown, amount=counted(amount, unit)))
    return some_said(said, len(amounts))
