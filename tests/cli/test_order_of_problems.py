"""What is wrong with a ledger is said before what is wrong with a run that is added to it, or changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
RUN = ("add", "run", "--item", "train", "--seed", "1", "--gpus", "4", "--wall-hours", "2.5", "--date", "2026-02-20")


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.full
def test_what_is_wrong_with_the_ledger_is_said_before_what_is_wrong_with_a_run(tmp_path: Path) -> None:
    """Also where it only turns out when the ledger is calculated, which is done late."""
    tree = plant(tmp_path / "tree")
    plan = tree / "ledger" / "demo" / "plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("epochs * hours", "nothing_so_called * hours", 1), "utf-8")
    door = (str(ROOT / "budget.py"), "--root", str(tree))
    checked = ran(*door, "check").stdout.splitlines()
    assert "nothing_so_called" in checked[0]
    for more in ((), ("--progress", "9/3"), ("--file", "2026-01")):
        refused = ran(*door, *RUN, *more)
        assert refused.returncode == 2
        assert refused.stderr.splitlines()[0] == checked[0]
    refused = ran(*door, "update", "run", "--at", "ledger/demo/runs/2026-01.yaml:99", "--note", "x")
    assert refused.stderr.splitlines()[0] == checked[0]
