"""Prices, throughputs and cards of the catalogue, as a project uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from reckon.language.calendar_days import DAYS, last_day
from reckon.language.quantity import point
from reckon.language.text import Place
from reckon.language.units import BYTES, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked
from reckon.model.finding import Finding, Sentence, joined, make_finding, say
from reckon.model.ledger import Ledger, ProjectLedger

from ..book import Book
from ..budget.prices import CardPrice, price_of
from ..choosing.memory import NOT
from ..sheet.cells import picked, read_formula
from ..sheet.evaluate import derive
from .common import places

PRICE_DAYS = 180
MOST_LINES = 5
RATE = key_unit("tokens_per_second")


def price_old(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A price list that is older than the plan by more days than the project allows."""
    allowed = project.project.price_days or PRICE_DAYS
    catalog = book.ledger.catalog.prices
    for name in (name for name in project.project.prices if name in catalog):
        prices = catalog[name]
        newest = max((prices.as_of or project.project.as_of, *prices.since), key=last_day)
        days = last_day(project.project.as_of) - last_day(newest)
        if days > allowed:
            at = f"catalog.prices.{name}"
            yield make_finding(
                "price-old",
                at,
                say("Prices of {title} are old", title=str(prices.title or name)),
                say(
                    "they are of {then}, the plan is of {now}: {days}, where {allowed} are allowed",
                    then=str(newest),
                    now=str(project.project.as_of),
                    days=_days(days),
                    allowed=_days(allowed),
                ),
                say("What is calculated from them may not be what it costs today."),
                say("Look them up again, or state `price_days` where they are known to hold."),
                (prices.place,),
            )


