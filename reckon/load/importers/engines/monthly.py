"""What jobs in the table come to by month: counted, as a file of jobs, and the most GPUs that they held at one time."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from reckon.model.records.imports import NO_GPUS, gpus_in

from .. import archive
from ..counting import CLOCKS, Counts, Peak
from .conditions import ibis
from .database import Database
from .expression import SINGLE, Query, add_stretches, sum_up
from .group_reading import count_jobs
from .job_table import JOBS, KINDS, join_kinds, split_fraction
from .offsets import FIRST_YEAR, LAST_YEAR, since_1970

_FACTS = ("month", "kind", "run", "status", "none")
"""What is said of jobs that are counted together, in the columns of the table."""


def count_by_month(database: Database) -> Counter[str]:
    """How many jobs there are in each month."""
    jobs = database.table(JOBS)
    groups = database.rows(jobs.group_by("month").aggregate(jobs=jobs.count()))
    return Counter({group["month"]: group["jobs"] for group in groups})


def count_months(database: Database, query: Query) -> dict[str, Counts]:
    """The jobs by month, counted."""
    months: dict[str, Counts] = {}
    kinds = {kind["kind"]: kind for kind in database.rows(database.table(KINDS))}
    for group in database.rows(_group(database, query)):
        kind = kinds[group["kind"]]
        made = archive.assignment_of({**kind, "run": group["run"]})
        counts = months.setdefault(group["month"], Counts(query.edges, query.zone))
        count_jobs(counts, group, made, gpus_in(kind["gpus"] or ""))
    return months


def _group(database: Database, query: Query) -> Any:
    """Jobs that are alike, with their number and seconds: those that go on beyond an edge, or whose seconds are not a
    whole number, with what is said of each."""
    kinds = database.table(KINDS).select("kind", "why", "rule")
    jobs = database.table(JOBS).inner_join(kinds, "kind")
    jobs = jobs.mutate(began=jobs.start, ended=jobs.end, candidate=ibis.literal(True), ran=jobs.why.isnull())
    jobs = add_stretches(jobs, query)
    whole = jobs.elapsed == jobs.took.cast("string")
    first = since_1970(FIRST_YEAR)
    after = since_1970(LAST_YEAR + 1)
    known = ((jobs.begins >= first) & (jobs.ends < after)).fill_null(False)
    alone = jobs.ran.ifelse(~(jobs.within & known & whole), ~whole)
    bare = (jobs.why == NO_GPUS).fill_null(False)
    unruled = jobs.ran & jobs.rule.isnull()
    own = SINGLE | {"each": "elapsed"}
    columns = {name: alone.ifelse(jobs[column], None) for name, column in own.items()}
    columns["job_name"] = unruled.ifelse(jobs.name, "")
    columns["partition"] = bare.ifelse(jobs.partition, "")
    columns["nodes"] = bare.ifelse(jobs.nodes, 1)
    columns["stretch"] = alone.ifelse(None, jobs.stretch)
    columns["empty"] = jobs.took == 0
    sums = ("took", "first_day", "last_day")
    rows = jobs.select([*_FACTS, *sums], word="state", **columns)
    groups = rows.group_by([name for name in rows.columns if name not in sums])
    return groups.aggregate(jobs=rows.count(), **sum_up(rows))


def write_file(database: Database, month: str, path: Path) -> archive.Written:
    """Writes the jobs of a month as a file of jobs, in the order of `merging.order`."""
    jobs = database.table(JOBS)
    jobs = join_kinds(database, jobs.filter(jobs.month == month))
    sent = jobs.submit.fill_null(0)
    order = [jobs.start.coalesce(sent), jobs.cluster, jobs.id, sent]
    columns = archive.JobLine.__struct_fields__
    with path.open("wb") as file:
        return archive.write(database.rows(jobs.order_by(order).select(columns)), file)


def find_peaks(database: Database, month: str) -> list[Peak]:
    """As `counting.peaks_of`, of the jobs of a month: in whole numbers of the largest part of a GPU that all are made
    of."""
    jobs = database.table(JOBS)
    span = jobs.end - jobs.start
    jobs = jobs.filter(jobs.month == month, span <= jobs.took + CLOCKS, span > CLOCKS)
    parts = _list_parts(database)
    per_gpu = math.lcm(*database.values(parts.select("below").distinct()))
    parts = parts.select("kind", "card", units=parts.above * (per_gpu // parts.below))
    held = jobs.select("kind", "start", "end").inner_join(parts, "kind")
    begins = held.select("card", "units", moment="start")
    ends = held.select("card", units=-held.units, moment=held.end - CLOCKS)
    changes = begins.union(ends)
    every = changes.union(changes.mutate(card=ibis.literal("")))
    moments = every.group_by("card", "moment").aggregate(units=every.units.sum())
    so_far = ibis.window(group_by="card", order_by="moment", preceding=None, following=0)
    level = moments.units.sum().over(so_far).cast("int64")
    levels = database.keep("levels", moments.select("card", "moment", held=level))
    most = levels.group_by("card").aggregate(held=levels.held.max())
    peaks = levels.inner_join(most, ["card", "held"]).group_by("card", "held")
    rows = database.rows(peaks.aggregate(moment=levels.moment.min()).order_by("card"))
    return [Peak(row["card"], Fraction(row["held"], per_gpu), row["moment"]) for row in rows]


def _list_parts(database: Database) -> Any:
    """For each part of a kind of jobs its card, and its GPUs above and below the line of a fraction."""
    kinds = database.table(KINDS)
    parts = kinds.select("kind", part=kinds.parts.unnest())
    above, below = split_fraction(parts.part["gpus"])
    return parts.select("kind", card=parts.part["card"], above=above, below=below)
