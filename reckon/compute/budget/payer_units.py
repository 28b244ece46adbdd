"""What an hour on a card is charged, in the unit of the allocation that pays for it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import NamedTuple

from reckon.language.quantity import ONE, ZERO
from reckon.model import records as r
from reckon.model.figure import Figures, use_at
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .prices import CardPrice, ValueOf, card_price

Factor = tuple[Fraction, str]
"""A factor, and the address of the input without which it is not known (it is 0 then); empty where it is."""


def values_of(sheet: Sheet) -> ValueOf:
    """The values of inputs of a sheet that is being written."""

    def value_of(address: str) -> Fraction | None:
        figure = sheet.settle(address)
        return figure.use if figure else None

    return value_of


def values_in(figures: Figures) -> ValueOf:
    """The values of figures."""
    return partial(use_at, figures)


def hour_ratio(value_of: ValueOf, grant: r.Allocation, card: str, target: str) -> Factor:
    """What an hour on a card counts as: of the card of an allocation or, where that names none, of the card `target` in
    whose hours its project counts."""
    counted = grant.gpu or target
    return (ONE, "") if card == counted else _known(value_of, ratio_address(card, counted))


class PayerTerms(NamedTuple):
    """On which terms an allocation pays for work of a project; without a name, the project itself."""

    ledger: Ledger
    project: ProjectLedger
    name: str

    @property
    def grant(self) -> r.Allocation:
        """The allocation."""
        return self.ledger.allocations[self.name]

    @property
    def currency(self) -> str:
        """What it pays in, if in money."""
        return self.grant.currency if self.name else self.project.currency

    @property
    def _lists(self) -> Ids:
        own = self.project.project.prices
        return (*self.grant.prices, *own) if self.name else tuple(own)

    def price(self, card: str, named: str = "") -> CardPrice | None:
        """The prices of a card that a payer in money pays, in its currency: those of the price list that is `named` for
        the work, else of its own lists, then of those of the project."""
        return card_price(self.ledger, (named,) if named else self._lists, card, self.currency)

    def lacking_price(self, card: str) -> str:
        """The address of the price that a payer in money lacks of a card."""
        lists = self._lists
        within = f"catalog.prices.{lists[0]}" if lists else f"allocations.{self.name}"
        return f"{within}.{self.currency}_per_gpu_hour.{card}"

    def billing(self, card: str, named: str = "") -> r.Billing | None:
        """What it bills of work to come on a card: by the unit of a grant, or by the price list that it pays by."""
        if not self.grant.currency:
            return self.grant.charge
        price = self.price(card, named)
        return self.ledger.catalog.prices[price.last.listed].billing if price else None

    def factor(self, value_of: ValueOf, card: str, named: str = "") -> Factor:
        """What an hour on a card is charged in the unit of the allocation.

        Hours count by `hour_ratio`. Units are so many for an hour of the card, where `units_per_gpu_hour` names cards;
        else they are counted of these hours. Money is the last price of the card, of the price list that is `named` if
        one is.
        """
        grant, charge, at = self.grant, self.grant.charge, f"allocations.{self.name}.charge"
        if grant.currency:
            price = self.price(card, named)
            known = price.last.price(value_of) if price else None
            return (ZERO, self.lacking_price(card)) if known is None else (known, "")
        ratio = hour_ratio(value_of, grant, card, self.project.gpu)
        if grant.units is None or charge is None:
            return ratio
        if charge.cards:
            return _known(value_of, f"{at}.units_per_gpu_hour.{card}")
        if ratio[1]:
            return ratio
        if charge.gpus_per_unit is not None:
            gpus, lacks = _known(value_of, f"{at}.gpus_per_unit")
            return (gpus, lacks) if lacks else (ratio[0] / gpus, "")
        units, lacks = _known(value_of, f"{at}.units_per_gpu_hour")
        return (units, lacks) if lacks else (ratio[0] * units, "")


def _known(value_of: ValueOf, address: str) -> Factor:
    found = value_of(address)
    return (ZERO, address) if found is None else (found, "")
