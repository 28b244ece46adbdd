"""One entry rewritten in place: only what is to change does, however the entry and its file are written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.load.entry_edits import StandingEntry, rewritten, standing
from reckon.load.run_format import DONE, ORDER, TOTAL, entries_of, fields_of, scalar

FILE = """\
# January
- {date: 2026-01-02, item: train, gpus: 4, wall_hours: 2.5, status: running} # still
- date: 2026-01-02  # day
  item: train
  # why four
  gpus: 4
  progress:
    done: 3 # so far
    total: 5
  wall_hours: 3
  note: |- # remark
    a
    b

  job: '48'
- {
    date: 2026-01-02,
    item: test, # x
    gpu_hours: 3
  }
"""


def entry(text: str, number: int = 0) -> StandingEntry:
    found = standing(text)
    assert found is not None
    return found[number]


def test_entries_know_their_lines_and_fields() -> None:
    found = standing(FILE)
    assert found is not None
    assert [(one.line, one.column, one.last) for one in found] == [(2, 3, 2), (3, 3, 15), (16, 3, 20)]
    assert found[1].fields[DONE] == "3"
    assert standing("a: b\n") is None
    assert standing("- {a: &x 1}\n") is None
    assert standing("") == []


REWRITTEN = [
    (
        0,
        {"status": "completed", "wall_hours": "30", "job": "7"},
        [],
        "wall_hours: 2.5, status: running} # still",
        "wall_hours: 30, status: completed, job: 7} # still",
    ),
    (0, {}, ["status"], "2.5, status: running} #", "2.5} #"),
    (0, {}, ["date"], "- {date: 2026-01-02, item: train, gpus", "- {item: train, gpus"),
    (0, {"seed": "1"}, ["gpus"], "train, gpus: 4, wall", "train, seed: 1, wall"),
    (0, {DONE: "1", TOTAL: "5"}, [], "running} #", "running, progress: {done: 1, total: 5}} #"),
    (1, {"wall_hours": "30"}, [], "  wall_hours: 3\n", "  wall_hours: 30\n"),
    (1, {"job": "49"}, [], "job: '48'", "job: '49'"),
    (1, {DONE: "4", TOTAL: "6"}, [], "done: 3 # so far\n    total: 5\n", "done: 4 # so far\n    total: 6\n"),
    (1, {"note": "it's"}, [], "|- # remark\n    a\n    b\n", "'it''s' # remark\n"),
    (1, {"status": "failed"}, [], "  wall_hours: 3\n", "  wall_hours: 3\n  status: failed\n"),
    (
        1,
        {"source": "log"},
        [],
        "  note: |- # remark\n    a\n    b\n",
        "  note: |- # remark\n    a\n    b\n  source: log\n",
    ),
    (1, {}, ["date"], "- date: 2026-01-02  # day\n", "- # day\n"),
    (1, {}, ["item"], "  item: train\n", ""),
    (1, {}, ["job"], "\n  job: '48'\n", "\n"),
    (1, {}, ["progress"], "  progress:\n    done: 3 # so far\n    total: 5\n", ""),
    (
        2,
        {"status": "failed"},
        ["date"],
        "    date: 2026-01-02,\n    item: test, # x\n    gpu_hours: 3\n",
        "    item: test, # x\n    gpu_hours: 3,\n    status: failed\n",
    ),
]


@pytest.mark.parametrize(("number", "fields", "without", "was", "now"), REWRITTEN)
def test_nothing_but_the_fields_of_one_entry_changes(
    number: int, fields: dict[str, str], without: list[str], was: str, now: str
) -> None:
    assert FILE.count(was) == 1
    for text in (FILE, "\ufeff" + FILE):
        assert rewritten(text, entry(text, number), fields, without) == text.replace(was, now)
    dos = FILE.replace("\n", "\r\n")
    assert rewritten(dos, entry(dos, number), fields, without) == FILE.replace(was, now).replace("\n", "\r\n")


WHOLE = [
    (
        "- item: x\n  gpu_hours: 3",
        {"date": "2026-01-01", "job": "7"},
        "- date: 2026-01-01\n  item: x\n  gpu_hours: 3\n  job: 7",
    ),
    ("- item: x # c\n  gpu_hours: 3 # d", {"job": "7"}, "- item: x # c\n  gpu_hours: 3 # d\n  job: 7"),
    ("-\n    item: x\n    gpu_hours: 3\n", {"seed": "1"}, "-\n    item: x\n    seed: 1\n    gpu_hours: 3\n"),
    (
        "  - {item: x, gpu_hours: 3,}\n",
        {"date": "2026-01-01", "job": "7"},
        "  - {date: 2026-01-01, item: x, gpu_hours: 3, job: 7,}\n",
    ),
    (
        '[{"item": "x", "gpu_hours": 3}]',
        {"job": "a", "gpus": "2"},
        '[{"item": "x", "gpus": 2, "gpu_hours": 3, "job": "a"}]',
    ),
    ('- {item: "x", status: "running"}', {"status": "failed"}, '- {item: "x", status: "failed"}'),
    ("- {item: x, note: a\n    b}", {"note": "c, d"}, "- {item: x, note: 'c, d'}"),
    ("- item: x\n  note:\n  gpus: 1", {"note": "c"}, "- item: x\n  note: c\n  gpus: 1"),
    ("- {item: x, gpu_hours: 3}\n", {"item": "x", "gpu_hours": "3"}, "- {item: x, gpu_hours: 3}\n"),
    ("- {item: x}\n", {"note": "a\nb"}, '- {item: x, note: "a\\u000ab"}\n'),
]


@pytest.mark.parametrize(("text", "fields", "wanted"), WHOLE)
def test_a_field_is_written_as_its_entry_is(text: str, fields: dict[str, str], wanted: str) -> None:
    assert rewritten(text, entry(text), fields) == wanted


@pytest.mark.parametrize(
    ("text", "without"), [("- {item: x}", "item"), ("- {item: x, # c\n  run: y # e\n  , seed: 2}", "run")]
)
def test_what_cannot_be_done_in_place_is_not_done(text: str, without: str) -> None:
    assert rewritten(text, entry(text), {"seed": "1"}, [without]) is None


WORDS = st.text(st.sampled_from("ab1 '\"#,:{}[]-é漢\n"), min_size=1, max_size=12)
VALUES: dict[str, Any] = dict.fromkeys(("item", "run", "job", "note", "source", "gpu"), WORDS) | {
    "gpus": st.integers(1, 64).map(str),
    "wall_hours": st.sampled_from(["2.5", "3", "1 h 30 min"]),
    "date": st.sampled_from(["2026-01-02", "2026-01"]),
    "status": st.sampled_from(["running", "completed", "failed"]),
}
FIELDS = st.fixed_dictionaries({}, optional=VALUES)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, int]:
    """A file of entries in different styles, with comments, and how many there are."""
    count, lines = draw(st.integers(1, 4)), list[str]()
    for _ in range(count):
        fields = {"item": "train", **draw(FIELDS)}
        names = draw(st.permutations(sorted(fields)))
        remark = draw(st.sampled_from(["", " # so", "  # {a: b}, 'c"]))
        pairs = [f"{name}: {scalar(fields[name], True)}" for name in names]
        style = draw(st.sampled_from(["line", "block", "brackets"]))
        if style == "line":
            lines.append("- {" + ", ".join(pairs) + "}" + remark)
        elif style == "block":
            lines += [("- " if not number else "  ") + pair + remark for number, pair in enumerate(pairs)]
        else:
            lines += ["- {", *(f"    {pair},{remark}" for pair in pairs), "  }" + remark]
        lines += draw(st.sampled_from([[], [""], ["# between"], ["  # deep"]]))
    return draw(st.sampled_from(["\n", "\r\n"])).join([*lines, ""]), count


@given(files(), st.data())
def test_an_entry_reads_back_with_the_new_fields_and_no_other_line_changes(
    file: tuple[str, int], data: st.DataObject
) -> None:
    text, count = file
    number = data.draw(st.integers(0, count - 1))
    fields = data.draw(FIELDS)
    was, at = entries_of(text), entry(text, number)
    assert was is not None
    gone = data.draw(st.lists(st.sampled_from([name for name in ORDER if name != "item"]), unique=True, max_size=3))
    without = [name for name in gone if name not in fields]
    text_now = rewritten(text, at, fields, without)
    assert text_now is not None
    lines, now = text.splitlines(keepends=True), text_now.splitlines(keepends=True)
    assert now[: at.line - 1] == lines[: at.line - 1]
    assert now[len(now) - (len(lines) - at.last) :] == lines[at.last :]
    read = entries_of(text_now)
    assert read is not None
    kept = {name: value for name, value in fields_of(was[number]).items() if name not in without}
    assert fields_of(read[number]) == {**kept, **fields}
    assert read[:number] + read[number + 1 :] == was[:number] + was[number + 1 :]
    for sign in (" # so", "  # {a: b}, 'c"):
        assert text_now.count(sign.strip()) == text.count(sign.strip())
