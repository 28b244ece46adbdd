"""Writes a made-up ledger of any size, and the same entries as a journal for hledger and ledger.

    python benchmarks/generate.py FOLDER --runs 10000

All of it is invented: no such project was planned and no such run was made. The same count and seed give the same
bytes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

PROJECT = "made-up"
NOTICE = "Made up by benchmarks/generate.py to time the programs: no such project was planned, no such run was made."
FIRST_DAY = date(2023, 1, 1)
DAYS = 730
SEEDS = 5
PHASES = {
    "pretraining": ("one-time", ("data-filter", "tokeniser", "base-model")),
    "fine-tuning": ("per-seed", ("instructions", "preferences", "long-context", "tools")),
    "reinforcement": ("per-seed", ("reward-model", "policy", "curriculum", "self-play")),
    "evaluation": ("per-seed", ("benchmarks", "robustness", "safety")),
    "ablations": ("single-seed", ("ablation-data", "ablation-loss", "ablation-scale")),
    "follow-up": ("all-seeds", ("distillation", "serving", "profiling")),
}
WORK = tuple((phase, scope, item) for phase, (scope, items) in PHASES.items() for item in items)
STATUSES = ("completed",) * 17 + ("failed", "cancelled", "out-of-memory")


class Entry(NamedTuple):
    """One run: wall-clock time in thousandths of an hour, so that GPUs times time is exact. Seed 0 is no seed."""

    day: date
    phase: str
    item: str
    seed: int
    gpus: int
    thousandths: int
    status: str

    @property
    def month(self) -> str:
        return f"{self.day:%Y-%m}"

    @property
    def gpu_thousandths(self) -> int:
        """Thousandths of a GPU-hour."""
        return self.gpus * self.thousandths


def entries(count: int, seed: int = 1) -> list[Entry]:
    """The runs, in order of their day."""
    draw = random.Random(seed)
    return [_entry(draw, FIRST_DAY + timedelta(days=number * DAYS // count)) for number in range(count)]


def _entry(draw: random.Random, day: date) -> Entry:
    phase, scope, item = draw.choice(WORK)
    seed = draw.randint(1, SEEDS) if scope == "per-seed" else 0
    return Entry(day, phase, item, seed, draw.choice((1, 2, 4, 8)), draw.randint(50, 24_000), draw.choice(STATUSES))


def hours(thousandths: int) -> str:
    """Thousandths of an hour as a decimal number."""
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"


def write_ledger(root: Path, runs: list[Entry]) -> None:
    """Writes ledger/ under a root: a catalogue, one project with its plan, and the runs, a file for each month."""
    folder = root / "ledger" / PROJECT
    card = "a100-40gb:\n  title: NVIDIA A100 40GB\n  vram_gib: 40\n"
    _write(root / "ledger" / "catalog" / "gpus.yaml", card)
    _write(folder / "project.yaml", _project())
    _write(folder / "plan.yaml", "".join(_plan(len(runs))))
    for month, group in groupby(runs, lambda run: run.month):
        _write(folder / "runs" / f"{month}.yaml", "".join(map(_run, group)))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {NOTICE}\n{text}", encoding="utf-8", newline="\n")


def _project() -> str:
    return (
        f"title: A made-up project\nsummary: {NOTICE!r}\nversion: 1.0.0\nas_of: {FIRST_DAY}\n"
        f"gpu: a100-40gb\nseeds: {SEEDS}\ncontingency: 15%\n"
    )


def _plan(count: int) -> Iterator[str]:
    """Each item is planned at about what its runs will take: 45 GPU-hours a run."""
    for phase, (scope, items) in PHASES.items():
        yield f"{phase}:\n  title: {phase.capitalize()}\n  items:\n"
        for item in items:
            planned = max(1, 45 * count // len(WORK) // (SEEDS if scope == "per-seed" else 1))
            title = item.replace("-", " ").capitalize()
            yield f"    {item}: {{title: {title}, scope: {scope}, gpu_hours: {planned}}}\n"


def _run(run: Entry) -> str:
    seed = f"seed: {run.seed}, " if run.seed else ""
    held = f"gpus: {run.gpus}, wall_hours: {hours(run.thousandths)}"
    return f"- {{date: {run.day}, item: {run.item}, {seed}{held}, status: {run.status}}}\n"


def write_journal(folder: Path, runs: list[Entry]) -> Path:
    """Writes one transaction a run, in as many files, and the journal that includes them; gives its path."""
    months = []
    for month, group in groupby(runs, lambda run: run.month):
        months.append(month)
        _write(folder / f"{month}.journal", "".join(map(_transaction, group)))
    _write(folder / "all.journal", "".join(f"include {month}.journal\n" for month in months))
    return folder / "all.journal"


def _transaction(run: Entry) -> str:
    account = f"{PROJECT}:{run.phase}:{run.item}" + (f":seed-{run.seed}" if run.seed else "")
    held = f"{run.gpus} GPUs for {hours(run.thousandths)} h"
    return f"\n{run.day} {run.status}, {held}\n    {account}    {hours(run.gpu_thousandths)} GPUH\n    allocation\n"


def main() -> None:
    said = __doc__ or ""
    parser = argparse.ArgumentParser(description=said, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where ledger/ and journal/ are written")
    parser.add_argument("--runs", type=int, default=1000, help="how many runs (1000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other runs (1)")
    asked = parser.parse_args()
    runs = entries(asked.runs, asked.seed)
    write_ledger(asked.folder, runs)
    write_journal(asked.folder / "journal", runs)


if __name__ == "__main__":
    main()
