"""`add`: entries are tried on the ledger as it would be with them, and written only if all is well.

A run gets a file of its own, so that entries of two branches never meet in one; `tidy` folds it into the file of its
month.
"""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reckon.compute.book import Book
from reckon.language.groups import group_by
from reckon.language.lazy import late
from reckon.language.text import Place, echoed, list_first, plural
from reckon.load import formats
from reckon.load.run_format import EntryRow, added, read_table, takes_lines, written
from reckon.model import bounds
from reckon.model.figure import RUNNING
from reckon.model.finding import Problem
from reckon.model.ledger import ProjectLedger
from reckon.model.message_codes import with_code
from reckon.present.terminal.additions import describe_added
from reckon.present.terminal.lines import lay_lines
from reckon.present.terminal.messages import list_problems
from reckon.publish import journal
from reckon.publish.write_plan import FileChange

from . import clock, prompts
from .adjustments import Learned
from .arguments import (
    Parser,
    command,
    dry_run_option,
    field_options,
    map_option,
    one_project,
    project_option,
    wrong_argument,
)
from .books import load_sound_book
from .confirmations import NewEntries, anyway_option, run_asking, unless_doubtful
from .existing_runs import otherwise, unless_known
from .output import CommandError, no_such
from .transaction import Draft, known_project, only_project, try_changes
from .tree import next_step
from .update import entry_lines, rewrite

if TYPE_CHECKING:
    from reckon.compute.audit.inputs import card_named
    from reckon.load.importers.own_entries import read_entries

    from .add_measurement import declare_measurement
else:
    card_named = late("reckon.compute.audit.inputs", "card_named")
    read_entries = late("reckon.load.importers.own_entries", "read_entries")
    declare_measurement = late("reckon.cli.add_measurement", "declare_measurement")

Gathered = tuple[Sequence[EntryRow], Sequence[str]]
"""What is to be added to a project, and all that is wrong with where it comes from."""


class RunsDraft(NamedTuple):
    """Files of runs as they are and as they would be; and each new line with its row, by file and line."""

    changes: Sequence[FileChange]
    lines: NewEntries

    @property
    def keys(self) -> list[tuple[str, str]]:
        """The items and seeds of the rows."""
        return [(row.fields.get("item", ""), row.fields.get("seed", "")) for row, _ in self.lines.values()]


