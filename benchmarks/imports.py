"""How long `budget import` takes for a dump of 100,000 jobs, against reading it as CSV and one `check` of the result.

The dump is made up. Times are of whole processes; memory is the highest that was resident.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import statistics
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
    """Seconds from start to exit, those of a processor (which other programs change less), and MiB."""

    seconds: float
    cpu: float
    mib: float


class Round(NamedTuple):
    """Seconds of reading a dump with the csv module; what the first import of it takes, one `check`, and a second
    import of the same."""

    reading: float
    first: Cost
    check: Cost
    again: Cost


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
    kib = used.ru_maxrss / (2**10 if sys.platform == "darwin" else 1)
    return Cost(time.perf_counter() - began, used.ru_utime + used.ru_stime, kib / 1024)


def measured(root: Path, file: Path) -> Round:
    """What a first import into a tree, a check and another import take."""
    shutil.rmtree(root, ignore_errors=True)
    for name, text in LEDGER.items():
        (root / "ledger" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "ledger" / name).write_text(text, "utf-8")
    began = time.perf_counter()
    with file.open(encoding="utf-8", newline="") as lines:
        assert sum(1 for _ in csv.reader(lines, delimiter="|")) == JOBS + 1
    reading = time.perf_counter() - began
    where = ("--root", str(root))
    first, check = cost(*where, "import", str(file)), cost(*where, "check")
    return Round(reading, first, check, cost(*where, "import", str(file)))


def main() -> None:
    """Measures in turns, and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        root, file = Path(folder) / "tree", Path(folder) / "jobs.txt"
        dump(file)
        found = [measured(root, file) for _ in range(rounds)]
    reading = statistics.median(each.reading for each in found)
    first, check, again = (
        Cost(*(statistics.median(part) for part in zip(*costs, strict=True)))
        for costs in zip(*((each.first, each.check, each.again) for each in found), strict=True)
    )
    print(f"{JOBS:,} jobs, median of {rounds}; reading them with the csv module: {reading:.2f} s")
    for name, each in (("import", first), ("check", check), ("import again", again)):
        print(f"budget {name + ':':14}{each.seconds:5.1f} s, {each.cpu:5.1f} s of a processor, {each.mib:,.0f} MiB")
    print(
        f"import / (reading + check): {first.seconds / (reading + check.seconds):.2f}, "
        f"of a processor {first.cpu / (reading + check.cpu):.2f}; {first.mib - check.mib:,.0f} MiB more"
    )


if __name__ == "__main__":
    main()
