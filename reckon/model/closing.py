"""A closed period: what an allocation was charged in it, kept as JSON texts that are never changed.

`ledger/<project>/closings/<allocation>.<period>.json` has the sums of one project when the period was closed. What is
learned later stands beside it in files of its own, `<allocation>.<period>.adjusted-<day>-<digest>.json`: adjustments,
whose sums are differences. So what two people learn at one time are two files, which merge, and whose sums add up.
Both kinds are a `Closing`, and sealed as a release is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import first_day, is_day, last_day
from reckon.language.lazy import regex

from .release import LONGEST_REASON, Changed, seal, unsealed
from .scalars import ID

FORMAT = 1
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
_HOURS = ("used", "useful", "wasted")
MOST_NUMBER = 1_000_000
MOST_BYTES = 64 * 1024 * 1024


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


class ChargedSum(Struct, frozen=True):
    """What an item of a project was charged on a card, in GPU-hours as the allocation counts them, exactly.

    What is not useful is of attempts that failed, whatever of it is lost (`wasted` in
    the files). `usd` is what its runs state that they cost; None where that is nothing.
    """

    item: str
    gpu: str
    used: Fraction
    useful: Fraction
    usd: Fraction | None = None

    @property
    def wasted(self) -> Fraction:
        """Hours of attempts that failed."""
        return self.used - self.useful

    @property
    def key(self) -> tuple[str, str]:
        """Its item and card."""
        return self.item, self.gpu


Sums = tuple[ChargedSum, ...]
"""Sums in order of item and card, each pair once."""


def added(*parts: Iterable[ChargedSum]) -> Sums:
    """Several sums as one, without what comes to nothing; costs that cancel out are as none."""
    found: dict[tuple[str, str], ChargedSum] = {}
    for each in (each for part in parts for each in part):
        was = found.get(each.key) or ChargedSum(*each.key, Fraction(0), Fraction(0))
        known = [usd for usd in (was.usd, each.usd) if usd is not None]
        usd = sum(known, Fraction(0)) or None
        found[each.key] = ChargedSum(*each.key, was.used + each.used, was.useful + each.useful, usd)
    return tuple(found[key] for key in sorted(found) if found[key].used or found[key].useful or found[key].usd)


def less(sums: Iterable[ChargedSum]) -> Sums:
    """The same sums, to be taken away."""
    return tuple(
        ChargedSum(*each.key, -each.used, -each.useful, None if each.usd is None else -each.usd) for each in sums
    )


class Closing(Struct, frozen=True):
    """The sums of a project in a closed period of an allocation; or, with a `number` from 1, an adjustment of them.

    `date` is the day on which it was closed, or the adjustment learned; `through` the last day that the ledger knew of
    then; `projects` are those of the allocation that were closed with it.
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

    @property
    def used(self) -> Fraction:
        """All its GPU-hours."""
        return sum((each.used for each in self.sums), Fraction(0))

    def _whole(self) -> dict[str, Any]:
        words: dict[str, Any] = {name: getattr(self, name) for name in _WORDS}
        return {
            "format": FORMAT,
            **words,
            "number": self.number,
            "projects": list(self.projects),
            "sums": [_sum_row(each) for each in self.sums],
        }

    def text(self) -> str:
        """The text of its file, with its checksum: a line for each field, and for each sum."""
        whole = self._whole()
        rows = whole.pop("sums")
        lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in whole.items()]
        sums = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
        lines += [' "sums": [', sums, " ],"] if rows else [' "sums": [],']
        return "\n".join(["{", *lines, f' "sha256": "{seal({**whole, "sums": rows})}"', "}"]) + "\n"


def _sum_row(each: ChargedSum) -> dict[str, str | None]:
    hours = {name: exact(getattr(each, name)) for name in _HOURS}
    item = OUTSIDE_ITEMS.get(each.item, each.item)
    return {"item": item, "gpu": each.gpu, **hours, "usd": None if each.usd is None else exact(each.usd)}


