"""Jobs that stand in the table more than once, or in the ledger too: what differs goes to the plain reader's `Merged`.

Rows of a job that say the same are one row afterwards. Of a job whose rows differ none is left: which of its states
stands, and what the others are, is said in Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from reckon.model.records import ImportSource

from .. import archive
from ..merging import ASIDE, Merged, Month
from ..stored import JobKey
from ..tally import NEW, SAME
from . import job_table
from .database import Database
from .job_table import COLUMNS, JOBS, LEDGER

_JOB = ("cluster", "id", "sent")
"""What makes a job one job; `sent` is when it was submitted, -1 where that is not known."""


def settle(database: Database, merged: Merged, source: ImportSource) -> Counter[str]:
    """Leaves each job once in the table, and gives those to `merged` of which rows differ or that the ledger has. Says
    what the rows were that say what the table has of another one."""
    jobs = _keyed(database.table(JOBS))
    known = database.keep("known", _keyed(_known(database, merged.before)).select("key"))
    twice = jobs.group_by("key").aggregate(rows=jobs.count())
    shared = jobs.filter(jobs.key.isin(twice.filter(twice.rows > 1).key) | jobs.key.isin(known.key))
    shared = database.keep("shared", shared)
    contents = database.keep("contents", _contents(shared, known))
    _hand_over(database, contents.filter(contents.differ), merged, source)
    alike = contents.filter(~contents.differ)
    kept = alike.select("first")
    gone = shared.filter(shared.spot.notin(kept.first)).select("spot")
    database.run(f"DELETE FROM {JOBS} WHERE rowid IN ({database.text(gone)})")
    found = Counter({SAME: 0})
    again = alike.filter(alike.read > 0)
    groups = again.group_by("kind", "there").aggregate(jobs=again.count(), rows=again.read.sum())
    for group in database.rows(job_table.with_kinds(database, groups)):
        found[SAME] += group["rows"] - group["jobs"]
        if group["there"]:
            found[ASIDE.get(group["why"], SAME)] += group["jobs"]
    return found


def _known(database: Database, keys: Iterable[JobKey]) -> Any:
    """The jobs of the ledger that have an entry each, as a table."""
    rows = [key._asdict() for key in keys]
    return database.put_rows("ledger", rows, {name: COLUMNS[name] for name in ("cluster", "id", "submit")})


def _keyed(table: Any) -> Any:
    """A table of jobs with the place of each row, and a number by which those of one job are found."""
    found = table.mutate(spot=table.rowid(), sent=table.submit.fill_null(-1))
    return found.mutate(key=found.cluster.concat("/", found.id, "@", found.sent.cast("string")).hash())


def _contents(shared: Any, known: Any) -> Any:
    """All that differs of what rows say of jobs: which row of those that say the same is kept, how many of them were
    read, whether the ledger has one, and whether they `differ` from others of their job."""
    import ibis

    every = [name for name in shared.columns if name not in ("spot", "file", "month", "none", "submit")]
    of_ledger = shared.file == LEDGER
    found = shared.group_by([*every, "submit"]).aggregate(
        first=ibis.coalesce(shared.spot.min(where=of_ledger), shared.spot.min()),
        read=(~of_ledger).ifelse(1, 0).sum(),
        there=of_ledger.any(),
    )
    several = found.count().over(ibis.window(group_by=list(_JOB))) > 1
    return found.mutate(differ=several | found.key.isin(known.key))


def _hand_over(database: Database, states: Any, merged: Merged, source: ImportSource) -> None:
    """Gives states of jobs to the plain reader, each as often as it was read."""
    there, read = [], []
    for row in database.rows(job_table.with_kinds(database, states)):
        state = archive.job_of(row, source)
        there += [state] if row["there"] else []
        read += [archive.job_of(row, source) for _ in range(row["read"])]  # an object is taken for one row
    merged.open(Month(), there)
    for state in read:
        merged.add(state)


def hand_over_months(database: Database, merged: Merged, source: ImportSource, months: list[str]) -> None:
    """Gives all jobs of some months to the plain reader, and leaves none of them in the table."""
    jobs = database.table(JOBS)
    some = jobs.filter(jobs.month.isin(months))
    for row in database.rows(job_table.with_kinds(database, some)):
        merged.add(archive.job_of(row, source))
    spots = _keyed(jobs)
    database.run(
        f"DELETE FROM {JOBS} WHERE rowid IN ({database.text(spots.filter(spots.month.isin(months)).select('spot'))})"
    )


def read_jobs(database: Database) -> Counter[str]:
    """What the rows of exports are that are left in the table, by the words of `Merged.fates`."""
    jobs = database.table(JOBS)
    read = jobs.filter(jobs.file != LEDGER)
    groups = database.rows(job_table.with_kinds(database, read.group_by("kind").aggregate(jobs=read.count())))
    found: Counter[str] = Counter()
    for group in groups:
        found[ASIDE.get(group["why"], NEW)] += group["jobs"]
    return found
