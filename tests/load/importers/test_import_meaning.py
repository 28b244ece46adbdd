"""What the fields of an export mean: hours, GPUs, states and identities, each worked out by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from reckon.compute.budget.unassigned_jobs import ignored, without_gpus
from reckon.load.importers import sacct
from reckon.load.importers.job_records import StoredJob
from reckon.load.importers.taking import Taken
from tests.exported import HAND, HEAD, export, files, seconds, skipped, sound, take, told, written


def only_job(taken: Taken) -> StoredJob:
    (stored,) = taken.merged.jobs.values()
    return stored


def jobs(taken: Taken) -> list[str]:
    return sorted(stored.name for stored in taken.merged.jobs.values())


@pytest.mark.parametrize(
    ("tres", "gpus"),
    [
        ("cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=4G,node=1", {"a100": 2}),  # the untyped entry is the sum of the typed
        ("cpu=8,gres/gpu:a100=2,node=1", {"a100": 2}),
        ("gres/gpu:a100=2,gres/gpu:l40s=1,gres/gpu=3", {"a100": 2, "l40s": 1}),
        ("gres/gpu=4,gres/gpu:a100=1", {"a100": 1, "": 3}),  # three of four have no type
        ("gres/gpu=4", {"": 4}),
        ("gres/gpu:a100=0,gres/gpu=0,cpu=1", {}),
        ("cpu=8,gres/gpumem=12G,gres/gpuutil=90,gres/shard=2,node=1", {}),  # what was used of a GPU is no GPU
        ("", {}),
    ],
)
def test_gpus_are_those_allocated(tres: str, gpus: dict[str, int]) -> None:
    stored = only_job(sound(HAND, export({"AllocTRES": tres, "ReqTRES": "gres/gpu=8"})))
    assert dict(stored.job.gpus) == gpus
    assert stored.gpu_seconds == 3600 * sum(gpus.values())


def test_what_was_asked_for_and_not_given_counts_nothing() -> None:
    taken = sound(HAND, export({"AllocTRES": "cpu=1,node=1", "ReqTRES": "cpu=1,gres/gpu=8,node=1"}))
    assert seconds(taken) == 0
    assert skipped(taken) == {"without a GPU": 1}
    assert without_gpus(written(taken), "hand") == {"accel": (1, 1)}, "but it is told"


def test_steps_are_parts_of_their_job() -> None:
    steps = [{"JobIDRaw": f"7.{step}"} for step in ("batch", "extern", "0", "interactive")]
    taken = sound(HAND, export({}, *steps))
    assert (seconds(taken), skipped(taken)) == (7200, {"steps": 4})


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("COMPLETED", "completed"),
        ("CD", "completed"),
        ("FAILED", "failed"),
        ("F", "failed"),
        ("CANCELLED by 10304", "cancelled"),
        ("CA", "cancelled"),
        ("CANCELLED+", "cancelled"),
        ("TIMEOUT", "timeout"),
        ("TO", "timeout"),
        ("DEADLINE", "timeout"),
        ("OUT_OF_MEMORY", "out-of-memory"),
        ("OOM", "out-of-memory"),
        ("NODE_FAIL", "node-failure"),
        ("BOOT_FAIL", "node-failure"),
        ("PREEMPTED", "preempted"),
        ("PR", "preempted"),
        ("REQUEUED", "preempted"),
    ],
)
def test_a_state_of_slurm_is_a_status_of_a_run(state: str, status: str) -> None:
    stored = only_job(sound(HAND, export({"State": state})))
    assert (stored.status, stored.gpu_seconds) == (status, 7200)
    assert "10304" not in "".join(files(sound(HAND, export({"State": state}))).values())


@pytest.mark.parametrize("state", ["PENDING", "PD", "REQUEUE_HOLD", "REVOKED"])
def test_what_waits_has_held_nothing(state: str) -> None:
    taken = sound(HAND, export({"State": state, "Start": "Unknown", "End": "Unknown", "ElapsedRaw": "0"}))
    assert (taken.merged.jobs, skipped(taken)) == ({}, {"pending": 1})


@pytest.mark.parametrize("state", ["RUNNING", "R", "COMPLETING", "SUSPENDED", "S"])
@pytest.mark.parametrize("end", ["Unknown", "None", "0", ""])
def test_what_runs_has_no_end_and_counts_what_is_elapsed(state: str, end: str) -> None:
    stored = only_job(sound(HAND, export({"State": state, "End": end, "ElapsedRaw": "1800"})))
    assert (stored.status, stored.job.end, stored.gpu_seconds) == ("running", None, 3600)


def test_a_source_may_mean_something_else_by_a_state() -> None:
    text = HAND + "  statuses: {timeout: completed, BUSTED: failed}\n"
    found = sound(text, export({"State": "TIMEOUT"}, {"JobIDRaw": "8", "State": "BUSTED"}))
    assert [job.status for job in found.merged.jobs.values()] == ["completed", "failed"]


def test_an_unknown_state_is_a_problem_with_its_line() -> None:
    taken = take(HAND, export({}, {"JobIDRaw": "8", "State": "BUSTED"}))
    wrong = "dump.txt:3:1: unknown job state `BUSTED`; "
    assert told(taken) == [wrong + "map it: `statuses: {BUSTED: failed}`"]


def test_an_unknown_card_is_a_problem_with_its_line() -> None:
    rows = [{"JobIDRaw": str(number), "AllocTRES": "gres/gpu:h900=1"} for number in (8, 9)]
    taken = take(HAND, export({}, *rows))
    wrong = "dump.txt:3:1: no card for the GPU type `h900` (2 rows); add `cards: {h900: CARD}` to the source"
    assert told(taken) == [wrong]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3600", 3600),
        ("01:00:00", 3600),
        ("1-02:03:04", 93_784),
        ("03:04", 184),
        ("22:53.824", Fraction("1373.824")),
        ("00:00.001", Fraction("0.001")),
        ("2-12", 216_000),
        ("2-12:30", 217_800),
        ("451-06:00:24", 38_988_024),
        ("0", 0),
    ],
)
def test_durations(text: str, wanted: Fraction) -> None:
    stored = only_job(sound(HAND, export({"ElapsedRaw": text})))
    assert stored.gpu_seconds == 2 * wanted


@pytest.mark.parametrize("text", ["", "an hour", "1:2:3:4", "-5", "1e3", "Unknown", "NaN", "٣:٠٠"])
def test_what_is_no_duration_is_a_problem(text: str) -> None:
    right = "is not a duration; write it as 1-02:03:04"
    assert told(take(HAND, export({"ElapsedRaw": text}))) == [f"dump.txt:2:1: the elapsed time {right}"]


@pytest.mark.parametrize(("start", "wrong"), [("2025-06-02T12:00:01", True), ("2025-06-02T12:00:00", False)])
def test_an_end_before_the_start_is_a_problem(start: str, wrong: bool) -> None:
    row = {"Start": start, "End": "2025-06-02T12:00:00", "ElapsedRaw": "60"}
    said = "the end is before the start; correct or remove the row in a copy of the export"
    assert told(take(HAND, export(row))) == ([f"dump.txt:2:1: {said}"] if wrong else [])


HABROK = HAND.replace("UTC", "Europe/Amsterdam")


def test_hours_are_what_was_elapsed_across_a_change_of_the_clock() -> None:
    """A job on CPUs in the sample of Hábrók, as if it had held a GPU: its clocks show an hour more than went by."""
    row = {"Start": "2024-03-21T06:04:51", "End": "2024-03-31T07:05:18", "ElapsedRaw": "10-00:00:27"}
    stored = only_job(sound(HABROK, export({**row, "AllocTRES": "gres/gpu:a100=1"})))
    assert stored.gpu_seconds == 864_027
    assert stored.job.start is not None
    assert stored.job.end is not None
    assert stored.job.end - stored.job.start == 864_027
    text = "".join(files(sound(HABROK, export({**row, "AllocTRES": "gres/gpu:a100=1"}))).values())
    assert "start: 2024-03-21T06:04:51+01:00, end: 2024-03-31T07:05:18+02:00" in text


def test_an_hour_that_the_clock_shows_twice_is_that_which_agrees_with_the_elapsed_time() -> None:
    row = {"Start": "2024-10-27T01:30:00", "End": "2024-10-27T02:30:00"}
    for elapsed, offset in (("3600", "+02:00"), ("7200", "+01:00")):
        text = files(sound(HABROK, export({**row, "ElapsedRaw": elapsed})))
        assert f"end: 2024-10-27T02:30:00{offset}" in "".join(text.values())


def test_an_offset_in_the_file_goes_before_the_zone_of_the_source() -> None:
    here = export(
        {
            "Submit": "2025-03-01T09:00:00+01:00",
            "Start": "2025-03-01T10:00:00+01:00",
            "End": "2025-03-01T11:00:00+01:00",
        }
    )
    there = export({"Submit": "2025-03-01T08:00:00", "Start": "2025-03-01T09:00:00", "End": "2025-03-01T10:00:00"})
    assert sound(HAND, here).merged.texts("x") == sound(HAND, there).merged.texts("x")


def test_a_time_without_offset_or_zone_is_a_problem() -> None:
    text = HAND.replace("  timezone: UTC\n", "")
    right = "add `timezone: UTC` to the source, or the zone of its clock"
    assert told(take(text, export({}))) == [f"dump.txt:2:1: the submit time has no offset from UTC; {right}"]


def test_time_in_suspension_is_not_counted() -> None:
    """Slurm's elapsed time leaves it out: of three hours from start to end one was suspended."""
    row = {"Start": "2025-03-01T10:00:00", "End": "2025-03-01T13:00:00", "ElapsedRaw": "7200"}
    assert seconds(sound(HAND, export(row))) == 2 * 7200


