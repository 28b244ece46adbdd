"""A file of jobs has what an entry keeps of each, and nothing else; and one that was made by somebody else is refused,
or read as text, whatever is in it: its checksum stands in the lock, so that who changes the ledger can make both."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from reckon.load.importers import archive
from reckon.load.importers.archive import job_of, row_of, rows_in, write
from reckon.load.importers.reading import plain
from reckon.load.reader import load
from reckon.load.run_format import scalar
from tests.exported import FOX, FROMAGE, HABROK, MIG, sound, source_of
from tests.months import LOCK, RUNS, dump, imported, job, ledger_of, planted, ran, tree

FILES = tree(Random(1))
ROW: dict[str, Any] = {
    "cluster": "fox",
    "id": "4711",
    "state": "COMPLETED",
    "status": "completed",
    "elapsed": "60",
    "gpus": "a100=1",
    "name": "of-once",
    "account": "ac1",
    "partition": "accel",
    "qos": "q",
    "rule": "item",
    "submit": 1741600000,
    "start": 1741600060,
    "end": 1741600120,
    "nodes": 1,
    "parts": [{"item": "once", "card": "card", "gpus": "1"}],
}


def raw_of(rows: list[dict[str, Any]]) -> bytes:
    """Rows as lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A ledger of which March is counted together."""
    draw = Random(1)
    return imported(planted(tmp_path / "tree", FILES, "UTC", 10), dump(job(draw, at, "UTC") for at in range(60)))


def swapped(root: Path, lines: bytes) -> Path:
    """Other lines in place of those of March, by their own checksum in the lock and in the name of the file."""
    (file,) = (root / "jobs/demo").glob("fox-2025-03.*")
    was, now = (hashlib.sha256(each).hexdigest() for each in (gzip.decompress(file.read_bytes()), lines))
    lock = root / LOCK
    text = lock.read_text("utf-8")
    assert text.count(was) == 1
    lock.write_text(re.sub(f"'?{was}'?", scalar(now, True), text), "utf-8")
    file.unlink()
    path = file.with_name(f"fox-2025-03.{now[:12]}.jsonl.gz")
    path.write_bytes(gzip.compress(lines))
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
def test_a_file_of_jobs_says_all_that_an_import_needs(source: str, name: str, tmp_path: Path) -> None:
    found = list(sound(source, name).merged.jobs.values())
    files = [tmp_path / "first.jsonl.gz", tmp_path / "again.jsonl.gz"]
    with files[0].open("wb") as file:
        write(map(row_of, found), file)
    again = [job_of(row, source_of(source)[1]) for row in rows_in(files[0])]
    with files[1].open("wb") as file:
        write(map(row_of, again), file)
    assert len(found) > 3
    assert files[1].read_bytes() == files[0].read_bytes()
    assert [each.lines("fox", None) for each in again] == [each.lines("fox", None) for each in found]


def test_a_file_of_jobs_is_lines_of_json_without_what_is_not_known(root: Path) -> None:
    """Compressed without a name or a time, and named by the checksum of the lines: so any zlib gives the same name."""
    (file,) = (root / "jobs/demo").glob("fox-2025-03.*")
    raw = file.read_bytes()
    lines = gzip.decompress(raw)
    assert file.name == f"fox-2025-03.{hashlib.sha256(lines).hexdigest()[:12]}.jsonl.gz"
    assert raw[:10] == b"\x1f\x8b\x08\x00" + b"\0" * 5 + b"\xff"
    rows = [json.loads(line) for line in lines.splitlines()]
    assert len(rows) > 10
    assert all(value not in (None, False, [], "") for row in rows for value in row.values() if value != 0)
    order = list(archive.JobLine.__struct_fields__)
    assert all(list(row) == sorted(row, key=order.index) for row in rows)
    file.write_bytes(gzip.compress(lines, 1))
    assert ran(root, "--check")[0] == 0, "by another zlib"
    assert ran(root, "--reapply")[1].splitlines()[-1] == "Nothing written: everything is already imported."


def test_a_file_of_jobs_has_no_word_that_an_entry_does_not_keep(root: Path) -> None:
    (file,) = (root / "jobs/demo").glob("fox-2025-03.*")
    text = gzip.decompress(file.read_bytes())
    rows = [json.loads(line) for line in text.splitlines()]
    assert (
        set().union(*rows)
        <= set(archive.JobLine.__struct_fields__)
        == {
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
    )
    assert b"CANCELLED by" not in text
    states = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "RUNNING", "NODE_FAIL"}
    assert {row["state"] for row in rows} <= states, "who cancelled a job is not in it"


def held(**part: str) -> list[dict[str, Any]]:
    """A job with one part."""
    return [{**ROW, "parts": [{"item": "once", "card": "card", "gpus": "1", **part}]}]


def without(name: str) -> bytes:
    """A job of which something is not said."""
    return raw_of([{key: value for key, value in ROW.items() if key != name}])


NO_FILE: dict[str, Callable[[], bytes]] = {
    "not JSON": lambda: b"job,hours\n1,2\n",
    "cut short": lambda: raw_of([ROW])[:-20],
    "an empty line": lambda: raw_of([ROW]) + b"\n",
    "not UTF-8": lambda: raw_of([ROW]).replace(b"fox", b"f\xff\xfe"),
    "a list": lambda: b"[1, 2]\n",
    "deep": lambda: b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "deep where nobody looks": lambda: b'{"x": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}\n",
    "a line without an end": lambda: raw_of([{**ROW, "name": "x" * (1 << 21)}]),
    "of other columns": lambda: raw_of([{"a": 1}]),
    "another column": lambda: raw_of([{**ROW, "user": "ann"}]),
    "an id that is a number": lambda: raw_of([{**ROW, "id": 4711}]),
    "a start that is a text": lambda: raw_of([{**ROW, "start": "soon"}]),
    "a start that is no whole number": lambda: raw_of([{**ROW, "start": 1741600060.5}]),
    "a start that is not a number": lambda: raw_of([{**ROW, "start": float("nan")}]),
    "a start without end": lambda: raw_of([{**ROW, "start": float("inf")}]),
    "a huge start": lambda: raw_of([{**ROW, "start": 10**4000}]),
    "elapsed of another type": lambda: raw_of([{**ROW, "elapsed": 1e300}]),
    "elapsed that is not a number": lambda: raw_of([{**ROW, "elapsed": "long"}]),
    "elapsed of nothing": lambda: raw_of([{**ROW, "elapsed": "1/0"}]),
    "no elapsed": lambda: without("elapsed"),
    "no id": lambda: without("id"),
    "no cluster": lambda: without("cluster"),
    "negative elapsed": lambda: raw_of([{**ROW, "elapsed": "-5"}]),
    "elapsed with more lines": lambda: raw_of([{**ROW, "elapsed": "5\n"}]),
    "elapsed as no clock has it": lambda: raw_of([{**ROW, "elapsed": "1e400"}]),
    "a part that is not a number": lambda: raw_of(held(gpus="x")),
    "a part of a negative number": lambda: raw_of(held(gpus="-1")),
    "a part that is nothing": lambda: raw_of([{**ROW, "parts": [None]}]),
    "a part without a card": lambda: raw_of([{**ROW, "parts": [{"item": "once", "gpus": "1"}]}]),
    "a start beyond all calendars": lambda: raw_of([{**ROW, "start": 2**62, "end": 2**62 + 60}]),
    "a start before all calendars": lambda: raw_of([{**ROW, "start": -(2**62)}]),
    "no nodes": lambda: without("nodes"),
    "a million nodes": lambda: raw_of([{**ROW, "nodes": 10**6 + 1}]),
    "a part of a huge number": lambda: raw_of(held(gpus="9" * 40)),
    "GPUs of a huge number": lambda: raw_of([{**ROW, "gpus": "a100=" + "9" * 5000}]),
}
"""What is no file of jobs, whatever its checksum."""
STRANGE: dict[str, Callable[[], bytes]] = {
    **NO_FILE,
    "empty": lambda: b"",
    "an item that is not in the plan": lambda: raw_of(held(item="gone")),
    "a card that is not there": lambda: raw_of(held(card="none")),
    "a status that is none": lambda: raw_of([{**ROW, "state": "ODD", "status": "odd"}]),
    "a seed of nobody": lambda: raw_of([{**ROW, "seed": "9"}]),
    "an id twice": lambda: raw_of([ROW]).replace(b'"id"', b'"id": "1", "id"'),
}


@pytest.mark.full
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("words", [["--reapply"], ["--check"], ["--explain", "4711"], ["dump"], ["engine"]])
def test_a_strange_file_is_no_mistake_of_the_program(kind: str, words: list[str], root: Path) -> None:
    """It is refused, or makes entries that are; nothing is written that the ledger would not be read with."""
    path = swapped(root, STRANGE[kind]())
    if words[0] in ("dump", "engine"):
        words = [str(root.parent / "dump.txt"), *(["--engine", "duckdb"] if words == ["engine"] else [])]
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
    if kind in NO_FILE:
        if words[0] == "--check":
            assert code == 0, "as where there is no file"
        else:
            assert code == 2
            assert "it is not a file of jobs (" in err
            assert "ann" not in err
            assert path.is_file()


@pytest.mark.parametrize(
    "kind", ["not JSON", "cut short", "a list", "deep", "a start that is not a number", "an id twice"]
)
def test_duckdb_asks_a_strange_file_of_another_month_without_a_mistake(kind: str, root: Path) -> None:
    """Of months that an export has no job of, it reads only what names a job."""
    swapped(root, STRANGE[kind]())
    file = root.parent / "dump.txt"
    times = {"Submit": "2025-03-02T10:00:00", "Start": "2025-12-10T10:00:00", "End": "2025-12-10T11:00:00"}
    file.write_text(dump([{**job(Random(3), 77, "UTC"), **times, "State": "COMPLETED", "ElapsedRaw": "3600"}]), "utf-8")
    before = ledger_of(root)
    code, out, err = ran(root, str(file), "--engine", "duckdb")
    assert code in (0, 2)
    assert "Traceback" not in out + err
    assert "mistake of this program" not in out + err
    assert (ledger_of(root) == before) == (code == 2)


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "not compressed": lambda raw: gzip.decompress(raw),
    "cut short": lambda raw: raw[:-9],
    "another sign": lambda raw: raw[:99] + bytes([raw[99] ^ 255]) + raw[100:],
    "more after it": lambda raw: raw + b"more",
    "more lines after it": lambda raw: raw + gzip.compress(b"{}\n"),
    "empty": lambda raw: b"",
    "of zlib": lambda raw: zlib.compress(gzip.decompress(raw)),
    "another month": lambda raw: gzip.compress(raw_of([ROW])),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")], ids=["plain", "duckdb"])
def test_a_file_that_does_not_have_the_lines_of_the_lock_is_refused(
    kind: str, engine: tuple[str, ...], root: Path
) -> None:
    (file,) = (root / "jobs/demo").glob("fox-2025-03.*")
    file.write_bytes(BROKEN[kind](file.read_bytes()))
    dumped = root.parent / "dump.txt"
    dumped.write_text(dump([{**job(Random(3), 77, "UTC"), "Start": "2025-03-10T10:00:00+00:00"}]), "utf-8")
    before = ledger_of(root)
    code, out, err = ran(root, str(dumped), *engine)
    assert (code, out) == (2, "")
    assert f"{file.relative_to(root)} is not the file that the lock names; restore it from your copy" in err
    assert ledger_of(root) == before


@pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")], ids=["plain", "duckdb"])
def test_what_unpacks_to_more_than_is_read_is_refused(
    engine: tuple[str, ...], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small the file is; and no month is written that would be."""
    path = swapped(root, b" " * (1 << 25))
    assert path.stat().st_size < 1 << 16
    monkeypatch.setattr(archive, "MOST_BYTES", 1 << 24)
    dumped = root.parent / "dump.txt"
    dumped.write_text(dump([{**job(Random(3), 77, "UTC"), "Start": "2025-03-10T10:00:00+00:00"}]), "utf-8")
    code, out, err = ran(root, str(dumped), *engine)
    assert (code, out) == (2, "")
    assert "its file has more than 4 GiB of lines, the limit; restore it from your copy" in err
    monkeypatch.setattr(archive, "MOST_BYTES", 999)
    assert ran(root, "--undo", "fox")[0] == 0
    dumped.write_text(dump(job(Random(1), at, "UTC") for at in range(60)), "utf-8")
    code, out, err = ran(root, str(dumped), *engine)
    assert (code, out) == (2, "")
    wrong = "the jobs of 2025-03 take more than 4 GiB as lines, the limit"
    assert (
        f"ledger/demo/imports.yaml:2:3: {wrong}; split the source in two with `only:` [jobs-too-many]"
        in err.splitlines()
    )
    assert not list((root / "jobs").rglob("*.gz"))


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
