"""How long `budget import` takes for a dump of 100,000 jobs, against reading it as CSV and one `check` of the result.

The dump is made up. Times are of whole processes; memory is the highest that was resident.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
JOBS = 100_000
HEAD = "JobIDRaw|JobID|Submit|Start|End|State|ElapsedRaw|AllocTRES|JobName|Account|Partition"
LEDGER = {
    "catalog/gpus.yaml": "card: {title: Card}\n",
    "demo/project.yaml": "title: Made up\nversion: 1.0\nas_of: 2023-01-01\ngpu: card\ncontingency: 10%\n",
    "demo/plan.yaml": "work:\n  title: Work\n  items:\n    all: {title: All, scope: one-time, gpu_hours: 300000}\n",
    "demo/imports.yaml": "made-up:\n  format: sacct\n  timezone: UTC\n  cards: {a100: card}\n"
    "  rules:\n    all: {when: {name: 'train-.*'}, item: all}\n",
}


class Cost(NamedTuple):
    """Seconds from start to exit, and MiB."""

    seconds: float
    mib: float


def dump(path: Path) -> None:
    """Jobs of an hour each, over two years."""
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD + "\n")
        for number in range(JOBS):
            day = f"{2023 + number // 336 % 2}-{1 + number // 28 % 12:02}-{1 + number % 28:02}T"
            hour = number % 22
            times = f"{day}00:00:00|{day}{hour:02}:00:00|{day}{hour + 1:02}:00:00"
            tres = "billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1"
            file.write(f"{number}|{number}|{times}|COMPLETED|3600|{tres}|train-{number % 500}|ac1|gpu\n")


def cost(*words: str) -> Cost:
    """What a command of `budget` takes."""
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, str(ROOT / "budget.py"), *words], stdout=subprocess.DEVNULL) as process:
        _, _, used = os.wait4(process.pid, 0)
    return Cost(time.perf_counter() - began, used.ru_maxrss / (2**20 if sys.platform == "darwin" else 1024))


def main() -> None:
    """Measures once, and prints a table."""
    with tempfile.TemporaryDirectory() as folder:
        root, file = Path(folder) / "tree", Path(folder) / "jobs.txt"
        for name, text in LEDGER.items():
            (root / "ledger" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "ledger" / name).write_text(text, "utf-8")
        dump(file)
        began = time.perf_counter()
        with file.open(encoding="utf-8", newline="") as text:
            rows = sum(1 for _ in csv.reader(text, delimiter="|"))
        reading = time.perf_counter() - began
        imported = cost("--root", str(root), "import", str(file))
        checked = cost("--root", str(root), "check")
    print(f"{rows - 1:,} jobs; reading them with the csv module: {reading:.2f} s")
    print(f"budget import: {imported.seconds:.1f} s, {imported.mib:,.0f} MiB")
    print(f"budget check:  {checked.seconds:.1f} s, {checked.mib:,.0f} MiB")
    print(f"import / (reading + check): {imported.seconds / (reading + checked.seconds):.2f}")


if __name__ == "__main__":
    main()
