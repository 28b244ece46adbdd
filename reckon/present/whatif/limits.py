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
from reckon.compute.budget.payer_units import unit_factor, values_in
from reckon.compute.budget.payers import PayerRules
from reckon.compute.budget.prices import last_rate
from reckon.compute.budget.work_to_do import base_items
from reckon.compute.sheet.cells import read_formula
from reckon.compute.sheet.evaluate import derive
from reckon.compute.sheet.inputs import phases_of
from reckon.language.calendar_days import DAYS, last_day
from reckon.language.expression import names
from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, Unit
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure, Worked, missing_of, operands
from reckon.model.ledger import ProjectLedger

from ..view import View

NO_HOURS = "0 gpu_hours"


class Limits:
    """The limits of a project: what the work to do leaves of each is a figure at the address of the limit, which is
    below zero where the limit is short."""

    def __init__(self, view: View) -> None:
        self.view, self.ledger, self.figures = view, view.book.ledger, view.book.figures
        self._made: dict[str, Figure] = {}

    def all(self) -> Iterator[Figure]:
        """Each limit that can be judged, in its own unit."""
        project, paid = self.view.ledger, self.view.maybe("money.paid_to_do")
        own = [figure.address.split(".")[2] for figure in operands(paid)] if paid else []
        yield from self._ceilings(project.id, "", f"{project.id}.actual", base_items(project), own)
        for name, phase in phases_of(project):
            at = f"{project.id}.phases.{name}"
            yield from self._ceilings(at, f", {phase.title}", at, phase.items, phase.items)
        for name in self.view.allocations:
            yield from self._payer(f"allocations.{name}", name, self.ledger.allocations[name])
        yield from self._last_days()

    def _ceilings(
        self, at: str, words: str, hours_at: str, items: Iterable[str], paid: Iterable[str]
    ) -> Iterator[Figure]:
        """The ceilings of the project or of a phase: in hours of these items, in money of those that are `paid`."""
        project = self.view.ledger
        hours = [self._hours(f"{project.id}.plan.{name}") for name in items]
        yield from self._limit(f"{at}.ceiling", f"Ceiling{words}", NO_HOURS, [f"{hours_at}.below_ceiling"], hours)
        money, title = [self._money(project, name) for name in paid], f"Ceiling in money{words}"
        nothing, left = f"0 {project.project.currency}", [f"{at}.money.below_ceiling"]
        yield from self._limit(f"{at}.money.ceiling", title, nothing, left, money)

    def _payer(self, at: str, name: str, grant: r.Allocation) -> Iterator[Figure]:
        """What is left of an allocation, and of those that pay after it, less the work to come that it pays for."""
        works, spent, lefts = list[str](), list[str](), dict[str, None]()
        for project in (self.ledger.projects[each] for each in grant.projects if each in self.ledger.projects):
            rules, through = PayerRules(self.ledger, project), self._use(f"{project.id}.pace.through")
            for item in base_items(project):
                lane = rules.coming(item, int(through))
                if lane.known and lane.payers[:1] == (name,):
                    works.append(self._paid_work(project, item, name, lane.card))
                    if grant.currency == project.project.currency:
                        spent.append(f"{project.id}.plan.{item}.money.actual")
                    lefts |= dict.fromkeys(f"allocations.{each}.left" for each in lane.payers)
        if works and not self.figures[f"{at}.to_do"].missing:
            first, *follow = lefts
            # What it is charged follows the prices, where that is all that its items cost.
            if spent and self._use(first) == self._use(f"{at}.granted") - sum(map(self._use, spent)):
                first = " - ".join([f"{at}.granted", *(each for each in spent if each in self.figures)])
            title = f"{grant.title}, in {grant.unit_words}" if grant.units is not None else str(grant.title)
            yield from self._limit(at, title, measure_of(grant).nothing, [first, *follow], works)

    def _last_days(self) -> Iterator[Figure]:
        """The last days of phases that are not done, less the days that their work takes on all GPUs."""
        start = self._use(f"{self.view.id}.schedule.start")
        for name, phase in phases_of(self.view.ledger):
            at, until = f"{self.view.id}.phases.{name}", last_day(str(phase.until or ""))
            if start and until and self._use(f"{at}.to_do"):
                text = f"{until - start + 1} day - max(ceil({at}.ends_after / (1 day)), 1) * 1 day"
                yield from self._figure(f"{at}.until", f"{phase.title}, by {phase.until}", DAYS, text)

    def _limit(
        self, address: str, title: str, nothing: str, lefts: Sequence[str], works: Iterable[str]
    ) -> Iterator[Figure]:
        """What is left of a limit, none of it below nothing, less some work to do."""
        text = f"{' + '.join(f'max({left}, {nothing})' for left in lefts)} - ({' + '.join([nothing, *works])})"
        if left := self.figures.get(lefts[0].split()[0]):
            yield from self._figure(address, title, left.unit, text)

    def _figure(self, address: str, title: str, unit: Unit, text: str) -> Iterator[Figure]:
        """The figure of a formula over full addresses and numbers; none where one is missing."""
        formula = read_formula(text)
        inputs = {name.name: self._made.get(name.name) or self.figures.get(name.name) for name in names(formula.tree)}
        found = {name: figure for name, figure in inputs.items() if figure}
        if len(found) == len(inputs) and not missing_of(found.values()):
            yield derive(formula, found, unit, address=address, title=title)

    def _use(self, address: str) -> Fraction:
        """The value to plan with at an address; 0 where there is none."""
        figure = self.figures.get(address)
        return (figure.use if figure else None) or Fraction(0)

    def _number(self, value: Fraction, unit: Unit, *over: str) -> str:
        """The name of a number that rests on the figures at some addresses."""
        name = f"number_{len(self._made)}"
        origin = Worked("", tuple(self.figures[address] for address in over if address in self.figures))
        self._made[name] = Figure(name, name, unit, point(value), origin, "" if unit.symbol else "x")
        return name

    def _hours(self, at: str) -> str:
        """The hours of an item that are not done, as its project counts them."""
        to_do, earned = self.figures.get(f"{at}.to_do"), self.figures.get(f"{at}.earned")
        if to_do is None or earned is None or to_do.use is None:
            return to_do.address if to_do else NO_HOURS
        if not earned.missing and to_do.use == self._use(f"{at}.bac") - self._use(earned.address):
            return f"({at}.bac - {at}.earned)"
        return self._number(to_do.use, GPU_HOURS, f"{at}.bac", to_do.address)

    def _for_an_hour(self, at: str, total: Fraction, unit: Unit, billing: bool) -> str:
        """The name of what all of an item takes for each of its planned hours. That of billed runs rests on these."""
        planned = self._use(f"{at}.bac")
        over = (f"{at}.bac", f"{at}.runs") if not planned or (billing and f"{at}.runs" in self.figures) else ()
        return self._number(total / planned if planned else planned, unit.per(GPU_HOURS), *over)

    def _money(self, project: ProjectLedger, name: str) -> str:
        """What is to do of an item, in the currency of its project."""
        at = f"{project.id}.plan.{name}"
        to_do, billed = self.figures.get(f"{at}.money.to_do"), f"{at}.money.billed_hours" in self.figures
        if to_do is None or isinstance(to_do.origin, Calculated):
            return to_do.address if to_do else f"0 {project.project.currency}"
        price = next(operands(to_do))
        hours = self._use(f"{at}.money.planned") / (price.use or 1)
        return f"{self._hours(at)} * {self._for_an_hour(at, hours, GPU_HOURS, billed)} * {price.address}"

    def _paid_work(self, project: ProjectLedger, name: str, payer: str, card: str) -> str:
        """The work to do of an item in the unit of the allocation that pays for it."""
        grant, item, at = self.ledger.allocations[payer], project.items[name], f"{project.id}.plan.{name}"
        if grant.currency:
            rate = last_rate(self.ledger, str(project.project.currency), grant.currency)
            return f"{self._money(project, name)}{rate.formula if rate else ''}"
        factor, _ = unit_factor(values_in(self.figures), self.ledger, project, payer, card)
        planned, runs = self._use(f"{at}.gpu_hours"), self._use(f"{at}.runs")
        seeds = self._use(f"{project.id}.seeds") if item.scope == "per-seed" else 0
        total = billed_of_plan(planned, grant.charge, runs, item.gpus) * (seeds or 1) * factor
        billed = grant.charge is not None and grant.charge.bills
        return f"{self._hours(at)} * {self._for_an_hour(at, total, measure_of(grant).unit, billed)}"
