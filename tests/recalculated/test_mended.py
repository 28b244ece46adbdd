"""What the second calculator found wrong, each case worked by hand."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from reckon.language.quantity import Value, point

FORMAT = {"ledger/tree.yaml": "format: 3\n"}
GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 2}}\n"
RATES = {
    "ledger/catalog/rates.yaml": (
        "2025-01-01: {usd_per_eur: 1.10, source: made up}\n2025-03-01: {usd_per_eur: 1.25, source: made up}\n"
    )
}
WHOLE = "box: {title: Box, as_of: 2025-01-01, usd_per_gpu_hour: {card: 2, other: 3}, whole_gpus: 4}\n"


def book(ledger: Any, plan: str, runs: str = "", project: str = "", **more: str) -> Any:
    files = {**FORMAT, **more}
    if runs:
        files["runs"] = runs
    return ledger(plan=plan, project=project, gpus=GPUS, **files).book()


def phase(items: str, more: str = "") -> str:
    return f"one: {{title: One, {more}items: {{{items}}}}}\n"


def test_failed_hours_do_not_lower_the_work_to_do_of_an_item_with_a_run_without_seed(ledger: Any) -> None:
    """Of 2 seeds of 100 hours 30 are useful, by a run that names no seed; 500 more were lost."""
    plan = phase("a: {title: A, scope: per-seed, gpu_hours: 100}")
    runs = "- {date: 2025-01-02, item: a, gpu_hours: 30}\n"
    runs += "- {date: 2025-01-03, item: a, seed: 1, gpu_hours: 500, status: failed}\n"
    found = book(ledger, plan, runs, "seeds: 2\n")
    assert found["p.plan.a.to_do"].use == found["p.work_to_do"].use == 200 - 30
    assert found["p.forecast.p50"].use > 500 + 200 - 30


def test_a_run_of_a_month_is_later_than_those_of_its_days(ledger: Any) -> None:
    """It ends on the last day of January: 60% are done then, and not the 30% of the 20th."""
    plan = phase("a: {title: A, scope: one-time, gpu_hours: 100}")
    runs = "- {date: 2025-01, item: a, gpu_hours: 30, progress: {done: 6, total: 10}}\n"
    runs += "- {date: 2025-01-20, item: a, gpu_hours: 30, progress: {done: 3, total: 10}}\n"
    assert book(ledger, plan, runs)["p.plan.a.complete_share"].use == F(6, 10)
    later = runs + "- {date: 2025-02-01, item: a, gpu_hours: 1, progress: {done: 7, total: 10}}\n"
    assert book(ledger, plan, later)["p.plan.a.complete_share"].use == F(7, 10)


def test_a_line_of_money_is_spent_at_the_rates_of_the_days(ledger: Any) -> None:
    """$11 in January and $25 in March are €10 and €20 of €100; €5 are €5."""
    plan = phase("api: {title: API, scope: one-time, eur: 100}")
    runs = "- {date: 2025-01-05, item: api, cost_usd: 11}\n- {date: 2025-03-05, item: api, cost_usd: 25}\n"
    runs += "- {date: 2025-01-06, item: api, cost_eur: 5}\n"
    found = book(ledger, plan, runs, **RATES)
    assert found["p.plan.api.money.actual_eur"].use == 35
    assert found["p.plan.api.money.to_do"].use == 65 * F("1.25")
    assert found["p.money.actual"].use == 11 + 25 + F("5.50")


RUNNING = """\
- {date: 2025-01-02, item: a, gpus: 2, wall_hours: 3, status: running, limit_hours: 10, allocation: north}
- {date: 2025-01-03, item: a, gpus: 2, wall_hours: 3, status: running, allocation: south}
"""
TWO = "".join(f"{name}: {{title: {name.title()}, gpu_hours: 500, projects: [p]}}\n" for name in ("north", "south"))


def test_a_running_job_without_a_limit_opens_what_its_own_payer_promised(ledger: Any) -> None:
    """14 hours are promised by `north`, for certain; by `south` nobody knows, and at most 494 are free."""
    plan = phase("a: {title: A, scope: one-time, gpu_hours: 100, allocation: north}")
    found = book(ledger, plan, RUNNING, allocations=TWO)
    assert found["allocations.north.committed"].value == point(14)
    assert found["allocations.north.free"].value == point(500 - 6 - 14)
    assert found["allocations.south.committed"].value == Value(F(0), F(0), None)
    assert found["allocations.south.free"].value == Value(None, F(494), F(494))


def test_lines_of_money_count_where_all_is_an_extension(ledger: Any) -> None:
    """As hours do: without a base budget the work to do is that of the extensions."""
    plan = phase(
        "a: {title: A, scope: one-time, gpu_hours: 7}, b: {title: B, scope: one-time, usd: 40}", "extension: true, "
    )
    money = "deal: {title: Deal, usd: 500, prices: [box], projects: [p]}\n"
    found = book(ledger, plan, project="allocation: deal\n", allocations=money, **{"ledger/catalog/prices.yaml": WHOLE})
    assert found["p.money.to_do"].use == found["allocations.deal.to_do"].use == 7 * 2 + 40


def test_a_planned_range_stays_one_where_whole_gpus_are_billed(ledger: Any) -> None:
    """8 to 10 hours on 3 GPUs are billed as of 4, at $2 an hour."""
    plan = phase("a: {title: A, scope: one-time, gpus: 3, gpu_hours: 9-12}")
    found = book(ledger, plan, project="prices: [box]\n", **{"ledger/catalog/prices.yaml": WHOLE})
    assert found["p.money.final"].value == Value(F(24), F(28), F(32))
    assert found["p.plan.a.money.billed_hours"].value == Value(F(12), F(14), F(16))


def test_costs_that_are_stated_of_granted_hours_are_in_kind_in_every_currency(ledger: Any) -> None:
    """$4 and €10 of January, and $5 beside what the grant booked; $7 of the project itself are paid."""
    plan = phase("a: {title: A, scope: one-time, gpu_hours: 100}")
    runs = "- {date: 2025-01-02, item: a, gpu_hours: 1, cost_usd: 4}\n"
    runs += "- {date: 2025-01-03, item: a, gpu_hours: 1, cost_eur: 10}\n"
    runs += "- {date: 2025-01-04, item: a, gpu_hours: 1, cost_usd: 5, charged: 3}\n"
    runs += "- {date: 2025-01-05, item: a, gpu_hours: 1, cost_usd: 7, allocation: none}\n"
    grant = "north: {title: North, gpu_hours: 500, projects: [p]}\n"
    found = book(ledger, plan, runs, "ceiling: 900 usd\n", allocations=grant, **RATES)
    assert found["p.money.in_kind"].use == 4 + 11 + 5
    assert found["p.money.paid"].use == 7
    assert found["allocations.north.used"].use == 1 + 1 + 3


def test_what_a_grant_or_a_contract_could_pay_is_paid_for_at_least(ledger: Any) -> None:
    """Nobody says which of them pays for 100 hours: what is to be paid for is not known to be nothing."""
    plan = phase("a: {title: A, scope: one-time, gpu_hours: 100}, b: {title: B, scope: one-time, usd: 40}")
    payers = "north: {title: North, gpu_hours: 500, projects: [p]}\n"
    payers += "deal: {title: Deal, usd: 500, prices: [box], projects: [p]}\n"
    files = {"ledger/catalog/prices.yaml": WHOLE, "allocations": payers}
    found = book(ledger, plan, project="ceiling: 900 usd\n", **files)
    assert found["p.money.paid_to_do"].value == Value(F(40), None, None)


def test_what_is_left_at_most_of_an_ended_grant_can_be_spent_no_more(ledger: Any) -> None:
    """It ended in January, and booked something in February: nothing is left, as of one whose payers are all named."""
    plan = phase("a: {title: A, scope: one-time, gpu_hours: 100}")
    late = "changes: [{date: 2025-02-03, charged: 4, why: late}]"
    payers = f"north: {{title: North, gpu_hours: 500, until: 2025-01, projects: [p], {late}}}\n"
    payers += "south: {title: South, gpu_hours: 500, projects: [p]}\n"
    found = book(ledger, plan, "- {date: 2025-01-02, item: a, gpu_hours: 30}\n", allocations=payers)
    assert found["allocations.north.used_at_least"].use == 4
    assert found["allocations.north.left_at_most"].use == 0
    assert found["allocations.south.left_at_most"].use == 500
