"""Many who add at once, those who are killed while they do, and branches that meet."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.load.run_format import SCHEMA_COMMENT
from reckon.publish.journal import LOCK
from tests.hub import git
from tests.killing import COMMAND, killed
from tests.small import plant
from tests.trying import LONG

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
RUNS = "ledger/demo/runs"
TURNS = 25 if LONG else 6
"""How many runs each of eight people adds."""
KILLED = 12 if LONG else 4
"""How many people are killed while they add."""
TOGETHER = """
import sys
from reckon.cli import main
root, who, count, file = sys.argv[1:]
for number in range(int(count)):
    job = f"{who}-{number}"
    code = main(["--root", root, "add", "run", "--item", "train", "--seed", "1", "--gpu-hours", "0.125",
                 "--date", "2025-11-03", "--job", job, *(["--file", file] if file else [])])
    assert code == 0, job
    print("written", job, flush=True)
"""


def adds(root: Path, who: str, count: int, file: str = "") -> subprocess.Popen[str]:
    """Somebody who adds one run after the other, in a process of their own: into a file, or each into its own."""
    command = [sys.executable, "-c", TOGETHER, str(root), who, str(count), file]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def hours(root: Path) -> str:
    ledger, problems = load(root)
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return str(book["demo.plan.train.actual"].use)


def jobs(root: Path) -> list[str]:
    ledger, problems = load(root)
    assert [str(one) for one in problems] == []
    return [str(run.job) for file in ledger.projects["demo"].runs for run in file.runs if run.job]


def litter(root: Path) -> list[str]:
    return [path.name for path in (root / "ledger").rglob(".*") if path.name != ".schema"]


@pytest.mark.long
def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    people = [adds(tree, f"p{number}", TURNS, "2025-10" if number % 2 else "") for number in range(8)]
    for one in people:
        out, err = one.communicate(timeout=300)
        assert (one.returncode, err) == (0, ""), out[-500:]
    wanted = sorted(f"p{number}-{turn}" for number in range(8) for turn in range(TURNS))
    assert sorted(jobs(tree)) == wanted
    assert hours(tree) == str(13 + TURNS)  # eight people, an eighth of a GPU-hour each
    text = (tree / RUNS / "2025-10.yaml").read_text("utf-8")
    assert text.startswith(SCHEMA_COMMENT)
    assert (text.count("\n"), text.count(SCHEMA_COMMENT)) == (4 * TURNS + 1, 1)
    own = list((tree / RUNS).glob("2025-11-03-train-s1-??????.yaml"))
    assert [path.read_text("utf-8").count("\n") for path in own] == [2] * 4 * TURNS
    assert litter(tree) == []
    assert main(["--root", str(tree), "tidy"]) == 0
    assert sorted(jobs(tree)) == wanted
    assert hours(tree) == str(13 + TURNS)  # eight people, an eighth of a GPU-hour each
    assert (tree / RUNS / "2025-11.yaml").read_text("utf-8").count("\n") == 4 * TURNS + 1
    assert not any(path.exists() for path in own)


def test_two_who_type_the_same_run_at_the_same_time_have_two_entries(tmp_path: Path) -> None:
    """No name is shared, so their branches hold two files, and nothing meets."""
    names = []
    for who in ("ours", "theirs"):
        tree = plant(tmp_path / who)
        before = set((tree / RUNS).iterdir())
        words = ["--item", "test", "--gpu-hours", "1", "--date", "2026-02-03"]
        assert main(["--root", str(tree), "add", "run", *words]) == 0
        names += [path.name for path in set((tree / RUNS).iterdir()) - before]
    assert len(set(names)) == 2


@pytest.mark.long
def test_who_is_killed_leaves_the_file_as_it_was_or_whole(tmp_path: Path) -> None:
    tree, chance, known = plant(tmp_path / "tree"), random.Random(5), set[str]()
    for turn in range(KILLED):
        one = adds(tree, f"t{turn}", 1000, "2025-11" if turn % 2 else "")
        assert one.stdout is not None
        first = one.stdout.readline()  # the imports are done: from here on it only reads and writes
        time.sleep(chance.random() / 4)
        one.send_signal(signal.SIGKILL)
        told = first + one.stdout.read()
        one.communicate(timeout=60)
        said = {line.split()[1] for line in told.splitlines() if line.startswith("written ")}
        there = set(jobs(tree))
        assert known | said <= there
        assert len(there - known - said) <= 1  # written, and killed before it could be said
        known = there
    assert (tree / RUNS / "2025-11.yaml").read_bytes().endswith(b"}\n")
    # What they left behind stands in nobody's way.
    assert main(["--root", str(tree), "add", "run", "--item", "test", "--gpu-hours", "1"]) == 0
    assert litter(tree) == []


STEPS = ["os.open", "os.fsync", "os.replace", "os.link", "os.close", "pathlib.Path.chmod", "pathlib.Path.unlink"]
ADD = ("add", "run", "--item", "train", "--gpu-hours", "1", "--date", "2025-01-09", "--job", "new")
IMPORTS, MAIN = COMMAND
ALL = (
    f"{IMPORTS}; import reckon.load.reader, reckon.compute.calculation, reckon.load.run_format, reckon.present.terminal"
)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_each_step_can_be_the_last(step: str, when: str, tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    file = tree / RUNS / "2026-01.yaml"
    before = file.read_text("utf-8")
    file_too = ("--file", "2026-01") if step != "os.link" else ()
    assert killed(ALL, MAIN, step, 1, when, "--root", tree, *ADD, *file_too)
    line = "- {date: 2025-01-09, item: train, gpu_hours: 1, job: new}\n"
    own = [path.read_text("utf-8") for path in (tree / RUNS).glob("2025-01-09-*")]
    assert (file.read_text("utf-8"), own) in ((before, []), (before + line, []), (before, [SCHEMA_COMMENT + line]))
    there = jobs(tree)
    code = main(["--root", str(tree), "add", "run", "--item", "test", "--gpu-hours", "1", "--job", "next"])
    assert (code, jobs(tree)) == (0, [*there, "next"])
    assert LOCK not in litter(tree)


@pytest.mark.parametrize("number", range(1, 5))
def test_a_table_over_several_months_is_added_whole_whoever_is_killed(number: int, tmp_path: Path) -> None:
    """Each file that is moved into place can be the last: the next who adds completes it, and loses nothing."""
    tree, table = plant(tmp_path / "tree"), tmp_path / "jobs.csv"
    rows = [f"test,2025-{month}-03,1,{month}" for month in (10, 11, 12)]
    table.write_text("\n".join(["item,date,gpu_hours,job", *rows]), "utf-8")
    assert killed(IMPORTS, MAIN, "os.replace", number, "after", "--root", tree, "add", "runs", table)
    assert main(["--root", str(tree), "add", "run", "--item", "test", "--gpu-hours", "1", "--job", "next"]) == 0
    assert jobs(tree) == ["10", "11", "12", "next"]
    assert litter(tree) == []


@pytest.mark.skipif(not shutil.which("git"), reason="git is not here")
def test_two_branches_that_add_runs_meet_without_a_conflict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a forge merges: without a working tree, and so without attributes."""
    tree = plant(tmp_path / "tree")
    shutil.copy(ROOT / ".gitignore", tree / ".gitignore")
    words = ["--item", "train", "--seed", "1", "--gpu-hours", "1", "--date", "2025-12-09"]
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Start")
    for branch in ("ours", "theirs"):
        git(tree, "checkout", "-qb", branch, "main")
        for number in (1, 2):  # the same run, but for its job
            assert main(["--root", str(tree), "add", "run", *words, "--job", f"{branch}-{number}"]) == 0
        git(tree, "add", "ledger")
        git(tree, "commit", "-qm", f"Runs of {branch}")
    (merged,) = git(tree, "merge-tree", "--write-tree", "ours", "theirs").split()
    git(tree, "checkout", "-q", merged, "--", ".")
    wanted = [f"{branch}-{number}" for branch in ("ours", "theirs") for number in (1, 2)]
    for _ in range(2):
        assert sorted(jobs(tree)) == wanted
        assert hours(tree) == str(13 + 4)
        assert main(["--root", str(tree), "tidy"]) == 0
    assert capsys.readouterr().out.count("merged ledger/demo/runs/2025-12-09-train-s1-") == 4
    text = (tree / RUNS / "2025-12.yaml").read_text("utf-8")
    assert (text.count(SCHEMA_COMMENT), text.count("\n")) == (1, 5)
    assert git(tree, "status", "--porcelain", "--ignored").count("!!") == 0
