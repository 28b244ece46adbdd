"""What budgets, runs and forecasts cost.

A plan line costs its own hours at the last known price of its own card, with its contingency. A run costs what it
states, or else its own hours at the price of the card that it ran on: evenly over its days where the price changes
between them, and at the price of the list's `as_of` where it has none. Where a bill has charges of an item, these are
what it cost in that billing period, in place of its hours. What is still to come in a forecast costs what it costs on
the cards that it is planned on, weighed by the hours to come of each item. A card that no list has, or none has at that
day, makes a sum "at least".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.calendar_days import first_day
from reckon.language.quantity import Value, point
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.day_split import spread
from reckon.model.figure import NO_RUN, OUTSIDE, OWN_HOURS, Figure, Selection, Tallied, Worked
from reckon.model.kinds import CEILING, EXTENDED, FINAL, TOTALS, called
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import total_of
from ..sheet.inputs import phases_of, scopes
from ..sheet.sheet import Sheet
from .actuals import Tally
from .amounts import FORECASTS, Amounts
from .prices import CardPrice, price_of

USD, RATE = key_unit("usd"), key_unit("usd_per_gpu_hour")
AVERAGE = ("usd_per_planned_hour", "Price of an hour of the plan, on average", RATE)
COST = "cost_usd"


class Money:
    """The money of a project as it is written: its sheet, its runs, and the prices of the cards that it uses."""

    def __init__(self, sheet: Sheet, ledger: Ledger, project: ProjectLedger, tally: Tally) -> None:
        self.sheet, self.ledger, self.project, self.tally = sheet, ledger, project, tally
        self.id, self.card = project.id, str(project.project.gpu)
        self.amounts = Amounts(sheet, project, "money", "in money", USD, AVERAGE)
        self.planned_on = sorted({str(item.gpu or self.card) for item in project.items.values()})
        ran = {traits.gpu for traits in tally.groups if traits.status != NO_RUN}
        self.ran_on = sorted(ran & {str(name) for name in ledger.catalog.gpus})  # another text is refused, not counted
        cards = dict.fromkeys((self.card, *self.planned_on, *self.ran_on))
        self.prices = {card: price for card in cards if (price := price_of(ledger, project, card))}
        own = self.prices.get(self.card)
        states = tally.has(Selection(self.id, COST))
        self.at_one_price = len(cards) == 1 and own is not None and len(own.spans) == 1 and not states

    def cost(self, at: str, title: str, price: str) -> str:
        """Writes what the hours at an address inside the project cost at a price; gives the address of that back."""
        self.sheet.formula(f"{self.id}.{at}.cost", f"{title}: cost", USD, f"{at}.hours * {price}")
        return f"{at}.cost"

    def has(self, address: str) -> bool:
        """Whether something stands at an address inside the project."""
        return self.amounts.has(address)

    def last(self, card: str) -> str:
        """The address of the last known price of a card; of one that no list has, of a price of at least nothing."""
        if card in self.prices:
            return self.prices[card].last
        return self.unpriced(card, "no price list of the project has this card")

    def unpriced(self, card: str, how: str) -> str:
        """The address of a price of at least nothing, of a card whose price is not known, or not at some days."""
        address = f"{self.id}.money.unpriced.{card}"
        if address not in self.sheet.cells:
            title, at_least = f"Price of an hour on {card}", Value(Fraction(0), None, None)
            self.sheet.counted(Figure(address, title, RATE, at_least, Worked(how), leaves={address: 1}))
        return address


def write_money(sheet: Sheet, ledger: Ledger, project: ProjectLedger, tally: Tally) -> None:
    """Writes prices, and what plan, runs and forecast come to at them; nothing where no card that is used has one."""
    money = Money(sheet, ledger, project, tally)
    if not money.prices:
        return
    if money.card in money.prices:
        title = "Price of an hour"
        sheet.formula(f"{project.id}.money.usd_per_gpu_hour", title, RATE, money.last(money.card))
    if money.at_one_price:
        _at_one_price(money)
        return
    if not money.prices.keys().isdisjoint(money.planned_on):
        _plan(money)
    if not money.ran_on or money.has("actual.cost") or not money.prices.keys().isdisjoint(money.ran_on):
        _runs(money)
    cards = {str(name): str(item.gpu or money.card) for name, item in project.items.items()}
    money.amounts.sum_forecast({name: money.last(card) for name, card in cards.items()}, cards)


def _at_one_price(money: Money) -> None:
    """All amounts, where plan and runs are on one card at one price: hours times that price."""
    hours = {
        **{total.id: (called(money.project.project, total.title), total.hours) for total in TOTALS.values()},
        **{f"forecast_{name}": (f"Forecast, {name.upper()}", f"forecast.{name}") for name in FORECASTS},
        "actual": ("Actual", "actual.total"),
        **{f"{each.key}.actual": (each.title, f"actual.{each.key}") for each in OUTSIDE},
    }
    for name, (title, of) in hours.items():
        if money.has(of):
            money.amounts.write(f"money.{name}", title, f"{of} * usd_per_gpu_hour")
    if money.has(FINAL.remaining):
        extended = " + (actual.total - actual.base) * usd_per_gpu_hour" if money.has(EXTENDED.hours) else ""
        title = called(money.project.project, "Remaining of the final budget")
        money.amounts.write("money.remaining", title, f"money.final - money.actual{extended}")
    for name, phase in phases_of(money.project):
        for column in ("planned", "actual"):
            formula = f"phases.{name}.{column} * money.usd_per_gpu_hour"
            money.amounts.write(f"phases.{name}.money.{column}", f"{phase.title}: {column}", formula)


def _plan(money: Money) -> None:
    """Planned amounts line by line, each with its contingency at the price of its card; and the ceiling, at its own."""
    for _, _, name, item in scopes(money.project):
        seeds = " * seeds" if item.scope == "per-seed" and money.has("seeds") else ""
        formula = f"gpu_hours{seeds} * {money.last(str(item.gpu or money.card))}"
        money.amounts.write(f"plan.{name}.money.planned", f"{item.title}: planned", formula)
    money.amounts.sum_plan()
    if money.has(CEILING.hours) and money.card in money.prices:
        money.amounts.write("money.ceiling", CEILING.title, "ceiling * usd_per_gpu_hour")


def _runs(money: Money) -> None:
    """What was spent by the card that ran: of each item and phase, in all, and what it leaves of the final budget."""
    spending = _Spending(money)
    for _, _, name, item in scopes(money.project):
        spending.write(f"plan.{name}.money", str(item.title), Selection(money.id, item=name))
    spending.write("money", "Actual", Selection(money.id))
    billed = (Selection(money.id, COST, item=each.item) for each in OUTSIDE)
    there = []
    for each, stated in zip(OUTSIDE, billed, strict=True):
        if money.has(f"actual.{each.key}") or money.tally.has(stated):
            there.append(each)
    for each in there:
        spending.write(f"money.{each.key}", each.title, Selection(money.id, item=each.item))
    money.amounts.sum_runs(there)


BILLED = -1
"""Stands for the price of hours that a bill covers: they cost what is on the bill."""


class _Spending:
    """What runs cost: as they state, else their own hours on each card at each of its prices; an item whose charges in
    a period are on a bill costs what is billed then, in place of its hours."""

    def __init__(self, money: Money) -> None:
        self.money = money
        self.billed = billed_days(money.project)
        self.split = self._split()

    def write(self, at: str, title: str, selection: Selection) -> None:
        """Writes what the runs of a selection cost as `.actual` below an address, with the parts that it is made of."""
        money, parts = self.money, []
        stated = replace(selection, field=COST)
        if money.tally.has(stated):
            parts.append(f"{at}.stated")
            money.tally.write(stated, f"{money.id}.{at}.stated", f"{title}: cost that runs state")
        for card in money.ran_on:
            hours = replace(selection, field=OWN_HOURS, gpu=card, lacks=COST)
            if money.tally.has(hours):
                parts += self._card(f"{at}.by_gpu.{card}", f"{title}, on {card}", hours)
        money.amounts.write(f"{at}.actual", title, total_of(parts) if parts else "0 usd")

    def _card(self, at: str, title: str, selection: Selection) -> Iterator[str]:
        """Writes hours on one card and what they cost, at each price that held; gives the addresses of the costs."""
        money, card = self.money, str(selection.gpu)
        price = money.prices.get(card)
        if self.billed:
            yield from self._partly_billed(at, title, selection)
            return
        if price is None or len(price.spans) == 1:
            money.tally.write(selection, f"{money.id}.{at}.hours", f"{title}: hours")
            yield money.cost(at, title, money.last(card))
            return
        yield from self._by_span(at, title, selection, price)

    def _partly_billed(self, at: str, title: str, selection: Selection) -> Iterator[str]:
        """The same where a bill covers some of the hours: these are shown, and cost nothing beside the bill."""
        money, card = self.money, str(selection.gpu)
        price = money.prices.get(card)
        if found := self.split.get((selection.item, card, BILLED)):
            words = f"{title}, on a bill: hours"
            money.sheet.counted(found.figure(selection, f"{money.id}.{at}.billed.hours", words))
        if price is not None and len(price.spans) > 1:
            yield from self._by_span(at, title, selection, price)
        elif found := self.split.get((selection.item, card, 0)):
            money.sheet.counted(found.figure(selection, f"{money.id}.{at}.hours", f"{title}: hours"))
            yield money.cost(at, title, money.last(card))

    def _by_span(self, at: str, title: str, selection: Selection, price: CardPrice) -> Iterator[str]:
        """Hours on a card whose price changes, and what they cost."""
        money, card = self.money, str(selection.gpu)
        for number, span in enumerate(price.spans):
            if found := self.split.get((selection.item, card, number)):
                words, hours = f"{title}, {span.words}", f"{at}.{span.name}.hours"
                days = replace(selection, days=(span.since, span.until))
                money.sheet.counted(found.figure(days, f"{money.id}.{hours}", f"{words}: hours"))
                paid = span.address or money.unpriced(card, price.gap)
                yield money.cost(f"{at}.{span.name}", words, paid)

    def _split(self) -> dict[tuple[str | None, str, int], _Hours]:
        """Hours of runs that state no cost: by item (None for all), card, and which of its prices held."""
        money = self.money
        changing = {card for card, price in money.prices.items() if len(price.spans) > 1 or self.billed}
        changing |= set(money.ran_on) if self.billed else set()
        found: dict[tuple[str | None, str, int], _Hours] = defaultdict(_Hours)
        for file, run, traits in money.project.each_run() if changing.intersection(money.ran_on) else ():
            if traits.gpu in changing and COST not in traits.stated:
                held: dict[int, Fraction] = defaultdict(Fraction)
                price, billed = money.prices.get(traits.gpu), self.billed.get(traits.item, frozenset())
                for days, hours in spread(run, run.charged_hours):
                    at = (BILLED if day in billed else price.at(day) if price else 0 for day in days)
                    for number, count in Counter(at).items():
                        held[number] += hours * count / len(days)
                for number, hours in held.items():
                    for item in (None, traits.item):
                        found[item, traits.gpu, number].add(file, hours, run.many)
        return found


def billed_days(project: ProjectLedger) -> Mapping[str, Set[int]]:
    """The days of each item of the plan that its charges on bills are of; a period ends where the next begins."""
    found: dict[str, set[int]] = defaultdict(set)
    for _, run, traits in project.each_addition():
        source = project.imports.get(run.imported.source) if run.imported else None
        if source and source.format == "focus" and COST in traits.stated and traits.item in project.items:
            since, until = str(run.start)[:10], str(run.end)[:10]
            found[traits.item].update(range(first_day(since), first_day(until)))
    return found


class _Hours:
    """Hours of runs by file: how many runs, and how much of them."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[int, Fraction]] = {}

    def add(self, file: str, hours: Fraction, many: int) -> None:
        """Adds the hours of so many runs, or a part of them."""
        count, so_far = self.files.get(file, (0, Fraction(0)))
        self.files[file] = count + many, so_far + hours

    def figure(self, selection: Selection, address: str, title: str) -> Figure:
        """The sum, with its subtotals by file."""
        files = tuple((file, count, hours) for file, (count, hours) in sorted(self.files.items()))
        origin = Tallied(selection, sum(count for _, count, _ in files), lambda: files)
        return Figure(address, title, GPU_HOURS, point(sum((hours for *_, hours in files), Fraction(0))), origin)
