"""Two Pythons, the same bytes: every page and picture of the shipped tree made anew by each, and compared.

The other Python, with the packages of requirements.txt, is named by BUDGET_OTHER_PYTHON; `make pythons` sets one up.
The oldest and the newest that we say we run on tell the most.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[1]
OTHER = os.environ.get("BUDGET_OTHER_PYTHON", "")
BY_HAND = ("guide", "assets", "releases")


def made(python: str, root: Path) -> dict[str, bytes]:
    """The files that a Python makes of our ledger, where nothing but what is never made again was there before."""
    shutil.copytree(ROOT / "ledger", root / "ledger")
    for folder in (ROOT / "docs").rglob("*"):
        if folder.is_dir() and folder.name in BY_HAND:
            shutil.copytree(folder, root / folder.relative_to(ROOT), dirs_exist_ok=True)
    command = [python, str(ROOT / "budget.py"), "render", "--root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    return {one.relative_to(root).as_posix(): one.read_bytes() for one in root.rglob("*") if one.is_file()}


@pytest.mark.skipif(not OTHER, reason="BUDGET_OTHER_PYTHON names no other Python with our packages")
def test_another_python_makes_the_same_pages_and_pictures(tmp_path: Path) -> None:
    asked = [OTHER, "-c", "import sys; print(sys.version_info[:2])"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    assert version != str(sys.version_info[:2]), f"{OTHER} is a Python like this one"
    here, there = (made(python, tmp_path / side) for side, python in (("a", sys.executable), ("b", OTHER)))
    assert here.keys() == there.keys()
    assert any(path.endswith(".svg") and "releases" not in path for path in here)
    assert [path for path in here if here[path] != there[path]] == []
