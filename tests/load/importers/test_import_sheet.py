"""A lab's own sheet is read as it is: its names, its dates, and what is the same in every row."""

from __future__ import annotations

import pytest

from tests.exported import seconds, skipped, sound, take, told

SHEET = "s:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100-40gb}\n  statuses: {'': completed}\n"


@pytest.mark.parametrize(
    ("columns", "table"),
    [
        ("Run: job, h: wall_hours, '#GPUs': gpus", "Run,h,#GPUs\na,2,4\n"),
        ("Run: job, 'Zeit [%]': wall_hours, 'nœuds (n)': gpus", "Run,Zeit [%],nœuds (n),failed,42\na,2,4,,\n"),
        ("Run: job, 'h, all': wall_hours, '2': gpus", 'Our lab; 2026\n\nRun,"h, all",2\na,2,4\n'),
        ("Run: job, '\"h\"': wall_hours, n: gpus", 'Our lab\nRun,"""h""",n\na,2,4\n'),
        ("Run: name, h: wall_hours, n: gpus", "Run,h,n\na,2,4\n"),
    ],
)
def test_the_line_with_all_columns_that_are_mapped_is_the_header(columns: str, table: str) -> None:
    assert seconds(sound(f"{SHEET}  columns: {{{columns}}}\n", table.encode())) == 8 * 3600


def test_without_a_column_for_the_job_its_name_and_start_tell_rows_apart() -> None:
    text = SHEET + "  columns: {Run: name, h: wall_hours, Start: start}\n"
    table = b"Run,h,Start\nsft,2,2026-03-01\nsft,3,2026-03-02\n"
    taken = sound(text, table)
    assert [job.job.says for job in taken.merged.jobs.values()] == [{"name": "sft"}] * 2
    assert seconds(taken) == 5 * 3600
    assert "have the same id and no start" in told(take(text, b"Run,h,Start\nsft,2,\nsft,3,\n"))[0]


CLOCK = SHEET.replace("UTC", "Europe/Oslo") + "  columns: {Run: name, Start: start, End: end, n: gpus}\n"


def test_hours_are_those_from_start_to_end_by_the_clock_of_the_place() -> None:
    rows = [
        "sft,2026-03-01 09:00,2026-03-01 11:30,2",
        "night in which the clock goes forward,2026-03-29 00:00,2026-03-29 06:00,1",
        "night in which the clock goes back,2026-10-25 00:00,2026-10-25 06:00,1",
        "two offsets,2026-03-02T09:00:00+01:00,2026-03-02T10:00:00+00:00,1",
    ]
    taken = sound(CLOCK, ("Run,Start,End,n\n" + "\n".join(rows) + "\n").encode())
    assert [job.gpu_seconds / 3600 for job in taken.merged.jobs.values()] == [5, 5, 7, 2]


def test_a_run_without_an_end_is_told_and_has_no_hours_until_it_has_one() -> None:
    table = "Run,Start,End,n\na,2026-03-01 09:00,2026-03-01 10:00,1\nb,2026-03-01 09:00,{},8\n"
    open_run = sound(CLOCK, table.format("").encode())
    assert skipped(open_run) == {"without an end": 1}
    assert seconds(open_run) == 3600
    ended = sound(CLOCK, table.format("").encode(), table.format("2026-03-01 11:00").encode())
    assert seconds(ended) == 17 * 3600
    neither = sound(CLOCK, b"Run,Start,End,n\na,,,1\n")
    assert skipped(neither) == {"of no known duration": 1}
