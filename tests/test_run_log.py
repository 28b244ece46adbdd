"""What a run says of itself: GPUs, card, job, outcome, utilisation and energy, and what `with log_run(…)` records."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

import reckon
from reckon import run_log
from tests.logged import HELD_BY, RECORDED, entries, environment, spools, tree


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith(HELD_BY):
            monkeypatch.delenv(name)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tree(tmp_path / "tree")


@pytest.mark.parametrize(
    ("variables", "count"),
    [
        ({"CUDA_VISIBLE_DEVICES": "0,2,5"}, 3),
        ({"CUDA_VISIBLE_DEVICES": "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,1"}, 2),
        ({"CUDA_VISIBLE_DEVICES": ""}, 0),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, 0),
        ({"CUDA_VISIBLE_DEVICES": "NoDevFiles"}, 0),
        ({"CUDA_VISIBLE_DEVICES": "0,1", "SLURM_JOB_ID": "7", "SLURM_NNODES": "3"}, 6),
        ({"SLURM_JOB_ID": "7", "SLURM_GPUS": "12"}, 12),
        ({"SLURM_JOB_ID": "7", "SLURM_GPUS": "a100:8"}, 8),
        ({"SLURM_JOB_ID": "7", "SLURM_GPUS": "a100:2,v100:4"}, 6),
        ({"SLURM_JOB_ID": "7", "SLURM_GPUS_ON_NODE": "4", "SLURM_NNODES": "2"}, 8),
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_GPUS": "0,1,3"}, 3),
        ({"SLURM_JOB_ID": "7"}, 0),  # a job without GPUs on a machine that has some
        ({}, 1),
        ({"SLURM_JOB_ID": "7", "SLURM_GPUS_ON_NODE": "9" * 99}, 0),
    ],
)
def test_gpus_are_counted_by_cuda_then_slurm_then_nvidia_smi(
    variables: dict[str, str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    assert run_log.count_gpus([("NVIDIA H200", "0", "75.2")]) == count


@pytest.mark.parametrize(
    ("variables", "job"),
    [
        ({}, ""),
        ({"SLURM_JOB_ID": "1234"}, "1234"),
        ({"SLURM_JOB_ID": "1236", "SLURM_ARRAY_JOB_ID": "1234", "SLURM_ARRAY_TASK_ID": "0"}, "1234_0"),
        ({"SLURM_JOB_ID": "1}, x: {"}, ""),
    ],
)
def test_the_job_is_that_of_slurm(variables: dict[str, str], job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    assert run_log.job_of_slurm() == job


@pytest.mark.parametrize(
    ("code", "seen", "status"),
    [
        (0, [], "completed"),
        (1, [], "failed"),
        (-9, [], "failed"),
        (137, [], "failed"),
        (-2, [], "cancelled"),
        (130, [], "cancelled"),
        (0, [15], "cancelled"),  # it saved its state and ended, but is not done
        (0, [10], "completed"),
        (143, [], "cancelled"),
    ],
)
def test_the_outcome_is_in_the_words_of_the_ledger(code: int, seen: list[int], status: str) -> None:
    assert run_log.outcome(code, seen) == status


def test_energy_and_utilisation_by_hand() -> None:
    """Two GPUs, three samples in 20 s: 550.5, 449.5 and 500 W are 500 W in the mean, so 10,000 J, or 1/360 kWh."""
    nothing = float("nan")
    found = run_log.measured([85.0, 95.0, 90.0], [550.5, 449.5, 500.0], 20)
    assert found == {"utilisation": "90.0%", "energy_kwh": "0.002778"}
    assert run_log.measured([nothing, 50], [nothing], 20) == {"utilisation": "50.0%"}
    assert run_log.measured([], [], 20) == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("NVIDIA H200, 97, 512.34", [("NVIDIA H200", "97", "512.34")]),
        ("NVIDIA GeForce RTX 4090, 5 %, [N/A]", [("NVIDIA GeForce RTX 4090", "5", "")]),
        ("Tesla T4, [Not Supported], [Unknown Error]", [("Tesla T4", "", "")]),
        ("NVIDIA'}, x: 1, 97, 512", []),
        ("-rf, 97, 512", []),
        ("No devices were found", []),
        (f"{'x' * 99}, 1, 1", []),
        ("NVIDIA H200, 1.2.3, 1e9", [("NVIDIA H200", "1.2", "1")]),
    ],
)
def test_what_nvidia_smi_says_is_bounded(line: str, told: list[object], tmp_path: Path) -> None:
    own = environment(tmp_path, f'#!/bin/sh\ncat <<"X"\n{line}\nX\n')
    code = "from reckon.run_log import ask_smi; print(ask_smi())"
    done = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True)
    assert done.stdout == f"{told}\n", done.stderr


def test_a_block_is_a_run_with_its_card_utilisation_and_energy(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two GPUs with 80% and 95%, 300 W and 250.5 W."""
    monkeypatch.setenv("PATH", environment(ledger, RECORDED)["PATH"])
    with reckon.log_run("demo", "train", root=ledger, seed=2, every=1):
        time.sleep(8)
    (run,) = entries(ledger)
    assert (run.seed, run.gpu, run.gpus, run.status) == ("2", "big", 2, "completed")
    assert run.wall_hours == Fraction(8, 3600)
    assert str(run.utilisation and run.utilisation.text) == "87.5%"
    assert run.energy_kwh == pytest.approx(550.5 * 8 / 3.6e6, rel=0.05)
    assert spools(ledger) == []


