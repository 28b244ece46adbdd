"""On made-up projects P10 to P90 holds about 80% of what really happens, failures included (see benchmarks/)."""

from __future__ import annotations

import pytest

from reckon.compute.budget.simulation import default_spread
from tests.test_benchmarks import script

pytestmark = pytest.mark.full

PROJECTS = 250


@pytest.mark.parametrize("finished", [0, 1, 3, 10])
@pytest.mark.parametrize("spread", [default_spread(), 0.03], ids=["plans", "narrow plans"])
def test_the_band_has_about_four_outcomes_in_five(finished: int, spread: float) -> None:
    calibration = script("calibration")
    share = calibration.coverage(finished, calibration.model, PROJECTS, spread)
    assert 0.74 <= share.inside <= 0.88
    assert max(share.below, share.above) <= 0.18


def test_losses_with_heavier_tails_are_mostly_inside() -> None:
    calibration = script("calibration")
    for process in (calibration.pareto, calibration.bursts):
        assert calibration.coverage(3, process, PROJECTS, default_spread()).inside >= 0.7
