"""Who pays for a run, and what that costs, by the words of docs/guide/pays.md and docs/guide/plan.md."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any

from tests.recalculated.files import (
    CURRENCIES,
    ONE,
    ZERO,
    Files,
    Record,
    days_in,
    hours_on_the_clock,
    money_in,
    number,
    parts_by_day,
)

NONE = "none"


def rounded_up(value: Fraction, step: Fraction) -> Fraction:
    return -(-value // step) * step if step else value


class Payers:
    """The rules of a ledger: who pays, at which price, in which unit."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.card = str(files.project["gpu"])
        self.currency = str(files.project.get("currency", "usd"))
        self.items = {name: item for phase in files.plan.values() for name, item in phase["items"].items()}
        self.phase_of = {name: phase for phase in files.plan.values() for name in phase["items"]}
        self.last = self.last_day()

    def last_day(self) -> date | None:
        """The last day of data: of runs that held hours, and of what payers booked without one."""
        began = [run for run in self.files.runs if run.get("status") != "queued" and self.held(run)]
        days = [parts_by_day(run)[-1][0] for run in began]
        for name in self.files.allocations:
            days += self.booking_days(name)
        return max(days, default=None)

    def booking_days(self, name: str) -> list[date]:
        """The days on which an allocation booked or refunded something without a run."""
        changes = self.files.allocations[name].get("changes", ())
        return [days_in(each["date"])[0] for each in changes if "charged" in each or "refunded" in each]

    def counts_as(self, card: str, other: str) -> Fraction:
        """What an hour on a card counts as on another one."""
        return ONE if card == other else number(self.files.cards[card]["counts_as"][other])

    # What a run and an item are

    def card_of(self, run: Record) -> str:
        return str(run.get("gpu") or self.items.get(run["item"], {}).get("gpu") or self.card)

    def held(self, run: Record) -> Fraction | None:
        """GPU-hours on the card of a run; None where it states none."""
        if "gpu_hours" in run:
            return number(run["gpu_hours"])
        if "wall_hours" not in run:
            return None
        return number(run["gpus"]) * hours_on_the_clock(run["wall_hours"])

    def said(self, key: str, item: str, run: Record | None = None) -> str:
        """What the nearest of run, item, phase and project says."""
        near = [run or {}, self.items.get(item, {}), self.phase_of.get(item, {}), self.files.project]
        return next((str(record[key]) for record in near if key in record), "")

    def is_money(self, item: str) -> bool:
        """Whether an item is a line of money."""
        return item in self.items and "gpu_hours" not in self.items[item]

    # Who pays

    def takes(self, payer: Record, card: str) -> bool:
        """Whether an allocation takes hours on a card."""
        if money_in(payer):
            lists = [self.files.prices[name] for name in payer["prices"]]
            return any(card in prices for each in lists for _, _, prices in self.tables(each))
        by_card = payer.get("charge", {}).get("units_per_gpu_hour")
        if isinstance(by_card, dict):
            return card in by_card
        return payer.get("gpu", card) == card

    def of_run(self, run: Record, day: date) -> tuple[str, ...]:
        """Who pays for a run on a day: one; none, where the project does; or several of which none is named."""
        named = self.named(run["item"], run)
        if named is not None:
            return named
        return tuple(name for name in self.takers(run["item"], self.card_of(run)) if self.is_open(name, day))

    def of_work(self, item: str) -> tuple[str, ...]:
        """Who pays for the work of an item that is to come: on a day after the last of data."""
        named = self.named(item)
        if named is not None:
            return named
        card = str(self.items[item].get("gpu") or self.card)
        return tuple(name for name in self.takers(item, card) if self.is_open_later(name))

    def named(self, item: str, run: Record | None = None) -> tuple[str, ...] | None:
        """Who is named to pay; None where nobody is. No grant in hours pays for a line of money."""
        name = self.said("allocation", item, run)
        if not name or (name != NONE and self.is_money(item) and not self.currency_of(name)):
            return None
        return () if name == NONE else (name,)

    def takers(self, item: str, card: str) -> list[str]:
        """The allocations that take the hours of an item on a card, or its money."""
        if self.is_money(item):
            return [name for name in self.files.allocations if self.currency_of(name)]
        return [name for name, payer in self.files.allocations.items() if self.takes(payer, card)]

    def is_open(self, name: str, day: date) -> bool:
        payer = self.files.allocations[name]
        begun = "since" not in payer or days_in(payer["since"])[0] <= day
        return begun and ("until" not in payer or day <= days_in(payer["until"])[-1])

    def is_open_later(self, name: str) -> bool:
        payer = self.files.allocations[name]
        return "until" not in payer or self.last is None or days_in(payer["until"])[-1] >= self.last

    def currency_of(self, name: str) -> str:
        """The currency that an allocation pays in; empty for one in hours or units."""
        amount = money_in(self.files.allocations[name])
        return amount[0] if amount else ""

    # What it costs

    def tables(self, prices: Record) -> list[tuple[date | None, str, dict[str, Any]]]:
        """The prices of a list by the days from which they hold, with their currency."""
        found = []
        for day, table in [(None, prices), *sorted(prices.get("since", {}).items())]:
            for currency in CURRENCIES:
                if f"{currency}_per_gpu_hour" in table:
                    found.append((days_in(day)[0] if day else None, currency, table[f"{currency}_per_gpu_hour"]))
        return found

    def price(self, names: Iterable[str], card: str, day: date | None) -> tuple[str, str, Fraction] | None:
        """The list, the currency and the price of an hour on a card, on a day or at the end; None if no list has it."""
        for name in names:
            if name not in self.files.prices:
                continue
            found = None
            for since, currency, by_card in self.tables(self.files.prices[name]):
                if card in by_card and (since is None or day is None or since <= day):
                    found = (name, currency, number(by_card[card]))
            if found:
                return found
        return None

    def lists(self, named: str, payer: str | None) -> list[str] | None:
        """The price lists of hours, in order; None where these cost no money: granted, at no stated worth."""
        own = list(self.files.allocations[payer].get("prices", ())) if payer else []
        if payer and not self.currency_of(payer) and not own:
            return None
        if named:
            return [named]
        return [*own, *self.files.project.get("prices", ())]

    def cost_of_several(self, run: Record, names: tuple[str, ...]) -> tuple[str, Fraction] | None:
        """What a run costs that one of several pays for: as it states, else nothing if none of them costs money."""
        stated = money_in(run, "cost_")
        if stated or any(self.lists("", name) is not None for name in names):
            return stated
        return self.currency, ZERO

    def dollars(self, currency: str, day: date | None) -> Fraction:
        """What one of a currency is in dollars, on a day or at the end."""
        if currency == "usd":
            return ONE
        rates = sorted(self.files.rates.items())
        held = [rate for since, rate in rates if day is None or days_in(since)[0] <= day]
        return number((held[-1] if held else rates[0][1])[f"usd_per_{currency}"])

    def convert(self, amount: Fraction, currency: str, other: str, day: date | None) -> Fraction:
        return amount if currency == other else amount * self.dollars(currency, day) / self.dollars(other, day)

    # What is billed

    def billed(self, run: Record, billing: Record, factors: Record) -> Fraction:
        """The hours that are billed of a run; of one that states no more than its GPU-hours, these."""
        held = self.held(run)
        if "gpus" in run and "wall_hours" in run:
            time = self.billed_time(hours_on_the_clock(run["wall_hours"]), billing)
            held = rounded_up(number(run["gpus"]), number(billing.get("whole_gpus", 0))) * time
        found = held or ZERO
        for key, by_word in factors.items():
            found *= number(by_word.get(str(run.get(key, "")), 1))
        return found

    def billed_time(self, time: Fraction, billing: Record) -> Fraction:
        return max(number(billing.get("minimum_hours", 0)), rounded_up(time, number(billing.get("step_hours", 0))))

    def billed_plan(self, item: str, hours: Fraction, billing: Record) -> Fraction:
        """Planned hours of one piece of an item as they would be billed, by its GPUs and runs."""
        gpus, runs = number(self.items[item].get("gpus", 0)), number(self.items[item].get("runs", 0))
        if not gpus:
            return hours
        whole = rounded_up(gpus, number(billing.get("whole_gpus", 0)))
        if not runs:
            return hours * whole / gpus
        return whole * self.billed_time(hours / runs / gpus, billing) * runs

    def units(self, name: str, card: str) -> Fraction:
        """Units of an allocation, in hours or units, for an hour that is billed on a card."""
        payer = self.files.allocations[name]
        charge = payer.get("charge", {})
        by_card = charge.get("units_per_gpu_hour")
        if isinstance(by_card, dict):
            return number(by_card[card])
        ratio = self.counts_as(card, str(payer.get("gpu", self.card)))
        return ratio * number(by_card or 1) / number(charge.get("gpus_per_unit", 1))

    def charge(self, name: str | None) -> Record:
        """The billing rules of a grant; empty for who pays in money."""
        return {} if name is None or self.currency_of(name) else self.files.allocations[name].get("charge", {})

    def priced(self, run: Record, payer: str | None, day: date | None) -> tuple[str, Fraction] | None:
        """The currency and the amount of all of a run at the price of a day; None where no list has its card."""
        names = self.lists(self.said("price", run["item"], run), payer)
        if names is None:
            return self.currency, ZERO
        found = self.price(names, self.card_of(run), day)
        if found is None:
            return None
        of_grant = payer is not None and not self.currency_of(payer)
        billing = self.charge(payer) if of_grant else self.files.prices[found[0]]
        return found[1], found[2] * self.billed(run, billing, self.charge(payer).get("factors", {}))

    def cost(self, run: Record, payer: str | None, day: date) -> tuple[str, Fraction] | None:
        """The same as a run states it, or as its payer booked it, before the price."""
        stated = money_in(run, "cost_")
        if stated:
            return stated
        if payer and "charged" in run and self.currency_of(payer):
            return self.currency_of(payer), number(run["charged"])
        if self.held(run) is None:
            return self.currency, ZERO
        return self.priced(run, payer, day)

    def booked(self, run: Record, payer: str, day: date) -> Fraction | None:
        """What an allocation books for all of a run, in its unit."""
        if "charged" in run:
            return number(run["charged"])
        currency = self.currency_of(payer)
        if currency:
            cost = self.cost(run, payer, day)
            return self.convert(cost[1], cost[0], currency, day) if cost else None
        return self.booked_units(run, payer)

    def booked_units(self, run: Record, payer: str) -> Fraction:
        charge = self.charge(payer)
        return self.billed(run, charge, charge.get("factors", {})) * self.units(payer, self.card_of(run))
