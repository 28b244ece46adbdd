"""What documents say of one subject otherwise than each other: verdicts, and prices and speeds of one card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from msgspec import Struct

from reckon.language.calendar_days import last_day
from reckon.language.groups import group_by
from reckon.language.text import Place
from reckon.model.figure import Figure, planned
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.claims import Worded
from ..statements.words import Word
from .common import places, stated_at_all, times_as_much

MONTH = 31
"""Two lists that are further apart by more days than this are of two times."""


def verdicts_exclude(project: ProjectLedger, book: Book) -> Findings:
    """Verdicts or recommendations that are stated of one subject and exclude each other, in one document or in two."""
    for address, said in group_by(book.worded.get(project.id, ()), lambda worded: worded.address).items():
        by_id = group_by(said, lambda worded: worded.stated.id)
        if len(by_id) > 1:
            yield _exclude(address, said, by_id)


def _exclude(address: str, said: list[Worded], by_id: Mapping[str, list[Worded]]) -> Finding:
    subject: Word = said[0].word
    told = []
    for same in by_id.values():
        at = stated_at_all(each.claim for each in same)
        told.append(say("{stated} ({at})", stated=same[0].stated.title, at=at))
    lines = dict.fromkeys(each.claim.place for each in said)
    arithmetic = say("stated as ") + joined(told, " and as ")
    return make_finding("verdicts-exclude", address, subject.about, arithmetic, places=list(lines)[:20])


class Quoted(Struct, frozen=True):
    """What a list of the catalogue says of cards: the address of the list, what it is called, what makes two of them
    comparable, its date, its line, and the address of the figure of each card."""

    at: str
    title: str
    alike: tuple[str, ...]
    tier: str
    as_of: str
    place: Place
    cards: Mapping[str, str]


def quoted_differently(project: ProjectLedger, book: Book) -> Findings:
    """A card's price or speed that two lists of one provider, or for one model, have differently in the same month.

    Told of the lists that the project uses; where another project uses the other list, in the one with the later list.
    """
    used = _used(project)
    elsewhere: set[str] | None = None
    for lists in (list(_prices(book)), list(_speeds(book))):
        for first, second in combinations(lists, 2):
            own, other = (first, second) if first.at in used else (second, first)
            if own.at not in used or not _of_one_time(own, other):
                continue
            if elsewhere is None:  # asked of all projects, for whom there is something to tell
                others = (each for each in book.projects.values() if each is not project)
                elsewhere = {at for each in others for at in _used(each)}
            if not (other.at in elsewhere - used and _later(own) < _later(other)):
                yield from _apart(book, own, other)


def _used(project: ProjectLedger) -> set[str]:
    """The addresses of the lists of prices and of speeds that a project uses."""
    prices = {*project.price_lists, *(name for each in project.projections.values() for name in each.prices or ())}
    return {
        *(f"catalog.prices.{name}" for name in prices),
        *(f"catalog.throughputs.{name}" for name in project.project.throughputs),
    }


def _later(quoted: Quoted) -> tuple[int, str]:
    """What sorts lists by their dates; those of one day by their names."""
    return last_day(quoted.as_of), quoted.at


def _prices(book: Book) -> Iterator[Quoted]:
    """The price lists that name their provider and a date."""
    for name, prices in book.catalog.prices.items():
        if prices.provider is not None and prices.as_of is not None and not prices.since:
            cards = {card: f"catalog.prices.{name}.{prices.last_price(card)}" for card in prices.cards}
            yield Quoted(
                f"catalog.prices.{name}",
                prices.title or name,
                ("price", prices.provider),
                prices.tier or "",
                prices.as_of,
                prices.place,
                cards,
            )


def _speeds(book: Book) -> Iterator[Quoted]:
    """The tables of throughput that name their date."""
    for name, table in book.catalog.throughputs.items():
        if table.as_of is not None:
            at = f"catalog.throughputs.{name}"
            cards = {card: f"{at}.tokens_per_second_per_gpu.{card}" for card in table.tokens_per_second_per_gpu}
            alike = ("speed", table.model, table.dtype or "", table.kind or "")
            yield Quoted(at, table.title or name, alike, "", table.as_of, table.place, cards)


def _of_one_time(first: Quoted, second: Quoted) -> bool:
    """Whether two lists speak of the same, as far as they say, at the same time."""
    tiers = {tier for tier in (first.tier, second.tier) if tier}
    apart = abs(last_day(first.as_of) - last_day(second.as_of))
    return first.alike == second.alike and len(tiers) < 2 and apart <= MONTH


def _apart(book: Book, own: Quoted, other: Quoted) -> Findings:
    for card, at in own.cards.items():
        first = book.get(at)
        second = book.get(other.cards.get(card, ""))
        if first and second and (_below(first, second) or _below(second, first)):
            smaller, larger = sorted((first, second), key=planned)
            told = (*_quoted(first, own), ", ", *_quoted(second, other))
            yield make_finding(
                "quoted-differently",
                first.address,
                f"{book.catalog.gpus[card].title}: its {own.alike[0]}",
                told + times_as_much(larger, smaller, ": {ratio} as much"),
                places=(own.place, other.place, *places(first, second)),
            )


def _quoted(figure: Figure, quoted: Quoted) -> Sentence:
    return say("{figure} in {title} ({day})", figure=figure, title=quoted.title, day=quoted.as_of)


def _below(first: Figure, second: Figure) -> bool:
    """Whether the whole range of a figure lies below that of another of the same unit."""
    high = first.value.high
    low = second.value.low
    return high is not None and low is not None and first.unit.to_base(high) < second.unit.to_base(low)
