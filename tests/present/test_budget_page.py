"""What the first page of a budget says first, its one table of hours, and its page of details."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from reckon.present.pages import present

TEMPLATES = [Path(__file__).resolve().parents[2] / "templates"]
# 3 × (100 planned, 240–300 estimated) + 50: 350; contingency 10%: 385. Estimated: 3 × 240–300 + 50, and 10%: 847–1,045.
PLAN = """
train:
  title: Training
  items:
    fit:
      title: Fitting
      scope: per-seed
      gpu_hours: 100
      estimate: {formula: hours * gpus, hours: 60-75, gpus: 4}
    check: {title: Checking, scope: all-seeds, gpu_hours: 50}
"""
PROJECT = "seeds: 3\ncontingency: 10%\n"


def pages(ledger: Any, **files: str) -> dict[str, str]:
    made = present(ledger(**{"project": PROJECT, "plan": PLAN, **files}).book(), TEMPLATES, lambda _: None)
    return {name.rpartition("/")[2]: text for name, text in made.items() if name.startswith("docs/p/")}


def plain(text: str) -> str:
    """A page without the targets of its links."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def test_the_answer_stands_first(ledger: Any) -> None:
    page = plain(pages(ledger)["index.md"])
    head, answer = page.partition("# P: budget\n\n")[2].split("\n\n")[:2]
    assert head.endswith(" · for 3 seeds · GPU-h = hours on Card")
    assert answer == "**385 GPU-h are planned; by its own estimates the work needs 847–1,045 GPU-h.**"
    assert "## Forecast" not in page, "before the first run a forecast says no more than the plan"


def test_what_is_over_budget_is_said_first_and_is_no_chance(ledger: Any) -> None:
    """400 of 385 are spent, and much is to come: no chance is left of what has happened."""
    runs = "- {date: 2025-02-01, item: fit, seed: 1, gpu_hours: 400, progress: {done: 1, total: 2}}\n"
    page = plain(pages(ledger, runs=runs)["index.md"])
    answer = next(line for line in page.splitlines() if line.startswith("**"))
    assert answer.startswith("**Over budget: 385 GPU-h are planned, and 400 GPU-h are spent")
    assert ". The forecast is " in answer
    assert "risk" not in answer
    page = plain(pages(ledger, project=PROJECT + "ceiling: 390\n", runs=runs)["index.md"])
    assert "Over its ceiling of 390 GPU-h: 385" in page


def test_with_extensions_the_limit_is_the_extended_budget(ledger: Any) -> None:
    more = "more:\n  title: More\n  extension: true\n  items:\n    big: {title: Big, scope: one-time, gpu_hours: 50}\n"
    runs = "- {date: 2025-02-01, item: fit, seed: 1, gpu_hours: 40, progress: {done: 1, total: 2}}\n"
    page = plain(pages(ledger, plan=PLAN + more, runs=runs)["status.md"]).partition("## Limits")[2]
    rows = [row.split(" | ")[0] for row in page.splitlines() if "budget |" in row]
    assert rows == ["| Final budget", "| Extended budget"]


def test_a_text_of_the_author_takes_its_place(ledger: Any) -> None:
    page = pages(ledger, texts="a: {section: answer, text: 'All is well.'}\n")["index.md"]
    assert "\n\nAll is well.\n" in page
    assert "are planned" not in page


def test_planned_hours_stand_in_one_table_with_scopes_as_words(ledger: Any) -> None:
    page = pages(ledger)["index.md"]
    assert re.search(r"\| Fitting \| \[100\]\S*plan\.fit\.gpu_hours\S* \|", page), "it leads to its ledger line"
    page = plain(page)
    assert "| Fitting | 100 | 3 seeds | 300 | 720–900 |" in page
    assert "| Checking | 50 | once for all seeds | 50 | – |" in page
    assert page.count("| Fitting |") == 1
    assert "all-seeds" not in page
    assert "Spent" not in page, "no column of what has not begun"


