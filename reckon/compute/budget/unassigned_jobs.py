"""Imported jobs that belong to no item: those that no rule assigns, those that one ignores, those that state no GPU.

The finding, the page of runs and the preview of an import all tell these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

from reckon.language.calendar_days import HOUR
from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.model.ledger import ProjectLedger
from reckon.model.records import AsideSum, GpuRule, ImportSource, JobAside, Run
from reckon.model.records.imports import IGNORED, KEPT, NO_GPUS


class Heap(NamedTuple):
    """Jobs that are told together: how many, and their GPU-hours (of jobs that state no GPU, their node-hours)."""

    jobs: int
    hours: Fraction


Key = TypeVar("Key", bound=str | tuple[str, ...])


def heaps(found: Iterable[tuple[Key, int, Fraction]]) -> dict[Key, Heap]:
    """Jobs by what they are told by, from so many of each with their hours; those with the most hours first."""
    sums: dict[Key, Heap] = {}
    for key, many, hours in found:
        known = sums.get(key, Heap(0, ZERO))
        sums[key] = Heap(known.jobs + many, known.hours + hours)
    return largest_first(sums)


def largest_first(found: Mapping[Key, Heap]) -> dict[Key, Heap]:
    """Jobs that are told together, those with the most hours first."""
    return dict(sorted(found.items(), key=lambda pair: (-pair[1].hours, pair[0])))


def unassigned(project: ProjectLedger, source: str = "") -> list[Run]:
    """The runs (of one source) that no rule assigns, in the order of the ledger."""
    rows = project.rows
    if not rows.says("unassigned"):
        return []
    found = [number for number, unknown in enumerate(rows.column("unassigned")) if unknown]
    return [run for run in map(rows.run, found) if _is_of(run, source)]


OTHERS = "…"
"""Stands for the names of jobs that are counted together without one, which are those with few hours."""


def loose_name(run: Run) -> str:
    """The name of a job that no rule fits; empty where it has none."""
    name = (run.imported.name or "") if run.imported else ""
    return name or ("" if run.jobs is None else OTHERS)


def jobs_in(runs: Iterable[Run]) -> int:
    """How many jobs some imported runs are: one that is split is several of them."""
    jobs, counted = set[str](), 0
    for run in runs:
        if run.jobs is None:
            jobs.add(str(run.job))
        elif run.imported is None or not run.imported.again:
            counted += run.jobs
    return len(jobs) + counted


def _is_of(run: Run, source: str) -> bool:
    return not source or (run.imported is not None and run.imported.source == source)


def unclear(project: ProjectLedger, source: str) -> list[tuple[Run, int]]:
    """Entries of a source whose job is not there or not clear, with how many jobs have that id: none, or several."""
    pairs = zip(project.rows.column("imported.source"), project.rows.column("job"), strict=True)
    jobs = {str(job) for source, job in pairs if source and job}
    many = Counter(job.partition("@")[0] for job in jobs)
    return [
        (run, many[run.adds_to])
        for file in project.additions
        for run in file.runs
        if run.adds_to and _is_of(run, source)
    ]


def unassigned_added(project: ProjectLedger, source: str) -> dict[str, list[Run]]:
    """Entries of a source without hours that no rule assigns, by their names."""
    runs = (run for file in project.additions for run in file.runs if run.unassigned and _is_of(run, source))
    return group_by(runs, lambda run: (run.imported.name or "") if run.imported else "")


def ignored(project: ProjectLedger, source: str) -> dict[str, Heap]:
    """The jobs of a source that a rule ignores, by the rule, with the GPU-hours that they state."""
    found = _aside(project, source, IGNORED)
    return heaps((aside.rule or "", jobs, seconds / HOUR) for aside, jobs, seconds in found)


def without_gpus(project: ProjectLedger, source: str) -> dict[str, Heap]:
    """Jobs of a source that state no GPU on partitions that have some, by partition, with their node-hours."""
    lock, rules = project.locks.get(source), project.imports.get(source)
    if lock is None or rules is None:
        return {}
    found = _aside(project, source, NO_GPUS)
    every = heaps((aside.partition or "", jobs, seconds / HOUR) for aside, jobs, seconds in found)
    return {name: heap for name, heap in every.items() if _has_gpus(rules, lock.partitions, name)}


_Aside = tuple[JobAside | AsideSum, int, Fraction]
"""Jobs that are no runs: what is kept of them, how many, and seconds of GPUs or nodes."""


def _aside(project: ProjectLedger, source: str, why: str) -> Iterator[_Aside]:
    """The jobs that are no runs for a reason; of those that state no GPU none of which a rule says that it had none."""
    lock, rules = project.locks.get(source), project.imports.get(source)
    # The rules that say of jobs which state no GPU that they had none.
    none = [rule for rule in rules.gpus.values() if rule.count == 0] if rules and why == NO_GPUS else []
    for aside in lock.aside if lock else ():
        if aside.why == why and not any(_fits(rule, aside) for rule in none):
            each = aside.nodes if why == NO_GPUS else aside.gpus_stated
            yield aside, 1, each * aside.wall_seconds
    for month in lock.counted.values() if lock else ():
        for sums in month.aside:
            if sums.why == why:
                yield sums, int(sums.jobs), sums.wall_seconds


def _has_gpus(source: ImportSource, partitions: Sequence[str], partition: str) -> bool:
    """Whether a partition has GPUs: others there state some, or a rule under `gpus:` names it."""
    named = (rule.when["partition"] for rule in source.gpus.values() if "partition" in rule.when)
    return partition in partitions or any(pattern.matched(partition) is not None for pattern in named)


def _fits(rule: GpuRule, aside: JobAside) -> bool:
    """Whether a rule is for a job, by what is kept of it."""
    says = {name: str(getattr(aside, name) or "") for name in KEPT}
    return all(pattern.matched(says.get(name, "")) is not None for name, pattern in rule.when.items())
