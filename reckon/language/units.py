"""Units: read off the end of a key, multiplied and divided, converted exactly.

A unit has strict kinds (time, gpu, node, data, money, flop, energy, mass, month), which must come out right, and counts
(`_per_epoch`), of which none may be left below. Values are kept in the unit of their key; `scale` leads to base units:
hour, GPU, byte, FLOP, watt-hour, gram. At the end stand the number formats that memory is calculated from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from reckon.language.lazy import regex

Powers = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure: how many base units it is, its kinds and counts with their exponents, and its symbol."""

    scale: Fraction = field(default=Fraction(1), hash=False)  # kinds and symbol tell units apart well enough
    kinds: Powers = ()
    counts: Powers = ()
    symbol: str = ""
    lot: Fraction = field(default=Fraction(1), hash=False)
    """The number that stands with its counts: 1/1000 for hours_per_1000_steps."""

    def per(self, other: Unit) -> Unit:
        """This unit divided by another; the symbol is left to the caller."""
        kinds = combine(self.kinds, other.kinds, -1)
        counts = combine(self.counts, other.counts, -1)
        return Unit(self.scale / other.scale, kinds, counts, lot=self.lot / other.lot)

    def times(self, other: Unit) -> Unit:
        """This unit multiplied by another; the symbol is left to the caller."""
        kinds = combine(self.kinds, other.kinds)
        counts = combine(self.counts, other.counts)
        return Unit(self.scale * other.scale, kinds, counts, lot=self.lot * other.lot)

    def to_base(self, number: Fraction) -> Fraction:
        """A number in this unit, converted to base units."""
        return number if self.scale == 1 else number * self.scale  # most are 1, and multiplying fractions is slow

    def from_base(self, number: Fraction) -> Fraction:
        """A number in base units, converted to this unit."""
        return number if self.scale == 1 else number / self.scale

    def named(self, symbol: str) -> Unit:
        """The same unit, printed with another symbol."""
        return replace(self, symbol=symbol)


def combine(left: Powers, right: Powers, sign: int = 1) -> Powers:
    """Exponents of a product (sign 1) or a quotient (sign -1), in alphabetical order, without zeros."""
    if not right:
        return left
    powers = dict(left)
    for name, exponent in right:
        powers[name] = powers.get(name, 0) + sign * exponent
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))


class Currency(NamedTuple):
    """A currency: the symbol of its amounts, what one of it is called, and many."""

    symbol: str
    one: str
    many: str


CURRENCIES = {
    "usd": Currency("$", "a US dollar", "US dollars"),
    "eur": Currency("€", "a euro", "euros"),
    "gbp": Currency("£", "a pound", "pounds"),
    "chf": Currency("CHF", "a Swiss franc", "Swiss francs"),
    "cny": Currency("CNY", "a yuan", "yuan"),
    "jpy": Currency("¥", "a yen", "yen"),
    "inr": Currency("₹", "an Indian rupee", "Indian rupees"),
    "cad": Currency("CAD", "a Canadian dollar", "Canadian dollars"),
    "aud": Currency("AUD", "an Australian dollar", "Australian dollars"),
}
"""The currencies of a ledger, each a line; sums of money are in the first."""
DOLLAR, *OTHERS = CURRENCIES
SIGNS = "$€£¥₹"
"""Those symbols that stand before an amount."""

