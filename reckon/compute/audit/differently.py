"""What is stated more than once, with values that do not suit each other: figures, words, cards in two lists; and sums
that a document states and its own parts do not give, although each of them may be right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.calendar_days import last_day
from reckon.language.groups import group_by
from reckon.language.quantity import ZERO, add_up
from reckon.language.text import Place
from reckon.model.figure import Figure, planned, span_of
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import SHARED
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.agreement import CARRIED_ON, COARSE, CONFIRMED
from ..statements.claims import Check
from ..statements.guesses import GIB
from ..statements.structure import by_its_name, parts_of
from .common import called, counted, places, stated_at, stated_at_all
from .stated import stated_of, stated_span

MONTH = 31
"""Two lists that are further apart by more days than this are of two times."""


def stated_differently(project: ProjectLedger, book: Book) -> Findings:
    """Values of one figure that cannot both be, or words of one subject, which is a warning; or ranges that end
    differently, or a card that two lists have otherwise, a note.

    A range may hold a single number, and an open range any that it reaches: these are no contradiction. Of what
    projects share, as a card, what the others state counts too. A number that differs from the calculated one only by
    rounding differs from no other one either.
    """
    for address, own in stated_of(project, book).items():
        every = own if address.startswith(f"{project.id}.") else [*own, *_elsewhere(project, book, address)]
        sharp = [each for each in every if not (each.value.exact and each.kind in (COARSE, CARRIED_ON))]
        statements = [each for each in sharp if not any(_is_within(each, other) for other in every)]
        pairs = [pair for pair in combinations(statements, 2) if pair[0].value != pair[1].value]
        is_apart = not all(stated_span(one).meets(stated_span(other)) for one, other in pairs)
        if is_apart or any(_is_unlike(*pair) for pair in pairs):
            values = group_by(statements, lambda each: each.value).values()
            said = [(_said(same[0]), [each.claim for each in same]) for same in values]
            found = _finding(address, own[0].figure.title, said, is_apart)
            mixed = next((pair for pair in pairs if _is_gib_beside_gb(*pair)), None)
            yield found if mixed is None else _say_gib(found, *mixed)
    for address, worded in group_by(book.worded[project.id], lambda each: each.address).items():
        words = group_by(worded, lambda each: each.stated.id).values()
        if len(words) > 1:
            said = [((same[0].stated.title,), [each.claim for each in same]) for same in words]
            yield _finding(address, worded[0].word.about, said, True)
    yield from _quoted(project, book)
    yield from own_sums(project, book)


def _is_within(number: Check, other: Check) -> bool:
    """Whether a number lies in a range that its document states: who picks one number of it contradicts nothing."""
    span = stated_span(other)
    is_range = number.value.exact and not other.value.exact and number.claim.source == other.claim.source
    return is_range and span.low <= planned(number.stated) <= span.high


def _is_unlike(first: Check, second: Check) -> bool:
    """Whether two ranges have ends that differ by more than their rounding; a single number is not a range."""
    one, other = first.value, second.value
    ends = ((one.low, other.low, first.low + second.low), (one.high, other.high, first.high + second.high))
    differ = (abs(end - far) > allowed for end, far, allowed in ends if end is not None and far is not None)
    return not one.exact and not other.exact and any(differ)


def _is_gib_beside_gb(first: Check, second: Check) -> bool:
    """Whether two amounts of data, both printed in GB, are one amount if the smaller is in GiB."""
    small, large = sorted((first, second), key=lambda each: planned(each.stated))
    is_in_gb = all("GB" in each.stated.unit.symbol for each in (small, large))
    apart = abs(planned(small.stated) * GIB - planned(large.stated))
    return is_in_gb and apart <= small.figure.unit.to_base(small.low * GIB + large.low)


def _say_gib(finding: Finding, first: Check, second: Check) -> Finding:
    """The finding with what to write where two statements are of one amount in two units."""
    small, large = (_said(each) for each in sorted((first, second), key=lambda each: planned(each.stated)))
    title = (f"{called(first.figure)}: ", *small, " is in GiB")
    return replace(finding, title=title, severity="note", remedy=("Write GiB for ", *small, ": that is ", *large, "."))


def _elsewhere(project: ProjectLedger, book: Book, address: str) -> Iterator[Check]:
    """What other projects state of a figure that all share, each said to be of its project where it names no source."""
    for other in book.projects.values():
        if other.id != project.id and any(claim.of.startswith(SHARED) for claim in other.claims):
            for statement in stated_of(other, book).get(address, ()):
                source = statement.claim.source or other.project.title
                yield replace(statement, claim=statement.claim.model_copy(update={"source": source}))


def _finding(subject: str, title: str, said: Sequence[tuple[Sentence, Sequence[Claim]]], is_apart: bool) -> Finding:
    """One finding for a figure or a word: each value once, with all places that state it."""
    claims = [claim for _, same in said for claim in same]
    sources = {claim.document for claim in claims}
    only = sources.pop() if len(sources) == 1 else ""
    values = [value + say(" ({at})", at=stated_at_all(same, known=only)) for value, same in said]
    words, meaning = ": the stated ranges differ", "They overlap, but a reader cannot tell which range is meant."
    if is_apart:
        words = ": the stated values exclude each other"
        meaning = "At most one of them can be right."
    return make_finding(
        "stated-differently",
        subject,
        title + words,
        say("stated in {only} as " if only else "stated as ", only=only) + joined(values, ", "),
        meaning,
        "State it once, or the same everywhere.",
        sorted({claim.place for claim in claims})[:20],
        is_mild=not is_apart,
    )


def _said(statement: Check) -> Sentence:
    """What is stated, `~` before it where it was called approximate."""
    return say("{about}{value}", about=statement.about, value=statement.stated)


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
    for first, second in combinations(_lists(book), 2):
        own, other = (first, second) if first.at in used else (second, first)
        is_theirs = other.at in others and (last_day(own.as_of), own.at) < (last_day(other.as_of), other.at)
        if own.at in used and not is_theirs and _is_of_one_time(own, other):
            for card in own.cards:
                yield from _apart(book, own, other, card)


def _lists(book: Book) -> Iterator[Quoted]:
    """The price lists that name their provider and a date, and the tables of throughput that name their date."""
    for name, prices in book.catalog.prices.items():
        if prices.provider is not None and prices.as_of is not None and not prices.since:
            at = f"catalog.prices.{name}"
            cards = {card: f"{at}.{prices.last_price(card)}" for card in prices.cards}
            alike = ("price", prices.provider)
            yield Quoted(at, prices.title or name, alike, prices.tier or "", prices.as_of, prices.place, cards)
    for name, table in book.catalog.throughputs.items():
        if table.as_of is not None:
            at = f"catalog.throughputs.{name}"
            cards = {card: f"{at}.tokens_per_second_per_gpu.{card}" for card in table.tokens_per_second_per_gpu}
            kind = ("speed", table.model, table.dtype or "", table.kind or "")
            yield Quoted(at, table.title or name, kind, "", table.as_of, table.place, cards)


def _is_of_one_time(first: Quoted, second: Quoted) -> bool:
    """Whether two lists speak of the same, as far as they say, at the same time."""
    is_one_tier = first.tier == second.tier or not (first.tier and second.tier)
    return first.alike == second.alike and is_one_tier and abs(last_day(first.as_of) - last_day(second.as_of)) <= MONTH


def _used(project: ProjectLedger) -> set[str]:
    """The addresses of the lists of prices and of speeds that a project uses."""
    prices = {*project.price_lists, *(name for each in project.projections.values() for name in each.prices or ())}
    return {
        *(f"catalog.prices.{name}" for name in prices),
        *(f"catalog.throughputs.{name}" for name in project.project.throughputs),
    }


def _apart(book: Book, own: Quoted, other: Quoted, card: str) -> Findings:
    """That two lists have nothing in common of a card."""
    first, second = book.get(own.cards[card]), book.get(other.cards.get(card, ""))
    if first and second and not span_of(first).meets(span_of(second)):
        sources = {"own": f"{own.title} ({own.as_of})", "other": f"{other.title} ({other.as_of})"}
        yield make_finding(
            "stated-differently",
            f"{first.address}#lists",
            f"{book.catalog.gpus[card].title}: its {own.alike[0]} differs between two lists",
            say("{first} in {own}, {second} in {other}", first=first, second=second, **sources),
            "What two documents make of this card cannot be compared if each uses one of these lists.",
            "Use one list for both, or a range that has both figures; or say in `tier` how the lists differ.",
            (own.place, other.place, *places(first, second)),
            is_mild=True,
        )


LEAST_ROWS = 2
"""Of a sum so many rows have to stand in a table for this to be one of its parts."""


def own_sums(project: ProjectLedger, book: Book) -> Findings:
    """Notes on stated sums that hold: of a table whose rows do not add up to it, since one that it counts is not there;
    and of amounts in GB and GiB that were added as if both were the same."""
    checks = book.checks[project.id]
    tables: dict[tuple[str, str], dict[str, Check]] = defaultdict(dict)
    for check in checks:
        table = check.claim.at.rpartition(", ")[0]
        tables[check.claim.document, table][by_its_name(check.figure).address] = check
    seen = set[str]()
    for check in checks:
        claim = check.claim
        address = check.figure.address
        rows = tables.get((claim.document, claim.at), {})
        told = _told(check, rows) if check.holds and check.stated.value.exact and address not in seen else ()
        if told:
            seen.add(address)
            yield make_finding(
                "stated-differently",
                f"{address}#parts",
                say("{title}: the stated sum is not that of its parts", title=called(check.figure)),
                say("stated {stated} ({at}); ", stated=check.stated, at=stated_at(claim)) + told,
                "The rows add up to another number.",
                "State the part that is missing, or the sum in one unit.",
                (claim.place, *(row.claim.place for row in rows.values())),
                is_mild=True,
            )


def _told(check: Check, rows: Mapping[str, Check]) -> Sentence:
    """What the parts of a sum come to instead; nothing where they give it."""
    parts = [*_addends(check.figure, rows)]
    stated = [rows[part.address] for part in parts if part.address in rows]
    left_out = [part for part in parts if part.address not in rows and part.use]
    whole = add_up(row.stated.use or ZERO for row in stated)
    if len(stated) >= LEAST_ROWS and left_out and all(row.holds for row in stated) and not _is(check, whole):
        named = joined((say("{title}, {part}", title=called(part), part=part) for part in left_out), " and ")
        return say("its rows there are {whole}; not among them: ", whole=counted(whole, check.figure.unit)) + named
    is_mixed = len({part.unit for part in parts}) > 1
    if is_mixed and check.kind != CONFIRMED and _is(check, add_up(part.use or ZERO for part in parts)):
        amounts = joined(((part,) for part in parts), " + ")
        return say("calculated {figure}; it is ", figure=check.figure) + amounts + say(" with both units taken for one")
    return ()


def _is(check: Check, number: Fraction) -> bool:
    """Whether a number is what is stated, to its last digit."""
    return check.stated.use is not None and abs(check.stated.use - number) <= check.low


def _addends(figure: Figure, rows: Mapping[str, Check]) -> Iterator[Figure]:
    """What a sum consists of, as far down as to the rows of its table."""
    for part in parts_of(figure):
        below = [] if part.address in rows else [*_addends(part, rows)]
        yield from below or [part]
