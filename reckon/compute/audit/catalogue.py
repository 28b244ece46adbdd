"""Prices, throughputs and cards of the catalogue, as a project uses them."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from reckon.language.calendar_days import DAYS, last_day
from reckon.language.units import BYTES, key_unit
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
STREAM = (
    "So the throughput assumes a batch. One stream of {model} in {dtype} reads all weights for each token: at most "
    "bandwidth over their size."
)


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
        dtype = table.dtype or model.dtype or ""
        parameters = book.get(f"catalog.models.{table.model}.parameters")
        if parameters is None or not parameters.use or dtype.lower() not in BYTES:
            continue
        size = counted(Fraction(BYTES[dtype.lower()]), key_unit("bytes"))
        told: list[Sentence] = []
        rates: list[Figure] = []
        for card in table.tokens_per_second_per_gpu:
            rate = book.get(f"catalog.throughputs.{name}.tokens_per_second_per_gpu.{card}")
            width = book.get(f"catalog.gpus.{card}.memory_gb_per_second")
            if rate is None or width is None or rate.use is None or not width.use:
                continue
            inputs = {"width": picked(width, "use"), "parameters": picked(parameters, "use"), "size": size}
            most = derive(read_formula("width / (parameters * size)"), inputs, RATE, title="most", checked=False)
            if most.use is not None and rate.use > most.use:
                text = "{card}: {rate} is stated, one stream has {most} at most"
                told.append(say(text, card=book.catalog.gpus[card].title, rate=rate, most=most))
                rates += (rate, width)
        if told:
            yield make_finding(
                "throughput-above-bandwidth",
                f"catalog.throughputs.{name}",
                say("{title}: more tokens per second than one stream can have", title=table.title or name),
                joined(told, ". "),
                say(STREAM, model=model.title, dtype=dtype),
                "State the batch, or correct the figures.",
                (table.place, *places(parameters, *rates))[:20],
            )


def hardware_cannot_hold(project: ProjectLedger, book: Book) -> Findings:
    """A card that cannot hold the job; an error where it cannot at the planned value, else a warning. A note of
    hardware that does not say what runs on it, and cannot hold any work that the project states the memory of."""
    for verdict in book.verdicts[project.id]:
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
    kind, name = verdict.subject.split(".", 1)
    record = project.project.hardware[name] if kind == "hardware" else project.items[name]
    what, when, words = "the whole range of the job", "At the high end the", say(": {words}", words=verdict.words)
    if verdict.low == NOT:
        what, when, words = "the job", "The", ()
    return make_finding(
        "hardware-cannot-hold",
        f"{project.id}.{verdict.subject}.{verdict.card}",
        f"{record.title}: {card.title} cannot hold {what}",
        say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable) + words,
        f"{when} job would run out of memory on this card.",
        "Name a card with more memory, or a configuration that needs less.",
        (record.place, *places(verdict.need, verdict.usable)),
        is_mild=verdict.use != NOT,
    )
