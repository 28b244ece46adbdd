"""What each configuration needs of each card's memory: part by part, in all, and what it leaves.

A part is stated, calculated by a named formula, or a pool: a share of what the card has, whatever is in it.
What stands within a pool takes nothing beside it, and has to find room there. Levers that a configuration applies make
their part smaller, one after the other: each saves its share of what the one before left. A part that is stated by a
configuration has its levers in it already, so that the same settings take the same whichever way they were come by.

The named formulas are text of the ledger's own language:

- weights: parameters x bytes of the number format.
- gradients: the same once more, in the same format.
- optimizer: bytes for each parameter. Adam keeps momentum and variance in 32 bits, and beside 16-bit weights a 32-bit
  copy of them: 8, or 12 (Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models,
  section 3.1: K = 12; with weights and gradients 16 bytes for each parameter). In 8 bits the two take 2
  (Dettmers et al., 8-bit Optimizers via Block-wise Quantization). SGD with momentum keeps 4 and the copy, SGD the copy.
- sharding: stage 1 divides optimizer states by the GPUs, stage 2 gradients too, stage 3 weights too (the ZeRO paper,
  section 5, and figure 1: 120, 31.4, 16.6 and 1.9 GB for 7.5B parameters on 64 GPUs). What DeepSpeed documents for its
  own estimates counts gradients in 32 bits beside the optimizer states: 4 + 16 / GPUs bytes for each parameter in stage
  2, 18 / GPUs and the largest layer in stage 3 (DeepSpeed, Memory Requirements). That is not what is calculated here.
- kv-cache: 2 x layers x KV heads x head size x bytes x tokens x sequences (a key and a value; Kwon et al., Efficient
  Memory Management for Large Language Model Serving with PagedAttention, section 3).
- activations: in 16 bits, for each layer, tokens x sequences x hidden size x (34 + 5 x heads x tokens / hidden size)
  bytes, without tensor parallelism (Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models,
  section 4.1, equation 1). With selective recomputation the second term is gone (section 5); with full recomputation 2
  bytes are left, the input of each layer (table 2). A kernel that never keeps the scores takes what selective
  recomputation does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from reckon.language.expression import Formula
from reckon.language.units import BYTES, key_unit, label
from reckon.model import records as r
from reckon.model.figure import Figures
from reckon.model.ledger import Ledger, ProjectLedger

from ..choosing.memory import usable_at
from ..sheet.cells import Term, chain_of, formula_of, read_formula, total_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .effective_settings import Configured

GIB = key_unit("gib")
AMOUNTS = ("saves_gb", "saves_gib")
"""The fields of a lever that say by how much it makes its part smaller."""
WORDS = ("dtype", "optimizer", "sharding", "recompute")
SHORT = ("bf16", "fp16", "fp8", "int8", "fp4", "int4")
# Bytes of optimizer states for each parameter; and of the 32-bit copy beside weights in a shorter format.
STATES: Mapping[str, tuple[int, int]] = {"adam": (8, 4), "adam-8bit": (2, 0), "sgd-momentum": (4, 4), "sgd": (0, 4)}
# From which stage of ZeRO on a part is divided by the GPUs.
DIVIDED: Mapping[str, tuple[str, ...]] = {
    "optimizer": ("zero-1", "zero-2", "zero-3"),
    "gradients": ("zero-2", "zero-3"),
    "weights": ("zero-3",),
}
ZERO = "Rajbhandari et al., ZeRO"
SOURCES: Mapping[str, str] = {
    "weights": f"parameters × bytes of the number format ({ZERO})",
    "gradients": f"parameters × bytes of the number format ({ZERO})",
    "optimizer": f"parameters × bytes that the optimizer keeps of each ({ZERO})",
    "kv-cache": "a key and a value for each layer, KV head and token (Kwon et al., PagedAttention)",
    "activations": "what each layer keeps (Korthikanti et al., Reducing Activation Recomputation)",
}
"""The formulas in words, and the papers that they are from."""
OF_MODEL = ("parameters", "layers", "kv_heads", "head_size", "heads", "hidden_size")
# What the parts that grow with the tokens take; all others take the parameters.
TAKES: Mapping[str, tuple[str, ...]] = {
    "kv-cache": ("layers", "kv_heads", "head_size", "tokens", "sequences"),
    "activations": ("layers", "hidden_size", "tokens", "sequences"),
}
Wanted: TypeAlias = tuple[Term, tuple[str, ...]]
"""A formula, or what it lacks: names of figures or fields."""


class Pair(Struct, frozen=True):
    """A configuration on a card: where its figures stand, inside the project."""

    configuration: str
    card: str

    @property
    def at(self) -> str:
        """The address that its figures stand below."""
        return f"configurations.{self.configuration}.on.{self.card}"


def pairs_of(ledger: Ledger, project: ProjectLedger, names: Iterable[str] | None = None) -> Iterator[Pair]:
    """Every configuration that says what memory it takes (or those named), on every card whose memory is known."""
    cards = [
        card
        for card, record in ledger.catalog.gpus.items()
        if record.usable_vram_gib is not None or record.vram_gib is not None
    ]
    for name in project.configurations if names is None else names:
        if Configured(project, name).parts:
            yield from (Pair(name, card) for card in cards)


def write_needs(sheet: Sheet, ledger: Ledger, project: ProjectLedger, names: Collection[str] | None = None) -> None:
    """Writes the parts of every configuration, or of those named, and need and headroom on every card."""
    for name in project.configurations if names is None else names:
        configured = Configured(project, name)
        for part in configured.parts:
            _Part(sheet, configured, part).write()
    for pair in pairs_of(ledger, project, names):
        _OnCard(sheet, ledger, Configured(project, pair.configuration), pair).write()


class _Part:
    """Writes a part that is the same on every card: `configurations.C.memory.PART.need_gib`."""

    def __init__(self, sheet: Sheet, configured: Configured, part: str) -> None:
        self.sheet, self.configured, self.part = sheet, configured, part
        self.holder, self.record = configured.parts[part]
        self.project = configured.project.id
        title = f"{configured.title}: {self.record.title or part.replace('-', ' ')}"
        self.writer = FigureWriter(sheet, f"{self.project}.{configured.at}.memory.{part}", title)

    def write(self) -> None:
        """Writes its need; a pool, and what is left of one, are of a card."""
        if self.record.is_pool or self.record.reckoned == "rest":
            return
        words = {key: str(self.configured.value(key) or "") for key in WORDS}
        formula, lacks = self._stated() or _formula_for(str(self.record.reckoned), words, self._inputs())
        if missing := [*map(self._field, lacks)]:
            self.writer.lack("need_gib", missing)
        else:
            own = FigureWriter(self.sheet, self.writer.at)
            own.formula("need_gib", self.writer.title, reduced(self.configured, self.part, formula))

    def _stated(self) -> Wanted | None:
        """Where its size is stated; None where it is calculated."""
        for key in ("gb", "gib"):
            if getattr(self.record, key) is not None:
                return f"configurations.{self.holder}.memory.{self.part}.{key}", ()
        return None if self.record.reckoned is not None else ("", (f"memory.{self.part}",))

    def _field(self, name: str) -> str:
        """The field that is missing where a formula lacks something: of the configuration, or of its model."""
        model, own = self.configured.value("model"), f"{self.project}.{self.configured.at}"
        if name not in OF_MODEL:
            return f"{own}.{name}"
        return f"{own}.model" if model is None else f"catalog.models.{model}.{name}"

    def _inputs(self) -> Mapping[str, str]:
        """The addresses of the figures that formulas take, by name; those that are missing are left out."""
        found = {key: self.configured.address(key) for key in ("gpus", "tokens", "sequences")}
        if (model := self.configured.value("model")) is not None:
            of_model = {key: f"catalog.models.{model}.{key}" for key in OF_MODEL}
            found |= {key: address for key, address in of_model.items() if address in self.sheet.cells}
        return {key: address for key, address in found.items() if address}


def reduced(configured: Configured, part: str, formula: Term) -> Formula:
    """A part after the levers that make it smaller, in their order; a saving is never more than what is there."""
    for name in configured.levers_on(part):
        lever = configured.project.levers[name]
        if lever.saves is not None:
            formula = formula_of("({}) * (100% - levers.{}.saves)", formula, name)
        for key in lever.list_stated(AMOUNTS):
            formula = formula_of("max({} - levers.{}.{}, 0 {})", formula, name, key, key.removeprefix("saves_"))
    return formula_of("{}", formula)


class _OnCard:
    """Writes what a configuration takes on a card."""

    def __init__(self, sheet: Sheet, ledger: Ledger, configured: Configured, pair: Pair) -> None:
        self.sheet, self.configured, self.pair = sheet, configured, pair
        self.project, self.usable = configured.project.id, usable_at(sheet.cells, pair.card)
        title = f"{configured.title} on {ledger.catalog.gpus[pair.card].title}"
        self.writer = FigureWriter(sheet, f"{self.project}.{pair.at}", title)

    def write(self) -> None:
        """Writes pools, what is left in them, the whole need, what it leaves, and its share of the card."""
        writer, memory, terms = self.writer, f"{self.configured.at}.memory", []
        for part, (_, record) in self.configured.parts.items():
            if record.is_pool:
                self._pool(part, record)
                terms.append(f"{part}_gib")
            elif record.within is None and record.reckoned != "rest":
                terms.append(f"{memory}.{part}.need_gib")
        for part, (_, record) in self.configured.parts.items():
            if record.reckoned == "rest" and record.within is not None:
                # What is left in a pool beside the other parts within it.
                others = _sized_within(self.configured, record.within)
                left = chain_of(" - ", [f"{record.within}_gib", *(f"{memory}.{inner}.need_gib" for inner in others)])
                writer.formula(f"{part}_gib", record.title or part, left, unit=GIB)
        if not terms:  # what stands within a pool that is not there: that is told
            return
        writer.formula("need_gib", "memory", total_of(terms))
        writer.formula("headroom_gib", "headroom", formula_of("{} - need_gib", self.usable))
        writer.formula("share", "share of its memory", formula_of("need_gib / {}", self.usable), "%")

    def _pool(self, part: str, record: r.MemoryPart) -> None:
        share, title = self.configured.share_of(part), record.title or part
        if f"{self.project}.{share}" not in self.sheet.cells:
            missing = [f"{self.project}.{self.configured.at}.settings.{record.pool}"]
            self.writer.lack(f"{part}_gib", missing, f"{title}: {label(f'{part}_gib')}")
        else:
            self.writer.formula(f"{part}_gib", title, formula_of("{} * {}", share, self.usable), unit=GIB)


def _sized_within(configured: Configured, pool: str) -> list[str]:
    """The parts within a pool, but for what is left of it."""
    return [part for part in configured.inside(pool) if configured.parts[part][1].reckoned != "rest"]


def untold(figures: Figures, configured: Configured) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each pool with the parts within it whose size is not known: whether it holds them cannot be told."""
    for pool, (_, record) in configured.parts.items():
        if record.is_pool:
            at = f"{configured.project.id}.{configured.at}.memory"
            found = {part: figures.get(f"{at}.{part}.need_gib") for part in _sized_within(configured, pool)}
            if lost := tuple(part for part, figure in found.items() if figure and figure.use is None):
                yield pool, lost