def test_runs_bring_what_is_spent_and_what_remains(ledger: Any) -> None:
    run = "- {item: fit, seed: 1, gpus: 4, wall_hours: 30, status: completed, date: 2025-06-01}\n"
    made = pages(ledger, runs=run)
    page = plain(made["index.md"])
    assert "| Fitting | 100 | 3 seeds | 300 | 720–900 | 120 | 180 |" in page
    assert "385 GPU-h are planned, and 120 GPU-h are spent" in page
    assert "## Forecast" in made["status.md"]


def test_how_a_line_comes_about_is_among_the_details(ledger: Any) -> None:
    made = pages(ledger)
    assert "60–75 h × 4 GPUs" in plain(made["lines.md"])
    assert "60–75 h × 4 GPUs" not in plain(made["index.md"])


def test_a_line_that_a_formula_gives_and_one_on_another_card_are_among_the_details(ledger: Any) -> None:
    """10 runs of 2 hours on 4 cards of half the speed are 80 hours there and 40 of the budget."""
    plan = """
train:
  title: Training
  items:
    label: {title: Labels, scope: one-time, gpu: slow,
            gpu_hours: {formula: runs * hours_per_run * gpus, runs: 10, hours_per_run: 2, gpus: 4}}
last:
  title: Last
  items:
    sweep: {title: Sweep, scope: one-time,
            gpu_hours: {formula: runs * gpu_hours_per_run, runs: 3, gpu_hours_per_run: 2}}
    final: {title: Final run, scope: one-time, gpu_hours: 50}
"""
    cards = "card: {title: Card, vram_gib: 24}\nslow: {title: Slow, vram_gib: 24, counts_as: {card: 0.5x}}\n"
    made = pages(ledger, plan=plan, **{"ledger/catalog/gpus.yaml": cards})
    lines = plain(made["lines.md"])
    label = "10 runs × 2 h/run × 4 GPUs = 80 GPU-h, once, on Slow; together they count as 40 GPU-h in the budget."
    assert f"### Labels\n\n- Planned: {label}\n" in lines
    assert "### Sweep\n\n- Planned: 3 runs × 2 GPU-h/run = 6 GPU-h, once.\n" in lines
    assert "### Final run" not in lines, "nothing is to be said of it but its hours"
    assert "Details has the rest: models and source, how each line is calculated" in plain(made["index.md"])
    assert "| Labels | 80 | once × 0.5 | 40 |" in plain(made["index.md"]), "one sign of multiplication"
    assert "80 GPU-h × 0.5 = 40 GPU-h" in plain(made["derivations.md"])


def test_a_share_of_a_pass_says_so(ledger: Any) -> None:
    measured = "m: {title: M, kind: simulated, seconds_per_step: 1, parts: {forward: 35%, data-loading: 65%}}\n"
    lines = plain(pages(ledger, measurements=measured)["lines.md"])
    assert "| Share of the forward pass | 35% |\n| Share of data loading | 65% |" in lines


def test_status_says_what_the_estimates_come_to_beside_a_forecast_of_the_plan(ledger: Any) -> None:
    status = plain(pages(ledger)["status.md"])
    assert "The findings contradict the plan; by the estimates the work takes 847–1,045 GPU-h." in status
    run = "- {item: fit, seed: 1, gpus: 4, wall_hours: 30, status: completed, date: 2025-06-01}\n"
    begun = plain(pages(ledger, runs=run)["status.md"])
    assert "by the estimates the work takes 847–1,045 GPU-h, which the forecast does not count" in begun


def test_one_phase_of_extensions_is_their_sum(ledger: Any) -> None:
    more = "more: {title: Further, extension: true, items: {sweep: {title: Sweep, scope: one-time, gpu_hours: 40}}}\n"
    page = plain(pages(ledger, plan=PLAN + more)["index.md"])
    assert "| **Extensions**: Sweep 40 | | | 40 | 40 |" in page
    assert "| Extensions | | | 40" not in page
    two = more + more.replace("more:", "last:").replace("sweep:", "probe:")
    page = plain(pages(ledger, plan=PLAN + two)["index.md"])
    assert "| Extensions | | | 80 | 80 |" in page
