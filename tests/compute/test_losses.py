"""Losses, worked by hand: what failed attempts lost, what that teaches, and that a failed run is not a slow one."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.budget.loss_model import gammas, loss_model, losses_to_come
from reckon.compute.budget.random_numbers import DRAWS
from reckon.compute.budget.simulation import Learnt, Piece, draw_with_losses
from reckon.present.render.numbers import with_names

RUN = "- {{date: 2025-02-{day:02}, item: a, attempt: {day}, gpu_hours: {hours}, status: {status}{more}}}\n"


def runs(*told: tuple[object, ...]) -> str:
    """Attempts day by day: hours, status, and progress if there is one."""
    lines = ""
    for day, (hours, status, *progress) in enumerate(told, 1):
        more = "".join(f", progress: {{done: {done}, total: 1000}}" for done in progress)
        lines += RUN.format(day=day, hours=hours, status=status, more=more)
    return lines


def book(ledger: Any, plan: str, *told: tuple[object, ...], **more: str) -> Any:
    item = f"one: {{title: One, items: {{a: {{title: A, scope: one-time, {plan}}}}}}}\n"
    return ledger(plan=item, **({"runs": runs(*told)} if told else {}), **more).book()


@pytest.mark.parametrize(
    ("told", "lost"),
    [
        ([(40, "failed")], [40]),
        ([(40, "failed", 0)], [40]),
        ([(40, "failed", 100)], []),  # a tenth of the plan is 100 hours
        ([(140, "failed", 100)], [40]),
        ([(100, "timeout", 100), (30, "failed", 100)], [30]),  # nothing was gained
        ([(100, "timeout", 100), (30, "failed", 120)], [10]),  # 20 of 30 hours made progress
        ([(100, "timeout", 100), (30, "failed", 50), (40, "failed", 90)], [50, 30]),  # back to 5%, then 4% in 40 hours
        ([(100, "running", 100), (40, "failed", 40)], [60, 40]),  # what ran lost 6% of 1,000 hours by going back
        ([(200, "timeout", 100), (150, "timeout", 200)], [50]),  # both slower than planned: 150 hours are the measure
        ([(200, "timeout", 100), (100, "timeout", 200)], [100]),  # one was not
        ([(900, "completed"), (30, "failed")], [30]),
        ([(900, "completed"), (50, "held-idle")], [50]),
        ([(900, "running", 100)], []),
    ],
)
def test_what_a_failed_attempt_lost(ledger: Any, told: Any, lost: list[int]) -> None:
    found = book(ledger, "gpu_hours: 1000", *told)
    assert (found["p.forecast.lost"].use, found["p.forecast.losses_seen"].use) == (sum(lost), len(lost))


def test_of_two_attempts_of_a_day_the_one_that_did_not_fail_made_the_progress(ledger: Any) -> None:
    item = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n"
    same = "- {{date: 2025-02-01, item: a, gpu_hours: {}, progress: {{done: 3, total: 10}}{}}}\n"
    failed, other = same.format(8, ", status: failed"), same.format(30, "")
    for runs in (failed + other, other + failed):
        assert ledger(plan=item, runs=runs).book()["p.actual.waste"].use == 8


def test_a_failed_run_of_several_has_its_part_of_the_plan(ledger: Any) -> None:
    """Of 10 runs at 100 hours one got half done, which is worth 50 hours, and took 80."""
    named = "- {item: a, run: x, gpu_hours: 80, status: failed, progress: {done: 1, total: 2}}\n"
    item = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 1000, runs: 10}}}\n"
    assert ledger(plan=item, runs=named).book()["p.plan.a.lost"].use == 30


def test_losses_without_a_seed_count_too(ledger: Any) -> None:
    item = "one: {title: One, items: {a: {title: A, scope: per-seed, gpu_hours: 100}}}\n"
    lines = "- {item: a, gpu_hours: 7, status: failed}\n- {item: a, seed: 1, gpu_hours: 5, status: failed}\n"
    found = ledger(project="seeds: 2\n", plan=item, runs=lines).book()
    for name, hours in (("plan.a.no_seed.lost", 7), ("plan.a.seeds.1.lost", 5), ("forecast.lost", 12)):
        assert found[f"p.{name}"].use == hours


FIRST, FAILED = (12_375, "preempted", 45), (3_226, "failed", 45)


def test_one_failure_is_not_a_slow_run(ledger: Any) -> None:
    """275,000 hours are planned. At 4.5% an attempt of 3,226 hours comes to nothing, which once made P50 346,000.

    Losses are expected (0.5 + 1) / (68,750 + 12,375) x 262,625 = 4.9 times, of (4,125 + 3,226) / 2 hours: 18,000 hours.
    """
    plan = "gpu_hours: 275000"
    told = [[], [FIRST], [FIRST, FAILED], [FIRST, FAILED, (12_375, "preempted", 90)]]
    before, first, failed, after = (book(ledger, plan, *some)["p.forecast.p50"].use for some in told)
    assert before == pytest.approx(275_000, rel=0.01)
    assert first == pytest.approx(275_000, rel=0.02)
    assert first + 3_226 < failed <= 275_000 + 3_226 + 22_000
    assert abs(after - failed) <= 10_000, "and not back either; figures of this spread are rounded to 10,000"
    assert book(ledger, plan, *told[2])["p.performance.eac"].use == F(12_375 + 3_226) / F(45, 1000), "EAC still is"


def test_what_is_learnt_of_losses_by_hand() -> None:
    """1,000 hours planned, 240 useful, two losses, 50 in all: (1/2 + 2) / (250 + 240) an hour, of 65 / 3 hours."""
    model = loss_model(1000, 240, 2, 50)
    assert model == (2.5, 490, 4, 65)
    drawn = losses_to_come([1000.0] * DRAWS, model, 0, "p")
    assert sum(drawn) / DRAWS == pytest.approx(1000 * 2.5 / 490 * 65 / 3, rel=0.1)
    assert loss_model(0, 0, 0, 0) is None


def test_losses_are_drawn_as_they_are_described() -> None:
    """Far more exactly known than it ever is: 100 losses of 1 hour, in 1,000 hours; and a thousandth of that."""
    model = loss_model(0, 1e9, 1e8, 1e8)
    assert model
    many, few = (sorted(losses_to_come([hours] * DRAWS, model, 1, "p")) for hours in (1000.0, 1.0))
    mean = sum(many) / DRAWS
    assert mean == pytest.approx(100, rel=0.02)
    assert sum((one - mean) ** 2 for one in many) / DRAWS == pytest.approx(200, rel=0.1)
    assert sum(one == 0 for one in few) / DRAWS == pytest.approx(0.905, abs=0.015), "exp(-0.1)"
    assert sum(few) / DRAWS == pytest.approx(0.1, rel=0.15)
    for shape in (0.5, 2.0, 10.0):
        assert sum(gammas(2, "g", shape)) / DRAWS == pytest.approx(1, rel=0.06)


def test_before_the_first_run_no_losses_are_drawn(ledger: Any) -> None:
    found = book(ledger, "gpu_hours: 1000")
    assert "p.forecast.losses" not in found.figures
    assert found["p.forecast.p50"].use == pytest.approx(1000, rel=0.01)


def test_useful_hours_teach_and_lost_ones_do_not(ledger: Any) -> None:
    """Two seeds took their plan, one of them after it lost as much again."""
    item = "one: {title: One, items: {a: {title: A, scope: per-seed, gpu_hours: 100}}}\n"
    lines = "- {item: a, seed: 1, gpu_hours: 100}\n- {item: a, seed: 2, gpu_hours: 100}\n"
    lines += "- {item: a, seed: 2, gpu_hours: 100, status: failed}\n"
    found = ledger(project="seeds: 4\n", plan=item, runs=lines).book()
    assert found["p.forecast.ratio"].use == 1
    assert with_names(found["p.forecast.ratio"]).startswith("geometric mean of useful / planned hours")
    assert found["p.forecast.losses"].use > 100


def test_begun_work_follows_its_own_rate_as_far_as_it_has_come() -> None:
    """At a sixth of the work its own rate, twice the plan, and that of the draw count alike: the square root of 2."""
    sure = Learnt(0.0, 1e-9, 0)
    for share, weight in ((1 / 6, 0.5), (0.5, 5 / 6), (0.9, 45 / 46)):
        piece = Piece(600, 2 * share * 600, share)
        drawn = draw_with_losses((piece,), sure, None, 0).totals
        assert drawn[0] == pytest.approx(piece.spent + 600 * (1 - share) * 2**weight)
        assert draw_with_losses((piece._replace(spent=piece.spent + 50, lost=50),), sure, None, 0).totals[0] == (
            pytest.approx(drawn[0] + 50)
        )


def test_the_example_by_hand() -> None:
    """1,000 hours are planned, a quarter is done with 240 useful ones, and 40 are lost: means of 1,072 and 101."""
    piece, sure = Piece(1000, 280, 0.25, 40), Learnt(0.0, 1e-9, 0)
    after = draw_with_losses((piece,), sure, loss_model(1000, 240, 1, 40), 0)
    assert sum(after.totals) / DRAWS == pytest.approx(1072, rel=0.01)
    assert sum(after.lost) / DRAWS == pytest.approx(101, rel=0.05)
    before = draw_with_losses((Piece(1000, 240, 0.25),), sure, loss_model(1000, 240, 0, 0), 0)
    assert sum(before.totals) / DRAWS == pytest.approx(982, rel=0.005)


TABLE = Path(__file__).with_name("losses.md")
HEAD = "| Done by useful hours as planned | no failure | 5 failed | 50 failed | 100 failed |"


@pytest.mark.parametrize("row", TABLE.read_text("utf-8").split(HEAD)[1].splitlines()[2:5])
def test_what_an_early_failure_does_as_the_table_says(ledger: Any, row: str) -> None:
    name, *said = [cell.strip().replace(",", "") for cell in row.strip("|").split(" | ")]
    done = int(name.partition("%")[0]) if "%" in name else 0
    so_far = f"- {{item: a, gpu_hours: {done * 10}, status: running, progress: {{done: {done}, total: 100}}}}\n"
    for lost, wanted in zip((0, 5, 50, 100), said, strict=True):
        runs = (f"- {{item: a, gpu_hours: {lost}, status: failed}}\n" if lost else "") + (so_far if done else "")
        plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 1000}}}\n"
        found = ledger(plan=plan, **({"runs": runs} if runs else {})).book()["p.forecast.p50"].use
        assert found == int(wanted), (row, lost)
