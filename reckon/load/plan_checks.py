"""A run belongs to an item and a seed of the plan, and what it says of hours, progress, energy and time adds up."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from reckon.language.text import Text, place_of
from reckon.model.figure import COSTS, QUEUED
from reckon.model.finding import Problem, Problems, nearest
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Run

from .entry_merge import states_cost_alone

NOT_PLANNED = "add it to plan.yaml, or write `unplanned: true`"


def check_runs(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each run that does not suit the plan, or itself: it belongs to an item and a seed of the plan,
    unless it says that it was not planned; and its time adds up."""
    items = project.items
    seeds = project.seeds
    for run in map(project.rows.run, sorted(_to_look_at(project))):
        own = f"{project.id}.runs.{run.place}"
        strange = run.item not in items and not run.unplanned and not run.unassigned
        if strange and not ledger.unread(f"{own}.unplanned") and not ledger.unread(f"{project.id}.plan.{run.item}"):
            yield Problem(
                place_of(run.item),
                f"there is no item `{run.item[:60]}` in the plan",
                hint_record(run.item, items, NOT_PLANNED),
            )
        if run.seed is not None and run.seed not in seeds and not ledger.unread(f"{project.id}.seeds"):
            yield no_seed(run.seed, seeds)
        if not ledger.unread(own):
            yield from _hours(project, run)
        if run.progress and not run.progress.total:
            yield Problem(run.progress.place, "the total of the progress is 0", "write a total above 0")
        elif run.progress and run.progress.done > run.progress.total:
            yield Problem(run.progress.place, "`done` is more than `total`", "write at most the total as `done`")
        costs = run.list_stated(COSTS)
        if len(costs) > 1:
            wrong = f"both `{costs[0]}` and `{costs[1]}` are stated"
            yield Problem(run.place, wrong, "keep one, in the currency of the bill")
        if run.energy_of and run.energy_kwh is None and not ledger.unread(f"{own}.energy_kwh"):
            yield Problem(place_of(run.energy_of), "this run states no energy", "add `energy_kwh`, or remove this")
        if run.start and run.end and _before(run.end, run.start):
            yield Problem(place_of(run.end), "the run ends before it starts", "write an end after the start")


def no_seed(seed: Text, seeds: Collection[str]) -> Problem:
    """The problem of a seed that the project does not have."""
    has = f"the seeds are {', '.join([*seeds][:12])}" if seeds else "the project has no seeds"
    return Problem(place_of(seed), f"`{seed[:40]}` is not a seed of this project", has)


def _to_look_at(project: ProjectLedger) -> set[int]:
    """The runs of which something may not fit the plan, or each other: all that is wrong, and others."""
    rows = project.rows
    strange = rows.values("item") - {*project.items}
    odd = {*rows.values("seed") - {*project.seeds, None}, *rows.values("status") & {QUEUED}}
    found = {*rows.where(["progress.done"], _is_stated), *rows.where(["energy_of"], _is_stated)}
    if strange:
        names = ["item", "unplanned", "unassigned"]
        found.update(rows.where(names, lambda item, *known: item in strange and not any(known)))
    if odd:
        found.update(rows.where(["seed", "status"], lambda *said: not odd.isdisjoint(said)))
    found.update(rows.where(["start", "end"], lambda start, end: bool(start and end) and _before(end, start)))
    found.update(rows.where(COSTS, lambda *costs: costs.count(None) < len(costs) - 1))
    gpus, wall = (rows.amounts(name).values for name in ("gpus", "wall_hours"))
    if None in gpus or None in wall:
        hours = zip(rows.amounts("gpu_hours").values, gpus, wall, strict=True)
        found.update(number for number, (whole, *held) in enumerate(hours) if whole is None and None in held)
    return found


def _is_stated(value: object) -> bool:
    return value is not None


def _hours(project: ProjectLedger, run: Run) -> Problems:
    """A run says what it took; a queued job has taken nothing, and says what it was promised."""
    unstated = run.gpu_hours is None and (run.gpus is None or run.wall_hours is None) and not run.adds
    if run.status != QUEUED:
        if unstated and not states_cost_alone(project, run):
            yield Problem(run.place, "the GPU-hours of this run are missing", _missing_hours(project, run))
    elif not unstated:
        yield Problem(run.place, "a queued job cannot have hours", "write `status: running`, or remove its hours")
    elif run.gpus is None or run.limit_hours is None:
        wrong, right = (
            "the hours reserved for this queued job are missing",
            "add `gpus` and its time limit, `limit_hours`",
        )
        yield Problem(run.place, wrong, right)


def _missing_hours(project: ProjectLedger, run: Run) -> str:
    """What an entry without hours is to say."""
    item = project.item_of(run)
    right = "add `gpus` and `wall_hours`, or `gpu_hours`"
    return f"{right}; or what it cost, as `cost_{item.currency}`" if item and item.currency else right


def hint_record(name: str, known: Iterable[str], otherwise: str = "add it there") -> str:
    """What was perhaps meant, and what else can be done: a record of a like name is often another thing."""
    hint = nearest(name, known)
    if not hint:
        return otherwise
    return f"{hint} Otherwise {otherwise}" if hint.endswith("?") else f"{hint}; otherwise {otherwise}"


def _before(this: str, other: str) -> bool:
    """Whether a moment lies before another; by the day only, where one has no time of day or they name offsets."""
    exact = len(this) >= 16 and len(other) >= 16 and this[16:] == other[16:]
    first, second = (moment.replace("T", " ")[: 16 if exact else 10] for moment in (this, other))
    return first < second
