"""Which rows of a table are attempts of their jobs, and of each attempt the state that stands, as expressions: what
`merging` and `attempts` say of rows in memory."""

from __future__ import annotations

from typing import Any

from reckon.model.patterns import GROUPS

SAID = ("word", "tres", "rule", *GROUPS, "unstated", "untyped", "named", "partition", "nodes")
_RANKS = ("rank_0", "rank_1", "rank_2")


def last(table: Any) -> Any:
    """Whether a row is a state that `stands` of an attempt that counts; whether it `repeats` another one; whether it is
    `closed`, since another attempt came after it; and whether it is `tied`: nothing says whether it counts beside
    another one of its job, or which of two states is the later."""
    import ibis

    running = table.status == 1
    ranked = table.select(
        "why",
        *SAID,
        "candidate",
        "aside",
        "within",
        "stretch",
        "first",
        "last",
        "began",
        "ended",
        "submit",
        "took",
        "seen",
        "held",
        "asks",
        "cluster",
        "of_id",
        rank_0=running.ifelse(0, 1),
        rank_1=running.ifelse(table.took, table.ended.fill_null(0)),
        rank_2=running.ifelse(0, table.took),
        starts=ibis.coalesce(table.began, table.ended - table.took),
        stops=ibis.coalesce(table.ended, table.began + table.took),
    )
    job = [ranked[name] for name in ("candidate", "cluster", "of_id", "submit")]
    order = [*(ranked[name].desc() for name in _RANKS), *(ranked[name] for name in SAID)]
    attempt = ibis.window(group_by=[*job, ranked.starts], order_by=order)
    ranked = ranked.mutate(
        number=ibis.row_number().over(attempt),
        of_start=ranked.tres.nunique().over(ibis.window(group_by=[*job, ranked.starts])),
        **{f"top_{name}": ranked[name].first().over(attempt) for name in _RANKS},
        **{f"before_{name}": ranked[name].lag().over(attempt) for name in (*_RANKS, *SAID)},
    )
    top = ibis.and_(*(ranked[f"top_{name}"] == ranked[name] for name in _RANKS))
    other = ibis.or_(*(ranked[f"before_{name}"] != ranked[name] for name in SAID))
    later = ranked.candidate & (ranked.number > 0)
    undated = ranked.starts.isnull() & ~ranked.rank_0.cast("boolean")
    found = ranked.mutate(
        best=ranked.candidate & (ranked.number == 0),
        repeats=(later & ~other & ibis.and_(*(ranked[f"before_{name}"] == ranked[name] for name in _RANKS))).fill_null(
            False
        ),
        unlike=(later & ((top & other) | (ranked.of_start > 1) | undated)).fill_null(False),
    )
    return _among_attempts(found)


def _among_attempts(table: Any) -> Any:
    """Of the attempts of a job those that count: none lies within another one, or partly so."""
    import ibis

    job = [table[name] for name in ("candidate", "cluster", "of_id", "submit")]
    by_time = [table.starts, table.stops.desc(), table.number]
    before = ibis.window(group_by=job, order_by=by_time, preceding=(None, 1))
    after = ibis.window(group_by=job, order_by=by_time, following=(1, None))
    whole = ibis.window(group_by=job)
    best = table.best.ifelse(1, 0)
    found = table.mutate(
        busy=table.best.ifelse(table.stops, ibis.null("int64")).max().over(before),
        attempts=best.sum().over(whole),
        dated=(table.best & table.starts.notnull()).ifelse(1, 0).sum().over(whole),
    )
    undated = found.starts.isnull()
    free = found.busy.isnull() | (found.starts >= found.busy)
    found = found.mutate(
        stands=found.best & ibis.ifelse(undated, (found.dated == 0) | (found.rank_0 == 1), free).fill_null(True),
        tied=found.unlike
        | (
            found.best
            & (found.attempts > 1)
            & ibis.ifelse(undated, found.rank_0 == 1, ~free & (found.stops > found.busy)).fill_null(False)
        ),
    )
    next_one = found.stands.ifelse(1, 0).sum().over(after).fill_null(0)
    found = found.mutate(closed=found.stands & (found.rank_0 == 0) & (next_one > 0))
    return found.mutate(ended=ibis.ifelse(found.closed, found.stops, found.ended))
