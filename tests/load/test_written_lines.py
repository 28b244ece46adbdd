"""Runs as the tool writes them, read by one expression: what the YAML reader finds, or nothing, so that it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.language.text import NOWHERE, place_of
from reckon.load import canonical_runs
from reckon.load.importers.assignment import Assignment, Portion
from reckon.load.importers.job import Job
from reckon.load.importers.job_records import JobKey, StoredJob, entry_lines
from reckon.load.reader import load
from reckon.load.run_format import COLUMNS, IMPORTED_ORDER, JOB_ORDER, written
from reckon.load.validate import validate
from reckon.load.yaml_nodes import Stop, read_entries
from reckon.model.finding import Problem
from reckon.model.record import Record
from reckon.model.records import ImportedFrom, Run
from reckon.model.runs import ColumnRuns
from tests.small import plant
from tests.trying import examples

ADDED, IMPORTED = "ledger/demo/runs/2026-01.yaml", "ledger/demo/runs/import/fox-2026-01.yaml"
WORD = st.one_of(
    st.text(min_size=1, max_size=12),
    st.sampled_from(
        [
            "a: b",
            "it's",
            "''",
            "#",
            "- x",
            "{}",
            "a, b",
            "00",
            "1e5",
            "true",
            "null",
            "~",
            "é ü",
            "日本",
            "2026-01-02T03:04",
            "2026-01-02T03:04:",
            "x #y",
            "a\u2028b",
            "\x1b[31m",
            "\ufeff",
            "tab\tbed",
            "=cmd()",
            " lead",
            "trail ",
            "%",
            "[x]",
            "&a",
            "*a",
            "!t",
            "|",
            ">",
            "@",
            "`",
            '"q"',
            "\\u0041",
        ]
    ),
)
NUMBER = st.sampled_from(["1", "8", "2.5", "0", "1/7", "3600 s", "1 h 30 min", "90 min", "1e2", "12%", "1.2", "8-10"])
DAY = st.sampled_from(
    [
        "2026-01-02",
        "2026-01",
        "2026-02-30",
        "2026-01-02T10:00",
        "2026-01-02T10:00:00Z",
        "20260102",
        "2026-01-02T25:00",
        "2026-01-02T10:00:00+01:00",
    ]
)
VALUES = {
    name: st.one_of(WORD, NUMBER, DAY, st.sampled_from(["true", "false", "failed", "completed", "measured"]))
    for name in COLUMNS
    if name != "progress"
}
FIELDS = st.fixed_dictionaries({"item": WORD}, optional={key: of for key, of in VALUES.items() if key != "item"})
SAYS = st.fixed_dictionaries({}, optional=dict.fromkeys(("name", "account", "partition", "qos"), WORD))
MOMENT = st.one_of(st.none(), st.integers(0, 4_000_000_000))


@pytest.fixture(autouse=True)
def _short_files_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_runs, "LEAST", 0)


def by_yaml(text: str, file: str) -> tuple[tuple[Record, ...], list[Problem]]:
    """The runs that the YAML reader finds, and what it finds wrong."""
    problems: list[Problem] = []
    found: list[Record] = []

    def take(branch: Any) -> None:
        record = validate(Run, branch, problems, lambda _: None)
        found.extend([record] if record else [])

    try:
        read_entries(text, file, problems, take)
    except Stop as stop:
        problems.append(stop.problem)
    return tuple(found), problems


def parts(value: Any, at: str = "") -> Iterator[tuple[object, ...]]:
    """All that can be told of a record: its fields with their values, their places, and which were written."""
    yield at, isinstance(value, str), value if not isinstance(value, Record) else type(value), place_of(value)
    if isinstance(value, Record):
        yield at, frozenset(value.model_fields_set), tuple(value.__dict__)
        for name in type(value).model_fields:
            yield from parts(getattr(value, name), f"{at}.{name}")


def told(runs: Sequence[Record]) -> list[tuple[object, ...]]:
    return [part for run in runs for part in parts(run)]


def agree(text: str, file: str) -> bool:
    """Whether a text is read as lines; if so, as the YAML reader reads it, which finds nothing wrong."""
    found = canonical_runs.read_lines(text, file)
    if found is None:
        return False
    runs, problems = by_yaml(text, file)
    assert problems == []
    assert told(found) == told(runs)
    return True


def imported_line(says: dict[str, str], start: int | None, end: int | None, submit: int | None, id: str) -> str:
    portions = (Portion("", "a100", Fraction(1, 7)), Portion("train", "h100", Fraction(2)))
    job = Job(1, id, "COMPLETED", Fraction(3, 2), submit, start, end, (("", 2), ("a100", 1)), 1, "fox", "1_2", says)
    stored = StoredJob(
        JobKey("fox", id, submit), job, "completed", Assignment("all", "1", "r", True, False, portions), id
    )
    return "".join(f"{line}\n" for line in entry_lines(stored, "fox", UTC))


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(FIELDS, min_size=1, max_size=3))
def test_added_entries_are_read_alike(entries: list[dict[str, str]]) -> None:
    agree("# a comment\n" + "".join(f"{written(fields)}\n" for fields in entries), ADDED)


@settings(max_examples=examples(200), deadline=None)
@given(SAYS, MOMENT, MOMENT, MOMENT, WORD)
def test_imported_entries_are_read_alike(
    says: dict[str, str], start: int | None, end: int | None, submit: int | None, id: str
) -> None:
    text = imported_line(says, start, end, submit, id)
    plain = all(word.isprintable() and word.strip() for word in (*says.values(), id))
    assert agree(text, IMPORTED) == plain


BEGAN = 1_700_000_000
SOUND = imported_line({"name": "it's", "account": "ac 1", "qos": "a: b"}, BEGAN, BEGAN + 3600, BEGAN - 1000, "7")
TYPED = """\
- {date: 2026-01-02, item: train, seed: 1, gpus: 4, wall_hours: 2.5, progress: {done: 2, total: 5}, note: 'a: b'}
- {start: 2026-01-02T10:00:00Z, item: train, gpu: a100, gpus: 1/7, gpu_hours: 8, cost_usd: 12.5, utilisation: 40%}
"""
PUT = (
    "",
    "'",
    "''",
    ", ",
    ",",
    "{",
    "}",
    ": ",
    ":",
    " ",
    "\n",
    "#",
    " #",
    "0",
    "-",
    "x",
    "é",
    "\t",
    "\r",
    "&",
    "*",
    "!",
    "item: x, ",
    "- ",
)


@settings(max_examples=examples(600), deadline=None)
@given(st.sampled_from([(SOUND, IMPORTED), (TYPED, ADDED)]), st.data())
def test_what_is_changed_anywhere_is_read_alike_or_not_here(sound: tuple[str, str], data: st.DataObject) -> None:
    text, file = sound
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.sampled_from([0, 1, 2, 7]))
        put = data.draw(st.sampled_from(PUT))
        text = text[:at] + put + text[at + gone :]
    agree(text, file)


def test_lines_as_written_are_read_here() -> None:
    assert agree(SOUND, IMPORTED)
    assert agree(TYPED, ADDED)
    assert agree(f"# yaml-language-server: $schema=x\n# made by hand\n{TYPED}", ADDED)
    run = (canonical_runs.read_lines(SOUND, IMPORTED) or ())[1]
    assert run.imported is not None
    assert run.imported.name == "it's"
    column = SOUND.splitlines()[1].index("it''s") + 1
    assert run.imported.name is not None
    assert (run.imported.name.place, run.place) == ((IMPORTED, 2, column), (IMPORTED, 2, 3))
    assert run.imported.source.place is not NOWHERE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "[]\n",
        TYPED.rstrip("\n"),
        TYPED + "\n",
        TYPED.replace("\n", "\r\n"),
        "\ufeff" + TYPED,
        TYPED + "- {item: x}  # why\n",
        TYPED + " - {item: x}\n",
        TYPED + "- item: x\n",
        TYPED + "- {seed: 1}\n",
        TYPED + "- {seed: 1, item: x}\n",
        TYPED + "- {item: x, item: y}\n",
        TYPED + '- {item: "x"}\n',
        TYPED + "- {item: &a x}\n",
        TYPED + "- {item: !!str x}\n",
        TYPED + "- {item: ''}\n",
        TYPED + "- {item: ' '}\n",
        TYPED + "- {item: x, gpu_hours: 6,000}\n",
        TYPED + "- {item: x, status: odd}\n",
        TYPED + "- {item: x, gpus: -1}\n",
        TYPED + "- {date: 2026-02-30, item: x}\n",
        TYPED + "- {item: x, progress: {done: 1}}\n",
        "---\n" + TYPED,
        TYPED + "- {item: x, progress: {}}\n",
        TYPED + "- {item: x, strange: y}\n",
        TYPED + "...\n",
        TYPED + f"- {{item: x, note: '{'y' * 20_001}'}}\n",
        TYPED + "<<<<<<< mine\n",
        TYPED + "- {item: a\u200bb}\n",
        TYPED + "- {item: x, seed: }\n",
        TYPED + "- {item: x\x1b[2J}\n",
        "# \x1b[2J\n" + TYPED,
        TYPED + "- {item: x }\n",
        TYPED + "- {item: {x}\n",
        TYPED + "- {item: x, note: a\tb}\n",
        TYPED + f"- {{item: x, note: {'y' * 20_001}}}\n",
    ],
)
def test_what_is_written_otherwise_is_left_to_the_yaml_reader(text: str) -> None:
    assert canonical_runs.read_lines(text, ADDED) is None


DECIMAL = st.builds(
    "{}{}{}".format,
    st.sampled_from(["0", "1", "9", "8388607", "999999999", "123456789012"]),
    st.sampled_from(["", ".5", ".000001", ".999999", ".123456789"]),
    st.sampled_from(["", "", "", " s", " GPU-s"]),
)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(DECIMAL, st.integers(1, 8)), min_size=1, max_size=4))
def test_decimals_are_exact(said: list[tuple[str, int]]) -> None:
    fields = (
        {"item": "train", "gpus": str(gpus), "gpu_hours" if "GPU" in hours else "wall_hours": hours}
        for hours, gpus in said
    )
    text = "".join(f"{written(run)}\n" for run in fields)
    found = canonical_runs.read_lines(text, ADDED)
    assert isinstance(found, ColumnRuns)
    runs, problems = by_yaml(text, ADDED)
    assert problems == []
    for name in ("gpus", "gpu_hours", "wall_hours"):
        stated = found.columns.amounts(name)
        assert (stated.exact() if stated else [None] * len(runs)) == [getattr(run, name) for run in runs]


def test_a_field_that_one_line_of_many_has_is_found() -> None:
    """The expression is made of the fields that samples name, then of all."""
    line = "- {date: 2026-01-02, item: train, seed: 1, gpus: 4, wall_hours: 2.5}\n"
    runs = canonical_runs.read_lines(
        f"{line * 700}- {{date: 2026-01-02, item: train, note: once}}\n{line * 700}", ADDED
    )
    assert runs is not None
    assert (len(runs), runs[700].note, runs[-1].seed) == (1401, "once", "1")


def test_each_record_of_a_long_file_is_that_of_its_line() -> None:
    """Lines begin anywhere beside the steps in which they are counted, and some are longer than a step."""
    notes = ["", "x", "y" * 200, "it''s", "z" * 4_000]
    entries = [
        f"- {{date: 2026-01-{1 + number % 28:02}, item: train, gpus: {number % 9}, wall_hours: {number}.5"
        + (f", note: '{notes[number % 5]}'" if number % 5 else "")
        + "}\n"
        for number in range(400)
    ]
    text = "# made by hand\n\n" + "".join(entries)
    found = canonical_runs.read_lines(text, ADDED)
    assert found is not None
    runs, problems = by_yaml(text, ADDED)
    assert problems == []
    for number in (*range(399, 0, -7), *range(400)):
        assert (found[number], found[number].place) == (runs[number], runs[number].place)
        assert found[number].item.place == runs[number].item.place


def test_all_that_is_written_has_a_place_in_the_order() -> None:
    beside = {"place", "part", "seed", "parent", "facility", "through", "done", "total", "energy_kwh", "billed_usd"}
    beside |= {"effective_usd", "rows"}
    assert set(JOB_ORDER) == set(ImportedFrom.model_fields) - beside, "what is beside hours is left to the YAML reader"
    assert set(IMPORTED_ORDER) <= set(Run.model_fields)


def test_problems_of_many_runs_are_told_at_their_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, file = plant(tmp_path), "ledger/demo/runs/many.yaml"
    row = "- {date: 2026-01-26, item: train, seed: 1, gpus: 4, wall_hours: 1, job: 'a/1'}\n"
    odd = (("train", "tran"), ("seed: 1", "seed: 7"), ("gpus", "gpu: cart, gpus"))
    text = row + "".join(row.replace(was, now) for was, now in odd)
    plant(root, {file: text})
    found = [str(problem) for problem in load(root)[1]]
    monkeypatch.setattr(canonical_runs, "LEAST", len(text) + 1)
    assert found == [str(problem) for problem in load(root)[1]]
    told = [problem.removeprefix(f"{file}:").split(": ")[0] for problem in found]
    # The item; the job in each line that has it again, behind its quote; the seed; the card.
    assert told == ["2:28", "2:73", "3:41", "3:74", "4:49", "4:85"]
