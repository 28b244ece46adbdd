# ruff: noqa: E501 (tables read better unbroken)
"""Search commands for a market: what stands in them, what is said where something is lacking, what is not let through."""

from __future__ import annotations

from typing import Any

import pytest

MARKET = """\
market:
  title: Market
  search:
    command: market search offers
    terms: {card: 'name = {}', count: 'gpus = {}', vram_gib: 'ram >= {}', usd_per_hour: 'price <= {}', reliable: reliability > 0.95}
    order: -o 'price-'
    names: {slow: SLOW_1}
plain: {title: Plain}
"""
FILES = {
    "gpus": "slow: {title: Slow, vram_gib: 24}\nquick: {title: Quick, vram_gib: 48}\ncard: {title: Card, vram_gib: 40}\nbare: {title: Bare}\n",
    "models": "m: {title: Model, parameters: 7B, dtype: fp16}\n",
    "ledger/catalog/prices.yaml": "list: {title: List, as_of: 2025-01, usd_per_gpu_hour: {slow: 1, quick: 3, bare: 9}}\n",
    "ledger/catalog/throughputs.yaml": "table: {title: Table, model: m, dtype: fp16, tokens_per_second_per_gpu: {slow: 100, quick: 200, bare: 100}}\n",
    "ledger/catalog/providers.yaml": MARKET,
    "project": "prices: [list]\nthroughputs: [table]\n",
    "ledger/p/workloads.yaml": "w: {title: Work, model: m, models: 2, samples: 720, tokens_per_sample: 1000}\n",
}
SETUPS = "s: {title: Setups, workload: w, counts: [1, 2], deadline_hours: 0.1, searches: {x: {%s}}}\n"


def searched(ledger: Any, fields: str, **more: str) -> Any:
    (found,) = ledger(**{**FILES, "ledger/p/setups.yaml": SETUPS % fields, **more}).book().searches["p"]
    return found


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (
            "choice: slow-x2, provider: market",
            "market search offers \"name = SLOW_1 gpus = 2 ram >= 24 reliability > 0.95\" -o 'price-'",
        ),
        (
            "choice: slow-x2, provider: market, usd_per_hour: 4",
            "market search offers \"name = SLOW_1 gpus = 2 ram >= 24 price <= 4 reliability > 0.95\" -o 'price-'",
        ),
        (
            "choice: cheapest, provider: market, usd_per_hour: 1.25",
            "market search offers \"name = SLOW_1 gpus = 2 ram >= 24 price <= 1.25 reliability > 0.95\" -o 'price-'",
        ),
        (
            "provider: market, vram_gib: 24, gpus: 4",
            "market search offers \"gpus = 4 ram >= 24 reliability > 0.95\" -o 'price-'",
        ),
        (
            "provider: market, usd_per_hour: 1000000",
            "market search offers \"price <= 1000000 reliability > 0.95\" -o 'price-'",
        ),
        (
            "provider: market, usd_per_hour: {formula: 1 usd / 3 hours}",
            "market search offers \"price <= 0.3333 reliability > 0.95\" -o 'price-'",
        ),
    ],
)
def test_the_command(ledger: Any, fields: str, text: str) -> None:
    found = searched(ledger, fields)
    assert (found.text, found.lacking) == (text, ())


def test_a_search_is_called_after_its_setup(ledger: Any) -> None:
    found = searched(ledger, "choice: cheapest, provider: market")
    assert (found.title, found.choice, found.setups, found.name) == ("2× Slow", "slow-x2", "s", "x")
    assert searched(ledger, "title: Good value, choice: slow-x1, provider: market").title == "Good value"


@pytest.mark.parametrize(
    ("fields", "lacking"),
    [
        ("choice: quick-x1, provider: market", ("how Market calls the Quick is not in the catalogue",)),
        ("choice: slow-x1, provider: plain", ("how to search at Plain is not in the catalogue",)),
        ("choice: cheapest-before-deadline, provider: market", ("no setup is cheapest before the deadline",)),
        (
            "choice: bare-x1, provider: market",
            ("how Market calls the Bare is not in the catalogue", "the memory of the Bare is not in the catalogue"),
        ),
    ],
)
def test_what_is_lacking_is_said_instead(ledger: Any, fields: str, lacking: tuple[str, ...]) -> None:
    found = searched(ledger, fields)
    assert (found.text, found.lacking) == ("", lacking)


@pytest.mark.parametrize("char", ['"', "$", "`", "\\", "!", ";", "é"])
@pytest.mark.parametrize("where", ["reliability > 0.95", "market search offers", "SLOW_1", "-o 'price-'"])
def test_nothing_that_acts_in_a_shell_is_let_through(ledger: Any, where: str, char: str) -> None:
    bad = MARKET.replace(where, "ZZZ").replace("ZZZ", "'" + (where.replace("'", "") + char).replace("'", "''") + "'")
    problems = ledger(**{**FILES, "ledger/catalog/providers.yaml": bad}).problems()
    assert len(problems) == 1
    assert f"`{char}` is not let through into a search command" in problems[0]
    line, column = map(int, problems[0].split(":")[1:3])
    assert bad.splitlines()[line - 1][column - 1] == char


@pytest.mark.parametrize("char", ["<", ">", "(", "*"])
def test_outside_of_the_quotes_less_is_let_through(ledger: Any, char: str) -> None:
    bad = MARKET.replace("-o 'price-'", f'"-o {char}"')
    assert len(ledger(**{**FILES, "ledger/catalog/providers.yaml": bad}).problems()) == 1
    fine = MARKET.replace("reliability > 0.95", f'"reliability {char} 0.95"')
    assert ledger(**{**FILES, "ledger/catalog/providers.yaml": fine}).problems() == []
