"""Charges of a bill as entries: one for each billing period, rule, item and service of a provider.

An export of a provider's period, to one account, replaces all that is there of it. Which of two exports is the later
one is read off what they say, in this order: the end of the last charge, the sum that is billed, the effective one, and
then the sums of the services; so the order in which they come changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO

ALIKE = "rows alike"
from .merging import EARLIER, Merged
from .stored import JobKey, StoredJob


class Period(NamedTuple):
    """A billing period of a provider: its name with what tells the billed account apart, and the first day."""

    provider: str
    start: str


Rank = tuple[int, Fraction, Fraction, tuple[tuple[str, Fraction, Fraction], ...]]


def period_of(stored: StoredJob) -> Period:
    """The period that an entry belongs to, which its id begins with."""
    provider, start, *_ = stored.key.id.split("/")
    return Period(provider, start)


def folded(charges: Iterable[StoredJob]) -> list[StoredJob]:
    """Charges, or entries of them, added up: what differs in period, rule, item or service stays apart."""
    return [_sum(key, some) for key, some in group_by(charges, _key).items()]


def _key(stored: StoredJob) -> JobKey:
    made = stored.made
    service = stored.job.says.get("name", "")
    items = "+".join(part.item for part in made.portions)
    parts = [*period_of(stored), made.rule or "unassigned", *([items] if items not in ("", made.rule) else [])]
    parts += [part for part in (made.seed, made.run) if part]
    return JobKey(stored.key.cluster, "/".join([*parts, service]), None)


def _sum(key: JobKey, some: list[StoredJob]) -> StoredJob:
    first = some[0]
    beside = [stored.job.beside for stored in some]
    effective = [part.effective_usd for part in beside if part.effective_usd is not None]
    whole = beside[0]._replace(
        billed_usd=sum((part.billed_usd or ZERO for part in beside), ZERO),
        effective_usd=sum(effective, ZERO) if effective else None,
        through=max(part.through or 0 for part in beside),
    )
    last = max(stored.job.end or 0 for stored in some)
    return replace(first, key=key, job=replace(first.job, id=key.id, end=last, beside=whole))


def add(merged: Merged, charges: Iterable[StoredJob]) -> Iterator[str]:
    """Takes in the charges of an export: each period of a provider as a whole, unless a later export of it is there.

    Tells of each period that was left as it is though the export has other sums: a credit may have come since.
    """
    rows = list(charges)
    there = group_by(merged.jobs.values(), period_of)
    found = group_by(folded(rows), period_of)
    read = group_by(rows, period_of)
    for period, some in found.items():
        before = there.get(period, [])
        best = merged.charges.best
        # What other rules made of the same charges is made anew.
        alike = merged.stale and not any(stored.key in best for stored in before)
        if not before or (alike and _rank(some) == _rank(before)) or _after(merged, some, before):
            for stored in before:
                del merged.jobs[stored.key]
                best.pop(stored.key, None)
            merged.seen -= {stored.key for stored in before}
            merged.jobs |= {stored.key: stored for stored in some}
            before = some
        elif _rank(some) != _rank(before):
            new, old = (f"${float(_rank(each)[1]):,.2f}" for each in (some, before))
            yield (
                f"{period.provider}, {period.start}: left at {old}. This export has {new}, and is earlier by its "
                f"charges; if it is the later one, `budget import --undo {merged.source}` first"
            )
        merged.seen |= {stored.key for stored in before}
        _note(merged, period, read[period], some, before)


def _note(
    merged: Merged, period: Period, rows: list[StoredJob], some: list[StoredJob], stands: list[StoredJob]
) -> None:
    """Takes note of the rows of a period, of which `some` entries were made, and of what stands for it now."""
    if _lines(merged, some) != _lines(merged, stands):
        merged.charges.others[EARLIER] += len(rows)
    elif period in merged.charges.periods and some is not stands:
        merged.charges.others[ALIKE] += len(rows)
    else:
        joined = Counter(_key(stored) for stored in rows)
        merged.charges.stand(period, len(some), sum(many - 1 for many in joined.values()))
        merged.charges.best |= {stored.key: stored for stored in stands}


def _after(merged: Merged, some: list[StoredJob], before: list[StoredJob]) -> bool:
    """Whether an export of a period is the later one of two."""
    now = _rank(some)
    then = _rank(before)
    return now > then if now != then else _lines(merged, some) > _lines(merged, before)


def _lines(merged: Merged, some: list[StoredJob]) -> list[tuple[str, ...]]:
    return sorted(stored.lines(merged.source, merged.zone) for stored in some)


def _rank(some: list[StoredJob]) -> Rank:
    """What an export says of a period, whatever rules make of it."""
    services: dict[str, tuple[Fraction, Fraction]] = {}
    for stored in some:
        name = stored.job.says.get("name", "")
        beside = stored.job.beside
        billed, effective = services.get(name, (ZERO, ZERO))
        services[name] = billed + (beside.billed_usd or 0), effective + (beside.effective_usd or 0)
    sums = [sum((pair[number] for pair in services.values()), ZERO) for number in (0, 1)]
    through = max(stored.job.beside.through or 0 for stored in some)
    return through, sums[0], sums[1], tuple((name, *pair) for name, pair in sorted(services.items()))
