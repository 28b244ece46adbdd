"""Which rows of a table are attempts of their jobs, and of each attempt the state that stands, as expressions: what
`merging` and `attempts` say of rows in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reckon.model.patterns import GROUPS

from ..job import RUNNING
from .conditions import ibis

FACTS = ("word", "tres", "rule", *GROUPS, "unstated", "untyped", "job_name", "partition", "nodes")
"""What is said of rows that make one group."""
_RANKS = ("rank_0", "rank_1", "rank_2")
_JOB = ("candidate", "cluster", "of_id", "submit")


def find_standing(table: Any) -> Any:
    """Whether a row is a state that `stands` of an attempt that counts; whether it `repeats` another one; whether it is
    `closed`, since another attempt came after it; and whether it is `tied`: nothing says whether it counts beside
    another one of its job, or which of two states is the later."""
    running = table.status == RUNNING
    latest = running.ifelse(table.took, table.ended.fill_null(0))
    longest = running.ifelse(0, table.took)
    starts = table.began.coalesce(table.ended - table.took)
    stops = table.ended.coalesce(table.began + table.took)
    rows = table.mutate(rank_0=running.ifelse(0, 1), rank_1=latest, rank_2=longest, starts=starts, stops=stops)
    attempt = [*_JOB, "starts"]
    ordered = ibis.window(group_by=attempt, order_by=[*map(ibis.desc, _RANKS), *FACTS])
    columns = {"number": ibis.row_number().over(ordered)}
    # Not the number of different ones: Spark has no such window.
    all_rows = ibis.window(group_by=attempt)
    columns["other_tres"] = rows.tres.min().over(all_rows) != rows.tres.max().over(all_rows)
    for name in _RANKS:
        columns[f"top_{name}"] = rows[name].first().over(ordered)
    for name in (*_RANKS, *FACTS):
        columns[f"before_{name}"] = rows[name].lag().over(ordered)
    rows = rows.mutate(columns)
    later = rows.candidate & (rows.number > 0)
    same = _are_equal(rows, "before", FACTS)
    other = _are_equal(rows, "top", _RANKS) & ~same
    undated = rows.starts.isnull() & (rows.rank_0 == 0)
    repeats = later & same & _are_equal(rows, "before", _RANKS)
    unlike = later & (other | rows.other_tres | undated)
    best = rows.candidate & (rows.number == 0)
    rows = rows.mutate(best=best, repeats=repeats.fill_null(False), unlike=unlike.fill_null(False))
    return _choose_attempts(rows)


def _are_equal(table: Any, other: str, names: Iterable[str]) -> Any:
    """Whether a row has the same in some columns as another one."""
    return ibis.and_(*(table[f"{other}_{name}"] == table[name] for name in names))


def _choose_attempts(table: Any) -> Any:
    """Of the attempts of a job those that count: none lies within another one, or partly so."""
    by_time = ["starts", ibis.desc("stops"), "number"]
    before = ibis.window(group_by=_JOB, order_by=by_time, preceding=(None, 1))
    after = ibis.window(group_by=_JOB, order_by=by_time, following=(1, None))
    job = ibis.window(group_by=_JOB)
    busy = table.best.ifelse(table.stops, None).max()
    attempts = table.best.sum()
    dated = (table.best & table.starts.notnull()).sum()
    rows = table.mutate(busy=busy.over(before), attempts=attempts.over(job), dated=dated.over(job))
    undated = rows.starts.isnull()
    free = rows.busy.isnull() | (rows.starts >= rows.busy)
    has_ended = rows.rank_0 == 1
    counts = undated.ifelse((rows.dated == 0) | has_ended, free)
    partly = undated.ifelse(has_ended, ~free & (rows.stops > rows.busy))
    tied = rows.best & (rows.attempts > 1) & partly.fill_null(False)
    rows = rows.mutate(stands=rows.best & counts.fill_null(True), tied=rows.unlike | tied)
    next_ones = rows.stands.sum().over(after).fill_null(0)
    rows = rows.mutate(closed=rows.stands & (rows.rank_0 == 0) & (next_ones > 0))
    return rows.mutate(ended=rows.closed.ifelse(rows.stops, rows.ended))
