"""What pages and commands tell of jobs that are counted together: how many they are, never how many entries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from reckon.compute.book import Book
from reckon.present.terminal import derivation
from tests.booked import paged
from tests.cli.test_import_moved import Row, row_of
from tests.months import LINES, ROWS, booked, counted, dump, planted, ran
from tests.small import plant

ITEMS = ", ".join(f"{name}: {{title: {name.title()}, scope: one-time, gpu_hours: 200}}" for name in ("once", "late"))
PER_SEED = ", ".join(f"{name}: {{title: {name.title()}, scope: per-seed, gpu_hours: 9}}" for name in ("train", "many"))
FILES: Mapping[str, str] = {
    "ledger/catalog/gpus.yaml": "card: {title: Card, vram_gib: 40}\n"
    "other: {title: Other, vram_gib: 24, counts_as: {card: 0.5}}\n",
    "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2025-02-01\ngpu: card\nseeds: 2\ncontingency: 10%\n",
    "ledger/demo/plan.yaml": f"first: {{title: First, items: {{{ITEMS}, {PER_SEED}}}}}\n",
}


def at(number: int, day: str, **cells: str) -> Row:
    return row_of(number, f"{day}T10:00:00+00:00", **{"Submit": f"{day}T09:00:00+00:00", **cells})


# The first of all failed, so that it is first in the ledger; three jobs have names that no rule fits, in two months.
JOBS = (
    at(1, "2025-03-01", State="FAILED"),
    *(at(number, "2025-03-02") for number in range(2, 9)),
    at(9, "2025-03-03", JobName="loose"),
    at(10, "2025-03-04", JobName="loose"),
    *(at(number, "2025-03-05", State="FAILED") for number in range(11, 14)),
    at(14, "2025-04-01", JobName="loose"),
)


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Book]:
    """The jobs as a line each, and counted together (April has one job, which stands as a line)."""
    root = tmp_path_factory.mktemp("books")
    return {
        name: booked(counted(planted(root / name, FILES, "UTC", most), dump(JOBS)))
        for name, most in (("lines", LINES), ("rows", ROWS))
    }


@pytest.fixture(scope="module")
def pages(books: dict[str, Book]) -> dict[str, Mapping[str, str]]:
    return {name: paged(book) for name, book in books.items()}


def test_the_timeline_is_told_alike_whichever_entry_is_first(pages: dict[str, Mapping[str, str]]) -> None:
    told = {re.findall(r"!\[([^]]*)\]", each["docs/demo/attempts.md"])[0] for each in pages.values()}
    assert told == {
        "4 of 14 runs failed. Runs from 2025-03-01 to 2025-04-01 by item and seed: 10 completed and 4 failed."
    }


def test_the_newest_runs_say_how_many_jobs_an_entry_is(pages: dict[str, Mapping[str, str]]) -> None:
    page = pages["rows"]["docs/demo/attempts.md"]
    assert "| 2025-03-02 | Once | 14 | completed, 7 jobs |" in page
    assert " jobs |" not in pages["lines"]["docs/demo/attempts.md"]


def test_names_without_a_rule_are_told_once_over_all_months(pages: dict[str, Mapping[str, str]]) -> None:
    page = pages["rows"]["docs/demo/imports.md"]
    assert "| Job name | Runs | GPU-hours |" in page
    assert re.findall(r"\| loose .*", page)[0] == "| loose | 3 | 6 |"
    assert "Jobs that are counted together share a row of `budget export --table runs --format csv`" in page
    assert "Every run is a row" not in page


def test_names_that_are_not_kept_are_told_as_others(tmp_path: Path) -> None:
    """Twenty names of a month are kept, those with the most hours; what is left is not a job without a name."""
    rows = [at(number, "2025-03-03", JobName=f"odd-{number}", ElapsedRaw=str(3600 + number)) for number in range(23)]
    page = paged(booked(counted(planted(tmp_path, FILES, "UTC", ROWS), dump(rows))))["docs/demo/imports.md"]
    assert "| odd-3 | 1 |" in page
    assert "| odd-2 | 1 |" not in page
    assert "| others, some of these names too | 3 | 6 |" in page


def test_explain_counts_runs_and_names_entries(books: dict[str, Book]) -> None:
    found = {name: list(derivation.explain(book, book.figures["demo.actual.total"], 1)) for name, book in books.items()}
    assert found["lines"][-1] == "14 runs, page 1 of 1"
    assert found["rows"][-1] == "14 runs in 4 entries, page 1 of 1"
    assert any(line.endswith("  once  completed  14 GPU-h  7 jobs") for line in found["rows"])


def test_diff_counts_jobs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that failed is told apart from those of its entry: no job more, and another status."""
    from reckon.cli import main

    now = [{**row, "State": "FAILED"} if row["JobIDRaw"] == "2" else row for row in JOBS]
    old, new = (
        counted(planted(tmp_path / name, FILES, "UTC", ROWS), dump(rows))
        for name, rows in (("old", JOBS), ("new", now))
    )
    assert main(["--root", str(new), "diff", str(old), str(new)]) == 0
    said = "runs of once, 2025-03: completed 7 → 6, 14 → 12 GPU-h, failed 4 → 5, 8 → 10 GPU-h"
    assert said in capsys.readouterr().out


def test_a_preview_counts_jobs_by_status_once(tmp_path: Path) -> None:
    root = planted(tmp_path / "tree", FILES, "UTC", ROWS)
    plant(root, {"dump.txt": dump([*JOBS[:8], at(20, "2025-03-06", AllocTRES="gres/gpu:a100=1,gres/gpu:rtx30=1")])})
    code, out, _ = ran(root, str(root / "dump.txt"))
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[lines.index("status jobs GPU-hours") + 1 :][:2] == ["completed 8 16", "failed 1 2"]
    assert lines[lines.index("card jobs GPU-hours") + 1 :][:2] == ["card 9 17", "other 1 1"]
