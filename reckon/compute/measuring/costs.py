"""What a projection costs at each of its price lists: billed hours x GPUs x price, and the span over all lists.

A list that bills a least time is charged at no less. A subscription is a price of a month, and is left as one: what a
run costs of it depends on what else the month is used for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reckon.language.quantity import UNKNOWN, Value
from reckon.language.units import key_unit
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Cell, Computed
from ..sheet.sheet import Sheet
from .fields import Fields, lack

USD = key_unit("usd")


@dataclass(frozen=True, slots=True)
class Offer:
    """A price list that a projection is reckoned at: the list, its title, and whether it is a subscription."""

    id: str
    title: str
    at: str
    monthly: bool


def offers_of(ledger: Ledger, one: ProjectLedger, name: str, measurement: str) -> Iterator[Offer]:
    """The price lists of a projection, in its order; none where the device is no card."""
    fields = Fields(one, name)
    card = str(one.measurements[measurement].device or "")
    for key in fields.value("prices") or ():
        if card in ledger.catalog.gpus and key in ledger.catalog.prices:
            record = ledger.catalog.prices[key]
            monthly = card in record.usd_per_month and card not in record.usd_per_gpu_hour
            provider = ledger.catalog.providers.get(str(record.provider))
            title = str(record.title or (provider.title if provider else key))
            yield Offer(str(key), title, f"projections.{name}.{measurement}.costs.{key}", monthly)


def write_costs(sheet: Sheet, ledger: Ledger, fields: Fields, measurement: str, gpus: str) -> None:
    """Writes cost and billed time at each price list, and the span of costs."""
    offers = list(offers_of(ledger, fields.one, fields.name, measurement))
    card, project = str(fields.one.measurements[measurement].device), fields.one.id
    for offer in offers:
        listed, title = f"catalog.prices.{offer.id}", f"{fields.title}, {offer.title}"
        if offer.monthly:
            price = f"{listed}.usd_per_month.{card}"
            sheet.formula(f"{project}.{offer.at}.usd_per_month", f"{title}: a month", key_unit("usd_per_month"), price)
            continue
        price = f"{listed}.usd_per_gpu_hour.{card}"
        missing = [one for one in (price,) if one not in sheet.cells]
        missing += [] if gpus else [f"{project}.measurements.{measurement}.gpus"]
        if missing:
            lack(sheet, f"{project}.{offer.at}.usd", title, tuple(missing))
            continue
        hours = f"projections.{fields.name}.{measurement}.hours"
        if f"{listed}.minimum_hours" in sheet.cells:
            hours = f"max({hours}, {listed}.minimum_hours)"
        sheet.formula(f"{project}.{offer.at}.billed_hours", f"{title}: billed time", key_unit("hours"), hours)
        sheet.formula(f"{project}.{offer.at}.usd", f"{title}: cost", USD, f"billed_hours * {gpus} * {price}")
    hourly = tuple(f"{project}.{offer.at}.usd" for offer in offers if not offer.monthly)
    if hourly:
        _span(sheet, f"{project}.projections.{fields.name}.{measurement}.usd", f"{fields.title}: cost", hourly)


def _span(sheet: Sheet, address: str, title: str, costs: tuple[str, ...]) -> None:
    """The span of costs: from the least low end to the greatest high end, planned with the cheapest list."""

    def figure(figures: Mapping[str, Figure]) -> Figure:
        found = tuple(figures[one] for one in costs)
        missing = tuple(dict.fromkeys(name for one in found for name in one.missing))
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
    costs = [(figures.get(f"{project}.{one.at}.usd"), one.id) for one in offers if not one.monthly]
    if not costs or any(figure is None or figure.use is None for figure, _ in costs):
        return ""
    return min(costs, key=lambda pair: pair[0].use if pair[0] and pair[0].use is not None else 0)[1]
