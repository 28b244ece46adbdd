"""Hours of a run that cannot be: in another unit, GPU-hours in place of hours, none, or more than there was time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from reckon.language.calendar_days import HOUR
from reckon.language.quantity import ZERO
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.finding import Sentence, joined, say

from ..common import counted
from .durations import HALF, MINUTE, MINUTES, NEAR, OVER, SECONDS, SLACK, TWICE, TWO_DAYS, HeldEntry
from .implausible import Cause, Doubt, stated

GPUS = key_unit("gpus")
TOLERANCE = Fraction(1, 1000)
"""Rounding of hours that are stated twice."""
ROUNDED = Fraction(1, 100)
"""Rounding of hours that are in another unit."""
SPARSE = 20
"""Less than a twentieth of two days or more: hours for days are a factor of 24. Pauses seldom take that much."""

_Told = Callable[[HeldEntry], Sentence]
"""Says what the hours of a run are held against."""

WALL_AS_GPU_HOURS = Cause(
    "gpu-hours-are-wall-hours",
    "The GPU-hours of a run are its hours on the clock",
    "The GPU-hours of several runs are their hours on the clock",
    "GPU-hours are GPUs held times hours. The stated ones count, so that too little is charged.",
    "Multiply by the GPUs held, or leave `gpu_hours` out; if one GPU was charged, write `gpus: 1`.",
)
OTHER_UNIT = Cause(
    "hours-in-another-unit",
    "The hours of a run look like seconds or minutes",
    "The hours of several runs look like seconds or minutes",
    "A bare number under `wall_hours` is hours. The run is charged many times what it took.",
    "Write the unit, as `5000 s` or `90 min`, or divide; in a table it is the column that `--map` or `csv` names.",
)
GPU_HOURS_AS_WALL = Cause(
    "wall-hours-are-gpu-hours",
    "The hours of a run look like GPU-hours already",
    "The hours of several runs look like GPU-hours already",
    "`wall_hours` are hours on the clock and are multiplied by the GPUs held, so the run is charged too much.",
    "Divide by the GPUs, or write the number under `gpu_hours`.",
)
TOO_LONG = Cause(
    "run-longer-than-its-time",
    "A run took longer than there was time",
    "Several runs took longer than there was time",
    "One of the three is wrong; what the run is charged rests on its wall-clock time or its GPU-hours.",
    "Correct it; where the clock was changed in between, write both times with their offset.",
)
LONG_FOR_A_DATE = Cause(
    "run-longer-than-its-time",
    "A run took longer than its date",
    "Several runs took longer than their dates",
    "A date says when a run ended. Days before it are taken to be those that it was charged on, at most 31.",
    "Write `start` and `end`, or correct the hours.",
    "dated",
    is_mild=True,
)
STATED_TWICE = Cause(
    "gpu-hours-stated-twice",
    "A run states its GPU-hours twice, with different figures",
    "Several runs state their GPU-hours twice, with different figures",
    "The stated GPU-hours count; the other figures of the run do not explain them.",
    "Correct one of them; where both are right (spare GPUs, pauses), accept the finding with the reason.",
)
TOO_SHORT = Cause(
    "run-shorter-than-its-time",
    "A run took far less than the time between its dates",
    "Several runs took far less than the time between their dates",
    "Its hours are spread evenly over all of these days. They may be days, or a date may be wrong.",
    "Correct them; for many short runs write an entry each, or say in a note what the pauses were.",
)
NOTHING = Cause(
    "run-held-nothing",
    "A completed run held nothing",
    "Several completed runs held nothing",
    "It counts as a run that is completed, and is charged nothing.",
    "Write the GPUs and hours that it took; or what became of it, as `status: cancelled`.",
)
PART = Cause(
    "gpus-not-whole",
    "A run held a part of a GPU",
    "Several runs held parts of GPUs",
    "Below one it is a slice of a GPU; above one an average over the run, or a slip.",
    "Write the GPUs that were held, or an entry for each part of the run.",
)


def wall_as_gpu_hours(found: HeldEntry) -> Doubt | None:
    """GPU-hours that are the hours on the clock, though several GPUs were held."""
    entry = found.entry
    run = entry.run
    if not run.gpu_hours or run.gpus is None or run.gpus <= 1:
        return None
    apart = Fraction(entry.apart[1], HOUR) if entry.exact and entry.apart else None
    if run.wall_hours is None:
        wall = apart
        most = apart * (SLACK - 1) + MINUTE if apart else ZERO
    else:
        wall = run.wall_hours
        most = TOLERANCE * run.wall_hours
        if apart is not None and wall > apart * SLACK + MINUTE:
            return None
    if not wall or abs(wall - run.gpu_hours) > most:
        return None
    told = say(
        "{gpus} × {wall} is {both}, stated are {stated}",
        gpus=stated(run.gpus, entry, GPUS),
        wall=stated(wall, entry),
        both=stated(run.gpus * wall, entry, GPU_HOURS),
        stated=stated(run.gpu_hours, entry, GPU_HOURS),
    )
    return Doubt(WALL_AS_GPU_HOURS, entry, told)


def gpu_hours_as_wall(found: HeldEntry) -> Doubt | None:
    """Hours on the clock that are GPU-hours: too many for its dates or its plan, and right if divided by the GPUs.

    Where no start and end say how long it took, its estimate is asked before the plan, which may have that slip itself.
    """
    entry = found.entry
    if found.gpus <= 1 or not found.hours:
        return None
    if found.too_long and found.factor == found.gpus:
        return _gpu_hours(found, _against_time)
    if (entry.apart and found.least) or found.as_estimated:
        return None
    plan = found.most
    if plan and found.charged > OVER * plan and plan * HALF <= found.hours <= plan * NEAR:
        return _gpu_hours(found, _against_plan)
    if not entry.apart and found.room is not None and found.hours > found.room:
        near = found.hours <= NEAR * plan and found.charged > TWICE * plan if plan else not found.absurd
        if near and found.hours / found.gpus <= found.room:
            return _gpu_hours(found, _against_time)
    return None


def other_unit(found: HeldEntry) -> Doubt | None:
    """Hours that would be right in seconds or minutes: by its times, its own GPU-hours, its project's dates or plan."""
    run = found.entry.run
    factor = found.factor
    if run.gpu_hours and run.gpus and run.wall_hours:
        times = run.gpus * run.wall_hours / run.gpu_hours
        if near := next((unit for unit in (MINUTES, SECONDS) if abs(times / unit - 1) <= ROUNDED), None):
            return _units(found, _twice_stated, [near])
    if factor in (MINUTES, SECONDS):
        return _units(found, _against_time, [factor])
    return in_units(found) if found.absurd and any(map(found.fits, (MINUTES, SECONDS))) else None


