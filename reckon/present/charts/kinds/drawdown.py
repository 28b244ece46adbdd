"""What is left of a reserve over time."""

from dataclasses import dataclass

from reckon.present.charts.kinds.checks import MOST_MARKS, check_count, check_finite, check_order


@dataclass(frozen=True)
class Step:
    """A change of a reserve: what is `left` after it (below zero: overdrawn), and its number in the page's table.

    `value` is what is left as printed, `label` what happened; both are shown on hover. Raises ValueError when what is
    left is not finite.
    """

    date: str
    left: float
    number: int
    value: str
    label: str = ""

    def __post_init__(self) -> None:
        check_finite(f"step {self.number}", self.left)


@dataclass(frozen=True)
class Drawdown:
    """A reserve of `start` (in `unit`) at `since`, the steps by which it changes, and the date at which it `ends`.

    Steps stand oldest first; those that are drawn too close together share a label ("3–5"). Raises ValueError when
    dates are none or out of order, the start is not finite, or there are more than 2000 steps.
    """

    title: str
    unit: str
    since: str
    start: float
    steps: tuple[Step, ...]
    end: str
    alt: str

    def __post_init__(self) -> None:
        check_finite(f"the picture {self.title!r}", self.start)
        check_order("the reserve", [self.since, *(step.date for step in self.steps), self.end])
        check_count(self.title, "steps", self.steps, MOST_MARKS)
