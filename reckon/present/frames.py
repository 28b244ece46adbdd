"""The rows of the tables for notebooks and other programs, and how they become a DataFrame by the kinds of columns.

Text that is absent and numbers that are unknown are missing values, never zero. pandas is imported when a table is
made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from reckon.compute.book import Book
from reckon.compute.sheet.inputs import ratio_address
from reckon.language.days import DATE, iso
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Finding
from reckon.model.ledger import ProjectLedger
from reckon.model.release import ReleasedFigure, Snapshot

from .export import exact, row
from .view import View

if TYPE_CHECKING:
    import pandas

# Kinds of columns.
TEXT = "text"  # missing where there is none
NUMBER = "number"  # a float
HOURS = "hours"  # a float, and beside it the exact text
RANGE = "range"  # low, use and high as floats, and beside them the exact text of use
COUNT = "count"  # a whole number
TIME = "time"  # a date, or a date with a time of day; given in seconds from 1970
FLAG = "flag"  # true or false

# What a kind makes in a DataFrame: what goes behind the name of the column, and the type.
MAKES: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType({
    TEXT: (("", "string"),),
    NUMBER: (("", "float64"),),
    HOURS: (("", "float64"), ("_exact", "string")),
    RANGE: (("_low", "float64"), ("_use", "float64"), ("_high", "float64"), ("_exact", "string")),
    COUNT: (("", "Int64"),),
    TIME: (("", "datetime64[s]"),),
    FLAG: (("", "boolean"),),
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column: its name, its kind, what it holds and in which unit, and how it is read off a row."""

    name: str
    kind: str
    about: str
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class FrameTable:
    """A table: what one row is, the name of its index, its columns, and how its rows come out of a book."""

    about: str
    index: str
    columns: tuple[FrameColumn, ...]
    rows: Callable[[Book], Iterator[tuple[str, Any]]]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run with what is known of it beside its line: the GPU that it was on, its hours there and on the project's.

    Where it is not known what an hour on its GPU counts as, `missing` is the address of that.
    """

    project: ProjectLedger
    phase: str
    run: r.Run
    gpu: str
    held: Fraction
    counted: Fraction | None
    missing: str


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item of the plan with its phase."""

    book: Book
    project: ProjectLedger
    phase: str
    name: str

    @property
    def item(self) -> r.Item:
        """Its record."""
        return self.project.plan[self.phase].items[self.name]

    def figure(self, name: str) -> Figure | None:
        """A figure below its address, as `total`; None where there is none."""
        return self.book.get(f"{self.project.id}.plan.{self.name}.{name}")


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A finding with its project."""

    project: str
    finding: Finding


def use_of(figure: Figure | None) -> Fraction | None:
    """The value to plan with; None where there is no such figure, or none that is known."""
    return None if figure is None or figure.missing else figure.use


def lacking(*figures: Figure | None) -> str:
    """The addresses of the inputs that some figures lack, each once."""
    return " ".join(dict.fromkeys(address for figure in figures if figure for address in figure.missing))


def project_rows(book: Book) -> Iterator[tuple[str, View]]:
    """A row for each project, by its id."""
    for name, project in book.ledger.projects.items():
        yield name, View(book, project)


def run_rows(book: Book) -> Iterator[tuple[str, RunRecord]]:
    """A row for each run, by the place of its entry."""
    for project in book.ledger.projects.values():
        target = str(project.project.gpu)
        phases = {item: phase for phase, record in project.plan.items() for item in record.items}
        for _, run, traits in project.each_run():
            gpu, held = traits.gpu, run.charged_hours
            counted, missing = (held, "") if gpu == target else _counted(book, held, ratio_address(gpu, target))
            record = RunRecord(project, phases.get(str(run.item), ""), run, gpu, held, counted, missing)
            yield str(run.place), record


def _counted(book: Book, held: Fraction, ratio: str) -> tuple[Fraction | None, str]:
    """Hours on one GPU in those of another, by the address of their ratio; None and the address where it is unknown."""
    known = use_of(book.get(ratio))
    return (None, ratio) if known is None else (held * known, "")


def figure_rows(book: Book) -> Iterator[tuple[str, dict[str, Any]]]:
    """A row for each figure, by its address: what the exports have, with numbers beside the exact texts."""
    for address, figure in book.figures.items():
        ends = figure.value if figure.unit is not DATE else None
        texts = row(figure)
        numbers = {end: ends and getattr(ends, end) for end in ("low", "use", "high")}
        owner = address.partition(".")[0]
        project = owner if owner in book.ledger.projects else None
        yield address, {"project": project, **texts, **numbers, **{f"{end}_exact": texts[end] for end in numbers}}


def released_rows(snapshot: Snapshot) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same for the figures of a release, which keeps no formulas and no texts."""
    for address, figure in snapshot.figures.items():
        project = snapshot.project if address.startswith(f"{snapshot.project}.") else None
        kept = {"title": figure.title, "unit": figure.unit, "missing": figure.missing, **_ends(figure)}
        yield address, {"project": project, **kept}


