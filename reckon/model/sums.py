"""Sums over runs: the fields of a run that are summed, and which runs a sum takes in.

Nothing here imports a library: the options of `add run` are made from the table too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Summed(NamedTuple):
    """A field of a run that is summed over the runs that state it. Its unit is read off its name.

    `key` is its address below `PROJECT.actual`, and the noun for it; `title` is that of its figure, `shown` its row on
    the status page, and `asked` what `add run --help` says of it.
    """

    name: str
    key: str
    title: str
    shown: str
    asked: str


SUMMED = (
    Summed("energy_kwh", "energy", "Energy", "Energy", "what was measured"),
    Summed("cost_usd", "cost", "Cost", "Cost that runs state", "what was billed"),
)
# Beside these the hours that runs were charged are summed, which each run has: as hours of the project's GPU, or as
# hours of the kind of GPU that the run was on.
HOURS, OWN_HOURS = "gpu_hours", "own_gpu_hours"
USEFUL = ("completed", "running")


class Traits(NamedTuple):
    """All of a run that a selection can ask for. Runs with the same traits are in the same sums.

    `item` and `seed` are ids, `item` is empty for a run that is unplanned and `seed` where none is named; `gpu` is the
    kind of GPU that it was on, and `stated` names the fields of `SUMMED` that it has.
    """

    item: str
    seed: str
    status: str
    gpu: str
    stated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which runs of a project a sum takes in, and which of their fields it sums; what is None may be anything.

    `item` and `seed` are ids: an empty item asks for unplanned runs, an empty seed for runs that name none. `useful`
    asks for runs that completed or still run, or (False) for all others, which are waste. `lacks` is a field of
    `SUMMED` that the runs do not state. `field` is one of `SUMMED`, `HOURS` or `OWN_HOURS`.
    """

    project: str
    field: str = HOURS
    item: str | None = None
    seed: str | None = None
    status: str | None = None
    useful: bool | None = None
    gpu: str | None = None
    lacks: str | None = None

    def means(self, run: Traits) -> bool:
        """Whether a run of the project is among them: if it has all that is asked for, and states the summed field."""
        return (
            (self.item is None or run.item == self.item)
            and (self.seed is None or run.seed == self.seed)
            and (self.status is None or run.status == self.status)
            and (self.useful is None or (run.status in USEFUL) == self.useful)
            and (self.gpu is None or run.gpu == self.gpu)
            and (self.field in (HOURS, OWN_HOURS) or self.field in run.stated)
            and (self.lacks is None or self.lacks not in run.stated)
        )

    @property
    def words(self) -> str:
        """The runs in words: `all runs`, `wasted runs of train, seed 1`, `runs that state energy`."""
        keys = {field.name: field.key for field in SUMMED}
        words = {None: "", True: "useful ", False: "wasted "}[self.useful]
        words += "unplanned runs" if self.item == "" else "runs"
        words += f" of {self.item}" if self.item else ""
        if self.seed is not None:
            words += f", seed {self.seed}" if self.seed else " without a seed"
        words += f" with status {self.status}" if self.status else ""
        words += f" on {self.gpu}" if self.gpu else ""
        words += f" that state {keys[self.field]}" if self.field in keys else ""
        words += f" that state no {keys[self.lacks]}" if self.lacks else ""
        return "all runs" if words == "runs" else words
