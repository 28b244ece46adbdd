"""Words that follow from figures: which setup a ranking picks, whether something fits; and what things are called.

A word stands at an address, as a figure does. A condition compares its id, a page prints its title.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reckon.language.lean import dataclass, field, regex
from reckon.language.quantity import UNKNOWN
from reckon.language.text import Refusal
from reckon.language.units import Unit, key_unit, label
from reckon.model.figure import Figure, Worked
from reckon.model.finding import nearest
from reckon.model.kinds import ALLOCATIONS, CATALOG, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger, touches

from ..choosing.memory import FITS, NOT, TIGHT, Verdict
from ..choosing.tradeoff import COPIED, DOLLAR_HOURS, PER_HOUR, RANKS, Tradeoff
from ..fitting.fits import Fitted, smallest
from ..measuring.measured import bottleneck
from ..measuring.projections import STANDINGS, Fields, cheapest, offers_of, pairs, standing
from ..sheet.cells import find, picked
from ..sheet.sheet import Sheet

NONE = "none"
VERDICTS: Mapping[str, str] = {verdict.replace(" ", "-"): verdict for verdict in (FITS, TIGHT, NOT)}
FRONTIER, DOMINATED, UNDECIDED, UNFIT, SHORT = "frontier", "dominated", "undecided", "unfit", "too-few-gpus"
SETUP_STANDINGS: Mapping[str, str] = {
    FRONTIER: "on the frontier", DOMINATED: "dominated", UNDECIDED: "undecided", UNFIT: "without enough memory",
    SHORT: "with too few GPUs",
}  # fmt: skip
# Figures of a setup that there are only while it has a rank, or something to save against.
SOMETIMES: Mapping[str, Unit] = {
    **{key: key_unit(key) for key in COPIED}, "usd_hours": DOLLAR_HOURS, "usd_per_hour_saved": PER_HOUR,
    "marginal_usd_per_hour_saved": PER_HOUR, "worth_usd_per_hour": PER_HOUR,
}  # fmt: skip
_SETUP = regex(r"[^.]+\.setups(\.[^.]+){2}")
SETUPS_REST_ON = ("setups", "workloads", "prices", "throughputs")
# Rankings that there are only with a limit or a value, and the field that states it.
STATED: Mapping[str, str] = {
    "fastest-within-budget": "budget_usd", "cheapest-before-deadline": "deadline_hours",
    "best-at-hour-value": "usd_per_hour_waited",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word at an address: its id, and its title as pages print it.

    `about` says what it is the word for. `among` holds the titles of all that it can be, by id; it is empty where
    a thing is only called so. `missing` names the missing inputs because of which it is not known yet.
    """

    id: str
    title: str
    about: str = ""
    among: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def titles_of(at: str, records: Mapping[str, Any]) -> Iterator[tuple[str, Word]]:
    """Address and title of records that stand below an address; their ids where they have no title."""
    for name, record in records.items():
        yield f"{at}.{name}", Word(str(name), str(record.title or name), "title")


def word_of(word: Word, name: str, text: str, at: int = 0) -> Word:
    """What a text says that the word at an address is. Raises Refusal where it can never be that."""
    if text not in word.among:
        right = nearest(text, word.among) or choices_of(word)
        raise Refusal(f"`{text[:60]}` is nothing that `{name[:60]}` can be", right, at)
    return Word(text, word.among[text])


def choices_of(word: Word) -> str:
    """A hint at what a word can be."""
    shown = ", ".join(f"`{name}`" for name in list(word.among)[:6])
    return f"write one of {shown}" if shown else "it is always the same: compare a ranking, or a standing"


def words_of(
    figures: Mapping[str, Figure], project: ProjectLedger, weighed: tuple[Tradeoff, ...]
) -> Iterator[tuple[str, Word]]:
    """Address and word of all that a project has words for: titles first, then what its setups come to."""
    yield from titles_of(f"{project.id}.plan", project.items)
    yield from titles_of(f"{project.id}.phases", project.plan)
    for kind in PROJECT.values():
        if kind.called:
            yield from titles_of(f"{project.id}.{kind.id}", getattr(project, kind.id))
    for found in weighed:
        yield from _rankings(figures, project, found)
        for choice in found.choices:
            yield from _choice(project, found, choice)


