"""Rules over what energy and emissions rest on."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import ONE, point
from reckon.model.finding import Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ...book import Book
from ..common import places
from .bills import HIGHEST, LOWEST, MOST_PUE

MOST_LINES = 5
CLEANEST, DIRTIEST = 1, 2000
"""What a kWh of any grid emits, in g of CO2e: hydropower and wind are at some 10, old coal plants below 1,500."""


class Room(NamedTuple):
    """Between which values a figure may be: the title of what is found, what is told of it, what to write, and whether
    a factor of 1,000 may be the slip."""

    least: Fraction
    most: Fraction
    title: str
    known: str
    remedy: str
    is_scaled: bool = True


POWER = Room(
    Fraction(LOWEST),
    Fraction(HIGHEST),
    "A card cannot draw so much or so little",
    "cards draw 5 to 3,000 W",
    "Correct it, or write its unit: `0.4 kW`.",
)
GRID = Room(
    Fraction(CLEANEST),
    Fraction(DIRTIEST),
    "No grid emits so much or so little",
    "grids emit 1 to 2,000 g for a kWh",
    "Correct it, or write its unit: `0.385 kg/kWh`.",
)
PUE = Room(
    ONE,
    Fraction(MOST_PUE),
    "No data centre has such a PUE",
    "hardly any is above 2",
    "Correct it: it is the energy of the whole data centre over that of its machines, such as 1.2.",
    is_scaled=False,
)


def energy_cannot_be(project: ProjectLedger, book: Book) -> Findings:
    """A power of a card or an item, a PUE or a grid that the energy of a project rests on, and that cannot be."""
    for address, room in _used(project).items():
        figure = book.get(address)
        # A market-based grid may emit nothing; a power of 0 is of work that takes none.
        if figure is None or not figure.use or room.least <= figure.use <= room.most:
            continue
        told = say("{title} is {figure}; {known}", title=figure.title, figure=figure, known=room.known)
        scaled = [figure.use * factor for factor in (1000, Fraction(1, 1000)) if room.is_scaled]
        for use in scaled:
            if room.least <= use <= room.most:
                told += say("; with a factor of 1,000 it is {near}", near=replace(figure, value=point(use)))
        yield make_finding(
            "run-implausible",
            f"{address}#energy",
            room.title,
            told,
            "Energy and emissions that rest on it are wrong by the same factor.",
            room.remedy,
            places(figure),
        )


def _used(project: ProjectLedger) -> dict[str, Room]:
    """The addresses of all that the energy of a project may rest on."""
    record = project.project
    column = project.rows.column
    cards = (record.gpu, *(item.gpu for item in project.items.values()), *column("gpu"))
    grids = (record.grid, *column("grid"))
    facilities = (pue for pue in (record.pue, *column("pue")) if isinstance(pue, str))
    return {
        **{f"catalog.gpus.{card}.watts": POWER for card in dict.fromkeys(cards) if card},
        **{f"{project.id}.plan.{name}.watts": POWER for name in project.items},
        **{f"catalog.grids.{grid}.co2e_grams_per_kwh": GRID for grid in dict.fromkeys(grids) if grid},
        f"{project.id}.pue": PUE,
        **{f"catalog.facilities.{facility}.pue": PUE for facility in dict.fromkeys(facilities)},
    }
