"""Amounts that may be far apart: a row each, a point with the range around it."""

from dataclasses import dataclass

from reckon.present.charts.kinds.checks import FAR, check_count, check_finite

MOST_ROWS = 60


@dataclass(frozen=True)
class Magnitude:
    """A row: its amount in the picture's unit, and the ends of its range where it has one.

    `value` is printed at the end of the row. Rows that follow each other and have the same `group` stand under one
    heading; an empty group has none. Raises ValueError when a number is not finite or below zero, or the ends do not
    stand around the amount.
    """

    label: str
    group: str
    amount: float
    value: str
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        low, high = self.ends
        check_finite(f"the row {self.label!r}", low, self.amount, high)
        if not 0 <= low <= self.amount <= high:
            raise ValueError(
                f"the row {self.label!r} is {self.amount}, from {low} to {high}: 0 <= low <= amount <= high"
            )

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that the amount may be."""
        low, high = (self.amount if end is None else end for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Magnitudes:
    """Amounts from top to bottom, of `what` in `unit`.

    The axis is logarithmic where the largest amount is more than 20 times the smallest (above zero), and says so.
    Raises ValueError when there is no row, or more than 60.
    """

    title: str
    what: str
    unit: str
    rows: tuple[Magnitude, ...]
    alt: str

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"the picture {self.title!r} has no rows")
        check_count(self.title, "rows", self.rows, MOST_ROWS)


def far_apart(rows: tuple[Magnitude, ...]) -> bool:
    """Whether the axis of some rows is logarithmic. Nothing on such an axis is zero, so that zeros do not count."""
    above = [end for row in rows for end in (row.amount, *row.ends) if end > 0]
    return bool(above) and min(above) < max(above) / FAR
