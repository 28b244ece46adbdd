"""A rounded intermediate that was carried on, and a digit too many, explain stated figures that do not hold."""

from __future__ import annotations

from typing import Any

import pytest

PROJECT = {
    "plan": "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 5}}}\n",
    "measurements": "m: {title: Step, kind: measured, date: 2025-01-01, seconds_per_step: 3623.25}\n",
    "projections": "q: {title: Run, measurements: [m], tasks: 8, steps_per_rollout: 10, epochs: 5}\n",
}


@pytest.mark.parametrize(
    ("of", "states", "slip"),
    [
        # 3,623.25 s are 60.39 min, printed as 60 min; times 10 steps 600 min and not 603.9, which is 36,000 s.
        ("projections.q.m.hours_per_task", "600.0 min", "time of a step is rounded to 60 min first"),
        ("projections.q.m.hours", "400.0", "time of a step is rounded to 60 min first"),
        # 400 x 3,623.25 s are 402.6 h; ten times that is a digit too much.
        ("projections.q.m.hours", "4030", "ten times too high"),
    ],
)
def test_a_rounded_intermediate_is_named(ledger: Any, of: str, states: str, slip: str) -> None:
    claims = f"- {{of: {of}, states: {states}, at: Table}}\n"
    book = ledger(**PROJECT, claims=claims).book()
    (check,) = book.checks["p"]
    assert not check.holds
    assert slip in check.slip


@pytest.mark.parametrize("states", ["403", "402.6", "350", "395"])
def test_what_holds_or_is_no_rounding_is_not_explained_by_one(ledger: Any, states: str) -> None:
    claims = f"- {{of: projections.q.m.hours, states: {states}, at: Table}}\n"
    book = ledger(**PROJECT, claims=claims).book()
    assert all("rounded" not in check.slip for check in book.checks["p"])
