"""Exports read into the table of jobs: rows by the engine, and those that it cannot take surely by the plain reader.

A row stands in the form in which Slurm writes it: whole seconds, times as 2025-09-12T14:06:12, states that are known,
plain signs. Every other row goes, as its cells, through the reader that everybody else's rows go through: no message is
written twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from reckon.language.text import Place
from reckon.model.finding import Problem
from reckon.model.records.imports import KEPT

from ...formats import NotRows
from .. import sacct, sacct_json
from ..job import Job
from ..reading import NamedRows, NotAnExport, Reading
from ..taking import Far, Taken, stored_of
from ..tally import HEADER
from . import files
from .compiled_rules import RULE, compile_rules, number_groups
from .database import THREADS, Database, quote
from .expression import ID, STEP, Query, classify_rows
from .file_scan import MOST, Scan, read_lines, scan_file
from .files import Cells
from .group_reading import SKIPPED
from .job_table import LEDGER, add_jobs, add_rows, create_tables, month_of

PIECE = 1 << 20
"""Signs of JSON that are read at one time."""
EXTRAS = ("line", "raw", "fits", "array")
_GPU = r"gres/gpu(?::[A-Za-z0-9_.:-]+)?=[0-9]{1,9}"
_GPUS = f"^(?:{_GPU}(?:,{_GPU})*)?$"
"""GPUs of a row as Slurm writes them."""
_SORTED = f"""
CREATE OR REPLACE TABLE rows AS
SELECT line, cluster, submit, began, ended, took, word, status, node_count, tres, rule, unstated, untyped, item, seed,
    run, seen, candidate, month, of_id AS id, {", ".join(f"of_{name} AS {name}" for name in KEPT)},
    has_gpus OR asks_gpus AS asks_gpus,
    CASE WHEN "array" != of_id AND (regexp_matches("array", {quote(ID)}) OR regexp_matches("array", {quote(STEP)}))
        THEN "array" ELSE '' END AS also,
    CASE
        WHEN fits AND why = 'steps' THEN why
        WHEN NOT fits OR NOT regexp_matches(tres, {quote(_GPUS)}) OR list_contains(?, rule) THEN 'rest'
        WHEN why IS NULL THEN 'job'
        WHEN list_contains({sorted(SKIPPED)}, why) THEN why
        ELSE 'rest'
    END AS what,
    CASE WHEN what = 'rest' THEN raw END AS raw
