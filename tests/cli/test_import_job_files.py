"""Files of the jobs of months that are counted together: written without an extra, and read in Parquet as earlier
versions wrote them until their month is written again."""

from __future__ import annotations

import gzip
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reckon.extras import install
from tests.months import IMPORTS, LOCK, RUNS, dump, imported, in_parquet, job, ledger_of, planted, ran, tree
from tests.test_benchmarks import script

ROOT = Path(__file__).resolve().parents[2]
FILES = tree(random.Random(1))
ROWS = [job(random.Random(number), number, "UTC") for number in range(60)]
ENGINES = pytest.mark.parametrize("engine", [(), ("--engine", "duckdb")], ids=["plain", "duckdb"])
WITHOUT = """\
import sys
sys.modules.update(dict.fromkeys(("pyarrow", "duckdb", "ibis")))
from reckon.cli import main
sys.exit(main())
"""
"""The program on an install without extras."""
LIBRARY = f"its file is in Parquet, which needs a package: {install('pyarrow')}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with months that are counted together."""
    return imported(planted(tmp_path_factory.mktemp("made"), FILES, "UTC", 10), dump(ROWS))


@pytest.fixture
def lines(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return shutil.copytree(made, tmp_path / "lines")


@pytest.fixture
def earlier(made: Path, tmp_path: Path) -> Path:
    """The same, as an earlier version wrote it."""
    pytest.importorskip("pyarrow")
    return in_parquet(shutil.copytree(made, tmp_path / "earlier"))


def dumped(root: Path, rows: list[dict[str, str]]) -> str:
    file = root.parent / "dump.txt"
    file.write_text(dump(rows), "utf-8")
    return str(file)


def job_files(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("jobs/*/*"))


def written(root: Path) -> dict[str, bytes]:
    """What imports wrote, but for the checksums of the dumps in the lock."""
    found = {name: raw for name, raw in ledger_of(root).items() if name.startswith((RUNS, "jobs/", LOCK))}
    return {**found, LOCK: re.sub(rb"  exports:\n(    .*\n)+", b"", found[LOCK])}


def bare(root: Path, *words: str) -> str:
    """What `budget import` prints on an install without extras."""
    command = [sys.executable, "-c", WITHOUT, "--root", str(root), "import", *words]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.mark.parametrize("jobs", [1000, pytest.param(100_000, marks=pytest.mark.long(only=True))])
def test_an_install_without_extras_keeps_months_of_many_jobs(jobs: int, tmp_path: Path) -> None:
    """The same bytes for two exports in any order; and all that is done with an import afterwards."""
    dumps = script("dumps")
    whole = tmp_path / "whole.txt"
    dumps.dump(whole, jobs)
    head, *rows = whole.read_text("utf-8").splitlines(keepends=True)
    parts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    parts[0].write_text(head + "".join(rows[: jobs * 3 // 5]), "utf-8")
    parts[1].write_text(head + "".join(rows[jobs // 2 :]), "utf-8")
    roots = [tmp_path / "one", tmp_path / "two", tmp_path / "both"]
    for root, exports in zip(roots, ([parts[0], parts[1]], [parts[1], parts[0]], [whole]), strict=True):
        dumps.ledger(root)
        with (root / IMPORTS).open("a", encoding="utf-8") as source:
            source.write("  most_lines: 20\n")
        for export in exports:
            assert "counted together in" in bare(root, str(export))
    found = [written(root) for root in roots]
    assert found[0] == found[1] == found[2]
    assert sum(name.startswith("jobs/") for name in found[0]) == 10
    kept = ledger_of(roots[2])
    assert bare(roots[2], str(whole)).splitlines()[-1] == "Nothing written: everything is already imported."
    assert bare(roots[2], "--reapply").splitlines()[-1] == "Nothing written: everything is already imported."
    assert bare(roots[2], "--check") == "Imported entries of demo are unchanged.\n"
    assert ledger_of(roots[2]) == kept
    (name,) = (name for name in kept if name.startswith("jobs/demo/fox-2024-06."))
    count = len(gzip.decompress(kept[name]).splitlines())
    assert f"{count:,} jobs removed" in bare(roots[2], "--undo", "fox", "--month", "2024-06")
    assert set(kept) - set(ledger_of(roots[2])) == {name, f"{RUNS}/fox-2024-06.yaml"}
    bare(roots[2], "--undo", "fox")
    assert job_files(roots[2]) == []


def test_without_duckdb_that_is_told_before_an_export_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = planted(tmp_path / "tree", FILES, "UTC", 10)
    for library in ("duckdb", "ibis", "pyarrow"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, library, None)
            code, out, err = ran(root, "--engine", "duckdb", str(tmp_path / "there is none.txt"))
        assert (code, out) == (2, "")
        assert f"DuckDB is not installed: {install('duckdb')}" in err


@ENGINES
def test_a_month_in_parquet_stays_so_until_it_is_written_again(
    engine: tuple[str, ...], earlier: Path, lines: Path
) -> None:
    before = ledger_of(earlier)
    files = job_files(earlier)
    assert files
    assert all(name.endswith(".parquet") for name in files)
    assert ran(earlier, "--check")[:2] == (0, "Imported entries of demo are unchanged.\n")
    assert ran(earlier, "--reapply")[1].splitlines()[-1] == "Nothing written: everything is already imported."
    ran(earlier, dumped(earlier, ROWS), *engine)
    changed = {name for name, raw in ledger_of(earlier).items() if before.get(name) != raw}
    assert changed <= {LOCK}, "which notes the export"
    assert job_files(earlier) == files

    more = [{**ROWS[0], "JobIDRaw": "777", "JobID": "777"}]
    month = more[0]["Start"][:7]
    for root in (earlier, lines):
        assert ran(root, dumped(root, more), *engine)[0] == 0
    assert [name for name in job_files(earlier) if month in name] == [
        name for name in job_files(lines) if month in name
    ]
    assert [name for name in job_files(earlier) if month not in name] == [name for name in files if month not in name]
    assert ran(earlier, "--check")[0] == 0
    assert ran(earlier, "--undo", "fox")[0] == 0
    assert job_files(earlier) == []


@pytest.mark.parametrize("words", [["--reapply"], ["more"], ["--explain", "777"], ["stale"]])
def test_a_month_in_parquet_without_the_library_says_what_to_install(
    words: list[str], earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = dumped(earlier, [{**ROWS[0], "JobIDRaw": "777", "JobID": "777"}])
    if words == ["stale"]:  # rules that changed need all months, which is known before the export is read
        source = earlier / IMPORTS
        source.write_text(source.read_text("utf-8").replace("item: many", "item: once"), "utf-8")
        more = dumped(earlier, [{**ROWS[0], "State": "NONE OF SLURM"}])
    before = ledger_of(earlier)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, out, err = ran(earlier, *([more] if words[0] in ("more", "stale") else words))
    assert (code, out) == (2, "")
    assert LIBRARY in err
    assert "NONE OF" not in err
    assert "Traceback" not in err
    assert ledger_of(earlier) == before


def test_a_month_in_parquet_is_checked_and_taken_out_without_the_library(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert ran(earlier, "--check")[0] == 0
    for month in sorted({name[4:11] for name in job_files(earlier)}):
        assert ran(earlier, "--undo", "fox", "--month", month)[0] == 0
    assert job_files(earlier) == []
    assert ran(earlier, "--check")[0] == 0


def test_a_file_in_parquet_of_another_checksum_is_refused(earlier: Path) -> None:
    for path in earlier.glob("jobs/*/*"):
        path.write_bytes(path.read_bytes() + b"x")
    code, _, err = ran(earlier, "--reapply")
    assert code == 2
    for name in job_files(earlier):
        assert f"jobs/demo/{name} is not the file that the lock names" in err
