"""Grants: what is charged to them by GPU and date, how fast, and what their end leaves unused."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from reckon.language.calendar_days import iso

GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
PLAN = "one:\n  title: One\n  items:\n    train: {title: Train, finishes: piece, scope: one-time, gpu_hours: 100}\n"
RUNS = """\
- {date: 2025-01-31, item: train, gpu_hours: 10}
- {date: 2025-02-10, item: train, gpu_hours: 20}
- {date: 2025-02-10, item: train, gpu: other, gpu_hours: 8}
- {date: 2025-03-01, item: train, gpu_hours: 5}
- {item: train, gpu_hours: 3}
"""
OPEN = ", progress: {done: 1, total: 10}"
"""Work that has nine tenths to go: more than the pace comes to in these tests."""


def book(ledger: Any, grant: str, runs: str = RUNS, **more: str) -> Any:
    text = f"g: {{title: G, projects: [p], {grant}}}\n"
    return ledger(**{"gpus": GPUS, "plan": PLAN, "runs": runs, "allocations": text, **more}).book()


def days(first: int, last: int, progress: str = "") -> str:
    """Hours on the first and on the fourth of February, and how far each has come."""
    early, late = (f"- {{date: 2025-02-0{day}, item: train, gpu_hours: " for day in (1, 4))
    return f"{early}{first}{progress}}}\n{late}{last}{progress}}}\n"


def use(found: Any, *names: str) -> list[object]:
    return [found[f"allocations.g.{name}"].use for name in names]


@pytest.mark.parametrize(
    ("grant", "used"),
    [
        ("gpu_hours: 200", 10 + 20 + 4 + 5 + 3),
        ("gpu_hours: 200, gpu: card", 10 + 20 + 5 + 3),
        ("gpu_hours: 200, gpu: other", 8),
        ("gpu_hours: 200, since: 2025-02-10, until: 2025-02-28", 20 + 4 + 3),
        ("gpu_hours: 200, gpu: card, since: 2025-02, until: 2025-02", 20 + 3),
        ("gpu_hours: 200, gpu: card, until: 2025-01-31", 10 + 3),
        ("gpu_hours: 200, since: 2025-03-01", 5 + 3),
    ],
)
def test_what_is_charged_to_a_grant(ledger: Any, grant: str, used: int) -> None:
    """By GPU in hours of that GPU, by date with both ends; what has no date is taken to lie within."""
    found = book(ledger, grant)
    ended = "until: 2025-02" in grant or "until: 2025-01" in grant
    assert use(found, "used", "left", "used_share") == [used, 0 if ended else 200 - used, F(used, 200)]


def test_what_its_end_leaves_unused(ledger: Any) -> None:
    """12 hours on 4 days are 3 a day. From 4 to 28 February are 24 days: 72 of 88 go, 16 stay; 3 2/3 a day uses all."""
    found = book(ledger, "gpu_hours: 100, gpu: card, since: 2025-02-01, until: 2025-02", days(2, 10, OPEN))
    assert use(found, "pace.gpu_hours_per_day") == [3]
    assert use(found, "left", "days_to_end", "unused", "pace_to_use_up") == [88, 24, 16, F(11, 3)]
    assert iso(int(found["allocations.g.end"].use)) == "2025-02-28"
    assert use(found, "days_left") == [F(88, 3)]
    assert found["allocations.g.reached"].missing == ("p.pace.days_of_data",), "four days of data tell no date"


def test_a_grant_that_is_used_up_before_its_end_leaves_nothing(ledger: Any) -> None:
    """3 hours a day for 24 days are more than the 18 that are left."""
    found = book(ledger, "gpu_hours: 30, gpu: card, since: 2025-02, until: 2025-02", days(2, 10, OPEN))
    assert use(found, "left", "unused", "days_to_end", "pace_to_use_up") == [18, 0, 24, F(18, 24)]


def test_a_grant_that_has_ended_leaves_nothing_to_spend(ledger: Any) -> None:
    """The last run on it was on 10 February, that of its project on 1 March; on the second there never was one."""
    found = book(ledger, "gpu_hours: 30, gpu: card, since: 2025-02, until: 2025-02")
    assert use(found, "left", "unused", "days_to_end", "days_since_end") == [0, 7, 0, 1]
    assert use(found, "forecast_p10", "forecast_p90", "probability_over") == [23, 23, 0]
    untouched = book(ledger, "gpu_hours: 30, since: 2024-01, until: 2024-02", days(2, 10))
    assert use(untouched, "left", "unused", "days_to_end") == [0, 30, 0]


@pytest.mark.parametrize(
    ("progress", "pace", "unused"), [(", progress: {done: 1, total: 1}", 0, 100 - 12), (OPEN, 3, 88 - 72)]
)
def test_work_that_is_done_spends_no_more_of_a_grant(ledger: Any, progress: str, pace: int, unused: int) -> None:
    """At 3 hours a day 72 of the 88 that are left would go in 24 days; once the work is done, none of them do."""
    found = book(ledger, "gpu_hours: 100, since: 2025-02-01, until: 2025-02", days(2, 10, progress))
    assert use(found, "pace.gpu_hours_per_day", "unused") == [pace, unused]


def test_no_more_is_spent_of_a_grant_than_is_to_come(ledger: Any) -> None:
    """20 a day for 24 days would be 480; what is left at the end is granted less the median of the forecast."""
    runs = days(40, 40, ", progress: {done: 8, total: 10}")
    found = book(ledger, "gpu_hours: 400, since: 2025-02-01, until: 2025-02", runs)
    median, used, unused = (found[f"allocations.g.{name}"].use for name in ("forecast_p50", "used", "unused"))
    assert (used, unused) == (80, 400 - median)
    assert 80 < median < 120


def test_a_grant_on_another_card_pays_for_what_is_planned_there(ledger: Any) -> None:
    """All work is planned on the project's own card: what ran on the other one is charged to its grant, and nothing
    more will be."""
    runs = days(0, 16, ", progress: {done: 1, total: 10}").replace("item:", "gpu: other, item:")
    found = book(ledger, "gpu_hours: 200, gpu: other, since: 2025-02-01, until: 2025-02", runs)
    assert use(found, "used", "left", "to_do", "unused", "forecast_p90") == [16, 184, 0, 184, 16]


def test_on_its_last_day_no_pace_can_use_it_up(ledger: Any) -> None:
    found = book(ledger, "gpu_hours: 50, until: 2025-03-01")
    assert use(found, "days_to_end", "left", "unused") == [0, 50 - 42, 50 - 42]
    assert "allocations.g.days_since_end" not in found.figures
    assert found["allocations.g.pace_to_use_up"].missing == ("allocations.g.days_to_end",)


def test_an_overdrawn_grant_is_found_with_its_day(ledger: Any) -> None:
    found = book(ledger, "gpu_hours: 32")
    assert use(found, "left", "to_do") == [-10, found["p.work_to_do"].use]
    assert iso(int(found["allocations.g.reached"].use)) == "2025-02-10"
    assert [one.id for one in found.findings["p"]] == ["limit-passed:allocations.g"]


def test_projects_share_a_grant(ledger: Any) -> None:
    """5 of the other project are added. What each has to do it pays for: its pace is that of the other project, which
    has, 5 on its only day of data. The work of the first is done: a run completed it."""
    more = {
        "ledger/q/project.yaml": "title: Q\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n",
        "ledger/q/plan.yaml": PLAN,
        "ledger/q/runs/2025.yaml": f"- {{date: 2025-02-20, item: train, gpu_hours: 5{OPEN}}}\n",
        "allocations": "g: {title: G, gpu_hours: 100, projects: [p, q]}\n",
    }
    found = book(ledger, "", **more)
    assert use(found, "used", "left") == [47, 53]
    assert found["p.pace.gpu_hours_per_day"].use == F(20 + 4 + 5, 28)
    assert use(found, "to_do", "pace.gpu_hours_per_day") == [90, 5]


def test_a_ratio_that_is_missing_leaves_a_grant_open_unless_it_is_of_one_gpu(ledger: Any) -> None:
    gpus = "card: {title: Card}\nother: {title: Other}\n"
    found = book(ledger, "gpu_hours: 99", gpus=gpus)
    assert found["allocations.g.used"].missing == ("catalog.gpus.other.counts_as.card",)
    assert use(book(ledger, "gpu_hours: 99, gpu: other", gpus=gpus), "used") == [8]


def test_a_grant_without_runs_is_whole(ledger: Any) -> None:
    found = book(ledger, "gpu_hours: 50, gpu: other, since: 2025-02, until: 2025-03", "")
    assert use(found, "used", "left") == [0, 50]
    assert "allocations.g.unused" not in found.figures


@pytest.mark.parametrize(
    ("granted", "runs", "why"),
    [
        (400, days(40, 40, ", progress: {done: 8, total: 10}"), "the work to do is not more than is left"),
        (90, days(1, 1, OPEN), "under 7 days of data"),
    ],
)
def test_why_no_day_is_known_on_which_a_grant_is_used_up(ledger: Any, granted: int, runs: str, why: str) -> None:
    """20 of 100 hours are to do, 320 are left; 90 to do, 88 left, and four days of data."""
    found = book(ledger, f"gpu_hours: {granted}, since: 2025-02-01", runs)["allocations.g.used_up"]
    assert found.missing
    assert found.origin.how == why
