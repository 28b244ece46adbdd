"""`import --suggest` writes a source that imports as it stands, for tables that it never saw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.cli import main
from tests.exported import planted

EMPTY = "nothing:\n  format: focus\n"
SHEET = """\
Group of B,,,,,,
Member,Experiment,From,To,GPU,Number of GPUs,Comment
zz-ida,sft seed 1,16/10/2026 09:00,16/10/2026 21:00,A100,8,
zz-ida,sft seed 2,17/10/2026 09:00,17/10/2026 15:30,A100,8,
zz-bo,distil,18/10/2026 22:00,19/10/2026 02:00,L40S,1,"late, see mail"
zz-bo,sft seed 3,19/10/2026 10:00,,A100,8,
Sum,,,,,,
"""
TABLES = {
    "a sheet of a lab": (SHEET, 96 + 52 + 4),
    "seconds and words for states": ("name,status,runtime (s),gpus\na 1,done,3600,2\nb 2,error,1800,4\n", 4),
    "hours by the clock": ("Job;Elapsed;GPU type;GPUs\na;01:30:00;A100;2\nb;2-00:00:00;A100;1\n", 51),
    "GPUs in words": ("run,hours,gpus\na,2,8x A100\nb,1,L40S x 2\n", 18),
    "a decimal comma": ("run;hours;gpus\na;2,5;2\nb;1.000,5;1\n", 1005.5),
    "GPU-hours": ("Project,GPU Hours,Date\na,12,2026-01-02\nb,3.5,2026-01-03\n", 15.5),
    "a list in JSON": ('[{"name": "a", "hours": 2, "gpus": 4}, {"name": "b", "hours": 1, "gpus": 1}]', 9),
    "an object in JSON": ('{"meta": [1], "result": {"runs": [{"runName": "a", "hours": 2, "gpuCount": 4}]}}', 8),
    "mails as names": ("contact,run,hours\nzz-ida@lab.org,a,2\nzz-bo@lab.org,b,1\n", 3),
    "a name with a person in it": ("user,name,hours\nzz-ida,train-zz-ida,2\nzz-bo,by zz-cy@lab.org,1\n", 3),
    "JSON Lines": ('{"id": "a", "gpus": 2, "runtime_s": 3600}\n{"id": "b", "gpus": 2, "runtime_s": 1800}\n', 3),
    "a time of completion": ("job,started_at,completed_at,gpus\na,2026-01-07T00:52:10,2026-01-07T02:52:10,2\n", 4),
    "slashes, years first": ("job,start,end\na,2026/01/09 11:17:01,2026/01/09 13:17:01\n", 2),
    "exit codes": ("run,hours,exit_code\na,2,0\nb,1,137\n", 3),
    "resources of Slurm": ('job,hours,tres\na,2,"cpu=8,gres/gpu=4"\nb,1,cpu=8\n', 8),
    "days of pandas": ("run,duration\na,0 days 01:30:00.5\nb,1 days 00:00:00\n", 25.5),
    "seconds of training": ("run,train_seconds\na,7200\nb,3600\n", 3),
    "the time without the queue": ("name,duration,realtime\na,3h,2h\n", 2),
    "months first": ("run,start,end\na,10/28/2026 10:00,10/28/2026 13:00\n", 3),
}


def imported(root: Path, table: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The draft for a table, and what an import by it says."""
    file = root / "table.csv"
    file.write_text(table, "utf-8")
    assert main(["--root", str(root), "import", "--suggest", str(file)]) == 0
    draft = capsys.readouterr().out
    (root / "ledger/demo/imports.yaml").write_text(draft, "utf-8")
    assert main(["--root", str(root), "import", str(file)]) == 0, capsys.readouterr().err + draft
    return draft, capsys.readouterr().out


