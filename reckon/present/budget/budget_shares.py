"""How much of its budget a project has spent, and where it is forecast to end, as shares of that budget."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from reckon.model.kinds import budget_of

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
    total = budget_of(view.book.figures, view.id)
    whole, spent = (use_of(view.maybe(address)) for address in (total.hours, total.actual))
    if not view.planned or not whole or spent is None:
        return None
    ends = [use_of(view.maybe(f"forecast.{name}")) for name in ("p10", "p50", "p90")] if view.runs else []
    known = [end / whole for end in ends if end is not None]
    ahead = (known[0], known[1], known[2]) if len(known) == 3 and known[0] != known[2] else None
    return Ending(spent / whole, ahead)
