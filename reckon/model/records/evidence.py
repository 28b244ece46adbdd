"""What a plan rests on and what is said of it: measurements, projections, figures, texts, claims."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from reckon.model.record import Record
from reckon.model.values import (
    Amounted,
    Condition,
    Date,
    Efficiency,
    Free,
    Id,
    Name,
    One,
    Parts,
    Ratio,
    RefersTo,
    Settings,
    Words,
)

from .words import Kind


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
    memory: dict[Name, Annotated[Words, RefersTo("memory")]] = Field(
        default_factory=dict, description="figure of this record: the need under `memory` that it answers too"
    )
    figures: Free = Field(default_factory=dict)
    notes: Words | None = None
    source: Words | None = None


class Projection(Record):
    """Hours reckoned from a measurement: time per step x steps x multiplier / (GPUs x efficiency)."""

    title: Words | None = None
    base: Annotated[Words, RefersTo("projections")] | None = Field(
        None, description="a projection whose fields this one takes over"
    )
    measurement: Annotated[Words, RefersTo("measurements")] | None = None
    steps: Amounted | None = None
    multiplier: Amounted | None = Field(None, description="how many times longer than the measured step")
    gpus: Amounted | None = None
    efficiency: Efficiency | None = Field(None, description="share of a perfect speed-up that several GPUs reach")
    compare: Annotated[Words, RefersTo("items")] | None = Field(
        None, description="the item of the plan that it answers too"
    )
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
    figures: One = Field(default_factory=dict)


class Passage(Record):
    """A piece of the document in the author's words: points, labelled points, or a table of figures."""

    title: Words | None = None
    section: Words = Field(description="the heading that it stands under, or the id of a phase to stand at its end")
    when: Condition | None = Field(None, description="left out, with a finding, where this does not hold")
    text: Words | None = Field(None, description="markdown; {address} quotes a figure")
    otherwise: Words | None = Field(None, description="stands there instead where `when` does not hold")
    parts: Parts = ()
    rows: tuple[Words, ...] = Field((), description="addresses of figures, one row each")


class Claim(Record):
    """A figure stated somewhere, held against the reckoned one; a table of such; or the terms of a stated formula."""

    of: Words = Field(description="the address of the figure that it speaks of; of a table, what its figures lie below")
    states: Words | None = Field(None, description="the figure as stated, `~` where it was called approximate")
    columns: tuple[Words, ...] = Field((), description="of a table: how the address of each column's figures ends")
    rows: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict, description="of a table: the figures as stated, by what comes after `of`; `-` for none"
    )
    terms: tuple[Words, ...] = Field((), description="the items and parts that a stated formula sums")
    at: Words = Field(description="where it is stated")
    source: Words | None = None
