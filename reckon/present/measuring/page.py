"""The pages of a project that the ledger names, and what its first page shows of measurements.

A page has sections in the order of the ledger, each with its blocks and texts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from reckon.compute.statements.text_blocks import Said
from reckon.language.groups import group_by
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.pages import (
    ANSWER,
    CARDS,
    COSTS,
    MODELS,
    PARTS,
    PICTURE,
    RESULTS,
    Shown,
    showable,
)

from ..fitting.block import FITTING, SHOWN, alone, fitting
from ..table import MOST_ROWS, CellRows, Link, Table, words
from ..view import OfRecord, View
from .devices import Bounded, Sizes, Specifications
from .levers import Levers
from .measurement import Estimates, Measured, brief
from .projection import Projected, Results


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


class Paper(OfRecord):
    """A page of a project by its id."""

    @property
    def record(self) -> r.Page:
        """The record in project.yaml."""
        return self.project.pages[self.id]

    @property
    def about(self) -> Table:
        """Its project and its dates."""
        view, project = self.view, self.project
        version = f"after {view.released}" if view.released else project.version
        dated = self.record.as_of or project.as_of
        rows: CellRows = [("As of", dated)]
        rows += [("Data through", view.through)] if view.through != dated else []
        rows += [("Source", self.record.source)] if self.record.source else []
        return Table(["Project", words((Link(project.title, "index.md"), " ", version))], rows)

    @property
    def texts(self) -> list[Said]:
        """The texts that stand on it."""
        return [text for text in self.view.every_text if text.passage.page == self.id]

    @property
    def answer(self) -> list[Said]:
        """The texts that open it."""
        return [text for text in self.texts if text.section.lower() == ANSWER]

    @cached_property
    def _shown(self) -> dict[str, list[Shown]]:
        """What each section that the ledger lists shows, by its title."""
        every, found = showable(self.book.ledger, self.ledger), {}
        for title, addresses in self.record.sections.items():
            found[str(title)] = [thing for address in addresses for thing in every.get(address, ())]
        return found

    @cached_property
    def opening(self) -> list[PageBlock]:
        """The blocks that stand with these, such as a picture."""
        shown = [thing for title, some in self._shown.items() if title.lower() == ANSWER for thing in some]
        return list(blocks(self.view, shown))

    @property
    def pictured(self) -> set[str]:
        """The pictures that stand without their tables, which are not shown a second time."""
        every = list(self.opening)
        for section in self.sections:
            every += section.blocks
        return {block.id for block in every if block.kind == PICTURE}

    @property
    def above(self) -> Paper | None:
        """The page whose details it has."""
        return Paper(self.view, self.record.under) if self.record.under in self.project.pages else None

    @property
    def details(self) -> list[Paper]:
        """The pages that have its details."""
        pages = self.project.pages
        return [Paper(self.view, name) for name, page in pages.items() if page.under == self.id]

    @cached_property
    def projected(self) -> list[Projected]:
        """The projections that it shows, whole or as a row."""
        shown = [block.shows for section in self.sections for block in section.blocks]
        return [
            each
            for some in shown
            for each in (some.projections if isinstance(some, Results) else (some,))
            if isinstance(each, Projected)
        ]

    @cached_property
    def leaves_out(self) -> tuple[Text, ...]:
        """What all of several projections leave out, which is said once."""
        found = {tuple(each.field("leaves_out") or ()) for each in self.projected}
        return next(iter(found)) if len(found) == 1 and len(self.projected) > 1 else ()

    @cached_property
    def sections(self) -> list[Section]:
        """The sections that the ledger lists, then those that only texts bring."""
        texts = group_by(self.texts, lambda text: text.section.lower())
        texts.pop(ANSWER, None)
        shown = {title: some for title, some in self._shown.items() if title.lower() != ANSWER}
        apart = {thing.id for some in shown.values() for thing in some if thing.kind == PARTS}
        apart |= {name for some in shown.values() for name in alone(some)}
        above: dict[tuple[str, str], str] = {}
        listed = [
            Section(title, list(_once(blocks(self.view, some, apart), title, above)), texts.pop(title.lower(), []))
            for title, some in shown.items()
        ]
        return [*listed, *(Section(some[0].section, [], some) for some in texts.values())]


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
            yield from _single(view, kind, run, apart)


def _single(view: View, kind: str, run: list[Shown], apart: Collection[str]) -> Iterator[PageBlock]:
    """A block for each record; measurements that state nothing but a time follow each other in one."""
    measurements = view.ledger.measurements
    for short, some in groupby(run, key=lambda thing: kind == "measurements" and brief(measurements[thing.id])):
        names = [thing.id for thing in some]
        if short and len(names) > 1:
            yield PageBlock("estimates", Estimates(view, names), " ".join(names))
        else:
            yield from (PageBlock(kind, SINGLE[kind](view, name, name in apart), name) for name in names)


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
    PICTURE: lambda _, name, __: name,
}
"""What stands by itself: what its template is given, by its id and whether its parts stand elsewhere on the page."""
