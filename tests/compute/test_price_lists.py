"""Which price list counts: the one that is named nearest to the work, and where none is, those of the project."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from reckon.present.render.numbers import format_sentence

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
    assert low < 2363 < high  # type: ignore[operator]
    assert abs(middle - 2363) < 50  # type: ignore[operator]


def test_a_run_at_another_price_than_its_plan(ledger: Any) -> None:
    """100 hours at the 1.81 of spot, not the 3.67 that the project names."""
    found = book(ledger, f"{TRAIN % ''}, {EVAL}", "- {date: 2025-01-10, item: train, gpu_hours: 100, price: spot}\n")
    assert usd(found, "money.actual", "plan.train.money.actual", "money.final") == [181, 181, 4037]


def test_rented_work_to_come(ledger: Any) -> None:
    """The free work is done. 1,000 rented hours at $3 are to do, $3,000; they may take 1.5% more at the median."""
    prices = "rent: {title: Rent, usd_per_gpu_hour: {h100: 3, a100: 0}}\n"
    items = "big: {title: Big, scope: one-time, gpu: h100, gpu_hours: 1000}, " + TRAIN % ""
    run = "- {{date: 2026-02-06, item: {}, gpus: 8, wall_hours: 125, progress: {{done: 1, total: 1}}}}\n"
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


def test_the_nearest_names_the_list(ledger: Any) -> None:
    """The project names c, the phase b, the item a; the run none. Each is taken away in turn, and then the project's
    own list counts, at 10."""
    lists = {"a": 1, "b": 2, "c": 3, "d": 7, "own": 10}
    prices = "".join(f"{name}: {{usd_per_gpu_hour: {{a100: {price}}}}}\n" for name, price in lists.items())
    run = "- {date: 2026-01-10, item: train, gpu_hours: 10}\n"
    for item, phase, project, price in (
        ("a", "b", "c", 1),
        ("", "b", "c", 2),
        ("", "", "c", 3),
        ("", "", "", 10),
    ):
        named = f"price: {item}, " if item else ""
        above = f"price: {phase}, " if phase else ""
        plan = f"w: {{title: W, {above}items: {{train: {{title: T, {named}scope: one-time, gpu_hours: 100}}}}}}\n"
        about = f"prices: [own]\n{f'price: {project}' if project else ''}\n"
        found = book(ledger, "", run, about, prices, plan=plan)
        assert usd(found, "money.actual", "money.final", "money.to_do") == [10 * price, 100 * price, 90 * price]
        found = book(ledger, "", run.replace("10}", "10, price: d}"), about, prices, plan=plan)
        assert usd(found, "money.actual", "money.final") == [70, 100 * price]


SOURCE = """\
cluster:
  title: Cluster
  format: sacct
  timezone: UTC
  price: demand
  rules:
    cheap: {when: {name: cheap}, item: train, price: spot}
    dear: {when: {name: dear}, item: train}
