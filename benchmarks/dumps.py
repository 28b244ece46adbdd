"""A dump of Slurm's accounting of any size, as `sacct --parsable2` writes it, and what its GPU-seconds come to.

All of it is made up: nobody ran any of these jobs. It goes to disk line by line, and the same number of rows gives the
same bytes. The sums are counted here by what each row was made of, without reading it again, and by no code of the
importer: `expected` has them for the rules in `SOURCE`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

HEAD = (
    "JobIDRaw",
    "JobID",
    "Cluster",
    "Submit",
    "Start",
    "End",
    "State",
    "ElapsedRaw",
    "AllocTRES",
    "ReqTRES",
    "NNodes",
    "JobName",
    "Account",
    "Partition",
    "QOS",
)
SOURCE = r"""fox:
  format: sacct
  timezone: UTC
  cards: {untyped: a100-40gb, a100: a100-40gb, l40s: l40s}
  only: {account: 'ac[0-4]?[0-9]'}
  rules:
    sweeps: {when: {name: 'sweep-\d+'}, item: svd}
    sft: {when: {name: 'sft-s(?P<seed>[1-3])-[a-z]'}, item: sft}
    half: {when: {name: train, account: 'ac1.*'}, split: {data: 50%, evaluation: 50%}}
    train: {when: {name: train}, item: data}
    theirs: {when: {name: 'eval_0'}, ignore: another grant}
    eval: {when: {name: 'eval_\d'}, item: evaluation}
  gpus:
    mig: {when: {partition: mig}, if: untyped, share: 1/7}
