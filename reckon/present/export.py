"""Every figure of a book as rows for other programs.

Values are exact: `low`, `use` and `high` are decimals (`200.25`), or fractions (`1/3`) where a decimal would not end;
dates are text. A missing end is open, a missing `use` is unknown. `text` is what pages print. `lines` are the ledger
lines that a figure rests on; files of runs stand there without a line, since no run is a figure. JSON also has
`changes`, by address, where the ledger was changed for it: the value given, and what the ledger says there (or null).

A snapshot of a release has the same exactly (`snapshot_of`).

`export_columns` has these rows, and those of runs, plan and findings, as tables with typed columns.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

from reckon.compute.audit import data_through
from reckon.compute.book import Book
from reckon.compute.versions.method import METHOD
from reckon.language.calendar_days import DATE, DAY, iso, moment_of
from reckon.language.lazy import regex
from reckon.language.quantity import Value, decimal_text
from reckon.model.figure import Figure, Tallied, closure, ledger_lines
from reckon.model.finding import Finding
from reckon.model.kinds import ALLOCATIONS
from reckon.model.release import ReleasedFigure, ReleasedFinding, Snapshot

from .render.numbers import figure_text, format_sentence, with_names

JsonObject = dict[str, Any]
"""What becomes an object in JSON."""
COLUMNS = ("address", "title", "low", "use", "high", "unit", "text", "formula", "lines", "missing")
FORMAT_NUMBER = 1
# What makes a formula of a text in a spreadsheet, at its beginning, or where another country's separator begins a cell.
FORMULA = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = regex(rf"^(?=[{FORMULA}\t\r\n])|(?<=[;\t\r\n])(?=[\s\"']*[{FORMULA}])")
_DECIMAL = regex(r"-?[0-9]+(\.[0-9]+)?")


def exact(number: Fraction | None) -> str | None:
    """A number without loss: as a decimal where that ends, else as a fraction."""
    if number is None:
        return None
    below = number.denominator
    if 10 ** below.bit_length() % below:  # as many digits are enough for a decimal that ends
        return f"{number.numerator}/{below}"
    places = next(places for places in count() if 10**places % below == 0)
    return decimal_text(number, places)


def exact_ends(value: Value) -> dict[str, str | None]:
    """The ends of a value without loss, and the value to plan with, by name."""
    return {end: exact(getattr(value, end)) for end in ("low", "use", "high")}


def figure_row(figure: Figure) -> JsonObject:
    """One figure as a row."""
    lines = dict.fromkeys(place.short for place in ledger_lines(figure))
    sums = [below.origin for below in closure(figure) if isinstance(below.origin, Tallied)]
    files = {file for origin in sums for file, _, _ in origin.files}
    low, use, high = (exact_end(end, figure.unit is DATE) for end in figure.value.ends)
    return {
        "address": figure.address,
        "title": figure.title,
        "low": low,
        "use": use,
        "high": high,
        "unit": figure.unit.symbol,
        "text": figure_text(figure),
        "formula": with_names(figure),
        "lines": [*lines, *sorted(files)],
        "missing": list(figure.missing),
    }


def exact_end(number: Fraction | None, dated: bool) -> str | None:
    """An end of a figure without loss, and of one that is a date as a day."""
    return iso(int(number)) if dated and number is not None else exact(number)


def export(book: Book, form: str, spreadsheet: bool = False) -> str:
    """Every figure, in the order of the ledger, as `json` or `csv`; for a spreadsheet, no cell is a formula."""
    rows = [figure_row(figure) for figure in book.figures.values()]
    if form != "json":
        return write_figures_csv(rows, spreadsheet)
    changes = {change.address: {"value": change.value, "ledger": change.was} for change in book.ledger.changes}
    more = {"changes": changes, "converted": list(book.ledger.converted)}
    said = {key: value for key, value in more.items() if value}
    return write_json({"format": FORMAT_NUMBER, **said, "figures": rows}) + "\n"


def write_json(data: JsonObject) -> str:
    """What other programs read, for people to look at too."""
    return json.dumps(data, ensure_ascii=False, indent=1)


def write_figures_csv(rows: list[JsonObject], spreadsheet: bool) -> str:
    """Rows of figures as CSV, lists with spaces between; for a spreadsheet, no cell is a formula."""
    lines = []
    for entry in rows:
        values = [entry[column] or "" for column in COLUMNS]
        texts = [value if isinstance(value, str) else " ".join(value) for value in values]
        lines.append(list(map(no_formula, texts)) if spreadsheet else texts)
    return write_csv([COLUMNS, *lines], spreadsheet)


def write_csv(rows: Iterable[Iterable[object]], quoted: bool = False) -> str:
    """Rows as CSV. In quotes no character begins another row, which could begin with a formula."""
    content = io.StringIO()
    writer = csv.writer(content, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, lineterminator="\n")
    writer.writerows(rows)
    return content.getvalue()


class TypedColumn(NamedTuple):
    """A column of a table: its name, its type in pandas, and its values, with None for what is missing."""

    name: str
    dtype: str
    values: list[Any]


def write_table_csv(columns: Iterable[TypedColumn], spreadsheet: bool = False) -> str:
    """One of the tables for notebooks as pandas writes it as CSV; for a spreadsheet, no cell is a formula."""
    made = {}
    for name, dtype, values in columns:
        made[name] = values
        if dtype == "datetime64[s]":
            made[name] = _write_moments(values)
        elif dtype == "string" and spreadsheet:
            made[name] = [no_formula(text or "") for text in values]
    return write_csv([made, *zip(*made.values(), strict=True)], spreadsheet)


def _write_moments(seconds: Sequence[int | None]) -> list[str | None]:
    """Moments, which are days where all of them are."""
    length = 19 if any((second or 0) % DAY for second in seconds) else 10
    return [None if second is None else str(moment_of(second))[:length] for second in seconds]


def no_formula(text: str) -> str:
    """A text with a `'` before all that a spreadsheet would calculate; a plain number stays as it is."""
    return text if _DECIMAL.fullmatch(text) else _FORMULA.sub("'", text)


def snapshot_of(book: Book, project: str, files: Mapping[str, str], date: str, reason: str) -> Snapshot:
    """The snapshot of a project as it stands in a book, without pages; `files` are what the book was read from."""
    ledger = book.projects[project]
    figures = {
        address: released_figure(figure)
        for address, figure in book.figures.items()
        if address.split(".")[0] in (project, ALLOCATIONS.id)
    }
    findings = found_in(book).get(project, ())
    through = data_through(ledger)
    return Snapshot(
        project, str(ledger.project.version), date, reason, through, files, figures, findings, method=METHOD
    )


def released_figure(figure: Figure) -> ReleasedFigure:
    """A figure as a snapshot keeps it: exactly."""
    low, use, high = (None if end is None else str(end) for end in figure.value.ends)
    return ReleasedFigure(figure.title, figure.unit.symbol, low, use, high, figure.missing)


def found_in(book: Book) -> dict[str, tuple[ReleasedFinding, ...]]:
    """The findings of a book by project, each with its title as it is printed."""
    return {name: tuple(map(_release_finding, findings)) for name, findings in book.findings.items()}


def _release_finding(finding: Finding) -> ReleasedFinding:
    """A finding as a snapshot keeps it, with why it is accepted and by whom; that is empty for one that is open."""
    accepted = f"{finding.accepted} ({finding.by})" if finding.by else finding.accepted
    return ReleasedFinding(finding.id, finding.severity, format_sentence(finding.title), accepted)
