"""Ledgers that somebody worked out by hand who had not seen the code: two of everything, and what they share."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.small import plant

LEDGERS = yaml.safe_load(Path(__file__).with_name("by_hand.yaml").read_text("utf-8"))


@pytest.mark.parametrize("number", LEDGERS)
def test_a_ledger_comes_out_as_by_hand(number: int, tmp_path: Path) -> None:
    case = LEDGERS[number]
    ledger, problems = load(plant(tmp_path, case["files"]))
    book, more = calculate(ledger)
    assert not [*problems, *more]
    found = {address: book.figures[address].use for address in case["right"]}
    assert found == {address: Fraction(value) for address, value in case["right"].items()}
