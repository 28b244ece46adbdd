"""A ledger as its files state it, read with PyYAML alone: numbers as fractions, days as dates.

It shares no code with the program. Only what `made` writes is read.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import yaml

CURRENCIES = ("usd", "eur")
ZERO, ONE = Fraction(0), Fraction(1)
Record = Mapping[str, Any]


class Range(NamedTuple):
    """Between two numbers, with the one to plan with; None is an open end, and what is not known of one."""

    low: Fraction | None
    use: Fraction | None
    high: Fraction | None

    def plus(self, other: Range) -> Range:
        return Range(add(self.low, other.low), add(self.use, other.use), add(self.high, other.high))

    def minus(self, other: Range) -> Range:
        return self.plus(Range(negative(other.high), negative(other.use), negative(other.low)))

    def times(self, factor: Fraction) -> Range:
        """The range for a factor that is not negative."""
        return Range(*(None if end is None else end * factor for end in self))

    def above_zero(self) -> Range:
        """The range, with zero in place of what is below."""
        low, use, high = (None if end is None else max(end, ZERO) for end in self)
        return Range(ZERO if low is None else low, use, high)


def add(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


def negative(value: Fraction | None) -> Fraction | None:
    return None if value is None else -value


NOTHING = Range(ZERO, ZERO, ZERO)


def exactly(number: Fraction) -> Range:
    return Range(number, number, number)


def number(value: Any) -> Fraction:
    """A number as it is written: `3`, `2.5`, `1/4`, `10%`, `2x`."""
    text = str(value)
    if text.endswith("%"):
        return Fraction(text[:-1]) / 100
    return Fraction(text.removesuffix("x"))


def amount(value: Any) -> Range:
    """A quantity: a number, `8-10` with its middle, `{low, high, use}`, or a product of inputs."""
    if isinstance(value, Mapping) and "formula" in value:
        found = exactly(ONE)
        for name in value["formula"].split(" * "):
            factor = amount(value[name])
            found = Range(found.low * factor.low, found.use * factor.use, found.high * factor.high)
        return found
    if isinstance(value, Mapping):
        return Range(number(value["low"]), number(value["use"]), number(value["high"]))
    low, _, high = str(value).partition("-")
    if high:
        return Range(number(low), (number(low) + number(high)) / 2, number(high))
    return exactly(number(value))


def hours_on_the_clock(value: Any) -> Fraction:
    """`2.5`, or `2 h 20 min`."""
    found = re.fullmatch(r"(\d+) h (\d+) min", str(value))
    if found:
        return Fraction(found[1]) + Fraction(found[2]) / 60
    return number(value)


def days_in(value: Any) -> list[date]:
    """The days that a day or a month names."""
    parts = [int(part) for part in str(value)[:10].split("-")]
    if len(parts) == 3:
        return [date(*parts)]
    return [date(*parts, day) for day in range(1, monthrange(*parts)[1] + 1)]


def parts_by_day(run: Record) -> list[tuple[date, Fraction]]:
    """The days of a run, each with the share of it: by the clock between two moments, else alike for each day."""
    if "start" not in run:
        days = days_in(run["date"])
        return [(day, Fraction(1, len(days))) for day in days]
    start, end = datetime.fromisoformat(str(run["start"])), datetime.fromisoformat(str(run["end"]))
    found, begin = [], start
    while begin < end:
        midnight = datetime.combine(begin.date() + timedelta(days=1), datetime.min.time())
        until = min(midnight, end)
        found.append((begin.date(), seconds_in(until - begin) / seconds_in(end - start)))
        begin = until
    return found


def seconds_in(time: timedelta) -> Fraction:
    return Fraction(time // timedelta(seconds=1))


def money_in(record: Record, before: str = "") -> tuple[str, Fraction] | None:
    """A currency and the amount that stands under its key, as `usd` or `cost_usd`."""
    for currency in CURRENCIES:
        if before + currency in record:
            return currency, number(record[before + currency])
    return None


class Files:
    """What stands in the files of a ledger."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = self.read("p/project.yaml")
        self.plan = self.read("p/plan.yaml")
        self.runs: list[Record] = list(self.read("p/runs/all.yaml") or ())
        self.allocations = self.read("allocations.yaml")
        self.cards = self.read("catalog/gpus.yaml")
        self.prices = self.read("catalog/prices.yaml")
        self.rates = self.read("catalog/rates.yaml")
        seeds = self.project.get("seeds", 0)
        self.seeds = seeds if isinstance(seeds, list) else [str(each + 1) for each in range(int(seeds))]

    def read(self, name: str) -> Any:
        """The content of a file, every scalar as a text; an empty map where there is none."""
        path = self.root / "ledger" / name
        return yaml.load(path.read_text("utf-8"), yaml.BaseLoader) if path.exists() else {}
