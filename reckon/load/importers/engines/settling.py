"""Of several states of a job the one that stands, told by the engine; by the plain order of two of one rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from itertools import pairwise

from ..attempts import ALIKE as ROWS_ALIKE
from ..attempts import ATTEMPTS, STATES
from ..merging import IGNORED_BY, NO_GPU
from ..stored import JobKey, StoredJob
from .assigning import ALIKE, KEEP, KEEP_IF_LONG, STORED, Jobs
from .duck import Duck
from .rows import JOB, PARTS
from .staging import BEFORE

AT_ONCE, MOST_PARTS = 700_000, 200
"""Jobs among which those of several states are sought at one time."""
_RUN = "coalesce(nullif(CASE WHEN coalesce(s.ran, true) THEN j.run ELSE '' END, ''), s.own_run, '')"
_ALIVE = f"""
CREATE VIEW alive AS
SELECT j.rowid AS spot, j.* REPLACE ({_RUN} AS run, coalesce(j.made, s.made) AS made, coalesce(j.held, s.held) AS held,
    coalesce(j.none, s.none) AS none)
FROM jobs j LEFT JOIN sorts s USING ({", ".join(ALIKE)})
WHERE j.what = {JOB} AND (j.made IS NOT NULL OR s.keep = {KEEP} OR (s.keep = {KEEP_IF_LONG} AND j.elapsed > 0))
"""
_CONTENT = (
    "status",
    "state",
    "began",
    "ended",
    "elapsed",
    "rest",
    "also",
    "held",
    "name",
    "account",
    "partition",
    "qos",
    "run",
    "made",
)
"""What is kept of a job; and on how many nodes it was, where it is not a run of the project."""
_RANK = (
    "CASE WHEN status = 'running' THEN 0 ELSE 1 END",
    "CASE WHEN status = 'running' THEN elapsed ELSE coalesce(ended, 0) END",
    "CASE WHEN status = 'running' THEN rest ELSE elapsed END",
    "CASE WHEN status = 'running' THEN 0 ELSE rest END",
)
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
        duck.run(
            f"CREATE OR REPLACE TABLE twice AS SELECT hash(cluster, id, submit) AS key FROM jobs "
            f"WHERE what = {JOB} AND {some} GROUP BY key HAVING count(*) > 1"
        )
        duck.run(f"{table} {_rivals(jobs.runs, some)}")
        table = "INSERT INTO rivals"
    duck.run("CREATE TABLE ties (spot BIGINT, tie BIGINT)")
    duck.fill("ties", {"spot": "BIGINT", "tie": "BIGINT"}, _ties(duck, jobs, source, zone))
    anew = f", file > {BEFORE} DESC" if stale else ""
    order = f"{', '.join(f'{rank} DESC' for rank in RANKS)}{anew}, coalesce(tie, 0) DESC, spot"
    duck.run(f"CREATE TABLE placed AS {_placed(order)}")
    duck.run("INSERT INTO lost SELECT spot FROM placed WHERE place > 1")
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


RANKS = tuple(f"rank{number}" for number in range(len(_RANK)))
KEY = "cluster, id, submit"
_STARTS = f"coalesce(began::HUGEINT * {PARTS}, ended::HUGEINT * {PARTS} - elapsed::HUGEINT * {PARTS} - rest)"
_ENDS = f"coalesce(ended::HUGEINT * {PARTS}, began::HUGEINT * {PARTS} + elapsed::HUGEINT * {PARTS} + rest)"
"""`attempts.span_of`, in whole numbers of the parts of a second."""


def _rivals(ran: str, some: str) -> str:
    """States of jobs that have several."""
    ranks = ", ".join(f"{rank} AS {name}" for name, rank in zip(RANKS, _RANK, strict=True))
    return (
        f"SELECT spot, file, {KEY}, {ranks}, status = 'running' AS runs, made IN ({ran}) AS ran, made, began, "
        f"{_STARTS} AS starts, {_ENDS} AS ends, "
        f"struct_pack({', '.join(f'{name} := {name}' for name in _CONTENT)}, "
        f"nodes := CASE WHEN made IN ({ran}) THEN 0 ELSE nodes END) AS content "
        f"FROM alive WHERE {some} AND hash({KEY}) IN (SELECT key FROM twice)"
    )


def _placed(order: str) -> str:
    """The same with their places among all states of the job, among those of files, and of these among those that say
    the same, or began at the same moment."""
    of_files = f"file > {BEFORE}"

    def place(by: str) -> str:
        return f"row_number() OVER (PARTITION BY {KEY}{by} ORDER BY {order})"

    return (
        f"SELECT rivals.*, {place('')} AS place, {place(', ' + of_files)} AS read_place, "
        f"{place(f', {of_files}, content')} AS alike_place, "
        f"{place(f', {of_files}, began')} AS read_began_place, {place(', began')} AS began_place "
        f"FROM rivals LEFT JOIN ties USING (spot)"
    )


def _ties(duck: Duck, jobs: Jobs, source: str, zone: tzinfo | None) -> Iterator[tuple[int, int]]:
    """Where several states of a job have one rank and say different things: their order, by what is kept of them."""
    same = f"{KEY}, {', '.join(RANKS)}"
    tied = f"SELECT {same} FROM rivals GROUP BY {same} HAVING count(*) > 1 AND count(DISTINCT content) > 1"
    columns = ", ".join(f"alive.{name}" for name in STORED)
    alike = " AND ".join(f"r.{name} IS NOT DISTINCT FROM t.{name}" for name in same.split(", "))
    rows = duck.rows(f"SELECT r.spot, {columns} FROM rivals r JOIN alive USING (spot) SEMI JOIN ({tied}) t ON {alike}")
    states = [(jobs.job(row[1:]).lines(source, zone), row[0]) for row in rows]
    numbers = {lines: number for number, lines in enumerate(sorted({lines for lines, _ in states}), 1)}
    return ((spot, numbers[lines]) for lines, spot in states)


_STANDS = "coalesce(s.starts = b.starts OR (s.starts < b.ends AND b.starts < s.ends), s.runs OR b.runs)"
"""Whether the times of a state and of that which stands meet: `attempts.meet`."""
_SAME_JOB = "s.cluster = b.cluster AND s.id = b.id AND s.submit IS NOT DISTINCT FROM b.submit"


def fates(duck: Duck, jobs: Jobs) -> Counter[str]:
    """What became of the rows of jobs that were read, as `Merged.fates`."""
    found: Counter[str] = Counter()
    ignored = ", ".join(str(number) for number, made in enumerate(jobs.made) if made.ignored) or "-1"
    aside = f"CASE WHEN made IN ({ignored}) THEN '{IGNORED_BY}' ELSE '{NO_GPU}' END"
    word = f"CASE WHEN made IN ({jobs.runs}) THEN 'new' ELSE {aside} END"
    alone = f"SELECT {word} AS word, count(*) FROM told WHERE file > {BEFORE} AND spot NOT IN (SELECT spot FROM placed)"
    found.update(dict(duck.rows(f"{alone} GROUP BY word")))
    found.update(dict(duck.rows(_of_several(word))))
    found.update(dict(duck.rows(_of_others())))
    return found


def _of_several(word: str) -> str:
    """The jobs with several states of which a file has any, by what they are now beside what they were."""
    was, now = f"FILTER (file = {BEFORE})", "FILTER (place = 1)"
    every = (
        f"SELECT any_value(content) {was} AS was, bool_or(ran) {was} AS was_ran, any_value(content) {now} AS now, "
        f"bool_or(ran) {now} AS now_ran, any_value({word}) {now} AS word FROM placed GROUP BY {KEY} "
        f"HAVING bool_or(file > {BEFORE})"
    )
    runs = "now_ran OR coalesce(was_ran, false)"
    beside = "CASE WHEN was IS NOT DISTINCT FROM now THEN 'same' WHEN was_ran THEN 'replaced' ELSE 'new' END"
    return f"SELECT CASE WHEN {runs} THEN {beside} ELSE word END AS fate, count(*) FROM ({every}) GROUP BY fate"


def _of_others() -> str:
    """The rows of these that are not the state that stands among them, by what they are."""
    attempt = f"s.began IS NOT NULL AND s.read_began_place = 1 AND NOT {_STANDS}"
    fate = f"CASE WHEN s.alike_place > 1 THEN '{ROWS_ALIKE}' WHEN {attempt} THEN '{ATTEMPTS}' ELSE '{STATES}' END"
    return (
        f"SELECT {fate} AS fate, count(*) FROM placed s JOIN placed b ON {_SAME_JOB} WHERE s.file > {BEFORE} "
        f"AND s.read_place > 1 AND b.file > {BEFORE} AND b.read_place = 1 GROUP BY fate"
    )


def left_out(duck: Duck, jobs: Jobs) -> list[StoredJob]:
    """The states of jobs that began at another moment than the one that stands, as `Attempts.states` of all rows."""
    columns = ", ".join(f"alive.{name}" for name in STORED)
    rows = duck.rows(
        f"SELECT {columns} FROM placed s JOIN placed b ON {_SAME_JOB} JOIN alive ON alive.spot = s.spot "
        "WHERE s.began_place = 1 AND b.place = 1 AND s.began IS NOT NULL "
        "AND s.began IS DISTINCT FROM b.began"
    )
    return [jobs.job(row) for row in rows]


def standing_of(duck: Duck, jobs: Jobs, keys: Iterable[JobKey]) -> list[StoredJob]:
    """The states that stand of some jobs."""
    columns = {"cluster": "VARCHAR", "id": "VARCHAR", "submit": "BIGINT"}
    duck.run(f"CREATE OR REPLACE TABLE wanted ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
    duck.fill("wanted", columns, keys)
    same = "w.cluster = s.cluster AND w.id = s.id AND w.submit IS NOT DISTINCT FROM s.submit"
    rows = duck.rows(f"SELECT {', '.join(f's.{name}' for name in STORED)} FROM standing s SEMI JOIN wanted w ON {same}")
    return [jobs.job(row) for row in rows]
