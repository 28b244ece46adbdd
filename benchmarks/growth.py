"""Times `check` and `render` as each part of a ledger grows by itself: projects, figures, policies, releases, runs, and
jobs of a scheduler, which are counted together (`most_lines`).

    python benchmarks/growth.py [--only projects figures policies releases runs jobs] [--rounds 3] [--json]

Nothing in these trees was ever planned or run. Each command is timed as often as there are rounds, with the time
of the processor, which other programs lengthen less. Linux and macOS.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import dumps
import generate
import run

DOOR = str(run.OURS / "budget.py")
SIZES = {
    "projects": (10, 100, 500),
    "figures": (50, 500, 2_000),
    "policies": (0, 300),
    "releases": (1, 20),
    "runs": (1_000_000,),
    "jobs": (1_000_000,),
}
RUNS_EACH, RUNS = 40, 1_000
KEPT = "kept"
"""A render of which no answer is known, but all steps between releases that were rendered before."""


def projects(root: Path, many: int) -> None:
    """So many projects of 20 items and some runs each, on one catalogue."""
    for number in range(many):
        home, runs = root / "each", generate.entries(RUNS_EACH, number)
        generate.write_ledger(home, runs)
        (home / "ledger" / generate.PROJECT).rename(_made(root / "ledger") / f"made-up-{number:03d}")
        catalog = root / "ledger" / "catalog"
        if not catalog.exists():
            (home / "ledger" / "catalog").rename(catalog)
    shutil.rmtree(root / "each")


def figures(root: Path, many: int) -> None:
    """One project with so many named figures, each made of the one before it."""
    generate.write_ledger(root, generate.entries(RUNS))
    lines = ["f-0: {title: Figure 0, hours: 1}\n"]
    lines += [
        f"f-{number}: {{title: Figure {number}, hours: {{formula: figures.f-{number - 1} + 1 hour}}}}\n"
        for number in range(1, many)
    ]
    (root / "ledger" / generate.PROJECT / "figures.yaml").write_text("".join(lines), encoding="utf-8")


def policies(root: Path, many: int) -> None:
    """One project with so many conditions that it is to keep."""
    generate.write_ledger(root, generate.entries(RUNS))
    if many:
        lines = "".join(
            f"  policy-{number}: {{require: budget.final >= {number} gpu_hours, message: Plan more.}}\n"
            for number in range(many)
        )
        with (root / "ledger" / generate.PROJECT / "project.yaml").open("a", encoding="utf-8") as file:
            file.write(f"policies:\n{lines}")


def releases(root: Path, many: int) -> None:
    """One project that was released so many times, each time with another plan."""
    generate.write_ledger(root, generate.entries(RUNS))
    home = root / "ledger" / generate.PROJECT
    plan, project = home / "plan.yaml", home / "project.yaml"
    for number in range(many):
        day = date(2025, 1, 1) + timedelta(days=number)
        text = plan.read_text("utf-8")
        head, title, rest = text.partition("{title: ")
        hours, kept = rest.split("gpu_hours: ", 1)[1].split(",", 1)
        before = rest.split("gpu_hours: ", 1)[0]
        plan.write_text(f"{head}{title}{before}gpu_hours: {int(hours) + 120},{kept}", encoding="utf-8")
        version = f"1.{number + 1}.0"
        text = project.read_text("utf-8").partition("version: ")
        project.write_text(f"{text[0]}version: {version}\n{text[2].partition(chr(10))[2]}", encoding="utf-8")
        for command in (("render",), ("release", generate.PROJECT, version, "-m", "Made up.", "--date", str(day))):
            subprocess.run((sys.executable, DOOR, "--root", str(root), *command), check=True, capture_output=True)


def runs(root: Path, many: int) -> None:
    """One project with so many runs, a line each."""
    generate.write_ledger(root, generate.entries(many))


def jobs(root: Path, many: int) -> None:
    """One project with so many jobs of a scheduler, whose months are counted together."""
    dumps.ledger(root)
    with tempfile.TemporaryDirectory() as folder:
        dumps.dump(Path(folder, "dump.txt"), many)
        words = ("import", "--with", "fox", "--engine", "duckdb", str(Path(folder, "dump.txt")))
        subprocess.run((sys.executable, DOOR, *words, "--root", str(root)), check=True, capture_output=True)


GROWN: dict[str, Callable[[Path, int], None]] = {
    "projects": projects,
    "figures": figures,
    "policies": policies,
    "releases": releases,
    "runs": runs,
    "jobs": jobs,
}


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _forget_answers(cache: Path) -> None:
    """Takes away what was answered; what is kept of steps between releases stays."""
    for path in (cache / "budget-ledger").glob("*"):
        if path.is_file():
            path.unlink()


def measured(part: str, size: int, rounds: int, folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of the table for one size of one part of a ledger."""
    root = _made(folder / f"{part}-{size}")
    GROWN[part](root, size)
    asked = (sys.executable, DOOR, "--root", str(root))
    cases = [run.Case("check", (*asked, "check", "--no-cache")), run.Case("render", (*asked, "render", "--no-cache"))]
    cases += [run.Case(KEPT, (*asked, "render"))] if part == "releases" else []
    for case in cases:
        taken = []
        for number in range(rounds + 1):
            run.progress(f"{size:,} {part}, {case.name}, " + (f"round {number} of {rounds}" if number else "warm-up"))
            _forget_answers(folder / "cache")
            taken.append(run.measure(case, root))
        row = run.row(size, case.name, taken[1:] or taken)
        yield {"part": part, "size": row.pop("runs"), **row}
    run.progress("")


def table(rows: list[dict[str, Any]], rounds: int) -> str:
    """The figures as text."""
    about = run.machine()
    said = [
        f"{about['system']} {about['processor']}, {about['cores']} cores, Python {about['python']}",
        f"Median of {rounds} rounds after a warm-up; bytecode compiled, nothing kept but where it says so.",
        "",
        f"{'part':<10}{'size':>10}  {'command':<8}{'seconds':>9}{'processor s':>13}{'peak MiB':>10}",
    ]
    for one in rows:
        times = f"{one['seconds']:>9.2f}{one['cpu_seconds']:>13.2f}{one['peak_mib']:>10.0f}"
        failed = f"   failed: exit code {', '.join(map(str, one['failed']))}" if one["failed"] else ""
        said.append(f"{one['part']:<10}{one['size']:>10,}  {one['command']:<8}{times}{failed}")
    return "\n".join(said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SIZES, default=tuple(SIZES), help="which parts")
    parser.add_argument("--rounds", type=int, default=run.ROUNDS, help="measured rounds after the warm-up")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    asked = parser.parse_args()
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(run.OURS / "reckon")], check=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        os.environ.pop("CI", None)
        rows = [
            row
            for part in asked.only
            for size in SIZES[part]
            for row in measured(part, size, max(1, asked.rounds), Path(folder))
        ]
    result = {"machine": run.machine(), "rounds": max(1, asked.rounds), "rows": rows}
    print(json.dumps(result, indent=2) if asked.json else table(rows, max(1, asked.rounds)))
    return 1 if any(row["failed"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
