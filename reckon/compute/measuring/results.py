"""What the rows of a measurement come to: the whole of each row, statistics of each column, shares of the whole; and
what levers change of it: the time of a step, and how many times less of a setting they leave.

A mean carries its 95% t-interval, and is an uncertain input: what is projected from it has the spread of the rows.
Here are also the ways in which figures of measurements are written: those that lack an input, and those that are
another figure by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from reckon.language.expression import Formula
from reckon.language.quantity import Value, point
from reckon.language.units import PLAIN, Unit, key_unit, label
from reckon.model import records as r
from reckon.model.figure import Worked
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..sheet.cells import Cell, Figures, Result, result, total_of
from ..sheet.sheet import Sheet
from . import statistics as s

# Rows up to here have a figure for each number; of more, there are statistics only.
MOST_FIGURES = 200
N = key_unit("rows")
STEP = "seconds_per_step"


class FigureWriter(Struct, frozen=True):
    """Writes figures below an address, each in the unit that its key names; their titles begin with one title."""

    sheet: Sheet
    at: str
    title: str

    def formula(self, key: str, words: str, formula: str | Formula, form: str = "", over: str = "") -> None:
        """A figure that a formula gives; one with a form (`%`, `x`) is a ratio."""
        unit = PLAIN if form else key_unit(key)
        self.sheet.formula(f"{self.at}.{key}", f"{self.title}: {words}", unit, formula, form, over)

    def by_default(self, key: str, words: str, number: int, how: str, form: str = "") -> None:
        """A figure that is this number because nothing else is stated."""
        self.sheet.count(f"{self.at}.{key}", f"{self.title}: {words}", key_unit(key), number, how, (), form)

    def lack(self, key: str, words: str, missing: tuple[str, ...], how: str) -> None:
        """A figure that has no value because others are missing."""
        self.sheet.count(f"{self.at}.{key}", f"{self.title}: {words}", key_unit(key), 0, how, missing)


def lack(sheet: Sheet, address: str, title: str, missing: tuple[str, ...]) -> None:
    """Writes a figure that has no value because others are missing; its words are those of its key."""
    at, _, key = address.rpartition(".")
    FigureWriter(sheet, at, title).lack(key, label(key), missing, "nothing, as long as an input is missing")


def lacking_model(sheet: Sheet, model: object, at: str) -> Iterator[str]:
    """What is missing of the parameters of the model that the record at an address names; nothing if they are known."""
    if model is None:
        yield f"{at}.model"
    elif f"catalog.models.{model}.parameters" not in sheet.cells:
        yield f"catalog.models.{model}.parameters"


def take_over(sheet: Sheet, address: str, title: str, of: str, how: str) -> None:
    """Writes a figure that is another figure in the unit of its own key: seconds of a row as seconds per step."""
    unit = key_unit(address.rpartition(".")[2])

    def take(figures: Figures) -> Result:
        taken = figures[of]
        value, origin = taken.value.scaled(taken.unit.scale / unit.scale), Worked(how, (taken,), taken.place)
        return result(value, origin, (), taken.missing, taken.leaves)

    sheet.compute(address, title, unit, [of], take)


class MeasuredColumn(Struct, frozen=True):
    """A column of a measurement: its name and unit, and its numbers in the order of the rows."""

    name: str
    unit: Unit
    numbers: tuple[Fraction, ...]


def columns_of(measurement: r.Measurement) -> Iterator[MeasuredColumn]:
    """The columns of the rows, and the whole of each row."""
    found: dict[str, MeasuredColumn] = {}
    for name in measurement.columns:
        # Each is a single number.
        numbers = tuple(row.values[name].value.use or Fraction(0) for row in measurement.rows)
        found[name] = MeasuredColumn(name, measurement.rows[0].values[name].unit, numbers)
    yield from found.values()
    if whole := whole_of(measurement.total):
        parts = []
        for name in measurement.total:
            column = found[name]
            parts.append([column.unit.to_base(number) for number in column.numbers])
        sums = (key_unit(whole).from_base(sum(row, Fraction(0))) for row in zip(*parts, strict=True))
        yield MeasuredColumn(whole, key_unit(whole), tuple(sums))


def write_measurements(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes the cells of all measurements that have rows."""
    for name, measurement in project.measurements.items():
        if measurement.rows:
            _write(sheet, f"{project.id}.measurements.{name}", measurement)


