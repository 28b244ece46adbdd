"""What is doubtful about entries before they are written: what is wrong by a factor, and what has not come yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reckon.language.text import Place
from reckon.model.finding import Finding, Findings
from reckon.model.ledger import ProjectLedger

from ...book import Book
from . import ASKED, WHOLE_RULES, judged
from .dates import in_the_future
from .entry import RunEntry, around, entries_of, held
from .implausible import told

Lines = Mapping[tuple[str, int], Place]
"""New entries, by their file and line in it, with the place at which each is told: that of a row of a table."""


def doubtful(project_id: str, before: Book, after: Book, lines: Lines, today: int) -> list[Finding]:
    """The findings that are to be asked about before these entries are written, which `after` has; notes are not."""
    project = after.ledger.projects[project_id]
    beside = around(project, after)
    entries = [_told_at(entry, lines) for entry in entries_of(project, _numbers(project, lines))]
    doubts = [doubt for doubt in judged(entries, beside) if doubt.cause.judgement in ASKED]
    known = {doubt.entry.row for doubt in doubts}
    for entry in entries:
        if entry.row not in known:
            doubts += in_the_future(held(entry, beside), today)
    grave = [doubt for doubt in doubts if doubt.cause.severity != "note"]
    return [*told(project_id, grave, ()), *_shared(project_id, before, after)]


def _numbers(project: ProjectLedger, lines: Lines) -> Iterator[int]:
    """The numbers of these entries: only the files that hold them are looked through."""
    files = {file for file, _ in lines}
    for file, first, last in project.rows.spans():
        for number in range(first, last) if file in files else ():
            if (file, project.rows.place(number).line) in lines:
                yield number


def _told_at(entry: RunEntry, lines: Lines) -> RunEntry:
    return replace(entry, run=entry.run.model_copy(update={"place": lines[entry.file, entry.run.place.line]}))


def _shared(project_id: str, before: Book, after: Book) -> Findings:
    """What exceeds the capacity of the project, or of a grant, and did not before."""
    found = [each for each in after.findings[project_id] if each.rule in WHOLE_RULES and not each.accepted]
    known = {each.id for each in before.findings[project_id]} if found else ()
    yield from (finding for finding in found if finding.id not in known)
