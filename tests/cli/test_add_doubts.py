# ruff: noqa: E501 (messages stand unbroken)
"""`add run` and `add runs` tell what cannot be before it is written: a refusal in a pipe, a question on a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from reckon.cli import clock, main
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
RUNS = "ledger/demo/runs"
SECONDS = [
    "--item",
    "test",
    "--start",
    "2026-02-03T10:00",
    "--end",
    "2026-02-03T12:00",
    "--gpus",
    "1",
    "--wall-hours",
    "7164",
]
SAID = """\
The hours of a run look like seconds or minutes (run-hours-doubtful)
    its wall-clock time is 7,164 h, from its start to its end are 2 h; read as seconds that is 1.99 h
    A bare number under `wall_hours` is hours. The run is charged many times what it took.
    Write the unit, as `5000 s` or `90 min`, or divide; in a table it is the column that `--map` or `csv` names.
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger on 20 February 2026."""
    monkeypatch.setattr(clock, "current_time", lambda: datetime(2026, 2, 20, 12, tzinfo=timezone(timedelta(hours=1))))
    return plant(tmp_path / "tree")


def add(tree: Path, *words: str) -> int:
    return main(["--root", str(tree), "add", *words])


def state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def test_seconds_are_refused_in_a_pipe(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    assert add(tree, "run", *SECONDS) == 2
    entry = "- {start: 2026-02-03T10:00, end: 2026-02-03T12:00, item: test, gpus: 1, wall_hours: 7164}"
    assert capsys.readouterr() == (
        "",
        f"{SAID}Nothing written. Correct the entry; if it is right, add --anyway.\nThe entry would have been:\n{entry}\n",
    )
    assert state(tree) == before


def test_what_is_right_all_the_same_is_written(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(tree, "run", *SECONDS, "--anyway") == 0
    assert "wall_hours: 7164" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (["--gpus", "4", "--wall-hours", "30", "--date", "2026-02-03"], "read as GPU-hours that is 7.5 h on 4 GPUs"),
        (["--gpus", "4", "--wall-hours", "3", "--gpu-hours", "3"], "4 GPUs × 3 h is 12 GPU-h, stated are 3 GPU-h"),
        (["--gpus", "1", "--wall-hours", "2731", "--date", "2026-02-03"], "read as minutes that is 45.52 h"),
        (
            ["--gpus", "1", "--wall-hours", "30", "--start", "2026-02-03", "--end", "2026-02-03"],
            "its dates leave 24 h at most",
        ),
        (
            ["--gpus", "1", "--wall-hours", "100", "--start", "2026-02-18"],
            "its last day is 2026-02-21, today is 2026-02-20",
        ),
    ],
)
def test_an_entry_that_cannot_be_is_refused(
    tree: Path, capsys: pytest.CaptureFixture[str], fields: list[str], said: str
) -> None:
    before = state(tree)
    assert add(tree, "run", "--item", "train", "--seed", "1", *fields) == 2
    assert said in capsys.readouterr().err
    assert state(tree) == before


@pytest.mark.parametrize(
    "fields",
    [
        ["--gpus", "4", "--wall-hours", "2.5"],
        ["--gpus", "1", "--wall-hours", "100", "--date", "2026-02-19"],  # a note of `check`
        ["--gpus", "1", "--wall-hours", "7164 s", "--start", "2026-02-03T10:00", "--end", "2026-02-03T12:00"],
        ["--gpus", "1", "--wall-hours", "2", "--date", "2026-02-20", "--cost-usd", "9"],
    ],
)
def test_what_can_be_is_written(tree: Path, fields: list[str]) -> None:
    assert add(tree, "run", "--item", "train", "--seed", "1", *fields) == 0


def test_a_capacity_is_told_when_an_entry_exceeds_it(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = tree / "ledger/demo/project.yaml"
    project.write_text(project.read_text("utf-8") + "gpus: 4\n", "utf-8")
    assert add(tree, "run", "--item", "test", "--gpus", "8", "--wall-hours", "1") == 2
    assert "1 run holds 8 GPUs; Demo has 4 GPUs" in capsys.readouterr().err
    assert add(tree, "run", "--item", "test", "--gpus", "8", "--wall-hours", "1", "--anyway") == 0
    assert add(tree, "run", "--item", "test", "--gpus", "4", "--wall-hours", "1") == 0, (
        "what was there before is not asked again"
    )


def table(tree: Path, count: int, hours: str) -> Path:
    """Jobs of 600 seconds each, one after the other."""
    lines = ["JobID,Start,End,wall_hours,gpus,item"]
    for number in range(count):
        start = datetime(2026, 2, 3) + timedelta(minutes=20 * number)
        lines.append(
            f"{number},{start:%Y-%m-%dT%H:%M:%S},{start + timedelta(seconds=600):%Y-%m-%dT%H:%M:%S},{hours},1,test"
        )
    path = tree / "jobs.csv"
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return path


MAP = ["--map", "JobID=job", "Start=start", "End=end"]


def test_a_column_of_seconds_is_refused_once(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Thirty jobs of 600 s are 5 GPU-hours, and 18,000 if these were hours."""
    path = table(tree, 30, "600")
    before = state(tree)
    assert add(tree, "runs", str(path), *MAP) == 2
    told = capsys.readouterr().err
    assert told.startswith(
        f"{path}:2, 3, 4, 5, 6, …: The hours of several runs look like seconds or minutes (run-hours-doubtful)\n"
    )
    assert (
        f"30 runs with 18,000 GPU-h as they stand, 5 GPU-h if read as seconds. The first: {path}:2: its wall-clock time is 600 h"
        in told
    )
    assert told.endswith("Nothing written. Correct the entry; if it is right, add --anyway.\n")
    assert len(told.splitlines()) == 5
    assert state(tree) == before
    assert add(tree, "runs", str(path), *MAP, "--anyway") == 0


