"""Records that projects share: the catalogue, and grants of GPU-hours."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from reckon.model.record import Record
from reckon.model.values import Amounted, Date, RefersTo, Under, Words

from .words import CardRef


class Card(Record):
    """A GPU. What vendors print as GB of VRAM is GiB."""

    title: Words
    architecture: Words | None = None
    released: Date | None = None
    vram_gib: Amounted | None = Field(None, description="nominal memory; what vendors print as GB is GiB")
    usable_vram_gib: Amounted | None = Field(None, description="memory that a process can use, where it is known")
    dense_tflops: Under = Field(default_factory=dict, description="dense peak by number format, without sparsity")
    sparse_tflops: Under = Field(default_factory=dict)
    memory_gb_per_second: Amounted | None = None
    cores: Amounted | None = None
    watts: Amounted | None = None
    counts_as: Under = Field(
        default_factory=dict, description="hours of the named GPU that one hour on this one counts as"
    )
    source: Words | None = None
    as_of: Date | None = None
    notes: Words | None = None


class PriceList(Record):
    """What an hour on each card costs: one provider, one tier, one date, one source."""

    title: Words
    provider: Words | None = None
    tier: Words | None = None
    as_of: Date | None = None
    usd_per_gpu_hour: Under = Field(default_factory=dict, description="the price of an hour on each card")
    source: Words | None = None
    notes: Words | None = None


class Model(Record):
    """A model whose training or inference is budgeted."""

    title: Words
    parameters: Amounted | None = None
    layers: Amounted | None = None
    kv_heads: Amounted | None = None
    head_size: Amounted | None = None
    dtype: Words | None = None
    source: Words | None = None
    notes: Words | None = None


class Allocation(Record):
    """A grant of GPU-hours, shared by projects."""

    title: Words
    gpu: CardRef | None = None
    gpu_hours: Amounted
    since: Date | None = None
    until: Date | None = None
    projects: tuple[Annotated[Words, RefersTo("projects")], ...] = ()
    source: Words | None = None
    notes: Words | None = None
