"""The rows of the tables for notebooks and other programs, and how they become a DataFrame by the kinds of columns.

Text that is absent and numbers that are unknown are missing values, never zero. pandas is imported when a table is
made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from reckon.compute.book import Book
from reckon.compute.budget import charge_table
from reckon.compute.sheet.inputs import ratio_address
from reckon.language.calendar_days import DATE, iso, since_1970
from reckon.language.quantity import ONE, Value
from reckon.model import records as r
from reckon.model.figure import Figure, missing_of
from reckon.model.ledger import ProjectLedger
from reckon.model.release import Snapshot

from .export import TypedColumn, exact, exact_end, figure_row
from .table_rows import use_of
from .view import View

if TYPE_CHECKING:
    import pandas

# What each kind of column makes in a DataFrame: what goes behind its name, and the type.
MAKES = {
    "text": (("", "string"),),  # missing where there is none; several texts with spaces between
    "number": (("", "float64"),),
    "hours": (("", "float64"), ("_exact", "string")),  # a number, and beside it the exact text
    "range": (("_low", "float64"), ("_use", "float64"), ("_high", "float64"), ("_exact", "string")),  # of a figure
    "count": (("", "Int64"),),
    "time": (("", "datetime64[s]"),),  # a date, or a date with a time of day, read as text
    "flag": (("", "boolean"),),
}
Entries = Iterator[tuple[str, SimpleNamespace]]
"""The rows of a table: what each is called, and what its columns are read off."""
ENDS = ("low", "use", "high")


class FrameColumn(NamedTuple):
    """A column: its name, its kind, what it holds and in which unit, and how it is read off a row.

    That is a function, or the path of an attribute; without either, the attribute of the same name.
    """

    name: str
    kind: str
    about: str
    read: str | Callable[[Any], Any] = ""


@dataclass(frozen=True)
class FrameTable:
    """A table: what one row is, the name of its index, its columns, and how its rows come out of a book."""

    about: str
    index: str
    columns: tuple[FrameColumn, ...]
    rows: Callable[[Book], Iterator[tuple[str, Any]]]


class PlannedItem(NamedTuple):
    """An item of the plan with the phase that it stands in, by their ids and as records."""

    book: Book
    project: ProjectLedger
    phase: str
    planned: r.Phase
    name: str
    item: r.Item

    def figure(self, name: str) -> Figure | None:
        """A figure below its address, as `total`; None where there is none."""
        return self.book.get(f"{self.project.id}.plan.{self.name}.{name}")


def lacking(figures: Iterable[Figure | None]) -> str:
    """The addresses of the inputs that some figures lack, each once."""
    return " ".join(missing_of(figures))


def project_rows(book: Book) -> Iterator[tuple[str, View]]:
    """A row for each project, by its id."""
    for name, project in book.projects.items():
        yield name, View(book, project)


def run_rows(book: Book) -> Entries:
    """A row for each run, by the place of its entry: with its hours on the GPU that it was on, and on the project's.

    Where it is not known what an hour on its GPU counts as, `missing` is the address of that.
    """
    for project in book.projects.values():
        target = str(project.project.gpu)
        phases = {item: phase for phase, record in project.plan.items() for item in record.items}
        for _, run, traits in project.each_run():
            address = ratio_address(traits.gpu, target)
            ratio = ONE if traits.gpu == target else use_of(book.get(address))
            entry = SimpleNamespace(project=project, run=run, gpu=traits.gpu, held=run.charged_hours)
            entry.phase = phases.get(str(run.item))
            entry.counted = None if ratio is None else run.charged_hours * ratio
            entry.missing = address if ratio is None else ""
            yield str(run.place), entry


def figure_rows(book: Book) -> Entries:
    """A row for each figure, by its address: what the exports have, with numbers beside the exact texts."""
    for address, figure in book.figures.items():
        texts = figure_row(figure)
        owner, _, _ = address.partition(".")
        project = owner if owner in book.projects else None
        yield address, SimpleNamespace(**{**texts, **_list_ends(figure.value, figure.unit is DATE)}, project=project)


def released_rows(snapshot: Snapshot) -> Entries:
    """The same for the figures of a release, which keeps no formulas and no texts."""
    for address, figure in snapshot.figures.items():
        project = snapshot.project if address.startswith(f"{snapshot.project}.") else None
        told = {"project": project, "title": figure.title, "unit": figure.unit, "missing": figure.missing}
        yield address, SimpleNamespace(**told, **_list_ends(figure.value, figure.unit == DATE.symbol))


def _list_ends(value: Value, dated: bool) -> dict[str, Any]:
    """The ends of a figure by their columns: as numbers, unless it is a date, and without loss."""
    ends: dict[str, Any] = {}
    for end, number in zip(ENDS, value.ends, strict=True):
        ends |= {end: None if dated else number, f"{end}_exact": exact_end(number, dated)}
    return ends


def plan_rows(book: Book) -> Iterator[tuple[str, PlannedItem]]:
    """A row for each item of each plan, by the address of the item."""
    for project in book.projects.values():
        for phase, record in project.plan.items():
            for name, item in record.items.items():
                yield f"{project.id}.plan.{name}", PlannedItem(book, project, phase, record, name, item)


def charge_rows(book: Book) -> Iterator[tuple[str, charge_table.ChargeRow]]:
    """A row for each day of each item, seed and card, by who pays, with these as its index."""
    for row in charge_table.charge_rows(book.ledger, book.figures):
        parts = (row.project, row.item, row.seed, row.card, row.payer, iso(row.day) if row.day else "")
        yield "/".join(parts), row


def finding_rows(book: Book) -> Entries:
    """A row for each finding, accepted ones too, by its id: the finding with the id of its project."""
    for project, findings in book.findings.items():
        for finding in findings:
            yield finding.id, SimpleNamespace(project=project, finding=finding)


def typed_columns(index: str, columns: tuple[FrameColumn, ...], rows: list[tuple[str, Any]]) -> Iterator[TypedColumn]:
    """The columns that some rows make, with the address (or place, or id) of each as the first."""
    yield TypedColumn(index, "string", [name for name, _ in rows])
    for column in columns:
        read = column.read if callable(column.read) else attrgetter(column.read or column.name)
        values = [read(entry) for _, entry in rows]
        for (tail, dtype), part in zip(MAKES[column.kind], _split_column(column.kind, values), strict=True):
            yield TypedColumn(column.name + tail, dtype, part)


def framed(columns: Iterable[TypedColumn]) -> pandas.DataFrame:
    """Columns as a DataFrame, the first as its index."""
    import pandas

    (name, dtype, names), *others = columns
    made = {column: pandas.array(values, dtype=kind) for column, kind, values in others}  # type: ignore[call-overload]
    return pandas.DataFrame(made, index=pandas.Index(names, name=name, dtype=dtype))


def _split_column(kind: str, values: list[Any]) -> list[list[Any]]:
    """The values of a column for each column that it makes."""
    match kind:
        case "range":
            ends = []
            for end in ENDS:
                ends.append([figure and _make_float(getattr(figure.value, end)) for figure in values])
            return [*ends, [figure and exact(figure.use) for figure in values]]
        case "hours" | "number":
            numbers = [use_of(value) if isinstance(value, Figure) else value for value in values]
            floats = list(map(_make_float, numbers))
            return [floats, list(map(exact, numbers))] if kind == "hours" else [floats]
        case "text":
            return [list(map(_join_texts, values))]
        case "time":
            return [[since_1970(str(value or "")) for value in values]]
    return [values]


def _join_texts(value: Any) -> str | None:
    """A text, or several with spaces between; None where there is none."""
    if not value:
        return None
    return " ".join(value) if isinstance(value, list | tuple) else str(value)


def _make_float(number: Fraction | None) -> float | None:
    """A number as a float; beyond what floats can hold it is infinite."""
    try:
        return None if number is None else float(number)
    except OverflowError:
        return float("inf") if number and number > 0 else float("-inf")