def _ends(figure: ReleasedFigure) -> dict[str, Any]:
    """The ends of a figure of a release, as numbers and as exact texts."""
    ends = {end: getattr(figure, end) for end in ("low", "use", "high")}
    numbers = {end: None if text is None else Fraction(text) for end, text in ends.items()}
    if figure.unit != DATE.symbol:
        return {**numbers, **{f"{end}_exact": exact(number) for end, number in numbers.items()}}
    return {f"{end}_exact": None if number is None else iso(int(number)) for end, number in numbers.items()}


def plan_rows(book: Book) -> Iterator[tuple[str, PlannedItem]]:
    """A row for each item of each plan, by the address of the item."""
    for project in book.ledger.projects.values():
        for phase, record in project.plan.items():
            for name in record.items:
                yield f"{project.id}.plan.{name}", PlannedItem(book, project, phase, name)


def finding_rows(book: Book) -> Iterator[tuple[str, FindingRecord]]:
    """A row for each finding, accepted ones too, by its id."""
    for project, findings in book.findings.items():
        for finding in findings:
            yield finding.id, FindingRecord(project, finding)


def framed(index: str, columns: tuple[FrameColumn, ...], rows: list[tuple[str, Any]]) -> pandas.DataFrame:
    """Rows as a DataFrame with the address (or place, or id) as its index."""
    import pandas

    made: dict[str, Any] = {}
    for column in columns:
        values = [column.read(entry) for _, entry in rows]
        for (tail, dtype), part in zip(MAKES[column.kind], _parts(column.kind, values), strict=True):
            made[column.name + tail] = _array(dtype, part)
    return pandas.DataFrame(made, index=pandas.Index([name for name, _ in rows], name=index, dtype="string"))


def _parts(kind: str, values: list[Any]) -> Iterator[list[Any]]:
    """The values of a column for each column that it makes."""
    if kind == RANGE:
        for end in ("low", "use", "high"):
            yield [figure and _number(getattr(figure.value, end)) for figure in values]
        yield [None if figure is None else exact(figure.use) for figure in values]
    elif kind == HOURS:
        yield list(map(_number, values))
        yield list(map(exact, values))
    elif kind == NUMBER:
        yield list(map(_number, values))
    elif kind == TEXT:
        yield [str(value) if value else None for value in values]
    else:
        yield values


def _number(number: Fraction | None) -> float | None:
    """A number as a float; beyond what floats can hold it is infinite."""
    try:
        return None if number is None else float(number)
    except OverflowError:
        return float("inf") if number and number > 0 else float("-inf")


def _array(dtype: str, values: list[Any]) -> Any:
    """Values as a column of a type, with None as what is missing there."""
    import numpy
    import pandas

    if dtype == "datetime64[s]":
        least = numpy.iinfo("int64").min  # what numpy takes for no time
        return numpy.array([least if value is None else value for value in values], "int64").view("datetime64[s]")
    return numpy.array(values, "float64") if dtype == "float64" else pandas.array(values, dtype=dtype)  # type: ignore[call-overload]
