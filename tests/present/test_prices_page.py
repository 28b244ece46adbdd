"""Where prices by date are read: the page of shared facts, and the status page where money is not all known."""

from __future__ import annotations

import re
from pathlib import Path

from tests.booked import booked, paged

FILES = {
    "catalog/gpus.yaml": "card: {title: Card}\n",
    "catalog/prices.yaml": "cloud: {as_of: 2026-01-01, since: {2026-02: {usd_per_gpu_hour: {card: 3}}}}\n",
    "p/project.yaml": "title: P\nversion: 1.0.0\nas_of: 2026-01-01\ngpu: card\nprices: [cloud]\n",
    "p/plan.yaml": "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n",
    "p/runs/all.yaml": "- {item: a, gpu_hours: 10, date: 2026-01-31}\n- {item: a, gpu_hours: 4, date: 2026-02-01}\n",
}


def pages(root: Path, prices: str = "", **changed: str) -> dict[str, str]:
    return paged(booked(root, {**FILES, **({"catalog/prices.yaml": prices} if prices else {}), **changed}))


def test_prices_stand_with_the_days_from_which_they_hold(tmp_path: Path) -> None:
    catalogue = pages(tmp_path)["docs/catalog.md"]
    assert "| GPU | From | An hour, $ | On the market |" in catalogue
    assert "| Card | 2026-02 | 3 |  |" in catalogue
    assert "cloud: since 2026-02: usd per GPU hour: card<br>" in catalogue
    later = "cloud: {usd_per_gpu_hour: {card: 4}, since: {2026-02: {usd_per_gpu_hour: {card: 3}}}}\n"
    catalogue = pages(tmp_path, later)["docs/catalog.md"]
    assert catalogue.index("| Card |  | 4 |  |") < catalogue.index("| Card | 2026-02 | 3 |  |")
    assert "| GPU | An hour, $ | On the market |" in pages(tmp_path, "cloud: {usd_per_gpu_hour: {card: 4}}\n")[
        "docs/catalog.md"]  # fmt: skip


def test_pages_say_at_least_and_since_when_there_is_a_price(tmp_path: Path) -> None:
    """4 hours at 3; the 10 before February have no price."""
    made = pages(tmp_path)
    status = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", made["docs/p/status.md"])
    assert "| In money | ≥ $12.00 spent of $300;" in status
    assert "| Card, before 2026-02-01 | 10 GPU-h | ≥ $0/GPU-h | ≥ $0 |" in status
    assert "| Card, from 2026-02-01 | 4 GPU-h | $3/GPU-h | $12.00 |" in status
    assert "Card has no price before 2026-02-01" in made["docs/p/findings.md"]


def test_runs_without_a_date_stand_apart_where_no_others_have_their_price(tmp_path: Path) -> None:
    later = "cloud: {since: {2026-02: {usd_per_gpu_hour: {card: 3}}}}\nlab: {usd_per_gpu_hour: {card: 5}}\n"
    project, runs = FILES["p/project.yaml"], "- {item: a, gpu_hours: 4, date: 2026-02-01}\n- {item: a, gpu_hours: 2}\n"
    changed = {"p/project.yaml": project.replace("[cloud]", "[cloud, lab]"), "p/runs/all.yaml": runs}
    assert "| Card | [2 GPU-h]" in pages(tmp_path, later, **changed)["docs/p/status.md"], "at the first price"
    later = later.replace("lab: {", "lab: {as_of: 2026-04, since: {2026-03: {usd_per_gpu_hour: {card: 6}}}, ")
    status = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", pages(tmp_path, later, **changed)["docs/p/status.md"])
    assert "| Card, runs without a date | 2 GPU-h | $6/GPU-h | $12.00 |" in status
