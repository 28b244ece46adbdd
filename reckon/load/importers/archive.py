"""The jobs of a month whose entries are counted together, as compressed lines of JSON in a file next to the ledger.

It is asked for where its jobs matter one by one: when an export has more of that month, when rules are applied again.
No figure needs it. It holds what an entry keeps of a job, and nothing else; its name has the checksum of its lines in
it, so that a newer one is written next to the one that the lock names, and stands once the lock does.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple, TypedDict

from msgspec import DecodeError, Meta, Struct
from msgspec.json import Decoder, encode
from msgspec.structs import asdict

from reckon.model.records import ImportSource
from reckon.model.records.imports import IGNORED, KEPT, PARENT, gpus_in, gpus_text
from reckon.model.tree import inside

from .assignment import Assignment, Portion, order_portions
from .clock import LAST
from .job import Job
from .job_records import StoredJob, kept_status, record_key, seconds_text, whole, why_aside
from .reading import plain

FOLDER = "jobs"
"""Where the files are, below the root of a tree: `jobs/PROJECT/SOURCE-MONTH.CHECKSUM.jsonl.gz`."""
LINES = ".jsonl.gz"
LONGEST, MOST_BYTES = 1 << 20, 4 << 30
"""Bytes of a line, and of all lines of a file, uncompressed."""
LIMIT = f"{MOST_BYTES >> 30} GiB"
TEXTS = ("cluster", "id", "also", "state", "status", "elapsed", "gpus", *KEPT, "why", "rule", "seed", "run")
NUMBERS = ("submit", "start", "end", "nodes")
Row = Mapping[str, Any]
"""A row of a table, by the names of its columns."""
SentIn = tuple[str, int | None]
"""The id of a job and when it was submitted, in seconds since 1970: what of its identity no source says otherwise."""
Amount = Annotated[str, Meta(pattern=r"\A[0-9]{1,12}(?:\.[0-9]{1,9}|/[1-9][0-9]{0,17})?\Z")]
Moment = Annotated[int, Meta(ge=0, le=LAST)] | None
Text = str | None


class Part(TypedDict):
    """What is said of each part of a job."""

    item: str
    card: str
    gpus: Amount


class JobLine(Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A job as a line of a file, which leaves out what is not known. Moments are seconds since 1970; `elapsed` is
    exact, in seconds. Who changes the ledger can change the checksum of a file too: so all of it is checked."""

    cluster: str
    id: str
    also: Text = None
    state: Text = None
    status: Text = None
    elapsed: Amount
    gpus: Annotated[str, Meta(max_length=4000)] | None = None
    name: Text = None
    account: Text = None
    partition: Text = None
    qos: Text = None
    why: Text = None
    rule: Text = None
    seed: Text = None
    run: Text = None
    submit: Moment = None
    start: Moment = None
    end: Moment = None
    nodes: Annotated[int, Meta(gt=0, le=1_000_000)]
    unplanned: bool = False
    parts: list[Part] = []


class Absent(Exception):
    """The jobs of a month cannot be read: why."""


class Written(NamedTuple):
    """What was written as a file of jobs: the checksum of its lines, and whether these are too many to be read."""

    checksum: str
    too_large: bool


class Archive(Struct, frozen=True):
    """The files of a source of a project, below the root of a tree."""

    root: Path
    project: str
    source: str

    def path(self, month: str, checksum: str) -> str:
        """The path of the file of a month."""
        return f"{FOLDER}/{self.project}/{self.source}-{month}.{checksum[:12]}{LINES}"

    def found(self, month: str, checksum: str) -> Path:
        """The file of a month. Raises Absent where it is not there, or not the one that is meant."""
        path = self.path(month, checksum)
        place = self.root / path
        try:
            if not inside(self.root, place):
                raise Absent(f"{path} leads out of the tree")
            digest = _checksum_of(place)
        except (gzip.BadGzipFile, zlib.error, EOFError):
            digest = ""
        except OSError:
            raise Absent(f"{path} is missing") from None
        if digest != checksum:
            raise Absent(f"{path} is not the file that the lock names")
        return place

    def checked(self, month: str, checksum: str) -> Path:
        """The same, where each row is one of a file of jobs. Raises Absent."""
        path = self.found(month, checksum)
        for _ in rows_in(path):
            pass
        return path

    def read(self, month: str, checksum: str, source: ImportSource) -> list[StoredJob]:
        """The jobs of a month. Raises Absent where the file is not there, or not the one that is meant."""
        return [job_of(row, source) for row in rows_in(self.found(month, checksum))]

    def has_any(self, month: str, checksum: str, identities: frozenset[SentIn]) -> bool:
        """Whether any of some jobs is in the file of a month. Raises Absent."""
        rows = rows_in(self.found(month, checksum))
        return any((row["id"], row["submit"]) in identities for row in rows)


