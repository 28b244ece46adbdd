"""A second calculator of what payers are charged: exact fractions, by DESIGN of the charges alone.

It shares no code with the program, so that both can be held against each other. `figures` takes one ledger in the
shorthand of cases.yaml and gives the figures that `expect` names there. What rests on draws is left out, and so is a
figure that does not exist: a date without a pace, a sum of payers in several units.

In this order: what is billed, what it costs and who pays (`Rules`); how far the work has come and what was lost
(`Piece`); the table of charges and the work to come (`Table`); the figures of each payer and of the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from tests.charges.shorthand import NONE, Billing, Item, Ledger, Money, Payer, Run, days_of, read

ZERO, ONE = Fraction(0), Fraction(1)
PROJECT = "p"
USEFUL = ("completed", "running")
Figures = dict[str, Fraction | str]
Payers = tuple[str, ...]
"""The payers that could be charged: one that is, several of which none is named, or none: the project pays."""


def figures(ledger: Mapping[str, Any]) -> Figures:
    """The figures of a ledger: fractions, and days as texts (`None` for a day that never comes)."""
    rules = Rules(read(ledger))
    table = Table(rules)
    found = {**_hours(table), **_money(table), **_pool(table), **_recurring(rules)}
    for payer in rules.ledger.payers.values():
        found |= _of_payer(table, payer)
    for names in sorted({work.payers for work in table.to_come if rules.follow_each_other(work.payers)}):
        found |= _in_turn(table, names)
    for name, until in rules.ledger.closed:
        payer = rules.ledger.payers[name]
        found[f"closed.{name}.left"] = table.granted(payer, until) - table.charged(payer, until)
    return found


def total(amounts: Iterable[Fraction | None]) -> Fraction:
    return sum((amount for amount in amounts if amount is not None), ZERO)


def rounded_up(amount: Fraction, step: Fraction) -> Fraction:
    return -(-amount // step) * step if step else amount


def billed_time(billing: Billing, time: Fraction) -> Fraction:
    return max(billing.minimum, rounded_up(time, billing.step))


class Rules:
    """Who pays for what, at which price, in which unit."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @cached_property
    def last(self) -> int | None:
        """The last day of data: of runs that began, and of entries that book something."""
        days = [day for run in self.ledger.runs if run.status != "queued" for day, _ in run.days if day]
        for payer in self.own_payers:
            days += [each.day for each in payer.changes if each.kind in ("charged", "refunded")]
        return max(days, default=None)

    @property
    def own_payers(self) -> list[Payer]:
        return [payer for payer in self.ledger.payers.values() if PROJECT in payer.projects]

    def ratio(self, card: str, other: str) -> Fraction:
        """What an hour on a card counts as on another one."""
        return ONE if card == other else self.ledger.counts_as[card, other]

    def dollars(self, currency: str, day: int | None) -> Fraction:
        """What one of a currency is in US dollars on a day; the last rate where no day is named."""
        rates = self.ledger.rates[currency]
        held = [rate for since, rate in rates if day is None or since <= day]
        return held[-1] if held else rates[0][1]

    def convert(self, money: Money, currency: str, day: int | None) -> Fraction:
        own, amount = money
        if own == currency:
            return amount
        return amount * self.dollars(own, day) / self.dollars(currency, day)

    # Who pays

    def takes(self, payer: Payer, card: str, money_alone: bool) -> bool:
        """Whether a payer takes hours on a card, or where none is named a line of money."""
        if payer.currency:
            cards = {card for name in payer.prices for card in self.ledger.lists[name].cards}
            return not card or card in cards
        if money_alone or not card:
            return False
        if payer.charge.by_card is not None:
            return card in payer.charge.by_card
        return payer.gpu in ("", card)

    def payers_on(self, run: Run, day: int | None) -> Payers:
        """Who pays for a run on a day."""
        if run.allocation:
            return () if run.allocation == NONE else (run.allocation,)
        item = self.ledger.items.get(run.item)
        takers = [each for each in self.own_payers if self.takes(each, run.gpu, bool(item and item.currency))]
        return tuple(each.id for each in takers if day is None or _is_open(each, day))

    def payers_to_come(self, item: Item) -> Payers:
        """Who pays for the work of an item that is not done."""
        if item.allocation:
            return () if item.allocation == NONE else (item.allocation,)
        card = item.gpu if item.currency else self.card(item)
        takers = [each for each in self.own_payers if self.takes(each, card, bool(item.currency))]
        last = self.last
        later = [each for each in takers if last is None or each.until is None or each.until > last]
        return tuple(each.id for each in sorted(later, key=lambda each: each.since or 0))

    def follow_each_other(self, names: Payers) -> bool:
        """Whether several payers are one row, as one begins when the other has ended."""
        payers = [self.ledger.payers[name] for name in names]
        pairs = [(one.until, other.since) for one, other in pairwise(payers)]
        return len(names) > 1 and all(end is not None and begin is not None and end < begin for end, begin in pairs)

    # What is billed and what it costs

    def card(self, item: Item) -> str:
        return item.gpu or self.ledger.gpu

    def units(self, payer: Payer, card: str) -> Fraction:
        """Units of a payer for an hour that is billed on a card."""
        if payer.charge.by_card is not None:
            return payer.charge.by_card[card]
        return self.ratio(card, payer.gpu or self.ledger.gpu) * payer.charge.rate

    def price(self, named: str, payer: Payer | None, card: str, day: int | None) -> tuple[Money, Billing] | None:
        """The price of an hour on a card and what its list bills: of the list that is named, then of the payer's, then
        of the project's. The hours of a grant without prices cost no money."""
        if payer and not payer.currency and not payer.prices:
            return None
        for name in (named, *(payer.prices if payer else ()), *self.ledger.prices):
            found = self.ledger.lists.get(name)
            prices = found.since if found else ()
            known = [by_card[card] for since, by_card in prices if card in by_card and (day is None or since <= day)]
            if found and known:
                return (found.currency, known[-1]), found.billing
        return None

    def billing(self, payer: Payer | None, of_list: Billing) -> Billing:
        """What is billed of a run: by the unit of a grant, else by the price list."""
        return payer.charge.billing if payer and not payer.currency else of_list

    def billed(self, run: Run, payer: Payer | None, billing: Billing, time: Fraction | None) -> Fraction:
        """The hours that are billed of a run, if it took so long; without its GPUs those that it held."""
        hours = run.hours or ZERO
        if run.gpus is not None and time is not None and (billing != Billing() or time != run.time):
            hours = rounded_up(run.gpus, billing.whole) * billed_time(billing, time)
        for key, factors in payer.charge.factors.items() if payer else ():
            hours *= factors.get(run.words[key], ONE)
        return hours

    def cost(self, run: Run, payer: Payer | None, day: int | None) -> Money | None:
        """What a run costs in all: as stated, else its billed hours at the price of a day."""
        if run.cost is not None:
            return run.cost
        if payer and payer.currency and run.charged is not None:
            return payer.currency, run.charged
        return self.priced(run, payer, day, run.time)

    def priced(self, run: Run, payer: Payer | None, day: int | None, time: Fraction | None) -> Money | None:
        found = self.price(run.price, payer, run.gpu, day) if run.hours is not None else None
        if found is None:
            return None
        (currency, price), of_list = found
        return currency, price * self.billed(run, payer, self.billing(payer, of_list), time)

    def booked(self, run: Run, payer: Payer, day: int | None) -> Fraction:
        """What a payer books for a run in all, in its unit."""
        if run.charged is not None:
            return run.charged
        if payer.currency:
            cost = self.cost(run, payer, day)
            return self.convert(cost, payer.currency, day) if cost else ZERO
        return self.calculated(run, payer, day, run.time)

    def calculated(self, run: Run, payer: Payer, day: int | None, time: Fraction | None) -> Fraction:
        """What a payer would book for a run that took so long, if nothing else is stated."""
        if payer.currency:
            cost = self.priced(run, payer, day, time)
            return self.convert(cost, payer.currency, day) if cost else ZERO
        if run.hours is None:
            return ZERO
        return self.billed(run, payer, payer.charge.billing, time) * self.units(payer, run.gpu)

    def shape(self, item: Item, billing: Billing) -> Fraction:
        """Hours that are billed for an hour that is planned, by the GPUs and runs of the plan."""
        if not item.gpus:
            return ONE
        share = rounded_up(item.gpus, billing.whole) / item.gpus
        time = item.plan / item.runs / item.gpus if item.runs else ZERO
        return share * billed_time(billing, time) / time if time else share


