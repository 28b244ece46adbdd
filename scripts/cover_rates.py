"""How much `budget cover` tells of ledgers with mistakes: one input changed at a time, one entry left out at a time.

    python scripts/cover_rates.py pixelis=budget.md arpo=cpu.md,gpu.md

Each name is a project of this repository, with its documents. An input is changed in memory by each of FACTORS, and
told where its number then stands nowhere in the document; once without a line, once with the line on which it stands.
An entry is a record: all of its inputs, claims and calculated figures are left out, and it is told where a figure of
the document that only it held has no place any more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from msgspec.structs import replace

from reckon.cli.books import load_sound_book
from reckon.compute.cover.coverage import Printed, cover, list_numbers
from reckon.compute.cover.document import Document, read_document
from reckon.compute.cover.holdings import INPUT, Entry, Holdings, holdings_of

ROOT = Path(__file__).resolve().parents[1]
FACTORS = (Fraction(13, 10), Fraction(7, 10), Fraction(10), Fraction(1, 10))


def change(entry: Entry, factor: Fraction) -> Entry:
    """The entry with its number changed."""
    holding = entry.holding
    ends, written = (tuple(end * factor for end in each) for each in (holding.ends, holding.written))
    return replace(entry, holding=replace(holding, ends=ends, written=written))


def changed_inputs(
    printed: Printed, entries: Sequence[Entry], has_lines: bool
) -> Iterator[tuple[Entry, Fraction, bool]]:
    """Each input that the document has, with each factor, and whether the change is told."""
    for entry in entries:
        if entry.kind != INPUT or printed.find(entry) is None:
            continue
        known = name_line(printed, entry) if has_lines else entry
        for factor in FACTORS:
            yield entry, factor, printed.find(change(known, factor)) is None


def left_out(
    documents: Sequence[Document], holdings: Holdings, printed: Printed, has_lines: bool
) -> Iterator[tuple[str, bool]]:
    """Each record that alone holds a figure of the document, and whether it is told that it was left out."""
    named = [name_line(printed, entry) for entry in holdings.entries]
    numbers = {entry: printed.find(entry) for entry in named}
    entries = named if has_lines else holdings.entries
    absent = list_absent(documents, replace(holdings, entries=tuple(entries)))
    for record in dict.fromkeys(record_of(entry.address) for entry in named if entry.kind == INPUT):
        theirs = {id(number) for entry, number in numbers.items() if number and record_of(entry.address) == record}
        others = {id(number) for entry, number in numbers.items() if number and record_of(entry.address) != record}
        if theirs <= others:
            continue
        rest = replace(
            holdings,
            entries=tuple(entry for entry in entries if record_of(entry.address) != record),
            figures=tuple(each for each in holdings.figures if record_of(each.address) != record),
            texts=tuple(each for each in holdings.texts if record_of(each.passage.section) != record),
        )
        yield record, bool(list_absent(documents, rest) - absent)


def name_line(printed: Printed, entry: Entry) -> Entry:
    """An entry with the line on which the document first has it."""
    number = printed.find(entry)
    return entry if number is None else replace(entry, line=number.passage.line)


def list_absent(documents: Sequence[Document], holdings: Holdings) -> set[tuple[int, str, str]]:
    """The figures of documents that a ledger does not hold, those without a unit too."""
    found = cover(documents, holdings)
    return {(each.passage.line, each.passage.text, each.shown) for each in (*found.absent, *found.absent_plain)}


def record_of(address: str) -> str:
    """The address of the record of an entry: `demo.plan.train`, `demo.figures.disk`."""
    return ".".join(address.split(".")[:3])


def percent(told: Sequence[bool]) -> str:
    """How many of some were told."""
    return f"{sum(told)} of {len(told)} ({100 * sum(told) / max(len(told), 1):.1f} %)"


def main(words: Sequence[str]) -> None:
    """Prints the rates of each project that is named, and those that are missed with `--missed`."""
    book = load_sound_book(ROOT)
    everything: dict[str, list[bool]] = {}
    for word in words:
        if word == "--missed":
            continue
        project, _, paths = word.partition("=")
        documents = [read_document(Path(path).read_text(encoding="utf-8")) for path in paths.split(",")]
        holdings = holdings_of(book.projects[project], book)
        printed = Printed(list_numbers(documents))
        found = cover(documents, holdings)
        inputs = [entry for entry in found.entries if entry.kind == INPUT]
        unstated = [entry for entry in found.unstated if entry.kind == INPUT]
        print(f"{project}: {len(found.figures)} figures with a unit, {len(found.absent)} told absent;", end=" ")
        print(f"{len(unstated)} of {len(inputs)} inputs told not in the document")
        for has_lines in (False, True):
            rows = list(changed_inputs(printed, holdings.entries, has_lines))
            name = "changed inputs, line named" if has_lines else "changed inputs"
            everything.setdefault(name, []).extend(told for _, _, told in rows)
            print(f"  {name}: {percent([told for _, _, told in rows])}")
            for entry, factor, told in rows if "--missed" in words else ():
                if not told:
                    print(f"    missed: {entry.address} {entry.shown} × {float(factor)}")
            if has_lines:
                named = replace(holdings, entries=tuple(name_line(printed, entry) for entry in holdings.entries))
                print(f"  figures told absent, lines named: {len(cover(documents, named).absent)}")
            left = list(left_out(documents, holdings, printed, has_lines))
            name = name.replace("changed inputs", "entries left out")
            everything.setdefault(name, []).extend(told for _, told in left)
            print(f"  {name}: {percent([told for _, told in left])}")
            for record, told in left if "--missed" in words else ():
                if not told:
                    print(f"    missed: {record} left out")
    for name, told in everything.items():
        print(f"all, {name}: {percent(told)}")


if __name__ == "__main__":
    main(sys.argv[1:])
