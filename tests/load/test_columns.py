"""Columns of runs say what the records say, whichever reader read them; and few records are made."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load import canonical_runs
from reckon.load.reader import load
from reckon.load.run_format import JOB_ORDER
from reckon.model.fixed_point import MOST_PARTS, amounts
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run
from reckon.model.runs import ColumnRuns, stated_by
from tests.mutating import RUNS, tree
from tests.small import plant

NAMES = [name for name in Run.model_fields if name not in ("place", "progress", "imported", "utilisation")]
NAMES += ["progress.done", "progress.total", *(f"imported.{name}" for name in JOB_ORDER)]
NUMBERS = ("gpus", "wall_hours", "gpu_hours", "cost_usd", "energy_kwh", "watts", "peak_gib")


def project(root: Path, monkeypatch: pytest.MonkeyPatch, least: int) -> ProjectLedger:
    monkeypatch.setattr(canonical_runs, "LEAST", least)
    return load(root)[0].projects["demo"]


@pytest.mark.parametrize("seed", range(30))
def test_both_readers_give_the_same_columns(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path, tree(random.Random(seed)))
    read = project(root, monkeypatch, 0)
    rows, runs = read.rows, [run for file in project(root, monkeypatch, 10**9).runs for run in file.runs]
    assert all(isinstance(file.runs, ColumnRuns) for file in read.runs) or any(run.adds for run in runs)
    assert [rows.place(number) for number in range(len(rows))] == [run.place for run in runs]
    for name in NAMES:
        assert list(rows.column(name)) == [stated_by(run, name) for run in runs], name
        assert rows.says(name) or not any(run.model_fields_set & {name} for run in runs), name
    for name in NUMBERS:
        assert rows.amounts(name).exact() == [getattr(run, name) for run in runs], name
    assert rows.charged.exact() == [run.charged_hours for run in runs]
    assert rows.held.exact() == [run.held_hours for run in runs]
    assert [rows.run(number) for number in range(len(rows))] == runs


def test_parts_that_are_too_small_stay_fractions() -> None:
    odd = [Fraction(1, 3**30), Fraction(1, 7**25), None]
    assert amounts(odd) == (odd, 1)
    whole = amounts([Fraction(1, 3), Fraction(5, 4), None])
    assert whole == ([4, 15, None], 12)
    assert whole.exact() == [Fraction(1, 3), Fraction(5, 4), None]
    assert MOST_PARTS > 3600 * 10**9, "hours with nine decimals of a second are whole numbers"


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("wall_hours: 1.5, status: completed", 3),
        ("wall_hours: 5400 s, status: failed", 3),
        ("wall_hours: 90 min", 3),
        ("wall_hours: 3/7 s", Fraction(6, 25_200)),
        ("gpu_hours: 12", 12),
        ("wall_hours: 1000000000000.5", 2 * 10**12 + 1),
    ],
)
def test_hours_are_exact_however_they_are_written(
    text: str, hours: Fraction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"- {{date: 2026-01-02, item: many, gpus: 2, {text}}}\n"
    files = {**tree(random.Random(1)), f"{RUNS}/2026-01.yaml": line, f"{RUNS}/2026-02.yaml": line}
    rows = project(plant(tmp_path, files), monkeypatch, 0).rows
    assert rows.charged.exact()[:2] == [hours, hours]


def test_a_plain_run_never_becomes_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many records are made for a hundred plain runs as for eight hundred."""
    monkeypatch.setattr(canonical_runs, "LEAST", 0)
    made: list[int] = []
    record = canonical_runs.LineColumns.record
    monkeypatch.setattr(canonical_runs.LineColumns, "record", lambda own, at: made.append(at) or record(own, at))

    def count(many: int) -> int:
        said = (
            f"- {{date: 2026-01-{number % 28 + 1:02}, item: many, gpus: 1, wall_hours: {number + 1}.5 s}}\n"
            for number in range(many)
        )
        files = {**tree(random.Random(1)), f"{RUNS}/2026-01.yaml": "".join(said), f"{RUNS}/2026-02.yaml": ""}
        files = {name: text for name, text in files.items() if "/import/" not in name}
        made.clear()
        ledger, wrong = load(plant(tmp_path / str(many), files))
        _, more = calculate(ledger)
        assert [*wrong, *more] == []
        return len(made)

    assert count(100) == count(800) < 10


def test_a_year_that_never_was_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "- {start: 0000-01-01, end: 0000-01-02, item: many, gpus: 2, wall_hours: 1}\n"
    root = plant(tmp_path, {**tree(random.Random(1)), f"{RUNS}/2026-01.yaml": line})
    for least in (0, 10**9):
        monkeypatch.setattr(canonical_runs, "LEAST", least)
        told = [str(problem) for problem in load(root)[1]]
        assert f"{RUNS}/2026-01.yaml:1:11: 0000-01-01 is not in the calendar; check the date" in told


@pytest.mark.parametrize("said", ["pue: 99999999999999999999", "watts: 1e20"])
def test_power_beyond_all_bounds_is_found_and_no_mistake_of_the_program(said: str, tmp_path: Path) -> None:
    line = f"- {{date: 2026-01-02, item: many, gpus: 2, wall_hours: 1, {said}}}\n"
    ledger, wrong = load(plant(tmp_path, {**tree(random.Random(1)), f"{RUNS}/2026-01.yaml": line}))
    book, more = calculate(ledger)
    assert [*wrong, *more] == []
    assert any(finding.judgement == "run-implausible#energy" for finding in book.findings["demo"])


@pytest.mark.parametrize(
    ("says", "wrong"),
    [
        ("gpus: 1, wall_hours: 2, status: running, progress: {done: 7, total: 5}", "`done` is more than `total`"),
        ("gpus: 1, wall_hours: 2, status: running, progress: {done: 0, total: 0}", "the total of the progress is 0"),
        ("gpus: 1, status: completed", "the GPU-hours of this run are missing"),
        ("gpus: 1, wall_hours: 2, status: completed, energy_of: machine", "this run states no energy"),
        ("seed: 9, gpus: 1, wall_hours: 2, status: completed", "`9` is not a seed of this project"),
    ],
)
def test_what_is_wrong_with_one_run_is_told_of_a_line_too(
    says: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"- {{date: 2026-01-02, item: train, {says}}}\n"
    sound = "- {date: 2026-01-02, item: train, seed: 1, gpus: 1, wall_hours: 2, status: completed}\n"
    root = plant(tmp_path, {**tree(random.Random(1)), "ledger/demo/runs/2026-01.yaml": sound + line})
    for least in (0, 10**9):
        monkeypatch.setattr(canonical_runs, "LEAST", least)
        ledger, problems = load(root)
        first = next(file for file in ledger.projects["demo"].runs if file.file.endswith("2026-01.yaml"))
        assert isinstance(first.runs, ColumnRuns) is (least == 0)
        (found,) = (problem for problem in problems if problem.place.file.endswith("runs/2026-01.yaml"))
        assert (found.place.line, found.wrong) == (2, wrong)
