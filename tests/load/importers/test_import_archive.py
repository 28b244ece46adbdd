"""A file of jobs has what an entry keeps of each, and nothing else; and one that was made by somebody else is refused,
or read as text, whatever is in it: its checksum stands in the lock, so that who changes the ledger can make both."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from reckon.load.importers import archive
from reckon.load.importers.archive import packed, unpacked
from reckon.load.importers.reading import plain
from reckon.load.reader import load
from reckon.load.run_format import scalar
from tests.exported import FOX, FROMAGE, HABROK, MIG, sound, source_of
from tests.months import LOCK, RUNS, dump, imported, job, ledger_of, planted, ran, tree

FILES = tree(Random(1))
ROW: dict[str, Any] = {
    "cluster": "fox",
    "id": "4711",
    "also": None,
    "state": "COMPLETED",
    "status": "completed",
    "elapsed": "60",
    "gpus": "a100=1",
    "name": "of-once",
    "account": "ac1",
    "partition": "accel",
    "qos": "q",
    "why": None,
    "rule": "item",
    "seed": None,
    "run": None,
    "submit": 1741600000,
    "start": 1741600060,
    "end": 1741600120,
    "nodes": 1,
    "unplanned": False,
    "parts": [{"item": "once", "card": "card", "gpus": "1"}],
}


def raw_of(rows: list[dict[str, Any]], schema: Any = None) -> bytes:
    """Rows as a Parquet file."""
    written = io.BytesIO()
    table = pyarrow.Table.from_pylist(rows, schema=schema or archive.schema(pyarrow))
    pyarrow.parquet.write_table(table, written)
    return written.getvalue()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A ledger of which March is counted together."""
    draw = Random(1)
    return imported(planted(tmp_path / "tree", FILES, "UTC", 10), dump(job(draw, at, "UTC") for at in range(60)))


def swapped(root: Path, raw: bytes) -> Path:
    """Another file in place of that of March, by its own checksum in the lock and in its name."""
    (file,) = (root / "jobs/demo").glob("fox-2025-03.*")
    was, now = hashlib.sha256(file.read_bytes()).hexdigest(), hashlib.sha256(raw).hexdigest()
    lock = root / LOCK
    text = lock.read_text("utf-8")
    assert text.count(was) == 1
    lock.write_text(re.sub(f"'?{was}'?", scalar(now, True), text), "utf-8")
    file.unlink()
    path = file.with_name(f"fox-2025-03.{now[:12]}.parquet")
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (FOX + MIG, "fox.txt"),
        (FOX + MIG, "fox-mig.txt"),
        (HABROK, "habrok.txt"),
        *((FROMAGE, f"fromage-{number}.json") for number in range(1, 6)),
    ],
)
def test_what_is_packed_says_all_that_an_import_needs(source: str, name: str) -> None:
    found = list(sound(source, name).merged.jobs.values())
    again = list(unpacked(packed(found), source_of(source)[1]))
    assert len(found) > 3
    assert packed(again) == packed(found)
    assert [each.lines("fox", None) for each in again] == [each.lines("fox", None) for each in found]


def test_a_file_of_jobs_has_no_word_that_an_entry_does_not_keep(root: Path) -> None:
    (file,) = (root / "jobs/demo").glob("fox-2025-03.*")
    table = pyarrow.parquet.read_table(file)
    assert set(table.column_names) == {
        "cluster",
        "id",
        "also",
        "state",
        "status",
        "elapsed",
        "gpus",
        "name",
        "account",
        "partition",
        "qos",
        "why",
        "rule",
        "seed",
        "run",
        "submit",
        "start",
        "end",
        "nodes",
        "unplanned",
        "parts",
    }
    assert b"CANCELLED by" not in file.read_bytes()
    states = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "RUNNING", "NODE_FAIL"}
    assert set(table.column("state").to_pylist()) <= states, "who cancelled a job is not in it"


def held(**part: str) -> list[dict[str, Any]]:
    """A job with one part."""
    return [{**ROW, "parts": [{"item": "once", "card": "card", "gpus": "1", **part}]}]


def retyped(name: str, kind: Any, value: Any) -> bytes:
    """A file with a column of another type."""
    schema = archive.schema(pyarrow)
    return raw_of([{**ROW, name: value}], schema.set(schema.get_field_index(name), pyarrow.field(name, kind)))


