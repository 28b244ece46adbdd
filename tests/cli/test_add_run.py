# ruff: noqa: E501 (lines of a ledger and messages stand unbroken)
"""`add run` and `add runs`: what is written, what is refused, what is asked, and what is said of the budget."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path

import pytest

from reckon.cli import add as adding
from reckon.cli import clock, main
from reckon.load.run_format import SCHEMA_COMMENT
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
RUNS = "ledger/demo/runs"
HOURS = ["--gpus", "4", "--wall-hours", "2.5"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger on 20 February 2026, where short ids count from one."""
    monkeypatch.setattr(clock, "current_time", lambda: datetime(2026, 2, 20, 12, tzinfo=timezone(timedelta(hours=1))))
    ids = count(1)
    monkeypatch.setattr(adding, "short_id", lambda: f"{next(ids):06x}")
    return plant(tmp_path / "tree")


def add(tree: Path, *words: str) -> int:
    return main(["--root", str(tree), "add", *words])


def state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def test_one_line_is_added_and_what_it_did_is_said(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    assert add(tree, "run", "--item", "train", "--seed", "1", *HOURS, "--progress", "3/5", "--note", "it's") == 0
    line = "- {date: 2026-02-20, item: train, seed: 1, gpus: 4, wall_hours: 2.5, progress: {done: 3, total: 5}, note: 'it''s'}"
    file = tree / RUNS / "2026-02-20-train-s1-000001.yaml"
    assert state(tree) == {**before, str(file): f"{SCHEMA_COMMENT}{line}\n".encode()}
    assert (
        capsys.readouterr().out
        == f"""\
{RUNS}/2026-02-20-train-s1-000001.yaml:2: {line}

  GPU-hours                        planned    before       now       left
  Training                              80        13        23         57
    seed 1                              40        10        20         20
  First phase                           90      14.5      24.5       65.5
  Final budget                          99      16.5      26.5       72.5
  complete:       37.8% of the work
    before:       55.6% of the work
  contingency:    █░░░░░░░ 22% drawn; 7 GPU-h of 9 left
  forecast:       36–170 GPU-h (P10–P90), P50 57
    before:       20–80 GPU-h (P10–P90), P50 31

Next: python budget.py render
"""
    )
    assert sorted(path.name for path in (tree / "ledger/demo").iterdir()) == ["plan.yaml", "project.yaml", "runs"]


def test_a_line_goes_to_the_end_of_the_file_that_is_named(tree: Path) -> None:
    file = tree / RUNS / "2026-02.yaml"
    file.write_text("# Runs of February.\n\n" + file.read_text("utf-8").rstrip("\n"), "utf-8")
    before = file.read_text("utf-8")
    assert add(tree, "run", "--item", "test", "--gpu-hours", "1", "--file", "2026-02") == 0
    assert file.read_text("utf-8") == f"{before}\n- {{date: 2026-02-20, item: test, gpu_hours: 1}}\n"


NAMED = [
    (["--item", "train", "--seed", "2"], "2026-02-20-train-s2-000001"),
    (["--item", "test", "--end", "2025-12-31T23:59"], "2025-12-31-test-000001"),
    (["--item", "test", "--start", "2025-11-03", "--end", "2025-12-01"], "2025-12-01-test-000001"),
    (["--item", "test", "--date", "2025-11"], "2025-11-test-000001"),
    (["--unplanned", "--item", "Vorführung: ../../am \\ Ü 1"], "2026-02-20-Vorf-hrung-am-1-000001"),
    (["--unplanned", "--item", "演示"], "2026-02-20-unplanned-000001"),
    (["--unplanned", "--item", "x" * 90], f"2026-02-20-{'x' * 60}-000001"),
]


@pytest.mark.parametrize(("words", "name"), NAMED, ids=lambda one: str(one)[-30:])
def test_a_run_gets_a_file_named_by_day_item_and_seed(words: list[str], name: str, tree: Path) -> None:
    before = set(state(tree))
    assert add(tree, "run", *words, "--gpu-hours", "1") == 0
    assert set(state(tree)) - before == {str(tree / RUNS / f"{name}.yaml")}


def test_short_ids_differ() -> None:
    made = {adding.short_id() for _ in range(100)}
    assert len(made) > 90
    assert all(re.fullmatch("[0-9a-f]{6}", one) for one in made)


def test_a_file_that_is_there_is_never_written_over(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(adding, "short_id", lambda: "a1b2c3")
    assert add(tree, "run", "--item", "test", "--gpu-hours", "1") == 0
    before = state(tree)
    assert add(tree, "run", "--item", "test", "--gpu-hours", "1") == 2
    said = f"{RUNS}/2026-02-20-test-a1b2c3.yaml already exists; nothing written, try again\n"
    assert capsys.readouterr().err == said
    assert state(tree) == before


def test_a_table_goes_into_the_files_of_its_months(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("item,end,gpu_hours\ntest,2025-12-31T23:59,1\ntest,2026-02-03,2\n")
    before = set(state(tree))
    assert add(tree, "runs", str(tmp_path / "jobs.csv")) == 0
    assert (tree / RUNS / "2025-12.yaml").read_text("utf-8") == (
        f"{SCHEMA_COMMENT}- {{end: 2025-12-31T23:59, item: test, gpu_hours: 1}}\n"
    )
    assert set(state(tree)) - before == {str(tree / RUNS / "2025-12.yaml")}


def test_a_file_can_be_named(tree: Path) -> None:
    assert add(tree, "run", "--project", "demo", "--item", "test", "--gpu-hours", "1", "--file", "final") == 0
    assert (tree / RUNS / "final.yaml").read_text("utf-8").endswith("- {date: 2026-02-20, item: test, gpu_hours: 1}\n")


def test_over_the_plan_draws_on_the_contingency(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(tree, "run", "--item", "train", "--seed", "2", "--gpus", "8", "--wall-hours", "9") == 0
    out = capsys.readouterr().out
    assert "  over by 5 GPU-h: Training\n  over by 35 GPU-h: Training, seed 2\n" in out
    # Seed 2 took 75 of its 40 hours, and 2 unplanned hours were drawn before: 37 of 9.
    assert (
        "  contingency:    ████████ 411% drawn; 28 GPU-h more than its 9\n    before:       █░░░░░░░ 22% drawn; 7"
        in out
    )
    assert add(tree, "run", "--item", "side-show", "--unplanned", "--gpu-hours", "1") == 0
    assert f"  {'Unplanned':40}{2:>10}{3:>10}\n" in capsys.readouterr().out


def test_all_that_is_wrong_is_told_at_once_and_nothing_written(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    words = ["--item", "trian", "--seed", "9", "--gpus", "4", "--wall-hours", "1:30", "--date", "2026-02-21"]
    assert add(tree, "run", *words, "--status", "complete", "--progress", "7/5", "--note", "a\x00b") == 2
    assert "U+0000 is not allowed in a text" in capsys.readouterr().err
    assert add(tree, "run", *words, "--status", "complete", "--progress", "7/5") == 2
    out, err = capsys.readouterr()
    own = f"{RUNS}/2026-02-21-trian-s9-000002.yaml"
    assert out == ""
    assert err.splitlines() == [
        f"{own}:2:10: `2026-02-21` has not come yet; today is 2026-02-20 [not-yet]",
        f"{own}:2:28: there is no item `trian` in the plan; did you mean `train`? Otherwise add it to"
        " plan.yaml, or write `unplanned: true` [no-such-item]",
        f"{own}:2:41: `9` is not a seed of this project; the seeds are 1, 2 [no-such-seed]",
        f"{own}:2:66: `1:30` looks like a clock time; write hours as a decimal, or `1 h 30 min` [clock-time]",
        f"{own}:2:81: `complete` is not allowed here; did you mean `completed`? [unknown-word]",
        f"{own}:2:101: `done` is more than `total`; write at most the total as `done` [progress-total]",
        "6 problems in 1 file",
        "Nothing written. The entry would have been:",
        "- {date: 2026-02-21, item: trian, seed: 9, gpus: 4, wall_hours: '1:30', status: complete,"
        " progress: {done: 7, total: 5}}",
    ]
    assert state(tree) == before


REFUSED = [
    (["--item", "train"], "--gpus and --wall-hours are missing; or give --gpu-hours"),
    (
        ["--gpus", "2"],
        "--item is missing: the item of the plan\n--wall-hours is missing; or give",
    ),
    (["dmo", "--item", "train", *HOURS], "there is no project `dmo`; did you mean `demo`?"),
    (["../x", "--item", "train", *HOURS], "there is no project `../x`; there are `demo`"),
    (["--item", "train", *HOURS, "--start", "2026-02-03", "--end", "2026-02-01"], "the run ends before it starts"),
    (["--item", "train", *HOURS, "--end", "2026-02-20T13:00+01:00"], "`2026-02-20T13:00+01:00` has not come yet"),
    (["--item", "train", *HOURS, "--date", "2027"], "`2027` has not come yet; today is 2026-02-20"),
    (["--item", "train", "--gpus", "-1", "--wall-hours", "2"], "`-1` is negative; write zero or more"),
    (
        ["--item", "train", *HOURS, "--gpu", "crad"],
        "there is no `crad` in ledger/catalog/gpus.yaml; did you mean `card`?",
    ),
    (["--item", "train", *HOURS, "--note", ""], "the text is empty"),
]


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=lambda one: str(one)[-30:])
def test_it_is_refused(words: list[str], says: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    assert add(tree, "run", *words) == 2
    assert says in capsys.readouterr().err
    assert state(tree) == before


@pytest.mark.parametrize("words", [["--progress", "60%"], ["--file", "../x"], ["--file", ".x"], ["--seeed", "1"]])
def test_options_that_are_none(words: list[str], tree: Path) -> None:
    with pytest.raises(SystemExit) as end:
        add(tree, "run", "--item", "train", *HOURS, *words)
    assert end.value.code == 2


def test_several_projects_need_a_name(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, {"ledger/twin/project.yaml": "title: T\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\n"})
    assert add(tree, "run", "--item", "train", *HOURS) == 2
    assert capsys.readouterr().err == "name the project; there are `demo`, `twin`\n"


def test_a_job_is_added_once(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--item", "train", "--seed", "1", *HOURS, "--job", "48211"]
    assert add(tree, *words) == 0
    before = state(tree)
    assert add(tree, *words, "--date", "2026-01-30") == 2
    assert capsys.readouterr().err == (
        f"job `48211` is already in the ledger: {RUNS}/2026-02-20-train-s1-000001.yaml:2\n"
        f"To change that entry: python budget.py --root {tree} update run demo --job 48211 --date 2026-01-30\n"
        "Nothing written.\n"
    )
    assert state(tree) == before


def test_a_ledger_with_problems_takes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / RUNS / "2026-03.yaml").write_text("- {item: train, gpu_hours: 1,0}\n")
    assert add(tree, "run", "--item", "train", *HOURS) == 2
    assert f"{RUNS}/2026-03.yaml:1:" in capsys.readouterr().err


def test_a_list_in_brackets_is_left_alone(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tree / RUNS / "2026-02.yaml"
    file.write_text("[{item: test, gpu_hours: 1}]\n")
    assert add(tree, "run", "--item", "train", *HOURS, "--file", "2026-02") == 2
    assert "does not begin its entries with `- `" in capsys.readouterr().err
    assert file.read_text() == "[{item: test, gpu_hours: 1}]\n"


def test_a_link_and_permissions_stay(tree: Path) -> None:
    file, real = tree / RUNS / "2026-02.yaml", tree / "ledger/demo/real.txt"
    file.rename(real)
    real.chmod(0o664)
    file.symlink_to("../real.txt")
    assert add(tree, "run", "--item", "train", *HOURS, "--file", "2026-02") == 0
    assert file.is_symlink()
    assert real.read_text("utf-8").endswith("wall_hours: 2.5}\n")
    assert real.stat().st_mode & 0o777 == 0o664


def test_in_a_folder_inside_a_tree_the_tree_is_named(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "notes/old").mkdir(parents=True)
    monkeypatch.chdir(tree / "notes/old")
    for words in (["check"], ["add", "run", "demo", "--item", "train", *HOURS]):
        assert main(words) == 2
        told = capsys.readouterr()
        assert (
            "no folder `ledger` under the root; name the repository of this folder: --root ../.. [no-ledger]\n"
            in told.out + told.err
        )


TABLE = """\
JobID,Run,Seed,End,Hours,gpus,State,User,progress
100,train,1,2026-01-31,2,4,COMPLETED,me,
101,train,2,2026-02-01,2,4,OUT_OF_MEMORY,me,1/3

"102",test,,2026-02-03,0.5,1,completed,"m, e",
"""
MAP = ["--map", "JobID=job", "Run=item", "Seed=seed", "End=end", "Hours=wall_hours", "--map", "State=status", "User="]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("00:45:00", "45 min"),
        ("1-02:45:10", "1 d 2 h 45 min 10 s"),
        ("26:00:00", "26 h"),
        ("45:10", ""),
        ("1:99:00", ""),
    ],
)
def test_a_time_by_the_clock_is_read_as_schedulers_write_it(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], cell: str, written: str
) -> None:
    """Two numbers may be hours or minutes, and no hour has 99 minutes: those are refused."""
    table = tmp_path / "jobs.csv"
    table.write_text(f"item,date,gpus,Elapsed\ntest,2026-02-03,1,{cell}\n", "utf-8")
    done = add(tree, "runs", str(table), "--map", "Elapsed=wall_hours", "--anyway")
    told = capsys.readouterr()
    assert done == (0 if written else 2), told
    if written:
        assert f"gpus: 1, wall_hours: {written}}}" in (tree / RUNS / "2026-02.yaml").read_text("utf-8")
    else:
        assert f"`{cell}` looks like a clock time" in told.out + told.err


def test_a_table_is_added_once(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "jobs.csv"
    table.write_text("\ufeff" + TABLE, "utf-8")
    assert add(tree, "run", "--item", "test", "--gpu-hours", "0.5", "--job", "102") == 0
    capsys.readouterr()
    assert add(tree, "runs", str(table), *MAP) == 0
    assert capsys.readouterr().out.startswith("Added 2 runs; 1 row skipped (job already in the ledger).\n")
    assert (tree / RUNS / "2026-02.yaml").read_text("utf-8").splitlines()[-1] == (
        "- {end: 2026-02-01, item: train, seed: 2, gpus: 4, wall_hours: 2, status: out-of-memory,"
        " progress: {done: 1, total: 3}, job: 101}"
    )
    before = state(tree)
    assert add(tree, "runs", str(table), "demo", *MAP) == 0
    assert capsys.readouterr().out == (
        "Added 0 runs; 3 rows skipped (job already in the ledger).\n"
        "1 of these rows says something else than the entry; change it with `update run`:\n"
        f"  {table}:5: end, gpus, wall_hours, for {RUNS}/2026-02-20-test-000001.yaml:2\n"
        f"    python budget.py --root {tree} update run demo --job 102 --end 2026-02-03 --gpus 1 --wall-hours 0.5\n"
    )
    assert state(tree) == before


def test_a_project_can_keep_the_names_of_columns(tree: Path, tmp_path: Path) -> None:
    project = tree / "ledger/demo/project.yaml"
    pairs = "JobID: job, Run: item, Seed: seed, End: end, Hours: wall_hours, State: status"
    project.write_text(project.read_text("utf-8") + f"csv: {{{pairs}}}\n", "utf-8")
    (tmp_path / "jobs.csv").write_text(TABLE.replace(",", ";").replace("m; e", "m, e"), "utf-8")
    assert add(tree, "runs", str(tmp_path / "jobs.csv"), "--map", "User=", "--file", "jobs") == 0
    assert (tree / RUNS / "jobs.yaml").read_text("utf-8").count("\n- {end: ") == 3


def test_a_table_need_not_have_the_columns_that_a_project_names(tree: Path, tmp_path: Path) -> None:
    """What `csv:` says is for all tables; `--map` speaks of this one, and goes before it."""
    project = tree / "ledger/demo/project.yaml"
    project.write_text(project.read_text("utf-8") + "csv: {JobID: job, Hours: wall_hours, Run: item}\n", "utf-8")
    (tmp_path / "other.csv").write_text("date,item,Hours\n2026-02-01,train,2\n", "utf-8")
    assert add(tree, "runs", str(tmp_path / "other.csv"), "--map", "Hours=gpu_hours", "--file", "other") == 0
    assert "item: train, gpu_hours: 2}" in (tree / RUNS / "other.yaml").read_text("utf-8")


def test_all_problems_of_all_rows_are_told_by_their_line(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        "date,item,gpu_hours,job,progress,note",
        "2026-02-01,train,2,7,,fine",
        "2026-02-01,trian,2,,,",
        '2026-01-01,train,-2,,,"over',
        'two lines"',
        "2026-03-01,train,,7,4,",
        "2026-02-01,train,1",
        ",train,1,,,",
    ]
    Path("jobs.csv").write_text("\n".join(rows), "utf-8")
    before = state(tree)
    assert add(tree, "runs", "jobs.csv") == 2
    told = capsys.readouterr().err.splitlines()
    assert [line.split("; ", 1)[0] for line in told] == [
        "jobs.csv:3: there is no item `trian` in the plan",
        "jobs.csv:4: `-2` is negative",
        "jobs.csv:6: `2026-03-01` has not come yet",
        "jobs.csv:6: `4` is not a progress",
        "jobs.csv:6: job `7` is entered twice",
        "jobs.csv:6: the GPU-hours of this run are missing",
        "jobs.csv:7: this row has 3 cells, the first 6",
        "jobs.csv:8: this row has no day",
        "8 problems in jobs.csv",
    ]
    assert state(tree) == before


COLUMNS = [
    ("date,itm,gpu_hours\n", [], "jobs.csv:1: `itm` is not a field of a run; did you mean `item`"),
    (
        "date,item,gpu_hours,x\n",
        [],
        "jobs.csv:1: `x` is not a field of a run; map it with --map 'x=FIELD', or skip it with `x=`",
    ),
    ("date,item,gpu_hours\n", ["--map", "Itm=item"], "jobs.csv:1: there is no column `Itm`"),
    (
        "date,item,gpu_hours,d\n",
        ["--map", "d=date"],
        "jobs.csv:1: two columns hold `date`; skip one with --map 'd='",
    ),
    ("date,gpu_hours\n", [], "jobs.csv:1: there is no column for `item`; name it with --map COLUMN=item"),
    ("", [], "jobs.csv:1: the table is empty; its first row names the columns"),
    (
        'date,item,gpu_hours\n"a',
        [],
        "jobs.csv:1: this is not CSV from line 2 on: unexpected end of data; check for a missing quote",
    ),
    (
        'date,item,gpu_hours\n"a"b,1,2',
        [],
        "jobs.csv:1: this is not CSV from line 2 on: ',' expected after '\"'; check for a missing quote",
    ),
    (
        "date,item,gpu_hours\n" + "a" * 140_000,
        [],
        "jobs.csv:1: this is not CSV from line 2 on: field larger than field limit (131072);",
    ),
]


@pytest.mark.parametrize(("text", "words", "says"), COLUMNS, ids=lambda one: str(one)[:30])
def test_columns_that_mean_nothing(
    text: str,
    words: list[str],
    says: str,
    tree: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tree)
    Path("jobs.csv").write_text(text, "utf-8")
    assert add(tree, "runs", "jobs.csv", *words) == 2
    assert says in capsys.readouterr().err


def in_terminal(tree: Path, words: list[str], answers: list[tuple[str, str]]) -> tuple[int, str]:
    """The exit code and all that a terminal shows; each answer is given when its question stands there."""
    leader, follower = pty.openpty()
    command = [sys.executable, str(ROOT / "budget.py"), "--root", str(tree), "add", "run", *words]
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, close_fds=True) as process:
        os.close(follower)
        shown, said, waiting, until = "", 0, list(answers), time.monotonic() + 60
        while time.monotonic() < until:
            if select.select([leader], [], [], 0.2)[0]:
                try:
                    piece = os.read(leader, 4096)
                except OSError:
                    break
                shown += piece.decode("utf-8", "replace")
            if waiting and shown[said:].rstrip("\n").endswith(waiting[0][0]):
                said = len(shown)
                os.write(leader, waiting.pop(0)[1].encode())
        process.kill() if process.poll() is None and time.monotonic() >= until else None
    os.close(leader)
    assert waiting == [], shown
    return process.returncode, shown


def test_a_terminal_asks_for_what_is_missing(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    answers = [
        ("Item (train, test): ", "trian\n"),
        ("Item (train, test): ", "train\n"),
        ("Seed (1, 2; Enter for none): ", "3\n"),
        ("Seed (1, 2; Enter for none): ", "2\n"),
        ("): ", "2025-01-09\n"),
        ("GPUs held, over all nodes (Enter for 1): ", "\n"),
        ("Wall-clock hours (Enter to give GPU-hours instead): ", "1:30\n"),
        ("Wall-clock hours (Enter to give GPU-hours instead): ", "1.5\n"),
        ("Status (Enter for completed): ", "\n"),
        ("Note (Enter for none): ", "it's done\n"),
        ("Done of the task, such as 3/5 (1/1 if finished; Enter if unknown): ", "all\n"),
        ("Done of the task, such as 3/5 (1/1 if finished; Enter if unknown): ", "1/1\n"),
    ]
    code, shown = in_terminal(tree, ["--job", "5"], answers)
    assert code == 0, shown
    assert "there is no item `trian` in the plan; did you mean `train`?" in shown
    assert "`3` is not a seed of this project; the seeds are 1, 2" in shown
    assert "`1:30` looks like a clock time" in shown
    assert "`all` is not a progress" in shown
    (file,) = (tree / RUNS).glob("2025-01-09-train-s2-??????.yaml")
    assert file.read_text("utf-8").splitlines()[-1] == (
        "- {date: 2025-01-09, item: train, seed: 2, gpus: 1, wall_hours: 1.5, status: completed, "
        "progress: {done: 1, total: 1}, job: 5, note: 'it''s done'}"
    )


def test_nothing_is_asked_where_nothing_is_missing_and_the_end_of_input_ends_it(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    code, shown = in_terminal(tree, ["--item", "test", "--gpu-hours", "1", "--date", "2025-01-09"], [])
    assert (code, "): " in shown) == (0, False)
    before = state(tree)
    code, shown = in_terminal(tree, ["--item", "test"], [("): ", "\x04")])
    assert (code, state(tree)) == (2, before), shown
    assert "the input ended; nothing written" in shown


TWO_PAYERS = {
    "ledger/allocations.yaml": "".join(
        f"{name}: {{title: {name}, gpu: card, gpu_hours: 90, since: {since}, projects: [demo]}}\n"
        for name, since in (("north", 2025), ("south", "2026-03"))
    ),
    "ledger/catalog/gpus.yaml": "card: {title: Card}\nother: {title: Other, counts_as: {card: 2x}}\n",
}


def test_card_and_payer_are_asked_for_where_more_than_one_is_possible(tmp_path: Path) -> None:
    """South pays from March on, and neither takes the other card."""
    tree = plant(tmp_path / "tree", {**SMALL, **TWO_PAYERS})
    run = "- {date: 2026-01-04, item: test, gpu: other, gpus: 1, wall_hours: 1}\n"
    plant(tree, {"ledger/demo/runs/2026-01.yaml": run})
    words = ["--item", "test", "--gpus", "1", "--wall-hours", "1", "--progress", "1/1", "--date"]
    answers = [("Who pays (north, south, none): ", "east\n"), ("Who pays (north, south, none): ", "south\n")]
    rest = [("Status (Enter for completed): ", "\n"), ("Note (Enter for none): ", "\n")]
    code, shown = in_terminal(tree, [*words, "2026-03-04", "--gpu", "card"], [*answers, *rest])
    assert code == 0, shown
    assert "there is no `east` in allocations.yaml" in shown
    (file,) = (tree / RUNS).glob("2026-03-04-test-??????.yaml")
    assert "allocation: south" in file.read_text("utf-8")
    for day, card in (("2026-02-04", "card"), ("2026-03-05", "other")):
        code, shown = in_terminal(tree, [*words, day, "--gpu", card], [])
        assert (code, "Who pays" in shown) == (0, False), shown
    code, shown = in_terminal(tree, [*words[:-3], "--date", "2026-02-07"], [])
    assert code == 0, shown
    code, shown = in_terminal(tree, ["--item", "test", "--date", "2026-02-08", "--gpu-hours", "1"], [])
    assert code == 0, shown
    asked = [("GPU (card, other) (Enter for other): ", "\n"), ("GPUs held, over all nodes (Enter for 1): ", "\n")]
    hours = [("Wall-clock hours (Enter to give GPU-hours instead): ", "1\n")]
    code, shown = in_terminal(
        tree, ["--item", "test", "--date", "2026-02-09", "--progress", "1/1"], [*asked, *hours, *rest]
    )
    assert code == 0, shown
    (file,) = (tree / RUNS).glob("2026-02-09-test-??????.yaml")
    assert "gpu: other" in file.read_text("utf-8")


def test_an_entry_of_a_line_of_money_needs_a_cost_and_no_hours(tree: Path) -> None:
    plan = (
        SMALL["ledger/demo/plan.yaml"] + "more: {title: More, items: {api: {title: API, scope: one-time, usd: 20}}}\n"
    )
    plant(tree, {"ledger/demo/plan.yaml": plan})
    assert add(tree, "run", "--item", "api", "--cost-usd", "5", "--date", "2026-01-09") == 0
    (file,) = (tree / RUNS).glob("2026-01-09-api-??????.yaml")
    assert file.read_text("utf-8").endswith("- {date: 2026-01-09, item: api, cost_usd: 5}\n")
    assert add(tree, "run", "--item", "train", "--seed", "1", "--cost-usd", "5") == 2


def test_how_much_is_done_is_asked_only_where_a_run_does_not_tell(tmp_path: Path) -> None:
    """Seed 2 has lost 3 hours of 40: a completed run of 17 ends it, one of 16 says nothing."""
    words = ["--item", "train", "--seed", "2", "--date", "2026-02-20", "--gpu-hours"]
    question = "Done of the task, such as 3/5 (1/1 if finished; Enter if unknown): "
    for number, (hours, answers) in enumerate((("17", []), ("16", [(question, "2/5\n")]), ("16", [(question, "\n")]))):
        tree = plant(tmp_path / str(number))
        code, shown = in_terminal(tree, [*words, hours], answers)
        (file,) = (tree / RUNS).glob("2026-02-20-train-s2-??????.yaml")
        assert (code, "progress: {done: 2, total: 5}" in file.read_text("utf-8")) == (0, number == 1), shown


def test_how_far_a_running_run_is_is_asked_and_of_a_failed_one_nothing(tmp_path: Path) -> None:
    words = ["--item", "train", "--seed", "2", "--date", "2026-02-20", "--gpu-hours", "9", "--status"]
    question = "Done so far of the task, such as 3/5 (Enter if unknown): "
    for status, answers in (("running", [(question, "1/5\n")]), ("failed", [])):
        tree = plant(tmp_path / status)
        code, shown = in_terminal(tree, [*words, status], answers)
        (file,) = (tree / RUNS).glob("2026-02-20-train-s2-??????.yaml")
        assert (code, "progress: {done: 1, total: 5}" in file.read_text("utf-8")) == (0, bool(answers)), shown


def test_a_pipe_is_told_what_is_not_known_any_more(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(tree, "run", "--item", "train", "--seed", "2", "--gpu-hours", "40", "--status", "completed") == 0
    assert "  complete:       100% of the work" in capsys.readouterr().out
    assert add(tree, "run", "--item", "test", "--gpu-hours", "1", "--attempt", "2") == 0
    capsys.readouterr()
    other = plant(tree.parent / "other")
    (other / RUNS / "2026-02.yaml").write_text("", "utf-8")
    assert add(other, "run", "--item", "train", "--seed", "2", "--gpu-hours", "40") == 0
    capsys.readouterr()
    assert add(other, "run", "--item", "test", "--gpu-hours", "1") == 0
    out = capsys.readouterr().out
    assert "  complete:       not known: the ledger does not say how much is done" in out
    assert (
        "  warning: Testing: it is not known what its completed runs finished (progress-unknown:demo.plan.test#plan)"
        in out
    )
