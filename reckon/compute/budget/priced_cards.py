"""The cards that a project uses and what an hour on each costs, as its money is written."""

from __future__ import annotations

from functools import cached_property

from msgspec.structs import replace

from reckon.language.quantity import ZERO, Value, point
from reckon.language.units import GPU_HOURS, key_unit
from reckon.model import records as r
from reckon.model.figure import COSTS, SUMMED, Figures
from reckon.model.ledger import Ledger

from ..sheet.cells import Result, formula_of, result
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .amounts import Amounts
from .billing import billed_of_plan
from .payers import ProjectCharges
from .prices import PAR, UNNAMED, CardPrice, PricedCard, PriceSpan, Terms, planned_on, price_of, ran_on


class PricedCards:
    """The prices of the cards that a project uses, in its currency; what is written goes to its sheet."""

    def __init__(self, sheet: Sheet, ledger: Ledger, tally: Tally, charges: ProjectCharges) -> None:
        self.sheet, self.ledger, self.tally, self.charges = sheet, ledger, tally, charges
        self.project, self.writer = tally.project, FigureWriter(sheet, tally.project.id)
        self.id, self.names_some = self.project.id, self.project.names_some("price")
        self.currency = self.project.currency
        self.unit, self.rate_unit = key_unit(self.currency), key_unit(f"{self.currency}_per_gpu_hour")
        self.amounts = Amounts(self.writer, self.project, "money", "in money", self.unit)
        self.terms = Terms(ledger, charges.rules)
        self.own = PricedCard(self.project.project.price or "", self.project.gpu)
        self.planned_on = dict(planned_on(self.terms, tally.spent.last))
        """The card of each item, with the price list or the payer that counts."""
        self._prices: dict[PricedCard, CardPrice | None] = {}

    @cached_property
    def ran_on(self) -> list[PricedCard]:
        """The cards that runs were on, with the price lists that are named for them."""
        known = self.ledger.catalog.gpus  # another text is refused, not counted
        return sorted(used for used in ran_on(self.project) if used.card in known)

    def price(self, used: PricedCard) -> CardPrice | None:
        """The prices of a card, those in another currency converted; None where no list has one."""
        if used not in self._prices:
            found = price_of(self.ledger, self.project, used)
            if found and any(span.rate != PAR for span in found.spans):
                spans = tuple(self._convert(used, span) for span in found.spans)
                found = replace(found, spans=spans, last=spans[found.spans.index(found.last)])
            self._prices[used] = found
        return self._prices[used]

    def _convert(self, used: PricedCard, span: PriceSpan) -> PriceSpan:
        """A span of days with the address of the price that is converted."""
        if span.rate == PAR or not span.address:
            return span
        key = f"money.{used.within}price.{used.card}.{span.name}"
        if not self.writer.has(key):
            words = f"Price of an hour {used.words}, {span.words}"
            self.writer.formula(key, words, span.rate.convert(span.address), unit=self.rate_unit)
        return replace(span, address=f"{self.id}.{key}")

    def cost(self, at: str, title: str, price: str) -> str:
        """Writes what the hours at an address inside the project cost at a price; gives the address of that back."""
        self.writer.formula(f"{at}.cost", f"{title}: cost", formula_of("{}.hours * {}", at, price), unit=self.unit)
        return f"{at}.cost"

    def last(self, used: PricedCard) -> str:
        """The address of the last known price of a card; of nothing, of hours that cost no money; and of a price of at
        least nothing, of a card that no list has."""
        price = self.price(used)
        if self.terms.is_free(used):
            return self._constant(used, "price", "hours that were granted cost no money", point(0))
        if price is not None:
            return price.last.address
        lists = f"the price list {used.named} does not have this card"
        lists = "the payer is unknown" if used.payer == UNNAMED else lists
        return self.unpriced(used, lists if used.named or used.payer else "no price list of the project has this card")

    def unpriced(self, used: PricedCard, how: str) -> str:
        """The address of a price of at least nothing, of a card whose price is not known, or not at some days."""
        return self._constant(used, "unpriced", how, Value(ZERO, None, None))

    def _constant(self, used: PricedCard, key: str, how: str, value: Value) -> str:
        """Writes a price that no list states; gives its address."""
        at, words = f"money.{used.within}{key}.{used.card}", f"Price of an hour {used.words}"
        return f"{self.id}.{self.writer.count_once(at, words, self.rate_unit, value, how)}"

    def billing_of(self, name: str) -> r.Billing | None:
        """What is billed of the work to come of an item: by the unit of a grant that pays, else by its price list."""
        lane = self.terms.rules.coming(name, self.tally.spent.last)
        grant = self.terms.rules.drawn.get(lane.payers[0]) if lane.payers else None
        if grant is not None and not grant.currency:
            return grant.charge
        price = self.price(self.planned_on[name])
        return self.ledger.catalog.prices[price.last.listed].billing if price else None

    def write_billed(self, name: str, item: r.Item) -> str:
        """The planned hours of an item, of one seed where it is per seed, as they would be billed: their address."""
        billing, hours_at = self.billing_of(name), f"{self.id}.plan.{name}.gpu_hours"
        if billing is None or not billing.bills or item.gpus is None:
            return "gpu_hours"

        def billed(figures: Figures) -> Result:
            hours, runs = figures[hours_at], item.runs_a_piece
            ends = (None if end is None else billed_of_plan(end, billing, runs, item.gpus) for end in hours.value.ends)
            how = "planned hours as they would be billed, in the runs that the plan says"
            return result(Value(*ends), how, [hours], hours.missing, hours.leaves)

        writer = FigureWriter.of_item(self.sheet, self.project, name)
        writer.compute("money.billed_hours", "hours that would be billed", GPU_HOURS, [hours_at], billed)
        return "money.billed_hours"

    @property
    def has_ceiling(self) -> bool:
        """Whether a ceiling in money is stated."""
        phases = (phase.ceiling_money for phase in self.project.plan.values())
        return any(ceiling is not None for ceiling in (self.project.project.ceiling_money, *phases))

    @property
    def prices_plan(self) -> bool:
        """Whether anything that is planned has a price, or is a line of money; or a ceiling in money asks for that."""
        lines = self.has_ceiling or any(item.currency for item in self.project.items.values())
        return lines or any(self.price(used) is not None for used in self.planned_on.values())

    @property
    def prices_runs(self) -> bool:
        """Whether any card that runs were on has a price, or runs state what they cost, or there are none."""
        stated = any(self.writer.has(f"actual.{each.key}") for each in SUMMED if each.name in COSTS)
        known = self.terms.differ or self.has_ceiling or any(self.price(used) is not None for used in self.ran_on)
        return not self.ran_on or stated or known

    @property
    def prices_any(self) -> bool:
        """Whether the project has to do with money at all."""
        in_money = any(grant.currency for grant in self.terms.rules.drawn.values())
        used = (self.own, *self.ran_on)
        return in_money or self.prices_plan or any(self.price(each) is not None for each in used)


def unpriced_at(used: PricedCard) -> str:
    """The address, inside the project, of the price of a card of which that is not known."""
    return f"money.{used.within}unpriced.{used.card}"
