# ruff: noqa: E501 (lines of a ledger and messages stand unbroken)
"""`add measurement`: what is written, what is refused and where, and that many who add lose nothing."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.load.requests import SCHEMA_COMMENT, key_of, read_measured, takes_records, written
from reckon.load.run_format import added
from reckon.publish.journal import LOCK
from tests.small import plant
from tests.trying import examples

ROOT = Path(__file__).resolve().parents[2]
FILE = "ledger/demo/measurements.yaml"
# The four requests of the ARPO report, as a logger might write them.
REQUESTS = """\
id,tokenization [s],input_tokens,generation (s),output_tokens,decoding
r1,0.21,786,2821,86,30
r2,0.07,786,3099,100,30
r3,0.08,786,3279,95,30
r4,0.08,786,5294,96,20
"""
OPTIONS = ["--id", "cpu-requests", "--title", "Inference on the laptop's CPU", "--kind", "measured", "--row", "request"]
COLUMNS = ["--map", "id=", "--unit", "decoding=ms", "--total", "tokenization", "generation (s)", "decoding"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger, with the file of requests in the folder where commands run."""
    monkeypatch.chdir(tmp_path)
    Path("requests.csv").write_text(REQUESTS, "utf-8")
    return plant(tmp_path / "tree")


def add(tree: Path, *words: str) -> int:
    return main(["--root", str(tree), "add", "measurement", *words])


def state(tree: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def figures(tree: Path) -> dict[str, Fraction | None]:
    ledger, problems = load(tree)
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return {address: figure.use for address, figure in book.figures.items()}


def test_a_file_of_requests_becomes_a_record(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS, "--date", "2026-01-17", "--device", "A laptop's CPU") == 0
    assert (tree / FILE).read_text("utf-8") == SCHEMA_COMMENT + (
        """\
cpu-requests:
  title: 'Inference on the laptop''s CPU'
  kind: measured
  date: 2026-01-17
  device: 'A laptop''s CPU'
  row: request
  rows:
    - {tokenization_seconds: 0.21, input_tokens: 786, generation_seconds: 2821, output_tokens: 86, decoding_milliseconds: 30}
    - {tokenization_seconds: 0.07, input_tokens: 786, generation_seconds: 3099, output_tokens: 100, decoding_milliseconds: 30}
    - {tokenization_seconds: 0.08, input_tokens: 786, generation_seconds: 3279, output_tokens: 95, decoding_milliseconds: 30}
    - {tokenization_seconds: 0.08, input_tokens: 786, generation_seconds: 5294, output_tokens: 96, decoding_milliseconds: 20}
  total: [tokenization_seconds, generation_seconds, decoding_milliseconds]
"""
    )
    out = capsys.readouterr().out
    assert out.startswith(f"{FILE}:2: cpu-requests: Inference on the laptop's CPU, 4 rows of 5 columns\n")
    # (2821 + 3099 + 3279 + 5294) / 4 and the share of (0.21 + 0.07 + 0.08 + 0.08) in a sum of 14,493.55 s.
    assert [line.split()[:4] for line in out.splitlines() if "generation, s" in line] == [
        ["generation,", "s", "4", "3,623"]
    ]
    assert [line.split()[-1] for line in out.splitlines() if "tokenization, s" in line] == ["0.003%"]
    assert "  bottleneck: generation\n" in out
    assert "No projection names it yet" in out
    at = "demo.measurements.cpu-requests"
    found = figures(tree)
    assert found[f"{at}.generation_seconds.mean"] == Fraction(14493, 4)
    assert found[f"{at}.total_seconds.sum"] == 14493 + Fraction("0.44") + Fraction("0.11")  # 30 + 30 + 30 + 20 ms


def test_what_stands_in_the_file_stays_byte_for_byte(tree: Path) -> None:
    first = "# Mine.\r\nolder: {title: Older, kind: reported, seconds_per_step: 4}\r\n# to be measured again"
    (tree / FILE).write_bytes(first.encode())
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS) == 0
    text = (tree / FILE).read_bytes().decode()
    assert text.startswith(f"{first}\r\ncpu-requests:\r\n  title:")
    assert text.count("\n") == text.count("\r\n")
    before = state(tree)
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS) == 2
    assert add(tree, "requests.csv", *OPTIONS[2:], *COLUMNS, "--id", "again") == 0
    after = state(tree)
    assert {name for name in after if before.get(name) != after[name]} == {str(tree / FILE)}
    assert after[str(tree / FILE)].startswith(before[str(tree / FILE)])