def declare_add(parser: Parser) -> None:
    """The command lines of `add`: one run, the runs of a table, or a measurement."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    command(kinds, "run", "add a run and show its effect on the budget", _declare_run)
    command(
        kinds,
        "runs",
        f"add the runs of a {' or '.join(kind.name for kind in formats.RUN_FORMATS)} file, all or none",
        _declare_runs,
    )
    command(kinds, "measurement", "add a measurement from a file of requests or steps", declare_measurement)


def _declare_run(parser: Parser) -> None:
    parser.does(_run, one_project, "On a terminal it asks for missing fields; in a pipe it lists them.")
    _project_and_file(parser, "a file of its own, which `tidy` merges by month")
    parser.option(
        "--form",
        "FORM",
        "read fields from a GitHub event file, or `variables`",
    )
    field_options(parser, prompts.FLAGS, {"progress": prompts.progress_of})


def _declare_runs(parser: Parser) -> None:
    parser.does(_runs, one_project, "Rows whose job is already in the ledger are skipped, or close a running entry.")
    files = "|".join(f"FILE{kind.ending}" for kind in formats.RUN_FORMATS)
    parser.option("table", files, "one row per run, below a header line", type=Path)
    _project_and_file(parser, "the month of the run, such as 2025-09.yaml")
    map_option(parser, "field of a column", "COLUMN=FIELD")
    parser.option(
        "--with", "SOURCE", "read FILE by the columns and rules of this source of imports.yaml", dest="source"
    )


def _project_and_file(parser: Parser, default: str) -> None:
    project_option(parser)
    parser.option("--file", "NAME", f"write to this file under runs/ (default: {default})", type=_file)
    anyway_option(parser)
    dry_run_option(parser)


def _file(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}(\.yaml)?", text):
        raise wrong_argument(text, "is not a file name under runs/; write one such as 2025-09.yaml")
    return text.removesuffix(".yaml") + ".yaml"


def _run(options: Namespace) -> None:
    """Adds one run: out of options and answers, or out of a form."""
    run, project_id, today = prompts.read_given_fields(options), options.project, clock.current_time()
    if options.form:
        from .forge_forms import read_form  # few runs come from a form

        named, run = read_form(options.form, run)
        project_id = named or project_id
    elif prompts.asks():
        book = load_sound_book(options.root)
        for project in book.projects.values():
            if project.id == project_id or len(book.projects) == 1:
                unless_known(options, project, run)  # before anything is asked
        project_id, run = prompts.completed(book.ledger, project_id, run, today)
        run = prompts.with_progress(book, project_id, run)
    lacking = prompts.missing(run)
    project_id = project_id or only_project(options.root, *lacking)
    if lacking:
        raise CommandError(*lacking)
    given = dict(run)
    if set(clock.MOMENTS).isdisjoint(run):
        run["date"] = f"{today:%Y-%m-%d}"

    def row(project: ProjectLedger) -> Gathered:
        unless_known(options, project, given)
        return [EntryRow(0, run)], []

    _add(options, project_id, row, today)


def _runs(options: Namespace) -> None:
    """Adds the runs of a table."""
    raw = bounds.read_start(options.table, bounds.TABLE)

    def rows(project: ProjectLedger) -> Gathered:
        if options.source:
            if options.source not in project.imports:
                raise CommandError(no_such("source", options.source, list(project.imports), "see imports.yaml"))
            return read_entries(project, options.source, raw, str(options.table))
        standing = {str(name): held for name, held in project.project.csv.items()}
        return read_table(raw, str(options.table), dict(options.map), standing)

    _add(options, options.project, rows, clock.current_time())


def _add(options: Namespace, named: str | None, gather: Callable[[ProjectLedger], Gathered], today: datetime) -> None:
    """Adds what is gathered to a project. Raises CommandError where anything is wrong with it."""
    project_id = known_project(options.root, named)

    def attempt(before: Book, anyway: bool) -> Draft:
        project = before.projects[project_id]
        rows, wrong = gather(project)
        rows, known = _new([_with_card(before, row) for row in rows], project)
        ends = _ends(known, project)
        known = [row for row in known if row not in ends.values()]
        draft, after = try_entries(options, before, project_id, rows, today, anyway, ends, wrong)
        counted = []
        if options.what == "runs":
            counted = [_describe_counts(len(rows), len(ends), len(known)), *otherwise(options, project, known)]
        end = next_step(after.ledger.settings, options.dry_run)
        told = _describe_addition(before, after, project_id, draft, counted, end)
        return Draft(() if options.dry_run else draft.changes, told, after, Learned("", "entries added"))

    run_asking(options, project_id, attempt)


def try_entries(
    options: Namespace,
    before: Book,
    project_id: str,
    rows: Sequence[EntryRow],
    today: datetime,
    anyway: bool,
    ends: Mapping[Place, EntryRow],
    wrong: Sequence[str] = (),
) -> tuple[RunsDraft, Book]:
    """The files with new entries in them, and those of runs that ended, by their places, as they are now; and the book
    as it would be with these.

    Raises CommandError where anything is wrong with them, and Doubtful where they are not likely, unless they are to be
    taken `anyway`.
    """
    table = str(options.table) if options.what == "runs" else ""
    draft = _draft(options, project_id, rows, ends, today)
    after, found = try_changes(before, project_id, draft.changes, "the entry")
    for (file, line), (row, text) in draft.lines.items():
        found += clock.ahead(row.fields, file, line, text, today)
    if found or wrong:
        raise _refused(found, draft, table, wrong)
    _verify_entries(before, after, project_id, len(rows))
    if not anyway:
        unless_doubtful(options, before, after, project_id, draft.lines, today)
    return draft, after


def _new(rows: Sequence[EntryRow], project: ProjectLedger) -> tuple[list[EntryRow], list[EntryRow]]:
    """The rows of a table whose job is not in the ledger yet, and the others. A single run is never skipped."""
    jobs = {str(job) for job in project.rows.column("job") if job is not None}
    by_known = group_by(rows, lambda row: bool(row.line) and row.fields.get("job") in jobs)
    return by_known.get(False, []), by_known.get(True, [])


def _with_card(book: Book, row: EntryRow) -> EntryRow:
    """A row of a table with the id of the card that it names otherwise, as `nvidia-smi` does."""
    name = row.fields.get("gpu")
    return EntryRow(row.line, {**row.fields, "gpu": card_named(book, name)}) if name else row


def _ends(known: Sequence[EntryRow], project: ProjectLedger) -> dict[Place, EntryRow]:
    """Of rows whose job is in the ledger, those that say how a running one ended, by the places of their entries."""
    ended = {row.fields["job"]: row for row in known if row.fields.get("status", RUNNING) != RUNNING}
    runs = list(project.rows) if ended else []
    return {
        run.place: ended[run.job] for run in runs if run.job in ended and run.status == RUNNING and not run.imported
    }


def short_id() -> str:
    """What tells apart the files of two people who write down the same run at the same time."""
    return os.urandom(3).hex()


def _own_file(row: EntryRow, today: datetime) -> str:
    """The name of the file for one run: its day, item and seed, and a short id."""
    item, seed = (_file_name_part(row.fields.get(name, "")) for name in ("item", "seed"))
    return "-".join([clock.day_of(row.fields, today), item or "unplanned", *([f"s{seed}"] if seed else []), short_id()])


def _file_name_part(text: str) -> str:
    """A text as a part of the name of a file, on any disk."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:60]


