"""`explain`: the tree below a figure, down to the ledger lines that it rests on.

Each figure is expanded once. A branch that gets too deep is cut off and continued at the margin, so that neither long
chains nor wide sums make the output explode. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from reckon.compute.book import Book
from reckon.compute.budget.future_addresses import later
from reckon.language.expression import Name
from reckon.language.text import NOWHERE, echoed, first_of, list_first, plural
from reckon.language.units import SIGNS, key_unit
from reckon.model.day_split import days_of
from reckon.model.figure import SUMMED, Calculated, Figure, Selection, Tallied, Worked, closure, operands
from reckon.model.finding import nearest
from reckon.model.records import Run

from ..render.escape import terminal
from ..render.numbers import exact_text, figure_text, number_text, with_names
from ..render.products import with_numbers
from .lines import Lines, lay_line, lay_lines
from .messages import judged

DEEPEST = 12
MOST_FILES = 40
LONGEST = 400
PAGE = 100


def resolve(book: Book, text: str) -> Figure | str:
    """The figure that an address means, its project left out where that is clear; or what is wrong with the address."""
    if figure := book.quoted("", text):
        return figure
    found = [figure for scope in [*book.projects, "catalog"] if (figure := book.quoted("", f"{scope}.{text}"))]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"`{figure.address}`" for figure in found[:12])
        return f"`{echoed(text)}` is in several projects; name one: {names}"
    if said := judged(book, text):
        return said
    shown = terminal(echoed(text))
    start = f"{text}."
    below = [at for at in book.figures if at.startswith(start) or at.split(".", 1)[-1].startswith(start)]
    if below:
        return f"`{shown}` is not a figure itself; below it are {first_of([f'`{at}`' for at in below], 6)}"
    return _coming(book, text) or f"there is no figure `{shown}`; " + (
        _near(book, text) or "`budget explain --list` shows them all"
    )


def _coming(book: Book, text: str) -> str:
    """Where an address will have a figure later: what it comes with; else nothing."""
    for scope in ("", *book.projects):
        if (figure := later(book.figures, scope, text)) is not None:
            project = book.projects.get(figure.address.partition(".")[0])
            runs = "further runs" if project and project.rows else "a first run"
            needs = "a known plan" if "forecast" in figure.address else runs
            return f"`{terminal(figure.address)}` has no value yet: it needs {needs}"
    return ""


def _near(book: Book, text: str) -> str:
    """A hint at the nearest addresses, in the project that was named if one was."""
    scope = text.partition(".")[0]
    within = [address for address in book.figures if address.startswith(scope + ".")]
    inside = dict.fromkeys(address.partition(".")[2] for address in book.figures)
    return nearest(text, within if len(within) > 12 else book.figures) or nearest(text, inside)


def listing(book: Book, prefix: str = "") -> Lines:
    """Every figure with its value and title, one a line; with a prefix those at or below it, in any project."""
    for address, figure in book.figures.items():
        if not prefix or any(f"{name}.".startswith(prefix + ".") for name in (address, address.partition(".")[2])):
            yield from lay_line(f"{address} = {figure_text(figure)}   {figure.title}")


def explain(book: Book, figure: Figure, page: int = 0) -> Lines:
    """The derivation of a figure, line by line; with a page from 1 on, that page of the runs that it sums after it."""
    waiting = [figure]
    known = {_key(figure): "below"}
    for root in waiting:
        if root is not figure:
            yield ""
        known[_key(root)] = "above"
        for line, below in _tree(root, waiting, known):
            yield from lay_line(line, below)
    if page:
        yield ""
        yield from run_lines(book, figure, page)


def _key(figure: Figure) -> str:
    return figure.address or str(id(figure))


def _tree(root: Figure, waiting: list[Figure], known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """One tree: each line, and the branches that go on below it. `known` says where else a figure is expanded; one that
    stands too deep joins those that wait."""
    stack = [(root, "", "", 0)]
    while stack:
        figure, branch, below, depth = stack.pop()
        parts = list({_key(operand): operand for operand in operands(figure)}.values())
        if depth and (parts or isinstance(figure.origin, Tallied)):
            if depth >= DEEPEST and _key(figure) not in known:
                known[_key(figure)] = "below"
                waiting.append(figure)
            if where := known.get(_key(figure)):
                yield f"{branch}{_head(figure)}   (see {where})", below
                continue
            known[_key(figure)] = "above"
        yield branch + _head(figure), below
        yield from ((f"{below}  {line}", below) for line in _workings(figure))
        for number, part in reversed(list(enumerate(parts, 1))):
            arm, gap = ("└─ ", "   ") if number == len(parts) else ("├─ ", "│  ")
            stack.append((part, f"{below}  {arm}", f"{below}  {gap}", depth + 1))


def _head(figure: Figure) -> str:
    """`pixelis.budget.final = 1,535 GPU-h (1,535.25 exactly)   Final budget   ledger/…:12`."""
    exact = exact_text(figure)
    value = figure_text(figure) + (f" ({exact} exactly)" if exact else "")
    place = "" if figure.place is NOWHERE else f"   {figure.place.short}"
    return f"{figure.address or figure.title} = {value}" + (f"   {figure.title}" if figure.address else "") + place


def _workings(figure: Figure) -> Lines:
    """How a figure comes about: its formula with names, then with numbers; or its runs, file by file."""
    if isinstance(figure.origin, Calculated):
        yield from _formula(figure, figure.origin)
    elif isinstance(figure.origin, Tallied):
        yield from _runs(figure, figure.origin)
    elif isinstance(figure.origin, Worked):
        yield figure.origin.how
    for missing in figure.missing if figure.address not in figure.missing else ():
        yield f"unknown without {missing}"


def _formula(figure: Figure, origin: Calculated) -> Lines:
    """The formula with names and with numbers, on one line where they fit."""
    tree = origin.formula.tree
    names = with_names(figure)
    numbers = with_numbers(figure)
    if isinstance(tree, Name):
        picked = {".low": "its low end", ".use": "its planning value", ".high": "its high end"}
        yield picked.get(figure.address.removeprefix(origin.operands[tree.name].address), names)
    elif len(names) > LONGEST:
        yield f"{len(origin.operands):,} operands, as they stand below"
    elif len(names) + len(numbers) > 110:
        yield names
        yield f"= {numbers}"
    else:
        yield f"{names} = {numbers}"


def _runs(figure: Figure, origin: Tallied) -> Lines:
    """Which runs a sum takes in, how many, and how much of it is in which file."""
    if not origin.count:
        yield f"{origin.selection.words}: none recorded"
        return
    yield f"{origin.selection.words}: {origin.count:,} in {plural(len(origin.files), 'file')}"
    symbol = figure.unit.symbol
    lines = [f"{file}: {plural(count, 'run')}, {_amount(amount, symbol)}" for file, count, amount in origin.files]
    yield from list_first(lines, MOST_FILES, "and {} more files")


def runs_of(book: Book, figure: Figure) -> list[Run]:
    """The runs that a figure sums, directly or through its operands, in the order of the ledger; each once."""
    wanted = {part.origin.selection for part in closure(figure) if isinstance(part.origin, Tallied)}
    runs = []
    for project in book.projects.values():
        own = [selection for selection in wanted if selection.project == project.id]
        for _, run, traits in project.each_entry():
            if any(selection.means(traits) and _on_its_days(selection, run) for selection in own):
                runs.append(run)
    return runs


def _on_its_days(selection: Selection, run: Run) -> bool:
    """Whether hours of a run can lie between the days that a sum asks for; those without a date may."""
    days = days_of(run)
    return selection.days is None or not days[-1] or (days[0] < selection.days[1] and days[-1] >= selection.days[0])


def run_lines(book: Book, figure: Figure, page: int) -> Lines:
    """One page of the runs behind a figure, with a line that says which page it is."""
    runs = runs_of(book, figure)
    if not runs:
        yield "This figure counts no runs."
        return
    pages = ceil(len(runs) / PAGE)
    page = min(page, pages)
    yield from lay_lines(map(_line, runs[(page - 1) * PAGE : page * PAGE]))
    more = f"; the next: --runs --page {page + 1}" if page < pages else ""
    several = any(run.jobs is not None for run in runs)
    entries = f" in {plural(len(runs), 'entry', 'entries')}" if several else ""
    yield f"{plural(sum(run.many for run in runs), 'run')}{entries}, page {page:,} of {pages:,}{more}"


def _line(run: Run) -> str:
    words = [f"{run.place.file}:{run.place.line}", str(run.date or run.start or "no date"), run.item]
    words += [f"seed {run.seed}"] if run.seed else []
    hours = f"{_number(run.charged_hours)} GPU-h"
    if run.gpu_hours is None and run.gpus is not None and run.wall_hours is not None:
        hours += f" = {_number(run.gpus)} GPU{'s'[: run.gpus != 1]} × {_number(run.wall_hours)} h"
    words += [f"adds {run.adds}"] if run.adds else [run.status, hours]
    words += [run.jobs_told] if run.jobs_told else []
    for field in SUMMED:
        if (amount := getattr(run, field.name)) is not None:
            words.append(_amount(amount, key_unit(field.name).symbol))
    return "  ".join(words)


def _amount(number: Fraction, symbol: str) -> str:
    return symbol + _number(number) if symbol and symbol in SIGNS else f"{_number(number)} {symbol}".rstrip()


def _number(number: Fraction) -> str:
    return number_text(number, exact=number.denominator <= 1000)
