"""What all readers of exports share: what they are told, what they count, and problems that repeat nothing private."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from fractions import Fraction
from itertools import islice

from msgspec import Struct, field

from reckon.language.text import Place, plural
from reckon.model.finding import Problem, ProblemList
from reckon.model.records import ImportSource
from reckon.model.records.imports import TABLES, Gpus

from ..formats import NotRows, Row, csv_rows, likely_separator
from . import clock
from .job import NO_STATE, NOTHING_BESIDE, Beside, Job, Says, state_word, status_of
from .merging import Charges
from .stored import whole
from .tally import HEADER, Amounts, RowFate

MOST_PROBLEMS = 50
"""Rows told one by one; a file that is wrong in more of them is wrong in one way."""


MOST_ABOVE = 50
"""Lines of a table among which the one is that names its columns."""
PREAMBLE, BY_PATTERN = "above the header", "skipped by pattern"
SKIP = ", or leave it out by `skip:`"
"""What else there is to do about a row that cannot be read."""
NO_STATE_LINE = "`statuses: {'': completed}`"
"""The line of a source that says what an empty state means."""
LONGEST = 1000
_HIDDEN = re.compile(
    r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]|[\ud800-\udfff]"
)


class NotAnExport(NotRows):
    """A file is not an export of the format that its source names: why, and what would be right."""


class Reading(Struct):
    """The reading of one file: what is known of its source, and what was found.

    `left` are rows that are no run of the project, with the word for each, and `skipped` counts rows of which no more
    is known; `amounts` are what all rows state that make a record. `partitions` are those on which any row has or asks
    for a GPU, `states` the words for their states, `latest` is the last moment that any row tells of, `notes` are what
    else is told, `charges` what this import reads of bills.
    """

    file: str
    source: ImportSource
    zone: tzinfo | None
    problems: ProblemList = []
    left: list[RowFate] = []
    skipped: Counter[str] = field(default_factory=Counter)
    amounts: Amounts = field(default_factory=Amounts)
    partitions: set[str] = set()
    states: set[str] = set()
    rows: int = 0
    latest: int | None = None
    notes: list[str] = []
    charges: Charges = field(default_factory=Charges)
    _told: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note_header(self, line: int) -> None:
        """Adds a line that names the columns to those that are not counted."""
        self.rows += 1
        self.skip(HEADER, line)

    def skip(self, word: str, line: int, id: str = "") -> None:
        """Adds a row to those that are not counted as runs, with what it is."""
        self.left.append(RowFate(self.file, line, id, word))

    def set_aside(self, job: Job, word: str) -> None:
        """Adds the row of a job to those that are not counted as runs, with what it is."""
        self.left.append(RowFate(self.file, job.line, job.id, word, job))

    def wrong(self, line: int, what: str, right: str, rows: int = 1) -> None:
        """Tells what is wrong with a row. What is wrong with many in the same words is told once, with how many."""
        key = (what, right)
        self._told[key] += rows
        if self._told[key] == rows:
            self.problems.append(Problem(Place(self.file, line, 1), what, right))

    def add(self, other: Reading) -> None:
        """Adds what was found in other rows of the same file: problems come by their lines."""
        self._told.update(other._told)
        first: dict[tuple[str, str], Problem] = {}
        for problem in sorted([*self.problems, *other.problems], key=lambda problem: problem.place.line):
            first.setdefault((problem.wrong, problem.right), problem)
        self.problems = list(first.values())
        self.left += other.left
        self.skipped.update(other.skipped)
        self.amounts.update(other.amounts)
        self.partitions |= other.partitions
        self.rows += other.rows
        self.seen(other.latest)

    def all_problems(self) -> ProblemList:
        """The problems, each with the number of rows that have it, as many as anyone reads."""
        found = []
        for problem in self.problems[:MOST_PROBLEMS]:
            count = self._told.get((problem.wrong, problem.right), 1)
            rows = f" ({count:,} rows)" if count > 1 else ""
            found.append(Problem(problem.place, problem.wrong + rows, problem.right))
        if (more := len(self.problems) - MOST_PROBLEMS) > 0:
            wrong, right = f"{plural(more, 'more thing')} wrong from here on", "mend those above first"
            found.append(Problem(self.problems[MOST_PROBLEMS].place, wrong, right))
        return found

    def skips(self, line: int, cells: Iterable[str]) -> bool:
        """Whether `skip` of the source leaves a row out, which adds it to the skipped rows."""
        pattern = self.source.skip
        if pattern is None or all(pattern.matched(cell) is None for cell in cells):
            return False
        self.rows += 1
        self.skip(BY_PATTERN, line)
        return True

    def job(self, row: ReadRow) -> Job | None:
        """The job that a row states; None where it is none that ran, or anything is wrong with it."""
        if row.gpus or row.asks:
            self.partitions.add(row.says.get("partition", ""))
        state = state_word(row.state)
        self.states.add(state)
        known = status_of(self.source, state)
        if known is None:
            self._unknown_state(row.line, row.state.strip().partition(" ")[0], state)
            return None
        try:
            submit = self._moment("submit time", row.submit)
            self.seen(submit)
            if known == "pending":
                self.skip("pending", row.line, plain(row.id))
                return None
            elapsed = self._seconds(row.elapsed)
            if elapsed > clock.MOST_OF_A_JOB:
                raise clock.Unclear("elapsed time is longer than a hundred years", "look at its column and its unit")
            start, end = self._span(row, elapsed)
        except clock.Unclear as unclear:
            self.wrong(row.line, f"the {unclear.wrong}", unclear.right)
            return None
        last = end if row.beside.through is None else row.beside.through
        self.seen(last if last is not None or start is None else start + int(elapsed))
        if start is not None and end is None and known != "running":
            end = start + int(elapsed)
        beside = row.beside
        if beside.parent or beside.seed:
            beside = beside._replace(parent=plain(beside.parent), seed=plain(beside.seed))
        job = Job(
            row.line,
            plain(row.id),
            state,
            whole(elapsed),
            submit,
            start,
            end if known != "running" else None,
            row.gpus,
            row.nodes,
            plain(row.cluster),
            row.also,
            {name: plain(text) for name, text in row.says.items()},
            beside,
        )
        self.amounts.add(job)
        return job

    def _unknown_state(self, line: int, raw: str, state: str) -> None:
        """Slurm writes states in capitals: any other word may be a name of a person, where columns are mixed up."""
        if state == NO_STATE:
            self.wrong(line, "the state is empty", f"say what that means: {NO_STATE_LINE}{SKIP}")
            return
        told = state.replace("_", "").isalpha() and (raw.isupper() or str(self.source.format) in TABLES)
        if not told or len(state) > 30:  # no state is as long, and a part of it would be none to write
            self.wrong(line, "what stands there is not a state of a job", "look at which column holds the state")
            return
        right = "write what it means: `statuses: {" + state + ": failed}`"
        self.wrong(line, f"`{state}` is not a state of a job that is known here", right)

    def seen(self, moment: int | None) -> None:
        """Takes note of a moment of which a row tells."""
        if moment is not None and (self.latest is None or moment > self.latest):
            self.latest = moment

    def _moment(self, what: str, text: str) -> int | None:
        try:
            return clock.moment(text.strip(), self.zone)
        except clock.Unclear as unclear:
            raise clock.Unclear(f"{what} {unclear.wrong}", unclear.right) from None

    def _seconds(self, text: str | Fraction) -> Fraction:
        if isinstance(text, Fraction):
            return text
        try:
            return clock.seconds_of(text.strip())
        except clock.Unclear as unclear:
            raise clock.Unclear(f"elapsed time {unclear.wrong}", unclear.right) from None

    def _span(self, row: ReadRow, elapsed: Fraction) -> tuple[int | None, int | None]:
        """Start and end. Of a time that the clock shows twice, that which agrees with the elapsed time."""
        start = self._moment("start", row.start)
        end = self._moment("end", row.end)
        if start is None or end is None or end - start == elapsed:
            return start, end
        starts = clock.both(row.start.strip(), self.zone)
        ends = clock.both(row.end.strip(), self.zone)
        if elapsed and max(ends, default=end) < min(starts, default=start):
            raise clock.Unclear("end is before the start", "correct the row in a copy of the export, or leave it out")
        pairs = ((first, last) for first in starts for last in ends)
        return next((pair for pair in pairs if pair[1] - pair[0] == elapsed), (start, max(end, start)))


class ReadRow(Struct, frozen=True):
    """The cells of a row that make a job, as they are written; and whether it asks for a GPU, got or not."""

    line: int
    id: str
    state: str
    elapsed: str | Fraction
    submit: str = ""
    start: str = ""
    end: str = ""
    gpus: Gpus = ()
    nodes: int = 1
    cluster: str = ""
    also: str = ""
    says: Says = {}
    asks: bool = False
    beside: Beside = NOTHING_BESIDE


def plain(text: str) -> str:
    """A text of a stranger as a ledger can have it: no sign that acts on a terminal or hides, and no book."""
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return short if short.isprintable() else _HIDDEN.sub("\ufffd", short)


NumberedLines = Iterator[tuple[int, str]]
"""The lines of an export that hold something, with their numbers."""
NamedRows = Iterator[tuple[int, dict[str, str]]]
"""The rows of an export, each with its line: cells by the names of their columns."""


def rows_of(text: str, reading: Reading) -> Iterator[Row]:
    """The rows of a table, the names of its columns first: the first line that holds all columns which the source maps,
    else the first line. What is above it, and what is skipped, is counted. Raises NotRows where it is not CSV."""
    own = str(reading.source.delimiter or "")
    lines = [(number, line, own or likely_separator(line)) for number, line in islice(lines_of(text), MOST_ABOVE)]
    mapped = reading.source.columns_held.keys()
    named = (
        at for at, (_, line, sign) in enumerate(lines) if mapped <= {cell.strip(' "') for cell in line.split(sign)}
    )
    above = next(named, 0)
    for number, _, _ in lines[:above]:
        reading.rows += 1
        reading.skip(PREAMBLE, number)
    head, _, sign = lines[above] if lines else (1, "", ",")
    reading.note_header(head)
    for row in csv_rows(text, reading.file, separator=sign):
        line = row[0].place.line
        if line == head or (line > head and not reading.skips(line, row)):
            yield row


def named_rows(text: str, reading: Reading) -> NamedRows:
    """The rows of a table that names its columns, each with its line; the names come first, as line 0.

    A row that has not as many cells is a problem. Raises NotRows where the text is not CSV.
    """
    rows = rows_of(text, reading)
    head = [str(name) for name in next(rows, ())]
    yield 0, dict.fromkeys(head, "")
    for cells in rows:
        reading.rows += 1
        line = cells[0].place.line
        if len(cells) == len(head):
            yield line, dict(zip(head, map(str, cells), strict=True))
        else:
            reading.wrong(
                line,
                f"this row has {len(cells)} cells, the first line {len(head)}",
                f"look for a comma too many or too few{SKIP}",
            )


def lines_of(text: str) -> NumberedLines:
    """The lines of a text that hold something, with their numbers. Only what a line feed ends is one."""
    at, number = 0, 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        number += 1
        line = text[at:end].rstrip("\r")
        at = end + 1
        if line.strip():
            yield number, line
