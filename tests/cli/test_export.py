"""`export` into files of other programs: the same tables as notebooks have, the same bytes, and no formula."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pandas
import pytest

import reckon
from reckon.cli import main
from reckon.extras import install
from reckon.present.export import no_formula
from reckon.present.export_columns import TABLES
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
Say = Callable[..., tuple[int, str, str]]
# What a spreadsheet would calculate, or read as something else than text.
FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "#N/A", '=HYPERLINK("http://x","y")', "＝1+1")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """The small tree with such texts as titles and notes."""
    phases = "".join(
        f"p{n}: {{title: {json.dumps(text)}, items: {{i{n}: {{title: {json.dumps(text)}, scope: one-time, "
        f"gpu_hours: 1}}}}}}\n"
        for n, text in enumerate(FORMULAS)
    )
    runs = "".join(f"- {{item: i{n}, gpu_hours: 1, note: {json.dumps(text)}}}\n" for n, text in enumerate(FORMULAS))
    files = {"ledger/demo/plan.yaml": phases, "ledger/demo/runs/2026-01.yaml": runs}
    common = {path: SMALL[path] for path in ("ledger/catalog/gpus.yaml", "ledger/demo/project.yaml")}
    return plant(tmp_path / "tree", {**common, **files})


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    def run(*words: str, root: Path | None = None) -> tuple[int, str, str]:
        code = main(["export", "--root", str(root or plant(tmp_path / "small")), *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def test_a_workbook_has_a_sheet_for_each_table(say: Say, tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "tables.xlsx"
    assert say("--format", "xlsx", "--out", str(out)) == (0, f"wrote {out}\n", "")
    sheets = pandas.read_excel(out, sheet_name=None)
    opened = reckon.open(tmp_path / "small")
    assert list(sheets) == list(TABLES)
    for name, found in sheets.items():
        table = getattr(opened, name).reset_index()
        assert list(found.columns) == list(table.columns)
        assert len(found) == len(table)
    assert list(sheets["runs"]["gpu_hours"]) == [10, 3, 1.5, 2]
    assert sheets["runs"]["date"].iloc[0] == pandas.Timestamp("2026-01-02")
    assert list(sheets["runs"]["useful"]) == [True, False, True, True]


@pytest.mark.parametrize("table", [None, *TABLES])
def test_parquet_has_one_table_with_its_types(table: str | None, say: Say, tmp_path: Path) -> None:
    out = tmp_path / "table.parquet"
    words = () if table is None else ("--table", table)
    assert say("--format", "parquet", "--out", str(out), *words)[0] == 0
    wanted = getattr(reckon.open(tmp_path / "small"), table or "figures").reset_index()
    for name, dtype in wanted.dtypes.items():  # Parquet knows no seconds
        wanted[name] = wanted[name].astype("datetime64[ms]" if dtype.kind == "M" else dtype)
    pandas.testing.assert_frame_equal(pandas.read_parquet(out), wanted)


@pytest.mark.parametrize("form", ["xlsx", "parquet"])
def test_the_same_ledger_gives_the_same_bytes(form: str, say: Say, tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for out in (first, second):
        assert say("--format", form, "--out", str(out))[0] == 0
    assert first.read_bytes() == second.read_bytes()
    if form == "xlsx":
        with ZipFile(first) as whole:
            assert {info.date_time for info in whole.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert whole.read("docProps/core.xml").count(b"1980-01-01T00:00:00Z") == 2


def test_no_text_is_a_formula_in_a_workbook(say: Say, hostile: Path, tmp_path: Path) -> None:
    out = tmp_path / "hostile.xlsx"
    assert say("--format", "xlsx", "--out", str(out), root=hostile)[0] == 0
    with ZipFile(out) as whole:
        assert not any(b"<f>" in whole.read(name) or b"<f " in whole.read(name) for name in whole.namelist())
    book = openpyxl.load_workbook(out)
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    texts = [cell for cell in cells if isinstance(cell.value, str)]
    assert {cell.data_type for cell in cells} == {"s", "n", "b", "d"}
    assert all(cell.quotePrefix for cell in texts if not cell.value[0].isalnum())
    runs = list(book["runs"].values)
    notes = [str(row[runs[0].index("note")]) for row in runs[1:]]
    assert notes == [text.replace("\r", "\n") for text in FORMULAS]  # as XML reads it


def test_a_spreadsheet_calculates_nothing_of_the_csv(say: Say, hostile: Path) -> None:
    code, out, _ = say("--format", "csv", "--spreadsheet", root=hostile)
    assert code == 0
    rows = {row["address"]: row for row in csv.DictReader(io.StringIO(out, newline=""))}
    for n, text in enumerate(FORMULAS):
        title = rows[f"demo.plan.i{n}.gpu_hours"]["title"]
        assert title.startswith(text if text == "#N/A" else "'")
        assert title.replace("'", "").startswith(text.replace("'", ""))
    below = rows["demo.plan.i0.remaining"]
    assert (below["use"], below["low"]) == ("0", "0")


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("-5", "-5"),
        ("-5.25", "-5.25"),
        ("-1/3", "'-1/3"),
        ("a - b", "a - b"),
        ("a;=1", "a;'=1"),
        ('a";  "=1', 'a";\'  "=1'),
        ("a\n-1", "a\n'-1"),
        ("a, =1; b", "a, =1; b"),
        ("−5", "−5"),
        ("", ""),
    ],
)
def test_what_is_escaped(text: str, safe: str) -> None:
    assert no_formula(text) == safe


def test_without_the_option_csv_and_json_are_as_they_were(say: Say, hostile: Path, tmp_path: Path) -> None:
    for form in ("csv", "json"):
        out = tmp_path / form
        code, said, _ = say("--format", form, root=hostile)
        assert code == 0
        assert "'=1+1" not in said
        assert say("--format", form, "--out", str(out), root=hostile) == (0, f"wrote {out}\n", "")
        assert out.read_bytes().decode("utf-8") == said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "xlsx"), "--format xlsx needs a file; name one with --out"),
        (("--format", "parquet"), "--format parquet needs a file; name one with --out"),
        (("--table", "runs"), "--table needs --format parquet or csv"),
        (("--spreadsheet",), "--spreadsheet needs --format csv"),
    ],
)
def test_options_that_do_not_go_together(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", *words])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"error: {says}\n")


@pytest.mark.parametrize("table", TABLES)
def test_a_table_as_csv_is_what_pandas_writes(table: str, say: Say, hostile: Path) -> None:
    """It is written without pandas, which is not installed everywhere."""
    for root in (ROOT, hostile):
        frame = getattr(reckon.open(root), table).reset_index()
        assert say("--format", "csv", "--table", table, root=root)[1] == frame.to_csv(index=False, lineterminator="\n")


@pytest.mark.parametrize(("form", "library"), [("xlsx", "openpyxl"), ("parquet", "pyarrow")])
def test_a_library_that_is_not_installed(
    form: str, library: str, say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == library else found(name, *more)
    )
    out = tmp_path / "out"
    said = f"the package {library} is needed and not installed; to get it: {install(library)}\n"
    assert say("--format", form, "--out", str(out)) == (2, "", said)
    assert not out.exists()


def test_what_is_no_file_is_not_written_over(say: Say, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", Path("/dev/null")):
        code, out, err = say("--format", "csv", "--out", str(path))
        assert (code, out) == (2, "")
        assert err == f"{path} is not a file that can be replaced; name another file\n"
    assert Path("/dev/null").is_char_device()


def test_a_file_is_written_over_whole(say: Say, tmp_path: Path) -> None:
    out = tmp_path / "old.csv"
    out.write_text("old " * 10_000, "utf-8")
    assert say("--format", "csv", "--out", str(out))[0] == 0
    assert out.read_text("utf-8").startswith("address,title,")


@pytest.mark.parametrize("form", ["xlsx", "parquet"])
def test_an_empty_ledger_has_its_columns(form: str, say: Say, tmp_path: Path) -> None:
    (tmp_path / "none" / "ledger").mkdir(parents=True)
    out = tmp_path / "empty"
    assert say("--format", form, "--out", str(out), root=tmp_path / "none")[0] == 0
    read: Any = pandas.read_excel if form == "xlsx" else pandas.read_parquet
    assert list(read(out).columns)[:3] == ["address", "project", "title"]


def test_days_that_spreadsheets_cannot_count_and_long_texts(say: Say, tmp_path: Path) -> None:
    runs = (
        '- {date: 1850-05-01, item: test, gpu_hours: 1, note: "a\\u0001b"}\n'
        "- {start: '2026-02-03T04:05', end: '2026-02-03T05:05', item: test, gpu_hours: 1}\n"
    )
    root = plant(tmp_path / "days", {**SMALL, "ledger/demo/runs/2026-03.yaml": runs})
    out = tmp_path / "days.xlsx"
    code, _, err = say("--format", "xlsx", "--out", str(out), root=root)
    assert (code, err) == (0, "")
    sheet = pandas.read_excel(out, sheet_name="runs")
    assert list(sheet["date"])[4] == "1850-05-01"
    assert list(sheet["note"])[4] == "a\ufffdb"
    assert str(list(sheet["start"])[5]) == "2026-02-03 04:05:00"