"""
JOB = (
    "- {{start: '2026-01-1{0}T10:00:00Z', end: '2026-01-1{0}T12:00:00Z', item: train, gpu: a100, gpus: 5, "
    "wall_hours: 2, job: 'cluster/{0}@2026-01-10T00:00:00Z', "
    "imported: {{source: cluster, rule: {1}, state: COMPLETED, name: {1}}}}}\n"
)


def test_runs_of_an_import_are_paid_by_its_rule_or_its_source(ledger: Any) -> None:
    """10 hours of a rule that names spot are 18.10, and 10 of one that names nothing 36.70, as the source says."""
    files = {
        "ledger/p/imports.yaml": SOURCE,
        "ledger/p/imports.lock.yaml": "cluster: {exports: {abc: '2026-02-20T12:00:00Z'}, rules: '0'}\n",
        "ledger/p/runs/import/cluster-2026-01.yaml": JOB.format(1, "cheap") + JOB.format(2, "dear"),
    }
    prices = PRICES + "own: {usd_per_gpu_hour: {a100: 10}}\n"
    found = book(ledger, TRAIN % "", "", "prices: [own]", prices, **files)
    assert usd(found, "money.actual", "money.final") == [F("54.8"), 10_000]


def test_the_price_of_a_named_list_changes_from_a_day_on(ledger: Any) -> None:
    """Two of four days at 2 and two at 1, 10 hours each: 20 x 2 + 20 x 1. What is to come costs the last price."""
    prices = "own: {usd_per_gpu_hour: {a100: 9}}\n"
    prices += "spot: {usd_per_gpu_hour: {a100: 2}, since: {2026-01-16: {usd_per_gpu_hour: {a100: 1}}}}\n"
    runs = "- {start: 2026-01-14, end: 2026-01-17, item: train, gpu_hours: 40, progress: {done: 1, total: 25}}\n"
    found = book(ledger, TRAIN % ", price: spot", runs, "prices: [own]", prices)
    assert usd(found, "money.actual", "money.final", "money.to_do") == [60, 1000, 960]
    at = "money.by_price.spot.by_gpu.a100"
    assert usd(found, f"{at}.first.cost", f"{at}.since.2026-01-16.cost") == [40, 20]


def test_what_another_list_cost_is_told_only_of_days_on_which_its_price_is_known(ledger: Any) -> None:
    """100 hours at 1 in place of 3.67 are 267 less."""
    prices = PRICES + "late: {title: Late, usd_per_gpu_hour: {}, since: {2026-01-16: {usd_per_gpu_hour: {a100: 1}}}}\n"
    said = []
    for day in ("2026-01-10", "2026-01-20"):
        run = f"- {{date: {day}, item: train, gpu_hours: 100, price: late}}\n"
        findings = book(ledger, TRAIN % "", run, prices=prices).findings["p"]
        said.append([format_sentence(each.arithmetic) for each in findings if each.rule == "paid-otherwise"])
    assert said == [[], ["100 GPU-h at Late in place of the usual prices. They cost $267 less than planned"]]


def test_a_named_list_that_lacks_the_card_is_found(ledger: Any) -> None:
    """Spot has no H100. That the project's own list has one is nothing: sums are at least what is known."""
    prices = PRICES.replace("a100: 3.67", "a100: 3.67, h100: 5")
    items = TRAIN % ", gpu: h100, price: spot" + ", " + EVAL
    found = book(ledger, items, "- {date: 2026-01-10, item: train, gpu_hours: 10}\n", prices=prices)
    final = found["p.money.final"].value
    assert (final.low, final.use, final.high) == (367, None, None)
    (finding,) = [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]
    assert finding.id == "input-missing:p.money.by_price.spot.unpriced.h100#price"
    told = "".join(part if isinstance(part, str) else str(part.use) for part in finding.title)
    assert told == "The price list spot has no price of H100"


def test_a_list_that_is_not_there_is_refused(ledger: Any) -> None:
    for items, runs in ((TRAIN % ", price: spott", ""), (TRAIN % "", "- {item: train, gpu_hours: 1, price: spott}\n")):
        (problem,) = tree(ledger, items, runs).problems()
        assert "there is no `spott` in ledger/catalog/prices.yaml" in problem


def test_work_at_one_list_is_drawn_as_without_it(ledger: Any) -> None:
    """One payer, one card, one price: the draws of hours are those of a ledger without the key, to the digit."""
    runs = "- {date: 2026-01-10, item: train, gpu_hours: 300, progress: {done: 3, total: 10}}\n"
    names = [f"forecast.p{percent}" for percent in (10, 50, 90)]
    plain = usd(book(ledger, f"{TRAIN % ''}, {EVAL}", runs), *names)
    named = usd(book(ledger, f"{TRAIN % ''}, {EVAL}", runs, "prices: [demand]\nprice: spot"), *names)
    assert plain == named
