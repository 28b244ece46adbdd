"""The axis of time: moments as numbers in UTC, ticks at round days, and long lines made short.

All is UTC, so that no time zone can show, and no picture depends on where it is drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from reckon.language.days import seconds

from .frame import Spec, amount

HOUR, DAY = 3_600_000, 86_400_000
"""Milliseconds."""

MOST_TICKS = 6
"""As many as an axis may have by the common look: Vega would leave out every other one of more."""

YEAR = 365 * DAY + 20_952_000
"""A mean year in milliseconds."""

MONDAY = 4 * DAY
"""The first Monday after the beginning of 1970."""

MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24000)
"""The steps in months from one tick to the next."""

Point = tuple[int, float]
"""A moment in milliseconds and the level from then on."""

MOST_POINTS = 1000


def moment(text: str) -> int:
    """Return the milliseconds from 1970 in UTC to `text`, a date or a time as ledgers write them.

    Of a day, month or year it is the beginning; a time without an offset is UTC.
    """
    return (seconds(text) - seconds("1970")) * 1000


def ends(dates: Iterable[str]) -> tuple[int, int]:
    """Return the first and the last of `dates` as moments, half a day further apart on either side where
    there is less than an hour between them."""
    moments = [moment(date) for date in dates]
    low, high = min(moments), max(moments)
    return (low, high) if high - low >= HOUR else (low - DAY // 2, high + DAY // 2)


def time_x(field: str, low: int, high: int, **axis: Any) -> Spec:
    """Return the horizontal place of the moments in `field`, from `low` to `high`; `axis` adds to its axis."""
    ticks, label = _ticks(low, high)
    scale = {"domain": [low, high], "nice": False, "zero": False}
    return amount(field, title=None, axis={"values": ticks, "labelExpr": label, **axis}, scale=scale)


def _ticks(low: int, high: int) -> tuple[list[int], str]:
    """Return the ticks, at most six, and how they are labelled, in Vega's language.

    A second line says the day or year where it is another one than at the tick before.
    """
    for step in (HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR):
        if len(ticks := _every(step, 0, low, high)) <= MOST_TICKS:
            return list(ticks), _label(ticks, [tick // DAY for tick in ticks], "%H:%M", "%-d %b %Y")
    first, last = _years(low, high)
    years = [moment(f"{year:04}") for year in range(first, last + 1)]
    for step, origin in ((DAY, 0), (2 * DAY, 0), (7 * DAY, MONDAY), (14 * DAY, MONDAY)):
        if len(ticks := _every(step, origin, low, high)) <= MOST_TICKS:
            return list(ticks), _label(ticks, [bisect_right(years, tick) for tick in ticks], "%-d %b", "%Y")
    for months in MONTHS:
        starts = [tick for tick in _months(months, first, last) if low <= tick <= high]
        if len(starts) <= MOST_TICKS:
            break
    if months < 12:
        return starts, _label(starts, [bisect_right(years, tick) for tick in starts], "%b", "%Y")
    return starts, "utcFormat(datum.value, '%Y')"


def _every(step: int, origin: int, low: int, high: int) -> range:
    return range(low + (origin - low) % step, high + 1, step)


def _months(step: int, first: int, last: int) -> list[int]:
    """Return the beginnings of every `step` months between two years, counted from the year 0."""
    months = range(-(-first * 12 // step) * step, last * 12 + 12, step)
    return [moment(f"{month // 12:04}-{month % 12 + 1:02}") for month in months]


def _years(low: int, high: int) -> tuple[int, int]:
    """Return a year that is not after `low` and one that is not before `high`, of those that have a calendar."""
    return max(1, 1969 + low // YEAR), min(9999, 1971 + high // YEAR)


def _label(ticks: Iterable[int], above: list[int], first: str, second: str) -> str:
    """Return the label: in two lines where what stands `above` the tick is new."""
    new = [tick for tick, now, before in zip(ticks, above, [None, *above], strict=False) if now != before]
    upper, lower = (f"utcFormat(datum.value, '{form}')" for form in (first, second))
    return f"indexof({new}, +datum.value) < 0 ? {upper} : [{upper}, {lower}]"


def timed(line: Iterable[tuple[str, float]]) -> list[Point]:
    """Return the points of `line` with their dates as moments."""
    return [(moment(date), level) for date, level in line]


def thinned(line: Sequence[Point]) -> list[Point]:
    """Return at most 1000 points of `line` (oldest first) that draw the same: the ends and extremes of strips of time.

    A line that only rises is cut into strips of about a pixel, one that also falls into strips of two.
    """
    if len(line) <= MOST_POINTS:
        return list(line)
    fine = _thinned(line, MOST_POINTS // 2)
    return fine if len(fine) <= MOST_POINTS else _thinned(line, MOST_POINTS // 4)


def _thinned(line: Sequence[Point], strips: int) -> list[Point]:
    start, length = line[0][0], max(1, line[-1][0] - line[0][0])
    strip_of = [min(strips - 1, (at - start) * strips // length) for at, _ in line]
    found: dict[int, list[int]] = {}
    for place, strip in enumerate(strip_of):
        found.setdefault(strip, []).append(place)
    kept = {place for places in found.values() for place in (places[0], places[-1], *_extremes(places, line))}
    return [line[place] for place in sorted(kept)]


def _extremes(places: list[int], line: Sequence[Point]) -> tuple[int, int]:
    # The first of the smallest and the last of the largest: on a line that only rises, these are its ends.
    return min(places, key=lambda place: line[place][1]), max(places, key=lambda place: (line[place][1], place))
