"""Tables made at random, with repetitions, cuts, parts and states, in any order over any files: each comes to the sum
that its generator knows, or is refused with a way out that comes to it."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

import pytest

from reckon.load.importers import taking
from tests.exported import begun, seconds, told
from tests.trying import LONG

SOURCE = (
    "sheet:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100-40gb}\n"
    "  columns: {Run: job, How: state, From: start, Took: wall_hours, Cards: gpus}\n"
    "  rules:\n    all: {when: {name: '.*'}, item: data}\n"
)
HEAD = "Run,How,From,Took,Cards"
MANY = 2000 if LONG else 200
SEEDS = 10


@dataclass
class Made:
    """Rows of a table, in files, with the sum that they mean, and whether (id, start) tells all attempts apart."""

    files: list[list[str]]
    hours: Fraction
    unique: bool
    kind: str


def row(id: str, state: str, start: datetime | None, hours: int, gpus: int) -> str:
    began = start.isoformat() if start else ""
    return f"{id},{state},{began},{hours},{gpus}"


def made(chance: random.Random) -> Made:
    """A table of attempts one after the other, seen in several states and several times; or of parts that collide."""
    collides = chance.random() < 0.2
    dated = chance.random() < 0.9
    rows: list[str] = []
    hours = Fraction(0)
    for number in range(chance.randint(1, 6)):
        id = f"r{number}"
        gpus = chance.randint(1, 8)
        start = datetime(2025, 5, chance.randint(1, 20))
        for _ in range(chance.randint(1, 4) if dated else 1):
            took = chance.randint(1, 30)
            ended = row(id, chance.choice(("COMPLETED", "FAILED")), start if dated else None, took, gpus)
            rows += [ended] * chance.choice((1, 1, 1, 2))
            hours += took * gpus
            if not collides:
                for seen in chance.sample(range(1, took + 1), min(took, chance.choice((0, 0, 1, 2)))):
                    rows.append(row(id, "RUNNING", start if dated else None, seen, gpus))
                if dated and took > 2 and chance.random() < 0.2:  # a record within it, as of a step
                    rows.append(row(id, "COMPLETED", start + timedelta(hours=1), 1, gpus))
            start += timedelta(hours=took + chance.choice((0, 0, 5, 50)))
    if collides:  # parts of one id of which each counts: some share a part of their time
        rows = list(dict.fromkeys(rows))
        hours = sum((Fraction(part.split(",")[3]) * int(part.split(",")[4]) for part in rows), Fraction(0))
        id, _, start, took, gpus = rows[0].split(",")
        shared = datetime.fromisoformat(start) + timedelta(minutes=30) if start else None
        rows.append(row(id, "COMPLETED", shared, int(took) + 1, int(gpus)))
        hours += (int(took) + 1) * int(gpus)
    chance.shuffle(rows)
    cuts = sorted(chance.sample(range(len(rows) + 1), min(len(rows), chance.randint(0, 3))))
    files = [rows[first:last] for first, last in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    return Made([part for part in files if part], hours, not collides, "parts" if collides else "records")


def imported(source: str, files: list[list[str]]) -> taking.Taken:
    taken = begun(source)
    for number, rows in enumerate(files):
        taking.take(taken, "\n".join((HEAD, *rows, "")).encode(), f"{number}.csv")
    return taken


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_table_comes_to_its_sum_or_says_how_it_would(seed: int) -> None:
    chance = random.Random(seed)
    refused = unique = 0
    for _ in range(MANY // SEEDS):
        table = made(chance)
        taken = imported(SOURCE, table.files)
        unique += table.unique
        if not taken.problems:
            assert seconds(taken) == table.hours * 3600, table
            assert sum(taking.tally(taken).rows.values()) == taken.rows
            continue
        refused += table.unique
        ways = re.findall("`rows: ([a-z]+)`", told(taken)[0])
        sums = []
        for way in ways:
            source = f"{SOURCE}  rows: {way}\n"
            again = imported(source, table.files)
            if any("import the rows as one file" in problem.right for problem in again.problems):
                again = imported(source, [[each for rows in table.files for each in rows]])
            sums += [] if again.problems else [seconds(again)]
        assert table.hours * 3600 in sums, table
    assert refused <= unique * Fraction(5, 100)
