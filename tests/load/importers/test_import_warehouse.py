"""An organisation's accounting counted by an engine gives what the plain reader gives of the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest

from reckon.load.importers import clock, taking
from reckon.load.importers.engines import expression
from reckon.load.importers.tally import HEADER, MERGED, RUNS
from tests.exported import HAND, HEAD, export, told
from tests.sparked import spark
from tests.trying import LONG
from tests.warehoused import EDGES, asked_of, by_engine, cells, compared, plainly

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
    none: {when: {partition: cpu}, if: unstated, count: 0}
"""
)
STATES = ("RUNNING", "COMPLETED", "FAILED", "CANCELLED by 1001", "TIMEOUT", "REQUEUED", "PENDING", "COMPLETED+")
TRES = (
    "gres/gpu:a100=1",
    "cpu=8,gres/gpu=3,mem=4G",
    "billing=3,gres/gpu:l40s=2,gres/gpu=2",
    "cpu=1",
    "",
    "cpu=4,gres/gpu:a100=1,gres/gpu=3,gres/gpumem=80G,gres/gpuutil=7,node=1",
    "gres/gpu=0",
    "gres/shard=4",
)
NAMES = ("train", "sweep one", "öl", "'quoted'", "{x}", "sft-s1", "rft-s3-b", "☃", "tab\there", "x" * 1200, "")
DAYS = ("2025-02-28", "2025-03-01", "2025-03-15", "2025-10-26", "2025-10-31", "2025-11-01")
TIMES = ("T00:00:00", "T02:30:00", "T01:59:59", "T03:00:00", "T23:59:59", "T12:00:00")


def later(start: str, seconds: int) -> str:
    """What the clock shows so long after, were it never changed."""
    return (datetime.fromisoformat(start) + timedelta(seconds=seconds)).isoformat(timespec="seconds")


def rows(chance: Random, many: int) -> list[dict[str, str]]:
    """Rows of all kinds in which nothing is wrong; of a few jobs there are several states, none as late as another."""
    return [_row(chance, number) for number in range(many)]


def _row(chance: Random, number: int) -> dict[str, str]:
    pick = chance.choice
    start = pick(DAYS) + pick(TIMES) + pick(("", "", "", "+00:00", "+01:00"))
    took = pick((0, 1, 3600, 7200, 200_000))
    end = later(start, took + pick((0, 0, 0, 3600, number % 997)))
    began, ended = pick(((start, end),) * 3 + ((start, "Unknown"), ("Unknown", end), ("1740787200", "Unknown")))
    row = {
        "JobIDRaw": pick((str(number), f"{number}_2", f"{number}_[3-4]", f"{number}+1", f"{number}.batch")),
        "Cluster": pick(("", "fox", "a/b")),
        "Submit": pick(("2025-02-01T00:00:00", "1738368000")),
        "State": pick(STATES),
        "Start": began,
        "End": ended,
        "ElapsedRaw": str(took if took < 3600 else took + number),
        "AllocTRES": pick(TRES),
        "ReqTRES": pick(("", "gres/gpu=1")),
        "NNodes": pick(("", "1", "4")),
        "JobName": pick(NAMES),
        "Account": pick(("ac1", "ac2", "")),
        "Partition": pick(("accel", "mig", "cpu", "big")),
    }
    return row | _attempt(chance, number) if pick((True, False, False)) else row


def _attempt(chance: Random, number: int) -> dict[str, str]:
    """A state of one of the many attempts of two jobs: no two share a part of their time, and none is as late as
    another."""
    at = number // 4
    within = chance.choice((0, 0, 0, 600))
    start = later("2025-02-20T00:00:00", at * 6 * 3600 + within)
    took = (60 if within else 4000) + number % 4
    return {
        "JobIDRaw": chance.choice(("77", "78")),
        "Cluster": "",
        "Submit": "2025-02-01T00:00:00",
        "State": chance.choice(("COMPLETED", "RUNNING")),
        "Start": start,
        "End": "Unknown",
        "ElapsedRaw": str(took),
        "AllocTRES": TRES[at % 3],
        "Partition": "accel",
    }


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    found = ibis.duckdb.connect()
    yield found
    found.disconnect()


def of_duckdb(engine: Any, found: list[dict[str, str]]) -> Any:
    engine.con.register("jobs", pa.table(cells(found)))
    return engine.table("jobs")


def held_against_the_plain_reader(source: str, table: Any, found: list[dict[str, str]], edges: list[int]) -> None:
    counted = by_engine(source, table, edges)
    months, taken = plainly(source, export(*found), edges)
    assert (told(taken), counted.wrong) == ([], {})
    assert compared(counted.months) == compared(months)
    reading = counted.reading
    assert (reading.rows, counted.filled) == (len(found), taken.filled)
    assert skipped(reading.skipped) == skipped(taking.tally(taken).rows)
    assert reading.partitions - {""} == taken.partitions
    assert reading.latest is not None
    assert [clock.written(reading.latest, taken.merged.zone)] == list(taken.exports.values())


def skipped(found: Counter[str]) -> Counter[str]:
    """What is skipped for each reason. An engine does not ask for other ids of a job, and for no account that no rule
    asks for: rows that differ in these alone are alike to it."""
    return Counter({word: many for word, many in found.items() if word not in (HEADER, MERGED, *RUNS)})


MORE_EDGES = sorted({*EDGES, date(2025, 3, 2).toordinal(), date(2025, 10, 26).toordinal()})


@pytest.mark.full
@pytest.mark.long
@pytest.mark.parametrize("seed", range(8 if LONG else 1))
def test_an_engine_counts_what_the_plain_reader_counts(engine: Any, seed: int) -> None:
    found = rows(Random(seed), 1500)
    held_against_the_plain_reader(RULED, of_duckdb(engine, found), found, MORE_EDGES)


