"""The forecast, worked by hand: what is sure, what is learnt, what is drawn, and how it is rounded."""

from __future__ import annotations

from fractions import Fraction as F
from math import exp, inf, log, nextafter, sqrt
from typing import Any

import pytest

from reckon.compute.budget.random_numbers import DRAWS, NORMAL, normals
from reckon.compute.budget.simulation import (
    Learnt,
    Piece,
    default_spread,
    draw,
    factor,
    learn,
    prepare,
    probability,
    quantile,
    spread_of,
    width,
)
from reckon.model.lazy import LateFigure
from tests.work import work

Z90 = 1.2815515655446004
SURE = Learnt(0.0, 1e-9, 0)


def middle(draws: Any) -> float:
    return sorted(draws)[DRAWS // 2]


def test_without_spread_a_forecast_is_arithmetic() -> None:
    """Finished 50; of 40 a quarter was done with 15, one and a half times the plan, which counts for 5/8 of the rest's
    rate; 2 lost and 20 planned. Where all work takes 1.5 times its plan, the rest does."""
    pieces = [Piece(40, 50, 1), Piece(40, 15, 0.25), Piece(20, 2, 0, 2)]
    assert middle(draw(pieces, SURE, 0)) == pytest.approx(50 + 15 + 30 * 1.5 ** (5 / 8) + 22)
    assert middle(draw(pieces, SURE._replace(mean=log(1.5)), 0)) == pytest.approx(50 + 60 + 32)


def test_how_far_begun_work_follows_a_draw_hangs_on_no_unit() -> None:
    """A quarter was done, which counts 0.25 / (0.25 + 0.75 / 5) = 5/8 for its own rate: it follows a draw for 3/8, also
    where what is left of it is less than an hour."""
    for hours in (40, 0.4):
        assert prepare([Piece(hours, hours, 0.25)], SURE).follows == pytest.approx(3 / 8)


def test_work_whose_hours_are_all_lost_is_as_if_not_begun() -> None:
    """7 hours that were lost come on top of the plan of 40, or of the 30 of which nothing shows how long they take."""
    assert Piece(40, 7, 0, 7).useful == 0
    assert prepare([Piece(40, 7, 0, 7)], SURE).waiting == pytest.approx((log(40), 1e-9), abs=1e-8)
    assert middle(draw([Piece(40, 7, 0, 7)], SURE, 0)) == pytest.approx(47)
    found = prepare([Piece(40, 7, 0.25, 7)], SURE)
    assert (found.follows, found.begun) == (1, pytest.approx((log(30), 0), abs=1e-8))


def test_what_is_learnt_by_hand() -> None:
    """Two seeds took 1.1 and 1.3 times their plan; with the plan itself that is three observations."""
    one, two, spread = log(1.1), log(1.3), 0.2
    found = learn([Piece(100, 110, 1), Piece(10, 13, 1), Piece(10, 99, 0.5), Piece(10, 0, 0)], spread)
    mean = (one + two) / 2
    squares = spread**2 + (one - mean) ** 2 + (two - mean) ** 2 + 2 / 3 * mean**2
    assert found == pytest.approx(((one + two) / 3, sqrt(squares / 3), 2))
    assert learn([], spread) == Learnt(0.0, pytest.approx(spread), 0)


@pytest.mark.parametrize("ratio", [F("0.485"), F("0.995"), F("1.125"), F("3.145")])
def test_a_ratio_midway_between_two_percents_hangs_on_no_library_of_mathematics(ratio: F) -> None:
    """Of a plan of 400 hours 94.09 were needed, which is 48.5% with the plan as one more piece; musl said 48%, glibc
    49% on most processors. Their logarithms differ in the last digit."""
    logarithm = learn([Piece(1, float(ratio**2), 1)], default_spread()).mean
    said = [factor(logarithm), factor(nextafter(logarithm, -inf)), factor(nextafter(logarithm, inf))]
    assert said == [ratio - F("0.005")] * 3


def test_the_width_of_what_is_not_begun_is_its_spread_and_what_is_not_known_of_the_mean() -> None:
    """A mean of three pieces and the plan is known to half of their deviation: 0.2 × √(1 + 1/4), times 1.2816."""
    assert width(Learnt(0.0, 0.2, 3)) == pytest.approx(0.286564, abs=1e-6)
    assert width(Learnt(0.0, 0.2, 0)) == pytest.approx(1.2815516 * 0.2 * 1.4142136, abs=1e-6)


def test_the_spread_of_a_plan_is_its_range_read_as_p10_to_p90() -> None:
    assert spread_of([(80, 125, 1)]) == pytest.approx(log(125 / 80) / (2 * Z90))
    assert spread_of([(80, 125, 3), (1, 1, 1)]) == pytest.approx(sqrt(0.75) * log(125 / 80) / (2 * Z90))
    assert spread_of([]) == default_spread() == pytest.approx(log(4 / 3) / Z90)


def test_a_sum_of_lognormals_keeps_mean_and_variance() -> None:
    learnt = Learnt(0.0, 0.3, 0)
    waiting = prepare([Piece(10, 0, 0), Piece(30, 0, 0)], learnt).waiting
    assert waiting
    mean, deviation = waiting
    assert exp(mean + deviation**2 / 2) == pytest.approx(40 * exp(0.045))
    assert (exp(deviation**2) - 1) * (40 * exp(0.045)) ** 2 == pytest.approx(1000 * exp(0.09) * (exp(0.09) - 1))


def test_begun_work_without_progress_is_given_what_it_took() -> None:
    """Close to nothing spent it is as if not begun; beyond its plan it goes on for a while."""
    learnt = Learnt(0.0, 0.2, 3)
    fresh, begun, beyond = (middle(draw([Piece(100, spent, None)], learnt, 0)) for spent in (0.01, 60, 200))
    assert fresh == pytest.approx(100, rel=0.03)
    assert 95 < begun < 110
    assert 200 < beyond < 230


@pytest.mark.parametrize(("mean", "finished"), [(0.0, 3), (0.3, 0)])
def test_what_goes_on_beyond_what_it_took_is_the_rest_of_a_lognormal(mean: float, finished: int) -> None:
    """Of 100 hours planned exp(mean) times as many are the median, and that was used: half of all is beyond it. With s
    = 0.2 x sqrt(1 + 1 / (1 + finished)) the mean there is median x exp(s2 / 2) x F(s) / (1/2), and the mean square
    median2 x exp(2 s2) x F(2 s) / (1/2), where F is the normal distribution."""
    median, s = 100 * exp(mean), 0.2 * sqrt(1 + 1 / (1 + finished))
    beyond = median * exp(s**2 / 2) * NORMAL.cdf(s) * 2
    square = median**2 * exp(2 * s**2) * NORMAL.cdf(2 * s) * 2
    found = prepare([Piece(100, median, None)], Learnt(mean, 0.2, finished)).blind
    assert found
    assert exp(found[0] + found[1] ** 2 / 2) == pytest.approx(beyond - median)
    assert (exp(found[1] ** 2) - 1) * (beyond - median) ** 2 == pytest.approx(square - beyond**2)


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    pieces = [Piece(100, 0, 0)]
    learnt = Learnt(0.0, 0.2, 0)
    assert draw(pieces, learnt, 7) == draw(pieces, learnt, 7) != draw(pieces, learnt, 8)
    for stream in ("a", "b"):
        numbers = normals(3, stream)
        assert abs(sum(numbers)) / DRAWS < 0.05
        assert abs(sum(one * one for one in numbers) / DRAWS - 1) < 0.07
    together = sum(one * two for one, two in zip(normals(3, "a"), normals(3, "b"), strict=True))
    assert abs(together) / DRAWS < 0.05


def test_quantiles_are_rounded_to_what_the_draws_support() -> None:
    draws = [1000 + number / 4 for number in range(DRAWS)]
    assert quantile(draws, 50, F(0)).use == 1500  # the rank is sure to 32 draws either side, which is 16 hours
    assert quantile(draws, 90, F(0)).use in (1900, 1901)
    assert quantile(draws, 10, F(1103)).use == 1103
    assert quantile([F(44.8)] * DRAWS, 50, F("44.8")).use == F("44.8")  # type: ignore[list-item]


def test_probabilities_are_whole_percents_with_an_open_end() -> None:
    draws = [float(number) for number in range(DRAWS)]
    assert probability(draws, F(1000)).use == F(75, 100)
    assert (probability(draws, F(9999)).low, probability(draws, F(9999)).high) == (0, F(1, 100))
    assert (probability(draws, F(-1)).low, probability(draws, F(-1)).high) == (F(99, 100), 1)
    assert probability([5.0] * DRAWS, F(5)).exact
    assert probability([5.0] * DRAWS, F(4)).use == 1


PLAN = "one:\n  title: One\n  items:\n    a: {title: A, scope: per-seed, gpu_hours: {low: 80, high: 125, use: 100}}\n"
SEEDS = "seeds: 3\nceiling: 330\n"


def test_a_project_in_three_states(ledger: Any) -> None:
    grant = "grant: {title: Grant, gpu_hours: 1000, projects: [p]}\n"
    runs = "- {item: a, seed: 1, gpu_hours: 120}\n- {item: b, unplanned: true, gpu_hours: 7}\n"
    found = ledger(project=SEEDS, plan=PLAN, runs=runs, allocations=grant).book()
    assert [found[f"p.forecast.{name}"].use for name in ("finished", "ratio")] == [1, F(110, 100)]
    low, half, high = (found[f"p.forecast.p{percent}"].use for percent in (10, 50, 90))
    assert 127 + 2 * 85 < low < 127 + 2 * 105 < half < 127 + 2 * 115 < high < 127 + 2 * 150
    for percent, end in ((10, low), (50, half), (90, high)):
        assert found[f"p.phases.one.forecast_p{percent}"].use == pytest.approx(end - 7, abs=3)
    assert found["p.forecast.probability_over_plan"].use > found["p.forecast.probability_over_ceiling"].use > 0
    assert found["allocations.grant.forecast_p50"].use == pytest.approx(half, abs=3)
    assert found["allocations.grant.probability_over"].value.high == F(1, 100)
    other = ledger(project=SEEDS + "forecast_seed: 1\n", plan=PLAN, runs=runs).book()
    assert other["p.forecast.p90"].use != high
    done = "".join(f"- {{item: a, seed: {seed}, gpu_hours: 120.1}}\n" for seed in (1, 2, 3))
    found = ledger(project=SEEDS, plan=PLAN, runs=done).book()
    assert [found[f"p.forecast.p{percent}"].use for percent in (10, 50, 90)] == [F("360.3")] * 3
    assert found["p.forecast.probability_over_plan"].use == 1


def test_titles_say_which_budget_is_forecast(ledger: Any) -> None:
    more = "two:\n  title: Two\n  extension: true\n  items:\n    x: {title: X, scope: one-time, gpu_hours: 10}\n"
    found = ledger(project=SEEDS, plan=PLAN + more).book()
    titles = [found[f"p.forecast.{name}"].title for name in ("p50", "extended.p50")]
    assert titles == ["Forecast, P50", "Forecast with extensions, P50"]


def test_sums_are_made_at_once_and_draws_when_somebody_looks_at_them(ledger: Any) -> None:
    found = ledger(project=SEEDS, plan=PLAN, runs="- {item: a, seed: 1, gpu_hours: 120}\n").book()
    names = ("budget.final", "actual.total", "actual.useful", "forecast.p50", "forecast.ratio")
    assert [isinstance(found[f"p.{name}"], LateFigure) for name in names] == [False, False, False, True, True]


def test_what_cannot_be_forecast_names_why(ledger: Any) -> None:
    plan = PLAN + "    b: {title: B, scope: one-time, gpu_hours: unknown}\n"
    assert ledger(project=SEEDS, plan=plan).book()["p.forecast.p50"].missing == ("p.plan.b.gpu_hours",)
    found = ledger(project=SEEDS, plan=plan, runs="- {item: b, gpu_hours: 5}\n").book()
    assert found["p.forecast.p50"].use > 5, "what is done needs no plan"
    assert found["p.forecast.probability_over_plan"].missing == ("p.plan.b.gpu_hours",)
    found = ledger(project=SEEDS, plan=PLAN, runs="- {item: a, seed: 1, gpu: other, gpu_hours: 5}\n").book()
    assert found["p.forecast.p50"].missing == ("catalog.gpus.other.counts_as.card",)


def test_pieces_are_added_up_before_they_are_drawn() -> None:
    """So many more pieces of work take a few steps each, and not one for each draw."""

    def drawn(count: int) -> int:
        pieces = [Piece(100, spent, share) for spent, share in ((0, 0), (50, 0.5), (60, None), (110, 1))] * count
        return work(lambda: draw(pieces, learn(pieces, 0.2), count, "counted"))

    more = drawn(200) - drawn(100)
    assert more < 400 * DRAWS / 100


@pytest.mark.parametrize("hours", ["1-1e60", "1e-90-1e99", "0", "1e-99", "1e99", "0-5", "5+", "<0.1", "7-7"])
@pytest.mark.parametrize("share", ["done: 1, total: 1", "done: 1, total: 1e90", "done: 0, total: 1", ""])
def test_no_ledger_is_too_strange_for_a_forecast(ledger: Any, hours: str, share: str) -> None:
    plan = f"one:\n  title: One\n  items:\n    a: {{title: A, scope: per-seed, gpu_hours: {hours}}}\n"
    plan += "    z: {title: Z, scope: one-time, gpu_hours: {formula: plan.a.gpu_hours.use * 1e90 * 1e90 * 1e90}}\n"
    told = f", progress: {{{share}}}" if share else ", status: failed"
    runs = f"- {{item: a, seed: 1, gpu_hours: 1e80{told}}}\n- {{item: a, seed: 2, gpu_hours: 1e-80{told}}}\n"
    found = ledger(project=SEEDS, plan=plan, runs=runs).book()
    assert found["p.forecast.p10"].missing or found["p.forecast.p10"].use >= found["p.actual.base"].use
