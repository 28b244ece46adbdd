"""Lines of money in a plan: API, storage, a subscription, or an envelope that runs are paid from.

A line is done to the progress that its entries state, else to what of it is spent. What is still to come of it is drawn
as that of a piece of work: its money follows the ratio of each draw, with a noise of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import ZERO
from reckon.model.figure import Figures
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Addresses
from .forecast_inputs import Outlook, demand
from .payers import Lane, PayerRules
from .simulation import Piece, add_draws, draw, floated, learn
from .work_to_do import base_items


class MoneyLine(Struct, frozen=True):
    """A line of money: its project, its item, and who pays for what is to come of it."""

    project: ProjectLedger
    item: str
    lane: Lane

    @property
    def at(self) -> str:
        """Its address."""
        return f"{self.project.id}.plan.{self.item}"

    @property
    def needs(self) -> Addresses:
        """The addresses that it reads: what is planned and spent of it, and how far it is done."""
        return f"{self.at}.money.planned", f"{self.at}.money.actual", f"{self.at}.complete_share"

    @property
    def in_base(self) -> bool:
        """Whether it is part of the base budget, or of extensions where there is nothing else."""
        return self.item in base_items(self.project)

    def to_do(self, figures: Figures) -> Fraction:
        """The money of it that is not done."""
        plan, _, done = (figures[address].use or ZERO for address in self.needs)
        return plan * max(1 - done, ZERO)

    def missing(self, figures: Figures) -> Addresses:
        """The inputs without which that is not known."""
        return figures[self.needs[0]].missing

    def draws(self, outlook: Outlook, figures: Figures, is_planned: bool = False) -> list[float]:
        """What is to come of it in each draw; or what it takes in all, with nothing begun. Raises Unknown."""
        plan, spent, done = (figures[address] for address in self.needs)
        demand((plan,) if is_planned else (plan, spent))
        so_far = (0.0, 0.0) if is_planned else (floated(spent.use), floated(done.use))
        piece = Piece(floated(plan.use), *so_far)
        learnt = learn((), outlook.spread(figures))
        totals = draw((piece,), learnt, outlook.seed, outlook.id, f"money/{self.item}")
        return [max(total - piece.spent, 0.0) for total in totals]


def money_lines(project: ProjectLedger, rules: PayerRules, through: int) -> tuple[MoneyLine, ...]:
    """The lines of money of a project."""
    lines = (name for name, item in project.items.items() if item.currency)
    return tuple(MoneyLine(project, name, rules.coming(name, through)) for name in lines)


def add_lines(
    totals: list[float],
    lines: Iterable[tuple[MoneyLine, Outlook, float]],
    figures: Figures,
    is_planned: bool,
) -> list[float]:
    """Some draws, with what is to come of lines of money, each times a rate. Raises Unknown."""
    for line, outlook, rate in lines:
        totals = add_draws(totals, line.draws(outlook, figures, is_planned), rate)
    return totals
