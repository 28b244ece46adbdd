"""A projection as `projection` prints it: counts, and for each measurement its figures; and the same for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reckon.compute.book import Book
from reckon.compute.measuring.costs import offers_of
from reckon.compute.measuring.fields import Fields
from reckon.compute.saying.word import NONE, Word
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..export import exact
from ..numbers import figure_text, in_time

FORMAT_NUMBER = 1
COLUMNS: Mapping[str, str] = {
    "seconds_per_step": "Per step", "hours_per_task": "Per task", "hours_per_epoch": "Per epoch", "hours": "In all",
    "speedup": "Speed-up", "gpu_hours": "GPU-hours", "usd": "Cost",
}  # fmt: skip
KEYS = tuple(COLUMNS)
FACTORS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")
SCALES = ("multiplier", "gpus", "efficiency", "exponent")
STEPS = ("steps_per_task", "steps_per_epoch", "steps", "batched_steps_per_epoch", "batched_steps")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a projection costs at a price list: dollars, or a subscription, or nothing where it has no price."""

    list: str
    title: str
    usd: Figure | None
    billed: Figure | None
    monthly: Figure | None


@dataclass(frozen=True, slots=True)
class Column:
    """What a projection comes to from one measurement."""

    id: str
    measurement: str
    title: str
    figures: Mapping[str, Figure | None]
    costs: tuple[Cost, ...]
    cheapest: Word | None
    reported: Word | None


@dataclass(frozen=True)
class Projected:
    """A projection of a project."""

    book: Book
    project: str
    name: str

    @property
    def at(self) -> str:
        """Its address."""
        return f"{self.project}.projections.{self.name}"

    @property
    def one(self) -> ProjectLedger:
        """The ledger of the project."""
        return self.book.ledger.projects[self.project]

    @cached_property
    def fields(self) -> Fields:
        """What it says by itself or through its bases."""
        return Fields(self.one, self.name)

    @property
    def title(self) -> str:
        """What it is called."""
        return self.fields.title

    @cached_property
    def counts(self) -> dict[str, Figure | None]:
        """The counts that its steps come from, and the steps."""
        return {key: self._field(key) for key in (*FACTORS, *STEPS)}

    def _field(self, key: str) -> Figure | None:
        own = self.book.get(f"{self.at}.{key}")
        held = self.fields.address(key) if key in FACTORS else ""
        return own or (self.book.get(f"{self.project}.{held}") if held else None)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What it comes to, a measurement each."""
        return tuple(self._column(name) for name in self.fields.measurements)

    def _column(self, name: str) -> Column:
        record, at = self.one.measurements[name], f"{self.at}.{name}"
        known = ", ".join(str(one) for one in (record.kind, record.date, record.device) if one is not None)
        words = (self.book.words.get(f"{at}.{key}") for key in ("cheapest", "reported"))
        cheapest, reported = (None if word is None or word.id == NONE else word for word in words)
        figures = {key: self.book.get(f"{at}.{key}") for key in KEYS}
        costs = tuple(self._costs(name))
        return Column(name, str(record.title), f"{record.title} ({known})", figures, costs, cheapest, reported)

    def _costs(self, measurement: str) -> Iterator[Cost]:
        for offer in offers_of(self.book.ledger, self.one, self.name, measurement):
            at = f"{self.project}.{offer.at}"
            usd, billed, monthly = (self.book.get(f"{at}.{key}") for key in ("usd", "billed_hours", "usd_per_month"))
            yield Cost(offer.id, offer.title, usd, billed, monthly)

    @cached_property
    def scales(self) -> dict[str, str]:
        """What makes a step another than the measured one, each as it is printed."""
        found = {}
        for key in SCALES:
            figure = self.book.get(f"{self.project}.{self.fields.address(key)}") if self.fields.holder(key) else None
            if figure:
                found[key] = figure_text(figure)
        if (model := self.fields.value("model")) is not None:
            record = self.book.ledger.catalog.models.get(model)
            found["model"] = str(record.title if record else model)
        return found

    @property
    def leaves_out(self) -> tuple[str, ...]:
        """What it does not count."""
        return tuple(str(one) for one in self.fields.value("leaves_out") or ())

    @property
    def reported(self) -> Figure | None:
        """What was reported elsewhere for the same."""
        name = self.fields.value("reported")
        return self.book.get(f"{self.project}.figures.{name}") if name else None

    @property
    def reported_by(self) -> str:
        """The source of that."""
        record = self.one.figures.get(str(self.fields.value("reported")))
        return str(record.source or "") if record else ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The inputs for want of which a figure has no value, each once."""
        figures = [self.counts["steps"], self.counts["batched_steps"], self.reported]
        for column in self.columns:
            figures += [*column.figures.values(), *(cost.usd for cost in column.costs)]
        return tuple(dict.fromkeys(address for one in figures if one for address in one.missing))


def whole(book: Book, every: Sequence[Projected]) -> dict[str, Any]:
    """Projections for other programs: exact values, with the text that a person reads."""
    return {
        "format": FORMAT_NUMBER, "changes": {one.address: one.value for one in book.ledger.changes},
        "projections": [_projection(one) for one in every],
    }  # fmt: skip


def _projection(one: Projected) -> dict[str, Any]:
    return {
        "project": one.project, "projection": one.name, "address": one.at, "title": one.title,
        "counts": {key: _figure(figure) for key, figure in one.counts.items() if figure},
        "batched": one.counts["batched_steps"] is not None, "scales": one.scales,
        "measurements": [_column(column) for column in one.columns],
        "leaves_out": list(one.leaves_out), "reported": _figure(one.reported), "reported_by": one.reported_by,
        "missing": list(one.missing),
    }  # fmt: skip


def _column(column: Column) -> dict[str, Any]:
    costs = [{"prices": one.list, "title": one.title, "usd": _figure(one.usd), "billed_hours": _figure(one.billed),
              "usd_per_month": _figure(one.monthly)} for one in column.costs]  # fmt: skip
    return {
        "measurement": column.id, "title": column.measurement,
        "figures": {key: _figure(figure) for key, figure in column.figures.items() if figure}, "costs": costs,
        "cheapest": column.cheapest.id if column.cheapest else None,
        "reported": column.reported.id if column.reported else None,
    }  # fmt: skip


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    ends = {end: exact(getattr(figure.value, end)) for end in ("low", "use", "high")}
    return {**ends, "unit": figure.unit.symbol, "text": figure_text(in_time(figure)), "missing": list(figure.missing)}
