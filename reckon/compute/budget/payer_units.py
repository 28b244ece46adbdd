"""What an hour on a card is charged, in the unit of the allocation that pays for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from reckon.model import records as r
from reckon.model.figure import Figure

from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet

ValueOf = Callable[[str], Fraction | None]
"""The value at an address; None where it is not known."""
Factor = tuple[Fraction, str]
"""A factor, and the address of the input without which it is not known (it is 0 then); empty where it is."""


def values_of(sheet: Sheet) -> ValueOf:
    """The values of inputs of a sheet that is being written."""

    def value_of(address: str) -> Fraction | None:
        figure = sheet.settle(address)
        return figure.use if figure else None

    return value_of


def values_in(figures: Mapping[str, Figure]) -> ValueOf:
    """The values of figures."""

    def value_of(address: str) -> Fraction | None:
        figure = figures.get(address)
        return figure.use if figure else None

    return value_of


def hour_ratio(value_of: ValueOf, grant: r.Allocation, card: str, target: str) -> Factor:
    """What an hour on a card counts as: of the card of an allocation or, where that names none, of the card `target` in
    whose hours its project counts."""
    counted = str(grant.gpu or target)
    return (Fraction(1), "") if card == counted else _known(value_of, ratio_address(card, counted))


def unit_factor(value_of: ValueOf, name: str, grant: r.Allocation, card: str, target: str) -> Factor:
    """What an hour on a card is charged in the unit of an allocation; `target` is the card that its project counts in.

    Hours count by `hour_ratio`. Units are so many for an hour of the card, where `units_per_gpu_hour` names cards; else
    they are counted of these hours.
    """
    charge, at = grant.charge, f"allocations.{name}.charge"
    if grant.units is None or charge is None:
        return hour_ratio(value_of, grant, card, target)
    if charge.cards:
        return _known(value_of, f"{at}.units_per_gpu_hour.{card}")
    ratio, lacks = hour_ratio(value_of, grant, card, target)
    if lacks:
        return ratio, lacks
    if charge.gpus_per_unit is not None:
        gpus, lacks = _known(value_of, f"{at}.gpus_per_unit")
        return (gpus, lacks) if lacks else (ratio / gpus, "")
    units, lacks = _known(value_of, f"{at}.units_per_gpu_hour")
    return (units, lacks) if lacks else (ratio * units, "")


def _known(value_of: ValueOf, address: str) -> Factor:
    found = value_of(address)
    return (Fraction(0), address) if found is None else (found, "")
