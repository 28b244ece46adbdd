"""What imported entries add to the jobs of a project, joined: energy, money and progress of a job stand once.

One source of a cluster counts the hours of its jobs; others state their energy, what they cost, or how far they came,
and name the job by cluster and id. An id is never guessed: one that was used several times needs the time of its
submission too. What belongs to no job that is there stands by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, add_up
from reckon.language.text import Text
from reckon.model.figure import COSTS, QUEUED
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Progress, Run
from reckon.model.records.imports import ENERGY, MONEY, PROGRESS
from reckon.model.runs import RunFile

from .importers.job_records import key_of

RunFields = dict[str, Any]
"""Fields of a run, by their names."""
RunsByJob = Mapping[str, Sequence[Run]]
_STATED = ("energy_kwh", "total", "billed_usd", "effective_usd")
STATING = ("adds", *(f"imported.{name}" for name in _STATED))
"""The fields of an entry that states more than the hours of a job."""
_FIELD = {ENERGY: "energy_kwh", MONEY: "cost_usd", PROGRESS: "progress"}


def put_aside(project: ProjectLedger) -> ProjectLedger:
    """The project with two kinds of entries beside its runs: queued jobs, on which nothing was spent yet; and entries
    of a line of money that state a cost and no hours."""
    in_money = any(item.currency for item in project.items.values())
    if QUEUED not in project.rows.values("status") and not in_money:
        return project
    runs, queued, additions = [], [], []
    for file in project.runs:
        own, costs, waiting = [], [], []
        for run in file.runs:
            if run.status == QUEUED:
                waiting.append(run)
            elif states_cost_alone(project, run):
                costs.append(run)
            else:
                own.append(run)
        runs.append(RunFile(file.file, tuple(own)))
        additions += [RunFile(file.file, tuple(costs))] if costs else []
        queued += [RunFile(file.file, tuple(waiting))] if waiting else []
    return replace(project, runs=tuple(runs), queued=tuple(queued), additions=tuple(additions), entries=project.written)


def states_cost_alone(project: ProjectLedger, run: Run) -> bool:
    """Whether an entry of a line of money states what it cost, and no hours."""
    item = project.item_of(run)
    no_hours = run.gpu_hours is None and (run.gpus is None or run.wall_hours is None)
    return (
        item is not None and bool(item.currency) and no_hours and any(getattr(run, cost) is not None for cost in COSTS)
    )


def joined(project: ProjectLedger) -> ProjectLedger:
    """The project with its runs as they were with all that was added to them; itself where nothing was."""
    if not any(map(project.rows.says, STATING)):
        return project
    if not any(run.imported and (run.adds or _states(run)) for run in project.rows):
        return project
    own = _jobs(project)
    known = _index_jobs(own)
    made = dict[int, Run]()
    added: dict[str, list[Run]] = defaultdict(list)
    for file in project.runs:
        for run in file.runs:
            if run.adds:
                made[id(run)] = filled = run.model_copy(update=_amounts(project, run))
                found = known(run.adds_to) if run.adds_to else ()
                if len(found) == 1:
                    added[found[0]].append(filled)
    taken: set[int] = set()
    for job, runs in own.items():
        if job in added or _states(runs[0]):
            whole = {**_added(project, added[job], runs[0], taken), **_amounts(project, runs[0])}
            made |= {id(run): run.model_copy(update=part) for run, part in _shared(runs, whole)}
    return _parted(project, made, taken)


def _jobs(project: ProjectLedger) -> RunsByJob:
    """The entries of each imported job with hours."""
    runs = (run for run in project.rows if run.imported and run.job and not run.adds)
    return group_by(runs, lambda run: str(run.job))


def _parted(project: ProjectLedger, made: Mapping[int, Run], taken: set[int]) -> ProjectLedger:
    """The project with runs in place of those that they were made of, and what was not taken by any beside them."""
    runs, additions = [], []
    for file in project.runs:
        now = [made.get(id(run), run) for run in file.runs]
        runs.append(RunFile(file.file, tuple(run for run in now if not run.adds)))
        if alone := tuple(run for run in now if run.adds and id(run) not in taken):
            additions.append(RunFile(file.file, alone))
    more = (*project.additions, *additions)
    return replace(project, runs=tuple(runs), additions=more, entries=project.written)


def _index_jobs(own: RunsByJob) -> Callable[[str], Sequence[str]]:
    """A function that gives the jobs that an id means: by cluster and id, or with the time of submission too."""
    by_id: dict[tuple[str, str], list[str]] = defaultdict(list)
    for job, runs in own.items():
        key = key_of(job)
        kept = runs[0].imported
        for name in dict.fromkeys((key.id, kept.also if kept and kept.also else key.id)):
            by_id[key.cluster, name].append(job)

    def found(text: str) -> Sequence[str]:
        key = key_of(text)
        jobs = by_id.get((key.cluster, key.id), ())
        return [job for job in jobs if key.submit is None or key_of(job).submit == key.submit]

    return found


def _states(run: Run) -> bool:
    """Whether the source of a run with hours states more of it."""
    kept = run.imported
    return kept is not None and any(getattr(kept, name) is not None for name in _STATED)


def _amounts(project: ProjectLedger, run: Run) -> RunFields:
    """What the source of an entry states beside hours, as fields of a run: of an entry that adds one thing, its part
    of that; of one with hours, all that is stated of its job."""
    kept = run.imported
    if kept is None:
        return {}
    share = ONE if kept.part is None else kept.part
    wanted = (run.adds,) if run.adds else tuple(_FIELD)
    found = RunFields()
    source = project.imports.get(kept.source)
    billed = (kept.billed_usd, kept.effective_usd)
    costs = [cost for cost in (billed[::-1] if source and source.cost == "effective" else billed) if cost is not None]
    if ENERGY in wanted and kept.energy_kwh is not None:
        found["energy_kwh"] = kept.energy_kwh * share
        found["energy_of"] = Text("facility", run.place) if kept.facility else None
    if MONEY in wanted and costs:
        found["cost_usd"] = costs[0] * share
    if PROGRESS in wanted and kept.done is not None and kept.total:
        found["progress"] = Progress.model_construct(place=run.place, done=kept.done, total=kept.total)
    return found


def _added(project: ProjectLedger, added: Sequence[Run], job: Run, taken: set[int]) -> RunFields:
    """What entries add to one job; those that need not stand by themselves any more are noted as taken.

    What the source of its hours states of it goes first, then the first in imports.yaml. Energy of a whole facility is
    not added to that of machines: where a job has both, that of the facility stands by itself.
    """
    order = {name: number for number, name in enumerate(project.imports)}
    own = _amounts(project, job)
    whole = RunFields()
    for adds, field in _FIELD.items():
        found = (run for run in added if run.adds == adds and getattr(run, field) is not None)
        stating = [(order.get(_source(run), 0), run) for run in found]
        first = min((number for number, _ in stating), default=0)
        used = [run for number, run in stating if number == first and field not in own]
        if field == "energy_kwh" and used:
            basis = min(run.energy_of or "" for run in used)
            apart = {id(run) for run in used if (run.energy_of or "") != basis}
            used = [run for run in used if id(run) not in apart]
            whole["energy_of"] = used[0].energy_of
        else:
            apart = set()
        taken |= {id(run) for _, run in stating} - apart
        if used:
            amounts = [getattr(run, field) for run in used]
            whole[field] = _latest(used) if adds == PROGRESS else add_up(amounts)
    return whole


def _source(run: Run) -> str:
    return run.imported.source if run.imported else ""


def _latest(found: Sequence[Run]) -> Progress | None:
    """The latest progress that entries state; of several at one time the furthest."""

    def told(run: Run) -> tuple[str, Fraction]:
        share = run.progress.done / run.progress.total if run.progress else ZERO
        return run.moment, share

    return max(found, key=told).progress


def _shared(runs: Sequence[Run], whole: Mapping[str, Any]) -> Iterator[tuple[Run, Mapping[str, Any]]]:
    """Each entry of a job with its part of what was added: a job that is split shares it by its GPU-hours."""
    hours = add_up(run.charged_hours for run in runs)
    for run in runs:
        share = run.charged_hours / hours if hours else Fraction(1, len(runs))
        yield run, {name: value * share if isinstance(value, Fraction) else value for name, value in whole.items()}