def test_every_attempt_counts() -> None:
    """With `--duplicates` an attempt that was put back stands beside the next one: one id, two times of submission."""
    first = {"State": "REQUEUED", "ElapsedRaw": "600"}
    second = {"State": "NODE_FAIL", "Submit": "2025-03-01T10:10:00", "ElapsedRaw": "1200"}
    third = {"Submit": "2025-03-01T10:40:00", "ElapsedRaw": "1800"}
    taken = sound(HAND, export(first, second, third))
    assert seconds(taken) == 2 * (600 + 1200 + 1800)
    assert jobs(taken) == [f"hand/7@2025-03-01T{clock}:00Z" for clock in ("09:00", "10:10", "10:40")]


def test_tasks_of_an_array_are_jobs_and_can_be_found_by_their_number_in_it() -> None:
    rows = [{"JobIDRaw": "40", "JobID": "40_1"}, {"JobIDRaw": "41", "JobID": "40_2"}]
    taken = sound(HAND, export(*rows))
    assert {job.job.id: job.job.also for job in taken.merged.jobs.values()} == {"40": "40_1", "41": "40_2"}
    waiting = {"JobIDRaw": "42", "JobID": "40_[3-9%2]", "State": "PENDING"}
    assert skipped(sound(HAND, export(*rows, waiting))) == {"pending": 1}


