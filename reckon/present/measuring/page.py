"""The pages of a project that the ledger names, and what its first page shows of measurements.

A page has sections in the order of the ledger, each with its blocks and texts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from typing import Any, NamedTuple

from reckon.compute.measuring.measured import STEP
from reckon.compute.measuring.projections import pairs
from reckon.compute.statements.passages import Said
from reckon.compute.statements.words import NONE
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.kinds import PROJECT
from reckon.model.pages import ANSWER, CARDS, CONFIGURATIONS, COSTS, MODELS, PARTS, RESULTS, Shown, showable

from ..fitting.block import FITTING, SHOWN, alone, fitting
from ..fitting.memory import MemoryBlock, filled
from ..render.printing import counted
from ..table import DASH, MOST_ROWS, As, Bold, Cell, Form, Link, Table, below, figures, known, words
from ..view import View, placed
from .devices import Bounded, Sizes, Specifications
from .levers import Levers
from .measurement import Measured
from .projection import Projected
from .results import Results

APART = (CONFIGURATIONS, "figures")
"""Blocks that the first page shows in tables of their own, whatever its sections show."""


class PageBlock(NamedTuple):
    """A block of a section: its kind, which names the template that shows it, and what it shows."""

    kind: str
    shows: Any
    id: str = ""

    @property
    def template(self) -> str:
        """The template that shows it."""
        return f"{'fitting' if self.kind in FITTING else 'measuring'}/{self.kind}.md.j2"


class Again(NamedTuple):
    """A record that a section above shows already: what it is called, and the heading there."""

    title: str
    section: str


class Section(NamedTuple):
    """A heading with the blocks of its records, and the texts that join it."""

    title: str
    blocks: list[PageBlock]
    texts: list[Said]


@dataclass(frozen=True)
class Paper:
    """A page of a project by its id."""

    view: View
    id: str

    @property
    def record(self) -> r.Page:
        """The record in project.yaml."""
        return self.view.project.pages[self.id]

    @property
    def about(self) -> Table:
        """Its project and its dates."""
        view, project = self.view, self.view.project
        version = f"after {view.released}" if view.released else project.version
        dated = self.record.as_of or project.as_of
        rows: list[tuple[str, Cell]] = [("As of", dated)]
        rows += [("Data through", view.through)] if str(view.through) != str(dated) else []
        rows += [("Source", self.record.source)] if self.record.source else []
        return Table([words("Project"), words((Link(project.title, "index.md"), " ", version))], rows)

    @property
    def texts(self) -> list[Said]:
        """The texts that stand on it."""
        return [text for text in self.view.every_text if text.passage.page == self.id]

    @property
    def answer(self) -> list[Said]:
        """The texts that open it."""
        return [text for text in self.texts if text.section.lower() == ANSWER]

    @property
    def details(self) -> list[Paper]:
        """The pages that have its details."""
        pages = self.view.project.pages
        return [Paper(self.view, str(name)) for name, page in pages.items() if page.under == self.id]

    @cached_property
    def projected(self) -> list[Projected]:
        """The projections that it shows, whole or as a row."""
        shown = [block.shows for section in self.sections for block in section.blocks]
        return [each for some in shown for each in (some.projections if isinstance(some, Results) else (some,))
                if isinstance(each, Projected)]  # fmt: skip

    @cached_property
    def leaves_out(self) -> tuple[Text, ...]:
        """What all of several projections leave out, which is said once."""
        found = {tuple(each.field("leaves_out") or ()) for each in self.projected}
        return next(iter(found)) if len(found) == 1 and len(self.projected) > 1 else ()

    @cached_property
    def sections(self) -> list[Section]:
        """The sections that the ledger lists, then those that only texts bring."""
        every = showable(self.view.book.ledger, self.view.ledger)
        texts: dict[str, list[Said]] = {}
        for text in self.texts:
            texts.setdefault(text.section.lower(), []).append(text)
        texts.pop(ANSWER, None)
        shown = {str(title): [thing for at in some for thing in every.get(at, ())]
                 for title, some in self.record.sections.items()}  # fmt: skip
        apart = {thing.id for some in shown.values() for thing in some if thing.kind == PARTS}
        apart |= {name for some in shown.values() for name in alone(some)}
        above: dict[tuple[str, str], str] = {}
        listed = [
            Section(title, list(_once(blocks(self.view, some, apart), title, above)), texts.pop(title.lower(), []))
            for title, some in shown.items()
        ]
        return [*listed, *(Section(str(some[0].section), [], some) for some in texts.values())]


def _once(found: Iterable[PageBlock], section: str, above: dict[tuple[str, str], str]) -> Iterator[PageBlock]:
    """Blocks of a section; one that stands above already is only named. `above` learns what stands where."""
    for block in found:
        there = above.setdefault((block.kind, block.id), section) if block.id else section
        yield block if there == section else PageBlock("again", Again(_title(block), there))


def _title(block: PageBlock) -> str:
    """What a block is called: as its record is, or as it calls itself."""
    if isinstance(block.shows, str):
        return block.id
    record = getattr(block.shows, "record", None)
    return str(getattr(record, "title", None) or getattr(block.shows, "title", None) or block.id)


def blocks(view: View, shown: list[Shown], apart: Collection[str] = ()) -> Iterator[PageBlock]:
    """The blocks of some records: things of a table come together where the first of them stands.

    `apart` are the measurements whose parts, and the configurations whose overrides, have a block of their own.
    """
    done: set[str] = set()
    for kind, some in groupby(shown, key=lambda thing: thing.kind):
        run = list(some)
        if kind in TABLES:
            every = tuple(dict.fromkeys(thing.id for thing in shown if thing.kind == kind))[:MOST_ROWS]
            if kind not in done:
                yield PageBlock(kind, TABLES[kind](view, every))
            done.add(kind)
        elif kind in SHOWN:
            yield from (PageBlock(*made) for made in fitting(view, run, apart))
        else:
            yield from (PageBlock(kind, SINGLE[kind](view, record.id, record.id in apart), record.id) for record in run)


@dataclass(frozen=True)
class Overview:
    """The measurements of a project and what follows from them."""

    view: View

    @cached_property
    def papers(self) -> list[Paper]:
        """The pages that the ledger names."""
        return [Paper(self.view, str(name)) for name in self.view.project.pages]

    @cached_property
    def glances(self) -> Table:
        """Each projection from each of its measurements, at most two hundred."""
        found = [(record.title or name, self.view.ledger.measurements[measurement], f"projections.{name}.{measurement}")
                 for name, record, measurement in islice(pairs(self.view.ledger), MOST_ROWS)]  # fmt: skip
        priced = any(self.view.maybe(f"{at}.usd") for *_, at in found)
        columns = [words("Projection"), words("From"), words("Kind"), figures("Per step"), figures("In all"),
                   figures("Cost", shown=priced)]  # fmt: skip
        forms: Mapping[str, Form] = {STEP: "spent", "hours": "spent", "usd": "ranged"}
        return Table(columns, [
            [title, record.title, record.kind,
             *(known(self.view.maybe(f"{at}.{key}"), form) for key, form in forms.items())]
            for title, record, at in found
        ])  # fmt: skip

    @cached_property
    def left(self) -> list[PageBlock]:
        """The blocks of the records that no page shows."""
        elsewhere, every = placed(self.view.ledger), showable(self.view.book.ledger, self.view.ledger)
        shown = [
            thing for kind in PROJECT.values() if kind.block and kind.block not in APART
            for address, some in every.items() for thing in some
            if thing.kind == kind.block and address == f"{kind.id}.{thing.id}" and not {address, kind.id} & elsewhere
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
        elsewhere = placed(self.view.ledger)
        every = {} if "configurations" in elsewhere else self.view.ledger.configurations
        return {str(name): record for name, record in every.items() if f"configurations.{name}" not in elsewhere}

    @cached_property
    def fits(self) -> list[MemoryBlock]:
        """Each configuration that says what memory it takes, on the project's card."""
        return [MemoryBlock(self.view, name, str(self.view.project.gpu)) for name in filled(self.view)][:MOST_ROWS]

    @property
    def memory(self) -> Table:
        """The memory and the time of each of these."""
        card = Text(self.view.card(str(self.view.project.gpu)))
        columns = [words("Configuration"), figures(("Needed on ", card)), figures("Left"), words("Verdict"),
                   words("Smallest card", nothing=DASH), figures("Time")]  # fmt: skip
        rows: list[list[Cell]] = []
        for fit in self.fits:
            at = f"configurations.{fit.id}"
            word, hours = self.view.word(f"{at}.smallest-card"), self.view.maybe(f"{at}.expected_hours")
            smallest = word.title if word and not (word.missing and word.id == NONE) else None
            rows.append([fit.own.title, known(fit.need, "ranged"), known(fit.headroom, "ranged"), Bold(fit.verdict),
                         smallest, known(hours, "spent")])  # fmt: skip
        return Table(columns, rows)

    @property
    def called(self) -> str:
        """What the first page is about, as its heading has it."""
        told = self.view.ledger.measurements or not self.view.ledger.configurations
        return "measurements and projections" if told else "memory and time"

    @property
    def measurements(self) -> Figure:
        """How many measurements there are."""
        return counted(len(self.view.ledger.measurements), "measurements")

    @property
    def projections(self) -> Figure:
        """How many projections there are."""
        return counted(len(self.view.ledger.projections), "projections")


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


TABLES: Mapping[str, Callable[[View, tuple[str, ...]], Any]] = {
    CARDS: Specifications,
    MODELS: Sizes,
    "levers": Levers,
    RESULTS: Results,
    "figures": lambda _, ids: tuple(f"figures.{name}" for name in ids),
}
"""What stands in one table, however the section lists it: what its template is given, by the ids."""
SINGLE: Mapping[str, Callable[[View, str, bool], Any]] = {
    "measurements": Measured,
    PARTS: Measured,
    "projections": lambda view, name, _: Projected(view, name),
    "bounds": lambda view, name, _: Bounded(view, name),
    COSTS: lambda view, name, _: Projected(view, name).bills,
    "citations": lambda _, name, __: name,
}
"""What stands by itself: what its template is given, by its id and whether its parts stand elsewhere on the page."""
