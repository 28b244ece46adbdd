"""Units as documents write them: `hrs`, `$ / hr`, `tok/s`, `core-hours`."""

from __future__ import annotations

import re

from .units import CURRENCIES, SHORT, Unit, key_unit, value_unit

CORES = re.compile(r"\b(?:core|cpu)-(?=h)", re.IGNORECASE)
"""Core-hours are hours to the ledger, or a number of `corehours`."""
OTHER_WORDS = {
    "hr": "hour",
    "hrs": "hour",
    "hourly": "per_hour",
    "mo": "month",
    "monthly": "per_month",
    "mins": "minute",
    "secs": "second",
    "tps": "tokens_per_second",
    "tok": "tokens",
    "dollars": "usd",
    **{currency.symbol.lower(): code for code, currency in CURRENCIES.items()},
    "/": "per",
    **SHORT,
}


def read_unit(words: list[str]) -> Unit | None:
    """The unit that some words name as documents write it: `hrs`, `$ / hr`, `GPU hours`, `tokens / sec`; or None."""
    joined = CORES.sub("", "_".join(OTHER_WORDS.get(word.lower(), word.lower()) for word in words))
    above, *below = joined.split("_per_")
    is_known = all(map(_is_known, below))
    if is_known and _is_known(above):
        return value_unit(joined)
    return key_unit(joined) if is_known and below and above.isalpha() else None


def _is_known(words: str) -> bool:
    """Whether some words are a unit and nothing else: value_unit reads the last of them alone, but for one of two words
    (GPU-hours)."""
    unit = value_unit(words)
    return unit is not None and words.count("_") == unit.symbol.count("-")
