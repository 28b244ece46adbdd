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


def test_hours_of_which_the_payer_is_not_named_are_booked_by_nobody(tmp_path: Path) -> None:
    book = book_of(tmp_path, "p33-two-grants")
    (row,) = charge_rows(book.ledger, book.figures)
    assert (row.payer, row.held, row.booked, row.unit) == ("unnamed", 700, None, "")
