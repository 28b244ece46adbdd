"""What became of each row that was read: the sums of all are what was read, in rows and in amounts, or nothing is
written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from reckon.language.text import plural

from .job import Job

HEADER = "header"
NEW, REPLACED, SAME = RUNS = ("new", "replaced", "same")
"""What a row that states a run is, beside what was there."""
MERGED = "merged"
"""What a row is that another one of its job stands for: a later state, or one that encloses it."""


def amounts_of(job: Job) -> Mapping[str, Any]:
    """What a job states that makes a record, exactly and before any rule: GPU-seconds, kWh and US dollars."""
    extras = job.extras
    energy = extras.energy_kwh or 0
    return {"gpu_seconds": job.stated_gpu_seconds, "energy_kwh": energy, "billed_usd": extras.billed_usd or 0}


class Uncounted(Exception):
    """What became of the rows of an export does not add up: the program makes a mistake."""


class RowFate(NamedTuple):
    """A row of an export, what became of it, and the job that it states, if it states one."""

    file: str
    line: int
    id: str
    word: str
    job: Job | None = None


class Tally(NamedTuple):
    """How many rows became what, and what these state."""

    rows: Counter[str]
    amounts: Mapping[str, Counter[str]]


def close(fates: Iterable[RowFate], rows: int, expected: Counter[str]) -> Tally:
    """What became of some rows, of which so many were read, that state so much. Raises Uncounted."""
    words: Counter[str] = Counter()
    amounts: dict[str, Counter[str]] = defaultdict(Counter)
    for fate in fates:
        words[fate.word] += 1
        if fate.job:
            amounts[fate.word].update(amounts_of(fate.job))
    check_rows(words, rows)
    total: Counter[str] = Counter()
    for part in amounts.values():
        total.update(part)
    if total != expected:
        raise Uncounted(f"rows that state {expected} were read, and {total} are accounted for")
    return Tally(words, amounts)


def check_rows(words: Counter[str], rows: int) -> None:
    """Raises Uncounted unless so many rows are accounted for."""
    total = sum(words.values())
    if rows != total:
        raise Uncounted(f"{plural(rows, 'row')} were read, and {total:,} are accounted for")
