"""A second calculator of what payers are charged: exact fractions, by DESIGN of the charges alone.

It shares no code with the program, so that both can be held against each other. `figures` takes one
ledger in the shorthand of cases.yaml and gives the figures that `expect` names there. What rests on
draws is left out, and so is a figure that does not exist: a sum of payers in several units.

In this order: how far the work has come and what was lost (`Piece`); the table of charges and the
work to come (`Table`); the figures of each payer and of the project. Who pays is in `rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Any

from tests.charges.rules import ONE, ZERO, Payers, Rules, total
from tests.charges.shorthand import Item, Money, Payer, Run, days_of, read

USEFUL = ("completed", "running")
Figures = dict[str, Fraction | str]


def figures(ledger: Mapping[str, Any]) -> Figures:
    """The figures of a ledger: fractions, and days as texts (`None` for a day that never comes)."""
    rules = Rules(read(ledger))
    table = Table(rules)
    found = {**_hours(table), **_money(table), **_pool(table), **_recurring(rules)}
    for payer in rules.ledger.payers.values():
        found |= _of_payer(table, payer)
    for names in dict.fromkeys(work.payers for work in table.to_come):
        found |= _in_turn(table, names) if rules.follow_each_other(names) else {}
    for name, until in rules.ledger.closed:
        payer = rules.ledger.payers[name]
        found[f"closed.{name}.left"] = table.granted(payer, until) - table.charged(payer, until)
    return found


@dataclass(frozen=True)
class Piece:
    """An item, or a seed of one: its attempts in order, with their hours on the project's card."""

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
        """Hours for all of it: as planned, or of the fastest attempt if several were all slower."""
        steps = zip(self.attempts, self.gained, strict=True)
        took = [hours / share for (_, hours), share in steps if share > 0]
        return min(took) if len(took) > 1 and min(took) > self.plan else self.plan

    @cached_property
    def lost(self) -> Fraction:
        """Hours of failed attempts less what their progress takes, and progress that went back."""
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
        """How much is done: as the latest attempt says, else by runs, else by hours or money."""
        stated = [run.done for run, _ in self.attempts if run.done is not None]
        in_money = bool(self.item and self.item.currency)
        if stated:
            return min(ONE, stated[-1])
        if self.item and self.item.runs and not in_money:
            completed = sum(run.status == "completed" for run, _ in self.attempts)
            return min(ONE, completed / self.item.runs)
        useful = self.spent if in_money else self.held - self.lost
        return min(ONE, useful / self.plan) if self.plan else ONE


