"""Ledgers with runs, changed by chance: whether lines are read as columns or as YAML, nothing that is told differs; and
the rules find among the runs that they look at all that they would find among all of them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from reckon.compute.audit import entries
from reckon.compute.calculation import calculate
from reckon.load import canonical_runs
from reckon.load.reader import load
from reckon.model.runs import ColumnRuns
from reckon.present import pages
from reckon.present.terminal import messages
from scripts.asking import undrawn
from tests.booked import paged
from tests.mutating import mutated
from tests.small import plant
from tests.trying import LONG

pytestmark = pytest.mark.full

SEEDS = range(0, 2000 if LONG else 40, 20)
PAGED = 1 if LONG else 10
"""Of how many trees in which nothing is wrong the pages of one are compared: they take most of the time."""
YAML = 10**9


@pytest.fixture(autouse=True)
def undrawn_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a picture is drawn of says whether it is the same; drawing takes longer than all else."""
    monkeypatch.setattr(pages, "draw", undrawn)


class Told(NamedTuple):
    """What is wrong in a tree, what `check` says of it, and its pages where nothing is wrong and they are wanted."""

    problems: list[str]
    report: list[str]
    pages: dict[str, str]


def told(root: Path, paged_too: bool) -> tuple[Told, bool]:
    """What is told of a tree, and whether any of its files was read as columns."""
    ledger, wrong = load(root)
    book, more = calculate(ledger)
    problems = [*wrong, *more]
    report = messages.report(book, problems, "json", "", judged=not problems)
    columns = any(isinstance(file.runs, ColumnRuns) for each in ledger.projects.values() for file in each.runs)
    made = paged(book) if paged_too and not problems else {}
    return Told([str(problem) for problem in problems], list(report), made), columns


@pytest.mark.long
@pytest.mark.parametrize("first", SEEDS)
def test_nothing_differs_by_how_lines_are_read_or_which_runs_are_looked_at(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree that the YAML reader alone read is the same by both; one with problems is not audited."""
    for seed in range(first, first + 20):
        root = plant(tmp_path / str(seed), mutated(seed))
        monkeypatch.setattr(canonical_runs, "LEAST", 0)
        as_lines, columns = told(root, seed % PAGED == 0)
        if not as_lines.problems:
            with monkeypatch.context() as changed:
                for name in ("to_judge", "to_compare"):
                    changed.setattr(entries, name, lambda around: range(len(around.project.rows)))
                assert as_lines.report == told(root, False)[0].report, seed
        monkeypatch.setattr(canonical_runs, "LEAST", YAML)
        if columns:
            assert (as_lines, False) == told(root, seed % PAGED == 0), seed


def test_changes_leave_some_ledgers_as_lines_and_some_to_the_yaml_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canonical_runs, "LEAST", 0)
    found = [load(plant(tmp_path / str(seed), mutated(seed))) for seed in range(40)]
    files = [file for ledger, _ in found for project in ledger.projects.values() for file in project.runs]
    as_lines = sum(isinstance(file.runs, ColumnRuns) for file in files)
    assert 20 < as_lines < len(files) - 5
    assert 10 < sum(not problems for _, problems in found) < 35
