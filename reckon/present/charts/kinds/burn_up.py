"""What was used over time, beside what was planned, what is forecast, and the limits."""

from dataclasses import dataclass

from reckon.present.charts.kinds.checks import check_count, check_finite, check_order
from reckon.present.charts.kinds.moments import moment

MOST_LIMITS, MOST_DAYS = 8, 6
"""The most limits and marked days that a picture holds: their labels stand one below the other."""


@dataclass(frozen=True)
class Limit:
    """A level that should not be passed; `value` is the level as printed. Raises ValueError if it is not finite."""

    label: str
    level: float
    value: str

    def __post_init__(self) -> None:
        check_finite(f"the limit {self.label!r}", self.level)


@dataclass(frozen=True)
class Fan:
    """A forecast: from the `level` reached at `start` to somewhere between `low` (P10) and `high` (P90) at `end`.

    `middle` is the median, `value` the forecast as printed, shown on hover. Raises ValueError when a number is not
    finite, the three are out of order, or the end comes before the start.
    """

    start: str
    level: float
    end: str
    low: float
    middle: float
    high: float
    value: str = ""

    def __post_init__(self) -> None:
        check_finite("the forecast", self.level, self.low, self.middle, self.high)
        check_order("the forecast", (self.start, self.end))
        if not self.low <= self.middle <= self.high:
            raise ValueError(f"the forecast's {self.low}, {self.middle} and {self.high} are not in order")


@dataclass(frozen=True)
class BurnUp:
    """A running total over time, in `unit`.

    `actual` is the total after each day on which it changed (any number of them), `plan` the total that was planned
    (its points are joined by straight lines), both oldest first. `days` are dates with a label, such as the end of
    a grant. Raises ValueError when there is neither, a list goes back in time, a text is no date, a number is not
    finite, or there are more than 8 limits or 6 days.
    """

    title: str
    unit: str
    actual: tuple[tuple[str, float], ...]
    alt: str
    plan: tuple[tuple[str, float], ...] = ()
    fan: Fan | None = None
    limits: tuple[Limit, ...] = ()
    days: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not (self.actual or self.plan):
            raise ValueError(f"the picture {self.title!r} has neither actual nor planned hours")
        for what, line in (("the actual line", self.actual), ("the planned line", self.plan)):
            check_order(what, [date for date, _ in line])
            check_finite(what, *(level for _, level in line))
        check_count(self.title, "limits", self.limits, MOST_LIMITS)
        check_count(self.title, "marked days", self.days, MOST_DAYS)
        for date, _ in self.days:
            moment(date)
