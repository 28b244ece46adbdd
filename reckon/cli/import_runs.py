"""`import`: runs from the export of a scheduler, a tracker or a table, by the rules in imports.yaml.

What was imported before is read back from the ledger, merged with what the files say, and written as a whole: the same
file twice adds nothing, and a later one replaces what was running.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from argparse import Namespace
from collections.abc import Collection, Sequence
from pathlib import Path

from reckon.compute.book import Book
from reckon.language.text import echoed, list_first
from reckon.load import reader
from reckon.load.formats import NotRows
from reckon.load.importers import bills, doubts, mlruns, months, source_draft, taking
from reckon.load.importers.engines import large_exports, warehouse
from reckon.load.importers.engines.database import Database, EngineFailed
from reckon.load.importers.engines.large_exports import Export
from reckon.load.importers.taking import Taken
from reckon.load.importers.unused_settings import describe_unused
from reckon.model import bounds, presets
from reckon.model.boundary_days import edges_of
from reckon.model.finding import nearest
from reckon.model.ledger import ProjectLedger
from reckon.model.scalars import ID
from reckon.present.export import no_formula, write_csv
from reckon.present.terminal.messages import list_problems
from reckon.publish.files import write_whole

from . import import_check, import_explain, import_summary
from .adjustments import Learned
from .arguments import Parser, dry_run_option, one_project
from .books import load_sound_book
from .output import CommandError, no_such, progress, say
from .transaction import Draft, asked_project, run_transaction, try_changes
from .tree import next_step


def declare_import(parser: Parser) -> None:
    """The command line of `import`."""
    parser.does(
        _run,
        _settled,
        "Jobs that are already imported are not added again; a later export updates those that were running.",
    )
    parser.option(
        "words",
        "[PROJECT] FILE",
        "the project (default: the only one) and exports (`-`: standard input)",
        nargs="*",
    )
    parser.option("--project", "PROJECT", "same as the first word")
    parser.option("--with", "SOURCE", "source, by its name in imports.yaml", dest="source")
    dry_run_option(parser)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--check", action="store_true", help="compare entries with lock and rules; write nothing")
    modes.add_argument("--explain", metavar="JOB", help="show how a job was imported (with FILE: from that file)")
    modes.add_argument("--undo", metavar="SOURCE", help="remove everything imported from a source")
    modes.add_argument("--reapply", action="store_true", help="apply the rules again to imported jobs")
    modes.add_argument("--add-part", action="store_true", help="bills: add FILE to its periods")
    modes.add_argument("--replace", action="store_true", help="bills: replace a period even if its sum falls")
    modes.add_argument("--preset", metavar="NAME", help="print the settings of a known format")
    modes.add_argument("--suggest", action="store_true", help="draft imports.yaml for FILE; write nothing")
    parser.add_argument(
        "--engine",
        choices=("duckdb", "ibis"),
        help="duckdb: exports of any size; ibis: a database table",
    )
    parser.option(
        "--table",
        "ADDRESS",
        "with --engine ibis: duckdb://FILE/TABLE, spark://TABLE or bigquery://PROJECT/DATASET/TABLE",
    )
    parser.option("--rows", "FILE", "write line, id and outcome of each row")
    parser.option("--month", "MONTH", "with --undo: only jobs begun then, such as 2025-09")


def _settled(parser: Parser, options: Namespace) -> None:
    """Refuses what does not go together. The first word is the project if the ledger has one of that name."""
    words, options.name = list(options.words), None
    if words and ID.fullmatch(words[0]) and (options.root / "ledger" / words[0]).is_dir():
        options.name = words.pop(0)
    options.files = words
    plain = options.check or options.undo or options.reapply
    other = plain or options.explain or options.suggest
    if options.files and plain:
        parser.error("--check, --undo and --reapply take no files")
    if options.engine == "duckdb" and (other or not options.files):
        parser.error("--engine duckdb needs exports to import")
    if (options.table is None) != (options.engine != "ibis"):
        parser.error("--engine ibis and --table ADDRESS need each other")
    if options.table and (options.files or other):
        parser.error("--table takes no files and no other mode")
    if options.rows and (options.engine or other or not options.files):
        parser.error("--rows needs exports to import, without --engine")
    if options.month and not options.undo:
        parser.error("--month needs --undo")
    one_project(parser, options)


def _run(options: Namespace) -> int | None:
    """Imports, or does what was asked instead."""
    instead = ("preset", "files", "table", "check", "undo", "reapply", "explain")
    if not any(getattr(options, name) for name in instead):
        raise CommandError("name the export to read: budget import FILE --with SOURCE")
    if options.check:
        return import_check.check(options)
    if options.preset:
        _print_preset(options.preset)
    elif options.suggest:
        _suggest(options)
    elif options.explain:
        _explain(options, asked_project(options))
    elif options.engine == "duckdb":
        _by_engine(options, asked_project(options))
    else:
        _import(options, asked_project(options))
    return None


def _import(options: Namespace, project_id: str) -> None:
    """Imports files or a table, or takes out or assigns again what was imported."""
    address = _address(options.table) if options.table else None
    files = [(name, None if Path(name).is_dir() else _read(name)) for name in options.files]

    def attempt(before: Book) -> Draft:
        project, taken = _begun(options, before, project_id)
        edges = edges_of(before.ledger, project)
        if address:
            warehouse.take(taken, edges, address)
        # The lock says that all entries were made by the rules of today.
        # What is added to has to be so; what is replaced need not.
        again = taken.merged.stale and not options.undo and (options.add_part or not taken.source.forgetful)
        if options.reapply or again:
            months.open_months(taken, all_months=True)
            if taken.problems:  # a file or a library that is missing is told before an export is read
                return _make_draft(options, before, project, taken)
        if options.undo:
            _undo(taken, options.month or "")
        elif options.reapply or again:
            _reapply(taken)
        _take_files(taken, files)
        if not address:
            months.open_months(taken)
            unused = list(describe_unused(taken)) if taken.rows else []
            taken.notes += list_first(unused, 12, "… and {} more settings without a match")
            doubts.settle(taken)
        if not taken.problems:
            months.settle_months(taken, project, edges)
        return _make_draft(options, before, project, taken)

    try:
        run_transaction(options.root, project_id, attempt)
    except warehouse.Unreachable as error:
        raise CommandError(str(error), "Nothing written.") from None


def _take_files(taken: Taken, files: list[tuple[str, bytes | None]]) -> None:
    """Takes in exports; None is a folder. Each is taken out of the list, since one that was read may be large."""
    while files:
        name, raw = files.pop(0)
        with progress(f"Reading {name}") as far:
            taking.take(taken, raw if raw is not None else _folder(name, taken), name, far)
            del raw


def _begun(options: Namespace, before: Book, project_id: str) -> tuple[ProjectLedger, Taken]:
    """The project, and the state of the source that is meant. Raises CommandError where a file of the source is not as
    the importer wrote it, unless all of it is taken out."""
    project = before.projects[project_id]
    name = _source(project, options.undo or options.source)
    if not options.undo:
        _check_reading(project, name)
    if (options.add_part or options.replace) and project.imports[name].format != "focus":
        raise CommandError(
            f"--add-part and --replace are for bills (`format: focus`), and {name} is not a bill; remove them"
        )
    if options.engine and project.imports[name].ended:
        raise CommandError(f"`ended` of {name} names single jobs; import without --engine", "Nothing written.")
    edited = [] if options.undo else import_check.edited(options.root, project, name)
    if edited:
        said = [
            f"{path}: was edited by hand; restore it from your history; or remove its month with "
            f"`budget import {project_id} --undo {name} --month {import_check.month_of(path, name)}`, and import again"
            for path in edited
        ]
        raise CommandError(*said, "Nothing written.")
    taken = months.begin(options.root, project, name)
    taken.merged.charges.adds = options.add_part
    return project, taken


def _check_reading(project: ProjectLedger, name: str) -> None:
    """Raises CommandError where what is there of a source was read in another way: it could not be told again from what
    is read now."""
    lock = project.locks.get(name)
    if lock and lock.entries and (lock.read or "") != project.imports[name].reading:
        settings = "`columns`, `timezone`, `rows` or `key`"
        why = f"how rows of {name} are read ({settings}) have changed since the last import"
        undo = f"undo it (`budget import {project.id} --undo {name}`), then import its exports again"
        raise CommandError(f"{why}; {undo}", "Nothing written.")


def _by_engine(options: Namespace, project_id: str) -> None:
    """Imports with DuckDB, which memory need not have room for. Raises CommandError."""
    try:
        with Database() as database:
            exports = [Export(_file(name, database.folder), name) for name in options.files]
            run_transaction(
                options.root,
                project_id,
                lambda before: _tried_by(database, options, before, project_id, exports),
            )
    except EngineFailed as error:
        raise CommandError(str(error), "Nothing written.") from None


def _tried_by(
    database: Database, options: Namespace, before: Book, project_id: str, exports: Sequence[Export]
) -> Draft:
    project, taken = _begun(options, before, project_id)
    if taken.merged.stale and not taken.source.forgetful and not taken.merged.months:
        taking.reapply(taken)  # the lock says that all entries were made by the rules of today
    with progress(f"Reading {options.files[0]}") as far:
        edges = edges_of(before.ledger, project)
        large_exports.take(database, taken, project, exports, edges, far or (lambda done, whole: None))
        doubts.settle(taken)
    return _make_draft(options, before, project, taken)


def _file(name: str, folder: Path) -> Path:
    """An export as a file: what comes by standard input is put into a folder. Raises CommandError where there is
    none."""
    try:
        if name == "-":
            with (folder / "standard-input").open("xb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            return folder / "standard-input"
        with Path(name).open("rb"):
            return Path(name)
    except OSError as error:
        raise CommandError(f"{echoed(name)} cannot be read: {error.strerror}; name an export of the source") from None


def _make_draft(options: Namespace, before: Book, project: ProjectLedger, taken: Taken) -> Draft:
    """The files as they would be, tried on the ledger, and what is told of them. Raises CommandError where anything is
    wrong with what was read, or with the ledger then."""
    if taken.problems:
        raise CommandError(*list_problems(taken.problems), "Nothing written.")
    periods = list(bills.find_changes(taken.merged))
    shrunk = [str(change) for change in periods if change.shrinks]
    if shrunk and not (options.replace or options.add_part):
        again = f"budget import {shlex.join([project.id, *options.files])} --with {taken.rules.name}"
        raise CommandError(
            *shrunk,
            f"The sum would be smaller than before. If this is a credit, run `{again} --replace`; if the files are a "
            f"further part, `{again} --add-part`.",
            "Nothing written.",
        )
    taken.notes += map(str, periods)
    changes = import_check.changes_of(options.root, project, taken)
    seen = import_summary.preview(taken)
    rows = _rows_text(taken) if options.rows else ""
    taken.merged.forget()
    after, found = try_changes(before, project.id, changes, "the import") if changes else (before, [])
    if found:
        raise CommandError(*list_problems(found), "Nothing written.")
    if options.rows:
        _write_rows(Path(options.rows), rows)
    told = list(import_summary.describe_import(before, after, project.id, taken, seen))
    step = next_step(after.ledger.settings, options.dry_run)
    told += import_summary.describe_job_files(project, taken) if changes and not options.dry_run else []
    told += ["", step if changes else "Nothing written: everything is already imported."]
    learned = Learned(import_summary.learned(after, project.id, taken), f"import from {taken.rules.name}")
    if options.dry_run:
        return Draft((), told, after, learned)
    return Draft(changes, told, after, learned, taken.files, taken.gone)


def _rows_text(taken: Taken) -> str:
    """What became of each row that was read, as CSV in the order of the rows."""
    fates = sorted([*taken.left, *taken.merged.fates()], key=lambda fate: (fate.file, fate.line))
    rows = ((fate.file, fate.line, no_formula(fate.id), fate.word) for fate in fates)
    return write_csv([("file", "line", "id", "outcome"), *rows])


def _write_rows(target: Path, text: str) -> None:
    """Writes what became of rows as a file. Raises CommandError."""
    try:
        write_whole(target, text)
    except OSError as error:
        raise CommandError(f"{echoed(str(target))} cannot be written: {error.strerror}; name another file") from None


def _source(project: ProjectLedger, name: str | None) -> str:
    """The source that is meant: the one that is named, or the only one. Raises CommandError."""
    known = list(project.imports)
    if not known:
        raise CommandError(f"ledger/{project.id}/imports.yaml is missing; draft it with `budget import --suggest FILE`")
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        said = "name the source with --with" if name is None else f"there is no source `{echoed(name)}` in imports.yaml"
        raise CommandError(f"{said}; {nearest(name or '', known) or 'there are ' + ', '.join(known)}")
    return name


def _read(name: str) -> bytes:
    """The bytes of an export. Raises CommandError where there are none."""
    try:
        return sys.stdin.buffer.read(bounds.EXPORT + 1) if name == "-" else bounds.read_start(Path(name), bounds.EXPORT)
    except OSError as error:
        raise CommandError(f"{echoed(name)} cannot be read: {error.strerror}; name an export of the source") from None


def _address(text: str) -> warehouse.Address:
    """The address of a table. Raises CommandError, and repeats nothing of what may have a password in it."""
    try:
        return warehouse.address_of(text)
    except warehouse.Unreachable as error:
        raise CommandError(f"--table: {error}") from None


def _folder(name: str, taken: Taken) -> bytes:
    """The runs in a folder of MLflow, as a table with the columns that a source asks for. Raises CommandError."""
    if taken.source.format != "mlflow":
        raise CommandError(f"{echoed(name)} is a folder; name an export of {taken.rules.name}")
    return _table(name, taken.source.columns_held)


def _table(name: str, wanted: Collection[str]) -> bytes:
    try:
        return mlruns.as_table(Path(name), wanted)
    except NotRows as error:
        raise CommandError(f"{echoed(name)}: {error}") from None


def _explain(options: Namespace, project_id: str) -> None:
    """What became of a job that was imported; with files, what would become of it."""
    project = load_sound_book(options.root).ledger.projects[project_id]
    if options.files:
        taken = taking.begin(project, _source(project, options.source))
        taken.merged.jobs.clear()
        for name in options.files:
            taking.take(taken, _folder(name, taken) if Path(name).is_dir() else _read(name), name)
        states = [taken]
        wrong = [*list_problems(taken.problems), f"no job `{echoed(options.explain)}` in that export"]
    else:
        states = [months.begin(options.root, project, name) for name in project.imports]
        wrong = [f"no job `{echoed(options.explain)}` was imported; name a FILE to search that export"]
        for taken in states:
            wrong += [f"Not looked at: {line}" for line in months.open_some(taken)]
    found = [line for taken in states for line in import_explain.explained(taken, options.explain)]
    if not found:
        raise CommandError(*wrong)
    say(found)


def _print_preset(name: str) -> None:
    """Prints a preset, for copying. Raises CommandError where there is none."""
    if name not in presets.NAMES:
        raise CommandError(no_such("preset", name, presets.NAMES, f"there are {', '.join(presets.NAMES)}"))
    say(presets.read_text(name).splitlines())


def _suggest(options: Namespace) -> None:
    """Drafts imports.yaml for an export."""
    known = _known(options)
    for name in options.files:
        raw = _table(name, presets.read_preset("mlflow").settings["columns"]) if Path(name).is_dir() else _read(name)
        try:
            say(source_draft.draft(raw, name, known))
        except NotRows as error:
            raise CommandError(f"{echoed(name)}: {error}") from None


def _known(options: Namespace) -> source_draft.Known:
    """What a draft can name of the project that is meant; nothing where no ledger can be read."""
    ledger, _ = reader.load(options.root)
    names = [options.project] if options.project else list(ledger.projects)
    project = ledger.projects.get(names[0]) if len(names) == 1 else None
    return source_draft.known_of(project, ledger.catalog) if project else source_draft.Known()


def _undo(taken: Taken, month: str) -> None:
    """Takes out what was imported; where all of it goes, the exports are forgotten too."""
    merged = taken.merged
    kept = {key: job for key, job in merged.jobs.items() if month and job.month(merged.zone) != month}
    counted = months.forgotten(taken, month)
    if len(kept) == len(merged.jobs) and not counted:
        when = f" in {month}" if month else ""
        raise CommandError(f"nothing was imported from {taken.rules.name}{when}; nothing written")
    for key in merged.jobs.keys() - kept.keys():
        merged.drop(key)
    merged.settle_attempts()
    taking.settle(taken)
    # An export that is read again after this has to count again.
    if not month:
        taken.exports, taken.partitions = {}, set()


def _reapply(taken: Taken) -> None:
    """Applies the rules as they are now. Raises CommandError where they ask for what is not kept."""
    if forgetful := taken.source.forgetful:
        named = ", ".join(f"`{name}`" for name in forgetful)
        raise CommandError(
            f"rule {named} needs fields that no entry keeps; import the exports again with "
            f"`budget import FILE … --with {taken.rules.name}`: their jobs are replaced"
        )
    taking.reapply(taken)
