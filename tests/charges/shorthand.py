"""Ledgers in the shorthand of cases.yaml, read into records.

A ledger is a dict whose top-level keys are files: `gpus`, `prices`, `rates`, `allocations`,
`project`, `imports`, `plan`, `runs`. Numbers may be whole numbers, decimals, fractions or texts
(`3/10`, `10%`, `2x`, `20 min`); days may be dates or texts (`2026-03`). All become exact fractions
and numbers of days. Nothing here calculates a figure.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

CURRENCIES = ("usd", "eur", "gbp", "chf", "cny", "jpy", "inr", "cad", "aud")
NONE = "none"
"""In place of a payer: the project pays for itself."""
_UNIT = {"s": Fraction(1, 3600), "min": Fraction(1, 60), "h": Fraction(1), "d": Fraction(24)}
_DURATION = re.compile(r"(\S+) ?(s|min|h|d)")

Money = tuple[str, Fraction]
"""A currency and an amount in it."""
Days = tuple[tuple[int | None, Fraction], ...]
"""The parts of a run by day; None for one without a date."""


def number(value: Any) -> Fraction:
    """A number as it is written; of a range with `use` the number to plan with."""
    if isinstance(value, Mapping):
        return number(value["use"])
    if isinstance(value, Fraction):
        return value
    text = str(value).strip().replace(",", "").replace("_", "")
    if text.endswith("%"):
        return number(text[:-1]) / 100
    above, _, below = text.removesuffix("x").partition("/")
    return Fraction(above) / Fraction(below or 1)


def maybe(value: Any) -> Fraction | None:
    """A number, or None where nothing stands."""
    return None if value is None else number(value)


def duration(value: Any) -> Fraction | None:
    """Hours on the clock; a plain number is in hours."""
    found = _DURATION.fullmatch(str(value))
    return maybe(value) if found is None else number(found[1]) * _UNIT[found[2]]


def progress_of(value: Any) -> tuple[Fraction, Fraction]:
    """Done and total, of `3/10` or `{done: 3, total: 10}`."""
    if isinstance(value, Mapping):
        return number(value["done"]), number(value["total"])
    done, total = str(value).split("/")
    return number(done), number(total)


def days_of(value: Any) -> tuple[int, int]:
    """The first and last day that a date, month or year names."""
    text = str(value.date() if isinstance(value, datetime) else value)[:10]
    year, *rest = (int(part) for part in text.split("-"))
    month, last = (rest[0], rest[0]) if rest else (1, 12)
    begin = rest[1] if rest[1:] else 1
    end = rest[1] if rest[1:] else monthrange(year, last)[1]
    return date(year, month, begin).toordinal(), date(year, last, end).toordinal()


def first_day(value: Any) -> int | None:
    return None if value is None else days_of(value)[0]


def last_day(value: Any) -> int | None:
    return None if value is None else days_of(value)[1]


def clock(value: Any) -> datetime | None:
    """A day with its time; None where no more than a day is named."""
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(str(value)) if len(str(value)) > 10 else None


def money_in(record: Mapping[str, Any], before: str = "") -> Money | None:
    """The amount under the key of a currency: `usd`, or with a word before it `cost_usd`."""
    stated = [key for key in CURRENCIES if record.get(before + key) is not None]
    return (stated[0], number(record[before + stated[0]])) if stated else None


@dataclass(frozen=True)
class Billing:
    """What is billed of each run beyond what it held."""

    minimum: Fraction = Fraction(0)
    step: Fraction = Fraction(0)
    whole: Fraction = Fraction(0)


@dataclass(frozen=True)
class Charge:
    """The unit of a payer: units for a GPU-hour, by card or of all; billing; factors by word."""

    rate: Fraction = Fraction(1)
    by_card: Mapping[str, Fraction] | None = None
    billing: Billing = Billing()
    factors: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)


@dataclass(frozen=True)
class PriceList:
    """Prices of a GPU-hour by card, in one currency, by the days from which they hold."""

    currency: str
    since: tuple[tuple[int, Mapping[str, Fraction]], ...]
    billing: Billing

    @property
    def cards(self) -> set[str]:
        return {card for _, prices in self.since for card in prices}


@dataclass(frozen=True)
class Change:
    """A dated entry of a payer: `kind` is granted, refunded, charged or moved."""

    day: int
    kind: str
    amount: Fraction
    to: str = ""


@dataclass(frozen=True)
class Payer:
    """Who pays; `currency` is empty for one whose grant is in hours or units."""

    id: str
    amount: Fraction
    currency: str
    gpu: str
    since: int | None
    until: int | None
    prices: tuple[str, ...]
    charge: Charge
    changes: tuple[Change, ...]
    projects: tuple[str, ...]


@dataclass(frozen=True)
class Item:
    """A line of the plan, of money where `currency` says in which; `phase` is its id."""

    id: str
    phase: str
    plan: Fraction
    currency: str
    gpu: str
    gpus: Fraction | None
    runs: Fraction | None
    every: str
    per_seed: bool
    contingency: Fraction
    allocation: str
    price: str
    since: int | None
    until: int | None


@dataclass(frozen=True)
class Run:
    """A run with its hours on its own card; `days` has its parts by day, None where it has none."""

    order: tuple[Fraction, int, int]
    item: str
    seed: str
    gpu: str
    gpus: Fraction | None
    time: Fraction | None
    hours: Fraction | None
    days: Days
    status: str
    done: Fraction | None
    allocation: str
    price: str
    charged: Fraction | None
    cost: Money | None
    limit: Fraction | None
    words: Mapping[str, str]


@dataclass(frozen=True)
class Ledger:
    """All that one project rests on."""

    gpu: str
    currency: str
    allocation: str
    price: str
    prices: tuple[str, ...]
    seeds: tuple[str, ...]
    began: int | None
    pace_days: int
    counts_as: Mapping[tuple[str, str], Fraction]
    lists: Mapping[str, PriceList]
    rates: Mapping[str, tuple[tuple[int, Fraction], ...]]
    payers: Mapping[str, Payer]
    items: Mapping[str, Item]
    runs: tuple[Run, ...]
    closed: tuple[tuple[str, int], ...]


def _numbers(record: Mapping[str, Any]) -> dict[str, Fraction]:
    return {str(key): number(value) for key, value in record.items()}


def _billing(record: Mapping[str, Any]) -> Billing:
    minimum, step = duration(record.get("minimum_hours")), duration(record.get("step_hours"))
    return Billing(minimum or Fraction(0), step or Fraction(0), number(record.get("whole_gpus", 0)))


def _charge(record: Mapping[str, Any]) -> Charge:
    stated, rate, by_card = record.get("units_per_gpu_hour", 1), Fraction(1), None
    if isinstance(stated, Mapping):
        by_card = _numbers(stated)
    else:
        rate = number(stated) / number(record.get("gpus_per_unit", 1))
    factors = {key: _numbers(by_word) for key, by_word in record.get("factors", {}).items()}
    return Charge(rate, by_card, _billing(record), factors)


def _prices(record: Mapping[str, Any]) -> PriceList:
    dated = {days_of(day)[0]: table for day, table in record.get("since", {}).items()}
    tables = [(0, record), *((day, dated[day]) for day in sorted(dated))]
    stated = {key for _, table in tables for key in table}
    currency = next(name for name in CURRENCIES if f"{name}_per_gpu_hour" in stated)
    key = f"{currency}_per_gpu_hour"
    read = tuple((day, _numbers(table.get(key, {}))) for day, table in tables)
    return PriceList(currency, read, _billing(record))


def _change(record: Mapping[str, Any]) -> Change:
    kind = next(kind for kind in ("granted", "refunded", "charged", "moved") if kind in record)
    return Change(days_of(record["date"])[0], kind, number(record[kind]), str(record.get("to", "")))


def _payer(name: str, record: Mapping[str, Any]) -> Payer:
    stated = money_in(record)
    units = record.get("gpu_hours", record.get("units"))
    return Payer(
        name,
        stated[1] if stated else number(units),
        stated[0] if stated else "",
        str(record.get("gpu", "")),
        first_day(record.get("since")),
        last_day(record.get("until")),
        tuple(record.get("prices", ())),
        _charge(record.get("charge", {})),
        tuple(_change(change) for change in record.get("changes", ())),
        tuple(record.get("projects", ("p",))),
    )


def _said(key: str, *records: Mapping[str, Any]) -> str:
    """What the nearest of some records says under a key."""
    return next((str(record[key]) for record in records if key in record), "")


def _items(ledger: Mapping[str, Any]) -> Iterator[Item]:
    project = ledger["project"]
    for phase_id, phase in ledger["plan"].items():
        for name, item in phase["items"].items():
            stated, near = money_in(item), (item, phase, project)
            yield Item(
                name,
                phase_id,
                stated[1] if stated else number(item["gpu_hours"]),
                stated[0] if stated else "",
                str(item.get("gpu", "")),
                maybe(item.get("gpus")),
                maybe(item.get("runs")),
                str(item.get("every", "")),
                item.get("scope") == "per-seed",
                number(_said("contingency", *near) or 0),
                _said("allocation", *near),
                _said("price", *near),
                first_day(phase.get("since")),
                last_day(phase.get("until")),
            )


def _by_clock(start: datetime, end: datetime) -> Days:
    """The parts of the time between two moments that lie in each day."""
    found: list[tuple[int, Fraction]] = []
    whole = Fraction((end - start).total_seconds())
    for day in range(start.toordinal(), end.toordinal() + 1):
        begin = datetime.fromordinal(day).replace(tzinfo=start.tzinfo)
        left = max(Fraction((begin - start).total_seconds()), Fraction(0))
        right = min(Fraction((begin - start).total_seconds()) + 86400, whole)
        found += [(day, (right - left) / whole)] if right > left else []
    return tuple(found)


def _days(record: Mapping[str, Any], time: Fraction | None) -> Days:
    """The days of a run with the part in each: by the clock, else evenly.

    A single day reaches back (a `start` on) where the GPUs were held for longer than that.
    """
    start, end = record.get("start"), record.get("end")
    moment = end or record.get("date") or start
    if moment is None:
        return ((None, Fraction(1)),)
    begun, ended = clock(start), clock(end)
    if begun and end is None and record.get("date") is None and time:
        ended = begun + timedelta(seconds=round(time * 3600))
    if begun and ended and begun < ended:
        return _by_clock(begun, ended)
    both = start is not None and end is not None
    first, last = days_of(start if both else moment)[0], days_of(moment)[1]
    if first == last and not both and time is not None and time > 24:
        more = min(-(-time // 24), 31) - 1
        first, last = (first, last + more) if moment is start else (first - more, last)
    return tuple((day, Fraction(1, last - first + 1)) for day in range(first, last + 1))


def _held(record: Mapping[str, Any]) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    """GPUs, time and hours of a run, each from the others where it is not stated."""
    gpus, time = maybe(record.get("gpus")), duration(record.get("wall_hours"))
    hours = maybe(record.get("gpu_hours"))
    if hours is None and gpus is not None:
        hours = gpus * (time or 0)
    if time is None and gpus and hours:
        time = hours / gpus
    elif gpus is None and time and hours is not None:
        gpus = hours / time
    return gpus, time, hours


def _run(ledger: Mapping[str, Any], items: Mapping[str, Item], place: int) -> Run:
    record, project = ledger["runs"][place], ledger["project"]
    item, imported = items.get(record["item"]), record.get("imported", {})
    source = ledger.get("imports", {}).get(imported.get("source"), {})
    near = (record, source.get("rules", {}).get(imported.get("rule"), {}), source)
    gpus, time, hours = _held(record)
    days = _days(record, time)
    card = str(record.get("gpu") or (item.gpu if item else "") or project.get("gpu", ""))
    said = progress_of(record["progress"]) if "progress" in record else None
    return Run(
        (number(record.get("attempt", 0)), days[-1][0] or 0, place),
        str(record["item"]),
        str(record.get("seed", "")),
        str(record.get("gpu", "")) if hours is None else card,
        gpus,
        time,
        hours,
        days,
        str(record.get("status", "completed")),
        said[0] / said[1] if said else None,
        _said("allocation", *near) or (item.allocation if item else _said("allocation", project)),
        _said("price", *near) or (item.price if item else _said("price", project)),
        maybe(record.get("charged")),
        money_in(record, "cost_"),
        duration(record.get("limit_hours")),
        {key: str(record.get(key) or imported.get(key) or "") for key in ("qos", "partition")},
    )


def _rates(ledger: Mapping[str, Any]) -> dict[str, tuple[tuple[int, Fraction], ...]]:
    """US dollars for one of each currency, by the days from which they hold."""
    dated = {days_of(day)[0]: record for day, record in ledger.get("rates", {}).items()}
    found: dict[str, tuple[tuple[int, Fraction], ...]] = {"usd": ((0, Fraction(1)),)}
    for name in CURRENCIES[1:]:
        stated = [(day, dated[day].get(f"usd_per_{name}")) for day in sorted(dated)]
        found[name] = tuple((day, number(rate)) for day, rate in stated if rate is not None)
    return found


def _seeds(stated: Any) -> tuple[str, ...]:
    names = stated if isinstance(stated, list | tuple) else range(1, int(stated or 0) + 1)
    return tuple(str(name) for name in names)


def read(ledger: Mapping[str, Any]) -> Ledger:
    """The records of a ledger."""
    project, items = ledger["project"], {item.id: item for item in _items(ledger)}
    ratios = {
        (card, other): number(ratio)
        for card, record in ledger.get("gpus", {}).items()
        for other, ratio in record.get("counts_as", {}).items()
    }
    return Ledger(
        str(project.get("gpu", "")),
        str(project.get("currency", "usd")),
        _said("allocation", project),
        _said("price", project),
        tuple(project.get("prices", ())),
        _seeds(project.get("seeds")),
        first_day(project.get("began")),
        int(project.get("pace_days", 28)),
        ratios | {(other, card): 1 / ratio for (card, other), ratio in ratios.items()},
        {name: _prices(record) for name, record in ledger.get("prices", {}).items()},
        _rates(ledger),
        {name: _payer(name, record) for name, record in ledger.get("allocations", {}).items()},
        items,
        tuple(_run(ledger, items, place) for place in range(len(ledger.get("runs", ())))),
        tuple((each["allocation"], days_of(each["until"])[1]) for each in ledger.get("closed", ())),
    )


def merged(cases: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A ledger of cases.yaml with what all of them share; its own entries go first."""
    shared, own = cases["shared"], cases[name]
    together = {key: {**shared.get(key, {}), **own.get(key, {})} for key in shared}
    return {**own, **together}
