"""Times `check` and `render` on made-up ledgers, beside hledger and ledger on the same entries.

    python benchmarks/run.py [--sizes 1000 10000 100000] [--rounds 3] [--against FOLDER] [--json]

Prints wall-clock time, time of the processor and peak memory, each the median of several rounds, and judges none.
`--against` names a checkout of an earlier version, which takes its turns too. Programs that are not installed are left
out. Linux and macOS.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
OURS = HERE.parent
OTHERS = ("hledger", "ledger")
OF_TIME = ("-b", "2023-01-01", "-e", "2025-01-01")
ADDED = "- {date: 2024-12-30, item: base-model, gpu: a100-40gb, gpus: 1, wall_hours: 2, status: completed}\n"
SIZES = (1_000, 10_000, 100_000)
ROUNDS = 3
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
# 3 says that the audit found something, which is no failure of the program.
FINE = (0, 3)


class Case(NamedTuple):
    """A command to be measured.

    `before` says what it finds: `cold` nothing but ledger/ and journal/, `added` a run more than the last command knew.
    What it adds to the ledger is taken away again when it is `undone`.
    """

    name: str
    command: tuple[str, ...]
    before: str = ""
    undone: bool = False


class Run(NamedTuple):
    """What one run of a command took, and how it ended."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    code: int


def cases(root: Path, others: Iterable[str], doors: dict[str, Path]) -> Iterator[Case]:
    """What is measured on one tree, in the order of a round: each cold one before its unchanged one."""
    for named, home in doors.items():
        door = (sys.executable, str(home / "budget.py"), "--root", str(root))
        anew = ("--no-cache",) if any((home / "reckon" / name).exists() for name in ("door.py", "entry.py")) else ()
        yield Case(f"{named}check, cold", (*door, "check", *anew), "cold")
        yield Case(f"{named}render, cold", (*door, "render", *anew), "cold")
        yield Case(f"{named}render again", (*door, "render", *anew))
        yield Case(f"{named}render, a run added", (*door, "render"), "added", undone=True)
        yield Case(f"{named}add run", (*door, "add", "run", *ADDED_BY_HAND), undone=True)
        yield Case(f"{named}render, back again", (*door, "render"))
        for name in ("check", "status", "render"):
            yield Case(f"{named}{name}, unchanged", (*door, name))
    journal = str(root / "journal" / "all.journal")
    for other in others:
        for name, asked in REPORTS[other].items():
            yield Case(f"{other} {name}", (other, "-f", journal, *OF_TIME, *asked, "made-up"))


ADDED_BY_HAND = ("--item", "base-model", "--gpus", "1", "--wall-hours", "3", "--date", "2024-12-30")
REPORTS = {
    "hledger": {"balance": ("balance",), "bal --budget": ("balance", "--budget")},
    "ledger": {"balance": ("balance",), "budget": ("budget",)},
}
"""The reports of the other programs: balances, and what was spent beside what was to be spent."""


def measure(case: Case, root: Path) -> Run:
    """Runs a command once, its output thrown away."""
    runs = root / "ledger" / "made-up" / "runs"
    was = {path: path.read_bytes() for path in runs.iterdir()} if case.undone or case.before == "added" else {}
    if case.before == "cold":
        wipe(root)
    if case.before == "added":
        newest = max(was)
        newest.write_bytes(was[newest] + ADDED.encode())
    begun = time.perf_counter()
    silent = subprocess.DEVNULL
    known = {**os.environ, "XDG_CACHE_HOME": str(root.parent / "cache")}
    for name in ("CI", "PYTHONDONTWRITEBYTECODE"):  # there nothing is answered from what was kept; here all is compiled
        known.pop(name, None)
    child = subprocess.Popen(case.command, stdin=silent, stdout=silent, stderr=silent, env=known)
    # wait4 gives this child's own peak; getrusage(RUSAGE_CHILDREN) would give the highest of all children so far.
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    for path in runs.iterdir() if case.undone else ():
        path.write_bytes(was[path]) if path in was else path.unlink()
    spent = usage.ru_utime + usage.ru_stime
    return Run(seconds, spent, usage.ru_maxrss * RSS_UNIT / 2**20, child.returncode)


