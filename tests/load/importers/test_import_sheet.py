"""A lab's own sheet is read as it is: its names, its dates, and what is the same in every row."""

from __future__ import annotations

from fractions import Fraction

import pytest

from reckon.model.digests import digest_of
from tests.exported import by, files, kept, seconds, skipped, sound, source_of, take, told

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


LAB = """\
s:
  format: csv
  dates: day-first
  timezone: Europe/Amsterdam
  skip: Sum
  columns: {Run: name, From: start, To: end, Card: gpu, '#': gpus}
  cards: {A40: a40, L40S: l40s}
  statuses: {'': completed}
"""
ROWS = b"""\
Our group,,,,,
By,Run,From,To,Card,#
Kim,grpo a,03/02/2026 9:15,03/02/2026 12:45,A40,4
Kim,grpo b,28/02/2026 22:00,01/03/2026 02:00,L40S,2
Sam,"eval, short",4/2/2026 09:00,4/2/2026 09:30:00,A40,1
Sam,grpo c,05/02/2026 08:00,,A40,8
Sum,,,,,
"""


def test_a_lab_sheet_is_taken_in_as_it_is() -> None:
    """3.5 h on 4 A40 and 0.5 h on 1 are 14.5 h; 4 h on 2 L40S, over the end of a month that is no leap one, are 8."""
    taken = sound(LAB, ROWS)
    assert by(taken, "card") == {"a40": Fraction("14.5") * 3600, "l40s": 8 * 3600}
    assert skipped(taken) == {"above the header": 1, "without an end": 1, "skipped by pattern": 1}
    assert sorted(files(taken)) == ["ledger/demo/runs/import/s-2026-02.yaml", "lock"]
    assert {job.job.start for job in kept(taken)} == {job.job.start for job in taken.merged.jobs.values()}


@pytest.mark.parametrize(
    ("order", "cell", "means"),
    [
        ("day-first", "3/12/2026 09:00", "2026-12-03T09:00"),
        ("month-first", "3/12/2026 09:00", "2026-03-12T09:00"),
        ("month-first", "3/12/2026 9:05:07 pm", "2026-03-12T21:05:07"),
        ("month-first", "3/12/2026 12:30 AM", "2026-03-12T00:30"),
        ("day-first", "03.12.2026", "2026-12-03"),
        ("day-first", "03-12-2026 09:00", "2026-12-03T09:00"),
        ("day-first", "1772355600", "2026-03-01T09:00"),
    ],
)
def test_a_date_is_read_in_the_order_that_is_stated(order: str, cell: str, means: str) -> None:
    text = SHEET + "  columns: {Run: name, h: wall_hours, Start: start}\n"
    table = "Run,h,Start\na,1,{}\n"
    (read,) = sound(f"{text}  dates: {order}\n", table.format(cell).encode()).merged.jobs.values()
    (meant,) = sound(text, table.format(means).encode()).merged.jobs.values()
    assert read.job == meant.job


@pytest.mark.parametrize(
    ("order", "cell", "wrong"),
    [
        ("day-first", "10/16/2026", "is not a `day-first` date"),
        ("month-first", "16/10/2026", "is not a `month-first` date"),
        ("day-first", "2026-10-16", "is not a `day-first` date"),
        ("day-first", "31/02/2026", "is not a `day-first` date"),
        ("day-first", "16/10/26", "is not a `day-first` date"),
        ("day-first", "zzperson", "is not a `day-first` date"),
        ("", "16/10/2026 09:00", "is a date with the day or the month first"),
        ("", "01/02/2026", "is a date with the day or the month first"),
    ],
)
def test_a_date_in_another_order_is_refused(order: str, cell: str, wrong: str) -> None:
    source = CLOCK + (f"  dates: {order}\n" if order else "")
    (line,) = told(take(source, f"Run,Start,End,n\na,{cell},,1\n".encode()))
    assert line.startswith(f"dump.txt:2:1: `start` {wrong}; ")
    assert ("`dates: day-first` or `dates: month-first`" in line) == (not order)
    assert cell not in line


def test_another_order_of_dates_makes_other_entries_and_none_leaves_them_as_they_were() -> None:
    plain, first, other = (
        source_of(CLOCK + more)[1] for more in ("", "  dates: day-first\n", "  dates: month-first\n")
    )
    for digests in (
        {digest_of(plain), digest_of(first), digest_of(other)},
        {plain.reading, first.reading, other.reading},
    ):
        assert len(digests) == 3


def test_what_is_the_same_in_all_rows_needs_no_column() -> None:
    text = LAB.replace(", '#': gpus", "").replace("Card: gpu", "Card: gpu, Node: account")
    text = text.replace("  statuses: {'': completed}\n", "  constants: {state: failed, gpus: 8}\n")
    table = b"Run,From,To,Card,Node\na,3/2/2026 9:00,3/2/2026 10:00,A40,x\nb,3/2/2026 9:00,3/2/2026 11:00,L40S,y\n"
    taken = sound(text, table)
    assert by(taken, "card") == {"a40": 8 * 3600, "l40s": 16 * 3600}
    assert by(taken, "status") == {"failed": 24 * 3600}
    other = source_of(text.replace("gpus: 8", "gpus: 4"))[1]
    assert taken.rules.source.reading != other.reading
    assert digest_of(taken.rules.source) != digest_of(other)


@pytest.mark.parametrize("constants", ["gpus: many", "gpus: -1", "state: done"])
def test_a_constant_that_is_none_is_refused_as_a_cell_is(constants: str) -> None:
    table = b"Run,h\na,1\n"
    source = f"{SHEET}  columns: {{Run: job, h: wall_hours}}\n  constants: {{{constants}}}\n"
    (line,) = told(take(source, table))
    assert line.startswith("dump.txt:2:1: ")
