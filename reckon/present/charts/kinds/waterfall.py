"""How a sum adds up: items from top to bottom, each bar starting where the one above it ended."""

from dataclasses import dataclass
from typing import Literal, get_args

from reckon.present.charts.kinds.checks import MOST_MARKS, check_count, check_finite, check_known

Role = Literal["one-time", "per-seed", "single-seed", "all-seeds", "contingency", "extension", "subtotal", "total",
               "raises", "lowers", "reckoning"]  # fmt: skip
"""What a bar is in the budget formula, or in a bridge from one total to another; decides its colour."""


@dataclass(frozen=True)
class Bar:
    """One row of a waterfall: it floats from `start` to `end`, both in the picture's unit.

    `value` is the amount as printed (the picture never formats it); `running` is the total so far as printed,
    shown on hover where given. Subtotals and totals start at zero. Raises ValueError for a number that is not finite
    or an unknown role.
    """

    label: str
    start: float
    end: float
    role: Role
    value: str
    running: str = ""

    def __post_init__(self) -> None:
        check_finite(f"the bar {self.label!r}", self.start, self.end)
        check_known(f"the bar {self.label!r}", self.role, get_args(Role))


@dataclass(frozen=True)
class Waterfall:
    """The budget formula, or a bridge between two totals, bar by bar.

    `unit` is what the axis counts (such as "GPU-hours"), `alt` the sentence read instead of the picture, with its
    numbers. Raises ValueError when there is no bar, or more than 2000.
    """

    title: str
    unit: str
    bars: tuple[Bar, ...]
    alt: str

    def __post_init__(self) -> None:
        if not self.bars:
            raise ValueError(f"the picture {self.title!r} has no bars")
        check_count(self.title, "bars", self.bars, MOST_MARKS)
