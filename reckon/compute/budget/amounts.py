"""Sums of what goes with hours (money, energy, emissions), over the plan and the runs.

What each item is planned to take and has taken is written by who knows how; here it is added up in the way of hours:
over phases, with the contingency, against the budgets. Addresses are those of hours with the name of the group.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from reckon.language.units import Unit
from reckon.model.figure import Outside
from reckon.model.kinds import EXTENDED, FINAL, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import Term, formula_of, total_of
from ..sheet.inputs import phases_of
from ..sheet.writer import FigureWriter
from .budget import budget_lines, contingency_of


class Amounts(Struct, frozen=True):
    """A quantity of a project: what writes figures of that, its group of figures (`energy`), what it is called in
    titles, and its unit."""

    writer: FigureWriter
    project: ProjectLedger
    group: str
    words: str
    unit: Unit

    def write(self, address: str, title: str, formula: Term, late: bool = False) -> str:
        """Writes an amount at an address inside the project, which it gives back."""
        self.writer.formula(address, f"{title}, {self.words}", formula, unit=self.unit, late=late)
        return address

    def has(self, address: str) -> bool:
        """Whether something stands at an address inside the project."""
        return self.writer.has(address)

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
        address = f"{self.group}.actual"
        if not whole and not self.has(address):
            self.writer.count(address, f"Actual, {self.words}", self.unit, 0, "there is no item and no run")
        elif not self.has(address):
            self.write(address, "Actual", total_of(whole))
        if self.has(f"{self.group}.{FINAL.id}"):
            base = [*(parts[name] for name, phase in phases_of(self.project) if not phase.extension), *more]
            self.write(f"{self.group}.base", "Actual of the base budget", total_of(base))
            left = formula_of("{0}.{1} - {0}.base", self.group, FINAL.id)
            self.write(f"{self.group}.remaining", called(self.project.project, "Remaining of the final budget"), left)
