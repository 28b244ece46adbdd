"""`add measurement`: a file of what was measured becomes a record, once all that is wrong with it is mended.

As with runs, the ledger is calculated as it would be with the record, while nobody else adds, and only then written.
"""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.publish.files import Blocked
from reckon.publish.journal import current
from reckon.publish.planned import FileChange

from . import clock
from .arguments import Commands, command, map_option, project_option
from .books import tell
from .fields import answer, asks
from .output import INVALID, Declined, complain, progress
from .transaction import Trial, no_project, only_project, transacted, tried
from .tree import next_step

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.load.requests import MeasurementFile
    from reckon.model.finding import Problem

KINDS = "measured, simulated, datasheet, reported or estimated"
NEEDED = {"title": "what was measured", "kind": KINDS}
MEASURED: Mapping[str, tuple[str, str]] = {
    "title": ("TEXT", "what was measured"),
    "kind": ("WORD", KINDS),
    "date": ("DAY", "when it was measured, as 2026-01-17"),
    "device": ("DEVICE", "a card or device of the catalogue, or one in words"),
    "gpus": ("N", "GPUs that it ran on"),
    "model": ("MODEL", "a model of the catalogue"),
    "dtype": ("FORMAT", "number format, as bf16"),
    "configuration": ("TEXT", "a configuration of the project, or one in words"),
    "row": ("WORD", "what one row is: request, step"),
    "notes": ("TEXT", "a remark"),
    "source": ("TEXT", "where this comes from"),
}
"""What each field is called as an option, and what --help says of it."""
MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class _Draft:
    """The file of measurements as it is and as it would be; the lines more, and where they begin."""

    change: FileChange
    lines: Sequence[str]
    begin: int


def declare(kinds: Commands) -> None:
    """The command line of `add measurement`."""
    guessed = "Nothing is guessed: a column without a unit, or with a text in it, is refused with its place."
    text = "add a measurement out of a file of requests or steps"
    parser = command(kinds, "measurement", text, add_measurement, epilog=guessed)
    parser.add_argument("table", type=Path, metavar="FILE", help="FILE.csv, a row for each request; or FILE.json")
    project_option(parser)
    parser.add_argument("--id", metavar="ID", help="the id of the measurement, as cpu-requests")
    for name, (metavar, text) in MEASURED.items():
        parser.add_argument(f"--{name}", dest=f"field_{name}", metavar=metavar, help=text)
    text = "columns whose sum is the whole of a row"
    parser.add_argument("--total", nargs="+", action="extend", metavar="COLUMN", help=text)
    map_option(parser, "what a column is called in the record", "COLUMN=NAME")
    text = "the unit of a column whose name does not carry one, as latency=ms; 1 for a bare number"
    parser.add_argument("--unit", nargs="+", action="extend", type=_unit, default=[], metavar="COLUMN=UNIT", help=text)


def _unit(text: str) -> tuple[str, str]:
    column, equals, unit = (part.strip() for part in text.rpartition("="))
    if not column or not equals or not unit:
        raise ArgumentTypeError(f"{echoed(text)!r} gives no unit; write COLUMN=UNIT, as in latency=ms")
    return column, unit


def add_measurement(options: Namespace) -> int:
    """Adds the measurement that a file holds, or tells all that is wrong with it."""
    from reckon.load.requests import MOST_BYTES, read_measured

    with open(options.table, "rb") as file:
        raw = file.read(MOST_BYTES + 1)
    found, problems = read_measured(raw, str(options.table), dict(options.map), dict(options.unit))
    project_id = options.project or only_project(options.root)
    if not project_id:
        return INVALID
    if said := no_project(options.root, project_id):
        raise Declined(said)
    given = {name: getattr(options, f"field_{name}") for name in MEASURED}
    fields = {**found.fields, **{name: text for name, text in given.items() if text is not None}}
    name = options.id or ""
    if asks() and not problems:
        name = name or answer("Id of the measurement, as cpu-requests")
        fields |= {key: answer(f"{key.capitalize()} ({text})") for key, text in NEEDED.items() if key not in fields}
    if lacking := _lacking(name, fields):
        if problems:
            tell(problems)
        complain(*lacking, "nothing was written")
        return INVALID
    total = [found.names.get(column, column) for column in (options.total or found.total)]
    return _added(options, project_id, name, (fields, total, found), problems)