def test_parts_of_a_heterogeneous_job_are_jobs() -> None:
    rows = [{"JobIDRaw": "50", "JobID": "50+0"}, {"JobIDRaw": "51", "JobID": "50+1", "AllocTRES": "gres/gpu:l40s=1"}]
    taken = sound(HAND, export(*rows, {"JobIDRaw": "51.batch", "JobID": "50+1.batch"}))
    assert (seconds(taken), skipped(taken)) == (7200 + 3600, {"steps": 1})
    assert {job.job.also for job in taken.merged.jobs.values()} == {"50+0", "50+1"}
    plain = [name for name in HEAD if name != "JobIDRaw"]
    alone = sound(HAND, export(*({**row, "JobID": row["JobID"]} for row in rows), head=plain))
    assert jobs(alone) == ["hand/50+0@2025-03-01T09:00:00Z", "hand/50+1@2025-03-01T09:00:00Z"]


def test_the_same_id_at_another_time_or_on_another_cluster_is_another_job() -> None:
    rows = [{}, {"Submit": "2025-03-02T09:00:00"}, {"Cluster": "sif"}]
    assert jobs(sound(HAND, export(*rows))) == [
        "hand/7@2025-03-01T09:00:00Z",
        "hand/7@2025-03-02T09:00:00Z",
        "sif/7@2025-03-01T09:00:00Z",
    ]
    assert skipped(sound(HAND + "  cluster: hand\n", export(*rows))) == {"of other clusters": 1}


@pytest.mark.parametrize("sign", ["|", "☃", ";", "\t", ",", "^", "~"])
def test_any_sign_may_stand_between_cells(sign: str) -> None:
    tres = "gres/gpu:a100=2" if sign == "," else "cpu=8,gres/gpu:a100=2,gres/gpu=2"
    taken = sound(HAND, export({"AllocTRES": tres}, sign=sign))
    assert seconds(taken) == 7200