def test_an_id_is_given_once(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / FILE).write_text("# One.\ncpu-requests: {title: Older, kind: reported, seconds_per_step: 4}\n", "utf-8")
    before = state(tree)
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS) == 2
    assert capsys.readouterr().err == (
        f"`cpu-requests` already exists, in {FILE}:2; give another --id, or remove that record first\n"
    )
    assert state(tree) == before


def test_json_states_its_fields_and_options_go_before_them(tree: Path) -> None:
    record = {
        "title": 'A "small" model: 007',
        "kind": "measured",
        "gpus": 1,
        "peak_memory_gib": 1.5,
        "row": "step",
        "rows": [{"forward_ms": 1e-05, "id": 1}, {"forward_ms": 12, "id": 2}],
        "total": ["forward_ms"],
    }
    Path("steps.json").write_text(json.dumps(record, indent=1), "utf-8")
    assert add(tree, "steps.json", "demo", "--id", "steps", "--map", "id=", "--kind", "simulated", "--notes", "no") == 0
    assert (tree / FILE).read_text("utf-8").splitlines()[1:] == [
        "steps:",
        "  title: 'A \"small\" model: 007'",
        "  kind: simulated",
        "  gpus: 1",
        "  row: step",
        "  rows:",
        "    - {forward_ms: 1e-05}",
        "    - {forward_ms: 12}",
        "  total: [forward_ms]",
        "  peak_memory_gib: 1.5",
        "  notes: 'no'",
    ]
    Path("rows.json").write_text(json.dumps(record["rows"]), "utf-8")
    assert add(tree, "rows.json", *OPTIONS, "--map", "id=") == 0
    assert figures(tree)["demo.measurements.cpu-requests.forward_ms.max"] == 12


