"""What configurations take of the memory of a card, part by part: one by itself, or those that belong together as
columns of one table."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.memory import FITS, NOT, TIGHT, usable_at
from reckon.compute.fitting.effective_settings import Configured
from reckon.compute.fitting.memory_needs import SOURCES
from reckon.compute.fitting.verdict import Fitted, share_of
from reckon.language.groups import group_by
from reckon.model import records as r
from reckon.model.figure import Figure, is_known

from ..table import DASH, As, Bold, Cell, CellRow, CellRows, Code, Column, Columns, Table, below, figures, given, joined
from ..table_rows import Open, open_inputs, use_of
from ..table_rows import words as worded
from ..view import OfProject, OfRecord, View
from .configurations import ConfigurationBlock, families

# How a part comes about.
POOL, REST, STATED, FORMULA, NOWHERE = "pool", "rest", "stated", "formula", "nowhere"
SIGNS = {FITS: "●", TIGHT: "◐", NOT: "○"}
"""A verdict by shape, beside its word: neither needs colour."""
ANSWERS = {FITS: "yes", TIGHT: "no, too tight", NOT: "no, too large"}


def sharing(titles: Sequence[str]) -> Cell:
    """The heading of a column that some share: each title in a line of its own, and told apart where lines break."""
    return below(*(f"{title};" for title in titles[:-1]), *titles[-1:])


class MemoryRow(NamedTuple):
    """A part of the memory: its name, the pool that it stands within, how it comes about, GiB and share of the card.

    `by` is the setting that says how large a pool is, or the name of the formula; `levers` make the part smaller.
    """

    id: str
    title: str
    within: str
    how: str
    by: str
    need: Figure | None
    share: Figure | None
    levers: list[str]
    notes: str

    @property
    def planned(self) -> bool:
        """Whether it has a value to plan with."""
        return use_of(self.need) is not None

    @property
    def _title(self) -> Cell:
        return ("in ", self.within, ": ", self.title) if self.within else self.title

    @property
    def _how(self) -> Cell:
        how: dict[str, Cell] = {
            POOL: ("a share of the card", (", ", Code(self.by)) if self.by else ""),
            REST: ("what is left of ", self.within),
            STATED: "stated",
            FORMULA: "by formula",
            NOWHERE: "not stated",
        }
        return how[self.how]

    @property
    def _after(self) -> Cell:
        return (" (after ", joined(self.levers), ")") if self.levers else ""

    @property
    def cells(self) -> CellRow:
        """Its row of the table."""
        amount: Cell = "" if self.how == NOWHERE else ": not known"
        if is_known(self.need):
            amount = (": ", As(self.need, "workings"))
        return [self._title, below((self._how, amount, self._after), self.notes), self.need, given(self.share)]

    @property
    def told(self) -> Cell:
        """What it is, and how it comes about, where configurations stand side by side."""
        return below(self._title, self._how)

    @property
    def amount(self) -> Cell:
        """What it takes, above how that comes about; a dash where it is not known."""
        if is_known(self.need):
            return below(As(self.need, "bare"), (As(self.need, "workings"), self._after))
        return None


@dataclass(frozen=True)
class MemoryBlock(OfRecord):
    """A configuration on a card."""

    card: str

    @cached_property
    def own(self) -> ConfigurationBlock:
        """The configuration."""
        return ConfigurationBlock(self.view, self.id)

    @property
    def title(self) -> str:
        """What the table is called."""
        return f"{self.own.title} on {self.view.card(self.card)}"

    @property
    def at(self) -> str:
        """Where its figures stand inside the project."""
        return f"configurations.{self.id}.on.{self.card}"

    @cached_property
    def usable(self) -> Figure | None:
        """The memory of the card that can be used; None where the catalogue states none."""
        figures = self.book.figures
        return figures.get(usable_at(figures, self.card))

    @cached_property
    def fitted(self) -> Fitted | None:
        """The verdict; None where the memory of the card is not known."""
        some = self.book.fits.get(self.view.id, ())
        return next((fit for fit in some if (fit.pair.configuration, fit.pair.card) == (self.id, self.card)), None)

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return self.fitted.verdict.words if self.fitted and self.fitted.verdict else "not known"

    @property
    def answer(self) -> str:
        """The verdict as an answer to whether it may be run: yes, or no and why."""
        return ANSWERS.get(self.verdict, self.verdict)

    @property
    def sign(self) -> str:
        """The verdict at planned values by shape; empty where it is not known."""
        return SIGNS.get(self.fitted.verdict.use, "") if self.fitted and self.fitted.verdict else ""

    @property
    def fits(self) -> bool:
        """Whether it fits at planned values."""
        return self.sign == SIGNS[FITS]

    @property
    def need(self) -> Figure | None:
        """The memory in all."""
        return self.maybe(f"{self.at}.need_gib")

    @property
    def headroom(self) -> Figure | None:
        """What is left of the card."""
        return self.maybe(f"{self.at}.headroom_gib")

    @property
    def reserve(self) -> Figure | None:
        """What is to stay free; None where nothing is said of it."""
        return self.maybe("reserve_gib")

    @cached_property
    def parts(self) -> list[MemoryRow]:
        """The parts, each pool with what stands within it below it."""
        inside = self.own.configured.inside
        top = [name for name, (_, record) in self.own.configured.parts.items() if not record.within]
        return [self._part(part) for name in top for part in (name, *inside(name))]

    @property
    def table(self) -> Table:
        """The parts, and what they come to."""
        columns: Columns = ["Part", "Calculation", figures("GiB"), figures("Share of the card", "full")]
        return Table(columns, [*(part.cells for part in self.parts), *(self._whole(self.need) if self.need else ())])

    def _whole(self, need: Figure) -> CellRows:
        """What the parts come to, beside what there is."""
        needed = None if need.missing else Bold(As(need, "bare"))
        unstated = None if self.reserve else "no reserve is stated"
        return [
            [Bold("Needed"), "", needed, self.maybe(f"{self.at}.share")],
            ["Usable", "", given(self.usable, "sourced"), ""],
            ["To stay free", unstated, given(self.reserve, "bare"), ""],
            ["Left", "", self.headroom, ""],
            [Bold("Verdict"), Bold(self.verdict), "", ""],
        ]

    def _part(self, name: str) -> MemoryRow:
        _, record = self.own.configured.parts[name]
        how, by = _describe_source(record)
        at = f"{self.at}.{name}_gib" if how in (POOL, REST) else f"configurations.{self.id}.memory.{name}.need_gib"
        need = self.maybe(at)
        share = share_of(need, self.usable) if is_known(need) and self.usable else None
        within = self._title(record.within) if record.within else ""
        reduced = self.own.configured.levers_on(name) if how != POOL else ()
        levers = [str(self.ledger.levers[lever].title) for lever in reduced]
        return MemoryRow(name, self._title(name), within, how, by, need, share, levers, record.notes or "")

    def _title(self, part: str) -> str:
        found = self.own.configured.parts.get(part)
        return str(found[1].title or worded(part)) if found else worded(part)

    @property
    def short(self) -> list[str]:
        """The pools that are too small for what stands within them."""
        return [self._title(part) for part in self.fitted.short] if self.fitted else []

    @property
    def open(self) -> list[Open]:
        """The missing inputs because of which a part, or the whole, is not known."""
        return self.open_of([part.id for part in self.parts])

    def open_of(self, names: Collection[str]) -> list[Open]:
        """The same of the parts with these names, and of the whole."""
        return open_inputs(self.book, [*(part.need for part in self.parts if part.id in names), self.need])

    @property
    def sources(self) -> list[tuple[str, str]]:
        """The formulas that parts are calculated by, and where each comes from."""
        used = dict.fromkeys(part.by for part in self.parts if part.how == FORMULA)
        return [(worded(name), SOURCES[name]) for name in used if name in SOURCES]


def _describe_source(record: r.MemoryPart) -> tuple[str, str]:
    if record.is_pool:
        return POOL, record.pool or ""
    if record.is_stated:
        return STATED, ""
    if record.reckoned == "rest":
        return REST, record.within or ""
    return (FORMULA, record.reckoned) if record.reckoned else (NOWHERE, "")


def filled(view: View) -> Iterator[str]:
    """The configurations that say what memory they take, in the order of the ledger."""
    return (name for name in view.ledger.configurations if Configured(view.ledger, name).parts)


def picture_name(card: str) -> str:
    """The name of the picture of the memory of configurations on a card."""
    return f"configurations-on-{card}"


MOST_BESIDE = 6
"""The most configurations that stand side by side in a table; more are in the next one."""


def _standing(memory: MemoryBlock) -> Hashable:
    """What a configuration takes, and its verdict: one that takes the same as another has no column of its own."""
    parts = ((row.id, row.how, row.by, row.need and row.need.value, *_levers(row)) for row in memory.parts)
    return *parts, memory.verdict


def _levers(row: MemoryRow) -> list[str]:
    """The levers that have made a part what it is: none of one whose size is not known."""
    return row.levers if is_known(row.need) else []


class MemoryTable(NamedTuple):
    """Configurations that belong together, on one card. Those with the same memory share a column, in which the first
    stands for all."""

    columns: list[list[MemoryBlock]]

    @property
    def every(self) -> list[MemoryBlock]:
        """The configurations one by one."""
        return [memory for column in self.columns for memory in column]

    @property
    def alone(self) -> MemoryBlock | None:
        """The only configuration, where there is one; it has a table of its own, with more in it."""
        return self.every[0] if len(self.every) == 1 else None

    @property
    def table(self) -> Table:
        """A row for each part, then what they come to."""
        shown = [column[0] for column in self.columns]
        parts: list[dict[str, MemoryRow]] = []
        for memory in shown:
            parts.append({row.id: row for row in memory.parts})
        rows: CellRows = []
        for name in self.parts:
            named = next(some[name] for some in parts if name in some)
            rows.append([named.told, *(some[name].amount if name in some else DASH for some in parts)])
        needs = [Bold(As(memory.need, "bare")) if is_known(memory.need) else None for memory in shown]
        rows += [
            [Bold("Needed"), *needs],
            ["Share of the card", *(given(memory.view.maybe(f"{memory.at}.share")) for memory in shown)],
            ["Left", *(memory.headroom for memory in shown)],
            [Bold("Verdict"), *(Bold(memory.verdict) for memory in shown)],
        ]
        return Table(["GiB", *map(_heading, self.columns)], rows)

    @property
    def parts(self) -> list[str]:
        """The parts that have a row: a part of a pool of which nothing is known adds nothing to it."""
        every = [row for column in self.columns for row in column[0].parts]
        told = {row.id for row in every if not row.within or is_known(row.need)}
        return list(dict.fromkeys(row.id for row in every if row.id in told))

    @property
    def open(self) -> list[Open]:
        """The inputs that what is shown lacks."""
        found = [memory.open if self.alone else memory.open_of(self.parts) for memory in self.every]
        return [missing for some in found for missing in some]

    @property
    def notes(self) -> Iterator[tuple[str, str]]:
        """What is said of parts beside their figures, each once: the part, then the words."""
        every = [(row.title, row.notes) for column in self.columns for row in column[0].parts if row.notes]
        return iter(dict.fromkeys(every))

    @property
    def short(self) -> list[str]:
        """The pools that are too small for what stands within them."""
        return list(dict.fromkeys(pool for column in self.columns for pool in column[0].short))


def _heading(column: list[MemoryBlock]) -> Column:
    return figures(sharing([memory.own.title for memory in column]))


@dataclass(frozen=True)
class Memories(OfProject):
    """The memory of all configurations on one card."""

    card: str

    @property
    def title(self) -> str:
        """What it is called where only its name stands."""
        return f"Memory on {self.view.card(self.card)}"

    @cached_property
    def every(self) -> list[MemoryBlock]:
        """Each configuration on the card."""
        return [MemoryBlock(self.view, name, self.card) for name in filled(self.view)]

    @cached_property
    def tables(self) -> list[MemoryTable]:
        """The tables: one for those that belong together, a few columns wide."""
        blocks = {memory.id: memory for memory in self.every}
        found: Iterator[Sequence[str]] = families(self.ledger, list(blocks))
        tables = []
        for names in found:
            columns = [*group_by((blocks[name] for name in names), _standing).values()]
            tables += [MemoryTable(columns[at : at + MOST_BESIDE]) for at in range(0, len(columns), MOST_BESIDE)]
        return tables

    @property
    def beside(self) -> list[MemoryTable]:
        """Those of several configurations."""
        return [table for table in self.tables if table.alone is None]

    @property
    def alone(self) -> list[MemoryBlock]:
        """The configurations that belong to no other."""
        return [table.alone for table in self.tables if table.alone]

    @property
    def first(self) -> MemoryBlock:
        """One of them, for what is the same of all: the memory of the card, and what is to stay free."""
        return self.every[0]

    @property
    def known(self) -> bool:
        """Whether the catalogue states the memory of the card."""
        return bool(self.every and self.first.usable)

    @property
    def tight(self) -> bool:
        """Whether any of them fits without leaving free what is to stay so."""
        return any(memory.verdict == TIGHT for memory in self.every)

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return picture_name(self.card)

    @property
    def sources(self) -> list[tuple[str, str]]:
        """The formulas that any of them is calculated by."""
        return list(dict.fromkeys(source for each in self.every for source in each.sources))

    @property
    def open(self) -> list[Open]:
        """The inputs that any of them lacks."""
        return list(dict.fromkeys(missing for each in self.tables for missing in each.open))
