"""Stated figures held against the reckoned ones, and the slip that would explain a difference.

A claim's tolerance is half of its last written digit; with `~`, half of the last digit that is not zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reckon.language.quantity import Quantity, read_quantity
from reckon.language.text import Refusal, Text, place_of
from reckon.language.units import Unit, value_unit
from reckon.model.figure import Figure, Stated, below
from reckon.model.records import Claim

from .closeness import distance, tolerances
from .slips import slip_of

NOTHING = "-"


def each(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Claims one by one: a table gives one for each of its cells, which stands at the place of the cell."""
    for claim in claims:
        if not claim.rows:
            yield claim
        for row, cells in claim.rows.items():
            for column, cell in zip(claim.columns, cells, strict=False):
                if cell != NOTHING:
                    place = place_of(cell)
                    own = {"of": f"{claim.of}.{row}.{column}", "at": f"{claim.at}, {row}", "states": cell}
                    texts = {key: Text(text, place) for key, text in own.items()}
                    yield claim.model_copy(update={**texts, "rows": {}, "columns": (), "place": place})


@dataclass(frozen=True, slots=True)
class Check:
    """A claim held against its figure: what was stated, whether it holds, and the slip that would explain it if not."""

    claim: Claim
    figure: Figure
    stated: Figure
    holds: bool
    off: Fraction
    slip: str = ""


def read_claim(claim: Claim, unit: Unit) -> Quantity:
    """The stated quantity of a claim in the unit of its figure, the `~` taken off. Raises Refusal."""
    text = str(claim.states or "").strip()
    quantity = read_quantity(text.lstrip("~≈ "), unit, place_of(claim.states))
    if quantity.value.unknown:
        raise Refusal("a claim of what is unknown claims nothing", "write what is stated there, or remove the claim")
    return quantity


def check(claim: Claim, figure: Figure, quantity: Quantity) -> Check:
    """Holds a claim against a figure that has a value."""
    stated = as_stated(claim, figure, quantity)
    low, high = tolerances(str(claim.states), quantity)
    off = distance(quantity.value, figure.value, low, high)
    slip = slip_of(quantity.value, figure, low, high) if off else ""
    return Check(claim, figure, stated, off == 0, off, slip)


def as_stated(claim: Claim, figure: Figure, quantity: Quantity) -> Figure:
    """What a claim states of a figure, as a figure."""
    unit = _written(quantity)
    said, origin = quantity.value.scaled(quantity.unit.scale / unit.scale), Stated(str(claim.states), quantity.place)
    return Figure("", f"{figure.title}, as stated", unit, said, origin, quantity.form)


def _written(quantity: Quantity) -> Unit:
    """The unit written after a stated number, so that it is told as it stands there; else that of the figure."""
    found = re.search(r"[0-9+]\s*([A-Za-z][A-Za-z_/ -]*)$", quantity.text)
    unit = value_unit(found[1]) if found else None
    return unit if unit and unit.kinds == quantity.unit.kinds else quantity.unit


def traced(checks: Sequence[Check]) -> Iterator[Check]:
    """The checks; where a figure below one is off by a slip, that is what explains it, not a slip of its own."""
    slips = {check.figure.address: check.figure for check in checks if check.slip}
    roots = {address for address, figure in slips.items() if not any(one.address in slips for one in below(figure))}
    for check in checks:
        first = "" if check.holds else next((one.title for one in below(check.figure) if one.address in roots), "")
        yield replace(check, slip=f"it rests on {first}, which is stated wrong already") if first else check
