"""How much of its budget a project has spent, and where it is forecast to end, as shares of that budget."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..table_rows import use_of
from ..view import View


class Ending(NamedTuple):
    """Shares of a budget, 1 being all of it: what is spent, and the forecast (the tenth percentile, the median, the
    ninetieth), which is None before the first run, once all is done, and where it is not known."""

    spent: Fraction
    forecast: tuple[Fraction, Fraction, Fraction] | None

    @property
    def most(self) -> Fraction:
        """Where it ends at the median, or what is spent where nothing is forecast."""
        return max(self.spent, self.forecast[1]) if self.forecast else self.spent


def ending(view: View) -> Ending | None:
    """How a project stands to its budget: the final one, or the extended where all is extension. None where no plan,
    no total of it, or no sum of the hours spent is known."""
    total = view.budget
    whole, spent = (use_of(view.maybe(address)) for address in (total.hours, total.actual))
    if not view.planned or not whole or spent is None:
        return None
    low, median, high = map(use_of, view.maybe_all("forecast", "p10", "p50", "p90"))
    if not view.runs or low is None or median is None or high is None or low == high:
        return Ending(spent / whole, None)
    return Ending(spent / whole, (low / whole, median / whole, high / whole))
