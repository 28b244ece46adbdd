"""The findings page: what is told beside a stated figure that does not agree."""

from __future__ import annotations

from pathlib import Path

from tests.reading import files_of, plain
from tests.small import SMALL, plant

DEMO = "ledger/demo"
AT_FIRST = "- {of: plan.test.total, states: 14, at: Summary}\n"
# 25 minutes at two prices, or whole hours at $1.80 and $2.40.
RENTED = {
    "ledger/catalog/providers.yaml": "cloud: {title: Cloud}\n",
    "ledger/catalog/prices.yaml": "a: {provider: cloud, usd_per_gpu_hour: {card: 1.80}}\n"
    "b: {provider: cloud, usd_per_gpu_hour: {card: 2.40}}\n",
    f"{DEMO}/measurements.yaml": "m: {title: M, kind: estimated, device: card, gpus: 1, seconds_per_step: 1.5}\n",
    f"{DEMO}/projections.yaml": "q: {title: Q, measurements: [m], steps: 1000, prices: [a, b]}\n",
    f"{DEMO}/claims.yaml": "- {of: projections.q.m.costs.a.usd, states: 1.80, at: Table 1}\n"
    "- {of: projections.q.m.costs.b.usd, states: 2.40, at: Table 1}\n"
    "- {of: projections.q.m.costs.a.usd, states: 1.80, at: Summary}\n",
}


def findings(root: Path, files: dict[str, str]) -> str:
    return plain(files_of(plant(root, {**SMALL, **files}))["docs/demo/findings.md"])


def test_what_is_stated_elsewhere_of_a_figure_stands_with_it(tmp_path: Path) -> None:
    later = ((2, 14), (3, 10))
    claims = "".join(f"- {{of: plan.test.total, states: {hours}, at: Table {at}}}\n" for at, hours in later)
    page = findings(tmp_path, {f"{DEMO}/claims.yaml": AT_FIRST + claims})
    assert "Stated as 14 GPU-h (Summary; Table 2), 10 GPU-h (Table 3)." in page
    assert page.count("Stated as") == 1


def test_a_figure_that_is_stated_alike_has_no_such_sentence(tmp_path: Path) -> None:
    page = findings(tmp_path, {f"{DEMO}/claims.yaml": AT_FIRST + "- {of: plan.test.total, states: 14, at: Table 2}\n"})
    assert "Stated as" not in page
    assert "Also in: Table 2." in page


def test_two_values_of_one_figure_stand_with_its_name_and_their_places(tmp_path: Path) -> None:
    """1,000 steps of 1.5 s take 25 minutes: neither 4 h nor 12 h."""
    claims = "".join(
        f"- {{of: projections.q.m.hours, states: {hours}, at: Table {at}, source: Report}}\n"
        for at, hours in ((2, 4), (3, 12))
    )
    page = findings(tmp_path, {**RENTED, f"{DEMO}/claims.yaml": claims})
    assert "Q, M, wall-clock time: 0.4 h, not 4 h or 12 h" in page
    assert "Stated in Report as 4 h (Table 2), 12 h (Table 3)." in page


def test_costs_of_whole_hours_say_so(tmp_path: Path) -> None:
    page = findings(tmp_path, RENTED)
    assert "- **Why** 0.417 h × 1 GPU × $1.80/GPU-h = $0.75. Begun hours are billed as whole ones: 1 h. " in page
    assert "| $1.80 | $0.75 |" in page
    assert "Also in: " in page
