"""What was spent: a run, or an attempt, of a file of runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from reckon.language.quantity import ZERO
from reckon.language.text import Text, plural
from reckon.model.record import Record
from reckon.model.values import (
    Charged,
    Date,
    Draw,
    Exactly,
    Flag,
    HeldGpus,
    Lasting,
    Moment,
    OnePue,
    Ratio,
    Seed,
    Words,
)

from .import_lock import ImportedFrom
from .imports import ADDED
from .shared import CardRef, EnergyOf, GridRef, Kind, Payer, PriceListRef, Status, word


class Progress(Record):
    """Done and total work, in any unit."""

    done: Exactly = Field(description="amount done")
    total: Exactly = Field(description="total amount")


class Run(Record, by_currency="cost_usd"):
    """One run, or one attempt of it. Every charged hour is spent, even if the run failed."""

    item: Words = Field(description="item of the plan; any word with `unplanned: true`")
    seed: Seed | None = Field(None, description="a seed of the project")
    date: Date | None = Field(None, description="day, month or year it ended")
    start: Moment | None = Field(None, description="day, or day and time, it began")
    end: Moment | None = Field(None, description="day, or day and time, it ended")
    run: Words | None = Field(None, description="name of a logical run, shared by its attempts")
    attempt: Words | None = Field(None, description="the number of the attempt")
    gpu: CardRef | None = Field(None, description="card it ran on (default: the item's)")
    gpus: HeldGpus | None = Field(None, description="GPUs held, over all nodes; `1/7` for a shared GPU")
    wall_hours: Lasting | None = Field(None, description="wall-clock hours")
    limit_hours: Lasting | None = Field(
        None, description="time limit of a running or queued job: the hours its payer reserves"
    )
    gpu_hours: Charged | None = Field(None, description="overrides gpus x wall_hours")
    allocation: Payer | None = Field(None, description="allocation that pays, or `none`; overrides the item")
    price: PriceListRef | None = Field(None, description="price list; overrides the item")
    charged: Exactly | None = Field(
        None, description="what its payer charged, in the payer's unit; overrides the calculation"
    )
    cost_usd: Exactly | None = Field(None, description="billed cost in US dollars")
    energy_kwh: Exactly | None = Field(None, description="measured energy")
    peak_gib: Exactly | None = Field(None, description="peak memory on one GPU")
    energy_of: EnergyOf | None = Field(
        None, description="scope of `energy_kwh`: machine (default), or the whole facility"
    )
    watts: Exactly | None = Field(None, description="power of each GPU (default: its board power)")
    pue: OnePue | None = Field(None, description="PUE where it ran (default: the project's)")
    grid: GridRef | None = Field(None, description="electricity grid (default: the project's)")
    status: Status = Field(Text("completed"), description="how it ended")
    progress: Progress | None = Field(None, description="progress: done and total")
    utilisation: Ratio | None = Field(None, description="utilisation of its GPUs")
    job: Words | None = Field(None, description="job id from the scheduler; unique in the project")
    jobs: Draw | None = Field(None, description="jobs in an imported entry; 0: counted where they began")
    kind: Kind | None = Field(None, description="origin of the figures")
    qos: Words | None = Field(None, description="quality of service, used by `factors` of its payer")
    partition: Words | None = Field(None, description="partition, used by `factors` of its payer")
    unplanned: Flag = Field(False, description="true: not part of the plan")
    unassigned: Flag = Field(False, description="no rule of its source assigns it to an item")
    adds: Annotated[Text, word(*ADDED)] | None = Field(
        None, description="progress | energy | money: what an imported entry without hours adds"
    )
    adds_to: Words | None = Field(None, description="job it adds to: `fox/123`")
    imported: ImportedFrom | None = Field(None, description="job this entry was imported from")
    note: Words | None = Field(None, description="a note")
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
