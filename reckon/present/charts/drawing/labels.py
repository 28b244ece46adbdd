"""Labels that must not lie on each other."""

from collections.abc import Callable, Sequence
from math import fsum


def spread(places: Sequence[float], gap: float, length: float) -> list[float]:
    """Return `places` (in any order) moved so that they are `gap` apart: those too near spread around their middle.

    All are kept between 0 and `length`; where they do not fit, they run out at the end.
    """
    groups: list[list[int]] = []
    starts: list[float] = []
    for label in sorted(range(len(places)), key=lambda label: places[label]):
        group, start = [label], _start([places[label]], gap, length)
        while groups and start < starts[-1] + gap * len(groups[-1]):
            group = groups.pop() + group
            starts.pop()
            start = _start([places[one] for one in group], gap, length)
        groups.append(group)
        starts.append(start)
    found = {one: start + gap * n for group, start in zip(groups, starts, strict=True) for n, one in enumerate(group)}
    return [found[label] for label in range(len(places))]


def _start(places: Sequence[float], gap: float, length: float) -> float:
    """Return where the first of some labels stands, so that together they surround the mean of their places."""
    whole = gap * (len(places) - 1)
    return max(0.0, min(length - whole, fsum(places) / len(places) - whole / 2))


def levels(extents: Sequence[tuple[float, float]]) -> list[int]:
    """Return a level for each label, which reaches from left to right: the lowest (0) on which it touches no other."""
    reached: list[float] = []
    found = [0] * len(extents)
    for label in sorted(range(len(extents)), key=lambda label: extents[label]):
        left, right = extents[label]
        level = next((level for level, end in enumerate(reached) if end <= left), len(reached))
        reached[level : level + 1] = [right]
        found[label] = level
    return found


def merged(places: Sequence[float], width: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Return the first and last of each run of labels that share one, so that none lies on the next.

    `places` are where labels begin, in rising order; `width` says how wide the label of a run is.
    """
    found: list[tuple[int, int]] = []
    for label, place in enumerate(places):
        if found and place < places[found[-1][0]] + width(*found[-1]):
            found[-1] = (found[-1][0], label)
        else:
            found.append((label, label))
    return found
