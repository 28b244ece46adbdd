# ruff: noqa: E501 (tables read better unbroken)
"""What runs add up to: actual, planned and remaining, whatever became of them and however they are ordered."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trying import examples

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, finishes: piece, scope: per-seed, gpu_hours: 45}
    svd: {title: SVD, scope: one-time, gpu_hours: 5, gpu: other}
two:
  title: Two
  extension: true
  items:
    rft: {title: RFT, scope: per-seed, gpu_hours: 250}
"""
GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 2}}\nthird: {title: Third}\n"
PROJECT = "seeds: [1, 2, x]\nceiling: 2000\n"


def book(ledger: Any, runs: str, **texts: str) -> Any:
    return ledger(**{"project": PROJECT, "plan": PLAN, "gpus": GPUS, "runs": runs, **texts}).book()


def use(book: Any, *names: str) -> list[object]:
    return [book[f"p.{name}"].use for name in names]


def test_a_run_shows_in_its_item_seed_phase_and_total(ledger: Any) -> None:
    found = book(ledger, "- {date: 2025-09-03, item: sft, seed: 1, gpus: 8, wall_hours: 5.6, status: completed}\n")
    assert (
        use(found, "plan.sft.actual", "plan.sft.seeds.1.actual", "phases.one.actual", "actual.total") == [F("44.8")] * 4
    )
    assert use(found, "plan.sft.seeds.1.remaining", "plan.sft.remaining", "phases.one.remaining") == [
        F("0.2"),
        F("90.2"),
        F("100.2"),
    ]
    assert use(found, "plan.sft.seeds.2.actual", "plan.sft.seeds.x.remaining", "phases.two.actual") == [0, 45, 0]
    assert use(found, "budget.remaining", "actual.below_ceiling") == [F("100.2"), F("1955.2")]


def test_hours_of_an_extension_are_none_of_the_base(ledger: Any) -> None:
    """Three seeds at 45 hours and 5 hours that count twice are 145; the extension stands beside them."""
    found = book(ledger, "- {item: sft, seed: 1, gpu_hours: 10}\n- {item: rft, seed: 1, gpu_hours: 200}\n")
    assert use(found, "actual.total", "actual.base", "phases.two.actual") == [210, 10, 200]
    assert use(found, "budget.final", "budget.remaining") == [145, 135]


def test_failed_and_repeated_attempts_are_spent(ledger: Any) -> None:
    found = book(
        ledger,
        """\
- {item: sft, seed: 1, attempt: 1, gpu_hours: 10, status: failed}
- {item: sft, seed: 1, attempt: 2, gpu_hours: 20, status: preempted}
- {item: sft, seed: 1, attempt: 3, gpu_hours: 30}
- {item: sft, seed: 1, gpu_hours: 3, status: held-idle}
""",
    )
    assert use(found, "plan.sft.seeds.1.actual", "plan.sft.seeds.1.remaining") == [63, -18]
    assert use(found, "actual.by_status.failed", "actual.by_status.completed", "actual.by_status.held-idle") == [
        10,
        30,
        3,
    ]
    assert found["p.actual.total"].origin.count == 4


def test_unplanned_runs_are_in_the_total_alone(ledger: Any) -> None:
    found = book(ledger, "- {item: debug, unplanned: true, gpu_hours: 7}\n- {item: sft, seed: 2, gpu_hours: 1}\n")
    assert use(found, "actual.unplanned", "actual.total", "phases.one.actual", "plan.sft.actual") == [7, 8, 1, 1]


def test_stated_gpu_hours_come_before_gpus_times_time(ledger: Any) -> None:
    assert use(book(ledger, "- {item: sft, gpus: 8, wall_hours: 5, gpu_hours: 39}\n"), "actual.total") == [39]


def test_runs_without_a_seed_are_kept_apart(ledger: Any) -> None:
    found = book(ledger, "- {item: sft, gpu_hours: 4}\n- {item: sft, seed: x, gpu_hours: 5}\n")
    assert use(found, "plan.sft.no_seed.actual", "plan.sft.seeds.x.actual", "plan.sft.actual") == [4, 5, 9]


def test_hours_on_another_gpu_enter_through_their_ratio(ledger: Any) -> None:
    runs = "- {item: svd, gpu_hours: 3}\n- {item: sft, seed: 1, gpu: other, gpus: 2, wall_hours: 30 min}\n- {item: svd, gpu: card, gpu_hours: 1}\n"
    assert use(book(ledger, runs), "plan.svd.actual", "plan.sft.actual", "actual.total") == [7, 2, 9]


def test_a_ratio_may_be_a_formula(ledger: Any) -> None:
    gpus = "card: {title: Card, dense_tflops: {bf16: 100}}\nother: {title: O, dense_tflops: {bf16: 300}, counts_as: {card: "
    gpus += "{formula: catalog.gpus.other.dense_tflops.bf16 / catalog.gpus.card.dense_tflops.bf16}}}\n"
    assert use(book(ledger, "- {item: svd, gpu_hours: 3}\n", gpus=gpus), "actual.total") == [9]


