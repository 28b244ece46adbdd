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

from reckon.language.quantity import ZERO, Value, add_up, point
from reckon.language.units import Unit, key_unit, label
from reckon.model import records as r
from reckon.model.figure import Figures, Worked
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..sheet.cells import Cell, Result, chain_of, formula_of, result, total_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from . import statistics as s

# Rows up to here have a figure for each number; of more, there are statistics only.
MOST_FIGURES = 200
N = key_unit("rows")
STEP = "seconds_per_step"


def lacking_model(sheet: Sheet, model: object, at: str) -> Iterator[str]:
    """What is missing of the parameters of the model that the record at an address names; nothing if they are known."""
    if model is None:
        yield f"{at}.model"
    elif f"catalog.models.{model}.parameters" not in sheet.cells:
        yield f"catalog.models.{model}.parameters"


def take_over(writer: FigureWriter, key: str, words: str, of: str, how: str) -> None:
    """Writes a figure that is another figure in the unit of its own key: seconds of a row as seconds per step."""
    unit = key_unit(key)

    def take(figures: Figures) -> Result:
        taken = figures[of]
        value, origin = taken.value.scaled(taken.unit.scale / unit.scale), Worked(how, (taken,), taken.place)
        return result(value, origin, (), taken.missing, taken.leaves)

    writer.compute(key, words, unit, [of], take)


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
        numbers = tuple(row.values[name].value.use or ZERO for row in measurement.rows)
        found[name] = MeasuredColumn(name, measurement.rows[0].values[name].unit, numbers)
    yield from found.values()
    if whole := whole_of(measurement.total):
        parts = []
        for name in measurement.total:
            column = found[name]
            parts.append([column.unit.to_base(number) for number in column.numbers])
        sums = (key_unit(whole).from_base(add_up(row)) for row in zip(*parts, strict=True))
        yield MeasuredColumn(whole, key_unit(whole), tuple(sums))


def write_measurements(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes the cells of all measurements that have rows."""
    for name, measurement in project.measurements.items():
        if measurement.rows:
            _write(sheet, f"{project.id}.measurements.{name}", measurement)


def _write(sheet: Sheet, at: str, measurement: r.Measurement) -> None:
    whole, of = whole_of(measurement.total), str(measurement.row or "row")
    writer = FigureWriter(sheet, at, measurement.title)
    if len(measurement.rows) <= MOST_FIGURES:
        for number, row in enumerate(measurement.rows, 1):
            of_row = FigureWriter(sheet, f"{at}.rows.{number}", f"{measurement.title}, {of} {number}")
            for name, quantity in row.values.items():
                address, title = f"{of_row.at}.{name}", f"{of_row.title}: {label(name)}"
                sheet.write(Cell(address, title, quantity.unit, quantity, quantity.place))
            if whole:
                of_row.formula(whole, "total", total_of(list(measurement.total)))
    for column in columns_of(measurement):
        for key, words, unit, value, how in _statistics(column):
            # Only a mean has ends: it is an uncertain input, by its own address.
            title, origin = f"{label(column.name)}, {words}", Worked(how, (), measurement.rows[0].place)
            writer.count(f"{column.name}.{key}", title, unit, value, origin, is_uncertain=not value.exact)
    if whole and key_unit(whole).kinds == (("time", 1),) and STEP not in measurement.figures:
        take_over(writer, STEP, f"time of a {of}", f"{at}.{whole}.mean", "the mean of the whole of a row")
    for name in measurement.total:
        share = formula_of("{}.sum / {}.sum", name, whole)
        writer.formula(f"{name}.share", f"share of {label(name)}", share, "%", f"{whole}.sum")


def _statistics(column: MeasuredColumn) -> Iterator[tuple[str, str, Unit, Value, str]]:
    """Key, words, unit, value and origin of each statistic of a column."""
    numbers, unit = column.numbers, column.unit
    yield "n", "number of rows", N, point(len(numbers)), "the number of rows"
    yield "sum", "sum", unit, point(add_up(numbers)), "the sum of the rows"
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
    sums = {column.name: column.unit.scale * add_up(column.numbers) for column in columns_of(measurement)}
    return max(measurement.total, key=lambda name: sums[name])


def write_levers(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes the measured effect of each lever, and the change of each setting that it has two numbers of."""
    for name, lever in project.levers.items():
        writer = FigureWriter(sheet, f"{project.id}.levers.{name}", lever.title)
        _effect(writer, project.id, lever)
        for key in lever.sets:
            if writer.has(f"was.{key}") and writer.has(f"sets.{key}"):
                was, after = f"levers.{name}.was.{key}", f"levers.{name}.sets.{key}"
                writer.formula(
                    f"change.{key}", f"times less of {label(key)}", formula_of("{} / {}", was, after), "x", after
                )


def _effect(writer: FigureWriter, project_id: str, lever: r.Lever) -> None:
    """The time of a step with the lever, over that without it."""
    fields = {"measured_with": lever.measured_with, "measured_without": lever.measured_without}
    steps = [f"measurements.{measurement}.{STEP}" for measurement in fields.values()]
    missing = tuple(
        f"{writer.at}.{field}" if measurement is None else f"{project_id}.{step}"
        for (field, measurement), step in zip(fields.items(), steps, strict=True)
        if f"{project_id}.{step}" not in writer.sheet.cells
    )
    if missing:
        writer.lack("effect", missing)
    else:
        writer.formula("effect", "effect", chain_of(" / ", steps), "x", steps[1])
