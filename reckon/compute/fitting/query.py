"""What is asked of one configuration: how it stands on some cards, and which levers make it fit.

It stands in a ledger (`query`), or in words alone (`query_described`): then it is a small project on the catalogue,
calculated as any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import point
from reckon.model import records as r
from reckon.model.figure import Figure, Figures, Stated
from reckon.model.ledger import Catalog, Ids, Ledger, ProjectLedger

from ..sheet.inputs import write_inputs
from ..sheet.sheet import Sheet
from .effective_settings import Configured
from .memory_needs import GIB, OF_MODEL, write_needs
from .search import LeverSearch, Suggestion
from .verdict import Fitted, fits_of

ASKED = "asked"
OF_CONFIGURATION = ("dtype", "optimizer", "sharding", "recompute", "gpus", "tokens", "sequences")
# What training keeps for each parameter; serving keeps the weights only.
STATES = ("weights", "gradients", "optimizer")
PER_TOKEN = ("tokens", "sequences")


class FitQuery(Struct, frozen=True):
    """A configuration with its figures, and how it stands on cards; with levers, where they were looked for.

    `unknown` are cards whose memory the catalogue does not state. `smallest` is the smallest card on which it fits as
    it is, and with levers; empty where there is none.
    """

    ledger: Ledger
    project: ProjectLedger
    name: str
    figures: Figures
    fitted: tuple[Fitted, ...]
    unknown: Ids = ()
    suggestions: tuple[Suggestion, ...] = ()
    smallest: tuple[str, str] | None = None

    @property
    def configured(self) -> Configured:
        """What the configuration says."""
        return Configured(self.project, self.name)

    def called(self, part: str) -> str:
        """What a part of the memory is called."""
        return self.configured.parts[part][1].title or part.replace("-", " ")

    def figure(self, address: str) -> Figure | None:
        """The figure at an address inside the project."""
        return self.figures.get(f"{self.project.id}.{address}")

    @property
    def reserve(self) -> Figure | None:
        """The memory of each card that is to stay free."""
        return self.figure("reserve_gib")


def query_configuration(figures: Figures, ledger: Ledger, project: ProjectLedger, name: str) -> FitQuery:
    """How a configuration of a ledger stands on every card whose memory is known."""
    return FitQuery(ledger, project, name, figures, tuple(fits_of(figures, ledger, project, (name,))))


def with_reserve(whole: FitQuery, gib: Fraction) -> FitQuery:
    """The same where so much of each card is to stay free."""
    address = f"{whole.project.id}.reserve_gib"
    kept = Figure(address, "Reserve", GIB, point(gib), Stated(str(gib)))
    figures = {**whole.figures, address: kept}
    return replace(whole, figures=figures, fitted=tuple(fits_of(figures, whole.ledger, whole.project, (whole.name,))))


def on_cards(whole: FitQuery, cards: Sequence[str]) -> FitQuery:
    """The same on some cards only, in the order of the catalogue; on all where none is named."""
    named = [card for card in whole.ledger.catalog.gpus if not cards or card in cards]
    fitted = tuple(fit for fit in whole.fitted if fit.pair.card in named)
    known = {fit.pair.card for fit in fitted}
    return replace(whole, fitted=fitted, unknown=tuple(card for card in named if card not in known))


def with_levers_sought(whole: FitQuery) -> FitQuery:
    """With the cheapest levers under which the configuration fits each card, and the smallest cards."""
    search = LeverSearch(whole.figures, whole.ledger, whole.project, whole.name)
    suggestions = tuple(search.on(fit.pair.card) for fit in whole.fitted)
    return replace(whole, suggestions=suggestions, smallest=search.smallest())


def query_described(catalog: Catalog, words: Mapping[str, str]) -> FitQuery:
    """What fields of a configuration and of its model come to, by name and as a ledger would have them.

    `model` names one of the catalogue; what is said of a model beside it counts instead of what the catalogue says.
    With `optimizer` it is trained. What grows with the tokens counts once a number of tokens or sequences is given.
    """
    ledger = _ledger(catalog, words)
    project, sheet = ledger.projects[ASKED], Sheet()
    write_inputs(sheet, ledger)
    write_needs(sheet, ledger, project)
    sheet.reckon()
    return FitQuery(ledger, project, ASKED, sheet.figures, tuple(fits_of(sheet.figures, ledger, project)))


def not_counted(words: Mapping[str, str]) -> str:
    """The part that is left out because no number of tokens is given; empty where none is."""
    return "" if set(PER_TOKEN) & set(words) else _growing(words)


def _growing(words: Mapping[str, str]) -> str:
    return "activations" if "optimizer" in words else "kv-cache"


def _ledger(catalog: Catalog, words: Mapping[str, str]) -> Ledger:
    named = catalog.models.get(words.get("model", ""))
    own = {key: words[key] for key in OF_MODEL if key in words}
    said = r.Model.model_validate({"title": named.title if named else ASKED, **own})
    model = named.model_copy(update={key: getattr(said, key) for key in own}) if named else said
    fields = {key: words[key] for key in OF_CONFIGURATION if key in words}
    if named and named.dtype is not None:
        fields.setdefault("dtype", named.dtype)
    parts = [*(STATES if "optimizer" in words else STATES[:1]), *([] if not_counted(words) else [_growing(words)])]
    memory = {part: {"reckoned": part} for part in parts}
    configuration = r.Configuration.model_validate({"title": model.title, "model": ASKED, "memory": memory, **fields})
    card = next(iter(catalog.gpus), ASKED)
    project = r.Project.model_validate({"title": ASKED, "version": ASKED, "as_of": "2000", "gpu": card})
    made = ProjectLedger(ASKED, project, configurations={ASKED: configuration})
    return Ledger(replace(Catalog(gpus=catalog.gpus), models={ASKED: model}), projects={ASKED: made})