def exact(number: Fraction) -> str:
    """A number exactly: as a decimal where that has an end; else about, for people, then `n/d`: `0.0572 ~ 103/1800`."""
    places, left = 0, number.denominator
    for prime in (2, 5):
        count = 0
        while left % prime == 0:
            left, count = left // prime, count + 1
        places = max(places, count)
    if left > 1 or places > 12:
        return f"{_decimal(round(number, 4), 4)} ~ {number}"
    return _decimal(number, places)


def _decimal(number: Fraction, places: int) -> str:
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    whole, part = (digits[:-places], digits[-places:]) if places else (digits, "")
    return f"{'-' if number < 0 else ''}{whole}{'.' if part else ''}{part}"


def _read(text: str) -> Fraction:
    return Fraction(text.rpartition(" ")[2])


def is_named(name: str) -> bool:
    """Whether the file of a closing or an adjustment can have this name."""
    return bool(_NAME.fullmatch(name))


def read_closing(text: str, path: str) -> Closing:
    """The closing in the text of a file, by its path below the root. Raises Changed where it is not what was closed."""
    whole, sound = unsealed(text, _NONE)
    number = whole.get("format")
    if type(number) is not int or number < 1:
        raise Changed(_NONE)
    if number > FORMAT:
        newer = "this was closed by a newer format than this program knows"
        raise Changed(newer, "take a newer version of the program")
    if not sound:
        raise Changed("this is not what was closed: its checksum differs")
    if wrong := next(_wrong(whole), ""):
        raise Changed(f"{_NONE}: {wrong}")
    words = {name: whole[name] for name in _WORDS}
    found = Closing(
        **words,
        number=whole["number"],
        projects=tuple(whole["projects"]),
        sums=tuple(_sum(row) for row in whole["sums"]),
    )
    if found.file != path:
        keeps = "it keeps the project, allocation and period that it was closed for: give it back its name"
        raise Changed(f"this is what was closed as {found.file}"[:200], keeps)
    return found


def _wrong(whole: Mapping[str, Any]) -> Iterator[str]:
    """What no closing says. Reasons may say anything: they are escaped wherever they are printed."""
    if not all(isinstance(whole.get(name), str) for name in _WORDS):
        yield "a field is missing"
        return
    names = whole.get("projects")
    if not isinstance(names, list) or not all(_is_id(name) for name in (whole["project"], whole["allocation"], *names)):
        yield "`project`, `allocation` or `projects` cannot be one"
    if period_of(whole["period"]) is None or not all(_is_day(whole[name]) for name in ("date", "through")):
        yield "its period or a day cannot be one"
    number, reason = whole.get("number"), whole["reason"]
    if type(number) is not int or not 0 <= number < MOST_NUMBER or len(reason) > LONGEST_REASON:
        yield "`number` or `reason` cannot be one"
    rows = whole.get("sums")
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        yield "a sum cannot be one"
    elif (keys := [_sum(row).key for row in rows]) != sorted(set(keys)):
        yield "an item and card stand there twice, or out of order"


def _is_id(name: object) -> bool:
    return isinstance(name, str) and bool(ID.fullmatch(name))


def _is_day(text: str) -> bool:
    return bool(_DAY.fullmatch(text)) and is_day(text)


def _is_row(row: object) -> bool:
    """Whether a row is one that is written here. What was refunded in a period may be of another one, so that a sum can
    be below zero."""
    if not isinstance(row, dict) or row.keys() != {"item", "gpu", *_HOURS, "usd"}:
        return False
    texts = [row[name] for name in _HOURS] + ([] if row["usd"] is None else [row["usd"]])
    if not all(isinstance(text, str) and _EXACT.fullmatch(text) for text in texts) or not _is_id(row["gpu"]):
        return False
    numbers = [_read(text) for text in texts]
    as_written = texts == [exact(number) for number in numbers]
    adds_up = as_written and numbers[0] == numbers[1] + numbers[2]
    return adds_up and (row["item"] in OUTSIDE_ITEMS.values() or _is_id(row["item"]))


def _sum(row: Mapping[str, Any]) -> ChargedSum:
    item = next((sign for sign, word in OUTSIDE_ITEMS.items() if word == row["item"]), row["item"])
    usd = None if row["usd"] is None else _read(row["usd"])
    return ChargedSum(item, row["gpu"], _read(row["used"]), _read(row["useful"]), usd)
