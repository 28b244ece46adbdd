"""project.yaml: what a project is, what it runs on, and what its authors have accepted."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from reckon.language.text import Text
from reckon.model.record import Record
from reckon.model.values import (
    Amounted,
    Condition,
    Date,
    Days,
    Draw,
    Free,
    GpuHours,
    Id,
    Ratio,
    RefersTo,
    SeedNames,
    Words,
)

from .words import CardRef, Each, ModelRef, Release, Severity


class Need(Record):
    """Memory that a kind of work needs on each GPU."""

    title: Words
    need_gib_per_gpu: Amounted
    notes: Words | None = None
    source: Words | None = None


class Hardware(Record):
    """A hardware configuration that a document names: cards, how many, for which work; free keys are its figures."""

    free: ClassVar[str] = "figures"
    title: Words
    cards: tuple[CardRef, ...] = ()
    gpus: Amounted | None = None
    runs: tuple[Annotated[Words, RefersTo("memory")], ...] = Field(
        (), description="ids under `memory` of the work it is recommended for"
    )
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
    reasons: dict[Words, Words] = Field(
        default_factory=dict,
        description="why inputs changed, by address: `plan.train.gpu_hours: the runs took longer`",
    )


class Accept(Record):
    """A finding that the authors have seen and accept, with the reason."""

    finding: Words
    reason: Words
    by: Words | None = None
    until: Words | None = Field(None, description="the version or date up to which it is accepted")


class Policy(Record):
    """A condition that the project is to keep; `check` tells when it does not."""

    title: Words | None = None
    each: Each | None = Field(None, description="run it over each of these; names are then sought there first")
    require: Condition
    severity: Severity = Field(Text("error"), description="error, warning or note: what a breach is")
    message: Words = Field(description="what to do when it is breached")


class Drop(Record):
    """A piece of the plan that is given up if there is not enough: an item, a phase, a seed, or a seed of an item."""

    item: Annotated[Words, RefersTo("items")] | None = None
    phase: Annotated[Words, RefersTo("phases")] | None = None
    seed: Words | None = None
    why: Words | None = Field(None, description="why it can go")


class Page(Record):
    """A page of a project: its sections in order, and the records that each shows. Texts join by page and section."""

    title: Words
    summary: Words | None = None
    as_of: Date | None = None
    sections: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict,
        description="records by address, under the heading: `Measured performance: [measurements.cpu-requests]`; "
        "`.parts` of a measurement and `.costs` of a projection stand by themselves",
    )
    source: Words | None = None


class Citation(Record):
    """A publication to be cited, as BibTeX has it."""

    type: Words = Field(Text("article"), description="article, inproceedings, misc, as in BibTeX")
    title: Words
    authors: tuple[Words, ...] = ()
    year: Date | None = None
    journal: Words | None = None
    url: Words | None = None
    notes: Words | None = None


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
    forecast_seed: Draw | None = Field(None, description="another whole number makes other draws (0)")
    pace_days: Days | None = Field(None, description="days of data that the pace is taken from (28)")
    prices: tuple[Annotated[Words, RefersTo("catalog.prices")], ...] = Field(
        (), description="price lists; the first that has the project's GPU counts"
    )
    throughputs: tuple[Annotated[Words, RefersTo("catalog.throughputs")], ...] = Field(
        (), description="tables of throughput; the first that has a card for the model counts"
    )
    price_days: Days | None = Field(None, description="how much older than `as_of` a price may be (180 days)")
    policies: dict[Id, Policy] = Field(default_factory=dict)
    descope: tuple[Drop, ...] = Field((), description="what is dropped if there is not enough, the first first")
    reserve_gib: Amounted | None = Field(None, description="memory of each GPU that is to stay free (0)")
    memory: dict[Id, Need] = Field(default_factory=dict)
    hardware: dict[Id, Hardware] = Field(default_factory=dict)
    versions: dict[Words, Version] = Field(default_factory=dict)
    pages: dict[Id, Page] = Field(default_factory=dict, description="pages beside the first, by file name")
    citations: dict[Id, Citation] = Field(default_factory=dict)
    accept: tuple[Accept, ...] = ()
    csv: dict[Words, Words] = Field(
        default_factory=dict, description="columns of `add runs` and the fields they hold, as `JobID: job`"
    )
    source: Words | None = None
    notes: Words | None = None
