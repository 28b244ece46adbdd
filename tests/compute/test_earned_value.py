# ruff: noqa: E501 (tables read better unbroken)
"""Progress, waste and earned value, worked by hand; sums hold from runs to the project."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trying import examples

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 40}
    svd: {title: SVD, scope: one-time, gpu_hours: 20}
two:
  title: Two
  extension: true
  items:
    more: {title: More, scope: one-time, gpu_hours: 30}
"""
PROJECT = "seeds: 2\ncontingency: 10%\nceiling: 200\n"


def book(ledger: Any, runs: str, plan: str = PLAN) -> Any:
    return ledger(project=PROJECT, plan=plan, runs=runs).book()


def use(book: Any, *names: str) -> list[object]:
    return [book[f"p.{name}"].use for name in names]


def share(book: Any, at: str = "plan.svd") -> object:
    figure = book[f"p.{at}.complete_share"]
    return figure.missing or figure.use


RUNS = """\
- {item: sft, seed: 1, attempt: 1, gpu_hours: 6, status: node-failure}
- {item: sft, seed: 1, attempt: 2, gpu_hours: 44}
- {item: sft, seed: 2, gpu_hours: 15, status: running, progress: {done: 1, total: 4}}
- {item: svd, gpu_hours: 2, status: held-idle}
- {item: debug, unplanned: true, gpu_hours: 3, status: failed}
"""


def test_earned_value_by_hand(ledger: Any) -> None:
    """Seed 1 took 50 of 40; seed 2 is a quarter done with 15, so 60 in all; SVD has not begun, 2 hours were lost."""
    found = book(ledger, RUNS)
    names = ("bac", "complete_share", "earned", "eac", "etc", "vac", "cpi", "used_share")
    assert use(found, *(f"plan.sft.seeds.1.{name}" for name in names)) == [40, 1, 40, 50, 0, -10, F(4, 5), F(5, 4)]
    assert use(found, *(f"plan.sft.seeds.2.{name}" for name in names)) == [
        40,
        F(1, 4),
        10,
        60,
        45,
        -20,
        F(2, 3),
        F(3, 8),
    ]
    assert use(found, *(f"plan.sft.{name}" for name in names)) == [80, F(5, 8), 50, 110, 45, -30, F(50, 65), F(65, 80)]
    assert use(found, *(f"plan.svd.{name}" for name in names[:6])) == [20, 0, 0, 22, 20, -2]
    assert use(found, *(f"phases.one.{name}" for name in names)) == [
        100,
        F(1, 2),
        50,
        132,
        65,
        -32,
        F(50, 67),
        F(67, 100),
    ]
    assert use(found, *(f"performance.{name}" for name in names)) == [
        100,
        F(1, 2),
        50,
        135,
        65,
        -35,
        F(50, 70),
        F(70, 100),
    ]
    assert use(found, "budget.final", "budget.left_at_end", "budget.used_share") == [110, -25, F(70, 110)]
    assert use(found, *(f"performance.extended.{name}" for name in names[:6])) == [
        130,
        F(50, 130),
        50,
        165,
        95,
        -35,
    ]
    assert use(found, "budget.extended_left_at_end") == [140 - 165]


