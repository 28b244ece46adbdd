"""A projection as `projection` prints it: counts, and for each measurement its figures; and the same for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reckon.compute.book import Book
from reckon.compute.statements.words import NONE, Word
from reckon.model.figure import Figure, missing_of

from ..export import exact_ends
from ..measured import projection as measured
from ..measured.costs import Bill, Cost, bills
from ..measured.projection import SCALES
from ..render.numbers import figure_text, in_time

FORMAT_NUMBER = 1
COLUMNS: Mapping[str, str] = {
    "seconds_per_step": "Per step", "hours_per_task": "Per task", "hours_per_epoch": "Per epoch", "hours": "In all",
    "speedup": "Speed-up", "gpu_hours": "GPU-hours", "usd": "Cost",
}  # fmt: skip
KEYS = tuple(COLUMNS)
FACTORS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")
STEPS = ("steps_per_task", "steps_per_epoch", "steps", "batched_steps_per_epoch", "batched_steps")


@dataclass(frozen=True, slots=True)
class Column:
    """What a projection comes to from one measurement."""

    id: str
    measurement: str
    title: str
    figures: Mapping[str, Figure | None]
    bill: Bill | None
    reported: Word | None

    @property
    def costs(self) -> tuple[Cost, ...]:
        """What it costs, a price list each."""
        return self.bill.rows if self.bill else ()

    @property
    def cheapest(self) -> Word | None:
        """The price list that costs least."""
        return self.bill.cheapest if self.bill else None


class Projected(measured.Projected):
    """A projection of a project, as its block on a page has it, and row by row."""

    @property
    def book(self) -> Book:
        """The book that it stands in."""
        return self.view.book

    @property
    def address(self) -> str:
        """Its address, with the project."""
        return f"{self.view.id}.{self.at}"

    @cached_property
    def counts(self) -> dict[str, Figure | None]:
        """The counts that its steps come from, and the steps."""
        known = {key: self.of(key) for key in FACTORS if not self.fields.in_all}
        return {**dict.fromkeys(FACTORS), **known, **{key: self.view.maybe(f"{self.at}.{key}") for key in STEPS}}

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What it comes to, a measurement each."""
        costs = {bill.measurement: bill for bill in bills(self.view, self.id)}
        return tuple(self._column(name, costs.get(name)) for name in self.fields.measurements)

    def _column(self, name: str, bill: Bill | None) -> Column:
        record, word = self.view.ledger.measurements[name], self.view.word(f"{self.at}.{name}.reported")
        kind = None if str(record.kind) in record.title.lower() else record.kind
        known = ", ".join(str(one) for one in (kind, record.date, record.device) if one is not None)
        figures = {key: self.view.maybe(f"{self.at}.{name}.{key}") for key in KEYS}
        stands = word if word and word.id != NONE else None
        return Column(
            name, str(record.title), f"{record.title} ({known})" if known else str(record.title), figures, bill, stands
        )

    @cached_property
    def scaling(self) -> dict[str, str]:
        """What makes a step another than the measured one, each as it is printed."""
        figures = {key: self.of(key) for key in SCALES if self.fields.holder(key)}
        found = {key: figure_text(figure) for key, figure in figures.items() if figure}
        if (model := self.field("model")) is not None:
            record = self.book.ledger.catalog.models.get(model)
            found["model"] = str(record.title if record else model)
        return found

    @property
    def leaves_out(self) -> tuple[str, ...]:
        """What it does not count."""
        return tuple(str(one) for one in self.field("leaves_out") or ())

    @property
    def missing(self) -> tuple[str, ...]:
        """The inputs for want of which a figure has no value, each once."""
        figures = [self.steps, self.batched, self.reported]
        for column in self.columns:
            figures += [*column.figures.values(), *(cost.usd for cost in column.costs)]
        return missing_of(figures)


def whole(book: Book, every: Sequence[Projected]) -> dict[str, Any]:
    """Projections for other programs: exact values, with the text that a person reads."""
    return {
        "format": FORMAT_NUMBER, "changes": {one.address: one.value for one in book.ledger.changes},
        "projections": [_projection(one) for one in every],
    }  # fmt: skip


def _projection(one: Projected) -> dict[str, Any]:
    return {
        "project": one.view.id, "projection": one.id, "address": one.address, "title": one.title,
        "counts": {key: _figure(figure) for key, figure in one.counts.items() if figure},
        "batched": one.batched is not None, "scales": one.scaling,
        "measurements": [_column(column) for column in one.columns],
        "leaves_out": list(one.leaves_out), "reported": _figure(one.reported), "reported_by": one.reported_by,
        "missing": list(one.missing),
    }  # fmt: skip


def _column(column: Column) -> dict[str, Any]:
    costs = [{"prices": one.offer.id, "title": one.offer.title, "usd": _figure(one.usd),
              "billed_hours": _figure(one.billed), "usd_per_month": _figure(one.monthly)}
             for one in column.costs]  # fmt: skip
    return {
        "measurement": column.id, "title": column.measurement,
        "figures": {key: _figure(figure) for key, figure in column.figures.items() if figure}, "costs": costs,
        "cheapest": column.cheapest.id if column.cheapest else None,
        "reported": column.reported.id if column.reported else None,
    }  # fmt: skip


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    text, missing = figure_text(in_time(figure)), list(figure.missing)
    return {**exact_ends(figure.value), "unit": figure.unit.symbol, "text": text, "missing": missing}
