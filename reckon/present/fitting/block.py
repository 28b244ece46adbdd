"""The blocks of a page on configurations: side by side or alone, their memory, the cards that they fit, their times."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any

from reckon.compute.fitting.effective_settings import EPOCHS
from reckon.model import records as r
from reckon.model.figure import Figure, is_known
from reckon.model.pages import CONFIGURATIONS, FIT, MEMORY, TIMES, TOGETHER, VERDICTS, Shown

from ..table import DASH, MOST_ROWS, CellRow, Columns, Table, below, figures, given, words
from ..table_rows import Open, open_inputs, opened, use_of
from ..table_rows import words as worded
from ..view import OfProject, View
from .configurations import Beside, ConfigurationBlock, Single, families
from .matrix import Matrix
from .memory import Memories, MemoryBlock

SHOWN = (CONFIGURATIONS, TOGETHER, MEMORY, FIT, VERDICTS, TIMES)
"""The kinds of addresses that are shown here."""
ALONE, MEMORIES = "alone", "memories"
FITTING = (ALONE, TOGETHER, MEMORY, MEMORIES, FIT, VERDICTS, TIMES)
"""The kinds of blocks, which are the names of templates under templates/fitting/."""

Made = tuple[str, Any, str]


class Time(ConfigurationBlock):
    """The time of a configuration."""

    def figure(self, name: str) -> Figure | None:
        """A figure of it by the end of its address."""
        return self.maybe(f"configurations.{self.id}.{name}")

    @property
    def epochs(self) -> Figure | None:
        """How many epochs it takes: the setting whose role that is."""
        return next((setting.figure for setting in self.settings.values() if setting.role == EPOCHS), None)

    @property
    def epoch(self) -> Figure | None:
        """The time of an epoch."""
        return self.figure("hours_per_epoch")

    @property
    def before(self) -> Figure | None:
        """The time before its levers slow anything down; None where none does."""
        return self.figure("hours_before")

    @property
    def slower(self) -> list[tuple[str, Figure]]:
        """How many times longer each part takes."""
        names = dict.fromkeys(lever.slows or "" for lever in self._levers)
        found = ((worded(name), self.figure(f"slower.{name}")) for name in names if name)
        return [(title, figure) for title, figure in found if figure]

    @property
    def unstated(self) -> list[str]:
        """The levers in force that slow something down and do not say by how much."""
        return [
            str(lever.title)
            for lever in self._levers
            if lever.slows and lever.slower is None and lever.throughput_lower is None
        ]

    @property
    def _levers(self) -> list[r.Lever]:
        return [self.ledger.levers[name] for name in self.configured.levers]

    @property
    def hours(self) -> Figure | None:
        """What it comes to, or its bounds."""
        return self.figure("expected_hours")

    @property
    def bounded(self) -> bool:
        """Whether only bounds are known, because the shares of the parts are missing."""
        hours = self.hours
        return is_known(hours) and hours.use is None and hours.value.low != hours.value.high

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle it: those that are missing, or the share of each part of the time."""
        if not self.bounded:
            return open_inputs(self.book, [self.hours])
        shares = self.configured.value("time") or {}
        holder = self.configured.address("time") or f"configurations.{self.id}.time"
        names = [f"{holder}.{part}" for part in shares] or [holder]
        found = {f"{self.view.id}.{name}": self.maybe(name) for name in names}
        return opened(
            self.book,
            [address for address, figure in found.items() if use_of(figure) is None],
        )


class Times(OfProject):
    """The times of all configurations that have one."""

    title = "The times of configurations"
    """What it is called where only its name stands."""

    @cached_property
    def rows(self) -> list[Time]:
        """The time of each."""
        every = (Time(self.view, name) for name in self.ledger.configurations)
        return [time for time in every if time.hours][:MOST_ROWS]

    @property
    def table(self) -> Table:
        """The epochs of each, the time of one, what levers slow down, and what it comes to."""
        slowed = any(row.before for row in self.rows)
        columns: Columns = [
            "Configuration",
            figures("Epochs"),
            figures("Time of an epoch", "spent"),
            figures("Before levers", "spent", shown=slowed),
            words("Slow-down", nothing=DASH, shown=slowed),
            figures("Time", "spent"),
        ]
        return Table(columns, [_time(time) for time in self.rows])

    @property
    def bounded(self) -> bool:
        """Whether any has bounds only."""
        return any(row.bounded for row in self.rows)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what is open."""
        return list(dict.fromkeys(missing for row in self.rows for missing in row.open))


def _time(time: Time) -> CellRow:
    slower: CellRow = [(title, ": ", figure) for title, figure in time.slower]
    slower += [(title, ": by how much is not stated") for title in time.unstated]
    return [time.title, given(time.epochs, "bare"), time.epoch, time.before, below(*slower), time.hours]


def alone(shown: Sequence[Shown]) -> Iterator[str]:
    """The configurations of a section that stand by themselves, with their overrides open."""
    for kind, some in groupby(shown, key=lambda block: block.kind):
        names = {block.id for block in some}
        if kind == CONFIGURATIONS and len(names) == 1:
            yield from names


def fitting(view: View, shown: Sequence[Shown], apart: Collection[str]) -> Iterator[Made]:
    """Kind, what is shown, and id of the blocks of addresses of one kind that follow each other in a section.

    `apart` are configurations that have a block of their own somewhere on the page.
    """
    kind = shown[0].kind
    if kind in (FIT, VERDICTS, TIMES):
        yield kind, Times(view) if kind == TIMES else Matrix(view), kind
    elif kind == TOGETHER:
        every = tuple(view.ledger.configurations)
        for family in families(view.ledger, every):
            yield _show_configurations(view, family, apart)
    elif kind == CONFIGURATIONS:
        yield _show_configurations(view, tuple(dict.fromkeys(block.id for block in shown)), apart)
    else:
        yield from _memory(view, shown)


def _show_configurations(view: View, names: tuple[str, ...], apart: Collection[str]) -> Made:
    """One configuration by itself, or several in a table."""
    if len(names) == 1:
        return ALONE, Single(view, names[0]), names[0]
    return TOGETHER, Beside(view, names, frozenset(apart)), " ".join(names)


def _memory(view: View, shown: Sequence[Shown]) -> Iterator[Made]:
    for name, some in groupby(shown, key=lambda block: block.id):
        for card in dict.fromkeys(block.card or view.project.gpu for block in some):
            if name:
                yield MEMORY, MemoryBlock(view, name, card), f"{name} {card}"
            else:
                yield MEMORIES, Memories(view, card), card
