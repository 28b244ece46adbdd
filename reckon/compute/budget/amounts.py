"""Sums of what goes with hours (money, energy, emissions), over the plan, the runs and the forecast.

What each item is planned to take and has taken is written by who knows how; here it is added up in the way of hours:
over phases, with the contingency, against the budgets. Addresses are those of hours with the name of the group.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from msgspec import Struct

from reckon.language.expression import Binary, Formula, names
from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, Unit
from reckon.model.figure import Figure, Outside, Worked
from reckon.model.kinds import EXTENDED, FINAL, Total, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Cell, Computed, picked, read_formula, sum_of, total_of
from ..sheet.evaluate import MOST_MIXED, derive
from ..sheet.inputs import phases_of, ratio_address
from ..sheet.sheet import Sheet
from .budget import budget_lines, contingency_of

FORECASTS = ("p10", "p50", "p90")


class Amounts(Struct, frozen=True):
    """A quantity of a project: its group of figures (`energy`), what it is called in titles, its unit, and what an
    hour of the plan takes of it on average: the name of that figure, its title, its unit."""

    sheet: Sheet
    project: ProjectLedger
    group: str
    words: str
    unit: Unit
    average: tuple[str, str, Unit]

    def write(self, address: str, title: str, formula: str | Formula) -> str:
        """Writes an amount at an address inside the project, which it gives back."""
        self.sheet.formula(f"{self.project.id}.{address}", f"{title}, {self.words}", self.unit, formula)
        return address

    def has(self, address: str) -> bool:
        """Whether something stands at an address inside the project."""
        return f"{self.project.id}.{address}" in self.sheet.cells

    def sum_plan(self) -> None:
        """Adds up what items are planned to take, as `plan.ITEM.GROUP.planned`: phases, contingency, budgets."""
        for name, phase in phases_of(self.project):
            parts = total_of([f"plan.{item}.{self.group}.planned" for item in phase.items])
            self.write(f"phases.{name}.{self.group}.planned", f"{phase.title}: planned", parts)
        lines, so_far = budget_lines(self.project), []
        for extension, name, total in ((False, "subtotal", FINAL), (True, "extensions", EXTENDED)):
            covered = [
                (line.rate, f"plan.{line.item}.{self.group}.planned") for line in lines if line.extension is extension
            ]
            if not covered:
                continue
            amounts = total_of([amount for _, amount in covered])
            so_far.append(self.write(f"{self.group}.{name}", name.capitalize(), amounts))
            if rate := contingency_of(covered, so_far[-1]):
                reserve = f"{self.group}.{'extensions_' if extension else ''}contingency"
                so_far.append(self.write(reserve, f"Contingency of the {name}", rate))
            self.write(f"{self.group}.{total.id}", called(self.project.project, total.title), total_of(so_far))

    def sum_runs(self, outside: Iterable[Outside]) -> None:
        """Adds up what the runs of items took, as `plan.ITEM.GROUP.actual`, and those of none; and what that leaves.

        The whole is left as it is where it stands already, added up in another way.
        """
        parts = {name: f"phases.{name}.{self.group}.actual" for name, _ in phases_of(self.project)}
        for name, phase in phases_of(self.project):
            spent = total_of([f"plan.{item}.{self.group}.actual" for item in phase.items])
            self.write(parts[name], f"{phase.title}: actual", spent)
        more = [f"{self.group}.{each.key}.actual" for each in outside]
        whole = [*parts.values(), *more]
        if not self.has(f"{self.group}.actual"):
            nothing = f"0 {self.unit.symbol.split()[0]}"
            self.write(f"{self.group}.actual", "Actual", total_of(whole) if whole else nothing)
        if self.has(f"{self.group}.{FINAL.id}"):
            base = [*(parts[name] for name, phase in phases_of(self.project) if not phase.extension), *more]
            self.write(f"{self.group}.base", "Actual of the base budget", total_of(base))
            left = f"{self.group}.{FINAL.id} - {self.group}.base"
            self.write(f"{self.group}.remaining", called(self.project.project, "Remaining of the final budget"), left)

    def sum_forecast(self, rates: Mapping[str, str], kinds: Mapping[str, Hashable]) -> None:
        """The forecast: what was taken, and what is to come at what an hour of it takes.

        `rates` are formulas of what an hour on its own card takes, by item, and `kinds` what decides that: its card, or
        that and its power. Where items differ in it, an hour to come takes the average over the hours to come; where
        they do not, that over the plan.
        """
        total = FINAL if self.has(FINAL.hours) else EXTENDED
        items = self._items(total)
        differ = len({kinds[name] for name in items}) > 1
        spent = f"{self.group}.{'base' if total is FINAL else 'actual'}"
        if not self.has(f"{self.group}.{total.id}") or not self.has(spent):
            return
        rate, title, unit = self.average
        # Ranges of hours move both sides. Where items differ they do not cancel, and few can be tried at both ends.
        use = ".use" if differ and len(items) > MOST_MIXED else ""
        average, formula = f"{self.group}.{rate}", f"{self.group}.{total.id}{use} / {total.hours}{use}"
        self.sheet.formula(f"{self.project.id}.{average}", title, unit, formula, over=f"{total.hours}{use}")
        if differ:
            average = self._average_to_come(items, rates)
        for name in FORECASTS:
            if self.has(f"forecast.{name}"):
                left = f"(forecast.{name} - {total.actual}) * {average}"
                self.write(f"{self.group}.forecast_{name}", f"Forecast, {name.upper()}", f"{spent} + {left}")

    def _items(self, total: Total) -> list[str]:
        """The items whose hours are part of a total: those of extensions only where there is nothing else."""
        phases = [phase for _, phase in phases_of(self.project) if total is EXTENDED or not phase.extension]
        return [str(name) for phase in phases for name in phase.items]

    def _average_to_come(self, items: Sequence[str], rates: Mapping[str, str]) -> str:
        """Writes what an hour to come takes on average; gives the address of that inside the project.

        Each item counts by its hours to come. Where none are to come, nothing more is taken.
        """
        rate, title, unit = self.average
        address = f"{self.group}.{rate.replace('planned_hour', 'hour_to_come')}"
        title = title.replace("of the plan", "to come")
        at = f"{self.project.id}.{address}"
        hours = {name: write_hours_to_come(self.sheet, self.project, name) for name in items}
        terms: dict[str, Formula] = {}
        needs: dict[str, str] = {}
        for name in items:
            terms[name] = read_formula(f"{hours[name]} * ({rates[name]}){self._per_counted_hour(name)}")
            for operand in names(terms[name].tree):
                needs[operand.name] = self.sheet.find(at, operand.name)[0]

        def average(figures: Mapping[str, Figure]) -> Figure:
            coming = [name for name in items if figures[needs[hours[name]]].use != 0]
            if not coming:
                return Figure(at, title, unit, point(0), Worked("no hours are to come"))
            amount, divisor = sum_of([terms[name] for name in coming]), total_of([hours[name] for name in coming])
            text = f"({amount.text}) / ({divisor.text})"
            formula = Formula(text, Binary("/", amount.tree, divisor.tree, 0))
            inputs = {name.name: figures[needs[name.name]] for name in names(formula.tree)}
            return derive(formula, inputs, unit, address=at, title=title)

        self.sheet.write(Cell(at, title, unit, Computed(tuple(needs.values()), average)))
        return address

    def _per_counted_hour(self, name: str) -> str:
        """The end of a formula that turns an amount for an hour on the card of an item into that for an hour of the
        project's card."""
        own, card = str(self.project.project.gpu), self.project.items[name].gpu
        ratio = ratio_address(str(card), own)
        return f" / {ratio}" if card and card != own and ratio in self.sheet.cells else ""


def write_hours_to_come(sheet: Sheet, project: ProjectLedger, name: str) -> str:
    """Writes the hours to come of an item, unless they stand there; gives their address inside the project.

    They are its estimate to complete or, where its progress is not known, its plan less what was charged; at least 0.
    """
    address = f"plan.{name}.to_come"
    at = f"{project.id}.{address}"
    if at in sheet.cells:
        return address
    title = f"{project.items[name].title}: hours to come"
    needs = {part: f"{project.id}.plan.{name}.{part}" for part in ("etc", "total", "actual")}

    def to_come(figures: Mapping[str, Figure]) -> Figure:
        expected = figures[needs["etc"]]
        text = "max(total.use - actual, 0 gpu_hours)" if expected.missing else "etc"
        formula = read_formula(text)
        if expected.missing:
            inputs = {"total.use": picked(figures[needs["total"]], "use"), "actual": figures[needs["actual"]]}
        else:
            inputs = {"etc": expected}
        return derive(formula, inputs, GPU_HOURS, address=at, title=title)

    sheet.write(Cell(at, title, GPU_HOURS, Computed(tuple(needs.values()), to_come)))
    return address
