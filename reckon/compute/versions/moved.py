"""The figures that moved between two books: those at one address on both sides, with what they rest on that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from reckon.language.quantity import UNKNOWN
from reckon.language.text import NOWHERE
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Stated, closure
from reckon.model.kinds import group_of
from reckon.model.release import ReleasedFigure

from .change import Change

MOST_WALKED = 20_000


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure on both sides. `because` are the changed inputs that it rests on; none where the reckoning changed."""

    was: Figure
    now: Figure
    because: tuple[str, ...] = ()

    @property
    def by(self) -> Fraction | None:
        """How much the value to plan with moved, in the figure's unit; None where one side has none."""
        return None if self.was.use is None or self.now.use is None else self.now.use - self.was.use

    @property
    def share(self) -> Fraction | None:
        """The same as a share of what it was; None where that is zero or not known."""
        return self.by / abs(self.was.use) if self.by is not None and self.was.use else None


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a figure has to move by to be told: a share of what it was, or GPU-hours."""

    share: Fraction | None = None
    hours: Fraction | None = None

    def passed(self, was: Fraction | None, now: Fraction | None, gpu_hours: bool) -> bool:
        """Whether a move is told. One from or to nothing is, unless it is asked for GPU-hours of what has none."""
        if self.hours is not None:
            return gpu_hours and (was is None or now is None or abs(now - was) > self.hours)
        if self.share is None or was is None or now is None:
            return True
        return abs(now - was) > self.share * abs(was)


def is_hours(figure: Figure) -> bool:
    """Whether a figure is in GPU-hours, to which a threshold in hours applies."""
    return figure.unit.kinds == GPU_HOURS.kinds and figure.unit.scale == GPU_HOURS.scale


def as_released(figure: Figure, kept: ReleasedFigure | None) -> Figure:
    """The figure as it was released: its value and what it lacked; as it is where it is unknown to the release."""
    if kept is None or kept.unit != figure.unit.symbol:
        return figure
    return replace(figure, value=UNKNOWN if kept.missing else kept.value, missing=tuple(kept.missing))


def moved(
    old: Mapping[str, Figure], new: Mapping[str, Figure], renamed: Callable[[str], str], changed: Sequence[Change]
) -> Iterator[Moved]:
    """Each figure of the new side that differs from the old one, but those that are themselves changed inputs.

    `renamed` gives the old address of a figure.
    """
    inputs = {one.address for one in changed}
    for address, now in new.items():
        was = old.get(renamed(address))
        if was is None or was.unit != now.unit:
            continue
        if was.value == now.value and was.missing == tuple(map(renamed, now.missing)):
            continue
        if isinstance(now.origin, Stated) and now.origin.place is not NOWHERE:
            continue
        yield Moved(was, now, _because((was, now), inputs))


def _because(figures: Iterable[Figure], inputs: set[str]) -> tuple[str, ...]:
    """The changed inputs that figures rest on, the nearest first."""
    walked = closure(*figures, most=MOST_WALKED)
    return tuple(dict.fromkeys(figure.address for figure in walked if figure.address in inputs))


def rank(project: str, address: str) -> int:
    """Where a figure of a project comes when the most asked for come first."""
    return group_of(address.removeprefix(f"{project}.").partition(".")[0]).told
