"""What all readers of exports share: what they are told, what they count, and problems that repeat nothing private."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any

from msgspec import Struct, field

from reckon.language.text import Place, Refusal, Text, plural
from reckon.model import presets
from reckon.model.finding import Problem, ProblemList
from reckon.model.records import ImportSource
from reckon.model.records.imports import MOMENTS, Gpus, HeldColumn

from ..formats import NotRows, Row, csv_rows, likely_separator
from . import clock
from .clock import Moment, Zone
from .job import NO_EXTRAS, NO_STATE, PENDING, RUNNING, Extras, Job, Says, state_word, status_of
from .job_records import whole
from .merging import Charges
from .tally import HEADER, RowFate, amounts_of

MOST_PROBLEMS = 50
"""Rows told one by one; a file that is wrong in more of them is wrong in one way."""


MOST_ABOVE = 50
"""Lines of a table among which the one is that names its columns."""
PREAMBLE, BY_PATTERN = "above the header", "skipped by pattern"
SKIP = ", or skip it with `skip:`"
"""What else there is to do about a row that cannot be read."""
CUT_OFF = f"check for a truncated row{SKIP}"
NO_STATE_LINE = "`statuses: {'': completed}`"
"""The line of a source that says what an empty state means."""
LONGEST = 1000
Cells = Mapping[str, str]
"""Texts of a row, by what they say or by the names of their columns."""
_HIDDEN = re.compile(
    r"[^\S ]|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff]|[\ud800-\udfff]"
)


class BadRow(Refusal):
    """A row does not state a job, or not all of it: what is wrong, and what would be right."""


class NotAnExport(NotRows):
    """A file is not an export of the format that its source names: why, and what would be right."""


class RowsRead(Struct, kw_only=True):
    """What was found in the rows of one file, or of all files of an import.

    `left` are rows that are no run of the project, with the word for each, and `skipped` counts rows of which no more
    is known; `amounts` are what all rows state that make a record. `partitions` are those on which any row has or asks
    for a GPU, `states` the words for their states, `notes` are what else is told.
    """

    left: list[RowFate] = []
    skipped: Counter[str] = field(default_factory=Counter)
    amounts: Counter[str] = field(default_factory=Counter)
    partitions: set[str] = set()
    states: set[str] = set()
    rows: int = 0
    notes: list[str] = []

    def add_rows(self, other: RowsRead) -> None:
        """Adds what was found in other rows."""
        self.left += other.left
        self.skipped.update(other.skipped)
        self.amounts.update(other.amounts)
        self.partitions |= other.partitions
        self.states |= other.states
        self.rows += other.rows
        self.notes += other.notes


class Reading(RowsRead):
    """The reading of one file: what is known of its source, and what was found.

    `wrongs` are the first line and the number of the rows of which something is wrong, by what that is and what would
    be right. `latest` is the last moment that any row tells of, `charges` what this import reads of bills, `mark` the
    decimal mark of the file's numbers, `by_name` whether it has no ids, so that names stand for them.
    """

    file: str
    source: ImportSource
    zone: Zone
    wrongs: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    latest: Moment = None
    charges: Charges = field(default_factory=Charges)
    mark: str | None = None
    by_name: bool = False

    @property
    def stated_columns(self) -> Mapping[str, HeldColumn]:
        """The columns that the source states itself: each has to be in a file."""
        return self.source.stated.columns_held

    def skip_line(self, line: int, word: str = HEADER) -> None:
        """Adds a line that states no job to those that were read, and to those that are not counted."""
        self.rows += 1
        self.skip(word, line)

    def skip(self, word: str, line: int, id: str = "") -> None:
        """Adds a row to those that are not counted as runs, with what it is."""
        self.left.append(RowFate(self.file, line, id, word))

    def set_aside(self, job: Job, word: str) -> None:
        """Adds the row of a job to those that are not counted as runs, with what it is."""
        self.left.append(RowFate(self.file, job.line, job.id, word, job))

    def wrong(self, line: int, wrong: str, right: str, rows: int = 1) -> None:
        """Tells what is wrong with a row. What is wrong with many in the same words is told once, with how many."""
        first, count = self.wrongs.get((wrong, right), (line, 0))
        self.wrongs[wrong, right] = min(first, line), count + rows

    def wrong_width(self, line: int, cells: int, width: int, right: str) -> None:
        """Tells that a row has not as many cells as there are columns."""
        self.wrong(line, f"this row has {cells} cells, the first line {width}", f"{right}{SKIP}")

    def all_problems(self) -> ProblemList:
        """The problems by their lines, each with the number of rows that have it, as many as anyone reads."""
        problems: ProblemList = []
        for (wrong, right), (line, count) in sorted(self.wrongs.items(), key=lambda pair: pair[1][0]):
            place = Place(self.file, line, 1)
            if len(problems) == MOST_PROBLEMS:
                more = plural(len(self.wrongs) - MOST_PROBLEMS, "more thing")
                return [*problems, Problem(place, f"{more} wrong below", "fix the problems above first")]
            rows = f" ({count:,} rows)" if count > 1 else ""
            problems.append(Problem(place, wrong + rows, right))
        return problems

    def skips(self, line: int, cells: Iterable[str]) -> bool:
        """Whether `skip` of the source leaves a row out, which adds it to the skipped rows."""
        pattern = self.source.skip
        if pattern is None or all(pattern.matched(cell) is None for cell in cells):
            return False
        self.skip_line(line, BY_PATTERN)
        return True

    def jobs(self, rows: Iterable[tuple[int, Any]], read_row: Callable[[int, Any], ReadRow | None]) -> Iterator[Job]:
        """The jobs among rows with their lines. `read_row` gives what a row states of one, or None; where it raises
        Refusal, that becomes a problem of the row."""
        for line, cells in rows:
            try:
                row = read_row(line, cells)
                job = self.job(row) if row else None
            except Refusal as refusal:
                self.wrong(line, refusal.wrong, refusal.right)
                continue
            if job:
                yield job

    def job(self, row: ReadRow) -> Job | None:
        """The job that a row states; None where it is none that ran. Raises BadRow."""
        if row.gpus or row.asks:
            self.partitions.add(row.says.get("partition", ""))
        state = state_word(row.state)
        self.states.add(state)
        status = status_of(self.source, state)
        if status is None:
            raise self._unknown_state(row.state.strip().partition(" ")[0], state)
        submit = self.moment("submit time", row.submit)
        self.seen(submit)
        if status == PENDING:
            self.skip(PENDING, row.line, plain(row.id))
            return None
        elapsed = _seconds(row.elapsed)
        start, end = self._span(row, elapsed)
        over = None if start is None else start + int(elapsed)
        last = end if row.extras.through is None else row.extras.through
        self.seen(over if last is None else last)
        if end is None:
            end = over
        if status == RUNNING:
            end = None
        extras = row.extras._replace(parent=plain(row.extras.parent), seed=plain(row.extras.seed))
        says = {name: plain(text) for name, text in row.says.items()}
        others = row.gpus, row.nodes, plain(row.cluster), row.also, says, extras
        job = Job(row.line, plain(row.id), state, whole(elapsed), submit, start, end, *others)
        self.amounts.update(amounts_of(job))
        return job

    def _unknown_state(self, raw: str, state: str) -> BadRow:
        """Slurm writes states in capitals: any other word may be a name of a person, where columns are mixed up."""
        if state == NO_STATE:
            return BadRow("the state is empty", f"map it: {NO_STATE_LINE}{SKIP}")
        is_word = state.replace("_", "").isalpha() and (raw.isupper() or self.source.is_table)
        if not is_word or len(state) > 30:  # no state is as long, and a part of it would be none to write
            return BadRow("this is not a job state", "check which column holds the state")
        right = "map it: `statuses: {" + state + ": failed}`"
        return BadRow(f"unknown job state `{state}`", right)

    def seen(self, moment: Moment) -> None:
        """Takes note of a moment of which a row tells."""
        if moment is not None and (self.latest is None or moment > self.latest):
            self.latest = moment

    def moment(self, what: str, text: str) -> Moment:
        """A time of a row, in seconds since 1970; None for none. Raises BadRow, by `what` it is."""
        try:
            return clock.moment(text.strip(), self.zone)
        except clock.Unclear as unclear:
            raise BadRow(f"the {what} {unclear.wrong}", unclear.right) from None

    def _span(self, row: ReadRow, elapsed: Fraction) -> tuple[Moment, Moment]:
        """Start and end. Of a time that the clock shows twice, that which agrees with the elapsed time."""
        start = self.moment("start", row.start)
        end = self.moment("end", row.end)
        if start is None or end is None or end - start == elapsed:
            return start, end
        starts = clock.possible_moments(row.start.strip(), self.zone)
        ends = clock.possible_moments(row.end.strip(), self.zone)
        if elapsed and max(ends, default=end) < min(starts, default=start):
            raise BadRow("the end is before the start", "correct or remove the row in a copy of the export")
        for first in starts:
            for last in ends:
                if last - first == elapsed:
                    return first, last
        return start, max(end, start)


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
    extras: Extras = NO_EXTRAS


def _seconds(text: str | Fraction) -> Fraction:
    """The elapsed time of a row. Raises BadRow."""
    try:
        elapsed = text if isinstance(text, Fraction) else clock.seconds_of(text.strip())
    except clock.Unclear as unclear:
        raise BadRow(f"the elapsed time {unclear.wrong}", unclear.right) from None
    if elapsed > clock.MOST_OF_A_JOB:
        raise BadRow("the elapsed time is longer than a hundred years", "check its column and its unit")
    return elapsed


def job_row(line: int, id: str, elapsed: str | Fraction, cells: Cells, **others: Any) -> ReadRow:
    """A row of which a table has these cells, by what they hold; and `others` of its fields."""
    nodes = cells.get("nodes", "")
    texts: Any = {name: cells.get(name, "") for name in (*MOMENTS, "cluster")}
    count = int(nodes) if nodes.isdecimal() and len(nodes) < 7 else 1
    return ReadRow(line, id, cells.get("state", ""), elapsed, nodes=count, **texts, **others)


def plain(text: str) -> str:
    """A text of a stranger as a ledger can have it: no sign that acts on a terminal or hides, and no book."""
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return short if short.isprintable() else _HIDDEN.sub("\ufffd", short)


NumberedLines = Iterator[tuple[int, str]]
"""The lines of an export that hold something, with their numbers."""
NamedRows = Iterator[tuple[int, dict[str, str]]]
"""The rows of an export, each with its line: cells by the names of their columns."""


def table_rows(text: str, reading: Reading) -> Iterator[Row]:
    """The rows of a table, the names of its columns first: the first line that holds all columns which the source maps,
    else the first line. What is above it, the same line again, and what is skipped, is counted. Raises NotRows where it
    is not CSV."""
    lines = list(islice(lines_of(text), MOST_ABOVE)) or [(1, "")]
    head, first = next((line for line in lines if _names_columns(line[1], reading)), lines[0])
    if reading.source.header:
        head = 0
        yield tuple(Text(name) for name in reading.source.header)
    for number, _ in lines:
        if number < head:
            reading.skip_line(number, PREAMBLE)
    if head:
        reading.skip_line(head)
    names: Row = ()
    for row in csv_rows(text, reading.file, separator=_separator(first, reading)):
        line = row[0].place.line
        if line == head:
            names = row
            yield row
        elif line > head and row == names:  # exports that were joined
            reading.skip_line(line)
        elif line > head and not reading.skips(line, row):
            yield row


def _separator(line: str, reading: Reading) -> str:
    """What stands between the cells of a line: what the source says, else what is likely. Raises NotAnExport."""
    separator = reading.source.delimiter or likely_separator(line)
    if len(separator) > 1:
        raise NotAnExport(f"`{separator[:40]}` is not one character", "correct `delimiter:` of the source")
    return separator


def _names_columns(line: str, reading: Reading) -> bool:
    """Whether a line holds all columns that the source maps."""
    try:
        cells = next(csv_rows(line, reading.file, separator=_separator(line, reading)), ())
    except NotRows:
        return False
    form = reading.source.format
    fits = form not in presets.NAMES or presets.read_preset(form).fits(cells)
    return fits and reading.stated_columns.keys() <= set(cells)


def full_rows(rows: Iterable[Row], width: int, reading: Reading) -> Iterator[tuple[int, Row]]:
    """Rows below the names of columns, each with its line. One that has not as many cells is a problem."""
    for cells in rows:
        reading.rows += 1
        line = cells[0].place.line
        if len(cells) == width:
            yield line, cells
        else:
            reading.wrong_width(line, len(cells), width, "check for a missing or extra comma")


def named_rows(text: str, reading: Reading) -> tuple[list[str], NamedRows]:
    """The names of the columns of a table, and its rows. Raises NotRows where the text is not CSV."""
    rows = table_rows(text, reading)
    head = [str(name) for name in next(rows, ())]
    full = full_rows(rows, len(head), reading)
    return head, ((line, dict(zip(head, map(str, cells), strict=True))) for line, cells in full)


def lines_of(text: str) -> NumberedLines:
    """The lines of a text that hold something, with their numbers. Only what a line feed ends is one."""
    for number, match in enumerate(re.finditer(".*\n?", text), 1):
        line = match[0].rstrip("\r\n")
        if line.strip():
            yield number, line
