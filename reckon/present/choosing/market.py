"""What the market has of the setups of a record, and how to search for them."""

from __future__ import annotations

from reckon.compute.choosing.setups import Choice
from reckon.language.text import Text
from reckon.model.figure import operands

from ..table import MOST_ROWS
from .comparison import Comparison
from .rows import Hunt, Offer


def offers(one: Comparison) -> list[Offer]:
    """Each setup with the words of its record; one GPU that has none there, with those of its price list."""
    return [_offer(one, choice) for choice in one.shown]


def _offer(one: Comparison, choice: Choice) -> Offer:
    price = one.view.book[f"{choice.at}.usd_per_gpu_hour"]
    name = next((source.address.split(".")[2] for source in operands(price)), "")
    prices = one.view.book.ledger.catalog.prices.get(name)
    words = one.record.market.get(Text(choice.id))
    if words is None and prices and choice.gpus == 1:
        words = prices.market.get(Text(choice.card))
    return Offer(choice, one.title(choice.id), str(prices.title or name) if prices else "", str(words or ""))


def searches(one: Comparison) -> list[Hunt]:
    """The searches for these setups, at most two hundred."""
    providers, every = one.view.book.ledger.catalog.providers, one.view.book.searches.get(one.view.id, ())
    mine = [command for command in every if command.setups == one.found.name]
    return [
        Hunt(command.title, one.found.titles.get(command.choice, ""), str(providers[command.provider].title),
             command.text, command.lacking)
        for command in mine[:MOST_ROWS]
    ]  # fmt: skip
