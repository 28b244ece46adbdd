"""The budget and the status page of a project whose source states what was spent and no plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from reckon.present.terminal.summary import status
from tests.booked import booked, paged, standing

SPENT = """\
- {item: small, gpu_hours: 1200, kind: reported, source: The report}
- {item: large, gpu_hours: 39300000, kind: reported}
"""
FILES = {
    "catalog/gpus.yaml": "h800: {title: H800}\n",
    "p/project.yaml": "title: P\nversion: report\nas_of: 2024-12\ngpu: h800\n",
    "p/plan.yaml": """\
training:
  title: Training
  items:
    small: {title: Small, scope: one-time, gpu_hours: unknown}
    large: {title: Large, scope: one-time, gpu_hours: unknown}
""",
    "p/runs/all.yaml": SPENT,
}


def pages(root: Path, **changed: str) -> tuple[str, list[str]]:
    book = booked(root, {**FILES, **changed})
    made = paged(book)
    return made["docs/p/index.md"] + standing(made), list(status(book))


def test_only_what_was_spent_is_shown(tmp_path: Path) -> None:
    page, _ = pages(tmp_path)
    assert "unknown" not in page
    gone = ["Planned", "Remaining", "Forecast", "Earned", "## Limits", "## Attempts", "Plan of"]
    for words in (*gone, "| When |", "| Seed |", "### By outcome"):
        assert words not in page, words
    there = [
        "no plan is known",
        "**No budget stated**",
        "| Work, GPU-h | Spent |",
        "## Spent",
        "completed, reported",
        "Source: The report",
    ]
    for words in (*there, "39,301,200"):
        assert words in page, words


def test_where_no_plan_is_known_none_is_asked_for(tmp_path: Path) -> None:
    begun, not_begun = (
        booked(tmp_path / name, {**FILES, "p/runs/all.yaml": runs})
        for name, runs in (("begun", SPENT), ("not-begun", ""))
    )
    assert not begun.findings["p"]
    assert {found.judgement for found in not_begun.findings["p"]} == {"input-missing"}


@pytest.mark.parametrize("runs", ["", "[]\n"])
def test_without_runs_an_unknown_plan_is_what_the_page_is_about(tmp_path: Path, runs: str) -> None:
    page, _ = pages(tmp_path, **{"p/runs/all.yaml": runs})
    assert "The budget cannot be calculated yet" in page
    assert "| Work, GPU-h |" in page


def test_long_numbers_do_not_run_together(tmp_path: Path) -> None:
    _, lines = pages(tmp_path, **{"p/runs/all.yaml": SPENT.replace("39300000", "393000000")})
    row = next(line for line in lines if line.startswith("Training"))
    assert row.split() == ["Training", "393,001,200"]
    assert not any("unknown" in line or "undefined" in line for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("extension", ["", "  extension: true\n"])
def test_what_was_spent_on_another_card_alone_has_its_price(tmp_path: Path, extension: str) -> None:
    """No list has the project's own card, and there is no final budget."""
    changed = {
        "catalog/gpus.yaml": "h800: {title: H800}\nt4: {title: T4, counts_as: {h800: 0.5x}}\n",
        "catalog/prices.yaml": "lab: {title: Lab, as_of: 2024-12, usd_per_gpu_hour: {t4: 0.40}}\n",
        "p/project.yaml": FILES["p/project.yaml"] + "prices: [lab]\n",
        "p/plan.yaml": FILES["p/plan.yaml"].replace("  items:\n", f"{extension}  items:\n"),
        "p/runs/all.yaml": "- {item: small, gpu: t4, gpu_hours: 5}\n",
    }
    page, _ = pages(tmp_path, **changed)
    assert "$2.00" in page
    assert "A run costs what it states, or its hours at the price of the card that it ran on" in page
