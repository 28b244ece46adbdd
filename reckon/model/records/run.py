"""What was spent: a run, or an attempt, of a file of runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from reckon.language.quantity import ZERO
from reckon.language.text import Text, plural
from reckon.model.record import Record
from reckon.model.values import Charged, Date, Draw, Exactly, Flag, HeldGpus, Lasting, Moment, OnePue, Ratio, Words

from .import_lock import ImportedFrom
from .imports import ADDED
from .shared import CardRef, EnergyOf, GridRef, Kind, Payer, PriceListRef, Status, word


class Progress(Record):
    """Work done of the work there is, in whatever it is counted."""

    done: Exactly = Field(description="how much is done")
    total: Exactly = Field(description="of how much")


class Run(Record):
    """What one run (or attempt) took. All that an allocation was charged for is spent, whatever came of it."""

    item: Words = Field(description="an item of the plan; with `unplanned: true` any word")
    seed: Words | None = Field(None, description="a seed of the project")
    date: Date | None = Field(None, description="the day, month or year in which it ended")
    start: Moment | None = Field(None, description="the day, or the day and time, on which it began")
    end: Moment | None = Field(None, description="when it ended, likewise")
    run: Words | None = Field(None, description="the name of a logical run, which attempts share")
    attempt: Words | None = Field(None, description="the number of the attempt")
    gpu: CardRef | None = Field(None, description="the card it ran on, if not the item's")
    gpus: HeldGpus | None = Field(None, description="GPUs held, over all nodes; `1/7` of a GPU that is shared")
    wall_hours: Lasting | None = Field(None, description="hours on the clock")
    limit_hours: Lasting | None = Field(
        None, description="the time limit of a job that runs or is queued: what its payer has promised it"
    )
    gpu_hours: Charged | None = Field(None, description="counts before gpus x wall_hours where both are given")
    allocation: Payer | None = Field(None, description="who pays for it, or `none`; before what its item says")
    price: PriceListRef | None = Field(None, description="the price list that it is paid by; before what its item says")
    charged: Exactly | None = Field(
        None, description="what its payer booked, in the unit of that; before what would be calculated"
    )
    cost_usd: Exactly | None = Field(None, description="what was billed")
    cost_eur: Exactly | None = Field(None, description="the same in euros")
    cost_gbp: Exactly | None = Field(None, description="the same in pounds")
    cost_chf: Exactly | None = Field(None, description="the same in Swiss francs")
    cost_cny: Exactly | None = Field(None, description="the same in yuan")
    cost_jpy: Exactly | None = Field(None, description="the same in yen")
    energy_kwh: Exactly | None = Field(None, description="energy that was measured")
    peak_gib: Exactly | None = Field(None, description="the most memory that was in use on one of its GPUs")
    energy_of: EnergyOf | None = Field(
        None, description="what `energy_kwh` was measured of: the machine (if nothing is said), or the whole facility"
    )
    watts: Exactly | None = Field(None, description="what each GPU drew, in place of the power of its board")
    pue: OnePue | None = Field(None, description="PUE of where it ran, if not the project's")
    grid: GridRef | None = Field(None, description="the grid that it drew on, if not the project's")
    status: Status = Field(Text("completed"), description="what came of it")
    progress: Progress | None = Field(None, description="work done of the work there is")
    utilisation: Ratio | None = Field(None, description="how far its GPUs were used")
    job: Words | None = Field(None, description="id of the scheduler's job; one entry of a project has it")
    jobs: Draw | None = Field(
        None, description="how many jobs of its source an imported entry is; 0: they are counted where they began"
    )
    kind: Kind | None = Field(None, description="how the figures were come by")
    qos: Words | None = Field(None, description="its quality of service, which `factors` of its payer may name")
    partition: Words | None = Field(None, description="its partition, likewise")
    unplanned: Flag = Field(False, description="true: not part of the plan")
    unassigned: Flag = Field(False, description="no rule of its source says to which item it belongs")
    adds: Annotated[Text, word(*ADDED)] | None = Field(
        None, description="progress | energy | money: what an imported entry without hours adds"
    )
    adds_to: Words | None = Field(None, description="the job that it adds it to: `fox/123`")
    imported: ImportedFrom | None = Field(None, description="the job that the importer made this entry of")
    note: Words | None = Field(None, description="a remark")
    source: Words | None = None

    @property
    def many(self) -> int:
        """How many runs it is."""
        return 1 if self.jobs is None else self.jobs

    @property
    def moment(self) -> str:
        """When it ended, or else its date, or when it began; empty where it says none of these."""
        return self.end or self.date or self.start or ""

    @property
    def jobs_told(self) -> str:
        """What is told of jobs that are counted together: how many, or that other entries count them; else nothing."""
        if self.jobs is None:
            return ""
        if not self.jobs:
            return "of jobs counted where they began"
        told = plural(int(self.jobs), "job")
        return f"part of {told}" if self.imported and self.imported.again else told

    @property
    def charged_hours(self) -> Fraction:
        """GPU-hours that it was charged, on its own kind of GPU: as stated, else GPUs held x wall-clock hours."""
        if self.gpu_hours is not None:
            return self.gpu_hours
        return (self.gpus or ZERO) * (self.wall_hours or ZERO)

    @property
    def held_hours(self) -> Fraction | None:
        """Hours for which it held its GPUs: by the clock, else GPU-hours over GPUs; None where it says neither."""
        if self.wall_hours is None and self.gpu_hours is not None and self.gpus:
            return self.gpu_hours / self.gpus
        return self.wall_hours