def test_a_missing_ratio_is_named_and_nothing_is_guessed(ledger: Any) -> None:
    found = book(ledger, "- {item: sft, seed: 1, gpu: third, gpu_hours: 3}\n- {item: sft, seed: 2, gpu_hours: 4}\n")
    for name in ("actual.total", "plan.sft.actual", "plan.sft.remaining", "phases.one.actual", "budget.remaining"):
        assert found[f"p.{name}"].value.unknown, name
        assert found[f"p.{name}"].missing == ("catalog.gpus.third.counts_as.card",)
    assert use(found, "plan.sft.seeds.2.actual") == [4], "what does not rest on it is known"
    assert [one.id for one in found.findings["p"]] == ["input-missing:catalog.gpus.third.counts_as.card#ratio"]


def test_energy_and_cost(ledger: Any) -> None:
    found = book(
        ledger,
        "- {item: sft, gpu_hours: 4, energy_kwh: 2, cost_usd: 3}\n- {item: sft, gpu_hours: 4, energy_kwh: 500 Wh}\n",
    )
    assert use(found, "actual.energy", "actual.cost") == [F("2.5"), 3]


def test_a_project_without_runs_has_spent_nothing(ledger: Any) -> None:
    found = ledger(project=PROJECT, plan=PLAN, gpus=GPUS).book()
    assert use(found, "actual.total", "plan.sft.remaining") == [0, 135]
    assert found["p.actual.total"].origin.count == 0


def test_subtotals_are_kept_for_each_file(ledger: Any) -> None:
    more = {"ledger/p/runs/2024.yaml": "- {item: sft, gpu_hours: 4}\n"}
    total = book(ledger, "- {item: sft, gpu_hours: 5}\n- {item: rft, gpu_hours: 6}\n", **more)["p.actual.total"]
    assert total.origin.files == (("ledger/p/runs/2024.yaml", 1, 4), ("ledger/p/runs/2025.yaml", 2, 11))
    assert (total.use, total.origin.count) == (15, 3)


RUN = st.fixed_dictionaries(
    {
        "item": st.sampled_from(["sft", "svd", "rft", "debug"]),
        "seed": st.sampled_from(["1", "2", "x", ""]),
        "gpu": st.sampled_from(["card", "other", ""]),
        "gpus": st.integers(1, 9),
        "hours": st.integers(0, 36).map(lambda quarters: F(quarters, 4)),
        "status": st.sampled_from(["completed", "failed", "timeout"]),
    }
)


def line(run: Any) -> str:
    seed, gpu = (f", {key}: {run[key]}" if run[key] else "" for key in ("seed", "gpu"))
    unplanned = ", unplanned: true" if run["item"] == "debug" else ""
    return f"- {{item: {run['item']}{seed}{gpu}, gpus: {run['gpus']}, wall_hours: {float(run['hours'])}, status: {run['status']}{unplanned}}}\n"


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RUN, max_size=12), st.randoms(use_true_random=False))
def test_all_sums_agree_in_any_order(ledger: Any, runs: list[Any], random: Any) -> None:
    found = book(ledger, "".join(map(line, runs)))

    def of(name: str) -> F:
        figure = found.get(f"p.{name}")
        return figure.use if figure else F(0)

    factor = {"card": 1, "other": 2}
    by_hand = sum(
        (
            run["gpus"] * run["hours"] * factor[run["gpu"] or ("other" if run["item"] == "svd" else "card")]
            for run in runs
        ),
        F(0),
    )
    assert of("actual.total") == by_hand
    assert of("plan.sft.actual") + of("plan.svd.actual") + of("plan.rft.actual") + of("actual.unplanned") == by_hand
    assert of("phases.one.actual") + of("phases.two.actual") + of("actual.unplanned") == by_hand
    assert sum((of(f"actual.by_status.{status}") for status in ("completed", "failed", "timeout")), F(0)) == by_hand
    for item in ("sft", "rft"):
        assert sum((of(f"plan.{item}.seeds.{seed}.actual") for seed in "12x"), of(f"plan.{item}.no_seed.actual")) == of(
            f"plan.{item}.actual"
        )
        assert sum(
            (of(f"plan.{item}.seeds.{seed}.remaining") for seed in "12x"), -of(f"plan.{item}.no_seed.actual")
        ) == of(f"plan.{item}.remaining")
    mixed = list(runs)
    random.shuffle(mixed)
    again = book(ledger, "".join(map(line, mixed)))
    assert {address: figure.value for address, figure in again.figures.items()} == {
        address: figure.value for address, figure in found.figures.items()
    }
