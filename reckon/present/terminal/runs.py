"""The runs behind a sum, a page at a time: no run is a figure, but each can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.spending.tally import USEFUL, run_gpu, run_hours
from reckon.model.figure import Figure, Tallied, operands
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run

from ..escape import terminal
from ..numbers import number_text

PAGE = 100

Wanted = Callable[[Run], bool]


def runs_of(book: Book, figure: Figure) -> list[Run]:
    """The runs that a figure sums, directly or through its operands, in the order of the ledger; each once."""
    sums = [one for one in _below(figure) if isinstance(one.origin, Tallied)]
    found = []
    for project in book.ledger.projects.values():
        at = f"{project.id}."
        tests = [_wanted(project, one.address.removeprefix(at)) for one in sums if one.address.startswith(at)]
        if tests:
            found += [run for file in project.runs for run in file.runs if any(test(run) for test in tests)]
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
    words += [str(run.status), f"{_number(run_hours(run))} GPU-h{_held(run)}"]
    words += [f"{_number(run.energy_kwh)} kWh"] if run.energy_kwh is not None else []
    words += [f"${_number(run.cost_usd)}"] if run.cost_usd is not None else []
    return terminal("  ".join(words))


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
        one = stack.pop()
        if id(one) not in seen:
            seen.add(id(one))
            stack.extend(operands(one))
            yield one


def _wanted(project: ProjectLedger, address: str) -> Wanted:
    """Which runs the sum at an address inside a project takes in: those that `compute.actuals` tallied there."""
    items = project.items
    if address.startswith("actual.by_status."):
        return lambda run: run.status == address.removeprefix("actual.by_status.")
    if address.startswith("actual.by_gpu."):
        gpu, target = address.removeprefix("actual.by_gpu."), str(project.project.gpu)
        return lambda run: run_gpu(run, items, target) == gpu
    if address == "actual.unplanned":
        return lambda run: run.item not in items
    if address == "actual.energy":
        return lambda run: run.energy_kwh is not None
    if address in ("actual.cost", "actual.unpriced"):
        return lambda run: (run.cost_usd is None) == (address == "actual.unpriced")
    above, _, last = address.rpartition(".")
    if last in ("useful", "waste"):
        all_of = _wanted(project, f"{above}.actual")
        return lambda run: (run.status in USEFUL) == (last == "useful") and all_of(run)
    if not address.startswith("plan."):
        return lambda run: True
    item, _, rest = address.removeprefix("plan.").removesuffix(".actual").partition(".")
    if rest == "no_seed":
        return lambda run: run.item == item and not run.seed
    if rest.startswith("seeds."):
        return lambda run: run.item == item and run.seed == rest.removeprefix("seeds.")
    return lambda run: run.item == item
