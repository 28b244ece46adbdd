# ruff: noqa: E501 (what is printed reads better unbroken)
"""Records in doubt: running jobs that a later export lacks or that run for too long, fewer hours in a later export, and
one meter in the rows of several ranks. What is printed is pasted, and makes the doubt go away."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.render.numbers import format_sentence
from tests.exported import CARBON, HAND, export, planted, skipped, sound, take, told

ALL = "  rules:\n    all: {when: {name: '.*'}, item: data}\n"
SLURM = HAND + ALL
JOB = "hand/71@2025-01-05T09:00:00Z"
LOCK = "ledger/demo/imports.lock.yaml"
RUNNING = {
    "JobIDRaw": "71",
    "Submit": "2025-01-05T09:00:00",
    "Start": "2025-01-05T09:00:00",
    "End": "Unknown",
    "State": "RUNNING",
    "ElapsedRaw": "86400",
    "AllocTRES": "gres/gpu=4",
    "Account": "ac1",
}
OTHER = {
    **RUNNING,
    "JobIDRaw": "90",
    "Submit": "2025-04-01T10:00:00",
    "Start": "2025-04-01T10:00:00",
    "End": "2025-04-01T12:00:00",
    "State": "COMPLETED",
    "ElapsedRaw": "7200",
}
EARLY = {**OTHER, "JobIDRaw": "72", "Submit": "2025-01-05T08:00:00", "Start": "2025-01-05T10:00:00"} | {
    "End": "2025-01-05T12:00:00"
}
JANUARY, APRIL = export(RUNNING, EARLY), export(OTHER)
STILL = {**RUNNING, "ElapsedRaw": "7776000"}
ENDED = {**RUNNING, "State": "COMPLETED", "ElapsedRaw": "93600", "End": "2025-01-06T11:00:00"}
LACKS = (
    "`hand/71@2025-01-05T09:00:00Z` 96 GPU-h: a later export lacks it; last seen 2025-01-06T09:00:00Z. Where it has "
    'ended, say when under its source in imports.yaml, or `last-seen`: `ended: {"hand/71@2025-01-05T09:00:00Z": '
    '"last-seen"}`; then `budget import --reapply --with SOURCE`. Of an entry that was not imported correct the `status`.'
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return planted(tmp_path, SLURM.replace("hand:\n", "hand:\n  title: Hand\n"))


def run(root: Path, *words: str | bytes) -> int:
    """Runs `import`; exports stand for the files that hold them."""
    given = []
    for number, word in enumerate(words):
        if isinstance(word, bytes):
            path = root / f"export-{number}"
            path.write_bytes(word)
            given.append(str(path))
        else:
            given.append(word)
    return main(["--root", str(root), "import", *given])


def book(root: Path) -> Book:
    found, problems = calculate(load(root)[0])
    assert problems == []
    return found


def findings(root: Path) -> list[str]:
    """The findings of jobs that are in doubt, or of rules that were not applied, with their arithmetic."""
    doubts = ("jobs-in-doubt", "rules-not-applied")
    found = book(root).findings["demo"]
    return [f"{one.rule}: {format_sentence(one.arithmetic)}" for one in found if one.rule in doubts]


def hours(root: Path) -> float:
    figure = book(root)["demo.actual.total"]
    return float(figure.use or 0)


def paste(root: Path, line: str) -> None:
    """Writes a line under the source, as a person does who follows a message."""
    path = root / "ledger/demo/imports.yaml"
    path.write_text(path.read_text("utf-8").replace("  rules:", f"  {line}\n  rules:"), "utf-8")


def printed(said: str) -> str:
    """The line for imports.yaml that was printed."""
    return next(iter(re.findall(r"`(ended: \{.*?\})`", said)))


ABSENT = f"jobs-in-doubt: `{JOB}` 96 GPU-h: a later export lacks it; last seen 2025-01-06T09:00:00Z"
TOO_LONG = "it runs for longer than jobs do"


def test_a_running_job_that_a_later_export_lacks_is_told_and_the_printed_line_ends_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """4 GPUs for 24 h, when it was last seen: 96 GPU-h; the others have 4 GPUs for 2 h each."""
    assert run(root, JANUARY) == 0
    assert findings(root) == []
    assert "doubts" not in (root / LOCK).read_text("utf-8")
    assert run(root, APRIL) == 0
    said = capsys.readouterr().out
    assert LACKS in said
    assert findings(root) == [ABSENT]
    paste(root, printed(said))
    assert run(root, "--reapply") == 0
    assert (findings(root), hours(root)) == ([], 96 + 8 + 8)
    entries = (root / "ledger/demo/runs/import/hand-2025-01.yaml").read_text("utf-8")
    entry = next(line for line in entries.splitlines() if "hand/71" in line)
    assert "end: 2025-01-06T09:00:00Z" in entry
    assert "status: cancelled, wall_hours: 86400 s" in entry
    assert "state: RUNNING" in entry
    assert "running" not in (root / LOCK).read_text("utf-8")
    assert main(["--root", str(root), "import", "--check"]) == 0
    before = (root / LOCK).read_text("utf-8")
    assert run(root, JANUARY) == 0
    assert run(root, APRIL) == 0
    assert "+ 0 new  ~ 0 replaced  = 1 same" in capsys.readouterr().out
    assert (root / LOCK).read_text("utf-8") == before


def test_last_seen_does_the_same(root: Path) -> None:
    assert run(root, JANUARY, APRIL) == 0
    paste(root, f"ended: {{'{JOB}': last-seen}}")
    assert run(root, "--reapply") == 0
    assert (findings(root), hours(root)) == ([], 96 + 8 + 8)
    assert main(["--root", str(root), "import", "--check"]) == 0


def test_the_order_of_the_exports_of_a_command_changes_nothing(tmp_path: Path) -> None:
    """Of three exports the second has the job for longer, and the last lacks it."""
    later = export({**RUNNING, "ElapsedRaw": "172800"})
    locks = set()
    for number, order in enumerate(permutations((JANUARY, later, APRIL))):
        one = planted(tmp_path / str(number), SLURM)
        assert run(one, *order) == 0
        absent = f"jobs-in-doubt: `{JOB}` 192 GPU-h: a later export lacks it; last seen 2025-01-07T09:00:00Z"
        assert findings(one) == [absent]
        locks.add((one / LOCK).read_text("utf-8"))
    assert len(locks) == 1


def test_exports_that_were_imported_before_are_not_asked_again(root: Path) -> None:
    """The job is read after the export that lacks it, by a command of its own."""
    assert run(root, APRIL) == 0
    assert run(root, JANUARY) == 0
    assert findings(root) == []
    assert run(root, APRIL) == 0
    assert findings(root) == [ABSENT]
    assert run(root, JANUARY) == 0
    assert findings(root) == [ABSENT]


def test_the_doubt_ends_where_the_job_is_seen_again(root: Path) -> None:
    assert run(root, JANUARY, APRIL) == 0
    may = export({**RUNNING, "State": "TIMEOUT", "ElapsedRaw": "90000", "End": "2025-01-06T10:00:00"})
    assert run(root, may) == 0
    assert (findings(root), hours(root)) == ([], 100 + 8 + 8)
    assert "doubts" not in (root / LOCK).read_text("utf-8")


@pytest.mark.parametrize(
    "other",
    [
        {**OTHER, "Account": "ac2"},
        {**OTHER, "Partition": "cpu"},
        {**OTHER, "Submit": "2025-01-05T08:00:00", "Start": "2025-01-05T09:00:00", "End": "2025-01-05T11:00:00"},
    ],
    ids=["another account", "another partition", "an export from before"],
)
def test_an_export_that_need_not_have_the_job_leaves_no_doubt(root: Path, other: dict[str, str]) -> None:
    assert run(root, JANUARY) == 0
    assert run(root, export(other)) == 0
    assert findings(root) == []


def test_exports_without_accounts_and_partitions_are_compared_too(root: Path) -> None:
    assert run(root, export({**RUNNING, "Account": "", "Partition": ""})) == 0
    assert run(root, export({**OTHER, "Account": "", "Partition": ""})) == 0
    assert findings(root) == [ABSENT]


SHEET_JOB = "sheet/a@2025-01-05T09:00:00Z"
SHEET = (
    "sheet:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100-40gb}\n"
    "  columns: {Run: job, How: state, From: start, Took: wall_hours, Cards: gpus}\n" + ALL
)


def sheet(*rows: str) -> bytes:
    return "\n".join(("Run,How,From,Took,Cards", *rows, "")).encode()


def test_a_table_covers_a_time_only_if_it_has_rows_from_before(tmp_path: Path) -> None:
    root = planted(tmp_path, SHEET)
    assert run(root, sheet("a,RUNNING,2025-01-05T09:00:00,24,4")) == 0
    assert run(root, sheet("b,COMPLETED,2025-04-01T10:00:00,2,1")) == 0
    assert findings(root) == []
    assert run(root, sheet("c,COMPLETED,2025-01-02T10:00:00,2,1", "d,COMPLETED,2025-04-02T10:00:00,2,1")) == 0
    assert findings(root) == [
        f"jobs-in-doubt: `{SHEET_JOB}` 96 GPU-h: a later export lacks it; last seen 2025-01-06T09:00:00Z"
    ]


def test_a_job_that_ended_in_a_later_export_counts_as_that_says(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It ended after 26 h: 104 GPU-h, whatever `ended` says."""
    paste(root, f"ended: {{'{JOB}': 2025-01-05T21:00:00}}")
    assert run(root, JANUARY) == 0
    assert hours(root) == 48 + 8
    assert f"{JOB} ran longer than its `ended` in an export; those hours are not counted" in (capsys.readouterr().out)
    assert run(root, export(ENDED)) == 0
    assert hours(root) == 104 + 8
    said = capsys.readouterr().out
    assert f"`ended` names {JOB}, which is not a running job of hand; remove it" in said


