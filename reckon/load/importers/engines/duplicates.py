"""Jobs that stand in the table more than once, or in the ledger too: what differs goes to the plain reader's `Merged`.

Rows of a job that say the same are one row afterwards. Of a job whose rows differ none is left: which of its states
stands, and what the others are, is said in Python.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from .. import archive
from ..merging import ASIDE, Merged, Month
from ..tally import NEW, SAME
from .conditions import ibis
from .database import Database
from .job_table import COLUMNS, JOBS, LEDGER, join_kinds

_JOB = ["cluster", "id", "sent"]
"""What makes a job one job; `sent` is when it was submitted, -1 where that is not known."""


def settle(database: Database, merged: Merged) -> Counter[str]:
    """Leaves each job once in the table, and gives those to `merged` of which rows differ or that the ledger has. Says
    what the rows were that say what the table has of another one."""
    jobs = _add_keys(database.table(JOBS))
    rows = [key._asdict() for key in merged.before]
    ledger = database.put_rows("ledger", rows, {name: COLUMNS[name] for name in ("cluster", "id", "submit")})
    known = database.keep("known", _add_keys(ledger).select("key"))
    counts = jobs.group_by("key").aggregate(rows=jobs.count())
    several = counts.filter(counts.rows > 1)
    shared = database.keep("shared", jobs.filter(jobs.key.isin(several.key) | jobs.key.isin(known.key)))
    contents = database.keep("contents", _group_contents(shared, known))
    _hand_over(database, contents.filter(contents.differ), merged)
    same = contents.filter(~contents.differ)
    _delete(database, shared.filter(shared.spot.notin(same.first)))
    found = Counter({SAME: 0})
    repeated = same.filter(same.read > 0)
    groups = repeated.group_by("kind", "in_ledger").aggregate(jobs=repeated.count(), rows=repeated.read.sum())
    for group in database.rows(join_kinds(database, groups)):
        found[SAME] += group["rows"] - group["jobs"]
        if group["in_ledger"]:
            found[ASIDE.get(group["why"], SAME)] += group["jobs"]
    return found


def _add_keys(table: Any) -> Any:
    """A table of jobs with the place of each row, and a number by which those of one job are found."""
    rows = table.mutate(spot=table.rowid(), sent=table.submit.fill_null(-1))
    name = rows.cluster.concat("/", rows.id, "@", rows.sent.cast("string"))
    return rows.mutate(key=name.hash())


def _delete(database: Database, jobs: Any) -> None:
    """Takes jobs out of the table."""
    database.run(f"DELETE FROM {JOBS} WHERE rowid IN ({database.text(jobs.select('spot'))})")


def _group_contents(shared: Any, known: Any) -> Any:
    """All that differs of what rows say of jobs: which row of those that say the same is kept, how many of them were
    read, whether the ledger has one, and whether they `differ` from others of their job."""
    facts = [name for name in shared.columns if name not in ("spot", "file", "month", "none")]
    of_ledger = shared.file == LEDGER
    first = shared.spot.min(where=of_ledger).coalesce(shared.spot.min())
    groups = shared.group_by(facts)
    contents = groups.aggregate(first=first, read=(~of_ledger).sum(), in_ledger=of_ledger.any())
    several = contents.count().over(ibis.window(group_by=_JOB)) > 1
    return contents.mutate(differ=several | contents.key.isin(known.key))


def _hand_over(database: Database, states: Any, merged: Merged) -> None:
    """Gives states of jobs to the plain reader, each as often as it was read."""
    of_ledger, read = [], []
    for row in database.rows(join_kinds(database, states)):
        if row["in_ledger"]:
            of_ledger.append(archive.job_of(row, merged.settings))
        read += [archive.job_of(row, merged.settings) for _ in range(row["read"])]  # an object is taken for one row
    merged.open(Month(), of_ledger)
    for state in read:
        merged.add(state)


def hand_over_months(database: Database, merged: Merged, months: list[str]) -> None:
    """Gives all jobs of some months to the plain reader, and leaves none of them in the table."""
    jobs = _add_keys(database.table(JOBS))
    moved = jobs.filter(jobs.month.isin(months))
    for row in database.rows(join_kinds(database, moved)):
        merged.add(archive.job_of(row, merged.settings))
    _delete(database, moved)


def count_read(database: Database) -> Counter[str]:
    """What the rows of exports are that are left in the table, by the words of `Merged.fates`."""
    jobs = database.table(JOBS)
    read = jobs.filter(jobs.file != LEDGER)
    groups = read.group_by("kind").aggregate(jobs=read.count())
    found: Counter[str] = Counter()
    for group in database.rows(join_kinds(database, groups)):
        found[ASIDE.get(group["why"], NEW)] += group["jobs"]
    return found
