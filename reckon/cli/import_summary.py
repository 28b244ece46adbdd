"""What an import did, in lines: what was new, where the hours went, what no rule fits, what it did to the budget."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.budget.unassigned_jobs import (
    OTHERS,
    Heap,
    heaps,
    ignored,
    jobs_in,
    loose_name,
    unassigned,
    unclear,
    without_gpus,
)
from reckon.language.calendar_days import HOUR, first_day, iso, last_day
from reckon.language.quantity import add_up
from reckon.language.text import list_first, plural
from reckon.load.importers.counting import Sort
from reckon.load.importers.job_records import UNASSIGNED, StoredJob, adds_of
from reckon.load.importers.taking import Taken, tally
from reckon.load.importers.tally import HEADER, RUNS, Tally
from reckon.model.boundary_days import named_edges
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.patterns import literal
from reckon.model.records import Run
from reckon.model.runs import RunFile
from reckon.present.render.numbers import decimal, format_sentence, number_text
from reckon.present.terminal.additions import describe_added, describe_amounts
from reckon.present.terminal.lines import cut

MOST, WIDTH = 10, 44
DECIMALS = 5
"""Of kWh, hours of machines and money in a preview: what trackers measure is often small."""


JobPart = tuple[Fraction, StoredJob]
"""A job, and which share of it is meant."""


class Preview(NamedTuple):
    """What is said of the jobs themselves, and the items and seeds of those that are not as they were."""

    lines: Sequence[str]
    moved: Sequence[tuple[str, str]]


def preview(project: ProjectLedger, taken: Taken) -> Preview:
    """What is said of an import before it is tried: after that, its jobs are not needed."""
    moved = {(part.item, stored.made.seed) for stored in _moved(taken) for part in stored.made.portions}
    changed = taken.merged.count_outcomes()
    for month in taken.merged.months.values() if changed["new"] or changed["replaced"] else ():
        if month.counts is not None and not month.opened:
            moved |= {_item_of(sort) for sort in month.counts.ran}
    return Preview(list(_read(project, taken)), sorted(moved))


def describe_import(before: Book, after: Book, project_id: str, taken: Taken, seen: Preview) -> Iterator[str]:
    """All that is said of an import."""
    yield from seen.lines
    project = after.projects[project_id]
    if adds_of(taken.rules.source):
        yield from _joined(taken.rules.name, project)
        yield ""
        yield from describe_amounts(before, after, project_id)
        return
    yield from _loose(taken, project)
    for finding in after.findings.get(project_id, ()):
        if finding.rule == "jobs-in-doubt" and not finding.accepted:
            yield f"{format_sentence(finding.arithmetic)}. {format_sentence(finding.remedy)}"
    yield from describe_across(after.ledger, project, taken.rules.name)
    yield ""
    yield from describe_added(before, after, project_id, seen.moved)


def describe_across(ledger: Ledger, project: ProjectLedger, source: str) -> Iterator[str]:
    """That jobs of a source are counted together over a day by which figures tell hours apart: how many, and the last
    such day. Where their hours went is guessed until they are counted anew."""
    runs = []
    last = (0, "")
    edges = [edge for edge in named_edges(ledger, project) if edge[0]] if project.rows.says("jobs") else []
    for run in _counted_together(project, source) if edges else ():
        inside = [edge for edge in edges if first_day(str(run.start or "")) < edge[0] <= last_day(str(run.end or ""))]
        if inside:
            runs.append(run)
            last = max(last, *inside)
    if runs:
        hours = number_text(add_up(run.charged_hours for run in runs), False)
        yield (
            f"{plural(jobs_in(runs), 'job')} with {hours} GPU-h were counted together before and after {iso(last[0])}, "
            f"on which {last[1]}: their hours are spread evenly over the days. "
            f"Recount them: `budget import {project.id} --reapply --with {source}`."
        )


def _counted_together(project: ProjectLedger, source: str) -> Iterator[Run]:
    """The entries of a source that are several jobs each."""
    for number, jobs in enumerate(project.rows.column("jobs")):
        run = project.rows.run(number) if jobs is not None else None
        if run and run.imported and run.imported.source == source:
            yield run


def describe_job_files(project: ProjectLedger, taken: Taken) -> list[str]:
    """What to do with new files of jobs, in lines; none where there are none."""
    archive, folder = (taken.rules.source.archive or "")[:120], f"jobs/{project.id}/"
    if not taken.files:
        return []
    where = (
        f"Copy the new files in {folder} to {archive}, where the others are."
        if archive
        else f"Commit the new files in {folder} too; or keep them elsewhere, exclude jobs/ from Git, and name "
        f"the place under `archive:` of {taken.rules.name}."
    )
    return ["", where, "Figures do not need them. They name each job, with its account, partition and QOS."]


def _read(project: ProjectLedger, taken: Taken) -> Iterator[str]:
    """How many jobs are new, and where the hours go."""
    source = taken.rules.source
    title = source.title or taken.rules.name
    if taken.rows:
        yield from _tallied(taken, title)
    elif gone := taken.out + sum(job.ran and key not in taken.merged.jobs for key, job in taken.merged.before.items()):
        yield f"{title}: {plural(gone, 'job')} removed"
    else:
        changed = taken.merged.count_outcomes()
        every = changed["replaced"] + changed["same"]
        some = f"{changed['replaced']:,} of {plural(every, 'job')} changed"
        yield f"{title}: {some if every else 'no jobs read, none imported before'}"
    yield ""
    yield from taken.notes
    there, adds = taken.merged.jobs or taken.merged.months, adds_of(source)
    if there:
        yield from _added(taken, project, adds) if adds else _describe_hours(taken, project)
    if adds:
        yield from _loose_added(taken, adds)


def _tallied(taken: Taken, title: str) -> Iterator[str]:
    """What became of the rows, all of which are in these sums."""
    found, merged = tally(taken), taken.merged
    fates = found.rows
    headers = f" ({fates[HEADER]:,} {HEADER})" if fates[HEADER] else ""
    yield f"{title}: {plural(taken.rows, 'line')} read{headers}"
    skipped = Counter({word: count for word, count in fates.items() if word not in (*RUNS, HEADER) and count})
    reasons = ", ".join(f"{word} {count:,}" for word, count in skipped.most_common())
    out = f"  – {sum(skipped.values()):,} skipped ({reasons})" if reasons else ""
    yield f"+ {fates['new']:,} new  ~ {fates['replaced']:,} replaced  = {fates['same']:,} same{out}"
    yield from _stated_amounts(found)
    if anew := merged.count_remade():
        yield f"~ {plural(anew, 'job')} replaced without a row, because the rules changed"


def _stated_amounts(found: Tally) -> Iterator[str]:
    """What rows state that make a record, by what became of them: before rules, and closed as their number is."""
    for unit, per, name in _UNITS:
        amounts = {word: Fraction(getattr(some, name)) / per for word, some in found.amounts.items()}
        parts = [f"{_amount_text(unit, amount)} {word}" for word, amount in amounts.items() if amount]
        if parts:
            yield f"  {_amount_text(unit, add_up(amounts.values()))} {unit} as read: {' + '.join(parts)}"


_UNITS = (("GPU-h", HOUR, "gpu_seconds"), ("kWh", 1, "energy_kwh"), ("USD", 1, "billed_usd"))
"""Units of what rows state, how many of those that are kept make one, and their name."""


def _amount_text(unit: str, amount: Fraction) -> str:
    return number_text(amount, False) if unit == "GPU-h" else decimal(amount, DECIMALS)


def learned(after: Book, project_id: str, taken: Taken) -> str:
    """The day on which an import was learned: that of the last moment of the newest export of its source; empty where
    no export was read, as after a change of the rules."""
    lock = after.projects[project_id].locks.get(taken.rules.name)
    return lock.through if lock and taken.rows else ""


def _moved(taken: Taken) -> Iterator[StoredJob]:
    """The jobs that are not as they were before."""
    merged = taken.merged
    for key in merged.jobs.keys() | merged.before.keys():
        now, was = merged.jobs.get(key), merged.before.get(key)
        if now is not was:
            yield from (stored for stored in (now, was) if stored)


def _describe_hours(taken: Taken, project: ProjectLedger) -> Iterator[str]:
    """Where the hours of the source go: by item and seed, by card, by status."""
    counted = bool(taken.merged.months)
    found = heaps(_shares(taken, counted))
    yield from _stated_too(taken)
    for head in ("item", "card", "status"):
        yield f"  {head:{WIDTH}}{'jobs' if counted else 'entries':>9}{'GPU-hours':>13}"
        for (kind, name, seed), heap in found.items():
            if kind == head:
                shown = _describe_item(project, name, seed) if head == "item" else name or "unassigned"
                yield _format_heap(shown, heap)


def _shares(taken: Taken, counted: bool) -> Iterator[tuple[tuple[str, str, str], int, Fraction]]:
    """Jobs with their hours by item and seed, by card and by status, which `counted` jobs have once for all parts."""
    for (item, seed), card, status, jobs, hours, again in _ran(taken):
        yield ("item", item, seed), jobs, hours
        yield ("card", card, ""), jobs, hours
        yield ("status", status, ""), 0 if again and counted else jobs, hours


def _ran(taken: Taken) -> Iterator[tuple[tuple[str, str], str, str, int, Fraction, bool]]:
    """Item and seed of jobs, their card, status, number and hours, and whether another part of them is told too."""
    for group in taken.merged.groups():
        for at, part in enumerate(group.made.portions):
            item = part.item, group.made.seed
            yield item, part.card, group.status, group.jobs, part.gpus * group.seconds / HOUR, at > 0
    for month in (month for month in taken.merged.months.values() if not month.opened):
        for sort, count in month.counts.ran.items() if month.counts else ():
            yield _item_of(sort), sort.card, sort.status, count.jobs, Fraction(count.seconds) / HOUR, sort.again
        for run in month.rows if month.counts is None else ():
            item = "" if run.unassigned else run.item, run.seed or ""
            again = bool(run.imported and run.imported.again)
            yield item, str(run.gpu), run.status, run.many, run.charged_hours, again


def _describe_item(project: ProjectLedger, name: str, seed: str) -> str:
    title = project.title_of(name) or "unassigned"
    return f"{title}, seed {seed}" if seed else title


def _item_of(sort: Sort) -> tuple[str, str]:
    """The item and the seed of jobs that are counted together."""
    return "" if sort.item == UNASSIGNED else sort.item, sort.seed


def _stated_too(taken: Taken) -> Iterator[str]:
    """Energy and money that a source with hours states beside them."""
    every = [(Fraction(1), stored) for stored in taken.merged.jobs.values() if stored.ran]
    amounts = {head: _amount(head, every) for head in ("kWh", "billed $", "effective $")}
    said = [f"{decimal(amount, DECIMALS)} {head.replace('$', 'USD')}" for head, amount in amounts.items() if amount]
    if said:
        yield f"  These jobs state {' and '.join(said)}, too."


def _added(taken: Taken, project: ProjectLedger, adds: str) -> Iterator[str]:
    """What entries without hours add: by item and seed, and how much of it belongs to jobs that are there."""
    found: dict[tuple[str, str], list[JobPart]] = defaultdict(list)
    for stored in taken.merged.jobs.values():
        for part in stored.made.portions:
            found[part.item, stored.made.seed].append((part.gpus, stored))
    heads = _HEADS[adds]
    yield f"  {'item':{WIDTH}}{'entries':>9}" + "".join(f"{head:>13}" for head in heads)
    ordered = sorted(found.items(), key=lambda pair: (*(-_amount(head, pair[1]) for head in heads), pair[0]))
    for (name, seed), parts in ordered:
        yield _amounts_row(_describe_item(project, name, seed), parts, heads)
    yield _amounts_row("all", list(chain.from_iterable(found.values())), heads)


def _additions_of(files: Iterable[RunFile], source: str) -> list[Run]:
    """The entries of a source that add to jobs."""
    runs = (run for file in files for run in file.runs)
    return [run for run in runs if run.adds and run.imported and run.imported.source == source]


def _joined(source: str, project: ProjectLedger) -> Iterator[str]:
    """How many entries of a source belong to jobs that are there; and those that name another job, or several."""
    every = _additions_of(project.entries, source)
    alone = _additions_of(project.additions, source)
    if not any(run.adds_to for run in every):
        return
    yield f"  {len(every) - len(alone):,} of {len(every):,} belong to jobs in the ledger"
    lines = []
    for run, many in unclear(project, source):
        why = f"{many} jobs have that id; add the submit time" if many else "no such job in the ledger"
        lines.append(f"    {run.job} adds to {run.adds_to}: {why}")
    yield from list_first(lines, MOST, "    … and {} more")


_ENTRIES = "entry", "entries"
_HEADS = {"progress": ("machine h",), "energy": ("kWh", "machine h"), "money": ("billed $", "effective $")}


def _amount(head: str, parts: Iterable[JobPart]) -> Fraction:
    """What some parts of jobs come to, by the heading of the column."""

    def of(stored: StoredJob) -> Fraction:
        extras = stored.job.extras
        stated = {"kWh": extras.energy_kwh, "billed $": extras.billed_usd, "effective $": extras.effective_usd}
        return stated[head] or Fraction(0) if head in stated else Fraction(stored.job.elapsed) / HOUR

    return add_up(share * of(stored) for share, stored in parts)


def _amounts_row(name: str, parts: Sequence[JobPart], heads: Iterable[str]) -> str:
    """How many entries there are, and what they come to by each heading."""
    numbers = "".join(f"{decimal(_amount(head, parts), DECIMALS):>13}" for head in heads)
    return f"  {cut(name, WIDTH - 1):{WIDTH}}{len(parts):>9,}{numbers}"


def _format_heap(name: str, heap: Heap) -> str:
    return f"  {cut(name, WIDTH - 1):{WIDTH}}{heap.jobs:>9,}{number_text(heap.hours, False):>13}"


def _loose(taken: Taken, project: ProjectLedger) -> Iterator[str]:
    """What is not a run of an item: jobs that no rule fits, those that one ignores, those that state no GPU."""
    source = taken.rules.name
    if loose := heaps((loose_name(run), run.many, run.charged_hours) for run in unassigned(project, source)):
        shown = {OTHERS: "(others, including some of these names)", "": "(no name)"}
        rows = {name: _format_heap(shown.get(name, name), heap) for name, heap in loose.items()}
        yield from _draft_rules(_sum(loose.values()), rows)
    for rule, heap in ignored(project, source).items():
        yield f"Ignored by `{rule}`: {_sum([heap])}: {_why_ignored(taken, rule)}"
    for partition, heap in without_gpus(project, source).items():
        hours = number_text(heap.hours, False)
        pattern = literal(partition).replace("'", "''")
        yield (
            f"{plural(heap.jobs, 'job')} on {partition} state no GPU, but other jobs there do: {hours} node-hours; "
            f"add `gpus: {{RULE: {{when: {{partition: '{pattern}'}}, if: unstated, count: 1}}}}`"
        )
    for rule, count in taken.filled.most_common():
        yield f"`gpus: {rule}` was used for {plural(count, 'job')}"


def _why_ignored(taken: Taken, rule: str) -> str | None:
    """The reason that a rule gives; empty where the source has no such rule any more."""
    own = taken.rules.source.rules.get(rule)
    return own.ignore if own else ""


def _loose_added(taken: Taken, adds: str) -> Iterator[str]:
    """What adds to no item: entries that no rule fits, by name, and those that one ignores."""
    head = _HEADS[adds][0]
    names: dict[str, list[JobPart]] = defaultdict(list)
    rules: dict[str, list[JobPart]] = defaultdict(list)
    for stored in taken.merged.jobs.values():
        if stored.made.ignored:
            rules[stored.made.rule].append((Fraction(1), stored))
        elif stored.ran and not stored.made.rule:
            names[stored.job.says.get("name", "")].append((Fraction(1), stored))
    rows = {}
    for name, parts in sorted(names.items(), key=lambda pair: (-abs(_amount(head, pair[1])), pair[0])):
        rows[name] = _amounts_row(name or "(no name)", parts, [head])
    if rows:
        yield from _draft_rules(plural(sum(map(len, names.values())), *_ENTRIES), rows)
    for rule, parts in sorted(rules.items()):
        yield (
            f"Ignored by `{rule}`: {plural(len(parts), *_ENTRIES)} with "
            f"{decimal(_amount(head, parts), DECIMALS)} {head.replace('$', 'USD')}"
            f": {_why_ignored(taken, rule)}"
        )


def _sum(found: Iterable[Heap]) -> str:
    every = list(found)
    hours = number_text(add_up(heap.hours for heap in every), False)
    return f"{plural(sum(heap.jobs for heap in every), 'job')} with {hours} GPU-h"


def _draft_rules(what: str, rows: Mapping[str, str]) -> Iterator[str]:
    """That no rule fits, with a row for each name, and below it a rule that would."""
    yield from ("", f"No rule fits {what}; names, each with a draft rule:")
    for name in list(rows)[:MOST]:
        yield rows[name]
        if name != OTHERS:
            yield f"    {rule_for(name)}"
    if len(rows) > MOST:
        yield f"  … and {len(rows) - MOST:,} more names"


def rule_for(name: str) -> str:
    """A rule that takes jobs of a name, to be completed with the item."""
    pattern = literal(name).replace("'", "''")
    return f"RULE: {{when: {{name: '{pattern}'}}, item: ITEM}}"