def test_fields_of_json_that_are_there_twice_are_told_each(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("twice.json").write_text(
        '{"kind": "measured", "kind": "x", "title": "A",\n"date": "2026-01-01",\n"title": "B"}'
    )
    before = state(tree)
    assert add(tree, "twice.json", *OPTIONS) == 2
    told = capsys.readouterr().err.splitlines()
    assert 'twice.json:1:22: `"kind"` appears twice; keep one; the first is in line 1 [key-twice]' in told
    assert 'twice.json:3:1: `"title"` appears twice; keep one; the first is in line 1 [key-twice]' in told
    assert state(tree) == before


def test_in_a_pipe_it_says_what_is_missing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    assert add(tree, "requests.csv", "--map", "id=") == 2
    assert capsys.readouterr().err.splitlines() == [
        "requests.csv:1:63: `decoding` has no unit; add it to the name, such as `latency (ms)`, or use --unit decoding=ms;"
        " or skip it with --map 'decoding=' [column-unit]",
        "1 problem in 1 file",
        "--id is missing: the id of the measurement, such as cpu-requests",
        "--title is missing: what was measured",
        "--kind is missing: measured, simulated, datasheet, reported or estimated",
        "nothing written",
    ]
    assert state(tree) == before


def test_the_file_and_the_fields_are_refused_together(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    Path("requests.csv").write_text("latency_seconds\n2.8 s\n2800 ms\n", "utf-8")
    words = [
        "--id",
        "a",
        "--title",
        "A",
        "--kind",
        "measurd",
        "--date",
        "2999-01-01",
        "--model",
        "nobody",
        "--total",
        "x",
    ]
    assert add(tree, "requests.csv", *words) == 2
    err = capsys.readouterr().err.splitlines()
    assert [line.split(": ", 1)[0] for line in err[:5]] == [
        f"{FILE}:4:9",
        f"{FILE}:5:9",
        f"{FILE}:6:10",
        "requests.csv:2:1",
        "requests.csv:3:1",
    ]
    assert err[5:] == [
        "5 problems in 2 files",
        "Nothing written.",
        f"The record would have been, from line 2 of {FILE}:",
        "a:",
        "  title: A",
        "  kind: measurd",
        "  date: 2999-01-01",
        "  model: nobody",
    ]
    assert state(tree) == before


REFUSED = [
    ([*OPTIONS, *COLUMNS[:-4], "--total", "generation", "nothing"], "the rows have no column `nothing`"),
    (
        [*OPTIONS, *COLUMNS[:-4], "--total", "generation", "output_tokens"],
        "`output_tokens` does not measure what `generation_seconds` does",
    ),
    (["--id", "Not An Id", *OPTIONS[2:], *COLUMNS], "is not an id; write `not-an-id`"),
    (["dmo", *OPTIONS, *COLUMNS], "there is no project `dmo`; did you mean `demo`?"),
    ([*OPTIONS, *COLUMNS, "--gpus", "many"], "`many` is not a number"),
    ([*OPTIONS, *COLUMNS, "--title", ""], "the text is empty"),
]


@pytest.mark.parametrize(("words", "says"), REFUSED, ids=lambda one: str(one)[-30:])
def test_it_is_refused(words: list[str], says: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = state(tree)
    assert add(tree, "requests.csv", *words) == 2
    assert says in capsys.readouterr().err
    assert state(tree) == before


def test_options_that_are_none(tree: Path) -> None:
    for words in (["--unit", "latency"], ["--map", "latency"], ["--unit", "latency="], ["--kinds", "measured"]):
        with pytest.raises(SystemExit) as end:
            add(tree, "requests.csv", *OPTIONS, *words)
        assert end.value.code == 2


def test_a_file_that_is_not_there_or_none(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(tree, "nowhere.csv", *OPTIONS) == 2
    assert add(tree, "tree", *OPTIONS) == 2
    err = capsys.readouterr().err.splitlines()
    assert err == ["nowhere.csv: No such file or directory", "tree: Is a directory"]


@pytest.mark.parametrize("text", ["{a: {title: A, kind: measured}}\n", "'a': {title: A, kind: measured}\n"])
def test_a_file_in_another_form_is_left_alone(text: str, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / FILE).write_text(text, "utf-8")
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS) == 2
    assert "does not begin its records with `id:`" in capsys.readouterr().err
    assert (tree / FILE).read_text("utf-8") == text


def test_a_ledger_with_problems_takes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / FILE).write_text("a: {title: A}\n", "utf-8")
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS) == 2
    assert "`kind` is missing" in capsys.readouterr().err
    assert (tree / FILE).read_text("utf-8") == "a: {title: A}\n"


UNITS = {
    "ms": "milliseconds",
    "s": "seconds",
    "Seconds": "seconds",
    "min": "minutes",
    "GB": "gb",
    "GiB": "gib",
    "gb": "gb",
    "tokens/s": "tokens_per_second",
    "MB/s": "mb_per_second",
    "tokens": "tokens",
    "W": "watts",
    "kWh": "kwh",
    "Gb": "",
    "Mb": "",
    "mWh": "",
    "MS": "",
    "%": "",
    "m": "",
    "": "",
    "token": "",
    "s/s/s": "",
    "µs": "",
    "1/s": "",
}


@pytest.mark.parametrize(("unit", "words"), UNITS.items())
def test_a_unit_is_taken_only_where_it_can_be_told(unit: str, words: str) -> None:
    assert key_of(unit) == words


NAMES = [
    ("latency (ms)", {}, "latency_milliseconds"),
    ("latency", {"latency": "ms"}, "latency_milliseconds"),
    ("latency_ms", {}, "latency_ms"),
    ("latency_ms", {"latency_ms": "ms"}, "latency_ms"),
    ("latency_per_token (ms)", {}, "latency_milliseconds_per_token"),
    ("rate [tokens/s]", {}, "rate_tokens_per_second"),
    ("output (tokens)", {}, "output_tokens"),
    ("tokens (tokens)", {}, "tokens"),
    ("seconds_per_step", {}, "seconds_per_step"),
    ("loss", {"loss": "1"}, "loss"),
]


@pytest.mark.parametrize(("head", "units", "name"), NAMES, ids=lambda one: str(one)[:30])
def test_a_column_carries_its_unit_at_the_end(head: str, units: dict[str, str], name: str) -> None:
    found, problems = read_measured(f'"{head}"\n1.50\n'.encode(), "a.csv", {}, units)
    assert problems == []
    assert found.rows == [{name: "1.50"}]


NUMBER = st.one_of(
    st.integers(0, 10**15).map(str),
    st.floats(1e-90, 1e90).map(repr),
    st.decimals(0, 10**6, places=4, allow_nan=False).map(lambda one: f"{one:f}"),
)
TABLE = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(NUMBER, min_size=width, max_size=width), min_size=1, max_size=8)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(TABLE, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.text("ab'\"{}#:,é\n\t", min_size=1).filter(str.strip))
def test_rows_come_back_exactly(tmp_path: Path, rows: list[list[str]], end: str, quoted: bool, title: str) -> None:
    """Rows -> CSV and JSON -> record -> ledger: the same numbers, as fractions, and the same words."""
    heads = [f"part{number}_ms" for number in range(len(rows[0]))]
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, lineterminator=end).writerows(
        [heads, *rows]
    )
    as_json = (
        "["
        + ",\n".join("{" + ", ".join(f'"{h}": {c}' for h, c in zip(heads, row, strict=True)) + "}" for row in rows)
        + "]"
    )
    for name, text in (("a.csv", out.getvalue()), ("a.json", as_json)):
        found, problems = read_measured(text.encode(), name, {}, {})
        assert problems == []
        tree = plant(tmp_path)
        lines = list(written("a", {"title": title, "kind": "measured"}, found.rows, heads))
        (tree / FILE).write_text(added("", lines, SCHEMA_COMMENT), "utf-8", newline="")
        ledger, wrong = load(tree)
        assert [str(one) for one in wrong] == []
        record = ledger.projects["demo"].measurements["a"]
        assert str(record.title) == title
        assert [[row.values[head].value.use for head in heads] for row in record.rows] == [
            [Fraction(cell) for cell in row] for row in rows
        ]


