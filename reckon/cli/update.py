"""`update`: one entry of the ledger is rewritten in place, and tried on the ledger as it would be before it is written.

The entry is named by its job, by its run and attempt, or by its line. Nothing else in its file changes.
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.language.text import Place, echoed, list_first, place_of
from reckon.load.entry_edits import StandingEntry, rewritten
from reckon.load.entry_edits import standing as entries_of
from reckon.load.run_format import DONE, TOTAL, EntryFields, EntryRow
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run
from reckon.present.terminal.additions import describe_added
from reckon.present.terminal.messages import list_problems
from reckon.publish import journal
from reckon.publish.write_plan import FileChange

from . import clock, prompts
from .adjustments import Learned
from .arguments import Parser, command, dry_run_option, field_options, one_project, project_option, wrong_argument
from .confirmations import anyway_option, run_asking, unless_doubtful
from .output import CommandError
from .transaction import Draft, asked_project, try_changes
from .tree import next_step

MOST_NAMED, MOST_LINES = 10, 30
_PLACE = re.compile(r"(?P<file>[^:]+?\.yaml)(:(?P<line>[1-9][0-9]{0,8}))?(:[1-9][0-9]{0,8})?")
_HOME = re.compile(r"ledger/([^/]+)/runs/[^/]+")
_OPTIONS = {
    **prompts.FLAGS,
    "date": ("DAY", "day it ended, such as 2025-09-03"),
    "job": ("ID", "entry with this job id (with --at: its new id)"),
    "run": ("NAME", "entry with this name (with --at or --job: its new name)"),
    "attempt": ("N", "attempt of --run (with --at or --job: its new number)"),
}


class EntryChange(NamedTuple):
    """An entry as it stands in the text of its file, that text, and the text that there is to be."""

    file: str
    was: str
    text: str
    entry: StandingEntry

    @property
    def wanted(self) -> StandingEntry:
        """The entry as it would stand there."""
        return (entries_of(self.text) or [])[self.entry.number]

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.entry.line}"


def declare_update(parser: Parser) -> None:
    """The command lines of `update`: of a run."""
    kinds = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    command(kinds, "run", "change a run and show its effect on the budget", _declare_run)


def _declare_run(parser: Parser) -> None:
    parser.does(_run, _settled, "A given field replaces the old one; other fields, comments and entries stay.")
    project_option(parser)
    parser.option(
        "--at", "FILE:LINE", "entry at this place, such as ledger/example/runs/2026-01.yaml:12", type=_read_place
    )
    text = "remove a field (repeatable)"
    known = ", ".join(name.replace("_", "-") for name in prompts.FLAGS)
    parser.option("--remove", "FIELD", f"{text}: {known}", action="append", type=_field, default=[])
    dry_run_option(parser)
    anyway_option(parser)
    field_options(parser, _OPTIONS, {"progress": prompts.progress_of})


def _read_place(text: str) -> tuple[str, int]:
    """File and line (0 where none is given), or argparse's complaint. A column, as messages have it, means nothing."""
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        raise wrong_argument(text, "is not a place; write file and line: ledger/example/runs/2026-01.yaml:12")
    return re.sub(r".*/(?=ledger/[^/]+/runs/)", "", found["file"]), int(found["line"] or 0)


def _field(text: str) -> str:
    name = text.strip().removeprefix("--").replace("-", "_")
    if name not in prompts.FLAGS:
        raise wrong_argument(text, f"is not a field of a run; there are {', '.join(prompts.FLAGS)}")
    return name


def _settled(parser: Parser, options: Namespace) -> None:
    """Settles what names the entry and what is to change, and refuses what does not go together."""
    one_project(parser, options)
    given = prompts.read_given_fields(options)
    named = next((names for names in (("job",), ("run", "attempt")) if names[0] in given), ())
    options.naming = {name: given.pop(name) for name in named if name in given and not options.at}
    options.fields = given
    if both := {prompts.parent_field(name) for name in given} & set(options.remove):
        parser.error(f"--{min(both).replace('_', '-')} is both changed and removed; keep one")
    home = _HOME.fullmatch(options.at[0]) if options.at else None
    options.project = options.project or (home[1] if home else None)


def _run(options: Namespace) -> None:
    """Rewrites the entry that is named. Raises CommandError where there is none or are several, or anything is
    wrong."""
    if not options.at and not options.naming:
        raise CommandError("name the entry: --job ID, --run NAME with --attempt N, or --at FILE:LINE")
    if not options.fields and not options.remove:
        raise CommandError("no change given; give a field such as --status completed, or --remove FIELD")
    project_id, today = asked_project(options), clock.current_time()

    def attempt(before: Book, anyway: bool) -> Draft:
        run = _find_run(options, before.projects[project_id])
        if run.imported:
            raise CommandError(*_not_by_hand(project_id, run))
        text = journal.current(options.root, run.place.file) or ""
        change = rewrite(text, run.place, options.fields, options.remove)
        if change.text == change.was:
            return Draft((), [f"{change.place}: the entry already says so; nothing written"])
        files = [FileChange(change.file, change.was, change.text)]
        wanted = change.wanted
        keys = [(entry.fields.get("item", ""), entry.fields.get("seed", "")) for entry in (change.entry, wanted)]
        after, found = try_changes(before, project_id, files, "the entry")
        moments = {name: text for name, text in wanted.fields.items() if name in options.fields}
        lines = entry_lines(change.text, wanted)
        found += clock.ahead(moments, change.file, wanted.line, lines[0], today)
        if found:
            raise CommandError(
                *list_problems(found),
                "Nothing written. The entry would have been:",
                *list_first(lines, MOST_LINES),
            )
        if not anyway:
            entry = EntryRow(0, wanted.fields), " ".join(lines)
            unless_doubtful(options, before, after, project_id, {(change.file, wanted.line): entry}, today)
        told = [*_format_change(change), *_advice(change, options), ""]
        told += [*describe_added(before, after, project_id, keys), ""]
        told.append(next_step(after.ledger.settings, options.dry_run))
        learned = Learned("", "an entry changed")
        return Draft(() if options.dry_run else files, told, after, learned)

    run_asking(options, project_id, attempt)