STRANGE: dict[str, Callable[[], bytes]] = {
    "no Parquet": lambda: b"PAR1" + b"\0" * 40 + b"PAR1",
    "empty": lambda: b"",
    "of other columns": lambda: raw_of([{"a": 1}], pyarrow.schema([("a", pyarrow.int64())])),
    "an id that is a number": lambda: retyped("id", pyarrow.int64(), 4711),
    "a start that is a text": lambda: retyped("start", pyarrow.string(), "soon"),
    "elapsed of another type": lambda: retyped("elapsed", pyarrow.float64(), 1e300),
    "elapsed that is no number": lambda: raw_of([{**ROW, "elapsed": "long"}]),
    "elapsed of nothing": lambda: raw_of([{**ROW, "elapsed": "1/0"}]),
    "no elapsed": lambda: raw_of([{**ROW, "elapsed": None}]),
    "negative elapsed": lambda: raw_of([{**ROW, "elapsed": "-5"}]),
    "elapsed as no clock has it": lambda: raw_of([{**ROW, "elapsed": "1e400"}]),
    "a part that is no number": lambda: raw_of(held(gpus="x")),
    "a part of a negative number": lambda: raw_of(held(gpus="-1")),
    "a part that is nothing": lambda: raw_of([{**ROW, "parts": [None]}]),
    "a start beyond all calendars": lambda: raw_of([{**ROW, "start": 2**62, "end": 2**62 + 60}]),
    "a start before all calendars": lambda: raw_of([{**ROW, "start": -(2**62)}]),
    "no nodes": lambda: raw_of([{**ROW, "nodes": None, "parts": []}]),
    "a part of a huge number": lambda: raw_of(held(gpus="9" * 40)),
    "an item that is not in the plan": lambda: raw_of(held(item="gone")),
    "a card that is not there": lambda: raw_of(held(card="none")),
    "a status that is none": lambda: raw_of([{**ROW, "state": "ODD", "status": "odd"}]),
    "a seed of nobody": lambda: raw_of([{**ROW, "seed": "9"}]),
}


@pytest.mark.full
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("words", [["--reapply"], ["--check"], ["--explain", "4711"], ["dump"]])
def test_a_strange_file_is_no_mistake_of_the_program(kind: str, words: list[str], root: Path) -> None:
    """It is refused, or makes entries that are; nothing is written that the ledger would not be read with."""
    path = swapped(root, STRANGE[kind]())
    if words == ["dump"]:
        words = [str(root.parent / "dump.txt")]
        row = job(Random(3), 77, "UTC")
        (root.parent / "dump.txt").write_text(dump([{**row, "Start": "2025-03-10T10:00:00+00:00"}]), "utf-8")
    before = ledger_of(root)
    code, out, err = ran(root, *words)
    assert code in (0, 1, 2)
    assert "Traceback" not in out + err
    assert "mistake of this program" not in out + err
    if code == 2:
        assert ledger_of(root) == before
        assert err.strip()
    assert load(root)[1] == []
    if kind in ("no Parquet", "empty", "of other columns", "elapsed that is no number"):
        if words[0] == "--check":
            assert code == 0, "as where there is no file"
        else:
            assert code == 2
            assert "it is not a file of jobs" in err
            assert path.is_file()


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        "]}, {x: 1",
        "'",
        "a: b # c",
        "- {date: 2025-01-01}",
        "\n- x",
        "`rm`",
        "[x](http://x)",
        "\x1b[31m",
        "\u2028",
        "öl",
        "x" * 5000,
        "null",
        "1e3",
        "{{ 1 }}",
        "<b>",
    ],
)
def test_names_are_text_wherever_they_come_from(name: str, root: Path) -> None:
    """Of jobs that no rule fits the name stands in an entry."""
    parts = [{"item": "", "card": "card", "gpus": "1"}]
    swapped(root, raw_of([{**ROW, "name": name, "rule": None, "parts": parts, "account": name, "state": "COMPLETED"}]))
    code, out, err = ran(root, "--reapply")
    assert "Traceback" not in out + err
    assert load(root)[1] == []
    assert "\x1b" not in out + err
    if code == 0:
        files = (file for file in load(root)[0].projects["demo"].runs if "fox-2025-03" in file.file)
        runs = [run for file in files for run in file.runs]
        assert [str(run.imported.name) for run in runs if run.imported] == [plain(name)]
        assert ran(root, "--check")[0] == 0
    else:
        assert (code, f"{RUNS}/fox-2025-03.yaml" in ledger_of(root)) == (2, True)