def _write(sheet: Sheet, at: str, measurement: r.Measurement) -> None:
    whole, of = whole_of(measurement.total), str(measurement.row or "row")
    if len(measurement.rows) <= MOST_FIGURES:
        for number, row in enumerate(measurement.rows, 1):
            where, title = f"{at}.rows.{number}", f"{measurement.title}, {of} {number}"
            for name, quantity in row.values.items():
                sheet.write(Cell(f"{where}.{name}", f"{title}: {label(name)}", quantity.unit, quantity, quantity.place))
            if whole:
                formula = total_of([str(name) for name in measurement.total])
                sheet.formula(f"{where}.{whole}", f"{title}: total", key_unit(whole), formula)
    for column in columns_of(measurement):
        for key, words, unit, value, how in _statistics(column):
            address, title = f"{at}.{column.name}.{key}", f"{measurement.title}: {label(column.name)}, {words}"
            # Only a mean has ends: it is an uncertain input, by its own address.
            leaves, origin = {} if value.exact else {address: 1}, Worked(how, (), measurement.rows[0].place)
            sheet.count(address, title, unit, value, origin, leaves=leaves)
    if whole and key_unit(whole).kinds == (("time", 1),) and STEP not in measurement.figures:
        title = f"{measurement.title}: time of a {measurement.row or 'row'}"
        take_over(sheet, f"{at}.{STEP}", title, f"{at}.{whole}.mean", "the mean of the whole of a row")
    for name in measurement.total:
        words = f"{measurement.title}: share of {label(str(name))}"
        sheet.formula(f"{at}.{name}.share", words, PLAIN, f"{name}.sum / {whole}.sum", "%", f"{whole}.sum")


def _statistics(column: MeasuredColumn) -> Iterator[tuple[str, str, Unit, Value, str]]:
    """Key, words, unit, value and origin of each statistic of a column."""
    numbers, unit = column.numbers, column.unit
    yield "n", "number of rows", N, point(len(numbers)), "the number of rows"
    yield "sum", "sum", unit, point(sum(numbers, Fraction(0))), "the sum of the rows"
    how = "the mean of the rows, with its 95% t-interval" if len(numbers) > 1 else "the only row"
    yield "mean", "mean", unit, s.interval(numbers), how
    yield "median", "median", unit, point(s.median(numbers)), "the median of the rows"
    if (spread := s.deviation(numbers)) is not None:
        yield "sd", "standard deviation", unit, point(spread), "the standard deviation of the rows, with n − 1 below"
    yield "min", "least", unit, point(min(numbers)), "the least of the rows"
    yield "max", "most", unit, point(max(numbers)), "the most of the rows"


def bottleneck(measurement: r.Measurement) -> str:
    """The part that takes most of the whole; empty where no whole is summed."""
    if not measurement.total or not measurement.rows:
        return ""
    sums = {column.name: column.unit.scale * sum(column.numbers, Fraction(0)) for column in columns_of(measurement)}
    return max((str(name) for name in measurement.total), key=lambda name: sums[name])


def write_levers(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes the measured effect of each lever, and the change of each setting that it has two numbers of."""
    for name, lever in project.levers.items():
        at = f"{project.id}.levers.{name}"
        _effect(sheet, project.id, at, lever)
        for key in lever.sets:
            if f"{at}.was.{key}" in sheet.cells and f"{at}.sets.{key}" in sheet.cells:
                title, was = f"{lever.title}: times less of {label(str(key))}", f"levers.{name}.was.{key}"
                after = f"levers.{name}.sets.{key}"
                sheet.formula(f"{at}.change.{key}", title, PLAIN, f"{was} / {after}", "x", over=after)


def _effect(sheet: Sheet, project_id: str, at: str, lever: r.Lever) -> None:
    """The time of a step with the lever, over that without it."""
    fields = {"measured_with": lever.measured_with, "measured_without": lever.measured_without}
    steps = [f"measurements.{measurement}.{STEP}" for measurement in fields.values()]
    missing = tuple(
        f"{at}.{field}" if measurement is None else f"{project_id}.{step}"
        for (field, measurement), step in zip(fields.items(), steps, strict=True)
        if f"{project_id}.{step}" not in sheet.cells
    )
    if missing:
        lack(sheet, f"{at}.effect", str(lever.title), missing)
    else:
        sheet.formula(f"{at}.effect", f"{lever.title}: effect", PLAIN, " / ".join(steps), "x", over=steps[1])
