"""An entry is one line whatever its fields hold, and is read back as it was given."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reckon.load.run_format import ORDER, SCHEMA_COMMENT, added, progress_parts, takes_lines, written
from reckon.load.yaml_nodes import read_entries
from reckon.model.records import Run

RUN = {"date": "2026-01-02", "item": "train", "gpus": "4", "wall_hours": "2.5"}
HOSTILE = [
    "it's",
    "a, b: c",
    "x}\n- {item: test, gpu_hours: 9}",
    "# no remark",
    "&a *b !c",
    "'}",
    '"}',
    "\\",
    "- x",
    "? y",
    "{",
    "a\u2028b",
    "a\x85b",
    "a\tb",
    "\ufeffa",
    "%",
    "@",
    "`",
    "|",
    ">",
    "null",
    "no",
    "0x1f",
    "1e5",
    "007",
    "2025-01-01",
    "~",
    " a ",
    "a ",
    "é ü 漢",
    "---",
    "...",
    "a #b",
    "a:",
    ":a",
    "=",
    "<<",
    "x" * 3000,
    "a\r\n...\n- b",
]


def back(line: str) -> dict[str, Any]:
    """The one entry of a text, as our reader has it."""
    found: list[Any] = []
    problems: list[Any] = []
    read_entries(added("", [line]), "f", problems, found.append)
    assert problems == []
    assert len(found) == 1
    return dict(found[0])


def test_every_field_of_a_run_has_its_place_in_a_line() -> None:
    importers = {"imported", "unassigned", "adds", "adds_to", "jobs"}  # written by the importer alone
    assert sorted(ORDER) == sorted(name for name in Run.model_fields if name not in {"place", *importers})


def test_a_line_is_written_as_one_types_it() -> None:
    fields = {
        "status": "failed",
        "wall_hours": "29 h 40 min",
        "item": "train",
        "start": "2026-01-02T09:00+02:00",
        "progress.total": "12k",
        "progress.done": "9k",
        "utilisation": "85%",
        "job": "48211",
    }
    assert written(fields) == (
        "- {start: 2026-01-02T09:00+02:00, item: train, wall_hours: 29 h 40 min, status: failed,"
        " progress: {done: 9k, total: 12k}, utilisation: 85%, job: 48211}"
    )


@pytest.mark.parametrize("note", HOSTILE, ids=lambda note: ascii(note)[:20])
def test_no_text_breaks_out_of_its_line(note: str) -> None:
    line = written({**RUN, "note": note})
    assert len(line.splitlines()) == 1
    assert back(line) == {**RUN, "note": note}
    # Other readers of YAML see the same text, never a number or a truth value.
    assert yaml.safe_load(line)[0]["note"] == note


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), include_characters="\n\t\r\x85"), min_size=1)
)
def test_any_text_is_read_back(note: str) -> None:
    if any(ord(one) in (0xFFFE, 0xFFFF) or (ord(one) & 0xFFFE) == 0xFFFE for one in note):
        return
    line = written({**RUN, "note": note, "job": note, "status": note})
    assert len(line.splitlines()) == 1
    assert back(line) == {**RUN, "note": note, "job": note, "status": note}


def test_lines_are_added_as_the_file_has_them() -> None:
    line = written(RUN)
    assert added("", [line]) == f"{SCHEMA_COMMENT}{line}\n"
    assert added("# mine\n- {a: b}", [line]) == f"# mine\n- {{a: b}}\n{line}\n"
    assert added("  - a: b\r\n", [line, line]) == f"  - a: b\r\n  {line}\r\n  {line}\r\n"
    assert takes_lines("# nothing yet\n")
    assert not takes_lines("[{item: train}]\n")


@pytest.mark.parametrize("text", ["3", "3/", "/5", "1/2/3", ""])
def test_progress_is_two_numbers(text: str) -> None:
    assert progress_parts(text) is None
    assert progress_parts("3 / 5") == {"progress.done": "3", "progress.total": "5"}
