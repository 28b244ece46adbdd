"""Imported jobs that belong to no item: those that no rule assigns, those that one ignores, those that state no GPU.

The finding, the page of runs and the preview of an import all tell these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

from reckon.language.days import HOUR
from reckon.model.ledger import ProjectLedger
from reckon.model.records import GpuRule, ImportSource, JobAside, Run
from reckon.model.records.imports import IGNORED, KEPT, NO_GPUS


class Heap(NamedTuple):
    """Jobs that are told together: how many, and their GPU-hours (of jobs that state no GPU, their node-hours)."""

    jobs: int
    hours: Fraction


Key = TypeVar("Key", bound=str | tuple[str, ...])


def heaps(found: Mapping[Key, Sequence[Fraction]]) -> dict[Key, Heap]:
    """Jobs by what they are told by, those with the most hours first."""
    return largest_first({key: Heap(len(hours), sum(hours, Fraction(0))) for key, hours in found.items()})


def largest_first(found: Mapping[Key, Heap]) -> dict[Key, Heap]:
    """Jobs that are told together, those with the most hours first."""
    return dict(sorted(found.items(), key=lambda pair: (-pair[1].hours, pair[0])))


def unassigned(project: ProjectLedger, source: str = "") -> list[Run]:
    """The runs (of one source) that no rule assigns, in the order of the ledger."""
    rows = project.rows
    found = [number for number, unknown in enumerate(rows.column("unassigned")) if unknown]
    return [run for run in map(rows.run, found) if _is_of(run, source)]


def _is_of(run: Run, source: str) -> bool:
    return not source or (run.imported is not None and run.imported.source == source)


def unclear(project: ProjectLedger, source: str) -> list[tuple[Run, int]]:
    """Entries of a source whose job is not there or not clear, with how many jobs have that id: none, or several."""
    pairs = zip(project.rows.column("imported.source"), project.rows.column("job"), strict=True)
    jobs = {str(job) for source, job in pairs if source and job}
    many = Counter(job.partition("@")[0] for job in jobs)
    return [(run, many[str(run.adds_to)])
            for file in project.additions for run in file.runs if run.adds_to and _is_of(run, source)]  # fmt: skip


def unassigned_added(project: ProjectLedger, source: str) -> dict[str, list[Run]]:
    """Entries of a source without hours that no rule assigns, by their names."""
    found: dict[str, list[Run]] = defaultdict(list)
    for file in project.additions:
        for run in file.runs:
            if run.unassigned and _is_of(run, source):
                found[str(run.imported.name or "") if run.imported else ""].append(run)
    return found


def ignored(project: ProjectLedger, source: str) -> dict[str, Heap]:
    """The jobs of a source that a rule ignores, by the rule, with the GPU-hours that they state."""
    found: dict[str, list[Fraction]] = defaultdict(list)
    for aside in _aside(project, source, IGNORED):
        found[str(aside.rule or "")].append(aside.gpus_stated * aside.wall_seconds / HOUR)
    return heaps(found)


def without_gpus(project: ProjectLedger, source: str) -> dict[str, Heap]:
    """Jobs of a source that state no GPU on partitions that have some, by partition, with their node-hours."""
    lock, rules = project.locks.get(source), project.imports.get(source)
    found: dict[str, list[Fraction]] = defaultdict(list)
    for aside in _aside(project, source, NO_GPUS):
        if lock and rules and _has_gpus(rules, lock.partitions, aside):
            found[str(aside.partition or "")].append(aside.wall_seconds * aside.nodes / HOUR)
    return heaps(found)


def _aside(project: ProjectLedger, source: str, why: str) -> Iterator[JobAside]:
    lock = project.locks.get(source)
    return (aside for aside in (lock.aside if lock else ()) if aside.why == why)


def _has_gpus(source: ImportSource, partitions: Sequence[str], aside: JobAside) -> bool:
    """Whether the partition of a job has GPUs: others there state some, or a rule under `gpus:` names it."""
    partition = str(aside.partition or "")
    named = (rule.when["partition"] for rule in source.gpus.values() if "partition" in rule.when)
    there = partition in partitions or any(pattern.matched(partition) is not None for pattern in named)
    return there and not any(_fits(rule, aside) for rule in source.gpus.values() if rule.count == 0)


def _fits(rule: GpuRule, aside: JobAside) -> bool:
    """Whether a rule is for a job, by what is kept of it."""
    says = {name: str(getattr(aside, name) or "") for name in KEPT}
    return all(pattern.matched(says.get(str(name), "")) is not None for name, pattern in rule.when.items())
