"""The jobs of a month whose entries are counted together, in a Parquet file beside the ledger.

It is asked for where its jobs matter one by one: when an export has more of that month, when rules are applied again.
No figure needs it. It holds what an entry keeps of a job, and nothing else; its name has its checksum in it, so that a
newer one is written beside the one that the lock names, and stands once the lock does.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from reckon.model.records import ImportSource
from reckon.model.records.imports import IGNORED, KEPT, PARENT, gpus_in, gpus_text
from reckon.model.tree import inside

from .assign import Assignment, Portion, in_order
from .clock import LAST
from .job import RUNNING, Job, status_of
from .reading import plain
from .stored import StoredJob, record_key, seconds_text, whole, why_aside

FOLDER = "jobs"
"""Where the files are, below the root of a tree: `jobs/PROJECT/SOURCE-MONTH.CHECKSUM.parquet`."""
ROWS = 100_000
"""Of a group of rows in a file."""
NEEDED = "pip install 'budget-ledger[parquet]'"
SOME = ("item", "card", "gpus")
"""What is said of each part of a job."""
TEXTS = ("cluster", "id", "also", "state", "status", "elapsed", "gpus", *KEPT, "why", "rule", "seed", "run")
NUMBERS = ("submit", "start", "end", "nodes")
MOST_NODES = 1_000_000
"""Of so many nodes a job can be at most."""
Row = Mapping[str, Any]
"""A row of a table, by the names of its columns."""
SentIn = tuple[str, int | None]
"""The id of a job and when it was submitted, in seconds since 1970: what of its identity no source says otherwise."""
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9}|/[1-9][0-9]{0,17})?")


class Absent(Exception):
    """The jobs of a month cannot be read: why."""


class Archive(Struct, frozen=True):
    """The files of a source of a project, below the root of a tree."""

    root: Path
    project: str
    source: str

    def path(self, month: str, checksum: str) -> str:
        """The path of the file of a month."""
        return f"{FOLDER}/{self.project}/{self.source}-{month}.{checksum[:12]}.parquet"

    def found(self, month: str, checksum: str) -> Path:
        """The file of a month. Raises Absent where it is not there, or not the one that is meant."""
        path = self.path(month, checksum)
        digest = hashlib.sha256()
        place = self.root / path
        try:
            if not inside(self.root, place):
                raise Absent(f"{path} leads out of the tree")
            with place.open("rb") as file:
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
        except OSError:
            raise Absent(f"{path} is not there") from None
        if digest.hexdigest() != checksum:
            raise Absent(f"{path} is not the file that the lock names")
        return place

    def read(self, month: str, checksum: str, source: ImportSource) -> list[StoredJob]:
        """The jobs of a month. Raises Absent where the file is not there, or not the one that is meant."""
        raw = self.found(month, checksum).read_bytes()
        return list(unpacked(raw, source))

    def has_any(self, month: str, checksum: str, wanted: frozenset[SentIn]) -> bool:
        """Whether any of some jobs is in the file of a month, of which only what names a job is read. Raises Absent."""
        path = self.found(month, checksum)
        arrow, parquet = _library()
        try:
            with parquet.ParquetFile(path) as file:
                for some in file.iter_batches(columns=["id", "submit"], batch_size=ROWS):
                    if not wanted.isdisjoint(zip(*some.to_pydict().values(), strict=True)):
                        return True
        except (arrow.ArrowException, OSError, KeyError, ValueError) as error:
            raise _not_ours(error) from None
        return False


def packed(jobs: Iterable[StoredJob]) -> bytes:
    """Jobs as a Parquet file, in their order. Raises Absent where the library for it is not installed."""
    arrow, parquet = _library()
    rows = [row_of(stored) for stored in jobs]
    columns = {name: [row[name] for row in rows] for name in schema(arrow).names}
    table = arrow.Table.from_pydict(columns, schema=schema(arrow))
    written = io.BytesIO()
    parquet.write_table(table, written, row_group_size=ROWS, compression="zstd")
    return written.getvalue()


def unpacked(raw: bytes, source: ImportSource) -> Iterator[StoredJob]:
    """The jobs of a Parquet file. Raises Absent where it is none of ours."""
    arrow, parquet = _library()
    try:
        table = parquet.read_table(io.BytesIO(raw), schema=schema(arrow))
        for row in table.to_pylist():
            yield job_of(row, source)
    except (arrow.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise _not_ours(error) from None


def _not_ours(error: Exception) -> Absent:
    return Absent(f"it is not a file of jobs ({plain(str(error).split(chr(10))[0][:80])})")


def _number(text: str) -> Fraction:
    """An amount as it is packed. Raises ValueError for another text."""
    if not _AMOUNT.fullmatch(text):
        raise ValueError("an amount cannot be")
    return Fraction(text)


def schema(arrow: Any) -> Any:
    """The columns of a file of jobs. Moments are seconds since 1970; `elapsed` is exact, in seconds."""
    parts = arrow.list_(arrow.struct([(name, arrow.string()) for name in SOME]))
    return arrow.schema(
        [
            *((name, arrow.string()) for name in TEXTS),
            *((name, arrow.int64()) for name in NUMBERS),
            ("unplanned", arrow.bool_()),
            ("parts", parts),
        ]
    )


def _library() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise Absent(f"its file is in Parquet, for which a library is needed: {NEEDED}") from None


def row_of(stored: StoredJob) -> dict[str, Any]:
    """A job as a row of a file of jobs."""
    job = stored.job
    made = stored.made
    why = None if stored.ran else why_aside(made)
    texts = {
        "cluster": stored.key.cluster,
        "id": stored.key.id,
        "also": job.also,
        "state": job.state,
        "status": stored.status,
        "elapsed": seconds_text(job.elapsed),
        "gpus": gpus_text(job.gpus),
        "why": why,
        "rule": made.rule,
        "seed": made.seed,
        "run": made.run,
        **{name: job.says.get(name) for name in KEPT},
    }
    nodes = 1 if stored.ran else job.nodes
    return {
        **{name: text or None for name, text in texts.items()},
        "submit": stored.key.submit,
        "start": job.start,
        "end": job.end,
        "nodes": nodes,
        "unplanned": made.unplanned,
        "parts": parts_of(made),
    }


def parts_of(made: Assignment) -> list[dict[str, str]]:
    """The parts of a job, as an entry keeps them: one that was read from its entry makes the same row as one of an
    export."""
    return [{"item": part.item, "card": part.card, "gpus": str(part.gpus)} for part in in_order(made.portions)]


def job_of(row: Row, source: ImportSource) -> StoredJob:
    """A job of a row. Raises ValueError where it is none that the importer keeps: who changes the ledger can change the
    checksum of a file too."""
    said = {name: plain(row[name] or "") for name in TEXTS}
    if not all(row[name] is None or 0 <= row[name] <= LAST for name in ("submit", "start", "end")):
        raise ValueError("a moment is beyond the calendar")
    if row["nodes"] is None or not 0 < row["nodes"] <= MOST_NODES:
        raise ValueError("a number of nodes cannot be")
    elapsed = _number(said["elapsed"])
    made = assignment_of(row)
    says = {name: said[name] for name in KEPT if said[name]}
    status = status_of(source, said["state"])
    job = Job(
        0,
        said["id"],
        said["state"],
        whole(elapsed),
        row["submit"],
        row["start"],
        None if status == RUNNING else row["end"],
        gpus_in(said["gpus"]),
        row["nodes"],
        said["cluster"],
        said["also"],
        says,
    )
    key = record_key(source, job, job.cluster)
    return StoredJob(key, job, status or said["status"], made, key.text(source))


def assignment_of(row: Row) -> Assignment:
    """What the rules made of the job of a row. Raises ValueError where the parts are none of the importer's."""
    rule, seed, run, why = (plain(row[name] or "") for name in ("rule", "seed", "run", "why"))
    parts: Sequence[Mapping[str, str]] = row["parts"] or ()
    portions = tuple(Portion(part["item"] or "", part["card"] or "", _number(part["gpus"])) for part in parts)
    unplanned = bool(row["unplanned"])
    return Assignment(rule, seed, run, unplanned, why == IGNORED, portions, encloses=why == PARENT)
