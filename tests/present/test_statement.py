"""The statement of an allocation: every number is a figure, hostile texts are idle, gaps and other days are open."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest
from test_traced import marked, stray_lines

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.closing import Cell, Closing
from reckon.present.pages import present, statements_of
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "ledger/catalog/gpus.yaml": "card: {title: Card}\nold: {title: Old, counts_as: {card: 0.5}}\n",
    "ledger/allocations.yaml": "all: {title: All cards, gpu_hours: 100, since: 2026-01-10, projects: [demo]}\n",
    "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2026-05-01\ngpu: card\ncontingency: 10%\n",
    "ledger/demo/plan.yaml": "p: {title: P, items: {work: {title: Work, scope: one-time, gpu_hours: 50}}}\n",
    # 3 h before the grant began, 2 of no date, 8 on the old card (4 of the project's), 5 in a month that is not closed
    # between two that are, 6 in April and 7 in May.
    "ledger/demo/runs/2026.yaml": "".join(
        f"- {{{when}item: work, gpu_hours: {hours}{more}}}\n"
        for when, hours, more in (
            ("date: 2026-01-09, ", 3, ""),
            ("", 2, ""),
            ("date: 2026-02-02, ", 8, ", gpu: old, cost_usd: 4.25"),
            ("date: 2026-03-05, ", 5, ", status: failed"),
            ("date: 2026-04-07, ", 6, ""),
            ("date: 2026-05-02, ", 7, ""),
        )
    ),
}


OLD = "old: {title: Old cards, gpu: old, gpu_hours: 50, projects: [demo]}\n"


def closing(allocation: str, period: str, card: str, hours: int, number: int = 0, why: str = "") -> Closing:
    """A closing of format 1, which keeps no balance."""
    sums = {Cell("work", card, column): Fraction(hours) for column in ("used", "useful")}
    if card == "old" and not number:
        sums[Cell("work", card, "cost_usd")] = Fraction("4.25")
    days = "2026-05-03", "2026-05-02"
    return Closing(allocation, "demo", period, *days, sums, number, why, ("demo",), format=1)


@pytest.fixture
def book(tmp_path: Path) -> Book:
    book, problems = calculate(load(plant(tmp_path, FILES))[0])
    assert problems == []
    return book


def cells(page: str) -> list[list[str]]:
    """The rows of the tables of a page, by their cells."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]


def test_days_before_between_and_after_closed_periods_are_open_and_all_adds_up(book: Book) -> None:
    closed = [closing("all", "2026-02", "old", 4), closing("all", "2026-04", "card", 6)]
    page = present(book, [ROOT / "templates"], lambda path: None, closings=closed)["docs/allocations/all.md"]
    kept = ["not kept then"] * 2  # by closings of format 1
    assert [row[:2] + row[-6:] for row in cells(page)][2:9] == [
        ["no date", "open", "2.00", "2.00", "0.00", "100.00", "98.00", "–"],
        ["2026-02", "closed on 2026-05-03", "4.00", "4.00", "0.00", *kept, "4.25"],
        ["2026-03-01 to 2026-03-31", "open", "5.00", "0.00", "5.00", "100.00", "89.00", "–"],
        ["2026-04", "closed on 2026-05-03", "6.00", "6.00", "0.00", *kept, "–"],
        ["since 2026-05-01", "open", "7.00", "7.00", "0.00", "100.00", "76.00", "–"],
        ["**All**", "", "24.00", "19.00", "5.00", "", "", "4.25"],
        ["Project", "As closed", "As closed", "Adjusted since", "Open", "Used now", "completed or running", "failed"],
    ]
    assert book["allocations.all.used"].use == 24, "what is before the grant began does not count"


def test_a_grant_of_one_card_counts_the_hours_of_that_card(tmp_path: Path) -> None:
    book, _ = calculate(load(plant(tmp_path, {**FILES, "ledger/allocations.yaml": OLD}))[0])
    (statement,) = statements_of(book, [closing("old", "2026-02", "old", 8)])
    rows = list(csv.DictReader(io.StringIO(statement.csv_text())))
    assert [(row["period"], row["card"], row["used_gpu_hours"]) for row in rows] == [
        ("2026-02", "old", "8"),
    ]
    assert book["allocations.old.used"].use == 8


def test_every_numeral_of_a_statement_is_traced(book: Book) -> None:
    some = [closing("all", "2026-02", "old", 3), closing("all", "2026-02", "old", 1, 1, "12 more were found")]
    pages = present(book, [ROOT / "templates"], lambda path: None, marked, closings=some)
    assert {"docs/allocations/all.md", "docs/allocations/all.csv"} <= set(pages)
    assert "docs/allocations/old.md" not in pages
    assert stray_lines(pages) == {}


def test_a_reason_of_somebody_else_acts_nowhere(book: Book) -> None:
    why = '=HYPERLINK("https://e.org")|<b>\x1b[2J\u202e\n::error::[x](https://e.org) {{ 7*7 }}'
    some = [closing("all", "2026-02", "old", 3), closing("all", "2026-02", "old", 1, 1, why)]
    pages = present(book, [ROOT / "templates"], lambda path: None, closings=some)
    page, table = pages["docs/allocations/all.md"], pages["docs/allocations/all.csv"]
    for sign in ("\x1b", "\u202e", "<b>", "[x](", "\n::error"):
        assert sign not in page
    assert all("\x1b" not in text and "\u202e" not in text for text in (page, table))
    assert [row["why"][:3] for row in csv.DictReader(io.StringIO(table)) if row["why"]] == ["'=H"]
