# ruff: noqa: E501 (lines of a ledger and messages stand unbroken)
"""`update run`: one entry changes, and nothing else; what was added before is not added again."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path

import pytest

from reckon.cli import add as adding
from reckon.cli import clock, main
from reckon.publish import journal
from tests.small import SMALL, plant

RUNS = "ledger/demo/runs"
JANUARY = f"{RUNS}/2026-01.yaml"
SWEEP = """\
# Runs of March.
- {date: 2026-03-01, item: train, seed: 1, run: pilot, attempt: 1, gpus: 4, wall_hours: 1, status: failed} # first try
- date: 2026-03-02
  item: train
  seed: 1
  run: pilot
  attempt: 2
  gpus: 4
  # by the clock
  wall_hours: 2
  status: running
  progress: {done: 1, total: 5}
- {date: 2026-03-03, item: test, gpus: 1, gpu_hours: 2, job: "880005"}
"""
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger on 20 March 2026, where short ids count from one."""
    monkeypatch.setattr(clock, "current_time", lambda: datetime(2026, 3, 20, 12, tzinfo=timezone(timedelta(hours=1))))
    ids = count(1)
    monkeypatch.setattr(adding, "short_id", lambda: f"{next(ids):06x}")
    return plant(tmp_path / "tree", {**SMALL, f"{RUNS}/2026-03.yaml": SWEEP})


def run(tree: Path, *words: str) -> int:
    return main(["--root", str(tree), *words])


def update(tree: Path, *words: str) -> int:
    return run(tree, "update", "run", *words)


def march(tree: Path) -> str:
    return (tree / RUNS / "2026-03.yaml").read_text("utf-8")


def state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def test_a_run_that_went_on_is_brought_up_to_date(tree: Path, capsys: Printed) -> None:
    before = state(tree)
    words = "demo --run pilot --attempt 2 --status completed --wall-hours 30 --remove progress --anyway"
    assert update(tree, *words.split()) == 0
    wanted = SWEEP.replace(
        "  wall_hours: 2\n  status: running\n  progress: {done: 1, total: 5}\n",
        "  wall_hours: 30\n  status: completed\n",
    )
    assert march(tree) == wanted
    assert {path for path, raw in state(tree).items() if before[path] != raw} == {str(tree / RUNS / "2026-03.yaml")}
    out = capsys.readouterr().out
    assert out.startswith(f"""\
{RUNS}/2026-03.yaml:3:
  before: - date: 2026-03-02
            item: train
            seed: 1
            run: pilot
            attempt: 2
            gpus: 4
            # by the clock
            wall_hours: 2
            status: running
            progress: {{done: 1, total: 5}}
  now:    - date: 2026-03-02
""")
    # 13 of the small ledger, 4 of the first attempt, and 4 x 2 before, 4 x 30 now.
    assert "\n  Training                              80        25       137        −57\n" in out
    assert "over by 57 GPU-h: Training\n" in out
    assert out.endswith("\nNext: python budget.py render\n")


NAMED = [
    (["--job", "880005"], 'gpu_hours: 2, job: "880005"}', 'gpu_hours: 2, status: failed, job: "880005"}'),
    (["--run", "pilot", "--attempt", "1"], "wall_hours: 1, status: failed}", "wall_hours: 1, status: failed}"),
    (["--at", f"{RUNS}/2026-03.yaml:2"], "wall_hours: 1, status: failed}", "wall_hours: 1, status: failed}"),
    (["--at", f"{RUNS}/2026-03.yaml:9:3"], "status: running", "status: failed"),
    (
        ["--at", f"./{RUNS}/2026-03.yaml:3", "--job", "9"],
        "running\n  progress: {done: 1, total: 5}\n",
        "failed\n  progress: {done: 1, total: 5}\n  job: 9\n",
    ),
    (
        ["--job", "880005", "--run", "final"],
        'test, gpus: 1, gpu_hours: 2, job: "880005"}',
        'test, run: final, gpus: 1, gpu_hours: 2, status: failed, job: "880005"}',
    ),
]


@pytest.mark.parametrize(("words", "was", "now"), NAMED, ids=lambda one: str(one)[:30])
def test_an_entry_is_named_by_job_by_attempt_or_by_line(
    words: list[str], was: str, now: str, tree: Path, capsys: Printed
) -> None:
    assert update(tree, *words, "--status", "failed") == 0
    if was == now:
        assert capsys.readouterr().out == f"{RUNS}/2026-03.yaml:2: the entry already says so; nothing written\n"
    assert march(tree) == SWEEP.replace(was, now)
    assert SWEEP.count(was) == 1


