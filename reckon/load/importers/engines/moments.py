"""Moments and days as expressions: texts as schedulers write them, or typed columns, in seconds since 1970.

All of it is arithmetic on whole numbers, since engines read times in ways of their own, and by clocks of their own.
Changes of a clock are looked up by halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from reckon.language.calendar_days import DAY

from ..clock import NEVER
from .conditions import fits_if, is_one_of, strip
from .offsets import Offsets, Steps

_DATE = (
    "(20[0-3][0-9])-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
)
_LOCAL = f"{_DATE}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
LOCAL = f"^{_LOCAL}$"
OFFSET = f"^{_LOCAL}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
MOST_DIGITS = 10
SECONDS = f"^[0-9]{{1,{MOST_DIGITS}}}$"
CLOCK = len("2025-09-12T14:06:12")
LONGEST_NEVER = max(map(len, NEVER))
_NOTHING = "1970-01-01T00:00:00+00:00"


Columns = dict[str, Any]
"""Columns by their names, as expressions."""


def looked_up(number: Any, steps: Steps) -> Any:
    """The value of a step in which a number lies, found by halves."""
    import ibis

    def part(low: int, high: int) -> Any:
        """Of the steps between two of them."""
        if low == high or len(set(steps.values[low : high + 1])) == 1:
            return ibis.literal(steps.values[low], "int64")
        middle = (low + high) // 2
        return ibis.ifelse(number < steps.begins[middle], part(low, middle), part(middle + 1, high))

    return part(0, len(steps.begins))


def stretch_of(day: Any, edges: Sequence[int]) -> Any:
    """A number for the stretch between edges, and beginnings of months, that a day since 1970 lies in: for its month,
    and in that by the edges."""
    since = day - _MARCH_2000
    year = (since * 4 + 3) // 1461
    month = year * 12 + ((since - year * 1461 // 4) * 5 + 2) // 153
    if not edges:
        return month
    return month * (len(edges) + 1) + looked_up(day, Steps(tuple(edges), tuple(range(len(edges) + 1))))


_MARCH_2000 = 11_017
"""The day since 1970 with which months and years are counted: a year that begins in March ends with its leap day."""


def timed(table: Any, columns: Mapping[str, Any], offsets: Offsets | None) -> Any:
    """A table with the moments of some of its columns, by their names: whether each can be read (`read_NAME`), the
    moment, null for none (`NAME`), the other that it can mean where the clock shows a time twice, else the same
    (`NAME_2`), and whether it lacks an offset that nothing else says (`naive_NAME`).

    Texts are `2025-09-12T14:06:12`, with an offset or not, or seconds since 1970. Each step is a query of its own, so
    that none repeats the one before.
    """
    # A view: Ibis merges a step into the next one, and so writes it out again wherever that uses it.
    said = {name: table[column] for name, column in columns.items()}
    texts = {
        name: strip(column).fill_null("") if column.type().is_string() else column for name, column in said.items()
    }
    table = table.mutate(**{f"said_{name}": text for name, text in texts.items()}).view()
    for find in (_parts, _shown, partial(_local, offsets=offsets), partial(_moments, offsets=offsets)):
        made = {key: column for name in columns for key, column in find(table, name).items()}
        table = table.mutate(**made).view()
    return table.drop(*(f"{part}_{name}" for part in _STEPS for name in columns))


_STEPS = ("said", "none", "stamp", "local", "aware", "clock", "told", "shown", "ahead", "there", "first", "second")
"""What is made on the way, and dropped."""


def _parts(table: Any, name: str) -> Columns:
    """What kind of moment a column has: none, a stamp of seconds since 1970, or a clock with an offset or without."""
    import ibis

    column = table[f"said_{name}"]
    kind = column.type()
    no = ibis.literal(False)
    none = column.isnull()
    zero = ibis.literal(0, "int64")
    if kind.is_string():
        size = column.length()
        none = (size <= LONGEST_NEVER) & is_one_of(column.lower(), sorted(NEVER))
        seconds = ~none & fits_if(size <= MOST_DIGITS, column, SECONDS)
        local = fits_if(size == CLOCK, column, LOCAL)
        aware = fits_if(size > CLOCK, column, OFFSET)
        said = {
            "stamp": ibis.ifelse(seconds, column, "-1").cast("int64"),
            "clock": ibis.ifelse(local | aware, column, _NOTHING),
            "told": ibis.ifelse(aware & ~column.endswith("Z"), column, _NOTHING).substr(19, 6),
        }
    elif kind.is_integer():
        local = aware = no
        stamp = column.fill_null(0).cast("int64")
        none = stamp == 0
        said = {"stamp": stamp, "clock": zero, "told": zero}
    else:
        local, aware = (no, ~none) if kind.timezone is not None else (~none, no)
        seconds = column.epoch_seconds().cast("int64").fill_null(0)
        said = {"stamp": ibis.literal(-1, "int64"), "clock": seconds, "told": zero}
    said |= {"none": none, "local": local & ~none, "aware": aware & ~none}
    return {f"{part}_{name}": made for part, made in said.items()}


def _shown(table: Any, name: str) -> Columns:
    """What a clock shows, in seconds as if it were that of UTC, and by how much it says to be ahead of that."""
    import ibis

    clock = table[f"clock_{name}"]
    told = table[f"told_{name}"]
    if not clock.type().is_string():
        return {f"shown_{name}": clock, f"ahead_{name}": ibis.literal(0, "int64"), f"there_{name}": ibis.literal(True)}
    year, month, day = (clock.substr(at, size).cast("int64") for at, size in ((0, 4), (5, 2), (8, 2)))
    since_march = (month <= 2).ifelse(year - 1, year)
    days = since_march * 365 + since_march // 4 + ((month + 9) % 12 * 153 + 2) // 5 + day - _YEARS
    hour, minute, second = (clock.substr(at, 2).cast("int64") for at in (11, 14, 17))
    ahead = (told.substr(1, 2).cast("int64") * 60 + told.substr(4, 2).cast("int64")) * 60
    return {
        f"shown_{name}": days * DAY + (hour * 60 + minute) * 60 + second,
        f"ahead_{name}": ibis.cases((~table[f"aware_{name}"], 0), (told.startswith("-"), 0 - ahead), else_=ahead),
        f"there_{name}": (month != 2) | (day <= 28) | (year % 4 == 0),
    }


_YEARS = 719_484
"""Days from the beginning of such a calendar, without the rule for centuries, to 1970: right from 1901 to 2099."""


def _local(table: Any, name: str, offsets: Offsets | None) -> Columns:
    """The moments that a clock without an offset can mean."""
    shown = table[f"shown_{name}"]
    steps = (offsets.first, offsets.second) if offsets else ()
    found = [shown - looked_up(shown, each) for each in steps] or [shown, shown]
    return {f"first_{name}": found[0], f"second_{name}": found[1]}


def _moments(table: Any, name: str, offsets: Offsets | None) -> Columns:
    import ibis

    none, stamp, there, first, second = (
        table[f"{part}_{name}"] for part in ("none", "stamp", "there", "first", "second")
    )
    local = table[f"local_{name}"] & there
    aware = table[f"aware_{name}"] & there
    known = table[f"shown_{name}"] - table[f"ahead_{name}"]
    read = none | (stamp >= 0) | aware | (local if offsets else ibis.literal(False))
    found = ibis.cases(
        (none, ibis.null("int64")), (stamp >= 0, stamp), (aware, known), (local, first), else_=ibis.null("int64")
    )
    twice = local & (second > first)
    return {
        f"read_{name}": read,
        name: found,
        f"{name}_2": ibis.ifelse(twice, second, found),
        f"naive_{name}": local & ibis.literal(offsets is None),
    }


def day_of(second: Any, offsets: Offsets | None) -> Any:
    """The number of the day since 1970 in which a moment lies, by the clock of a zone (UTC where there is none)."""
    shown = second + looked_up(second, offsets.utc) if offsets else second
    return (shown - (shown % DAY)).cast("int64") // DAY
