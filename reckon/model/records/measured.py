"""What was measured, and what is projected from it: measurements, projections, bounds."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from reckon.language.text import Text
from reckon.model.record import Record
from reckon.model.rows import Rows, not_summed
from reckon.model.scalars import complain, wrong
from reckon.model.values import (
    Above,
    Amounted,
    Date,
    Efficiency,
    Free,
    Id,
    Name,
    Notes,
    Once,
    Ratio,
    RefersTo,
    Words,
)

from .words import Kind, ModelRef

MeasurementRef = Annotated[Words, RefersTo("measurements")]
DeviceWords = Annotated[Words, Field(description="a card or device of the catalogue, or a device in words")]


class Measurement(Record):
    """Something measured, simulated or reported: rows of named columns, or single figures under keys of their own."""

    free: ClassVar[str] = "figures"
    title: Words
    kind: Kind
    date: Date | None = None
    device: DeviceWords | None = None
    gpus: Amounted | None = None
    model: ModelRef | None = None
    dtype: Words | None = Field(None, description="number format that it ran in, as bf16")
    configuration: Words | None = Field(None, description="a configuration of configurations.yaml, or one in words")
    row: Words | None = Field(None, description="what one row is, as request or step")
    rows: Rows = Field((), description="one map for each, with the same columns, the unit last: `generation_seconds`")
    total: tuple[Name, ...] = Field((), description="columns whose sum is the whole of a row")
    parts: dict[Id, Ratio] = Field(default_factory=dict, description="shares of a whole, which add up to 100%")
    memory: dict[Name, Annotated[Words, RefersTo("memory")]] = Field(
        default_factory=dict, description="figure of this record: the need under `memory` that it answers too"
    )
    figures: Free = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None

    @field_validator("total")
    @classmethod
    def sums_columns(cls, total: tuple[Text, ...], info: ValidationInfo) -> tuple[Text, ...]:
        """Refuses a sum of columns that the rows do not have, or of unlike ones."""
        problems = list(not_summed(total, info.data["rows"])) if "rows" in info.data else []
        if problems:
            raise wrong(problems)
        return total

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its rows, in the order of the first."""
        return tuple(self.rows[0].values) if self.rows else ()


class Projection(Record):
    """The time of some work, from each of some measurements: time per step x steps."""

    title: Words | None = None
    base: Annotated[Words, RefersTo("projections")] | None = Field(
        None, description="a projection whose fields this one takes over"
    )
    measurements: Annotated[tuple[MeasurementRef, ...], Once] | None = Field(
        None, description="what the time per step is taken from; the first is what speed-ups are reckoned against"
    )
    steps: Above | None = Field(None, description="steps in all; or what they come from")
    tasks: Above | None = None
    rollouts_per_task: Above | None = None
    steps_per_rollout: Above | None = None
    epochs: Above | None = None
    parallel_environments: Above | None = Field(
        None, description="rollouts that take a step together, in one model call"
    )
    multiplier: Above | None = Field(None, description="how many times longer than the measured step")
    gpus: Above | None = None
    efficiency: Efficiency | None = Field(None, description="share of a perfect speed-up that several GPUs reach")
    model: ModelRef | None = Field(None, description="the model, where it is not the measured one")
    exponent: Amounted | None = Field(None, description="time grows with parameters to this power, from model to model")
    prices: Annotated[tuple[Annotated[Words, RefersTo("catalog.prices")], ...], Once] | None = Field(
        None, description="price lists that its cost is reckoned at"
    )
    compare: Annotated[Words, RefersTo("items")] | None = Field(
        None, description="the item of the plan that it answers too"
    )
    reported: Annotated[Words, RefersTo("figures")] | None = Field(
        None, description="a named figure that was reported elsewhere for the same, in hours or another time"
    )
    leaves_out: Notes = Field((), description="what it does not count, as the environment or the update")
    notes: Words | None = None
    source: Words | None = None

    @field_validator("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")
    @classmethod
    def counts_steps_once(cls, count: Any, info: ValidationInfo) -> Any:
        """Steps are stated in all, or come from tasks, rollouts and epochs: from both they could be two numbers."""
        if info.data.get("steps") is not None:
            right = "keep `steps`, or what they come from"
            raise complain(count, f"`{info.field_name}` and `steps` are both given", right)
        return count


class Bound(Record):
    """The least time that the peaks of devices allow for a piece of inference, held against what was measured there."""

    title: Words
    measurements: Annotated[tuple[MeasurementRef, ...], Once] = Field(
        description="whose model, dtype and device are taken; the first is what speed-ups are reckoned against"
    )
    prefill_tokens: Above
    decode_tokens: Above
    flop_per_parameter_per_token: Above | None = Field(None, description="of a forward pass (2)")
    notes: Words | None = None
    source: Words | None = None