PILOTS = f"""\
  {RUNS}/2026-03.yaml:2: 2026-03-01, item train, seed 1, run pilot, attempt 1, status failed
  {RUNS}/2026-03.yaml:3: 2026-03-02, item train, seed 1, run pilot, attempt 2, status running
"""
REFUSED = [
    ([], "name the entry: --job ID, --run NAME with --attempt N, or --at FILE:LINE\n"),
    (["--job", "1"], "no entry of demo has job `1`\nadd one with `add run`, or name a line with --at FILE:LINE\n"),
    (
        ["--run", "pilot"],
        f"2 entries of demo have run `pilot`; name the attempt, or the line with --at FILE:LINE:\n{PILOTS}",
    ),
    (["--run", "pilot", "--attempt", "3"], f"no entry of demo has run `pilot`, attempt `3`; there are:\n{PILOTS}"),
    (
        ["--at", f"{RUNS}/2026-01.yaml"],
        f"2 entries are in {JANUARY}; name a line of one:\n  {JANUARY}:1: 2026-01-02, item train, seed 1, status completed\n",
    ),
    (["--at", f"{RUNS}/2026-03.yaml:1"], f"no entry at {RUNS}/2026-03.yaml:1; there are:\n{PILOTS}"),
    (["--at", f"{RUNS}/2026-04.yaml:1"], f"{RUNS}/2026-04.yaml is not a file of runs of demo; write its path"),
    (
        ["--job", "880005", "--seed", "9"],
        f"{RUNS}/2026-03.yaml:13:40: `9` is not a seed of this project; the seeds are 1, 2 [no-such-seed]\n1 problem in 1 file\nNothing written. The entry would have been:\n- {{date: 2026-03-03, item: test, seed: 9, gpus",
    ),
    (
        ["--job", "880005", "--date", "2026-03-21"],
        f"{RUNS}/2026-03.yaml:13:10: `2026-03-21` has not come yet; today is 2026-03-20 [not-yet]\n",
    ),
    (["--job", "880005", "--remove", "gpu_hours"], "the GPU-hours of this run are missing"),
    (
        ["--at", f"{RUNS}/2026-03.yaml:2", "--job", "880005"],
        f"job `880005` is entered twice; the first is {RUNS}/2026-03.yaml:2; keep one; change an entry with `budget update run`",
    ),
    (["other", "--job", "1"], "there is no project `other`"),
]


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=lambda one: str(one)[-30:])
def test_it_is_refused_and_nothing_is_written(words: list[str], says: str, tree: Path, capsys: Printed) -> None:
    before = state(tree)
    assert update(tree, *words, "--note", "x") == 2
    assert says in capsys.readouterr().err
    assert state(tree) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--job", "880005", "--status", "failed", "--remove", "status"], "--status is both changed and removed"),
        (["--job", "880005", "--remove", "hours"], "'hours' is not a field of a run"),
        (["--at", "March:3", "--seed", "1"], "is not a place"),
    ],
)
def test_options_that_do_not_go_together(words: list[str], says: str, tree: Path, capsys: Printed) -> None:
    with pytest.raises(SystemExit) as end:
        update(tree, *words)
    assert end.value.code == 2
    assert says in capsys.readouterr().err


def test_nothing_to_change_is_told(tree: Path, capsys: Printed) -> None:
    assert update(tree, "--job", "880005") == 2
    assert capsys.readouterr().err == "no change given; give a field such as --status completed, or --remove FIELD\n"


def test_a_trial_writes_nothing(tree: Path, capsys: Printed) -> None:
    before = state(tree)
    assert update(tree, "--job", "880005", "--gpus", "2", "--dry-run") == 0
    out = capsys.readouterr().out
    assert '  now:    - {date: 2026-03-03, item: test, gpus: 2, gpu_hours: 2, job: "880005"}\n' in out
    assert "note: gpu_hours 2 still counts, before GPUs times hours; `--remove gpu_hours` takes it out\n" in out
    assert out.endswith("\nDry run: nothing written.\n")
    assert run(tree, "add", "run", "--item", "test", "--gpu-hours", "1", "--dry-run") == 0
    assert capsys.readouterr().out.endswith("\nDry run: nothing written.\n")
    assert state(tree) == before


def test_progress_that_was_left_behind_is_told(tree: Path, capsys: Printed) -> None:
    assert update(tree, "--at", f"{RUNS}/2026-03.yaml:3", "--status", "completed", "--dry-run") == 0
    assert "note: progress still says 1 of 5; give --progress, or `--remove progress`\n" in capsys.readouterr().out
    assert update(tree, "--at", f"{RUNS}/2026-03.yaml:3", "--status", "completed", "--progress", "5/5") == 0
    assert "note:" not in capsys.readouterr().out
    assert "  progress: {done: 5, total: 5}\n" in march(tree)


