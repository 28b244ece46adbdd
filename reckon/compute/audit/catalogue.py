"""Prices, throughputs and cards of the catalogue, as a project uses them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.calendar_days import DAYS, last_day
from reckon.language.units import BYTES, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..choosing.memory import NOT, Verdict, verdict_on
from ..sheet.cells import picked, read_formula
from ..sheet.evaluate import derive
from .common import counted, places

PRICE_DAYS = 180
MOST_LINES = 5
RATE = key_unit("tokens_per_second")


def price_old(project: ProjectLedger, book: Book) -> Findings:
    """A price list that is older than the plan by more days than the project allows."""
    allowed = project.project.price_days or PRICE_DAYS
    catalog = book.catalog.prices
    for name in (name for name in project.price_lists if name in catalog):
        prices = catalog[name]
        newest = max((prices.as_of or project.project.as_of, *prices.since), key=last_day)
        days = last_day(project.project.as_of) - last_day(newest)
        if days > allowed:
            at = f"catalog.prices.{name}"
            yield make_finding(
                "price-old",
                at,
                say("Prices of {title} are old", title=prices.title or name),
                say(
                    "they are of {then}, the plan is of {now}: {days}, where {allowed} are allowed",
                    then=newest,
                    now=project.project.as_of,
                    days=counted(days, DAYS),
                    allowed=counted(allowed, DAYS),
                ),
                "What is calculated from them may not be what it costs today.",
                "Look them up again, or state `price_days` where they are known to hold.",
                (prices.place,),
            )


def throughput_above_bandwidth(project: ProjectLedger, book: Book) -> Findings:
    """Throughput that a single stream cannot have, which reads all weights from memory for each token."""
    for name in project.project.throughputs:
        table = book.catalog.throughputs[name]
        model = book.catalog.models[table.model]
        words = table.dtype or model.dtype or ""
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
    size_figure = counted(size, key_unit("bytes"))
    inputs = {"width": picked(width, "use"), "parameters": picked(parameters, "use"), "size": size_figure}
    most = derive(read_formula("width / (parameters * size)"), inputs, RATE, title="most", checked=False)
    if most.use is None or rate.use <= most.use:
        return None
    both = {"rate": picked(rate, "use"), "most": most}
    streams = derive(read_formula("ceil(rate / most)"), both, key_unit("streams"), title="streams", checked=False)
    told = say(
        "{card}: {rate} stated, {most} at most in one stream",
        card=book.catalog.gpus[card].title,
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
        say("{title}: more tokens than one stream can have", title=table.title or name),
        told,
        say(
            "{model} in {dtype}: one stream reads all weights for each token; bandwidth over their size is the most. "
            "The throughput supposes a batch.",
            model=model.title,
            dtype=dtype,
        ),
        "State the batch in the notes of the table, or correct the figure.",
        (table.place, *places(*lines))[:20],
    )


def hardware_cannot_hold(project: ProjectLedger, book: Book) -> Findings:
    """A card that cannot hold the job; an error where it cannot at the planned value, else a warning. A note of
    hardware that does not say what runs on it, and cannot hold any work that the project states the memory of."""
    for verdict in book.verdicts.get(project.id, ()):
        if NOT in (verdict.low, verdict.use, verdict.high):
            yield _cannot_hold(project, book, verdict)
    needs = [book.find(project, f"memory.{work}.need_gib_per_gpu") for work in project.project.memory]
    for name, hardware in project.project.hardware.items():
        for card in () if hardware.runs else hardware.cards:
            judged = [verdict_on(book.figures, f"hardware.{name}", card, need) for need in needs]
            never = [verdict for verdict in judged if verdict and verdict.low == NOT]
            if never and len(never) == len(judged):
                yield replace(_cannot_hold(project, book, never[0]), severity="note")


def _cannot_hold(project: ProjectLedger, book: Book, verdict: Verdict) -> Finding:
    card = book.catalog.gpus[verdict.card]
    subject = verdict.subject
    kind, name = subject.split(".", 1)
    record = project.project.hardware[name] if kind == "hardware" else project.items[name]
    never = verdict.low == NOT
    return make_finding(
        "hardware-cannot-hold",
        f"{project.id}.{subject}.{verdict.card}",
        say(
            "{title}: {card} cannot hold " + ("the job" if never else "the whole range of the job"),
            title=record.title,
            card=card.title,
        ),
        say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)
        + (() if never else say(": {words}", words=verdict.words)),
        ("The" if never else "At the high end the") + " job would run out of memory on this card.",
        "Name a card with more memory, or a configuration that needs less.",
        (record.place, *places(verdict.need, verdict.usable)),
        is_mild=verdict.use != NOT,
    )
