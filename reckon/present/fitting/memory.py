"""What a configuration takes of the memory of a card, part by part."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.memory import FITS, NOT, TIGHT, usable_at
from reckon.compute.fitting.effective_settings import Configured
from reckon.compute.fitting.memory_needs import SOURCES
from reckon.compute.fitting.verdict import Fitted, share_of
from reckon.model import records as r
from reckon.model.figure import Figure

from ..table import As, Bold, Cell, CellRow, CellRows, Code, Columns, Table, below, figures, given, joined
from ..table_rows import Open, open_inputs
from ..table_rows import words as worded
from ..view import OfRecord, View
from .configurations import ConfigurationBlock

# How a part comes about.
POOL, REST, STATED, FORMULA, NOWHERE = "pool", "rest", "stated", "formula", "nowhere"
SIGNS = {FITS: "●", TIGHT: "◐", NOT: "○"}
"""A verdict by shape, beside its word: neither needs colour."""


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
        return self.need is not None and self.need.use is not None and not self.need.missing

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
        if self.need and not self.need.missing:
            amount = (": ", As(self.need, "workings"))
        return [self._title, below((self._how, amount, self._after), self.notes), self.need, given(self.share)]

    @property
    def told(self) -> Cell:
        """What it is, and how it comes about, where configurations stand side by side."""
        return below(self._title, self._how)

    @property
    def amount(self) -> Cell:
        """What it takes, above how that comes about; a dash where it is not known."""
        if not self.need or self.need.missing:
            return None
        return below(As(self.need, "bare"), (As(self.need, "workings"), self._after))


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
        figures = self.view.book.figures
        return figures.get(usable_at(figures, self.card))

    @cached_property
    def fitted(self) -> Fitted | None:
        """The verdict; None where the memory of the card is not known."""
        some = self.view.book.fits.get(self.view.id, ())
        return next((fit for fit in some if (fit.pair.configuration, fit.pair.card) == (self.id, self.card)), None)

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        return self.fitted.verdict.words if self.fitted and self.fitted.verdict else "not known"

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
        return self.view.maybe(f"{self.at}.need_gib")

    @property
    def headroom(self) -> Figure | None:
        """What is left of the card."""
        return self.view.maybe(f"{self.at}.headroom_gib")

    @property
    def reserve(self) -> Figure | None:
        """What is to stay free; None where nothing is said of it."""
        return self.view.maybe("reserve_gib")

    @cached_property
    def parts(self) -> list[MemoryRow]:
        """The parts, each pool with what stands within it below it."""
        inside = self.own.configured.inside
        top = [name for name, (_, record) in self.own.configured.parts.items() if record.within is None]
        return [self._part(part) for name in top for part in (name, *inside(name))]

    @property
    def table(self) -> Table:
        """The parts, and what they come to."""
        columns: Columns = ["Part", "How it comes about", figures("GiB"), figures("Share of the card", "full")]
        return Table(columns, [*(part.cells for part in self.parts), *(self._whole(self.need) if self.need else ())])

    def _whole(self, need: Figure) -> CellRows:
        """What the parts come to, beside what there is."""
        needed = None if need.missing else Bold(As(need, "bare"))
        unstated = None if self.reserve else "no reserve is stated"
        return [
            [Bold("Needed"), "", needed, self.view.maybe(f"{self.at}.share")],
            ["Usable", "", given(self.usable, "sourced"), ""],
            ["To stay free", unstated, given(self.reserve, "bare"), ""],
            ["Left", "", self.headroom, ""],
            [Bold("Verdict"), Bold(self.verdict), "", ""],
        ]

    def _part(self, name: str) -> MemoryRow:
        _, record = self.own.configured.parts[name]
        how, by = _describe_source(record)
        at = f"{self.at}.{name}_gib" if how in (POOL, REST) else f"configurations.{self.id}.memory.{name}.need_gib"
        need = self.view.maybe(at)
        share = share_of(need, self.usable) if need and self.usable and not need.missing else None
        within = self._title(str(record.within)) if record.within is not None else ""
        reduced = self.own.configured.levers_on(name) if how != POOL else ()
        levers = [str(self.view.ledger.levers[lever].title) for lever in reduced]
        return MemoryRow(name, self._title(name), within, how, by, need, share, levers, str(record.notes or ""))

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
        return open_inputs(self.view.book, [*(part.need for part in self.parts if part.id in names), self.need])

    @property
    def sources(self) -> list[tuple[str, str]]:
        """The formulas that parts are calculated by, and where each comes from."""
        used = dict.fromkeys(part.by for part in self.parts if part.how == FORMULA)
        return [(worded(name), SOURCES[name]) for name in used if name in SOURCES]


def _describe_source(record: r.MemoryPart) -> tuple[str, str]:
    if record.is_pool:
        return POOL, str(record.pool or "")
    if record.is_stated:
        return STATED, ""
    if record.reckoned == "rest":
        return REST, str(record.within or "")
    return (FORMULA, str(record.reckoned)) if record.reckoned is not None else (NOWHERE, "")


def filled(view: View) -> Iterator[str]:
    """The configurations that say what memory they take, in the order of the ledger."""
    return (str(name) for name in view.ledger.configurations if Configured(view.ledger, str(name)).parts)


def picture_name(card: str) -> str:
    """The name of the picture of the memory of configurations on a card."""
    return f"configurations-on-{card}"