def test_who_adds_a_run_again_is_given_the_command(tree: Path, capsys: Printed) -> None:
    before = state(tree)
    words = "add run --item test --gpu-hours 3.0 --gpus 1.0 --job 880005 --note"
    assert run(tree, *words.split(), "a b") == 2
    assert capsys.readouterr().err == (
        f"job `880005` is already in the ledger: {RUNS}/2026-03.yaml:13\n"
        f"To change that entry: python budget.py --root {tree} update run demo --job 880005 --gpu-hours 3.0 --note 'a b'\n"
        "Nothing written.\n"
    )
    words = "add run --item train --seed 1 --run pilot --attempt 2 --gpus 4 --wall-hours 5 --progress 2/5"
    assert run(tree, *words.split()) == 2
    err = capsys.readouterr().err
    assert f"run `pilot` and attempt `2` is already in the ledger: {RUNS}/2026-03.yaml:4\n" in err
    assert "update run demo --run pilot --attempt 2 --wall-hours 5 --progress 2/5\n" in err
    assert state(tree) == before
    # What is proposed does it.
    assert main(err.split("python budget.py ")[1].splitlines()[0].split()) == 0
    assert "  wall_hours: 5\n  status: running\n  progress: {done: 2, total: 5}\n" in march(tree)


def test_another_attempt_or_seed_is_another_run(tree: Path) -> None:
    for words in (["--seed", "1", "--attempt", "3"], ["--seed", "2", "--attempt", "2"], ["--seed", "1"]):
        assert run(tree, "add", "run", "--item", "train", "--run", "pilot", "--gpu-hours", "1", *words) == 0


def test_rows_of_a_table_that_say_something_new_are_named(tree: Path, tmp_path: Path, capsys: Printed) -> None:
    table = tmp_path / "jobs.csv"
    table.write_text(
        "job,item,date,gpus,gpu_hours,status\n880005,test,2026-03-03,1.0,2.50,FAILED\n7,test,2026-03-03,1,2,COMPLETED\n"
    )
    assert run(tree, "add", "runs", str(table)) == 0
    assert capsys.readouterr().out.startswith(f"""\
Added 1 run; 1 row skipped (job already in the ledger).
1 of these rows says something else than the entry; change it with `update run`:
  {table}:2: gpu_hours, status, for {RUNS}/2026-03.yaml:13
    python budget.py --root {tree} update run demo --job 880005 --gpu-hours 2.50 --status failed
""")
    table.write_text("job,item,date,gpus,gpu_hours\n880005,test,2026-03-03,1.0,2.0\n")
    assert run(tree, "add", "runs", str(table)) == 0
    assert capsys.readouterr().out == "Added 0 runs; 1 row skipped (job already in the ledger).\n"


def test_a_file_that_somebody_saves_meanwhile_is_left_alone(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    put, file = journal.apply_changes, tree / RUNS / "2026-03.yaml"

    def late(*words: object) -> None:
        file.write_text("# theirs\n")
        put(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(journal, "apply_changes", late)
    assert update(tree, "--job", "880005", "--gpu-hours", "3") == 2
    assert "2026-03.yaml was changed by someone else just now; nothing written" in capsys.readouterr().err
    assert file.read_text() == "# theirs\n"


def test_the_project_is_taken_from_the_place(tree: Path) -> None:
    plant(tree, {"ledger/twin/project.yaml": "title: T\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\n"})
    assert update(tree, "--job", "880005", "--gpu-hours", "3") == 2
    assert update(tree, "--at", f"{tree}/{RUNS}/2026-03.yaml:13", "--gpu-hours", "3") == 0
    assert "item: test, gpus: 1, gpu_hours: 3, job" in march(tree)


def test_what_cannot_be_is_told_before_it_is_written(tree: Path, capsys: Printed) -> None:
    """Seconds in place of hours; `--anyway` writes them."""
    before = state(tree)
    words = ("demo", "--run", "pilot", "--attempt", "2", "--wall-hours", "7200")
    assert update(tree, *words) == 2
    assert state(tree) == before
    said = capsys.readouterr().err
    assert "The hours of a run look like seconds or minutes" in said
    assert "if it is right, add --anyway" in said
    assert update(tree, *words, "--anyway") == 0
    assert march(tree) == SWEEP.replace("  wall_hours: 2\n", "  wall_hours: 7200\n")
