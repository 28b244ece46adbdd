"""A job is one job however often, in whatever order and in how many pieces it is read; a later state replaces it."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reckon.load.importers import taking
from reckon.load.importers.taking import Taken
from tests.exported import (
    CEDAR,
    DUMPS,
    FOX,
    FROMAGE,
    HABROK,
    HAND,
    begun,
    export,
    files,
    kept,
    sample,
    seconds,
    sound,
    take,
)
from tests.trying import LONG

ORDERS = list(permutations(DUMPS))
SOME = ORDERS[:: 1 if LONG else 17]


def one_after_the_other(dumps: tuple[str, ...]) -> Taken:
    """Each in a command of its own: what is there is read back from the ledger before the next."""
    taken = begun(FROMAGE)
    for dump in dumps:
        after = begun(FROMAGE, kept(taken))
        after.exports, after.partitions = dict(taken.exports), set(taken.partitions)
        taking.take(after, sample(dump), dump)
        taken = after
    return taken


@pytest.mark.long
@pytest.mark.parametrize("dumps", SOME, ids=lambda dumps: "".join(name[8] for name in dumps))
def test_dumps_give_the_same_files_in_every_order(dumps: tuple[str, ...]) -> None:
    wanted = files(sound(FROMAGE, *DUMPS))
    assert files(sound(FROMAGE, *dumps)) == wanted
    assert files(one_after_the_other(dumps)) == wanted


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (FOX, "fox.txt"),
        (FOX, "fox-mig.txt"),
        (HABROK, "habrok.txt"),
        (CEDAR, "cedar.json"),
        *((FROMAGE, dump) for dump in DUMPS),
    ],
)
def test_what_is_written_says_all_that_the_next_import_needs(source: str, name: str) -> None:
    first = sound(source, name)
    again = begun(source, kept(first))
    again.exports, again.partitions = dict(first.exports), set(first.partitions)
    assert files(again) == files(first)
    taking.take(again, sample(name), name)
    assert files(again) == files(first)
    assert set(again.merged.count_outcomes()) <= {"same"}


# Rows of a few jobs in several states each, as dumps of a cluster hold them.
STATES = ("RUNNING", "COMPLETED", "FAILED", "TIMEOUT", "REQUEUED")
TRES = ("gres/gpu:a100=1", "gres/gpu=3", "gres/gpu:l40s=2,gres/gpu=2", "cpu=1")
NAMES = ("train", "sweep one", "öl", "a: b", "'quoted'", "#1", "{x}", "1e3", "null", "2025-01-01", "☃")


@st.composite
def rows(draw: Any) -> list[dict[str, str]]:
    found = []
    for _ in range(draw(st.integers(1, 8))):
        state, elapsed = draw(st.sampled_from(STATES)), draw(st.integers(0, 200_000))
        day, hour = draw(st.integers(1, 28)), draw(st.integers(0, 23))
        month = draw(st.sampled_from(("02", "03", "10")))
        start = f"2025-{month}-{day:02}T{hour:02}:30:00"
        end = "Unknown" if state == "RUNNING" else f"2025-{month}-{day:02}T{hour:02}:59:59"
        found.append(
            {
                "JobIDRaw": str(draw(st.integers(1, 4))),
                "State": state,
                "ElapsedRaw": str(elapsed),
                "Start": start,
                "End": end,
                "JobName": draw(st.sampled_from(NAMES)),
                "AllocTRES": draw(st.sampled_from(TRES)),
            }
        )
    return found


RULED = (
    HAND
    + r"""  rules:
    halves: {when: {name: 'train|☃'}, split: {sft: 1/3, rft: 2/3}}
    other: {when: {name: 'sweep .*'}, ignore: it is another project's}
    rest: {when: {name: '[^{].*'}, item: data}
"""
)


def clear(*rows: dict[str, str]) -> list[dict[str, str]]:
    """Rows, if nothing is to be asked of them: no two of a job share a part of their time."""
    assume(take(RULED, export(*rows)).problems == [])
    return list(rows)


def entries(taken: Taken) -> dict[str, str]:
    """What is written but for the checksums of the files that were read."""
    taken.exports = {}
    return files(taken)


@given(rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_files_means_nothing(found: list[dict[str, str]], chance: Any) -> None:
    mixed = clear(*found)
    chance.shuffle(mixed)
    whole = entries(sound(RULED, export(*found)))
    assert entries(sound(RULED, export(*mixed))) == whole
    at = len(mixed) // 2
    assert entries(sound(RULED, export(*mixed[:at]), export(*mixed[at:]))) == whole
    assert entries(sound(RULED, export(*mixed), export(*found), export(*mixed))) == whole


@given(rows())
def test_what_was_stored_is_merged_as_what_was_read(found: list[dict[str, str]]) -> None:
    whole = entries(sound(RULED, export(*clear(*found))))
    taken = begun(RULED)
    for row in found:
        partitions = taken.partitions
        taken = begun(RULED, kept(taken))
        taken.partitions = set(partitions)
        taking.take(taken, export(row), "dump.txt")
        assume(taken.problems == [])  # two may share a part of their time until a third encloses both
    assert entries(taken) == whole


@given(rows(), st.sampled_from(("Europe/Oslo", "America/New_York", "Asia/Kathmandu", "Pacific/Kiritimati")))
def test_the_clock_of_a_source_changes_no_job(found: list[dict[str, str]], zone: str) -> None:
    """Times with an offset mean the same whatever the zone: it says only in which month, and how, they are written."""
    for row in found:
        row |= {name: row[name] + "+00:00" for name in ("Start", "End") if row[name] != "Unknown"}
        row["Submit"] = "2025-01-31T23:30:00Z"
    clear(*found)
    here, there = sound(RULED, export(*found)), sound(RULED.replace("UTC", zone), export(*found))
    assert here.merged.jobs == there.merged.jobs
    assert seconds(here) == seconds(there)


@given(rows())
def test_each_job_stands_in_the_month_in_which_it_began_and_nowhere_else(found: list[dict[str, str]]) -> None:
    taken = sound(HAND, export(*clear(*found)))
    seen = []
    for path, text in taken.merged.texts("demo").items():
        month = path.removeprefix("ledger/demo/runs/import/hand-").removesuffix(".yaml")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        assert lines == sorted(lines, key=lambda line: line[:34])
        assert all(line.startswith(f"- {{start: {month}-") for line in lines)
        seen += lines
    assert len(seen) == sum(len(job.made.portions) for job in taken.merged.jobs.values())


def test_a_later_state_replaces_and_an_earlier_one_does_not() -> None:
    """Elapsed time may shrink when a job ends, as in the samples: 32.73, 1,472.73, then 23.29 h."""
    running = {"State": "RUNNING", "End": "Unknown"}
    short, long = {**running, "ElapsedRaw": "117828"}, {**running, "ElapsedRaw": "5301828"}
    ended = {"ElapsedRaw": "83844", "End": "2025-03-02T09:17:24"}
    for order in permutations((short, long, ended)):
        assert seconds(sound(HAND, *(export(row) for row in order))) == 2 * 83_844
    for order in permutations((short, long)):
        assert seconds(sound(HAND, *(export(row) for row in order))) == 2 * 5_301_828
    later = {"ElapsedRaw": "60", "End": "2025-03-03T09:17:24", "State": "FAILED"}
    for order in permutations((ended, later)):
        assert seconds(sound(HAND, *(export(row) for row in order))) == 2 * 60


def test_a_dump_of_which_nothing_is_kept_is_remembered_by_the_moment_that_it_reaches() -> None:
    waiting = {"State": "PENDING", "Start": "Unknown", "End": "Unknown", "ElapsedRaw": "0", "ReqTRES": "gres/gpu=1"}
    taken = sound(HAND, export(waiting))
    assert list(taken.exports.values()) == ["2025-03-01T09:00:00Z"]
    assert kept(taken) == []
    assert sound(HAND, export()).exports == {}, "a header alone reaches nowhere"


def test_rules_that_changed_are_applied_to_what_is_read_again() -> None:
    """And to no job else: those keep what was made of them until `--reapply`."""
    before, after = (HAND + f"  rules:\n    all: {{when: {{name: train}}, item: {item}}}\n" for item in ("sft", "data"))
    for old, new in ((before, after), (after, before)):
        first = sound(old, export({}, {"JobIDRaw": "8"}))
        second = begun(new, kept(first))
        second.merged.stale = True
        taking.take(second, export({}), "dump.txt")
        wanted = [part.item for job in sound(new, export({})).merged.jobs.values() for part in job.made.portions]
        assert [part.item for part in second.merged.jobs[next(iter(second.merged.jobs))].made.portions] == wanted
        assert second.merged.count_outcomes() == {"replaced": 1}
