"""Many who add and update at once, and those who are killed while they update."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.load.run_format import SCHEMA_COMMENT
from reckon.publish.journal import LOCK
from tests.killing import COMMAND, killed
from tests.small import plant
from tests.trying import LONG

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
RUNS = "ledger/demo/runs"
PEOPLE, TURNS = 8, 13 if LONG else 4
"""Each adds an entry and then updates it: 208 times somebody writes, or 64 times."""
TOGETHER = """
import sys
from reckon.cli import main
root, who, count, file = sys.argv[1:]
def does(*words):
    assert main(["--root", root, *words]) == 0, words
for number in range(int(count)):
    job = f"{who}-{number}"
    does("add", "run", "--item", "train", "--seed", "1", "--gpu-hours", "0.125", "--status", "running",
         "--date", "2025-11-03", "--job", job, *(["--file", file] if file else []))
    does("update", "run", "--job", job, "--gpu-hours", "0.25", "--remove", "status")
"""


@pytest.mark.long
def test_many_at_once_add_and_update_and_lose_nothing(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    people = []
    for number in range(PEOPLE):
        file = "2025-11" if number % 4 else ""
        command = [sys.executable, "-c", TOGETHER, str(tree), f"p{number}", str(TURNS), file]
        people.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    for person in people:
        _, err = person.communicate(timeout=600)
        assert (person.returncode, err) == (0, "")
    ledger, problems = load(tree)
    book, more = calculate(ledger)
    assert [str(problem) for problem in problems + more] == []
    found = {str(run.job): run for file in ledger.projects["demo"].runs for run in file.runs if run.job}
    assert sorted(found) == sorted(f"p{number}-{turn}" for number in range(PEOPLE) for turn in range(TURNS))
    assert {(run.gpu_hours, str(run.status)) for run in found.values()} == {(0.25, "completed")}
    assert str(book["demo.plan.train.actual"].use) == str(13 + PEOPLE * TURNS // 4)
    text = (tree / RUNS / "2025-11.yaml").read_text("utf-8")
    assert text.startswith(SCHEMA_COMMENT)
    assert text.count("\n") == 1 + TURNS * PEOPLE * 3 // 4
    assert [path.name for path in (tree / "ledger").rglob(".*") if path.name != ".schema"] == []


STEPS = ["os.open", "os.fsync", "os.replace", "os.close", "pathlib.Path.chmod", "pathlib.Path.unlink"]
UPDATE = ("update", "run", "--at", "ledger/demo/runs/2026-01.yaml:2", "--status", "completed", "--remove", "energy_kwh")
IMPORTS, MAIN = COMMAND


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_who_is_killed_at_any_step_leaves_the_old_file_or_the_new_one(step: str, when: str, tmp_path: Path) -> None:
    seen = []
    for number in (1, 2):
        tree = plant(tmp_path / f"{number}")
        file = tree / RUNS / "2026-01.yaml"
        before = file.read_text("utf-8")
        new = before.replace("failed, energy_kwh: 2}", "completed}")
        if not killed(f"{IMPORTS}; import reckon.cli.update", MAIN, step, number, when, "--root", tree, *UPDATE):
            assert number > 1
            assert file.read_text("utf-8") == new
            break
        assert file.read_text("utf-8") in (before, new)
        seen.append(file.read_text("utf-8") == new)
        # What was left behind stands in nobody's way.
        words = ["update", "run", "--at", f"{RUNS}/2026-01.yaml:2", "--status", "timeout"]
        assert main(["--root", str(tree), *words]) == 0
        assert "status: timeout" in file.read_text("utf-8")
        assert [path.name for path in (tree / "ledger").rglob(".*") if path.name in (LOCK, ".journal.json")] == []
    assert seen
    if step == "os.replace":
        assert seen == [when == "after"]


@pytest.mark.alone
@pytest.mark.long(only=True)
def test_two_hundred_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """Half of them add, into one file or each into its own; half update an entry of that file that stands there."""
    tree, many = plant(tmp_path / "tree"), 100
    rows = [
        f"- {{date: 2025-11-03, item: train, seed: 1, gpu_hours: 0.125, status: running, job: old-{number}}}\n"
        for number in range(many)
    ]
    (tree / RUNS / "2025-11.yaml").write_text(SCHEMA_COMMENT + "".join(rows), "utf-8")
    adds = [
        [
            "add",
            "run",
            "--item",
            "train",
            "--seed",
            "1",
            "--gpu-hours",
            "0.125",
            "--date",
            "2025-11-03",
            "--job",
            f"new-{number}",
            *(["--file", "2025-11"] if number % 2 else []),
        ]
        for number in range(many)
    ]
    updates = [
        ["update", "run", "--job", f"old-{number}", "--gpu-hours", "0.25", "--remove", "status"]
        for number in range(many)
    ]
    begin = [sys.executable, str(ROOT / "budget.py"), "--root", str(tree)]
    people = [
        subprocess.Popen([*begin, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for both in zip(adds, updates, strict=True)
        for words in both
    ]
    told = [(person.communicate(timeout=1800)[1], person.returncode) for person in people]
    assert [said for said in told if said != ("", 0)] == []
    ledger, problems = load(tree)
    assert [str(problem) for problem in problems] == []
    found = {str(run.job): run for file in ledger.projects["demo"].runs for run in file.runs if run.job}
    assert sorted(found) == sorted(f"{which}-{number}" for which in ("new", "old") for number in range(many))
    for number in range(many):
        was, added = found[f"old-{number}"], found[f"new-{number}"]
        assert (was.gpu_hours, str(was.status), added.gpu_hours) == (0.25, "completed", 0.125)
    text = (tree / RUNS / "2025-11.yaml").read_text("utf-8")
    assert text.count("\n") == 1 + many + many // 2
    assert [path.name for path in (tree / "ledger").rglob(".*") if path.name != ".schema"] == []
