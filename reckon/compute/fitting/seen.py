"""What is asked of one configuration: how it stands on some cards, and which levers make it fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reckon.language.quantity import point
from reckon.model.figure import Figure, Stated
from reckon.model.ledger import Ledger, ProjectLedger

from .configured import Configured
from .fits import Fitted, fits_of
from .needs import GIB
from .search import Search, Suggestion


@dataclass(frozen=True, slots=True)
class Seen:
    """A configuration with its figures, and how it stands on cards; with levers, where they were looked for.

    `unknown` are cards whose memory the catalogue does not state. `smallest` is the smallest card on which it fits as
    it is, and with levers; empty where there is none.
    """

    ledger: Ledger
    one: ProjectLedger
    name: str
    figures: Mapping[str, Figure]
    fitted: tuple[Fitted, ...]
    unknown: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    smallest: tuple[str, str] | None = None

    @property
    def configured(self) -> Configured:
        """What the configuration says."""
        return Configured(self.one, self.name)

    def called(self, part: str) -> str:
        """What a part of the memory is called."""
        return str(self.configured.parts[part][1].title or part.replace("-", " "))

    def figure(self, address: str) -> Figure | None:
        """The figure at an address inside the project."""
        return self.figures.get(f"{self.one.id}.{address}")

    @property
    def reserve(self) -> Figure | None:
        """The memory of each card that is to stay free."""
        return self.figure("reserve_gib")


def seen(figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger, name: str) -> Seen:
    """How a configuration of a ledger stands on every card whose memory is known."""
    return Seen(ledger, one, name, figures, tuple(fits_of(figures, ledger, one, (name,))))


def with_reserve(whole: Seen, gib: Fraction) -> Seen:
    """The same where so much of each card is to stay free."""
    address = f"{whole.one.id}.reserve_gib"
    kept = Figure(address, "Reserve", GIB, point(gib), Stated(str(gib)))
    figures = {**whole.figures, address: kept}
    return replace(whole, figures=figures, fitted=tuple(fits_of(figures, whole.ledger, whole.one, (whole.name,))))


def on_cards(whole: Seen, cards: Sequence[str]) -> Seen:
    """The same on some cards only, in the order of the catalogue; on all where none is named."""
    named = [card for card in map(str, whole.ledger.catalog.gpus) if not cards or card in cards]
    fitted = tuple(one for one in whole.fitted if one.pair.card in named)
    known = {one.pair.card for one in fitted}
    return replace(whole, fitted=fitted, unknown=tuple(card for card in named if card not in known))


def with_levers_sought(whole: Seen) -> Seen:
    """With the cheapest levers under which the configuration fits each card, and the smallest cards."""
    search = Search(whole.figures, whole.ledger, whole.one, whole.name)
    suggestions = tuple(search.on(one.pair.card) for one in whole.fitted)
    return replace(whole, suggestions=suggestions, smallest=search.smallest())
