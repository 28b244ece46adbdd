# ruff: noqa: E501 (lines of a ledger stand unbroken)
"""Entries that the importer owns, beside the commands for those of people: told what works, and left as they are."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from reckon.cli import main
from tests.small import SMALL, plant

IMPORTED = "ledger/demo/runs/import/fox-2026-02.yaml"
ENTRY = (
    "- {start: '2026-02-03T23:00:00Z', end: '2026-02-04T02:00:00Z', item: test, gpu: card, gpus: 1, wall_hours: 3, "
    "job: 'fox/7@2026-02-03T22:00:00Z', imported: {source: fox, rule: all, state: COMPLETED, name: eval, account: ac1, "
    "partition: gpu}}\n"
)
FOX = "fox: {title: Fox, format: sacct, timezone: UTC, cards: {x: card}, rules: {all: {when: {name: eval}, item: test}}}\n"
LOCK = "fox: {exports: {abc: '2026-02-20T12:00:00Z'}, rules: '0'}\n"
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {"ledger/demo/imports.yaml": FOX, "ledger/demo/imports.lock.yaml": LOCK, IMPORTED: ENTRY}
    return plant(tmp_path / "tree", {**SMALL, **files})


@pytest.mark.parametrize("named", [["--job", "fox/7@2026-02-03T22:00:00Z"], ["--at", f"{IMPORTED}:1"]])
def test_an_imported_entry_is_not_updated(named: list[str], tree: Path, capsys: Printed) -> None:
    assert main(["--root", str(tree), "update", "run", *named, "--status", "failed"]) != 0
    said = capsys.readouterr().err
    assert f"{IMPORTED}:1 was imported" in said
    assert "ledger/demo/imports.yaml" in said
    assert "budget import --reapply --with fox" in said
    assert (tree / IMPORTED).read_text("utf-8") == ENTRY


def test_a_file_with_one_imported_entry_is_not_folded(tree: Path, capsys: Printed) -> None:
    assert main(["--root", str(tree), "tidy"]) == 0
    assert "Nothing to merge." in capsys.readouterr().out
    assert (tree / IMPORTED).read_text("utf-8") == ENTRY


def test_what_an_entry_keeps_of_its_job_is_exported(tree: Path, capsys: Printed) -> None:
    assert main(["--root", str(tree), "export", "--format", "csv", "--table", "runs"]) == 0
    rows = {row["job"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    row = rows["fox/7@2026-02-03T22:00:00Z"]
    names = ("unassigned", "imported_source", "imported_rule", "job_name", "account", "partition", "qos")
    assert [row[name] for name in names] == ["False", "fox", "all", "eval", "ac1", "gpu", ""]
    assert rows[""]["imported_source"] == ""


def test_status_says_through_which_day_it_was_imported(tree: Path, capsys: Printed) -> None:
    assert main(["--root", str(tree), "status", "--items"]) == 0
    assert "through 2026-02-20 from Fox" in capsys.readouterr().out


def test_a_name_of_a_job_is_no_formula_in_a_spreadsheet(tree: Path, capsys: Printed) -> None:
    (tree / IMPORTED).write_text(ENTRY.replace("name: eval", "name: '=1+1'"), "utf-8")
    assert main(["--root", str(tree), "export", "--format", "csv", "--table", "runs", "--spreadsheet"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert [row["job_name"] for row in rows if row["job_name"]] == ["'=1+1"]
