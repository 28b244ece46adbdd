"""Charges of a bill as entries: one for each billing period, rule, item and service of a provider.

The files of one command are together the export of their periods. Each period of a provider, to one account, is
replaced by it as a whole; or added to, where the files are said to be parts of what is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.language.text import plural
from reckon.model.records import ImportSource

from .job import Extras
from .job_records import JobKey, StoredJob, decimal_text
from .merging import Merged, Period


class Sums(NamedTuple):
    """What entries of a bill add up to, in US dollars, and how many rows of the bill are in them."""

    billed: Fraction
    effective: Fraction
    rows: int

    def __str__(self) -> str:
        effective = f" billed, ${decimal_text(self.effective)} effective" if self.effective != self.billed else ""
        return f"{plural(self.rows, 'row')} with ${decimal_text(self.billed)}{effective}"


class Change(NamedTuple):
    """A period that an import replaces, or adds to: what it was before, and what it is now."""

    period: Period
    before: Sums
    now: Sums

    def __str__(self) -> str:
        return f"{self.period.provider}, {self.period.start}: {self.before} before, {self.now} now"

    @property
    def shrinks(self) -> bool:
        """Whether less is billed for the period than before, or it costs less with discounts."""
        return self.now.billed < self.before.billed or self.now.effective < self.before.effective


def period_of(record: StoredJob) -> Period:
    """The period that an entry belongs to, which its id begins with."""
    provider, start, *_ = record.key.id.split("/")
    return Period(provider, start)


def add_up(charges: Iterable[StoredJob], source: ImportSource) -> list[StoredJob]:
    """Charges, or entries of them, added up: what differs in period, rule, item or service stays apart."""
    return [_add_entries(key, entries, source) for key, entries in group_by(charges, _entry_key).items()]


def _entry_key(record: StoredJob) -> JobKey:
    assignment = record.made
    service = record.job.says.get("name", "")
    items = "+".join(part.item for part in assignment.portions)
    parts = [*period_of(record), assignment.rule or "unassigned"]
    parts += filter(None, ("" if items == assignment.rule else items, assignment.seed, assignment.run))
    return JobKey(record.key.cluster, "/".join([*parts, service]))


def _add_entries(key: JobKey, entries: list[StoredJob], source: ImportSource) -> StoredJob:
    first = entries[0]
    extras = [entry.job.extras for entry in entries]
    amounts = [part.effective_usd for part in extras if part.effective_usd is not None]
    effective = sum(amounts, ZERO) if amounts else None
    through = max(part.through or 0 for part in extras)
    end = max(entry.job.end or 0 for entry in entries)
    sums = _sums(entries)
    total = Extras(billed_usd=sums.billed, effective_usd=effective, through=through, rows=sums.rows)
    job = replace(first.job, id=key.id, end=end, extras=total)
    return replace(first, key=key, name=key.text(source), job=job)


def add(merged: Merged, charges: Iterable[StoredJob]) -> None:
    """Takes in the charges of a file: what was there of their periods goes, but what is of this command, or of a bill
    that comes in parts."""
    bills = merged.charges
    standing = group_by(merged.jobs.values(), period_of)
    for period, rows in group_by(charges, period_of).items():
        entries_there = standing.get(period, [])
        replaces = not bills.adds and period not in bills.before
        bills.before.setdefault(period, entries_there)
        for record in entries_there:
            del merged.jobs[record.key]
            merged.seen.discard(record.key)
        entries = {
            record.key: record for record in add_up(rows if replaces else [*entries_there, *rows], merged.settings)
        }
        merged.jobs |= entries
        merged.seen |= entries.keys()
        merged.read |= entries.keys()
        bills.rows += [replace(record, key=_entry_key(record)) for record in rows]


def find_changes(merged: Merged) -> Iterator[Change]:
    """The periods that were there before this import and are other ones after it."""
    touched = merged.charges.before
    standing = group_by(merged.jobs.values(), period_of) if touched else {}
    for period, before in sorted(touched.items()):
        change = Change(period, _sums(before), _sums(standing[period]))
        if before and change.before != change.now:
            yield change


def _sums(entries: Iterable[StoredJob]) -> Sums:
    extras = [entry.job.extras for entry in entries]
    billed = [part.billed_usd or ZERO for part in extras]
    # An entry that states no effective cost counts as what was billed.
    effective = [part.billed_usd or ZERO if part.effective_usd is None else part.effective_usd for part in extras]
    rows = sum(part.rows for part in extras)
    return Sums(sum(billed, ZERO), sum(effective, ZERO), rows)