def test_useful_and_lost_by_cause(ledger: Any) -> None:
    found = book(ledger, RUNS)
    assert use(found, "actual.useful", "actual.waste", "actual.waste_share") == [59, 11, F(11, 70)]
    assert use(found, *(f"actual.waste.by_cause.{name}" for name in ("node-failure", "held-idle", "failed"))) == [
        6,
        2,
        3,
    ]
    assert "p.actual.waste.by_cause.completed" not in found.figures
    assert use(found, "plan.sft.useful", "plan.sft.waste", "plan.sft.seeds.1.waste", "plan.svd.waste") == [59, 6, 6, 2]
    assert use(found, "phases.one.waste", "phases.one.waste_share", "phases.one.overrun_share") == [8, F(8, 67), 0]


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ("", 0),
        ("- {item: svd, gpu_hours: 11, status: held-idle}", 0),
        ("- {item: svd, gpu_hours: 11}", 1),
        ("- {item: svd, gpu_hours: 11, status: failed}", 0),
        ("- {item: svd, gpu_hours: 11, status: cancelled}\n- {item: svd, gpu_hours: 5, status: held-idle}", 0),
        (
            "- {item: svd, gpu_hours: 11, status: failed}\n- {item: svd, gpu_hours: 1, status: running}",
            ("p.plan.svd.progress",),
        ),
        (
            "- {item: svd, gpu_hours: 11, attempt: 1, status: timeout, progress: {done: 3, total: 4}}\n- {item: svd, attempt: 2, gpu_hours: 11, status: out-of-memory}",
            F(3, 4),
        ),
        (
            "- {item: svd, run: a, gpu_hours: 11, status: failed}\n- {item: svd, run: b, gpu_hours: 4, status: failed}",
            0,
        ),
        (
            "- {item: svd, run: a, gpu_hours: 11, status: failed}\n- {item: svd, run: b, gpu_hours: 4, progress: {done: 1, total: 2}}",
            F(1, 2),
        ),
        ("- {item: svd, gpu_hours: 11, status: running}", ("p.plan.svd.progress",)),
        ("- {item: svd, gpu_hours: 11, progress: {done: 3, total: 4}}", F(3, 4)),
        ("- {item: svd, gpu_hours: 11, status: timeout, progress: {done: 3, total: 4}}", F(3, 4)),
        (
            "- {item: svd, gpu_hours: 11, attempt: 2, status: timeout, progress: {done: 1, total: 4}}\n- {item: svd, attempt: 1, gpu_hours: 11, status: failed, progress: {done: 3, total: 4}}",
            F(1, 4),
        ),
        (
            "- {item: svd, gpu_hours: 11, attempt: 10, status: timeout, progress: {done: 1, total: 4}}\n- {item: svd, attempt: 9, gpu_hours: 11, status: failed, progress: {done: 3, total: 4}}",
            F(1, 4),
        ),
        (
            "- {item: svd, date: 2025-02-01, gpu_hours: 11, status: timeout, progress: {done: 1, total: 4}}\n- {item: svd, date: 2025-01-31, gpu_hours: 11, status: failed, progress: {done: 3, total: 4}}",
            F(1, 4),
        ),
        ("- {item: svd, gpu_hours: 11, status: failed}\n- {item: svd, gpu_hours: 11}", 1),
        (
            "- {item: svd, gpu_hours: 11}\n- {item: svd, gpu_hours: 11, status: running, progress: {done: 1, total: 4}}",
            F(1, 4),
        ),
        (
            "- {item: svd, run: a, gpu_hours: 11}\n- {item: svd, run: b, gpu_hours: 11, status: running, progress: {done: 1, total: 2}}",
            F(3, 4),
        ),
        (
            "- {item: svd, run: a, gpu_hours: 11}\n- {item: svd, run: b, gpu_hours: 11, status: running}",
            ("p.plan.svd.progress",),
        ),
        ("- {item: svd, run: a, gpu_hours: 11, status: failed}\n- {item: svd, run: b, gpu_hours: 11}", 1),
    ],
)
def test_the_share_that_is_done_comes_from_progress_alone(ledger: Any, runs: str, says: object) -> None:
    assert share(book(ledger, runs + "\n")) == says


def test_what_is_not_known_is_named_and_nothing_else_is_lost(ledger: Any) -> None:
    found = book(
        ledger, "- {item: sft, seed: 1, gpu_hours: 44, status: running}\n- {item: sft, seed: 2, gpu_hours: 44}\n"
    )
    for name in ("plan.sft.seeds.1.eac", "plan.sft.eac", "phases.one.earned", "performance.cpi", "performance.vac"):
        assert found[f"p.{name}"].missing == ("p.plan.sft.seeds.1.progress",), name
    assert use(found, "plan.sft.seeds.2.eac", "plan.svd.eac", "plan.sft.used_share") == [44, 20, F(88, 80)]
    assert found["p.plan.svd.cpi"].missing == ("p.plan.svd.actual",)


def test_runs_without_a_seed_advance_none(ledger: Any) -> None:
    found = book(ledger, "- {item: sft, gpu_hours: 4}\n- {item: sft, seed: 1, gpu_hours: 44}\n")
    assert found["p.plan.sft.eac"].missing == ("p.plan.sft.no_seed.seed",)
    found = book(ledger, "- {item: sft, gpu_hours: 4, status: held-idle}\n- {item: sft, seed: 1, gpu_hours: 44}\n")
    assert use(found, "plan.sft.eac", "plan.sft.complete_share", "plan.sft.no_seed.waste") == [88, F(1, 2), 4]


