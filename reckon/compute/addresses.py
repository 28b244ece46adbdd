"""Addresses quoted in the ledger (by claims, texts, measurements) must be those of figures that exist."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import Refusal, Text, place_of
from reckon.model.figure import Figure
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.problem import Problem, nearest, refused

from .claims import read_claim
from .lookup import picked
from .sheet import Sheet


def check_addresses(sheet: Sheet, ledger: Ledger) -> list[Problem]:
    """A problem for each quoted address that leads nowhere, and each claim that states no quantity."""
    return [problem for one in ledger.projects.values() for problem in _project(sheet, one)]


def _project(sheet: Sheet, one: ProjectLedger) -> Iterator[Problem]:
    for text in one.texts.values():
        for address in text.rows:
            yield from _exists(sheet, one.id, address)
    for claim in one.claims:
        found = list(_exists(sheet, one.id, claim.of))
        yield from found
        if not found and claim.states is not None and (figure := quoted(sheet, one.id, claim.of)):
            try:
                read_claim(claim, figure.unit)
            except Refusal as refusal:
                yield refused(refusal, claim.states)
        if (claim.states is None) == (not claim.terms):
            yield Problem(
                claim.place, "a claim says one thing", "write `states:` for a figure, or `terms:` for a formula"
            )
        known = [*one.items, "contingency", "extensions"]
        for term in claim.terms:
            if term not in known:
                yield Problem(place_of(term), f"there is no item `{term[:60]}` in the plan", nearest(term, known))
    for name, measurement in one.measurements.items():
        for key in measurement.memory:
            if f"{one.id}.measurements.{name}.{key}" not in sheet.cells:
                yield Problem(
                    place_of(key), f"this record has no figure `{key[:60]}`", nearest(key, measurement.figures)
                )


def quoted(sheet: Sheet, project: str, address: str) -> Figure | None:
    """The figure that an address quoted in a project means; None where it could not be reckoned."""
    found, end = sheet.find(project, address)
    figure = sheet.figures.get(found)
    return picked(figure, end) if figure and end else figure


def _exists(sheet: Sheet, project: str, address: Text) -> Iterator[Problem]:
    if sheet.find(project, address)[0] or any(one.startswith(f"{project}.") for one in sheet.broken):
        return
    within = [one.removeprefix(f"{project}.") for one in sheet.cells if one.startswith(f"{project}.")]
    yield Problem(
        place_of(address),
        f"there is no figure `{address[:80]}`",
        nearest(address, within) or "`budget.py explain --list` shows them all",
    )