def test_a_sign_that_stands_in_a_name_is_a_problem_and_not_a_shift_of_cells() -> None:
    taken = take(HAND, export({}, {"JobIDRaw": "8", "JobName": "a|b"}))
    right = "export with `--delimiter` and a character that no job name contains, or skip it with `skip:`"
    assert told(taken) == [f"dump.txt:3:1: this row has 16 cells, the first line 15; {right}"]
    named = HAND + "  delimiter: '☃'\n"
    assert seconds(sound(named, export({"JobName": "a|b"}, sign="☃"))) == 7200


def test_the_ends_of_lines_and_a_sign_after_the_last_cell_mean_nothing() -> None:
    plain = export({}, {"JobIDRaw": "8"})
    other = plain.replace(b"\n", b"\r\n"), plain.replace(b"\n", b"|\n"), plain.rstrip(b"\n"), b"\xef\xbb\xbf" + plain
    for raw in other:
        assert sound(HAND, raw).merged.texts("x") == sound(HAND, plain).merged.texts("x")
    assert seconds(sound(HAND, plain + plain)) == seconds(sound(HAND, plain)), "a header may stand again"


def test_only_says_which_jobs_are_of_this_project() -> None:
    text = HAND + "  only: {account: 'ac1|ac2'}\n"
    rows = [{"Account": "ac1"}, {"JobIDRaw": "8", "Account": "ac10"}, {"JobIDRaw": "9"}]
    taken = sound(text, export(*rows))
    assert (jobs(taken), skipped(taken)) == (["hand/7@2025-03-01T09:00:00Z"], {"of other projects": 2})


def test_the_first_rule_that_fits_the_whole_name_counts() -> None:
    text = (
        HAND
        + r"""  rules:
    first: {when: {name: 'train'}, item: data}
    second: {when: {name: 'train.*'}, item: sft, seed: 2, run: second}
    third: {when: {name: 'eval-(?P<seed>\d)'}, item: evaluation}
"""
    )
    rows = [
        {"JobIDRaw": str(at), "JobName": name} for at, name in enumerate(("train", "train-2", "eval-3", "my-train"))
    ]
    found = [(job.made.rule, job.made.seed, job.made.run) for job in sound(text, export(*rows)).merged.jobs.values()]
    assert found == [("first", "", ""), ("second", "2", "second"), ("third", "3", ""), ("", "", "")]
    wrong = "dump.txt:2:1: rule `third` reads `9` as a seed, which this project does not have; the seeds are 1, 2, 3"
    right = "set `seed:` of the rule, or remove the group `seed`"
    assert told(take(text, export({"JobName": "eval-9"}))) == [f"{wrong}; {right}"]


def test_what_is_split_keeps_its_sum_exactly() -> None:
    text = HAND + "  rules:\n    all: {when: {name: '.*'}, split: {data: 1/3, sft: 1/3, rft: 1/3}}\n"
    taken = sound(text, export({"ElapsedRaw": "1000", "AllocTRES": "gres/gpu:a100=1"}))
    stored = only_job(taken)
    assert stored.gpu_seconds == 1000
    assert [part.gpus for part in stored.made.portions] == [Fraction(1, 3)] * 3
    lines = next(iter(taken.merged.texts("x").values())).splitlines()
    assert [line.count("gpus: 1/3,") for line in lines] == [0, 0, 1, 1, 1]


def test_a_rule_that_ignores_shows_the_hours_and_stores_no_run() -> None:
    text = HAND + "  rules:\n    other: {when: {account: ac2}, ignore: charged to another grant}\n"
    taken = sound(text, export({"Account": "ac2"}, {"JobIDRaw": "8"}))
    assert seconds(taken) == 7200
    assert ignored(written(taken), "hand") == {"other": (1, 2)}


CSV = """\
table:
  format: csv
  timezone: UTC
  columns: {ID: job, State: state, Runtime: {is: wall_hours, unit: %s}, GPUs: gpus, Type: gpu, Created: start}
  cards: {a100: a100-40gb}
  statuses: {finished: completed, crashed: failed}
"""


@pytest.mark.parametrize(
    ("unit", "runtime"), [("s", "5400"), ("min", "90"), ("h", "1.5"), ("d", "0.0625"), ("h", "1:30:00"), ("s", "90:00")]
)
def test_a_table_says_the_unit_of_its_durations(unit: str, runtime: str) -> None:
    raw = f"ID,Name,State,Runtime,GPUs,Type,Created\nq1,train,finished,{runtime},2,a100,2025-03-01T10:00:00Z\n"
    stored = only_job(sound(CSV % unit, raw.encode()))
    assert (stored.gpu_seconds, stored.status) == (2 * 5400, "completed")