def price_missing(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A card that plan or runs use and that has no price: sums of money are at least what they say. Where none of them
    has one, nothing is said in money, and that is told once."""
    if cards := _all_unpriced(project, book.ledger):
        yield _no_price_at_all(project, book, cards)
        return
    for card, record in book.ledger.catalog.gpus.items():
        if book.get(f"{project.id}.money.unpriced.{card}") is None:
            continue
        if (price := price_of(book.ledger, project, card)) is not None:
            yield _price_missing_then(project, book, card, price)
            continue
        spent = book.get(f"{project.id}.money.by_gpu.{card}.hours")
        planned = [str(item.title) for item in project.items.values() if (item.gpu or project.project.gpu) == card]
        told = [say("{hours} were spent on it", hours=spent)] if spent else []
        told += (
            [
                say(
                    "{lines} {are} planned on it",
                    lines=", ".join(planned[:MOST_LINES]) + _more(planned),
                    are="is" if len(planned) == 1 else "are",
                )
            ]
            if planned
            else []
        )
        yield make_finding(
            "price-missing",
            f"{project.id}.money.unpriced.{card}",
            say("{card} has no price", card=str(record.title)),
            joined(told, " and ") + _not_in_lists(project, book, card),
            say("Sums of money with it are at least what they say."),
            say("Add its price to one of the lists, or state `cost_usd` of its runs."),
            _listed_at(project, book, [card]),
        )


def _all_unpriced(project: ProjectLedger, ledger: Ledger) -> list[str]:
    """The cards that plan and runs use, where the project names lists of prices and none of them has any of these."""
    own, lists = str(project.project.gpu), project.project.prices
    used = {str(item.gpu or own) for item in project.items.values()}
    if not lists or not all(name in ledger.catalog.prices for name in lists):
        return []
    if any(price_of(ledger, project, card) for card in {own, *used}):
        return []
    used |= {str(card or own) for card in project.rows.values("gpu")}
    return (
        []
        if any(price_of(ledger, project, card) for card in used)
        else [str(card) for card in ledger.catalog.gpus if card in used]
    )


def _no_price_at_all(project: ProjectLedger, book: Book, cards: Sequence[str]) -> Finding:
    """That no card of those that plan and runs use has a price."""
    lists = project.project.prices
    titles = [str(book.ledger.catalog.gpus[card].title) for card in cards]
    named = any(card in book.ledger.catalog.prices[name].cards for name in lists for card in cards)
    why = "what lists under `prices` say of it is `unknown`" if named else "no list under `prices` has it"
    return make_finding(
        "price-missing",
        f"{project.id}.money.unpriced",
        say("No card that is used has a price"),
        say(
            "{cards}: {why} ({lists})",
            cards=", ".join(titles[:MOST_LINES]) + _more(titles),
            why=why,
            lists=", ".join(lists),
        ),
        say("So plan, runs and forecast are not told in money."),
        say("Add the prices to one of the lists, or remove `prices` from project.yaml."),
        _listed_at(project, book, cards),
    )


def _listed_at(project: ProjectLedger, book: Book, cards: Sequence[str]) -> tuple[Place, ...]:
    """Where lists of the project name one of these cards without a price; where none does, the project."""
    lists = (book.ledger.catalog.prices[name] for name in project.project.prices)
    return tuple(found.place for found in lists if found.cards.keys() & set(cards)) or (project.project.place,)


def _not_in_lists(project: ProjectLedger, book: Book, card: str) -> Sentence:
    """That no list has a price of a card, or that it is `unknown` in the lists that name it."""
    lists = project.project.prices
    named = [name for name in lists if card in book.ledger.catalog.prices[name].cards]
    if named:
        return say("; its price is `unknown` ({lists})", lists=", ".join(named))
    return say("; no list under `prices` has it ({lists})", lists=", ".join(lists))


def _price_missing_then(project: ProjectLedger, book: Book, card: str, price: CardPrice) -> Finding:
    """The same of a card whose price is known only from some day on."""
    spent = {span: book.get(f"{project.id}.money.by_gpu.{card}.{span.name}.hours") for span in price.missing}
    told = [
        say("{hours} were spent on it {when}", hours=hours, when=span.words) for span, hours in spent.items() if hours
    ]
    when = " or ".join(span.words for span, hours in spent.items() if hours)
    return make_finding(
        "price-missing",
        f"{project.id}.money.unpriced.{card}",
        say("{card} has no price {when}", card=str(book.ledger.catalog.gpus[card].title), when=when),
        joined(told, " and ")
        + say("; no list under `prices` has its price then ({lists})", lists=", ".join(project.project.prices)),
        say("Sums of money with them are at least what they say."),
        say(
            "Write the price before that without a day, beside `since`, or with the day from which it holds; date the "
            "runs that have no date; or state `cost_usd` of the runs."
        ),
        (project.project.place,),
    )


def _more(names: list[str]) -> str:
    return f" and {len(names) - MOST_LINES} more" if len(names) > MOST_LINES else ""


def _days(number: int) -> Figure:
    return Figure("", "days", DAYS, point(number), Worked("dates of the ledger"))


def throughput_above_bandwidth(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Throughput that a single stream cannot have, which reads all weights from memory for each token."""
    for name in project.project.throughputs:
        table = book.ledger.catalog.throughputs[name]
        model = book.ledger.catalog.models[table.model]
        words = str(table.dtype or model.dtype or "")
        parameters = book.get(f"catalog.models.{table.model}.parameters")
        if parameters is None or words.lower() not in BYTES:
            continue
        size = Fraction(BYTES[words.lower()])
        told: list[Sentence] = []
        streams: list[Figure] = []
        lines: list[Figure] = [parameters]
        for card in table.tokens_per_second_per_gpu:
            rate = book.get(f"catalog.throughputs.{name}.tokens_per_second_per_gpu.{card}")
            width = book.get(f"catalog.gpus.{card}.memory_gb_per_second")
            if rate and width and (found := _too_fast(book, card, rate, width, parameters, size)):
                told.append(found[0])
                streams.append(found[1])
                lines += [rate, width]
        if told:
            yield _finding(name, table, model, words, _with_streams(told, streams), lines)


def _with_streams(told: Sequence[Sentence], streams: Sequence[Figure]) -> Sentence:
    """What is told of each card, with how many streams it takes: once for all of them where they need as many."""
    if len(told) > 1 and len({figure.use for figure in streams}) == 1:
        return joined(told) + say("; each takes at least {streams}", streams=streams[0])
    return joined(
        [
            said + say(", which takes at least {streams}", streams=figure)
            for said, figure in zip(told, streams, strict=True)
        ]
    )


def _too_fast(
    book: Book, card: str, rate: Figure, width: Figure, parameters: Figure, size: Fraction
) -> tuple[Sentence, Figure] | None:
    """What is stated and what one stream can have at most, and how many streams the difference takes; or None."""
    if rate.use is None or not width.use or not parameters.use:
        return None
    size_figure = Figure("", "bytes", key_unit("bytes"), point(size), Stated(str(size)))
    inputs = {"width": picked(width, "use"), "parameters": picked(parameters, "use"), "size": size_figure}
    most = derive(read_formula("width / (parameters * size)"), inputs, RATE, title="most", checked=False)
    if most.use is None or rate.use <= most.use:
        return None
    both = {"rate": picked(rate, "use"), "most": most}
    streams = derive(read_formula("ceil(rate / most)"), both, key_unit("streams"), title="streams", checked=False)
    told = say(
        "{card}: {rate} stated, {most} at most in one stream",
        card=str(book.ledger.catalog.gpus[card].title),
        rate=rate,
        most=most,
    )
    return told, streams


def _finding(
    name: str, table: r.Throughputs, model: r.Model, dtype: str, told: Sentence, lines: list[Figure]
) -> Finding:
    return make_finding(
        "throughput-above-bandwidth",
        f"catalog.throughputs.{name}",
        say("{title}: more tokens than one stream can have", title=str(table.title or name)),
        told,
        say(
            "{model} in {dtype}: one stream reads all weights for each token; bandwidth over their size is the most. "
            "The throughput supposes a batch.",
            model=str(model.title),
            dtype=dtype,
        ),
        say("State the batch in the notes of the table, or correct the figure."),
        (table.place, *places(*lines))[:20],
    )


def hardware_cannot_hold(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A card that cannot hold the job; an error where it cannot at the planned value, else a warning."""
    for verdict in book.verdicts.get(project.id, ()):
        if NOT not in (verdict.low, verdict.use, verdict.high):
            continue
        card, subject = book.ledger.catalog.gpus[verdict.card], verdict.subject
        kind, name = subject.split(".", 1)
        record = project.project.hardware[name] if kind == "hardware" else project.items[name]
        never = verdict.low == NOT
        yield make_finding(
            "hardware-cannot-hold",
            f"{project.id}.{subject}.{verdict.card}",
            say(
                "{title}: {card} cannot hold " + ("the job" if never else "the whole range of the job"),
                title=str(record.title),
                card=str(card.title),
            ),
            say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)
            + (() if never else say(": {words}", words=verdict.words)),
            say(("The" if never else "At the high end the") + " job would run out of memory on this card."),
            say("Name a card with more memory, or a configuration that needs less."),
            (record.place, *places(verdict.need, verdict.usable)),
            is_mild=verdict.use != NOT,
        )
