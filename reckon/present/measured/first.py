"""What the first page of a project shows of its measurements: all at a glance, and what no other page has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.measuring.measured import STEP
from reckon.compute.measuring.projections import pairs
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.pages import showable

from ..fitting.memory import Memory, filled
from ..render.printing import counted
from ..table import MOST_ROWS, As, Cell, Table, below, figures, known, words
from ..view import View, placed
from .page import Block, Paper, blocks
from .projection import Projected

KINDS = ("measurements", "projections", "bounds", "levers")


class Glance(NamedTuple):
    """A projection from one measurement, in a line."""

    title: str
    measured: str
    kind: str
    step: Figure | None
    hours: Figure | None
    usd: Figure | None


@dataclass(frozen=True)
class Overview:
    """The measurements of a project and what follows from them."""

    view: View

    @cached_property
    def papers(self) -> list[Paper]:
        """The pages that the ledger names."""
        return [Paper(self.view, str(name)) for name in self.view.project.pages]

    @cached_property
    def glances(self) -> list[Glance]:
        """Each projection from each of its measurements, at most two hundred."""
        return list(self._glances())[:MOST_ROWS]

    def _glances(self) -> Iterator[Glance]:
        for name, record, measurement in pairs(self.view.one):
            at, of = f"projections.{name}.{measurement}", self.view.one.measurements[measurement]
            step, hours, usd = (self.view.maybe(f"{at}.{key}") for key in (STEP, "hours", "usd"))
            yield Glance(str(record.title or name), str(of.title), str(of.kind), step, hours, usd)

    @property
    def priced(self) -> bool:
        """Whether any projection has a cost."""
        return any(row.usd for row in self.glances)

    @cached_property
    def left(self) -> list[Block]:
        """The blocks of the records that no page shows."""
        elsewhere, every = placed(self.view.one), showable(self.view.book.ledger, self.view.one)
        shown = [
            one for kind in KINDS for address, some in every.items() for one in some
            if one.kind == kind and address == f"{kind}.{one.id}" and not {address, kind} & elsewhere
        ]  # fmt: skip
        return list(blocks(self.view, shown))

    @property
    def projected(self) -> list[Projected]:
        """The projections that no page shows."""
        return [block.shows for block in self.left if block.kind == "projections"]

    @property
    def durations(self) -> Table:
        """What these come to in time and GPU-hours, from each of their measurements."""
        planned = any(projected.plan for projected in self.projected)
        columns = [words("Projection"), figures("Wall-clock time"), figures("GPU-hours"), words("How"),
                   figures("The plan's estimate", nothing="", shown=planned)]  # fmt: skip
        return Table(columns, [row for projected in self.projected for row in _durations(projected)])

    @property
    def configurations(self) -> dict[str, r.Configuration]:
        """The configurations that no page shows."""
        elsewhere = placed(self.view.one)
        every = {} if "configurations" in elsewhere else self.view.one.configurations
        return {str(name): one for name, one in every.items() if f"configurations.{name}" not in elsewhere}

    @cached_property
    def fits(self) -> list[Memory]:
        """Each configuration that says what memory it takes, on the project's card."""
        return [Memory(self.view, name, str(self.view.project.gpu)) for name in filled(self.view)][:MOST_ROWS]

    @property
    def called(self) -> str:
        """What the first page is about, as its heading has it."""
        told = self.view.one.measurements or not self.view.one.configurations
        return "measurements and projections" if told else "memory and time"

    @property
    def measurements(self) -> Figure:
        """How many measurements there are."""
        return counted(len(self.view.one.measurements), "measurements")

    @property
    def projections(self) -> Figure:
        """How many projections there are."""
        return counted(len(self.view.one.projections), "projections")


def _durations(projected: Projected) -> Iterator[list[Cell]]:
    if not projected.measured:
        yield [projected.title, None, None, "a measurement is missing", ""]
    keys = ("hours", "gpu_hours", STEP)
    for measurement, hours, spent, step in zip(projected.measured, *map(projected.row, keys), strict=True):
        title = below(projected.title, measurement.title if len(projected.measured) > 1 else None)
        how: Cell = "an input is missing"
        if hours and step and not hours.missing:
            how = below(As(hours, "workings"), ("a step: ", As(step, "workings")))
        plan = As(projected.plan) if projected.plan else None
        yield [title, known(hours, "spent"), known(spent, "ranged"), how, plan]
