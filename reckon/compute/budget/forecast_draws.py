"""What is said of the draws of a forecast before any is made."""

from __future__ import annotations

from fractions import Fraction

DRAWS = 4000
PERCENTS = (10, 50, 90)
DEFAULT_RANGE = Fraction(4, 3)
"""A plan without a range of its own is taken to be right within this factor, P10 to P90."""
