"""Rows of the tables on choosing hardware, and the few figures that a page reckons for a table alone.

Such a figure has no address: its column says how it comes about, from figures that have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reckon.compute.evaluate import derive
from reckon.compute.formulas import read_formula
from reckon.compute.lookup import picked
from reckon.compute.passages import Said
from reckon.compute.setups import Choice
from reckon.compute.tradeoff import PER_HOUR
from reckon.language.units import PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Sentence


class Memory(NamedTuple):
    """A setup's memory, nominal: of each GPU and together; usable of each, and what shares of these are used."""

    title: str
    each: Figure | None
    together: Figure | None
    usable: Figure | None
    share: Figure | None
    all_models: Figure | None
    verdict: str


class Speed(NamedTuple):
    """A card, and how fast it generates."""

    title: str
    card: r.Card | None
    speed: Figure
    relative: Figure | None


class Front(NamedTuple):
    """A setup on the frontier; `worth` says at which value of an hour it is the best, `best` what it is best for."""

    choice: Choice
    title: str
    reference: bool
    saved: Figure | None
    marginal: Figure | None
    worth: Sentence
    best: tuple[Said, ...]


class Dominated(NamedTuple):
    """A setup beside the frontier, what is no slower and no dearer, and whether at every price."""

    choice: Choice
    title: str
    by: str
    equal: bool
    always: bool


class Undecided(NamedTuple):
    """A setup of which time or cost is not known, the inputs it lacks, and how many more."""

    title: str
    wanted: tuple[str, ...]
    more: Figure | None


class Moved(NamedTuple):
    """The frontier in another case: its setups in words, and those that join and leave it."""

    title: str
    front: str
    same: bool
    joins: str
    leaves: str


class Rank(NamedTuple):
    """The winner of a ranking, and the limit that it keeps to, if the ranking has one."""

    key: str
    title: str
    limit: Figure | None
    winner: str


class Offer(NamedTuple):
    """A setup on the market: what one GPU and the whole cost an hour, the list that says so, and how common it is."""

    choice: Choice
    title: str
    prices: str
    words: str


class Hunt(NamedTuple):
    """A search for a setup, as a command; or what is lacking for one."""

    title: str
    setup: str
    provider: str
    text: str
    lacking: tuple[str, ...]


GB, GIB, USD = key_unit("gb"), key_unit("gib"), key_unit("usd")


def all_models(need: Figure, models: Figure) -> Figure:
    """The memory that all models need together."""
    formula = read_formula("need * models")
    return derive(formula, {"need": need, "models": models}, GB, title="memory of all models", checked=False)


def together(gpus: Figure, vram: Figure) -> Figure:
    """The memory of all GPUs of a setup."""
    formula = read_formula("gpus * vram")
    return derive(formula, {"gpus": gpus, "vram": vram}, GIB, title="memory together", checked=False)


def share_of_all(need: Figure, models: Figure, gpus: Figure, vram: Figure) -> Figure:
    """The share of a setup's memory that all models use together."""
    inputs = {"need": need, "models": models, "gpus": gpus, "vram": vram}
    formula = read_formula("need * models / (gpus * vram)")
    return derive(formula, inputs, PLAIN, title="share of all memory", form="%", checked=False)


def ideal_cost(hours: Figure, price: Figure) -> Figure:
    """The cost of a setup without the parallel efficiency."""
    inputs = {"hours": hours, "usd_per_hour": price}
    return derive(read_formula("hours * usd_per_hour"), inputs, USD, title="cost without the efficiency")


def cost_of_an_hour(slower: Mapping[str, Figure], faster: Mapping[str, Figure]) -> Figure:
    """What each hour saved costs, from one setup to a faster one, as planned."""
    named = {"usd": faster["usd"], "hours": faster["hours"], "its_usd": slower["usd"], "its_hours": slower["hours"]}
    inputs = {name: picked(figure, "use") for name, figure in named.items()}
    formula = read_formula("(usd - its_usd) / (its_hours - hours)")
    return derive(formula, inputs, PER_HOUR, title="cost of an hour saved", checked=False)
