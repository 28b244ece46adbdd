"""Levers in their tables: what each sets, is said to do and was measured to do, and the memory that it saves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from reckon.compute.fitting.effective_settings import Configured
from reckon.compute.fitting.memory_needs import AMOUNTS
from reckon.compute.fitting.verdict import saving_of, slowdown_of, subject_of
from reckon.compute.measuring.results import STEP
from reckon.language.quantity import Quantity
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.figure import Figure

from ..table import DASH, As, Cell, CellRow, Column, Columns, Link, Table, below, given, joined, words
from ..table_rows import only
from ..table_rows import words as worded
from ..view import OfProject, OfRecord


@dataclass(frozen=True)
class Levers(OfProject):
    """Some levers of a project, by their ids."""

    ids: tuple[str, ...]

    def __iter__(self) -> Iterator[Applied]:
        return (Applied(self.view, name) for name in self.ids)

    @property
    def effects(self) -> Table:
        """What each sets, what it is said to do, and what it was measured to do; and beside that what it saves, where
        all of them have to do with memory or the time of a part."""
        columns: Columns = [
            "Lever",
            words("Status", optional=True, shown=not self.status),
            "Settings",
            "Said effect",
            words("Measured effect", shown=not self.lacking),
        ]
        rows = [lever.effects for lever in self]
        if not self.together:
            return Table(columns, rows)
        saved = zip(rows, (lever.savings[1:] for lever in self), strict=True)
        return Table([*columns, *self._saved], [[*effects, *savings] for effects, savings in saved])

    @property
    def together(self) -> bool:
        """Whether what they save stands in the table of what they do: if all of them save something, or cost time."""
        return all(lever.about for lever in self)

    @property
    def saves(self) -> bool:
        """Whether any of them saves memory, or costs the time of a part."""
        return any(lever.about for lever in self)

    @property
    def status(self) -> str:
        """The status of all of several; empty where they differ or none is stated."""
        return only(lever.record.status or "" for lever in self) if len(self.ids) > 1 else ""

    @property
    def lacking(self) -> str:
        """What all of several lack for a measured effect; empty where that differs, or one was measured."""
        return only(lever.lacking for lever in self) if len(self.ids) > 1 else ""

    @cached_property
    def savings(self) -> Table:
        """What those that have to do with memory, or with the time of a part, do to it."""
        return Table(["Lever", *self._saved], [lever.savings for lever in self if lever.about])

    @property
    def _saved(self) -> list[Column]:
        frees: Cell = ("Frees on ", Text(self.view.card(self.project.gpu)))
        return [words(head, nothing=DASH) for head in ("Part", "Saves, as stated", frees, "Slow-down")]


class Applied(OfRecord):
    """A lever of a project."""

    @property
    def record(self) -> r.Lever:
        """The record in levers.yaml."""
        return self.ledger.levers[self.id]

    @property
    def about(self) -> bool:
        """Whether it has to do with memory, or with the time of a part."""
        return bool(self.record.part or self.record.slows)

    @property
    def configuration(self) -> r.Configuration | None:
        """The configuration that it changes."""
        return self.ledger.configurations.get(str(self.record.configuration))

    @property
    def effects(self) -> CellRow:
        """Its row among the effects of levers."""
        record, factor = self.record, self.maybe(f"levers.{self.id}.factor")
        pieces: CellRow = [record.effect] if record.effect else []
        said = joined([*pieces, ("(", As(factor), ")")] if factor else pieces, " ")
        effect = below(said, Link("contradicted", "findings.md") if self._contradicted else None)
        return [record.title, record.status or None, below(*self._changes()), effect, self._measured()]

    @property
    def _contradicted(self) -> bool:
        """Whether the audit finds that it does not do to a setting what it is said to."""
        return any(found.id.endswith("#increase") for found in self.view.about(f"levers.{self.id}"))

    def _changes(self) -> Iterator[Cell]:
        """What it sets, and what stood there before."""
        for key in dict.fromkeys([*self.record.was, *self.record.sets]):
            title, unit = self.view.setting(self.configuration, key)
            before, after = self._setting("was", key), self._setting("sets", key)
            before = self._before(key) if before is None else before
            arrow = (before, " → ") if before is not None else ()
            yield Text(title), ": ", *arrow, after if after is not None else DASH, *((" ", Text(unit)) if unit else ())

    def _before(self, key: str) -> Cell:
        """What its configuration has, where the lever is not in force there."""
        if self.record.status is not None or self.configuration is None:
            return None
        configured = Configured(self.ledger, str(self.record.configuration))
        held = configured.settings.get(key)
        if held is None or self.id in configured.levers:
            return None
        text = Text(held.value) if isinstance(held.value, str) else None
        return given(self.maybe(held.address), "bare") or text

    def _setting(self, field: str, key: str) -> Cell:
        value = getattr(self.record, field).get(key)
        if isinstance(value, tuple):
            return Text(", ".join(map(str, value)))
        if not isinstance(value, Quantity):
            return None if value is None else Text(value)
        return given(self.maybe(f"levers.{self.id}.{field}.{key}"), "bare")

    @cached_property
    def _steps(self) -> tuple[Figure | None, Figure | None]:
        """The time of a step without it and with it, where these were measured."""
        names = (self.record.measured_without, self.record.measured_with)
        without, with_it = (self.maybe(f"measurements.{name}.{STEP}") if name else None for name in names)
        return without, with_it

    def _measured(self) -> Cell:
        """The time of a step without it and with it, or what is missing for that."""
        without, with_it = self._steps
        if without and with_it:
            return As(without, "spent"), " without it, ", As(with_it, "spent"), " with it"
        return f"not measured: it needs {self.lacking}"

    @property
    def lacking(self) -> str:
        """The measurements that its effect would be known from and that are not there."""
        without, with_it = self._steps
        if without and with_it:
            return ""
        if without or with_it:
            return f"a measurement {'with' if without else 'without'} it"
        return "measurements without it and with it"

    @property
    def savings(self) -> CellRow:
        """Its row among the levers that have to do with memory."""
        part = self._title(self.record.part) if self.record.part else None
        stated = self.view.maybe_all(f"levers.{self.id}", "saves", *AMOUNTS)
        saves = joined(((As(figure), " of it" if figure.form == "%" else "") for figure in stated if figure), " and ")
        own = self._parts.get(str(self.record.part))
        if saves is None and own and own.is_pool:
            saves = "what its setting says"
        return [self.record.title, part, saves, self._frees(own), self._slows()]

    @cached_property
    def _parts(self) -> dict[str, r.MemoryPart]:
        name = subject_of(self.ledger, self.id)
        every = Configured(self.ledger, name).parts if name in self.ledger.configurations else {}
        return {part: record for part, (_, record) in every.items()}

    def _title(self, part: object) -> Text:
        found = self._parts.get(str(part))
        return Text((found and found.title) or worded(str(part)))

    def _frees(self, part: r.MemoryPart | None) -> Cell:
        """What it saves on the project's card: nothing, where its part stands within a pool."""
        if part and part.within:
            return "nothing: within ", self._title(part.within)
        return given(saving_of(self.book.figures, self.ledger, self.id, self.project.gpu), "numbers")

    def _slows(self) -> Cell:
        """The part of the time that it makes longer, and how many times."""
        if not self.record.slows:
            return None
        slower = slowdown_of(self.book.figures, self.ledger, self.id)
        told: Cell = (As(slower), " the time") if slower else "by how much is not stated"
        return worded(self.record.slows), ": ", told
