"""What `add measurement` tells: the statistics of each column, the bottleneck, and the figures that moved."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.compute.book import Book
from reckon.compute.measuring.measured import bottleneck
from reckon.language.units import key_unit, label
from reckon.model.values import whole_of

from ..render.escape import terminal
from ..render.numbers import figure_text, use_text, value_text
from .lines import cut

TITLE = 24
WIDTHS = (6, 12, 20, 9)
MOST_MOVED = 20


def measured(before: Book, after: Book, project: str, name: str) -> Iterator[str]:
    """The lines about a measurement that was added to a project."""
    record, at = after.ledger.projects[project].measurements[name], f"{project}.measurements.{name}"
    whole = whole_of(record.total)
    columns = [*record.columns, *([whole] if whole else [])]
    if columns:
        yield f"  {'':{TITLE}}{'rows':>7}{'mean':>13}{'95% interval':>21}{'share':>10}"
    yield from (terminal(_column(after, f"{at}.{column}", column)) for column in columns)
    if part := bottleneck(record):
        yield terminal(f"  bottleneck: {label(part)}")
    yield from (terminal(f"  {label(key)}: {figure_text(after[f'{at}.{key}'])}") for key in record.figures)
    yield from _moved(before, after, project, at)


def _column(book: Book, at: str, column: str) -> str:
    symbol = key_unit(column).symbol
    title = label(column) + (f", {symbol}" if key_unit(column).kinds else "")
    mean, share = book[f"{at}.mean"], book.get(f"{at}.share")
    spread = "" if mean.value.exact else value_text(mean)
    told = (use_text(book[f"{at}.n"]), use_text(mean), spread, use_text(share) if share else "")
    cells = "".join(f" {text:>{width}}" for text, width in zip(told, WIDTHS, strict=True))
    return f"  {cut(title, TITLE - 1):{TITLE}}{cells}".rstrip()


def _moved(before: Book, after: Book, project: str, at: str) -> Iterator[str]:
    """The figures of the project, other than those of the measurement itself, that are not what they were."""
    moved = [
        (was, now)
        for address, now in after.figures.items()
        if address.startswith(f"{project}.")
        and not address.startswith(f"{at}.")
        and ((was := before.get(address)) is None or was.value != now.value)
    ]
    for was, now in moved[:MOST_MOVED]:
        old = figure_text(was) if was else "none"
        yield terminal(f"  {now.address}: {old} before, {figure_text(now)} now")
    if len(moved) > MOST_MOVED:
        yield f"  … and {len(moved) - MOST_MOVED:,} more figures"
    if not moved:
        yield "  No projection names it yet: add it to the `measurements` of one in projections.yaml."
