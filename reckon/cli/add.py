"""`add`: entries are tried on the ledger as it would be with them, and written only if all is well.

A run gets a file of its own, so that entries of two branches never meet in one; `tidy` folds it into the file of its
month.
"""

from __future__ import annotations

import re
import secrets
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.load import formats
from reckon.publish.files import Blocked
from reckon.publish.journal import current
from reckon.publish.planned import FileChange

from . import add_measurement, clock
from .arguments import Commands, command, map_option, project_option
from .books import read, tell
from .clock import MOMENTS, ahead, day_of
from .fields import FLAGS, asks, completed, given, missing, progress_of
from .forms import taken
from .output import INVALID, Declined, complain, progress
from .transaction import Trial, no_project, only_project, transacted, tried
from .tree import next_step

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.load.entry import EntryRow
    from reckon.model.finding import Problem
    from reckon.model.ledger import ProjectLedger

MOST_SHOWN = 20

Gather = Callable[["ProjectLedger"], tuple[Sequence["EntryRow"], Sequence[str]]]
"""What is to be added to a project, and all that is wrong with where it comes from."""


@dataclass(frozen=True, slots=True)
class RunsDraft:
    """Files of runs as they are and as they would be; and each new line with its row, by file and line."""

    changes: Sequence[FileChange]
    lines: Mapping[tuple[str, int], tuple[EntryRow, str]]


def declare(commands: Commands) -> None:
    """The command lines of `add`: one run, the runs of a table, or a measurement."""
    parser = command(commands, "add", "add runs and measurements to the ledger", together=_one_project)
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    _declare_run(kinds)
    _declare_runs(kinds)
    add_measurement.declare(kinds)


def _declare_run(kinds: Commands) -> None:
    asked = "On a terminal it asks for what is missing; in a pipe it says what that is."
    parser = command(kinds, "run", "add one run, and show what it did to the budget", _run, epilog=asked)
    _project_and_file(parser, "one of its own, which `tidy` folds into that of the month")
    form = "take all fields from a form: the file of an event of GitHub's, or `variables` for RUN_ITEM … around it"
    parser.add_argument("--form", metavar="FORM", help=form)
    for name, (metavar, text) in FLAGS.items():
        flag = f"--{name.replace('_', '-')}"
        if name == "unplanned":
            parser.add_argument(flag, dest="field_unplanned", action="store_const", const="true", help=text)
        else:
            kind = progress_of if name == "progress" else str
            parser.add_argument(flag, dest=f"field_{name}", type=kind, metavar=metavar, help=text)


def _declare_runs(kinds: Commands) -> None:
    known = "Rows whose job is in the ledger already are skipped."
    text = f"add the runs of a {' or '.join(kind.name for kind in formats.RUN_FORMATS)} file, all of them or none"
    files = "|".join(f"FILE{kind.ending}" for kind in formats.RUN_FORMATS)
    parser = command(kinds, "runs", text, _runs, epilog=known)
    parser.add_argument("table", type=Path, metavar=files, help="a row for each run, with a line of names above")
    _project_and_file(parser, "the month of each run, as 2025-09.yaml")
    map_option(parser, "the field that a column holds", "COLUMN=FIELD")


def _project_and_file(parser: ArgumentParser, default: str) -> None:
    project_option(parser)
    parser.add_argument("--file", type=_file, metavar="NAME", help=f"the file under runs/ (default: {default})")


def _file(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}(\.yaml)?", text):
        raise ArgumentTypeError(f"{echoed(text)!r} is no name of a file under runs/; write one such as 2025-09.yaml")
    return text.removesuffix(".yaml") + ".yaml"


def _one_project(parser: ArgumentParser, options: Namespace) -> None:
    """Settles on one project, however it was named; an error where two were."""
    if options.project and options.name and options.project != options.name:
        parser.error(f"two projects are named: {echoed(options.name)} and {echoed(options.project)}")
    options.project = options.project or options.name


def _run(options: Namespace) -> int:
    """Adds one run: out of options and answers, or out of a form."""
    from reckon.load.entry import EntryRow

    fields, project_id, today = given(options), options.project, clock.now()
    if options.form:
        form = taken(options.form, fields)
        fields, project_id = dict(form.fields), form.project or project_id
    elif asks():
        book, problems = read(options.root)
        if problems:
            return tell(problems)
        project_id, fields = completed(book.ledger, project_id, fields, today)
    project_id = project_id or only_project(options.root)
    lacking = missing(fields)
    complain(*lacking)
    if lacking or not project_id:
        return INVALID
    if not set(MOMENTS) & set(fields):
        fields["date"] = f"{today:%Y-%m-%d}"
    return _added(options, project_id, lambda _: ([EntryRow(0, fields)], []), today)


def _runs(options: Namespace) -> int:
    """Adds the runs of a table."""
    from reckon.load.entry import read_table

    file: Path = options.table
    mapping: dict[str, str] = dict(options.map)
    project_id = options.project or only_project(options.root)
    if not project_id:
        return INVALID
    raw = file.read_bytes()

    def rows(project: ProjectLedger) -> tuple[Sequence[EntryRow], Sequence[str]]:
        return read_table(raw, str(file), mapping, {str(name): held for name, held in project.project.csv.items()})

    return _added(options, project_id, rows, clock.now())


