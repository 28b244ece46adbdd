"""What jobs in the table come to by month: counted, as a file of jobs, and the most GPUs that they held at one time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from reckon.model.records.imports import NO_GPUS, gpus_in

from .. import archive
from ..counting import CLOCKS, Counts, Peak
from . import job_table
from .database import Database
from .expression import Asked, within
from .job_table import JOBS
from .offsets import FIRST_YEAR, LAST_YEAR, since_1970
from .telling import count

_SAID = ("month", "kind", "run", "status", "none")
"""What is said of jobs that are counted together, in the columns of the table."""


def many_by_month(database: Database) -> Counter[str]:
    """How many jobs there are in each month."""
    jobs = database.table(JOBS)
    groups = database.rows(jobs.group_by("month").aggregate(jobs=jobs.count()))
    return Counter({group["month"]: group["jobs"] for group in groups})


def counted(database: Database, asked: Asked, edges: Sequence[int]) -> dict[str, Counts]:
    """The jobs by month, counted."""
    months: dict[str, Counts] = {}
    kinds = {kind["kind"]: kind for kind in database.rows(database.table(job_table.KINDS))}
    for group in database.rows(_groups(database, asked)):
        kind = kinds[group["kind"]]
        counts = months.setdefault(group["month"], Counts(edges))
        gpus = sum(number for _, number in gpus_in(kind["gpus"] or ""))
        count(counts, group, archive.assignment_of({**kind, "run": group["run"]}), gpus, asked.zone)
    return months


def _groups(database: Database, asked: Asked) -> Any:
    """Jobs that are alike, with their number and seconds: those that go on beyond an edge, or whose seconds are not a
    whole number, with what is said of each."""
    import ibis

    jobs = database.table(JOBS).inner_join(database.table(job_table.KINDS).select("kind", "why", "rule"), "kind")
    found = jobs.mutate(began=jobs.start, ended=jobs.end, candidate=ibis.literal(True), ran=jobs.why.isnull())
    found = within(found, asked)
    whole = found.elapsed == found.took.cast("string")
    first = since_1970(FIRST_YEAR)
    after = since_1970(LAST_YEAR + 1)
    known = ((found.begins >= first) & (found.ends < after)).fill_null(False)
    alone = ibis.ifelse(found.ran, ~(found.within & known & whole), ~whole)
    bare = (found.why == NO_GPUS).fill_null(False)
    told = {"start": "began", "end": "ended", "submitted": "submit", "each": "elapsed"}
    keyed = found.select(
        *_SAID,
        "took",
        "first",
        "last",
        **{name: ibis.ifelse(alone, found[column], ibis.null(found[column].type())) for name, column in told.items()},
        word=found.state,
        named=ibis.ifelse(found.ran & found.rule.isnull(), found.name, ""),
        partition=ibis.ifelse(bare, found.partition, ""),
        nodes=ibis.ifelse(bare, found.nodes, 1),
        stretch=ibis.ifelse(alone, ibis.null("int64"), found.stretch),
        empty=found.took == 0,
    )
    kinds = (*_SAID, *told, "word", "named", "partition", "nodes", "stretch", "empty")
    return keyed.group_by(list(kinds)).aggregate(
        jobs=keyed.count(), seconds=keyed.took.sum().cast("int64"), first=keyed["first"].min(), last=keyed["last"].max()
    )


def write_file(database: Database, month: str, path: Path) -> archive.Written:
    """Writes the jobs of a month as a file of jobs, in the order of `merging.order`."""
    import ibis

    jobs = database.table(JOBS)
    some = job_table.with_kinds(database, jobs.filter(jobs.month == month))
    zero = ibis.literal(0, "int64")
    order = [ibis.coalesce(some.start, some.submit, zero), some.cluster, some.id, ibis.coalesce(some.submit, zero)]
    columns = archive.JobLine.__struct_fields__
    with path.open("wb") as file:
        return archive.write(database.rows(some.order_by(order).select(columns)), file)


def peaks(database: Database, month: str) -> list[Peak]:
    """As `counting.peaks_of`, of the jobs of a month: in whole numbers of the largest part of a GPU that all are made
    of."""
    import ibis

    jobs = database.table(JOBS)
    some = jobs.filter(
        (jobs.month == month) & (jobs.end - jobs.start <= jobs.took + CLOCKS) & (jobs.end - CLOCKS > jobs.start)
    )
    of_kinds = _parts_of_kinds(database)
    parts = math.lcm(*(int(text) for text in database.values(of_kinds.select("below").distinct()) if text))
    units = of_kinds.above * (parts // ibis.ifelse(of_kinds.below == "", "1", of_kinds.below).cast("int64"))
    held = some.select("kind", "start", "end").inner_join(of_kinds.select("kind", "card", units=units), "kind")
    begun = held.select("card", "units", moment=held.start)
    over = held.select("card", units=-held.units, moment=held.end - CLOCKS)
    changes = begun.union(over)
    every = changes.union(changes.mutate(card=ibis.literal("")))
    moments = every.group_by("card", "moment").aggregate(units=every.units.sum())
    so_far = ibis.window(group_by="card", order_by="moment", preceding=None, following=0)
    levels = moments.mutate(held=moments.units.sum().over(so_far).cast("int64"))
    levels = database.keep("levels", levels.select("card", "moment", "held"))
    most = levels.group_by("card").aggregate(held=levels.held.max())
    first = levels.inner_join(most, ["card", "held"]).group_by("card", "held")
    rows = database.rows(first.aggregate(moment=levels.moment.min()).order_by("card"))
    return [Peak(row["card"], Fraction(row["held"], parts), row["moment"]) for row in rows]


def _parts_of_kinds(database: Database) -> Any:
    """For each part of a kind of jobs its card, and its GPUs above and below the line of a fraction."""
    kinds = database.table(job_table.KINDS)
    some = kinds.select("kind", part=kinds.parts.unnest())
    some = some.select("kind", card=some.part["card"], gpus=some.part["gpus"])
    above = some.gpus.re_extract("^([0-9]+)", 1)
    below = some.gpus.re_extract("/([0-9]+)$", 1)
    return some.mutate(above=above.cast("int64"), below=below)
