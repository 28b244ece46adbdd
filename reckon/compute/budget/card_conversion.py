"""A plan moved to another GPU: the hours of its lines turned into hours on the new card, by the ratio of the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from reckon.language.quantity import Quantity
from reckon.language.text import Text, place_of
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


def alternatives(ledger: Ledger, project: ProjectLedger) -> list[str]:
    """The other GPUs of the catalogue in whose hours a project can be planned: their ratio to its own is known."""
    now = project.gpu
    return [card for card in ledger.catalog.gpus if card != now and ratio_known(ledger, now, card)]


def on_card(ledger: Ledger, project: ProjectLedger, card: str) -> Ledger:
    """A ledger of a project alone, as `--set PROJECT.gpu=CARD` gives it; `convert` turns its hours."""
    gpu = project.project.gpu
    own = replace(project, project=project.project.model_copy(update={"gpu": Text(card, place_of(gpu))}))
    change = WhatIf(f"{project.id}.gpu", card, str(gpu))
    return replace(ledger, projects={project.id: own}, changes=(change,))


def cards_before(ledger: Ledger, project: ProjectLedger) -> dict[str, str]:
    """The GPU on which each item was that a what-if gives another one, with its project or by itself."""
    whole, now = moved(ledger, project), project.gpu
    before = str(whole.was) if whole else now
    own = {change.address: change.was or before for change in ledger.changes}
    found = {name: own.get(f"{project.id}.plan.{name}.gpu", item.gpu or before) for name, item in project.items.items()}
    return {name: was for name, was in found.items() if was != (project.items[name].gpu or now)}


def find_unconverted(ledger: Ledger, project: ProjectLedger) -> dict[str, str]:
    """Those of these items whose hours the what-if left as they were, with the GPU on which each was."""
    changed = {change.address for change in ledger.changes}
    unconverted = {}
    for name, was in cards_before(ledger, project).items():
        planned = {f"{project.id}.plan.{name}.{field}" for field in PLANNED}
        if changed.isdisjoint(planned):
            unconverted[name] = was
    return unconverted


def card_of_runs(ledger: Ledger, project: ProjectLedger) -> Callable[[r.Run], str]:
    """What tells of a run on which GPU it was, if a what-if put it on another one; else nothing."""
    whole, items = moved(ledger, project), cards_before(ledger, project)

    def card(run: r.Run) -> str:
        if run.gpu is not None:
            return ""
        if run.item in project.items:
            return items.get(run.item, "")
        if whole:
            return str(whole.was)
        return ""

    return card


def convert(ledger: Ledger) -> tuple[Ledger, list[Problem]]:
    """The ledger with plan lines that a what-if moved to another GPU in hours on that card.

    Runs stay on the card that they were on. A problem stands for each pair of cards between which no ratio is known.
    """
    projects, problems = dict(ledger.projects), []
    for project in ledger.projects.values():
        if not cards_before(ledger, project) and not moved(ledger, project):
            continue
        found = list(_without_ratio(ledger, project))
        problems += found
        if not found:
            projects[project.id] = _converted(ledger, project)
    done = tuple(name for name, project in projects.items() if project is not ledger.projects[name])
    return replace(ledger, projects=projects, converted=done), problems


def _without_ratio(ledger: Ledger, project: ProjectLedger) -> Iterator[Problem]:
    """What is wrong where lines have moved between cards of no known ratio, once for each pair of these."""
    whole = moved(ledger, project)
    pairs = {(str(whole.was), whole.value): place_of(project.project.gpu)} if whole else {}
    for name, was in find_unconverted(ledger, project).items():
        gpu = project.items[name].gpu
        pairs.setdefault((was, gpu or project.project.gpu), place_of(gpu or project.project.gpu))
    for (was, now), place in pairs.items():
        if not ratio_known(ledger, was, now):
            wrong = f"no ratio between {was} and {now} is known, which converting hours asks for"
            yield Problem(place, wrong, f"state under `counts_as` of {was} what one of its hours counts as on {now}")


def ratio_known(ledger: Ledger, gpu: str, target: str) -> bool:
    """Whether the catalogue states a ratio between two cards, in either direction."""
    pairs = ((gpu, target), (target, gpu))
    gpus = ledger.catalog.gpus
    return any(name in gpus and other in gpus[name].counts_as for name, other in pairs)


def _converted(ledger: Ledger, project: ProjectLedger) -> ProjectLedger:
    moves, card_before, plan = find_unconverted(ledger, project), card_of_runs(ledger, project), {}
    for key, phase in project.plan.items():
        items = dict(phase.items)
        for name, item in phase.items.items():
            if name in moves:
                ratio = ratio_address(moves[name], project.card_for(item))
                planned = {field: getattr(item, field) for field in PLANNED if getattr(item, field) is not None}
                update = {field: _times(value, ratio) for field, value in planned.items()}
                items[name] = item.model_copy(update=update)
        plan[key] = phase.model_copy(update={"items": items})

    def run_on(run: r.Run) -> r.Run:
        card = card_before(run)
        return run.model_copy(update={"gpu": card}) if card else run

    runs = tuple(replace(file, runs=tuple(map(run_on, file.runs))) for file in project.runs)
    return replace(project, plan=plan, runs=runs)


def _times(value: AmountValue, ratio: str) -> Derived:
    """An amount times a ratio, as if the ledger had the formula: what was stated becomes its input."""
    if isinstance(value, Quantity):
        return Derived(product_of(read_formula("stated"), ratio), {"stated": value}, value.unit, value.place)
    return replace(value, formula=product_of(value.formula, ratio))
