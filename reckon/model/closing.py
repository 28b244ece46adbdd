"""A closed period: what an allocation was granted and charged, kept as JSON texts that are never changed.

`ledger/<project>/closings/<allocation>.<period>.json` has the sums of one project when the period was closed, and the
balance of the allocation at its end, which is the same in the files of all projects. What is learned later stands
beside it in files of its own, `<allocation>.<period>.adjusted-<day>-<digest>.json`: adjustments, whose sums and balance
are differences. So what two people learn at one time are two files, which merge, and whose sums add up. Both kinds are
a `Closing`, and sealed as a release is.

Files of format 1 have no balance, and of the columns `KEPT_FIRST` alone; so have the adjustments of what they closed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import first_day, is_day, last_day
from reckon.language.lazy import regex
from reckon.language.quantity import ZERO, add_up, decimal_text

from .figure import COSTS
from .release import LONGEST_REASON, Changed, seal, unsealed
from .scalars import ID

FORMAT = 2
HOME = "closings"
OUTSIDE_ITEMS: Mapping[str, str] = MappingProxyType({"": "(unplanned)", "?": "(unassigned)"})
"""How runs of no item are written; `model/figure.OUTSIDE` has the signs that stand for them."""
_PERIOD = regex(r"(?!0000)[0-9]{4}(-Q[1-4]|-(0[1-9]|1[0-2]))?")
_NAME = regex(
    rf"(?P<allocation>{ID.pattern})\.(?P<period>{_PERIOD.pattern})"
    r"(\.adjusted-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{8})?\.json"
)
_DAY = regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EXACT = regex(r"(-?[0-9]{1,2000}\.[0-9]{4} ~ )?(-?[0-9]{1,2000}(\.[0-9]{1,12}|/[1-9][0-9]{0,1999})?)")
_NONE = "this is not a closed period"
_WORDS = ("allocation", "project", "period", "date", "reason", "through")
USED, USEFUL, FAILED, HELD = "used", "useful", "failed", "held"
CHARGED = (USED, USEFUL, FAILED)
COLUMNS = (*CHARGED, HELD, *COSTS)
"""What is kept of an item on a card: what its payer booked, of runs that completed or run, and of those that failed, in
the unit of the payer; the GPU-hours that they held; and what they state that they cost, by currency."""
KEPT_FIRST = (*CHARGED, "cost_usd")
"""Those that files of format 1 keep."""
GRANTED, LEFT = "granted", "left"
BALANCE = (GRANTED, LEFT, "granted_in_it", "refunded_in_it", "charged_in_it", "moved_in_it")
"""What is kept of an allocation: what was granted by the end of the period and left then, and each kind of changes that
are dated in it."""
_NAMES_FIRST: Mapping[str, str] = MappingProxyType({"wasted": FAILED, "usd": "cost_usd"})
"""What columns are called in files of format 1."""
MOST_NUMBER = 1_000_000


class Period(NamedTuple):
    """A year, a quarter or a month by its name, with its first and its last day."""

    name: str
    first: int
    last: int

    def meets(self, other: Period) -> bool:
        """Whether the two have a day in common."""
        return self.first <= other.last and other.first <= self.last


def period_of(name: str) -> Period | None:
    """The period that a text names: 2026, 2026-Q3 or 2026-09. None for any other text."""
    if not _PERIOD.fullmatch(name):
        return None
    year, _, part = name.partition("-")
    if not part.startswith("Q"):
        return Period(name, first_day(name), last_day(name))
    end = 3 * int(part[1])
    return Period(name, first_day(f"{year}-{end - 2:02}"), last_day(f"{year}-{end:02}"))


class Cell(NamedTuple):
    """What a sum is of: an item, a card and a column; without item and card, the balance of the allocation."""

    item: str
    gpu: str
    column: str


Row = Mapping[str, Fraction]
"""Amounts by column."""
Sums = Mapping[Cell, Fraction]
"""Amounts that are not zero, in order of item, card and column."""
ALLOCATION = ("", "")
"""Stands for item and card in the cells of a balance."""


def added(*parts: Sums) -> Sums:
    """Several sums as one."""
    found: dict[Cell, Fraction] = defaultdict(Fraction)
    for part in parts:
        for cell, amount in part.items():
            found[cell] += amount
    return {cell: found[cell] for cell in sorted(found) if found[cell]}


def less(sums: Sums) -> Sums:
    """The same sums, to be taken away."""
    return {cell: -amount for cell, amount in sums.items()}


def items_of(sums: Sums) -> Sums:
    """What is of items."""
    return {cell: amount for cell, amount in sums.items() if cell.gpu}


def balance_of(sums: Sums) -> Sums:
    """What is of the allocation."""
    return {cell: amount for cell, amount in sums.items() if not cell.gpu}


def by_row(sums: Sums) -> dict[tuple[str, str], dict[str, Fraction]]:
    """Sums by item and card; the balance, if there is one, stands first."""
    found: dict[tuple[str, str], dict[str, Fraction]] = defaultdict(dict)
    for cell, amount in sums.items():
        found[cell.item, cell.gpu][cell.column] = amount
    return dict(found)


def total_of(sums: Sums, column: str) -> Fraction:
    """All amounts of a column."""
    return add_up(amount for cell, amount in sums.items() if cell.column == column)


class Closing(Struct, frozen=True):
    """The sums of a project in a closed period of an allocation; or, with a `number` from 1, an adjustment of them.

    `date` is the day on which it was closed, or the adjustment learned; `through` the last day that the ledger knew of
    then; `projects` are those of the allocation that were closed with it; `unit` is what the allocation counted in.
    """

    allocation: str
    project: str
    period: str
    date: str
    through: str
    sums: Sums
    number: int = 0
    reason: str = ""
    projects: tuple[str, ...] = ()
    unit: str = ""
    format: int = FORMAT

    @property
    def days(self) -> Period:
        """Its first and last day."""
        found = period_of(self.period)
        assert found is not None  # every reader and writer asks
        return found

    @property
    def file(self) -> str:
        """Where it stands, below the root."""
        tail = f".adjusted-{self.date}-{seal(self._whole())[:8]}" if self.number else ""
        return f"ledger/{self.project}/{HOME}/{self.allocation}.{self.period}{tail}.json"

    def _whole(self) -> dict[str, Any]:
        words: dict[str, Any] = {name: getattr(self, name) for name in _WORDS}
        rows = by_row(self.sums)
        balance = rows.pop(ALLOCATION, {})
        whole = {"format": self.format, **words, "number": self.number, "projects": list(self.projects)}
        if self.format > 1:
            always = () if self.number else (GRANTED, LEFT)
            kept = {name: exact(balance.get(name, ZERO)) for name in BALANCE if name in balance or name in always}
            whole |= {"unit": self.unit, "balance": kept}
        write = _write_row if self.format > 1 else _write_first
        return {**whole, "sums": [write(*key, row) for key, row in rows.items()]}

    def text(self) -> str:
        """The text of its file, with its checksum: a line for each field, and for each item on a card."""
        whole = self._whole()
        rows = whole.pop("sums")
        lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in whole.items()]
        sums = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
        lines += [' "sums": [', sums, " ],"] if rows else [' "sums": [],']
        return "\n".join(["{", *lines, f' "sha256": "{seal({**whole, "sums": rows})}"', "}"]) + "\n"


def _write_row(item: str, gpu: str, row: Row) -> dict[str, str]:
    amounts = {name: exact(row[name]) for name in COLUMNS if name in row}
    return {"item": OUTSIDE_ITEMS.get(item, item), "gpu": gpu, **amounts}


def _write_first(item: str, gpu: str, row: Row) -> dict[str, str | None]:
    """A row as format 1 has it."""
    used, useful, failed, cost = (exact(row.get(name, ZERO)) for name in KEPT_FIRST)
    hours = {"used": used, "useful": useful, "wasted": failed}
    return {"item": OUTSIDE_ITEMS.get(item, item), "gpu": gpu, **hours, "usd": cost if "cost_usd" in row else None}


def exact(number: Fraction) -> str:
    """A number exactly: as a decimal where that has an end; else about, for people, then `n/d`: `0.0572 ~ 103/1800`."""
    places = next((places for places in range(13) if not 10**places % number.denominator), None)
    return f"{decimal_text(number, 4)} ~ {number}" if places is None else decimal_text(number, places)


def is_named(name: str) -> bool:
    """Whether the file of a closing or an adjustment can have this name."""
    return bool(_NAME.fullmatch(name))


def read_closing(text: str, path: str) -> Closing:
    """The closing in the text of a file, by its path below the root. Raises Changed where it is not what was closed."""
    whole, _ = unsealed(text, _NONE, "this closing", range(1, FORMAT + 1))
    if wrong := next(_wrong(whole), ""):
        raise Changed(f"{_NONE}: {wrong}")
    words = {name: whole[name] for name in (*_WORDS, "number", "format")}
    sums = added({cell: Fraction(text.rpartition(" ")[2]) for cell, text in _cells(whole)})
    found = Closing(**words, projects=tuple(whole["projects"]), sums=sums, unit=whole.get("unit", ""))
    if found._whole() != whole or any(_gap(row) for row in by_row(items_of(sums)).values()):
        raise Changed(f"{_NONE}: a sum is invalid")
    if found.file != path:
        keeps = "restore its name; a closing keeps its project, allocation and period"
        raise Changed(f"this is the closing {found.file}"[:200], keeps)
    return found


def _wrong(whole: Mapping[str, Any]) -> Iterator[str]:
    """What no closing says. Reasons may say anything: they are escaped wherever they are printed."""
    if not all(isinstance(whole.get(name), str) for name in _WORDS):
        yield "a field is missing"
        return
    names = whole.get("projects")
    if not isinstance(names, list) or not all(_is_id(name) for name in (whole["project"], whole["allocation"], *names)):
        yield "`project`, `allocation` or `projects` is invalid"
    if period_of(whole["period"]) is None or not all(_is_day(whole[name]) for name in ("date", "through")):
        yield "its period or a day is invalid"
    number, reason = whole.get("number"), whole["reason"]
    if type(number) is not int or not 0 <= number < MOST_NUMBER or len(reason) > LONGEST_REASON:
        yield "`number` or `reason` is invalid"
    if not isinstance(whole.get("unit", ""), str) or not _are_rows(whole):
        yield "a sum is invalid"


def _is_id(name: object) -> bool:
    return isinstance(name, str) and bool(ID.fullmatch(name))


def _is_day(text: str) -> bool:
    return bool(_DAY.fullmatch(text)) and is_day(text)


def _are_rows(whole: Mapping[str, Any]) -> bool:
    """Whether all amounts are numbers. What was refunded in a period may be of another one,
    so that a sum can be below zero."""
    rows, balance = whole.get("sums"), whole.get("balance", {})
    if not isinstance(rows, list) or not isinstance(balance, dict):
        return False
    if not all(isinstance(row, dict) and _is_id(row.get("gpu")) and _is_item(row.get("item")) for row in rows):
        return False
    return all(isinstance(text, str) and _EXACT.fullmatch(text) for _, text in _cells(whole))


def _gap(row: Row) -> Fraction:
    """What was used beyond what completed or runs, and what failed: of what was closed nothing."""
    used, useful, failed = (row.get(name, ZERO) for name in CHARGED)
    return used - useful - failed


def _is_item(name: object) -> bool:
    return name in OUTSIDE_ITEMS.values() or _is_id(name)


def _cells(whole: Mapping[str, Any]) -> Iterator[tuple[Cell, Any]]:
    """What is said of each cell."""
    for column, text in whole.get("balance", {}).items():
        yield Cell(*ALLOCATION, column), text
    signs = {word: sign for sign, word in OUTSIDE_ITEMS.items()}
    for row in whole["sums"]:
        item = signs.get(row["item"], row["item"])
        for column, text in row.items():
            if column not in ("item", "gpu") and text is not None:
                yield Cell(item, row["gpu"], _NAMES_FIRST.get(column, column)), text
