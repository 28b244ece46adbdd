"""How much `budget cover` tells of ledgers with mistakes: one input changed at a time, one entry left out at a time.

    python -m scripts.cover_rates [--missed] [--root=DIR] pixelis=budget.md arpo=cpu.md,gpu.md

Each name is a project of this repository, or of the ledger in DIR, with its documents. An input is changed in memory by
each of FACTORS, and told where its number then stands nowhere in the document; once without a line, once with the line
on which it stands. An entry is a record that alone holds a figure of the document: no other
input and no claim has it. All that the ledger has of it is left out, and all that is calculated from it, and it is told
where a figure of the document has no place any more; texts of the ledger are left out for that, since nobody writes
about what he left out. `--missed` lists what is not told.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from msgspec.structs import replace

from reckon.cli.books import load_sound_book
from reckon.compute.book import Book
from reckon.compute.cover.coverage import NumberIndex, cover, find_entry, index_numbers, list_numbers
from reckon.compute.cover.document import Passage, read_document
from reckon.compute.cover.holdings import CLAIM, INPUT, TEXT, Holding, holdings_of
from reckon.compute.cover.printed import Number
from reckon.model.figure import Figure, operands

ROOT = Path(__file__).resolve().parents[1]
FACTORS = (Fraction(13, 10), Fraction(7, 10), Fraction(10), Fraction(1, 10))


def change(entry: Holding, factor: Fraction) -> Holding:
    """The entry with its number changed."""
    readings = tuple((kinds, tuple(end * factor for end in ends)) for kinds, ends in entry.readings)
    return replace(entry, readings=readings)


def name_line(printed: NumberIndex, entry: Holding) -> Holding:
    """An entry with the line on which the document first has it."""
    number = find_entry(entry, printed)
    return entry if number is None else replace(entry, line=number.passage.line)


def list_changed(printed: NumberIndex, entries: Sequence[Holding]) -> Iterator[tuple[str, bool]]:
    """Each input that the document has, with each factor, and whether the change is told."""
    for entry in entries:
        if entry.kind == INPUT and find_entry(entry, printed):
            for factor in FACTORS:
                name = f"{entry.address} {entry.shown} × {float(factor)}"
                yield name, find_entry(change(entry, factor), printed) is None


def list_left_out(
    documents: Sequence[Sequence[Passage]], printed: NumberIndex, holdings: Sequence[Holding], book: Book
) -> Iterator[tuple[str, bool]]:
    """Each record that alone holds a figure of the document, beside claims too, and whether it is told that it was left
    out."""
    alone: dict[int, set[str]] = defaultdict(set)
    for entry in holdings:
        if entry.kind in (INPUT, CLAIM):
            claim = f" claimed at {entry.place}" if entry.kind == CLAIM else ""
            alone[id(find_entry(entry, printed))].add(entry.record + claim)
    figures = {place_of(number) for number in cover(documents, holdings).figures}
    numbers = [number for several in printed.values() for number in several if place_of(number) in figures]
    only = [alone[id(number)] for number in numbers if id(number) in alone]
    inputs = [holding for holding in holdings if holding.kind == INPUT]
    holdings = [holding for holding in holdings if holding.kind != TEXT]
    absent = list_absent(documents, holdings)
    for record in dict.fromkeys(holding.record for holding in inputs):
        if {record} in only:
            rest = [
                holding
                for holding in holdings
                if holding.record != record and (holding.kind == CLAIM or record not in bases_of(holding, book))
            ]
            yield record, bool(list_absent(documents, rest) - absent)


def bases_of(holding: Holding, book: Book) -> set[str]:
    """The records from which what a ledger holds is calculated."""
    figure = book.get(holding.address)
    if figure is None:
        return set()
    found: dict[str, Figure] = {}
    below = [figure]
    while below:
        figure = below.pop()
        if figure.address not in found:
            found[figure.address] = figure
            below += operands(figure)
    return {".".join(address.split(".")[:3]) for address in found}


def list_absent(documents: Sequence[Sequence[Passage]], holdings: Sequence[Holding]) -> set[tuple[int, str, str]]:
    """The figures of documents that a ledger does not hold."""
    return {place_of(number) for number in cover(documents, holdings).absent}


def place_of(number: Number) -> tuple[int, str, str]:
    """Where a document prints a number, and what."""
    return number.passage.line, number.passage.text, number.shown


def percent(told: Sequence[bool]) -> str:
    """How many of some were told."""
    return f"{sum(told)} of {len(told)} ({100 * sum(told) / max(len(told), 1):.1f} %)"


def main(words: Sequence[str]) -> None:
    """Prints the rates of each project that is named."""
    root = next((Path(word.removeprefix("--root=")) for word in words if word.startswith("--root=")), ROOT)
    book = load_sound_book(root)
    sums: dict[str, list[bool]] = defaultdict(list)
    for word in words:
        project, _, paths = word.partition("=")
        if not paths or project.startswith("--"):
            continue
        documents = [read_document(Path(path).read_text(encoding="utf-8"), path) for path in paths.split(",")]
        holdings = holdings_of(book.projects[project], book)
        found = cover(documents, holdings)
        printed = index_numbers(list_numbers(documents))
        unstated = [number is None for entry, number in found.entries if entry.kind == INPUT]
        print(f"{project}: {len(found.figures)} figures with a unit, {len(found.absent)} told absent;", end=" ")
        print(f"inputs told not in the document: {percent(unstated)}")
        named = [name_line(printed, entry) if entry.kind in (INPUT, CLAIM) else entry for entry in holdings]
        for held, lines in ((holdings, ""), (named, ", line named")):
            for name, rows in (
                (f"changed inputs{lines}", list(list_changed(printed, held))),
                (f"entries left out{lines}", list(list_left_out(documents, printed, held, book))),
            ):
                sums[name] += [told for _, told in rows]
                print(f"  {name}: {percent([told for _, told in rows])}")
                for row, told in rows if "--missed" in words else ():
                    if not told:
                        print(f"    missed: {row}")
        print(f"  figures told absent, line named: {len(cover(documents, named).absent)}")
    for name, every in sums.items():
        print(f"all, {name}: {percent(every)}")


if __name__ == "__main__":
    main(sys.argv[1:])
