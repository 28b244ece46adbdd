"""What the work to do leaves of each limit of a project, as formulas over its plan: ceilings, who pays, and last days.

The engine works these figures out by functions (`short_by`, `paid_to_do`, `earliest_end`). Here the same is a formula,
so that a page can calculate it again. What such a formula cannot say (how much of a piece of work is done, where its
plan decides that; what is billed of runs in steps) is a number that rests on the plan: once that moves, the page leaves
what follows to the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from reckon.compute.budget.bookings import bookings
from reckon.compute.budget.pace import Measure, measure_of
from reckon.compute.budget.payer_units import billing_of, payer_price, unit_factor, values_in
from reckon.compute.budget.payers import Lane, PayerRules, ProjectCharges
from reckon.compute.budget.prices import last_rate
from reckon.compute.budget.work_to_do import Piece, base_items
from reckon.compute.sheet.cells import picked, read_formula
from reckon.compute.sheet.evaluate import derive
from reckon.compute.sheet.inputs import phases_of, ratio_factor
from reckon.language.calendar_days import DAYS, last_day
from reckon.language.expression import names
from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, PLAIN, Unit
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure, Worked, missing_of, operands
from reckon.model.ledger import ProjectLedger

from ..view import View

HOURS = Measure("gpu_hours", GPU_HOURS, GPU_HOURS, "0 gpu_hours")


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
        yield from self._ceilings("actual.", "", base_items(project), own)
        for name, phase in phases_of(project):
            yield from self._ceilings(f"phases.{name}.", f", {phase.title}", phase.items, phase.items)
        for name in self.view.allocations:
            yield from self._payer(name, self.ledger.allocations[name])
        yield from self._last_days()

    def _ceilings(self, within: str, words: str, items: Iterable[str], paid: Iterable[str]) -> Iterator[Figure]:
        """The ceilings of the project or of a phase: in hours of these items, in money of those that are `paid`."""
        project, outer = self.view.ledger, within.removeprefix("actual.")
        at = f"{project.id}.{outer}"
        works = (self._hours(project, name) for name in items)
        yield from self._limit(f"{at}ceiling", f"Ceiling{words}", HOURS, [f"{project.id}.{within}below_ceiling"], works)
        if left := self.figures.get(f"{at}money.below_ceiling"):
            measure = HOURS._replace(unit=left.unit, nothing=f"0 {project.project.currency}")
            works = (self._money(f"{project.id}.plan.{name}.money.to_do", name) for name in paid)
            yield from self._limit(f"{at}money.ceiling", f"Ceiling in money{words}", measure, [left.address], works)

    def _payer(self, name: str, grant: r.Allocation) -> Iterator[Figure]:
        """What is left of an allocation, and of those that pay after it, less the work to come that it pays for."""
        at, works, lefts = f"allocations.{name}", list[str](), dict[str, None]()
        for project in (self.ledger.projects[each] for each in grant.projects if each in self.ledger.projects):
            rules, through = PayerRules(self.ledger, project), self._use(f"{project.id}.pace.through")
            for item in base_items(project):
                lane = rules.coming(item, int(through or 0))
                if lane.known and lane.payers[:1] == (name,):
                    works.append(self._paid_work(project, item, name, lane))
                    lefts |= dict.fromkeys(f"allocations.{each}.left" for each in lane.payers)
        if works and not missing_of((self.figures[f"{at}.left"], self.figures[f"{at}.to_do"])):
            if grant.currency and f"{at}.days_since_end" not in self.figures:
                lefts = dict.fromkeys([self._left_of_money(at, name, grant), *[*lefts][1:]])
            title = f"{grant.title}, in {grant.unit_words}" if grant.units is not None else str(grant.title)
            yield from self._limit(at, title, measure_of(grant), lefts, works)

    def _last_days(self) -> Iterator[Figure]:
        """The last days of phases that are not done, less the days that their work takes on all GPUs."""
        start = self.view.known("schedule.start")
        for name, phase in phases_of(self.view.ledger):
            at, until = f"{self.view.id}.phases.{name}", last_day(str(phase.until or ""))
            if start and start.use and until and self._use(f"{at}.to_do"):
                days = self._number(until - start.use + 1, DAYS)
                text = f"{days} - max(ceil({at}.ends_after.use / (1 day)), 1) * 1 day"
                yield from self._figure(f"{at}.until", f"{phase.title}, by {phase.until}", DAYS, text)

    def _limit(
        self, address: str, title: str, measure: Measure, lefts: Iterable[str], works: Iterable[str]
    ) -> Iterator[Figure]:
        """What is left of a limit, none of it below nothing, less some work to do."""
        lefts = [f"max({left}, {measure.nothing})" for left in lefts]
        text = f"{' + '.join(lefts)} - ({' + '.join([measure.nothing, *works])})"
        yield from self._figure(address, title, measure.unit, text)

    def _figure(self, address: str, title: str, unit: Unit, text: str) -> Iterator[Figure]:
        """The figure of a formula over full addresses, ends of figures and numbers; none where one is missing."""
        formula = read_formula(text)
        inputs = {name.name: self._operand(name.name) for name in names(formula.tree)}
        found = [figure for figure in inputs.values() if figure is not None]
        if len(found) == len(inputs) and not missing_of(found):
            yield derive(formula, dict(zip(inputs, found, strict=True)), unit, address=address, title=title)

    def _operand(self, name: str) -> Figure | None:
        whole = self.figures.get(name.removesuffix(".use"))
        if name not in self._made and name.endswith(".use") and whole:
            self._made[name] = picked(whole, "use")
        return self._made.get(name) or self.figures.get(name)

    def _use(self, address: str) -> Fraction | None:
        figure = self.figures.get(address)
        return figure.use if figure else None

    def _number(self, value: Fraction, unit: Unit = PLAIN, over: tuple[Figure, ...] = ()) -> str:
        """The name of a number that rests on some figures."""
        name = f"number_{len(self._made)}"
        self._made[name] = Figure(name, name, unit, point(value), Worked("", over), "" if unit.symbol else "x")
        return name

    def _pieces(self, project: ProjectLedger, name: str) -> list[Piece]:
        """The pieces of work of an item that are in its work to do."""
        at, seeds = f"{project.id}.plan.{name}", f"{project.id}.seeds"
        to_do = self.figures.get(f"{at}.to_do")
        plans = [*operands(to_do)][::2] if to_do else []
        within = [plan.address.removesuffix(".bac") for plan in plans]
        whole = within == [at] and project.items[name].scope == "per-seed" and seeds in self.figures
        factors = (seeds,) if whole else ()
        return [Piece(one, name, f"{at}.gpu_hours", factors, f"{one}.lost" in self.figures) for one in within]

    def _hours(self, project: ProjectLedger, name: str, billed: Fraction | None = None) -> str:
        """The hours of an item that are not done, as its project counts them; or, where that many are `billed` of them
        on its own card, such hours."""
        item, pieces = project.items[name], self._pieces(project, name)
        if not pieces:
            return HOURS.nothing
        first, seeds = pieces[0], self.figures.get(f"{project.id}.seeds")
        planned = " * ".join((f"{first.hours}.use", *first.factors))
        shares = [self._share_done(piece) for piece in pieces]
        done = " + ".join(filter(None, shares)) or "0%"
        left = (
            f"(1 - ({done}))" if len(pieces) == 1 and ".seeds." not in first.at else f"({project.id}.seeds - ({done}))"
        )
        if billed is None:
            ratio = ratio_factor(self.figures, project, item)
            return f"{planned}{ratio and f'{ratio}.use'} * {left}"
        own = sum((piece.to_do(self.figures) for piece in pieces), Fraction(0))
        plan = (self.figures[first.hours], self.figures.get(f"{first.at}.runs"), None if own else seeds)
        over = tuple(figure for figure in plan if figure) if billed != own and (item.runs or not own) else ()
        return f"{planned} * {left} * {self._number(billed / own if own else Fraction(1), PLAIN, over)}"

    def _share_done(self, piece: Piece) -> str:
        """How much of a piece of work is done; nothing where it is not begun."""
        share = self.figures[f"{piece.at}.complete_share"]
        if share.use is not None and (isinstance(share.origin, Calculated) or not (share.use or [*operands(share)])):
            return f"{share.address}.use" if share.use else ""
        over = (share,) if share.use is not None else (share, self.figures[f"{piece.at}.bac"])
        return self._number(piece.share_done(self.figures), PLAIN, over)

    def _money(self, at: str, name: str) -> str:
        """What is to do in money at an address: hours at the price that the engine took, or of a line of money."""
        to_do = self.figures.get(at)
        if to_do is None or isinstance(to_do.origin, Calculated):
            return at if to_do else f"0 {self.view.project.currency}"
        price = next(operands(to_do))
        billed = (to_do.use or Fraction(0)) / (price.use or 1)
        return f"{self._hours(self.view.ledger, name, billed)} * {price.address}"

    def _paid_work(self, project: ProjectLedger, name: str, payer: str, lane: Lane) -> str:
        """The work to do of an item in the unit of the allocation that pays for it."""
        grant, item, ledger = self.ledger.allocations[payer], project.items[name], self.ledger
        if item.currency:
            rate = last_rate(ledger, str(project.project.currency), grant.currency)
            return f"{project.id}.plan.{name}.money.to_do.use{rate.formula if rate else ''}"
        billing = billing_of(ledger, project, payer, lane.card, lane.price)
        pieces = self._pieces(project, name)
        billed = sum((piece.billed_to_do(self.figures, item, billing) for piece in pieces), Fraction(0))
        hours = self._hours(project, name, billed)
        price = payer_price(ledger, project, payer, lane.card, lane.price) if grant.currency else None
        if price:
            return f"{hours} * {price.last.address}.use{price.last.rate.formula}"
        factor, _ = unit_factor(values_in(self.figures), ledger, project, payer, lane.card, lane.price)
        return f"{hours} * {self._number(factor, measure_of(grant).unit.per(GPU_HOURS))}"

    def _left_of_money(self, at: str, name: str, grant: r.Allocation) -> str:
        """What a payer in money has left: less hours at each price, and all that it was charged beside."""
        asked, unit = dict[str, int](), measure_of(grant).unit
        charges = [ProjectCharges(self.ledger, self.ledger.projects[each]) for each in grant.projects]

        def value_of(address: str) -> Fraction | None:
            is_price = address.startswith("catalog.prices.") and ".rate." not in address
            return Fraction(asked.setdefault(address, 0)) if is_price else self._use(address)

        def booked() -> Fraction:
            found = (each for its in charges for each in bookings(self.ledger, its, name, value_of, lambda _: ""))
            return sum((sum(each.days.values(), Fraction(0)) for each in found), Fraction(0))

        free, text, rest = booked(), "", self._use(f"{at}.left") or Fraction(0)
        for price in [self.figures[address] for address in asked]:
            asked[price.address] = 1
            hours = booked() - free
            asked[price.address] = 0
            text += f" - {self._number(hours, unit.per(price.unit))} * {price.address}.use"
            rest += hours * (price.use or 0)
        return f"{self._number(rest, unit)}{text}"
