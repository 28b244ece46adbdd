"""`add measurement`: a file of what was measured becomes a record, once all that is wrong with it is mended.

As with runs, the ledger is calculated as it would be with the record, while nobody else adds, and only then written.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.language.text import echoed, list_first, place_of, plural
from reckon.load import requests
from reckon.load.run_format import added
from reckon.model import bounds
from reckon.model.finding import Problem
from reckon.present.terminal.additions import describe_measured
from reckon.present.terminal.messages import list_problems
from reckon.publish import journal
from reckon.publish.write_plan import FileChange

from . import clock
from .arguments import Parser, field_options, fields_of, map_option, one_project, project_option, wrong_argument
from .output import CommandError
from .prompts import answer, asks
from .transaction import Draft, asked_project, run_transaction, try_changes
from .tree import next_step

KINDS = "measured, simulated, datasheet, reported or estimated"
NEEDED = {"title": "what was measured", "kind": KINDS}
MEASURED = {
    "title": ("TEXT", "what was measured"),
    "kind": ("WORD", KINDS),
    "date": ("DAY", "date of the measurement, such as 2026-01-17"),
    "device": ("DEVICE", "card or device of the catalogue, or in words"),
    "gpus": ("N", "number of GPUs it ran on"),
    "model": ("MODEL", "a model of the catalogue"),
    "dtype": ("FORMAT", "number format, such as bf16"),
    "configuration": ("TEXT", "configuration of the project, or its name in words"),
    "row": ("WORD", "what one row is: request or step"),
    "notes": ("TEXT", "a note"),
    "source": ("TEXT", "where the numbers come from"),
}
"""What each field is called as an option, and what --help says of it."""
MOST_SHOWN = 8


class _Draft(NamedTuple):
    """The file of measurements as it is and as it would be; the lines more, and where they begin."""

    change: FileChange
    lines: Sequence[str]
    begin: int


def declare_measurement(parser: Parser) -> None:
    """The command line of `add measurement`."""
    parser.does(
        add_measurement,
        one_project,
        "A column without a unit, or with text in it, is refused with its place.",
    )
    parser.option("table", "FILE", "FILE.csv with a row per request, or FILE.json", type=Path)
    project_option(parser)
    parser.option("--id", "ID", "the id of the measurement, such as cpu-requests")
    field_options(parser, MEASURED, {})
    parser.option("--total", "COLUMN", "columns that add up to a row's total", nargs="+", action="extend")
    map_option(parser, "column name in the record", "COLUMN=NAME")
    parser.option(
        "--unit",
        "COLUMN=UNIT",
        "unit of a column without one, such as latency=ms (1: a bare number)",
        nargs="+",
        action="extend",
        type=_unit,
        default=[],
    )


def _unit(text: str) -> tuple[str, str]:
    column, _, unit = (part.strip() for part in text.rpartition("="))
    if not column or not unit:
        raise wrong_argument(text, "has no unit; write COLUMN=UNIT, such as latency=ms")
    return column, unit


def add_measurement(options: Namespace) -> None:
    """Adds the measurement that a file holds. Raises CommandError with all that is wrong with it."""
    raw = bounds.read_start(options.table, bounds.MEASUREMENTS)
    found, problems = requests.read_measured(raw, str(options.table), dict(options.map), dict(options.unit))
    project_id = asked_project(options)
    name, fields = options.id or "", {**found.fields, **fields_of(options, MEASURED)}
    if asks() and not problems:
        name = name or answer("Id of the measurement, such as cpu-requests")
        fields |= {key: answer(f"{key.capitalize()} ({text})") for key, text in NEEDED.items() if key not in fields}
    lacking = [] if name else ["--id is missing: the id of the measurement, such as cpu-requests"]
    lacking += [f"--{key} is missing: {text}" for key, text in NEEDED.items() if key not in fields]
    if lacking:
        raise CommandError(*(list_problems(problems) if problems else ()), *lacking, "nothing written")
    total = [found.names.get(column, column) for column in (options.total or found.total)]
    held = ((), ()) if problems else (found.rows, total)  # where something is wrong with its rows, they are left out
    _add(options.root, project_id, name, fields, list(requests.written(name, fields, *held)), problems)


def _add(
    root: Path, project_id: str, name: str, fields: Mapping[str, str], lines: list[str], problems: list[Problem]
) -> None:
    def attempt(before: Book) -> Draft:
        there = before.projects[project_id].measurements
        if name in there:
            place = place_of(next(known for known in there if known == name)).short
            raise CommandError(
                f"`{echoed(name)}` already exists, in {place}; give another --id, or remove that record first"
            )
        draft = _draft(root, f"ledger/{project_id}/measurements.yaml", lines)
        after, found = try_changes(before, project_id, [draft.change], "the measurement")
        dated = next((number for number, text in enumerate(lines) if text.startswith("  date: ")), 0)
        found += clock.ahead(fields, draft.change.path, draft.begin + dated, lines[dated], clock.current_time())
        if problems or found:
            raise _refused([*problems, *found], draft)
        _verify_record(before, after, project_id, name)
        return Draft([draft.change], _describe_addition(before, after, project_id, name, draft))

    run_transaction(root, project_id, attempt)


def _draft(root: Path, file: str, lines: Sequence[str]) -> _Draft:
    """The file with the record at its end."""
    was = journal.current(root, file)
    if not requests.takes_records(was or ""):
        raise CommandError(f"{file} does not begin its records with `id:` at the start of a line; move them there")
    text = added(was or "", lines, requests.SCHEMA_COMMENT)
    return _Draft(FileChange(file, was, text), lines, text.count("\n") - len(lines) + 1)


def _refused(found: Sequence[Problem], draft: _Draft) -> CommandError:
    told = [*list_problems(found), "Nothing written."]
    if any(problem.place.file == draft.change.path for problem in found):
        told.append(f"The record would have been, from line {draft.begin} of {draft.change.path}:")
        told += list_first([echoed(text, 300) for text in draft.lines], MOST_SHOWN, "  … and {} more lines")
    return CommandError(*told)


def _verify_record(before: Book, after: Book, project_id: str, name: str) -> None:
    """Makes sure that the file holds the new record: lines that follow a text may be taken for a part of it."""
    was, now = (book.projects[project_id].measurements for book in (before, after))
    if [*now] != [*was, name]:
        raise CommandError("measurements.yaml takes no record at its end; check its last record")


def _describe_addition(before: Book, after: Book, project_id: str, name: str, draft: _Draft) -> list[str]:
    record = after.projects[project_id].measurements[name]
    size = f"{plural(len(record.rows), 'row')} of {plural(len(record.columns), 'column')}"
    holds = size if record.rows else "no rows"
    told = [f"{draft.change.path}:{draft.begin}: {name}: {record.title}, {holds}", ""]
    return [*told, *describe_measured(before, after, project_id, name), "", next_step(after.ledger.settings)]
