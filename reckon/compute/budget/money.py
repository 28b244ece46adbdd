"""What budgets, runs and forecasts cost.

A plan line costs its own hours at the last known price of its own card, with its contingency. A run costs what it
states, or else its own hours at the price of the card that it ran on: evenly over its days where the price changes
between them, and at the price of the list's `as_of` where it has none. Where a bill has charges of an item, these are
what it cost in that billing period, in place of its hours. Prices are those of the list that is named nearest to the
work (`price`), else those of the project's lists in their order. What is still to come costs the last known price of
the card that it is planned on: work to do exactly, and the forecast in each draw. A card that no list has, or none has
at that day, makes a sum "at least".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.calendar_days import first_day
from reckon.language.quantity import Value, point
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model.day_split import spread
from reckon.model.figure import OUTSIDE, OWN_HOURS, Figure, Selection, Tallied, Worked
from reckon.model.kinds import CEILING
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import total_of
from ..sheet.inputs import scopes
from ..sheet.sheet import Sheet
from .actuals import Tally
from .amounts import Amounts
from .amounts_to_come import write_amount_forecast, write_amount_to_do
from .forecast_inputs import Outlook
from .prices import CardPrice, PricedCard, planned_on, price_of, ran_on
from .work_to_do import Piece

USD, RATE = key_unit("usd"), key_unit("usd_per_gpu_hour")
COST = "cost_usd"


class Money:
    """The money of a project as it is written: its sheet, its runs, and the prices of the cards that it uses."""

    def __init__(self, sheet: Sheet, ledger: Ledger, project: ProjectLedger, tally: Tally) -> None:
        self.sheet, self.ledger, self.project, self.tally = sheet, ledger, project, tally
        self.id, self.names_some = project.id, project.names_some("price")
        self.own = PricedCard(str(project.project.price or ""), str(project.project.gpu))
        self.amounts = Amounts(sheet, project, "money", "in money", USD)
        self.planned_on = dict(planned_on(project))
        """The card of each item, with the price list that is named for it."""
        known = {str(name) for name in ledger.catalog.gpus}  # another text is refused, not counted
        self.ran_on = sorted(used for used in ran_on(project) if used.card in known)
        self.prices: dict[PricedCard, CardPrice] = {}
        for used in dict.fromkeys((self.own, *self.planned_on.values(), *self.ran_on)):
            if price := price_of(ledger, project, used.card, used.named):
                self.prices[used] = price

    def cost(self, at: str, title: str, price: str) -> str:
        """Writes what the hours at an address inside the project cost at a price; gives the address of that back."""
        self.sheet.formula(f"{self.id}.{at}.cost", f"{title}: cost", USD, f"{at}.hours * {price}")
        return f"{at}.cost"

    def has(self, address: str) -> bool:
        """Whether something stands at an address inside the project."""
        return self.amounts.has(address)

    def last(self, used: PricedCard) -> str:
        """The address of the last known price of a card; of one that no list has, of a price of at least nothing."""
        if used in self.prices:
            return self.prices[used].last
        lists = f"the price list {used.named} does not have this card"
        return self.unpriced(used, lists if used.named else "no price list of the project has this card")

    def unpriced(self, used: PricedCard, how: str) -> str:
        """The address of a price of at least nothing, of a card whose price is not known, or not at some days."""
        address = f"{self.id}.{unpriced_at(used)}"
        if address not in self.sheet.cells:
            title, at_least = f"Price of an hour {used.words}", Value(Fraction(0), None, None)
            self.sheet.counted(Figure(address, title, RATE, at_least, Worked(how), leaves={address: 1}))
        return address

    @property
    def prices_plan(self) -> bool:
        """Whether any card that is planned on has a price."""
        return not self.prices.keys().isdisjoint(self.planned_on.values())

    @property
    def prices_runs(self) -> bool:
        """Whether any card that runs were on has a price, or runs state what they cost, or there are none."""
        return not self.ran_on or self.has("actual.cost") or not self.prices.keys().isdisjoint(self.ran_on)


def unpriced_at(used: PricedCard) -> str:
    """The address, inside the project, of the price of a card of which that is not known."""
    return f"money.{used.within}unpriced.{used.card}"


def write_money(
    sheet: Sheet,
    ledger: Ledger,
    project: ProjectLedger,
    tally: Tally,
    outlook: Outlook,
    pieces: Iterable[Piece],
) -> None:
    """Writes prices, and what plan, runs and forecast come to at them; nothing where no card that is used has one."""
    money = Money(sheet, ledger, project, tally)
    if not money.prices:
        return
    if money.own in money.prices:
        title = "Price of an hour"
        sheet.formula(f"{project.id}.money.usd_per_gpu_hour", title, RATE, money.last(money.own))
    if money.prices_plan:
        _plan(money)
        write_amount_to_do(money.amounts, pieces, {name: money.last(used) for name, used in money.planned_on.items()})
    if money.prices_runs:
        _runs(money)
    if money.prices_plan:
        rates = {name: (money.last(used),) for name, used in money.planned_on.items()}
        write_amount_forecast(money.amounts, outlook, rates)


def _plan(money: Money) -> None:
    """Planned amounts line by line, each with its contingency at the price of its card; and the ceiling, at its own."""
    for _, _, name, item in scopes(money.project):
        seeds = " * seeds" if item.scope == "per-seed" and money.has("seeds") else ""
        formula = f"gpu_hours{seeds} * {money.last(money.planned_on[name])}"
        money.amounts.write(f"plan.{name}.money.planned", f"{item.title}: planned", formula)
    money.amounts.sum_plan()
    if money.has(CEILING.hours) and money.own in money.prices:
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
        for used in money.ran_on:
            price = used.named if money.names_some else None
            hours = replace(selection, field=OWN_HOURS, gpu=used.card, lacks=COST, price=price)
            if money.tally.has(hours):
                parts += self._card(f"{at}.{used.within}by_gpu.{used.card}", f"{title}, {used.words}", hours)
        money.amounts.write(f"{at}.actual", title, total_of(parts) if parts else "0 usd")

    def _card(self, at: str, title: str, selection: Selection) -> Iterator[str]:
        """Writes hours on one card and what they cost, at each price that held; gives the addresses of the costs."""
        money, used = self.money, _used(selection)
        price = money.prices.get(used)
        if self.billed:
            yield from self._partly_billed(at, title, selection)
            return
        if price is None or len(price.spans) == 1:
            money.tally.write(selection, f"{money.id}.{at}.hours", f"{title}: hours")
            yield money.cost(at, title, money.last(used))
            return
        yield from self._by_span(at, title, selection, price)

    def _partly_billed(self, at: str, title: str, selection: Selection) -> Iterator[str]:
        """The same where a bill covers some of the hours: these are shown, and cost nothing beside the bill."""
        money, used = self.money, _used(selection)
        price = money.prices.get(used)
        if found := self.split.get((selection.item, used, BILLED)):
            words = f"{title}, on a bill: hours"
            money.sheet.counted(found.figure(selection, f"{money.id}.{at}.billed.hours", words))
        if price is not None and len(price.spans) > 1:
            yield from self._by_span(at, title, selection, price)
        elif found := self.split.get((selection.item, used, 0)):
            money.sheet.counted(found.figure(selection, f"{money.id}.{at}.hours", f"{title}: hours"))
            yield money.cost(at, title, money.last(used))

    def _by_span(self, at: str, title: str, selection: Selection, price: CardPrice) -> Iterator[str]:
        """Hours on a card whose price changes, and what they cost."""
        money, used = self.money, _used(selection)
        for number, span in enumerate(price.spans):
            if found := self.split.get((selection.item, used, number)):
                words, hours = f"{title}, {span.words}", f"{at}.{span.name}.hours"
                days = replace(selection, days=(span.since, span.until))
                money.sheet.counted(found.figure(days, f"{money.id}.{hours}", f"{words}: hours"))
                paid = span.address or money.unpriced(used, price.gap)
                yield money.cost(f"{at}.{span.name}", words, paid)

    def _split(self) -> dict[tuple[str | None, PricedCard, int], _Hours]:
        """Hours of runs that state no cost: by item (None for all), card, and which of its prices held."""
        money = self.money
        changing = {used for used, price in money.prices.items() if len(price.spans) > 1 or self.billed}
        changing |= set(money.ran_on) if self.billed else set()
        found: dict[tuple[str | None, PricedCard, int], _Hours] = defaultdict(_Hours)
        for file, run, traits in money.project.each_run() if changing.intersection(money.ran_on) else ():
            used = PricedCard(traits.price, traits.gpu)
            if used in changing and COST not in traits.stated:
                held: dict[int, Fraction] = defaultdict(Fraction)
                price, billed = money.prices.get(used), self.billed.get(traits.item, frozenset())
                for days, hours in spread(run, run.charged_hours):
                    at = (BILLED if day in billed else price.at(day) if price else 0 for day in days)
                    for number, count in Counter(at).items():
                        held[number] += hours * count / len(days)
                for number, hours in held.items():
                    for item in (None, traits.item):
                        found[item, used, number].add(file, hours, run.many)
        return found


def _used(selection: Selection) -> PricedCard:
    """The card that a selection asks for, and the price list that is named for it."""
    return PricedCard(selection.price or "", str(selection.gpu))


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
