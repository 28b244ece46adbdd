"""Jobs that stand in the table more than once, or in the ledger too: what differs goes to the plain reader's `Merged`.

Rows of a job that say the same are one row afterwards. Of a job whose rows differ none is left: which of its states
stands, and what the others are, is said in Python. A job is one by its cluster, its id and when it was submitted.
"""

from __future__ import annotations

from collections import Counter

from .. import archive
from ..merging import ASIDE, Merged, Month
from ..tally import NEW, SAME
from .database import Database
from .job_table import COLUMNS, LEDGER

_FIND = f"""
CREATE OR REPLACE VIEW keyed AS SELECT *, rowid AS spot, hash(cluster, id, submit) AS key FROM jobs;
CREATE OR REPLACE VIEW known AS SELECT hash(cluster, id, submit) AS key FROM ledger;
CREATE OR REPLACE TABLE shared AS
    FROM keyed SEMI JOIN (SELECT key FROM keyed GROUP BY key HAVING count(*) > 1 UNION FROM known) USING (key);
CREATE OR REPLACE TABLE contents AS
    SELECT *, key IN (FROM known) OR count(*) OVER (PARTITION BY cluster, id, submit) > 1 AS differ
    FROM (
        SELECT * EXCLUDE (spot, file, month, none),
            coalesce(min(spot) FILTER (file = {LEDGER}), min(spot)) AS first,
            count(*) FILTER (file != {LEDGER}) AS read,
            bool_or(file = {LEDGER}) AS in_ledger
        FROM shared GROUP BY ALL
    )
"""
"""All that differs of what rows say of jobs that have several: which row of those that say the same is kept, how many
of them were read, whether the ledger has one, and whether they differ from others of their job."""


def settle(database: Database, merged: Merged) -> Counter[str]:
    """Leaves each job once in the table, and gives those to `merged` of which rows differ or that the ledger has. Says
    what the rows were that say what the table has of another one."""
    rows = [key._asdict() for key in merged.before]
    database.put_rows("ledger", rows, {name: COLUMNS[name] for name in ("cluster", "id", "submit")})
    database.run(_FIND)
    _hand_over(database, merged)
    database.run("""
        DELETE FROM jobs
        WHERE rowid IN (SELECT spot FROM shared) AND rowid NOT IN (SELECT first FROM contents WHERE NOT differ)
    """)
    found = Counter({SAME: 0})
    for group in database.rows("""
        SELECT why, in_ledger, count(*) AS jobs, sum(read) AS rows FROM contents JOIN kinds USING (kind)
        WHERE read > 0 AND NOT differ GROUP BY ALL
    """):
        found[SAME] += group["rows"] - group["jobs"]
        if group["in_ledger"]:
            found[ASIDE.get(group["why"], SAME)] += group["jobs"]
    return found


def _hand_over(database: Database, merged: Merged) -> None:
    """Gives states of jobs that differ to the plain reader, each as often as it was read."""
    of_ledger = []
    read = []
    for row in database.rows("FROM contents JOIN kinds USING (kind) WHERE differ"):
        if row["in_ledger"]:
            of_ledger.append(archive.job_of(row, merged.settings))
        read += [archive.job_of(row, merged.settings) for _ in range(row["read"])]  # an object is taken for one row
    merged.open(Month(), of_ledger)
    for state in read:
        merged.add(state)


def hand_over_month(database: Database, merged: Merged, month: str) -> None:
    """Gives all jobs of a month to the plain reader, and leaves none of them in the table."""
    for row in database.rows("FROM whole_jobs WHERE month = ?", month):
        merged.add(archive.job_of(row, merged.settings))
    database.run("DELETE FROM jobs WHERE month = ?", month)


def count_read(database: Database) -> Counter[str]:
    """What the rows of exports are that are left in the table, by the words of `Merged.fates`."""
    found: Counter[str] = Counter()
    query = "SELECT why, count(*) AS jobs FROM whole_jobs WHERE file != ? GROUP BY why"
    for group in database.rows(query, LEDGER):
        found[ASIDE.get(group["why"], NEW)] += group["jobs"]
    return found
