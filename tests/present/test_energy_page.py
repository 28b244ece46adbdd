"""Where energy and emissions are read: the budget page, the status page, the terminal, the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.present.terminal.summary import status
from tests.booked import booked, paged, standing

PLAN = """\
training:
  title: Training
  items:
    train: {title: Train, scope: one-time, gpu_hours: 1000}
    test: {title: Test, scope: one-time, gpu_hours: 100, watts: 300}
"""
PROJECT = "title: P\nversion: 1.0.0\nas_of: 2026-01-05\ngpu: card\n"
FILES = {
    "catalog/gpus.yaml": "card: {title: Card, watts: 400}\n",
    "catalog/grids.yaml": "home: {title: Home, co2e_grams_per_kwh: 250, source: A study, licence: CC BY 4.0}\n",
    "catalog/facilities.yaml": "hall: {title: Hall, pue: 1.2, source: A survey}\n",
    "p/project.yaml": PROJECT + "grid: home\npue: hall\nembodied_co2e_tonnes: 3\n",
    "p/plan.yaml": PLAN,
    "p/runs/all.yaml": "- {item: train, gpu_hours: 200, date: 2026-01-06, progress: {done: 2, total: 10}}\n",
}


def pages(root: Path, **changed: str) -> tuple[str, str, list[str], str]:
    """The page of costs and the status page as plain text, without links, the terminal and the catalogue."""
    book = booked(root, {**FILES, **changed})
    made = paged(book)
    texts = (made.get("docs/p/costs.md", ""), standing(made), made["docs/catalog.md"])
    first, second, catalogue = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text) for text in texts)
    return first, second, list(status(book)), catalogue


def test_the_page_of_costs_has_each_item_and_what_it_rests_on(tmp_path: Path) -> None:
    """Planned 480 and 36 kWh, taken 96; a kWh emits 250 g."""
    first, second, lines, catalogue = pages(tmp_path)
    for row in (
        "| Energy and emissions | Actual, kWh | Actual, kg CO₂e | Planned, kWh | Planned, kg CO₂e | Power of",
        "| Train | 96 | 24 | 480 | 120 | 400 |",
        "| Test | 0 | 0 | 36 | 9 | 300 |",
        "| **Final budget** | 96 | 24 | 516 | 129 | |",
        "| PUE: Hall | 1.2 | A survey |",
        "| Grid: Home | 250 g/kWh | A study; CC BY 4.0 |",
        "| Making the hardware, not in the sums | 3 t | as the source states it |",
    ):
        assert row in first, row
    assert "None of it was measured. What is neither measured nor stated is taken at the full power" in first
    assert "| **Total taken** | 96 kWh | 24 kg CO₂e |" in second
    assert "| Left of the final budget | 420 kWh | 105 kg CO₂e |" in second
    assert "- Energy: 96 kWh of 516 kWh; forecast " in second
    assert "96 kWh of 516 kWh, 24 kg CO₂e of 129 kg CO₂e" in " ".join(" ".join(lines).split())
    assert "| Home<br>`home` |  | 250 | A study | CC BY 4.0 |  |" in catalogue
    assert "| Hall<br>`hall` |  | 1.2 | A survey |  |  |" in catalogue


def test_large_amounts_are_told_in_larger_units(tmp_path: Path) -> None:
    """20,000 kWh and 5,000 kg: from 10,000 on it is MWh and t."""
    first, _, lines, _ = pages(tmp_path, **{"p/plan.yaml": PLAN.replace("1000", "41591.7")})
    assert "Planned, MWh" in first
    assert "Planned, kg CO₂e" in first
    assert "0.096 MWh of 20 MWh, 24 kg CO₂e of 5,000 kg CO₂e" in " ".join(" ".join(lines).split())


def test_what_was_measured_is_told(tmp_path: Path) -> None:
    """50 of the 100 kWh were measured, and the PUE makes 60 of them; the rest is 48."""
    runs = "- {item: train, gpu_hours: 100, energy_kwh: 50, status: failed}\n- {item: train, gpu_hours: 100}\n"
    first, second, _, _ = pages(tmp_path, **{"p/runs/all.yaml": runs})
    assert "Of the energy taken 55.6% was measured." in first
    assert "- Energy: 108 kWh of 516 kWh" in second
    assert "| Energy | 50 kWh |" not in second, "what runs state is part of the sum"


def test_what_was_reported_was_not_measured(tmp_path: Path) -> None:
    """The same 60 of 108 kWh, out of a paper; 6 more, measured."""
    runs = "- {item: train, gpu_hours: 100, energy_kwh: 50, status: failed, kind: reported}\n"
    runs += "- {item: train, gpu_hours: 100}\n"
    first, *_ = pages(tmp_path / "one", **{"p/runs/all.yaml": runs})
    assert "None of it was measured. 55.6% is as its source reports it." in first
    more = runs + "- {item: train, gpu_hours: 10, energy_kwh: 5, kind: measured}\n"
    first, *_ = pages(tmp_path / "two", **{"p/runs/all.yaml": more})
    assert "Of the energy taken 5.3% was measured. 52.6% is as its source reports it." in first


def test_a_power_that_is_not_known_is_told_with_its_share(tmp_path: Path) -> None:
    cards = FILES["catalog/gpus.yaml"] + "dark: {title: Dark, counts_as: {card: 1x}}\n"
    runs = FILES["p/runs/all.yaml"] + "- {item: train, gpu: dark, gpu_hours: 50}\n"
    first, second, _, _ = pages(tmp_path, **{"catalog/gpus.yaml": cards, "p/runs/all.yaml": runs})
    assert "The power is known for 80% of the hours: sums are at least what they say." in first
    assert "| **Total taken** | ≥ 96 kWh | ≥ 24 kg CO₂e |" in second


@pytest.mark.parametrize("run", ["", ", energy_kwh: 5"])
def test_a_project_that_names_none_of_it_has_no_section(tmp_path: Path, run: str) -> None:
    runs = FILES["p/runs/all.yaml"].replace("gpu_hours: 200", f"gpu_hours: 200{run}")
    changed = {"p/project.yaml": PROJECT, "p/plan.yaml": PLAN.replace(", watts: 300", ""), "p/runs/all.yaml": runs}
    first, second, lines, _ = pages(tmp_path, **changed)
    assert "Energy and emissions" not in first + second
    assert "CO₂e" not in first + second
    assert not any("energy" in line for line in lines)
    assert ("| Energy | 5 kWh |" in second) == bool(run)


def test_the_data_centre_of_a_run_stands_with_its_source_too(tmp_path: Path) -> None:
    runs = "- {item: train, gpu_hours: 200, date: 2026-01-06, pue: hall}\n"
    head = PROJECT + "grid: home\npue: 1.5\nmarket_based_co2e_tonnes: 1\n"
    first, *_ = pages(tmp_path, **{"p/project.yaml": head, "p/runs/all.yaml": runs})
    assert "| PUE of the data centre | 1.5 |" in first
    assert "| PUE of runs: Hall | 1.2 | A survey |" in first
    assert "| Market-based emissions; the sums are location-based | 1 t | as the source states it |" in first


def test_a_pue_leads_to_its_line_and_those_of_runs_are_listed(tmp_path: Path) -> None:
    runs = "- {item: train, gpu_hours: 200, date: 2026-01-06, pue: 1.5, progress: {done: 2, total: 10}}\n"
    project = PROJECT + "pue: 1.1\npower_share: 80%\n"
    first, _, _, _ = pages(tmp_path, **{"p/project.yaml": project, "p/runs/all.yaml": runs})
    for row in (
        "| PUE of the data centre | 1.1 | `project.yaml:5` |",
        "| PUE that runs state | 1.5 | `runs/all.yaml:1` |",
        "| What a GPU draws of the power of its board | 80% | `project.yaml:6` |",
    ):
        assert row in first, row


def test_energy_that_is_not_known_says_without_what(tmp_path: Path) -> None:
    first, _, lines, _ = pages(tmp_path, **{"p/project.yaml": PROJECT + "grid: home\npue: unknown\n"})
    assert "energy unknown without pue" in " ".join(" ".join(lines).split())
    assert " The energy taken is unknown without pue. " in first


DONE = """\
- {item: train, gpu_hours: 1200, date: 2026-01-06, progress: {done: 10, total: 10}}
- {item: test, gpu_hours: 100, date: 2026-01-06, progress: {done: 10, total: 10}}
"""


def test_of_finished_work_no_energy_is_forecast_and_a_best_case_is_no_budget(tmp_path: Path) -> None:
    """Taken 1200 h × 400 W × 1.2 = 576 kWh, and 100 × 300 × 1.2 = 36."""
    done = {"p/runs/all.yaml": DONE}
    assert "- Energy: 612 kWh of 516 kWh, " in pages(tmp_path / "plan", **done)[1]
    best = {**done, "p/project.yaml": FILES["p/project.yaml"] + "plan_is: best-case\n"}
    assert "- Energy: 612 kWh; at best 516 kWh, " in pages(tmp_path / "best", **best)[1]
