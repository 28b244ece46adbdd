"""Money beside hours: which price counts, and what runs state they cost."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from reckon.present.terminal.derivation import runs_of

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


def said(sentence: Any) -> str:
    """A sentence of a finding, with the planned value of each figure."""
    return "".join(part if isinstance(part, str) else str(part.use) for part in sentence)


def usd(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


def test_budgets_at_the_first_price_of_the_projects_gpu(ledger: Any) -> None:
    """The lab has no price of the card; the cloud asks 2, and that the next list asks 5 is nothing."""
    found = book(ledger, "")
    assert usd(found, "money.usd_per_gpu_hour") == [2]
    assert usd(found, "money.final", "money.extended") == [220, 320]
    assert "p.money.ceiling" not in found.figures, "a ceiling of hours is none of money"
    assert usd(found, "money.actual", "money.remaining") == [0, 220]
    assert usd(found, "phases.one.money.planned", "phases.more.money.planned") == [200, 100]
    assert usd(book(ledger, "", "[dear, cloud]"), "money.final") == [550]


def test_what_runs_state_counts_before_the_price_of_their_card(ledger: Any) -> None:
    """30 hours at 2 are 60, and 20 on the other card at the 9 that the lab asks 180, however many hours they count as;
    7.50 and 12 are stated. The final budget of 220 was charged all but the extension's 7.50."""
    found = book(ledger)
    assert usd(found, "actual.cost", "actual.unpriced") == [F("19.5"), 40]
    assert usd(found, "money.actual", "money.base", "money.remaining") == [F("259.5"), 252, -32]
    assert usd(found, "phases.one.money.actual", "phases.more.money.actual") == [240, F("7.5")]
    assert usd(found, "plan.train.money.by_gpu.card.cost", "money.by_gpu.other.cost") == [60, 180]
    assert usd(found, "money.unplanned.actual", "money.unplanned.stated") == [12, 12]


def test_without_extensions_planned_less_spent_is_what_is_left(ledger: Any) -> None:
    """220 less 5 that were stated for 30 hours and 10 hours at 2."""
    runs = "- {item: train, gpu_hours: 30, cost_usd: 5}\n- {item: train, gpu_hours: 10}\n"
    for plan in (PLAN, PLAN.partition("more:")[0]):
        assert usd(book(ledger, runs, plan=plan), "money.final", "money.actual", "money.remaining") == [220, 25, 195]


def test_all_costs_stated_leave_nothing_to_price(ledger: Any) -> None:
    found = book(ledger, "- {item: train, gpu_hours: 30, cost_usd: 0}\n- {item: train, gpu_hours: 5, cost_usd: 4}\n")
    assert usd(found, "actual.unpriced", "money.actual") == [0, 4]


def near(found: Any, name: str, right: Any) -> bool:
    """Whether a figure that is read off draws is what was expected, but for the digits that draws can give."""
    return abs(found[f"p.{name}"].use - right) <= abs(right) / 100


def test_the_forecast_in_money_is_its_hours_at_the_price(ledger: Any) -> None:
    """60 were spent, and what is to come is the hours to come of the same draws at 2."""
    found = book(ledger, "- {item: train, gpu_hours: 30}\n")
    for percent in (10, 50, 90):
        (hours,) = usd(found, f"forecast.p{percent}")
        assert near(found, f"money.forecast_p{percent}", 2 * hours)  # type: ignore[operator]
        assert usd(found, f"money.forecast_p{percent}") == [60 + found[f"p.money.to_come_p{percent}"].use]
    assert usd(found, "money.to_do") == [140], "what is to do of the plan, 70 hours; extensions may never be run"


def test_what_is_to_come_costs_the_price_of_its_card(ledger: Any) -> None:
    """Spent are 252 for 44 hours of the base budget (30, half of 20, and 4); the rest is planned at 2 an hour."""
    found = book(ledger)
    assert usd(found, "actual.base") == [44]
    (hours,) = usd(found, "forecast.p50")
    assert near(found, "money.forecast_p50", 252 + 2 * (hours - 44))  # type: ignore[operator]


