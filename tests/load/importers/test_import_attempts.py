"""Rows of one id: states of one job, attempts that each held it, or runs that a table calls alike; and a tally of all
rows that were read."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli import main
from reckon.load.importers import merging, taking
from reckon.load.importers.attempts import ATTEMPTS, STATES
from reckon.load.importers.taking import Taken
from tests.engined import by_engine, held_against_plain
from tests.exported import BILL, HAND, begun, entered, export, files, kept, planted, seconds, skipped, sound, take, told
from tests.work import growth

ALL = "  rules:\n    all: {when: {name: '.*'}, item: data}\n"
SHEET = (
    "sheet:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100-40gb}\n"
    "  columns: {Run: job, How: state, From: start, Took: wall_hours, Cards: gpus}\n" + ALL
)
TRACKED = "wandb:\n  format: wandb\n  cards: {untyped: a100-40gb}\n  columns: {Name: job}\n" + ALL
DAILY = (
    "pods:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100-40gb}\n"
    "  columns: {Pod: job, Begins: start, Ends: end, Held: gpu_hours, Phase: state}\n" + ALL
)
COSTS = (
    "costs:\n  format: csv\n  counts: money\n  timezone: UTC\n"
    "  columns: {Line: job, Day: start, Cost: cost_usd, Service: name}\n" + ALL
)
SHEET_ROWS = (
    "Run,How,From,Took,Cards\n"
    "first,COMPLETED,2025-06-02T08:00:00,6,2\n"
    "first,COMPLETED,2025-06-05T08:00:00,4,2\n"
    "first,FAILED,2025-06-04T08:00:00,3,2\n"
    "first,COMPLETED,2025-06-05T08:00:00,4,2\n"
    "second,COMPLETED,2025-06-05T08:00:00,7,1\n"
)
TRACKED_ROWS = (
    "Name,State,Created,Runtime,GPU Count,seed\n"
    "large,finished,2025-06-01T10:00:00.000Z,7200,4,1\n"
    "large,finished,2025-06-02T10:00:00.000Z,7200,4,2\n"
    "large,crashed,2025-06-03T10:00:00.000Z,3600,4,3\n"
)
DAILY_ROWS = (
    "Pod,Begins,Ends,Held,Phase\n"
    "team/train,2025-06-19T00:00:00Z,2025-06-20T00:00:00Z,24,COMPLETED\n"
    "team/train,2025-06-20T00:00:00Z,2025-06-21T00:00:00Z,18,COMPLETED\n"
    "team/test,2025-06-20T00:00:00Z,2025-06-21T00:00:00Z,5,COMPLETED\n"
)
COSTS_ROWS = (
    "Line,Day,Cost,Service\n"
    "a,2025-06-04,1.25,store\n"
    "b,2025-06-04,0.50,net\n"
    "a,2025-06-08,2.25,store\n"
    "a,2025-06-13,3.25,store\n"
)


def alone(row: int, other: int) -> str:
    """That a row would not be counted beside another one."""
    same = f"this row has the same id as dump.txt:{other}, and their times do not meet"
    return f"dump.txt:{row}:1: {same}: only one of them would be counted"


RIGHT = "name a column with `job` that differs in each row; if rows are periods of one id, their start with `submit`"


@pytest.mark.parametrize(
    ("source", "rows", "wrong"),
    [
        (SHEET, SHEET_ROWS, f"{alone(2, 3)} (2 rows)"),
        (TRACKED, TRACKED_ROWS, f"{alone(2, 4)} (2 rows)"),
        (DAILY, DAILY_ROWS, alone(2, 3)),
        (COSTS, COSTS_ROWS, f"{alone(2, 5)} (2 rows)"),
    ],
)
def test_rows_of_one_id_whose_times_do_not_meet_are_refused(source: str, rows: str, wrong: str) -> None:
    assert told(take(source, rows.encode())) == [f"{wrong}; {RIGHT}"]


def test_periods_of_one_id_are_counted_each_by_their_start_as_time_of_submission() -> None:
    assert seconds(sound(DAILY.replace("Begins: start", "Begins: submit"), DAILY_ROWS.encode())) == 47 * 3600
    taken = sound(COSTS.replace("Day: start", "Day: submit"), COSTS_ROWS.encode())
    billed = [stored.job.beside.billed_usd or 0 for stored in taken.merged.jobs.values()]
    assert sum(billed) == Fraction("7.25")


def test_runs_of_one_name_are_counted_each_by_a_column_that_differs() -> None:
    taken = sound(TRACKED.replace("Name: job", "seed: job"), TRACKED_ROWS.encode())
    assert (entered(taken), seconds(taken)) == (3, 4 * 5 * 3600)


def sheet(*rows: str) -> bytes:
    return "\n".join(("Run,How,From,Took,Cards", *rows, "")).encode()


@pytest.mark.parametrize(
    ("rows", "hours", "left"),
    [
        (("a,RUNNING,2025-06-02T08:00:00,1,1", "a,COMPLETED,2025-06-02T08:00:00,5,1"), 5, {STATES: 1}),
        (("a,COMPLETED,2025-06-02T08:00:00,5,1", "a,FAILED,2025-06-02T12:59:59,5,1"), 5, {STATES: 1}),
        (("a,RUNNING,,1,1", "a,COMPLETED,2025-06-02T08:00:00,5,1"), 5, {STATES: 1}),
        (("a,COMPLETED,,5,1", "a,COMPLETED,,5,1", "a,COMPLETED,,5,1"), 5, {"rows alike": 2}),
    ],
)
def test_states_of_one_job_whose_times_meet_are_one(rows: tuple[str, ...], hours: int, left: dict[str, int]) -> None:
    taken = sound(SHEET, sheet(*rows))
    assert (entered(taken), seconds(taken)) == (1, hours * 3600)
    assert skipped(taken) == left


@pytest.mark.parametrize(
    "rows",
    [
        ("a,COMPLETED,2025-06-02T08:00:00,5,1", "a,COMPLETED,2025-06-02T13:00:00,5,1"),
        ("a,RUNNING,2025-06-02T08:00:00,5,1", "a,COMPLETED,2025-06-02T14:00:00,5,1"),
        ("a,COMPLETED,,5,1", "a,COMPLETED,,6,1"),
    ],
)
def test_times_that_touch_or_are_not_known_do_not_meet(rows: tuple[str, ...]) -> None:
    assert [problem.wrong.split(":")[0] for problem in take(SHEET, sheet(*rows)).problems] == [
        "this row has the same id as dump.txt"
    ]


def test_a_later_file_that_has_a_job_anew_replaces_it() -> None:
    first, later = sheet("a,FAILED,2025-06-02T08:00:00,5,1"), sheet("a,COMPLETED,2025-06-09T08:00:00,2,1")
    for order in permutations((first, later)):
        assert seconds(sound(SHEET, *order)) == 2 * 3600


def test_many_rows_of_one_id_are_told_once_and_many_ids_up_to_a_bound() -> None:
    of_one = [f"a,COMPLETED,2025-06-{1 + number // 24:02}T{number % 24:02}:00:00,0.5,1" for number in range(600)]
    assert told(take(SHEET, sheet(*of_one))) == [f"{alone(2, 601)} (599 rows); {RIGHT}"]
    of_many = [row.replace("a,", f"{number},", 1) for number in range(300) for row in of_one[:2]]
    problems = told(take(SHEET, sheet(*of_many)))
    assert len(problems) == 51
    assert problems[-1].endswith("250 more things wrong from here on; mend those above first")


def test_work_grows_as_the_rows_of_one_id_do() -> None:
    def rows(many: int) -> Callable[[], object]:
        raw = sheet(*(f"a,COMPLETED,2025-06-01T08:00:00,{number + 1},1" for number in range(many)))
        return lambda: take(SHEET, raw)

    assert growth(rows, 200) < 2.2


# One job that was put back into the queue three times with one time of submission, and one with two times.
REQUEUED = (
    {"State": "REQUEUED", "Start": "2025-03-01T10:00:00", "End": "2025-03-01T11:00:00", "ElapsedRaw": "3600"},
    {"State": "REQUEUED", "Start": "2025-03-01T12:00:00", "End": "2025-03-01T13:30:00", "ElapsedRaw": "5400"},
    {"State": "COMPLETED", "Start": "2025-03-01T14:00:00", "End": "2025-03-01T14:30:00", "ElapsedRaw": "1800"},
    {"JobIDRaw": "8", "State": "NODE_FAIL"},
    {"JobIDRaw": "8", "Submit": "2025-03-01T11:00:10", "Start": "2025-03-01T12:00:00", "End": "2025-03-01T13:00:00"},
)
SOURCE = HAND + ALL


def left_out(taken: Taken) -> list[str]:
    return [line.strip() for line in files(taken)["lock"].splitlines() if "why: attempt" in line]


def test_earlier_attempts_of_slurm_are_left_out_and_kept_in_the_lock() -> None:
    taken = sound(SOURCE, export(*REQUEUED))
    assert seconds(taken) == 2 * (1800 + 3600 + 3600)
    assert skipped(taken) == {ATTEMPTS: 2}
    lines = left_out(taken)
    assert [line.partition("gpu_seconds: ")[2].partition(",")[0] for line in lines] == ["7200", "10800"]
    assert lines[0].startswith(
        "- {job: 'hand/7@2025-03-01T09:00:00Z', rule: all, why: attempt, start: 2025-03-01T10:00:00Z, "
        "end: 2025-03-01T11:00:00Z, wall_seconds: 3600, "
    )


def test_attempts_are_those_of_all_exports_in_whatever_order_they_come() -> None:
    running = {**REQUEUED[1], "State": "RUNNING", "End": "Unknown", "ElapsedRaw": "600"}
    wanted = left_out(sound(SOURCE, export(*REQUEUED[:3])))
    for order in permutations((running, *REQUEUED[:3])):
        assert left_out(sound(SOURCE, *(export(row) for row in order))) == wanted


def test_states_whose_times_meet_are_no_attempts() -> None:
    """Slurm says a minute later when it began: it is the same attempt. The lock keeps it, since another may stand."""
    later = {**REQUEUED[0], "Start": "2025-03-01T10:01:00", "State": "COMPLETED"}
    taken = sound(SOURCE, export(REQUEUED[0], later))
    assert (skipped(taken), left_out(taken)) == ({STATES: 1}, [])
    again = {**REQUEUED[2], "End": "2025-03-01T15:00:00"}
    whole = sound(SOURCE, export(REQUEUED[0], later, again))
    assert left_out(sound(SOURCE, export(REQUEUED[0], later), export(again))) == left_out(whole)


@pytest.mark.full
@pytest.mark.parametrize("at", [0, 1, 3])
def test_duckdb_leaves_out_what_the_plain_reader_leaves_out(at: int) -> None:
    pytest.importorskip("duckdb")
    twice = (*REQUEUED, REQUEUED[0], {**REQUEUED[1], "State": "RUNNING", "End": "Unknown", "ElapsedRaw": "60"})
    held_against_plain(SOURCE, [export(*twice[:at]), export(*twice[at:])])
    assert by_engine(SOURCE, export(*twice)).merged.told == {"new": 3, ATTEMPTS: 2, STATES: 1, "rows alike": 1}


def test_an_engine_that_counts_a_table_leaves_out_the_same() -> None:
    ibis, pyarrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
    from tests import warehoused

    engine = ibis.duckdb.connect()
    engine.con.register("jobs", pyarrow.table(warehoused.cells([*REQUEUED, REQUEUED[0]])))
    counted = warehoused.by_engine(SOURCE, engine.table("jobs"))
    engine.disconnect()
    ((sort, count),) = counted.months["2025-03"].aside.items()
    assert (sort.why, count.jobs, count.seconds) == ("attempt", 2, 18_000)
    assert counted.reading.skipped == {ATTEMPTS: 2, "rows alike": 1}


def run(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["--root", str(root), *words])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_import_check_and_the_finding_say_what_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, dump = planted(tmp_path / "tree", SOURCE), tmp_path / "dump.txt"
    dump.write_bytes(export(*REQUEUED))
    said = "left out: 2 earlier attempts of jobs that are counted, 5 GPU-h"
    for many in ("+ 3 new  ~ 0 replaced  = 0 same", "+ 0 new  ~ 0 replaced  = 3 same"):
        code, out = run(root, capsys, "import", str(dump))
        assert (code, f"{many}  – 2 skipped (earlier attempts 2)" in out, said in out) == (0, True, True), out
    code, out = run(root, capsys, "import", "--check")
    assert (code, out.splitlines()[-1]) == (0, f"hand: {said}")
    code, out = run(root, capsys, "check", "--fail-on", "warning")
    assert (code, said in out) == (3, True), out
    assert run(root, capsys, "import", "--undo", "hand")[0] == 0
    assert "left out" not in run(root, capsys, "import", "--check")[1]


def test_attempts_are_made_anew_by_rules_that_have_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, dump = planted(tmp_path / "tree", SOURCE), tmp_path / "dump.txt"
    dump.write_bytes(export(*REQUEUED))
    assert run(root, capsys, "import", str(dump))[0] == 0
    imports = root / "ledger/demo/imports.yaml"
    imports.write_text(SOURCE.replace("item: data", "ignore: it was a test"), "utf-8")
    code, out = run(root, capsys, "import", "--reapply")
    assert (code, "left out" in out) == (0, False), out


def test_a_row_that_is_lost_on_the_way_stops_the_import_as_a_mistake_of_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, dump = planted(tmp_path / "tree", SOURCE), tmp_path / "dump.txt"
    dump.write_bytes(export({}, {"JobIDRaw": "8"}))
    add = merging.Merged.add
    monkeypatch.setattr(merging.Merged, "add", lambda self, found: found.key.id == "8" or add(self, found))
    code, out = run(root, capsys, "import", str(dump))
    assert (code, "2 rows were read, and 1 are accounted for" in out) == (4, True), out
    assert not (root / "ledger/demo/imports.lock.yaml").exists()


CELLS = st.tuples(
    st.sampled_from("abc"),
    st.sampled_from(("COMPLETED", "FAILED", "RUNNING", "PENDING")),
    st.sampled_from(("", "2025-06-01T08:00:00", "2025-06-01T09:00:00", "2025-06-02T08:00:00")),
    st.sampled_from("012"),
    st.sampled_from("012"),
)


@given(st.lists(CELLS.map(",".join), max_size=8), st.integers(0, 8))
def test_of_each_row_of_a_table_is_known_what_became_of_it(rows: list[str], at: int) -> None:
    taken = take(SHEET, *(sheet(*part) for part in (rows[:at], rows[at:]) if part))
    if not taken.problems:
        assert sum(taking.tally(taken).values()) + sum(taken.skipped.values()) == len(rows)


BILLED = (
    "BilledCost,EffectiveCost,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargePeriodEnd,ServiceName,"
    "ProviderName"
)
SERVICES = st.sampled_from(("Amazon Elastic Compute Cloud", "Amazon Simple Storage Service", "Other"))
CHARGES = st.lists(st.tuples(SERVICES, st.integers(1, 2), st.integers(1, 9)), min_size=1, max_size=6)


@given(st.lists(CHARGES, min_size=1, max_size=3))
def test_of_each_charge_of_a_bill_is_known_what_became_of_it(bills: list[list[tuple[str, int, int]]]) -> None:
    raw = [
        "\n".join(
            (
                BILLED,
                *(
                    f"{cost},{cost},USD,2025-0{month}-01T00:00:00Z,2025-0{month + 1}-01T00:00:00Z,"
                    f"2025-0{month}-1{cost}T00:00:00Z,{service},AWS"
                    for service, month, cost in bill
                ),
                "",
            )
        ).encode()
        for bill in bills
    ]
    taken = sound(BILL, *raw)
    assert sum(taking.tally(taken).values()) + sum(taken.skipped.values()) == sum(map(len, bills))
    again = sound(BILL, *raw, *raw)
    assert again.merged.jobs == taken.merged.jobs
    taking.tally(again)


def test_what_was_stored_takes_attempts_in_as_what_was_read() -> None:
    taken = begun(SOURCE)
    for row in REQUEUED:
        taken = begun(SOURCE, kept(taken))
        taking.take(taken, export(row), "dump.txt")
    assert left_out(taken) == left_out(sound(SOURCE, export(*REQUEUED)))
