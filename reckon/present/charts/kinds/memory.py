"""What jobs need of memory, part by part, beside what there is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from reckon.present.charts.kinds.amounts import Amount
from reckon.present.charts.kinds.burn_up import MOST_LIMITS, Limit
from reckon.present.charts.kinds.checks import MOST_MARKS, check_count, check_finite, check_known

Fit = Literal["fits", "tight", "does not fit", "not known", ""]
"""Whether a need fits; an empty one is not said."""

MOST_PARTS, MOST_ROOMS = 8, 200
"""The most names of parts (each has a colour of its own) and the most rows that a picture holds."""


@dataclass(frozen=True)
class Part:
    """A part of a need, in the picture's unit; `value` is its amount as printed, shown on hover.

    Raises ValueError for an amount below zero or not finite.
    """

    name: str
    amount: Amount
    value: str

    def __post_init__(self) -> None:
        check_amount(f"the part {self.name!r}", self.amount)


@dataclass(frozen=True)
class Room:
    """A row: a card, or a configuration of a job.

    `have` is the memory there is (None: not known, or not of one card), `value` is printed at the end of the row and
    the verdict after it. `parts` are what is needed here; None stands for the parts of the picture. Rows that follow
    each other and have the same `group` stand under one heading; an empty group has none. Raises ValueError when
    `have` is below zero or not finite, or the verdict is unknown.
    """

    label: str
    group: str
    have: float | None
    value: str
    verdict: Fit
    parts: tuple[Part, ...] | None = None

    def __post_init__(self) -> None:
        check_amount(f"the row {self.label!r}", self.have or 0.0)
        check_known(f"the row {self.label!r}", self.verdict, get_args(Fit))


@dataclass(frozen=True)
class Memory:
    """Rows from top to bottom: a light bar for what there is, over it the parts of what is needed, end to end.

    `parts` are needed in every row that has none of its own. `limits` are rules through all rows, such as the memory
    of each card where the rows are configurations. Raises ValueError when there is no row, or more than 200 rows,
    8 names of parts, 2000 parts in all or 8 limits, or a limit is below zero.
    """

    title: str
    unit: str
    rows: tuple[Room, ...]
    parts: tuple[Part, ...]
    alt: str
    limits: tuple[Limit, ...] = ()

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"the picture {self.title!r} has no rows")
        check_count(self.title, "rows", self.rows, MOST_ROOMS)
        check_count(self.title, "names of parts", self.names, MOST_PARTS)
        check_count(self.title, "parts", [part for row in self.rows for part in self.needed(row)], MOST_MARKS)
        check_count(self.title, "limits", self.limits, MOST_LIMITS)
        for limit in self.limits:
            check_amount(f"the limit {limit.label!r}", limit.level)

    @property
    def names(self) -> list[str]:
        """The names of the parts that are shown, in the order in which they first appear."""
        return list(dict.fromkeys(part.name for row in self.rows for part in self.needed(row)))

    def needed(self, row: Room) -> Sequence[Part]:
        """Return the parts of what is needed in `row`."""
        return self.parts if row.parts is None else row.parts


def check_amount(what: str, amount: Amount) -> None:
    """Raise ValueError, naming `what`, where `amount` is below zero or not finite."""
    check_finite(what, amount)
    if amount < 0:
        raise ValueError(f"{what} is {amount}: it cannot be below zero")
