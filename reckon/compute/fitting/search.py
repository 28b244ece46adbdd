"""The cheapest levers under which a configuration fits a card, and the smallest card on which it fits.

Cheapest is what costs least time. Sets of levers are weighed at planned values (`lever_sets`): up to 12 levers in every
combination, more of them one after the other, the one that frees most first. What is found is calculated by the sheet.
"""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import point
from reckon.model import records as r
from reckon.model.figure import Figure, Figures, Worked, planned
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..choosing.memory import FITS, usable_at
from ..sheet.cells import Addresses
from ..sheet.sheet import Sheet
from .effective_settings import Configured, Overrides, derived
from .lever_sets import Candidates, Weighing, candidates_of
from .memory_needs import GIB, write_needs
from .times import write_times
from .verdict import Fitted, fits_of, smallest


class Suggestion(Struct, frozen=True):
    """How a configuration comes to fit a card.

    `found` is the cheapest set of levers under which it fits, without levers where it fits as it is; `nearest` is what
    comes nearest where none does, with `lacking_gib` still missing. `missing` names the missing inputs because of which
    nothing can be said. `greedy` is whether not all sets were tried, `bounded` whether the time lost is judged by its
    upper bound; `unstated` are the levers of the set that slow something down and do not say by how much.
    """

    configuration: str
    card: str
    candidates: Candidates
    found: Tried | None = None
    nearest: Tried | None = None
    lacking_gib: Figure | None = None
    missing: Addresses = ()
    greedy: bool = False
    bounded: bool = False
    unstated: Ids = ()

    @property
    def best(self) -> Tried | None:
        """What fits, or comes nearest to it."""
        return self.found or self.nearest


class LeverSearch:
    """Looks for levers under which one configuration fits. Figures are those of the whole ledger."""

    def __init__(self, figures: Figures, ledger: Ledger, project: ProjectLedger, name: str) -> None:
        self.figures, self.ledger, self.project, self.name = figures, ledger, project, name
        configured = Configured(project, name)
        self.title, self.candidates = configured.title, candidates_of(figures, configured)
        self.weighing, self.trials = Weighing(figures, configured, self.candidates), Trials(figures, ledger, project)

    def on(self, card: str) -> Suggestion:
        """The cheapest levers under which the configuration fits a card, or what is still missing."""
        plain = self.trials(self.name, card, ())
        empty = Suggestion(self.name, card, self.candidates, greedy=self.weighing.greedy)
        if plain is None or plain.fitted.verdict is None:
            need = self.figures.get(f"{self.project.id}.configurations.{self.name}.on.{card}.need_gib")
            return replace(empty, missing=need.missing if need else ())
        if plain.fitted.verdict.use == FITS:
            return replace(empty, found=plain)
        usable = self._usable(card)
        for lever_set in self.weighing.fitting(usable):
            tried = self.trials(self.name, card, lever_set.names)
            if tried and tried.fitted.verdict and tried.fitted.verdict.use == FITS:
                bounded = self.weighing.time(lever_set)[1]
                return replace(empty, found=tried, bounded=bounded, unstated=lever_set.unstated)
        return self._lacking(empty, plain, usable)

    def _lacking(self, empty: Suggestion, plain: Tried, usable: Fraction) -> Suggestion:
        """What comes nearest to fitting, and what is missing then."""
        lever_set = self.weighing.nearest(usable)
        if lever_set is None:
            # Of a part without a planned value only bounds are known.
            memory = f"{self.project.id}.configurations.{self.name}.memory."
            missing = (at for at, figure in self.figures.items() if at.startswith(memory) and figure.use is None)
            return replace(empty, nearest=plain, missing=tuple(missing))
        tried = self.trials(self.name, empty.card, lever_set.names)
        assert tried is not None
        assert tried.fitted.verdict is not None
        verdict, reserve = tried.fitted.verdict, tried.fitted.reserve
        how = "the need and the reserve that must stay free, less the usable memory; or what a pool lacks for its parts"
        address, title = f"{verdict.subject}.lacking_gib", f"{self.title}: still missing"
        value = point(GIB.from_base(self.weighing.lacking(lever_set, usable)))
        rests_on = (verdict.need, verdict.usable, *([reserve] if reserve else []))
        lacking = Figure(address, title, GIB, value, Worked(how, rests_on))
        return replace(empty, nearest=tried, lacking_gib=lacking, unstated=lever_set.unstated)

    def smallest(self) -> tuple[str, str]:
        """The card with the least memory on which it fits without further levers, and with them; empty where none."""
        plain = smallest(list(fits_of(self.figures, self.ledger, self.project, (self.name,))), self.name)
        cards = [card for card in self.ledger.catalog.gpus if usable_at(self.figures, card)]
        for card in sorted(cards, key=self._usable):
            if card == plain:
                return plain, plain
            if self.weighing.fitting(self._usable(card)) and self.on(card).found:
                return plain, card
        return plain, ""

    def _usable(self, card: str) -> Fraction:
        return planned(self.figures.get(usable_at(self.figures, card)))


class Tried(Struct, frozen=True):
    """A configuration on a card with further levers: its verdict, what they change, and its figures, by the end of
    their address (`need_gib`, `memory.PART.need_gib`, `expected_hours`)."""

    levers: Ids
    fitted: Fitted
    overrides: Overrides
    figures: Figures

    @property
    def hours(self) -> Figure | None:
        """How long it takes; None where the configuration says nothing of its time."""
        return self.figures.get("expected_hours")


class Trials:
    """Calculates a configuration with further levers. What the ledger comes to already is taken as it is."""

    def __init__(self, figures: Figures, ledger: Ledger, project: ProjectLedger) -> None:
        self.sheet, self.ledger, self.project = Sheet(), ledger, project
        for figure in figures.values():
            self.sheet.counted(figure)
        self.sheet.figures = dict(figures)
        self.number = 0

    def __call__(self, name: str, card: str, levers: Ids) -> Tried | None:
        """The configuration on a card with levers beside its own; None where it cannot be calculated."""
        trial = self._id(name)
        at = f"{self.project.id}.configurations.{trial}."
        title = self.project.configurations[name].title
        record = r.Configuration.model_validate({"title": title, "base": name, "levers": levers})
        project = replace(self.project, configurations={**self.project.configurations, trial: record})
        catalog = replace(self.ledger.catalog, gpus={card: self.ledger.catalog.gpus[card]})
        ledger = replace(self.ledger, catalog=catalog)
        write_needs(self.sheet, ledger, project, (trial,))
        write_times(self.sheet, ledger, project, (trial,))
        own = [address for address in self.sheet.cells if address.startswith(at)]
        settled = {address.removeprefix(at).removeprefix(f"on.{card}."): self.sheet.settle(address) for address in own}
        figures = {end: figure for end, figure in settled.items() if figure}
        fitted = next(fits_of(self.sheet.figures, ledger, project, (trial,)), None)
        return Tried(levers, fitted, derived(ledger, project, trial), figures) if fitted else None

    def _id(self, name: str) -> str:
        """An id that no configuration has."""
        self.number += 1
        while f"{name}-{self.number}" in self.project.configurations:
            self.number += 1
        return f"{name}-{self.number}"