@settings(max_examples=examples(300))
@given(
    st.binary(max_size=60) | st.text('abc,;\n\r" 0123.()[]{}:-_se', max_size=80).map(str.encode),
    st.sampled_from(["a.csv", "a.json"]),
)
def test_any_bytes_are_read_or_refused(raw: bytes, name: str) -> None:
    found, problems = read_measured(raw, name, {"a": "", "b": "b_ms"}, {"c": "s"})
    assert problems or found.rows or found.fields or not found.names
    assert all(one.place.line >= 1 and one.place.column >= 1 and one.right for one in problems)


def test_a_record_goes_to_the_end_of_its_file() -> None:
    assert added("", ["a:", "  b: c"], SCHEMA_COMMENT) == f"{SCHEMA_COMMENT}a:\n  b: c\n"
    assert added("x:\n  y: z", ["a:"], SCHEMA_COMMENT) == "x:\n  y: z\na:\n"
    assert takes_records("# nothing yet\n")
    assert not takes_records("- a\n")


def here(tree: Path) -> set[str]:
    ledger, problems = load(tree)
    assert [str(one) for one in problems] == []
    return set(ledger.projects["demo"].measurements)


def command(tree: Path, name: str) -> list[str]:
    words = [*OPTIONS[2:], *COLUMNS, "--id", name]
    return [sys.executable, str(ROOT / "budget.py"), "--root", str(tree), "add", "measurement", "requests.csv", *words]


@pytest.mark.full
def test_many_at_once_lose_nothing(tree: Path) -> None:
    people = [
        subprocess.Popen(command(tree, f"p{number}"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for number in range(6)
    ]
    for one in people:
        _, err = one.communicate(timeout=300)
        assert (one.returncode, err) == (0, b"")
    assert here(tree) == {f"p{number}" for number in range(6)}
    assert (tree / FILE).read_text("utf-8").count(SCHEMA_COMMENT) == 1
    assert not (tree / "ledger/demo" / LOCK).exists()


KILLED = """
import os, signal, sys
from reckon.cli import main
step, after = sys.argv[1], sys.argv[2] == "after"
was = getattr(os, step)
def dies(*words, **more):
    if not str(words[0]).endswith((".tmp", ".lock")) and step == "open":
        return was(*words, **more)
    if after:
        was(*words, **more)
    os.kill(os.getpid(), signal.SIGKILL)
setattr(os, step, dies)
main(sys.argv[3:])
"""


@pytest.mark.full
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_who_is_killed_leaves_the_file_as_it_was_or_whole(step: str, when: str, tree: Path) -> None:
    assert add(tree, "requests.csv", *OPTIONS, *COLUMNS) == 0
    before: Any = (tree / FILE).read_text("utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", KILLED, step, when, *command(tree, "second")[2:]], timeout=60, env=env)
    assert done.returncode == -signal.SIGKILL
    assert (tree / FILE).read_text("utf-8").startswith(before)
    assert here(tree) in ({"cpu-requests"}, {"cpu-requests", "second"})
    assert (here(tree) == {"cpu-requests", "second"}) == (step == "replace" and when == "after")
    assert add(tree, "requests.csv", *OPTIONS[2:], *COLUMNS, "--id", "third") == 0


def test_a_terminal_asks_for_what_is_missing(tree: Path) -> None:
    leader, follower = pty.openpty()
    words = [*command(tree, "asked")[:-2], "--kind", "measured"]
    words.remove("--title")
    words.remove("Inference on the laptop's CPU")
    with subprocess.Popen(words, stdin=follower, stdout=follower, stderr=follower) as process:
        os.close(follower)
        os.write(leader, b"\nasked\nAsked for\n")
        shown = b""
        with suppress(OSError):  # the end, on Linux
            while piece := os.read(leader, 4096):
                shown += piece
    os.close(leader)
    assert process.returncode == 0, shown
    assert b"enter a value" in shown
    assert f"{FILE}:2: asked: Asked for, 4 rows of 5 columns".encode() in shown
