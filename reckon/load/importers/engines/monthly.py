"""What jobs in the table come to by month: counted, as a file of jobs, and the most GPUs that they held at one time."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

from reckon.model.records.imports import NO_GPUS, gpus_in

from .. import archive
from ..counting import CLOCKS, Counts, Peak, count_group
from .conditions import ibis
from .database import Database
from .expression import Query, add_stretches
from .offsets import FIRST_YEAR, LAST_YEAR, since_1970

_GROUPS = f"""
SELECT counted.*, kinds.* EXCLUDE (kind)
FROM (
    SELECT month, kind, run, status, none, state AS word,
        CASE WHEN alone THEN start END AS start, CASE WHEN alone THEN "end" END AS "end",
        CASE WHEN alone THEN submit END AS submitted, CASE WHEN alone THEN elapsed END AS each,
        CASE WHEN ran AND rule IS NULL THEN name END AS job_name,
        CASE WHEN why = '{NO_GPUS}' THEN partition END AS partition,
        CASE WHEN why = '{NO_GPUS}' THEN nodes ELSE 1 END AS nodes,
        CASE WHEN NOT alone THEN stretch END AS stretch, took = 0 AS empty,
        count(*) AS jobs, sum(took) AS seconds, min(first_day) AS first_day, max(last_day) AS last_day
    FROM (
        SELECT *, elapsed != took::VARCHAR
            OR (ran AND NOT (within AND coalesce(begins >= ? AND ends < ?, false))) AS alone
        FROM stretched
    )
    GROUP BY ALL
) AS counted JOIN kinds USING (kind)
"""
"""Jobs that are alike, with their number and seconds: those that go on beyond an edge, or whose seconds are not a whole
number, with what is said of each."""
_PEAKS = f"""
WITH held AS (
    SELECT card, units, start, "end" - {CLOCKS} AS stop FROM jobs JOIN held_parts USING (kind)
    WHERE month = ? AND "end" - start > {CLOCKS} AND "end" - start <= took + {CLOCKS}
), changes AS (
    SELECT card, start AS moment, units FROM held UNION ALL SELECT card, stop, -units FROM held
), moments AS (
    SELECT card, moment, sum(units) AS units
    FROM (FROM changes UNION ALL SELECT '', moment, units FROM changes)
    GROUP BY card, moment
), levels AS (
    SELECT card, moment, sum(units) OVER (PARTITION BY card ORDER BY moment) AS units FROM moments
)
FROM levels QUALIFY row_number() OVER (PARTITION BY card ORDER BY units DESC, moment) = 1 ORDER BY card
"""


def count_by_month(database: Database) -> Counter[str]:
    """How many jobs there are in each month."""
    groups = database.rows("SELECT month, count(*) AS jobs FROM jobs GROUP BY month")
    return Counter({group["month"]: group["jobs"] for group in groups})


def count_months(database: Database, query: Query) -> dict[str, Counts]:
    """The jobs by month, counted."""
    jobs = database.table("whole_jobs")
    jobs = jobs.mutate(began=jobs.start, ended=jobs.end, candidate=ibis.literal(True), ran=jobs.why.isnull())
    database.view("stretched", database.text(add_stretches(jobs, query)))
    months: dict[str, Counts] = {}
    for group in database.rows(_GROUPS, since_1970(FIRST_YEAR), since_1970(LAST_YEAR + 1)):
        counts = months.setdefault(group["month"], Counts(query.edges, query.zone))
        count_group(counts, group, archive.assignment_of(group), gpus_in(group["gpus"] or ""))
    return months


def write_file(database: Database, month: str, path: Path) -> archive.Written:
    """Writes the jobs of a month as a file of jobs, in the order of `merging.order`."""
    columns = ", ".join(f'"{name}"' for name in archive.JobLine.__struct_fields__)
    order = "coalesce(start, submit, 0), cluster, id, coalesce(submit, 0)"
    rows = database.rows(f"SELECT {columns} FROM whole_jobs WHERE month = ? ORDER BY {order}", month)
    with path.open("wb") as file:
        return archive.write(rows, file)


def find_peaks(database: Database, month: str) -> list[Peak]:
    """As `counting.peaks_of`, of the jobs of a month: in whole numbers of the largest part of a GPU that all are made
    of."""
    parts = list(database.rows("SELECT kind, unnest(parts, recursive := true) FROM kinds"))
    per_gpu = math.lcm(*(Fraction(part["gpus"]).denominator for part in parts))
    rows = [{**part, "units": int(Fraction(part["gpus"]) * per_gpu)} for part in parts]
    database.put_rows("held_parts", rows, {"kind": "int64", "card": "string", "units": "int64"})
    peaks = database.rows(_PEAKS, month)
    return [Peak(row["card"], Fraction(int(row["units"]), per_gpu), row["moment"]) for row in peaks]
