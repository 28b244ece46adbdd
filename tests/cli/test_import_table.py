"""`import --engine ibis --table`: a table counted where it is, as a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from reckon.cli import main
from tests.exported import HAND, planted
from tests.warehoused import cells

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("ibis")
SOURCE = HAND + "  rules:\n    all: {when: {name: 'train'}, item: data}\n"
ROWS = [{"JobIDRaw": str(number), "ElapsedRaw": str(3600 + number)} for number in range(3)]


Said = pytest.CaptureFixture[str]


def imported(tree: Path, capsys: Said, *words: str) -> tuple[int, str]:
    """A command of `budget import`: its code, and all that it said."""
    try:
        code = main(["--root", str(tree), "import", *words])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return planted(tmp_path / "tree", SOURCE)


def table(folder: Path, rows: list[dict[str, str]]) -> str:
    """The address of a table with these jobs."""
    import pyarrow

    path = folder / "accounting.db"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.register("given", pyarrow.table(cells(rows)))
        connection.execute("create table jobs as select * from given")
    return f"duckdb://{path}/jobs"


def test_a_table_is_counted_and_its_months_stand_in_place_of_what_was_there(
    tree: Path, tmp_path: Path, capsys: Said
) -> None:
    asked = "--engine", "ibis", "--table", table(tmp_path, ROWS)
    code, said = imported(tree, capsys, *asked)
    assert code == 0, said
    assert "3 lines read\n+ 3 new  ~ 0 replaced  = 0 same" in said
    # 3,600 + 3,601 + 3,602 seconds on two GPUs each.
    entries = (tree / "ledger/demo/runs/import/hand-2025-03.yaml").read_text("utf-8")
    assert "gpu_hours: 21606 GPU-s" in entries
    assert "jobs: 3" in entries
    lock = (tree / "ledger/demo/imports.lock.yaml").read_text("utf-8")
    assert "table: 'duckdb://accounting.db/jobs'" in lock
    assert str(tmp_path) not in lock
    assert "Nothing written: everything is already imported." in imported(tree, capsys, *asked)[1]
    assert imported(tree, capsys, "--check") == (0, "Imported entries of demo are unchanged.\n")
    table(tmp_path, ROWS[:1])
    assert "+ 0 new  ~ 1 replaced  = 0 same" in imported(tree, capsys, *asked)[1]
    assert "gpu_hours: 7200 GPU-s" in (tree / "ledger/demo/runs/import/hand-2025-03.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (
            "postgres://me:secret@host/db/jobs",
            "the address contains a user or a password; set both in the engine's environment",
        ),
        ("jobs", "this is not the address of a table"),
        ("duckdb:///nowhere/x.db/jobs", "duckdb://x.db/jobs: no such file"),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_line(tree: Path, capsys: Said, address: str, told: str) -> None:
    code, said = imported(tree, capsys, "--engine", "ibis", "--table", address)
    assert (code, told in said) == (2, True)
    assert "secret" not in said
    assert not (tree / "ledger/demo/imports.lock.yaml").exists()


def test_a_table_has_its_own_options(tree: Path, capsys: Said) -> None:
    every = (["--engine", "ibis"], ["--table", "duckdb://a/b"], ["--engine", "ibis", "--table", "duckdb://a/b", "x"])
    for words in every:
        assert imported(tree, capsys, *words)[0] == 2