def _added(options: Namespace, project_id: str, gather: Gather, today: datetime) -> int:
    """Adds what is gathered to a project, or tells what is wrong with it."""
    if not (options.root / "ledger").is_dir():
        return tell(read(options.root)[1])
    if said := no_project(options.root, project_id):
        raise Declined(said)
    table = str(options.table) if options.what == "runs" else ""

    def attempt(before: Book) -> Trial | int:
        project = before.ledger.projects[project_id]
        rows, wrong = gather(project)
        rows, skipped = _new(rows, project)
        draft = _draft(options, project_id, rows, today)
        with progress("Trying the entry"):
            after, found = tried(before, project_id, draft.changes)
        found += ahead(draft.lines, today)
        if found or wrong:
            return _refused(found, draft, table, wrong)
        _sound(before, after, project_id, len(rows))
        counted = _counted(len(rows), skipped) if table else ""
        return Trial(draft.changes, lambda: _told(before, after, project_id, draft, counted))

    return transacted(options.root, project_id, attempt)


def _new(rows: Sequence[EntryRow], project: ProjectLedger) -> tuple[list[EntryRow], int]:
    """The rows whose job is not in the ledger yet, and how many others there are. A single run is never skipped."""
    jobs = {run.job for file in project.runs for run in file.runs if run.job is not None}
    new = [row for row in rows if not row.line or row.fields.get("job") not in jobs]
    return new, len(rows) - len(new)


def short_id() -> str:
    """What tells apart the files of two people who write down the same run at the same time."""
    return secrets.token_hex(3)


def _own_file(row: EntryRow, today: datetime) -> str:
    """The name of the file for one run: its day, item and seed, and a short id."""
    item, seed = (_plain(row.fields.get(name, "")) for name in ("item", "seed"))
    return "-".join([day_of(row.fields, today), item or "unplanned", *([f"s{seed}"] if seed else []), short_id()])


def _plain(text: str) -> str:
    """A text as a part of the name of a file, on any disk."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:60]


def _draft(options: Namespace, project_id: str, rows: Sequence[EntryRow], today: datetime) -> RunsDraft:
    """The files with the new lines in them: of the month for the rows of a table, one of its own for a run."""
    from reckon.load.entry import added, takes_lines, written

    own = options.what == "run" and not options.file
    by_name: dict[str, list[tuple[EntryRow, str]]] = {}
    for row in rows:
        file = options.file or f"{_own_file(row, today) if own else day_of(row.fields, today)[:7]}.yaml"
        by_name.setdefault(f"ledger/{project_id}/runs/{file}", []).append((row, written(row.fields)))
    changes: list[FileChange] = []
    lines: dict[tuple[str, int], tuple[EntryRow, str]] = {}
    for name, entries in by_name.items():
        was = current(options.root / name)
        if own and was is not None:
            raise Blocked(f"{name} is there already; nothing was written, try again")
        if not takes_lines(was or ""):
            raise Blocked(f"{name} does not begin its entries with `- `: write it so, or name another file with --file")
        text = added(was or "", [line for _, line in entries])
        changes.append(FileChange(name, was, text))
        first = text.count("\n") - len(entries) + 1
        lines |= {(name, first + number): entry for number, entry in enumerate(entries)}
    return RunsDraft(changes, lines)


def _refused(found: Sequence[Problem], draft: RunsDraft, table: str, wrong: Sequence[str]) -> int:
    """Tells all that is wrong: of a table by its own lines, of one run by the line that it would have been."""
    if not table:
        tell(found)
        lines = (echoed(line, 400) for _, line in draft.lines.values())
        complain("Nothing was written. The entry would have been:", *lines)
        return INVALID
    told = list(wrong)
    for problem in sorted(set(found)):
        entry = draft.lines.get((problem.place.file, problem.place.line))
        told.append(f"{table}:{entry[0].line}: {problem.wrong}; {problem.right}" if entry else str(problem))
    many = f"{len(told)} problems" if len(told) > 1 else "1 problem"
    complain(*sorted(told, key=_by_line), f"{many} in {table}; nothing was written")
    return INVALID


def _by_line(told: str) -> tuple[int, str]:
    digits = told.split(": ", 1)[0].rpartition(":")[2]
    return (int(digits) if digits.isdecimal() else 0), told


def _sound(before: Book, after: Book, project_id: str, count: int) -> None:
    """Makes sure that the files hold what they held, and the new entries: nothing else is ever written."""
    was, now = ({file.file: file.runs for file in book.ledger.projects[project_id].runs} for book in (before, after))
    kept = all(now[name][: len(runs)] == runs for name, runs in was.items())
    if not kept or sum(map(len, now.values())) != sum(map(len, was.values())) + count:
        raise Blocked("the end of the file does not take a line; look at its last entry, or name another with --file")


def _told(before: Book, after: Book, project_id: str, draft: RunsDraft, counted: str) -> list[str]:
    """What was added, and what it did to the budget."""
    from reckon.present.terminal import added, plain

    told, shown = [counted] if counted else [], list(draft.lines.items())
    told += [f"{file}:{line}: {text}" for (file, line), (_, text) in shown[:MOST_SHOWN]]
    told += [f"… and {len(shown) - MOST_SHOWN:,} more"] if len(shown) > MOST_SHOWN else []
    if shown:
        keys = [(row.fields["item"], row.fields.get("seed", "")) for row, _ in draft.lines.values()]
        told += ["", *added(before, after, project_id, keys), "", next_step(after.ledger.settings)]
    return [plain(line) for line in told]


def _counted(new: int, skipped: int) -> str:
    """How many rows of a table were added, and how many were there already."""
    said = f"Added {new:,} run{'s'[: new != 1]}"
    whose = "the job of 1 row is" if skipped == 1 else f"the jobs of {skipped:,} rows are"
    return f"{said}; {whose} in the ledger already." if skipped else f"{said}."