def _lacking(name: str, fields: Mapping[str, str]) -> list[str]:
    told = [] if name else ["--id is missing: the id of the measurement, as cpu-requests"]
    return told + [f"--{key} is missing: {text}" for key, text in NEEDED.items() if key not in fields]


def _added(
    options: Namespace,
    project_id: str,
    name: str,
    what: tuple[Mapping[str, str], Sequence[str], MeasurementFile],
    problems: Sequence[Problem],
) -> int:
    from reckon.language.text import place_of

    def attempt(before: Book) -> Trial | int:
        there = before.ledger.projects[project_id].measurements
        if name in there:
            place = place_of(next(known for known in there if known == name)).short
            mend = "give another --id, or remove that record first"
            raise Declined(f"`{echoed(name)}` is there already, in {place}; {mend}")
        draft = _draft(options.root, project_id, name, what, not problems)
        with progress("Trying the measurement"):
            after, found = tried(before, project_id, [draft.change])
        if all_wrong := [*problems, *found, *_ahead(draft, what[0])]:
            return _refused(all_wrong, draft)
        _sound(before, after, project_id, name)
        return Trial([draft.change], lambda: _told(before, after, project_id, name, draft))

    return transacted(options.root, project_id, attempt)


def _draft(
    root: Path, project_id: str, name: str, what: tuple[Mapping[str, str], Sequence[str], MeasurementFile], whole: bool
) -> _Draft:
    """The file with the record at its end; without its rows where something is wrong with them already."""
    from reckon.load.entry import added
    from reckon.load.requests import SCHEMA_COMMENT, takes_records, written

    fields, total, found = what
    file = f"ledger/{project_id}/measurements.yaml"
    was = current(root / file)
    if not takes_records(was or ""):
        raise Blocked(f"{file} does not begin its records with `id:` at the start of a line; write it so")
    lines = list(written(name, fields, found.rows if whole else (), total if whole else ()))
    text = added(was or "", lines, SCHEMA_COMMENT)
    return _Draft(FileChange(file, was, text), lines, text.count("\n") - len(lines) + 1)


def _ahead(draft: _Draft, fields: Mapping[str, str]) -> list[Problem]:
    """The problem with a day that has not come yet."""
    from reckon.language.text import Place
    from reckon.model.finding import Problem

    today, date = clock.now(), fields.get("date", "")
    if not clock.later(date, today):
        return []
    line = next(number for number, text in enumerate(draft.lines) if text.startswith("  date: "))
    place = Place(draft.change.path, draft.begin + line, len("  date: ") + 1)
    return [Problem(place, f"`{date[:40]}` has not come yet", f"today is {today:%Y-%m-%d}")]


def _refused(found: Sequence[Problem], draft: _Draft) -> int:
    tell(found)
    complain("Nothing was written.")
    if any(problem.place.file == draft.change.path for problem in found):
        more = len(draft.lines) - MOST_SHOWN
        shown = [*draft.lines[:MOST_SHOWN], *([f"  … and {more:,} more lines"] if more > 0 else [])]
        head = f"The record would have been, from line {draft.begin} of {draft.change.path}:"
        complain(head, *(echoed(text, 300) for text in shown))
    return INVALID


def _sound(before: Book, after: Book, project_id: str, name: str) -> None:
    """Makes sure that the file holds what it held, and the new record: nothing else is ever written."""
    was, now = (book.ledger.projects[project_id].measurements for book in (before, after))
    if list(now) != [*was, name] or any(now[known] != was[known] for known in was):
        raise Blocked("the end of measurements.yaml does not take a record; look at its last one")


def _told(before: Book, after: Book, project_id: str, name: str, draft: _Draft) -> list[str]:
    from reckon.present.terminal import measured, plain

    record = after.ledger.projects[project_id].measurements[name]
    rows, columns = len(record.rows), len(record.columns)
    holds = f"{rows:,} row{'s'[: rows != 1]} of {columns} column{'s'[: columns != 1]}" if rows else "no rows"
    told = [f"{draft.change.path}:{draft.begin}: {name}: {record.title}, {holds}", ""]
    told += [*measured(before, after, project_id, name), "", next_step(after.ledger.settings)]
    return [plain(line) for line in told]
