"""The jobs of a month as a file of Parquet, written by the engine: what an entry keeps of a job, sorted.

It has the columns of `archive.schema`, and is the same for the same jobs, in whatever order they were read.
"""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from pathlib import Path

from reckon.model.records.imports import KEPT, gpus_text

from ..assign import Assignment
from ..counting import CLOCKS, Peak
from ..stored import why_aside
from .assigning import STORED, Jobs
from .duck import THREADS, Duck, quoted
from .rows import PARTS

ROWS = 100_000
"""Of a group of rows in a file."""
_MADE = {
    "made": "INTEGER",
    "why": "VARCHAR",
    "by_rule": "VARCHAR",
    "of_seed": "VARCHAR",
    "unplanned": "BOOLEAN",
    "parts": "STRUCT(item VARCHAR, card VARCHAR, gpus VARCHAR)[]",
}
_HELD = {"held": "INTEGER", "held_text": "VARCHAR"}
_ELAPSED = (
    f"elapsed::VARCHAR || CASE WHEN rest = 0 THEN '' "
    f"ELSE '.' || rtrim(lpad(rest::VARCHAR, {len(str(PARTS)) - 1}, '0'), '0') END"
)
_SAID = (
    "cluster",
    "id",
    "also",
    "state",
    "status",
    f"{_ELAPSED} AS elapsed",
    "held_text AS gpus",
    *KEPT,
    "why",
    "by_rule AS rule",
    "of_seed AS seed",
    "run",
)
_NUMBERS = ("submit", "began AS start", "ended AS end", "nodes::BIGINT AS nodes")
_PART = 60
"""Seconds of a part of time in which the most that is held is sought."""


def prepare_kept(duck: Duck, jobs: Jobs) -> None:
    """The tables of what rules made, and of GPUs, as a file of jobs says them."""
    for table, columns in (("assigned", _MADE), ("stated", _HELD)):
        duck.run(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
    duck.fill(
        "assigned",
        _MADE,
        (
            (number, _why(made), made.rule, made.seed, made.unplanned, _parts(made))
            for number, made in enumerate(jobs.made)
        ),
    )
    stated = ((number, gpus_text(gpus)) for number, gpus in enumerate(jobs.held))
    duck.fill("stated", _HELD, stated)


def _why(made: Assignment) -> str:
    if made.portions:
        return ""
    return why_aside(made)


def _parts(made: Assignment) -> list[dict[str, str]]:
    return [{"item": part.item, "card": part.card, "gpus": str(part.gpus)} for part in made.portions]


def write_kept(duck: Duck, where: str, span: tuple[int, int], path: Path) -> str:
    """Writes the jobs that stand and for which a condition is true, all of which begin in a span of seconds if they say
    when; gives the checksum of the file."""
    texts = [each.rpartition(" AS ")[::2] if " AS " in each else (each, each) for each in _SAID]
    said = ", ".join(f"nullif({text}::VARCHAR, '') AS {name}" for text, name in texts)
    # What is asked first is known of whole groups of rows, of which most are then not looked at.
    parts = (f"began BETWEEN {span[0]} AND {span[1]}", "began IS NULL")
    found = " UNION ALL ".join(f"SELECT * FROM told WHERE {part} AND ({where})" for part in parts)
    order = "coalesce(began, submit, 0), cluster, id, coalesce(submit, 0)"
    # Sorted with numbers for what is said of many, which take little room; then put down row by row.
    duck.run("SET preserve_insertion_order = true")
    duck.run(f"CREATE OR REPLACE TABLE sorted AS SELECT {', '.join(STORED)} FROM ({found}) ORDER BY {order}")
    query = (
        f"SELECT {said}, {', '.join(_NUMBERS)}, unplanned, parts FROM sorted JOIN assigned USING (made) "
        f"JOIN stated USING (held)"
    )
    # One after the other, and each looked up in the tables of few: so rows stay in order, and a second group of them
    # takes no memory. Left to itself DuckDB takes the smaller side for what is looked up in.
    duck.run("SET threads = 1; SET disabled_optimizers = 'join_order,build_side_probe_side'")
    duck.run(f"COPY ({query}) TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROWS})")
    duck.run(f"RESET disabled_optimizers; SET preserve_insertion_order = false; SET threads = {THREADS}")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


_NEAR = f"""
WITH changes AS NOT MATERIALIZED ({{changes}}),
parts AS MATERIALIZED (SELECT card, moment // {_PART} AS part, sum(units) AS net, sum(greatest(units, 0)) AS more
    FROM changes GROUP BY ALL),
every AS (FROM parts
    UNION ALL SELECT '' AS card, part, sum(net) AS net, sum(more) AS more FROM parts GROUP BY part),
levels AS MATERIALIZED (SELECT card, part, more,
    sum(net) OVER (PARTITION BY card ORDER BY part ROWS UNBOUNDED PRECEDING) - net AS held FROM every)
SELECT card, part, held FROM levels JOIN (SELECT card, max(held) AS most FROM levels GROUP BY card) USING (card)
WHERE held + more >= most
"""
"""The parts of time in which most may be held, by card (an empty one for all): those in which it would be if all that
begins there did so before anything ends; and what is held when they begin."""
_MOST = f"""
WITH moments AS (SELECT near.card, part, held, moment, sum(units) AS units FROM ({{changes}}) changes
    JOIN near ON part = moment // {_PART} AND (near.card = '' OR near.card = changes.card) GROUP BY ALL),
sums AS (SELECT card, moment, held + sum(units) OVER (PARTITION BY card, part ORDER BY moment) AS held FROM moments)
SELECT DISTINCT ON (card) card, held::VARCHAR, moment FROM sums ORDER BY card, held DESC, moment
"""


def peaks(duck: Duck, jobs: Jobs, where: str, span: tuple[int, int]) -> list[Peak]:
    """As `counting.peaks_of`, of the jobs for which a condition is true: in whole numbers of the largest part of a GPU
    that all are made of."""
    parts = math.lcm(*(part.gpus.denominator for made in jobs.made for part in made.portions))
    shares = [
        (number, card, units) for number, made in enumerate(jobs.made) for card, units in _units(made, parts).items()
    ]
    columns = {"made": "INTEGER", "card": "VARCHAR", "units": "BIGINT"}
    duck.run(f"CREATE OR REPLACE TABLE shares ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
    duck.fill("shares", columns, shares)
    told = (
        f"FROM told JOIN shares USING (made) WHERE began BETWEEN {span[0]} AND {span[1]} AND ({where}) "
        f"AND ended - {CLOCKS} > began AND ended - began <= elapsed + {CLOCKS}"
    )
    changes = (
        f"SELECT card, began AS moment, units {told} UNION ALL "
        f"SELECT card, ended - {CLOCKS} AS moment, -units AS units {told}"
    )
    duck.run(f"CREATE OR REPLACE TABLE near AS {_NEAR.format(changes=changes)}")
    found = sorted(duck.rows(_MOST.format(changes=changes)))
    return [Peak(card, Fraction(int(units), parts), moment) for card, units, moment in found]


def _units(made: Assignment, parts: int) -> dict[str, int]:
    """The GPUs of an assignment by card, in such parts of one."""
    found: dict[str, int] = {}
    for part in made.portions:
        found[part.card] = found.get(part.card, 0) + int(part.gpus * parts)
    return found
