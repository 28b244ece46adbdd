# ruff: noqa: E501 (tables read better unbroken)
"""Pace, months and the days on which limits are reached or were passed, worked by hand."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from reckon.language.calendar_days import iso

PLAN = """\
one:
  title: One
  items:
    train: {title: Train, finishes: piece, scope: one-time, gpu_hours: 100}
more:
  title: More
  extension: true
  items:
    big: {title: Big, scope: one-time, gpu_hours: 50}
"""
PROJECT = "contingency: 10%\nceiling: 200\n"


def book(ledger: Any, runs: str, project: str = PROJECT) -> Any:
    return ledger(project=project, plan=PLAN, runs=runs).book()


def use(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


def day(found: Any, name: str) -> str:
    figure = found[f"p.{name}"]
    return iso(int(figure.use)) if figure.use is not None else f"without {', '.join(figure.missing)}"


SPREAD = """\
- {date: 2025-01-01, item: train, gpu_hours: 10}
- {date: 2025-02-01, item: train, gpu_hours: 20, status: failed}
- {start: 2025-01-30T00:00, end: 2025-02-03T00:00, item: train, gpu_hours: 8}
"""


def test_the_pace_is_of_the_last_28_days_of_data(ledger: Any) -> None:
    """From 6 January to 2 February 20 + 8 hours were charged: one a day. 110 - 38 = 72 are left: 72 days."""
    found = book(ledger, SPREAD)
    assert (day(found, "pace.first"), day(found, "pace.through")) == ("2025-01-01", "2025-02-02")
    assert use(found, "pace.days", "pace.charged", "pace.gpu_hours_per_day") == [28, 28, 1]
    assert use(found, "limits.final.days_left", "limits.ceiling.days_left") == [72, 162]
    assert use(found, "limits.extended.days_left") == [160 - 38]
    assert day(found, "limits.final.reached") == "2025-04-15"
    assert found.findings["p"] == ()


@pytest.mark.parametrize(
    ("run", "first", "last"),
    [
        ("date: 2025-02", "2025-02-01", "2025-02-28"),
        ("date: 2024", "2024-01-01", "2024-12-31"),
        ("date: 2025-02-03", "2025-02-03", "2025-02-03"),
        ("date: 2025-02-03, gpus: 8, wall_hours: 24", "2025-02-03", "2025-02-03"),
        ("date: 2025-02-03, gpus: 8, wall_hours: 25", "2025-02-02", "2025-02-03"),
        ("end: 2025-02-03T12:00, gpus: 8, wall_hours: 72", "2025-02-01", "2025-02-03"),
        ("start: 2025-02-03T12:00, gpus: 8, wall_hours: 72", "2025-02-03", "2025-02-06"),
        ("start: 2025-02-03, end: 2025-02-04, gpus: 8, wall_hours: 72", "2025-02-03", "2025-02-04"),
        ("date: 2025-02-03, gpus: 1, wall_hours: 33088", "2025-01-04", "2025-02-03"),
    ],
)
def test_a_run_is_spread_over_its_days(ledger: Any, run: str, first: str, last: str) -> None:
    found = book(ledger, f"- {{item: train, gpu_hours: 84, {run}}}\n")
    assert (day(found, "pace.first"), day(found, "pace.through")) == (first, last)
    days = int(found["p.pace.through"].use - found["p.pace.first"].use) + 1
    assert use(found, "pace.gpu_hours_per_day") == [F(84, days)]
    assert use(found, "actual.total") == [84]


def test_runs_dated_with_months_have_the_pace_of_a_month(ledger: Any) -> None:
    """Two models of Llama 2, dated with the months of their training: 3,100 hours in 31 days are 100 a day."""
    runs = "- {item: train, date: 2023-06, gpu_hours: 30}\n- {item: train, date: 2023-07, gpu_hours: 3100}\n"
    found = book(ledger, runs)
    assert use(found, "pace.gpu_hours_per_day", "actual.by_month.2023-06", "actual.by_month.2023-07") == [100, 30, 3100]


def test_the_window_can_be_set_and_ends_at_the_first_run(ledger: Any) -> None:
    found = book(ledger, SPREAD, f"{PROJECT}pace_days: 2\n")
    assert use(found, "pace.days", "pace.charged", "pace.gpu_hours_per_day") == [2, 24, 12]
    found = book(
        ledger, "- {date: 2025-01-01, item: train, gpu_hours: 10}\n- {date: 2025-01-08, item: train, gpu_hours: 5}\n"
    )
    assert use(found, "pace.days", "pace.charged", "limits.final.days_left") == [8, 15, F(152, 3)], (
        "95 left at 15 in 8 days"
    )
    assert day(found, "limits.final.reached") == "2025-02-28", "50 2/3 days are 51 whole ones"


def test_months_add_up_what_was_charged_in_them(ledger: Any) -> None:
    """Two of the four days of the long run lie in January. What has no date comes before all; a month is its last day."""
    found = book(ledger, SPREAD + "- {item: train, gpu_hours: 5}\n- {date: 2025-04, item: big, gpu_hours: 3}\n")
    at = "actual.by_month"
    assert use(found, f"{at}.2025-01", f"{at}.2025-02", f"{at}.2025-04") == [14, 24, 3]
    assert use(found, f"{at}.2025-01.so_far", f"{at}.2025-02.so_far", f"{at}.2025-04.so_far") == [19, 43, 46]
    assert f"p.{at}.2025-03" not in found.figures
    assert day(found, "pace.through") == "2025-04-30"


def test_the_day_on_which_a_limit_was_passed(ledger: Any) -> None:
    """60 + 50 is the whole budget and passes nothing; one hour more passes it on its day, and the ceiling stands."""
    runs = "- {date: 2025-01-01, item: train, gpu_hours: 60}\n- {date: 2025-01-07, item: train, gpu_hours: 50}\n"
    found = book(ledger, runs)
    assert (*use(found, "limits.final.days_left"), day(found, "limits.final.reached")) == (0, "2025-01-07")
    assert found["p.limits.final.reached"].title.endswith("reached at the present pace")
    assert found.findings["p"] == ()
    found = book(ledger, runs + "- {date: 2025-01-09, item: debug, unplanned: true, gpu_hours: 1}\n")
    assert day(found, "limits.final.reached") == "2025-01-09"
    assert found["p.limits.final.reached"].title == "Final budget: passed"
    assert use(found, "limits.final.days_left", "limits.ceiling.days_left") == [0, F(89 * 9, 111)]
    assert [one.id for one in found.findings["p"]] == ["limit-passed:p.limits.final"]


def test_extensions_pass_the_ceiling_and_not_the_base_budget(ledger: Any) -> None:
    found = book(
        ledger, "- {date: 2025-01-01, item: train, gpu_hours: 50}\n- {date: 2025-01-08, item: big, gpu_hours: 151}\n"
    )
    assert use(found, "limits.final.days_left") == [F(60 * 8, 201)]
    assert [day(found, f"limits.{name}.reached") for name in ("final", "extended", "ceiling")] == [
        "2025-01-11",
        "2025-01-08",
        "2025-01-08",
    ]
    assert [one.id for one in found.findings["p"] if one.severity == "error"] == ["limit-passed:p.limits.ceiling"]


def test_nothing_charged_lately_is_no_pace(ledger: Any) -> None:
    found = book(
        ledger, "- {date: 2025-01-01, item: train, gpu_hours: 60}\n- {date: 2025-03-01, item: train, gpu_hours: 0}\n"
    )
    assert use(found, "pace.charged", "pace.gpu_hours_per_day") == [0, 0]
    assert day(found, "limits.final.reached") == "without p.pace.gpu_hours_per_day"


def test_a_limit_passed_on_no_known_day(ledger: Any) -> None:
    found = book(ledger, "- {item: train, gpu_hours: 120}\n- {date: 2025-01-02, item: train, gpu_hours: 1}\n")
    assert day(found, "limits.final.reached") == "without p.limits.final.date_of_runs"
    assert [one.id for one in found.findings["p"]] == ["limit-passed:p.limits.final"]


def test_a_limit_thousands_of_years_away_has_no_day(ledger: Any) -> None:
    found = book(ledger, "- {start: 2025-01-01, end: 2025-01-09, item: train, gpu_hours: 0.000001}\n")
    assert day(found, "limits.final.reached") == "without p.limits.final.days_left"


@pytest.mark.parametrize("runs", ["", "- {item: train, gpu_hours: 5}\n"])
def test_without_dates_there_is_no_pace(ledger: Any, runs: str) -> None:
    found = book(ledger, runs)
    assert [name for name in found.figures if ".pace" in name or ".limits." in name or ".by_month." in name] == []


def test_hours_that_cannot_be_counted_leave_the_pace_open(ledger: Any) -> None:
    found = book(ledger, "- {date: 2025-01-01, item: train, gpu: other, gpu_hours: 5}\n")
    ratio = ("catalog.gpus.other.counts_as.card",)
    for name in ("pace.charged", "pace.gpu_hours_per_day", "actual.by_month.2025-01", "limits.final.days_left"):
        assert found[f"p.{name}"].missing == ratio, name
    assert use(found, "actual.by_gpu.other") == [5]