def test_what_a_training_raises_passes_through(ledger: Path) -> None:
    ends = [(ValueError("boom"), "failed"), (KeyboardInterrupt(), "cancelled"), (SystemExit(0), "completed")]
    for error, status in ends:
        with pytest.raises(type(error)), reckon.log_run("demo", "train", root=ledger, gpus=1, attempt=status):
            raise error
    assert {(str(run.attempt), run.status) for run in entries(ledger)} == {(status, status) for _, status in ends}


@pytest.mark.full
def test_a_training_that_is_killed_has_failed(ledger: Path) -> None:
    code = f"import os, reckon, time\nwith reckon.log_run('demo', 'train', root={str(ledger)!r}, gpus=1):\n"
    subprocess.run([sys.executable, "-c", f"{code}    time.sleep(1); os.kill(os.getpid(), 9)"])
    for _ in range(100):
        time.sleep(0.2)
        if [run.status for run in entries(ledger)] == ["failed"]:
            return
    raise AssertionError(entries(ledger))


def test_nothing_is_raised_into_a_training(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    with reckon.log_run("no such", "no such", root=ledger / "none", gpus="many", other=object()):
        done.append(1)
    monkeypatch.setattr(sys, "executable", "/no/python")
    with reckon.log_run("demo", "train", root=ledger):
        done.append(2)
    monkeypatch.setattr(sys, "executable", None)
    with reckon.log_run("demo", "train", root=ledger):
        done.append(3)
    assert done == [1, 2, 3]
    for path in spools(Path.cwd()):  # there is no such repository
        path.unlink()


def test_of_many_processes_the_first_has_the_entry(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    with reckon.log_run("demo", "train", root=ledger, gpus=1):
        pass
    assert entries(ledger) == []


def test_a_training_imports_nothing_of_the_engine() -> None:
    code = "import sys; from reckon import log_run; print(*sorted(name for name in sys.modules if 'reckon' in name))"
    done = subprocess.run([sys.executable, "-P", "-c", code], env=environment(Path()), capture_output=True, text=True)
    assert done.stdout.split() == ["reckon", "reckon.run_log"]


def test_a_lock_that_somebody_holds_is_waited_for_no_longer_than_that(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_log, "PATIENCE", 3)
    row = {"start": "2026-03-01T09:00:00Z", "item": "train", "gpus": "1", "wall_hours": "1", "job": "9"}
    entry = run_log.Entry("demo", str(ledger), "budget", row)
    with (ledger / "ledger/demo/.add.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        entry.close({"status": "completed"})
    (spool,) = spools(ledger)
    assert f"to take it later: budget add runs {spool} demo" in capsys.readouterr().err
    entry.close({})  # now it is free
    assert [run.job for run in entries(ledger)] == ["9"]
    assert spools(ledger) == []


def test_no_folder_takes_a_file(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on a full disk: what would be in the file is said."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    run_log.Entry("demo", str(ledger), "budget", {"start": "2026-03-01", "item": "train"}).close({"status": "failed"})
    assert "'item': 'train'" in capsys.readouterr().err