"""
"""The rules of these jobs: with groups, a split, an ignored name, and jobs that no rule fits."""
LEDGER = {
    "catalog/gpus.yaml": "a100-40gb: {title: A100}\nl40s: {title: L40S, counts_as: {a100-40gb: 1}}\n",
    "demo/project.yaml": "title: Made up\nversion: 1.0\nas_of: 2025-06-01\ngpu: a100-40gb\nseeds: 3\n"
    "contingency: 10%\n",
    "demo/plan.yaml": "work:\n  title: Work\n  items:\n"
    + "".join(
        f"    {item}: {{title: {item.title()}, scope: one-time, gpu_hours: 1000}}\n"
        for item in ("svd", "data", "evaluation")
    )
    + "    sft: {title: Sft, scope: per-seed, gpu_hours: 1000}\n",
    "demo/imports.yaml": SOURCE,
}
"""A ledger for them, by the paths below `ledger/`."""
DAYS, FIRST = 303, datetime(2024, 4, 1)
"""Ten months."""
MINUTES = DAYS * 1440
TEXTS = (
    "billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1",
    "cpu=4,gres/gpu:l40s=1,gres/gpu=1,mem=32G,node=1",
    "billing=4,cpu=4,gres/gpu=1,mem=32G,node=1",
    "cpu=4,mem=8G,node=1",
)
GPUS = (2, 1, 1, 0)
STATES = ("COMPLETED", "COMPLETED", "COMPLETED", "FAILED", "TIMEOUT", "CANCELLED by 1001")
PARTITIONS = ("accel", "mig", "cpu")
LONGEST = 60_000
"""Seconds of a job."""
TWICE = 1009
"""One in so many jobs stands twice, as where two exports were put together."""


class Sums(NamedTuple):
    """What a dump comes to by the rules: its rows, the jobs of the project that held GPUs, and their GPU-seconds by
    item (empty where no rule fits), without those that are ignored."""

    rows: int
    jobs: int
    seconds: dict[str, Fraction]


def clock_of_minutes() -> list[str]:
    """What a clock of UTC shows at each minute, up to the one in which the last job ends."""
    days = [(FIRST + timedelta(days=day)).date().isoformat() for day in range(DAYS + 3)]
    minutes = [f"T{hour:02}:{minute:02}:" for hour in range(24) for minute in range(60)]
    return [day + minute for day in days for minute in minutes]


def lines(jobs: int, sums: Counter[tuple[str, int]] | None = None) -> Iterator[str]:
    """The lines of so many jobs, in the order in which they were submitted; `sums` is told the seconds of each GPU, by
    item and by sevenths of one."""
    clock, seconds = clock_of_minutes(), [f"{number:02}" for number in range(60)]
    yield "|".join(HEAD) + "\n"
    for number in range(jobs):
        # A number that looks like chance, the same on all machines.
        chance = (number * 2_654_435_761 + 0x9E37) & 0xFFFFFFFF
        chance = ((chance ^ chance >> 15) * 2_246_822_519) & 0xFFFFFFFF
        chance ^= chance >> 13
        submit = number * MINUTES * 60 // jobs
        start = submit + chance % 7200
        took = (chance % 245) * (chance // 245 % 245)
        kind, account, place = chance // 11 % 4, chance // 17 % 60, chance // 13 % 3
        state = STATES[chance // 19 % 6]
        name, item = named(chance // 23)
        end = start + took
        line = (
            f"{number}|{number}|fox|{clock[submit // 60]}{seconds[submit % 60]}|"
            f"{clock[start // 60]}{seconds[start % 60]}|{clock[end // 60]}{seconds[end % 60]}|"
            f"{state}|{took}|{TEXTS[kind]}|{TEXTS[kind]}|1|{name}|ac{account}|{PARTITIONS[place]}|normal\n"
        )
        yield line
        if number % TWICE == 0:
            yield line
        if sums is not None and account < 50 and GPUS[kind] and item is not None:
            item = "half" if name == "train" and (account == 1 or 10 <= account < 20) else item
            sums[item, 1 if kind == 2 and place == 1 else 7 * GPUS[kind]] += took
            sums["jobs", 0] += 1


def named(chance: int) -> tuple[str, str | None]:
    """The name of a job, and the item that its rule gives it: empty for none, nothing where it is ignored."""
    kind, rest = chance % 5, chance // 5
    if kind == 0:
        return f"sweep-{rest % 40}", "svd"
    if kind == 1:
        return "train", "data"
    if kind == 2:
        return f"sft-s{1 + rest % 3}-{chr(97 + rest // 3 % 20)}", "sft"
    if kind == 3:
        return f"notebook-{rest % 500}", ""
    return f"eval_{rest % 9}", "evaluation" if rest % 9 else None


def expected(jobs: int, sums: Counter[tuple[str, int]]) -> Sums:
    """What a dump comes to, from what was told while it was written."""
    found: Counter[str] = Counter()
    for (item, sevenths), seconds in sums.items():
        if sevenths:
            found[item] += sevenths * seconds
    halves = Fraction(found.pop("half", 0), 14)
    whole = {item: Fraction(seconds, 7) for item, seconds in found.items()}
    for item in ("data", "evaluation"):
        whole[item] = whole.get(item, Fraction(0)) + halves
    rows = jobs + (jobs + TWICE - 1) // TWICE
    return Sums(rows, sums["jobs", 0], {item: each for item, each in whole.items() if each})


def dump(path: Path, jobs: int) -> Sums:
    """Writes a dump, and gives what it comes to."""
    sums: Counter[tuple[str, int]] = Counter()
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        file.writelines(lines(jobs, sums))
    return expected(jobs, sums)


def ledger(root: Path) -> None:
    """Writes the ledger for such a dump below a root."""
    for name, text in LEDGER.items():
        path = root / "ledger" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=int, help="how many jobs")
    parser.add_argument("file", type=Path, help="where to write them")
    parser.add_argument("--ledger", type=Path, metavar="FOLDER", help="write a ledger for them too, below this folder")
    options = parser.parse_args()
    found = dump(options.file, options.jobs)
    if options.ledger:
        ledger(options.ledger)
    print(f"{options.file}: {found.rows:,} rows, made up; {found.jobs:,} jobs with GPUs")
    for item, seconds in sorted(found.seconds.items()):
        print(f"  {item or 'unassigned':12}{seconds!s:>24} GPU-s")


if __name__ == "__main__":
    main()
