"""What a page of what if says of each limit: ceilings in hours and in money, who pays, and last days.

Two cards and two payers, one of which pays in money: figures are worked out by hand, and held against what the engine
says of the changed ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from browser import Browser, Page
from reckon.compute.calculation import calculate
from reckon.language.quantity import point
from reckon.load.reader import load
from reckon.model.figure import Figure
from reckon.present.render.numbers import figure_text
from reckon.present.view import View
from reckon.present.whatif.limits import Limits
from test_what_if_page import CELLS, LEFT, on_page, served
from tests.charges.trees import write_tree

pytestmark = pytest.mark.full

LEDGER = {
    "gpus": {"a100": {}, "h100": {"counts_as": {"a100": "2x"}}},
    "prices": {"rent": {"usd_per_gpu_hour": {"h100": 3}}},
    "allocations": {
        "uni": {"gpu": "a100", "gpu_hours": 1300, "projects": ["p"]},
        "cloud": {"usd": 2900, "prices": ["rent"], "projects": ["p"]},
        "nodes": {
            "units": 40,
            "projects": ["p"],
            "charge": {"unit": "node-hours", "gpus_per_unit": 4, "whole_gpus": 4, "minimum_hours": 2},
        },
    },
    "project": {"gpu": "a100", "seeds": 3, "gpus": 8, "contingency": "10%", "ceiling": [3000, "2000 usd"]},
    "plan": {
        "w": {
            "until": "2026-03-01",
            "ceiling": 2200,
            "items": {
                "small": {"gpu_hours": 300, "scope": "per-seed", "allocation": "uni"},
                "big": {"gpu_hours": 600, "gpu": "h100", "allocation": "cloud"},
                "api": {"usd": 100},
            },
        },
        "probes": {"items": {"probe": {"gpu_hours": 10, "gpus": 1, "runs": 10, "allocation": "nodes"}}},
    },
    "runs": [
        {"date": "2026-02-06", "item": "small", "seed": 1, "gpu_hours": 300, "progress": "1/1"},
        {"date": "2026-02-20", "item": "big", "gpu_hours": 100, "progress": "1/6"},
    ],
}
AS_PLANNED = {
    "p.ceiling": "left 890 GPU-h",  # 3,000 less 300 + 2 x 100, less 2 x 300 + 2 x 500 + 10
    "p.money.ceiling": "left $100",  # 2,000 less 100 x 3, less 500 x 3 + 100
    "p.phases.w.ceiling": "left 100 GPU-h",  # 2,200 less 500, less 1,600
    "allocations.uni": "left 400 GPU-h",  # 1,300 less 300, less two seeds of 300
    "allocations.cloud": "left $1,000",  # 2,900 less 300, less 1,500 + 100
    "allocations.nodes": "left 20 units",  # ten runs of an hour are billed two hours of a node each
    "p.phases.w.until": "left 4 d",  # 600 + 500 on 8 GPUs are 5.7 days: to 25 February
}
CHANGES = [
    ([], {}),
    (
        [("p.seeds", "6")],  # five seeds to do: 1,500 hours, and 2,000 on 8 GPUs are 10.4 days, to 2 March
        {
            "p.ceiling": "short by 10 GPU-h",
            "p.phases.w.ceiling": "short by 800 GPU-h",
            "allocations.uni": "short by 500 GPU-h",
            "p.phases.w.until": "short by 1 d",
        },
    ),
    (
        [("p.seeds", "1")],  # the one that ran
        {
            "p.ceiling": "left 1,490 GPU-h",
            "p.phases.w.ceiling": "left 700 GPU-h",
            "allocations.uni": "left 1,000 GPU-h",
            "p.phases.w.until": "left 7 d",
        },
    ),
    (
        [("p.plan.big.gpu_hours", "1500")],  # 1,250 hours to do
        {
            "p.ceiling": "short by 610 GPU-h",
            "p.phases.w.ceiling": "short by 1,400 GPU-h",
            "p.money.ceiling": "short by $2,150",
            "allocations.cloud": "short by $1,250",
            "p.phases.w.until": "left 0 d",
        },
    ),
    (
        [("catalog.prices.rent.usd_per_gpu_hour.h100", "6")],  # what is charged already, too: 600, and 3,100 to do
        {"p.money.ceiling": "short by $1,700", "allocations.cloud": "short by $800"},
    ),
    (
        [("p.plan.probe.gpu_hours", "30"), ("p.plan.probe.runs", "5")],  # what is billed of a run, the program says
        {"p.ceiling": "left 870 GPU-h", "allocations.nodes": LEFT},
    ),
]


def words_of(left: Figure) -> str:
    """What is left of a limit, or by how much it is short, where that is one number."""
    assert left.use is not None
    size = replace(left, value=point(abs(left.use)))
    return f"{'short by' if left.use < 0 else 'left'} {figure_text(size)}"


@pytest.fixture(scope="module")
def opened(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Page]]:
    at = tmp_path_factory.mktemp("limits")
    write_tree(at / "tree", LEDGER)
    with served(chromium, at / "tree", "p", at / "web") as page:
        yield at / "tree", page


OF_BUDGET = "p.budget.below_ceiling"


@pytest.mark.parametrize(("changes", "moved"), CHANGES)
def test_each_limit_is_short_or_leaves_something(
    opened: tuple[Path, Page], changes: list[tuple[str, str]], moved: dict[str, str]
) -> None:
    """On the page and by `Limits` of the changed ledger, whose own figures agree."""
    root, page = opened
    on_page(page, "(it.change(new Map()), null)")
    for address, text in changes:
        on_page(page, f"(it.type(it.fields.get('{address}').input, '{text}', false), null)")
    cells = on_page(page, CELLS)
    assert {address: cells[address] for address in AS_PLANNED} == AS_PLANNED | moved
    # Of the ceiling the sentence says what the budget lacks.
    told = {at: text for at, text in moved.items() if at != "p.ceiling" or not cells[OF_BUDGET].startswith("short by")}
    short = [text for text in told.values() if text.startswith("short by")]
    assert all(f"({text})" in on_page(page, "it.told.textContent") for text in short)
    ledger, wrong = load(root, changes)
    book, more = calculate(ledger)
    assert [*wrong, *more] == []
    figures = {figure.address: figure for figure in Limits(View(book, ledger.projects["p"])).all()}
    said = {address: words_of(figure) for address, figure in figures.items()}
    assert said == AS_PLANNED | moved | ({"allocations.nodes": "left 10 units"} if LEFT in moved.values() else {})
    for address in ("allocations.uni", "allocations.cloud", "allocations.nodes", "p.money"):
        left = figures[address if address in figures else f"{address}.ceiling"].use
        assert left is not None
        assert book[f"{address}.short_by"].use == max(-left, Fraction(0))
    days = (book["p.phases.w.earliest_end"].use, figures["p.phases.w.until"].use)
    assert sum(filter(None, days)) == 739676  # 1 March


def test_seeds_may_be_fewer_but_for_those_that_ran(opened: tuple[Path, Page]) -> None:
    _, page = opened
    seeds = "it.fields.get('p.seeds')"
    assert on_page(page, f"[{seeds}.slider.min, {seeds}.input.least]") == ["1", None]


def test_what_is_below_zero_is_drawn_to_the_left(opened: tuple[Path, Page]) -> None:
    """The least and the most of a unit are the ends of its bars: what is below zero ends where the others begin."""
    _, page = opened
    on_page(page, "(it.change(new Map([['p.seeds', '6']])), null)")
    ends = "[style.marginInlineStart, style.inlineSize].map(parseFloat)"
    drawn = (
        f"Object.fromEntries(it.results.map(({{shown, bar: {{children: [, {{style}}]}}}}) => [shown.address, {ends}]))"
    )
    bars = on_page(page, drawn)
    (start, _), (lowest, long) = bars["p.budget.final"], bars["p.phases.w.ceiling"]
    assert lowest == 0
    assert long == pytest.approx(start, abs=0.2)
    assert sum(bars["p.budget.final"]) <= 100
    assert sum(bars["allocations.uni"]) == pytest.approx(start, abs=0.2)
