"""From which chance of exceeding a limit on a project is at risk: what is news, and not what the plan said itself.

A plan without reserve has a chance of some 54% of exceeding its budget on the day it is written. News is a change of
the odds: a limit warns once they are three times those of the plan, from the same draws with nothing begun. With c the
chance as planned that is T = 3o / (1 + 3o) of the odds o = c / (1 - c), or 3c / (1 + 2c). The project's own budget
warns from 50% or T on, whichever is more. Limits that others set (ceiling, allocations) warn from 20% or T on, but at
50% at the latest where the plan itself is below that. Tried by `benchmarks/alarms.py`.
"""

from __future__ import annotations

from fractions import Fraction

from reckon.model.shares import MOST_CHANCE

TIMES = 3
LEAST_OF_OTHERS = Fraction(1, 5)


def warns_from(as_planned: Fraction | None, is_own: bool) -> Fraction:
    """The chance from which on a limit warns, given its chance as planned (None: not known, which leaves 50%)."""
    if as_planned is None:
        return MOST_CHANCE
    threshold = TIMES * as_planned / (1 + (TIMES - 1) * as_planned)
    if is_own:
        return max(MOST_CHANCE, threshold)
    return max(LEAST_OF_OTHERS, min(threshold, MOST_CHANCE) if as_planned < MOST_CHANCE else threshold)


def is_alarming(chance: Fraction, as_planned: Fraction | None, is_own: bool, stated: Fraction | None = None) -> bool:
    """Whether a chance is a risk: from the stated one on, else from where its odds are news. What the plan itself could
    not be likelier to exceed never is."""
    if stated is not None:
        return chance >= stated
    return chance >= warns_from(as_planned, is_own) and (as_planned is None or chance > as_planned)
