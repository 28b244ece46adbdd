"""Time, cost and memory of each setup for a workload: every card that has a price or a throughput, in each count.

Models run one after the other on a GPU, and spread over as many GPUs as there are. The time of a GPU is that of the
models on it: generation x (1 + overhead) + fixed minutes x models; where several GPUs work, divided by the efficiency.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reckon.language.quantity import UNKNOWN, Quantity, point
from reckon.language.units import PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import Ledger, ProjectLedger

from .cells import Cell
from .formulas import total_of
from .sheet import Sheet

GPUS = key_unit("gpus")


@dataclass(frozen=True, slots=True)
class Choice:
    """A setup: its id (rtx-3090-x4), the card and how many, and the address of its figures."""

    id: str
    card: str
    gpus: int
    at: str


def write_workloads(sheet: Sheet, one: ProjectLedger) -> None:
    """Writes tokens and memory need of each workload of a project."""
    for name, work in one.workloads.items():
        at, title = f"{one.id}.workloads.{name}", str(work.title)
        if work.models is None:
            origin = Worked("one, as no number of models is stated")
            sheet.counted(Figure(f"{at}.models", f"{title}: models", key_unit("models"), point(1), origin))
        if work.samples_per_model is not None or work.samples is not None:
            of_all = "samples * tokens_per_sample / models"
            formula = of_all if work.samples_per_model is None else "samples_per_model * tokens_per_sample"
            sheet.formula(
                f"{at}.tokens_per_model", f"{title}: tokens of each model", key_unit("tokens_per_model"), formula
            )
            sheet.formula(f"{at}.tokens", f"{title}: tokens", key_unit("tokens"), "tokens_per_model * models")
        else:
            missing = (f"{at}.samples",)
            for key, words in (("tokens_per_model", "tokens of each model"), ("tokens", "tokens")):
                origin = Worked("samples x tokens of each")
                sheet.counted(Figure(f"{at}.{key}", f"{title}: {words}", key_unit(key), UNKNOWN, origin, "", missing))
        if work.memory_gb:
            parts = total_of([f"memory_gb.{part}" for part in work.memory_gb])
            sheet.formula(f"{at}.need_gb", f"{title}: memory of one model", key_unit("gb"), parts)


def write_setups(sheet: Sheet, ledger: Ledger, one: ProjectLedger) -> dict[str, tuple[Choice, ...]]:
    """Writes the figures of every setup of a project; gives them back by the id of their record."""
    found: dict[str, tuple[Choice, ...]] = {}
    for name, record in one.setups.items():
        if (work := one.workloads.get(record.workload)) is not None:
            found[name] = tuple(_choices(ledger, one, str(name), record, work))
            for choice in found[name]:
                _choice(sheet, ledger, one, choice, f"{one.id}.workloads.{record.workload}", work)
    return found


def _choices(ledger: Ledger, one: ProjectLedger, name: str, record: r.Setups, work: r.Workload) -> Iterator[Choice]:
    """Cards in the order of the catalogue, each in every count."""
    priced = {card for prices in _lists(ledger, one) for card in prices.usd_per_gpu_hour}
    quick = {card for table in _tables(ledger, one, work) for card in table.tokens_per_second_per_gpu}
    known = [card for card in ledger.catalog.gpus if card in priced or card in quick]
    for card in dict.fromkeys(record.cards or known):
        for number in dict.fromkeys(count.number for count in record.counts):
            own = f"{card}-x{number}"
            if own not in record.leave_out:
                yield Choice(own, str(card), number, f"{one.id}.setups.{name}.{own}")


def _lists(ledger: Ledger, one: ProjectLedger) -> list[r.PriceList]:
    return [ledger.catalog.prices[name] for name in one.project.prices if name in ledger.catalog.prices]


def _tables(ledger: Ledger, one: ProjectLedger, work: r.Workload) -> list[r.Throughputs]:
    """The tables of the project that are of the model and the number format of a workload."""
    tables = [
        ledger.catalog.throughputs[name] for name in one.project.throughputs if name in ledger.catalog.throughputs
    ]
    return [
        table for table in tables
        if (work.model is None or table.model == work.model) and (work.dtype is None or table.dtype == work.dtype)
    ]  # fmt: skip


def _source(sheet: Sheet, ledger: Ledger, one: ProjectLedger, work: r.Workload, card: str) -> tuple[str, str]:
    """The addresses of the price and the throughput of a card; of what is missing where there is none."""
    prices = [f"catalog.prices.{name}.usd_per_gpu_hour.{card}" for name in one.project.prices]
    known = _tables(ledger, one, work)
    tables = [name for name in one.project.throughputs if ledger.catalog.throughputs.get(name) in known]
    speeds = [f"catalog.throughputs.{name}.tokens_per_second_per_gpu.{card}" for name in tables]
    found = []
    for kind, addresses in (("prices", prices), ("throughputs", speeds)):
        there = [at for at in addresses if at in sheet.cells]
        found.append(there[0] if there else addresses[0] if addresses else f"{one.id}.{kind}")
    return found[0], found[1]


def _choice(sheet: Sheet, ledger: Ledger, one: ProjectLedger, choice: Choice, work_at: str, work: r.Workload) -> None:
    title = title_of(ledger, choice)
    price, speed = _source(sheet, ledger, one, work, choice.card)
    writer = _Writer(sheet, choice.at, title)
    count = next(each for each in one.setups[choice.at.split(".")[2]].counts if each.number == choice.gpus)
    stated = Quantity(point(count.number), GPUS, str(count.number), count.place)
    sheet.write(Cell(f"{choice.at}.gpus", f"{title}: GPUs", GPUS, stated, count.place))
    writer.take("tokens_per_second_per_gpu", "throughput of each GPU", speed)
    writer.take("usd_per_gpu_hour", "price of a GPU", price)
    w = work_at.partition(".")[2]
    writer.formula("models_per_gpu", "models on each GPU", f"ceil({w}.models / gpus)")
    writer.formula("tokens_per_gpu", "tokens of each GPU", f"models_per_gpu * {w}.tokens_per_model")
    writer.formula("generation_hours", "generation", "tokens_per_gpu / tokens_per_second_per_gpu")
    extra = [f"generation_hours * {w}.overhead"] * (work.overhead is not None)
    if work.overhead_minutes_per_model is not None:
        extra.append(f"{w}.overhead_minutes_per_model * models_per_gpu * 1 gpu")
    if extra:
        writer.formula("overhead_hours", "overhead", " + ".join(extra))
    writer.formula("ideal_hours", "time, without efficiency", "generation_hours" + " + overhead_hours" * bool(extra))
    slower = choice.gpus > 1 and work.efficiency is not None
    writer.formula("hours", "time", f"ideal_hours / {w}.efficiency" if slower else "ideal_hours")
    writer.formula("gpu_hours", "GPU-hours", "hours * gpus")
    writer.formula("usd_per_hour", "price of the setup", "usd_per_gpu_hour * gpus")
    writer.formula("usd", "cost", "hours * usd_per_hour")
    writer.formula("usd_per_1m_tokens", "cost of a million tokens", f"usd / {w}.tokens")
    if work.baseline is not None:
        base = _source(sheet, ledger, one, work, str(work.baseline))[1]
        if base in sheet.cells and speed in sheet.cells:
            writer.formula("relative_speed", "speed of a GPU against the baseline", f"{speed} / {base}", "x")
    card = f"catalog.gpus.{choice.card}"
    vram = [at for key in ("usable_vram_gib", "vram_gib") if (at := f"{card}.{key}") in sheet.cells]
    if work.memory_gb and vram:
        writer.formula("memory_share", "share of its memory used", f"{w}.need_gb / {vram[0]}", "%")


def title_of(ledger: Ledger, choice: Choice) -> str:
    """A setup in words: `RTX 3090`, `4× RTX 3090`."""
    card = ledger.catalog.gpus.get(choice.card)
    name = str(card.title) if card else choice.card
    return name if choice.gpus == 1 else f"{choice.gpus}× {name}"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the figures of a setup below its address, in the unit that their key names."""

    sheet: Sheet
    at: str
    title: str

    def formula(self, key: str, words: str, formula: str, form: str = "") -> None:
        """A figure that a formula gives."""
        unit = PLAIN if form else key_unit(key)
        self.sheet.formula(f"{self.at}.{key}", f"{self.title}: {words}", unit, formula, form)

    def take(self, key: str, words: str, address: str) -> None:
        """A figure of the catalogue; unknown for want of it where it is not there."""
        if address in self.sheet.cells:
            self.formula(key, words, address)
            return
        figure = Figure(
            f"{self.at}.{key}",
            f"{self.title}: {words}",
            key_unit(key),
            UNKNOWN,
            Worked("the catalogue"),
            "",
            (address,),
        )
        self.sheet.counted(figure)
