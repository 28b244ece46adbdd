"""What an import did, in lines: what was new, where the hours went, what no rule fits, what it did to the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from reckon.compute.book import Book
from reckon.compute.budget.unassigned_jobs import (
    OTHERS,
    Heap,
    ignored,
    jobs_in,
    loose_name,
    unclear,
    without_gpus,
)
from reckon.language.calendar_days import HOUR, first_day, iso, last_day
from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, add_up
from reckon.language.text import list_first, plural
from reckon.load.importers.job_records import UNASSIGNED, StoredJob, adds_of
from reckon.load.importers.source_draft import exact_pattern
from reckon.load.importers.taking import Taken, entries_of, tally
from reckon.load.importers.tally import HEADER, RUNS, Tally
from reckon.model.boundary_days import named_edges
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import KeptOfJob, Run
from reckon.model.records.imports import IGNORED
from reckon.present.render.numbers import decimal, format_sentence, number_text
from reckon.present.terminal.additions import describe_added, describe_amounts
from reckon.present.terminal.lines import cut

Lines = Iterator[str]
MOST, WIDTH = 10, 44
DECIMALS, CENTS = 5, 2
"""Of kWh, hours of machines and money in a preview: what trackers measure is often small."""


class Preview(NamedTuple):
    """What is said of the jobs themselves, and the items and seeds of those that are not as they were."""

    lines: Sequence[str]
    moved: Sequence[tuple[str, str]]


def preview(taken: Taken) -> Preview:
    """What is said of an import before it is tried: after that, its jobs are not needed."""
    moved = {(part.item, stored.made.seed) for stored in _moved(taken) for part in stored.made.portions}
    changed = taken.merged.count_outcomes()
    for month in taken.merged.months.values() if changed["new"] or changed["replaced"] else ():
        if month.counts is not None and not month.opened:
            moved |= {("" if sort.item == UNASSIGNED else sort.item, sort.seed) for sort in month.counts.ran}
    return Preview(list(_read(taken)), sorted(moved))


def describe_import(before: Book, after: Book, project_id: str, taken: Taken, seen: Preview) -> Lines:
    """All that is said of an import."""
    yield from seen.lines
    project = after.projects[project_id]
    adds = adds_of(taken.source)
    yield from _describe_entries(project, taken, adds)
    if adds:
        yield from _joined(taken.rules.name, project)
        yield ""
        yield from describe_amounts(before, after, project_id)
        return
    yield from _tell_gaps(taken, project)
    for finding in after.findings.get(project_id, ()):
        if finding.rule == "jobs-in-doubt" and not finding.accepted:
            yield f"{format_sentence(finding.arithmetic)}. {format_sentence(finding.remedy)}"
    yield from describe_across(after.ledger, project, taken.rules.name)
    yield ""
    yield from describe_added(before, after, project_id, seen.moved)


def describe_across(ledger: Ledger, project: ProjectLedger, source: str) -> Lines:
    """That jobs of a source are counted together over a day by which figures tell hours apart: how many, and the last
    such day. Where their hours went is guessed until they are counted anew."""
    rows = project.rows
    found = rows.where(["jobs", "imported.source"], lambda jobs, own: jobs is not None and own == source)
    edges = [edge for edge in named_edges(ledger, project) if edge[0]] if found else []
    runs = []
    last = (0, "")
    for run in map(rows.run, found) if edges else ():
        inside = [edge for edge in edges if first_day(run.start or "") < edge[0] <= last_day(run.end or "")]
        if inside:
            runs.append(run)
            last = max(last, *inside)
    if runs:
        hours = number_text(add_up(run.charged_hours for run in runs))
        yield (
            f"{plural(jobs_in(runs), 'job')} with {hours} GPU-h were counted together before and after {iso(last[0])}, "
            f"on which {last[1]}: their hours are spread evenly over the days. "
            f"Recount them: `budget import {project.id} --reapply --with {source}`."
        )


def describe_job_files(project: ProjectLedger, taken: Taken) -> list[str]:
    """What to do with new files of jobs, in lines; none where there are none."""
    archive, folder = (taken.source.archive or "")[:120], f"jobs/{project.id}/"
    if not taken.files:
        return []
    where = (
        f"Copy the new files in {folder} to {archive}, where the others are."
        if archive
        else f"Commit the new files in {folder} too; or keep them elsewhere, exclude jobs/ from Git, and name "
        f"the place under `archive:` of {taken.rules.name}."
    )
    return ["", where, "Figures do not need them. They name each job, with its account, partition and QOS."]


def _read(taken: Taken) -> Lines:
    """How many jobs are new, and what else they state than hours."""
    title = taken.source.title or taken.rules.name
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
    if not adds_of(taken.source):
        yield from _stated_too(taken)


def _tallied(taken: Taken, title: str) -> Lines:
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


def _stated_amounts(found: Tally) -> Lines:
    """What rows state that make a record, by what became of them: before rules, and closed as their number is."""
    for unit, per, name in _UNITS:
        amounts = {word: Fraction(some[name]) / per for word, some in found.amounts.items()}
        parts = [f"{_amount_text(unit, amount)} {word}" for word, amount in amounts.items() if amount]
        if parts:
            yield f"  {_amount_text(unit, add_up(amounts.values()))} {unit} as read: {' + '.join(parts)}"


_UNITS = (("GPU-h", HOUR, "gpu_seconds"), ("kWh", 1, "energy_kwh"), ("USD", 1, "billed_usd"))
"""Units of what rows state, how many of those that are kept make one, and their name."""


def _amount_text(unit: str, amount: Fraction) -> str:
    """An amount of a unit, or below the head of a column: money to the cent."""
    if unit in ("GPU-h", HOURS_HEAD):
        return number_text(amount)
    return decimal(amount, CENTS if "$" in unit or unit == "USD" else DECIMALS)


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


def _describe_entries(project: ProjectLedger, taken: Taken, adds: str) -> Lines:
    """Where the hours of a source go, or what it adds to jobs: by item and seed, by card, by status; what no rule fits;
    and what one ignores."""
    source = taken.rules.name
    lock = project.locks.get(source)
    runs = entries_of(project.written, source)
    is_stated = any(run.imported and run.imported.effective_usd is not None for run in runs)
    heads = [head for head in _HEADS[adds] if head != EFFECTIVE or is_stated]
    jobs = bool(lock and lock.counted)
    for title, key in _TABLES.items() if runs else ():
        if not adds or title == "item":
            yield f"  {title:{WIDTH}}{'jobs' if jobs else 'entries':>9}" + "".join(f"{head:>13}" for head in heads)
            for name, some in _by_amount(runs, heads, key):
                many = jobs_in(some) if jobs and title == "status" else sum(run.many for run in some)
                yield _format_row(name if isinstance(name, str) else _describe_item(project, *name), many, some, heads)
    if adds and runs:
        yield _format_row("all", len(runs), runs, heads)
    loose = [run for run in runs if run.unassigned]
    if loose:
        what = plural(len(loose), *_ENTRIES) if adds else _sum(_heap_of(loose))
        yield from _draft_rules(what, _by_amount(loose, heads, loose_name), heads[:1])
    for rule, amount in _list_ignored(project, source, adds).items():
        own = taken.source.rules.get(rule)  # None where the source has no such rule any more
        yield f"Ignored by `{rule}`: {amount}: {own.ignore if own else ''}"


def _by_amount(runs: Iterable[Run], heads: Sequence[str], key: Callable[[Run], Any]) -> list[tuple[Any, list[Run]]]:
    """Entries by what they are told by, those that come to most first."""
    groups = group_by(runs, key).items()
    return sorted(groups, key=lambda pair: (*(-_add_amounts(pair[1], head) for head in heads), pair[0]))


def _add_amounts(runs: Iterable[Run], head: str) -> Fraction:
    """What entries come to, by the heading of a column."""
    return add_up(_amount_of(run, head) for run in runs)


def _amount_of(run: Run, head: str) -> Fraction:
    kept = run.imported
    if kept is None or head == HOURS_HEAD:
        return run.charged_hours
    stated = _stated(kept, head) if head in _STATED else run.wall_hours
    return (stated or ZERO) * (ONE if kept.part is None else kept.part)


def _stated(kept: KeptOfJob, head: str) -> Fraction:
    """What a job states beside hours, by the heading of a column."""
    return getattr(kept, _STATED[head]) or ZERO


def _format_row(name: str, many: int, runs: Iterable[Run], heads: Iterable[str]) -> str:
    """How many entries or jobs there are, and what they come to by each heading."""
    sums = {head: _add_amounts(runs, head) for head in heads}
    texts = (_amount_text(head, sum) for head, sum in sums.items())
    return f"  {cut(name, WIDTH - 1):{WIDTH}}{many:>9,}" + "".join(f"{text:>13}" for text in texts)


def _heap_of(runs: Sequence[Run]) -> Heap:
    return Heap(sum(run.many for run in runs), add_up(run.charged_hours for run in runs))


def _list_ignored(project: ProjectLedger, source: str, adds: str) -> dict[str, str]:
    """What rules ignore, by their names: how many jobs or entries, and what they come to."""
    lock = project.locks.get(source)
    if not adds or lock is None:
        return {rule: _sum(heap) for rule, heap in ignored(project, source).items()}
    head = _HEADS[adds][0]
    found = {}
    asides_of = group_by((aside for aside in lock.aside if aside.why == IGNORED), lambda aside: aside.rule or "")
    for rule, asides in sorted(asides_of.items()):
        amount = add_up(_stated(aside, head) if head in _STATED else aside.wall_seconds / HOUR for aside in asides)
        found[rule] = f"{plural(len(asides), *_ENTRIES)} with {_amount_text(head, amount)} {head.replace('$', 'USD')}"
    return found


def _describe_item(project: ProjectLedger, name: str, seed: str) -> str:
    title = project.title_of(name) or "unassigned"
    return f"{title}, seed {seed}" if seed else title


def _stated_too(taken: Taken) -> Lines:
    """Energy and money that a source with hours states beside them."""
    extras = [stored.job.extras for stored in taken.merged.jobs.values() if stored.ran]
    sums = {head: add_up(getattr(stated, name) or ZERO for stated in extras) for head, name in _STATED.items()}
    said = [f"{_amount_text(head, amount)} {head.replace('$', 'USD')}" for head, amount in sums.items() if amount]
    if said:
        yield f"  These jobs state {' and '.join(said)}, too."


def _joined(source: str, project: ProjectLedger) -> Lines:
    """How many entries of a source belong to jobs that are there; and those that name another job, or several."""
    every = entries_of(project.written, source)
    alone = entries_of(project.additions, source)
    if not any(run.adds_to for run in every):
        return
    yield f"  {len(every) - len(alone):,} of {len(every):,} belong to jobs in the ledger"
    lines = []
    for run, many in unclear(project, source):
        why = f"{many} jobs have that id; add the submit time" if many else "no such job in the ledger"
        lines.append(f"    {run.job} adds to {run.adds_to}: {why}")
    yield from list_first(lines, MOST, "    … and {} more")


_ENTRIES = "entry", "entries"
HOURS_HEAD, EFFECTIVE = "GPU-hours", "effective $"
_HEADS = {
    "": (HOURS_HEAD,),
    "progress": ("machine h",),
    "energy": ("kWh", "machine h"),
    "money": ("billed $", EFFECTIVE),
}
_STATED = {"kWh": "energy_kwh", "billed $": "billed_usd", EFFECTIVE: "effective_usd"}
"""What an entry states, by the heading of its column."""
_TABLES: Mapping[str, Callable[[Run], Any]] = {
    "item": lambda run: ("" if run.unassigned else run.item, run.seed or ""),
    "card": lambda run: run.gpu or "",
    "status": lambda run: run.status,
}
"""What entries are told by: items with their seeds, cards, statuses."""


def _tell_gaps(taken: Taken, project: ProjectLedger) -> Lines:
    """Jobs that state no GPU, where others do, and rules that were used for such jobs."""
    for partition, heap in without_gpus(project, taken.rules.name).items():
        hours = number_text(heap.hours)
        yield (
            f"{plural(heap.jobs, 'job')} on {partition} state no GPU, but other jobs there do: {hours} node-hours; "
            f"add `gpus: {{RULE: {{when: {{partition: '{exact_pattern(partition)}'}}, if: unstated, count: 1}}}}`"
        )
    for rule, count in taken.filled.most_common():
        yield f"`gpus: {rule}` was used for {plural(count, 'job')}"


def _sum(heap: Heap) -> str:
    return f"{plural(heap.jobs, 'job')} with {number_text(heap.hours)} GPU-h"


def _draft_rules(what: str, names: Sequence[tuple[str, list[Run]]], heads: Sequence[str]) -> Lines:
    """That no rule fits, with a row for each name, and below it a rule that would."""
    shown = {OTHERS: "(others, including some of these names)", "": "(no name)"}
    yield from ("", f"No rule fits {what}; names, each with a draft rule:")
    for name, runs in names[:MOST]:
        yield _format_row(shown.get(name, name), sum(run.many for run in runs), runs, heads)
        if name != OTHERS:
            yield f"    {rule_for(name)}"
    if len(names) > MOST:
        yield f"  … and {len(names) - MOST:,} more names"


def rule_for(name: str) -> str:
    """A rule that takes jobs of a name, to be completed with the item."""
    return f"RULE: {{when: {{name: '{exact_pattern(name) or '.*'}'}}, item: ITEM}}"
