"""What is to come of an amount that goes with hours: of the work to do exactly, and in each draw of the forecast.

A lane of the forecast (`payers.Lane`) is work of which each hour takes the same. In each draw its hours to come are
multiplied by that: by the last known price of its card, or by its power, the PUE, and the emissions of a kWh. So the
percentiles are read off the same draws as those of hours. Of a price or power with a range the planning value is taken;
where one is not known, what is to come is "at least".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import prod

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, Value, add_up
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figure, Figures
from reckon.model.kinds import EXTENDED, FINAL

from ..sheet.cells import Addresses, Result, result, total_of
from ..sheet.inputs import ratio_address
from .amounts import Amounts
from .forecast import DrawnFigures
from .forecast_inputs import Outlook, Unknown, demand
from .money_lines import MoneyLine, add_lines
from .payers import Lane
from .random_numbers import DRAWS
from .simulation import PERCENTS, add_draws, floated
from .work_to_do import HOW, Piece, base_items

Rates = Mapping[str, Addresses]
"""The addresses of what an hour of each item on its own card is multiplied by; lines of money have none."""
BilledShare = Callable[[Sequence[str], Figures], Fraction]
"""How many hours will be billed of an hour of some pieces of work, by their addresses."""


def write_amount_forecast(amounts: Amounts, coming: ToCome) -> None:
    """Writes the forecast of an amount: what was taken, and what is to come in so many percent of the draws."""
    total = FINAL if amounts.has(FINAL.hours) else EXTENDED
    group, spent = amounts.group, f"{amounts.group}.{'base' if total is FINAL else 'actual'}"
    if not amounts.has(f"{group}.{total.id}") or not amounts.has(spent) or not amounts.has("forecast.p50"):
        return
    drawn = DrawnFigures(
        amounts.writer, coming.outlook, coming.draws, more=coming.needs, unit=amounts.unit, rates=coming.rate_needs
    )
    parts = [spent, *coming.write_unknown()]
    for percent in PERCENTS:
        to_come = f"{group}.to_come_p{percent}"
        drawn.quantile(to_come, f"To come, P{percent}, {amounts.words}", percent)
        formula = total_of([*parts, to_come])
        amounts.write(f"{group}.forecast_p{percent}", f"Forecast, P{percent}", formula, late=True)


class _LaneRate(Struct, frozen=True):
    """What an hour to come of a lane is multiplied by: the addresses of the factors, and of what an hour on its card
    counts in hours of the project (empty: the same); `pieces` are the addresses of its pieces of work."""

    factors: Addresses
    ratio: str
    pieces: Addresses

    @property
    def needs(self) -> Addresses:
        """The addresses that it reads."""
        return (*self.factors, *filter(None, [self.ratio]))


class ToCome:
    """What is to come of an amount in the base budget of a project, or in extensions where there is nothing else: of
    hours by lane, and of `lines` of money. `billed` reads how many hours will be billed of an hour of `pieces`."""

    def __init__(
        self,
        amounts: Amounts,
        outlook: Outlook,
        rates: Rates,
        lines: Sequence[MoneyLine] = (),
        billed: BilledShare | None = None,
        pieces: Sequence[Piece] = (),
    ) -> None:
        self.amounts, self.outlook, self.billed, self.pieces = amounts, outlook, billed, pieces
        self.phases = outlook.base if amounts.has(FINAL.hours) else tuple(outlook.phases)
        self.lines = [line for line in lines if line.in_base]
        coming = (piece for piece in outlook.pieces_in(self.phases) if outlook.item_of(piece) in rates)
        by_lane = group_by(coming, lambda piece: outlook.lanes[piece])
        self.lanes = {lane: self._rate(lane, tuple(own), rates) for lane, own in by_lane.items()}

    @property
    def needs(self) -> Addresses:
        """The addresses that it reads beside those of the outlook."""
        own = [need for line in self.lines for need in line.needs]
        own += [need for piece in self.pieces for need in piece.needs]
        return tuple(dict.fromkeys((*self.rate_needs, *own)))

    def _rate(self, lane: Lane, pieces: Addresses, rates: Rates) -> _LaneRate:
        """What an hour of a lane is multiplied by: the same for all items in it."""
        sheet, project = self.amounts.writer.sheet, self.amounts.project
        names = rates[self.outlook.item_of(pieces[0])]
        factors = (sheet.find(f"{project.id}.{self.amounts.group}", name)[0] for name in names)
        target = project.gpu
        ratio = "" if lane.card == target else ratio_address(lane.card, target)
        return _LaneRate(tuple(factors), ratio if ratio in sheet.cells else "", pieces)

    @property
    def rate_needs(self) -> Addresses:
        """The addresses of what hours are multiplied by."""
        return tuple(dict.fromkeys(need for rate in self.lanes.values() for need in rate.needs))

    def _hours(
        self, figures: Figures, only_paid: bool = False, is_planned: bool = False
    ) -> list[tuple[_LaneRate, list[float]]]:
        """The lanes that have hours to come (of those that are paid for in money, if asked), with these in each draw,
        in hours of the project; as planned, all of their hours. Raises Unknown."""
        found = []
        for lane, hours in self.outlook.coming_by_lane(figures, self.phases, is_planned).items():
            rate = self.lanes.get(lane)
            if rate is not None and any(hours) and not (only_paid and self._is_in_kind(lane)):
                found.append((rate, hours))
        return found

    def _is_in_kind(self, lane: Lane) -> bool:
        """Whether a grant of hours or units pays."""
        return bool(lane.payers) and not lane.in_money

    def draws(self, figures: Figures, only_paid: bool = False, is_planned: bool = False) -> list[float]:
        """What is to come in each draw (of what is paid for in money, if asked), or what there is as planned. What an
        hour takes at least, where no more is known, is nothing. Raises Unknown."""
        coming, totals = self._hours(figures, only_paid, is_planned), [0.0] * DRAWS
        demand(figures[need] for rate, _ in coming for need in rate.needs)
        for rate, hours in coming:
            totals = add_draws(totals, hours, self._per_hour(figures, rate))
        return add_lines(totals, [(line, self.outlook, 1.0) for line in self.lines], figures, is_planned)

    def _per_hour(self, figures: Figures, rate: _LaneRate) -> float:
        """What an hour to come, in hours of the project, takes at the planning values of its factors."""
        factors = [figures[address] for address in rate.factors]
        base = prod([figure.unit.to_base(figure.use or ZERO) for figure in factors], start=ONE)
        taken = self.amounts.unit.from_base(base * GPU_HOURS.to_base(ONE))
        taken *= self.billed(rate.pieces, figures) if self.billed else 1
        counted = figures[rate.ratio].use if rate.ratio else None
        return floated(taken / counted if counted else taken)

    def write_paid_to_do(self) -> str:
        """Writes the work to do that is paid for in money; gives the address of that inside the project."""
        group = self.amounts.group
        items = dict.fromkeys(
            self.outlook.item_of(piece)
            for lane, rate in self.lanes.items()
            if not self._is_in_kind(lane)
            for piece in rate.pieces
        )
        parts = [f"plan.{name}.{group}.to_do" for name in (*items, *(line.item for line in self.lines))]
        address = f"{group}.paid_to_do"
        words = "Work to do that is paid for"
        if parts:
            self.amounts.writer.formula(address, words, total_of(parts), unit=self.amounts.unit, late=True)
        else:
            self.amounts.writer.count(address, words, self.amounts.unit, 0, "all work to do is paid for in kind")
        return address

    def write_unknown(self) -> list[str]:
        """Writes what is to come at a price or power that is not known, if there is any; gives its address back."""
        cells = self.amounts.writer.sheet.cells
        factors = (need for rate in self.lanes.values() for need in rate.factors)
        contents = {need: cells[need].content for need in factors if need in cells}  # a grid may be unread
        least = {need for need, content in contents.items() if isinstance(content, Figure) and content.use is None}
        if not least:
            return []
        address, title = f"{self.amounts.group}.to_come_unknown", f"To come, not known, {self.amounts.words}"

        def unknown(figures: Figures) -> Result:
            try:
                found = [need for rate, _ in self._hours(figures) for need in rate.factors]
            except Unknown:
                found = []
            open_ended = sorted(least.intersection(found))
            value = Value(ZERO, None, None) if open_ended else 0
            rests_on = (figures[need] for need in open_ended)
            return result(value, "work to come of which an hour takes", rests_on, (), dict.fromkeys(open_ended, 1))

        needs = (*self.outlook.needs(), *self.needs)
        self.amounts.writer.compute(address, title, self.amounts.unit, needs, unknown, late=True)
        return [address]


def write_amount_to_do(
    amounts: Amounts,
    pieces: Iterable[Piece],
    prices: Mapping[str, str],
    billing_of: Callable[[str], r.Billing | None],
    lines: Iterable[MoneyLine],
) -> None:
    """Writes what the work to do of each item takes, at the address of what an hour on its card takes; what of each
    line of money is not done; and all of it. `billing_of` says what is billed of the runs of an item."""
    by_item = group_by(pieces, lambda piece: piece.item)
    for name, own in by_item.items():
        if name in prices:
            _write_item_to_do(amounts, name, own, prices[name], billing_of(name))
    for line in lines:
        title = f"{amounts.project.items[line.item].title}: work to do"
        left = "money.planned * max(1 - complete_share, 0)"
        amounts.write(f"plan.{line.item}.{amounts.group}.to_do", title, left, late=True)
    if by_item:
        total = total_of([f"plan.{name}.{amounts.group}.to_do" for name in base_items(amounts.project)])
        amounts.write(f"{amounts.group}.to_do", "Work to do", total, late=True)


def _write_item_to_do(
    amounts: Amounts, name: str, pieces: Sequence[Piece], price: str, billing: r.Billing | None
) -> None:
    """Writes what the work to do of an item takes, as it is billed."""
    item = amounts.project.items[name]
    at, title = f"plan.{name}.{amounts.group}.to_do", f"{item.title}: work to do, {amounts.words}"
    needs = [price, *(need for piece in pieces for need in piece.needs)]

    def to_do(figures: Figures) -> Result:
        rate = figures[price]
        hours = add_up(piece.billed_to_do(figures, item, billing) for piece in pieces)
        missing = [each for piece in pieces for each in piece.missing(figures)]
        missing += rate.missing if hours else ()
        rests_on = (rate, *(figures[f"{piece.at}.complete_share"] for piece in pieces))
        how = f"{HOW}, on their own card, at the last price"
        if missing or not hours:
            return result(0, how, rests_on, missing)
        return result(rate.value.scaled(hours), how, rests_on, (), rate.leaves)

    amounts.writer.compute(at, title, amounts.unit, needs, to_do, late=True)
