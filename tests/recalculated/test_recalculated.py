"""What `budget export` prints of plan, actuals, allocations and money, calculated a second time by the words of the
guide: every figure of 200 ledgers that are made by chance, in lowest terms."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.commands import given
from tests.recalculated.calculator import Calculation
from tests.recalculated.files import Range
from tests.recalculated.made import write

MANY, MORE, SOME = 200, 60, 20
"""How many ledgers the long tests try, all tests, and the quick ones."""
FAMILIES = re.compile(
    r"(?:p\.(?:plan|phases|budget|estimates|actual|contingency|performance|money|payers|work_to_do)|allocations)\b.*"
)
LEFT_OUT = re.compile(
    r".*\.(?:"
    # What is drawn by chance, or follows from the pace.
    r"(?:cumulative_|paid_)?forecast_p\d\d|probability_.*|short_by_p\d\d|to_come_.*|days_left|reached|used_up|unused"
    r"|pace\..*|pace_to_use_up|days_to_end.*|days_since_end|end|end_p\d\d|drawn_since|left_to_spend"
    # Inputs, as the ledger states them.
    r"|gpu_hours(?:\.\w+)?|estimate(?:\.\w+)?|usd|eur|units|runs|contingency|ceiling|ceiling_money|changes\.\d+|charge\..*"
    # Steps of a sum of money: hours and their price, and costs by the days of a rate.
    r"|by_gpu\..*\.(?:hours|cost)|price\..*|unpriced(?:\..*)?|\w+_per_gpu_hour|billed_hours|stated.*|charged_\w\w\w\..*"
    # Counts behind a figure, and its parts.
    r"|basis\..*|runs_done|losses|lost|freed|covered|room|waste\.by_cause\..*|shared|outside_its_days|billed_beyond_held"
    r"|payers\.(?:none|unnamed)\..*"
    # Hours that a payer in money pays for, and a card without a run.
    r"|held|actual\.by_gpu\.\w+"
    r")"
)
"""What the second calculator does not calculate."""
LONG, FULL, ONLY = pytest.mark.long, pytest.mark.full, pytest.mark.long(only=True)
LONG, FULL, ONLY = pytest.mark.long, pytest.mark.full, pytest.mark.long(only=True)
LEDGERS = [
    *(pytest.param(number, marks=LONG) for number in range(SOME)),
    *(pytest.param(number, marks=[LONG, FULL]) for number in range(SOME, MORE)),
    *(pytest.param(number, marks=[ONLY, FULL]) for number in range(MORE, MANY)),
]


def exported(root: Path) -> dict[str, dict[str, Any]]:
    """The figures that `export` prints, by address."""
    done = given(root, "export")
    assert done.returncode == 0, done.stderr
    return {figure["address"]: figure for figure in json.loads(done.stdout)["figures"]}


def value_of(figure: dict[str, Any]) -> Range | None:
    """The ends of a figure; None of one that is unknown."""
    ends = [None if figure[end] is None else Fraction(figure[end]) for end in ("low", "use", "high")]
    return None if ends == [None] * 3 else Range(*ends)


@pytest.mark.parametrize("number", LEDGERS)
def test_every_figure_is_what_the_guide_says(number: int, tmp_path: Path) -> None:
    write(tmp_path, number)
    printed, own = exported(tmp_path), Calculation(tmp_path).figures()
    differ = {}
    for address, figure in printed.items():
        if address in own and value_of(figure) != own[address]:
            differ[address] = (value_of(figure), own[address])
    assert differ == {}
    missed = [each for each in printed if FAMILIES.match(each) and each not in own and not LEFT_OUT.fullmatch(each)]
    assert missed == []


def test_so_many_figures_are_compared(tmp_path: Path) -> None:
    write(tmp_path, 0)
    assert len(exported(tmp_path).keys() & Calculation(tmp_path).figures().keys()) > 100
