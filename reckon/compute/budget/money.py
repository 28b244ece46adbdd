"""What budgets, runs and forecasts cost, in the currency of a project.

A plan line costs its own hours at the last known price of its own card, with its contingency; or, a line of money, what
it states. What runs cost, `spending` says. Which prices count depends on who pays (`prices`). What is still to come
costs the last known price of the card that it is planned on: work to do exactly, and the forecast in each draw. A card
that no list has, or none has at that day, makes a sum "at least".

Hours that a grant pays for are worth something only where the grant names `prices`: that is *in kind*. A ceiling in
money is one of what is paid, and what is in kind is not held against it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from reckon.language.quantity import ONE, ZERO, Value, add_up
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import COSTS, OUTSIDE, Figures, Selection, missing_of
from reckon.model.ledger import Ledger

from ..sheet.cells import Result, formula_of, result
from ..sheet.sheet import Sheet
from .actuals import Tally
from .amounts_to_come import BilledShare, ToCome, write_amount_forecast, write_amount_to_do
from .forecast_inputs import Outlook
from .money_ceiling import write_money_ceiling
from .money_lines import MoneyLine
from .payer_units import values_of
from .payers import ProjectCharges
from .priced_cards import PricedCards
from .prices import last_rate, rate_on, rates_between
from .spending import Spending
from .work_to_do import Piece


def write_money(
    sheet: Sheet,
    ledger: Ledger,
    tally: Tally,
    charges: ProjectCharges,
    outlook: Outlook,
    pieces: Collection[Piece],
    lines: tuple[MoneyLine, ...],
) -> None:
    """Writes prices, and what plan, runs and forecast come to at them; nothing where no card that is used has one, and
    nothing else is planned or paid in money."""
    cards = PricedCards(sheet, ledger, tally, charges)
    if not cards.prices_any:
        return
    if cards.price(cards.own) is not None:
        price = f"money.{cards.currency}_per_gpu_hour"
        cards.writer.formula(price, "Price of an hour", formula_of("{}", cards.last(cards.own)), unit=cards.rate_unit)
    in_money = {line.item for line in lines}
    prices = {name: cards.last(used) for name, used in cards.planned_on.items() if name not in in_money}
    if cards.prices_plan:
        _write_plan(cards, prices)
        write_amount_to_do(cards.amounts, pieces, prices, cards.billing_of, lines)
    spending, known = Spending(cards), {piece.at: piece for piece in pieces}
    if cards.prices_runs:
        _write_runs(cards, spending)
        _write_in_kind(cards)
    if cards.prices_plan and cards.prices_runs:
        rates = {name: (price,) for name, price in prices.items()}
        billed = _billed_share(cards, spending, known) if spending.by_run else None
        coming = ToCome(cards.amounts, outlook, rates, lines, billed, tuple(pieces) if billed else ())
        write_amount_forecast(cards.amounts, coming)
        write_money_ceiling(cards, outlook, coming)


def _write_plan(cards: PricedCards, prices: Mapping[str, str]) -> None:
    """Planned amounts line by line, each with its contingency."""
    for name, item in cards.project.items.items():
        seeds = " * seeds" if item.scope == "per-seed" and cards.writer.has("seeds") else ""
        if item.currency:
            rate = last_rate(cards.ledger, item.currency, cards.currency)
            # Without a rate the amount stays in its own currency, which no sum in another one takes.
            formula = formula_of("{}" + seeds, item.currency)
            formula = rate.convert(formula) if rate else formula
        else:
            formula = formula_of("{}" + seeds + " * {}", cards.write_billed(name, item), prices[name])
        cards.amounts.write(f"plan.{name}.money.planned", f"{item.title}: planned", formula)
    cards.amounts.sum_plan()


def _write_in_own_currency(cards: PricedCards, name: str, item: r.Item) -> None:
    """What was spent of a line of money in its own currency: what is stated at the rate of its day, all else at the
    last one."""
    currency, own, others = item.currency, ZERO, ZERO
    for paid_in, costs in cards.charges.costs(lambda traits: traits.item):
        if costs.key == name:
            own += _converted(cards, costs.days, paid_in, currency)
            others += _converted(cards, costs.days, paid_in, cards.currency)
    last = _converted(cards, {0: ONE}, cards.currency, currency)
    actual = f"{cards.id}.plan.{name}.money.actual"

    def spent(figures: Figures) -> Result:
        figure = figures[actual]
        ends = (None if end is None else own + (end - others) * last for end in figure.value.ends)
        how = "what its runs cost, as they state it at the rate of their day, or at the last rate"
        return result(Value(*ends), how, [figure], figure.missing, figure.leaves)

    words, at = f"{item.title}: spent, in {currency.upper()}", f"plan.{name}.money.actual_{currency}"
    cards.writer.compute(at, words, key_unit(currency), [actual], spent)


def _converted(cards: PricedCards, days: Mapping[int, Fraction], currency: str, other: str) -> Fraction:
    """Money of some days in another currency, each at the rate of its day; without a day (0) at the last one."""
    found, rates = ZERO, rates_between(cards.ledger, currency, other)
    for day, amount in days.items():
        if rate := rate_on(rates, day):
            found += amount * (rate.value(values_of(cards.sheet)) or ZERO)
    return found


def _billed_share(cards: PricedCards, spending: Spending, pieces: Mapping[str, Piece]) -> BilledShare:
    """What reads how many hours will be billed of an hour of some pieces of work: as so far on their card, else as the
    runs of the plan would be."""

    def billed(at: Sequence[str], figures: Figures) -> Fraction:
        own = [pieces[address] for address in at]
        so_far = spending.billed_so_far(cards.planned_on[own[0].item])
        if so_far is not None:
            return so_far
        hours = add_up(piece.to_do(figures) for piece in own)
        items = cards.project.items
        parts = (piece.billed_to_do(figures, items[piece.item], cards.billing_of(piece.item)) for piece in own)
        return add_up(parts) / hours if hours else ONE

    return billed


def _write_runs(cards: PricedCards, spending: Spending) -> None:
    """What was spent by the card that ran: of each item and phase, in all, and what it leaves of the final budget."""
    for name, item in cards.project.items.items():
        spending.write(f"plan.{name}.money", item.title, Selection(cards.id, item=name))
        if item.currency not in ("", cards.currency):
            _write_in_own_currency(cards, name, item)
    spending.write("money", "Actual", Selection(cards.id))
    there = []
    for each in OUTSIDE:
        costs = (Selection(cards.id, field, item=each.item) for field in COSTS)
        if cards.writer.has(f"actual.{each.key}") or any(map(cards.tally.has, costs)):
            there.append(each)
    for each in there:
        spending.write(f"money.{each.key}", each.title, Selection(cards.id, item=each.item))
    cards.amounts.sum_runs(there)


def _write_in_kind(cards: PricedCards) -> None:
    """Writes what the hours are worth that grants paid for, where they say so; and what is paid beside that, where
    anything is held against it."""
    if cards.project.project.ceiling_money is None and not cards.terms.rules.drawn:
        return
    worth: dict[str, Fraction] = defaultdict(Fraction)
    granted = {name: grant for name, grant in cards.terms.rules.drawn.items() if not grant.currency}
    for name, grant in granted.items():
        if cards.terms.lists(name) is None:
            continue
        for days in cards.charges.billed(grant.charge, lambda traits: (traits.price, bool(traits.costs))):
            named, has_cost = days.key
            if days.payers != (name,) or has_cost:
                continue
            price = cards.price(cards.terms.used(named, days.card, days.payers))
            if price is None:
                continue
            for day, hours in days.days.items():
                worth[price.spans[price.at(day)].address] += hours
    stated = ZERO
    for currency, costs in cards.charges.costs(lambda traits: ""):
        if len(costs.payers) == 1 and costs.payers[0] in granted:
            stated += _converted(cards, costs.days, currency, cards.currency)
    worth.pop("", None)
    if not worth and not stated:
        cards.amounts.write("money.paid", "Paid", "actual")
        return
    needs = sorted(worth)

    def in_kind(figures: Figures) -> Result:
        prices = [figures[address] for address in needs]
        total = sum((worth[price.address] * (price.use or 0) for price in prices), stated)
        how = "hours that grants paid for, at the prices that these name"
        return result(total, how, prices, missing_of(prices))

    writer = cards.writer
    writer.compute("money.in_kind", "In kind: what granted hours are worth", cards.unit, needs, in_kind)
    writer.formula("money.paid", "Paid: actual less what is in kind", "actual - in_kind", unit=cards.unit)
