"""What was charged when: hours of runs by what they belong to, and by the days over which they were charged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import compress
from operator import mul
from typing import Any, TypeVar

from reckon.language.calendar_days import first_day
from reckon.model.day_split import Times, by_day, days_named, spread
from reckon.model.fixed_point import Amounts, Number
from reckon.model.ledger import Kinds, ProjectLedger

from .history import DailyHours

Owner = TypeVar("Owner", bound=Hashable)


def bill_days(project: ProjectLedger) -> Mapping[str, frozenset[int]]:
    """The days of each item of the plan that its charges on bills are of; a period ends where the next begins."""
    found: dict[str, set[int]] = defaultdict(set)
    for _, run, traits in project.each_addition():
        source = project.imports.get(run.imported.source) if run.imported else None
        if source and source.format == "focus" and traits.costs and traits.item in project.items:
            since, until = str(run.start)[:10], str(run.end)[:10]
            found[traits.item].update(range(first_day(since), first_day(until)))
    return {item: frozenset(days) for item, days in found.items()}


class Charges:
    """When the hours of the runs of a project were charged; or other `amounts` than these hours, one of each run.

    Most runs have a date alone, and are added up by that: few days share a run. The others are spread over their days,
    and their hours added up by these first, as many days can share a run of hundreds of them.
    """

    def __init__(self, project: ProjectLedger, kinds: Kinds, amounts: Amounts | None = None) -> None:
        rows = project.rows
        charged, self._per = amounts or rows.charged
        dates = rows.column("date")
        self._kinds = kinds
        self._plain: tuple[Sequence[int], Sequence[Any], Sequence[Any]] = kinds.of, dates, charged
        self._named = {date: days_named(Times(None, None, date, None, None)) for date in rows.values("date")}
        self._timed: list[tuple[int, range, Any]] = []
        (held, parts), day = rows.held, 24 * rows.held.per
        moments = zip(rows.column("start"), rows.column("end"), held, strict=True)
        spanning = [start is not None or end is not None or (took or 0) > day for start, end, took in moments]
        alone = [not longer for longer in spanning]
        self._plain = tuple([*compress(column, alone)] for column in self._plain)  # type: ignore[assignment]
        times = map(rows.column, ("start", "end", "date", "imported.source"))
        runs = zip(kinds.of, charged, held, *times, strict=True)
        for kind, hours, took, start, end, date, source in compress(runs, spanning):
            wall_hours = None if took is None else Fraction(took, parts)
            run = Times(start, end, date, wall_hours, source)
            shares = spread(run, Fraction(hours, self._per))
            self._timed += [(kind, when, share * self._per) for when, share in shares]

    def by_day(self, owners: Sequence[Owner], counts: Sequence[Number], times: int = 1) -> dict[Owner, DailyHours]:
        """Hours by day of each owner: `owners[k]` is that of the runs of kind k, `counts[k]` what an hour of it counts.

        Amounts are numbers of a part of an hour, `times` finer than those of the runs: whole, but for shares of days.
        """
        dated: dict[Owner, dict[Any, Any]] = {owner: defaultdict(int) for owner in owners}
        spans: dict[Owner, dict[range, Any]] = {owner: defaultdict(int) for owner in owners}
        kinds, dates, charged = self._plain
        counted = map(mul, charged, map(counts.__getitem__, kinds))
        own = [dated[owner] for owner in owners]
        for sums, date, hours in zip(map(own.__getitem__, kinds), dates, counted, strict=True):
            sums[date] += hours
        for kind, when, hours in self._timed:
            spans[owners[kind]][when] += hours * counts[kind]
        per = self._per * times
        return {owner: DailyHours(self._days(sums, spans[owner]), per) for owner, sums in dated.items()}

    def _days(self, dated: Mapping[Any, Any], spans: dict[range, Any]) -> dict[int, Any]:
        """Hours by day, from those by what runs say as their date and by the days over which others were charged."""
        for date, hours in dated.items():
            spans[self._named[date]] += hours
        return by_day(spans)
