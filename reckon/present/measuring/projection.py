"""A projection as its blocks show it: its counts in words, what it comes to from each measurement, and its costs; and
what several come to, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from reckon.compute.measuring.projections import Fields, ListedPrice, offers_of
from reckon.compute.measuring.results import STEP
from reckon.compute.statements.words import NONE, Word
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, is_known, operands

from ..render.numbers import told_text
from ..table import As, CellRow, CellRows, Columns, Form, Table, figures, known, words
from ..table_rows import FigureLine, Open, only, open_inputs
from ..view import OfProject, OfRecord, View

MOST_BESIDE = 4
"""The most measurements that stand side by side as columns; more are the rows of the table."""
SPEEDUP = "speedup"
AMOUNTS: Sequence[tuple[str, str, Form, str]] = (
    (STEP, "Per step", "spent", ""),
    ("hours_per_task", "Per task", "spent", "steps_per_task"),
    ("hours_per_epoch", "Per epoch", "spent", "steps_per_epoch"),
    ("hours", "Total", "spent", "steps"),
    (SPEEDUP, "Speed-up", "ranged", ""),
    ("gpu_hours", "GPU-hours", "ranged", ""),
    ("usd", "Cost", "ranged", ""),
)
"""What work comes to from a measurement: key, title, form, and the count that stands behind the title."""
COUNTS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs")
SCALES = ("multiplier", "gpus", "efficiency", "exponent")


class Reported(NamedTuple):
    """How a projected time stands to one that was reported elsewhere."""

    title: str
    hours: Figure
    standing: Word


class Cost(NamedTuple):
    """A price list in the table: its price of an hour with billed time and cost, or that of a month, or none."""

    offer: ListedPrice
    card: str
    prices: r.PriceList
    price: Figure | None
    billed: Figure | None
    usd: Figure | None
    monthly: Figure | None

    @property
    def source(self) -> str:
        """Where its price is from, and of when."""
        return ", ".join(said for said in (self.prices.source, self.prices.as_of) if said)

    @property
    def row(self) -> CellRow:
        """Its row of the table of costs."""
        cells: CellRow = [None, "no price for this card", None]
        if self.price:
            cells = [known(self.usd, "ranged"), As(self.price, "ranged"), known(self.billed, "spent")]
        elif self.monthly:
            cells = [(As(self.monthly), ", as a subscription"), None, None]
        return [self.offer.title, *cells, self.card, self.source]


@dataclass(frozen=True)
class Bill:
    """The costs of a projection on the device of one measurement: their span, and the cheapest list."""

    measurement: str
    title: str
    card: str
    rows: tuple[Cost, ...]
    span: Figure | None
    cheapest: Word | None
    missing: tuple[Open, ...]

    @property
    def priced(self) -> bool:
        """Whether any list has a price of an hour."""
        return any(row.price for row in self.rows)

    @property
    def lists(self) -> Table:
        """The cost at each price list. What is the same of all that have a price of an hour stands in no column."""
        columns: Columns = [
            "Provider",
            figures("Cost"),
            figures("An hour"),
            figures("Billed time", shown=self.billed is None),
            words("GPU", shown=not self.one_card),
            words("Source", shown=not self.source),
        ]
        return Table(columns, [row.row for row in self.rows])

    @property
    def one_card(self) -> str:
        """The card that all lists have, where that is one."""
        return only(row.card for row in self.rows)

    @property
    def billed(self) -> Figure | None:
        """The time that all lists with a price of an hour bill, where that is one."""
        found = [row.billed for row in self.rows if row.price]
        return found[0] if len({figure.value for figure in found if is_known(figure)}) == 1 and all(found) else None

    @property
    def source(self) -> str:
        """Where all prices are from, where that is one place."""
        return only(row.source for row in self.rows)


class Projected(OfRecord):
    """A projection of a project."""

    @property
    def at(self) -> str:
        """Its address inside the project."""
        return f"projections.{self.id}"

    @property
    def record(self) -> r.Projection:
        """The record in projections.yaml."""
        return self.ledger.projections[self.id]

    @cached_property
    def fields(self) -> Fields:
        """What it says by itself or through its bases."""
        return Fields(self.ledger, self.id)

    @property
    def title(self) -> str:
        """What it is called."""
        return self.fields.title

    def field(self, name: str) -> Any:
        """A field, taken over from its bases where it has none of its own; None where nothing says it."""
        return self.fields.value(name)

    def of(self, field: str) -> Figure | None:
        """The figure of a field, or of what stands in for it."""
        return self.maybe(self.fields.address(field) or f"{self.at}.{field}")

    @cached_property
    def measured(self) -> list[r.Measurement]:
        """What it is projected from."""
        return [self.ledger.measurements[name] for name in self.fields.measurements]

    @property
    def factors(self) -> list[Figure]:
        """What the steps come from, or nothing where they are stated."""
        return [] if self.fields.in_all else [figure for name in COUNTS if (figure := self.of(name))]

    @property
    def steps(self) -> Figure | None:
        """The steps in all."""
        return self.maybe(f"{self.at}.steps")

    @property
    def batched(self) -> Figure | None:
        """The steps that environments take together, where they do."""
        return self.maybe(f"{self.at}.batched_steps")

    @property
    def calls(self) -> Figure | None:
        """The steps in all, or the calls of the model that take them together."""
        return self._count("steps", "batched_" if self.batched else "")

    @property
    def scales(self) -> list[Figure]:
        """What scales the time of a step."""
        return [figure for name in SCALES if self.fields.holder(name) and (figure := self.of(name))]

    @property
    def scaled(self) -> list[tuple[str, Figure]]:
        """The measurements whose step is scaled, by title, with the time that comes of it."""
        found = zip(self.measured, self.row(STEP), strict=True)
        return [
            (record.title, figure) for record, figure in found if is_known(figure) and len(list(operands(figure))) > 1
        ]

    def row(self, key: str) -> list[Figure | None]:
        """A figure of each measurement."""
        return [self.maybe(f"{self.at}.{name}.{key}") for name in self.fields.measurements]

    @property
    def bracketed(self) -> bool:
        """Whether a range stands in brackets behind one of its figures."""
        return any(figure and told_text(figure).endswith(")") for key, *_ in AMOUNTS for figure in self.row(key))

    @cached_property
    def speedup(self) -> Figure | None:
        """The one speed-up, where there are two measurements: it holds for every time alike."""
        found = self.row(SPEEDUP)
        return found[1] if len(found) == 2 else None

    @cached_property
    def amounts(self) -> list[FigureLine]:
        """What it comes to, from a step to its cost, with a figure for each measurement; what has none is left out."""
        batched = "batched_" if self.batched else ""
        rows = [
            FigureLine(key, title, self.row(key), form, self._count(counted, batched) if counted else None)
            for key, title, form, counted in AMOUNTS
        ]
        return [row for row in rows if any(row.figures)]

    @property
    def _rows(self) -> list[FigureLine]:
        return [row for row in self.amounts if row.key != SPEEDUP or self.speedup is None]

    @property
    def results(self) -> Table:
        """The same as a table: the measurements side by side where they are few, or else below each other."""
        rows, titles = self._rows, [record.title for record in self.measured]
        if not rows:
            return Table(())
        if len(titles) > MOST_BESIDE:
            turned = zip(titles, *(row.cells for row in rows), strict=True)
            return Table(["", *(figures(row.name) for row in rows)], list(turned))
        ratio = known(self.speedup, "ranged")
        kinds: CellRow = ["Kind", *map(self.fields.kind_of, self.fields.measurements), ""]
        columns: Columns = ["", *map(figures, titles), figures("Speed-up", shown=self.speedup is not None)]
        return Table(columns, [kinds, *([row.name, *row.cells, ratio if row.form == "spent" else ""] for row in rows)])

    def _count(self, key: str, batched: str) -> Figure | None:
        figure = self.maybe(f"{self.at}.{batched}{key}") if key != "steps" or batched else self.steps
        return replace(figure, unit=key_unit("calls" if batched else "steps")) if figure else None

    @property
    def plan(self) -> Figure | None:
        """The estimate of the plan that answers the same question."""
        return self.maybe(f"plan.{self.record.compare}.estimate") if self.record.compare else None

    @property
    def reported(self) -> Figure | None:
        """What was reported elsewhere for the same."""
        name = self.field("reported")
        return self.maybe(f"figures.{name}") if name else None

    @property
    def reported_by(self) -> str:
        """The source of that."""
        named = self.ledger.figures.get(str(self.field("reported")))
        return (named.source or "") if named else ""

    @property
    def standings(self) -> Iterator[Reported]:
        """How each projected time stands to it."""
        for name, record, hours in zip(self.fields.measurements, self.measured, self.row("hours"), strict=True):
            word = self.view.word(f"{self.at}.{name}.reported")
            if word and is_known(hours) and not word.missing:
                yield Reported(record.title, hours, word)

    @property
    def known(self) -> bool:
        """Whether any time of it has a value."""
        return any(cell for row in self.amounts if row.form == "spent" for cell in row.cells)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what has no value."""
        return open_inputs(self.book, [self.steps, *(figure for row in self._rows for figure in row.figures)])

    @cached_property
    def bills(self) -> list[Bill]:
        """What it costs, for each of its measurements whose device is a card with price lists."""
        book, found = self.book, []
        for name, record in zip(self.fields.measurements, self.measured, strict=True):
            rows = tuple(_cost(self.view, offer) for offer in offers_of(book.ledger, self.ledger, self.id, name))
            if rows:
                span, word = self.maybe(f"{self.at}.{name}.usd"), self.view.word(f"{self.at}.{name}.cheapest")
                cheapest = word if word and not word.missing and word.id != NONE else None
                missing = tuple(open_inputs(book, (row.usd for row in rows)))
                title, card = f"{self.title}, {record.title}", self.view.card(str(record.device))
                found.append(Bill(name, title, card, rows, span, cheapest, missing))
        return found