@pytest.mark.parametrize("name", TABLES)
def test_a_draft_imports_as_it_stands(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, hours = TABLES[name]
    draft, said = imported(planted(tmp_path, EMPTY), table, capsys)
    read = re.search(r"([0-9,.]+) GPU-h as read", said)
    assert read
    assert float(read[1].replace(",", "")) == pytest.approx(hours, rel=0.01)
    assert "???" not in draft
    assert "zz-" not in draft + said


def test_the_draft_of_a_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft, said = imported(planted(tmp_path, EMPTY), SHEET, capsys)
    assert draft.splitlines()[1:] == [
        "table:",
        "  format: csv",
        "  timezone: UTC        # assumed: of the clock that wrote its times: Europe/Oslo, or UTC",
        "  rows: parts        # assumed: no column holds an id, and each row counts",
        "  dates: day-first",
        "  skip: Sum",
        "  columns:",
        "    Member: person        # 2 values; never stored",
        "    Experiment: name",
        "    From: start",
        "    To: end",
        "    GPU: gpu",
        "    Number of GPUs: gpus",
        "    # not used: Comment",
        "  constants: {state: completed}        # assumed: no column holds state",
        "  cards: {A100: a100-40gb, L40S: l40s}        # the card of the catalogue for each type of GPU",
        "  rules:",
        r"    rule-1: {when: {name: 'sft seed (?P<seed>\d+)'}, item: sft}        # 148.0 GPU-h",
        "    rule-2: {when: {name: 'distil'}, item: distil, unplanned: true}        # 4.0 GPU-h",
    ]
    assert "3 skipped (above the header 1, without an end 1, skipped by pattern 1)" in said
    assert "table.csv: line 6: no end, and not counted; import the file again once there is one" in said


def test_what_no_draft_can_be_made_of_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, EMPTY)
    for table in ("1,2,3\n4,5,6\n", "zz-ida,zz-bo\n", "", "colour\nred\n"):
        (root / "table.csv").write_text(table, "utf-8")
        assert main(["--root", str(root), "import", "--suggest", str(root / "table.csv")]) == 2
        said = capsys.readouterr()
        assert "not a format that is known here; write a line of names above the rows" in said.err
        assert "zz-" not in said.err + said.out


def test_a_draft_keeps_what_it_knows_and_says_what_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, EMPTY)
    (root / "table.csv").write_text("when,gpu,wall_s,colour\n2026-01-05,A100,60,red\n", "utf-8")
    assert main(["--root", str(root), "import", "--suggest", str(root / "table.csv")]) == 0
    assert capsys.readouterr().out.splitlines()[-6:] == [
        "  columns:        # no column holds a date: these runs are undated",
        "    gpu: gpu",
        "    wall_s: {is: wall_hours, unit: s}",
        "    # not used: when, colour",
        "  constants: {state: completed, gpus: 1}        # assumed: no column holds state or gpus",
        "  # add the column of the run (`name`)",
    ]


def test_a_preset_is_printed_for_copying(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, EMPTY)
    assert main(["--root", str(root), "import", "--preset", "runpod"]) == 0
    assert "timeBilledMs: {is: wall_hours, unit: ms}" in capsys.readouterr().out
    assert main(["--root", str(root), "import", "--preset", "runpot"]) == 2
    assert "there is no preset `runpot`; did you mean `runpod`?" in capsys.readouterr().err


def test_runs_are_added_by_the_columns_of_a_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are the team's own entries: no lock keeps them, and what was imported is not added again."""
    root = planted(tmp_path, EMPTY)
    file = root / "table.csv"
    file.write_text(SHEET, "utf-8")
    assert main(["--root", str(root), "import", "--suggest", str(file)]) == 0
    (root / "ledger/demo/imports.yaml").write_text(capsys.readouterr().out, "utf-8")
    assert main(["--root", str(root), "add", "runs", str(file), "--with", "table"]) == 0
    assert "Added 3 runs" in capsys.readouterr().out
    written = (root / "ledger/demo/runs/2026-10.yaml").read_text("utf-8")
    assert "item: sft, seed: 1, gpu: a100-40gb, gpus: 8, wall_hours: 43200 s, status: completed" in written
    assert "imported:" not in written
    assert main(["--root", str(root), "add", "runs", str(file), "--with", "sheet"]) == 2
    assert "there is no source `sheet`" in capsys.readouterr().err
    (root / "ledger/demo/runs/2026-10.yaml").unlink()
    assert main(["--root", str(root), "import", str(file)]) == 0
    assert main(["--root", str(root), "add", "runs", str(file), "--with", "table"]) == 2
    assert "this file was imported from `table`, and its runs are in the ledger" in capsys.readouterr().err


@pytest.mark.parametrize("sign", [",", "|", "\t"])
def test_a_preset_with_dates_gets_their_order(sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "Start Time,Duration,Run ID,Name,User,Status\n28-05-2026 14:02,1.5h,a1,long,zz,FINISHED\n"
    draft, said = imported(planted(tmp_path, EMPTY), table.replace(",", sign), capsys)
    assert "  format: mlflow-ui\n" in draft
    assert "  dates: day-first\n" in draft
    assert "+ 1 new" in said
