# ruff: noqa: E501 (tables read better unbroken)
"""De-scoping: each entry with all above it, what is charged stays charged, and remaining work falls away."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 40}
    svd: {title: SVD, scope: one-time, gpu_hours: 20}
two:
  title: Two
  items:
    test: {title: Test, scope: one-time, gpu_hours: 30}
more:
  title: More
  extension: true
  items:
    big: {title: Big, scope: one-time, gpu_hours: 50}
"""


def book(ledger: Any, descope: str, runs: str, plan: str = PLAN) -> Any:
    return ledger(project=f"seeds: 2\nceiling: 100\ndescope:\n{descope}", plan=plan, runs=runs).book()


def use(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


AFTER = ("descope.1", "descope.2", "descope.3")
ALL = "  - {item: test}\n  - {item: sft, seed: 2, why: One seed says enough.}\n  - {phase: one}\n"
RUNS = "- {item: sft, seed: 1, gpu_hours: 10, progress: {done: 1, total: 4}}\n- {item: test, gpu_hours: 7, status: failed}\n"
RUNS += "- {item: debug, unplanned: true, gpu_hours: 2}\n- {item: big, gpu_hours: 3, status: running, progress: {done: 1, total: 10}}\n"


def test_what_is_left_when_all_is_dropped_is_what_was_charged(ledger: Any) -> None:
    """10 + 7 + 2 of the base budget are charged; its forecast cannot fall below. The ceiling sees the extension's 3 too."""
    found = book(ledger, ALL, RUNS)
    assert use(found, "descope.3.forecast_p50", "descope.3.forecast_p90") == [19, 19]
    assert use(found, "descope.3.probability_over_plan", "descope.3.probability_over_ceiling") == [0, 0]
    assert "p.descope.4.forecast_p50" not in found.figures


def test_each_entry_is_with_all_above_it(ledger: Any) -> None:
    """By their plans the test, which has only lost 7, has 30 to go, seed 2 has 40 and the rest 30 + 20; the draws are
    near a tenth above that, since more will be lost."""
    found = book(ledger, ALL, RUNS)
    levels = [found[f"p.{at}.forecast_p50" if "." in at else f"p.{at}.p50"].use for at in ("forecast", *AFTER)]
    steps = [one - two for one, two in pairwise(levels)]
    assert [abs(step - size) < 0.15 * size for step, size in zip(steps, (33, 44, 55), strict=True)] == [True] * 3, steps
    assert use(found, *(f"{at}.saves" for at in AFTER)) == steps
    over = [found[f"p.{at}.probability_over_ceiling"].use for at in ("forecast", *AFTER)]
    assert over == sorted(over, reverse=True)
    assert over[0] > over[-1] == 0


def test_the_order_is_that_of_the_ledger(ledger: Any) -> None:
    lines = ALL.splitlines(keepends=True)
    one, two = (book(ledger, text, RUNS) for text in (ALL, lines[1] + lines[0] + lines[2]))
    assert use(one, "descope.2.forecast_p50") == use(two, "descope.2.forecast_p50")
    assert use(one, "descope.1.saves") != use(two, "descope.1.saves")


def test_what_has_ended_saves_nothing(ledger: Any) -> None:
    found = book(ledger, "  - {item: svd}\n", "- {item: svd, gpu_hours: 25}\n")
    assert use(found, "descope.1.saves") == [0]
    assert use(found, "descope.1.forecast_p50") == use(found, "forecast.p50")


def test_a_seed_is_dropped_from_every_item_that_has_it(ledger: Any) -> None:
    plan = PLAN.replace("test: {title: Test, scope: one-time", "test: {title: Test, scope: per-seed")
    runs = (
        "- {item: svd, gpu_hours: 20}\n- {item: sft, seed: 1, gpu_hours: 40}\n- {item: test, seed: 1, gpu_hours: 30}\n"
    )
    found = book(ledger, "  - {seed: 2}\n", runs, plan)
    assert use(found, "descope.1.forecast_p50", "descope.1.forecast_p90") == [90, 90]


def test_what_is_not_in_the_plan_cannot_be_dropped(ledger: Any) -> None:
    for entry, word in (("{item: sfd}", "sfd"), ("{phase: three}", "three"), ("{item: sft, seed: 3}", "3")):
        texts = {"project": f"seeds: 2\ndescope:\n  - {entry}\n", "plan": PLAN}
        assert [word in one for one in ledger(**texts).problems()] == [True], entry