def _is_open(payer: Payer, day: int) -> bool:
    return (payer.since or 0) <= day and (payer.until is None or day <= payer.until)


@dataclass(frozen=True)
class Piece:
    """An item, or a seed of one, with its attempts in their order. Hours are those of the project's card."""

    item: Item | None
    plan: Fraction
    attempts: tuple[tuple[Run, Fraction], ...]
    spent: Fraction = ZERO
    """Of a line of money: in its currency."""

    @cached_property
    def gained(self) -> list[Fraction]:
        """The share of the work by which each attempt went forward (below zero: back)."""
        found, before = [], ZERO
        for run, _ in self.attempts:
            found.append(ZERO if run.done is None else run.done - before)
            before = before if run.done is None else run.done
        return found

    @cached_property
    def yardstick(self) -> Fraction:
        """Hours for all of the work: as planned, or of the fastest of several attempts that were all slower."""
        took = [hours / share for (_, hours), share in zip(self.attempts, self.gained, strict=True) if share > 0]
        return min(took) if len(took) > 1 and min(took) > self.plan else self.plan

    @cached_property
    def lost(self) -> Fraction:
        """Hours of failed attempts less what the progress that they made takes, and progress that went back."""
        found = ZERO
        for (run, hours), share in zip(self.attempts, self.gained, strict=True):
            if run.status not in USEFUL:
                found += max(hours - max(share, ZERO) * self.yardstick, ZERO)
            found += max(-share, ZERO) * self.yardstick
        return min(found, self.held)

    @property
    def held(self) -> Fraction:
        return total(hours for _, hours in self.attempts)

    @cached_property
    def share(self) -> Fraction:
        """How much of it is done: as its latest attempt states, by the number of its runs, else by hours or money."""
        stated = [run.done for run, _ in self.attempts if run.done is not None]
        if stated:
            return stated[-1]
        if self.item and self.item.runs and not self.item.currency:
            return min(ONE, sum(run.status == "completed" for run, _ in self.attempts) / self.item.runs)
        useful = self.spent if self.item and self.item.currency else self.held - self.lost
        return min(ONE, useful / self.plan) if self.plan else ONE


