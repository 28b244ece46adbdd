"""The catalogue of currencies: what stands in its line alone is known by every record, sum, message and page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.language.units import CURRENCIES, DOLLAR, OTHERS, SIGNS, key_unit, value_unit
from reckon.model import records as r
from reckon.model.figure import COSTS
from reckon.model.record import Record, written_keys

ASSETS = Path(__file__).resolve().parents[2] / "docs" / "assets"


@pytest.mark.parametrize(
    ("kind", "field", "said"),
    [
        (r.Item, "{}", "{} instead of `gpu_hours`: API, storage, or what pays its runs"),
        (r.Allocation, "{}", "grant in {}: a contract or an award"),
        (r.Run, "cost_{}", "billed cost in {}"),
        (r.PriceList, "{}_per_gpu_hour", "the price of an hour on each card, in {}"),
        (r.PriceChange, "{}_per_gpu_hour", "the price of an hour on each card, in {}"),
    ],
)
def test_a_record_has_a_field_of_each_currency(kind: type[Record], field: str, said: str) -> None:
    keys = [key for key in written_keys(kind) if key in [field.format(code) for code in CURRENCIES]]
    assert keys == [field.format(code) for code in CURRENCIES]
    for code, currency in CURRENCIES.items():
        assert kind.model_fields[field.format(code)].description == said.format(currency.many)


@pytest.mark.parametrize("kind", [r.DatedRates, r.ExchangeRate])
def test_a_rate_is_of_each_other_currency(kind: type[Record]) -> None:
    found = [key for key in written_keys(kind) if key.startswith("usd_per_")]
    assert found == [f"usd_per_{code}" for code in OTHERS]
    for code in OTHERS:
        assert kind.model_fields[f"usd_per_{code}"].description == f"US dollars for {CURRENCIES[code].one}"


def test_each_currency_has_a_unit_a_sum_and_a_symbol() -> None:
    assert tuple(f"cost_{code}" for code in CURRENCIES) == COSTS
    for code, currency in CURRENCIES.items():
        assert key_unit(f"total_{code}").kinds == ((f"money:{code}", 1),)
        assert (value_unit(code) or key_unit("")).symbol == currency.symbol
    signs = "".join(currency.symbol for currency in CURRENCIES.values() if len(currency.symbol) == 1)
    assert signs == SIGNS
    assert len({currency.symbol for currency in CURRENCIES.values()}) == len(CURRENCIES)
    assert DOLLAR == "usd"


@pytest.mark.parametrize("name", ["sorting.js", "what-if/print.js", "what-if/quantity.js"])
def test_scripts_of_pages_know_each_symbol_before_an_amount(name: str) -> None:
    assert set(SIGNS) <= set((ASSETS / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", OTHERS)
def test_prices_runs_and_grants_of_each_currency_add_up(ledger: Any, code: str) -> None:
    """10 GPU-hours at 80 each are 800; a bill of 5 and a line of the plan of 100 are in dollars at 0.5."""
    tree = ledger(
        project=f"currency: {code}\nprices: [cloud]\nceiling: [100, 3000 {code}]\n",
        plan=(
            "w: {title: W, items: {train: {title: Train, scope: one-time, gpu_hours: 10}, "
            "api: {title: API, scope: one-time, usd: 100}}}\n"
        ),
        runs=f"- {{item: api, date: 2025-09-02, cost_{code}: 5}}\n",
        **{
            "ledger/catalog/rates.yaml": f"2025-01-01: {{usd_per_{code}: 0.5, source: x}}\n",
            "ledger/catalog/prices.yaml": f"cloud: {{title: Cloud, {code}_per_gpu_hour: {{card: 80}}}}\n",
        },
        allocations=f"grant: {{title: Grant, {code}: 900, projects: [p]}}\n",
    )
    figures = tree.book().figures
    assert figures["p.money.final"].value.use == 10 * 80 + 200
    assert figures[f"p.actual.cost_{code}"].value.use == 5
    assert figures["p.money.final"].unit.symbol == CURRENCIES[code].symbol
