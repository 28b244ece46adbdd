"""Of several states of a job the one that stands, told by the engine; by the plain order of two of one rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from itertools import groupby, pairwise

from .assigning import ALIKE, KEEP, KEEP_IF_LONG, STORED, Jobs
from .duck import Duck
from .rows import JOB
from .staging import BEFORE

AT_ONCE, MOST_PARTS = 700_000, 200
"""Jobs among which those of several states are sought at one time."""
_RUN = "coalesce(nullif(CASE WHEN coalesce(s.ran, true) THEN j.run ELSE '' END, ''), s.own_run, '')"
_ALIVE = f"""
CREATE VIEW alive AS
SELECT j.rowid AS spot, j.* REPLACE ({_RUN} AS run, coalesce(j.made, s.made) AS made, coalesce(j.held, s.held) AS held,
    coalesce(j.none, s.none) AS none)
FROM jobs j LEFT JOIN sorts s USING ({', '.join(ALIKE)})
WHERE j.what = {JOB} AND (j.made IS NOT NULL OR s.keep = {KEEP} OR (s.keep = {KEEP_IF_LONG} AND j.elapsed > 0))
"""
_CONTENT = ("status", "state", "began", "ended", "elapsed", "rest", "also", "held", "name", "account", "partition",
            "qos", "run", "made")  # fmt: skip
"""What is kept of a job; and on how many nodes it was, where it is not a run of the project."""
_RANK = ("CASE WHEN status = 'running' THEN 0 ELSE 1 END",
         "CASE WHEN status = 'running' THEN elapsed ELSE coalesce(ended, 0) END",
         "CASE WHEN status = 'running' THEN rest ELSE elapsed END",
         "CASE WHEN status = 'running' THEN 0 ELSE rest END")  # fmt: skip
"""`StoredJob.rank`, part by part."""


def settle(duck: Duck, jobs: Jobs, source: str, zone: tzinfo | None, stale: bool) -> None:
    """Finds the states of jobs that others take the place of; the view `standing` has the rest of the table.

    `stale` where what is in the ledger was made by other rules: then the same from a file takes its place.
    """
    duck.run(_ALIVE)
    duck.run("CREATE TABLE lost (spot BIGINT)")
    table = "CREATE TABLE rivals AS"
    for some in _parts(duck):
        # Few have several states: those whose keys stand twice are found first, by numbers alone.
        duck.run(f"CREATE OR REPLACE TABLE twice AS SELECT hash(cluster, id, submit) AS key FROM jobs "
                 f"WHERE what = {JOB} AND {some} GROUP BY key HAVING count(*) > 1")  # fmt: skip
        duck.run(f"{table} {_rivals(jobs.runs, some, stale)}")
        table = "INSERT INTO rivals"
    duck.run("INSERT INTO lost SELECT spot FROM rivals WHERE place > 1")
    for first, wins in _ties(duck, jobs, source, zone):
        if first != wins:
            duck.run(f"DELETE FROM lost WHERE spot = {wins}")
            duck.run(f"INSERT INTO lost VALUES ({first})")
    duck.run("CREATE VIEW standing AS SELECT * FROM alive WHERE spot NOT IN (SELECT spot FROM lost)")


def _parts(duck: Duck) -> list[str]:
    """All jobs in parts for which memory has room, as conditions: states of a job have one time of submission."""
    (rows,) = duck.only(f"SELECT count(*) FROM jobs WHERE what = {JOB}")
    many = min(rows // AT_ONCE, MOST_PARTS)
    if not many:
        return ["true"]
    shares = ", ".join(str(number / (many + 1)) for number in range(1, many + 1))
    (edges,) = duck.only(f"SELECT approx_quantile(submit, [{shares}]) FROM jobs WHERE what = {JOB}")
    edges = sorted(set(edges or ()))
    between = [f"submit >= {first} AND submit < {after}" for first, after in pairwise(edges)]
    ends = [f"submit < {edges[0]}", f"submit >= {edges[-1]}"] if edges else ["submit IS NOT NULL"]
    return ["submit IS NULL", *ends, *between]


def _rivals(ran: str, some: str, stale: bool) -> str:
    """States of jobs that have several: their places by rank, and whether they say what the first of them does."""
    ranks = ", ".join(f"{rank} AS rank{number}" for number, rank in enumerate(_RANK))
    found = (f"SELECT spot, file, cluster, id, submit, {ranks}, made IN ({ran}) AS ran, "
             f"struct_pack({', '.join(f'{name} := {name}' for name in _CONTENT)}, "
             f"nodes := CASE WHEN made IN ({ran}) THEN 0 ELSE nodes END) AS content "
             f"FROM alive WHERE {some} AND hash(cluster, id, submit) IN (SELECT key FROM twice)")  # fmt: skip
    key, order = "PARTITION BY cluster, id, submit", ", ".join(f"rank{number} DESC" for number in range(len(_RANK)))
    equal = f"{order}, file > {BEFORE} DESC" if stale else order
    return (f"SELECT *, row_number() OVER ({key} ORDER BY {equal}, spot) AS place, "
            f"rank() OVER ({key} ORDER BY {equal}) AS rank, "
            f"first_value(content) OVER ({key} ORDER BY {equal}, spot) AS best FROM ({found})")  # fmt: skip


def _ties(duck: Duck, jobs: Jobs, source: str, zone: tzinfo | None) -> Iterator[tuple[int, int]]:
    """Where several states of a job have the highest rank and say different things: the one that the engine let stand,
    and the one that does."""
    tied = ("SELECT cluster, id, submit FROM rivals WHERE rank = 1 AND content IS DISTINCT FROM best "
            "GROUP BY cluster, id, submit")  # fmt: skip
    columns = ", ".join(f"alive.{name}" for name in STORED)
    rows = duck.rows(
        f"SELECT r.spot, {columns} FROM rivals r JOIN alive USING (spot) SEMI JOIN ({tied}) t ON r.cluster = t.cluster "
        "AND r.id = t.id AND r.submit IS NOT DISTINCT FROM t.submit WHERE r.rank = 1 "
        "ORDER BY r.cluster, r.id, r.submit, r.place"
    )
    for _, alike in groupby(rows, lambda row: row[1:4]):
        states = [(row[0], jobs.job(row[1:])) for row in alike]
        yield states[0][0], max(states, key=lambda state: state[1].lines(source, zone))[0]


def changed(duck: Duck, jobs: Jobs) -> Counter[str]:
    """How many of the runs that were read are `new`, `replaced`, or the `same`."""
    ran = jobs.runs
    found: Counter[str] = Counter()
    alone = f"SELECT count(*) FROM told WHERE file > {BEFORE} AND made IN ({ran})"
    found["new"] = duck.only(alone)[0]
    was = f"any_value(content) FILTER (file = {BEFORE}) AS was, bool_or(ran) FILTER (file = {BEFORE}) AS was_ran"
    now = "any_value(content) FILTER (spot NOT IN (SELECT spot FROM lost)) AS now, " \
          f"bool_or(ran) FILTER (spot NOT IN (SELECT spot FROM lost)) AS now_ran, " \
          f"bool_or(file > {BEFORE} AND spot NOT IN (SELECT spot FROM lost)) AS from_file"  # fmt: skip
    both = f"HAVING bool_or(file = {BEFORE}) AND bool_or(file > {BEFORE})"
    rows = duck.rows(
        "SELECT was IS NOT DISTINCT FROM now AS same, was_ran, now_ran, from_file, count(*) FROM "
        f"(SELECT {was}, {now} FROM rivals GROUP BY cluster, id, submit {both}) GROUP BY ALL"
    )
    for same, was_ran, now_ran, from_file, many in rows:
        if now_ran and from_file:
            found["new"] -= many
        if now_ran or was_ran:
            found["same" if same else "replaced" if was_ran else "new"] += many
    return Counter({name: many for name, many in found.items() if many})
