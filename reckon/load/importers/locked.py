"""The lock of imports as text: what was read from each source so far, and what of it no entry has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import tzinfo
from fractions import Fraction
from typing import NamedTuple

from reckon.model.digests import digest_of
from reckon.model.records import ImportSource

from ..run_format import scalar
from . import clock
from .counting import Count
from .job import RUNNING
from .merging import Merged, Month, counts_of, order
from .stored import StoredJob, aside_line, decimal_text, pairs, seconds_text, whole

LOCK_HEAD = (
    "# yaml-language-server: $schema=../.schema/imports.lock.schema.json\n"
    "# Written by `budget import`: what it has read so far. Nobody else writes here.\n"
)


class MadeBy(NamedTuple):
    """Digests of what entries were made by: the rules, and how rows are read."""

    rules: str
    read: str


def made_by(source: ImportSource) -> MadeBy:
    """What entries of a source are made by today."""
    return MadeBy(digest_of(source), source.reading)


def lock_lines(
    merged: Merged,
    exports: Mapping[str, str],
    partitions: Iterable[str],
    made: MadeBy,
    entries: Mapping[str, str],
    doubts: Mapping[str, str],
) -> list[str]:
    """The lines of the lock for this source; `entries` are checksums of its files of runs, by month, `doubts` why
    jobs are in doubt."""
    spent = merged.spent()
    lines = [f"{merged.source}:", *(["  exports:"] if exports else [])]
    lines += [f"    {checksum}: {scalar(last, True)}" for checksum, last in sorted(exports.items())]
    there = ", ".join(scalar(name, True) for name in sorted(partitions))
    lines += [f"  rules: {made.rules}", *([f"  read: '{made.read}'"] if made.read else [])]
    lines += [f"  partitions: [{there}]"] if there else []
    lines += _added(merged.jobs.values())
    lines += ["  entries:"] if entries else []
    lines += [f"    {month}: {checksum}" for month, checksum in sorted(entries.items())]
    lines += ["  counted:"] if merged.months else []
    lines += [line for name, month in sorted(merged.months.items()) for line in _counted(name, month, merged.zone)]
    lines += ["  spent:"] if spent else []
    lines += [f"    {line}" for line in spent_lines(spent)]
    rest = (stored for stored in merged.each() if not stored.ran or stored.status == RUNNING)
    jobs = sorted(rest, key=order)
    running = [stored.name for stored in jobs if stored.ran]
    lines += [*(["  running:"] if running else []), *(f"    - {scalar(job, True)}" for job in running)]
    lines += ["  doubts:"] if doubts else []
    lines += [f"    {scalar(job, True)}: {scalar(why, True)}" for job, why in sorted(doubts.items())]
    asides = [f"    {aside_line(stored, merged.zone)}" for stored in jobs if not stored.ran]
    return [*lines, *(["  aside:"] if asides else []), *asides]


def spent_lines(spent: Mapping[str, Count]) -> Iterator[str]:
    """Jobs and GPU-seconds by status, a line each."""
    for status, count in sorted(spent.items()):
        yield f"{status}: {{jobs: {count.jobs}, gpu_seconds: {seconds_text(whole(count.seconds))}}}"


def _counted(name: str, month: Month, zone: tzinfo | None) -> Iterator[str]:
    """The lines of the lock for a month whose jobs are counted together."""
    counts = counts_of(month)
    stated = month if month.counts is not None else month.record
    stored = {key: str(getattr(stated, key) or "") for key in ("archive", "table")}
    yield f"    {name}:"
    yield f"      jobs: {counts.jobs}"
    yield from (f"      {key}: {scalar(text, True)}" for key, text in stored.items() if text)
    yield from [f"      running: {counts.running}"] if counts.running else ()
    yield from _peaks(month, zone)
    yield from ["      spent:"] if counts.spent else ()
    yield from (f"        {line}" for line in spent_lines(counts.spent))
    yield from ["      aside:"] if counts.aside else ()
    for sort, count in sorted(counts.aside.items()):
        fields = {
            "why": sort.why,
            "rule": sort.rule,
            "partition": sort.partition,
            "jobs": str(count.jobs),
            "wall_seconds": seconds_text(whole(count.seconds)),
        }
        yield f"        - {{{pairs(fields)}}}"


def _peaks(month: Month, zone: tzinfo | None) -> Iterator[str]:
    """The most GPUs that were held at one time, a line each."""
    if month.counts is not None:
        found = [(peak.card, peak.gpus, clock.written(peak.at, zone)) for peak in month.peaks]
    else:
        held = month.record.held if month.record else ()
        found = [(str(peak.card or ""), peak.gpus, str(peak.at)) for peak in held]
    yield from ["      held:"] if found else ()
    for card, gpus, at in found:
        yield f"        - {{{pairs({'card': card, 'gpus': str(gpus), 'at': at})}}}"


def _added(jobs: Iterable[StoredJob]) -> list[str]:
    """The line of the lock for what entries without hours add, in all."""
    found = [stored.job.beside for stored in jobs if stored.ran and stored.adds]
    if not found:
        return []
    parts = [f"entries: {len(found)}"]
    for name in ("energy_kwh", "billed_usd", "effective_usd"):
        stated = [amount for beside in found if (amount := getattr(beside, name)) is not None]
        parts += [f"{name}: {decimal_text(sum(stated, Fraction(0)))}"] if stated else []
    return [f"  added: {{{', '.join(parts)}}}"]


def lock_text(known: Collection[str], source: str, lines: Sequence[str], was: str | None) -> str | None:
    """The text of the lock with the part of one source in place of what it was; None if nothing is left."""
    parts = {name: part for name, part in _parts(was or "") if name in known}
    parts[source] = "\n".join([*lines, ""]) if lines else ""
    whole = "".join(parts[name] for name in sorted(parts))
    return LOCK_HEAD + whole if whole else None


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The lines of each source in the text of a lock."""
    name, lines = "", list[str]()
    for line in [*text.splitlines(keepends=True), ""]:
        if not line or (line[0] not in " #\n" and line.rstrip().endswith(":")):
            if name:
                yield name, "".join(lines)
            name = line.rstrip().rstrip(":")
            lines = []
        if not line.startswith("#"):
            lines.append(line)
