"""A lab's own sheet is read as it is: its names, its dates, and what is the same in every row."""

from __future__ import annotations

import pytest

from tests.exported import seconds, sound, take, told

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