def _formula_for(part: str, words: Mapping[str, str], at: Mapping[str, str]) -> Wanted:
    """The formula of a part in the expression language, or the names of the inputs that it lacks.

    `words` are those of the configuration by field, `at` the addresses of figures by name.
    """
    shared = words["sharding"] in DIVIDED.get(part, ())
    names = [*TAKES.get(part, ("parameters",))]
    names += ["heads"] * (part == "activations" and words["recompute"] in ("", "none"))
    lacks = [name for name in names if name not in at]
    lacks += ["dtype"] * (part != "activations" and words["dtype"] not in BYTES)
    lacks += ["optimizer"] * (part == "optimizer" and words["optimizer"] not in STATES)
    lacks += ["gpus"] * (shared and "gpus" not in at)
    if lacks:
        return "", tuple(lacks)
    if part in TAKES:
        return _of_tokens(part, words, *(at[name] for name in names)), ()
    number = BYTES[words["dtype"]]
    if part == "optimizer":
        states, copy = STATES[words["optimizer"]]
        number = str(states + (copy if words["dtype"] in SHORT else 0))
    need = formula_of("{} * {}", at["parameters"], _in_bytes(number))
    return formula_of("{} / ({} / 1 gpu)", need, at["gpus"]) if shared else need, ()


def _in_bytes(number: str) -> Formula:
    """So many bytes."""
    return read_formula(f"{number} bytes")


def _of_tokens(part: str, words: Mapping[str, str], *takes: str) -> Formula:
    """The formula of a part that grows with the tokens, from the addresses of what it takes."""
    if part == "kv-cache":
        number = _in_bytes(BYTES[words["dtype"]])
        return formula_of("2 * {0} * {1} * {2} * {5} * {3} * {4}", *takes, number)
    linear = "{0} * {2} * {3} * {1} * 2 bytes" if words["recompute"] == "full" else "{0} * {2} * {3} * {1} * 34 bytes"
    scores = " + 5 * {0} * {4} * {2} * {2} * {3} * 1 bytes" * (len(takes) > 4)
    return formula_of(linear + scores, *takes)