# word: (base units in one, kinds, symbol). Words of a key are matched in singular and plural.
_HOUR, _BYTE, _GRAM, _WH = Fraction(1), Fraction(1), Fraction(1), Fraction(1)
_KINDS: dict[str, tuple[Fraction, Powers, str]] = {
    "millisecond": (Fraction(1, 3_600_000), (("time", 1),), "ms"),
    "second": (Fraction(1, 3600), (("time", 1),), "s"),
    "minute": (Fraction(1, 60), (("time", 1),), "min"),
    "hour": (_HOUR, (("time", 1),), "h"),
    "day": (Fraction(24), (("time", 1),), "d"),
    "week": (Fraction(168), (("time", 1),), "weeks"),
    "month": (Fraction(1), (("month", 1),), "months"),
    "gpu": (Fraction(1), (("gpu", 1),), "GPUs"),
    "node": (Fraction(1), (("node", 1),), "nodes"),
    "byte": (_BYTE, (("data", 1),), "bytes"),
    "bit": (Fraction(1, 8), (("data", 1),), "bit"),
    "gbit": (Fraction(10**9, 8), (("data", 1),), "Gbit"),
    "gbps": (Fraction(10**9 * 3600, 8), (("data", 1), ("time", -1)), "Gbit/s"),
    "gram": (_GRAM, (("mass", 1),), "g"),
    "kg": (Fraction(1000), (("mass", 1),), "kg"),
    "tonne": (Fraction(10**6), (("mass", 1),), "t"),
    "watt": (_WH, (("energy", 1), ("time", -1)), "W"),
    "kilowatt": (Fraction(1000), (("energy", 1), ("time", -1)), "kW"),
    "joule": (Fraction(1, 3600), (("energy", 1),), "J"),
    **{
        name: (Fraction(10**power), (("energy", 1),), symbol)
        for name, power, symbol in (("wh", 0, "Wh"), ("kwh", 3, "kWh"), ("mwh", 6, "MWh"), ("gwh", 9, "GWh"))
    },
    **{
        prefix + "b": (Fraction(1000**power), (("data", 1),), prefix.upper() + "B")
        for power, prefix in enumerate(("k", "m", "g", "t", "p"), 1)
    },
    **{
        prefix + "ib": (Fraction(1024**power), (("data", 1),), prefix.capitalize() + "iB")
        for power, prefix in enumerate(("k", "m", "g", "t", "p"), 1)
    },
    **{
        prefix + "flop": (Fraction(1000**power), (("flop", 1),), prefix.upper() + "FLOP")
        for power, prefix in enumerate(("", "k", "m", "g", "t", "p", "e", "z"))
    },
    **{
        prefix + "flops": (Fraction(1000**power * 3600), (("flop", 1), ("time", -1)), prefix.upper() + "FLOP/s")
        for power, prefix in enumerate(("", "k", "m", "g", "t", "p", "e", "z"))
    },
    **{code: (Fraction(1), (("money:" + code, 1),), currency.symbol) for code, currency in CURRENCIES.items()},
}
# Shorter spellings, taken after a number (`45 min`) but not at the end of a key, where they are too often just a word.
SHORT = {
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "d": "day",
    "w": "watt",
    "kw": "kilowatt",
    "g": "gram",
    "t": "tonne",
    "j": "joule",
}
_KEY_SHORT = {"ms": "millisecond", "sec": "second"}


def spellings() -> Mapping[str, tuple[Unit, bool]]:
    """Every word that can stand after a number as its unit, in the singular (`minute`, `gib`, `usd`), and whether it is
    a short one, such as `min`, which has no plural."""
    short = ((word, _KINDS[name], True) for word, name in SHORT.items() if word not in _KINDS)
    words = ((word, entry, False) for word, entry in _KINDS.items())
    return {word: (Unit(*entry[:2], (), entry[2]), is_short) for word, entry, is_short in (*words, *short)}