def wipe(root: Path) -> None:
    """Removes whatever a command has left under a root."""
    for path in root.iterdir():
        if path.name not in ("ledger", "journal"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def checked(root: Path, others: Iterable[str]) -> None:
    """Whether each report of the other programs ends well and prints the sum of all runs.

    Raises SystemExit where one does not: its time would be that of something else.
    """
    journals = sorted((root / "journal").glob("20*.journal"))
    amounts = (
        line.split()[-2] for path in journals for line in path.read_text("utf-8").splitlines() if line.endswith(" GPUH")
    )
    whole = f"{sum(map(Decimal, amounts)):.3f}"
    for case in cases(root, others, {}):
        found = subprocess.run(case.command, capture_output=True, text=True, check=False)
        if found.returncode or whole not in found.stdout:
            raise SystemExit(f"{case.name}: exit code {found.returncode}; its output lacks the sum, {whole} GPUH")


def size(
    runs: int, rounds: int, folder: Path, others: dict[str, str], doors: dict[str, Path]
) -> Iterator[dict[str, Any]]:
    """The rows of the table for one size: a warm-up, then every command once a round."""
    root = folder / str(runs)
    # In a process of its own: what a child starts with counts into its peak, so this one has to stay small.
    subprocess.run([sys.executable, str(HERE / "generate.py"), str(root), "--runs", str(runs)], check=True)
    checked(root, others)
    everything = list(cases(root, others, doors))
    taken: dict[str, list[Run]] = {case.name: [] for case in everything}
    for number in range(rounds + 1):
        for case in everything:
            progress(f"{runs:,} runs, {case.name}, " + (f"round {number} of {rounds}" if number else "warm-up"))
            run = measure(case, root)
            if number:
                taken[case.name].append(run)
    progress("")
    for name, found in taken.items():
        yield row(runs, name, found)


def row(runs: int, name: str, found: list[Run]) -> dict[str, Any]:
    """One row: the medians, all times, and the exit codes that were not fine."""
    return {
        "runs": runs,
        "command": name,
        "seconds": round(statistics.median(one.seconds for one in found), 3),
        "cpu_seconds": round(statistics.median(one.cpu_seconds for one in found), 3),
        "peak_mib": round(statistics.median(one.peak_mib for one in found), 1),
        "all_seconds": [round(one.seconds, 3) for one in found],
        "failed": sorted({one.code for one in found if one.code not in FINE}),
    }


def progress(text: str) -> None:
    """Says on a terminal what is being measured; nothing in a pipe."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def versions() -> dict[str, str]:
    """The other programs that are installed, with what they say of themselves."""
    found = {}
    for name in OTHERS:
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
            found[name] = said.splitlines()[0].split(",")[0] if said else name
    return found


def machine() -> dict[str, Any]:
    """What the figures depend on, without what would tell one machine from another of its kind."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    python = platform.python_version()
    return {"system": platform.system(), "processor": platform.machine(), "cores": cores, "python": python}


def table(rows: list[dict[str, Any]], rounds: int, others: dict[str, str]) -> str:
    """The figures as text."""
    about = machine()
    said = [f"{about['system']} {about['processor']}, {about['cores']} cores, Python {about['python']}"]
    said += [f"{others[name]}" if name in others else f"{name}: not installed, left out" for name in OTHERS]
    said += [f"Median of {rounds} rounds after a warm-up; the commands took turns, their bytecode compiled.", ""]
    said.append(f"{'runs':>9}  {'command':<30}{'seconds':>9}{'processor s':>13}{'peak MiB':>10}")
    for one in rows:
        failed = f"   failed: exit code {', '.join(map(str, one['failed']))}" if one["failed"] else ""
        times = f"{one['seconds']:>9.2f}{one['cpu_seconds']:>13.2f}"
        said.append(f"{one['runs']:>9,}  {one['command']:<30}{times}{one['peak_mib']:>10.0f}{failed}")
    return "\n".join(said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of runs")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"measured rounds after the warm-up ({ROUNDS})")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout of an earlier version, timed too")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    asked = parser.parse_args()
    others, doors = versions(), {"budget ": OURS}
    if asked.against:
        doors["earlier "] = asked.against.resolve()
    for home in doors.values():
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(home / "reckon")], check=True)
    with tempfile.TemporaryDirectory() as folder:
        rows = [one for runs in asked.sizes for one in size(runs, max(1, asked.rounds), Path(folder), others, doors)]
    result = {"machine": machine(), "rounds": max(1, asked.rounds), "programs": others, "rows": rows}
    print(json.dumps(result, indent=2) if asked.json else table(rows, max(1, asked.rounds), others))
    return 1 if any(one["failed"] for one in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
