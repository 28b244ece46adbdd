"""Hours of a run that cannot be: in another unit, GPU-hours in place of hours, none, or more than there was time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.quantity import ZERO
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.finding import Sentence, joined, say

from ..common import counted
from .entry import (
    BEYOND,
    HALF,
    MINUTE,
    MINUTES,
    MONTH,
    NEAR,
    NINE_TENTHS,
    OVER,
    SECONDS,
    SLACK,
    TWO_DAYS,
    HeldEntry,
)
from .implausible import Cause, Doubt, Doubts, stated
from .siblings import WIDE

GPUS = key_unit("gpus")
TOLERANCE = Fraction(1, 1000)
"""Rounding of hours that are stated twice."""
ROUNDED = Fraction(1, 100)
"""Rounding of hours that are in another unit."""
SPARSE = 20
"""Less than a twentieth of two days or more: hours for days are a factor of 24. Pauses seldom take that much."""
UNITS = (MINUTES, SECONDS)
WALL_AS_GPU_HOURS = Cause(
    "run-hours-doubtful#clock",
    "The GPU-hours of a run are its wall-clock hours",
    "The GPU-hours of several runs are their wall-clock hours",
    "GPU-hours are GPUs held times hours. The stated ones count, so that too little is charged.",
    "Multiply by the GPUs held, or leave `gpu_hours` out; if one GPU was charged, write `gpus: 1`.",
)
OTHER_UNIT = Cause(
    "run-hours-doubtful#unit",
    "The hours of a run look like seconds or minutes",
    "The hours of several runs look like seconds or minutes",
    "A bare number under `wall_hours` is hours. The run is charged many times what it took.",
    "Write the unit, as `5000 s` or `90 min`, or divide; in a table it is the column that `--map` or `csv` names.",
)
GPU_HOURS_AS_WALL = Cause(
    "run-hours-doubtful#gpu-hours",
    "The hours of a run look like GPU-hours already",
    "The hours of several runs look like GPU-hours already",
    "`wall_hours` are wall-clock hours and are multiplied by the GPUs held, so the run is charged too much.",
    "Divide by the GPUs, or write the number under `gpu_hours`.",
)
TOO_LONG = Cause(
    "run-hours-doubtful#long",
    "A run took longer than there was time",
    "Several runs took longer than there was time",
    "One of the three is wrong; what the run is charged depends on its wall-clock time or its GPU-hours.",
    "Correct it; where the clock was changed in between, write both times with their offset.",
)
LONG_FOR_A_DATE = Cause(
    "run-hours-doubtful#long",
    "A run took longer than its date",
    "Several runs took longer than their dates",
    "A date says when a run ended. Days before it are taken to be those that it was charged on, at most 31.",
    "Write `start` and `end`, or correct the hours.",
    "dated",
    is_mild=True,
)
STATED_TWICE = Cause(
    "run-hours-doubtful#twice",
    "A run states its GPU-hours twice, with different figures",
    "Several runs state their GPU-hours twice, with different figures",
    "The stated GPU-hours count; the other figures of the run do not explain them.",
    "Correct one of them; where both are right (spare GPUs, pauses), accept the finding with the reason.",
)
TOO_SHORT = Cause(
    "run-hours-doubtful#short",
    "A run took far less than the time between its dates",
    "Several runs took far less than the time between their dates",
    "Its hours are spread evenly over all of these days. They may be days, or a date may be wrong.",
    "Correct them; for many short runs write an entry each, or say in a note what the pauses were.",
    is_mild=True,
)
UNUSUAL = Cause(
    "run-hours-doubtful",
    "A run took other GPU-hours than its siblings",
    "Several runs took other GPU-hours than their siblings",
    "Runs of one item on one card seldom differ so much. Its hours, its GPUs or its item may be wrong.",
    "Correct what is wrong; if the run was different, say how in its `note` and accept the finding.",
)
FEWER = Cause(
    "run-hours-doubtful",
    "A run seems to count only some of its GPUs",
    "Several runs seem to count only some of their GPUs",
    "With all of them it took what others took, or what was estimated: too little is charged.",
    "Write the GPUs of all nodes that it held; if it is right, accept the finding with the reason.",
    "gpus",
)
NOTHING = Cause(
    "run-implausible#nothing",
    "A completed run held nothing",
    "Several completed runs held nothing",
    "It counts as a run that is completed, and is charged nothing.",
    "Write the GPUs and hours that it took; or what happened to it, as `status: cancelled`.",
)
PART = Cause(
    "run-implausible#part",
    "A run held a part of a GPU",
    "Several runs held parts of GPUs",
    "Below one it is a slice of a GPU; above one an average over the run, or a slip.",
    "Write the GPUs that were held, or an entry for each part of the run.",
    is_mild=True,
)


def by_its_own(found: HeldEntry) -> Doubts:
    """Stated GPU-hours that are not the GPUs held times the wall-clock hours: these alone, or in another unit.

    Where the hours are more than its times leave, these are asked.
    """
    run = found.run
    wall = run.wall_hours or (found.most if found.exact else None)
    if not (run.gpu_hours and run.gpus and wall) or (found.most is not None and found.too_long):
        return
    both = run.gpus * wall
    told = say(
        "{gpus} × {wall} is {both}, stated are {stated}",
        gpus=stated(run.gpus, GPUS),
        wall=stated(wall),
        both=stated(both, GPU_HOURS),
        stated=stated(run.gpu_hours, GPU_HOURS),
    )
    slack = TOLERANCE * wall if run.wall_hours else (SLACK - 1) * wall + MINUTE
    near = [factor for factor in UNITS if abs(both / run.gpu_hours / factor - 1) <= ROUNDED]
    if run.gpus > 1 and abs(wall - run.gpu_hours) <= slack:
        yield Doubt(WALL_AS_GPU_HOURS, found, told)
    elif run.wall_hours and abs(both - run.gpu_hours) > TOLERANCE * max(both, run.gpu_hours):
        yield _read_as(found, told, near) if near else Doubt(STATED_TWICE, found, told)


def by_its_times(found: HeldEntry) -> Doubts:
    """Hours that are more than what lies between its start and its end: in another unit, GPU-hours, or simply wrong.

    Only where that time is known well enough a slip is named: on one day, any of them would do.
    """
    shares = {**dict.fromkeys(UNITS, HALF), **({found.gpus: NINE_TENTHS} if found.gpus > 1 else {})}
    for doubt in longer_than_its_times(found):
        for factor in sorted(shares) if found.least else ():
            hours = found.hours / factor
            most = (found.most or ZERO) * SLACK + MINUTE
            if found.least * shares[factor] <= hours + MINUTE and hours <= most:
                yield _read_as(found, doubt.arithmetic, [factor])
        yield doubt


def longer_than_its_times(found: HeldEntry) -> Doubts:
    """Hours that are more than what lies between its start and its end, whatever explains it."""
    if found.most is not None and found.too_long:
        yield Doubt(TOO_LONG, found, _against_time(found))


def by_its_plan(found: HeldEntry) -> Doubts:
    """Hours far beyond what a run is expected to take, and near it if they are GPU-hours, or in another unit."""
    if found.plan is None or (found.most is not None and found.least):
        return
    most = found.plan.most
    is_near = most * HALF <= found.hours <= most * NEAR
    # Other runs of its kind among which it is not odd accuse a plan that it does not suit.
    is_usual = found.siblings and found.unusual is None
    if found.gpus > 1 and is_near and found.is_beyond(OVER) and not is_usual:
        yield _read_as(found, _against_plan(found), [found.gpus])
        return
    may_be_unit = found.seldom or (found.is_precise and any(map(found.is_near, UNITS)))
    if may_be_unit and found.is_beyond(BEYOND) and not found.timed:
        yield from in_units(found)


def by_its_estimate(found: HeldEntry) -> Doubts:
    """A completed run that took as long as estimated, on fewer GPUs than its estimate counts: a note, since it may have
    been a short one on these alone."""
    run = found.run
    gpus = found.plan.gpus if found.plan else None
    if found.plan is None or gpus is None or gpus.use is None or run.status != "completed":
        return
    right = run.charged_hours * gpus.use / (found.gpus if run.gpu_hours is None else 1)
    low = found.plan.hours.value.low or ZERO
    if run.charged_hours < low <= right <= found.plan.most:
        hours = stated(right, GPU_HOURS)
        told = say("; on the {gpus} of the estimate that is {hours}", gpus=gpus, hours=hours)
        cause = FEWER if run.gpu_hours is None else WALL_AS_GPU_HOURS
        yield Doubt(replace(cause, is_mild=True), found, _against_plan(found) + told)


def by_its_date(found: HeldEntry) -> Doubts:
    """Hours that are more than a single date leaves: in another unit if they are very many, else a note."""
    if found.most is None and found.too_long:
        if found.hours > MONTH:
            yield from in_units(found)
        yield Doubt(LONG_FOR_A_DATE, found, _against_time(found))


def in_units(found: HeldEntry) -> Doubts:
    """The doubt of a run whose hours suit its date and its plan in another unit; nothing where they do in none."""
    units = [factor for factor in UNITS if found.fits(factor)]
    if found.is_precise:  # of what is known of one run, only one of them may be near
        units = [*filter(found.is_near, units)] or units
    if units:
        yield _read_as(found, _against_plan(found) if found.is_beyond(1) else _against_time(found), units)


def by_its_siblings(found: HeldEntry) -> Doubts:
    """GPU-hours far from those of other runs of its kind; with the slip that explains it, if just one does."""
    siblings = found.siblings
    took = found.unusual
    if siblings is None or took is None or (found.plan and found.plan.estimated and not found.is_beyond(1)):
        return
    told = beside_siblings(found)
    near = [factor for factor in _slips(found) if siblings.suits(took, factor)]
    if found.gpus > siblings.gpus > 0 and siblings.suits(took, found.gpus / siblings.gpus):
        near = []  # it took as long as they did, on more GPUs: these may be wrong, or not
    doubt = _read_as(found, told, near) if len(near) == 1 else Doubt(UNUSUAL, found, told)
    yield replace(doubt, cause=replace(doubt.cause, is_mild=siblings.spread > WIDE), of_siblings=True)


def _slips(found: HeldEntry) -> Mapping[Fraction, tuple[str, Cause]]:
    """How many times too many hours are by a slip, with what it reads them as, and its cause; below 1 too few."""
    slips = {
        MINUTES: ("minutes", OTHER_UNIT),
        SECONDS: ("seconds", OTHER_UNIT),
        Fraction(24): ("days in hours", UNUSUAL),
        Fraction(10): ("ten times too many hours", UNUSUAL),
    }
    by_clock = found.run.gpu_hours is None
    if found.gpus > 1:
        slips[found.gpus] = ("GPU-hours", GPU_HOURS_AS_WALL)
    if found.siblings and by_clock and 0 < found.gpus < found.siblings.gpus:
        slips[found.gpus / found.siblings.gpus] = ("hours of a part of the GPUs", FEWER)
    elif found.gpus > 1 and not by_clock:
        slips[1 / found.gpus] = ("wall-clock hours", WALL_AS_GPU_HOURS)
    return slips


def beside_siblings(found: HeldEntry) -> Sentence:
    """What an odd run took beside other runs of its kind; nothing of one that is not odd."""
    siblings = found.siblings
    if siblings is None or found.unusual is None:
        return ()
    own = stated(found.unusual, GPU_HOURS)
    usual = counted(siblings.median, GPU_HOURS)
    text = "it took {own}, its {many} siblings {usual} in the median, {times} times as much"
    if found.row in found.around.history.gains:
        text = "for a unit of progress " + text
    times = counted(found.unusual / siblings.median)
    told = say(text, own=own, usual=usual, many=counted(siblings.many - 1), times=times)
    if found.gpus in (1, siblings.gpus):
        return told
    gpus = (counted(number, GPUS) for number in (found.gpus, siblings.gpus))
    return told + say("; it held {own}, they {usual}", own=next(gpus), usual=next(gpus))


def _read_as(found: HeldEntry, told: Sentence, factors: Sequence[Fraction]) -> Doubt:
    """The doubt of a run whose hours would be right if there were so many times less."""
    slips = _slips(found)
    _, cause = slips[factors[0]]
    walls = [
        say("{name} that is {wall}", name=slips[factor][0], wall=stated(found.hours / factor)) for factor in factors
    ]
    told += say("; read as ") + joined(walls, ", as ")
    if cause is GPU_HOURS_AS_WALL:
        told += say(" on {gpus}", gpus=stated(found.gpus, GPUS))
    otherwise = tuple((slips[factor][0], found.charged / factor) for factor in factors)
    return Doubt(cause, found, told, otherwise=otherwise)


def too_short(found: HeldEntry) -> Doubts:
    """Hours that are far less than what lies between dates far apart, of a run that has ended."""
    wall = found.run.wall_hours
    if wall and wall * SPARSE < found.least >= TWO_DAYS and found.run.status != "running":
        text = "its wall-clock time is {wall}, between its dates are {apart} at least"
        if found.exact:
            text = "its wall-clock time is {wall}, between its start and its end are {apart}"
        yield Doubt(TOO_SHORT, found, say(text, wall=stated(wall), apart=stated(found.least)))


def _took(found: HeldEntry) -> Sentence:
    """How long it held its GPUs."""
    by_clock = found.run.wall_hours is not None
    text = "its wall-clock time is {wall}" if by_clock else "its GPU-hours over its GPUs are {wall}"
    return say(text, wall=stated(found.hours))


def _against_time(found: HeldEntry) -> Sentence:
    """Its hours beside those that its dates leave."""
    room = stated(found.limit or ZERO)
    if found.exact:
        return _took(found) + say(", from its start to its end are {room}", room=room)
    if found.most is not None:
        return _took(found) + say(", its dates leave {room} at most", room=room)
    return _took(found) + say(", its only date is {day}", day=found.run.date)


def _against_plan(found: HeldEntry) -> Sentence:
    """Its GPU-hours beside what is planned for its piece of work."""
    told = _took(found) + say(
        ", which on {gpus} is {charged}; ",
        gpus=stated(found.gpus, GPUS),
        charged=stated(found.charged, GPU_HOURS),
    )
    item = found.around.project.title_of(found.run.item)
    plan = found.plan.hours if found.plan else None
    if found.share > 1:
        runs = counted(found.share, key_unit("runs"))
        return told + say("{item} takes {runs}, of {plan} each", runs=runs, item=item, plan=plan)
    text = "estimated for {item} are {plan}" if found.plan and found.plan.estimated else "planned for {item} are {plan}"
    part = say(" of such progress") if found.part != 1 else ()
    return told + say(text, item=item, plan=plan) + part


def held_nothing(found: HeldEntry) -> Doubts:
    """A completed run without GPUs or hours; one that failed at once may have none."""
    run = found.run
    if run.status != "completed" or (run.charged_hours and run.gpus != 0):
        return
    charged = stated(run.charged_hours, GPU_HOURS)
    told = say("its GPU-hours are {charged}", charged=charged)
    if run.gpus is not None and run.gpu_hours is None:
        text = "{gpus} × {wall} is {charged}"
        told = say(text, gpus=stated(run.gpus, GPUS), wall=stated(found.hours), charged=charged)
    yield Doubt(NOTHING, found, told)


def part_of_a_gpu(found: HeldEntry) -> Doubts:
    """More than one GPU, and not a whole number of them."""
    if found.gpus > 1 and found.gpus.denominator > 1:
        yield Doubt(PART, found, say("its GPUs are {gpus}", gpus=stated(found.gpus, GPUS)))
