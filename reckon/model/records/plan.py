"""The plan of a project, and the runs that carry it out."""

from __future__ import annotations

from fractions import Fraction

from pydantic import Field

from reckon.language.text import Text
from reckon.model.record import Record
from reckon.model.values import Amounted, Date, Exactly, Flag, GpuHours, Id, Moment, Notes, Ratio, Settings, Words

from .words import CardRef, Kind, Scope, Status


class Item(Record):
    """A line of the budget."""

    title: Words
    scope: Scope = Field(description="one-time | per-seed | single-seed | all-seeds (already counts every seed)")
    gpu: CardRef | None = Field(None, description="where it runs, if not on the project's GPU")
    gpu_hours: Amounted = Field(description="the planned budget, of one seed where the scope is per-seed")
    estimate: GpuHours | None = Field(None, description="how the plan is arrived at: a range, or formula and inputs")
    includes_margin: Flag = False
    contingency: Ratio | None = None
    need_gib_per_gpu: Amounted | None = None
    settings: Settings = Field(default_factory=dict)
    notes: Notes = ()
    source: Words | None = None


class Phase(Record):
    """A phase of the plan with its items."""

    title: Words
    contingency: Ratio | None = None
    since: Date | None = Field(None, description="the first day of the phase, as planned")
    until: Date | None = Field(None, description="the last day of the phase, as planned")
    extension: Flag = Field(False, description="true: beside the base budget, outside its contingency")
    items: dict[Id, Item] = Field(default_factory=dict)
    settings: Settings = Field(default_factory=dict)
    notes: Notes = ()


class Progress(Record):
    """Work done of the work there is, in whatever it is counted."""

    done: Exactly
    total: Exactly


class Run(Record):
    """What one run (or attempt) took. All that an allocation was charged for is spent, whatever came of it."""

    item: Words
    seed: Words | None = None
    date: Date | None = None
    start: Moment | None = None
    end: Moment | None = None
    run: Words | None = None
    attempt: Words | None = None
    gpu: CardRef | None = None
    gpus: Exactly | None = Field(None, description="GPUs held, over all nodes")
    wall_hours: Exactly | None = None
    gpu_hours: Exactly | None = Field(None, description="counts before gpus x wall_hours where both are given")
    cost_usd: Exactly | None = None
    energy_kwh: Exactly | None = None
    status: Status = Field(Text("completed"))
    progress: Progress | None = None
    utilisation: Ratio | None = None
    job: Words | None = None
    kind: Kind | None = None
    unplanned: Flag = False
    note: Words | None = None
    source: Words | None = None

    @property
    def charged_hours(self) -> Fraction:
        """GPU-hours that it was charged, on its own kind of GPU: as stated, else GPUs held x wall-clock hours."""
        if self.gpu_hours is not None:
            return self.gpu_hours
        return (self.gpus or Fraction(0)) * (self.wall_hours or Fraction(0))
