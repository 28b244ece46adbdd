"""Who pays must be able to: the allocations that records name, what these move to each other, and their items."""

from __future__ import annotations

from typing import Any

from reckon.language.text import place_of
from reckon.model.finding import Problem, Problems, nearest
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import NOBODY, Allocation, Change


def check_allocations(ledger: Ledger) -> Problems:
    """A problem for an id that means nobody, and for what changes of allocations cannot mean."""
    for name, grant in ledger.allocations.items():
        if name == NOBODY:
            wrong = f"`{NOBODY}` means that nobody pays"
            yield Problem(grant.place, wrong, "give the allocation another id")
        for change in grant.changes:
            yield from _moved(ledger, name, change)
            yield from _item(ledger, grant, change)


def _moved(ledger: Ledger, name: str, change: Change) -> Problems:
    """What is moved stays in its unit, and does not come back to where it was."""
    other = ledger.allocations.get(change.to) if change.to else None
    if change.to == name:
        yield Problem(place_of(change.to), "this moves something to the same allocation", "name another allocation")
    elif other and _unit(other) != _unit(ledger.allocations[name]):
        wrong = f"`{change.to}` counts in {_unit(other)}, and this in {_unit(ledger.allocations[name])}"
        yield Problem(place_of(change.to), wrong, "write two changes with `granted`, each in its own unit")


def _unit(grant: Allocation) -> str:
    """What an allocation counts in, in words."""
    if grant.currency or grant.units is not None:
        return grant.unit_words
    return f"GPU-hours of {grant.gpu}" if grant.gpu else "GPU-hours as projects count them"


def _item(ledger: Ledger, grant: Allocation, change: Change) -> Problems:
    """The item of a change is one of its projects."""
    projects = [ledger.projects[name] for name in grant.projects if name in ledger.projects]
    items = [name for project in projects for name in project.items]
    if change.item and change.item not in items and projects:
        wrong = f"no project of this allocation has an item `{change.item[:60]}`"
        yield Problem(place_of(change.item), wrong, nearest(change.item, items) or "remove `item`")


def check_payers(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A payer that a project names is one of those that it draws on."""
    naming: list[Any] = [project.project, *project.plan.values(), *project.items.values()]
    for source in project.imports.values():
        naming += [source, *source.rules.values()]
    lines = {name: item for name, item in project.items.items() if item.currency}
    of_lines = [item.allocation for item in lines.values()]
    if lines and project.rows.says("allocation"):
        of_lines += [run.allocation for _, run, traits in project.each_entry() if traits.item in lines]
    for named in filter(None, of_lines):
        own = ledger.allocations.get(named)
        if own is not None and not own.currency:
            wrong = f"`{named[:60]}` pays in {_unit(own)}, and this is a line of money"
            yield Problem(place_of(named), wrong, "name an allocation that pays in money, or remove it")
    drawn = ledger.grants_of(project.id)
    strange = project.rows.values("allocation") - {None, NOBODY, *drawn}
    if strange:
        naming += map(project.rows.run, project.rows.where(["allocation"], strange.__contains__))
    for payer in (record.allocation for record in naming):
        known = ledger.allocations.get(payer)
        if known is not None and payer not in drawn and not ledger.unread(f"allocations.{payer}"):
            wrong = f"`{payer[:60]}` does not pay for this project"
            yield Problem(place_of(payer), wrong, f"add `{project.id}` to its `projects` in allocations.yaml")