def write(rows: Iterable[Row], file: BinaryIO) -> Written:
    """Writes jobs as a file of jobs, in their order: the same jobs give the same lines on every machine."""
    digest = hashlib.sha256()
    with gzip.GzipFile("", "wb", 6, file, mtime=0) as lines:
        for row in rows:
            line = encode(JobLine(**row)) + b"\n"
            digest.update(line)
            lines.write(line)
        return Written(digest.hexdigest(), lines.tell() > MOST_BYTES)


def rows_in(path: Path) -> Iterator[Row]:
    """The jobs of a file, as rows. Raises Absent where it is not one of ours."""
    decoder = Decoder(JobLine)
    try:
        with path.open("rb") as file:
            yield from (asdict(decoder.decode(line)) for line in _lines_in(file))
    except (DecodeError, RecursionError, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0][:80]
        raise Absent(f"it is not a file of jobs ({plain(reason)})") from None


def _checksum_of(path: Path) -> str:
    """The checksum of the lines of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for line in _lines_in(file):
            digest.update(line)
    return digest.hexdigest()


def _lines_in(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a compressed file; of one that is too long, pieces. Raises Absent where there is too much."""
    with gzip.open(file) as lines:
        while line := lines.readline(LONGEST):
            if lines.tell() > MOST_BYTES:
                raise Absent(f"its file has more than {LIMIT} of lines, the limit")
            yield line


def row_of(record: StoredJob) -> dict[str, Any]:
    """A job as a row of a file of jobs."""
    job = record.job
    key = record.key
    assignment = record.made
    texts = {
        **{name: job.says.get(name) for name in KEPT},
        "cluster": key.cluster,
        "id": key.id,
        "also": job.also,
        "state": job.state,
        "status": record.status,
        "elapsed": seconds_text(job.elapsed),
        "gpus": gpus_text(job.gpus),
        "rule": assignment.rule,
        "seed": assignment.seed,
        "run": assignment.run,
        "why": "" if record.ran else why_aside(assignment),
    }
    return {
        **{name: text or None for name, text in texts.items()},
        "submit": key.submit,
        "start": job.start,
        "end": job.end,
        "nodes": 1 if record.ran else job.nodes,
        "unplanned": assignment.unplanned,
        "parts": parts_of(assignment),
    }


def parts_of(assignment: Assignment) -> list[Part]:
    """The parts of a job, as an entry keeps them: one that was read from its entry makes the same row as one of an
    export."""
    return [
        {"item": part.item, "card": part.card, "gpus": str(part.gpus)} for part in order_portions(assignment.portions)
    ]


def job_of(row: Row, source: ImportSource) -> StoredJob:
    """A job of a row."""
    texts = {name: plain(row[name] or "") for name in TEXTS}
    fields: dict[str, Any] = {name: texts[name] for name in ("id", "state", "cluster", "also")}
    fields |= {name: row[name] for name in NUMBERS}
    fields["elapsed"] = whole(Fraction(texts["elapsed"]))
    fields["says"] = {name: texts[name] for name in KEPT if texts[name]}
    job = Job(0, gpus=gpus_in(texts["gpus"]), **fields)
    key = record_key(source, job)
    status, closed = kept_status(source, job, texts["status"])
    return StoredJob(key, job, status, assignment_of(row), key.text(source), closed=closed)


def assignment_of(row: Row) -> Assignment:
    """What the rules made of the job of a row."""
    rule, seed, run, reason = (plain(row[name] or "") for name in ("rule", "seed", "run", "why"))
    portions = tuple(Portion(part["item"], part["card"], Fraction(part["gpus"])) for part in row["parts"])
    unplanned = bool(row["unplanned"])
    return Assignment(rule, seed, run, unplanned, reason == IGNORED, portions, encloses=reason == PARENT)
