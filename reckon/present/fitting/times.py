"""How long configurations run: epochs, the time of each, what their levers slow down, and what that comes to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reckon.compute.fitting.times import EPOCHS
from reckon.model.figure import Figure

from ..rows import Open, open_inputs, opened, words
from ..table import MOST_ROWS
from ..view import View
from .settings import Block


@dataclass(frozen=True)
class Time(Block):
    """The time of a configuration."""

    @property
    def title(self) -> str:
        """What it is called."""
        return self.own.title

    def figure(self, name: str) -> Figure | None:
        """A figure of it by the end of its address."""
        return self.view.maybe(f"configurations.{self.id}.{name}")

    @property
    def epochs(self) -> Figure | None:
        """How many epochs it takes: the setting whose role that is."""
        return next((one.figure for one in self.own.settings.values() if one.role == EPOCHS), None)

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
        names = dict.fromkeys(str(self.view.one.levers[one].slows or "") for one in self.own.configured.levers)
        found = ((words(name), self.figure(f"slower.{name}")) for name in names if name)
        return [(title, figure) for title, figure in found if figure]

    @property
    def unstated(self) -> list[str]:
        """The levers in force that slow something down and do not say by how much."""
        levers = [self.view.one.levers[one] for one in self.own.configured.levers]
        return [str(one.title) for one in levers if one.slows and one.slower is None and one.throughput_lower is None]

    @property
    def hours(self) -> Figure | None:
        """What it comes to, or its bounds."""
        return self.figure("expected_hours")

    @property
    def bounded(self) -> bool:
        """Whether only bounds are known, for want of the shares of the parts."""
        hours = self.hours
        return hours is not None and not hours.missing and hours.use is None and hours.value.low != hours.value.high

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle it: those that are missing, or the share of each part of the time."""
        if not self.bounded:
            return open_inputs(self.view.book, [self.hours])
        shares = self.own.configured.value("time") or {}
        holder = self.own.configured.address("time") or f"configurations.{self.id}.time"
        names = [f"{self.view.id}.{holder}.{part}" for part in shares] or [f"{self.view.id}.{holder}"]
        without = [name for name in names if not self._stated(name)]
        return opened(self.view.book, without)

    def _stated(self, address: str) -> bool:
        figure = self.view.book.get(address)
        return figure is not None and not figure.missing and figure.use is not None


@dataclass(frozen=True)
class Times:
    """The times of all configurations that have one."""

    view: View

    @property
    def title(self) -> str:
        """What it is called where only its name stands."""
        return "The times of configurations"

    @cached_property
    def rows(self) -> list[Time]:
        """A row for each."""
        every = (Time(self.view, str(name)) for name in self.view.one.configurations)
        return [one for one in every if one.hours][:MOST_ROWS]

    @property
    def slowed(self) -> bool:
        """Whether levers slow any of them down."""
        return any(row.before for row in self.rows)

    @property
    def bounded(self) -> bool:
        """Whether any has bounds only."""
        return any(row.bounded for row in self.rows)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what is open."""
        return list(dict.fromkeys(one for row in self.rows for one in row.open))