def singular(word: str) -> str:
    """The singular of a regular English plural, which is all that keys need: epochs, batches, queries."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(ch|sh|x|ss)es$", word):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss") and len(word) > 2:
        return word[:-1]
    return word


def single(symbol: str) -> str:
    """The symbol of a single one: 1 GPU, 1 seed, 1 step/s."""
    above, slash, below = symbol.partition("/")
    plural = above == "GPUs" or (len(above) > 2 and above.islower())
    return (singular(above) if plural else above) + slash + below


def _word_unit(word: str, short: dict[str, str]) -> Unit | None:
    name = short.get(word, word)
    entry = _KINDS.get(name) or _KINDS.get(singular(name))
    return Unit(*entry[:2], (), entry[2]) if entry else None


def _words_unit(words: list[str], short: dict[str, str]) -> Unit | None:
    """The unit at the end of some words: one word, a device and a time (gpu_hours), or data and months (gb_months)."""
    last = _word_unit(words[-1], short)
    first = _word_unit(words[-2], short) if last and len(words) > 1 else None
    if last and first and words[-2] in ("gpu", "node") and last.kinds == (("time", 1),):
        return last.times(first).named(("GPU-" if words[-2] == "gpu" else "node-") + last.symbol)
    if last and first and first.kinds == (("data", 1),) and last.kinds == (("month", 1),):
        return last.times(first).named(f"{first.symbol}-month")
    return last


_PER_COUNT = regex(r"^(?:([1-9][0-9]*)(k|m)?(?:_|$))?(.*)$", re.DOTALL)


def _read_denominator(words: str) -> tuple[Unit, str]:
    """A denominator: a unit, or else a count word, either with a number before it (`1000_steps`); and its symbol."""
    number, factor, rest = _PER_COUNT.match(words).groups()  # type: ignore[union-attr]
    many = int(number or 1) * {"k": 1000, "m": 10**6, None: 1}[factor]
    parts = rest.split("_") if rest else []
    known = _words_unit(parts, _KEY_SHORT) if parts and len(parts) <= 2 else None
    if known and (len(parts) == 1 or "-" in known.symbol):
        plural = known.symbol in ("GPUs", "nodes", "months", "weeks")
        symbol = known.symbol.removesuffix("s") if plural else known.symbol
        return Unit(known.scale * many, known.kinds, (), symbol), f"{many:,} {symbol}" if many != 1 else symbol
    word = singular(rest) if rest else "one"
    shown = rest.replace("_", " ")
    unit = Unit(Fraction(many), (), ((word, 1),), shown, Fraction(many))
    return unit, f"{many:,} {shown}" if many != 1 else shown


@cache
def key_unit(key: str) -> Unit:
    """The unit that a key names: `all_gpu_hours`, `hours_per_1000_steps`; a unit without kinds where it names none."""
    above, *below = key.replace("-", "_").lower().split("_per_")
    words = above.split("_")
    unit = _words_unit(words, _KEY_SHORT)
    if unit is None:
        noun = words[-1] if below or (words[-1].endswith("s") and singular(words[-1]) != words[-1]) else ""
        unit = Unit(symbol=noun)
    symbol = unit.symbol
    for part in below:
        divisor, shown = _read_denominator(part)
        unit = unit.per(divisor)
        symbol += "/" + shown
    return unit.named(symbol)


@cache
def value_unit(words: str) -> Unit | None:
    """The unit written after a number: `min`, `GiB`, `gpu_hours`, `usd`; None when it is not a unit."""
    above, *below = words.strip().lower().replace("-", "_").replace(" ", "_").replace("/", "_per_").split("_per_")
    unit = _words_unit(above.split("_"), SHORT)
    symbol = unit.symbol if unit is not None else ""
    for part in below:
        divisor = _words_unit(part.split("_"), SHORT)
        if unit is None or divisor is None:
            return None
        unit = unit.per(divisor)
        symbol = f"{symbol}/{divisor.symbol}"
    return unit.named(symbol) if unit is not None else None


_CAPITALS = {word: word.upper() for word in ("gb", "tb", "vram", "ram", "gpu", "cpu", "kv", "cuda")}
_CAPITALS |= {"gpus": "GPUs", "gib": "GiB", "saves": "saving"}


def spoken(key: str) -> str:
    """A key as words: `minimum_ram` -> minimum RAM, `gpu_hours_per_seed` -> GPU-hours per seed."""
    words = " ".join(_CAPITALS.get(word, word) for word in key.replace("_", " ").replace("-", " ").split())
    return words.replace("GPU hours", "GPU-hours")


def label(key: str) -> str:
    """The words of a key before its unit: `peak_vram_gb` -> peak VRAM; all of them where the unit is the whole key."""
    above, *below = key.replace("-", "_").split("_per_")
    words = above.split("_")
    unit = _words_unit([word.lower() for word in words], _KEY_SHORT)
    kept = [] if unit is None else words[: -2 if "-" in unit.symbol else -1]
    return spoken("_".join(kept) if kept else "_per_".join((above, *below)))


def carries(name: str, count: str) -> bool:
    """Whether a name ends in a count word: `rl_steps`, `steps_per_task` and `rl_steps.low` carry `step`."""
    last = re.sub(r"\.(low|use|high)$", "", name).rsplit(".", 1)[-1]
    word = singular(last.replace("-", "_").lower().split("_per_")[0])
    return word == count or word.endswith("_" + count)


def kind_words(kinds: Powers) -> str:
    """Strict kinds in words, for messages: `GPU × time`, `data / time`, `money (USD)`, `a plain number`."""
    above = [_kind_word(kind) + ("" if power == 1 else f"^{power}") for kind, power in kinds if power > 0]
    below = [_kind_word(kind) + ("" if power == -1 else f"^{-power}") for kind, power in kinds if power < 0]
    text = " × ".join(above) or ("1" if below else "a plain number")
    return text + "".join(f" / {word}" for word in below)


def _kind_word(kind: str) -> str:
    name, _, currency = kind.partition(":")
    return f"{name} ({currency.upper()})" if currency else {"gpu": "GPU", "flop": "FLOP"}.get(kind, kind)


PLAIN = Unit()
GPU_HOURS = key_unit("gpu_hours")
HOURS = key_unit("hours")

# The bytes that a number takes in each format; as text, so that a formula of the engine can hold it.
BYTES = {
    "fp64": "8",
    "fp32": "4",
    "tf32": "4",
    "bf16": "2",
    "fp16": "2",
    "fp8": "1",
    "int8": "1",
    "fp4": "0.5",
    "int4": "0.5",
}
