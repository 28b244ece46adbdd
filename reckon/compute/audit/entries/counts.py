"""GPUs and hours of a run that are no count of any: nothing that was held, or a part of a GPU."""

from __future__ import annotations

from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.finding import say

from .durations import HeldEntry
from .entry import Around
from .implausible import Cause, Doubt, stated

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


def held_nothing(found: HeldEntry, around: Around) -> Doubt | None:
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
            gpus=stated(run.gpus, entry, key_unit("gpus")),
            wall=stated(found.hours, entry),
            charged=charged,
        )
    return Doubt(NOTHING, entry, told)


def part_of_a_gpu(found: HeldEntry, around: Around) -> Doubt | None:
    """More than one GPU, and not a whole number of them."""
    gpus = found.entry.run.gpus
    if gpus is None or gpus <= 1 or gpus.denominator == 1:
        return None
    told = say("its GPUs are {gpus}", gpus=stated(gpus, found.entry, key_unit("gpus")))
    return Doubt(PART, found.entry, told)
