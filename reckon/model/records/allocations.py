"""Grants of GPU-hours, of a centre's own units, or of money: how much, what changed, and how each run is charged."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field, ValidationInfo, model_validator

from reckon.language.units import CURRENCIES
from reckon.model import amounts
from reckon.model.amounts import AmountValue
from reckon.model.fields import ReadBy
from reckon.model.record import Record
from reckon.model.scalars import complain
from reckon.model.values import (
    Above,
    Amounted,
    Date,
    Exactly,
    Reference,
    RefersTo,
    Signed,
    Words,
    takes,
)

from .shared import Billing, CardRef, PriceListRef

_PER = ("gpus_per_unit", "units_per_gpu_hour")
_GRANTED = ("gpu_hours", "units", *CURRENCIES)
CHANGES = ("granted", "refunded", "charged", "moved")


def _read_per_gpu_hour(raw: object, info: ValidationInfo) -> AmountValue | dict[str, AmountValue]:
    """Units for an hour of any card, or of each card that is named."""
    return amounts.read_rates(raw, info) if _names_cards(raw) else amounts.read_above(raw, info)


def _names_cards(raw: object) -> bool:
    """Whether a map has cards for keys, and is not an amount that is written as a map."""
    return isinstance(raw, Mapping) and not {"formula", "low", "high", "use"} & raw.keys()


_BY_CARD = {"anyOf": [takes("above"), {"type": "object", "additionalProperties": takes("above")}]}
PerGpuHour = Annotated[AmountValue | dict[str, AmountValue], ReadBy(_read_per_gpu_hour, _BY_CARD)]


class Charge(Billing):
    """The unit in which a centre charges: node-hours of some GPUs each, or some units for each GPU-hour; and how."""

    unit: Words = Field(description="name of the unit, such as `node-hours`")
    gpus_per_unit: Above | None = Field(None, description="GPUs in one hour of the unit, such as 4 of a node")
    units_per_gpu_hour: PerGpuHour | None = Field(
        None, description="units for one GPU-hour, instead of `gpus_per_unit`; or by card: `{a100: 1, h100: 2.5}`"
    )

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards whose hours it counts; none where it counts those of any."""
        return tuple(self.units_per_gpu_hour) if isinstance(self.units_per_gpu_hour, dict) else ()

    @model_validator(mode="after")
    def check_unit(self) -> Self:
        """Refuses a unit of which both is said; or neither, where it does not say how runs are billed either."""
        said = self.list_stated(_PER)
        if len(said) != 1 and not (self.bills and not said):
            wrong = "both define the unit" if said else "the GPU-hours of the unit are missing"
            right = "write `gpus_per_unit` (such as 4) or `units_per_gpu_hour` (such as 6), not both"
            raise complain(self.unit, f"`{self.unit[:40]}`: {wrong}", right)
        return self


class Change(Record):
    """A change of an allocation on one day, in its unit: granted, refunded, charged or moved."""

    date: Date = Field(description="day of the change")
    granted: Signed | None = Field(None, description="additional grant; negative if taken back")
    refunded: Exactly | None = Field(None, description="refund of a charge; the hours stay spent")
    charged: Exactly | None = Field(None, description="charge without a run")
    moved: Exactly | None = Field(None, description="amount moved to another allocation (`to`)")
    to: Annotated[Reference, RefersTo("allocations")] | None = Field(None, description="allocation that receives it")
    item: Words | None = Field(None, description="item it concerns")
    job: Words | None = Field(None, description="job it concerns")
    why: Words = Field(description="reason, such as `top-up`")

    @property
    def kind(self) -> str:
        """Which of `CHANGES` it is."""
        return self.list_stated(CHANGES)[0]

    @property
    def amount(self) -> Fraction:
        """How much was granted, refunded, charged or moved."""
        found: Fraction = getattr(self, self.kind)
        return found

    @property
    def is_booking(self) -> bool:
        """Whether it changes what was charged, and not what was granted."""
        return self.kind in ("refunded", "charged")

    @model_validator(mode="after")
    def check_kind(self) -> Self:
        """Refuses an entry that says none of `CHANGES`, or several; and one that moves to nobody."""
        said = self.list_stated(CHANGES)
        if len(said) != 1:
            wrong = f"this has both {' and '.join(f'`{name}`' for name in said)}" if said else "the change is missing"
            raise complain(self.why, wrong, f"write one of {', '.join(CHANGES)}")
        if (self.moved is None) != (self.to is None):
            wrong = "`to` is missing: the allocation that receives it" if self.to is None else "`to` needs `moved`"
            raise complain(self.why, wrong, "write `moved: 100` and `to:` with the id of another allocation")
        return self


