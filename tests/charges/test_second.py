"""The second calculator gives each exact figure that cases.yaml expects."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.charges.second import figures
from tests.charges.shorthand import merged

CASES: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text("utf-8"))
LEDGERS = [name for name in CASES if name != "shared"]
DRAWN = ("chance.", "alarm.")
"""Figures that rest on draws, beside those that are stated as `a +-b`."""


def exact(name: str) -> dict[str, str]:
    """The exact figures that are expected of a ledger."""
    stated = {address: str(value) for address, value in CASES[name]["expect"].items()}
    kept = {address: value for address, value in stated.items() if not address.startswith(DRAWN)}
    return {address: value for address, value in kept.items() if "+-" not in value}


def expected(text: str) -> Fraction | str:
    """A number where it is one; a day, or `None`, as it stands."""
    try:
        return Fraction(text)
    except ValueError:
        return text


@pytest.mark.parametrize("name", LEDGERS)
def test_ledger(name: str) -> None:
    right = {address: expected(value) for address, value in exact(name).items()}
    assert right, "nothing is compared"
    found = figures(merged(CASES, name))
    assert {address: found.get(address, "missing") for address in right} == right


def test_number_of_values() -> None:
    """So many ledgers, and of all values that are expected so many are compared."""
    compared = sum(len(exact(name)) for name in LEDGERS)
    stated = sum(len(CASES[name]["expect"]) for name in LEDGERS)
    assert (len(LEDGERS), compared, stated) == (28, 147, 160)
