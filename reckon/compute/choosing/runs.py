"""Work in whole runs: how long a run takes on a card, and how many rounds of runs a setup needs.

A run takes its hours on the baseline divided by the relative speed of the card, and its fixed time, as long on every
card. A setup has as many runs at a time as its GPUs have room for; the time is that of the rounds, ceil(runs / runs at
a time). Runs are not split, so in the last round GPUs may be idle; they are rented all the same.
"""

from __future__ import annotations

from reckon.model import records as r

from ..sheet.cells import formula_of
from ..sheet.inputs import ratio_address
from ..sheet.writer import FigureWriter

RELATIVE = "relative_speed"
AT_ONCE = "simultaneous_runs"


def write_runs(writer: FigureWriter, work: r.Workload) -> None:
    """The GPUs of each run, where the workload does not state them."""
    if work.gpus_per_run is None:
        writer.by_default("gpus_per_run", "GPUs of each run", "one, as no number of GPUs is stated")


def write_runs_on(writer: FigureWriter, work: r.Workload, project_id: str, at: str, card: str) -> None:
    """Speed, runs at a time, rounds and time of a setup on a card, for the workload at an address in its project."""
    _speed(writer, work, project_id, at, card)
    if work.hours_per_run is None:
        writer.lack("all_hours_per_run", [f"{project_id}.{at}.hours_per_run"], "time of a run", "the workload")
    else:
        fixed = " + {0}.overhead_minutes_per_run" * (work.overhead_minutes_per_run is not None)
        run = formula_of("{0}.hours_per_run / {1}" + fixed, at, RELATIVE)
        writer.formula("all_hours_per_run", "time of a run", run, over=RELATIVE)
    writer.formula(AT_ONCE, "runs at a time", formula_of("floor(gpus / {}.gpus_per_run)", at))
    # With room for no run at all there is no number of rounds, and so no time and no cost.
    writer.formula(
        "runs_per_gpu", "runs on each GPU", formula_of("ceil({}.runs / {}) / 1 gpu", at, AT_ONCE), over=AT_ONCE
    )
    writer.formula("hours", "time", "runs_per_gpu * 1 gpu * all_hours_per_run")


def _speed(writer: FigureWriter, work: r.Workload, project_id: str, at: str, card: str) -> None:
    """How many times as fast as the baseline: as the workload says, else by what an hour counts as there."""
    words, cells = "speed against the baseline", writer.sheet.cells
    own, ratio = f"{at}.speed.{card}", ratio_address(card, str(work.baseline))
    if card == work.baseline:
        writer.by_default(RELATIVE, words, "one, as it is the baseline", "x")
    elif f"{project_id}.{own}" in cells or ratio in cells:
        stated = formula_of("{}", own if f"{project_id}.{own}" in cells else ratio)
        writer.formula(RELATIVE, words, stated, "x")
    else:
        writer.lack(RELATIVE, [f"{project_id}.{own}"], words, "the workload, or `counts_as` of the catalogue")
