"""Every quantity of every record becomes a cell at its path in the ledger; phases are not part of an item's path.

Here is also what is wrong with a change (`--set`) that names none of these.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import chain
from typing import Any

from reckon.language.lazy import regex
from reckon.language.quantity import Quantity, read_quantity
from reckon.language.text import NOWHERE
from reckon.language.units import DOLLAR, key_unit, label
from reckon.model import records as r
from reckon.model.amounts import Derived
from reckon.model.figure import closure
from reckon.model.finding import Problem
from reckon.model.kinds import CATALOG, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger, Unplaced, touches
from reckon.model.record import Record
from reckon.model.values import Seeds

from .cells import Cell, formula_of
from .sheet import Sheet

APART = ("plan", "figures")
"""Kinds whose cells do not stand at the path of their record. Lists (runs, claims) have no cells."""

MOST_NAMED = 6
RATE = key_unit("usd_per_gpu_hour")
DATED = regex(r"[0-9]{4}(-[0-9]{2}){0,2}")
"""The key of an entry that has a day, month or year for its name."""


def write_inputs(sheet: Sheet, ledger: Ledger) -> None:
    """Writes the cells of all that the ledger states."""
    shared = [
        cell for name in CATALOG for cell in _list_collection_cells(f"catalog.{name}", getattr(ledger.catalog, name))
    ]
    own = (cell for project in ledger.projects.values() for cell in _list_project_cells(project))
    for cell in chain(
        shared, _list_collection_cells("allocations", ledger.allocations), own, _list_inverse_ratios(ledger)
    ):
        sheet.write(cell)
    for cell in _list_prices_in_dollars(ledger):
        if cell.address not in sheet.cells:  # stated in dollars too, which is told as a problem
            sheet.write(cell)


def _list_collection_cells(address: str, collection: Mapping[str, Any]) -> Iterator[Cell]:
    """The cells of all records of a collection, each below its id."""
    for name, record in collection.items():
        yield from cells(record, f"{address}.{name}", getattr(record, "title", None) or name)


def _list_project_cells(project: ProjectLedger) -> Iterator[Cell]:
    yield from cells(project.project, project.id, project.project.title)
    for name, phase in project.plan.items():
        yield from cells(phase, f"{project.id}.phases.{name}", phase.title, skip=("items",))
        for item_name, item in phase.items.items():
            yield from cells(item, f"{project.id}.plan.{item_name}", item.title)
    for kind in PROJECT.values():
        if kind.id not in APART and not kind.listed:
            yield from _list_collection_cells(f"{project.id}.{kind.id}", getattr(project, kind.id))
    for name, figure in project.figures.items():
        for key, written in figure.figures.items():
            yield from _list_cell(f"{project.id}.figures.{name}", figure.title, written, _find_form(key))


def cells(record: Record, address: str, title: str, skip: tuple[str, ...] = ()) -> Iterator[Cell]:
    """The cells of a record and of the records in it, below its address."""
    for name in type(record).model_fields:
        value = getattr(record, name)
        if name in skip or value is None or name == "place":
            continue
        if isinstance(value, Seeds):
            yield Cell(f"{address}.{name}", "Seeds", value.quantity.unit, value.quantity, value.quantity.place)
        elif isinstance(value, Quantity | Derived):
            yield from _list_cell(f"{address}.{name}", f"{title}: {label(name)}", value)
        elif isinstance(value, Record):
            yield from cells(value, f"{address}.{name}", f"{title}: {label(name)}")
        elif isinstance(value, dict):
            free = name == type(record).free
            words = title if free or name == "settings" else f"{title}: {label(name)}"
            yield from _list_entries(address if free else f"{address}.{name}", words, value)


def _list_entries(address: str, title: str, entries: dict[str, Any]) -> Iterator[Cell]:
    for key, value in entries.items():
        if isinstance(value, Quantity | Derived):
            yield from _list_cell(f"{address}.{key}", f"{title}: {label(key)}", value)
        elif isinstance(value, Record):
            words = f"{title} {key}" if DATED.fullmatch(key) else label(key)
            yield from cells(value, f"{address}.{key}", getattr(value, "title", None) or words)


def _list_cell(address: str, title: str, value: Quantity | Derived, form: str = "") -> Iterator[Cell]:
    if isinstance(value, Quantity):
        yield Cell(address, title, value.unit, value, value.place, form=value.form)
        return
    yield Cell(address, title, value.unit, value.formula, value.place, value.formula_place, form=form)
    for key, inner in value.inputs.items():
        yield from _list_cell(f"{address}.{key}", f"{title}: {label(key)}", inner, _find_form(key))


def _find_form(key: str) -> str:
    """How a calculated figure is written that its key calls a share: nobody wrote a `%` there."""
    return "%" if key.rpartition("_")[2] == "share" else ""


def scopes(project: ProjectLedger) -> Iterator[tuple[str, r.Phase, str, r.Item]]:
    """Phase id, phase, item id and item, in the order of the ledger."""
    for phase_name, phase in project.plan.items():
        for name, item in phase.items.items():
            yield phase_name, phase, name, item


def phases_of(project: ProjectLedger) -> Iterator[tuple[str, r.Phase]]:
    """The phases that have items, by their ids, in the order of the ledger."""
    return ((name, phase) for name, phase in project.plan.items() if phase.items)


def ratio_address(gpu: str, target: str) -> str:
    """The address of what an hour on a GPU counts as in hours on the target."""
    return f"catalog.gpus.{gpu}.counts_as.{target}"


def _list_inverse_ratios(ledger: Ledger) -> Iterator[Cell]:
    """A ratio counts both ways: where only one direction is stated, the other is its inverse. Ratios do not chain."""
    gpus = ledger.catalog.gpus
    for name, card in gpus.items():
        for target, ratio in card.counts_as.items():
            if target in gpus and name not in gpus[target].counts_as and not ledger.unread(f"catalog.gpus.{target}"):
                title = f"{gpus[target].title}: counts as: {label(name)}"
                stated = ratio_address(name, target)
                formula = formula_of("1 / {}", stated)
                yield Cell(ratio_address(target, name), title, ratio.unit, formula, form="x", over=stated)


def _list_prices_in_dollars(ledger: Ledger) -> Iterator[Cell]:
    """The prices of an hour of lists in another currency, at the rate that the list states; unknown without it."""
    for name, prices in ledger.catalog.prices.items():
        at = f"catalog.prices.{name}"
        rated = prices.rate is not None and prices.rate.currencies == (prices.currency,)
        for day, currency, by_card in prices.tables():
            within = f"{at}.since.{day}" if day else at
            for card in by_card if currency != DOLLAR else ():
                listed, rate = f"{within}.{currency}_per_gpu_hour.{card}", f"{at}.rate.usd_per_{currency}"
                known = rated and currency == prices.currency
                title = f"{prices.title or name}: {label(card)}" + (f", since {day}" if day else "")
                price = formula_of("{} * {}", listed, rate) if known else read_quantity("unknown", RATE)
                yield Cell(f"{within}.usd_per_gpu_hour.{card}", title, RATE, price)


def ratios_of(known: Container[str], project: ProjectLedger, item: r.Item) -> list[str]:
    """The address of the factor that turns an item's hours into hours of the project's GPU, by the addresses of the
    cells or figures that there are.

    The ratio is `counts_as` of the catalogue, for plans and runs alike. None where none is needed or none is known.
    """
    address = ratio_address(str(item.gpu), project.gpu)
    return [address] if item.gpu and item.gpu != project.gpu and address in known else []


def check_changes(sheet: Sheet, ledger: Ledger) -> list[Problem]:
    """A problem for each change that could be made nowhere; none for what may stand in a part that was not read."""
    around = ("", *(f"{name}." for name in ledger.projects), "catalog.")
    problems = []
    for change in ledger.unplaced:
        addresses = [f"{scope}{change.address}" for scope in around]
        if not any(touches(sheet.broken, address) for address in addresses):
            problems.append(_explain_unplaced(sheet, change, addresses))
    return problems


def _explain_unplaced(sheet: Sheet, change: Unplaced, meant: list[str]) -> Problem:
    """What is wrong with a change; its address may mean any of these."""
    place, shown = change.address.place, change.address[:80]
    for address in meant:
        found, end = sheet.find("", address)
        if found and end:
            right = f"set the whole of it: `{found}=8-10` is a range"
            return Problem(place, f"`{shown}` is one end of a figure", right)
        if found:
            return Problem(place, f"`{shown}` is calculated", _list_inputs_of(sheet, found))
    if any(part in PROJECT and PROJECT[part].listed for part in change.address.split(".")[:2]):
        return Problem(place, "runs and claims cannot be set", "set what the plan says; `add run` adds a run")
    within = tuple(f"{address}." for address in meant)
    if below := [name for name in sheet.cells if name.startswith(within)]:
        stated = [name for name in below if sheet.cells[name].place is not NOWHERE]
        return Problem(place, f"`{shown}` is not a figure itself", f"below it are {_name_some(stated or below)}")
    right = change.near or "`budget explain --list` shows all figures"
    return Problem(place, f"there is no `{shown}` that could be set", right)


def _list_inputs_of(sheet: Sheet, address: str) -> str:
    """The inputs of a figure, the nearest first; not all are known where parts of the ledger could not be read."""
    figure = sheet.figures.get(address)
    below = closure(figure) if figure else ()
    stated = [part for part in below if part.is_stated and part.address]
    if named := [part.address for part in stated if part.place is not NOWHERE]:
        return f"set one of its inputs: {_name_some(named)}"
    return "none of its inputs can be set" if figure and not sheet.broken else "set one of its inputs"


def _name_some(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMED])
    return shown + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
