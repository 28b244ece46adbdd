"""Files of the jobs of months that are counted together: written without an extra."""

from __future__ import annotations

import gzip
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reckon.extras import install
from tests.months import IMPORTS, LOCK, RUNS, ledger_of, planted, ran, tree
from tests.test_benchmarks import script

ROOT = Path(__file__).resolve().parents[2]
FILES = tree(random.Random(1))
WITHOUT = """\
import sys
sys.modules.update(dict.fromkeys(("pyarrow", "duckdb", "ibis")))
from reckon.cli import main
sys.exit(main())
"""
"""The program on an install without extras."""


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
