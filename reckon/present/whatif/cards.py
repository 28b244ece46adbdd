"""The plan of a project in hours on each other GPU, as `--set PROJECT.gpu=CARD --convert` calculates it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from reckon.compute.budget.card_conversion import PLANNED, alternatives, convert, find_unconverted, on_card
from reckon.compute.calculation import calculate
from reckon.language.quantity import Quantity
from reckon.model.ledger import Ledger, ProjectLedger

from ..view import View

MOST_CARDS = 12
"""Further GPUs of the catalogue are left to the command."""


@dataclass(frozen=True, slots=True)
class OnCard:
    """A project on a GPU other than its own.

    `turned` has the addresses of hours and estimates that were multiplied by the ratio of the two GPUs, each with the
    addresses of all hours of its item: a change of one of these is in hours on the new GPU, and leaves all as they are
    stated. `stated` are those that the ledger states as a number, and not by a formula.
    """

    card: str
    view: View
    turned: Mapping[str, tuple[str, ...]]
    stated: frozenset[str]


def on_cards(view: View) -> Iterator[OnCard]:
    """A project on each GPU in whose hours its plan can be calculated, in the order of the catalogue."""
    for card in alternatives(view.book.ledger, view.ledger)[:MOST_CARDS]:
        alone = on_card(view.book.ledger, view.ledger, card)
        everything = {**view.book.projects, **alone.projects}  # where a formula names another project
        for projects in (alone.projects, everything):
            if found := _calculated(alone, projects, view.id, card):
                yield found
                break


def _calculated(moved: Ledger, projects: Mapping[str, ProjectLedger], name: str, card: str) -> OnCard | None:
    ledger, problems = convert(replace(moved, projects=projects))
    if problems:
        return None
    book, problems = calculate(ledger, audited=False)
    if problems:
        return None
    turned: dict[str, tuple[str, ...]] = {}
    stated: set[str] = set()
    before = moved.projects[name]
    for item in find_unconverted(moved, before):
        planned = {f"{name}.plan.{item}.{field}": getattr(before.items[item], field) for field in PLANNED}
        turned |= {address: tuple(planned) for address, value in planned.items() if value is not None}
        stated |= {address for address, value in planned.items() if isinstance(value, Quantity)}
    return OnCard(card, View(book, ledger.projects[name]), turned, frozenset(stated))
