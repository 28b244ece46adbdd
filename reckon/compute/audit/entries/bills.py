"""What a run states of money, memory and energy, beside the price, the memory and the power of its card; and what
energy and emissions rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import ONE, Quantity, point
from reckon.language.units import GPU_HOURS, PLAIN, key_unit
from reckon.model.figure import USEFUL, Figure, closure
from reckon.model.finding import Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger

from ...book import Book
from ...choosing.memory import NOT, Verdict, verdict_on
from .entry import SLACK, Around, HeldEntry, RunEntry, bounds_of
from .implausible import Cause, Doubt, Doubts, stated

FAR = 5
"""Contracts and unused capacity are sold at down to a fifth of a list; cents for dollars are a factor of 100."""
ROUGH = Fraction(1, 50)
"""By so much a cost may miss that of one GPU, or of all GPUs for each, to be explained by it."""
ROUNDING = 1
"""Bills round to cents and minutes: a difference of one US dollar says nothing."""

COST = Cause(
    "cost-far-from-price",
    "The stated cost of a run is far from the price of its hours",
    "The stated costs of several runs are far from the prices of their hours",
    "The stated cost counts. It may be in cents, in another currency, of one GPU or of one hour.",
    "Correct the cost, the hours or the card; if it is right, name the price list that it is of under `prices`.",
)
PEAK = Cause(
    "peak-above-card",
    "A run used more memory than its card has",
    "Several runs used more memory than their cards have",
    "The memory is of several GPUs together, in another unit, or the run was on another card.",
    "Write the most that was in use on one GPU, in GiB, or correct `gpu`.",
)
SMALL = Cause(
    "peak-above-card",
    "A run was on a card that cannot hold its work",
    "Several runs were on cards that cannot hold their work",
    "Its item needs more memory for each GPU than the card has.",
    "Correct `gpu` of the run, or the need of its item.",
    "need",
)


def cost_far_from_price(found: HeldEntry) -> Doubts:
    """A stated cost beyond five times, or a fifth, of hours times the price of the card. Begun hours are billed."""
    cost = found.run.cost_usd
    price = found.price if cost else None
    if not cost or price is None or price.use is None:
        return
    held = found.run.charged_hours
    low, high = bounds_of(price)
    billed = max(held, found.gpus * -(-found.hours // 1))
    is_near = held * low <= cost * FAR and cost <= billed * high * FAR
    worth = held * price.use
    ratios = {"one GPU": found.gpus, "all GPUs for each of them": 1 / found.gpus} if found.gpus > 1 else {}
    slips = [name for name, times in ratios.items() if abs(cost * times - worth) <= ROUGH * worth]
    if (is_near and not slips) or abs(cost - worth) <= ROUNDING:
        return
    told = say(
        "stated are {cost}; {held} at {price} are {worth}",
        cost=stated(cost, USD),
        held=stated(held, GPU_HOURS),
        price=price,
        worth=stated(worth, USD),
    )
    yield Doubt(COST, found, told + say("; it is the cost of {of}", of=slips[0]) if slips else told)


def peak_above_card(found: HeldEntry) -> Doubts:
    """A stated peak of memory that is more than the card has: the larger of what is printed on it and what can be
    used."""
    peak = found.run.peak_gib
    known = found.around.book.get_all(f"catalog.gpus.{found.card}", "vram_gib", "usable_vram_gib")
    card = max((size for size in known if size and size.use), key=lambda size: bounds_of(size)[1], default=None)
    if peak and card and GIB.to_base(peak) > card.unit.to_base(bounds_of(card)[1]) * SLACK:
        text = "its peak is {peak}, the card has {memory}"
        yield Doubt(PEAK, found, say(text, peak=stated(peak, GIB), memory=card))


def too_small(around: Around, item: str, card: str) -> Verdict | None:
    """The verdict on a card that cannot hold the work of an item; None where it may, or is that of the item, of which
    it is told once."""
    planned = around.project.items.get(item)
    if planned is None or around.project.card_for(planned) == card:
        return None
    figures = around.book.figures
    found = verdict_on(figures, "", card, figures.get(f"{around.project.id}.plan.{item}.need_gib_per_gpu"))
    return found if found and found.low == NOT else None


def need_above_card(found: HeldEntry) -> Doubts:
    """A run that did its work on a card that cannot hold it. What failed there may just have been tried."""
    around = found.around
    verdict = too_small(around, found.run.item, found.card) if found.run.status in USEFUL else None
    if verdict:
        card = around.book.catalog.gpus[found.card].title
        text = "its item needs {need}, {card} has {usable}"
        yield Doubt(SMALL, found, say(text, need=verdict.need, card=card, usable=verdict.usable))


LEAST, MOST, MACHINE = Fraction(1, 50), 3, 500
"""Of the power of its board a card draws a fiftieth at least: one that idles takes more. With all of its machine it is
at most three times of that, and 500 W more: a small card may stand alone in a large server."""
FACILITY = 2
"""A whole data centre may take twice of what its machines do."""
LOWEST, HIGHEST = 5, 3000
"""No card draws fewer or more watts: what those of unknown power are held against."""
MOST_PUE = 3
"""The PUE of hardly any data centre is above two."""
UNITS = (("Wh", Fraction(1, 1000)), ("MWh", Fraction(1000)), ("joules", Fraction(1, 3_600_000)))
POWER_UNITS = (("mW", Fraction(1, 1000)), ("kW", Fraction(1000)))
WATTS, KWH, USD, GIB = (key_unit(name) for name in ("watts", "kwh", "usd", "gib"))

ENERGY = Cause(
    "run-implausible#energy",
    "The energy of a run cannot be",
    "The energy of several runs cannot be",
    "It counts as it is stated. A factor of 1,000 is Wh or MWh for kWh, or kW for W.",
    "Correct it: `energy_kwh` is of all GPUs of the run, in kWh; `watts` are what one GPU draws; a PUE is a ratio such "
    "as 1.2; a `utilisation` is at most 100%.",
)


def energy_far_from_card(found: HeldEntry) -> Doubts:
    """Energy over GPU-hours, watts, a PUE or a utilisation of a run that cannot be."""
    board = found.around.book.get(f"catalog.gpus.{found.card}.watts")
    told = next(_told(found, board if board and board.use else None), ())
    if told:
        yield Doubt(ENERGY, found, told)


def _told(entry: RunEntry, board: Figure | None) -> Iterator[Sentence]:
    run = entry.run
    if run.energy_kwh is not None and run.charged_hours:
        power = run.energy_kwh * 1000 / run.charged_hours
        told = say(
            "its {energy} over {hours} are {power} for each GPU",
            power=stated(power, WATTS),
            energy=stated(run.energy_kwh, KWH),
            hours=stated(run.charged_hours, GPU_HOURS),
        )
        if not _fits(power, board, FACILITY if run.energy_of == "facility" else 1):
            yield told + _beside_board(UNITS, power, board)
    if run.watts is not None and not _fits(run.watts, board):
        told = say("stated are {watts} for each GPU", watts=stated(run.watts, WATTS))
        units = (*POWER_UNITS, ("watts of all its GPUs", 1 / (run.gpus or ONE)))
        yield told + _beside_board(units, run.watts, board)
    if isinstance(run.pue, Fraction) and run.pue > MOST_PUE:
        yield say("its PUE is {pue}; hardly any data centre is above 2", pue=stated(run.pue, PLAIN))
    least = isinstance(run.utilisation, Quantity) and run.utilisation.value.low
    if least and least > 1:
        yield say("its utilisation is {share}, of at most all", share=replace(stated(least, PLAIN), form="%"))


def _fits(power: Fraction, board: Figure | None, machines: int = 0) -> bool:
    """Whether a card may draw so much: beside its board, or any where that is not known. With so many times the power
    of its machine, else alone."""
    if board is None:
        return LOWEST <= power <= HIGHEST * (MOST * machines or 1)
    low, high = bounds_of(board)
    most = (high * MOST + MACHINE) * machines if machines else high * MOST
    return low * LEAST <= power <= most


def _beside_board(units: Sequence[tuple[str, Fraction]], power: Fraction, board: Figure | None) -> Sentence:
    """What the board of a card may draw; and what a power would be in the first unit in which it can be."""
    told = say(", its board may draw {watts}", watts=board) if board else say(", no card draws so much or so little")
    for unit, factor in units:
        watts = power * factor
        if watts != power and _fits(watts, board):
            return told + say("; read as {unit} that is {watts}", unit=unit, watts=stated(watts, WATTS))
    return told


class Room(NamedTuple):
    """Between which values a figure may be: the title of what is found, what is told of it, what to write, and whether
    a factor of 1,000 may be the slip."""

    least: int
    most: int
    title: str
    known: str
    remedy: str
    is_scaled: bool = True


POWER = Room(
    LOWEST,
    HIGHEST,
    "A card cannot draw so much or so little",
    "cards draw 5 to 3,000 W",
    "Correct it, or write its unit: `0.4 kW`.",
)
GRID = Room(
    1,
    2000,
    "No grid emits so much or so little",
    "grids emit 1 to 2,000 g for a kWh",
    "Correct it, or write its unit: `0.385 kg/kWh`.",
)
"""Hydropower and wind are at some 10 g of CO2e for a kWh, old coal plants below 1,500."""
PUE = Room(
    1,
    MOST_PUE,
    "No data centre has such a PUE",
    "hardly any is above 2",
    "Correct it: it is the energy of the whole data centre over that of its machines, such as 1.2.",
    is_scaled=False,
)
ROOMS = {"watts": POWER, "co2e_grams_per_kwh": GRID, "pue": PUE}
"""Between which values figures may be, by the last part of their addresses."""


def energy_cannot_be(project: ProjectLedger, book: Book) -> Findings:
    """A power of a card or an item, a PUE or a grid that the energy of a project rests on, and that cannot be."""
    own = book.own(project.id).items()
    for figure in closure(*(each for address, each in own if address.split(".")[1] in ("energy", "carbon"))):
        room = ROOMS.get(figure.address.rpartition(".")[2]) if figure.is_stated else None
        # A market-based grid may emit nothing; a power of 0 is of work that takes none.
        if room is None or not figure.use or room.least <= figure.use <= room.most:
            continue
        told = say("{title} is {figure}; {known}", title=figure.title, figure=figure, known=room.known)
        for factor in (1000, Fraction(1, 1000)) if room.is_scaled else ():
            use = figure.use * factor
            if room.least <= use <= room.most:
                told += say("; with a factor of 1,000 it is {near}", near=replace(figure, value=point(use)))
        yield make_finding(
            "run-implausible",
            figure.address,
            room.title,
            told,
            remedy=room.remedy,
            evidence="energy",
        )
