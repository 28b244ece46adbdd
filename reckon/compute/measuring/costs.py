"""What a projection costs at each of its price lists: billed hours x GPUs x price, and the span over all lists.

A list that bills a least time is charged at no less. A subscription is a price of a month, and is left as one: what a
run costs of it depends on what else the month is used for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from reckon.language.quantity import UNKNOWN, Value
from reckon.language.units import key_unit
from reckon.model.figure import Figure, Worked, missing_of
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Cell, Computed
from ..sheet.sheet import Sheet
from .fields import Fields
from .writing import lack

USD = key_unit("usd")


@dataclass(frozen=True, slots=True)
class Offer:
    """A price list that a projection is held against: its id and title, where the costs stand, and the price's address.

    `monthly` is the address of the price of a subscription, `hourly` that of an hour; both are empty where the list has
    no price for the card. `card` is the card of the price: a subscription may be of another.
    """

    id: str
    title: str
    at: str
    card: str
    hourly: str = ""
    monthly: str = ""


def offers_of(ledger: Ledger, one: ProjectLedger, name: str, measurement: str) -> Iterator[Offer]:
    """The price lists of a projection, in its order; none where the device is no card."""
    card = str(one.measurements[measurement].device or "")
    for key in Fields(one, name).value("prices") or ():
        if card in ledger.catalog.gpus and key in ledger.catalog.prices:
            record, listed = ledger.catalog.prices[key], f"catalog.prices.{key}"
            provider = ledger.catalog.providers.get(str(record.provider))
            title = str(record.title or (provider.title if provider else key))
            offer = Offer(str(key), title, f"projections.{name}.{measurement}.costs.{key}", card)
            hourly, monthly = f"{listed}.usd_per_gpu_hour.{card}", [*record.usd_per_month]
            if card in record.usd_per_gpu_hour:
                offer = replace(offer, hourly=hourly)
            elif monthly:
                of = card if card in monthly else str(monthly[0])
                offer = replace(offer, card=of, monthly=f"{listed}.usd_per_month.{of}")
            yield offer


def write_costs(sheet: Sheet, ledger: Ledger, fields: Fields, measurement: str, gpus: str) -> None:
    """Writes cost and billed time at each price list, and the span of costs."""
    offers, project = list(offers_of(ledger, fields.one, fields.name, measurement)), fields.one.id
    priced = []
    for offer in offers:
        at, title = f"{project}.{offer.at}", f"{fields.title}, {offer.title}"
        if offer.monthly:
            sheet.formula(f"{at}.usd_per_month", f"{title}: a month", key_unit("usd_per_month"), offer.monthly)
        elif offer.hourly and not gpus:
            lack(sheet, f"{at}.usd", title, (f"{project}.measurements.{measurement}.gpus",))
            priced.append(f"{at}.usd")
        elif offer.hourly:
            hours, least = f"projections.{fields.name}.{measurement}.hours", f"catalog.prices.{offer.id}.minimum_hours"
            billed = f"max({hours}, {least})" if least in sheet.cells else hours
            sheet.formula(f"{at}.billed_hours", f"{title}: billed time", key_unit("hours"), billed)
            sheet.formula(f"{at}.usd", f"{title}: cost", USD, f"billed_hours * {gpus} * {offer.hourly}")
            priced.append(f"{at}.usd")
    if priced:
        _span(sheet, f"{project}.projections.{fields.name}.{measurement}.usd", f"{fields.title}: cost", tuple(priced))


def _span(sheet: Sheet, address: str, title: str, costs: tuple[str, ...]) -> None:
    """The span of costs: from the least low end to the greatest high end, planned with the cheapest list."""

    def figure(figures: Mapping[str, Figure]) -> Figure:
        found = tuple(figures[one] for one in costs)
        missing = missing_of(found)
        value = UNKNOWN if missing else _over([one.value for one in found])
        return Figure(address, title, USD, value, Worked("the span over the price lists", found), "", missing)

    sheet.write(Cell(address, title, USD, Computed(costs, figure)))


def _over(values: list[Value]) -> Value:
    lows, uses, highs = ([getattr(one, end) for one in values] for end in ("low", "use", "high"))
    return Value(
        None if None in lows else min(lows), None if None in uses else min(uses), None if None in highs else max(highs)
    )


def cheapest(figures: Mapping[str, Figure], project: str, offers: list[Offer]) -> str:
    """The price list with the least cost at planned values, the first of equals; empty where one is not known."""
    costs = {one.id: figures.get(f"{project}.{one.at}.usd") for one in offers if one.hourly}
    known = {name: figure.use for name, figure in costs.items() if figure and figure.use is not None}
    return min(known, key=lambda name: known[name]) if known and len(known) == len(costs) else ""