def test_a_later_export_in_which_an_ended_job_runs_on_is_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2,160 h on 4 GPUs are 8,640 GPU-h, of which 96 count."""
    assert run(root, JANUARY, APRIL) == 0
    paste(root, f"ended: {{'{JOB}': 2025-01-06T09:00:00Z}}")
    assert run(root, export(STILL, OTHER)) == 0
    assert "ran longer than its `ended` in an export; those hours are not counted" in capsys.readouterr().out
    assert (findings(root), hours(root)) == ([], 96 + 8 + 8)
    assert main(["--root", str(root), "import", "--check"]) == 0


def test_a_job_that_is_no_longer_named_runs_again(root: Path) -> None:
    assert run(root, JANUARY, APRIL) == 0
    imports = root / "ledger/demo/imports.yaml"
    was = imports.read_text("utf-8")
    entries = (root / "ledger/demo/runs/import/hand-2025-01.yaml").read_text("utf-8")
    paste(root, f"ended: {{'{JOB}': last-seen}}")
    assert run(root, "--reapply") == 0
    imports.write_text(was, "utf-8")
    assert run(root, "--reapply") == 0
    assert (root / "ledger/demo/runs/import/hand-2025-01.yaml").read_text("utf-8") == entries


@pytest.mark.parametrize(
    ("line", "timezone", "wrong"),
    [
        (
            f"ended: {{'{JOB}': 2025-01-04T09:00:00}}",
            "timezone: UTC",
            "`ended` is before the start of its job; write when it ended, or `last-seen`",
        ),
        (
            f"ended: {{'{JOB}': 2025-01-06T09:00:00}}",
            "most_lines: 5000",
            "`ended` has no offset from UTC; add `timezone: UTC` to the source, or the zone of its clock",
        ),
    ],
)
def test_an_end_that_cannot_be_is_a_problem_at_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, timezone: str, wrong: str
) -> None:
    root = planted(tmp_path, SLURM.replace("timezone: UTC", timezone))
    paste(root, line)
    dated = {**RUNNING, "Submit": "2025-01-05T09:00:00Z", "Start": "2025-01-05T09:00:00Z"}
    assert run(root, export(dated)) == 2
    said = capsys.readouterr()
    assert re.search(rf"ledger/demo/imports.yaml:5:\d+: {re.escape(wrong)}", said.out + said.err)


def test_an_engine_does_not_pass_over_what_ended(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("duckdb")
    paste(root, f"ended: {{'{JOB}': last-seen}}")
    assert run(root, JANUARY, "--engine", "duckdb") == 2
    said = capsys.readouterr()
    assert "`ended` of hand names single jobs; import without --engine" in said.out + said.err


def long(*, hours: int, **cells: str) -> bytes:
    return export({**RUNNING, "ElapsedRaw": str(hours * 3600), **cells}, OTHER)


def test_a_job_that_runs_for_more_than_thirty_days_is_doubted_with_its_hours(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """90 days on 4 GPUs are 8,640 GPU-h. It ended after a day: 96 GPU-h."""
    assert run(root, long(hours=720)) == 0
    assert findings(root) == []
    assert run(root, long(hours=2160)) == 0
    said = capsys.readouterr().out
    assert f"`{JOB}` 8,640 GPU-h: {TOO_LONG}. Where it has ended, say when" in said
    assert findings(root) == [f"jobs-in-doubt: `{JOB}` 8,640 GPU-h: {TOO_LONG}"]
    line = printed(said)
    assert line == f'ended: {{"{JOB}": "last-seen"}}'
    paste(root, line.replace("last-seen", "2025-01-06T09:00:00Z"))
    assert run(root, "--reapply") == 0
    assert (findings(root), hours(root)) == ([], 96 + 8)


@pytest.mark.parametrize(("ended", "hours", "doubted"), [(20, 11, True), (20, 10, False), (19, 11, False)])
def test_a_job_that_runs_for_twice_the_longest_of_its_partition_is_doubted(
    root: Path, ended: int, hours: int, doubted: bool
) -> None:
    """The longest of those that ended took 5 h."""
    rows = [
        {**EARLY, "JobIDRaw": str(100 + number), "ElapsedRaw": str(3600 * (1 + number % 5))} for number in range(ended)
    ]
    elsewhere = {**EARLY, "JobIDRaw": "300", "ElapsedRaw": str(3600 * 100), "Partition": "other"}
    assert run(root, export({**RUNNING, "ElapsedRaw": str(3600 * hours)}, elsewhere, *rows)) == 0
    assert findings(root) == [f"jobs-in-doubt: `{JOB}` {4 * hours} GPU-h: {TOO_LONG}"] * doubted


def test_a_time_limit_goes_before_thirty_days(root: Path) -> None:
    """Beyond 100 h and a twentieth of that; a job with a longer limit may run for more than 30 days."""
    entry = "- {start: 2025-01-05T09:00:00Z, item: data, gpus: 1, status: running, wall_hours: %s, limit_hours: %s, job: '%s'}\n"
    runs = root / "ledger/demo/runs/hand.yaml"
    runs.parent.mkdir(exist_ok=True)
    runs.write_text(entry % (105, 100, "a") + entry % (106, 100, "b") + entry % (800, 900, "c"), "utf-8")
    assert findings(root) == [f"jobs-in-doubt: `b` 106 GPU-h: {TOO_LONG}"]


RESUMED = sheet("r1,COMPLETED,2025-03-01T00:00:00,50,8")
ANEW = sheet("r1,COMPLETED,2025-03-01T00:00:00,3,8")
SHEET_RUN = "sheet/r1@2025-03-01T00:00:00Z"
FEWER = f"jobs-in-doubt: `{SHEET_RUN}` 400 GPU-h: a later export has fewer hours, 24 GPU-h in place of 400"


def test_fewer_hours_in_a_later_export_are_told_until_one_of_both_is_taken_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """8 GPUs for 50 h, and then for 3 h."""
    root = planted(tmp_path, SHEET)
    assert run(root, RESUMED) == 0
    assert run(root, ANEW) == 0
    said = capsys.readouterr().out
    assert (
        f"`{SHEET_RUN}` 400 GPU-h: a later export has fewer hours, 24 GPU-h in place of 400. Accept this where what is "
        "counted is right. Else take its month out (`budget import --undo SOURCE --month …`), and import the other export."
        in said
    )
    assert (findings(root), hours(root)) == ([FEWER], 400)
    assert main(["--root", str(root), "import", "--check"]) == 0
    assert run(root, ANEW) == 0
    assert findings(root) == [FEWER]
    assert run(root, "--undo", "sheet", "--month", "2025-03") == 0
    assert run(root, ANEW) == 0
    assert (findings(root), hours(root)) == ([], 24)


def test_fewer_hours_can_be_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, SHEET)
    assert run(root, RESUMED) == 0
    assert run(root, ANEW) == 0
    project = root / "ledger/demo/project.yaml"
    accept = f"accept: [{{finding: 'jobs-in-doubt:demo.{SHEET_RUN}', reason: it was resumed}}]\n"
    project.write_text(project.read_text("utf-8") + accept, "utf-8")
    (found,) = (one for one in book(root).findings["demo"] if one.rule == "jobs-in-doubt")
    assert found.accepted
    capsys.readouterr()
    assert run(root, ANEW) == 0
    assert "fewer hours" not in capsys.readouterr().out


def test_a_job_that_grows_or_is_read_again_is_no_finding(tmp_path: Path) -> None:
    """Whatever the order in which the same two exports are read a second time."""
    root = planted(tmp_path, SHEET)
    for raw in (ANEW, RESUMED, ANEW, RESUMED):
        assert run(root, raw) == 0
    assert (findings(root), hours(root)) == ([], 400)
    assert "doubts" not in (root / LOCK).read_text("utf-8")


def test_a_job_whose_later_end_has_fewer_hours_is_told_too(tmp_path: Path) -> None:
    """W&B moves the end of a run that was resumed on: the later end counts, with 3 h."""
    tracked = "wb:\n  format: wandb\n  cards: {untyped: a100-40gb}\n  columns: {Ended: end}\n" + ALL
    head = "ID,Name,State,Created,Runtime,Ended,GPU Count\n"
    root = planted(tmp_path, tracked)
    assert run(root, f"{head}r1,long,finished,2025-03-01T00:00:00Z,180000,2025-03-03T02:00:00Z,8\n".encode()) == 0
    assert run(root, f"{head}r1,long,finished,2025-03-01T00:00:00Z,10800,2025-03-11T03:00:00Z,8\n".encode()) == 0
    assert findings(root) == [
        "jobs-in-doubt: `wb/r1@2025-03-01T00:00:00Z` 24 GPU-h: a later export has fewer hours, 24 GPU-h in place of 400"
    ]


METER = "timestamp,project_name,run_id,duration,energy_consumed,gpu_count,gpu_model,cpu_count,cpu_model,pue\n"


def measured(*rows: tuple[str, str, str, str], model: str = "A100") -> bytes:
    """Rows of CodeCarbon: when it was written, id, seconds and kWh."""
    lines = (f"2025-03-01T{at},code,{id},{took},{kwh},4,{model},64,EPYC,1\n" for at, id, took, kwh in rows)
    return (METER + "".join(lines)).encode()


RANKS = (
    ("11:00:00", "d", "3600.5", "10.0"),
    ("11:00:02", "b", "3601", "10.1"),
    ("11:00:03", "c", "3603.2", "9.9"),
    ("11:00:04", "a", "3600", "10.2"),
)
QUESTION = (
    "another run has the same machine, start, duration and energy: both may have read one meter, or each its own "
    "(3 rows); add `meter: one` to the source to count one of them, or `meter: each` to count all"
)


def energy(raw: bytes, meter: str) -> tuple[float, dict[str, int]]:
    taken = sound(CARBON.replace("  rules:", f"  {meter}\n  rules:"), raw)
    amounts = [float(stored.job.extras.energy_kwh or 0) for stored in taken.merged.jobs.values()]
    return round(sum(amounts), 3), dict(skipped(taken))


def test_ranks_that_wrote_one_meter_are_asked_about_and_both_answers_work() -> None:
    """Four ranks measured about 10 kWh each: of one meter 10.2 kWh count, of four machines 40.2."""
    raw = measured(*RANKS)
    assert told(take(CARBON, raw)) == [f"dump.txt:2:1: {QUESTION}"]
    assert energy(raw, "meter: one") == (10.2, {"of the same meter": 3})
    assert energy(raw, "meter: each") == (40.2, {})


def test_the_rows_of_a_run_are_compared_by_the_last_of_them() -> None:
    half = [("10:30:00", id, "1800", "5.0") for _, id, _, _ in RANKS]
    raw = measured(*half, *RANKS)
    assert "(6 rows)" in "".join(told(take(CARBON, raw)))
    assert energy(raw, "meter: one") == (10.2, {"of the same meter": 6, "merged": 1})


@pytest.mark.parametrize(
    "row",
    [
        ("11:00:30", "z", "3600.5", "10.0"),
        ("11:00:00", "z", "3620.5", "10.0"),
        ("11:00:00", "z", "3600.5", "10.8"),
    ],
    ids=["began later", "ran longer", "used more"],
)
def test_runs_that_differ_are_not_asked_about(row: tuple[str, str, str, str]) -> None:
    assert told(take(CARBON, measured(RANKS[0], row))) == []


def test_machines_of_another_kind_are_not_asked_about() -> None:
    other = measured(("11:00:00", "z", "3600.5", "10.0"), model="H100")
    assert told(take(CARBON, measured(RANKS[0]) + other[len(METER) :])) == []


def test_the_ranks_of_several_nodes_are_told_apart_by_their_energy() -> None:
    """Two nodes with two ranks each, whose rows come by turns: 10 and 14 kWh."""
    raw = measured(
        ("11:00:00", "a", "3600", "10"),
        ("11:00:00", "b", "3600", "14"),
        ("11:00:00", "c", "3600", "10"),
        ("11:00:00", "d", "3600", "14"),
    )
    assert energy(raw, "meter: one") == (24, {"of the same meter": 2})


def test_a_table_of_energy_is_asked_about_too() -> None:
    table = (
        "meters:\n  format: csv\n  counts: energy\n  timezone: UTC\n  statuses: {done: completed}\n"
        "  columns: {Id: job, State: state, From: start, Took: wall_hours, Used: energy_kwh}\n" + ALL
    )
    raw = b"Id,State,From,Took,Used\na,done,2025-03-01T10:00:00,1,10\nb,done,2025-03-01T10:00:01,1,10\n"
    assert told(take(table, raw)) == [f"dump.txt:3:1: {QUESTION.replace(' (3 rows)', '')}"]
    taken = sound(table.replace("  rules:", "  meter: one\n  rules:"), raw)
    assert [key.id for key in taken.merged.jobs] == ["a"]


def test_the_line_that_is_asked_for_makes_an_import_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, CARBON)
    assert run(root, measured(*RANKS)) == 2
    said = capsys.readouterr()
    assert QUESTION in said.out + said.err
    paste(root, "meter: one")
    assert run(root, measured(*RANKS)) == 0
    assert "+ 1 new  ~ 0 replaced  = 0 same  – 3 skipped (of the same meter 3)" in capsys.readouterr().out
