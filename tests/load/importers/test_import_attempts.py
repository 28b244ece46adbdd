"""Rows of one id: states of an attempt, attempts one after the other, one within another, or nothing that says which;
and a tally of all rows that were read."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reckon.cli import main
from reckon.load.importers import merging, taking
from reckon.load.importers.job import Job
from reckon.load.importers.job_records import StoredJob
from reckon.load.importers.reading import Reading
from reckon.load.importers.taking import Taken
from reckon.load.importers.tally import MERGED
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


@pytest.mark.parametrize(
    ("source", "rows", "hours"),
    [
        (SHEET, SHEET_ROWS, 2 * 6 + 2 * 4 + 2 * 3 + 7),
        (TRACKED, TRACKED_ROWS, 4 * (2 + 2 + 1)),
        (DAILY, DAILY_ROWS, 24 + 18 + 5),
        (DAILY.replace("Begins: start", "Begins: submit"), DAILY_ROWS, 24 + 18 + 5),
    ],
)
def test_rows_of_one_id_at_different_times_are_all_counted(source: str, rows: str, hours: int) -> None:
    assert seconds(sound(source, rows.encode())) == hours * 3600
    first, *others = rows.splitlines()
    parts = ["\n".join((first, *some, "")).encode() for some in (others[:2], others[1:], others[::-1])]
    for order in permutations(parts):
        assert seconds(sound(source, *order)) == hours * 3600


def test_charges_of_one_line_on_different_days_are_all_counted() -> None:
    for source in (COSTS, COSTS.replace("Day: start", "Day: submit")):
        taken = sound(source, COSTS_ROWS.encode())
        assert sum(stored.job.extras.billed_usd or 0 for stored in taken.merged.jobs.values()) == Fraction("7.25")


def sheet(*rows: str) -> bytes:
    return "\n".join(("Run,How,From,Took,Cards", *rows, "")).encode()


@pytest.mark.parametrize(
    ("rows", "hours", "left"),
    [
        # states of one attempt
        (("a,RUNNING,2025-06-02T08:00:00,1,1", "a,COMPLETED,2025-06-02T08:00:00,5,1"), 5, {MERGED: 1}),
        (("a,RUNNING,,1,1", "a,COMPLETED,2025-06-02T08:00:00,5,1"), 5, {MERGED: 1}),
        (("a,COMPLETED,,5,1", "a,RUNNING,2025-06-02T08:00:00,1,1"), 5, {MERGED: 1}),
        (("a,COMPLETED,,5,1", "a,COMPLETED,,5,1", "a,COMPLETED,,5,1"), 5, {}),
        # one after the other, also at once, and after one that still ran when it was last seen
        (("a,FAILED,2025-06-02T08:00:00,5,1", "a,COMPLETED,2025-06-02T13:00:00,5,1"), 10, {}),
        (("a,RUNNING,2025-06-02T08:00:00,5,1", "a,COMPLETED,2025-06-02T14:00:00,5,1"), 10, {}),
        # one within the other
        (("a,COMPLETED,2025-06-02T08:00:00,5,1", "a,FAILED,2025-06-02T12:00:00,1,1"), 5, {MERGED: 1}),
        (("a,RUNNING,2025-06-02T09:00:00,2,1", "a,FAILED,2025-06-02T08:00:00,4,1"), 4, {MERGED: 1}),
    ],
)
def test_what_several_rows_of_one_id_are(rows: tuple[str, ...], hours: int, left: dict[str, int]) -> None:
    for order in permutations(rows):
        taken = sound(SHEET, sheet(*order))
        assert (seconds(taken), skipped(taken)) == (hours * 3600, left)
        assert (
            files(sound(SHEET, *(sheet(row) for row in order)))["lock"].split("rules:")[1]
            == (files(taken)["lock"].split("rules:")[1])
        )


GPUS = "the same start and other GPUs"
WAYS = (
    "set for `sheet`: `rows: parts` if each row counts, `rows: states` if one of them does; or name a column "
    "that differs as `job`"
)


@pytest.mark.parametrize(
    ("rows", "what", "parts", "states"),
    [
        (("a,FAILED,2025-06-02T08:00:00,5,1", "a,FAILED,2025-06-02T12:59:59,5,1"), "partly the same time", 10, 5),
        (("a,RUNNING,2025-06-02T08:00:00,5,1", "a,FAILED,2025-06-02T12:00:00,6,1"), "partly the same time", 11, 6),
        (
            ("a,FAILED,2025-06-02T08:00:00,5,1", "a,FAILED,2025-06-02T08:00:00,5,2"),
            "the same start and other GPUs",
            15,
            0,
        ),
        (("a,COMPLETED,,5,1", "a,COMPLETED,,6,1"), "no start", 11, 6),
        (("a,COMPLETED,,5,1", "a,COMPLETED,2025-06-02T08:00:00,6,1"), "partly the same time", 11, 6),
    ],
)
def test_rows_of_which_nothing_says_whether_both_count_are_refused(
    rows: tuple[str, ...], what: str, parts: int, states: int
) -> None:
    wrong = f"this row and dump.txt:2 have the same id and {what}, and it is unclear whether both count"
    assert told(take(SHEET, sheet(*rows))) == [f"dump.txt:3:1: {wrong}; {WAYS}"]
    assert len(told(take(SHEET, *map(sheet, rows)))) == 1
    assert seconds(sound(SHEET + "  rows: parts\n", sheet(*rows))) == parts * 3600
    if states:
        assert seconds(sound(SHEET + "  rows: states\n", sheet(*rows))) == states * 3600


def test_rows_that_are_told_apart_are_no_more_than_anyone_reads() -> None:
    of_many = [f"{number},COMPLETED,2025-06-02T0{hour}:00:00,1.5,1" for number in range(300) for hour in (8, 9)]
    assert len(told(take(SHEET, sheet(*of_many)))) == 300


def test_work_grows_as_the_rows_of_one_id_do() -> None:
    def rows(many: int) -> Callable[[], object]:
        raw = sheet(*(f"a,COMPLETED,2025-06-01T08:00:00,{number + 1},1" for number in range(many)))
        return lambda: take(SHEET, raw)

    assert growth(rows, 200) < 2.2


ALIKE = (
    "a,COMPLETED,2025-06-02T08:00:00,2,1",
    "a,COMPLETED,2025-06-02T08:00:00,3,1",
    "a,COMPLETED,2025-06-02T08:00:00,2,1",
    "b,COMPLETED,2025-06-02T08:00:00,1,1",
)


def test_parts_that_nothing_tells_apart_are_numbered_and_counted_once() -> None:
    taken = sound(SHEET + "  rows: parts\n", sheet(*ALIKE))
    assert sorted(stored.name for stored in taken.merged.jobs.values()) == [
        "sheet/a@2025-06-02T08:00:00Z",
        "sheet/a@2025-06-02T08:00:00Z#2",
        "sheet/a@2025-06-02T08:00:00Z#3",
        "sheet/b@2025-06-02T08:00:00Z",
    ]
    for order in permutations(ALIKE):
        again = begun(SHEET + "  rows: parts\n", kept(taken))
        taking.take(again, sheet(*order), "dump.txt")
        assert (seconds(again), again.merged.count_outcomes()) == (8 * 3600, {"same": 4})


def test_parts_that_grow_are_held_against_the_same_parts() -> None:
    first = sound(SHEET + "  rows: parts\n", sheet(*ALIKE))
    again = begun(SHEET + "  rows: parts\n", kept(first))
    taking.take(again, sheet(*ALIKE[1:3], ALIKE[0].replace(",2,1", ",2.5,1"), ALIKE[3]), "dump.txt")
    assert seconds(again) == Fraction("8.5") * 3600


def test_columns_tell_parts_apart() -> None:
    source = SHEET + "  rows: parts\n  key: [Run, Cards]\n"
    rows = [row.rpartition(",")[0] + f",{number}" for number, row in enumerate(ALIKE, 1)]
    taken = sound(source, sheet(*rows), sheet(*rows))
    assert (seconds(taken), entered(taken)) == ((2 + 6 + 6 + 4) * 3600, 4)
    (wrong,) = told(take(source.replace("Cards]", "Card]"), sheet(*rows)))
    assert wrong == "dump.txt:1:1: there is no column `Card`; the columns are Run, How, From, Took, Cards"


# One job that was put back into the queue three times with one time of submission, and one with two times.
REQUEUED = (
    {"State": "REQUEUED", "Start": "2025-03-01T10:00:00", "End": "2025-03-01T11:00:00", "ElapsedRaw": "3600"},
    {"State": "REQUEUED", "Start": "2025-03-01T12:00:00", "End": "2025-03-01T13:30:00", "ElapsedRaw": "5400"},
    {"State": "COMPLETED", "Start": "2025-03-01T14:00:00", "End": "2025-03-01T14:30:00", "ElapsedRaw": "1800"},
    {"JobIDRaw": "8", "State": "NODE_FAIL"},
    {"JobIDRaw": "8", "Submit": "2025-03-01T11:00:10", "Start": "2025-03-01T12:00:00", "End": "2025-03-01T13:00:00"},
)
SOURCE = HAND + ALL
RUNNING = {**REQUEUED[1], "State": "RUNNING", "End": "Unknown", "ElapsedRaw": "600"}


def test_all_attempts_of_slurm_are_counted_and_all_but_the_first_name_their_start() -> None:
    taken = sound(SOURCE, export(*REQUEUED))
    assert seconds(taken) == 2 * (3600 + 5400 + 1800 + 3600 + 3600)
    assert sorted(stored.name for stored in taken.merged.jobs.values()) == [
        "hand/7@2025-03-01T09:00:00Z",
        "hand/7@2025-03-01T09:00:00Z/2025-03-01T12:00:00Z",
        "hand/7@2025-03-01T09:00:00Z/2025-03-01T14:00:00Z",
        "hand/8@2025-03-01T09:00:00Z",
        "hand/8@2025-03-01T11:00:10Z",
    ]


def test_attempts_are_the_same_in_whatever_order_they_come() -> None:
    def written_of(*rows: dict[str, str]) -> list[str]:
        taken = sound(SOURCE, *(export(row) for row in rows))
        return [text for path, text in files(taken).items() if path != "lock"]

    wanted = written_of(*REQUEUED[:3])
    for order in permutations((RUNNING, *REQUEUED[:3])):
        assert written_of(*order) == wanted


def test_an_attempt_that_still_ran_is_over_once_a_later_one_began() -> None:
    """What it held is what was last seen of it, until an export says how it ended."""
    first = sound(SOURCE, export(RUNNING))
    assert [stored.status for stored in first.merged.jobs.values()] == ["running"]
    second = begun(SOURCE, kept(first))
    taking.take(second, export(REQUEUED[2]), "dump.txt")
    assert [stored.status for stored in second.merged.jobs.values()] == ["preempted", "completed"]
    assert seconds(second) == 2 * (600 + 1800)
    assert "end: 2025-03-01T12:10:00Z" in next(iter(files(second).values()))
    third = begun(SOURCE, kept(second))
    assert files(third).keys() == files(second).keys()
    assert [stored.status for stored in third.merged.jobs.values()] == ["preempted", "completed"]
    taking.take(third, export(REQUEUED[1]), "dump.txt")
    assert seconds(third) == 2 * (5400 + 1800)
    assert third.merged.count_outcomes() == {"replaced": 1}


def test_a_start_that_is_told_a_minute_later_is_the_same_attempt() -> None:
    later = {**REQUEUED[0], "Start": "2025-03-01T10:01:00", "State": "COMPLETED"}
    taken = sound(SOURCE, export(REQUEUED[0], later))
    assert (seconds(taken), skipped(taken)) == (2 * 3600, {MERGED: 1})


@pytest.mark.full
@pytest.mark.parametrize("at", [0, 1, 3])
def test_duckdb_counts_the_attempts_that_the_plain_reader_counts(at: int) -> None:
    pytest.importorskip("duckdb")
    twice = (*REQUEUED, REQUEUED[0], RUNNING)
    held_against_plain(SOURCE, [export(*twice[:at]), export(*twice[at:])])
    assert by_engine(SOURCE, export(*twice)).merged.told == {"new": 5, MERGED: 1, "same": 1}


def test_an_engine_that_counts_a_table_counts_the_same() -> None:
    ibis, pyarrow = pytest.importorskip("ibis"), pytest.importorskip("pyarrow")
    from tests import warehoused

    running = {**REQUEUED[4], "State": "RUNNING", "End": "Unknown", "JobIDRaw": "9", "Submit": REQUEUED[4]["Start"]}
    within = {**REQUEUED[3], "Start": "2025-03-01T10:30:00", "ElapsedRaw": "60", "End": "2025-03-01T10:31:00"}
    again = {**running, "State": "COMPLETED", "Start": "2025-03-01T15:00:00", "End": "2025-03-01T16:00:00"}
    rows = [*REQUEUED, REQUEUED[0], RUNNING, within, running, again]
    engine = ibis.duckdb.connect()
    engine.con.register("jobs", pyarrow.table(warehoused.cells(rows)))
    found = warehoused.by_engine(SOURCE, engine.table("jobs"))
    engine.disconnect()
    plain, _ = warehoused.plainly(SOURCE, export(*rows))
    assert (found.wrong, warehoused.compared(found.months)) == ({}, warehoused.compared(plain))
    assert found.reading.skipped == {"same": 1, MERGED: 2}
    assert found.months["2025-03"].spent["preempted"].jobs == 3


def run(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["--root", str(root), *words])
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (SHEET, SHEET.replace("Took: wall_hours", "Took: {is: wall_hours, unit: s}")),
        (SHEET, SHEET.replace("From: start", "From: submit")),
        (SHEET, SHEET + "  rows: parts\n"),
        (SHEET + "  rows: parts\n", SHEET + "  rows: parts\n  key: [Run, From]\n"),
        (SOURCE, SOURCE + "  rows: states\n"),
        (SOURCE + "  rows: parts\n", SOURCE),
    ],
)
def test_rows_that_are_read_in_another_way_are_imported_anew(
    first: str, then: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, dump = planted(tmp_path / "tree", first), tmp_path / "dump.txt"
    dump.write_bytes(export({}) if first.startswith(HAND) else sheet("a,COMPLETED,2025-06-02T08:00:00,5,1"))
    assert run(root, capsys, "import", str(dump))[0] == 0
    (root / "ledger/demo/imports.yaml").write_text(then, "utf-8")
    code, out = run(root, capsys, "import", str(dump))
    command = re.search(r"undo it \(`budget (.*?)`\), then import its exports again", out)
    assert (code, bool(command)) == (2, True), out
    assert run(root, capsys, *command[1].split())[0] == 0
    assert run(root, capsys, "import", str(dump))[0] == 0
    whole = planted(tmp_path / "whole", then)
    assert run(whole, capsys, "import", str(dump))[0] == 0
    texts = [
        sorted(path.read_text("utf-8") for path in (each / "ledger/demo/runs").rglob("*.yaml"))
        for each in (root, whole)
    ]
    assert texts[0] == texts[1]


def test_a_column_that_only_rules_ask_for_changes_no_identity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, dump = planted(tmp_path / "tree", SHEET), tmp_path / "dump.txt"
    dump.write_bytes(
        sheet("a,COMPLETED,2025-06-02T08:00:00,5,1").replace(b"Cards", b"Cards,Who").replace(b",5,1", b",5,1,x")
    )
    assert run(root, capsys, "import", str(dump))[0] == 0
    (root / "ledger/demo/imports.yaml").write_text(SHEET.replace("Run: job", "Run: job, Who: name"), "utf-8")
    code, out = run(root, capsys, "import", str(dump))
    assert (code, "~ 1 replaced" in out) == (0, True), out


def test_what_became_of_each_row_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, dump, found = planted(tmp_path / "tree", SHEET), tmp_path / "dump.csv", tmp_path / "rows.csv"
    rows = ("a,RUNNING,2025-06-02T08:00:00,1,1", "a,COMPLETED,2025-06-02T08:00:00,5,1", "-b,PENDING,,0,1")
    dump.write_bytes(sheet(*rows))
    assert run(root, capsys, "import", str(dump), "--rows", str(found))[0] == 0
    assert found.read_text("utf-8").replace(str(dump), "dump.csv").splitlines() == [
        "file,line,id,outcome",
        "dump.csv,1,,header",
        "dump.csv,2,a,merged",
        "dump.csv,3,a,new",
        "dump.csv,4,'-b,pending",
    ]
    found.unlink()
    dump.write_bytes(sheet("a,COMPLETED,,5,1", "a,COMPLETED,,6,1"))
    assert run(root, capsys, "import", str(dump), "--rows", str(found))[0] == 2
    assert not found.exists(), "nothing is written where anything is wrong"
    dump.write_bytes(sheet(*rows))
    code, out = run(root, capsys, "import", str(dump), "--rows", str(tmp_path))
    assert (code, "cannot be written" in out) == (2, True), out


def test_a_row_that_is_lost_on_the_way_stops_the_import_as_a_mistake_of_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, dump = planted(tmp_path / "tree", SOURCE), tmp_path / "dump.txt"
    dump.write_bytes(export({}, {"JobIDRaw": "8"}))
    add = merging.Merged.add
    monkeypatch.setattr(merging.Merged, "add", lambda self, found: found.key.id == "8" or add(self, found))
    code, out = run(root, capsys, "import", str(dump))
    assert (code, "3 rows were read, and 2 are accounted for" in out) == (4, True), out
    assert not (root / "ledger/demo/imports.lock.yaml").exists()


def test_hours_that_are_lost_on_the_way_stop_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, dump = planted(tmp_path / "tree", SOURCE), tmp_path / "dump.txt"
    dump.write_bytes(export({}))
    stored_of = taking.stored_of

    def halved(taken: Taken, job: Job, reading: Reading) -> StoredJob | None:
        return stored_of(taken, replace(job, elapsed=job.elapsed // 2), reading)

    monkeypatch.setattr(taking, "stored_of", halved)
    code, out = run(root, capsys, "import", str(dump))
    assert (code, "are accounted for" in out) == (4, True), out


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
        assert sum(taking.tally(taken).rows.values()) == taken.rows


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
    assert sum(taking.tally(taken).rows.values()) == taken.rows
    again = sound(BILL, *raw, *raw)
    assert again.merged.jobs == taken.merged.jobs
    taking.tally(again)
