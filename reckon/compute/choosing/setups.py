"""Time, cost and memory of each setup for a workload: every card that has a price or a throughput, in each count.

Models run one after the other on a GPU, and spread over as many GPUs as there are. The time of a GPU is that of the
models on it: generation x (1 + overhead) + fixed minutes x models; where several GPUs work, divided by the efficiency.
Work that is stated in runs is in `runs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from reckon.language.quantity import Quantity, point
from reckon.language.text import NOWHERE, Place
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..sheet.cells import Cell, formula_of, total_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .memory import usable_at
from .runs import write_runs, write_runs_on

GPUS = key_unit("gpus")
SPEED = "tokens_per_second_per_gpu"


class Choice(Struct, frozen=True):
    """A setup: its id (rtx-3090-x4), card and count, the address of its figures, and the line that states the count."""

    id: str
    card: str
    gpus: int
    at: str
    place: Place = NOWHERE


def write_workloads(sheet: Sheet, project: ProjectLedger) -> None:
    """Writes tokens, or what runs take, and the memory need of each workload of a project."""
    for name, work in project.workloads.items():
        writer = FigureWriter(sheet, f"{project.id}.workloads.{name}", work.title)
        if work.runs is not None:
            write_runs(writer, work)
        else:
            _write_tokens(writer, work)
        if work.memory_gb:
            parts = total_of([f"memory_gb.{part}" for part in work.memory_gb])
            writer.formula("need_gb", f"memory of one {work.piece}", parts)
            if work.runs is None:
                writer.formula("need_of_all_gb", "memory of all models", "need_gb * models")


def _write_tokens(writer: FigureWriter, work: r.Workload) -> None:
    """Models and tokens, of each and in all."""
    if work.models is None:
        writer.by_default("models", "models", "one, as no number of models is stated")
    lacking = [
        key
        for key, known in (
            ("samples", work.samples_per_model or work.samples),
            ("tokens_per_sample", work.tokens_per_sample),
        )
        if known is None
    ]
    if not lacking:
        of_all = "samples * tokens_per_sample / models"
        formula = of_all if work.samples_per_model is None else "samples_per_model * tokens_per_sample"
        writer.formula("tokens_per_model", "tokens of each model", formula)
        writer.formula("tokens", "tokens", "tokens_per_model * models")
        return
    for key, words in (("tokens_per_model", "tokens of each model"), ("tokens", "tokens")):
        writer.lack(key, (f"{writer.at}.{each}" for each in lacking), words, "samples x tokens of each")


def write_setups(sheet: Sheet, ledger: Ledger, project: ProjectLedger) -> dict[str, tuple[Choice, ...]]:
    """Writes the figures of every setup of a project; gives them back by the id of their record."""
    found: dict[str, tuple[Choice, ...]] = {}
    for name, record in project.setups.items():
        if record.workload in project.workloads:
            setups = _Setups(sheet, ledger, project, record)
            found[name] = tuple(setups.choices(f"{project.id}.setups.{name}"))
            for choice in found[name]:
                setups.write(choice)
    return found


def lists_of(ledger: Ledger, project_id: str, provider: str) -> Ids:
    """The price lists of a provider: those that the project names; where it names none, all there are, newest first."""
    every = [name for name, prices in ledger.catalog.prices.items() if prices.provider == provider]
    named = [name for name in ledger.projects[project_id].project.prices if name in every]
    return tuple(named or sorted(every, key=lambda name: ledger.catalog.prices[name].as_of or "", reverse=True))


class _Setups:
    """The setups of a record, and what writes their figures.

    `sources` are the price lists and tables of throughput that count for its workload, in the order in which they do.
    """

    def __init__(self, sheet: Sheet, ledger: Ledger, project: ProjectLedger, record: r.Setups) -> None:
        self.sheet, self.ledger, self.project_id, self.record = sheet, ledger, project.id, record
        work, self.at = project.workloads[record.workload], f"workloads.{record.workload}"
        self.work, lists, tables = work, ledger.catalog.prices, ledger.catalog.throughputs
        named = {name: tables[name] for name in project.project.throughputs if name in tables}
        self.sources: dict[str, dict[str, Iterable[str]]] = {
            "prices": {name: lists[name].cards for name in project.project.prices if name in lists},
            "throughputs": {
                name: table.tokens_per_second_per_gpu
                for name, table in named.items()
                if work.runs is None and work.model in (None, table.model) and work.dtype in (None, table.dtype)
            },
        }

    def choices(self, at: str) -> Iterator[Choice]:
        """Cards in the order of the catalogue, each in every count."""
        known: set[str] = set()
        for lists in self.sources.values():
            known.update(*lists.values())
        known |= {*self.work.speed, str(self.work.baseline)} if self.work.runs is not None else set()
        for card in dict.fromkeys(self.record.cards or [card for card in self.ledger.catalog.gpus if card in known]):
            for count in self.record.counts:
                own = f"{card}-x{count.number}"
                if own not in self.record.leave_out:
                    yield Choice(own, card, count.number, f"{at}.{own}", count.place)

    def write(self, choice: Choice) -> None:
        """Writes the figures of one setup."""
        writer = FigureWriter(self.sheet, choice.at, title_of(self.ledger, choice))
        stated = Quantity(point(choice.gpus), GPUS, str(choice.gpus), choice.place)
        self.sheet.write(Cell(f"{choice.at}.gpus", f"{writer.title}: GPUs", GPUS, stated, choice.place))
        if self.work.runs is not None:
            self.take(writer, "usd_per_gpu_hour", "price of a GPU", self.source("prices", choice.card))
            write_runs_on(writer, self.work, self.project_id, self.at, choice.card)
            self.cost(writer)
            writer.formula("usd_per_run", "cost of a run", formula_of("usd / {}.runs", self.at))
        else:
            self.tokens(writer, choice)
        if self.work.memory_gb:
            self.memory(writer, choice.card)

    def tokens(self, writer: FigureWriter, choice: Choice) -> None:
        """The speed of its card, what each of its GPUs generates, and time and cost of that."""
        speed = self.source("throughputs", choice.card)
        self.take(writer, SPEED, "throughput of each GPU", speed)
        self.take(writer, "usd_per_gpu_hour", "price of a GPU", self.source("prices", choice.card))
        writer.formula("models_per_gpu", "models on each GPU", formula_of("ceil({}.models / gpus)", self.at))
        writer.formula(
            "tokens_per_gpu", "tokens of each GPU", formula_of("models_per_gpu * {}.tokens_per_model", self.at)
        )
        self.time(writer, choice.gpus)
        self.cost(writer)
        writer.formula("usd_per_1m_tokens", "cost of a million tokens", formula_of("usd / {}.tokens", self.at))
        base = self.source("throughputs", self.work.baseline or "")
        if self.work.baseline is not None and base in self.sheet.cells and speed in self.sheet.cells:
            times = formula_of("{} / {}", speed, base)
            writer.formula("relative_speed", "speed of a GPU against the baseline", times, "x")

    def cost(self, writer: FigureWriter) -> None:
        """GPU-hours and dollars: all its GPUs, for as long as it takes."""
        writer.formula("gpu_hours", "GPU-hours", "hours * gpus")
        writer.formula("usd_per_hour", "price of the setup", "usd_per_gpu_hour * gpus")
        writer.formula("usd", "cost", "hours * usd_per_hour")

    def time(self, writer: FigureWriter, gpus: int) -> None:
        """Generation, what comes on top of it, and the whole with and without the parallel efficiency."""
        generation = formula_of("models_per_gpu * {0}.tokens_per_model / tokens_per_second_per_gpu", self.at)
        writer.formula("generation_hours", "generation", generation)
        extra = ["generation_hours * {0}.overhead"] * (self.work.overhead is not None)
        if self.work.overhead_minutes_per_model is not None:
            extra.append("{0}.overhead_minutes_per_model * models_per_gpu * 1 gpu")
        if extra:
            writer.formula("overhead_hours", "overhead", formula_of(" + ".join(extra), self.at))
        ideal = "generation_hours" + " + overhead_hours" * bool(extra)
        writer.formula("ideal_hours", "time, without efficiency", ideal)
        slower = gpus > 1 and self.work.efficiency is not None
        hours = formula_of("ideal_hours / {}.efficiency" if slower else "ideal_hours", self.at)
        writer.formula("hours", "time", hours)
        if slower:
            writer.formula("ideal_usd", "cost, without efficiency", "ideal_hours * usd_per_hour")

    def memory(self, writer: FigureWriter, card: str) -> None:
        """What one model or run uses of the memory of its GPU, and all models of that of all GPUs."""
        nominal = f"catalog.gpus.{card}.vram_gib"
        if usable := usable_at(self.sheet.cells, card):
            share = formula_of("{}.need_gb / {}", self.at, usable)
            writer.formula("memory_share", "share of its memory used", share, "%")
        if nominal in self.sheet.cells and self.work.runs is None:
            writer.formula("together_gib", "memory of all its GPUs", formula_of("{} * gpus / 1 gpu", nominal))
            share = formula_of("{}.need_of_all_gb / together_gib", self.at)
            writer.formula("share_of_all", "share of that which all models use", share, "%")

    def take(self, writer: FigureWriter, key: str, words: str, address: str) -> None:
        """A figure of the catalogue; unknown where that does not have it."""
        if address in self.sheet.cells:
            writer.formula(key, words, formula_of("{}", address))
        else:
            writer.lack(key, [address], words, "the catalogue")

    def source(self, kind: str, card: str) -> str:
        """The address of the price or the throughput of a card; of what is missing where there is none."""
        lists, speed = self.ledger.catalog.prices, f"{SPEED}.{card}"
        ends = {name: lists[name].last_price(card) if kind == "prices" else speed for name in self.sources[kind]}
        found = [f"catalog.{kind}.{name}.{end}" for name, end in ends.items()]
        there = next((at for at in found if at in self.sheet.cells), "")
        return there or (found[0] if found else f"{self.project_id}.{kind}")


def title_of(ledger: Ledger, choice: Choice) -> str:
    """A setup in words: `RTX 3090`, `4× RTX 3090`."""
    card = ledger.catalog.gpus.get(choice.card)
    name = card.title if card else choice.card
    return name if choice.gpus == 1 else f"{choice.gpus}× {name}"
