"""What something runs with: configurations, what they need of memory, and levers that change them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from reckon.model.record import Record
from reckon.model.values import Above, Amounted, Id, Name, Ratio, RefersTo, Settings, Share, Words

from .measured import MeasurementRef
from .words import LeverStatus, ModelRef, Optimizer, Reckoning, Recompute, Sharding


class MemoryPart(Record):
    """A part of what a configuration needs of the memory of a GPU: stated, a share of the card, or reckoned."""

    title: Words | None = None
    gb: Amounted | None = Field(None, description="stated; or `gib`")
    gib: Amounted | None = None
    pool: Name | None = Field(None, description="the setting that says what share of the card's usable memory is taken")
    share: Share | None = Field(None, description="that share itself, where no setting says it")
    reckoned: Reckoning | None = Field(None, description="by a named formula; `rest`: what is left of its pool")
    within: Id | None = Field(None, description="the part, a pool, that holds it: it takes nothing beside that")
    notes: Words | None = None
    source: Words | None = None

    @property
    def is_pool(self) -> bool:
        """Whether it is a share of the card."""
        return self.pool is not None or self.share is not None


class Configuration(Record):
    """Settings that something runs with, or that a document names for reference; what it takes of memory and time."""

    title: Words
    group: Words | None = None
    file: Words | None = Field(None, description="the file that holds it")
    framework: Annotated[Words, RefersTo("catalog.settings")] | None = Field(
        None, description="whose settings these are, in catalog/settings.yaml"
    )
    base: Annotated[Words, RefersTo("configurations")] | None = Field(
        None, description="a configuration whose fields, settings and parts this one takes over"
    )
    levers: tuple[Annotated[Words, RefersTo("levers")], ...] = Field((), description="levers applied, in this order")
    settings: Settings = Field(default_factory=dict)
    hours: Amounted | None = Field(None, description="how long it runs")
    time: dict[Id, Share] = Field(default_factory=dict, description="share of the time in each part, or unknown")
    memory: dict[Id, MemoryPart] = Field(default_factory=dict, description="parts of the memory of each GPU")
    model: ModelRef | None = None
    dtype: Words | None = Field(None, description="number format of weights and cache, as bf16")
    optimizer: Optimizer | None = None
    sharding: Sharding | None = Field(None, description="stage of ZeRO: what the GPUs share out among them")
    recompute: Recompute | None = Field(None, description="which activations are reckoned again, not kept")
    gpus: Above | None = Field(None, description="GPUs that the states are shared out over")
    tokens: Above | None = Field(None, description="tokens of each sequence")
    sequences: Above | None = Field(None, description="sequences at the same time")
    notes: Words | None = None
    source: Words | None = None


class Lever(Record):
    """A change of settings that is to make something quicker or smaller: what it sets, and what it was seen to do."""

    title: Words
    status: LeverStatus | None = None
    configuration: Annotated[Words, RefersTo("configurations")] | None = Field(
        None, description="the configuration that it changes"
    )
    was: Settings = Field(default_factory=dict, description="settings before it")
    sets: Settings = Field(default_factory=dict, description="settings with it")
    lowers: tuple[Name, ...] = Field((), description="settings that it is said to reduce")
    effect: Words | None = Field(None, description="what it is said to do")
    factor: Ratio | None = Field(None, description="how many times less of that it is said to leave, as 5x")
    part: Id | None = Field(None, description="the part of the memory that it makes smaller")
    saves: Share | None = Field(None, description="what share of that part it saves")
    saves_gb: Amounted | None = Field(None, description="how much of it it saves")
    slows: Id | None = Field(None, description="the part of the time that it makes longer")
    slower: Ratio | None = Field(None, description="how much longer: 20% multiplies the time by 1.2")
    throughput_lower: Share | None = Field(None, description="how much less is done in a time: 30% divides it by 0.7")
    measured_without: MeasurementRef | None = None
    measured_with: MeasurementRef | None = None
    notes: Words | None = None
    source: Words | None = None
