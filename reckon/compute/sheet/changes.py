"""Changes without a place: why nothing can be set there, and what can be."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import NOWHERE
from reckon.model.figure import Figure, Stated, closure
from reckon.model.finding import Problem
from reckon.model.kinds import PROJECT
from reckon.model.ledger import Ledger, Unplaced, touches

from .sheet import Sheet

MOST_NAMED = 6


def check_changes(sheet: Sheet, ledger: Ledger) -> list[Problem]:
    """A problem for each change that could be made nowhere; none for what may stand in a part that was not read."""
    scopes = ("", *(f"{name}." for name in ledger.projects), "catalog.")
    return [
        _why(sheet, one, [f"{scope}{one.address}" for scope in scopes])
        for one in ledger.unplaced
        if not any(touches(sheet.broken, f"{scope}{one.address}") for scope in scopes)
    ]


def _why(sheet: Sheet, one: Unplaced, meant: list[str]) -> Problem:
    """What is wrong with a change; its address may mean any of these."""
    place, shown = one.address.place, one.address[:80]
    for address in meant:
        found, end = sheet.find("", address)
        if found and end:
            right = f"set the whole of it: `{found}=8-10` is a range"
            return Problem(place, f"`{shown}` is one end of a figure", right)
        if found:
            return Problem(place, f"`{shown}` is reckoned", _rests_on(sheet, found))
    if any(part in PROJECT and PROJECT[part].listed for part in one.address.split(".")[:2]):
        return Problem(place, "runs and claims cannot be set", "set what the plan says; `add run` adds a run")
    within = tuple(f"{address}." for address in meant)
    if below := [name for name in sheet.cells if name.startswith(within)]:
        stated = [name for name in below if sheet.cells[name].place is not NOWHERE]
        return Problem(place, f"`{shown}` is no figure itself", f"below it are {_some(stated or below)}")
    right = one.near or "`budget explain --list` shows all figures"
    return Problem(place, f"there is no `{shown}` that could be set", right)


def _rests_on(sheet: Sheet, address: str) -> str:
    """The inputs of a figure, the nearest first; not all are known where parts of the ledger could not be read."""
    figure = sheet.figures.get(address)
    if named := list(_inputs(figure)) if figure else []:
        return f"set what it rests on: {_some(named)}"
    return "it rests on nothing that could be set" if figure and not sheet.broken else "set what it rests on"


def _inputs(figure: Figure) -> Iterator[str]:
    """The addresses of what is stated in the ledger below a figure, level by level."""
    for below in closure(figure):
        if isinstance(below.origin, Stated) and below.address and below.place is not NOWHERE:
            yield below.address


def _some(names: list[str]) -> str:
    shown = ", ".join(f"`{one}`" for one in names[:MOST_NAMED])
    return shown + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
