"""Rows of the tables on choosing hardware."""

from __future__ import annotations

from typing import NamedTuple

from reckon.compute.choosing.setups import Choice
from reckon.compute.statements.passages import Said
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