def _cost(view: View, offer: ListedPrice) -> Cost:
    price, monthly = (view.book.get(at) if at else None for at in (offer.hourly, offer.monthly))
    billed, usd = view.maybe_all(offer.at, "billed_hours", "usd")
    return Cost(offer, view.card(offer.card), view.catalog.prices[offer.id], price, billed, usd, monthly)


# What decides comes first: a narrow page shows no more without scrolling.
ORDER = ("hours", "usd", "gpu_hours", STEP, SPEEDUP)
SHOWN = tuple((key, title, form) for wanted in ORDER for key, title, form, _ in AMOUNTS if key == wanted)


@dataclass(frozen=True)
class Results(OfProject):
    """Some projections of a project, by their ids."""

    ids: Sequence[str]

    @cached_property
    def projections(self) -> list[Projected]:
        """The projections."""
        return [Projected(self.view, name) for name in self.ids]

    @cached_property
    def table(self) -> Table:
        """The table; a column in which nothing is known is left out."""
        rows: CellRows = []
        for projected in self.projections:
            amounts = [(form, projected.row(key)) for key, _, form in SHOWN]
            for number, measurement in enumerate(projected.measured):
                cells = [known(row[number], form) for form, row in amounts]
                title, steps = ("", "") if number else (projected.title, projected.calls)
                rows.append([title, measurement.title, *cells, steps])
        columns = [figures(title, optional=True) for _, title, _ in SHOWN]
        return Table(["Run", "From", *columns, figures("Steps", "full", nothing="")], rows)

    @property
    def bracketed(self) -> bool:
        """Whether a range stands in brackets behind one of its figures."""
        return any(projected.bracketed for projected in self.projections)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what has no value."""
        return open_inputs(self.book, (each for projected in self.projections for each in projected.row("hours")))
