"""The budget formula: one-time + per-seed x seeds + single-seed + all-seeds, plus contingency on what it covers, plus
extensions. It is written twice over the same items: once from the plan, once from the estimates behind it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Set

from msgspec import Struct

from reckon.language.expression import Binary, Expression, Formula, Name, names
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure
from reckon.model.kinds import FINAL, called
from reckon.model.ledger import ProjectLedger

from ..sheet.cells import chain_of, formula_of, product_of, sum_of, total_of
from ..sheet.inputs import phases_of, ratios_of, scopes
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter

SCOPE_TITLES = {
    "one-time": "One-time costs",
    "per-seed": "Per-seed costs, over all seeds",
    "single-seed": "Single-seed costs",
    "all-seeds": "Costs that count every seed already",
}


class BudgetLine(Struct, frozen=True):
    """A line of the budget as the formula sees it."""

    phase: str
    item: str
    scope: str
    extension: bool
    rate: str
    """The address of the contingency rate that covers it, relative to the project; empty for none."""


def budget_lines(project: ProjectLedger) -> list[BudgetLine]:
    """The lines of a project's budget, in the order of its plan."""
    return [
        BudgetLine(name, item, record.scope, phase.extension, _rate(project, name, phase, item, record))
        for name, phase, item, record in scopes(project)
    ]


def _rate(project: ProjectLedger, phase_name: str, phase: r.Phase, name: str, item: r.Item) -> str:
    if item.contingency is not None:
        return f"plan.{name}.contingency"
    if phase.contingency is not None:
        return f"phases.{phase_name}.contingency"
    # Extensions stand outside the contingency unless they name one themselves.
    return "contingency" if project.project.contingency is not None and not phase.extension else ""


