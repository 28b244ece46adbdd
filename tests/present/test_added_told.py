"""What `add` says of a project, beyond what the tests of the command read."""

from __future__ import annotations

from typing import Any

from reckon.present.terminal.additions import describe_added

GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 2.5}}\n"
PLAN = """\
work: {title: Work, items: {small: {title: Small, scope: per-seed, gpu: other, gpu_hours: 12}}}
"""
RUN = "- {date: 2025-01-02, item: small, seed: 1, gpu: other, gpu_hours: 4}\n"


def lines(ledger: Any, project: str = "") -> list[str]:
    """What is told of the first run of a seed."""
    texts = {"gpus": GPUS, "plan": PLAN, "project": f"seeds: 2\n{project}"}
    before, after = ledger(**texts).book(), ledger(**texts, runs=RUN).book()
    keys = [("small", "1")]
    return list(describe_added(before, after, "p", keys))


def test_a_seed_stands_in_the_hours_of_the_project_like_all_rows(ledger: Any) -> None:
    """12 hours there are 30 here; 4 there, 10 here, are charged: 20 are left of the seed and 50 of the item."""
    told = lines(ledger)
    rows = {line[:20].strip(): line.split()[-4:] for line in told[1:4]}
    item = ["60", "0", "10", "50"]
    assert rows == {"Small": item, "seed 1": ["30", "0", "10", "20"], "Work": item}


def test_the_first_run_has_no_forecast_before_it(ledger: Any) -> None:
    told = lines(ledger)
    at = next(number for number, line in enumerate(told) if line.startswith("  forecast:"))
    assert not [line for line in told[at + 1 :] if "before:" in line]


def test_a_best_case_is_called_so(ledger: Any) -> None:
    assert any(line.startswith("  Best case ") for line in lines(ledger, "plan_is: best-case\n"))
    assert any(line.startswith("  Final budget ") for line in lines(ledger))
