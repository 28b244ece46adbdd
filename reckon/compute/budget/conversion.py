"""A plan moved to another GPU: the hours of its lines turned into hours on the new card, by the ratio of the two."""

from __future__ import annotations

from dataclasses import replace

from reckon.language.quantity import Quantity
from reckon.language.text import place_of
from reckon.model import records as r
from reckon.model.amounts import AmountValue, Derived
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger, ProjectLedger, WhatIf

from ..sheet.cells import product_of, read_formula
from ..sheet.inputs import ratio_address

PLANNED = ("gpu_hours", "estimate")


def moved(ledger: Ledger, project: ProjectLedger) -> WhatIf | None:
    """The change of a what-if that gives a project another GPU; None where there is none, or it was undone."""
    found = (change for change in ledger.changes if change.address == f"{project.id}.gpu")
    return next((change for change in found if change.was not in (None, change.value)), None)


def stands(ledger: Ledger, project: ProjectLedger) -> list[str]:
    """The items whose hours changed their GPU with the project, and were not changed themselves."""
    changed = {change.address for change in ledger.changes}
    return [
        name
        for name, item in project.items.items()
        if item.gpu is None and not changed & {f"{project.id}.plan.{name}.{field}" for field in ("gpu", *PLANNED)}
    ]


def convert(ledger: Ledger) -> tuple[Ledger, list[Problem]]:
    """The ledger with the plan of each project that a what-if moved to another GPU in hours on that card.

    Runs stay on the card that they were on. A problem stands for each project between whose cards no ratio is known.
    """
    projects, problems = dict(ledger.projects), []
    for project in ledger.projects.values():
        change = moved(ledger, project)
        if change is None or change.was is None:
            continue
        if ratio_known(ledger, change.was, change.value):
            projects[project.id] = _converted(ledger, project, change.was)
        else:
            wrong = f"no ratio between {change.was} and {change.value} is known, which converting hours asks for"
            right = f"state under `counts_as` of {change.was} what one of its hours counts as on {change.value}"
            problems.append(Problem(place_of(project.project.gpu), wrong, right))
    done = tuple(name for name, project in projects.items() if project is not ledger.projects[name])
    return replace(ledger, projects=projects, converted=done), problems


def ratio_known(ledger: Ledger, gpu: str, target: str) -> bool:
    """Whether the catalogue states a ratio between two cards, in either direction."""
    pairs = ((gpu, target), (target, gpu))
    gpus = ledger.catalog.gpus
    return any(name in gpus and other in gpus[name].counts_as for name, other in pairs)


def _converted(ledger: Ledger, project: ProjectLedger, was: str) -> ProjectLedger:
    ratio, names = ratio_address(was, str(project.project.gpu)), set(stands(ledger, project))

    def item_on(name: str, item: r.Item) -> r.Item:
        if name not in names:
            return item
        fields = {field: getattr(item, field) for field in PLANNED}
        update = {field: _times(value, ratio) for field, value in fields.items() if value is not None}
        return item.model_copy(update=update)

    plan = {
        key: phase.model_copy(update={"items": {name: item_on(str(name), item) for name, item in phase.items.items()}})
        for key, phase in project.plan.items()
    }
    own = {name for name, item in project.items.items() if item.gpu is not None}
    runs = tuple(
        replace(file, runs=tuple(
            run if run.gpu is not None or run.item in own else run.model_copy(update={"gpu": was}) for run in file.runs
        ))
        for file in project.runs
    )  # fmt: skip
    return replace(project, plan=plan, runs=runs)


def _times(value: AmountValue, ratio: str) -> Derived:
    """An amount times a ratio, as if the ledger had the formula: what was stated becomes its input."""
    if isinstance(value, Quantity):
        return Derived(product_of(read_formula("stated"), ratio), {"stated": value}, value.unit, value.place)
    return replace(value, formula=product_of(value.formula, ratio))