def test_a_plan_costs_line_by_line_at_the_price_of_its_cards(ledger: Any) -> None:
    """100 hours at 2 and, on the other card, 30 at 9, with their own contingency of 20% on the second: 220 + 324."""
    plan = PLAN.partition("more:")[0]
    plan += "    side: {title: Side, scope: one-time, gpu_hours: 30, gpu: other, contingency: 20%}\n"
    found = book(ledger, "", plan=plan)
    assert usd(found, "money.subtotal", "money.contingency", "money.final") == [470, 74, 544]
    assert usd(found, "phases.one.money.planned", "plan.side.money.planned") == [470, 270]
    assert usd(found, "money.remaining") == [544]


TWO_CARDS = """\
one:
  title: One
  items:
    small: {title: Small, scope: one-time, gpu: granted, gpu_hours: 1000}
    big: {title: Big, scope: one-time, gpu: rented, gpu_hours: 1000}
"""
MIXED = {
    "gpus": "granted: {title: Granted}\nrented: {title: Rented, counts_as: {granted: 2x}}\n",
    "project": "title: P\nversion: 1.0.0\nas_of: 2026-01-01\ngpu: granted\nprices: [rent]\n",
    "ledger/catalog/prices.yaml": "rent: {title: Rent, usd_per_gpu_hour: {granted: 0, rented: 3}}\n",
    "plan": TWO_CARDS,
}
"""1,000 free hours on one card, 1,000 at $3 on another, of which each counts two."""


def done(item: str, hours: int, progress: str = ", progress: {done: 1, total: 1}") -> str:
    card = "granted" if item == "small" else "rented"
    return f"- {{date: 2026-02-06, item: {item}, gpu: {card}, gpu_hours: {hours}{progress}}}\n"


def test_rented_work_to_come_costs_its_rent(ledger: Any) -> None:
    """The free work is done. The rented work is 2,000 counted hours at $1.50, and may take some more; with the average
    of the plan, $1, they were $2,030, and a ceiling of $2,900 seemed to be kept."""
    policy = "policies: {money: {title: Money, require: money.forecast_p50 <= 2900 usd, message: Rent less.}}\n"
    mixed = {**MIXED, "project": MIXED["project"] + policy}
    found = ledger(runs=done("small", 1000), **mixed).book()
    assert usd(found, "money.actual", "money.to_do") == [0, 3000]
    (hours,) = usd(found, "forecast.p50")
    assert near(found, "money.forecast_p50", (hours - 1000) * F(3, 2))  # type: ignore[operator]
    assert abs(found["p.money.forecast_p50"].use - 3040) <= 90
    assert [result.holds for result in found.policies["p"]] == [False]


@pytest.mark.parametrize("hours", [960, 1000])
def test_free_work_to_come_costs_nothing(ledger: Any, hours: int) -> None:
    """The rented work is done, for $2,880 or $3,000; a policy of $3,100 seemed to be breached."""
    policy = "policies: {money: {title: Money, require: money.forecast_p90 <= 3100 usd, message: Rent less.}}\n"
    mixed = {**MIXED, "project": MIXED["project"] + policy}
    found = ledger(runs=done("big", hours), **mixed).book()
    assert usd(found, *(f"money.forecast_{name}" for name in ("p10", "p50", "p90"))) == [3 * hours] * 3
    assert [result.holds for result in found.policies["p"]] == [True]


def test_where_nothing_is_to_come_the_forecast_is_what_was_spent(ledger: Any) -> None:
    found = ledger(runs=done("small", 1000) + done("big", 900), **MIXED).book()
    assert usd(found, "money.to_do", "money.to_come_p90", "money.forecast_p50") == [0, 0, 2700]


