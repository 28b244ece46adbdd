"""Files read into one table: rows by the engine, and those that it leaves by the plain reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from reckon.language.text import Place
from reckon.model.finding import Problem

from .. import clock, sacct, sacct_json
from ..assign import Unmatched
from ..job import Job
from ..merging import NO_GPU
from ..reading import NotAnExport, Reading
from ..stored import StoredJob
from ..taking import ELSEWHERE, Taken, stored_of
from . import files
from .asking import asked_of
from .assigning import ALIKE, KEEP, KEEP_IF_LONG, LEAVE, SORTS, Assigning
from .duck import THREADS, Duck, EngineFailed, quoted
from .files import Cells
from .looking import MOST, Far, Seen, lines_in, seen
from .rows import BY_HAND, JOB, ODD, OTHER, STEP, TABLE, THEIRS, WAITS, query

BEFORE = 0
"""The number of no file: of what is in the ledger already."""
PIECE = 1 << 20
"""Signs of JSON that are read at one time."""
SKIPPED = {STEP: "steps", WAITS: "pending", OTHER: "of other clusters", THEIRS: ELSEWHERE}


@dataclass(slots=True)
class Staged:
    """What was read, in a table of the engine; all else that is told of it is in `taken`."""

    taken: Taken
    duck: Duck
    assigning: Assigning
    files: int = BEFORE

    @classmethod
    def begun(cls, taken: Taken, duck: Duck) -> Staged:
        """A table of what is in the ledger. Raises EngineFailed where DuckDB cannot go by the rules."""
        staged = cls(taken, duck, Assigning(taken.rules))
        for name, pattern in asked_of(staged.assigning.compiled):
            try:
                duck.only(f"SELECT regexp_matches('', {quoted(pattern)})")
            except EngineFailed:
                raise EngineFailed(f"DuckDB cannot match a pattern of rule `{name}`: import without it") from None
        for table, columns in (("jobs", TABLE), ("sorts", SORTS)):
            duck.run(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
        staged.add(taken.merged.before.values())
        return staged

    def read(self, path: Path, file: str, far: Far) -> None:
        """Reads a file, under the name by which messages call it; `far` is told how far it is. Raises EngineFailed."""
        self.files += 1
        taken = self.taken
        try:
            with path.open("rb") as opened:
                look = seen(opened, path.stat().st_size, far)
            reading, filled = self._read(path, file, look)
        except NotAnExport as error:
            taken.problems.append(Problem(Place(file, 1, 1), error.wrong, error.right))
            return
        taken.problems += reading.all_problems()
        taken.skipped.update(reading.skipped)
        taken.filled.update(filled)
        taken.partitions |= reading.partitions - {""}
        taken.rows += reading.rows
        if reading.latest is not None:
            taken.exports[look.checksum] = clock.written(reading.latest, taken.merged.zone)

    def _read(self, path: Path, file: str, look: Seen) -> tuple[Reading, Counter[str]]:
        reading = self._reading(file)
        if reading.source.format == "sacct-json":
            with path.open(encoding="utf-8-sig", newline="") as text:
                pieces = iter(lambda: "" if look.parquet else text.read(PIECE), "")
                return self._by_hand(sacct_json.jobs_of(pieces, reading, MOST), reading)
        if look.parquet:
            cells = files.of_parquet(self.duck, self.duck.linked(path), reading)
            return self._by_engine(lambda _: cells, file)
        if look.endless:
            right = "look whether this is what `sacct --parsable2` wrote"
            raise NotAnExport(f"line {look.endless} is longer than {MOST >> 20} MiB", right)
        with path.open("rb") as opened:
            first = next(lines_in(opened), None)
        if first is None:
            raise NotAnExport("the file is empty", "export it again")
        if sacct.is_pairs(first[1]) or not look.regular:
            with path.open("rb") as opened:
                return self._by_hand(sacct.jobs_of(lines_in(opened), first[1], reading), reading)
        layout, link = sacct.layout_of(first[1], reading), self.duck.linked(path)
        return self._by_engine(lambda numbered: files.of_text(link, layout, look, numbered), file)

    def _by_engine(self, cells_of: Callable[[bool], Cells], file: str) -> tuple[Reading, Counter[str]]:
        """Lines are counted, which takes longer, where a problem has to name one."""
        for numbered in (False, True):
            self.duck.run(f"SET threads = {1 if numbered else THREADS}")
            cells = cells_of(numbered)
            self._insert(cells)
            reading, filled = self._left(cells, file)
            more, more_filled = self._assigned(file)
            reading.add(more)
            if numbered or not reading.problems:
                break
            self.duck.run(f"DELETE FROM jobs WHERE file = {self.files}")
        self.duck.run(f"SET threads = {THREADS}")
        return reading, filled + more_filled

    def _insert(self, cells: Cells) -> None:
        rules, zone = self.taken.rules, self.taken.merged.zone
        compiled = self.assigning.compiled
        found = query(cells.query, cells.columns, rules.source, rules.name, zone, compiled, self.files)
        names = ", ".join(name for name in TABLE if name not in BY_HAND)
        self.duck.run(f"INSERT INTO jobs ({names}) {found}")

    def _left(self, cells: Cells, file: str) -> tuple[Reading, Counter[str]]:
        """Reads the rows that the engine left, as the plain reader does."""
        reading = self._reading(file)
        left = self.duck.rows(f"SELECT line, raw FROM jobs WHERE file = {self.files} AND what = {ODD} ORDER BY line")
        if cells.layout is None:
            rows = ((line, dict(zip(cells.names, raw, strict=True))) for line, raw in left)
            return self._by_hand(sacct.jobs(rows, reading), reading)
        sign = cells.layout.sign
        lines = ((line, sign.join(raw)) for line, raw in left)
        found = sacct.cells_of(((line, text) for line, text in lines if text.strip()), cells.layout, reading)
        return self._by_hand(sacct.jobs(found, reading), reading)

    def _by_hand(self, jobs: Iterable[Job], reading: Reading) -> tuple[Reading, Counter[str]]:
        """Adds jobs that the plain reader reads."""
        own = replace(self.taken, filled=Counter())
        self.add(stored for job in jobs if (stored := stored_of(own, job, reading)))
        return reading, own.filled

    def add(self, jobs: Iterable[StoredJob]) -> None:
        """Adds jobs of which is known what the rules made."""
        self.duck.fill("jobs", TABLE, (self.assigning.row(stored, self.files) for stored in jobs))

    def _assigned(self, file: str) -> tuple[Reading, Counter[str]]:
        """What is told of the rows that the engine took, once the rules have made something of them."""
        reading, filled = self._reading(file), Counter[str]()
        here = f"FROM jobs WHERE file = {self.files} AND made IS NULL"
        for what, rows, latest in self.duck.rows(f"SELECT what, count(*), max(seen) {here} GROUP BY what"):
            if what != ODD:
                reading.rows += rows
                reading.seen(latest)
                reading.skipped.update({SKIPPED[what]: rows} if what in SKIPPED else {})
        reading.partitions |= {name for (name,) in self.duck.rows(f"SELECT DISTINCT partition {here} AND asks")}
        names = ", ".join(ALIKE)
        counts = "count(*), count(*) FILTER (elapsed = 0), min(line) AS first"
        found = f"SELECT {names}, {counts} {here} AND what = {JOB} GROUP BY {names} ORDER BY first"
        for *alike, rows, brief, line in self.duck.rows(found):
            made = self.assigning.of(tuple(alike))
            if isinstance(made, Unmatched):
                reading.wrong(line, str(made), made.right, rows)
                continue
            filled.update(dict.fromkeys(made.filled, rows))
            reading.skipped.update({NO_GPU: {KEEP: 0, LEAVE: rows, KEEP_IF_LONG: brief}[made.keep]})
        self.duck.fill("sorts", SORTS, self.assigning.news())
        return reading, filled

    def _reading(self, file: str) -> Reading:
        return Reading(file, self.taken.rules.source, self.taken.merged.zone)
