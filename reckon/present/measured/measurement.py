"""A measurement as its block shows it: the rows, statistics of columns, shares of parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from reckon.compute.measuring.measured import STEP, MeasuredColumn, columns_of
from reckon.language.quantity import point
from reckon.language.units import HOURS, label, spoken
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked

from ..render.numbers import decimals_of, in_time, time_unit
from ..render.printing import counted, further
from ..rows import NamedFigure, words
from ..table import MOST_ROWS
from ..view import View

MOST_BESIDE = 8
"""The most rows that stand side by side as columns of a table; more are its rows."""
OF_MINUTES = 1


class Series(NamedTuple):
    """A column of the rows: its name with its unit, a figure for each row shown, their mean.

    `places` are the decimals that the mean is printed with, and the least of what is reckoned for a row.
    """

    title: str
    cells: Sequence[Figure]
    mean: Figure
    places: int


class Statistics(NamedTuple):
    """The statistics of a column, printed with at least the decimals of its rows."""

    title: str
    mean: Figure
    median: Figure
    sd: Figure | None
    least: Figure
    most: Figure
    places: int


class Part(NamedTuple):
    """A part of the whole of a row: its mean, in the unit that a person would tell it in, and its share.

    `places` are the least decimals that the mean is printed with: those of the rows, where it has their unit.
    """

    title: str
    mean: Figure
    share: Figure
    places: int


@dataclass(frozen=True)
class Measured:
    """A measurement of a project."""

    view: View
    id: str
    apart: bool = False
    """Whether its parts are shown elsewhere on the page."""

    @property
    def at(self) -> str:
        """Its address inside the project."""
        return f"measurements.{self.id}"

    @property
    def record(self) -> r.Measurement:
        """The record in measurements.yaml."""
        return self.view.one.measurements[self.id]

    @property
    def configuration(self) -> str:
        """The configuration that it ran with, by its title, or in the words that stand in its place."""
        name = str(self.record.configuration or "")
        known = self.view.one.configurations.get(name)
        return str(known.title) if known else name

    @property
    def beside(self) -> bool:
        """Whether the rows stand side by side."""
        return len(self.record.rows) <= MOST_BESIDE

    @property
    def many(self) -> Figure:
        """How many rows there are."""
        return counted(len(self.record.rows), "rows")

    @property
    def alone(self) -> bool:
        """Whether one row is all there is, so that nothing is known of the spread."""
        return len(self.record.rows) == 1

    @property
    def numbers(self) -> list[Figure]:
        """The numbers of the rows that are shown."""
        return [counted(number, "row") for number in range(1, min(len(self.record.rows), MOST_ROWS) + 1)]

    @property
    def unshown(self) -> Figure | None:
        """How many rows are not shown; None if all are."""
        return further(len(self.record.rows) - MOST_ROWS, "rows")

    @property
    def figures(self) -> list[NamedFigure]:
        """The single figures, with their keys as words."""
        rows = self.view.figures(self.record, self.at)
        return [
            row._replace(title="Time of a step") if (row.figure and row.figure.address.endswith(f".{STEP}")) else row
            for row in rows
        ]

    @property
    def step(self) -> Figure | None:
        """The time of a step, where it follows from the rows."""
        return None if STEP in self.record.figures else self.view.maybe(f"{self.at}.{STEP}")

    @cached_property
    def series(self) -> list[Series]:
        """The columns; a time that a person would tell in another unit stands there in that one too."""
        return [one for column in columns_of(self.record) for one in self._series(column)]

    def _series(self, column: MeasuredColumn) -> Iterator[Series]:
        cells = [self._cell(column, number) for number in range(len(self.numbers))]
        mean = self.view.fig(f"{self.at}.{column.name}.mean")
        yield Series(titled(column), cells, mean, self._places(column.name))
        unit = time_unit(mean)
        if column.unit.kinds == HOURS.kinds and not column.unit.counts and unit != column.unit:
            changed = [in_time(cell, unit) for cell in cells]
            title = f"{words(label(column.name))}, {unit.symbol}"
            yield Series(title, changed, in_time(mean, unit), OF_MINUTES)

    def _places(self, column: str) -> int:
        """The decimals that the mean of a column is printed with: those of its rows, or of the parts of a whole."""
        of = (column,) if column in self.record.columns else self.record.total
        found = [row.values[name].value.use for row in self.record.rows[:MOST_ROWS] for name in of]
        mean = self.view.fig(f"{self.at}.{column}.mean").use or Fraction(0)
        return decimals_of((one for one in found if one is not None), mean)

    def _cell(self, column: MeasuredColumn, number: int) -> Figure:
        """The figure of a row. Of very many rows there are none, so that what was measured is shown without address."""
        found = self.view.maybe(f"{self.at}.rows.{number + 1}.{column.name}")
        if found:
            return found
        row, value = self.record.rows[number], point(column.numbers[number])
        quantity = row.values.get(column.name)
        origin = Stated(quantity.text, quantity.place) if quantity else Worked("the sum of the parts", (), row.place)
        return Figure("", column.name, column.unit, value, origin)

    @property
    def statistics(self) -> list[Statistics]:
        """The statistics of each column."""
        return [self._statistics(column) for column in columns_of(self.record)]

    def _statistics(self, column: MeasuredColumn) -> Statistics:
        at = f"{self.at}.{column.name}"
        mean, median, least, most = (self.view.fig(f"{at}.{key}") for key in ("mean", "median", "min", "max"))
        sd, places = self.view.maybe(f"{at}.sd"), self._places(column.name)
        return Statistics(titled(column), mean, median, sd, least, most, places)

    @property
    def parts(self) -> list[Part]:
        """The parts of the whole of a row, the largest first."""
        found = [self._part(str(name)) for name in self.record.total]
        return sorted(found, key=lambda part: -(part.share.use or 0))

    def _part(self, name: str) -> Part:
        mean = self.view.fig(f"{self.at}.{name}.mean")
        told = in_time(mean)
        places = self._places(name) if told.unit == mean.unit else 0
        return Part(words(label(name)), told, self.view.fig(f"{self.at}.{name}.share"), places)

    @property
    def bottleneck(self) -> Part | None:
        """The part that takes most of the whole, where there are several."""
        word, parts = self.view.word(f"{self.at}.bottleneck"), self.parts
        named = words(word.title) if word else ""
        return next((part for part in parts if part.title == named), None) if len(parts) > 1 else None


def titled(column: MeasuredColumn) -> str:
    """The name of a column with its unit behind it, where the name does not say it: `Generation, s`."""
    name = label(column.name)
    says = name == spoken(column.name) or not column.unit.symbol
    return words(name) if says else f"{words(name)}, {column.unit.symbol}"