def test_two_cards_two_prices_and_work_begun_on_both(ledger: Any) -> None:
    """Half of both is done as planned. 500 hours at $1 and 500 at $3 are to do, $2,000; spent were as much. An average
    of the hours to come, $4/3, says so too, but that of the plan, where the dear work is nearly done, does not."""
    prices = "rent: {title: Rent, usd_per_gpu_hour: {granted: 1, rented: 3}}\n"
    mixed = {**MIXED, "ledger/catalog/prices.yaml": prices}
    runs = done("small", 500, ", progress: {done: 1, total: 2}") + done("big", 500, ", progress: {done: 1, total: 2}")
    found = ledger(runs=runs, **mixed).book()
    assert usd(found, "money.actual", "money.to_do") == [2000, 2000]
    assert near(found, "money.forecast_p50", 4000)
    runs = done("small", 100, ", progress: {done: 1, total: 10}") + done("big", 900, ", progress: {done: 9, total: 10}")
    found = ledger(runs=runs, **mixed).book()
    assert usd(found, "money.actual", "money.to_do") == [2800, 1200]
    assert near(found, "money.forecast_p50", 4000), "with $4/3 an hour of the plan it would be 4,267"


def test_without_progress_the_plan_less_what_was_charged_is_to_do(ledger: Any) -> None:
    """Of 1,000 hours of the rented work 250 were charged, and of the free work more than its plan; nothing says how far
    either has come. 750 hours at $3 are to do."""
    found = ledger(runs=done("small", 2500, "") + done("big", 250, ""), **MIXED).book()
    assert all(found[f"p.plan.{item}.complete_share"].missing for item in ("small", "big"))
    assert usd(found, "plan.small.money.to_do", "plan.big.money.to_do", "money.to_do") == [0, 2250, 2250]


def test_extensions_are_no_part_of_the_forecast(ledger: Any) -> None:
    """A rented extension is beside the base budget, whose forecast and work to do are free hours alone."""
    plan = TWO_CARDS.replace("    big:", "more:\n  title: More\n  extension: true\n  items:\n    big:")
    found = ledger(runs="", **{**MIXED, "plan": plan}).book()
    assert usd(found, "money.forecast_p50", "money.to_do", "plan.big.money.to_do") == [0, 0, 3000]


def test_many_items_with_ranges_are_no_hindrance(ledger: Any) -> None:
    """A hundred ranges could not be tried at both ends: the draws take them. 50 x 10 hours at $3 are to do."""
    item = "    i{0}: {{title: I{0}, scope: one-time, gpu: {1}, gpu_hours: 8-12}}\n"
    items = "".join(item.format(number, "rented" if number % 2 else "granted") for number in range(100))
    plan = TWO_CARDS.partition("    small")[0] + items
    found = ledger(runs="", **{**MIXED, "plan": plan}).book()
    assert usd(found, "money.to_do") == [1500]
    assert abs(found["p.money.forecast_p50"].use - 1500) < 40


def test_a_range_of_a_price_is_in_the_work_to_do_and_its_planning_value_in_the_draws(ledger: Any) -> None:
    """1,000 hours at $2 to $4 are $2,000 to $4,000; the forecast takes $3, and has a range of its own."""
    prices = "rent: {title: Rent, usd_per_gpu_hour: {granted: 0, rented: 2-4}}\n"
    found = ledger(runs=done("small", 1000), **{**MIXED, "ledger/catalog/prices.yaml": prices}).book()
    to_do = found["p.money.to_do"].value
    assert (to_do.low, to_do.use, to_do.high) == (2000, 3000, 4000)
    median = found["p.money.forecast_p50"].value
    assert median.low == median.use == median.high
    assert abs(median.use - 3040) <= 90


def test_work_to_come_on_a_card_without_a_price_is_at_least(ledger: Any) -> None:
    """Of the rented work nothing is known; once it is done for a stated cost, the rest is known."""
    mixed = {**MIXED, "ledger/catalog/prices.yaml": "rent: {usd_per_gpu_hour: {granted: 1}}\n"}
    found = ledger(runs=done("small", 900), **mixed).book()
    for name in ("money.to_do", "money.forecast_p50"):
        assert (found[f"p.{name}"].value.use, found[f"p.{name}"].value.high) == (None, None)
    assert (found["p.money.to_do"].value.low, found["p.money.forecast_p50"].value.low) == (0, 900)
    stated = done("big", 1000, ", cost_usd: 2500, progress: {done: 1, total: 1}")
    found = ledger(runs=done("small", 900) + stated, **mixed).book()
    assert usd(found, "money.to_do", "money.forecast_p50") == [0, 3400]


