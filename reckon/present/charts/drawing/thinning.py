"""Long lines made short without changing their look."""

from collections.abc import Iterable, Sequence

from reckon.present.charts.kinds.moments import moment

Point = tuple[int, float]
"""A moment in milliseconds and the level from then on."""

MOST_POINTS = 1000


def timed(line: Iterable[tuple[str, float]]) -> list[Point]:
    """Return the points of `line` with their dates as moments."""
    return [(moment(date), level) for date, level in line]


def thinned(line: Sequence[Point]) -> list[Point]:
    """Return at most 1000 points of `line` (oldest first) that draw the same: the ends and extremes of strips of time.

    A line that only rises is cut into strips of about a pixel, one that also falls into strips of two.
    """
    if len(line) <= MOST_POINTS:
        return list(line)
    fine = _thinned(line, MOST_POINTS // 2)
    return fine if len(fine) <= MOST_POINTS else _thinned(line, MOST_POINTS // 4)


def _thinned(line: Sequence[Point], strips: int) -> list[Point]:
    start, length = line[0][0], max(1, line[-1][0] - line[0][0])
    strip_of = [min(strips - 1, (at - start) * strips // length) for at, _ in line]
    found: dict[int, list[int]] = {}
    for place, strip in enumerate(strip_of):
        found.setdefault(strip, []).append(place)
    kept = {place for places in found.values() for place in (places[0], places[-1], *_extremes(places, line))}
    return [line[place] for place in sorted(kept)]


def _extremes(places: list[int], line: Sequence[Point]) -> tuple[int, int]:
    # The first of the smallest and the last of the largest: on a line that only rises, these are its ends.
    return min(places, key=lambda place: line[place][1]), max(places, key=lambda place: (line[place][1], place))
