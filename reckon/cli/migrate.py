"""`migrate`: a ledger of an older format is brought up to that of today, all of it or nothing.

What it would be is read and calculated before anything is written: a migration changes how a ledger is written, never
what it says. The method by which figures are calculated does not depend on the format.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from reckon.compute.book import Book
from reckon.language.text import list_first
from reckon.load import migration
from reckon.load.value_edits import put_list
from reckon.model.version import FORMAT, READ_SINCE
from reckon.present.render.escape import terminal
from reckon.present.render.numbers import format_sentence
from reckon.publish import journal
from reckon.publish.write_plan import FileChange

from .arguments import Parser
from .books import figures_of, read, read_texts, refusal
from .output import DIFFERS, FINE, CommandError, program, progress, say
from .transaction import Draft, run_transaction

UNSAID = "progress-unknown#plan"
GRANTS = "ledger/allocations.yaml"
PRICED_SINCE = 3
"""The format since which granted hours are worth money only where their grant says so."""


def declare_migrate(parser: Parser) -> None:
    """The command line of `migrate`."""
    parser.does(migrate)
    trial = parser.add_mutually_exclusive_group()
    trial.add_argument("--dry-run", action="store_true", help="write nothing; show the changes")
    trial.add_argument("--check", action="store_true", help="like --dry-run, with exit code 1 for changes")


def migrate(options: Namespace) -> int:
    """Brings the ledger up to the format of today, or says what would be changed; nothing where it is in that."""
    root = options.root
    book, problems = read(root)
    if options.dry_run or options.check:
        problems += journal.cut_off(root)  # it is not completed then, and the ledger is half of each
    if problems:
        raise refusal(problems)
    if book.ledger.settings.format == FORMAT:
        say([f"The ledger is already in format {FORMAT}."])
        return FINE
    if options.dry_run or options.check:
        say([*_make_draft(root, book).told, f"Dry run: nothing written. Next: {program()} migrate"])
        return DIFFERS if options.check else FINE
    run_transaction(root, "", lambda found: _make_draft(root, found))
    return FINE


def _make_draft(root: Path, book: Book) -> Draft:
    """The migration as it would be, with what it changes. Raises CommandError where it would change what is said."""
    texts = {name: journal.current(root, name) or "" for name in book.ledger.files}
    was = book.ledger.settings.format
    made = {path: migration.stepped(path, text, was) for path, text in texts.items()}
    priced = _prices_of_grants(book) if was < PRICED_SINCE else {}
    for name, lists in priced.items():
        made[GRANTS] = put_list(made[GRANTS], (name, "prices"), lists)
    made[migration.FILE] = migration.numbered(made.get(migration.FILE))
    with progress("Trying the migration"):
        after, problems = read_texts(made)
    if problems or after.ledger.settings.format != FORMAT:
        said = problems[0] if problems else f"write `format: {FORMAT}` into {migration.FILE} by hand"
        raise CommandError(f"the ledger cannot be migrated to format {FORMAT}: {said}; nothing written")
    if _summarise_ledger(book) != _summarise_ledger(after):
        if priced:
            raise CommandError(
                f"projects of {' and '.join(sorted(priced))} have different prices; "
                "write `prices` of these grants by hand; nothing written"
            )
        raise CommandError("migrating would change what the ledger says; nothing written")
    changes = [FileChange(name, texts.get(name), text) for name, text in made.items() if texts.get(name) != text]
    return Draft(changes, list(_describe_migration(was, changes, book)))


def _prices_of_grants(book: Book) -> dict[str, list[str]]:
    """The price lists that the hours of grants were worth without being named there: those of their projects. Of hours
    on a card that none of them has, nothing was."""
    found = {}
    for name, grant in book.allocations.items():
        projects = [book.projects[each] for each in grant.projects if each in book.projects]
        lists = list(dict.fromkeys(str(listed) for project in projects for listed in project.project.prices))
        if lists and not grant.prices and not grant.currency:
            found[name] = lists
    return found


def _summarise_ledger(book: Book) -> object:
    """What a ledger says: its figures, and the findings of each project."""
    return figures_of(book), [(name, finding.id) for name, found in book.findings.items() for finding in found]


def _describe_migration(was: int, changes: list[FileChange], book: Book) -> Iterator[str]:
    """What is said of a migration: each line that changes, what stays, and what the new format can say beside."""
    yield f"From format {was} to {FORMAT}:"
    for change in changes:
        yield from list_first(
            [f"  {terminal(line)}" for line in migration.lines_changed(change.path, change.was, change.text or "")]
        )
    yield "All figures stay the same: both formats use the current method."
    if any(change.path == GRANTS for change in changes):
        yield "Granted hours have a value in money only if the grant names `prices`; these are added."
    open_ = [
        finding
        for some in book.findings.values()
        for finding in some
        if finding.judgement == UNSAID and not finding.accepted
    ]
    if open_:
        yield "Format 1 does not state what a completed run ends. Add `runs:` or `finishes:` here:"
        named = (f"{finding.places[-1].short}: {format_sentence(finding.title)}" for finding in open_)
        yield from list_first([f"  {terminal(line)}" for line in named])
    yield f"Versions of budget-ledger before {READ_SINCE[FORMAT]} cannot read this ledger."
    yield f"`{program()} init --upgrade` updates what CI installs."
