"""The ledgers of cases.yaml as trees: what the program makes of them is what is right, figure by figure."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from reckon.compute.book import Book
from reckon.compute.budget.charge_table import charge_rows
from reckon.compute.calculation import calculate
from reckon.language.calendar_days import first_day
from reckon.load.reader import load
from tests.charges.generated import ledgers
from tests.charges.second import figures
from tests.charges.shorthand import merged
from tests.charges.trees import write_tree
from tests.small import plant
from tests.trying import examples

CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text("utf-8"))
NAMES = [name for name in CASES if name != "shared"]
NOT_YET = {"p25-recurring": "recurring work"}
"""Ledgers in words that the program does not read yet, with these words."""
ALLOCATION = {
    "charged": "used",
    "left": "left",
    "granted": "granted",
    "to_do": "to_do",
    "short": "short_by",
    "need": "to_do_with_contingency",
    "in_flight": "in_flight",
    "committed": "committed",
    "free": "free",
    "used_up": "used_up",
    "chance": "probability_over",
}
"""The last word of the address of each figure of a payer."""
PROJECT = {
    "held": "actual.total",
    "lost": "actual.waste",
    "lost_share": "actual.waste_share",
    "done": "performance.earned",
    "cpi": "performance.cpi",
    "work_to_do": "work_to_do",
    "left_of_plan": "budget.remaining",
    "pace": "pace.gpu_hours_per_day",
    "pool.unnamed": "payers.unnamed.held",
    "pool.left": "payers.unnamed.left",
    "pool.to_do": "payers.unnamed.to_do",
    "money.spent": "money.actual",
    "money.to_do": "money.to_do",
    "money.final": "money.final",
    "money.p50": "money.forecast_p50",
    "money.p90": "money.forecast_p90",
    "money.left_of_plan": "money.remaining",
    "money.phase.lens": "phases.lens.money.actual",
    "chance.ceiling": "money.probability_over_ceiling",
    "hours.p50": "forecast.p50",
    "chance.plan": "forecast.probability_over_plan",
}
"""The address of each other figure, inside the project."""
ELSEWHERE = ("closed.", "alarm.")
"""What is no figure: statements of closed periods (test_closings.py), and alarms (test_alarms)."""


def book_of(folder: Path, name: str) -> Book:
    write_tree(folder, merged(CASES, name))
    ledger, problems = load(folder)
    book, more = calculate(ledger)
    assert not [*problems, *more]
    return book


def address_of(key: str) -> str:
    """Where what a case expects stands."""
    word, _, payer = key.partition(".")
    return f"p.{PROJECT[key]}" if key in PROJECT else f"allocations.{payer}.{ALLOCATION[word]}"


def agrees(found: Fraction | None, wanted: Any) -> bool:
    text = str(wanted)
    if text == "None" or found is None:
        return text == "None" and found is None
    if "+-" in text:
        middle, within = text.split("+-")
        return abs(found - Fraction(middle.strip())) <= Fraction(within)
    return found == (first_day(text) if text.count("-") == 2 else Fraction(text))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_YET])
def test_a_case_comes_out_right(name: str, tmp_path: Path) -> None:
    book = book_of(tmp_path, name)
    wanted = {key: value for key, value in CASES[name]["expect"].items() if not key.startswith(ELSEWHERE)}
    found = {key: book[address_of(key)].use for key in wanted if key not in UNNAMED.get(name, ())}
    assert found
    assert {key: value for key, value in found.items() if not agrees(value, wanted[key])} == {}


RATES = """\
2026-03-01: {source: made up, usd_per_eur: 1}
2026-04-01: {source: made up, usd_per_eur: 1.12}
"""
API_RUNS = """\
- {date: 2026-03-10, item: api, cost_usd: 280}
- {date: 2026-04-10, item: api, cost_eur: 5}
"""
API = {
    "ledger/catalog/rates.yaml": RATES,
    "ledger/catalog/gpus.yaml": "a100: {title: A100}\n",
    "ledger/p/project.yaml": "title: P\nversion: 1.0.0\nas_of: 2026-01-31\ngpu: a100\ncurrency: eur\n",
    "ledger/p/plan.yaml": "a: {title: A, items: {api: {title: API, scope: one-time, usd: 300}}}\n",
    "ledger/p/runs/a.yaml": API_RUNS,
}


def test_a_line_of_money_is_done_in_its_own_currency(tmp_path: Path) -> None:
    """$280 and €5 × 1.12 of $300: $14.40 are left, at 1.12 a euro. In March a dollar was a euro: that spent no more of
    the line, and 285 of its 267.86 euros are not all of it."""
    ledger, problems = load(plant(tmp_path, API))
    book, more = calculate(ledger)
    assert not [*problems, *more]
    assert book["p.plan.api.money.actual_usd"].use == Fraction("285.6")
    assert book["p.plan.api.complete_share"].use == Fraction("285.6") / 300
    assert book["p.money.actual"].use == 285
    assert book["p.plan.api.money.to_do"].use == Fraction("14.4") / Fraction("1.12")


UNNAMED = {"p33-two-grants": ("charged.a", "charged.b")}
"""What each of several payers was charged is not known, where none is named: nothing for certain."""


def test_what_is_not_named_is_charged_to_nobody_for_certain(tmp_path: Path) -> None:
    book = book_of(tmp_path, "p33-two-grants")
    for name in ("a", "b"):
        assert book[f"allocations.{name}.used"].missing == (f"allocations.{name}.shared",)
        assert book[f"allocations.{name}.used_at_least"].use == 0


@pytest.mark.parametrize("name", NOT_YET)
def test_words_that_are_not_read_yet_are_refused(name: str, tmp_path: Path) -> None:
    """A ledger never seems to be read whose words have no effect."""
    write_tree(tmp_path, merged(CASES, name))
    assert load(tmp_path)[1]


SAME = ("charged", "left", "granted", "to_do", "short")
"""Figures of each payer that both calculators have."""


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ledger=ledgers())
def test_the_second_calculator_finds_the_same(ledger: dict[str, Any]) -> None:
    """Charged, left, work to do and lost, on ledgers that nobody made up."""
    with TemporaryDirectory() as folder:
        write_tree(Path(folder), ledger)
        own, problems = load(Path(folder))
        book, more = calculate(own)
    assert not [*problems, *more]
    second, differ = figures(ledger), {}
    for name in ledger["allocations"]:
        at = f"allocations.{name}"
        words = SAME
        if book[f"{at}.used"].missing:  # others could be charged, too
            words = ("granted",)
        elif f"{at}.days_since_end" in book.figures:  # what it leaves can be spent no more
            words = ("charged", "granted", "to_do")
        if f"{at}.granted_in_turn" in book.figures:  # it has the work of those that follow, too
            words = ("charged", "left", "granted")
        for word in words:
            found, wanted = book[f"{at}.{ALLOCATION[word]}"], second.get(f"{word}.{name}")
            if not found.missing and wanted is not None and found.use != wanted:
                differ[f"{word}.{name}"] = (found.use, wanted)
    for word in ("held", "lost", "work_to_do", "left_of_plan"):
        if book[f"p.{PROJECT[word]}"].use != second[word]:
            differ[word] = (book[f"p.{PROJECT[word]}"].use, second[word])
    named = not any(at.startswith("p.payers.unnamed") for at in book.figures)
    for word in ("money.spent", "money.to_do", "money.final") if named else ():
        figure = book.get(f"p.{PROJECT[word]}")
        if figure and figure.value.exact and figure.use != second[word]:
            differ[word] = (figure.use, second[word])
    assert differ == {}


@pytest.mark.parametrize(
    "name", ["03-two-clusters", "04-whole-nodes", "05-credits", "10-quarters", "p20-node-hour-award"]
)
def test_the_table_of_charges_adds_up_to_what_each_payer_was_charged(name: str, tmp_path: Path) -> None:
    book = book_of(tmp_path, name)
    rows = [*charge_rows(book.ledger, book.figures)]
    for payer in book.ledger.allocations:
        booked = sum((row.booked or 0 for row in rows if row.payer == payer), Fraction(0))
        assert booked == book[f"allocations.{payer}.used"].use
    held = sum((row.held for row in rows if row.card == "a100"), Fraction(0))
    assert held == book["p.actual.by_gpu.a100"].use


@pytest.mark.parametrize("name", ["06-dollar-award", "07-euros", "08-spot", "mock"])
def test_the_table_of_charges_adds_up_to_what_is_paid(name: str, tmp_path: Path) -> None:
    book = book_of(tmp_path, name)
    paid = book.get("p.money.paid") or book["p.money.actual"]
    assert sum((row.cost or 0 for row in charge_rows(book.ledger, book.figures)), Fraction(0)) == paid.use


def test_money_of_the_table_of_charges_in_the_currency_of_who_pays_and_of_the_project(tmp_path: Path) -> None:
    """The cloud takes 10 x $3, at 1.20 then 25 euros, and booked $6 for another run; the project pays 4 x 2 euros
    itself, and $12 as a run states; it is not said who pays for the last three hours."""
    ledger = {
        "prices": {"rent": {"usd_per_gpu_hour": {"h100": 3}}, "home": {"eur_per_gpu_hour": {"a100": 2}}},
        "rates": {"2026-01-02": {"usd_per_eur": 1.10}, "2026-03-01": {"usd_per_eur": 1.20}},
        "allocations": {
            "cloud": {"usd": 1000, "prices": ["rent"], "projects": ["p"]},
            **{name: {"gpu": "l40", "gpu_hours": 9, "projects": ["p"]} for name in ("one", "other")},
        },
        "project": {"gpu": "a100", "currency": "eur", "prices": ["home"]},
        "plan": {"w": {"items": {"own": {"gpu_hours": 10}, "big": {"gpu": "h100", "gpu_hours": 20}}}},
        "runs": [
            {"date": "2026-03-02", "item": "big", "gpu_hours": 10},
            {"date": "2026-03-03", "item": "big", "gpu_hours": 1, "charged": 6},
            {"date": "2026-03-02", "item": "own", "gpu_hours": 4},
            {"date": "2026-03-03", "item": "own", "gpu_hours": 1, "cost_usd": 12},
            {"date": "2026-03-02", "item": "own", "gpu": "l40", "gpu_hours": 3},
        ],
    }
    write_tree(tmp_path, ledger)
    book, wrong = calculate(load(tmp_path)[0])
    assert not wrong
    rows = [row[4:] for row in charge_rows(book.ledger, book.figures)]
    day, dollar = first_day("2026-03-02"), Fraction(5, 6)
    assert rows == [
        (day, "cloud", 10, 30, "USD", "rent", 30, "USD", dollar, 25),
        (day + 1, "cloud", 1, 6, "USD", "", 6, "USD", dollar, 5),
        (day, "", 4, None, "", "home", 8, "EUR", 1, 8),
        (day + 1, "", 1, None, "", "", 10, "EUR", 1, 10),
        (day, "unnamed", 3, None, "", "", None, "", None, None),
    ]


def test_hours_of_which_the_payer_is_not_named_are_booked_by_nobody(tmp_path: Path) -> None:
    book = book_of(tmp_path, "p33-two-grants")
    (row,) = charge_rows(book.ledger, book.figures)
    assert (row.payer, row.held, row.booked, row.unit) == ("unnamed", 700, None, "")


def test_what_a_project_is_of_each_payer(tmp_path: Path) -> None:
    """The university books 584 for 544 hours of A100s: ten of a run on two GPUs count as four. The contract pays for
    80 x 4 + 12 x 8 + 6 x 8 hours of H100s, which count twice, at 2.80, and for 60 of API."""
    book = book_of(tmp_path, "mock")
    wanted = {"uni.charged": 584, "uni.held": 544, "uni.to_do": 360, "contract.charged": Fraction("1359.2")}
    wanted |= {"contract.held": 928, "contract.to_do": Fraction("1652.4")}
    assert {name: book[f"p.payers.{name}"].use for name in wanted} == wanted
    assert [book[f"allocations.{name}.billed_beyond_held"].use for name in ("uni", "contract")] == [40, 0]
    assert book["p.payers.contract.charged"].unit.symbol == "€"


def test_a_factor_bills_less_than_was_held(tmp_path: Path) -> None:
    """A probe of 12 h on one of four GPUs: 36 more; 320 hours at a half: 160 less; 1.5 node-hours for two: 4 more."""
    book = book_of(tmp_path, "04-whole-nodes")
    assert book["allocations.booster.billed_beyond_held"].use == 36 - 160 + 4
    assert (book["p.payers.booster.charged"].use, book["p.payers.booster.held"].use) == (Fraction("453.5"), 1934)


SHARED: dict[str, Any] = {
    "gpus": {"a100": {}, "h100": {"counts_as": {"a100": "2x"}}},
    "allocations": {
        **{name: {"gpu": "a100", "gpu_hours": 600, "projects": ["p"]} for name in ("a", "b")},
        "c": {"gpu": "h100", "gpu_hours": 600, "projects": ["p", "q"]},
    },
    "project": {"gpu": "a100"},
    "plan": {
        "w": {"items": {"train": {"gpu_hours": 300}, "eval": {"gpu": "h100", "gpu_hours": 100}}},
        "more": {"extension": True, "items": {"larger": {"gpu_hours": 50}, "finer": {"gpu": "h100", "gpu_hours": 7}}},
    },
    "runs": [{"date": "2026-02-02", "item": "eval", "gpu_hours": 25, "progress": "1/4"}],
}


def test_work_to_do_of_payers_leaves_out_extensions_named_or_not(tmp_path: Path) -> None:
    """300 of which the payer is not named and 75 of `c`; the other project was charged nothing."""
    write_tree(tmp_path, SHARED)
    book, wrong = calculate(load(tmp_path)[0])
    assert not wrong
    assert (book["p.payers.unnamed.to_do"].use, book["p.payers.c.to_do"].use) == (300, 75)
    assert [book[f"{name}.payers.c.charged"].use for name in ("p", "q")] == [25, 0]
