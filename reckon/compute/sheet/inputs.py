"""Every quantity of every record becomes a cell at its path in the ledger; phases are not part of an item's path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reckon.language.quantity import Quantity
from reckon.language.units import label
from reckon.model import records as r
from reckon.model.amounts import Derived
from reckon.model.kinds import CATALOG, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.values import Record, Seeds

from .cells import Cell
from .sheet import Sheet

APART = ("plan", "figures")
"""Kinds whose cells do not stand at the path of their record. Lists (runs, claims) have no cells."""


def write_inputs(sheet: Sheet, ledger: Ledger) -> None:
    """Writes the cells of all that the ledger states."""
    for name in CATALOG:
        _write_all(sheet, f"catalog.{name}", getattr(ledger.catalog, name))
    _write_all(sheet, "allocations", ledger.allocations)
    for project in ledger.projects.values():
        for cell in _project(project):
            sheet.write(cell)


def _write_all(sheet: Sheet, address: str, collection: Any) -> None:
    for name, record in collection.items():
        for cell in cells(record, f"{address}.{name}", record.title or name):
            sheet.write(cell)


def _project(one: ProjectLedger) -> Iterator[Cell]:
    yield from cells(one.project, one.id, one.project.title)
    for name, phase in one.plan.items():
        yield from cells(phase, f"{one.id}.phases.{name}", phase.title, skip=("items",))
        for item_name, item in phase.items.items():
            yield from cells(item, f"{one.id}.plan.{item_name}", item.title)
    for kind in PROJECT.values():
        if kind.id not in APART and not kind.listed:
            for name, record in getattr(one, kind.id).items():
                yield from cells(record, f"{one.id}.{kind.id}.{name}", record.title or name)
    for name, figure in one.figures.items():
        for key, written in figure.figures.items():
            yield from _cell(f"{one.id}.figures.{name}", figure.title, written, _form(key))


def cells(record: Record, address: str, title: str, skip: tuple[str, ...] = ()) -> Iterator[Cell]:
    """The cells of a record and of the records in it, below its address."""
    for name in type(record).model_fields:
        value = getattr(record, name)
        if name in skip or value is None or name == "place":
            continue
        if isinstance(value, Seeds):
            yield Cell(f"{address}.{name}", "Seeds", value.quantity.unit, value.quantity, value.quantity.place)
        elif isinstance(value, Quantity | Derived):
            yield from _cell(f"{address}.{name}", f"{title}: {label(name)}", value)
        elif isinstance(value, Record):
            yield from cells(value, f"{address}.{name}", f"{title}: {label(name)}")
        elif isinstance(value, dict):
            below = address if name == type(record).free else f"{address}.{name}"
            yield from _entries(
                below, title if name in (type(record).free, "settings") else f"{title}: {label(name)}", value
            )


def _entries(address: str, title: str, entries: dict[str, Any]) -> Iterator[Cell]:
    for key, value in entries.items():
        if isinstance(value, Quantity | Derived):
            yield from _cell(f"{address}.{key}", f"{title}: {label(key)}", value)
        elif isinstance(value, Record):
            yield from cells(value, f"{address}.{key}", getattr(value, "title", None) or label(key))


def _cell(address: str, title: str, value: Quantity | Derived, form: str = "") -> Iterator[Cell]:
    if isinstance(value, Quantity):
        yield Cell(address, title, value.unit, value, value.place, form=value.form)
        return
    yield Cell(address, title, value.unit, value.formula, value.place, value.formula_place, form=form)
    for key, inner in value.inputs.items():
        yield from _cell(f"{address}.{key}", f"{title}: {label(key)}", inner, _form(key))


def _form(key: str) -> str:
    """How a reckoned figure is written that its key calls a share: nobody wrote a `%` there."""
    return "%" if key.rpartition("_")[2] == "share" else ""


def scopes(one: ProjectLedger) -> Iterator[tuple[str, r.Phase, str, r.Item]]:
    """Phase id, phase, item id and item, in the order of the ledger."""
    for phase_name, phase in one.plan.items():
        for name, item in phase.items.items():
            yield phase_name, phase, name, item
