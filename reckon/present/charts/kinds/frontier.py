"""Choices by how long they take and what they cost, and which of them nothing else beats."""

from dataclasses import dataclass
from typing import Literal, get_args

from reckon.present.charts.kinds.checks import MOST_MARKS, check_count, check_finite, check_known

Merit = Literal["hull", "frontier", "dominated"]
"""How a choice stands to the others; decides its colour, shape and size. The hull is a part of the frontier."""


@dataclass(frozen=True)
class Dot:
    """A choice: its `time` and `cost` in the picture's units, and its number in the page's table.

    `value` is the two as printed, `low` and `high` are the ends of the cost where it has a range. Raises ValueError
    when a number is not finite or below zero, the ends do not stand around the cost, or the standing is unknown.
    """

    id: str
    label: str
    time: float
    cost: float
    value: str
    standing: Merit
    number: int
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        low, high = self.ends
        check_finite(f"the choice {self.label!r}", self.time, low, self.cost, high)
        check_known(f"the choice {self.label!r}", self.standing, get_args(Merit))
        if min(self.time, low) < 0:
            raise ValueError(f"the choice {self.label!r} takes {self.time} and costs {low}: neither can be below zero")
        if not low <= self.cost <= high:
            raise ValueError(f"the choice {self.label!r} costs {self.cost}, which is not from {low} to {high}")

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most that the choice costs."""
        low, high = (self.cost if end is None else end for end in (self.low, self.high))
        return low, high


@dataclass(frozen=True)
class Frontier:
    """Time across, cost up, a point for each choice; those of the frontier are joined by steps.

    An axis whose largest number is more than 20 times its smallest (above zero) is logarithmic, and says so.
    `reference` is the id of the choice that others are compared with; an empty one is none. Raises ValueError when
    there is no point, there are more than 2000, or none has the reference's id.
    """

    title: str
    points: tuple[Dot, ...]
    time_unit: str
    cost_unit: str
    alt: str
    reference: str = ""

    def __post_init__(self) -> None:
        if not self.points:
            raise ValueError(f"the picture {self.title!r} has no points")
        check_count(self.title, "points", self.points, MOST_MARKS)
        if self.reference and self.reference not in {point.id for point in self.points}:
            raise ValueError(f"the picture {self.title!r} has the reference {self.reference!r}, which is no point's id")
