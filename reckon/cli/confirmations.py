"""Entries that are doubtful before they are written: a question on a terminal, a refusal in a pipe."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from reckon.compute.audit.entries.preflight import doubtful
from reckon.compute.book import Book
from reckon.language.calendar_days import last_day
from reckon.language.text import Place, echoed, some_of
from reckon.load.run_format import EntryRow
from reckon.model.finding import Finding
from reckon.present.render.numbers import format_sentence

from . import prompts
from .arguments import Parser
from .books import read_late
from .output import CommandError, complain
from .transaction import Draft, run_transaction

MOST_LINES = 5  # of a table, before what is odd about them
NewEntries = dict[tuple[str, int], tuple[EntryRow, str]]
"""New entries by file and line, each with its row of a table and its text."""


class Doubtful(CommandError):
    """Entries that cannot be as they are, by all likelihood; `doubts` are told where somebody can be asked."""

    def __init__(self, doubts: Sequence[str], refused: Sequence[str]) -> None:
        super().__init__(*doubts, *refused)
        self.doubts = doubts


def anyway_option(parser: Parser) -> None:
    """Lets `add` and `update` write what is doubtful."""
    parser.flag("--anyway", "write implausible entries too (on a terminal, budget asks)")


def unless_doubtful(
    options: Namespace, before: Book, after: Book, project_id: str, lines: NewEntries, today: datetime
) -> None:
    """Raises Doubtful where new entries look wrong by a factor, are of a time at which they cannot have been, or take
    more GPUs than there are."""
    table = str(options.table) if options.what == "runs" else ""
    places = {at: Place(table, row.line, 1) if table else Place(*at, 1) for at, (row, _) in lines.items()}
    found = doubtful(project_id, before, after, places, last_day(f"{today:%Y-%m-%d}"))
    if found:
        entry = [] if table else ["The entry would have been:", *(echoed(text, 400) for _, text in lines.values())]
        form = getattr(options, "form", None)
        right = "a teammate can add it with `budget add run --anyway`" if form else "add --anyway"
        said = f"Nothing written. Correct the entry; if it is right, {right}."
        raise Doubtful([line for finding in found for line in _describe_finding(finding, table)], [said, *entry])


def _describe_finding(finding: Finding, table: str) -> Iterator[str]:
    """A finding in lines: what is doubtful with its rule, the arithmetic, its meaning, what to do; of a table where."""
    lines = [str(place.line) for place in finding.places if place.file == table]
    where = f"{table}:{some_of(lines, MOST_LINES)}: " if lines else ""
    yield f"{where}{format_sentence(finding.title)} ({finding.rule})"
    yield from (f"    {format_sentence(part)}" for part in (finding.arithmetic, finding.meaning, finding.remedy))


def run_asking(options: Namespace, project_id: str, attempt: Callable[[Book, bool], Draft]) -> None:
    """Attempts to write entries, the doubtful ones too where that is asked for or answered.

    The ledger is not locked while somebody thinks: what is doubtful is attempted anew. Raises CommandError.
    """

    def transact(anyway: bool) -> None:
        run_transaction(options.root, project_id, lambda before: attempt(before, anyway), read_late)

    try:
        transact(options.anyway)
    except Doubtful as doubt:
        if not prompts.asks():
            raise
        complain(*doubt.doubts)
        if not prompts.agreed():
            raise CommandError("Nothing written.") from None
        transact(True)
