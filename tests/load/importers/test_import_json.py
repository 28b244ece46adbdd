"""`sacct --json` gives what `sacct --parsable2` gives of the same jobs, to the plain reader and to DuckDB."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.load.importers import sacct_json
from reckon.load.importers.engines import intake
from reckon.load.importers.reading import NotAnExport, Reading
from tests.engined import by_engine, held_against_plain
from tests.exported import HAND, HEAD, begun, skipped, take, told
from tests.trying import examples

RULED = (
    HAND
    + r"""  only: {account: 'ac.*|'}
  statuses: {timeout: completed}
  rules:
    seeds: {when: {name: '(?P<item>sft|rft)-s(?P<seed>[1-3])'}}
    halves: {when: {name: train, directory: '/home/.*'}, split: {sft: 1/3, rft: 2/3}}
    other: {when: {comment: 'not ours'}, ignore: it is another project's}
    rest: {when: {qos: 'nor.*|', wckey: '.*'}, item: data}
  gpus:
    mig: {when: {partition: mig}, if: untyped, share: 1/7}
    none: {when: {partition: cpu}, if: unstated, count: 0}
"""
)
JSON = RULED.replace("format: sacct", "format: sacct-json")
COLUMNS = [*HEAD, "WorkDir", "Comment", "WCKey"]
STATES = ("COMPLETED", "RUNNING", "FAILED", "CANCELLED", "TIMEOUT", "PENDING", "OUT_OF_MEMORY", "NODE_FAIL")
GPUS = (
    (),
    (("gpu:a100", 2), ("gpu", 2)),
    (("gpu", 3),),
    (("gpu:l40s", 1), ("gpu:a100", 1)),
    (("gpu:a100", 0),),
    (("gpu:a100", 1), ("gpu", 4)),
    (("shard", 2),),
)


@st.composite
def jobs(draw: Any) -> dict[str, Any]:
    """What a job says, apart from how it is written."""
    pick = lambda *some: draw(st.sampled_from(some))  # noqa: E731
    start = pick(0, 1740823200, 1740823200 + draw(st.integers(0, 3_000_000)))
    took = pick(0, 1, 3600, 200_000)
    task = pick(None, None, 0, 3)
    return {
        "id": draw(st.integers(1, 6)),
        "task": task,
        "array": 5 if task is not None else 0,
        "cluster": pick("", "fox", "a/b"),
        "submit": pick(0, 1740819600),
        "start": start,
        "end": pick(0, start and start + took),
        "took": took,
        "state": pick(*STATES),
        "gpus": pick(*GPUS),
        "asked": pick(*GPUS),
        "nodes": pick(1, 4),
        "JobName": pick("train", "sft-s1", "rft-s9", "öl", "a: b", ""),
        "Account": pick("ac1", "xx", ""),
        "Partition": pick("accel", "mig", "cpu", ""),
        "QOS": pick("normal", "high", ""),
        "WorkDir": pick("/home/ann", "/cluster", ""),
        "Comment": pick("not ours", ""),
        "WCKey": pick("k", ""),
    }


def _clock(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S") if second else "Unknown"


def _tres(gpus: Any) -> str:
    return ",".join(["billing=8,cpu=8", *(f"gres/{name}={count}" for name, count in gpus), "mem=4G,node=1"])


def as_text(found: list[dict[str, Any]]) -> bytes:
    rows = []
    for job in found:
        own = {
            "JobIDRaw": str(job["id"]),
            "JobID": f"{job['array']}_{job['task']}" if job["array"] else str(job["id"]),
            "Cluster": job["cluster"],
            "Submit": _clock(job["submit"]),
            "Start": _clock(job["start"]),
            "End": _clock(job["end"]),
            "State": job["state"],
            "ElapsedRaw": str(job["took"]),
            "AllocTRES": _tres(job["gpus"]),
            "ReqTRES": _tres(job["asked"]),
            "NNodes": str(job["nodes"]),
        }
        rows.append("|".join(own.get(name, job.get(name, "")) for name in COLUMNS))
    return "\n".join(["|".join(COLUMNS), *rows, ""]).encode()


def as_json(found: list[dict[str, Any]], modern: bool, indent: int | None) -> bytes:
    """As Slurm 21.08 writes it, or as 24.05 does: numbers that say whether they are set, and lists of states."""

    def number(value: int | None) -> Any:
        if not modern:
            return value
        return {"set": value is not None, "infinite": False, "number": value or 0}

    def tres(gpus: Any) -> list[dict[str, Any]]:
        others = [{"type": "cpu", "name": "", "id": 1, "count": 8}, {"type": "mem", "name": "", "id": 2, "count": 4096}]
        return [*others, *({"type": "gres", "name": name, "id": 1001, "count": count} for name, count in gpus)]

    written = [
        {
            "account": job["Account"],
            "comment": {"administrator": "x", "job": job["Comment"], "system": ""},
            "allocation_nodes": job["nodes"],
            "array": {"job_id": job["array"], "task_id": number(job["task"])},
            "association": {"account": "private", "user": "private"},
            "cluster": job["cluster"],
            "job_id": job["id"],
            "name": job["JobName"],
            "partition": job["Partition"],
            "qos": job["QOS"],
            "user": "private",
            "state": {"current": [job["state"]] if modern else job["state"], "reason": "None"},
            "steps": [{"step": {"id": "7.batch"}, "tres": {"allocated": tres(job["gpus"])}}],
            "time": {
                "elapsed": job["took"],
                "eligible": 1,
                "submission": job["submit"],
                "start": job["start"],
                "end": job["end"],
                "limit": number(60),
                "suspended": 0,
            },
            "tres": {"allocated": tres(job["gpus"]), "requested": tres(job["asked"])},
            "wckey": {"wckey": job["WCKey"], "flags": []},
            "working_directory": job["WorkDir"],
        }
        for job in found
    ]
    whole = {
        "meta": {"plugin": {"data_parser": "data_parser/v0.0.41"}, "slurm": {"release": "24.05.4"}, "n": 12.5},
        "jobs": written,
        "warnings": [],
        "errors": [],
    }
    return json.dumps(whole, indent=indent, ensure_ascii=False).encode()


@settings(max_examples=examples(120), deadline=None)
@given(st.lists(jobs(), max_size=8), st.booleans(), st.sampled_from((None, 1)))
def test_json_gives_the_bytes_that_text_gives(found: list[dict[str, Any]], modern: bool, indent: int | None) -> None:
    text, dump = take(RULED, as_text(found)), take(JSON, as_json(found, modern, indent))
    if text.problems:  # two records of a job that share a part of their time: the lines of the two files differ
        assert len(dump.problems) == len(text.problems)
        return
    assert told(dump) == []
    assert dump.merged.texts("x") == text.merged.texts("x")
    assert dump.merged.jobs.keys() == text.merged.jobs.keys()
    assert (dump.rows + 1, skipped(dump), +dump.filled) == (text.rows, skipped(text), +text.filled)
    assert dump.partitions == text.partitions
    assert list(dump.exports.values()) == list(text.exports.values())


@pytest.mark.full
@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.lists(jobs(), max_size=6), min_size=1, max_size=2), st.booleans(), st.integers(1, 4000))
def test_the_engine_gives_of_json_what_the_plain_reader_gives(
    found: list[list[dict[str, Any]]], modern: bool, piece: int
) -> None:
    was, intake.PIECE = intake.PIECE, piece
    try:
        held_against_plain(JSON, [as_json(some, modern, None) for some in found])
    finally:
        intake.PIECE = was


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"PAR1",
        b"{}",
        b"[]",
        b'{"jobs": [1',
        b'{"jobs": [{}, {"a":',
        b'{"meta": 12, "jobs" : [{"job_id": 1}]}',
        b'\xef\xbb\xbf{"jobs": []}',
        b'{"jobs": [{}\xff]}',
        b'{"jobs": [{}], "more": ',
        b'{"a": 1}',
        b"{7: []}",
    ],
)
@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_what_is_no_json_of_jobs_is_told_alike(raw: bytes, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "PIECE", piece)
    wanted, taken = take(JSON, raw), by_engine(JSON, raw)
    assert [line.partition(" ")[2] for line in told(taken)] == [line.partition(" ")[2] for line in told(wanted)]


def test_a_job_without_an_end_is_refused() -> None:
    pieces = iter(['{"jobs": [\n\n{"name": "', *["n" * 100] * 50])
    taken = begun(JSON)
    reading = Reading("dump.json", taken.rules.source, taken.merged.zone)
    with pytest.raises(NotAnExport, match="the job that begins in line 3 has more than 0 MiB"):
        list(sacct_json.jobs_of(pieces, reading, 1000))