DATED = """\
cloud:
  title: Cloud
  as_of: 2026-01-01
  usd_per_gpu_hour: {card: 1.80}
  since:
    2026-03-16: {usd_per_gpu_hour: {card: 1.50}}
"""


def test_a_price_that_changes_within_a_month_and_two_cards(ledger: Any) -> None:
    """40 hours over four days, two at 1.80 and two at 1.50, are 36 + 30; 10 without a date are 18, at the price of
    `as_of`; 10 on the other card at 9 are 90. What is planned, 110 hours, costs the last price: 165."""
    runs = (
        "- {item: train, start: 2026-03-14, end: 2026-03-17, gpu_hours: 40}\n"
        "- {item: train, gpu_hours: 10, status: failed}\n"
        "- {item: train, date: 2026-03-16, gpu: other, gpu_hours: 10, status: failed}\n"
    )
    texts = {"ledger/catalog/prices.yaml": DATED + PRICES.partition("cloud")[0]}
    found = book(ledger, runs, "[cloud, lab]", **texts)
    assert usd(found, "money.actual", "money.final") == [174, 165]
    by_card = [("first.hours", 30), ("first.cost", 54), ("since.2026-03-16.hours", 20), ("since.2026-03-16.cost", 30)]
    assert usd(found, *(f"money.by_gpu.card.{name}" for name, _ in by_card)) == [amount for _, amount in by_card]
    assert usd(found, "plan.train.money.actual", "money.usd_per_gpu_hour") == [174, F("1.5")]
    late = DATED.replace("as_of: 2026-01-01", "as_of: 2026-04")
    texts["ledger/catalog/prices.yaml"] = late + PRICES.partition("cloud")[0]
    assert usd(book(ledger, runs, "[cloud, lab]", **texts), "money.actual") == [171]


def test_the_runs_at_a_price_are_those_of_its_days(ledger: Any) -> None:
    runs = (
        "- {item: train, start: 2026-03-14, end: 2026-03-17, gpu_hours: 40}\n"
        "- {item: train, date: 2026-03-02, gpu_hours: 10}\n"
        "- {item: train, date: 2026-04-01, gpu_hours: 5}\n"
    )
    found = book(ledger, runs, "[cloud]", **{"ledger/catalog/prices.yaml": DATED})
    for at, hours in (("first", [40, 10]), ("since.2026-03-16", [40, 5])):
        figure = found[f"p.money.by_gpu.card.{at}.hours"]
        assert [run.charged_hours for run in runs_of(found, figure)] == hours


FROM_MARCH = """\
cloud:
  title: Cloud
  as_of: 2026-03-20
  since:
    2026-03-16: {usd_per_gpu_hour: {card: 1.50}}
    2026-05-01: {usd_per_gpu_hour: {card: 1.25}}
"""
AROUND_MARCH = (
    "- {item: train, date: 2026-03-02, gpu_hours: 10}\n"
    "- {item: train, start: 2026-03-14, end: 2026-03-17, gpu_hours: 40, status: failed}\n"
    "- {item: train, date: 2026-05-01, gpu_hours: 4, status: failed}\n"
    "- {item: train, gpu_hours: 2, status: failed}\n"
)


def test_before_its_first_day_a_list_has_no_price(ledger: Any) -> None:
    """Known are 20 of the 40 hours at 1.50, 4 at 1.25, and the 2 without a date at the list's `as_of`: 30 + 5 + 3. The
    10 of 2 March and the other 20 have no price. What is planned, 110 hours, costs the last one."""
    found = book(ledger, AROUND_MARCH, "[cloud]", **{"ledger/catalog/prices.yaml": FROM_MARCH})
    actual = found["p.money.actual"].value
    assert (actual.low, actual.use, actual.high) == (38, None, None)
    assert usd(found, "money.by_gpu.card.before.2026-03-16.hours", "money.final") == [30, F("137.5")]
    (finding,) = [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]
    assert said(finding.title) == "Card has no price before 2026-03-16"
    assert said(finding.arithmetic).startswith("30 were spent on it before 2026-03-16;")


