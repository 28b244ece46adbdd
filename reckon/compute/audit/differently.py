"""What is stated more than once, with values that do not suit each other: figures, words, and cards in two lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.calendar_days import last_day
from reckon.language.groups import group_by
from reckon.language.text import Place
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import SHARED
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.agreement import CARRIED_ON, COARSE
from ..statements.claims import Check
from .common import places, stated_at_all
from .own_sums import own_sums
from .stating import stated_of

MONTH = 31
"""Two lists that are further apart by more days than this are of two times."""


def stated_differently(project: ProjectLedger, book: Book) -> Findings:
    """Values of one figure that cannot both be, or words of one subject, which is a warning; or ranges that end
    differently, or a card that two lists have otherwise, a note.

    A range may hold a single number, and an open range any that it reaches: these are no contradiction. Of what
    projects share, as a card, what the others state counts too.
    """
    for figure, every in _statements(project, book):
        statements = [each for each in every if not (_is_rounded(each) or any(_within(each, other) for other in every))]
        pairs = [pair for pair in combinations(statements, 2) if pair[0].value != pair[1].value]
        apart = [(one, other) for one, other in pairs if _below(one, other) or _below(other, one)]
        if apart or any(_unlike(*pair) for pair in pairs):
            values = group_by(statements, lambda each: each.value).values()
            said = [(_said(same[0]), [each.claim for each in same]) for same in values]
            yield _finding(figure.address, figure.title, said, bool(apart))
    for address, worded in group_by(book.worded.get(project.id, ()), lambda each: each.address).items():
        words = group_by(worded, lambda each: each.stated.id).values()
        if len(words) > 1:
            told = [(say("{it}", it=same[0].stated.title), [each.claim for each in same]) for same in words]
            yield _finding(address, worded[0].word.about, told, True)
    yield from _quoted(project, book)
    yield from own_sums(project, book)


def _statements(project: ProjectLedger, book: Book) -> Iterator[tuple[Figure, list[Check]]]:
    """Each figure that is stated more than once, with all that is stated of it."""
    for address, own in stated_of(project, book).items():
        every = own if address.startswith(f"{project.id}.") else [*own, *_elsewhere(project, book, address)]
        if len(every) > 1:
            yield own[0].figure, every


def _elsewhere(project: ProjectLedger, book: Book, address: str) -> Iterator[Check]:
    """What other projects state of a figure that all share, each said to be of its project where it names no source."""
    for other in book.projects.values():
        if other.id != project.id and any(claim.of.startswith(SHARED) for claim in other.claims):
            for statement in stated_of(other, book).get(address, ()):
                source = statement.claim.source or other.project.title
                yield replace(statement, claim=statement.claim.model_copy(update={"source": source}))


def _is_rounded(check: Check) -> bool:
    """Whether a number differs from the calculated one only by rounding: then it differs from no other one either."""
    return check.value.exact and check.kind in (COARSE, CARRIED_ON)


def _within(number: Check, other: Check) -> bool:
    """Whether a number lies in a range that its document states: who picks one number of it contradicts nothing."""
    if not number.value.exact or other.value.exact or number.claim.source != other.claim.source:
        return False
    said = number.value.use
    low = other.value.low
    high = other.value.high
    return (low is None or said is None or low - other.low <= said) and (
        high is None or said is None or said <= high + other.high
    )


def _below(first: Check, second: Check) -> bool:
    """Whether the first value lies below the second, their rounding counted."""
    high = first.value.high
    low = second.value.low
    return high is not None and low is not None and high + first.high < low - second.low


def _unlike(first: Check, second: Check) -> bool:
    """Whether two ranges have ends that differ by more than their rounding; a single number is not a range."""
    if first.value.exact or second.value.exact:
        return False
    lows = (first.value.low, second.value.low)
    highs = (first.value.high, second.value.high)
    return _differ(*lows, first.low + second.low) or _differ(*highs, first.high + second.high)


def _differ(first: Fraction | None, second: Fraction | None, allowed: Fraction) -> bool:
    return first is not None and second is not None and abs(first - second) > allowed


def _finding(subject: str, title: str, said: Sequence[tuple[Sentence, Sequence[Claim]]], apart: bool) -> Finding:
    """One finding for a figure or a word: each value once, with all places that state it."""
    claims = [claim for _, same in said for claim in same]
    sources = {claim.document for claim in claims}
    (only,) = sources if len(sources) == 1 else ("",)
    values = [value + say(" ({at})", at=stated_at_all(same, known=only)) for value, same in said]
    return make_finding(
        "stated-differently",
        subject,
        title + (": stated with values that cannot all be" if apart else ": stated with different ranges"),
        say("stated in {only} as " if only else "stated as ", only=only) + joined(values, ", "),
        "They cannot all be right, whatever the ledger comes to."
        if apart
        else "They overlap, but a reader cannot tell which range is meant.",
        "State it once, or the same everywhere.",
        sorted({claim.place for claim in claims})[:20],
        is_mild=not apart,
    )


def _said(statement: Check) -> Sentence:
    """What is stated, `~` before it where it was called approximate."""
    about = str(statement.claim.states).strip().startswith(("~", "≈"))
    return say("~{value}" if about else "{value}", value=statement.stated)


class Quoted(Struct, frozen=True):
    """What a list of the catalogue says of cards: the address of the list, what it is called, what makes two of them
    comparable, its tier, if it names one, its date, its line, and the address of the figure of each card."""

    at: str
    title: str
    alike: tuple[str, ...]
    tier: str
    as_of: str
    place: Place
    cards: Mapping[str, str]


def _quoted(project: ProjectLedger, book: Book) -> Findings:
    """A card's price or speed that two lists of one provider, or for one model, have differently in the same month.

    Told of the lists that the project uses; where another project uses the other list, in the one with the later list.
    """
    used = _used(project)
    others = set().union(*(_used(each) for each in book.projects.values() if each is not project)) - used
    for first, second in combinations((*_prices(book), *_speeds(book)), 2):
        own, other = (first, second) if first.at in used else (second, first)
        is_theirs = other.at in others and (last_day(own.as_of), own.at) < (last_day(other.as_of), other.at)
        if own.at in used and not is_theirs and _of_one_time(own, other):
            for card in own.cards:
                yield from _apart(book, own, other, card)


def _used(project: ProjectLedger) -> set[str]:
    """The addresses of the lists of prices and of speeds that a project uses."""
    prices = {*project.price_lists, *(name for each in project.projections.values() for name in each.prices or ())}
    return {
        *(f"catalog.prices.{name}" for name in prices),
        *(f"catalog.throughputs.{name}" for name in project.project.throughputs),
    }


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
    is_one_tier = first.tier == second.tier or not (first.tier and second.tier)
    return first.alike == second.alike and is_one_tier and abs(last_day(first.as_of) - last_day(second.as_of)) <= MONTH


def _apart(book: Book, own: Quoted, other: Quoted, card: str) -> Findings:
    """That two lists have nothing in common of a card."""
    first, second = book.get(own.cards[card]), book.get(other.cards.get(card, ""))
    if first and second and (_below_all(first, second) or _below_all(second, first)):
        yield make_finding(
            "stated-differently",
            f"{first.address}#lists",
            f"{book.catalog.gpus[card].title}: its {own.alike[0]} differs between two lists",
            say("{first} in ", first=first)
            + say("{own} ({day}), ", own=own.title, day=own.as_of)
            + say("{second} in {other} ({day})", second=second, other=other.title, day=other.as_of),
            "What two documents make of this card cannot be compared if each uses one of these lists.",
            "Use one list for both, or a range that has both figures; or say in `tier` how the lists differ.",
            (own.place, other.place, *places(first, second)),
            is_mild=True,
        )


def _below_all(first: Figure, second: Figure) -> bool:
    """Whether the whole range of a figure lies below that of another of the same unit."""
    high, low = first.value.high, second.value.low
    return high is not None and low is not None and first.unit.to_base(high) < second.unit.to_base(low)
