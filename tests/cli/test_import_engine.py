"""`import --engine duckdb` writes what `import` writes, byte for byte: entries, lock and files of jobs; and says it."""

from __future__ import annotations

import random
import re
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from reckon.extras import install
from tests.months import HEAD, IMPORTS, LOCK, dump, job, ledger_of, planted, ran, source, tree

FILES = tree(random.Random(1))
ENGINE = ("--engine", "duckdb")


def rows_of(seed: int, many: int = 60) -> list[dict[str, str]]:
    """Rows by the clock of UTC, without offsets, as Slurm writes them."""
    draw = random.Random(seed)
    rows = [job(draw, number, "UTC") for number in range(1000, 1000 + many)]
    return [{**row, **{name: row[name].removesuffix("+00:00") for name in ("Submit", "Start", "End")}} for row in rows]


def begun(root: Path, most: int = 10) -> Path:
    return planted(root, FILES, "UTC", most)


def file_of(root: Path, rows: list[dict[str, str]], name: str = "dump.txt") -> str:
    file = root.parent / name
    file.write_text(dump(rows), "utf-8")
    return str(file)


def alike(plain: Path, other: Path) -> None:
    """Two trees have the same ledger and files of jobs, but for doubts about jobs: an engine looks for none."""
    doubts = re.compile(rb"  doubts:\n(    .*\n)+")
    found, others = ({name: doubts.sub(b"", raw) for name, raw in ledger_of(root).items()} for root in (plain, other))
    assert found == others
    assert any(name.startswith("jobs/") for name in found)


def said(root: Path, *words: str) -> str:
    code, out, err = ran(root, *words)
    assert (code, err) == (0, "")
    return out


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    return begun(tmp_path / "plain" / "tree"), begun(tmp_path / "engine" / "tree")


@pytest.mark.full
@pytest.mark.parametrize("seed", [1, 2])
def test_both_write_the_same(trees: tuple[Path, Path], seed: int) -> None:
    plain, engine = trees
    file = file_of(plain, rows_of(seed))
    said(plain, file)
    assert "counted together in" in said(engine, *ENGINE, file)
    alike(plain, engine)
    assert "Nothing written: everything is already imported." in said(engine, *ENGINE, file)
    assert said(engine, "--check") == "Imported entries of demo are unchanged.\n"
    assert not list(Path(engine / "jobs").rglob(".*")), "no file of a database is left"


def test_a_later_dump_goes_on_from_the_file_of_a_month(trees: tuple[Path, Path]) -> None:
    """Running jobs have ended since, and two are new: of each the later state stands, in whatever way it was read."""
    plain, engine = trees
    rows = rows_of(3)
    later = [
        {**row, "State": "COMPLETED", "End": "2025-11-30T00:00:00", "ElapsedRaw": "4000000"}
        for row in rows
        if row["State"] == "RUNNING"
    ] + rows_of(4, 70)[60:]
    assert later
    for dumped in (file_of(plain, rows), file_of(plain, later, "later.txt")):
        said(plain, dumped)
        told = said(engine, *ENGINE, dumped)
    alike(plain, engine)
    assert re.search(r"\+ \d+ new  ~ [1-9]\d* replaced", told)


@pytest.mark.full
def test_the_order_of_rows_changes_no_byte(tmp_path: Path) -> None:
    rows = rows_of(5)
    roots = [begun(tmp_path / name / "tree") for name in ("a", "b")]
    said(roots[0], *ENGINE, file_of(roots[0], rows))
    said(roots[1], *ENGINE, file_of(roots[1], rows[30:], "1.txt"), file_of(roots[1], rows[:30][::-1], "2.txt"))
    found = [{path: raw for path, raw in ledger_of(root).items() if path != LOCK} for root in roots]
    assert found[0] == found[1]
    assert any(path.startswith("jobs/") for path in found[0])


@pytest.mark.parametrize("typed", [False, True], ids=["text", "typed"])
def test_a_table_of_parquet_is_read_by_the_names_of_its_columns(trees: tuple[Path, Path], typed: bool) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    plain, engine = trees
    rows = rows_of(6)
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in HEAD}
    if typed:
        columns["ElapsedRaw"] = [int(cell) for cell in columns["ElapsedRaw"]]
        for name in ("Submit", "Start", "End"):
            known = [None if cell == "Unknown" else datetime.fromisoformat(cell) for cell in columns[name]]
            columns[name] = arrow.array(known, arrow.timestamp("us"))
    parquet.write_table(arrow.table(columns), engine.parent / "jobs.parquet")
    said(plain, file_of(plain, rows))
    said(engine, *ENGINE, str(engine.parent / "jobs.parquet"))
    of_export = rb"\n    '?[0-9a-f]{64}'?: .*"
    ledgers = [{name: re.sub(of_export, b"", raw) for name, raw in ledger_of(root).items()} for root in trees]
    assert ledgers[0] == ledgers[1]
    assert any(name.startswith("jobs/") for name in ledgers[0])


def test_what_is_wrong_is_told_with_its_line_and_nothing_is_written(trees: tuple[Path, Path]) -> None:
    plain, engine = trees
    rows = rows_of(7)
    rows[20] |= {"ElapsedRaw": "long"}
    rows[30] |= {"AllocTRES": "gres/gpu:h100=1"}
    rows[40] |= {"AllocTRES": "gres/gpu:h100=1"}
    file = file_of(plain, rows)
    before = ledger_of(engine)
    wanted = ran(plain, file)
    assert ran(engine, *ENGINE, file) == wanted
    assert wanted[0] == 2
    assert f"{file}:22:1: the elapsed time is not a duration" in wanted[2]
    assert f"{file}:32:1: no card for the GPU type `h100` (2 rows)" in wanted[2]
    assert ledger_of(engine) == before


def test_without_duckdb_it_is_said_how_to_get_it(trees: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    code, out, err = ran(trees[1], *ENGINE, file_of(trees[1], rows_of(1)))
    assert (code, out) == (2, "")
    assert f"DuckDB is not installed: {install('duckdb')}" in err


def test_what_asks_for_each_job_is_left_to_the_plain_reader(trees: tuple[Path, Path]) -> None:
    _, engine = trees
    finishing = source("UTC", 10).replace("  title: Fox\n", "  title: Fox\n  finishes: run\n")
    (engine / IMPORTS).write_text(finishing, "utf-8")
    code, _, err = ran(engine, *ENGINE, file_of(engine, rows_of(1)))
    assert code == 2
    assert "`finishes: run` of fox needs the outcome of each job; import without --engine" in err
