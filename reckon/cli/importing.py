"""`import`: runs from the export of a scheduler, a tracker or a table, by the rules in imports.yaml.

What was imported before is read back from the ledger, merged with what the files say, and written as a whole: the same
file twice adds nothing, and a later one replaces what was running.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from reckon.compute.book import Book
from reckon.language.text import echoed
from reckon.load.importers import merging, suggesting, taking
from reckon.load.importers.taking import Taken
from reckon.model.finding import nearest
from reckon.model.kinds import IMPORTED, LOCK
from reckon.model.ledger import ProjectLedger
from reckon.model.scalars import ID
from reckon.present import terminal
from reckon.publish import journal
from reckon.publish.planned import FileChange

from . import imported
from .arguments import Parser, dry_run_option, one_project
from .books import read, refusal
from .closed import Learned
from .output import DIFFERS, FINE, Declined, progress, say
from .transaction import Trial, known_project, transacted, tried
from .tree import next_step


def declare_import(parser: Parser) -> None:
    """The command line of `import`."""
    text = "What is there already is not added again; a later export replaces what was running in an earlier one."
    parser.does(_run, _settled, text)
    text = "the project, needed where there are several; and exports of the source (`-` reads standard input)"
    parser.add_argument("words", nargs="*", metavar="[PROJECT] FILE", help=text)
    parser.add_argument("--project", metavar="PROJECT", help="the project")
    parser.add_argument("--with", dest="source", metavar="SOURCE", help="the source, by its name in imports.yaml")
    dry_run_option(parser)
    modes = parser.add_mutually_exclusive_group()
    text = "hold entries against the lock and the rules, and write nothing"
    modes.add_argument("--check", action="store_true", help=text)
    text = "say what became of a job, by its id; with FILE, from that file"
    modes.add_argument("--explain", metavar="JOB", help=text)
    modes.add_argument("--undo", metavar="SOURCE", help="take out all that was imported from a source")
    modes.add_argument("--reapply", action="store_true", help="apply the rules again to what was imported")
    modes.add_argument("--suggest", action="store_true", help="draft imports.yaml for FILE, and write nothing")
    parser.add_argument("--month", metavar="MONTH", help="with --undo: only jobs that began in it, as 2025-09")


def _settled(parser: Parser, options: Namespace) -> None:
    """Refuses what does not go together. The first word is the project if the ledger has one of that name."""
    words, options.name = list(options.words), None
    if words and ID.fullmatch(words[0]) and (options.root / "ledger" / words[0]).is_dir():
        options.name = words.pop(0)
    options.files = words
    plain = options.check or options.undo or options.reapply
    if options.files and plain:
        parser.error("--check, --undo and --reapply read no files")
    if options.month and not options.undo:
        parser.error("--month goes with --undo")
    one_project(parser, options)


def _run(options: Namespace) -> int:
    """Imports, or does what was asked instead."""
    if not (options.files or options.check or options.undo or options.reapply or options.explain):
        raise Declined("name the export to read: budget import FILE --with SOURCE")
    if options.suggest:
        return _suggest(options)
    project_id = known_project(options.root, options.project)
    if options.check:
        return _check(options, project_id)
    if options.explain:
        return _explain(options, project_id)
    files = [(name, _read(name)) for name in options.files]

    def attempt(before: Book) -> Trial:
        project = before.ledger.projects[project_id]
        name = _source(project, options.undo or options.source)
        taken = taking.begun(project, name)
        if options.undo:
            _undo(taken, options.month or "")
        elif options.reapply:
            _reapplied(taken)
        elif taken.merged.stale and not taken.rules.forgetful:
            # The lock says that all entries were made by the rules of today.
            taking.reapply(taken)
        while files:  # taken out, because one that was read is not needed, and may be large
            with progress(f"Reading {files[0][0]}"):
                taking.take(taken, files[0][1], files.pop(0)[0])
        if taken.problems:
            raise Declined(*terminal.problems(sorted(set(taken.problems))), "Nothing was written.")
        return _trial(options, before, project, taken)

    transacted(options.root, project_id, attempt)
    return FINE


def _trial(options: Namespace, before: Book, project: ProjectLedger, taken: Taken) -> Trial:
    """The files as they would be, tried on the ledger, and what is told of them."""
    changes = _changes(options.root, project, taken)
    seen = imported.preview(project, taken)
    taken.merged.forget()
    after, found = tried(before, project.id, changes, "the import") if changes else (before, [])
    if found:
        raise Declined(*terminal.problems(found), "Nothing was written.")
    told = list(imported.told(before, after, project.id, taken, seen))
    step = next_step(after.ledger.settings, options.dry_run)
    told += ["", step if changes else "Nothing was written: all of it is there."]
    learned = Learned(imported.learned(after, project.id, taken), f"import from {taken.rules.name}")
    return Trial(() if options.dry_run else changes, [terminal.plain(line) for line in told], after, learned)


def _changes(root: Path, project: ProjectLedger, taken: Taken, rules: str = "") -> list[FileChange]:
    """The files of a source, and the lock, as they are and as they are to be, by the rules of today or of a digest."""
    name, home = taken.rules.name, f"ledger/{project.id}"
    texts: dict[str, str | None] = dict(taken.merged.texts(home))
    own = f"{home}/runs/{IMPORTED}/{name}-"
    for file in project.runs:
        if file.file.startswith(own) and all(run.imported and run.imported.source == name for run in file.runs):
            texts.setdefault(file.file, None)
    lock = f"{home}/{LOCK.id}.yaml"
    digest, left = rules or merging.digest_of(taken.rules.source), taken.exports or taken.merged.jobs
    lines = taken.merged.lock(taken.exports, taken.partitions, digest) if left else ()
    texts[lock] = merging.lock_text(list(project.imports), name, lines, journal.current(root / lock))
    found = [FileChange(path, journal.current(root / path), text) for path, text in sorted(texts.items())]
    return [change for change in found if change.was != change.text]


def _source(project: ProjectLedger, name: str | None) -> str:
    """The source that is meant: the one that is named, or the only one. Raises Declined."""
    known = [str(source) for source in project.imports]
    if not known:
        where = f"ledger/{project.id}/imports.yaml"
        raise Declined(f"there is no {where}; `budget import --suggest FILE` drafts it")
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        said = "name the source with --with" if name is None else f"there is no source `{echoed(name)}` in imports.yaml"
        raise Declined(f"{said}; {nearest(name or '', known) or 'there are ' + ', '.join(known)}")
    return str(name)


def _read(name: str) -> bytes:
    """The bytes of an export. Raises Declined where there are none."""
    try:
        return sys.stdin.buffer.read(taking.MOST_BYTES + 1) if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Declined(f"{echoed(name)} cannot be read: {error.strerror}; name an export of the source") from None


def _undo(taken: Taken, month: str) -> None:
    """Takes out what was imported; where all of it goes, the exports are forgotten too."""
    merged = taken.merged
    kept = {key: job for key, job in merged.jobs.items() if month and job.month(merged.zone) != month}
    if not merged.jobs or len(kept) == len(merged.jobs):
        when = f" in {month}" if month else ""
        raise Declined(f"nothing was imported from {taken.rules.name}{when}; nothing was written")
    merged.jobs = kept
    # An export that is read again after this has to count again.
    taken.exports = {} if not month else taken.exports
    taken.partitions = taken.partitions if month else set()


def _reapplied(taken: Taken) -> None:
    """Applies the rules as they are now. Raises Declined where they ask for what is not kept."""
    if forgetful := taken.rules.forgetful:
        named = ", ".join(f"`{name}`" for name in forgetful)
        raise Declined(f"rule {named} asks for what no entry keeps; import the exports again: their jobs are replaced")
    taking.reapply(taken)


def _check(options: Namespace, project_id: str) -> int:
    """Whether the files of all sources are what the importer would write of them, by the rules of today."""
    project = _project(options.root, project_id)
    wrong = [line for name in project.imports for line in _amiss(options.root, project, str(name))]
    say(wrong or [f"What was imported into {project_id} is as the importer wrote it."])
    return DIFFERS if wrong else FINE


def _amiss(root: Path, project: ProjectLedger, name: str) -> Iterable[str]:
    """What of a source is not as its importer would write it."""
    taken = taking.begun(project, name)
    lock = project.locks.get(name)
    if lock is None:
        if taken.merged.jobs:
            yield f"{LOCK.id}.yaml says nothing of {name}, of which there are entries; import its exports again"
        return
    if not taken.merged.stale and not taken.rules.forgetful:
        taking.reapply(taken)  # an item or a seed that was edited is not what the rules make of the job
    for change in _changes(root, project, taken, str(lock.rules)):
        edited = not change.path.endswith(f"{LOCK.id}.yaml")
        said = "was edited by hand" if edited else "does not fit the entries"
        yield f"{change.path}: {said}; write rules in imports.yaml, and import the exports again"
    if taken.merged.stale:
        right = f"`budget import --reapply --with {name}` applies them"
        yield f"{name}: the rules have changed since the last import; {right}"


def _explain(options: Namespace, project_id: str) -> int:
    """What became of a job that was imported; with files, what would become of it."""
    project = _project(options.root, project_id)
    if options.files:
        return _explained(options, project)
    states = (taking.begun(project, str(name)) for name in project.imports)
    found = [line for taken in states for line in imported.explained(taken, options.explain)]
    if not found:
        raise Declined(f"no job `{echoed(options.explain)}` was imported; with FILE, it is sought in that export")
    say(found)
    return FINE


def _project(root: Path, project_id: str) -> ProjectLedger:
    """A project of a ledger. Raises what refuses one that cannot be read."""
    book, problems = read(root)
    if problems:
        raise refusal(problems)
    return book.ledger.projects[project_id]


def _explained(options: Namespace, project: ProjectLedger) -> int:
    """What would become of a job of an export."""
    taken = taking.begun(project, _source(project, options.source))
    taken.merged.jobs.clear()
    for name in options.files:
        taking.take(taken, _read(name), name)
    found = list(imported.explained(taken, options.explain))
    if not found:
        said = f"no job `{echoed(options.explain)}` stands there"
        raise Declined(*terminal.problems(sorted(set(taken.problems))), said)
    say(found)
    return FINE


def _suggest(options: Namespace) -> int:
    """Drafts imports.yaml for an export."""
    for name in options.files:
        say(suggesting.draft(_read(name), name))
    return FINE
