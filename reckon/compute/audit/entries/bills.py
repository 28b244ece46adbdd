"""What a run states of money and memory, beside the price and the memory of its card."""

from __future__ import annotations

from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.finding import say

from .durations import SLACK, HeldEntry
from .entry import bounds_of
from .implausible import Cause, Doubt, stated

FAR = 5
"""Contracts and unused capacity are sold at down to a fifth of a list; cents for dollars are a factor of 100."""
ROUNDING = 1
"""Bills round to cents and minutes: a difference of one US dollar says nothing."""

COST = Cause(
    "cost-far-from-price",
    "The stated cost of a run is far from the price of its hours",
    "The stated costs of several runs are far from the prices of their hours",
    "The stated cost counts. It may be in cents, in another currency, of one GPU or of one hour.",
    "Correct the cost, the hours or the card; if it is right, name the price list that it is of under `prices`.",
)
PEAK = Cause(
    "peak-above-card",
    "A run used more memory than its card has",
    "Several runs used more memory than their cards have",
    "The memory is of several GPUs together, in another unit, or the run was on another card.",
    "Write the most that was in use on one GPU, in GiB, or correct `gpu`.",
)


def cost_far_from_price(found: HeldEntry) -> Doubt | None:
    """A stated cost beyond five times, or a fifth, of hours times the price of the card. Begun hours are billed."""
    entry = found.entry
    cost = entry.run.cost_usd
    price = found.around.price(entry) if cost else None
    if not cost or price is None or price.use is None:
        return None
    held = entry.run.charged_hours
    low, high = bounds_of(price)
    billed = max(held, found.gpus * -(-found.hours // 1))
    near = held * low <= cost * FAR and cost <= billed * high * FAR
    if near or abs(cost - held * price.use) <= ROUNDING:
        return None
    told = say(
        "stated are {cost}; {held} at {price} are {worth}",
        cost=stated(cost, entry, key_unit("usd")),
        held=stated(held, entry, GPU_HOURS),
        price=price,
        worth=stated(held * price.use, entry, key_unit("usd")),
    )
    return Doubt(COST, entry, told)


def peak_above_card(found: HeldEntry) -> Doubt | None:
    """A stated peak of memory that is more than the card has."""
    entry = found.entry
    peak = entry.run.peak_gib
    card = found.around.memory.get(entry.card) if peak else None
    if not peak or card is None:
        return None
    _, most = bounds_of(card)
    if not most or key_unit("gib").to_base(peak) <= card.unit.to_base(most) * SLACK:
        return None
    used = stated(peak, entry, key_unit("gib"))
    return Doubt(PEAK, entry, say("its peak is {peak}, the card has {memory}", peak=used, memory=card))
