"""Money beside hours: which price counts, and what runs state they cost."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
PRICES = """\
lab: {title: Lab, usd_per_gpu_hour: {other: 9}}
cloud: {title: Cloud, usd_per_gpu_hour: {card: 2, other: 1}}
dear: {title: Dear, usd_per_gpu_hour: {card: 5}}
"""
PLAN = """\
one:
  title: One
  items:
    train: {title: Train, scope: one-time, gpu_hours: 100}
more:
  title: More
  extension: true
  items:
    big: {title: Big, scope: one-time, gpu_hours: 50}
"""
RUNS = """\
- {item: train, gpu_hours: 30}
- {item: train, gpu: other, gpu_hours: 20}
- {item: big, gpu_hours: 5, cost_usd: 7.50}
- {item: debug, unplanned: true, gpu_hours: 4, cost_usd: 12}
"""


def book(ledger: Any, runs: str = RUNS, prices: str = "[lab, cloud, dear]", **more: str) -> Any:
    project = f"contingency: 10%\nceiling: 200\nprices: {prices}\n"
    texts = {"gpus": GPUS, "ledger/catalog/prices.yaml": PRICES, "plan": PLAN, "project": project, "runs": runs}
    return ledger(**{**texts, **more}).book()


def usd(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


def test_budgets_at_the_first_price_of_the_projects_gpu(ledger: Any) -> None:
    """The lab has no price of the card; the cloud asks 2, and that the next list asks 5 is nothing."""
    found = book(ledger, "")
    assert usd(found, "money.usd_per_gpu_hour") == [2]
    assert usd(found, "money.final", "money.extended", "money.ceiling") == [220, 320, 400]
    assert usd(found, "money.actual", "money.remaining") == [0, 220]
    assert usd(found, "phases.one.money.planned", "phases.more.money.planned") == [200, 100]
    assert usd(book(ledger, "", "[dear, cloud]"), "money.final") == [550]


def test_what_runs_state_counts_before_the_price(ledger: Any) -> None:
    """30 and, as half of 20, 10 hours at 2 are 80; 7.50 and 12 are stated. Of the 99.50, 10 are
    the extension's 5 hours at the price; the rest is what the final budget of 220 was charged."""
    found = book(ledger)
    assert usd(found, "actual.cost", "actual.unpriced") == [F("19.5"), 40]
    assert usd(found, "money.actual") == [F("99.5")]
    assert usd(found, "money.remaining") == [220 - (F("99.5") - 10)]
    assert usd(found, "phases.one.money.actual", "phases.more.money.actual") == [80, 10]


def test_without_extensions_planned_less_spent_is_what_is_left(ledger: Any) -> None:
    """220 less 5 that were stated for 30 hours and 10 hours at 2."""
    runs = "- {item: train, gpu_hours: 30, cost_usd: 5}\n- {item: train, gpu_hours: 10}\n"
    for plan in (PLAN, PLAN.partition("more:")[0]):
        assert usd(book(ledger, runs, plan=plan), "money.final", "money.actual", "money.remaining") == [220, 25, 195]


def test_all_costs_stated_leave_nothing_to_price(ledger: Any) -> None:
    found = book(ledger, "- {item: train, gpu_hours: 30, cost_usd: 0}\n- {item: train, gpu_hours: 5, cost_usd: 4}\n")
    assert usd(found, "actual.unpriced", "money.actual") == [0, 4]


def test_the_forecast_in_money_is_its_hours_at_the_price(ledger: Any) -> None:
    found = book(ledger)
    hours = usd(found, "forecast.p10", "forecast.p50", "forecast.p90")
    assert usd(found, "money.forecast_p10", "money.forecast_p50", "money.forecast_p90") == [2 * one for one in hours]  # type: ignore[operator]
    assert hours == sorted(hours)  # type: ignore[type-var]


def test_without_a_price_there_is_no_money(ledger: Any) -> None:
    for prices in ("[]", "[lab]"):
        assert [name for name in book(ledger, prices=prices).figures if ".money" in name] == []


def test_hours_that_cannot_be_counted_cannot_be_priced(ledger: Any) -> None:
    gpus = "card: {title: Card}\nother: {title: Other}\n"
    found = book(ledger, gpus=gpus)
    assert found["p.money.actual"].missing == ("catalog.gpus.other.counts_as.card",)
    stated = book(ledger, "- {item: train, gpu: other, gpu_hours: 20, cost_usd: 3}\n", gpus=gpus)
    assert usd(stated, "money.actual") == [3], "what it cost is known all the same"


def test_a_price_list_that_is_not_there_is_refused(ledger: Any) -> None:
    text = {"gpus": GPUS, "plan": PLAN, "project": "prices: [cluod]\n", "ledger/catalog/prices.yaml": PRICES}
    (problem,) = ledger(**text).problems()
    assert "cluod" in problem
    assert "cloud" in problem