FROM classified
"""
"""Rows with what becomes of each: `job`, a reason for which it is skipped, or `rest` for the plain reader; the rows of
rules of which it is not clear what their groups took go there too. Of what it does not need no cells are kept."""

FileReading = tuple[Reading, Counter[str]]
"""What reading some rows came to, and how often rules for what is not said of GPUs were used."""


@dataclass(slots=True)
class Intake:
    """What is read into a database; all else that is told of it is in `taken`."""

    taken: Taken
    database: Database
    query: Query = field(init=False)
    exports: int = LEDGER

    def __post_init__(self) -> None:
        source = self.taken.source
        rules = compile_rules(source, number_groups)
        columns = {name: name for name in (*sacct.COLUMNS, *KEPT, *rules.fields)}
        self.query = Query(self.taken.rules.name, source, rules, self.taken.merged.zone, (), columns, KEPT, EXTRAS)
        create_tables(self.database)

    def read(self, path: Path, file: str, far: Far) -> None:
        """Reads a file, under the name by which messages call it; `far` is told how far it is. Raises EngineFailed."""
        self.exports += 1
        taken = self.taken
        try:
            with path.open("rb") as export:
                scan = scan_file(export, path.stat().st_size, far)
            reading, filled = self._read(path, file, scan)
        except NotRows as error:
            taken.problems.append(Problem(Place(file), error.wrong, error.right))
            return
        taken.note(reading, scan.checksum)
        taken.filled.update(filled)

    def _read(self, path: Path, file: str, scan: Scan) -> FileReading:
        reading = Reading(file, self.query.source, self.query.zone)
        if reading.source.skip:
            raise NotAnExport("DuckDB does not support `skip`", "import the file without --engine")
        if reading.source.format == "sacct-json":
            with path.open(encoding="utf-8-sig", newline="") as text:
                pieces = iter(lambda: "" if scan.is_parquet else text.read(PIECE), "")
                return reading, self._add_plainly(sacct_json.jobs_of(pieces, reading, MOST), reading)
        link = self.database.link(path)
        fields = self.query.rules.fields
        if scan.is_parquet:
            cells = files.read_parquet(self.database, link, fields)
            return self._read_by_engine(lambda _: cells, file)
        with path.open("rb") as export:
            _, first = next(read_lines(export), (0, ""))
        if not first:
            raise NotAnExport("the file is empty", "export it again")
        if sacct.is_pairs(first) or not scan.is_regular:
            with path.open("rb") as export:
                return reading, self._add_plainly(sacct.jobs_of(read_lines(export), first, reading), reading)
        layout = sacct.layout_of(first, reading)
        sacct.complete(layout.columns, True, len(layout.columns))
        read = partial(files.read_text, self.database, link, layout, fields)
        return self._read_by_engine(read, file)

    def _read_by_engine(self, read: Callable[[bool], Cells], file: str) -> FileReading:
        """Lines are counted, which takes longer, where a problem has to name one."""
        for numbered in (False, True):
            self.database.run(f"SET threads = {1 if numbered else THREADS}")
            cells = read(numbered)
            self._sort(cells.table)
            reading = Reading(file, self.query.source, self.query.zone)
            filled = self._add_rest(cells, reading) + self._add_rows(reading)
            if cells.layout and cells.layout.header:
                (headers,) = self.database.values("SELECT count(*) FROM lines WHERE written = ?", cells.layout.header)
                reading.rows += headers
                reading.skipped[HEADER] += headers
            if numbered or not reading.wrongs:
                break
            self.database.run(f"DELETE FROM jobs WHERE file = {self.exports}")
        self.database.run(f"SET threads = {THREADS}; DROP TABLE rows")
        return reading, filled

    def _sort(self, cells: Any) -> None:
        """Makes the table of `rows` of cells."""
        rows = classify_rows(cells, self.query)
        rows = rows.mutate(month=month_of(rows.began.coalesce(rows.ended, rows.submit), self.query))
        self.database.view("classified", self.database.text(rows))
        choices = enumerate(self.query.rules.lists[RULE])
        self.database.run(_SORTED, [number for number, choice in choices if choice.is_ambiguous])

    def _add_rest(self, cells: Cells, reading: Reading) -> Counter[str]:
        """Reads the rows that the engine left, as the plain reader does."""
        rest = self.database.rows("SELECT line, raw FROM rows WHERE what = 'rest' ORDER BY line")
        lines = ((row["line"], row["raw"]) for row in rest)
        if cells.layout is None:
            named: NamedRows = ((line, dict(zip(cells.names, raw, strict=True))) for line, raw in lines)
        else:
            joined = ((line, cells.layout.sign.join(raw)) for line, raw in lines)
            named = sacct.cells_of(((line, text) for line, text in joined if text.strip()), cells.layout, reading)
        return self._add_plainly(sacct.jobs(named, reading), reading)

    def _add_plainly(self, jobs: Iterable[Job], reading: Reading) -> Counter[str]:
        """Adds jobs that the plain reader reads; gives back how often rules for GPUs were used."""
        own = replace(self.taken, filled=Counter())
        stored = (found for job in jobs if (found := stored_of(own, job, reading)))
        add_jobs(self.database, stored, self.exports, own)
        return own.filled

    def _add_rows(self, reading: Reading) -> Counter[str]:
        """Adds the rows that the engine took, and tells of all of them; gives back how often rules for GPUs were
        used."""
        groups = "SELECT what, count(*) AS rows, max(seen) AS latest FROM rows WHERE what != 'rest' GROUP BY what"
        for group in self.database.rows(groups):
            what = group["what"]
            reading.rows += group["rows"]
            if what in SKIPPED:
                reading.skipped[SKIPPED[what]] += group["rows"]
            if what != "steps":
                reading.seen(group["latest"])
        asking = "SELECT DISTINCT partition FROM rows WHERE asks_gpus AND what NOT IN ('rest', 'steps')"
        reading.partitions |= set(self.database.values(asking))
        return add_rows(self.database, self.exports, self.taken.rules, self.query, reading)
