"""Grants of GPU-hours, and the unit in which a computing centre charges for them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from reckon.model.record import Record
from reckon.model.scalars import complain
from reckon.model.values import Above, Amounted, Date, Reference, RefersTo, Words

from .shared import CardRef

_PER = ("gpus_per_unit", "units_per_gpu_hour")


class Charge(Record):
    """The unit in which a centre charges: node-hours of some GPUs each, or some units for each GPU-hour."""

    unit: Words = Field(description="what it is called, as `node-hours`")
    gpus_per_unit: Above | None = Field(None, description="GPUs that an hour of the unit has, as 4 of a node")
    units_per_gpu_hour: Above | None = Field(None, description="units for one GPU-hour, in place of `gpus_per_unit`")

    @model_validator(mode="after")
    def check_unit(self) -> Self:
        """Refuses a unit of which neither or both is said."""
        said = [name for name in _PER if getattr(self, name) is not None]
        if len(said) != 1:
            wrong = "both say what the unit is" if said else "nothing says how many GPU-hours the unit is"
            right = "write `gpus_per_unit` (as 4 of a node) or `units_per_gpu_hour` (as 6), and not both"
            raise complain(self.unit, f"`{self.unit[:40]}`: {wrong}", right)
        return self


class Allocation(Record):
    """A grant of GPU-hours, shared by projects."""

    title: Words
    gpu: CardRef | None = Field(None, description="the card whose hours were granted; if none, as its projects count")
    gpu_hours: Amounted = Field(description="what was granted")
    gpus: Above | None = Field(None, description="capacity: GPUs of it that can be held at one time")
    since: Date | None = Field(None, description="first day on which it can be used; a month or a year means all of it")
    until: Date | None = Field(None, description="the last day, likewise")
    projects: tuple[Annotated[Reference, RefersTo("projects")], ...] = Field((), description="who draws on it")
    charge: Charge | None = Field(
        None, description="the unit that its centre counts in, for applications: `{unit: node-hours, gpus_per_unit: 4}`"
    )
    source: Words | None = None
    notes: Words | None = None