def test_a_plan_that_may_be_nothing_is_not_divided_by(ledger: Any) -> None:
    plan = "one:\n  title: One\n  items:\n    svd: {title: SVD, scope: one-time, gpu_hours: 0}\n    a: {title: A, scope: one-time, gpu_hours: 5+}\n"
    found = book(ledger, "- {item: svd, gpu_hours: 4}\n", plan)
    assert found["p.plan.svd.used_share"].missing == ("p.plan.svd.bac",)
    assert found["p.plan.a.used_share"].missing == ("p.plan.a.total",)
    assert use(found, "plan.svd.eac", "plan.svd.vac") == [4, -4]


def test_many_ranges_do_not_refuse_the_sums(ledger: Any) -> None:
    items = "".join(f"    i{n}: {{title: I, scope: one-time, gpu_hours: 8-10}}\n" for n in range(30))
    found = book(ledger, "- {item: i1, gpu_hours: 9}\n", f"one:\n  title: One\n  items:\n{items}")
    assert use(found, "performance.vac", "performance.bac", "budget.left_at_end") == [0, 270, 27]


RUN = st.fixed_dictionaries(
    {
        "item": st.sampled_from(["sft", "svd", "more", "debug"]),
        "seed": st.sampled_from(["1", "2", ""]),
        "hours": st.integers(0, 60),
        "status": st.sampled_from(["completed", "failed", "timeout", "held-idle", "running"]),
        "done": st.sampled_from([None, 0, 1, 3, 4]),
        "run": st.sampled_from(["", "a", "b"]),
        "attempt": st.sampled_from(["", "1", "2"]),
    }
)


def line(run: Any) -> str:
    more = "".join(f", {key}: {run[key]}" for key in ("seed", "run", "attempt") if run[key])
    more += "" if run["done"] is None else f", progress: {{done: {run['done']}, total: 4}}"
    more += ", unplanned: true" if run["item"] == "debug" else ""
    return f"- {{item: {run['item']}, gpu_hours: {run['hours']}, status: {run['status']}{more}}}\n"


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RUN, max_size=10), st.randoms(use_true_random=False))
def test_sums_hold_order_is_nothing_and_a_forecast_is_never_below_what_is_spent(
    ledger: Any, runs: list[Any], random: Any
) -> None:
    found = book(ledger, "".join(map(line, runs)))

    def of(name: str) -> F:
        figure = found.get(f"p.{name}")
        return figure.use if figure else F(0)

    for kind in ("actual", "useful", "waste"):
        assert of(f"plan.sft.seeds.1.{kind}") + of(f"plan.sft.seeds.2.{kind}") + of(f"plan.sft.no_seed.{kind}") == of(
            f"plan.sft.{kind}"
        )
        assert of(f"plan.sft.{kind}") + of(f"plan.svd.{kind}") == of(f"phases.one.{kind}")
    unplanned = sum(run["hours"] for run in runs if run["item"] == "debug")
    assert (
        of("phases.one.actual") + of("phases.two.actual") + unplanned
        == of("actual.total")
        == sum(run["hours"] for run in runs)
    )
    assert of("actual.useful") + of("actual.waste") == of("actual.total")
    causes = [figure.use for address, figure in found.figures.items() if address.startswith("p.actual.waste.by_cause.")]
    assert sum(causes, F(0)) == of("actual.waste")
    if not found["p.performance.eac"].missing:
        assert of("performance.eac") == of("phases.one.eac") + of("actual.unplanned") >= of("actual.base")
        assert of("phases.one.eac") == of("plan.sft.eac") + of("plan.svd.eac")
        assert of("phases.one.earned") == of("plan.sft.earned") + of("plan.svd.earned") <= of("phases.one.bac")
    for at, spent in (("forecast", "actual.base"), ("forecast.extended", "actual.total")):
        assert of(spent) <= of(f"{at}.p10") <= of(f"{at}.p50") <= of(f"{at}.p90")
    if runs:
        less = book(ledger, "".join(map(line, runs[:-1])))
        assert less["p.actual.total"].use <= of("actual.total")
        assert less["p.plan.sft.actual"].use <= of("plan.sft.actual")
    mixed = list(runs)
    random.shuffle(mixed)
    again = book(ledger, "".join(map(line, mixed)))
    assert {address: (figure.value, figure.missing) for address, figure in again.figures.items()} == {
        address: (figure.value, figure.missing) for address, figure in found.figures.items()
    }
