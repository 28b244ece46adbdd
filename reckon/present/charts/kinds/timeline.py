"""Runs over time, a lane for each piece of work."""

from dataclasses import dataclass
from typing import Literal, get_args

from reckon.present.charts.kinds.checks import MOST_MARKS, check_count, check_known, check_order

Outcome = Literal["completed", "running", "wasted"]
"""What became of a run; decides its colour and whether it is solid."""

MOST_LANES = 60
"""The most lanes that a timeline holds."""


@dataclass(frozen=True)
class Lane:
    """A line of a timeline. Lanes that follow each other and have the same `group` stand under one heading."""

    label: str
    group: str = ""


@dataclass(frozen=True)
class Span:
    """A run: the place of its lane (from 0), its start and end, and what is said about it on hover.

    Raises ValueError when one of the two is no date, the end comes before the start, or the outcome is unknown.
    """

    lane: int
    start: str
    end: str
    outcome: Outcome
    label: str

    def __post_init__(self) -> None:
        check_order(f"the run {self.label!r}", (self.start, self.end))
        check_known(f"the run {self.label!r}", self.outcome, get_args(Outcome))


@dataclass(frozen=True)
class Timeline:
    """Runs over time; those of a lane that overlap are drawn side by side.

    Raises ValueError when there is no run, more than 60 lanes or 2000 runs, or a run in a lane that is not there.
    """

    title: str
    lanes: tuple[Lane, ...]
    spans: tuple[Span, ...]
    alt: str

    def __post_init__(self) -> None:
        if not self.spans:
            raise ValueError(f"the picture {self.title!r} has no runs")
        check_count(self.title, "lanes", self.lanes, MOST_LANES)
        check_count(self.title, "runs", self.spans, MOST_MARKS)
        for span in self.spans:
            if not 0 <= span.lane < len(self.lanes):
                raise ValueError(f"the run {span.label!r} is in lane {span.lane}, and there are {len(self.lanes)}")
