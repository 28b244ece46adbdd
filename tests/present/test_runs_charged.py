"""Tables of runs say what each was charged where some were on another GPU, whose hours count otherwise."""

from __future__ import annotations

from typing import Any

from reckon.present.budget.status import Standing
from reckon.present.budget.work import EveryRun
from reckon.present.render.printing import Printer
from reckon.present.view import View

PLAN = "base: {title: Base, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n"
OWN = "- {date: 2025-01-02, item: a, gpus: 2, wall_hours: 5}\n"
OTHER = "- {date: 2025-01-03, item: a, gpu: other, gpus: 4, wall_hours: 5}\n"
RATIO = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.6x}}\n"


def newest(ledger: Any, runs: str, gpus: str = RATIO) -> tuple[list[list[str]], EveryRun]:
    """The table of the newest runs, as headings and rows of what is printed; and the page of all runs."""
    book = ledger(plan=PLAN, runs=runs, gpus=gpus).book()
    view = View(book, book.ledger.projects["p"])
    lines = str(Printer("").table(Standing(view).latest)).splitlines()
    found = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in (lines[0], *lines[2:])]
    return found, EveryRun(view)


def column(table: list[list[str]], heading: str) -> list[str]:
    at = table[0].index(heading)
    return [row[at] for row in table[1:]]


def test_hours_on_another_gpu_stand_beside_what_they_are_charged(ledger: Any) -> None:
    """4 × 5 hours held count as 0.6 each: 12; 2 × 5 on the project's own are charged as they are."""
    table, every = newest(ledger, OWN + OTHER)
    assert column(table, "GPU-hours") == ["20", "10"]
    assert column(table, "GPU") == ["Other", ""]
    assert column(table, "Charged") == ["12", "10"]
    assert every.abroad


def test_without_a_ratio_nothing_is_known_of_what_is_charged(ledger: Any) -> None:
    table, _ = newest(ledger, OWN + OTHER, "card: {title: Card}\nother: {title: Other}\n")
    assert column(table, "Charged") == ["–", "10"]


def test_runs_of_one_gpu_need_no_column_for_it(ledger: Any) -> None:
    table, every = newest(ledger, OWN)
    assert not {"GPU", "Charged"} & {*table[0]}
    assert not every.abroad
