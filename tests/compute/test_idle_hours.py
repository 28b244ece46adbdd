"""Hours held and not used, of the runs that state `utilisation`: worked by hand."""

from __future__ import annotations

import re
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.calculation import calculate
from reckon.language.quantity import Value
from reckon.load.reader import load
from reckon.model.runs import ColumnRuns
from reckon.present.pages import present
from reckon.present.render.numbers import format_sentence
from reckon.present.render.printing import unmarked
from tests.small import SMALL, plant

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 40}
    svd: {title: SVD, scope: one-time, gpu_hours: 20}
"""
GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 2}}\nthird: {title: Third}\n"
# 10 h at 80% idle 2; 5 h on the other card count 10, at 40% idle 6; of 20 h at 80-90% 2 to 4 are idle. A failed run,
# one held idle and one that states nothing are not measured; neither is one of which only a bound is known.
RUNS = """\
- {item: sft, seed: 1, gpu_hours: 10, utilisation: 80%}
- {item: sft, seed: 2, gpu: other, gpu_hours: 5, utilisation: 40%}
- {item: sft, seed: 2, gpu_hours: 6, utilisation: 10%, status: failed}
- {item: svd, gpu_hours: 20, utilisation: 80-90%, status: running}
- {item: svd, gpu_hours: 3, utilisation: 5%, status: held-idle}
- {item: svd, gpu_hours: 7}
- {item: svd, gpu_hours: 1, utilisation: 50%+}
- {item: svd, gpu_hours: 1, utilisation: unknown}
- {item: debug, unplanned: true, gpu_hours: 2, utilisation: 1.3x}
"""


def book(ledger: Any, runs: str = RUNS, policies: str = "") -> Any:
    return ledger(project=f"seeds: 2\n{policies}", plan=PLAN, runs=runs, gpus=GPUS).book()


def use(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


def test_idle_hours_by_hand(ledger: Any) -> None:
    found = book(ledger)
    assert found["p.plan.sft.idle"].value == Value(F(8), F(8), F(8))
    assert found["p.plan.svd.idle"].value == Value(F(2), F(3), F(4))
    assert found["p.actual.unplanned.idle"].value == Value(F(0), F(0), F(0))
    assert found["p.actual.idle"].value == Value(F(10), F(11), F(12))
    assert use(found, "plan.sft.measured", "plan.svd.measured", "actual.measured") == [20, 20, 42]
    assert use(found, "plan.sft.idle_share", "plan.svd.idle_share") == [F(2, 5), F(3, 20)]
    assert use(found, "actual.total", "actual.measured_share", "actual.idle_share") == [60, F(7, 10), F(11, 42)]


def test_what_is_lost_stays_as_it_was(ledger: Any) -> None:
    """Idle hours stand beside lost ones: each figure that there is without utilisation is the same with it."""
    with_it = book(ledger)
    without = book(ledger, re.sub(", utilisation: [^,}]*", "", RUNS))
    added = {"idle", "measured", "idle_share", "measured_share"}
    left = {key: each.value for key, each in with_it.figures.items() if key.rpartition(".")[2] not in added}
    assert left == {address: each.value for address, each in without.figures.items()}


@pytest.mark.parametrize("stated", ["", ", utilisation: 30%, status: failed", ", utilisation: unknown"])
def test_nothing_measured_is_no_figure(ledger: Any, stated: str) -> None:
    found = book(ledger, f"- {{item: svd, gpu_hours: 4{stated}}}\n")
    assert not [address for address in found.figures if address.endswith(("idle", "idle_share", "measured_share"))]


def test_many_runs_that_are_read_by_columns(ledger: Any) -> None:
    """A file of 600 runs: half of them are 50%, half 40% idle."""
    line = "- {{item: svd, gpus: 4, wall_hours: 2.5, utilisation: {}%}}\n"
    found = book(ledger, (line.format(50) + line.format(60)) * 300)
    assert isinstance(found.ledger.projects["p"].runs[0].runs, ColumnRuns)
    assert use(found, "actual.idle", "actual.measured") == [2700, 6000]


def test_a_card_without_a_ratio_is_missing(ledger: Any) -> None:
    found = book(ledger, "- {item: svd, gpu: third, gpu_hours: 4, utilisation: 30%}\n")
    assert found["p.actual.idle"].missing == ("catalog.gpus.third.counts_as.card",)


@pytest.mark.parametrize(
    ("policy", "runs", "breached"),
    [
        ("require: actual.idle_share <= 30%", RUNS, []),
        ("require: actual.idle_share <= 25%", RUNS, ["k"]),
        ("require: actual.idle <= 10 gpu_hours", RUNS, ["k"]),
        ("require: actual.measured_share >= 90%", RUNS, ["k"]),
        ("require: actual.idle_share <= 25%", "[]\n", []),
        ("for: item, require: idle_share <= 30%", RUNS, ["k.sft"]),
        ("for: item, require: idle_share <= 30%", "[]\n", []),
        ("for: run, require: wall_hours < 3 h or utilisation >= 60%", RUNS, []),
        (
            "for: run, require: gpu_hours < 4 gpu_hours or utilisation >= 60%",
            RUNS,
            ["k.sft.runs.2025.2", "k.sft.runs.2025.3"],
        ),
    ],
)
def test_a_policy_on_idle_hours(ledger: Any, policy: str, runs: str, breached: list[str]) -> None:
    found = book(ledger, runs, f"policies: {{k: {{{policy}}}}}\n").findings["p"]
    ids = sorted(one.id.removeprefix("policy-breached:p.policies.") for one in found if one.rule == "policy-breached")
    assert ids == breached


def test_a_run_is_told_in_percent(ledger: Any) -> None:
    policy = "policies: {k: {for: run, require: utilisation >= 60%}}\n"
    found = book(ledger, "- {item: svd, gpu_hours: 4, utilisation: 35%}\n", policy).findings["p"]
    (one,) = (each for each in found if each.rule == "policy-breached")
    assert format_sentence(one.arithmetic) == "utilisation is 35% and must be at least 60%"


def test_the_page_has_idle_hours_only_where_they_were_measured(tmp_path: Path) -> None:
    """10 GPU-hours of 16.5 were measured at 70-80%."""
    name = "ledger/demo/runs/2026-01.yaml"
    before = page(tmp_path / "before", SMALL)
    assert "Idle |" not in before
    assert "were idle" not in before
    runs = SMALL[name].replace("wall_hours: 2.5", "wall_hours: 2.5, utilisation: 70-80%")
    after = page(tmp_path / "after", SMALL | {name: runs})
    assert "| Lost | Idle |" in after
    assert "[2–3 GPU-h](derivations.md#demo.actual.idle) were idle" in after
    assert "have [60.6%](derivations.md#demo.actual.measured_share) of all" in after


def page(root: Path, files: dict[str, str]) -> str:
    found = calculate(load(plant(root, files))[0])[0]
    return present(found, [Path("templates").resolve()], lambda path: None, unmarked)["docs/demo/attempts.md"]