def in_units(found: HeldEntry) -> Doubt:
    """The doubt of a run with no times beside its hours: what they would be in the units that would fit."""
    units = [unit for unit in (MINUTES, SECONDS) if found.fits(unit)]
    if found.share > 1:  # of what the plan says of one run, only one of them may be near
        units = [unit for unit in units if found.near(unit)] or units
    beyond_dates = found.plan is None or (found.room is not None and found.hours > found.room)
    return _units(found, _against_time if beyond_dates else _against_plan, units)


def _units(found: HeldEntry, told: _Told, units: Sequence[Fraction]) -> Doubt:
    """The doubt of a run whose hours may be in these units."""
    names = {MINUTES: "minutes", SECONDS: "seconds"}

    def said() -> Sentence:
        walls = ((unit, stated(found.hours / unit, found.entry)) for unit in units)
        read = joined((say("{unit} that is {wall}", unit=names[unit], wall=wall) for unit, wall in walls), ", as ")
        return (*told(found), "; read as ", *read)

    otherwise = tuple((names[unit], found.charged / unit) for unit in units)
    return Doubt(OTHER_UNIT, found.entry, said, otherwise=otherwise)


def _gpu_hours(found: HeldEntry, told: _Told) -> Doubt:
    """The doubt of a run whose hours may be GPU-hours."""

    def said() -> Sentence:
        read = say(
            "; read as GPU-hours that is {wall} on {gpus}",
            wall=stated(found.hours / found.gpus, found.entry),
            gpus=stated(found.gpus, found.entry, GPUS),
        )
        return told(found) + read

    return Doubt(GPU_HOURS_AS_WALL, found.entry, said, otherwise=(("GPU-hours", found.hours),))


def too_long(found: HeldEntry) -> Doubt | None:
    """Hours that are more than what lies between its start and its end; or than a single date leaves, a note."""
    if not found.too_long:
        return None
    cause = TOO_LONG if found.entry.apart else LONG_FOR_A_DATE
    return Doubt(cause, found.entry, _against_time(found, own=True))