def titles(ledger: Ledger) -> Iterator[tuple[str, Word]]:
    """Address and title of what projects share: grants, cards and models."""
    yield from titles_of(ALLOCATIONS.id, ledger.allocations)
    for kind in CATALOG.values():
        if kind.called:
            yield from titles_of(f"catalog.{kind.id}", getattr(ledger.catalog, kind.id))


def _rankings(figures: Mapping[str, Figure], project: ProjectLedger, found: Tradeoff) -> Iterator[tuple[str, Word]]:
    """The winner of each ranking, `none` where no setup meets its limit, and the reference."""
    at = f"{project.id}.setups.{found.name}"
    among = {**found.titles, NONE: NONE}
    open_ = tuple(dict.fromkeys(each for missing in found.undecided.values() for each in missing))
    for rank, about in RANKS.items():
        limit = figures.get(f"{at}.{STATED[rank]}") if rank in STATED else None
        if rank not in STATED or limit:
            missing = open_ if not found.points else (limit.address,) if limit and limit.use is None else ()
            yield f"{at}.{rank}", _pick(among, found.ranks.get(rank, ""), about, missing)
    yield f"{at}.reference", _pick(among, found.reference, "The reference", open_)


def _pick(among: Mapping[str, str], choice: str, about: str, missing: tuple[str, ...]) -> Word:
    if choice:
        return Word(choice, among[choice], about, among)
    return Word(NONE, "unknown" if missing else NONE, about, among, missing)


def _choice(project: ProjectLedger, found: Tradeoff, choice: str) -> Iterator[tuple[str, Word]]:
    """What a setup is called, whether it is worth having, and whether its memory holds the work."""
    at, title = found.choices[choice].at, found.titles[choice]
    yield at, Word(choice, title, "title")
    beside = FRONTIER if choice in found.front else DOMINATED
    no_choice = {**dict.fromkeys(found.unfit, UNFIT), **dict.fromkeys(found.short, SHORT)}
    standing = UNDECIDED if choice in found.undecided else no_choice.get(choice, beside)
    yield f"{at}.standing", Word(standing, SETUP_STANDINGS[standing], f"Standing of {title}", SETUP_STANDINGS)
    if project.workloads[found.record.workload].memory_gb:
        yield f"{at}.memory", _verdict(found.verdicts.get(choice), f"Memory of {title}", (f"{at}.memory_share",))


def _verdict(verdict: Verdict | None, about: str, missing: tuple[str, ...]) -> Word:
    """A verdict on memory as a word; where it cannot be told, what is missing for it."""
    if verdict is None or verdict.use not in VERDICTS.values():
        return Word("unknown", "unknown", about, VERDICTS, missing)
    return Word(verdict.use.replace(" ", "-"), verdict.use, about, VERDICTS)


def words_of_measured(
    figures: Mapping[str, Figure], ledger: Ledger, project: ProjectLedger
) -> Iterator[tuple[str, Word]]:
    """Address and word of what measurements and projections of a project have words for."""
    for name, measurement in project.measurements.items():
        at = f"{project.id}.measurements.{name}"
        if part := bottleneck(measurement):
            among = {str(key): label(str(key)) for key in measurement.total}
            yield f"{at}.bottleneck", Word(part, among[part], "The bottleneck", among)
    for key, _, of in pairs(project):
        yield from _cheapest(figures, ledger, project, key, of)
        yield from _reported(figures, project, key, f"{project.id}.projections.{key}.{of}")


def _cheapest(
    figures: Mapping[str, Figure], ledger: Ledger, project: ProjectLedger, name: str, measurement: str
) -> Iterator[tuple[str, Word]]:
    offers = [offer for offer in offers_of(ledger, project, name, measurement) if offer.hourly]
    if not offers:
        return
    at, among = f"{project.id}.projections.{name}.{measurement}", {offer.id: offer.title for offer in offers}
    found, cost = cheapest(figures, project.id, offers), figures.get(f"{at}.usd")
    missing = cost.missing if cost else ()
    words = among.get(found, "unknown" if missing else NONE)
    yield f"{at}.cheapest", Word(found or NONE, words, "The cheapest price list", {**among, NONE: NONE}, missing)


