"""Prices, throughputs and cards of the catalogue, as a project uses them."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from reckon.language.calendar_days import DAYS, last_day
from reckon.language.units import BYTES, key_unit
from reckon.model.figure import Figure, places_of, planned
from reckon.model.finding import Finding, Findings, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..choosing.memory import NOT, Verdict, verdict_on
from ..statements.structure import row_title
from .common import counted, inside, room_of, times_as_much

PRICE_DAYS = 180
RATE = key_unit("tokens_per_second")
BYTE = key_unit("bytes")
WHOLE_NUMBERS = "int"
"""Peaks of number formats that begin so are of no training or inference that is counted in floating point."""
OPERATIONS = (("flop", 1), ("gpu", -1), ("time", -1))
STREAM = "One stream reads all weights for each token."


def price_old(project: ProjectLedger, book: Book) -> Findings:
    """A price list that is older than the plan by more days than the project allows."""
    allowed = project.project.price_days or PRICE_DAYS
    for name in project.price_lists:
        prices = book.catalog.prices[name]
        newest = max((prices.as_of or project.project.as_of, *prices.since), key=last_day)
        days = last_day(project.project.as_of) - last_day(newest)
        if days > allowed:
            yield make_finding(
                "price-old",
                f"catalog.prices.{name}",
                prices.title or name,
                say(
                    "they are of {then}, the plan is of {now}: {days}, where {allowed} are allowed",
                    then=newest,
                    now=project.project.as_of,
                    days=counted(days, DAYS),
                    allowed=counted(allowed, DAYS),
                ),
                places=(prices.place,),
            )


def throughput_above_bandwidth(project: ProjectLedger, book: Book) -> Findings:
    """Throughput that a single stream cannot have, which reads all weights from memory for each token."""
    for name in project.project.throughputs:
        table = book.catalog.throughputs[name]
        model = book.catalog.models[table.model]
        dtype = table.dtype or model.dtype or ""
        parameters = book.get(f"catalog.models.{table.model}.parameters")
        weights = planned(parameters) * BYTE.to_base(Fraction(BYTES.get(dtype.lower(), 0)))
        told = []
        for card in table.tokens_per_second_per_gpu if weights else ():
            rate = book.get(f"catalog.throughputs.{name}.tokens_per_second_per_gpu.{card}")
            width = book.get(f"catalog.gpus.{card}.memory_gb_per_second")
            most = planned(width) / weights
            if rate and width and planned(rate) > most > 0:
                text = "{card}: {rate}, one stream at most {most}"
                shown = counted(RATE.from_base(most), RATE)
                told.append(say(text, card=book.catalog.gpus[card].title, rate=rate, most=shown))
        if told:
            yield make_finding(
                "throughput-above-bandwidth",
                f"catalog.throughputs.{name}",
                table.title or name,
                joined(told, ". "),
                STREAM,
                places=(table.place,),
            )


def rate_above_peak(project: ProjectLedger, book: Book) -> Findings:
    """Operations a second on each GPU, stated or implied, above the highest dense peak of the card."""
    for address, figure in book.own(project.id).items():
        card, peak = _peak(project, book, address) if figure.unit.kinds == OPERATIONS else ("", None)
        if peak and planned(figure) > planned(peak):
            told = say("{rate}, where {card} does {peak} at most", rate=figure, card=card, peak=peak)
            told += times_as_much(figure, peak, ": {ratio} of its peak")
            yield make_finding("rate-above-peak", address, figure.title, told)


def _peak(project: ProjectLedger, book: Book, address: str) -> tuple[str, Figure | None]:
    """The card that a figure is about, that of its item or of the project, and its highest dense peak."""
    _, kind, name, *_ = [*address.split("."), "", ""]
    card = project.card_on(name if kind == "plan" else "", None)
    record = book.catalog.gpus[card]
    formats = [name for name in record.dense_tflops if not name.startswith(WHOLE_NUMBERS)]
    peaks = (book[f"catalog.gpus.{card}.dense_tflops.{name}"] for name in formats)
    return record.title, max(peaks, key=planned, default=None)


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
    what = inside(row_title(verdict.need.title)) if kind == "hardware" else "it"
    notes = project.project.hardware[name].notes or "" if kind == "hardware" else ""
    high = "" if verdict.low == NOT else " at its high end"
    when, words = ("the", ()) if verdict.low == NOT else ("at the high end the", say(": {words}", words=verdict.words))
    return make_finding(
        "hardware-cannot-hold",
        f"{project.id}.{verdict.subject}.{verdict.card}",
        (f"{record.title}: {card.title} cannot hold {what}{high} (", verdict.need, " of ", verdict.usable, ")"),
        room_of(verdict) + words,
        f"By the stated need, {when} job runs out of memory on this card. {notes}".strip(),
        places=(record.place, *places_of(verdict.need, verdict.usable)),
        is_mild=verdict.use != NOT,
    )
