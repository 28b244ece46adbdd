"""The comparison of two commits: it asks the program of a checkout, and tells what differs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.same import HOME, ask, compare
from scripts.trees import Tree
from tests.reading import ROOT
from tests.small import plant


def test_a_tree_is_asked_and_what_it_became_is_kept(tmp_path: Path) -> None:
    """The program of this checkout writes a run into a small tree: what it says, and the files afterwards."""
    ready, out = tmp_path / "trees", tmp_path / "out"
    plant(ready / "small")
    out.mkdir()
    added = ["add", "run", "demo", "--item", "train", "--seed", "1", "--date", "2026-02-03", "--gpu-hours", "3"]
    tree = Tree("small", [["status"], added, ["status", "nothing"]], writes=True)
    ask(ROOT, [tree.task(ready)], ready, out, HOME)
    answers = {path.name: path.read_text("utf-8") for path in sorted((out / "small").glob("*.txt"))}
    assert [text.splitlines()[0] for text in answers.values()] == ["exit 0", "exit 0", "exit 2"], answers
    assert "Demo 1.0 (demo)" in answers["0000-status.txt"]
    runs = "".join(path.read_text("utf-8") for path in (out / "small/files/ledger/demo").rglob("*.yaml"))
    assert "2026-02-03" in runs
    assert "2026-02-03" not in "".join(path.read_text("utf-8") for path in (ready / "small").rglob("*.yaml"))


def test_what_differs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = plant(tmp_path / "old", {"a.txt": "1", "b.txt": "2", "c.md": "drawn by ab"})
    new = plant(tmp_path / "new", {"a.txt": "1", "b.txt": "3", "c.md": "drawn by cd"})
    assert compare(old, new) == 1
    assert capsys.readouterr().out == (
        "DIFFERS: b.txt\n  -2\n  +3\nspecification or stamp: c.md\n"
        "3 files compared: 1 differ, 1 in specifications or stamps only\n"
    )


@pytest.mark.full
def test_the_same_ledger_makes_the_same_bytes_elsewhere() -> None:
    """All that writes, and some ledgers changed by chance: with other hashes, in another time zone and locale."""
    words = [".", "--chance", "2", "--explain", "2", "--only", "written", "imports", "chance"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/same.py"), *words], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