def _reported(figures: Mapping[str, Figure], project: ProjectLedger, name: str, at: str) -> Iterator[tuple[str, Word]]:
    """How the projected hours stand to what was reported elsewhere."""
    reported = Fields(project, name).value("reported")
    hours, figure = figures.get(f"{at}.hours"), figures.get(f"{project.id}.figures.{reported}")
    if reported is None or hours is None or figure is None:
        return
    found = standing(hours, figure)
    missing = () if found else (*hours.missing, *figure.missing) or (figure.address,)
    words = STANDINGS[found] if found else "unknown"
    yield f"{at}.reported", Word(found or NONE, words, "Against the reported figure", STANDINGS, missing)


def words_of_fits(ledger: Ledger, project: ProjectLedger, fitted: Sequence[Fitted]) -> Iterator[tuple[str, Word]]:
    """Address and word of what the configurations of a project come to."""
    cards = {str(card): str(record.title) for card, record in ledger.catalog.gpus.items()}
    called = {name: record.title for name, record in project.configurations.items()}
    for fit in fitted:
        at, about = f"{project.id}.{fit.pair.at}", f"{called[fit.pair.configuration]} on {cards[fit.pair.card]}"
        yield f"{at}.verdict", _verdict(fit.verdict, about, fit.missing or (f"{at}.need_gib",))
    among = {**cards, NONE: NONE}
    for name in dict.fromkeys(fit.pair.configuration for fit in fitted):
        own = [fit for fit in fitted if fit.pair.configuration == name]
        card, missing = smallest(own, name) or NONE, tuple(dict.fromkeys(at for fit in own for at in fit.missing))
        word = Word(card, among[card], f"Smallest card for {called[name]}", among, missing)
        yield f"{project.id}.configurations.{name}.smallest-card", word


@dataclass(frozen=True, slots=True)
class Known:
    """All that a name in a condition or a text can mean: the figures of a sheet, and the words beside them."""

    sheet: Sheet
    words: Mapping[str, Word]

    def find(self, at: str, name: str) -> tuple[str, str]:
        """The address that a name means from another outwards, and the end that a suffix picks; empty if none."""
        found = self.sheet.find(at, name)
        address, end = found if found[0] else find(self.words, at, name)
        if address and not (end and address in self.words):
            return address, end
        stem, _, key = name.rpartition(".")
        setup = find(self.words, at, stem)[0] if key in SOMETIMES else ""
        return (f"{setup}.{key}", "") if _SETUP.fullmatch(setup) else ("", "")

    def means(self, address: str, end: str = "") -> Figure | Word | None:
        """What stands at an address; None where it could not be calculated."""
        if figure := self.sheet.figures.get(address):
            return picked(figure, end) if end else figure
        stem, _, key = address.rpartition(".")
        if key in SOMETIMES and stem in self.words:
            title, origin = f"{self.words[stem].title}: {label(key)}", Worked("nothing, as it stands")
            return Figure(address, title, SOMETIMES[key], UNKNOWN, origin, "", self.words[stem].missing or (stem,))
        return self.words.get(address)

    def word(self, at: str, name: str) -> bool:
        """Whether a name means a word."""
        return self.find(at, name)[0] in self.words

    def could_be(self, at: str, name: str) -> bool:
        """Whether a name could mean what could not be read, or rests on it: setups rest on much of the ledger."""
        if self.sheet.could_be(at, name) or not name.startswith("setups."):
            return self.sheet.could_be(at, name)
        rests_on = ["catalog", *(f"{at.partition('.')[0]}.{part}" for part in SETUPS_REST_ON)]
        failed = any(address.startswith(tuple(rests_on)) for address in self.sheet.failed)
        return failed or any(touches(self.sheet.broken, address) for address in rests_on)

    def near(self, project_id: str, name: str) -> str:
        """A hint at what was perhaps meant."""
        return self.sheet.near(project_id, name, self.words)
