"""Amounts side by side: horizontal bars, each stacked from segments, in groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from reckon.present.charts.kinds.amounts import Amount
from reckon.present.charts.kinds.checks import MOST_MARKS, check_count, check_finite, check_known

Use = Literal["planned", "actual", "forecast", "wasted"]
"""What the hours of a segment are; decides its colour and whether it is solid."""


@dataclass(frozen=True)
class Segment:
    """A part of a bar, `amount` long, in the picture's unit; `value` is the amount as printed, shown on hover.

    Segments of one use are told apart by two shades of its colour, and named where there is room. Raises ValueError
    for an amount below zero or not finite, or an unknown use.
    """

    name: str
    use: Use
    amount: Amount
    value: str

    def __post_init__(self) -> None:
        check_finite(f"the segment {self.name!r}", self.amount)
        check_known(f"the segment {self.name!r}", self.use, get_args(Use))
        if self.amount < 0:
            raise ValueError(f"the segment {self.name!r} is {self.amount} long: it cannot be below zero")


@dataclass(frozen=True)
class Row:
    """A bar: its segments from left to right, and what they come to as printed (`value`, written at its end).

    Rows that follow each other and have the same `group` stand under one heading; an empty group has none.
    """

    label: str
    group: str
    segments: tuple[Segment, ...]
    value: str = ""


@dataclass(frozen=True)
class Bars:
    """Stacked bars, from top to bottom.

    `names` says what a use is called in the legend, where its own name is not the word. Raises ValueError when there
    is no row, or more than 200 rows or 2000 segments.
    """

    title: str
    unit: str
    rows: tuple[Row, ...]
    alt: str
    names: tuple[tuple[Use, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"the picture {self.title!r} has no bars")
        check_count(self.title, "rows", self.rows, 200)
        check_count(self.title, "segments", [one for row in self.rows for one in row.segments], MOST_MARKS)
        for use, _ in self.names:
            check_known("a name", use, get_args(Use))

    def called(self) -> Mapping[Use, str]:
        """Return what each use that is shown is called, in the order of the legend."""
        shown = {segment.use for row in self.rows for segment in row.segments}
        return MappingProxyType({use: dict(self.names).get(use, use) for use in get_args(Use) if use in shown})
