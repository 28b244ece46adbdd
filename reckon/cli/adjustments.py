"""What a change of a ledger does to closed periods: the adjustments that it is told by, and those that are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.budget.closed_periods import Charges, Unadjusted, unadjusted
from reckon.language.calendar_days import iso
from reckon.language.text import Place
from reckon.model.closing import OUTSIDE_ITEMS, ChargedSum, Closing, added, less
from reckon.model.finding import Problem
from reckon.model.records import NOBODY
from reckon.present.render.numbers import number_text
from reckon.publish import closings
from reckon.publish.write_plan import FileChange

from .books import refusal
from .output import DIFFERS, CommandError, program

MOST_TOLD = 3


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
    known, wrong = closings.closings(root)
    if wrong:
        raise refusal(wrong, DIFFERS)
    return known


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
    left = {(rest.allocation, rest.period, rest.project): rest for rest in unadjusted(was, known, projects)}
    found = []
    for rest in unadjusted(now, known, projects):
        same = left.pop((rest.allocation, rest.period, rest.project), rest._replace(sums=(), missing=()))
        found.append(rest._replace(sums=added(rest.sums, less(same.sums)), missing=(*rest.missing, *same.missing)))
    found += [same._replace(sums=less(same.sums)) for same in left.values()]
    made = [adjustment(now, known, rest, learned) for rest in found if rest.sums and not rest.missing]
    return [FileChange(each.file, None, each.text()) for each in made], [
        describe_adjustment(after, each) for each in made
    ]


def adjustment(charges: Charges, known: Sequence[Closing], rest: Unadjusted, learned: Learned) -> Closing:
    """The adjustment that takes in what is not adjusted. It was not learned before the period was closed, whatever an
    export says that comes late."""
    key = rest.allocation, rest.project, rest.period
    count = sum(1 for each in known if each.number and (each.allocation, each.project, each.period) == key)
    through = iso(charges.known_through(rest.allocation))
    closed = next(each.date for each in known if (each.allocation, each.period) == (rest.allocation, rest.period))
    return Closing(*key, max(learned.day, closed), through, rest.sums, count + 1, learned.reason)


def describe_adjustment(book: Book, each: Closing) -> str:
    """What is said of an adjustment: the period, the project, and by how much it is adjusted."""
    return (
        f"{each.period} of {_title(book, each.allocation)} is closed: "
        f"adjusted by {amounts(book, each.allocation, each.sums)} in {each.project}"
    )


def _title(book: Book, allocation: str) -> str:
    grant = book.allocations.get(allocation)
    return grant.title if grant else allocation


def _unit(book: Book, allocation: str) -> str:
    """What an allocation counts in."""
    grant = book.allocations.get(allocation)
    return grant.unit_words if grant else "GPU-h"


def amounts(book: Book, allocation: str, sums: Sequence[ChargedSum]) -> str:
    """Differences in words: `+3.2 GPU-h (sft on a100 +4, rft on a100 −0.8)`."""
    total = sum((each.used for each in sums), Fraction(0))
    parts = [_part(each) for each in sums[:MOST_TOLD]]
    parts += [f"and {len(sums) - MOST_TOLD:,} more"] if len(sums) > MOST_TOLD else []
    return f"{_signed(total)} {_unit(book, allocation)} ({', '.join(parts)})"


def _part(each: ChargedSum) -> str:
    what = OUTSIDE_ITEMS.get(each.item, each.item) + ("" if each.gpu == NOBODY else f" on {each.gpu}")
    if each.used:
        return f"{what} {_signed(each.used)}"
    return (
        f"{what} {_signed(each.useful)} completed or running"
        if each.useful
        else f"{what} {_signed(each.usd or Fraction(0))} USD"
    )


def _signed(number: Fraction) -> str:
    text = number_text(number, False)
    return f"+{text}" if number > 0 else text


def problems(root: Path, book: Book | None) -> list[Problem]:
    """What is wrong with the closings of a tree; of a `book` without problems also where what is true now is not what
    was closed and adjusted."""
    known, wrong = closings.closings(root)
    if book is None or wrong:
        return wrong
    lost = {each.allocation: each for each in reversed(known) if each.allocation not in book.allocations}
    for name, each in lost.items():
        said = f"{each.period} of `{name}` is closed, and ledger/allocations.yaml has no such allocation"
        wrong.append(Problem(Place(each.file, 1, 1), said, "write it there again"))
    kept = [each for each in known if each.allocation not in lost]
    return sorted([*wrong, *_unadjusted(book, kept)])


def _unadjusted(book: Book, known: Sequence[Closing]) -> Iterator[Problem]:
    files = {(each.allocation, each.period, each.project): each.file for each in reversed(known)}
    first = {(each.allocation, each.period): each.file for each in reversed(known)}
    for rest in unadjusted(charges_of(book), known):
        key = rest.allocation, rest.period
        place = Place(files.get((*key, rest.project), first[key]), 1, 1)
        if rest.missing:
            said = f"what {rest.project} was charged in {rest.period} cannot be told: {rest.missing[0]} is missing"
            yield Problem(place, said, "state it in the catalogue")
        else:
            said = f"{rest.period} of {rest.allocation} is closed, and {rest.project} was changed in it"
            right = f"`{program()} close --adjust` takes that in as an adjustment, or undo the edit"
            yield Problem(place, f"{said} by {amounts(book, rest.allocation, rest.sums)}", right)


def new_in(root: Path, changed: Collection[str], book: Book) -> list[str]:
    """What is said of the closings and adjustments among the files that a change adds: one line an allocation and
    period, and one an adjustment."""
    some = [each for each in closings.closings(root)[0] if each.file in changed]
    lines: dict[tuple[str, str], Fraction] = {}
    for each in some:
        if not each.number:
            key = each.allocation, each.period
            lines[key] = lines.get(key, Fraction(0)) + each.used
    said = [
        f"{period} of {_title(book, name)} is closed, with {number_text(used, False)} {_unit(book, name)}"
        for (name, period), used in lines.items()
    ]
    return [
        *said,
        *(
            f"{describe_adjustment(book, each)}, learned {each.date}{f': {each.reason}' if each.reason else ''}"
            for each in some
            if each.number
        ),
    ]


def ask_for_known(rests: Iterable[Unadjusted]) -> None:
    """Makes sure that all hours can be counted. Raises CommandError."""
    missing = sorted({name for rest in rests for name in rest.missing})
    if missing:
        raise CommandError(
            *(f"{name} is missing, so hours on that card cannot be counted; state it" for name in missing)
        )


def closed_before(known: Sequence[Closing], allocation: str) -> list[Closing]:
    """The closings of an allocation, each once however many projects it has."""
    return list({each.period: each for each in known if each.allocation == allocation and not each.number}.values())