@dataclass(frozen=True)
class Row:
    """A charge: a run on a day, or a change of a payer. `booked` is in the unit of its only payer."""

    run: Run | None
    day: int | None
    payers: Payers
    held: Fraction
    booked: Fraction
    amount: Fraction
    """In the currency of the project."""


@dataclass(frozen=True)
class ToCome:
    """The work of a piece, planned and not done, and who pays for it."""

    item: Item
    payers: Payers
    planned: Fraction
    to_do: Fraction
    """In hours of its card, or in its currency."""


class Table:
    """All charges, and all work to come, of a ledger."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.spent = [run for run in rules.ledger.runs if run.status != "queued"]
        self.rows = [row for run in self.spent for row in self._rows(run)]

    def _rows(self, run: Run) -> Iterator[Row]:
        for day, part in run.days:
            payers, rules = self.rules.payers_on(run, day), self.rules
            payer = rules.ledger.payers[payers[0]] if len(payers) == 1 else None
            cost = run.cost if len(payers) > 1 else rules.cost(run, payer, day)
            amount = rules.convert(cost, rules.ledger.currency, day) if cost else ZERO
            booked = rules.booked(run, payer, day) if payer else ZERO
            yield Row(run, day, payers, self.held(run) * part, booked * part, amount * part)

    def held(self, run: Run) -> Fraction:
        """The hours of a run in the budget of hours: on the project's card, none of a line of money."""
        item = self.rules.ledger.items.get(run.item)
        if not run.hours or (item and item.currency):
            return ZERO
        return run.hours * self.rules.ratio(run.gpu, self.rules.ledger.gpu)

    # The work

    @cached_property
    def pieces(self) -> list[Piece]:
        """The work of the plan by item and seed, then runs that are of no such piece."""
        ledger, by_piece = self.rules.ledger, dict[tuple[str, str], list[Run]]()
        for run in sorted(self.spent, key=lambda run: run.order):
            item = ledger.items.get(run.item)
            by_piece.setdefault((run.item, run.seed if item and item.per_seed else ""), []).append(run)
        found = [
            self._piece(item, by_piece.pop((item.id, seed), []))
            for item in ledger.items.values()
            for seed in (ledger.seeds if item.per_seed else ("",))
        ]
        return found + [self._piece(None, runs) for runs in by_piece.values()]

    def _piece(self, item: Item | None, runs: list[Run]) -> Piece:
        rules, attempts = self.rules, tuple((run, self.held(run)) for run in runs)
        if item is None:
            return Piece(None, ZERO, attempts)
        if not item.currency:
            return Piece(item, item.plan * rules.ratio(rules.card(item), rules.ledger.gpu), attempts)
        own = rules.ledger.currency
        rows = [row for row in self.rows if row.run in runs]
        spent = total(rules.convert((own, row.amount), item.currency, row.day) for row in rows)
        return Piece(item, item.plan, attempts, spent)

    @cached_property
    def to_come(self) -> list[ToCome]:
        of_plan = [(piece, piece.item) for piece in self.pieces if piece.item]
        return [
            ToCome(item, self.rules.payers_to_come(item), item.plan, item.plan * (1 - piece.share))
            for piece, item in of_plan
        ]

    def money_of(self, work: ToCome, hours: Fraction) -> Fraction:
        """What so much of the work of an item costs, in the currency of the project."""
        rules, item, own = self.rules, work.item, self.rules.ledger.currency
        if item.currency:
            return rules.convert((item.currency, hours), own, None)
        payer = rules.ledger.payers[work.payers[0]] if len(work.payers) == 1 else None
        found = None if len(work.payers) > 1 else rules.price(item.price, payer, rules.card(item), None)
        if found is None:
            return ZERO
        (currency, price), of_list = found
        billed = hours * rules.shape(item, rules.billing(payer, of_list))
        return rules.convert((currency, price * billed), own, None)

    def units_of(self, work: ToCome, payer: Payer) -> Fraction:
        """What a payer would book for the work of an item that is not done."""
        rules, item = self.rules, work.item
        if payer.currency:
            own = rules.ledger.currency
            if item.currency:
                return rules.convert((item.currency, work.to_do), payer.currency, None)
            return rules.convert((own, self.money_of(work, work.to_do)), payer.currency, None)
        if item.currency:
            return ZERO
        billed = work.to_do * rules.shape(item, payer.charge.billing)
        return billed * rules.units(payer, rules.card(item))

    # The payers

    def granted(self, payer: Payer, until: int | None) -> Fraction:
        """What was granted with the changes up to a day, given and received."""
        found = payer.amount
        for other in self.rules.ledger.payers.values():
            for change in other.changes:
                if until is not None and change.day > until:
                    continue
                if other is payer and change.kind in ("granted", "moved"):
                    found += change.amount if change.kind == "granted" else -change.amount
                if change.kind == "moved" and change.to == payer.id:
                    found += change.amount
        return found

    def charged(self, payer: Payer, until: int | None = None) -> Fraction:
        """What was booked up to a day, with the entries that the payer booked and refunded without a run."""
        signs = {"charged": 1, "refunded": -1}
        entries = [each for each in payer.changes if until is None or each.day <= until]
        rows = [row for row in self.rows if row.payers == (payer.id,)]
        booked = total(row.booked for row in rows if until is None or row.day is None or row.day <= until)
        return booked + total(signs.get(each.kind, 0) * each.amount for each in entries)

    def promised(self, payer: Payer) -> Fraction:
        """What queued runs, and the rest of running ones up to their limit, would book."""
        found, rules = ZERO, self.rules
        for run in rules.ledger.runs:
            day = run.days[-1][0]
            if run.limit is None or run.status not in ("queued", "running"):
                continue
            if rules.payers_on(run, day) == (payer.id,):
                so_far = rules.booked(run, payer, day) if run.status == "running" else ZERO
                found += max(rules.calculated(run, payer, day, run.limit) - so_far, ZERO)
        return found

    # The pace

    @cached_property
    def window(self) -> tuple[int, int] | None:
        """The first day that the pace is taken from, and how many; None where no run has a date."""
        last, ledger = self.rules.last, self.rules.ledger
        days = [row.day for row in self.rows if row.day]
        if last is None or not days:
            return None
        began = min(days) if ledger.began is None else ledger.began
        many = min(ledger.pace_days, last - began + 1)
        return last - many + 1, many

    @cached_property
    def pace(self) -> Fraction:
        """Hours a day, without recurring work."""
        if self.window is None:
            return ZERO
        first, many = self.window
        items = self.rules.ledger.items
        recurring = {item.id for item in items.values() if item.every}
        rows = [row for row in self.rows if row.run and row.run.item not in recurring]
        return total(row.held for row in rows if row.day and row.day >= first) / many

    def used_up(self, payer: Payer, left: Fraction) -> str:
        """The day on which a payer is used up at its share of the pace, or None where its work is less than is left."""
        rules = self.rules
        works = [work for work in self.to_come if not (work.item.every or work.item.currency)]
        own = total(self.units_of(work, payer) for work in works if work.payers == (payer.id,))
        every = total(work.to_do * rules.ratio(rules.card(work.item), rules.ledger.gpu) for work in works)
        all_of_it = total(self.units_of(work, payer) for work in self.to_come if work.payers == (payer.id,))
        if self.window is None or self.window[1] < 7 or all_of_it <= left or not own or not self.pace:
            return "None"
        last = self.rules.last or 0
        return date.fromordinal(last + int(-(-left // (own / every * self.pace)))).isoformat()


def _of_payer(table: Table, payer: Payer) -> Figures:
    """The figures of a payer, in its unit."""
    last, works = table.rules.last, [work for work in table.to_come if work.payers == (payer.id,)]
    granted, charged = table.granted(payer, last), table.charged(payer)
    to_do = total(table.units_of(work, payer) for work in works)
    running = [row for row in table.rows if row.run and row.run.status == "running" and row.payers == (payer.id,)]
    left, promised = granted - charged, table.promised(payer)
    found: Figures = {
        "granted": granted,
        "charged": charged,
        "left": left,
        "to_do": to_do,
        "short": max(to_do - max(left, ZERO), ZERO),
        "need": total(table.units_of(work, payer) * (1 + work.item.contingency) for work in works),
        "in_flight": total(row.booked for row in running),
        "committed": promised,
        "free": left - promised,
    }
    if left >= 0:
        found["used_up"] = table.used_up(payer, left)
    return {f"{name}.{payer.id}": value for name, value in found.items()}


def _in_turn(table: Table, names: Payers) -> Figures:
    """The row of payers that follow each other, `q2+q3`, for the work of which none of them is named."""
    payers, last = [table.rules.ledger.payers[name] for name in names], table.rules.last
    lefts = [table.granted(payer, last) - table.charged(payer) for payer in payers]
    to_do = total(table.units_of(work, payers[0]) for work in table.to_come if work.payers == names)
    found = {"left": total(lefts), "to_do": to_do}
    found["short"] = max(to_do - total(max(left, ZERO) for left in lefts), ZERO)
    return {f"{name}.{'+'.join(names)}": value for name, value in found.items()}


def _pool(table: Table) -> Figures:
    """Hours that several payers could be charged for, and what is left of all of these if they count in one unit."""
    rules = table.rules
    works = [each for each in table.to_come if len(each.payers) > 1 and not rules.follow_each_other(each.payers)]
    rows = [row for row in table.rows if len(row.payers) > 1]
    ratios = [(work, rules.ratio(rules.card(work.item), rules.ledger.gpu)) for work in works if not work.item.currency]
    found: Figures = {
        "pool.unnamed": total(row.held for row in rows),
        "pool.to_do": total(work.to_do * ratio for work, ratio in ratios),
    }
    names = dict.fromkeys(name for each in (*rows, *works) for name in each.payers)
    payers = [rules.ledger.payers[name] for name in names]
    if len({(each.currency, each.gpu, repr(each.charge), each.prices) for each in payers}) == 1:
        parts = [(row.run, row.day, dict(row.run.days)[row.day]) for row in rows if row.run]
        booked = total(rules.booked(run, payers[0], day) * part for run, day, part in parts)
        found["pool.left"] = total(table.granted(each, rules.last) - table.charged(each) for each in payers) - booked
    return found


def _hours(table: Table) -> Figures:
    """The figures of the project in hours of its card."""
    works = [piece for piece in table.pieces if piece.item and not piece.item.currency]
    held, lost = total(row.held for row in table.rows), total(piece.lost for piece in table.pieces)
    earned = total(piece.share * piece.plan for piece in works)
    final = total(piece.plan * (1 + piece.item.contingency) for piece in works if piece.item)
    found: Figures = {
        "held": held,
        "lost": lost,
        "done": earned,
        "work_to_do": total((1 - piece.share) * piece.plan for piece in works),
        "left_of_plan": final - held,
    }
    if held:
        found |= {"lost_share": lost / held, "cpi": earned / held}
    if table.window is not None:
        found["pace"] = table.pace
    return found


def _money(table: Table) -> Figures:
    """The figures of the project in its currency; what grants are worth in kind is among them."""
    items, payers = table.rules.ledger.items, table.rules.ledger.payers
    spent = total(row.amount for row in table.rows)
    grants = {(payer.id,) for payer in payers.values() if not payer.currency}
    to_do = total(table.money_of(work, work.to_do) for work in table.to_come)
    final = total(table.money_of(work, work.planned) * (1 + work.item.contingency) for work in table.to_come)
    found: Figures = {
        "money.spent": spent,
        "money.in_kind": total(row.amount for row in table.rows if row.payers in grants),
        "money.to_do": to_do,
        "money.final": final,
        "money.left_of_plan": final - spent,
    }
    for phase in dict.fromkeys(item.phase for item in items.values()):
        of_phase = {item.id for item in items.values() if item.phase == phase}
        rows = [row for row in table.rows if row.run and row.run.item in of_phase]
        found[f"money.phase.{phase}"] = total(row.amount for row in rows)
    if not to_do:  # nothing is drawn that costs money
        found |= {"money.p50": spent, "money.p90": spent}
    return found


def _recurring(rules: Rules) -> Figures:
    """What recurring work is due by the calendar, and what of it is done."""
    found, on_schedule, ends = Figures(), True, []
    for item in rules.ledger.items.values():
        if not item.every or item.since is None or item.until is None:
            continue
        due = sum(end <= (rules.last or 0) for end in _period_ends(item.every, item.since, item.until))
        done = sum(run.item == item.id and run.status == "completed" for run in rules.ledger.runs)
        found |= {f"due.{item.id}": Fraction(due), f"done.{item.id}": Fraction(done)}
        on_schedule, ends = on_schedule and done >= due, [*ends, item.until]
    if ends:
        found |= {"on_schedule": Fraction(on_schedule), "end": date.fromordinal(max(ends)).isoformat()}
    return found


def _period_ends(every: str, since: int, until: int) -> Iterator[int]:
    """The last days of the months, quarters or years of the calendar between two days."""
    months = {"month": 1, "quarter": 3, "year": 12}[every]
    day = since
    while day <= until:
        at = date.fromordinal(day)
        last = (at.month - 1) // months * months + months
        end = days_of(f"{at.year}-{last:02}")[1]
        yield min(end, until)
        day = end + 1
