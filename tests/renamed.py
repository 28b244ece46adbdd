"""A shipped ledger told again: its ids, titles and texts are random words, and its hours stand in another unit.

Which key is an id, a reference, an address, a text or a quantity is read from the classes of `reckon.model.records`,
so that a new field is told again without a word here. What stays as it is, and why, is listed below by name.

Hours are changed by a power of ten in one of two ways. With `time` everything lasts a tenth as long: what measures
time is a tenth, what is per time ten times as much. With `gpus` everything is ten times as wide: GPUs, GPU-hours, and
with them money, energy and emissions, are ten times as many, and dates and wall-clock hours stay.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field

from reckon.language.units import Unit
from reckon.model.kinds import CALCULATED, CATALOG, GROUPS, PROJECT

KEPT_FIELDS = {
    "version": "a version is compared, and released",
    "dtype": "a number format is a word of the language",
    "type": "a kind of publication is one of BibTeX",
    "url": "an address in the web has a form of its own",
    "default": "a setting's value may be a word of the language, as `greedy`",
    "group": "a heading of settings and configurations, which no rule reads",
    "seed": "a seed is a number or a name that `seeds` lists",
    "until": "a version or a date",
    "job": "a number of a scheduler",
    "attempt": "a number of attempts",
    "columns": "the names of figures and of columns of rows, which carry their units",
    "total": "columns of rows, which carry their units",
    "pool": "a setting, which carries its unit",
    "lowers": "settings, which carry their units",
}
"""Fields of words that are no text of their author."""
KEPT_KEYS = "inputs of formulas, free figures, columns and settings: their last words are their units"
ADDRESSED = (
    "of",
    "rows",
    "terms",
    "finding",
    "covers",
    "below",
    "above",
    "within",
    "when",
    "require",
    "reasons",
    "sections",
    "leave_out",
    "reference",
    "choice",
    "market",
    "item",
    "each",
    "projects",
)
"""Fields of words that hold ids, addresses or conditions."""
FIELDS = {name for kind in (*CATALOG.values(), *PROJECT.values()) for name in kind.record.model_fields} | {"tokens"}
SECTIONS = ("answer", "hardware", "online", "models", "status")
"""Sections that the templates know by name."""

AS_THEY_ARE = {
    "read_word",
    "read_date",
    "read_time",
    "read_flag",
    "read_seeds",
    "read_whole",
    "read_count",
    "read_unit",
    "read_column_field",
}
"""How what is no text and no quantity of hours is read: words of the language, dates, counts."""


@dataclass
class Words:
    """One random word for each text, always the same; `ids` are the texts that are ids somewhere."""

    seed: int
    plain: bool = False
    known: dict[str, str] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, text: str) -> str:
        if self.plain:
            return text
        if text not in self.known:
            self.known[text] = "".join(self._random.choices("bcdfghjklmnpqrstvwxz", k=12))
        return self.known[text]

    def id(self, text: str) -> str:
        """The word for an id."""
        return self(text) if text in self.ids else text

    def address(self, path: str) -> str:
        """An address under the new names: those of its steps that are ids. Its kinds and figures keep theirs."""
        steps = path.split(".")
        last = len(steps) - 1 - (steps[-1] in ("low", "use", "high"))
        found = []
        for at, step in enumerate(steps):
            kind = len(steps) > 1 and ((at == 0 and step in GROUPS) or (at == 1 and steps[0] == "catalog"))
            total = at == 1 and steps[0] in CALCULATED and steps[0] not in ("phases", "payers")
            figure = at > 1 and at == last and step in FIELDS
            own = at > (2 if steps[0] == "bounds" else 1) and steps[0] in ("bounds", "measurements", "figures")
            found.append(step if kind or total or figure or own else self.step(step))
        return ".".join(found)

    def step(self, step: str) -> str:
        """A step of an address; that of a setup is a card and how many, that of a part of memory has its unit."""
        step, number, count = step.partition("#")
        return self._step(step) + number + count

    def _step(self, step: str) -> str:
        if step in self.ids:
            return self(step)
        parts = re.fullmatch(r"(.+?)((?:-x[0-9]+)|(?:_g(?:i?)b))", step)
        return f"{self(parts[1])}{parts[2]}" if parts and parts[1] in self.ids else step


def shift(digits: str, tens: int, rounded: bool = False) -> str:
    """A number times a power of ten, with as many digits that count; in a `rounded` one zeros at its end do not."""
    whole, _, rest = digits.partition(".")
    if tens < 0 and rounded and not rest:
        zeros = min(-tens, len(whole) - len(whole.rstrip("0"))) if whole.strip("0") else 0
        whole, tens = whole[: len(whole) - zeros], tens + zeros
    digits, behind = whole + rest, len(rest) - tens
    digits = digits + "0" * -behind if behind < 0 else digits.rjust(behind + 1, "0")
    cut = len(digits) - max(behind, 0)
    return re.sub(r"^0+(?=[0-9])", "", digits[:cut]) + (f".{digits[cut:]}" if digits[cut:] else "")


def tens(unit: Unit, scale: str) -> int:
    """The power of ten by which a quantity in this unit changes."""
    kinds = dict(unit.kinds)
    if scale == "time":
        return -kinds.get("time", 0) - kinds.get("energy", 0)  # so that a watt stays a watt
    if scale == "gpus":
        large = sum(power for kind, power in kinds.items() if kind in ("gpu", "node", "mass") or kind[:5] == "money")
        large += kinds.get("energy", 0) * ("time" not in kinds)
        return large if large > 0 or any(kind[:5] == "money" for kind in kinds) else 0
    return 0
