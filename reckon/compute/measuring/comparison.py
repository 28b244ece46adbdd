"""How a projected figure stands to one that was reported elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.model.figure import Figure

INSIDE, OVERLAPS, OUTSIDE = "inside", "overlaps", "outside"
STANDINGS: Mapping[str, str] = {INSIDE: "inside", OVERLAPS: "overlaps", OUTSIDE: "outside"}


def standing(projected: Figure, reported: Figure) -> str:
    """inside: the projection lies in the reported range, or a single reported value in the projection; overlaps: they
    share a part; outside: they share nothing. Empty where either is unknown or they measure different things.
    """
    one, other = _span(projected), _span(reported)
    if one is None or other is None or projected.unit.kinds != reported.unit.kinds:
        return ""
    if (one[1] is not None and other[0] is not None and one[1] < other[0]) or (
        other[1] is not None and one[0] is not None and other[1] < one[0]
    ):
        return OUTSIDE
    return INSIDE if _within(one, other) or (reported.value.exact and _within(other, one)) else OVERLAPS


Span = tuple[Fraction | None, Fraction | None]


def _span(figure: Figure) -> Span | None:
    """Both ends in base units, None where one is open; nothing where the figure is unknown."""
    value, base = figure.value, figure.unit.to_base
    if figure.missing or value.unknown:
        return None
    return (None if value.low is None else base(value.low), None if value.high is None else base(value.high))


def _within(one: Span, other: Span) -> bool:
    """Whether one span lies in another; an open end lies only in an open end."""
    below = other[0] is None or (one[0] is not None and one[0] >= other[0])
    return below and (other[1] is None or (one[1] is not None and one[1] <= other[1]))