def write_budget(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes the cells of a project's budget: totals of items and phases, the formula from plan and from estimates."""
    if not project.items:
        return
    lines = budget_lines(project)
    for name, item in project.items.items():
        _item(sheet, project, name, item)
    estimated = {name for name, item in project.items.items() if item.estimate is not None}
    for name, phase in phases_of(project):
        _phase(FigureWriter.of_phase(sheet, project, name), phase, estimated)
    _formula(sheet, project, "budget", lines, set())
    if estimated:
        _formula(sheet, project, "estimates", lines, estimated)
    writer = FigureWriter(sheet, f"{project.id}.budget")
    if project.project.ceiling is not None and writer.has("final"):
        title = called(project.project, "Ceiling less final budget")
        writer.hours("below_ceiling", title, "ceiling - budget.final")


def _item(sheet: Sheet, project: ProjectLedger, name: str, item: r.Item) -> None:
    writer = FigureWriter.of_item(sheet, project, name)
    seeds = ["seeds"] if item.scope == "per-seed" and f"{project.id}.seeds" in sheet.cells else []
    ratios = ratios_of(sheet.cells, project, item)
    factors = seeds + ratios
    writer.hours("total", "planned total", chain_of(" * ", ["gpu_hours", *factors]))
    if item.estimate is not None:
        # An estimate that counts the seeds itself is for all of them already.
        own = ratios if counts_seeds(sheet, project.id, name) else factors
        writer.hours("estimate_total", "estimated total", chain_of(" * ", ["estimate", *own]))
    parts = item.repeats.of if item.repeats else ()
    if parts and all(f"{project.id}.plan.{part}.gpu_hours" in sheet.cells for part in parts):
        cost = repeated_cost(project, sheet.cells, name, item)
        writer.hours("repeated", "what it repeats, at its planned cost", cost)


def repeated_cost(
    project: ProjectLedger, known: Container[str], name: str, item: r.Item, estimated: bool = False
) -> Formula:
    """What a line repeats, as often as it says: the hours of one seed of each of those lines, as planned or, where they
    have one, as estimated; in hours of the project's GPU."""
    seeds = f"{project.id}.seeds" in known
    parts = []
    for part in item.repeats.of if item.repeats else ():
        of = project.items[part]
        hours = "estimate" if estimated and of.estimate is not None else "gpu_hours"
        cost = chain_of(" * ", [f"plan.{part}.{hours}", *ratios_of(known, project, of)])
        parts.append(formula_of("{} / seeds" if of.scope == "all-seeds" and seeds else "{}", cost))
    return formula_of("plan.{}.repeats.times * ({})", name, chain_of(" + ", parts))


def counts_seeds(sheet: Sheet, project_id: str, item: str) -> bool:
    """Whether an item's estimate is multiplied by the seeds of the project, itself or in what it rests on."""
    seen: set[str] = set()
    waiting = [f"{project_id}.plan.{item}.estimate"]
    while waiting:
        at = waiting.pop()
        content = sheet.cells[at].content
        if at not in seen and isinstance(content, Formula):
            waiting += [found for name in _multiplied(content.tree) if (found := sheet.find(at, name.name)[0])]
        seen.add(at)
    return f"{project_id}.seeds" in seen


def covers_seeds(total: Figure) -> bool:
    """Whether the total of an estimate is the estimate itself, because that counts every seed already."""
    return isinstance(total.origin, Calculated) and "seeds" not in total.origin.operands


def _multiplied(tree: Expression) -> Iterator[Name]:
    """The names in an expression that do not stand below a division."""
    match tree:
        case Binary(operator="/", left=left):
            yield from _multiplied(left)
        case Binary(left=left, right=right):
            yield from _multiplied(left)
            yield from _multiplied(right)
        case _:
            yield from names(tree)


def _total(item: str, estimated: Set[str]) -> str:
    """The address of what an item comes to for all seeds: as estimated where it is among these, else as planned."""
    return f"plan.{item}.{'estimate_total' if item in estimated else 'total'}"


def _phase(writer: FigureWriter, phase: r.Phase, estimated: Set[str]) -> None:
    writer.hours("planned", "planned", total_of([_total(item, frozenset()) for item in phase.items]))
    if not estimated.isdisjoint(phase.items):
        writer.hours("estimated", "estimated", total_of([_total(item, estimated) for item in phase.items]))


def _formula(sheet: Sheet, project: ProjectLedger, kind: str, lines: list[BudgetLine], estimated: Set[str]) -> None:
    """The budget by scope, its contingency, and the extensions; each written below the kind."""
    suffix = "" if kind == "budget" else " (from estimates)"
    writer = FigureWriter(sheet, f"{project.id}.{kind}")

    def write(name: str, title: str, formula: Formula) -> str:
        writer.hours(name, title + suffix, formula)
        return f"{kind}.{name}"

    totals = [(line, _total(line.item, estimated)) for line in lines]
    base = [(line, total) for line, total in totals if not line.extension]
    extra = [(line.rate, total) for line, total in totals if line.extension]
    groups, so_far = [], list[str]()
    for scope in r.SCOPES:
        if members := [total for line, total in base if line.scope == scope]:
            groups.append(write(scope, SCOPE_TITLES[scope], total_of(members)))
    if base:
        so_far.append(write("subtotal", "Subtotal", total_of(groups)))
        if rate := contingency_of([(line.rate, total) for line, total in base], so_far[0]):
            so_far.append(write("contingency", "Contingency", rate))
        so_far = [write("final", called(project.project, FINAL.title), total_of(so_far))]
    if extra:
        so_far.append(write("extensions", "Extensions", total_of([total for _, total in extra])))
        if rate := contingency_of(extra, so_far[-1]):
            so_far.append(write("extensions_contingency", "Contingency on extensions", rate))
        write("extended", "Extended budget", total_of(so_far))


def contingency_of(covered: list[tuple[str, str]], whole: str) -> Formula | None:
    """Each rate times what it covers; the short form where one rate covers everything."""
    rates = list(dict.fromkeys(rate for rate, _ in covered if rate))
    if not rates:
        return None
    if len(rates) == 1 and all(rate for rate, _ in covered):
        return formula_of("{} * {}", whole, rates[0])
    parts = []
    for rate in rates:
        members = total_of([total for own, total in covered if own == rate])
        parts.append(product_of(members, rate))
    return sum_of(parts)
