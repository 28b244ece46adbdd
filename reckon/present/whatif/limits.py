"""What the work to do leaves of each limit of a project, as formulas over its plan: ceilings, who pays, and last days.

The engine works these figures out by functions (`short_by`, `paid_to_do`, `earliest_end`). Here the same is a formula,
so that a page can calculate it again. What such a formula cannot say (how much is done, where only hours say it; what
is billed of runs in steps) is a number that rests on the plan: once that moves, the page leaves what follows to the
program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from reckon.compute.budget.billing import billed_of_plan
from reckon.compute.budget.pace import measure_of
from reckon.compute.budget.payer_units import PayerTerms, values_in
from reckon.compute.budget.prices import last_rate
from reckon.compute.budget.work_to_do import base_items
from reckon.compute.sheet.cells import Term, chain_of, formula_of, read_formula
from reckon.compute.sheet.evaluate import derive
from reckon.compute.sheet.inputs import phases_of
from reckon.language.calendar_days import DAYS, last_day
from reckon.language.expression import Formula, names
from reckon.language.quantity import ZERO, add_up, point
from reckon.language.units import GPU_HOURS, Unit
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure, Worked, is_known, operands

from ..view import View


class Limits:
    """The limits of a project: what the work to do leaves of each is a figure at the address of the limit, which is
    below zero where the limit is short."""

    def __init__(self, view: View) -> None:
        self.view, self.ledger, self.figures = view, view.book.ledger, dict(view.book.figures)

    def all(self) -> Iterator[Figure]:
        """Each limit that can be judged, in its own unit."""
        project, paid = self.view.ledger, self.view.maybe("money.paid_to_do")
        own = [figure.address.split(".")[2] for figure in operands(paid)] if paid else []
        ceilings = [(project.id, f"{project.id}.actual", base_items(project), own)]
        for name, phase in phases_of(project):
            at, items = f"{project.id}.phases.{name}", [*map(str, phase.items)]
            ceilings.append((at, at, items, items))
        for at, hours_at, items, paid_items in ceilings:
            works = [self._hours(f"{project.id}.plan.{item}") for item in items]
            title = "Ceiling, without contingency" if at == project.id else ""
            yield from self._limit(f"{at}.ceiling", title, [f"{hours_at}.below_ceiling"], works)
            works = [self._money(f"{project.id}.plan.{item}") for item in paid_items]
            yield from self._limit(f"{at}.money.ceiling", "", [f"{at}.money.below_ceiling"], works)
        for name in self.view.allocations:
            if short := self.figures.get(f"allocations.{name}.short_by"):
                yield from self._payer(name, self.ledger.allocations[name], *operands(short))
        yield from self._last_days()

    def _payer(self, name: str, grant: r.Allocation, to_do: Figure, left: Figure, *follow: Figure) -> Iterator[Figure]:
        """What is left of an allocation, and of those that pay after it, less the work to come that it pays for."""
        at, lefts = f"allocations.{name}", list[Term](figure.address for figure in (left, *follow))
        items = dict.fromkeys(".".join(figure.address.split(".")[:3]) for figure in operands(to_do))
        costs = [
            cost for item in items if (cost := self.figures.get(f"{item}.money.actual")) and cost.unit == left.unit
        ]
        # What it is charged follows the prices, where that is all that its items cost.
        spent = add_up(cost.use or ZERO for cost in costs)
        if costs and left.use == self._use(f"{at}.granted") - spent:
            lefts[0] = chain_of(" - ", [f"{at}.granted", *(cost.address for cost in costs)])
        title = f"{grant.title}, in {grant.unit_words}" if grant.units is not None else str(grant.title)
        works = [self._paid_work(item, grant, name) for item in items]
        yield from self._limit(at, title, lefts, works if not to_do.missing else [to_do.address])

    def _last_days(self) -> Iterator[Figure]:
        """The last days of phases that are not done, less the days that their work takes on all GPUs."""
        start = self._use(f"{self.view.id}.schedule.start")
        for name, phase in phases_of(self.view.ledger):
            at, until = f"{self.view.id}.phases.{name}", last_day(str(phase.until or ""))
            if start and until and self._use(f"{at}.to_do"):
                days = read_formula(f"{until - start + 1} day")
                formula = formula_of("{} - max(ceil({}.ends_after / (1 day)), 1) * 1 day", days, at)
                yield from self._figure(
                    f"{at}.until", f"{phase.title}, on all GPUs without a break, by {phase.until}", DAYS, formula
                )

    def _limit(self, address: str, title: str, lefts: Sequence[Term], works: Iterable[Term]) -> Iterator[Figure]:
        """What is left of a limit, none of it below nothing, less some work to do."""
        if first := self.figures.get(formula_of("{}", lefts[0]).text.split()[0]):
            left = chain_of(" + ", [formula_of("max({}, 0 * {})", each, first.address) for each in lefts])
            title = title or self.figures[address].title
            yield from self._figure(
                address, title, first.unit, chain_of(" - ", [left, *(work for work in works if work)])
            )

    def _figure(self, address: str, title: str, unit: Unit, formula: Formula) -> Iterator[Figure]:
        """The figure of a formula over full addresses and numbers; none where one is missing."""
        found = {name.name: self.figures.get(name.name) for name in names(formula.tree)}
        known = {name: figure for name, figure in found.items() if is_known(figure)}
        if known.keys() == found.keys():
            yield derive(formula, known, unit, address=address, title=title)

    def _use(self, address: str) -> Fraction:
        """The value to plan with at an address; 0 where there is none."""
        figure = self.figures.get(address)
        return (figure.use if figure else None) or ZERO

    def _number(self, value: Fraction, unit: Unit, *over: str) -> str:
        """The name of a number that rests on the figures at some addresses."""
        name = f"number_{len(self.figures)}"
        origin = Worked("", tuple(self.figures[address] for address in over if address in self.figures))
        self.figures[name] = Figure(name, name, unit, point(value), origin)
        return name

    def _hours(self, at: str) -> Term:
        """The hours of an item that are not done, as its project counts them; nothing of one that has none."""
        to_do = self.figures.get(f"{at}.to_do")
        if to_do is None or to_do.missing:
            return to_do.address if to_do else ""
        is_earned = to_do.use == self._use(f"{at}.bac") - self._use(f"{at}.earned")
        if is_earned and not self.figures[f"{at}.earned"].missing:
            return formula_of("({0}.bac - {0}.earned)", at)
        return self._number(self._use(to_do.address), GPU_HOURS, f"{at}.bac", to_do.address)

    def _work(self, at: str, total: Fraction, unit: Unit, is_billed: bool) -> Formula:
        """The work to do of an item of which all, as planned, takes so much. What is billed of runs rests on these."""
        planned, runs = self._use(f"{at}.bac"), f"{at}.runs"
        over = (f"{at}.bac", runs) if not planned or (is_billed and runs in self.figures) else ()
        number = self._number(total / planned if planned else planned, unit.per(GPU_HOURS), *over)
        return formula_of("{} * {}", self._hours(at), number)

    def _money(self, at: str) -> Term:
        """What is to do of an item, in the currency of its project."""
        to_do = self.figures.get(f"{at}.money.to_do")
        if to_do is None or isinstance(to_do.origin, Calculated):
            return to_do.address if to_do else ""
        price = next(operands(to_do))
        hours, billed = self._use(f"{at}.money.planned") / (price.use or 1), f"{at}.money.billed_hours"
        return formula_of("{} * {}", self._work(at, hours, GPU_HOURS, billed in self.figures), price.address)

    def _paid_work(self, at: str, grant: r.Allocation, payer: str) -> Term:
        """The work to do of an item in the unit of the allocation that pays for it."""
        project = self.ledger.projects[at.partition(".")[0]]
        item = project.items[at.rpartition(".")[2]]
        if grant.currency:
            rate = last_rate(self.ledger, str(project.project.currency), grant.currency)
            money = self._money(at)
            return rate.convert(money) if rate else money
        card = str(item.gpu or project.project.gpu)
        factor, _ = PayerTerms(self.ledger, project, payer).factor(values_in(self.figures), card)
        planned, seeds = self._use(f"{at}.gpu_hours"), self._use(f"{project.id}.seeds")
        billed = billed_of_plan(planned, grant.charge, self._use(f"{at}.runs"), item.gpus)
        total = billed * factor * (seeds if seeds and item.scope == "per-seed" else 1)
        return self._work(at, total, measure_of(grant).unit, grant.bills)
