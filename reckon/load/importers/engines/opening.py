"""A month that was counted before, opened by the engine: the jobs in its file, beside those that were read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from reckon.model.records import ImportSource
from reckon.model.records.imports import IGNORED, KEPT, PARENT, UNSTATED, gpus_in

from ..archive import SOME, TEXTS
from ..assign import Assignment, Portion
from ..job import RUNNING
from .asking import first_of
from .assigning import Assigning
from .duck import Duck, quoted
from .rows import JOB, PARTS
from .staging import BEFORE

_SORTS = {
    "why": "VARCHAR",
    "rule": "VARCHAR",
    "seed": "VARCHAR",
    "unplanned": "BOOLEAN",
    "said": "VARCHAR",
    "gpus": "VARCHAR",
    "made": "INTEGER",
    "held": "INTEGER",
}


def open_month(duck: Duck, assigning: Assigning, source: ImportSource, path: Path) -> None:
    """Adds the jobs of a file, as what is in the ledger. Raises EngineFailed where it is none of ours."""
    texts = ", ".join(f"coalesce({name}, '') AS {name}" for name in TEXTS)
    fields = sorted(assigning.compiled.fields)
    asked = [(f"coalesce({name}, '')" if name in KEPT else "''") + f" AS of_{name}" for name in fields]
    texts = ", ".join([texts, "start AS began", *asked])
    rest = 'submit, start, "end" AS ended, nodes, unplanned, coalesce(parts, []) AS parts, parts::VARCHAR AS said'
    file = f"SELECT {texts}, {rest} FROM read_parquet({quoted(duck.linked(path))})"
    some = "why, rule, seed, unplanned, said, gpus"
    found = (
        _sort(assigning, row)
        for row in list(duck.rows(f"SELECT {some}, any_value(parts) FROM ({file}) GROUP BY {some}"))
    )
    duck.run(f"CREATE OR REPLACE TABLE opened ({', '.join(f'{name} {kind}' for name, kind in _SORTS.items())})")
    duck.fill("opened", _SORTS, found)
    own = quoted(str(source.cluster)) if source.cluster else "f.cluster"
    whole = "split_part(f.elapsed, '.', 1)::BIGINT"
    parts = f"rpad(split_part(f.elapsed, '.', 2), {len(str(PARTS)) - 1}, '0')::BIGINT"
    columns = {
        "file": BEFORE,
        "line": 0,
        "what": JOB,
        "cluster": f"replace({own}, '/', '-')",
        "id": "f.id",
        "submit": "f.submit",
        "began": "f.start",
        "ended": f"CASE WHEN f.status <> {quoted(RUNNING)} THEN f.ended END",
        "elapsed": whole,
        "rest": f"CASE WHEN contains(f.elapsed, '.') THEN {parts} ELSE 0 END",
        "status": "f.status",
        "state": "f.state",
        "also": "f.also",
        "nodes": "f.nodes",
        **{name: f"f.{name}" for name in KEPT},
        "run": "f.run",
        "made": "o.made",
        "held": "o.held",
        "none": _none(assigning, source),
    }
    joined = " AND ".join(f"f.{name} IS NOT DISTINCT FROM o.{name}" for name in list(_SORTS)[:6])
    duck.run(
        f"INSERT INTO jobs ({', '.join(columns)}) SELECT {', '.join(map(str, columns.values()))} "
        f"FROM ({file}) f JOIN opened o ON {joined}"
    )


def _none(assigning: Assigning, source: ImportSource) -> str:
    """Whether a rule says that a job that states no GPU had none."""
    choices = assigning.compiled.gaps[UNSTATED]
    none = [str(number) for number, choice in enumerate(choices) if source.gpus[choice.name].count == 0]
    held_none = f"(f.why IS NULL OR f.why <> '{IGNORED}')"
    return f"{held_none} AND ({first_of(choices)}) IN ({', '.join(none)})" if none else "false"


def _sort(assigning: Assigning, row: tuple[Any, ...]) -> tuple[Any, ...]:
    why, rule, seed, unplanned, _, gpus, parts = row
    portions = tuple(Portion(part[SOME[0]], part[SOME[1]], Fraction(part[SOME[2]])) for part in parts)
    made = Assignment(rule, seed, "", bool(unplanned), why == IGNORED, portions, encloses=why == PARENT)
    return (*row[:-1], assigning.number(made), assigning.number_of(gpus_in(gpus)))
