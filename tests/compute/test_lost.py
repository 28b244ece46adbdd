"""Lost hours and earned value of published cases, worked by hand, under every address that has them."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any, NamedTuple

import pytest


class Case(NamedTuple):
    """Runs of `train` and other items, and what is right: hours held and lost, in all and by cause."""

    plan: str
    runs: str
    held: int
    lost: int
    causes: dict[str, int]
    more: str = ""


def run(hours: float, done: str = "", status: str = "", more: str = "", item: str = "train") -> str:
    progress = "progress: {{done: {}, total: {}}}, ".format(*done.split("/")) if done else ""
    said = f"status: {status}, " if status else ""
    return f"- {{item: {item}, {progress}{said}{more}gpu_hours: {hours}}}\n"


def on(day: int) -> str:
    return f"date: 2026-02-{day:02}, "


CASES = {
    # 200 hours made a quarter of 800; 260 made another, 60 too many; 40 made nothing.
    "12-checkpoints": Case(
        "train: {title: T, scope: one-time, gpu_hours: 800}",
        run(200, "1/4", "preempted", on(1) + "attempt: 1, ")
        + run(260, "2/4", "preempted", on(3) + "attempt: 2, ")
        + run(40, "", "node-failure", on(5) + "attempt: 3, "),
        500,
        100,
        {"preempted": 60, "node-failure": 40},
        "contingency: 20%\n",
    ),
    # Three timeouts kept a quarter each, for 192 hours of the 200 planned.
    "p51-chained-timeouts": Case(
        "train: {title: T, scope: one-time, gpu_hours: 800}",
        "".join(run(192, f"{day}/4", "timeout", on(day)) for day in (1, 2, 3)) + run(192, "4/4", "", on(4)),
        768,
        0,
        {"timeout": 0},
    ),
    "02-two-grants-one-card": Case(
        "train: {title: T, scope: one-time, gpu_hours: 1000}, eval: {title: E, scope: one-time, gpu_hours: 100}",
        run(560, "56/100", "timeout", on(10)) + run(90, "65/100", "", on(12)),
        650,
        0,
        {"timeout": 0},
    ),
    # A fifth of 8,000 hours in 1,600; 320 failed.
    "04-whole-nodes": Case(
        "train: {title: T, scope: one-time, gpu_hours: 8000}, probe: {title: P, scope: one-time, gpu_hours: 40}",
        run(12, "3/10", "", on(1), "probe")
        + run(1600, "2/10", "", on(3))
        + run(320, "", "failed", on(9))
        + run(2, "4/10", "", on(10), "probe"),
        1934,
        320,
        {"failed": 320},
    ),
    "08-spot": Case(
        "train: {title: T, scope: one-time, gpu_hours: 1000}, eval: {title: E, scope: one-time, gpu_hours: 100}",
        run(300, "3/10", "preempted", on(10)) + run(100, "4/10", "", on(12)),
        400,
        0,
        {"preempted": 0},
    ),
    "09-changes": Case(
        "train: {title: T, scope: one-time, gpu_hours: 900}",
        run(160, "", "node-failure", on(10)) + run(390, "4/10", "", on(20)) + run(10, "5/10", "", on(22)),
        560,
        160,
        {"node-failure": 160},
    ),
    # What failed outside the plan is lost whole, beside what the plan's own runs lost.
    "outside-the-plan": Case(
        "train: {title: T, scope: one-time, gpu_hours: 100}",
        run(30, "1/5", "failed", on(1)) + run(7, "1/2", "failed", on(2) + "unplanned: true, ", "debug"),
        37,
        17,
        {"failed": 17},
    ),
    # 400 hours made a half; the next attempt says a quarter: 200 hours went back with it, and 50 made nothing.
    "back": Case(
        "train: {title: T, scope: one-time, gpu_hours: 800}",
        run(400, "2/4", "completed", on(1)) + run(50, "1/4", "timeout", on(2)) + run(200, "2/4", "", on(3)),
        650,
        250,
        {"completed": 200, "timeout": 50},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_lost_is_one_number(name: str, ledger: Any) -> None:
    case = CASES[name]
    plan = f"w: {{title: W, items: {{{case.plan}}}}}\n"
    book = ledger(project=case.more, plan=plan, runs=case.runs).book()
    used = {
        key: book[f"p.{key}"].use for key in ("actual.total", "actual.waste", "actual.useful", "actual.waste_share")
    }
    held, lost = F(case.held), F(case.lost)
    assert used == dict(zip(used, (held, lost, held - lost, lost / held), strict=True))
    at = "p.actual.waste.by_cause."
    causes = {key.removeprefix(at): figure.use for key, figure in book.figures.items() if key.startswith(at)}
    assert causes == case.causes
    assert sum(causes.values()) == lost == book["p.forecast.lost"].use
    parts = [book[f"p.plan.{item}.waste"].use for item in book.ledger.projects["p"].items]
    outside = book.get("p.actual.unplanned.waste")
    assert book["p.phases.w.waste"].use == sum(parts) == lost - (outside.use if outside else 0)
    for item in book.ledger.projects["p"].items:
        waste, useful, actual = (book[f"p.plan.{item}.{key}"].use for key in ("waste", "useful", "actual"))
        assert waste + useful == actual


@pytest.mark.parametrize(
    ("name", "bac", "earned", "cpi"),
    [("12-checkpoints", 800, 400, F(4, 5)), ("p51-chained-timeouts", 800, 800, F(25, 24))],
)
def test_earned_value_is_that_of_the_work_without_contingency(
    name: str, bac: int, earned: int, cpi: F, ledger: Any
) -> None:
    case = CASES[name]
    book = ledger(project=case.more, plan=f"w: {{title: W, items: {{{case.plan}}}}}\n", runs=case.runs).book()
    figures = [book[f"p.performance.{key}"].use for key in ("bac", "earned", "cpi", "used_share", "eac", "vac")]
    held = F(case.held)
    assert figures == [bac, earned, cpi, held / bac, bac / cpi, bac - bac / cpi]
    final = book["p.budget.final"].use
    assert book["p.budget.left_at_end"].use == final - bac / cpi
    assert {"p.performance.work", "p.performance.done"}.isdisjoint(book.figures)


def test_work_without_a_known_plan_has_no_known_loss_once_it_made_progress(ledger: Any) -> None:
    plan = "w: {title: W, items: {train: {title: T, scope: one-time, gpu_hours: unknown}}}\n"
    some = ledger(plan=plan, runs=run(10, "1/4", "failed", on(1))).book()["p.actual.waste"]
    assert (some.use, some.missing) == (None, ("p.plan.train.gpu_hours",))
    assert ledger(plan=plan, runs=run(10, "", "failed", on(1))).book()["p.actual.waste"].use == 10
