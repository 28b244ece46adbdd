"""A page of a project: its sections in the order of the ledger, each with its blocks and texts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from reckon.compute.statements.passages import Said
from reckon.model import records as r
from reckon.model.pages import CARDS, COSTS, MODELS, PARTS, Shown, showable

from ..fitting.block import FITTING, SHOWN, alone, fitting
from ..table import MOST_ROWS, Cell, Link, Table, words
from ..view import View
from .bound import Bounded
from .catalogue import Sizes, Specifications
from .costs import bills
from .levers import Applied
from .measurement import Measured
from .projection import Projected


class Block(NamedTuple):
    """A block of a section: its kind, which names the template that shows it, and what it shows."""

    kind: str
    shows: Any
    id: str = ""

    @property
    def template(self) -> str:
        """The template that shows it."""
        return f"{'fitting' if self.kind in FITTING else 'measured'}/{self.kind}.md.j2"


class Again(NamedTuple):
    """A record that a section above shows already: what it is called, and the heading there."""

    title: str
    section: str


class Section(NamedTuple):
    """A heading with the blocks of its records, and the texts that join it."""

    title: str
    blocks: list[Block]
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
        rows: list[tuple[str, Cell]] = [("As of", self.record.as_of or project.as_of), ("Data through", view.through)]
        rows += [("Source", self.record.source)] if self.record.source else []
        return Table([words("Project"), words((Link(project.title, "index.md"), " ", version))], rows)

    @property
    def texts(self) -> list[Said]:
        """The texts that stand on it."""
        return [text for text in self.view.every_text if text.passage.page == self.id]

    @cached_property
    def sections(self) -> list[Section]:
        """The sections that the ledger lists, then those that only texts bring."""
        known = showable(self.view.book.ledger, self.view.one)
        texts: dict[str, list[Said]] = {}
        for text in self.texts:
            texts.setdefault(text.section.lower(), []).append(text)
        shown = {str(title): [one for at in some for one in known.get(at, ())]
                 for title, some in self.record.sections.items()}  # fmt: skip
        apart = {one.id for some in shown.values() for one in some if one.kind == PARTS}
        apart |= {name for some in shown.values() for name in alone(some)}
        above: dict[tuple[str, str], str] = {}
        listed = [
            Section(title, list(_once(blocks(self.view, some, apart), title, above)), texts.pop(title.lower(), []))
            for title, some in shown.items()
        ]
        return [*listed, *(Section(str(some[0].section), [], some) for some in texts.values())]


def _once(found: Iterable[Block], section: str, above: dict[tuple[str, str], str]) -> Iterator[Block]:
    """Blocks of a section; one that stands above already is only named. `above` learns what stands where."""
    for block in found:
        there = above.setdefault((block.kind, block.id), section) if block.id else section
        yield block if there == section else Block("again", Again(_title(block), there))


def _title(block: Block) -> str:
    """What a block is called: as its record is, or as it calls itself."""
    if isinstance(block.shows, str):
        return block.id
    record = getattr(block.shows, "record", None)
    return str(getattr(record, "title", None) or getattr(block.shows, "title", None) or block.id)


def blocks(view: View, shown: list[Shown], apart: Collection[str] = ()) -> Iterator[Block]:
    """The blocks of some records: things of a table come together where the first of them stands.

    `apart` are the measurements whose parts, and the configurations whose overrides, have a block of their own.
    """
    done: set[str] = set()
    for kind, some in groupby(shown, key=lambda one: one.kind):
        run = list(some)
        if kind in TABLES:
            every = tuple(dict.fromkeys(one.id for one in shown if one.kind == kind))[:MOST_ROWS]
            if kind not in done:
                yield Block(kind, TABLES[kind](view, every))
            done.add(kind)
        elif kind in SHOWN:
            yield from (Block(*one) for one in fitting(view, run, apart))
        else:
            yield from (Block(kind, SINGLE[kind](view, record.id, record.id in apart), record.id) for record in run)


TABLES: Mapping[str, Callable[[View, tuple[str, ...]], Any]] = {
    CARDS: Specifications,
    MODELS: Sizes,
    "levers": lambda view, ids: [Applied(view, name) for name in ids],
    "figures": lambda _, ids: tuple(f"figures.{name}" for name in ids),
}
"""What stands in one table, however the section lists it: what its template is given, by the ids."""
SINGLE: Mapping[str, Callable[[View, str, bool], Any]] = {
    "measurements": Measured,
    PARTS: Measured,
    "projections": lambda view, name, _: Projected(view, name),
    "bounds": lambda view, name, _: Bounded(view, name),
    COSTS: lambda view, name, _: bills(view, name),
    "citations": lambda _, name, __: name,
}
"""What stands by itself: what its template is given, by its id and whether its parts stand elsewhere on the page."""
