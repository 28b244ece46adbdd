"""What the rows of a measurement come to: the whole of each row, statistics of each column, shares of the whole.

A mean carries its 95% t-interval, and is an uncertain input: what is projected from it has the spread of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reckon.language.quantity import Value, point
from reckon.language.units import PLAIN, Unit, key_unit, label
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..sheet.cells import Cell
from ..sheet.formulas import total_of
from ..sheet.sheet import Sheet
from . import statistics as s
from .fields import take_over

# Rows up to here have a figure for each number; of more, there are statistics only.
MOST_FIGURES = 200
N = key_unit("rows")
STEP = "seconds_per_step"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a measurement: its name and unit, and its numbers in the order of the rows."""

    name: str
    unit: Unit
    numbers: tuple[Fraction, ...]


def columns_of(measurement: r.Measurement) -> Iterator[Column]:
    """The columns of the rows, and the whole of each row."""
    rows = measurement.rows
    for name in measurement.columns:
        unit = rows[0].values[name].unit
        yield Column(name, unit, tuple(_use(row.values, name) for row in rows))
    if whole := whole_of(measurement.total):
        unit, parts = key_unit(whole), [(str(one), key_unit(str(one)).scale) for one in measurement.total]
        sums = (sum((_use(row.values, name) * scale for name, scale in parts), Fraction(0)) for row in rows)
        yield Column(whole, unit, tuple(unit.from_base(one) for one in sums))


def _use(values: Mapping[str, object], name: str) -> Fraction:
    found: Fraction | None = getattr(getattr(values[name], "value", None), "use", None)
    assert found is not None, "a row holds single numbers"
    return found


def write_measurements(sheet: Sheet, one: ProjectLedger) -> None:
    """Writes the cells of all measurements that have rows."""
    for name, measurement in one.measurements.items():
        if measurement.rows:
            _write(sheet, f"{one.id}.measurements.{name}", measurement)


def _write(sheet: Sheet, at: str, measurement: r.Measurement) -> None:
    whole, of = whole_of(measurement.total), str(measurement.row or "row")
    if len(measurement.rows) <= MOST_FIGURES:
        for number, row in enumerate(measurement.rows, 1):
            where, title = f"{at}.rows.{number}", f"{measurement.title}, {of} {number}"
            for name, quantity in row.values.items():
                sheet.write(Cell(f"{where}.{name}", f"{title}: {label(name)}", quantity.unit, quantity, quantity.place))
            if whole:
                formula = total_of([str(one) for one in measurement.total])
                sheet.formula(f"{where}.{whole}", f"{title}: total", key_unit(whole), formula)
    for column in columns_of(measurement):
        _Writer(sheet, at, measurement, column).write()
    if whole and key_unit(whole).kinds == (("time", 1),) and STEP not in measurement.figures:
        title = f"{measurement.title}: time of a {measurement.row or 'row'}"
        take_over(sheet, f"{at}.{STEP}", title, f"{at}.{whole}.mean", "the mean of the whole of a row")
    for name in measurement.total:
        words = f"{measurement.title}: share of {label(str(name))}"
        sheet.formula(f"{at}.{name}.share", words, PLAIN, f"{name}.sum / {whole}.sum", "%", f"{whole}.sum")


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the statistics of one column."""

    sheet: Sheet
    at: str
    measurement: r.Measurement
    column: Column

    def write(self) -> None:
        numbers, unit = self.column.numbers, self.column.unit
        self._counted("n", "number of rows", N, point(Fraction(len(numbers))), "the number of rows")
        self._of_rows("sum", "sum", unit, lambda some: point(sum(some, Fraction(0))), "the sum of the rows")
        how = "the mean of the rows, with its 95% t-interval" if len(numbers) > 1 else "the only row"
        self._of_rows("mean", "mean", unit, s.interval, how)
        self._of_rows("median", "median", unit, lambda some: point(s.median(some)), "the median of the rows")
        if (spread := s.deviation(numbers)) is not None:
            how = "the standard deviation of the rows, with n − 1 below"
            self._of_rows("sd", "standard deviation", unit, lambda _: point(spread), how)
        self._of_rows("min", "least", unit, lambda some: point(min(some)), "the least of the rows")
        self._of_rows("max", "most", unit, lambda some: point(max(some)), "the most of the rows")

    def _of_rows(
        self, key: str, words: str, unit: Unit, reckon: Callable[[Sequence[Fraction]], Value], how: str
    ) -> None:
        self._counted(key, words, unit, reckon(self.column.numbers), how)

    def _counted(self, key: str, words: str, unit: Unit, value: Value, how: str) -> None:
        address = f"{self.at}.{self.column.name}.{key}"
        title = f"{self.measurement.title}: {label(self.column.name)}, {words}"
        leaves = {} if value.exact else {address: 1}
        place = self.measurement.rows[0].place
        self.sheet.counted(Figure(address, title, unit, value, Worked(how, (), place), "", (), leaves))


def bottleneck(measurement: r.Measurement) -> str:
    """The part that takes most of the whole; empty where no whole is summed."""
    if not measurement.total or not measurement.rows:
        return ""
    sums = {column.name: column.unit.scale * sum(column.numbers, Fraction(0)) for column in columns_of(measurement)}
    return max((str(name) for name in measurement.total), key=lambda name: sums[name])