def test_an_unknown_price_is_no_price(ledger: Any) -> None:
    """30 hours at 2 are known, 20 on the other card are not; where the next list knows a price of 3, it counts."""
    runs = RUNS.partition("- {item: big")[0]
    lists = "cloud: {title: Cloud, usd_per_gpu_hour: {card: 2, other: unknown}}\n"
    found = book(ledger, runs, "[cloud]", **{"ledger/catalog/prices.yaml": lists})
    actual = found["p.money.actual"].value
    assert (actual.low, actual.use, actual.high) == (60, None, None)
    assert usd(found, "money.final") == [220]
    (finding,) = [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]
    assert said(finding.arithmetic) == "20 were spent on it; its price is not known (cloud)"
    lists += "lab: {usd_per_gpu_hour: {other: 3}}\n"
    found = book(ledger, runs, "[cloud, lab]", **{"ledger/catalog/prices.yaml": lists})
    assert usd(found, "money.actual") == [60 + 60]
    assert not [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]


def test_a_price_that_is_unknown_from_some_day_on_is_a_gap(ledger: Any) -> None:
    """20 hours of March at 1.50 are 30; of the 4 of May nothing is known, and the plan costs the last known price."""
    lists = FROM_MARCH.replace("1.25", "unknown")
    runs = "- {item: train, date: 2026-03-20, gpu_hours: 20}\n- {item: train, date: 2026-05-01, gpu_hours: 4}\n"
    found = book(ledger, runs, "[cloud]", **{"ledger/catalog/prices.yaml": lists})
    assert (found["p.money.actual"].value.low, found["p.money.actual"].use) == (30, None)
    assert usd(found, "money.final") == [165]
    (finding,) = [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]
    assert said(finding.title) == "Card has no price since 2026-05-01"


def test_the_next_list_is_asked_for_the_days_before(ledger: Any) -> None:
    """From February on the second list asks 3, of which 20 and 10 hours are 90; that it asks 9 in April is nothing:
    the first has a price then. An undated price of a third, of 1, is of no run in them but of one in January."""
    second = "lab: {since: {2026-02: {usd_per_gpu_hour: {card: 3}}, 2026-04: {usd_per_gpu_hour: {card: 9}}}}\n"
    third = "old: {usd_per_gpu_hour: {card: 1}}\n"
    runs = AROUND_MARCH + "- {item: train, date: 2026-01-31, gpu_hours: 7, status: failed}\n"
    texts = {"ledger/catalog/prices.yaml": FROM_MARCH + second + third}
    found = book(ledger, runs, "[cloud, lab, old]", **texts)
    assert usd(found, "money.actual", "money.usd_per_gpu_hour") == [38 + 90 + 7, F("1.25")]
    spans = ("first", "since.2026-02-01", "since.2026-03-16", "since.2026-05-01")
    assert usd(found, *(f"money.by_gpu.card.{span}.cost" for span in spans)) == [7, 90, 33, 5]
    assert not [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]


def test_a_price_without_a_day_is_the_earlier_one(ledger: Any) -> None:
    texts = {"ledger/catalog/prices.yaml": FROM_MARCH.replace("  since", "  usd_per_gpu_hour: {card: 2}\n  since")}
    assert usd(book(ledger, AROUND_MARCH, "[cloud]", **texts), "money.actual") == [60 + 38]


