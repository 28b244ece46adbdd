"""What a table states comes back from the ledger as it was: ids with any sign, and hours that no decimal states."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.importers.job_records import JobKey, key_of, seconds_text
from reckon.load.reader import load
from tests.exported import HAND, kept, planted, seconds, sound, source_of

TABLE = """\
table:
  format: csv
  timezone: UTC
  columns: {ID: job, State: state, Spent: gpu_hours, GPUs: gpus, Account: account}
  cards: {untyped: v100}
  rules:
    elsewhere: {when: {account: other}, ignore: charged elsewhere}
    all: {when: {account: '.*'}, item: data}
"""
IDS = (
    "a/b",
    "a@b",
    "@",
    "a@",
    "a@@",
    "/",
    "x@2025-01-01T00:00:00Z",
    "x@2025-01-01T00:00:00Z@",
    "2025-01-01T00:00:00Z",
    "007",
    "1e5",
    "null",
    "{a}",
    "a: b",
    "# x",
    "'",
    "ä b",
)


def table(*rows: str) -> bytes:
    return "\n".join(["ID,State,Spent,GPUs,Account", *rows, ""]).encode()


def test_ids_with_any_sign_are_told_apart_and_come_back() -> None:
    rows = [f'"{job}",COMPLETED,{number + 1},1,a' for number, job in enumerate(IDS)]
    taken = sound(TABLE, table(*rows))
    assert {job.key.id for job in taken.merged.jobs.values()} == set(IDS)
    back = {job.key: job.gpu_seconds for job in kept(taken)}
    assert back == {JobKey("table", job): (number + 1) * 3600 for number, job in enumerate(IDS)}


MOMENTS = some.none() | some.integers(0, 4 * 10**9)
SLURM, SHEET = (source_of(text)[1] for text in (HAND, TABLE))


@given(some.text("ab/@#TZ:-0123456789", min_size=1, max_size=30), MOMENTS, MOMENTS, some.integers(1, 11))
def test_the_text_of_a_key_means_that_key_alone(job: str, submit: int | None, start: int | None, ordinal: int) -> None:
    key = JobKey("fox", job, submit, start, ordinal)
    assert key_of(key.text(SLURM, later=True)) == key
    assert key_of(key.text(SLURM)) == key._replace(start=None)
    # The one moment that a table writes is the start.
    assert key_of(key.text(SHEET)) == key._replace(submit=start, start=None)


@pytest.mark.parametrize(
    ("spent", "gpus", "text"),
    [
        ("1", "7", "3600/7"),
        ("2.5", "3", "3000"),
        ("0.1", "3", "120"),
        ("1", "9", "400"),
        ("1", "11", "3600/11"),
        ("0.000000000001", "1", "9/2500000000"),
        ("0.0000000001", "1", "0.00000036"),
    ],
)
def test_hours_of_several_gpus_are_neither_cut_nor_rounded(spent: str, gpus: str, text: str, tmp_path: Path) -> None:
    taken = sound(TABLE, table(f"j,COMPLETED,{spent},{gpus},a", f"k,COMPLETED,{spent},{gpus},other"))
    assert seconds(taken) == Fraction(spent) * 3600
    assert {seconds_text(job.job.elapsed) for job in taken.merged.jobs.values()} == {text}
    elapsed = Fraction(spent) * 3600 / int(gpus)
    assert {job.key.id: job.job.elapsed for job in kept(taken)} == dict.fromkeys("jk", elapsed)
    root = planted(tmp_path, TABLE)
    dump = tmp_path / "table.csv"
    dump.write_bytes(table(f"j,COMPLETED,{spent},{gpus},a", f"k,COMPLETED,{spent},{gpus},other"))
    assert main(["--root", str(root), "import", str(dump)]) == 0
    book, problems = calculate(load(root)[0])
    assert problems == []
    assert book["demo.actual.by_gpu.v100"].use == Fraction(spent)
    assert main(["--root", str(root), "import", "--check"]) == 0


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("3600/7", "`3600/7`"),
        ("3600/0 s", "`3600/0 s`"),
        ("1/7 h", "`1/7 h`"),
        ("-1/7 s", "`-1/7 s`"),
    ],
)
def test_other_fractions_are_no_durations(written: str, says: str, tmp_path: Path) -> None:
    root = planted(tmp_path, TABLE)
    runs = root / "ledger/demo/runs/mine.yaml"
    runs.parent.mkdir()
    line = "- {date: 2026-01-01, item: data, gpu: v100, gpus: 7, wall_hours: WRITTEN}\n"
    runs.write_text(line.replace("WRITTEN", "3600/7 s"), "utf-8")
    assert load(root)[1] == []
    runs.write_text(line.replace("WRITTEN", f"'{written}'"), "utf-8")
    (problem,) = load(root)[1]
    assert says in str(problem)
