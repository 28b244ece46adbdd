"""Which price list counts: the one that is named nearest to the work, and where none is, those of the project."""

from __future__ import annotations

from typing import Any

GPUS = "a100: {title: A100}\nh100: {title: H100, counts_as: {a100: 2x}}\n"
PRICES = """\
demand: {title: On demand, usd_per_gpu_hour: {a100: 3.67}}
spot: {title: Spot, usd_per_gpu_hour: {a100: 1.81}}
"""
TRAIN = "train: {title: Train, scope: one-time, gpu_hours: 1000%s}"
EVAL = "eval: {title: Eval, scope: one-time, gpu_hours: 100}"


def tree(ledger: Any, items: str, runs: str = "", project: str = "", prices: str = PRICES, **more: str) -> Any:
    about = f"title: P\nversion: 1.0.0\nas_of: 2026-01-31\ngpu: a100\n{project or 'prices: [demand]'}\n"
    plan = f"w: {{title: W, items: {{{items}}}}}\n"
    texts = {"gpus": GPUS, "ledger/catalog/prices.yaml": prices, "plan": plan, "project": about, "runs": runs}
    return ledger(**{**texts, **more})


def book(ledger: Any, *texts: str, **more: str) -> Any:
    return tree(ledger, *texts, **more).book()


def usd(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


def test_an_item_names_a_list_and_a_run_another_one(ledger: Any) -> None:
    """300 hours at 1.81 and 100 at 3.67 are 910; 600 hours at 1.81 and 100 at 3.67 are to do, 1,453; the plan is 1,000
    hours at 1.81 and 100 at 3.67, 2,177."""
    runs = (
        "- {date: 2026-01-10, item: train, gpu_hours: 300, status: preempted, progress: {done: 3, total: 10}}\n"
        "- {date: 2026-01-12, item: train, gpu_hours: 100, progress: {done: 4, total: 10}, price: demand}\n"
    )
    found = book(ledger, f"{TRAIN % ', price: spot'}, {EVAL}", runs)
    assert usd(found, "money.actual", "money.to_do", "money.final") == [910, 1453, 2177]
    assert usd(found, "plan.train.money.to_do", "plan.eval.money.to_do") == [1086, 367]
    parts = [f"money.by_price.{name}.by_gpu.a100.{part}" for name in ("demand", "spot") for part in ("hours", "cost")]
    assert usd(found, *parts) == [100, 367, 300, 543]
    low, middle, high = usd(found, *(f"money.forecast_p{percent}" for percent in (10, 50, 90)))
    assert low < 2363 < high and abs(middle - 2363) < 50  # type: ignore[operator]


def test_a_run_at_another_price_than_its_plan(ledger: Any) -> None:
    """100 hours at the 1.81 of spot, not the 3.67 that the project names."""
    found = book(ledger, f"{TRAIN % ''}, {EVAL}", "- {date: 2025-01-10, item: train, gpu_hours: 100, price: spot}\n")
    assert usd(found, "money.actual", "plan.train.money.actual", "money.final") == [181, 181, 4037]


def test_rented_work_to_come(ledger: Any) -> None:
    """The free work is done. 1,000 rented hours at $3 are to do, $3,000; they may take 1.5% more at the median."""
    prices = "rent: {title: Rent, usd_per_gpu_hour: {h100: 3, a100: 0}}\n"
    items = "big: {title: Big, scope: one-time, gpu: h100, gpu_hours: 1000}, " + TRAIN % ""
    run = "- {{start: 2026-02-01, end: 2026-02-06, item: {}, gpus: 8, wall_hours: 125, progress: {{done: 1, total: 1}}}}\n"
    found = book(ledger, items, run.format("train"), "prices: [rent]", prices)
    assert usd(found, "money.actual", "money.to_do") == [0, 3000]
    assert abs(found["p.money.forecast_p50"].use - 3040) <= 90
    found = book(ledger, items, run.format("big"), "prices: [rent]", prices)
    assert usd(found, "money.actual", "money.to_do", "money.forecast_p50", "money.forecast_p90") == [
        3000,
        0,
        3000,
        3000,
    ]