def test_runs_without_a_date_cost_what_the_list_asked_as_of_its_date(ledger: Any) -> None:
    """Nothing is known of the price of 2 hours without a date where the list has none at its `as_of`, or has no
    `as_of`; and the price of a second list, 3, counts only where that has one."""
    runs = AROUND_MARCH.splitlines(keepends=True)[-1] + "- {item: train, date: 2026-04-01, gpu_hours: 4}\n"
    for as_of in ("  as_of: 2026-03-15\n", ""):
        texts = {
            "ledger/catalog/prices.yaml": FROM_MARCH.replace("  as_of: 2026-03-20\n", as_of)
            + "lab: {usd_per_gpu_hour: {card: 3}}\n"
        }
        found = book(ledger, runs, "[cloud]", **texts)
        assert (found["p.money.actual"].value.low, found["p.money.actual"].use) == (6, None)
        assert usd(book(ledger, runs, "[cloud, lab]", **texts), "money.actual") == [12]
    late = {
        "ledger/catalog/prices.yaml": "cloud: {since: {2026-05: {usd_per_gpu_hour: {card: 4}}}}\n"
        "lab: {as_of: 2026-06, since: {2026-06: {usd_per_gpu_hour: {card: 3}}}}\n"
    }
    found = book(ledger, runs.replace("2026-04", "2026-06"), "[cloud, lab]", **late)
    assert usd(found, "money.actual", "money.by_gpu.card.undated.cost") == [16 + 6, 6]


def test_a_card_without_a_price_makes_sums_at_least(ledger: Any) -> None:
    found = book(ledger, prices="[cloud]", **{"ledger/catalog/prices.yaml": "cloud: {usd_per_gpu_hour: {card: 2}}\n"})
    actual = found["p.money.actual"].value
    assert (actual.low, actual.use, actual.high) == (F("79.5"), None, None)
    assert usd(found, "money.final") == [220], "the plan is on the other card"


def test_without_a_price_there_is_no_money(ledger: Any) -> None:
    for prices, runs in (("[]", RUNS), ("[lab]", "- {item: train, gpu_hours: 30}\n")):
        assert [name for name in book(ledger, runs, prices).figures if ".money" in name] == []
    found = book(ledger, "- {item: train, gpu: other, gpu_hours: 20}\n", "[lab]")
    assert usd(found, "money.actual") == [180]
    assert "p.money.final" not in found.figures


def test_hours_that_cannot_be_counted_can_be_priced(ledger: Any) -> None:
    """Money asks for no ratio between cards: each has its own price."""
    found = book(ledger, gpus="card: {title: Card}\nother: {title: Other}\n")
    assert found["p.actual.total"].missing == ("catalog.gpus.other.counts_as.card",)
    assert usd(found, "money.actual") == [F("259.5")]


def test_a_price_list_that_is_not_there_is_refused(ledger: Any) -> None:
    text = {"gpus": GPUS, "plan": PLAN, "project": "prices: [cluod]\n", "ledger/catalog/prices.yaml": PRICES}
    (problem,) = ledger(**text).problems()
    assert "cluod" in problem
    assert "cloud" in problem


def test_a_list_knows_the_prices_of_a_card_in_order(ledger: Any) -> None:
    march = "2026-03: {usd_per_gpu_hour: {card: 1.5}}"
    december = "2025-12-31: {usd_per_gpu_hour: {card: 1.6, other: 1}}"
    texts = {"ledger/catalog/prices.yaml": f"cloud:\n  since:\n    {march}\n    {december}\n"}
    (found,) = book(ledger, "", "[cloud]", **texts).ledger.catalog.prices.values()
    assert [at for _, at in found.hourly("card")] == [
        "since.2025-12-31.usd_per_gpu_hour.card",
        "since.2026-03.usd_per_gpu_hour.card",
    ]
    assert (found.last_price("other"), found.last_price("third")) == (
        "since.2025-12-31.usd_per_gpu_hour.other",
        "usd_per_gpu_hour.third",
    )
    assert list(found.cards) == ["card", "other"]


EUROS = """\
europe:
  title: Europe
  as_of: 2026-01-01
  eur_per_gpu_hour: {card: 1.50}
  since:
    2026-02: {eur_per_gpu_hour: {card: 1.70, other: 2}}
  rate: {usd_per_eur: 1.08, as_of: 2026-01-02, source: a bank}
"""


