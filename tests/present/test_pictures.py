"""What the pictures of the status page show of a ledger, and that they stay small however many runs there are."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from reckon.present.budget.status import Standing
from reckon.present.charts.bars import Bars
from reckon.present.charts.burn_up import BurnUp
from reckon.present.charts.drawdown import Drawdown
from reckon.present.charts.picture import pictures
from reckon.present.charts.timeline import Timeline
from reckon.present.choosing import Choosing
from reckon.present.view import View

PLAN = """
one:
  title: One
  since: 2025-01-01
  until: 2025-01-10
  items: {prep: {title: Preparation, scope: one-time, gpu_hours: 20}}
two:
  title: Two
  since: 2025-01-06
  until: 2025-01-25
  items: {train: {title: Training, scope: per-seed, gpu_hours: 40}}
"""
RUNS = """
- {date: 2025-01-02, item: prep, gpu_hours: 15}
- {date: 2025-01-03, item: prep, gpu_hours: 15, status: failed}
- {start: '2025-01-08T06:00', end: '2025-01-08T18:00', item: train, seed: 1, gpu_hours: 30}
- {date: 2025-01-10, item: detour, gpu_hours: 2, unplanned: true, status: timeout}
- {date: 2025-01-10, item: train, seed: 1, gpu_hours: 4, status: running, progress: {done: 1, total: 2}}
"""


def shown(book: Any) -> Any:
    view = View(book, book.ledger.projects["p"])
    return pictures(Standing(view), Choosing(view))


@pytest.fixture
def book(ledger: Any) -> Any:
    return ledger(project="seeds: 2\ncontingency: 15%\nceiling: 200\n", plan=PLAN, runs=RUNS).book()


@pytest.fixture
def drawn(book: Any) -> Any:
    return shown(book)


def test_the_burn_up_adds_up_and_the_plan_is_even_over_each_phase(drawn: Any) -> None:
    """By 10 January all of the first phase's 20 hours are planned, and 5 of 20 days of the second's 80."""
    picture = drawn["burn-up"]
    assert isinstance(picture, BurnUp)
    assert picture.actual == (
        ("2025-01-01", 0.0),
        ("2025-01-02", 15.0),
        ("2025-01-03", 30.0),
        ("2025-01-08", 60.0),
        ("2025-01-10", 66.0),
    )
    assert picture.plan == (("2024-12-31", 0.0), ("2025-01-05", 10.0), ("2025-01-10", 40.0), ("2025-01-25", 100.0))
    assert [(limit.label, limit.level) for limit in picture.limits] == [("Ceiling", 200.0), ("Final budget", 115.0)]
    assert "By 2025-01-10, 66 GPU-h are charged" in picture.alt


def test_the_forecast_ends_where_its_median_is_spent_at_the_pace(book: Any, drawn: Any) -> None:
    fan = drawn["burn-up"].fan
    assert (fan.start, fan.level) == ("2025-01-10", 66.0)
    days = (float(book["p.forecast.p50"].use) - 66) / (66 / 9)  # 66 hours on the nine days since the first
    assert date.fromisoformat(fan.end) == date(2025, 1, 10) + timedelta(days=int(-(-days // 1)))


def test_planned_and_actual_by_seed(drawn: Any) -> None:
    picture = drawn["planned-and-actual"]
    assert isinstance(picture, Bars)
    rows = {(row.group, row.label): [(one.name, one.use, one.amount) for one in row.segments] for row in picture.rows}
    assert rows["One", "planned"] == [("Preparation", "planned", 20.0)]
    assert rows["One", "spent"] == [("Preparation", "useful", 15.0), ("lost", "lost", 15.0)]
    assert ("One", "to come") not in rows
    assert rows["Two", "planned"] == [("seed 1", "planned", 40.0), ("seed 2", "planned", 40.0)]
    assert rows["Two", "forecast"][:1] == [("seed 1", "useful", 34.0)]
    assert [use for _, use, _ in rows["Two", "forecast"]] == ["useful", "to come"]
    assert ("Two", "spent") not in rows
    assert rows["Unplanned", "spent"] == [("unplanned", "spent", 2.0)]


def test_the_contingency_goes_down_by_what_is_above_plan(drawn: Any) -> None:
    """15 of contingency: the preparation passes its 20 hours by 10 on its second day, the detour takes 2."""
    picture = drawn["contingency"]
    assert isinstance(picture, Drawdown)
    assert [(step.date, step.left, step.number) for step in picture.steps] == [
        ("2025-01-03", 5.0, 1),
        ("2025-01-10", 3.0, 2),
    ]


def test_waste_by_its_causes(drawn: Any) -> None:
    assert [(row.label, row.value) for row in drawn["waste"].rows] == [("other failure", "15"), ("timeout", "2")]


def test_the_timeline_has_a_lane_for_each_seed(drawn: Any) -> None:
    picture = drawn["timeline"]
    assert isinstance(picture, Timeline)
    assert [lane.label for lane in picture.lanes] == ["Preparation", "Training, seed 1", "Unplanned"]
    assert [(one.lane, one.start, one.end, one.outcome) for one in picture.spans] == [
        (0, "2025-01-02", "2025-01-03", "completed"),
        (0, "2025-01-03", "2025-01-04", "failed"),
        (1, "2025-01-08T06:00", "2025-01-08T18:00", "completed"),
        (1, "2025-01-10", "2025-01-11", "running"),
        (2, "2025-01-10", "2025-01-11", "failed"),
    ]


def test_each_title_is_what_its_picture_found(drawn: Any) -> None:
    assert {name: picture.title for name, picture in drawn.items()} == {
        "budget-waterfall": "Training is the largest part: 80 of 115 GPU-h",
        "burn-up": "The forecast ends 23 GPU-h over the final budget on 2025-01-20",
        "contingency": "3 of 15 GPU-h of contingency are left",
        "planned-and-actual": "Two is forecast 26 GPU-h over plan",
        "timeline": "2 of 5 runs failed",
        "waste": "Largest loss: other failure, 15 of 17 GPU-h",
    }


def test_pictures_of_runs_say_how_far_their_data_go(drawn: Any) -> None:
    dated = {name for name, picture in drawn.items() if ", data to 2025-01-10: " in picture.about}
    assert dated == set(drawn) - {"budget-waterfall"}


def test_titles_say_when_all_is_within_its_plan_and_what_is_beyond_it(ledger: Any) -> None:
    unplanned = shown(ledger(project="seeds: 2\n", plan=PLAN).book())
    assert unplanned["burn-up"].title == "Planned by 2025-01-25: 100 GPU-h"
    assert unplanned["burn-up"].about == "P: planned hours over time", "no run has a day"
    done = ("item: prep", "item: train, seed: 1", "item: train, seed: 2")
    runs = "".join(f"- {{date: 2025-01-0{n}, {work}, gpu_hours: 15}}\n" for n, work in enumerate(done, 2))
    within = shown(ledger(project="seeds: 2\n", plan=PLAN, runs=runs).book())
    titles = {name: picture.title for name, picture in within.items()}
    assert titles["planned-and-actual"] == "All phases are within their plan"
    assert titles["timeline"] == "0 of 3 runs failed"
    overdrawn = ledger(project="seeds: 2\ncontingency: 1%\n", plan=PLAN, runs=RUNS).book()
    assert shown(overdrawn)["contingency"].title == "The contingency of 1 GPU-h is overdrawn by 11 GPU-h"


def test_where_nothing_is_known_nothing_is_drawn(ledger: Any) -> None:
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 10}}}\n"
    assert shown(ledger(plan=plan).book()) == {}
    assert shown(ledger(plan=plan, runs="- {item: a, gpu_hours: 3}\n").book()).keys() == {"planned-and-actual"}


def test_a_run_that_is_known_to_the_month_is_shown_over_the_month(ledger: Any) -> None:
    runs = "- {item: prep, date: 2025-01, gpu_hours: 3}\n- {item: prep, date: 2025-03-31, gpu_hours: 3}\n"
    spans = shown(ledger(project="seeds: 2\n", plan=PLAN, runs=runs).book())["timeline"].spans
    assert [(one.start, one.end) for one in spans] == [("2025-01-01", "2025-02-01"), ("2025-03-31", "2025-04-01")]


@pytest.mark.full
@pytest.mark.parametrize("timed", [False, True])
def test_many_runs_make_small_pictures(ledger: Any, timed: bool) -> None:
    """Twelve thousand here, over four years: runs are merged by week or month until all of them can be drawn."""
    items = "".join(f"    i{n}: {{title: Item {n}, scope: one-time, gpu_hours: 100}}\n" for n in range(60))
    first = date(2020, 1, 1)
    lines = []
    for number in range(12_000):
        day = (first + timedelta(days=number % 1500)).isoformat()
        when = f"start: '{day}T0{number % 9}:00', end: '{day}T1{number % 9}:30'" if timed else f"date: {day}"
        status = ("completed", "failed", "timeout")[number % 3]
        lines.append(f"- {{{when}, item: i{number % 60}, gpu_hours: 2, status: {status}}}\n")
    plan = "one:\n  title: One\n  contingency: 10%\n  items:\n" + items
    book = ledger(plan=plan, runs="".join(lines)).book()
    found = shown(book)
    assert len(found["timeline"].spans) <= 2000
    assert [lane.label for lane in found["timeline"].lanes] == ["One"]
    assert (
        sum(int(one.label.split(": ")[1].split(" run")[0].replace(",", "")) for one in found["timeline"].spans)
        == 12_000
    )
    assert len(found["contingency"].steps) <= 2000
    assert found["contingency"].steps[-1].left == float(book["p.contingency.left"].use)
