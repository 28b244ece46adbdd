"""Cards, and other inputs that cannot be, beside what is known of cards or each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from msgspec.structs import replace

from reckon.language.calendar_days import last_day
from reckon.language.lazy import regex
from reckon.language.quantity import Quantity
from reckon.language.units import key_unit
from reckon.model.figure import Figure, planned
from reckon.model.finding import Correction, Finding, Findings, Sentence, correct_fields, make_finding, say
from reckon.model.kinds import FINAL
from reckon.model.ledger import CardFamily, ProjectLedger

from ..book import Book
from . import data_through
from .common import counted, is_above

FRESH = 548
"""Days: a band of prices that is eighteen months older than the data of a project, or younger, is not used."""
OUTSIDE = Fraction(3, 2)
"""A price is doubtful that is so many times outside of its band: lists and contracts differ."""
SLIPS = {
    "of a node of eight": Fraction(8),
    "in cents": Fraction(100),
    "with a digit too many": Fraction(10),
    "with a digit missing": Fraction(1, 10),
    "of an eighth of a GPU": Fraction(1, 8),
}
"""What a price may be in place of that of one GPU, and how many times too much it is then."""
AROUND = Fraction(2, 5)
"""By so much an hour on a card may be worth less or more than bandwidth and arithmetic say."""
MEMORY = Fraction(1, 8)
"""By so much the memory of a card may differ from what its name says: some state what can be used."""
AS_THOUSANDS = 100, 2000
"""A plan so many times a ceiling suits it, if the ceiling is read a thousand times too low."""
ROUNDED = Fraction(1, 20)
"""Rounding of what was measured."""
WORD = regex(r"[a-z0-9]+")
SIZE = regex(r"(\d+) ?gi?b")
PRICE = key_unit("usd_per_gpu_hour")
MEMORY_UNIT = key_unit("gib")


def family_of(book: Book, card: str) -> CardFamily | None:
    """What is known of a card by the words of its title and its id; None where they name none, or more than one."""
    return _family_named(book, f"{book.catalog.gpus[card].title} {card}")


def _family_named(book: Book, name: str) -> CardFamily | None:
    words = {*WORD.findall(name.lower())}
    words |= {word.removesuffix("gb") for word in words}
    found = [family for family in book.ledger.cards.values() if words.issuperset(family.names)]
    found = [family for family in found if words.isdisjoint(family.never)]
    return found[0] if len(found) == 1 else None


def card_named(book: Book, name: str) -> str:
    """The id of the card that a name such as `NVIDIA A100-SXM4-80GB` means, by its title or the words of such cards;
    the name itself where that is none of the catalogue, or several."""
    cards = book.catalog.gpus
    family = _family_named(book, name)
    found = [
        card for card in cards if name in (card, cards[card].title) or (family and family_of(book, card) is family)
    ]
    return found[0] if len(found) == 1 else name


def input_implausible(project: ProjectLedger, book: Book) -> Findings:
    """Inputs that are far from what is known of such cards, or contradict each other."""
    used = {project.gpu, *(project.card_for(item) for item in project.items.values())}
    used |= {traits.gpu for traits in project.kinds.traits}
    for card, record in book.catalog.gpus.items():
        if card in used:
            yield from _memory(book, card)
        if project.gpu in record.counts_as:
            yield from _ratio(book, card, project.gpu)
    yield from _prices(project, book)
    yield from _measured(project, book)
    yield from _ceiling(project, book)


def _found(
    figure: Figure,
    title: str,
    told: Sentence,
    meaning: str,
    remedy: str,
    corrections: tuple[Correction, ...] = (),
) -> Finding:
    return make_finding("input-implausible", figure.address, title, told, meaning, remedy, corrections=corrections)


def _prices(project: ProjectLedger, book: Book) -> Findings:
    """Prices that are far outside of what an hour on such a card usually costs."""
    newest = last_day(data_through(project))
    lists = {name: book.catalog.prices[name] for name in project.price_lists}
    for name, card in ((name, card) for name, prices in lists.items() for card in prices.cards):
        family = family_of(book, card)
        price = book.get(f"catalog.prices.{name}.{lists[name].last_price(card)}")
        if family is None or family.usd_per_gpu_hour is None or price is None or not price.use:
            continue
        low, high = map(Fraction, family.usd_per_gpu_hour)
        is_low = price.use < low / OUTSIDE and lists[name].tier in (None, "on-demand")  # others cost less
        is_of_its_time = abs(newest - last_day(family.as_of)) <= FRESH
        if is_of_its_time and (is_low or price.use > high * OUTSIDE):
            told = say(
                "{price} is stated; on {card} an hour usually costs {low} to {high} ({day})",
                price=price,
                card=book.catalog.gpus[card].title,
                low=counted(low, PRICE),
                high=counted(high, PRICE),
                day=family.as_of,
            )
            yield _found(
                price,
                "The price of a card is far from what it usually costs",
                told + _perhaps({what: price.use / times for what, times in SLIPS.items()}, low, high),
                "All sums of money depend on it.",
                "Write the price of one GPU for an hour, in dollars; if it is right, accept the finding.",
            )


def _perhaps(slips: Mapping[str, Fraction], low: Fraction, high: Fraction) -> Sentence:
    """What an input may be instead, by what it would be then; nothing where nothing suits."""
    suiting = " or ".join(what for what, right in slips.items() if low <= right <= high)
    return say("; it may be {slips}", slips=suiting) if suiting else ()


def _ratio(book: Book, card: str, other: str) -> Findings:
    """Hours on one card that count as fewer or more on another than bandwidth and arithmetic of both say."""
    own = family_of(book, card)
    target = family_of(book, other)
    ratio = book[f"catalog.gpus.{card}.counts_as.{other}"]
    if not own or not target or not ratio.use or own.bf16_tflops is None or target.bf16_tflops is None:
        return
    bandwidth = Fraction(own.memory_gb_per_second) / Fraction(target.memory_gb_per_second)
    arithmetic = Fraction(own.bf16_tflops) / Fraction(target.bf16_tflops)
    low = min(bandwidth, arithmetic) * (1 - AROUND)
    high = max(bandwidth, arithmetic) * (1 + AROUND)
    if low <= ratio.use <= high:
        return
    slips = {
        "inverted, the other way round": 1 / ratio.use,
        "ten times too large": ratio.use / 10,
        "ten times too small": ratio.use * 10,
    }
    told = say(
        "an hour on {card} counts as {ratio} on {other}; its bandwidth is {bandwidth} times, its arithmetic "
        "{arithmetic} times that",
        card=book.catalog.gpus[card].title,
        ratio=ratio,
        other=book.catalog.gpus[other].title,
        bandwidth=counted(bandwidth),
        arithmetic=counted(arithmetic),
    )
    yield _found(
        ratio,
        "Hours on one card count as too many or too few on another",
        told + _perhaps(slips, low, high),
        "All hours on this card enter the budget with that factor.",
        "Write how many hours of the other card do the work of one on this; if it is measured, accept the finding.",
    )


def _memory(book: Book, card: str) -> Findings:
    """Memory that is not what the name of a card says, or what such a card has."""
    memory = book.get(f"catalog.gpus.{card}.vram_gib")
    title = book.catalog.gpus[card].title
    family = family_of(book, card)
    known = [int(size) for size in SIZE.findall(title.lower())] or (list(family.vram_gib) if family else [])
    if memory and memory.use and known and not any(abs(memory.use / size - 1) <= MEMORY for size in known):
        yield _found(
            memory,
            "The memory of a card is not what its name says",
            say(
                "{memory} are stated; {title} has {known}",
                memory=memory,
                title=title,
                known=counted(known[0], MEMORY_UNIT),
            ),
            "What fits on it, and what does not, depends on that.",
            "Write the memory that is printed on the card, in GiB.",
        )


def _measured(project: ProjectLedger, book: Book) -> Findings:
    """Measurements whose memory is above their card, or whose rates contradict each other."""
    most = max(_most_tokens(project), default=None)
    for name, measurement in project.measurements.items():
        at = f"{project.id}.measurements.{name}"
        keys = ("samples_per_second", "seconds_per_step", "tokens_per_second", "peak_vram_gib", "samples_per_step")
        samples, seconds, tokens, peak, batch = book.get_all(at, *keys)
        card = book.get(f"catalog.gpus.{measurement.device}.vram_gib")
        if peak and card and is_above(peak, card):
            told = say("{peak} were in use, the card has {card}", peak=peak, card=card)
            yield _contradiction(peak, measurement.title, told)
        if samples and seconds and samples.use and seconds.use:
            step = samples.use * seconds.use
            wanted = batch.use if batch and batch.use else max(round(step), 1)
            if abs(step / wanted - 1) > ROUNDED:
                text = "{samples} and {seconds} are {step} samples a step, not {wanted}"
                told = say(text, samples=samples, seconds=seconds, step=counted(step), wanted=counted(wanted))
                yield _contradiction(samples, measurement.title, told)
        if samples and tokens and samples.use and tokens.use and most and tokens.use / samples.use > most:
            many = counted(tokens.use / samples.use)
            text = "{tokens} and {samples} are {many} tokens a sample, of at most {most}"
            told = say(text, tokens=tokens, samples=samples, many=many, most=counted(most))
            yield _contradiction(tokens, measurement.title, told)


def _contradiction(figure: Figure, title: str, told: Sentence) -> Finding:
    meaning = "One of them is wrong, and so is what is projected from it."
    return _found(
        figure, f"{title}: what was measured cannot be together", told, meaning, "Correct the one that is wrong."
    )


def _most_tokens(project: ProjectLedger) -> Iterator[Fraction]:
    """The most tokens that any configuration, or setting of the plan, allows for a sequence."""
    settings = [record.settings for record in project.configurations.values()]
    for each in (*settings, *(item.settings for item in project.items.values())):
        for key, value in each.items():
            if key.startswith("max_sequence_tokens") and isinstance(value, Quantity) and value.value.high:
                yield value.value.high


def _ceiling(project: ProjectLedger, book: Book) -> Findings:
    """A ceiling that suits the plan if it is a thousand times as much: `1.100` is read as one and a tenth."""
    ceiling, final = book.get_all(project.id, "ceiling", FINAL.hours)
    low, high = AS_THOUSANDS
    stated = project.project.ceiling
    if (
        isinstance(stated, Quantity)
        and ceiling
        and final
        and planned(ceiling)
        and low <= planned(final) / planned(ceiling) <= high
    ):
        higher = replace(stated, value=stated.value.scaled(Fraction(1000)))
        yield _found(
            ceiling,
            "The ceiling is a thousand times below the plan",
            say("the ceiling is {ceiling}, the final budget {final}", ceiling=ceiling, final=final),
            "A dot divides what is below one here: `1.100` is one and a tenth.",
            "Write thousands without a dot, as `1100`, or with k, as `1.1k`.",
            correct_fields(project.project.place, ceiling=higher),
        )
