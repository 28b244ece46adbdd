"""Many who add at once, those who are killed while they do, and branches that meet."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reckon.compute.reckoning import reckon
from reckon.door import main
from reckon.load.entry import SCHEMA_COMMENT
from reckon.load.reader import load
from reckon.publish import append
from reckon.publish.append import LOCK
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
RUNS = "ledger/demo/runs"
TOGETHER = """
import sys
from reckon.door import main
root, who, count, month = sys.argv[1:]
for number in range(int(count)):
    job = f"{who}-{number}"
    code = main(["--root", root, "add", "run", "--item", "train", "--seed", "1", "--gpu-hours", "0.125",
                 "--date", f"2025-{month}-03", "--job", job])
    assert code == 0, job
    print("written", job, flush=True)
"""


def adds(root: Path, who: str, count: int, month: str = "11") -> subprocess.Popen[str]:
    """Somebody who adds one run after the other, in a process of their own."""
    command = [sys.executable, "-c", TOGETHER, str(root), who, str(count), month]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def hours(root: Path) -> str:
    ledger, problems = load(root)
    book, more = reckon(ledger)
    assert [str(one) for one in problems + more] == []
    return str(book["demo.plan.train.actual"].use)


def jobs(root: Path) -> list[str]:
    ledger, problems = load(root)
    assert [str(one) for one in problems] == []
    return [str(run.job) for file in ledger.projects["demo"].runs for run in file.runs if run.job]


def litter(root: Path) -> list[str]:
    return [path.name for path in (root / "ledger").rglob(".*") if path.name != ".schema"]


def test_two_hundred_at_once_lose_nothing(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    people = [adds(tree, f"p{number}", 25, "10" if number % 4 else "11") for number in range(8)]
    for one in people:
        out, err = one.communicate(timeout=300)
        assert (one.returncode, err) == (0, ""), out[-500:]
    wanted = sorted(f"p{number}-{turn}" for number in range(8) for turn in range(25))
    assert sorted(jobs(tree)) == wanted
    assert hours(tree) == str(13 + 25)
    for month, count in (("10", 150), ("11", 50)):
        text = (tree / RUNS / f"2025-{month}.yaml").read_text("utf-8")
        assert text.startswith(SCHEMA_COMMENT)
        assert text.count("\n") == count + 1
        assert text.count(SCHEMA_COMMENT) == 1
    assert litter(tree) == []


def test_who_is_killed_leaves_the_file_as_it_was_or_whole(tmp_path: Path) -> None:
    tree, chance, known = plant(tmp_path / "tree"), random.Random(5), set[str]()
    for turn in range(12):
        one = adds(tree, f"t{turn}", 1000)
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
    assert [name for name in litter(tree) if not name.endswith(".tmp")] == []


STEPS = ["os.open", "os.fsync", "os.replace", "os.close", "pathlib.Path.chmod", "pathlib.Path.unlink"]
KILLED = """
import importlib, os, signal, sys
root, step, after = sys.argv[1], sys.argv[2], sys.argv[3] == "after"
from reckon.door import main
import reckon.load.reader, reckon.compute.reckoning, reckon.load.entry, reckon.load.table
import reckon.present.terminal, pathlib
module, _, name = step.rpartition(".")
owner = pathlib.Path if module == "pathlib.Path" else importlib.import_module(module)
was = getattr(owner, name)
def dies(*words, **more):
    if after:
        was(*words, **more)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(owner, name, dies)
main(["--root", root, "add", "run", "--item", "train", "--gpu-hours", "1", "--date", "2025-01-09", "--file", "2026-01",
      "--job", "new"])
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_each_step_can_be_the_last(step: str, when: str, tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    file = tree / RUNS / "2026-01.yaml"
    before = file.read_text("utf-8")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tree), step, when], cwd=ROOT, timeout=60)
    assert done.returncode == -signal.SIGKILL
    line = "- {date: 2025-01-09, item: train, gpu_hours: 1, job: new}\n"
    assert file.read_text("utf-8") in (before, before + line)
    there = jobs(tree)
    code = main(["--root", str(tree), "add", "run", "--item", "test", "--gpu-hours", "1", "--job", "next"])
    assert (code, jobs(tree)) == (0, [*there, "next"])
    assert LOCK not in litter(tree)


def test_the_text_that_is_replaced_is_the_one_that_was_read(tmp_path: Path) -> None:
    file = tmp_path / "2026-01.yaml"
    file.write_text("theirs\n")
    with pytest.raises(append.Blocked, match="was changed by someone else just now"):
        append.replace_whole({tmp_path / "new.yaml": ("", "new\n"), file: ("mine\n", "mine\nand more\n")})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"2026-01.yaml": "theirs\n"}


def git(root: Path, *words: str) -> str:
    who = {f"GIT_{one}_{what}": "somebody@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=root, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("git"), reason="git is not here")
def test_two_branches_that_add_runs_meet_without_a_conflict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = plant(tmp_path / "tree")
    for name in (".gitattributes", ".gitignore"):
        shutil.copy(ROOT / name, tree / name)

    def add(file: str, job: str) -> None:
        words = [
            "--item",
            "train",
            "--seed",
            "1",
            "--gpu-hours",
            "1",
            "--date",
            "2025-12-09",
            "--file",
            file,
            "--job",
            job,
        ]
        assert main(["--root", str(tree), "add", "run", *words]) == 0

    git(tree, "init", "-q", "-b", "main")
    assert main(["--root", str(tree), "render"]) == 0
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Start")
    for branch in ("ours", "theirs"):
        git(tree, "checkout", "-qb", branch, "main")
        add("2026-01", f"{branch}-1")  # to a file that both know
        add("2026-03", f"{branch}-2")  # to one that each makes
        add("2026-03", f"{branch}-3")
        git(tree, "add", "ledger")
        git(tree, "commit", "-qm", f"Runs of {branch}")
    git(tree, "merge", "-q", "--no-edit", "ours")
    assert git(tree, "status", "--porcelain") == ""
    assert sorted(jobs(tree)) == [f"{branch}-{number}" for branch in ("ours", "theirs") for number in (1, 2, 3)]
    assert hours(tree) == str(13 + 6)
    assert (tree / RUNS / "2026-03.yaml").read_text("utf-8").count(SCHEMA_COMMENT) == 1
    capsys.readouterr()
    assert main(["--root", str(tree), "render", "--check"]) == 1
    assert main(["--root", str(tree), "render"]) == 0
    assert main(["--root", str(tree), "render", "--check"]) == 0
    assert "19" in (tree / "docs/demo/index.md").read_text("utf-8")