@pytest.mark.long(only=True)
@pytest.mark.filterwarnings("ignore")  # pyspark warns of versions of pandas
def test_spark_counts_what_the_plain_reader_counts() -> None:
    found = rows(Random(99), 3000)
    held_against_the_plain_reader(RULED, spark().read(pa.table(cells(found))), found, MORE_EDGES)


@pytest.mark.long(only=True)
@pytest.mark.filterwarnings("ignore")  # pyspark warns of versions of pandas
def test_a_million_rows_have_the_same_sums_everywhere(engine: Any) -> None:
    found = rows(Random(7), 1_000_000)
    held_against_the_plain_reader(RULED, of_duckdb(engine, found), found, MORE_EDGES)
    held_against_the_plain_reader(RULED, spark().read(pa.table(cells(found))), found, MORE_EDGES)


@pytest.mark.full
def test_what_columns_say_as_times_and_numbers_is_the_same_as_their_texts(engine: Any) -> None:
    """Moments without an offset are those of the source's clock, those with one are what they are."""
    found = [
        {"JobIDRaw": "1", "Start": "2025-10-26T01:30:00", "End": "2025-10-26T04:30:00", "ElapsedRaw": "14400"},
        {"JobIDRaw": "2"},
        {"JobIDRaw": "3", "Start": "Unknown", "End": "Unknown", "ElapsedRaw": "0"},
    ]
    texts = of_duckdb(engine, found)
    kinds = dict.fromkeys(("Start", "End", "Submit"), "timestamp") | dict.fromkeys(("ElapsedRaw", "JobIDRaw"), "int64")
    typed = texts.mutate(
        **{name: ibis.ifelse(texts[name] == "Unknown", None, texts[name]).cast(kind) for name, kind in kinds.items()}
    )
    source = RULED.split("  rules:")[0]
    assert compared(by_engine(source, typed).months) == compared(plainly(source, export(*found))[0])
    instants = typed.mutate(
        **{name: (typed[name] - ibis.interval(hours=1)).cast("timestamp('UTC')") for name in ("Start", "End", "Submit")}
    )
    second = instants.filter(instants.JobIDRaw == 2)
    assert by_engine(source, second).months["2025-03"].spent["completed"].seconds == 7200


ONLY_CARDS = HAND
TIME = " that an engine cannot read; write it as 2025-09-12T14:06:12, in a text or time column"
WRONG = [
    ({"JobIDRaw": "seven"}, "no job id; check the column that holds JobIDRaw"),
    (
        {"State": "BROKEN"},
        "unknown job state `BROKEN`; map it: `statuses: {BROKEN: failed}`",
    ),
    ({"State": "Ann Example"}, "a value that is not a job state; check which column holds the state"),
    ({"Submit": "2025-02-30T00:00:00"}, "a submit time" + TIME),
    ({"Start": "yesterday"}, "a start" + TIME),
    ({"End": "1999-01-01T00:00:00"}, "an end" + TIME),
    ({"ElapsedRaw": "01:00:00"}, "an elapsed time that an engine cannot read; export ElapsedRaw, in whole seconds"),
    ({"End": "2025-02-01T00:00:00"}, "an end before the start; correct these rows, or remove them from the table"),
    ({"AllocTRES": "gres/gpu=many"}, "a count of GPUs that is not a whole number; check AllocTRES"),
    (
        {"AllocTRES": "gres/gpu:h100=1"},
        "no card for the GPU type `h100`; add `cards: {h100: CARD}` to the source",
    ),
]


def test_what_is_wrong_is_told_with_how_many_rows_and_nothing_of_a_person(engine: Any) -> None:
    rows_of = [{"JobIDRaw": str(number), **cell} for number, (cell, _) in enumerate([*WRONG, *WRONG])]
    found = by_engine(ONLY_CARDS, of_duckdb(engine, [*rows_of, {"JobIDRaw": "100"}]))
    problems = [f"{problem.wrong}; {problem.right}" for problem in found.problems]
    assert sorted(problems) == sorted(f"2 rows of the table: {wanted}" for _, wanted in WRONG)
    assert sum(counts.jobs for counts in found.months.values()) == 1


def test_two_states_that_are_as_late_and_differ_are_refused(engine: Any) -> None:
    alike = [{"JobIDRaw": number} for number in ("1", "1", "2", "3", "3", "4")]
    others = [
        {"JobIDRaw": "2", "State": "FAILED"},
        {"JobIDRaw": "3", "AllocTRES": "gres/gpu=1"},
        {"JobIDRaw": "4", "Start": "2025-03-01T09:59:59"},
    ]
    found = by_engine(ONLY_CARDS, of_duckdb(engine, [*alike, *others]))
    ((wrong, rows),) = found.wrong.items()
    assert (wrong[0].split(",")[0], rows) == ("two records of a job", 3)


@pytest.mark.full
@pytest.mark.parametrize("dialect", ["bigquery", "clickhouse", "postgres", "pyspark", "snowflake", "trino"])
def test_the_same_question_can_be_put_to_other_engines(dialect: str) -> None:
    """It compiles for these; it is run on DuckDB and on Spark alone."""
    schema = dict.fromkeys(HEAD, "string") | {"Start": "timestamp", "End": "timestamp"}
    question, _ = asked_of(RULED.replace("Europe/Oslo", "UTC"), HEAD)
    text = ibis.to_sql(expression.count_groups(ibis.table(schema, "jobs"), question), dialect=dialect)
    assert "GROUP BY" in text
