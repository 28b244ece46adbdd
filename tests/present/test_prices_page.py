"""Where prices by date are read: the page of shared facts, and the status page where money is not all known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.booked import booked, paged, standing

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
    assert "| GPU | From | An hour, $ |\n" in catalogue
    assert "| Card | 2026-02 | 3 |\n" in catalogue
    assert "cloud: since 2026-02: usd per GPU hour: card<br>" in catalogue
    later = "cloud: {usd_per_gpu_hour: {card: 4}, since: {2026-02: {usd_per_gpu_hour: {card: 3}}}}\n"
    catalogue = pages(tmp_path, later)["docs/catalog.md"]
    assert catalogue.index("| Card |  | 4 |\n") < catalogue.index("| Card | 2026-02 | 3 |\n")
    sold = "cloud: {usd_per_gpu_hour: {card: 4}, market: {card: Scarce}}\n"
    catalogue = pages(tmp_path, sold)["docs/catalog.md"]
    assert "| GPU | An hour, $ | On the market |\n" in catalogue
    assert "| Card | 4 | Scarce |\n" in catalogue


@pytest.mark.parametrize(
    ("price", "shown"),
    [
        ("{low: 2.5, use: 3, high: 3.5}", "3.00 (2.50–3.50)"),
        ("{low: 4, use: 5, high: 6}", "5 (4–6)"),
        ("{low: 2.5, use: 2.75, high: 3}", "2.75 (2.50–3)"),
    ],
)
def test_a_price_has_cents_where_its_range_has_some(tmp_path: Path, price: str, shown: str) -> None:
    prices = f"cloud: {{usd_per_gpu_hour: {{card: {price}}}}}\n"
    assert f"| Card | {shown} |" in pages(tmp_path, prices)["docs/catalog.md"]


def test_conditions_of_a_search_have_their_units_and_a_model_without_format_a_dash(tmp_path: Path) -> None:
    shop = "shop: {title: Shop, search: {command: find, terms: {vram_gib: 'ram {}', usd_per_hour: 'dph {}', net: n}}}\n"
    more = {"catalog/providers.yaml": shop, "catalog/models.yaml": "small: {title: Small, parameters: 7B}\n"}
    catalogue = pages(tmp_path, **more)["docs/catalog.md"]
    for row in ("| VRAM, GiB | `ram {}` |", "| Price of an hour, $ | `dph {}` |", "| Net | `n` |"):
        assert row in catalogue
    assert "| Small | 7B | – | – | – | – |" in catalogue


def test_pages_say_at_least_and_since_when_there_is_a_price(tmp_path: Path) -> None:
    """4 hours at 3; the 10 before February have no price."""
    made = pages(tmp_path)
    status = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", standing(made))
    assert "≥ $12.00 spent of $300;" in status
    assert "| Card, before 2026-02-01 | 10 GPU-h | ≥ $0/GPU-h | ≥ $0 |" in status
    assert "| Card, from 2026-02-01 | 4 GPU-h | $3/GPU-h | $12.00 |" in status
    assert "Card has no price before 2026-02-01" in made["docs/p/findings.md"]


def test_runs_without_a_date_stand_apart_where_no_others_have_their_price(tmp_path: Path) -> None:
    later = "cloud: {since: {2026-02: {usd_per_gpu_hour: {card: 3}}}}\nlab: {usd_per_gpu_hour: {card: 5}}\n"
    project, runs = FILES["p/project.yaml"], "- {item: a, gpu_hours: 4, date: 2026-02-01}\n- {item: a, gpu_hours: 2}\n"
    changed = {"p/project.yaml": project.replace("[cloud]", "[cloud, lab]"), "p/runs/all.yaml": runs}
    assert "| Card | [2 GPU-h]" in standing(pages(tmp_path, later, **changed)), "at the first price"
    later = later.replace("lab: {", "lab: {as_of: 2026-04, since: {2026-03: {usd_per_gpu_hour: {card: 6}}}, ")
    status = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", standing(pages(tmp_path, later, **changed)))
    assert "| Card, runs without a date | 2 GPU-h | $6/GPU-h | $12.00 |" in status
