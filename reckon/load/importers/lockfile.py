"""The lock of imports as text: what was read from each source so far, and what of it no entry has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reckon.language.quantity import add_up
from reckon.model.digests import digest_of
from reckon.model.records import ImportSource

from ..run_format import scalar
from . import clock
from .clock import Zone
from .counting import Count, Counts
from .job import RUNNING
from .job_records import StoredJob, aside_line, decimal_text, pairs, seconds_text, whole
from .merging import Month, counts_of, order
from .taking import Taken

LOCK_HEAD = (
    "# yaml-language-server: $schema=../.schema/imports.lock.schema.json\n"
    "# Written by `budget import`: what it has read so far. Nobody else writes here.\n"
)


class Digests(NamedTuple):
    """Digests of what entries were made by: the rules, and how rows are read."""

    rules: str
    read: str


def digests_of(source: ImportSource) -> Digests:
    """What entries of a source are made by today."""
    return Digests(digest_of(source), source.reading)


def lock_lines(taken: Taken, digests: Digests, entries: Mapping[str, str]) -> list[str]:
    """The lines of the lock for a source; `entries` are checksums of its files of runs, by month."""
    merged = taken.merged
    dated = (f"{checksum}: {scalar(moment, True)}" for checksum, moment in sorted(taken.exports.items()))
    lines = _section("exports:", dated)
    lines.append(f"rules: {digests.rules}")
    if digests.read:
        lines.append(f"read: '{digests.read}'")
    if taken.partitions:
        names = ", ".join(scalar(name, True) for name in sorted(taken.partitions))
        lines.append(f"partitions: [{names}]")
    lines += _sum_lines(merged.jobs.values())
    lines += _section("entries:", (f"{month}: {checksum}" for month, checksum in sorted(entries.items())))
    months: list[str] = []
    for name, month in sorted(merged.months.items()):
        months += _section(f"{name}:", _month_lines(month, merged.zone))
    lines += _section("counted:", months)
    lines += _section("spent:", _status_lines(merged.spent()))
    single_records = (record for record in merged.single_jobs() if not record.ran or record.status == RUNNING)
    jobs = sorted(single_records, key=order)
    lines += _section("running:", (f"- {scalar(record.name, True)}" for record in jobs if record.ran))
    doubtful = (f"{scalar(job, True)}: {scalar(reason, True)}" for job, reason in sorted(taken.doubts.items()))
    lines += _section("doubts:", doubtful)
    lines += _section("aside:", (aside_line(record, merged.zone) for record in jobs if not record.ran))
    return _section(f"{merged.source}:", lines)


def _section(head: str, lines: Iterable[str]) -> list[str]:
    """Lines of YAML below their head; nothing where there are none."""
    below = [f"  {line}" for line in lines]
    return [head, *below] if below else []


def _status_lines(spent: Mapping[str, Count]) -> Iterator[str]:
    """Jobs and GPU-seconds by status, a line each."""
    for status, count in sorted(spent.items()):
        yield f"{status}: {{jobs: {count.jobs}, gpu_seconds: {seconds_text(whole(count.seconds))}}}"


def _month_lines(month: Month, zone: Zone) -> Iterator[str]:
    """What the lock says of a month whose jobs are counted together."""
    counts = counts_of(month)
    source = month if month.counts is not None else month.record
    yield f"jobs: {counts.jobs}"
    for key in ("archive", "table"):
        if text := getattr(source, key):
            yield f"{key}: {scalar(text, True)}"
    if counts.running:
        yield f"running: {counts.running}"
    yield from _section("held:", _peak_lines(month, zone))
    yield from _section("spent:", _status_lines(counts.spent))
    yield from _section("aside:", _aside_lines(counts))


def _aside_lines(counts: Counts) -> Iterator[str]:
    """Jobs that are no runs of the project, a line for those that are alike."""
    for sort, count in sorted(counts.aside.items()):
        amounts = {"jobs": str(count.jobs), "wall_seconds": seconds_text(whole(count.seconds))}
        yield f"- {{{pairs({**sort._asdict(), **amounts})}}}"


def _peak_lines(month: Month, zone: Zone) -> Iterator[str]:
    """The most GPUs that were held at one time, a line each."""
    peaks = month.record.held if month.record else ()
    for peak in peaks if month.counts is None else month.peaks:
        at = clock.written(peak.at, zone) if isinstance(peak.at, int) else peak.at
        yield f"- {{{pairs({'card': peak.card or '', 'gpus': str(peak.gpus), 'at': at})}}}"


def _sum_lines(jobs: Iterable[StoredJob]) -> list[str]:
    """The line of the lock for what entries without hours add, in all."""
    amounts = [record.job.extras for record in jobs if record.ran and record.adds]
    if not amounts:
        return []
    parts = [f"entries: {len(amounts)}"]
    for name in ("energy_kwh", "billed_usd", "effective_usd"):
        values = [amount for extras in amounts if (amount := getattr(extras, name)) is not None]
        if values:
            parts.append(f"{name}: {decimal_text(add_up(values))}")
    return [f"added: {{{', '.join(parts)}}}"]


def lock_text(sources: Collection[str], source: str, lines: Sequence[str], text: str | None) -> str | None:
    """The text of the lock with the part of one source in place of what it was; None if nothing is left."""
    parts = {name: part for name, part in _split_sources(text or "") if name in sources}
    parts[source] = "\n".join([*lines, ""]) if lines else ""
    lock = "".join(parts[name] for name in sorted(parts))
    return LOCK_HEAD + lock if lock else None


def _split_sources(text: str) -> Iterator[tuple[str, str]]:
    """The lines of each source in the text of a lock."""
    name = ""
    lines = list[str]()
    for line in [*text.splitlines(keepends=True), ""]:
        if not line or (line[0] not in " #\n" and line.rstrip().endswith(":")):
            if name:
                yield name, "".join(lines)
            name = line.rstrip().rstrip(":")
            lines = []
        if not line.startswith("#"):
            lines.append(line)
