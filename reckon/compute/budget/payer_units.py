"""What an hour on a card is charged, in the unit of the allocation that pays for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .prices import CardPrice, card_price

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


def payer_terms(ledger: Ledger, project: ProjectLedger, name: str) -> tuple[str, tuple[str, ...]]:
    """What a payer (without a name: the project itself) pays in, if in money; its price lists, and then those of the
    project."""
    grant, own = ledger.allocations.get(name), project.project
    return (grant.currency, (*grant.prices, *own.prices)) if grant else (str(own.currency), (*own.prices,))


def payer_price(ledger: Ledger, project: ProjectLedger, name: str, card: str, named: str = "") -> CardPrice | None:
    """The prices of a card that a payer in money (without a name: the project itself) pays for work of a project, in
    its currency: those of the price list that is `named` for the work, else of its own lists, then of those of the
    project."""
    currency, lists = payer_terms(ledger, project, name)
    return card_price(ledger, (named,) if named else lists, card, currency)


def price_missing(ledger: Ledger, project: ProjectLedger, name: str, card: str) -> str:
    """The address of the price that a payer in money lacks of a card."""
    currency, lists = payer_terms(ledger, project, name)
    within = f"catalog.prices.{lists[0]}" if lists else f"allocations.{name}"
    return f"{within}.{currency}_per_gpu_hour.{card}"


def billing_of(ledger: Ledger, project: ProjectLedger, name: str, card: str, named: str = "") -> r.Billing | None:
    """What a payer bills of work to come on a card: by the unit of a grant, or by the price list that it pays by."""
    grant = ledger.allocations[name]
    if not grant.currency:
        return grant.charge
    price = payer_price(ledger, project, name, card, named)
    return ledger.catalog.prices[price.last.listed].billing if price else None


def unit_factor(
    value_of: ValueOf, ledger: Ledger, project: ProjectLedger, name: str, card: str, named: str = ""
) -> Factor:
    """What an hour on a card for a project is charged in the unit of an allocation.

    Hours count by `hour_ratio`. Units are so many for an hour of the card, where `units_per_gpu_hour` names cards; else
    they are counted of these hours. Money is the last price of the card, of the price list that is `named` if one is.
    """
    grant, target = ledger.allocations[name], str(project.project.gpu)
    charge, at = grant.charge, f"allocations.{name}.charge"
    if grant.currency:
        price = payer_price(ledger, project, name, card, named)
        known = price.last.price(value_of) if price else None
        return (Fraction(0), price_missing(ledger, project, name, card)) if known is None else (known, "")
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
