"""What every kind of picture refuses: numbers that are not finite, nothing to show, and more than can be read."""

import math
from collections.abc import Collection, Sequence
from itertools import pairwise

from reckon.present.charts.kinds.amounts import Amount
from reckon.present.charts.kinds.moments import moment

FAR = 20
"""An axis is logarithmic where its largest amount is more than this many times its smallest."""

MOST_MARKS = 2000
"""The most bars, segments or spans that a picture holds."""


def check_finite(what: str, *numbers: Amount) -> None:
    """Raise ValueError, naming `what`, where one of `numbers` is not finite."""
    for number in numbers:
        if not math.isfinite(number):
            raise ValueError(f"{what} has the number {number}: it must be finite")


def check_count(title: str, what: str, some: Collection[object], most: int) -> None:
    """Raise ValueError where the picture called `title` has more than `most` things called `what`."""
    if len(some) > most:
        raise ValueError(
            f"the picture {title!r} has {len(some)} {what}, and at most {most} can be shown: "
            "merge the smallest into one before drawing"
        )


def check_known(what: str, role: str, roles: Sequence[str]) -> None:
    """Raise ValueError, naming `what`, where `role` is none of `roles`."""
    if role not in roles:
        raise ValueError(f"{what} has the role {role!r}, which is none of {tuple(roles)}")


def check_order(what: str, dates: Sequence[str]) -> None:
    """Raise ValueError, naming `what`, where `dates` are no moments, or one comes before the one ahead of it."""
    for before, after in pairwise(dates):
        if moment(after) < moment(before):
            raise ValueError(f"{what} goes back in time, from {before} to {after}: sort it by date")
    for date in dates:
        moment(date)
