"""Moments and days as expressions: texts as schedulers write them, or typed columns, in seconds since 1970.

All of it is arithmetic on whole numbers, since engines read times in ways of their own, and by clocks of their own.
Changes of a clock are looked up by halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from reckon.language.calendar_days import DAY
from reckon.model.records.imports import MOMENTS

from ..clock import NEVER
from .conditions import ibis, is_one_of
from .offsets import Offsets, Steps

_DAY = "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])"
_DATE = f"(20[0-3][0-9]-({_DAY})|20([02][048]|[13][26])-02-29)"
"""A day that there is in these years."""
_LOCAL = f"{_DATE}[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
LOCAL = f"^{_LOCAL}$"
OFFSET = f"^{_LOCAL}(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
SECONDS = "^[0-9]{1,10}$"
CLOCK = len("2025-09-12T14:06:12")
_NOTHING = "1970-01-01T00:00:00+00:00"


Columns = dict[str, Any]
"""Columns by their names, as expressions."""


def look_up(number: Any, steps: Steps) -> Any:
    """The value of a step in which a number lies, found by halves."""

    def halve(low: int, high: int) -> Any:
        """Of the steps between two of them."""
        if len(set(steps.values[low : high + 1])) == 1:
            return ibis.literal(steps.values[low], "int64")
        middle = (low + high) // 2
        before = number < steps.begins[middle]
        return before.ifelse(halve(low, middle), halve(middle + 1, high))

    return halve(0, len(steps.begins))


def stretch_of(day: Any, edges: Sequence[int]) -> Any:
    """A number for the stretch between edges, and beginnings of months, that a day since 1970 lies in: for its month,
    and in that by the edges."""
    since = day - _MARCH_2000
    year = (since * 4 + 3) // 1461
    day_of_year = since - year * 1461 // 4
    month = year * 12 + (day_of_year * 5 + 2) // 153
    if not edges:
        return month
    stretches = range(len(edges) + 1)
    return month * len(stretches) + look_up(day, Steps(edges, stretches))


_MARCH_2000 = 11_017
"""The day since 1970 with which months and years are counted: a year that begins in March ends with its leap day."""


def read_moments(table: Any, offsets: Offsets | None) -> Any:
    """A table with its moments, from columns `of_NAME`: whether each cannot be read (`unread_NAME`), the moment, null
    for none (`moment_NAME`), and the other that it can mean where the clock shows a time twice, else the same
    (`other_NAME`).

    Texts are `2025-09-12T14:06:12`, with an offset or not, or seconds since 1970. Each step is a query of its own, so
    that none repeats the one before.
    """
    for step in (_strip, _sort, _read_clock, partial(_localise, offsets), partial(_decide, offsets)):
        columns: Columns = {}
        for name in MOMENTS:
            for part, column in step(_parts_of(table, name)).items():
                columns[f"{part}_{name}"] = column
        # A view: Ibis merges a step into the next one, and so writes it out again wherever that uses it.
        table = table.mutate(columns).view()
    return table


def _parts_of(table: Any, name: str) -> Columns:
    """What is known of a moment: columns by the word before its name."""
    ending = f"_{name}"
    return {column.removesuffix(ending): table[column] for column in table.columns if column.endswith(ending)}


def _strip(known: Columns) -> Columns:
    cell = known["of"]
    return {"cell": cell.strip().fill_null("") if cell.type().is_string() else cell}


def _sort(known: Columns) -> Columns:
    """What kind of moment a column has: none, a stamp of seconds since 1970, or a clock with an offset or without."""
    cell = known["cell"]
    kind = cell.type()
    if kind.is_string():
        return _sort_text(cell)
    return _sort_number(cell) if kind.is_integer() else _sort_time(cell)


def _sort_text(cell: Any) -> Columns:
    none = is_one_of(cell.lower(), sorted(NEVER))
    seconds = ~none & cell.re_search(SECONDS)
    stamp = seconds.ifelse(cell, "-1").cast("int64")
    local = cell.re_search(LOCAL)
    aware = cell.re_search(OFFSET)
    clock = (local | aware).ifelse(cell, _NOTHING)
    offset = (aware & ~cell.endswith("Z")).ifelse(cell, _NOTHING).substr(CLOCK, 6)
    return {"none": none, "stamp": stamp, "local": local, "aware": aware, "clock": clock, "offset": offset}


def _sort_number(cell: Any) -> Columns:
    no = ibis.literal(False)
    stamp = cell.nullif(0).cast("int64")
    return {"none": stamp.isnull(), "stamp": stamp, "local": no, "aware": no, "clock": ibis.literal(0, "int64")}


def _sort_time(cell: Any) -> Columns:
    no = ibis.literal(False)
    known = cell.notnull()
    local, aware = (known, no) if cell.type().timezone is None else (no, known)
    clock = cell.epoch_seconds().cast("int64").fill_null(0)
    return {"none": ~known, "stamp": ibis.literal(-1, "int64"), "local": local, "aware": aware, "clock": clock}


def _read_clock(known: Columns) -> Columns:
    """What a clock shows, in seconds as if it were that of UTC, and by how much it says to be ahead of that."""
    clock = known["clock"]
    if not clock.type().is_string():
        return {"shown": clock, "ahead": ibis.literal(0, "int64")}
    year = clock.substr(0, 4).cast("int64")
    month, day, hour, minute, second = (clock.substr(at, 2).cast("int64") for at in (5, 8, 11, 14, 17))
    since_march = (month <= 2).ifelse(year - 1, year)
    day_of_year = ((month + 9) % 12 * 153 + 2) // 5 + day
    days = since_march * 365 + since_march // 4 + day_of_year - _YEARS
    shown = days * DAY + (hour * 60 + minute) * 60 + second
    hours, minutes = (known["offset"].substr(at, 2).cast("int64") for at in (1, 4))
    seconds = (hours * 60 + minutes) * 60
    ahead = known["offset"].startswith("-").ifelse(-seconds, seconds)
    return {"shown": shown, "ahead": ahead}


_YEARS = 719_484
"""Days from the beginning of such a calendar, without the rule for centuries, to 1970: right from 1901 to 2099."""


def _localise(offsets: Offsets | None, known: Columns) -> Columns:
    """The moments that a clock without an offset can mean."""
    shown = known["shown"]
    if offsets is None:
        return {"first": shown, "second": shown}
    return {"first": shown - look_up(shown, offsets.first), "second": shown - look_up(shown, offsets.second)}


def _decide(offsets: Offsets | None, known: Columns) -> Columns:
    stamp = known["stamp"]
    local = known["local"]
    aware = known["aware"]
    read = known["none"] | (stamp >= 0) | aware
    if offsets:
        read = read | local
    moment = ibis.cases((stamp >= 0, stamp), (aware, known["shown"] - known["ahead"]), (local, known["first"]))
    twice = local & (known["second"] > known["first"])
    return {"unread": ~read, "moment": moment, "other": twice.ifelse(known["second"], moment)}


def day_of(second: Any, offsets: Offsets | None) -> Any:
    """The number of the day since 1970 in which a moment lies, by the clock of a zone (UTC where there is none)."""
    shown = second + look_up(second, offsets.utc) if offsets else second
    return (shown - (shown % DAY)).cast("int64") // DAY
