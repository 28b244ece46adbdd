"""Words that follow from figures: which setup a ranking picks, whether something fits; and what things are called.

A word stands at an address, as a figure does. A condition compares its id, a page prints its title.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from reckon.language.lazy import regex
from reckon.language.quantity import UNKNOWN
from reckon.language.text import Refusal
from reckon.language.units import Unit, key_unit, label
from reckon.model.figure import Figure, Worked
from reckon.model.finding import nearest
from reckon.model.kinds import ALLOCATIONS, CATALOG, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger, touches

from ..budget.future_addresses import later
from ..choosing import pareto
from ..sheet.cells import Addresses, find, picked
from ..sheet.sheet import Sheet

NONE = "none"
_SETUP = regex(r"[^.]+\.setups(\.[^.]+){2}")
SETUPS_REST_ON = ("setups", "workloads", "prices", "throughputs")


class Word(Struct, frozen=True):
    """A word at an address: its id, and its title as pages print it.

    `about` says what it is the word for. `among` holds the titles of all that it can be, by id; it is empty where
    a thing is only called so. `missing` names the missing inputs because of which it is not known yet.
    """

    id: str
    title: str
    about: str = ""
    among: Mapping[str, str] = {}
    missing: Addresses = ()


NamedWords = Iterator[tuple[str, Word]]
"""Words, each with the address at which it stands."""


def titles_of(at: str, records: Mapping[str, Any]) -> NamedWords:
    """Address and title of records that stand below an address; their ids where they have no title."""
    for name, record in records.items():
        yield f"{at}.{name}", Word(name, record.title or name, "title")


def word_of(word: Word, name: str, text: str, at: int = 0) -> Word:
    """What a text says that the word at an address is. Raises Refusal where it can never be that."""
    if text not in word.among:
        wrong = f"`{text[:60]}` is nothing that `{name[:60]}` can be"
        raise Refusal(wrong, nearest(text, word.among) or choices_of(word), at)
    return Word(text, word.among[text])


def choices_of(word: Word) -> str:
    """A hint at what a word can be."""
    shown = ", ".join(f"`{name}`" for name in list(word.among)[:6])
    return f"write one of {shown}" if shown else "it is always the same: compare a ranking, or a standing"


def titles_in(project: ProjectLedger) -> NamedWords:
    """Address and title of the records of a project."""
    yield from titles_of(f"{project.id}.plan", project.items)
    yield from titles_of(f"{project.id}.phases", project.plan)
    for kind in PROJECT.values():
        if kind.called:
            yield from titles_of(f"{project.id}.{kind.id}", getattr(project, kind.id))


def titles(ledger: Ledger) -> NamedWords:
    """Address and title of what projects share: grants, cards and models."""
    yield from titles_of(ALLOCATIONS.id, ledger.allocations)
    for kind in CATALOG.values():
        if kind.called:
            yield from titles_of(f"catalog.{kind.id}", getattr(ledger.catalog, kind.id))


@cache
def _sometimes() -> Mapping[str, Unit]:
    """Figures of a setup that there are only while it has a rank, or something to save against."""
    hourly = ("usd_per_hour_saved", "marginal_usd_per_hour_saved", "worth_usd_per_hour")
    copied = {key: key_unit(key) for key in pareto.COPIED}
    return {**copied, "usd_hours": pareto.DOLLAR_HOURS, **dict.fromkeys(hourly, pareto.PER_HOUR)}


class Known(Struct, frozen=True):
    """All that a name in a condition or a text can mean: the figures of a sheet, and the words beside them."""

    sheet: Sheet
    words: Mapping[str, Word]

    def find_from(self, homes: Sequence[str], name: str) -> tuple[str, str]:
        """The address that a name means from the first of some others from which it means any, and the end that a
        suffix picks; empty if none."""
        found = (self.find(home, name) for home in homes)
        return next((each for each in found if each[0]), ("", ""))

    def coming(self, homes: Sequence[str], name: str, at: int) -> Figure | None:
        """The figure, without a value yet, that a name will mean from the first of some addresses; None where it could
        mean what could not be read. Raises Refusal where it never means anything."""
        figures = (later(self.sheet.cells, home, name) for home in homes)
        figure = next(filter(None, figures), None)
        if figure or any(self.could_be(home, name) for home in homes):
            return figure
        hints = (self.near(home, name) for home in homes)
        raise Refusal(
            f"there is no figure `{name[:60]}`",
            next(filter(None, hints), "`budget explain --list` shows all figures"),
            at,
        )

    def find(self, at: str, name: str) -> tuple[str, str]:
        """The address that a name means from another outwards, and the end that a suffix picks; empty if none."""
        found = self.sheet.find(at, name)
        address, end = found if found[0] else find(self.words, at, name)
        if address and not (end and address in self.words):
            return address, end
        stem, _, key = name.rpartition(".")
        setup = find(self.words, at, stem)[0] if stem and key in _sometimes() else ""
        return (f"{setup}.{key}", "") if _SETUP.fullmatch(setup) else ("", "")

    def means(self, address: str, end: str = "") -> Figure | Word | None:
        """What stands at an address; None where it could not be calculated."""
        if figure := self.sheet.figures.get(address):
            return picked(figure, end) if end else figure
        stem, _, key = address.rpartition(".")
        if stem in self.words and key in _sometimes():
            title = f"{self.words[stem].title}: {label(key)}"
            origin = Worked("nothing, as it stands")
            return Figure(address, title, _sometimes()[key], UNKNOWN, origin, "", self.words[stem].missing or (stem,))
        return self.words.get(address)

    def word(self, at: str, name: str) -> bool:
        """Whether a name means a word."""
        return self.find(at, name)[0] in self.words

    def could_be(self, at: str, name: str) -> bool:
        """Whether a name could mean what could not be read, or rests on it: setups rest on much of the ledger."""
        if self.sheet.could_be(at, name):
            return True
        rests_on = ["catalog", *(f"{at.partition('.')[0]}.{part}" for part in SETUPS_REST_ON)]
        failed = any(address.startswith(tuple(rests_on)) for address in self.sheet.failed)
        is_broken = failed or any(touches(self.sheet.broken, address) for address in rests_on)
        return is_broken and name.startswith("setups.")

    def near(self, project_id: str, name: str) -> str:
        """A hint at what was perhaps meant."""
        return self.sheet.near(project_id, name, self.words)
