"""The axis of time: moments as numbers, ticks at round days in UTC, so that no time zone can show."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reckon.present.charts.kinds.moments import DAY, HOUR, moment, month_start

if TYPE_CHECKING:
    import altair as alt

MOST_TICKS = 6
"""As many as an axis may have by the common look: Vega would leave out every other one of more."""

YEAR = 365 * DAY + 20_952_000
"""A mean year in milliseconds."""

MONDAY = 4 * DAY
"""The first Monday after the beginning of 1970."""

MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000)
"""The steps in months from one tick to the next."""


def ends(dates: Iterable[str]) -> tuple[int, int]:
    """Return the first and the last of `dates` as moments, half a day further apart on either side where
    there is less than an hour between them."""
    moments = [moment(date) for date in dates]
    low, high = min(moments), max(moments)
    return (low, high) if high - low >= HOUR else (low - DAY // 2, high + DAY // 2)


def time_x(field: str, low: int, high: int, **axis: Any) -> "alt.X":
    """Return the horizontal place of the moments in `field`, from `low` to `high`; `axis` adds to its axis."""
    import altair as alt

    ticks, label = _ticks(low, high)
    lines = alt.Axis(values=ticks, labelExpr=label, **axis)
    return alt.X(f"{field}:Q", title=None, axis=lines, scale=alt.Scale(domain=[low, high], nice=False, zero=False))


def _ticks(low: int, high: int) -> tuple[list[int], str]:
    """Return the ticks, at most six, and how they are labelled, in Vega's language.

    A second line says the day or year where it is another one than at the tick before.
    """
    for step in (HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR):
        if len(ticks := _every(step, 0, low, high)) <= MOST_TICKS:
            return list(ticks), _label(ticks, [tick // DAY for tick in ticks], "%H:%M", "%-d %b %Y")
    first, last = _years(low, high)
    years = [month_start(year, 1) for year in range(first, last + 1)]
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
    return [
        month_start(month // 12, month % 12 + 1) for month in range(-(-first * 12 // step) * step, last * 12 + 12, step)
    ]


def _years(low: int, high: int) -> tuple[int, int]:
    """Return a year that is not after `low` and one that is not before `high`, of those that have a calendar."""
    return max(1, 1969 + low // YEAR), min(9999, 1971 + high // YEAR)


def _label(ticks: Iterable[int], above: list[int], first: str, second: str) -> str:
    """Return the label: in two lines where what stands `above` the tick is new."""
    new = [tick for tick, now, before in zip(ticks, above, [None, *above], strict=False) if now != before]
    one, two = (f"utcFormat(datum.value, '{form}')" for form in (first, second))
    return f"indexof({new}, +datum.value) < 0 ? {one} : [{one}, {two}]"