def test_a_table_may_state_gpu_hours() -> None:
    text = (CSV % "h").replace("is: wall_hours", "is: gpu_hours")
    raw = b"ID,Name,State,Runtime,GPUs,Type,Created\nq1,train,finished,3,2,a100,2025-03-01T10:00:00Z\n"
    stored = only_job(sound(text, raw))
    assert (stored.gpu_seconds, stored.job.elapsed) == (3 * 3600, 5400)


def test_rows_of_a_table_that_cannot_be_read_are_told_with_their_lines() -> None:
    head = "ID,Name,State,Runtime,GPUs,Type,Created\n"
    rows = [
        "q1,a,finished,x,2,a100,",
        "q2,a,finished,1,two,a100,",
        ",a,finished,1,1,a100,",
        "q4,a,odd,1,1,a100,",
        "q5,a",
        "q6,a,finished,1,999999999,a100,",
    ]
    assert told(take(CSV % "h", (head + "\n".join(rows) + "\n").encode())) == [
        "dump.txt:2:1: the duration is not readable; "
        "write it as 1-02:03:04, or as a number, and its unit under `columns:`, or skip it with `skip:`",
        "dump.txt:3:1: the count of GPUs is not a number from 0 to 1,000,000 (2 rows); "
        "check the column for `gpus`, or skip it with `skip:`",
        "dump.txt:4:1: this row has no job; check the column for `job`, or skip it with `skip:`",
        "dump.txt:5:1: unknown job state `ODD`; map it: `statuses: {ODD: failed}`",
        "dump.txt:6:1: this row has 2 cells, the first line 7; "
        "check for a missing or extra comma, or skip it with `skip:`",
    ]


def job(**changes: Any) -> dict[str, Any]:
    """A job as `sacct --json` writes it."""
    gres = [{"type": "gres", "name": "gpu:a100", "count": 2}, {"type": "cpu", "name": "", "count": 8}]
    time = {"elapsed": 3600, "submission": 1740819600, "start": 1740823200, "end": 1740826800}
    plain = {
        "job_id": 7,
        "name": "train",
        "partition": "accel",
        "state": {"current": ["COMPLETED"]},
        "tres": {"allocated": gres, "requested": gres},
        "time": time,
    }
    return {**plain, **changes}


def dump(*found: object) -> bytes:
    return json.dumps({"meta": {}, "jobs": list(found)}).encode()


JSON = HAND.replace("format: sacct", "format: sacct-json")


def test_json_and_text_of_a_job_give_the_same_entry() -> None:
    assert sound(JSON, dump(job())).merged.texts("x") == sound(HAND, export({})).merged.texts("x")
    old = job(state={"current": "COMPLETED"}, job_id={"set": True, "infinite": False, "number": 7})
    assert sound(JSON, dump(old)).merged.texts("x") == sound(HAND, export({})).merged.texts("x")


def test_json_of_what_runs_of_arrays_and_of_what_is_not_set() -> None:
    unset = {"set": False, "infinite": True, "number": 0}
    running = job(
        state={"current": ["RUNNING"]}, time={"elapsed": 60, "submission": 1740819600, "start": 1740823200, "end": 0}
    )
    task = job(job_id=9, array={"job_id": 8, "task_id": {"set": True, "number": 3}}, allocation_nodes=unset)
    taken = sound(JSON, dump(running, task, job(job_id=10, array={"job_id": 0, "task_id": unset})))
    found = {
        stored.job.id: (stored.status, stored.job.also, stored.job.end is None) for stored in taken.merged.jobs.values()
    }
    assert found == {"7": ("running", "", True), "9": ("completed", "8_3", False), "10": ("completed", "", False)}


def test_the_command_that_is_shown_asks_for_all_that_is_read() -> None:
    named = set(sacct.EXPORT.rpartition(" ")[2].split(","))
    assert named <= {column for columns in sacct.COLUMNS.values() for column in columns} | set(sacct.SAYS.values())
    assert {"JobIDRaw", "State", "ElapsedRaw", "Submit", "Start", "End", "AllocTRES"} <= named
    assert not named & {"User", "NodeList", "WorkDir", "Comment"}, "what is private is not asked for"
