"""What was charged when: hours of runs by item, seed and kind of GPU, and by the days over which they were charged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

from reckon.language.lean import dataclass
from reckon.model.charged import Times, by_day, days_named, spread
from reckon.model.figure import UNASSIGNED
from reckon.model.ledger import Kinds, ProjectLedger
from reckon.model.runs import MOST_PARTS

from .history import DayParts, Days


@dataclass(frozen=True)
class Charges:
    """Hours by item, seed and kind of GPU, and by the days over which they were charged, as `per`-th parts of one.

    Few runs share their days, but many days share a run of hundreds of them, to each of which its part would be added.
    """

    spans: Mapping[tuple[str, str, str], dict[range, Any]]
    per: int

    def by_day(self, spans: Mapping[range, Any], times: int = 1) -> Days:
        """Hours by day, of that many such parts, made so small that a day's share is a whole number of them."""
        return DayParts(by_day(spans, self.shares), self.per * self.shares * times)

    @cached_property
    def shares(self) -> int:
        """In how many each part is cut, so that most ranges of days divide it evenly."""
        found = 1
        for many in sorted({len(days) for own in self.spans.values() for days in own}):
            if (more := lcm(found, many)) * self.per <= MOST_PARTS:
                found = more
        return found


def charged_days(project: ProjectLedger, kinds: Kinds) -> Charges:
    """When the hours of the runs of a project were charged. Those of unplanned runs have no item and no seed."""
    rows = project.rows
    planned = [traits.item not in ("", UNASSIGNED) for traits in kinds.traits]
    owners = [(traits.item, traits.seed if known else "", traits.gpu)
              for traits, known in zip(kinds.traits, planned, strict=True)]  # fmt: skip
    spans: dict[tuple[str, str, str], dict[range, Any]] = {owner: defaultdict(int) for owner in owners}
    of_kind = [spans[owner] for owner in owners]
    (charged, per), (held, parts) = rows.charged, rows.held
    day, times = 24 * parts, zip(*map(rows.column, ("start", "end", "date", "imported.source")), strict=True)
    named = {date: days_named(Times(None, None, date, None, None)) for date in {*rows.column("date")}}
    for kind, hours, took, (start, end, date, source) in zip(kinds.of, charged, held, times, strict=True):
        own = of_kind[kind]
        if start is None and end is None and (took is None or took <= day):
            own[named[date]] += hours
        else:
            run = Times(start, end, date, None if took is None else Fraction(took, parts), source)
            for when, share in spread(run, Fraction(hours, per)):
                own[when] += share * per
    return Charges(spans, per)
