"""Dumps of many jobs come to what their generator counted, whoever reads them; the largest in `make test-long`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from reckon.load.importers.counting import Counts
from tests.sparked import spark
from tests.test_benchmarks import script
from tests.warehoused import by_engine

pytest.importorskip("duckdb")
dumps, engine = script("dumps"), script("engine")
FEW, MILLION = 3000, 10**6


def imported(root: Path, file: Path, *how: str, most: int = 5000) -> dict[str, Fraction]:
    """GPU-seconds by item of what an import of a dump writes below a root."""
    dumps.ledger(root)
    source = root / "ledger/demo/imports.yaml"
    source.write_text(source.read_text("utf-8") + f"  most_lines: {most}\n", "utf-8")
    assert main(["--root", str(root), "import", "--with", "fox", *how, str(file)]) == 0
    found: dict[str, Fraction] = engine.sums(root)
    return found


def by_item(months: Mapping[str, Counts]) -> dict[str, Fraction]:
    found: dict[str, Fraction] = defaultdict(Fraction)
    for counts in months.values():
        for sort, count in counts.ran.items():
            found["" if sort.item == "unassigned" else sort.item] += count.seconds
    return dict(found)


def asked(file: Path, tmp_path: Path, engines: Mapping[str, Any]) -> dict[str, dict[str, Fraction]]:
    """GPU-seconds by item that engines count in a dump, put into a table of texts."""
    import duckdb

    table = tmp_path / "jobs.parquet"
    with duckdb.connect(config={"threads": 2}) as database:
        database.execute(f"copy (from read_csv('{file}', delim='|', all_varchar=true)) to '{table}' (format parquet)")
    found = {}
    for name, read in engines.items():
        counted = by_engine(dumps.SOURCE, read(str(table)))
        assert counted.wrong == {}
        found[name] = by_item(counted.months)
    return found


def alike(tmp_path: Path, jobs: int, most: int) -> None:
    """Holds the entries of DuckDB against those of the plain reader, and both against the generator."""
    file = tmp_path / "jobs.txt"
    wanted = dumps.dump(file, jobs)
    assert imported(tmp_path / "duckdb", file, "--engine", "duckdb", most=most) == wanted.seconds
    assert imported(tmp_path / "plain", file, most=most) == wanted.seconds
    assert engine.files(tmp_path / "duckdb") == engine.files(tmp_path / "plain")
    ibis = pytest.importorskip("ibis")
    tables = ibis.duckdb.connect(threads=2, memory_limit="1GB", temp_directory=str(tmp_path / "spilled"))
    assert asked(file, tmp_path, {"ibis": tables.read_parquet}) == {"ibis": wanted.seconds}


@pytest.mark.full
def test_a_dump_comes_to_what_its_generator_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Months of it are counted together; of some jobs there are two rows."""
    alike(tmp_path, FEW, 100)
    entries = list((tmp_path / "plain/ledger/demo/runs/import").glob("*.yaml"))
    assert len(entries) == 10
    assert all("jobs: " in path.read_text("utf-8") for path in entries)
    rows = [int(text.replace(",", "")) for text in re.findall(r"fox: ([\d,]+) lines read", capsys.readouterr().out)]
    assert rows == [FEW + 4] * 2


def test_a_dump_is_the_same_each_time(tmp_path: Path) -> None:
    first = dumps.dump(tmp_path / "a", 500)
    assert dumps.dump(tmp_path / "b", 500) == first
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert first.rows == len((tmp_path / "a").read_text("utf-8").splitlines()) - 1


@pytest.mark.long(only=True)
def test_a_million_jobs_are_counted_alike(tmp_path: Path) -> None:
    alike(tmp_path, MILLION, 5000)


@pytest.mark.long(only=True)
@pytest.mark.filterwarnings("ignore")  # pyspark warns of versions of pandas
def test_spark_counts_a_million_jobs_alike(tmp_path: Path) -> None:
    session = spark()
    file = tmp_path / "jobs.txt"
    wanted = dumps.dump(file, MILLION)
    assert asked(file, tmp_path, {"spark": session.engine.read_parquet}) == {"spark": wanted.seconds}


@pytest.mark.long(only=True)
def test_ten_million_jobs_come_to_what_their_generator_counted(tmp_path: Path) -> None:
    file = tmp_path / "jobs.txt"
    wanted = dumps.dump(file, 10 * MILLION)
    assert imported(tmp_path / "duckdb", file, "--engine", "duckdb") == wanted.seconds
