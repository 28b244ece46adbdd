"""Writes a made-up ledger of any size, and the same entries as a journal for hledger and ledger.

    python benchmarks/generate.py FOLDER --runs 10000

Each entry has its card, status and cost in both; the plan of an item is its monthly budget in the journal. All of it is
invented: no such project was planned and no such run was made. The same count and seed give the same bytes.
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
MONTHS = 24
HOURS_A_RUN = 45
"""GPU-hours that a run takes on average."""
CARDS = {"a100-40gb": ("NVIDIA A100 40GB", 40, 180), "h100-80gb": ("NVIDIA H100 80GB", 80, 295)}
"""By card: its title, memory in GiB, and what an hour on it costs in cents."""
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
    card: str

    @property
    def month(self) -> str:
        return f"{self.day:%Y-%m}"

    @property
    def gpu_thousandths(self) -> int:
        """Thousandths of a GPU-hour."""
        return self.gpus * self.thousandths

    @property
    def cost(self) -> str:
        """US dollars, to the thousandth of a cent."""
        cents = self.gpu_thousandths * CARDS[self.card][2]
        return f"{cents // 100_000}.{cents % 100_000:05d}"


def entries(count: int, seed: int = 1) -> list[Entry]:
    """The runs, in order of their day."""
    draw = random.Random(seed)
    return [_entry(draw, FIRST_DAY + timedelta(days=number * DAYS // count)) for number in range(count)]


def _entry(draw: random.Random, day: date) -> Entry:
    phase, scope, item = draw.choice(WORK)
    seed = draw.randint(1, SEEDS) if scope == "per-seed" else 0
    return Entry(
        day,
        phase,
        item,
        seed,
        draw.choice((1, 2, 4, 8)),
        draw.randint(50, 24_000),
        draw.choice(STATUSES),
        draw.choice(tuple(CARDS)),
    )


def hours(thousandths: int) -> str:
    """Thousandths of an hour as a decimal number."""
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"


def write_ledger(root: Path, runs: list[Entry]) -> None:
    """Writes ledger/ under a root: a catalogue, one project with its plan, and the runs, a file for each month."""
    folder = root / "ledger" / PROJECT
    cards = (
        f"{card}: {{title: {title}, vram_gib: {memory}{_ratio(card)}}}\n" for card, (title, memory, _) in CARDS.items()
    )
    _write(root / "ledger" / "catalog" / "gpus.yaml", "".join(cards))
    _write(folder / "project.yaml", _project())
    _write(folder / "plan.yaml", "".join(_plan(len(runs))))
    for month, group in groupby(runs, lambda run: run.month):
        _write(folder / "runs" / f"{month}.yaml", "".join(map(_run, group)))


def _ratio(card: str) -> str:
    """An hour counts as one hour on every card, as it does in the journal."""
    return "" if card == "a100-40gb" else ", counts_as: {a100-40gb: 1}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {NOTICE}\n{text}", encoding="utf-8", newline="\n")


def _project() -> str:
    return (
        f"title: A made-up project\nsummary: {NOTICE!r}\nversion: 1.0.0\nas_of: {FIRST_DAY}\n"
        f"gpu: a100-40gb\nseeds: {SEEDS}\ncontingency: 15%\n"
    )


def planned_hours(count: int) -> int:
    """GPU-hours of an item, over all seeds: a multiple of seeds and of months."""
    whole = SEEDS * MONTHS
    return max(whole, HOURS_A_RUN * count // len(WORK) // whole * whole)


def _plan(count: int) -> Iterator[str]:
    """Each item is planned at about what its runs will take."""
    for phase, (scope, items) in PHASES.items():
        yield f"{phase}:\n  title: {phase.capitalize()}\n  items:\n"
        for item in items:
            planned = planned_hours(count) // (SEEDS if scope == "per-seed" else 1)
            title, runs = item.replace("-", " ").capitalize(), max(1, planned // HOURS_A_RUN)
            yield f"    {item}: {{title: {title}, scope: {scope}, gpu_hours: {planned}, runs: {runs}}}\n"


def _run(run: Entry) -> str:
    seed = f"seed: {run.seed}, " if run.seed else ""
    held = f"gpu: {run.card}, gpus: {run.gpus}, wall_hours: {hours(run.thousandths)}"
    # Fields stand in the order in which `add run` writes them.
    return f"- {{date: {run.day}, item: {run.item}, {seed}{held}, status: {run.status}, cost_usd: {run.cost}}}\n"


def write_journal(folder: Path, runs: list[Entry]) -> Path:
    """Writes one transaction a run, in as many files, and the journal that includes them; gives its path."""
    months = []
    for month, group in groupby(runs, lambda run: run.month):
        months.append(month)
        _write(folder / f"{month}.journal", "".join(map(_transaction, group)))
    included = "".join(f"include {month}.journal\n" for month in months)
    _write(folder / "all.journal", f"{''.join(_budgets(len(runs)))}{included}")
    return folder / "all.journal"


def _budgets(count: int) -> Iterator[str]:
    """What each account may spend in a month: the plan of its item, in equal parts."""
    yield "~ Monthly\n"
    for phase, (scope, items) in PHASES.items():
        for item in items:
            seeds = [f":seed-{seed}" for seed in range(1, SEEDS + 1)] if scope == "per-seed" else [""]
            for seed in seeds:
                yield f"    {PROJECT}:{phase}:{item}{seed}    {planned_hours(count) // len(seeds) // MONTHS} GPUH\n"
    yield "    allocation\n\n"


def _transaction(run: Entry) -> str:
    account = f"{PROJECT}:{run.phase}:{run.item}" + (f":seed-{run.seed}" if run.seed else "")
    held = f"{run.gpus} GPUs for {hours(run.thousandths)} h"
    said = f"    ; card: {run.card}\n    ; status: {run.status}\n    ; cost: {run.cost}\n"
    charged = f"    {account}    {hours(run.gpu_thousandths)} GPUH\n    allocation\n"
    return f"\n{run.day} {run.status}, {held}\n{said}{charged}"


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
