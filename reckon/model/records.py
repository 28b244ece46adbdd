"""The records that a ledger holds: what can be written in which file. Descriptions are shown by editors while typing."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema

from reckon.language.text import Text

from .record import Record
from .values import (
    Amounted, Date, Exactly, Flag, Free, GpuHours, Id, Moment, Notes, OneOf, Ratio, RefersTo, SeedNames, Settings, Under, Words,
)  # fmt: skip


def _word(*words: str) -> tuple[PlainValidator, WithJsonSchema]:
    return PlainValidator(OneOf(words)), WithJsonSchema({"type": "string", "enum": list(words)})


SCOPES = ("one-time", "per-seed", "single-seed", "all-seeds")
STATUSES = ("completed", "failed", "cancelled", "timeout", "out-of-memory", "node-failure", "preempted", "running", "held-idle")
Scope = Annotated[Text, *_word(*SCOPES)]
Kind = Annotated[Text, *_word("measured", "simulated", "datasheet", "reported", "estimated")]
Status = Annotated[Text, *_word(*STATUSES)]
Release = Annotated[Text, *_word("released", "pending", "future")]
CardRef = Annotated[Words, RefersTo("catalog.gpus")]
ModelRef = Annotated[Words, RefersTo("catalog.models")]


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
    counts_as: Under = Field(default_factory=dict, description="hours of the named GPU that one hour on this one counts as")
    source: Words | None = None
    as_of: Date | None = None
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


class Need(Record):
    """Memory that a kind of work needs on each GPU."""

    title: Words
    need_gib_per_gpu: Amounted
    notes: Words | None = None
    source: Words | None = None


class Hardware(Record):
    """A hardware configuration that the document names: which cards, how many, for which work; free keys are its figures."""

    free: ClassVar[str] = "figures"
    title: Words
    cards: tuple[CardRef, ...] = ()
    gpus: Amounted | None = None
    runs: tuple[Annotated[Words, RefersTo("memory")], ...] = Field((), description="ids under `memory` of the work it is recommended for")
    details: dict[Words, Words] = Field(default_factory=dict, description="facts in words: `network: InfiniBand`")
    figures: Free = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None


class Version(Record):
    """An entry of the version history."""

    status: Release
    date: Date | None = None
    note: Words
    waits_for: Words | None = None


class Accept(Record):
    """A finding that the authors have seen and accept, with the reason."""

    finding: Words
    reason: Words
    by: Words | None = None
    until: Words | None = Field(None, description="the version or date up to which it is accepted")


class Project(Record):
    """project.yaml: what the project is and what its budget rests on."""

    title: Words
    summary: Words | None = None
    version: Words
    status: Words | None = None
    as_of: Date = Field(description="the date of the plan; nothing that renders reads the clock")
    gpu: CardRef = Field(description="the GPU whose hours the budget counts")
    models: tuple[ModelRef, ...] = ()
    seeds: SeedNames | None = None
    contingency: Ratio | None = Field(None, description="share of the subtotal kept for the unforeseen, as 15%")
    ceiling: GpuHours | None = Field(None, description="GPU-hours that must not be passed")
    memory: dict[Id, Need] = Field(default_factory=dict)
    hardware: dict[Id, Hardware] = Field(default_factory=dict)
    versions: dict[Words, Version] = Field(default_factory=dict)
    accept: tuple[Accept, ...] = ()
    source: Words | None = None
    notes: Words | None = None


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


class Measurement(Record):
    """Something measured, simulated or reported; free keys are its figures, and a formula reaches them by name."""

    free: ClassVar[str] = "figures"
    title: Words
    kind: Kind
    date: Date | None = None
    device: Words | None = Field(None, description="a card of the catalogue, or a device in words")
    gpus: Amounted | None = None
    configuration: Words | None = None
    parts: dict[Id, Ratio] = Field(default_factory=dict, description="shares of a whole, which add up to 100%")
    memory: dict[Id, Annotated[Words, RefersTo("memory")]] = Field(
        default_factory=dict, description="figure of this record: the need under `memory` that it answers too"
    )
    figures: Free = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None


class Projection(Record):
    """Hours reckoned from a measurement: time per step x steps x multiplier / (GPUs x efficiency)."""

    title: Words | None = None
    base: Annotated[Words, RefersTo("projections")] | None = Field(None, description="a projection whose fields this one takes over")
    measurement: Annotated[Words, RefersTo("measurements")] | None = None
    steps: Amounted | None = None
    multiplier: Amounted | None = Field(None, description="how many times longer than the measured step")
    gpus: Amounted | None = None
    efficiency: Ratio | None = Field(None, description="share of a perfect speed-up that several GPUs reach")
    compare: Annotated[Words, RefersTo("items")] | None = Field(None, description="the item of the plan that it answers too")
    leaves_out: Words | None = None
    notes: Words | None = None


class Configuration(Record):
    """Settings that a document names for reference."""

    title: Words
    group: Words | None = None
    settings: Settings = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None


class NamedFigure(Record):
    """One named quantity; its key carries the unit."""

    free: ClassVar[str] = "figures"
    title: Words
    source: Words | None = None
    notes: Words | None = None
    figures: Free = Field(default_factory=dict)


class Passage(Record):
    """A piece of the document in the author's words: points, labelled points, or a table of figures."""

    title: Words | None = None
    section: Words = Field(description="the heading that it stands under, or the id of a phase to stand at its end")
    text: Words | None = None
    parts: dict[Words, Words] | tuple[Words, ...] = ()
    rows: tuple[Words, ...] = Field((), description="addresses of figures, one row each")


class Claim(Record):
    """A figure stated somewhere, held against the reckoned one; or the terms of a stated formula."""

    of: Words = Field(description="the address of the figure that it speaks of")
    states: Words | None = Field(None, description="the figure as stated, `~` where it was called approximate")
    terms: tuple[Words, ...] = Field((), description="the items and parts that a stated formula sums")
    at: Words = Field(description="where it is stated")
    source: Words | None = None
