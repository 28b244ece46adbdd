# ruff: noqa: E501 (tables read better unbroken)
"""Exports of a stranger: whatever stands in them is a problem with its line, in work that grows with their size."""

from __future__ import annotations

import json

import pytest

from reckon.load.importers import taking
from reckon.load.importers.taking import Taken
from tests.exported import HAND, begun, export, files, kept, seconds, sound, source_of, take, told
from tests.work import growth

JSON = HAND.replace("format: sacct", "format: sacct-json")
CSV = "hand:\n  format: csv\n  timezone: UTC\n  columns: {ID: job, State: state, H: wall_hours}\n  cards: {untyped: card}\n"
LINE = export({}).decode().splitlines()[1]


def jobs(changes: str) -> bytes:
    """A dump of one job, some of whose text is something else."""
    plain = {
        "job_id": 7,
        "state": {"current": ["COMPLETED"]},
        "tres": {"allocated": [{"type": "gres", "name": "gpu:a100", "count": 2}]},
        "time": {"elapsed": 60, "submission": 1, "start": 2, "end": 62},
    }
    old, _, new = changes.partition(" -> ")
    text = json.dumps({"jobs": [plain]})
    assert old in text
    return text.replace(old, new).encode()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\n\n",
        b"\x00" * 1000,
        b"\xff\xfe\x00a",
        b"JobID|State\n\xff|x\n",
        b"|" * 100_000,
        b"=" * 1000,
        b"{",
        b"[]",
        b"JobID" * 100_000,
        b'"' * 10_000,
        b"JobIDRaw=1" + b",a=b" * 1000,
    ],
)
@pytest.mark.parametrize("text", [HAND, JSON, CSV])
def test_what_is_no_export_is_refused_in_a_sentence(text: str, raw: bytes) -> None:
    taken = take(text, raw)
    assert taken.merged.jobs == {}
    assert len(told(taken)) == 1
    assert told(taken)[0].startswith("dump.txt:1:1: ")
    assert len(told(taken)[0]) < 500


def field(name: str, cell: str) -> Taken:
    return take(HAND, export({}, {"JobIDRaw": "8", name: cell}))


@pytest.mark.parametrize(
    "cell", ["x" * 10_000_000, "9" * 200_000, "\x1b[31mred", "=HYPERLINK(1)", "a\x00b", "²", "-1", "1e999"]
)
@pytest.mark.parametrize("name", ["JobIDRaw", "Submit", "Start", "End", "ElapsedRaw", "State"])
def test_a_cell_that_means_nothing_is_told_with_its_line_and_never_repeated(name: str, cell: str) -> None:
    taken = field(name, cell)
    (line,) = told(taken)
    assert line.startswith("dump.txt:3:1: ")
    assert len(line) < 200
    assert "\x1b" not in line


@pytest.mark.parametrize("count", ["9" * 200_000, "x", "-1", "1.5", "1e9", "", "²"])
def test_a_count_of_gpus_is_a_number_that_a_cluster_can_have(count: str) -> None:
    right = "the count of GPUs is not a whole number; check its AllocTRES"
    assert told(field("AllocTRES", f"gres/gpu:a100={count}")) == [f"dump.txt:3:1: {right}"]


@pytest.mark.parametrize(
    "changes",
    [
        "60 -> Infinity",
        "60 -> -60",
        "60 -> null",
        '60 -> "x"',
        "60 -> 1e999",
        "60 -> [60]",
        "60 -> {}",
        "62 -> 1e30",
        '"count": 2 -> "count": Infinity',
        '"count": 2 -> "count": NaN',
        '"count": 2 -> "count": -2',
        "7 -> -7",
        '7 -> "a/b"',
        '["COMPLETED"] -> []',
        '["COMPLETED"] -> 7',
        '["COMPLETED"] -> [[]]',
        '"time": -> "tame":',
        '"jobs": [ -> "jobs": [7, ',
    ],
)
def test_json_that_is_no_job_is_a_problem(changes: str) -> None:
    taken = take(JSON, jobs(changes))
    assert len(told(taken)) == 1
    assert told(taken)[0].startswith("dump.txt:1:1: ")
    assert seconds(taken) in (0, 120)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"jobs": ' + b"[" * 200_000,
        b'{"a": ' + b'{"a": ' * 200_000,
        b'{"jobs": [' + b"9" * 200_000 + b"]}",
        b'{"jobs": [1',
        b'{"meta": {}}',
        b'{"jobs": {}}',
        b'{"jobs": 7}',
        b"{7: []}",
        b'{"jobs" []}',
    ],
)
def test_json_that_is_none_is_refused(raw: bytes) -> None:
    taken = take(JSON, raw)
    assert len(told(taken)) >= 1
    assert taken.merged.jobs == {}


def test_what_stands_in_names_is_data() -> None:
    """Formulas, escapes and YAML are stored as texts, and are the same when they are read again."""
    names = [
        "=1+1",
        "\x1b[31mred",
        "a: b",
        "- x",
        "'",
        '"',
        "#",
        "{}",
        "&a",
        "*a",
        "!!python/object:os.system",
        "\u202e",
        "null",
        "x" * 2000,
    ]
    rows = [{"JobIDRaw": str(number), "JobName": name} for number, name in enumerate(names, 1)]
    taken = sound(HAND, export(*rows))
    hidden = {"\x1b[31mred": "\ufffd[31mred", "\u202e": "\ufffd", "x" * 2000: "x" * 999 + "…"}
    found = {int(job.job.id): job.job.says["name"] for job in kept(taken)}
    assert [found[number] for number in sorted(found)] == [hidden.get(name, name) for name in names]
    assert "\x1b" not in "".join(files(taken).values())


@pytest.mark.full
def test_a_table_of_a_million_columns_is_refused() -> None:
    taken = take(CSV, (",".join(f"c{number}" for number in range(1_000_000)) + "\n").encode())
    assert len(told(taken)) == 1
    assert len(told(taken)[0]) < 500


def test_a_pattern_that_would_take_for_ever_takes_no_time() -> None:
    text = HAND + "  rules:\n    slow: {when: {name: '^(a+)+$'}, item: data}\n"
    taken = sound(text, export({"JobName": "a" * 50_000 + "!"}))
    assert [job.made.rule for job in taken.merged.jobs.values()] == [""]
    _, source = source_of(text)
    assert source.rules


@pytest.mark.parametrize("text", [HAND, JSON])
def test_the_work_grows_with_the_rows(text: str) -> None:
    def rows(count: int) -> bytes:
        if text is HAND:
            return export(*({"JobIDRaw": str(number)} for number in range(count)))
        one = json.loads(jobs(" -> "))["jobs"][0]
        return json.dumps({"jobs": [{**one, "job_id": number + 1} for number in range(count)]}).encode()

    def of(count: int):  # type: ignore[no-untyped-def]
        raw, taken = rows(count), begun(text)
        return lambda: (taking.take(taken, raw, "dump.txt"), files(taken))

    assert growth(of, 200) < 2.3


def test_what_is_wrong_in_many_ways_is_told_as_far_as_anyone_reads() -> None:
    rows = [
        {"JobIDRaw": str(number), "State": f"{'ODD' * (number % 9 + 1)}{chr(65 + number // 9)}"} for number in range(60)
    ]
    found = told(take(HAND, export(*rows)))
    assert len(found) == 51
    assert found[-1] == "dump.txt:52:1: 10 more things wrong below; fix the problems above first"