@dataclass(frozen=True)
class Row:
    """A charge: a run on a day. `booked` is in the unit of its only payer."""

    run: Run
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
        """The hours of a run in the budget of hours, which has none of a line of money."""
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
            seed = run.seed if item and item.per_seed else ""
            by_piece.setdefault((run.item, seed), []).append(run)
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
            return Piece(item, item.plan * rules.counts(item), attempts)
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

    def cost_of(self, work: ToCome, planned: Fraction) -> Money | None:
        """What so much of the work of an item costs, at the last price."""
        rules, item = self.rules, work.item
        if item.currency:
            return item.currency, planned
        payer = rules.payer_of(work.payers)
        if payer is None and work.payers:
            return None
        found = rules.price(item.price, payer, rules.card(item), None)
        if found is None:
            return None
        (currency, price), of_list = found
        return currency, price * planned * rules.shape(item, rules.billing(payer, of_list))

    def money_of(self, work: ToCome, planned: Fraction) -> Fraction:
        """The same in the currency of the project, at the last rate."""
        cost = self.cost_of(work, planned)
        return self.rules.convert(cost, self.rules.ledger.currency, None) if cost else ZERO

    def units_of(self, work: ToCome, payer: Payer) -> Fraction:
        """What a payer would book for the work of an item that is not done."""
        rules, item = self.rules, work.item
        if payer.currency:
            cost = self.cost_of(work, work.to_do)
            return rules.convert(cost, payer.currency, None) if cost else ZERO
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
        """What was booked up to a day, with what the payer booked and refunded without a run."""
        signs = {"charged": 1, "refunded": -1}
        entries = [each for each in payer.changes if until is None or each.day <= until]
        rows = [row for row in self.rows if row.payers == (payer.id,)]
        rows = [row for row in rows if until is None or row.day is None or row.day <= until]
        without_run = total(signs.get(each.kind, 0) * each.amount for each in entries)
        return total(row.booked for row in rows) + without_run

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
        rows = [row for row in self.rows if row.run.item not in recurring]
        return total(row.held for row in rows if row.day and row.day >= first) / many

    def used_up(self, payer: Payer, left: Fraction) -> str:
        """The day on which a payer is used up at its share of the pace.

        `None` where its work is not more than is left, or the data is of less than a week.
        """
        paid = [work for work in self.to_come if work.payers == (payer.id,)]
        if total(self.units_of(work, payer) for work in paid) <= left:
            return "None"
        paced = [work for work in self.to_come if not (work.item.every or work.item.currency)]
        every = total(work.to_do * self.rules.counts(work.item) for work in paced)
        own = total(self.units_of(work, payer) for work in paced if work in paid)
        if self.window is None or self.window[1] < 7 or not own or not self.pace:
            return "None"
        days = -(-left // (own / every * self.pace))
        return date.fromordinal((self.rules.last or 0) + int(days)).isoformat()


def _of_payer(table: Table, payer: Payer) -> Figures:
    """The figures of a payer, in its unit."""
    last, works = table.rules.last, [work for work in table.to_come if work.payers == (payer.id,)]
    granted, charged = table.granted(payer, last), table.charged(payer)
    to_do = total(table.units_of(work, payer) for work in works)
    rows = [row for row in table.rows if row.payers == (payer.id,)]
    left, promised = granted - charged, table.promised(payer)
    found: Figures = {
        "granted": granted,
        "charged": charged,
        "left": left,
        "to_do": to_do,
        "short": max(to_do - max(left, ZERO), ZERO),
        "need": total(table.units_of(work, payer) * (1 + work.item.contingency) for work in works),
        "in_flight": total(row.booked for row in rows if row.run.status == "running"),
        "committed": promised,
        "free": left - promised,
    }
    if left >= 0:
        found["used_up"] = table.used_up(payer, left)
    return {f"{name}.{payer.id}": value for name, value in found.items()}


def _in_turn(table: Table, names: Payers) -> Figures:
    """The row of payers that follow each other, `q2+q3`, for work that names none of them."""
    payers, last = [table.rules.ledger.payers[name] for name in names], table.rules.last
    lefts = [table.granted(payer, last) - table.charged(payer) for payer in payers]
    to_do = total(table.units_of(work, payers[0]) for work in table.to_come if work.payers == names)
    found = {"left": total(lefts), "to_do": to_do}
    found["short"] = max(to_do - total(max(left, ZERO) for left in lefts), ZERO)
    return {f"{name}.{'+'.join(names)}": value for name, value in found.items()}


def _pool(table: Table) -> Figures:
    """Hours that several could be charged for, and what is left of these if they have one unit."""
    rules = table.rules
    several = [work for work in table.to_come if len(work.payers) > 1]
    works = [work for work in several if not rules.follow_each_other(work.payers)]
    hours = [work for work in works if not work.item.currency]
    rows = [row for row in table.rows if len(row.payers) > 1]
    found: Figures = {
        "pool.unnamed": total(row.held for row in rows),
        "pool.to_do": total(work.to_do * rules.counts(work.item) for work in hours),
    }
    groups = [row.payers for row in rows] + [work.payers for work in works]
    names = dict.fromkeys(name for group in groups for name in group)
    payers = [rules.ledger.payers[name] for name in names]
    units = {(each.currency, each.gpu, repr(each.charge), each.prices) for each in payers}
    if len(units) == 1:
        parts = [(row, dict(row.run.days)[row.day]) for row in rows]
        booked = total(rules.booked(row.run, payers[0], row.day) * part for row, part in parts)
        lefts = [table.granted(each, rules.last) - table.charged(each) for each in payers]
        found["pool.left"] = total(lefts) - booked
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
    works = [(work, 1 + work.item.contingency) for work in table.to_come]
    to_do = total(table.money_of(work, work.to_do) for work, _ in works)
    final = total(table.money_of(work, work.planned) * times for work, times in works)
    found: Figures = {
        "money.spent": spent,
        "money.in_kind": total(row.amount for row in table.rows if row.payers in grants),
        "money.to_do": to_do,
        "money.final": final,
        "money.left_of_plan": final - spent,
    }
    for phase in dict.fromkeys(item.phase for item in items.values()):
        of_phase = {item.id for item in items.values() if item.phase == phase}
        rows = [row for row in table.rows if row.run.item in of_phase]
        found[f"money.phase.{phase}"] = total(row.amount for row in rows)
    if not to_do:  # nothing is drawn that costs money
        found |= {"money.p50": spent, "money.p90": spent}
    return found


def _recurring(rules: Rules) -> Figures:
    """What recurring work is due by the calendar, and what of it is done."""
    found, on_schedule, ends = Figures(), True, list[int]()
    for item in rules.ledger.items.values():
        if not item.every or item.since is None or item.until is None:
            continue
        periods = _period_ends(item.every, item.since, item.until)
        due = sum(end <= (rules.last or 0) for end in periods)
        completed = [run for run in rules.ledger.runs if run.status == "completed"]
        done = sum(run.item == item.id for run in completed)
        found |= {f"due.{item.id}": Fraction(due), f"done.{item.id}": Fraction(done)}
        on_schedule, ends = on_schedule and done >= due, [*ends, item.until]
    if ends:
        found["on_schedule"] = Fraction(on_schedule)
        found["end"] = date.fromordinal(max(ends)).isoformat()
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
