"""Exports read into the table of jobs: rows by the engine, and those that it cannot take surely by the plain reader.

A row stands in the form in which Slurm writes it: whole seconds, times as 2025-09-12T14:06:12, states that are known,
plain signs. Every other row goes, as its cells, through the reader that everybody else's rows go through: no message is
written twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from reckon.language.text import Place
from reckon.model.finding import Problem
from reckon.model.records.imports import KEPT

from ...formats import NotRows
from .. import sacct, sacct_json
from ..assign import Unmatched
from ..job import Job
from ..merging import NO_GPU
from ..reading import NotAnExport, Reading
from ..taking import Taken, stored_of
from ..tally import HEADER
from . import files, job_table
from .asked import patterns_of_re2
from .conditions import is_one_of
from .database import THREADS, Database, EngineFailed, quoted
from .expression import ID, STEP, Asked, classified
from .files import Cells
from .looking import MOST, Far, Seen, lines_in, seen
from .matching import compiled
from .telling import SKIPPED

PIECE = 1 << 20
"""Signs of JSON that are read at one time."""
BESIDE = ("line", "raw", "fits", "array")
_GPU = r"gres/gpu(?::[A-Za-z0-9_.:-]+)?=[0-9]{1,9}"
_GPUS = f"^(?:{_GPU}(?:,{_GPU})*)?$"
"""GPUs of a row as Slurm writes them."""
_FIELDS = ("id", "state", "elapsed", "submit", "start", "end", "tres", "nodes", "cluster", "array", "asked")


FileReading = tuple[Reading, Counter[str]]
"""What reading some rows came to, and how often rules for what is not said of GPUs were used."""


@dataclass(slots=True)
class Intake:
    """What is read into a database; all else that is told of it is in `taken`."""

    taken: Taken
    database: Database
    asked: Asked = field(init=False)
    kinds: job_table.Kinds = field(init=False)
    exports: int = job_table.LEDGER

    def __post_init__(self) -> None:
        rules = self.taken.rules
        choices = compiled(rules.source)
        columns = {name: name for name in (*_FIELDS, *KEPT, *choices.fields)}
        self.asked = Asked(
            rules.name,
            rules.source,
            choices,
            patterns_of_re2(choices),
            self.taken.merged.zone,
            (),
            columns,
            frozenset(KEPT),
            BESIDE,
        )
        self._try_patterns()
        self.kinds = job_table.begin(self.database)

    def _try_patterns(self) -> None:
        """Raises EngineFailed where DuckDB cannot go by the rules."""
        for (_, name), patterns in self.asked.patterns.items():
            for pattern in patterns.values():
                try:
                    self.database.run(f"SELECT regexp_matches('', {quoted(pattern.text)})")
                except EngineFailed:
                    raise EngineFailed(f"DuckDB cannot match a pattern of rule `{name}`: import without it") from None

    def read(self, path: Path, file: str, far: Far) -> None:
        """Reads a file, under the name by which messages call it; `far` is told how far it is. Raises EngineFailed."""
        self.exports += 1
        taken = self.taken
        try:
            with path.open("rb") as opened:
                look = seen(opened, path.stat().st_size, far)
            reading, filled = self._read(path, file, look)
        except NotRows as error:
            taken.problems.append(Problem(Place(file, 1, 1), error.wrong, error.right))
            return
        taken.note(reading, look.checksum)
        taken.filled.update(filled)

    def _read(self, path: Path, file: str, look: Seen) -> FileReading:
        reading = self._reading(file)
        fields = self.asked.rules.fields
        if reading.source.skip:
            raise NotAnExport("DuckDB leaves out no rows by `skip`", "import the file without --engine")
        if reading.source.format == "sacct-json":
            with path.open(encoding="utf-8-sig", newline="") as text:
                pieces = iter(lambda: "" if look.parquet else text.read(PIECE), "")
                return self._by_hand(sacct_json.jobs_of(pieces, reading, MOST), reading)
        if look.parquet:
            cells = files.of_parquet(self.database, self.database.linked(path), fields)
            return self._by_engine(lambda _: cells, file)
        if look.endless:
            raise NotAnExport(
                f"line {look.endless} is longer than {MOST >> 20} MiB",
                "look whether this is what `sacct --parsable2` wrote",
            )
        with path.open("rb") as opened:
            first = next(lines_in(opened), None)
        if first is None:
            raise NotAnExport("the file is empty", "export it again")
        if sacct.is_pairs(first[1]) or not look.regular:
            with path.open("rb") as opened:
                return self._by_hand(sacct.jobs_of(lines_in(opened), first[1], reading), reading)
        layout = sacct.layout_of(first[1], reading)
        sacct.complete(layout.columns, True, len(layout.columns))
        link = self.database.linked(path)
        return self._by_engine(
            lambda numbered: files.of_text(self.database, link, layout, look, numbered, fields), file
        )

    def _by_engine(self, cells_of: Callable[[bool], Cells], file: str) -> FileReading:
        """Lines are counted, which takes longer, where a problem has to name one."""
        for numbered in (False, True):
            self.database.run(f"SET threads = {1 if numbered else THREADS}")
            cells = cells_of(numbered)
            rows = self.database.keep("rows", self._sorted(classified(cells.table, self.asked)))
            reading, filled = self._left(cells, rows, file)
            more, more_filled = self._taken(rows, file)
            reading.add(more)
            if cells.headers is not None:
                headers = sum(self.database.values(cells.headers.aggregate(rows=cells.headers.count())))
                reading.rows += headers
                reading.skipped[HEADER] += headers
            if numbered or not reading.problems:
                break
            self.database.run(f"DELETE FROM {job_table.JOBS} WHERE file = {self.exports}")
        self.database.run(f"SET threads = {THREADS}; DROP TABLE rows")
        return reading, filled + more_filled

    def _sorted(self, rows: Any) -> Any:
        """Rows with what becomes of each: `job`, a reason for which it is skipped, or `left` to the plain reader. Of
        what the plain reader does not need, no cells are kept."""
        import ibis

        twice = [number for number, choice in enumerate(self.asked.rules.rules) if choice.twice]
        unsure = is_one_of(rows.rule, twice)
        sure = rows.fits & (rows.tres.re_search(_GPUS)) & ~unsure
        what = ibis.cases(
            (rows.fits & (rows.why == "steps"), "steps"),
            (sure & rows.why.isnull(), "job"),
            (sure & is_one_of(rows.why, sorted(SKIPPED)), rows.why),
            else_="left",
        )
        array = rows.array
        other = (array != rows.of_id) & (array.re_search(ID) | array.re_search(STEP))
        names = {name: rows[f"of_{name}"] for name in ("id", *KEPT)}
        return rows.select(
            "line",
            "cluster",
            "submit",
            "began",
            "ended",
            "took",
            "word",
            "node_count",
            "tres",
            "rule",
            "unstated",
            "untyped",
            "item",
            "seed",
            "run",
            "seen",
            "candidate",
            **names,
            what=what,
            also=ibis.ifelse(other, array, ""),
            asks=rows.held | rows.asks,
            status=job_table.status_in(rows.word, self.asked),
            raw=ibis.ifelse(what == "left", rows.raw, ibis.null(rows.raw.type())),
        )

    def _left(self, cells: Cells, rows: Any, file: str) -> FileReading:
        """Reads the rows that the engine left, as the plain reader does."""
        reading = self._reading(file)
        some = rows.filter(rows.what == "left").order_by("line").select("line", "raw")
        left = ((row["line"], row["raw"]) for row in self.database.rows(some))
        if cells.layout is None:
            named = ((line, dict(zip(cells.names, raw, strict=True))) for line, raw in left)
            return self._by_hand(sacct.jobs(named, reading), reading)
        lines = ((line, cells.layout.sign.join(raw)) for line, raw in left)
        found = sacct.cells_of(((line, text) for line, text in lines if text.strip()), cells.layout, reading)
        return self._by_hand(sacct.jobs(found, reading), reading)

    def _by_hand(self, jobs: Iterable[Job], reading: Reading) -> FileReading:
        """Adds jobs that the plain reader reads."""
        own = replace(self.taken, filled=Counter())
        stored = (found for job in jobs if (found := stored_of(own, job, reading)))
        job_table.add(self.database, self.kinds, stored, self.exports, self.taken.rules, self.taken.merged.zone)
        return reading, own.filled

    def _taken(self, rows: Any, file: str) -> FileReading:
        """Adds the rows that the engine took, and tells of all of them."""
        reading = self._reading(file)
        filled = Counter[str]()
        own = rows.filter(rows.what != "left")
        for group in self.database.rows(own.group_by("what").aggregate(rows=own.count(), latest=own.seen.max())):
            reading.rows += group["rows"]
            if group["what"] in SKIPPED:
                reading.skipped[SKIPPED[group["what"]]] += group["rows"]
            if group["what"] != "steps":
                reading.seen(group["latest"])
        asking = own.filter((own.what != "steps") & own.asks)
        reading.partitions |= set(self.database.values(asking.select("partition").distinct()))
        for sort in job_table.add_rows(self.database, self.kinds, rows, self.exports, self.taken.rules, self.asked):
            if isinstance(sort.made, Unmatched):
                reading.wrong(sort.line, sort.made.wrong, sort.made.right, sort.rows)
                continue
            filled.update(dict.fromkeys(sort.made.filled, sort.rows))
            reading.skipped.update({NO_GPU: sort.rows - sort.kept})
        return reading, filled

    def _reading(self, file: str) -> Reading:
        return Reading(file, self.taken.rules.source, self.taken.merged.zone)
