"""How long an import of a large dump takes with DuckDB, and for a smaller one beside the plain reader.

The dump is made up (`dumps.py`). Each import is a process of its own; memory is the highest that it and those that it
started held together, looked at five times a second. What the entries come to has to be what the generator counted, and
where both read it, all files of the ledger have to be the same, and those of its jobs.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import dumps  # noqa: E402

MOST_PLAIN = 1_000_000
"""So many jobs are read by the plain reader too."""
_ENTRY = re.compile(r"item: (\w+).*?gpu_hours: ([0-9./]+) GPU-s")


class Cost(NamedTuple):
    """Seconds from start to exit, those of processors, and MiB."""

    seconds: float
    cpu: float
    mib: float


def _held(process: int) -> float:
    """The MiB that a process and those that it started hold."""
    parents = {}
    for found in Path("/proc").iterdir():
        if found.name.isdecimal():
            try:
                words = (found / "stat").read_text("utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(found.name)] = (int(words[1]), int(words[21]) * os.sysconf("SC_PAGESIZE") / 2**20)
    below = {process}
    while more := {child for child, (parent, _) in parents.items() if parent in below} - below:
        below |= more
    return sum(parents[each][1] for each in below if each in parents)


def cost(*words: str) -> Cost:
    """What a command of `budget` takes. Raises SystemExit where it fails."""
    began, most = time.perf_counter(), 0.0
    with subprocess.Popen([sys.executable, str(ROOT / "budget.py"), *words], stdout=subprocess.DEVNULL) as process:
        while True:
            done, status, used = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            most = max(most, _held(process.pid))
            time.sleep(0.2)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"budget {' '.join(words)} ended with {process.returncode}")
    most = max(most, used.ru_maxrss / 1024)
    return Cost(time.perf_counter() - began, used.ru_utime + used.ru_stime, most)


def sums(root: Path) -> dict[str, Fraction]:
    """GPU-seconds by item of all entries of a ledger: empty for what is unassigned."""
    found: dict[str, Fraction] = {}
    for path in sorted(root.glob("ledger/demo/runs/import/*.yaml")):
        for item, seconds in _ENTRY.findall(path.read_text("utf-8")):
            item = "" if item == "unassigned" else item
            found[item] = found.get(item, Fraction(0)) + Fraction(seconds)
    return found


def files(root: Path) -> dict[str, bytes]:
    """The files of a ledger, and of its jobs."""
    every = [*root.glob("ledger/**/*.yaml"), *root.glob("jobs/*/*")]
    return {str(path.relative_to(root)): path.read_bytes() for path in every}


def measured(folder: Path, file: Path, wanted: dumps.Sums, *engine: str) -> Cost:
    """What an import into a new ledger takes. Raises SystemExit where it comes to something else."""
    shutil.rmtree(folder, ignore_errors=True)
    dumps.ledger(folder)
    found = cost("--root", str(folder), "import", "--with", "fox", *engine, str(file))
    if sums(folder) != wanted.seconds:
        sys.exit(f"the entries come to other sums: {sums(folder)}, not {wanted.seconds}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1_000_000, 10_000_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for jobs in options.jobs:
            file = folder / "jobs.txt"
            wanted = dumps.dump(file, jobs)
            found = {"duckdb": measured(folder / "duckdb", file, wanted, "--engine", "duckdb")}
            if jobs <= MOST_PLAIN and file.stat().st_size < 256 << 20:
                found["plain"] = measured(folder / "plain", file, wanted)
                if files(folder / "plain") != files(folder / "duckdb"):
                    sys.exit("the entries of the plain reader and of DuckDB differ")
            for engine, each in found.items():
                print(
                    f"{engine:8}{wanted.rows:>12,} rows {each.seconds:8.1f} s {each.cpu:8.1f} s of processors "
                    f"{each.mib:7,.0f} MiB   load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
