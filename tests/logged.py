"""Runs that `log` keeps, as tests begin them: a ledger, a recorded `nvidia-smi`, and the entries that are left."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from reckon.load.reader import load
from reckon.model.records import Run
from tests.reading import ROOT
from tests.small import SMALL, plant

CARDS = {
    "ledger/catalog/gpus.yaml": """\
card: {title: Card, vram_gib: 24}
big: {title: NVIDIA A100 80GB, vram_gib: 80, counts_as: {card: 2}}
""",
}
RECORDED = """\
#!/bin/sh
echo "$@" >> "$0.asked"
case "$*" in
  *"-i 0") echo "NVIDIA A100-SXM4-80GB, 80, 300.00" ;;
  *) printf 'NVIDIA A100-SXM4-80GB, 80, 300.00\\nNVIDIA A100-SXM4-80GB, 95, 250.50\\n' ;;
esac
"""
"""What a machine with two cards answered: percent and watts."""
HELD_BY = ("CUDA_VISIBLE_DEVICES", "RANK", "SLURM_", "CI")


def tree(root: Path) -> Path:
    """A ledger with two cards."""
    return plant(root, SMALL | CARDS)


def environment(folder: Path, smi: str = "", **more: str) -> dict[str, str]:
    """Variables without those of a scheduler, and with an `nvidia-smi` (none where its text is empty)."""
    found = {name: text for name, text in os.environ.items() if not name.startswith(HELD_BY)}
    if smi:
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / "nvidia-smi").write_text(smi, "utf-8")
        (folder / "bin" / "nvidia-smi").chmod(0o755)
        found["PATH"] = f"{folder / 'bin'}:{found['PATH']}"
    return {**found, "PYTHONPATH": str(ROOT), **more}


def log(root: Path, *words: str) -> list[str]:
    """The command line of `log` for a ledger."""
    return [sys.executable, str(ROOT / "budget.py"), "--root", str(root), "log", "demo", *words]


def logged(
    root: Path, *words: str, env: Mapping[str, str] | None = None, said: str = ""
) -> subprocess.CompletedProcess[str]:
    """What became of a run that `log` kept, with this standard input."""
    own = env or environment(root)
    return subprocess.run(
        log(root, *words), cwd=root, env=own, input=said, capture_output=True, text=True, timeout=120, check=False
    )


def entries(root: Path) -> list[Run]:
    """The runs of the ledger that have a job. A ledger with a problem fails."""
    ledger, problems = load(root)
    assert [str(problem) for problem in problems] == []
    return [run for file in ledger.projects["demo"].runs for run in file.runs if run.job]


def spools(folder: Path) -> list[Path]:
    """The files in a folder that keep what a ledger did not take."""
    return sorted(folder.glob("*budget-log-*"))
