"""What `make` does to a checkout before anything is installed."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from shutil import copy

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("goal", "venv"),
    [("setup", ".venv"), ("builders", ".venv"), ("builders", ".venv-zensical"), ("pythons", ".venv-pythons")],
)
def test_an_environment_behind_a_link_is_never_cleared(tmp_path: Path, goal: str, venv: str) -> None:
    """Another checkout may work with it; `venv --clear` would empty it."""
    here, shared = tmp_path / "here", tmp_path / "shared"
    for folder in (here, here / ".venv", shared):
        folder.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt", "requirements-zensical.txt"):
        copy(ROOT / name, here / name)
        os.utime(here / name, (0, 0))
    if venv == ".venv":
        (here / venv).rmdir()
        os.utime(here / "requirements.txt", (time.time() + 60,) * 2)  # newer than what is behind the link
    else:
        (here / ".venv/.installed").touch()
    (here / venv).symlink_to(shared)
    (shared / "kept").write_text("by others", "utf-8")
    done = subprocess.run(["make", goal], cwd=here, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert f"{venv} is a link to {shared}, which is not cleared; remove the link" in done.stderr
    assert [each.name for each in shared.iterdir()] == ["kept"]
