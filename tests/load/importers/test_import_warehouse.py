"""An organisation's accounting counted by an engine gives what the plain reader gives of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exported import HAND, HEAD, export
from tests.warehoused import EDGES, by_engine, cells, compared, plainly

ibis = pytest.importorskip("ibis")
pa = pytest.importorskip("pyarrow")

RULED = (
    HAND.replace("UTC", "Europe/Oslo")
    + r"""  only: {partition: 'accel|mig|cpu'}
  statuses: {timeout: completed}
  rules:
    halves: {when: {name: 'train|☃'}, split: {sft: 1/3, rft: 2/3}}
    seeds: {when: {name: '(?P<item>sft|rft)-s(?P<seed>\d+)(?:-(?P<run>[a-z]+))?'}}
    other: {when: {name: 'sweep .*'}, ignore: it is another project's}
    rest: {when: {name: '[^{].*', account: '(?:ac1)?'}, item: data}
  gpus:
    mig: {when: {partition: mig}, if: untyped, share: 1/7, until: 2025-03-15}
    old: {when: {partition: cpu, name: 't.*'}, if: unstated, count: 2, card: v100, since: 2025-02-20}
"""
)
STATES = ("RUNNING", "COMPLETED", "FAILED", "CANCELLED by 1001", "TIMEOUT", "REQUEUED", "PENDING", "completed")
TRES = ("gres/gpu:a100=1", "cpu=8,gres/gpu=3,mem=4G", "billing=3,gres/gpu:l40s=2,gres/gpu=2", "cpu=1", "",
        "cpu=4,gres/gpu:a100=1,gres/gpu=3,gres/gpumem=80G,gres/gpuutil=7,node=1", "gres/gpu=0", "gres/shard=4")  # fmt: skip
NAMES = ("train", "sweep one", "öl", "'quoted'", "{x}", "sft-s1", "rft-s3-b", "☃", "tab\there", "x" * 1200, "")
TIMES = st.sampled_from(("T00:00:00", "T02:30:00", "T01:59:59", "T03:00:00", "T23:59:59", "T12:00:00"))
DAYS = st.sampled_from(("2025-02-28", "2025-03-01", "2025-03-15", "2025-03-30", "2025-10-26", "2025-10-31", "2025-11-01"))
MOMENTS = st.builds(lambda day, time, ahead: day + time + ahead, DAYS, TIMES,
                    st.sampled_from(("", "", "", "Z", "+01:00")))  # fmt: skip


def later(start: str, seconds: int) -> str:
    """What the clock shows, were it never changed, so long after."""
    moment = datetime.fromisoformat(start) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


@st.composite
def row(draw: Any) -> dict[str, str]:
    start, took = draw(MOMENTS), draw(st.sampled_from((0, 1, 3600, 7200, 200_000)))
    end = later(start, took + draw(st.sampled_from((0, 0, 0, 3600, -3600, 7))))
    found = {
        "JobIDRaw": draw(st.sampled_from(("1", "2", "3", "4_2", "5_[3-4]", "6+1", "7.batch", "8.0"))),
        "Cluster": draw(st.sampled_from(("", "fox", "a/b"))),
        "Submit": draw(st.sampled_from(("2025-02-01T00:00:00", "1738368000", "2025-10-26T02:30:00"))),
        "State": draw(st.sampled_from(STATES)),
        "Start": draw(st.sampled_from((start, start, start, "Unknown", "1740787200"))),
        "End": draw(st.sampled_from((end, end, end, "Unknown"))),
        "ElapsedRaw": str(took),
        "AllocTRES": draw(st.sampled_from(TRES)),
        "NNodes": draw(st.sampled_from(("", "1", "4"))),
        "JobName": draw(st.sampled_from(NAMES)),
        "Account": draw(st.sampled_from(("ac1", "ac2", ""))),
        "Partition": draw(st.sampled_from(("accel", "mig", "cpu", "big"))),
    }
    return found


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    found = ibis.duckdb.connect()
    yield found
    found.disconnect()


def of_duckdb(engine: Any, rows: list[dict[str, str]]) -> Any:
    engine.con.register("jobs", pa.table(cells(rows)))
    return engine.table("jobs")


@settings(deadline=None)
@given(rows=st.lists(row(), min_size=1, max_size=30))
def test_an_engine_counts_what_the_plain_reader_counts(engine: Any, rows: list[dict[str, str]]) -> None:
    found = by_engine(RULED, of_duckdb(engine, rows))
    months, taken = plainly(RULED, export(*rows))
    if taken.problems:
        assert found.wrong
        return
    if any("neither of which" in wrong for wrong, _ in found.wrong):
        return
    assert not found.wrong
    assert compared(found.months) == compared(months)
    assert found.skipped == taken.skipped
    assert found.filled == taken.filled
    assert found.rows == taken.rows == len(rows)
    assert found.partitions == taken.partitions
