"""A measurement as its block shows it: what it is, its rows, statistics of columns, shares of parts; and some that
state the time of a step and nothing else, as rows of one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from reckon.compute.measuring.results import STEP, MeasuredColumn, columns_of
from reckon.language.quantity import ZERO, point
from reckon.language.text import Text
from reckon.language.units import HOURS, label, spoken
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked

from ..render.numbers import decimals_of, in_time, time_unit
from ..render.printing import counted, further
from ..table import MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Columns, Table, figures, known, words
from ..table_rows import INTERVAL, only
from ..table_rows import words as worded
from ..view import OfProject, OfRecord, View

MOST_BESIDE = 8
"""The most rows that stand side by side as columns of a table; more are its rows."""
OF_MINUTES = 1
PASSES = MappingProxyType({"forward": "the forward pass", "backward": "the backward pass"})


class RowSeries(NamedTuple):
    """A column of the rows: its name with its unit, a cell for each row shown, their mean."""

    title: str
    cells: list[As]
    mean: As


class RowPart(NamedTuple):
    """A part of the whole of a row: its mean, in the unit that a person would tell it in, and its share.

    `places` are the least decimals that the mean is printed with: those of the rows, where it has their unit.
    """

    title: str
    mean: Figure
    share: Figure
    places: int


@dataclass(frozen=True)
class Measured(OfRecord):
    """A measurement of a project."""

    apart: bool = False
    """Whether its parts are shown elsewhere on the page."""

    @property
    def at(self) -> str:
        """Its address inside the project."""
        return f"measurements.{self.id}"

    def fig(self, key: str) -> Figure:
        """A figure of it by the end of its address."""
        return self.view.fig(f"{self.at}.{key}")

    @property
    def record(self) -> r.Measurement:
        """The record in measurements.yaml."""
        return self.ledger.measurements[self.id]

    @property
    def about(self) -> Table:
        """What was measured, where and how, with its single figures."""
        record, view = self.record, self.view
        device, model = _hardware_cells(view, self.id)
        configuration = view.ledger.configurations.get(str(record.configuration))
        each = (", one for each ", record.row) if record.row else ""
        settings = configuration.title if configuration else record.configuration
        count = (As(counted(len(record.rows), "rows")), each) if record.rows else None
        rows: CellRows = [
            ("Kind", record.kind),
            ("Date", record.date),
            ("Device", device),
            ("Model" if record.model else "Number format", model),
            ("Configuration", settings),
            ("Rows", count),
            *self._figures(),
            ("Source", record.source),
        ]
        return Table(["", ""], [row for row in rows if row[1]])

    def _figures(self) -> Iterator[tuple[Cell, Cell]]:
        record, view = self.record, self.view
        step = None if STEP in record.figures else view.maybe(f"{self.at}.{STEP}")
        if step:
            yield ("Time of a ", record.row or "row"), As(step, "spent")
        for key in record.figures:
            title = "Time of a step" if key == STEP else worded(label(key))
            yield title, As(self.fig(key), "spent")
        for part in record.parts:
            yield ("Share of ", PASSES.get(part) or worded(part).lower()), As(self.fig(f"parts.{part}"))

    @property
    def alone(self) -> bool:
        """Whether one row is all there is, so that nothing is known of the spread."""
        return len(self.record.rows) == 1

    @property
    def _numbers(self) -> list[As]:
        return [As(counted(number, "row"), "bare") for number in range(1, min(len(self.record.rows), MOST_ROWS) + 1)]

    @property
    def unshown(self) -> Figure | None:
        """How many rows are not shown; None if all are."""
        return further(len(self.record.rows) - MOST_ROWS, "rows")

    @property
    def rows(self) -> Table:
        """The rows that are shown and the average of all: side by side where they are few, or else downwards."""
        what, series = worded(self.record.row or "row"), self._series
        if len(self.record.rows) <= MOST_BESIDE:
            numbered = [figures((what, " ", number)) for number in self._numbers]
            columns: Columns = ["", figures("Average", shown=not self.alone), *numbered]
            return Table(columns, [[row.title, Bold(row.mean), *row.cells] for row in series])
        rows: CellRows = [*zip(self._numbers, *(column.cells for column in series), strict=True)]
        total = [Bold("Average of all"), *(Bold(column.mean) for column in series)]
        return Table([figures(what), *(figures(column.title) for column in series)], [*rows, total])

    @cached_property
    def _series(self) -> list[RowSeries]:
        """The columns; a time that a person would tell in another unit stands there in that one too."""
        return [series for column in columns_of(self.record) for series in self._series_of(column)]

    def _series_of(self, column: MeasuredColumn) -> Iterator[RowSeries]:
        cells = [self._cell(column, number) for number in range(len(self._numbers))]
        mean, places = self.fig(f"{column.name}.mean"), self._places(column.name)
        yield RowSeries(titled(column), [As(cell, "rowed", places) for cell in cells], As(mean, "placed", places))
        unit = time_unit(mean)
        if column.unit.kinds == HOURS.kinds and not column.unit.counts and unit != column.unit:
            changed = [As(in_time(cell, unit), "rowed", OF_MINUTES) for cell in cells]
            title, mean = f"{worded(label(column.name))}, {unit.symbol}", in_time(mean, unit)
            yield RowSeries(title, changed, As(mean, "placed", OF_MINUTES))

    def _places(self, column: str) -> int:
        """The decimals that the mean of a column is printed with: those of its rows, or of the parts of a whole."""
        of = (column,) if column in self.record.columns else self.record.total
        found = [row.values[name].value.use for row in self.record.rows[:MOST_ROWS] for name in of]
        mean = self.fig(f"{column}.mean").use or ZERO
        return decimals_of((number for number in found if number is not None), mean)

    def _cell(self, column: MeasuredColumn, number: int) -> Figure:
        """The figure of a row. Of very many rows there are none, so that what was measured is shown without address."""
        found = self.maybe(f"{self.at}.rows.{number + 1}.{column.name}")
        if found:
            return found
        row, value = self.record.rows[number], point(column.numbers[number])
        quantity = row.values.get(column.name)
        origin = Stated(quantity.text, quantity.place) if quantity else Worked("the sum of the parts", (), row.place)
        return Figure("", column.name, column.unit, value, origin)

    @property
    def statistics(self) -> Table:
        """The statistics of each column, printed with at least the decimals of its rows.

        Beside few rows, which show how parts vary, those of the whole are enough, where parts are added up.
        """
        heads: tuple[Cell, ...] = ("Mean", (As(INTERVAL), " interval"), "Median", "SD", "Least", "Most")
        rows: CellRows = []
        columns = list(columns_of(self.record))
        few = bool(self.record.total) and len(self.record.rows) <= MOST_BESIDE
        for column in columns[-1:] if few else columns:
            name, places = column.name, self._places(column.name)
            mean, *others = (self.fig(f"{name}.{key}") for key in ("mean", "mean", "median", "sd", "min", "max"))
            rows.append([titled(column), As(mean, "placed", places), *(As(each, "fine", places) for each in others)])
        return Table(["", *map(figures, heads)], rows)

    @cached_property
    def parts(self) -> list[RowPart]:
        """The parts of the whole of a row, the largest first."""
        found = []
        for name in self.record.total:
            mean, share = (self.fig(f"{name}.{key}") for key in ("mean", "share"))
            told = in_time(mean)
            places = self._places(name) if told.unit == mean.unit else 0
            found.append(RowPart(worded(label(name)), told, share, places))
        return sorted(found, key=lambda part: -(part.share.use or 0))

    @property
    def shares(self) -> Table:
        """The parts with their shares of the whole."""
        rows = [(part.title, As(part.mean, "finely", part.places), As(part.share)) for part in self.parts]
        return Table(["Part", figures("Mean"), figures("Share of the total")], rows)

    @property
    def bottleneck(self) -> RowPart | None:
        """The part that takes most of the whole, where there are several."""
        word, parts = self.view.word(f"{self.at}.bottleneck"), self.parts if len(self.parts) > 1 else ()
        return next((part for part in parts if word and part.title == worded(word.title)), None)


def _hardware_cells(view: View, name: str) -> tuple[Cell, Cell]:
    """The device of a measurement with how many GPUs it had, and the model with its number format."""
    record = view.ledger.measurements[name]
    card = Text(view.card(record.device)) if record.device else None
    model = Text(view.model(record.model)) if record.model else None
    device: Cell = (As(view.fig(f"measurements.{name}.gpus")), " × ", card) if card and record.gpus else card
    return device, (model, ", ", record.dtype) if model and record.dtype else model or record.dtype


def titled(column: MeasuredColumn) -> str:
    """The name of a column with its unit behind it, where the name does not say it: `Generation, s`."""
    name = label(column.name)
    says = name == spoken(column.name) or not column.unit.symbol
    return worded(name) if says else f"{worded(name)}, {column.unit.symbol}"


def brief(record: r.Measurement) -> bool:
    """Whether a measurement states the time of a step and nothing else."""
    return not record.rows and not record.parts and [*record.figures] == [STEP]


@dataclass(frozen=True)
class Estimates(OfProject):
    """Some such measurements of a project, by their ids."""

    ids: Sequence[str]

    title = "The times of a step"
    """What it is called where only its name stands."""

    @property
    def records(self) -> list[r.Measurement]:
        """The measurements."""
        return [self.ledger.measurements[name] for name in self.ids]

    @property
    def kind(self) -> str:
        """The kind of all of them; empty where it is not one."""
        return only(record.kind for record in self.records)

    @property
    def source(self) -> str:
        """The source of all of them; empty where it is not one."""
        return only(record.source or "" for record in self.records)

    @property
    def table(self) -> Table:
        """A row for each; what is the same of all stands in no column."""
        columns: Columns = [
            "",
            words("Kind", shown=not self.kind),
            words("Date", optional=True),
            words("Device", optional=True),
            words("Model", optional=True),
            figures("Time of a step"),
            words("Source", optional=True, shown=not self.source),
        ]
        return Table(columns, [self._row(*pair) for pair in zip(self.ids, self.records, strict=True)])

    def _row(self, name: str, record: r.Measurement) -> CellRow:
        time = known(self.maybe(f"measurements.{name}.{STEP}"), "spent")
        return [record.title, record.kind, record.date, *_hardware_cells(self.view, name), time, record.source]

    @property
    def said(self) -> str:
        """What is the same of all, as a word."""
        return worded(self.kind).lower() if self.kind else ""

    @property
    def notes(self) -> Iterator[r.Measurement]:
        """Those of which something is said beside."""
        return (record for record in self.records if record.notes)