def test_a_list_in_another_currency_is_converted_at_the_rate_that_it_states(ledger: Any) -> None:
    """10 hours at 1.50 × 1.08 = 1.62 are 16.20, 4 at 1.70 × 1.08 = 1.836 are 7.344, and 110 planned are 201.96. 5 on
    the other card are 45, at the 9 dollars of a list before it: one in euros is a list among others."""
    runs = (
        "- {item: train, date: 2026-01-31, gpu_hours: 10}\n"
        "- {item: train, date: 2026-02-01, gpu_hours: 4, status: failed}\n"
        "- {item: train, date: 2026-02-01, gpu: other, gpu_hours: 5, status: failed}\n"
    )
    texts = {"ledger/catalog/prices.yaml": EUROS + PRICES.partition("cloud")[0]}
    found = book(ledger, runs, "[lab, europe]", **texts)
    assert usd(found, "money.actual", "money.final") == [F("16.2") + F("7.344") + 45, F("201.96")]
    assert found["catalog.prices.europe.usd_per_gpu_hour.card"].use == F("1.62")
    assert found["catalog.prices.europe.eur_per_gpu_hour.card"].use == F("1.5")
    ranged = {"ledger/catalog/prices.yaml": EUROS.replace("1.08", "1-1.2")}
    value = book(ledger, runs, "[europe]", **ranged)["p.plan.train.money.planned"].value
    assert (value.low, value.high) == (170, 204)


def test_setups_take_the_converted_price(ledger: Any) -> None:
    """What is weighed against a deadline is in dollars too, at the last price: 1.70 × 1.08."""
    texts = {
        "ledger/catalog/prices.yaml": EUROS,
        "setups": "s: {title: S, workload: w, counts: [1]}\n",
        "workloads": "w: {title: W, samples: 10, tokens_per_sample: 10}\n",
        "ledger/catalog/models.yaml": "m: {title: M}\n",
        "ledger/catalog/throughputs.yaml": "t: {model: m, tokens_per_second_per_gpu: {card: 100}}\n",
    }
    found = ledger(**{"gpus": GPUS, "project": "prices: [europe]\nthroughputs: [t]\n", **texts}).book()
    assert found["p.setups.s.card-x1.usd_per_gpu_hour"].use == F("1.836")


def test_prices_that_are_all_unknown_are_told_once_where_they_stand(ledger: Any) -> None:
    """No card that plan and runs use has a price: one finding, at the list; nothing where the project asks no list."""
    prices = "lab: {usd_per_gpu_hour: {card: unknown, other: unknown}}\nempty: {usd_per_gpu_hour: {spare: 3}}\n"
    texts = {"gpus": GPUS + "spare: {title: Spare}\n", "ledger/catalog/prices.yaml": prices}
    found = book(ledger, prices="[lab]", **texts)
    (finding,) = [finding for finding in found.findings["p"] if finding.judgement == "input-missing#price"]
    assert (finding.id, [place.short for place in finding.places]) == (
        "input-missing:p.money.unpriced#price",
        ["ledger/catalog/prices.yaml:1"],
    )
    assert "no price is known (lab)" in said(finding.arithmetic)
    (unlisted,) = [each for each in book(ledger, prices="[empty]", **texts).findings["p"] if each.rule == finding.rule]
    assert "no price is known (empty)" in said(unlisted.arithmetic)
    assert not [each for each in book(ledger, prices="[]", **texts).findings["p"] if each.rule == finding.rule]


@pytest.mark.parametrize(("rate", "used"), [("2", 17), ("unknown", None)])
def test_what_a_run_cost_is_not_charged_at_a_rate_that_nobody_knows(ledger: Any, rate: str, used: int | None) -> None:
    """5 euros at 2 dollars, and 7 dollars."""
    runs = (
        "- {item: a, date: 2025-01-05, gpu_hours: 10, cost_eur: 5, allocation: g}\n"
        "- {item: a, date: 2025-01-06, gpu_hours: 10, cost_usd: 7, allocation: g}\n"
    )
    found = ledger(
        plan="one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n",
        runs=runs,
        allocations="g: {title: G, projects: [p], usd: 100}\n",
        **{"ledger/catalog/rates.yaml": f"2025-01-01: {{source: made up, usd_per_eur: {rate}}}\n"},
    ).book()
    lacks = () if used else ("catalog.rates.2025-01-01.usd_per_eur",)
    for address in ("allocations.g.used", "p.money.actual"):
        assert (found[address].use, found[address].missing) == (used, lacks)
