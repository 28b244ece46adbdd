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
from reckon.model.sections import showable

from ..about import placed
from ..fitting.memory import Memory, filled
from ..printing import counted
from ..table import MOST_ROWS
from ..view import View
from .page import Block, Paper, blocks

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
        elsewhere, known = placed(self.view.one), showable(self.view.book.ledger, self.view.one)
        shown = [
            one for kind in KINDS for address, some in known.items() for one in some
            if one.kind == kind and address == f"{kind}.{one.id}" and not {address, kind} & elsewhere
        ]  # fmt: skip
        return list(blocks(self.view, shown))

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
