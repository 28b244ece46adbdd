"""From where a limit warns: worked by hand, in published cases, and on projects drawn from the forecast's own prior."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from benchmarks.alarms import told
from reckon.compute.budget.alarms import is_alarming, warns_from
from reckon.present.budget.state import chances, state_of
from reckon.present.view import View
from tests.compute.test_lost import CASES


@pytest.mark.parametrize(
    ("as_planned", "own", "others"),
    [
        (None, F(1, 2), F(1, 2)),  # not known
        (F(0), F(1, 2), F(1, 5)),
        (F(5, 100), F(1, 2), F(1, 5)),  # 15/110 is below a fifth
        (F(10, 100), F(1, 2), F(30, 120)),
        (F(25, 100), F(1, 2), F(1, 2)),  # odds of 1/3, three times 1
        (F(29, 100), F(87, 158), F(1, 2)),  # 55% of the own budget; of others at 50% at the latest
        (F(1, 2), F(3, 4), F(3, 4)),
        (F(54, 100), F(162, 208), F(162, 208)),
        (F(1), F(1), F(1)),
    ],
)
def test_a_limit_warns_at_three_times_the_odds_of_its_plan(as_planned: F | None, own: F, others: F) -> None:
    assert (warns_from(as_planned, True), warns_from(as_planned, False)) == (own, others)


def test_a_stated_chance_replaces_the_odds_and_what_was_planned_is_no_news() -> None:
    assert is_alarming(F(54, 100), F(54, 100), True, stated=F(1, 2))
    assert not is_alarming(F(54, 100), F(54, 100), True)
    assert not is_alarming(F(1), F(1), False)
    assert is_alarming(F(1), F(99, 100), False)


ITEMS = "train: {title: T, scope: one-time, gpu_hours: 1000}, eval: {title: E, scope: one-time, gpu_hours: 100}"
PLAN = f"w: {{title: W, items: {{{ITEMS}}}}}\n"


def at_risk(book: Any) -> bool:
    return any(odds.risk for odds in chances(View(book, book.ledger.projects["p"])))


def test_a_project_exactly_on_its_plan_is_no_news(ledger: Any) -> None:
    """p43: one item of two took its 100 hours; the chance is that of the day on which it was planned."""
    unbegun = ledger(plan=PLAN).book()
    same = ("p.forecast.probability_over_plan", "p.forecast.probability_as_planned")
    book = ledger(plan=PLAN, runs="- {item: eval, date: 2025-02-01, gpus: 10, wall_hours: 10}\n").book()
    now, before = book["p.forecast.probability_over_plan"].use, book["p.forecast.probability_as_planned"].use
    assert abs(now - F(54, 100)) <= F(3, 100)
    assert abs(before - F(54, 100)) <= F(3, 100)
    assert not at_risk(book)
    assert book["p.performance.cpi"].use == 1
    assert [unbegun[at].use for at in same] == [before, before]


def test_lost_checkpoints_are_not_yet_an_alarm(ledger: Any) -> None:
    case = CASES["12-checkpoints"]
    grants = "g: {title: G, gpu_hours: 1000, projects: [p]}\n"
    plan = f"w: {{title: W, items: {{{case.plan}}}}}\n"
    book = ledger(project=case.more, plan=plan, runs=case.runs, allocations=grants).book()
    assert not at_risk(book)
    assert book["allocations.g.left"].use == 500
    stated = ledger(project=f"{case.more}at_risk: {{budget: 1%}}\n", plan=plan, runs=case.runs).book()
    assert at_risk(stated)


def test_both_chances_are_printed(ledger: Any) -> None:
    runs = "- {item: train, gpu_hours: 500, status: running, progress: {done: 3, total: 10}}\n"
    book = ledger(plan=PLAN, project="contingency: 20%\nceiling: 1500\n", runs=runs).book()
    state = state_of(View(book, book.ledger.projects["p"]))
    assert state.word == "at risk"
    said = "".join(part if isinstance(part, str) else "#" for part in state.why)
    assert said.startswith("the chance of exceeding the final budget is # (# before any run)")
    for name in ("probability_as_planned", "probability_over_ceiling_as_planned"):
        assert 0 < book[f"p.forecast.{name}"].use < F(1, 3)


def test_the_chance_as_planned_of_a_grant_is_known_where_it_alone_pays(ledger: Any) -> None:
    runs = "- {item: eval, date: 2025-03-01, gpu_hours: 100}\n"
    one = "g: {title: G, gpu_hours: 1300, since: 2025-01, until: 2025-12, projects: [p]}\n"
    book = ledger(plan=PLAN, runs=runs, allocations=one).book()
    assert F(1, 20) < book["allocations.g.probability_as_planned"].use < F(1, 2)
    later = one.replace("2025-01,", "2025-04,")
    assert "allocations.g.probability_as_planned" not in ledger(plan=PLAN, runs=runs, allocations=later).book().figures
    two = one + "h: {title: H, gpu_hours: 50, since: 2025-01, until: 2025-02, projects: [p]}\n"
    assert "allocations.g.probability_as_planned" not in ledger(plan=PLAN, runs=runs, allocations=two).book().figures


@pytest.mark.parametrize(
    ("is_own", "wanted"),
    [
        (True, {0: (33, 16, 90), 10: (23, 15, 90), 20: (18, 14, 90)}),
        (False, {0: (33, 16, 90), 10: (32, 23, 94), 20: (18, 14, 90)}),
    ],
)
def test_what_warns_is_right_on_projects_from_the_prior(is_own: bool, wanted: dict[int, tuple[int, int, int]]) -> None:
    """Warned after the first piece, warned among those that end within, and overruns told by half-way, in percent of
    400 projects that the forecast's own draws watch: as 4,000 do by the formula that it approximates."""
    found = told(400, is_own)
    assert found.keys() == wanted.keys()
    for reserve, parts in found.items():
        for part, percent in zip(parts, wanted[reserve], strict=True):
            assert abs(100 * part - percent) <= 5, (reserve, parts)
