"""What is worked out beside a command is the same as what it works out itself, and ends with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
RUN = ("add", "run", "--item", "train", "--seed", "1", "--gpus", "4", "--wall-hours", "2.5", "--date", "2026-02-20")
ROOMY = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
needs_room = pytest.mark.skipif(not ROOMY, reason="needs Linux and two processors")
MADE = """
import os
from reckon.cli.aside import aside
def broken():
    raise SystemExit("nobody reads this")
print("first, by the command alone", end="; ")  # not written yet: a copy must not write it too
with aside(lambda: (os.getpid() != {pid}, {{"a": ("b", 1)}}, {{"c"}})) as answer:
    print(answer())
with aside(broken) as answer:
    print(answer())
with aside(lambda: object()) as answer:
    print(answer())
"""
LEFT = """
import os, time
from reckon.cli.aside import aside
with aside(lambda: time.sleep(600)):
    pass
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no process is left")
"""


def alone() -> None:
    """A process has one processor, so that nothing has room beside it."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def ran(*words: str, first: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=ROOT, preexec_fn=first)


@needs_room
def test_a_copy_makes_plain_things_and_says_nothing_of_what_it_cannot_make() -> None:
    done = ran("-c", MADE.format(pid=0))
    assert done.stdout == "first, by the command alone; (True, {'a': ('b', 1)}, {'c'})\nNone\nNone\n"
    assert not done.stderr
    assert not done.returncode


@needs_room
def test_a_copy_ends_with_what_does_not_wait_for_it() -> None:
    assert ran("-c", LEFT).stdout == "no process is left\n"


@pytest.mark.skipif(sys.platform != "linux", reason="one processor is asked for on Linux")
def test_with_one_processor_nothing_is_made_aside() -> None:
    script = "from reckon.cli.aside import aside\nwith aside(lambda: 1) as answer:\n    print(answer())"
    assert ran("-c", script, first=alone).stdout == "None\n"


@needs_room
def test_a_run_is_told_alike_with_one_processor_and_with_two(tmp_path: Path) -> None:
    tree = plant(tmp_path / "tree")
    door = (str(ROOT / "budget.py"), "--root", str(tree), *RUN, "--dry-run")
    two, one = ran(*door), ran(*door, first=alone)
    told = [re.sub(r"-[0-9a-f]{6}\.yaml", ".yaml", done.stdout) for done in (two, one)]
    assert told[0] == told[1]
    assert "  Training   " in told[0]
    assert not two.stderr + one.stderr


@pytest.mark.full
@pytest.mark.parametrize("first", [None, alone] if ROOMY else [None], ids=["beside", "alone"][: 1 + ROOMY])
def test_what_is_wrong_with_the_ledger_is_said_before_what_is_wrong_with_a_run(
    tmp_path: Path, first: Callable[[], None] | None
) -> None:
    """Also where it only turns out when the ledger is calculated, which is done late."""
    tree = plant(tmp_path / "tree")
    plan = tree / "ledger" / "demo" / "plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("epochs * hours", "nothing_so_called * hours", 1), "utf-8")
    door = (str(ROOT / "budget.py"), "--root", str(tree))
    checked = ran(*door, "check").stdout.splitlines()
    assert "nothing_so_called" in checked[0]
    for more in ((), ("--progress", "9/3"), ("--file", "2026-01")):
        refused = ran(*door, *RUN, *more, first=first)
        assert refused.returncode == 2
        assert refused.stderr.splitlines()[0] == checked[0]
    refused = ran(*door, "update", "run", "--at", "ledger/demo/runs/2026-01.yaml:99", "--note", "x", first=first)
    assert refused.stderr.splitlines()[0] == checked[0]
