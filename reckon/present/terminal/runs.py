"""The runs behind a sum, a page at a time: no run is a figure, but each can be looked at."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.book import Book
from reckon.language.units import key_unit
from reckon.model.figure import SUMMED, Figure, Tallied, operands
from reckon.model.records import Run

from ..escape import terminal
from ..numbers import MONEY, number_text

PAGE = 100


def runs_of(book: Book, figure: Figure) -> list[Run]:
    """The runs that a figure sums, directly or through its operands, in the order of the ledger; each once."""
    sums = {part.origin.selection for part in _below(figure) if isinstance(part.origin, Tallied)}
    found = []
    for project in book.ledger.projects.values():
        own = [selection for selection in sums if selection.project == project.id]
        if own:
            found += [run for _, run, traits in project.each_run() if any(sel.means(traits) for sel in own)]
    return found


def run_lines(book: Book, figure: Figure, page: int) -> Iterator[str]:
    """One page of the runs behind a figure, with a line that says which page it is."""
    runs = runs_of(book, figure)
    pages = max(1, -(-len(runs) // PAGE))
    if not runs:
        yield "No runs stand behind this figure."
        return
    page = min(page, pages)
    yield from (_line(run) for run in runs[(page - 1) * PAGE : page * PAGE])
    more = f"; the next: --runs --page {page + 1}" if page < pages else ""
    yield f"{len(runs):,} run{'s'[: len(runs) != 1]}, page {page:,} of {pages:,}{more}"


def _line(run: Run) -> str:
    words = [f"{run.place.file}:{run.place.line}", str(run.date or run.start or "no date"), str(run.item)]
    words += [f"seed {run.seed}"] if run.seed else []
    words += [str(run.status), f"{_number(run.charged_hours)} GPU-h{_held(run)}"]
    stated = ((key_unit(field.name).symbol, getattr(run, field.name)) for field in SUMMED)
    words += [_amount(amount, symbol) for symbol, amount in stated if amount is not None]
    return terminal("  ".join(words))


def _amount(amount: Fraction, symbol: str) -> str:
    return symbol + _number(amount) if symbol in MONEY else f"{_number(amount)} {symbol}"


def _held(run: Run) -> str:
    """Where the hours of a run come from, unless they are stated."""
    if run.gpu_hours is not None or run.gpus is None or run.wall_hours is None:
        return ""
    return f" = {_number(run.gpus)} GPU{'s'[: run.gpus != 1]} × {_number(run.wall_hours)} h"


def _number(number: Fraction) -> str:
    return number_text(number, exact=number.denominator <= 1000)


def _below(figure: Figure) -> Iterator[Figure]:
    seen, stack = set(), [figure]
    while stack:
        part = stack.pop()
        if id(part) not in seen:
            seen.add(id(part))
            stack.extend(operands(part))
            yield part
