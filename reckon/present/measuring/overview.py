"""What the first page of a project shows of measurements, projections and configurations that no page of its has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice

from reckon.compute.measuring.projections import Fields, pairs
from reckon.compute.measuring.results import STEP
from reckon.compute.sheet.cells import read_formula
from reckon.compute.sheet.evaluate import derive
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.figure import Figure, is_known
from reckon.model.finding import say
from reckon.model.kinds import PROJECT
from reckon.model.pages import CONFIGURATIONS, FIT, MEMORY, Shown, showable

from ..fitting.memory import MemoryBlock, filled
from ..render.numbers import time_unit
from ..table import (
    MOST_ROWS,
    As,
    Bold,
    Cell,
    CellRow,
    CellRows,
    Columns,
    Form,
    Table,
    below,
    figures,
    given,
    known,
    words,
)
from ..table_rows import BY_SETTINGS, estimate_called, placed
from ..view import OfProject
from .page import PageBlock, Paper, blocks
from .projection import Projected

MIXED = {"min", "h"}
"""Times that a person would tell in these units are all told in hours where they stand in one column."""
APART = (CONFIGURATIONS, "figures")
"""Blocks that the first page shows in tables of their own, whatever its sections show."""


class Overview(OfProject):
    """The measurements of a project and what follows from them."""

    @cached_property
    def papers(self) -> list[Paper]:
        """The pages that the ledger names."""
        return [Paper(self.view, name) for name in self.project.pages]

    @cached_property
    def glances(self) -> Table:
        """Each projection from each of its measurements, at most two hundred."""
        return self._glance(pairs(self.ledger))

    @property
    def first(self) -> Table:
        """The same of the projections on its own pages, but for pages under others; of all, where these show none."""
        pages = [page for page in self.project.pages.values() if not page.under]
        sections = [section for page in pages for section in page.sections.values()]
        shown = {address.removesuffix(".result") for section in sections for address in section}
        chosen = [pair for pair in pairs(self.ledger) if f"projections.{pair[0]}" in shown]
        return self._glance(chosen or pairs(self.ledger))

    def _glance(self, of: Iterable[tuple[str, r.Projection, str]]) -> Table:
        found = [
            (name, record.title or name, measurement, f"projections.{name}.{measurement}")
            for name, record, measurement in islice(of, MOST_ROWS)
        ]
        priced = any(self.maybe(f"{at}.usd") for *_, at in found)
        forms: Mapping[str, Form] = {STEP: "spent", "hours": "spent", "usd": "ranged"}
        measured = self.ledger.measurements
        rows: CellRows = []
        for name, title, measurement, at in found:
            kind = Fields(self.ledger, name).kind_of(measurement)
            amounts = [known(self.maybe(f"{at}.{key}"), form) for key, form in forms.items()]
            rows.append([title, measured[measurement].title, kind, *amounts])
        return Table(
            [
                "Projection",
                "From",
                "Kind",
                figures("Per step"),
                figures("Total"),
                figures("Cost", shown=priced),
            ],
            rows,
        )

    @cached_property
    def left(self) -> list[PageBlock]:
        """The blocks of the records that no page shows."""
        elsewhere, every = placed(self.ledger), showable(self.book.ledger, self.ledger)
        shown: list[Shown] = []
        for kind in PROJECT.values():
            if not kind.block or kind.block in APART or kind.id in elsewhere:
                continue
            for address, things in every.items():
                if address in elsewhere:
                    continue
                shown += [each for each in things if each.kind == kind.block and address == f"{kind.id}.{each.id}"]
        return list(blocks(self.view, shown))

    @property
    def projected(self) -> list[Projected]:
        """The projections that no page shows."""
        return [block.shows for block in self.left if block.kind == "projections"]

    @property
    def durations(self) -> Table:
        """What these come to in time and GPU-hours, from each of their measurements, and how that comes about."""
        planned = any(projected.plan for projected in self.projected)
        own = estimate_called(self.book, self.view.id) == BY_SETTINGS
        called = "By the plan's settings" if own else "The plan's estimate"
        columns: Columns = [
            "Projection",
            figures("Wall-clock time"),
            figures("GPU-hours"),
            "How",
            figures(called, nothing="", shown=planned),
        ]
        hours = (figure for projected in self.projected for figure in projected.row("hours"))
        units = {time_unit(figure).symbol for figure in hours if is_known(figure)}
        return Table(columns, [row for projected in self.projected for row in _durations(projected, units == MIXED)])

    @property
    def configurations(self) -> dict[str, r.Configuration]:
        """The configurations that no page shows."""
        elsewhere = placed(self.ledger)
        every = {} if "configurations" in elsewhere else self.ledger.configurations
        return {name: record for name, record in every.items() if f"configurations.{name}" not in elsewhere}

    @cached_property
    def fits(self) -> list[MemoryBlock]:
        """Each configuration whose memory is stated and that no page shows, on the project's card."""
        elsewhere = placed(self.ledger)
        names = [] if {MEMORY, FIT} & elsewhere else filled(self.view)
        left = (name for name in names if f"{CONFIGURATIONS}.{name}.{MEMORY}" not in elsewhere)
        return [MemoryBlock(self.view, name, self.project.gpu) for name in left][:MOST_ROWS]

    @property
    def memory(self) -> Table:
        """The memory and the time of each configuration whose memory is stated."""
        return self.memory_of(filled(self.view))

    def memory_of(self, names: Iterable[str]) -> Table:
        """The same of some configurations, wherever they are shown."""
        card, question = Text(self.view.card(self.project.gpu)), say("Fits?")
        rows: CellRows = []
        for fit in [MemoryBlock(self.view, name, self.project.gpu) for name in names][:MOST_ROWS]:
            hours = self.maybe(f"configurations.{fit.id}.expected_hours")
            if fit.usable and fit.reserve:
                limit = derive(read_formula("a - b"), {"a": fit.usable, "b": fit.reserve}, fit.reserve.unit)
                question = say("Under {limit}?", limit=limit)
            needs = [known(need, "ranged") for need in (fit.need, fit.headroom)]
            rows.append([fit.own.title, *needs, Bold(fit.answer), known(hours, "spent")])
        columns: Columns = ["Settings", figures(("Needed on ", card)), figures("Left")]
        return Table([*columns, words(question), figures("Time")], rows)

    @property
    def called(self) -> str:
        """What the first page is about, as its heading has it."""
        told = self.ledger.measurements or not self.ledger.configurations
        return "measurements and projections" if told else "memory and time"


def _durations(projected: Projected, in_hours: bool) -> Iterator[CellRow]:
    if not projected.measured:
        yield [projected.title, None, None, "a measurement is missing", ""]
    keys = ("hours", "gpu_hours", STEP)
    for measurement, hours, spent, step in zip(projected.measured, *map(projected.row, keys), strict=True):
        title = below(projected.title, measurement.title if len(projected.measured) > 1 else None)
        how: Cell = "an input is missing"
        if hours and step and not hours.missing:
            how = below(As(hours, "workings"), ("a step: ", As(step, "workings")))
        yield [title, _time(hours, in_hours), known(spent, "ranged"), how, given(projected.plan)]


def _time(hours: Figure | None, in_hours: bool) -> Cell:
    """A time as it is told by itself; in hours, with two decimals below one hour."""
    most = hours.value.high if is_known(hours) else None
    short = in_hours and most is not None and most < 1
    return known(replace(hours, decimals=2) if short and hours else hours, "ranged" if in_hours else "spent")