def stated_twice(found: HeldEntry) -> Doubt | None:
    """Stated GPU-hours that are not the GPUs held times the wall-clock time; the stated figure counts."""
    entry = found.entry
    run = entry.run
    if run.gpu_hours is None or run.gpus is None or run.wall_hours is None:
        return None
    both = run.gpus * run.wall_hours
    differ = abs(both - run.gpu_hours) > TOLERANCE * max(both, run.gpu_hours)
    return Doubt(STATED_TWICE, entry, _twice_stated(found)) if differ else None


def too_short(found: HeldEntry) -> Doubt | None:
    """Hours that are far less than what lies between dates far apart, of a run that has ended."""
    entry = found.entry
    run = entry.run
    least = entry.apart[0] if entry.apart else 0
    if least < TWO_DAYS * HOUR or not run.wall_hours or run.status == "running":
        return None
    if run.wall_hours * SPARSE * HOUR >= least:
        return None
    apart = stated(Fraction(least, HOUR), entry)
    told = say(
        "its wall-clock time is {wall}, between its start and its end are {apart}"
        if entry.exact
        else "its wall-clock time is {wall}, between its dates are {apart} at least",
        wall=stated(run.wall_hours, entry),
        apart=apart,
    )
    return Doubt(TOO_SHORT, entry, told)


def _took(found: HeldEntry) -> Sentence:
    """How long it held its GPUs."""
    by_clock = found.entry.run.wall_hours is not None
    text = "its wall-clock time is {wall}" if by_clock else "its GPU-hours over its GPUs are {wall}"
    return say(text, wall=stated(found.hours, found.entry))


def _against_time(found: HeldEntry, own: bool = False) -> Sentence:
    """Its hours beside those that its dates leave, or those of its project."""
    entry = found.entry
    most = found.limit if own else found.room
    room = stated(most or ZERO, entry)
    if entry.exact:
        return _took(found) + say(", from its start to its end are {room}", room=room)
    if entry.apart:
        return _took(found) + say(", its dates leave {room} at most", room=room)
    if own:
        return _took(found) + say(", its only date is {day}", day=entry.run.date)
    return _took(found) + say(", the dates of the project leave {room} at most", room=room)


def _against_plan(found: HeldEntry) -> Sentence:
    """Its GPU-hours beside what is planned for its piece of work."""
    told = _took(found) + say(
        ", which on {gpus} is {charged}; ",
        gpus=stated(found.gpus, found.entry, GPUS),
        charged=stated(found.charged, found.entry, GPU_HOURS),
    )
    run = found.entry.run
    known = found.around.project.item_of(run)
    item = known.title if known else run.item
    if found.share > 1:
        runs = counted(found.share, key_unit("runs"))
        return told + say("{item} takes {runs}, of {plan} each", runs=runs, item=item, plan=found.plan)
    return told + say("planned for {item} are {plan}", item=item, plan=found.plan)


def _twice_stated(found: HeldEntry) -> Sentence:
    """Both of the GPU-hours that a run states."""
    entry = found.entry
    run = entry.run
    both = (run.gpus or ZERO) * (run.wall_hours or ZERO)
    return say(
        "GPUs held × wall-clock time is {held}, stated are {stated}",
        held=stated(both, entry, GPU_HOURS),
        stated=stated(run.gpu_hours or ZERO, entry, GPU_HOURS),
    )


def held_nothing(found: HeldEntry) -> Doubt | None:
    """A completed run without GPUs or hours; one that failed at once may have none."""
    entry = found.entry
    run = entry.run
    if run.status != "completed" or (run.charged_hours and run.gpus != 0):
        return None
    charged = stated(run.charged_hours, entry, GPU_HOURS)
    if run.gpus is None or run.gpu_hours is not None:
        told = say("its GPU-hours are {charged}", charged=charged)
    else:
        told = say(
            "{gpus} × {wall} is {charged}",
            gpus=stated(run.gpus, entry, GPUS),
            wall=stated(found.hours, entry),
            charged=charged,
        )
    return Doubt(NOTHING, entry, told)


def part_of_a_gpu(found: HeldEntry) -> Doubt | None:
    """More than one GPU, and not a whole number of them."""
    gpus = found.entry.run.gpus
    if gpus is None or gpus <= 1 or gpus.denominator == 1:
        return None
    told = say("its GPUs are {gpus}", gpus=stated(gpus, found.entry, GPUS))
    return Doubt(PART, found.entry, told)
