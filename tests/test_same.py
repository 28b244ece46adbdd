"""The comparison of two commits: it asks the program of a checkout, and tells what differs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.same import compare
from tests.reading import ROOT
from tests.small import plant


def test_one_command_on_one_tree(tmp_path: Path) -> None:
    """The program of this checkout is asked for `status` of a small tree; its answer is written below a folder."""
    tree, out = plant(tmp_path / "tree"), tmp_path / "out"
    words = ["--ask", str(ROOT), str(tree), str(out), "--explain", "0", "--only", "status"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "same.py"), *words], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    names = [path.name.partition("-")[2] for path in sorted(out.iterdir())]
    assert names == ["status.txt", "status_demo.txt", "status_demo_--set_demo.seeds=5.txt"]
    for path in out.iterdir():
        text = path.read_text("utf-8")
        assert text.startswith("exit 0\n--- out\n"), path.name
        assert "Demo 1.0 (demo)" in text, path.name


def test_what_differs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = plant(tmp_path / "old", {"a.txt": "1", "b.txt": "2", "c.md": "drawn by ab"})
    new = plant(tmp_path / "new", {"a.txt": "1", "b.txt": "3", "c.md": "drawn by cd"})
    assert compare(old, new) == 1
    assert capsys.readouterr().out == (
        "DIFFERS: b.txt\nspecification or stamp: c.md\n3 files compared: 1 differ, 1 in specifications or stamps only\n"
    )
