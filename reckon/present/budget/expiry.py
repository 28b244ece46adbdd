"""What of allocations expires unused, in the last 30 days before each ends.

What is still charged to one is what its pace comes to, or all work to come where that is less. So most of it expires at
P10 of that work, and least at P90.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.audit.common import counted, known_figures
from reckon.compute.book import Book
from reckon.compute.budget.pace import Measure, measure_of
from reckon.compute.sheet.cells import read_formula
from reckon.compute.sheet.evaluate import derive
from reckon.language.quantity import ONE, ZERO, Value
from reckon.model.figure import Figure, Worked, use_at
from reckon.model.finding import Sentence, say
from reckon.model.records import Allocation

from ..render.printing import several

NEAR = (7, 14, 30)
"""Days before its end from which on an allocation is told of."""
UNUSED = ("max(left - min(rate * days, most - used), 0 * left)", "max(left - min(rate * days, least - used), 0 * left)")
"""What expires at P90 and at P10 of the work to come."""
NAMES = ("left", "used", "rate", "days", "most", "least")
TEXT = "{title}: {days} left, to {end}{news}; {unused} will expire unused (P10–P90); {rate} would use it"


def expiring(book: Book, today: int = 0, since: int = 0) -> Iterator[tuple[Allocation, Sentence]]:
    """The allocations that end within 30 days with something left, each with what of it expires unused and the pace
    that would use it: as of a day, or of the last data of its projects (`today` 0). `since` is the day on which that
    was told last (0: not known)."""
    for name, grant in book.allocations.items():
        at, measure = f"allocations.{name}", measure_of(grant)
        end, left, through = (use_at(book.figures, f"{at}.{key}") for key in ("end", "left", "pace.through"))
        day = today or through
        if not (end and left and day and 0 <= end - day <= NEAR[-1]):
            continue
        unused, near = _unused(book, at, measure, left), next(each for each in NEAR if end - day <= each)
        if unused.value.high:
            told: dict[str, Figure | str] = {
                "title": grant.title,
                "days": several(int(end - day), "day"),
                "end": book[f"{at}.end"],
                "news": f", within {near} days since the last digest" if since and end - since > near else "",
                "unused": unused,
                "rate": counted(left / max(end - day, ONE), measure.per_day),
            }
            yield grant, say(TEXT, **told)


def _unused(book: Book, at: str, measure: Measure, left: Fraction) -> Figure:
    """What of an allocation expires unused, from P10 to P90; at most what is left of it, where its pace or its work to
    come is not known."""
    words, low = ("left", "used", f"pace.{measure.key}_per_day", "days_to_end", "forecast_p90", "forecast_p10"), None
    known = known_figures(book, dict(zip(NAMES, (f"{at}.{word}" for word in words), strict=True)))
    if known is not None:
        low, left = (derive(read_formula(text), known, measure.unit, checked=False).use or ZERO for text in UNUSED)
    return Figure("", "", measure.unit, Value(low, None, left), Worked(""))