def _draft(
    options: Namespace, project_id: str, rows: Sequence[EntryRow], ends: Mapping[Place, EntryRow], today: datetime
) -> RunsDraft:
    """The files with the new lines in them: of the month for the rows of a table, one of its own for a run. Entries of
    runs that have ended are rewritten where they stand."""
    own = options.what == "run" and not options.file

    def file_of(row: EntryRow) -> str:
        return options.file or f"{_own_file(row, today) if own else clock.day_of(row.fields, today)[:7]}.yaml"

    changes: dict[str, FileChange] = {}
    lines: NewEntries = {}
    for was in sorted(ends):
        known = changes.get(was.file) or _unchanged(options.root, was.file)
        more = (known.text or "").count("\n") - (known.was or "").count("\n")  # lines of entries above
        place = was._replace(line=was.line + more)
        change = rewrite(known.text or "", place, ends[was].fields)
        changes[was.file] = known._replace(text=change.text)
        lines[was.file, place.line] = ends[was], " ".join(entry_lines(change.text, change.wanted))
    for file, some in group_by(rows, file_of).items():
        name, entries = f"ledger/{project_id}/runs/{file}", [(row, written(row.fields)) for row in some]
        known = changes.get(name) or _unchanged(options.root, name)
        if own and known.was is not None:
            raise CommandError(f"{name} already exists; nothing written, try again")
        if not takes_lines(known.text or ""):
            raise CommandError(f"{name} does not begin its entries with `- `; add it, or name another file with --file")
        text = added(known.text or "", [line for _, line in entries])
        changes[name] = known._replace(text=text)
        begin = text.count("\n") - len(entries) + 1
        lines |= {(name, begin + number): entry for number, entry in enumerate(entries)}
    return RunsDraft([*changes.values()], lines)


def _unchanged(root: Path, name: str) -> FileChange:
    text = journal.current(root, name)
    return FileChange(name, text, text)


def _refused(found: Sequence[Problem], draft: RunsDraft, table: str, wrong: Sequence[str]) -> CommandError:
    """All that is wrong: of a table by its own lines, of one run by the line that it would have been."""
    if not table:
        lines = (echoed(line, 400) for _, line in draft.lines.values())
        return CommandError(*list_problems(found), "Nothing written. The entry would have been:", *lines)
    told = list(wrong)
    for problem in sorted(set(found)):
        entry = draft.lines.get((problem.place.file, problem.place.line))
        told.append(with_code(problem, f"{table}:{entry[0].line}: {problem.text}" if entry else str(problem)))
    many = f"{len(told)} problems" if len(told) > 1 else "1 problem"
    return CommandError(*sorted(told, key=_by_line), f"{many} in {table}; nothing written")


def _by_line(told: str) -> tuple[int, str]:
    digits = told.split(": ", 1)[0].rpartition(":")[2]
    return (int(digits) if digits.isdecimal() else 0), told


def _verify_entries(before: Book, after: Book, project_id: str, count: int) -> None:
    """Makes sure that the files hold so many entries more: a line that follows a text may be taken for a part of it."""
    was, now = (sum(len(file.runs) for file in book.projects[project_id].written) for book in (before, after))
    if now != was + count:
        raise CommandError("the file takes no line at its end; check its last entry, or name another file with --file")


def _describe_addition(
    before: Book, after: Book, project_id: str, draft: RunsDraft, counted: list[str], end: str
) -> list[str]:
    """What was added, and what it did to the budget."""
    told = [*counted, *list_first([f"{file}:{line}: {text}" for (file, line), (_, text) in draft.lines.items()])]
    if draft.lines:
        told += ["", *describe_added(before, after, project_id, draft.keys), "", end]
    return [*lay_lines(told)]


def _describe_counts(new: int, closed: int, skipped: int) -> str:
    """How many rows of a table were added, how many closed a running entry, and how many were there already."""
    ended = f", closed {plural(closed, 'running one')}" if closed else ""
    known = f"; {plural(skipped, 'row')} skipped (job already in the ledger)" if skipped else ""
    return f"Added {plural(new, 'run')}{ended}{known}."
