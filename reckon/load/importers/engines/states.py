"""Of several states of a job in a table the one that stands, and which are attempts of their own, as expressions."""

from __future__ import annotations

from typing import Any

from reckon.model.patterns import GROUPS

SAID = ("word", "tres", "rule", *GROUPS, "unstated", "untyped", "named", "partition", "nodes")
_RANKS = ("rank_0", "rank_1", "rank_2")
_STANDING = ("starts", "stops", "first", "stretch")
"""What is asked of the state that stands, for the others of its job."""


def last(table: Any) -> Any:
    """Whether the state of a job is the one that stands (`StoredJob.rank`), whether another one is as late and says
    something else, which an engine does not decide; and whether it says what another one says, or is an attempt of its
    own."""
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
    order = [*(ranked[name].desc() for name in _RANKS), *(ranked[name] for name in ("began", *SAID))]
    window, begun = (ibis.window(group_by=group, order_by=order) for group in (job, [*job, ranked.began]))
    ranked = ranked.mutate(
        number=ibis.row_number().over(window),
        in_attempt=ibis.row_number().over(begun),
        **{f"top_{name}": ranked[name].first().over(window) for name in (*_RANKS, *_STANDING)},
        **{f"before_{name}": ranked[name].lag().over(window) for name in (*_RANKS, "began", *SAID)},
    )
    top = ibis.and_(*(ranked[f"top_{name}"] == ranked[name] for name in _RANKS))
    other = ibis.or_(
        ranked.before_began.fill_null(-1) != ranked.began.fill_null(-1),
        *(ranked[f"before_{name}"] != ranked[name] for name in SAID),
    )
    later = ranked.candidate & (ranked.number > 0)
    ranked = ranked.mutate(
        stands=ranked.candidate & (ranked.number == 0),
        tied=(later & top & other).fill_null(False),
        repeats=(later & ~other & ibis.and_(*(ranked[f"before_{name}"] == ranked[name] for name in _RANKS))).fill_null(
            False
        ),
    )
    first = later & ranked.began.notnull() & (ranked.in_attempt == 0) & ~ranked.repeats
    return ranked.mutate(attempt=first & ~_meets(ranked))


def _meets(table: Any) -> Any:
    """Whether the times of a state meet those of the one that stands: `attempts.meet`."""
    import ibis

    start = table.starts
    stands = table.top_starts
    both = (start == stands) | ((start < table.top_stops) & (stands < table.stops))
    return ibis.ifelse(both.isnull(), (table.rank_0 == 0) | (table.top_rank_0 == 0), both)