def test_a_column_with_its_unit_is_written(tree: Path) -> None:
    assert add(tree, "runs", str(table(tree, 30, "600 s")), *MAP) == 0


def test_what_is_in_the_ledger_already_is_not_asked_about(tree: Path) -> None:
    assert add(tree, "run", *SECONDS, "--anyway") == 0
    assert add(tree, "run", "--item", "test", "--gpus", "1", "--wall-hours", "1") == 0


def test_a_form_says_who_can_add_it(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = {"Item": "test", "GPUs": "1", "Hours": "2731", "Date": "2026-02-03"}
    body = "\n\n".join(f"### {label}\n\n{text}" for label, text in fields.items())
    event = tree / "event.json"
    event.write_text(json.dumps({"issue": {"body": body}}), "utf-8")
    assert add(tree, "run", "--form", str(event)) == 2
    assert "if it is right, a teammate can add it with `budget add run --anyway`." in capsys.readouterr().err


def in_terminal(tree: Path, answer: str) -> tuple[int, str]:
    """The exit code and all that a terminal shows, where the one question is answered."""
    leader, follower = pty.openpty()
    command = [sys.executable, str(ROOT / "budget.py"), "--root", str(tree), "add", "run", *SECONDS]
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, close_fds=True) as process:
        os.close(follower)
        shown, asked, until = "", False, time.monotonic() + 60
        while time.monotonic() < until:
            if select.select([leader], [], [], 0.2)[0]:
                try:
                    shown += os.read(leader, 4096).decode("utf-8", "replace")
                except OSError:
                    break
            if not asked and shown.endswith("Write it anyway? yes or no (Enter for no): "):
                asked = True
                os.write(leader, f"{answer}\n".encode())
        process.kill() if process.poll() is None and time.monotonic() >= until else None
    os.close(leader)
    return process.returncode, shown


def test_a_terminal_asks(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    before = state(tree)
    code, shown = in_terminal(tree, "")
    assert (code, state(tree)) == (2, before), shown
    assert "read as seconds that is 1.99 h" in shown
    assert "--anyway" not in shown
    code, shown = in_terminal(tree, "yes")
    assert code == 0, shown
    assert len(state(tree)) == len(before) + 1
