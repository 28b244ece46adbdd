"""A configuration with levers that it does not apply, reckoned by the same cells as one that does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.sheet import Sheet
from .derived import Overrides, derived
from .fits import Fitted, fits_of
from .needs import write_needs
from .times import write_times


@dataclass(frozen=True, slots=True)
class Tried:
    """A configuration on a card with further levers: its verdict, what they change, and its figures, by the end of
    their address (`need_gib`, `memory.PART.need_gib`, `expected_hours`)."""

    levers: tuple[str, ...]
    fitted: Fitted
    overrides: Overrides
    figures: Mapping[str, Figure]

    @property
    def hours(self) -> Figure | None:
        """How long it takes; None where the configuration says nothing of its time."""
        return self.figures.get("expected_hours")


class Trials:
    """Reckons a configuration with further levers. What the ledger comes to already is taken as it is."""

    def __init__(self, figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger) -> None:
        self.sheet, self.ledger, self.one = Sheet(), ledger, one
        for figure in figures.values():
            self.sheet.counted(figure)
        self.sheet.figures = dict(figures)
        self.number = 0

    def __call__(self, name: str, card: str, levers: tuple[str, ...]) -> Tried | None:
        """The configuration on a card with levers beside its own; None where it cannot be reckoned."""
        trial, at = self._id(name), f"{self.one.id}.configurations."
        record = r.Configuration.model_validate(
            {"title": self.one.configurations[name].title, "base": name, "levers": levers}
        )
        one = replace(self.one, configurations={**self.one.configurations, trial: record})
        catalog = replace(self.ledger.catalog, gpus={card: self.ledger.catalog.gpus[card]})
        ledger = replace(self.ledger, catalog=catalog)
        write_needs(self.sheet, ledger, one, (trial,))
        write_times(self.sheet, ledger, one, (trial,))
        own = [address for address in self.sheet.cells if address.startswith(f"{at}{trial}.")]
        settled = ((address, self.sheet.settle(address)) for address in own)
        begins = (f"{at}{trial}.on.{card}.", f"{at}{trial}.")
        figures = {_end(address, *begins): figure for address, figure in settled if figure}
        fitted = next(fits_of(self.sheet.figures, ledger, one, (trial,)), None)
        return Tried(levers, fitted, derived(ledger, one, trial), figures) if fitted else None

    def _id(self, name: str) -> str:
        """An id that no configuration has."""
        self.number += 1
        while f"{name}-{self.number}" in self.one.configurations:
            self.number += 1
        return f"{name}-{self.number}"


def _end(address: str, *begins: str) -> str:
    return next(address.removeprefix(begin) for begin in begins if address.startswith(begin))