def _not_by_hand(project_id: str, run: Run) -> tuple[str, str]:
    """Why an imported entry is not rewritten, and what changes it."""
    source = run.imported.source if run.imported else ""
    return (
        f"{place_of(run.item).short} was imported, and the next import would undo the change; "
        f"edit a rule or card in ledger/{project_id}/imports.yaml, then run:",
        f"  budget import --reapply --with {source}",
    )


def _find_run(options: Namespace, project: ProjectLedger) -> Run:
    """The run that is named. Raises CommandError where there is none, or several."""
    if options.at:
        return _standing_there(options, project)
    runs, wanted = list(project.rows), options.naming
    found = runs
    for pair in wanted.items():
        found = [run for run in found if _states_field(run, *pair)]
    what = ", ".join(f"{name} `{echoed(text)}`" for name, text in wanted.items())
    if len(found) == 1:
        return found[0]
    if found:
        raise CommandError(
            f"{len(found)} entries of {project.id} have {what}; name the attempt, or the line with --at FILE:LINE:",
            *_list_runs(found),
        )
    near = [run for run in runs if "run" in wanted and _states_field(run, "run", wanted["run"])]
    said = [f"no entry of {project.id} has {what}{'; there are:' if near else ''}", *_list_runs(near)]
    raise CommandError(*said, *([] if near else ["add one with `add run`, or name a line with --at FILE:LINE"]))


def _states_field(run: Run, name: str, text: str) -> bool:
    own = getattr(run, name)
    return own is not None and str(own) == text.strip()


def _standing_there(options: Namespace, project: ProjectLedger) -> Run:
    """The run whose entry has the line that is named, or is alone in the file."""
    name, line = options.at
    file = next((file for file in project.runs if file.file == name), None)
    if file is None:
        right = "write its path below the root, such as ledger/example/runs/2026-01.yaml:12"
        raise CommandError(f"{echoed(name)} is not a file of runs of {project.id}; {right}")
    last = {entry.line: entry.last for entry in entries_of(journal.current(options.root, name) or "") or []}
    found = [run for run in file.runs if not line or run.place.line <= line <= last.get(run.place.line, run.place.line)]
    if len(found) == 1:
        return found[0]
    where = f"{name}:{line}" if line else name
    if found or not line:
        right = "name a line of one" if not line else "put each on a line of its own"
        raise CommandError(f"{len(found)} entries are in {where}; {right}:", *_list_runs(found))
    raise CommandError(f"no entry at {where}; there are:", *_list_runs(file.runs))


def _list_runs(runs: Iterable[Run]) -> Iterator[str]:
    """Runs with their places, and what tells one from another."""
    told = []
    for run in runs:
        parts = {
            "": run.date or run.end or run.start,
            "item ": run.item,
            "seed ": run.seed,
            "run ": run.run,
            "attempt ": run.attempt,
            "job ": run.job,
            "status ": run.status,
        }
        said = ", ".join(f"{name}{echoed(text, 40)}" for name, text in parts.items() if text is not None)
        told.append(f"  {place_of(run).short}: {said}")
    yield from list_first(told, MOST_NAMED)


def rewrite(was: str, place: Place, fields: EntryFields, without: Collection[str] = ()) -> EntryChange:
    """The text of a file with the entry at a place rewritten. Raises CommandError where that cannot be done there."""
    at = place.line, place.column
    entry = next((entry for entry in entries_of(was) or () if (entry.line, entry.column) == at), None)
    text = rewritten(was, entry, fields, without) if entry else None
    if entry is None or text is None:
        raise CommandError(f"{place.short}: this entry cannot be rewritten in place; edit it by hand")
    return EntryChange(place.file, was, text, entry)


def entry_lines(text: str, entry: StandingEntry) -> list[str]:
    """The lines of a file that an entry stands in."""
    return [echoed(line, 400) for line in text.removeprefix("\ufeff").splitlines()[entry.line - 1 : entry.last]]


def _format_change(change: EntryChange) -> Iterator[str]:
    """The entry as it was and as it is."""
    yield f"{change.place}:"
    for head, text, entry in (("before:", change.was, change.entry), ("now:", change.text, change.wanted)):
        lines = entry_lines(text, entry)
        yield from list_first([f"  {'' if number else head:8}{line}" for number, line in enumerate(lines)], MOST_LINES)


def _advice(change: EntryChange, options: Namespace) -> Iterator[str]:
    """What of the entry may be out of date now: fields that count before, or instead of, one that was changed."""
    now, changed = change.wanted.fields, set(options.fields)
    if "gpu_hours" in now and "gpu_hours" not in changed and changed & {"gpus", "wall_hours"}:
        said = f"gpu_hours {now['gpu_hours']} still counts, before GPUs times hours"
        yield f"  note: {said}; `--remove gpu_hours` takes it out"
    if "status" in changed and DONE not in changed and now.get(DONE) != now.get(TOTAL):
        said = f"progress still says {now.get(DONE)} of {now.get(TOTAL)}"
        yield f"  note: {said}; give --progress, or `--remove progress`"