class Allocation(Record, by_currency="usd"):
    """A grant of GPU-hours, or of the units in which its centre charges, or of money; shared by projects."""

    title: Words
    gpu: CardRef | None = Field(None, description="card of the granted hours (default: the projects' GPU)")
    gpu_hours: Amounted | None = Field(None, description="grant in GPU-hours")
    units: Amounted | None = Field(None, description="grant in the unit of `charge`")
    usd: Amounted | None = Field(None, description="grant in US dollars: a contract or an award")
    prices: tuple[PriceListRef, ...] = Field(
        (), description="price lists in order: what it pays, or the value of its hours or units"
    )
    gpus: Above | None = Field(None, description="most GPUs it can hold at one time")
    since: Date | None = Field(None, description="first day of use; a month or a year means all of it")
    until: Date | None = Field(None, description="last day of use; a month or a year means all of it")
    projects: tuple[Annotated[Reference, RefersTo("projects")], ...] = Field((), description="projects that use it")
    charge: Charge | None = Field(
        None,
        description="the centre's unit and its billing rules: `{unit: node-hours, gpus_per_unit: 4}`",
    )
    changes: tuple[Change, ...] = Field(
        (), description="later changes: `{date: 2026-04-02, granted: 300, why: top-up}`"
    )
    source: Words | None = None
    notes: Words | None = None

    @property
    def amount_key(self) -> str:
        """Which key says what was granted."""
        return next(iter(self.list_stated(_GRANTED)), "gpu_hours")

    @property
    def currency(self) -> str:
        """The currency in which it pays, in small letters; empty where it was granted in hours or units."""
        return self.amount_key if self.amount_key in CURRENCIES else ""

    @property
    def unit_words(self) -> str:
        """What it counts in: GPU-hours, what its centre calls its unit, or its currency."""
        if self.currency:
            return self.currency.upper()
        return str(self.charge.unit) if self.units is not None and self.charge is not None else "GPU-h"

    @property
    def bills(self) -> bool:
        """Whether what its centre bills of a run may differ from what that held."""
        return self.charge is not None and self.charge.bills

    @property
    def amount(self) -> AmountValue:
        """What was granted, before any change."""
        found: AmountValue = getattr(self, self.amount_key)
        return found

    @model_validator(mode="after")
    def check_amount(self) -> Self:
        """Refuses a grant of nothing, of several kinds, or of units of which nothing says what they are."""
        said = self.list_stated(_GRANTED)
        if len(said) != 1:
            both = " and ".join(f"`{name}`" for name in said)
            wrong = f"{both} are both granted" if said else "the grant is missing"
            raise complain(self.title, wrong, "write one of `gpu_hours: 500`, `units: 4500` and `eur: 2900`")
        if self.currency and self.gpu is not None:
            right = "remove `gpu`; it pays for the cards in its `prices`"
            raise complain(self.gpu, "a grant of money has no card", right)
        if self.currency and self.charge is not None:
            right = "remove `charge`, and write `minimum_hours`, `step_hours`, `whole_gpus` in its price list"
            raise complain(self.charge.unit, "it charges money", right)
        if self.units is not None and (self.charge is None or not self.charge.list_stated(_PER)):
            right = "write `charge: {unit: node-hours, gpus_per_unit: 4}`"
            raise complain(self.title, "the definition of its units is missing", right)
        return self
