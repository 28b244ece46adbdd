"""What a change of a ledger does to closed periods: the adjustments that it is told by, and those that are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.budget.closed_periods import Charges, Unadjusted, unadjusted
from reckon.language.calendar_days import iso
from reckon.language.groups import group_by
from reckon.language.text import Place
from reckon.model.closing import (
    ALLOCATION,
    BALANCE,
    COLUMNS,
    FAILED,
    HELD,
    OUTSIDE_ITEMS,
    USED,
    USEFUL,
    Closing,
    Row,
    Sums,
    added,
    by_row,
    items_of,
    total_of,
)
from reckon.model.figure import COSTS
from reckon.model.finding import Problem
from reckon.model.records import NOBODY
from reckon.present.render.numbers import number_text
from reckon.publish import closings
from reckon.publish.write_plan import FileChange

from .books import sound
from .output import DIFFERS, CommandError, program

MOST_TOLD = 3
_COLUMN_WORDS = {
    USED: "",
    USEFUL: " completed or running",
    FAILED: " failed",
    HELD: " GPU-h held",
    **{name: f" {name[5:].upper()} stated" for name in COSTS},
}


class Learned(NamedTuple):
    """On which day something was learned that changes closed periods (empty: today), and by what."""

    day: str
    reason: str = ""


TODAY = Learned("")


def charges_of(book: Book) -> Charges:
    """What the allocations of a book were charged."""
    return Charges(book.ledger, book.figures)


def read_closings(root: Path) -> tuple[Closing, ...]:
    """The closings of a tree. Raises CommandError where one of them is not as it was closed."""
    return sound(closings.closings(root), DIFFERS)


def adjusted(root: Path, before: Book, after: Book, learned: Learned) -> tuple[list[FileChange], list[str]]:
    """The files of the adjustments by which closed periods take in a change of the ledger, and what is told of them.

    What was not adjusted before the change stays so: `close --adjust` is asked for that. Raises CommandError where a
    closing is not as it was closed.
    """
    known = read_closings(root)
    projects = {name for name, project in after.projects.items() if before.projects.get(name) is not project}
    if not known or not projects:
        return [], []
    was, now = charges_of(before), charges_of(after)
    left = [adjustment(was, known, rest, learned) for rest in unadjusted(was, known, projects)]
    found = unadjusted(now, [*known, *left], projects)
    made = [adjustment(now, known, rest, learned) for rest in found if rest.sums and not rest.missing]
    return [FileChange(each.file, None, each.text()) for each in made], [
        describe_adjustment(after, each) for each in made
    ]


def adjustment(charges: Charges, known: Sequence[Closing], rest: Unadjusted, learned: Learned) -> Closing:
    """The adjustment that takes in what is not adjusted, of the format of what was closed. It was not learned before
    the period was closed, whatever an export says that comes late."""
    closed, day = rest.closed, max(learned.day, rest.closed.date)
    key = closed.allocation, rest.project, closed.period
    count = sum(1 for each in known if each.number and (each.allocation, each.project, each.period) == key)
    words = *key, day, iso(charges.known_through(closed.allocation)), rest.sums, count + 1, learned.reason
    return Closing(*words, unit=closed.unit, format=closed.format)


def describe_adjustment(book: Book, each: Closing) -> str:
    """What is said of an adjustment: the period, and by how much it is adjusted."""
    changes = describe_changes(book, each.allocation, each.project, each.sums)
    return f"{each.period} of {title_of(book, each.allocation)} is closed: adjusted by {changes}"


def describe_changes(book: Book, allocation: str, project: str, sums: Sums) -> str:
    """Differences in words: `+8 GPU-h (encoder on a100 +8) in whales, -8 GPU-h left`."""
    items, unit = items_of(sums), _unit(book, allocation)
    said = [f"{amounts(book, allocation, items)} in {project}"] if items else []
    balance = by_row(sums).get(ALLOCATION, {})
    said += [f"{_signed(balance[name])} {unit} {name.replace('_', ' ')}" for name in BALANCE if name in balance]
    return ", ".join(said)


def title_of(book: Book, allocation: str) -> str:
    """The title of an allocation; its id where there is no such one."""
    grant = book.allocations.get(allocation)
    return grant.title if grant else allocation


def _unit(book: Book, allocation: str) -> str:
    """What an allocation counts in."""
    grant = book.allocations.get(allocation)
    return grant.unit_words if grant else "GPU-h"


def amounts(book: Book, allocation: str, sums: Sums) -> str:
    """Differences of items in words, column by column: `+3.2 GPU-h (sft on a100 +4 and +1 failed, rft −0.8)`."""
    rows = by_row(sums)
    parts = [_part(*key, row) for key, row in list(rows.items())[:MOST_TOLD]]
    parts += [f"and {len(rows) - MOST_TOLD:,} more"] if len(rows) > MOST_TOLD else []
    return f"{_signed(total_of(sums, USED))} {_unit(book, allocation)} ({', '.join(parts)})"


def _part(item: str, gpu: str, row: Row) -> str:
    """What moved of an item on a card. What was useful or held is told where it is not what was charged."""
    what = OUTSIDE_ITEMS.get(item, item) + ("" if gpu == NOBODY else f" on {gpu}")
    told = [name for name in COLUMNS if name in row and (name not in (USEFUL, HELD) or row[name] != row.get(USED))]
    return f"{what} {' and '.join(_signed(row[name]) + _COLUMN_WORDS[name] for name in told)}"


def _signed(number: Fraction) -> str:
    text = number_text(number)
    return f"+{text}" if number > 0 else text


def problems(root: Path, book: Book | None) -> list[Problem]:
    """What is wrong with the closings of a tree; of a `book` without problems also where what is true now is not what
    was closed and adjusted."""
    known, wrong = closings.closings(root)
    if book is None or wrong:
        return wrong
    lost = {each.allocation: each for each in reversed(known) if each.allocation not in book.allocations}
    for name, each in lost.items():
        said = f"{each.period} of `{name}` is closed, and ledger/allocations.yaml does not have this allocation"
        wrong.append(Problem(Place(each.file), said, "restore it there"))
    kept = [each for each in known if each.allocation not in lost]
    for each in kept:
        unit = _unit(book, each.allocation)
        if each.unit not in ("", unit):
            said = f"{each.period} of `{each.allocation}` is closed in {each.unit}, and now counted in {unit}"
            wrong.append(Problem(Place(each.file), said, "restore its unit in ledger/allocations.yaml"))
    return sorted([*wrong, *_unadjusted(book, kept)])


def _unadjusted(book: Book, known: Sequence[Closing]) -> Iterator[Problem]:
    rests = unadjusted(charges_of(book), known)
    # What is left follows from all else that moved: then, and in the periods before.
    caused = {rest.closed.allocation for rest in rests if rest.moves_more}
    for rest in rests:
        allocation, period, place = rest.closed.allocation, rest.closed.period, Place(rest.closed.file)
        if rest.missing:
            said = f"what {allocation} was charged by the end of {period} is unknown: {rest.missing[0]} is missing"
            yield Problem(place, said, "state it in the catalogue")
        elif rest.moves_more or allocation not in caused:
            changes = describe_changes(book, allocation, rest.project, rest.sums)
            said = f"{period} of {allocation} is closed, and was changed by {changes}"
            yield Problem(place, said, f"`{program()} close --adjust` records the adjustment, or undo the edit")
            caused.add(allocation)


def new_in(root: Path, changed: Collection[str], book: Book) -> list[str]:
    """What is said of the closings and adjustments among the files that a change adds: one line an allocation and
    period, and one an adjustment."""
    some = [each for each in closings.closings(root)[0] if each.file in changed]
    closed = group_by((each for each in some if not each.number), lambda each: (each.allocation, each.period))
    said = []
    for (name, period), its in closed.items():
        used = number_text(total_of(added(*(each.sums for each in its)), USED))
        said.append(f"{period} of {title_of(book, name)} is closed, with {used} {_unit(book, name)}")
    for each in some:
        if each.number:
            reason = f": {each.reason}" if each.reason else ""
            said.append(f"{describe_adjustment(book, each)}, learned {each.date}{reason}")
    return said


def ask_for_known(lacking: Iterable[Sequence[str]]) -> None:
    """Makes sure that nothing is missing, so that all hours can be counted. Raises CommandError."""
    if missing := sorted(set().union(*lacking)):
        raise CommandError(*(f"{name} is missing, so hours on that card cannot be counted; add it" for name in missing))


def closed_before(known: Sequence[Closing], allocation: str) -> list[Closing]:
    """The closings of an allocation, each once however many projects it has."""
    return list({each.period: each for each in known if each.allocation == allocation and not each.number}.values())
