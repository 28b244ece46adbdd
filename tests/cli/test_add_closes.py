"""A row of a table closes the running entry of its job; a card is known by the name that `nvidia-smi` gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from reckon.cli import main
from reckon.compute.audit.inputs import card_named
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.small import SMALL, plant

MARCH = """\
# what runs in March
- {start: 2026-03-02T09:00, item: train, seed: 1, gpus: 2, wall_hours: 0, status: running, job: 7}
- start: 2026-03-03T09:00
  item: test
  gpus: 1
  wall_hours: 3
  status: running
  job: '8'
  note: kept
- {start: 2026-03-04T09:00, item: train, seed: 2, gpus: 2, wall_hours: 0, status: running, job: 9}
- {start: 2026-03-06T09:00, item: train, seed: 2, gpus: 2, wall_hours: 0, status: running, job: 4}
"""
TABLE = """\
job,item,seed,start,end,gpus,wall_hours,status
7,train,1,2026-03-02T09:00,2026-03-02T14:00,4,5,failed
8,test,,2026-03-03T09:00,2026-03-03T13:00,1,4,FAILED
9,train,2,2026-03-04T09:00,2026-03-04T15:00,1,6,failed
4,train,2,2026-03-06T09:00,,2,6,running
5,train,2,2026-03-05T09:00,2026-03-05T11:00,2,2,failed
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    plant(tmp_path, SMALL | {"ledger/demo/runs/2026-03.yaml": MARCH})
    (tmp_path / "jobs.csv").write_text(TABLE, "utf-8")
    return tmp_path


def test_rows_close_the_running_entries_of_their_jobs(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four rows change one file: three entries in place, one more at its end. What still runs is as it was."""
    words = ["--root", str(tree), "add", "runs", str(tree / "jobs.csv")]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith("Added 1 run, closed 3 running ones; 1 row skipped (job already in the ledger).\n")
    assert "ledger/demo/runs/2026-03.yaml:11: - {start: 2026-03-04T09:00, end" in out  # a line more than before
    text = (tree / "ledger/demo/runs/2026-03.yaml").read_text("utf-8")
    assert (
        text
        == """\
# what runs in March
- {start: 2026-03-02T09:00, end: 2026-03-02T14:00, item: train, seed: 1, gpus: 4, wall_hours: 5, status: failed, job: 7}
- start: 2026-03-03T09:00
  end: 2026-03-03T13:00
  item: test
  gpus: 1
  wall_hours: 4
  status: failed
  job: '8'
  note: kept
- {start: 2026-03-04T09:00, end: 2026-03-04T15:00, item: train, seed: 2, gpus: 1, wall_hours: 6, status: failed, job: 9}
- {start: 2026-03-06T09:00, item: train, seed: 2, gpus: 2, wall_hours: 0, status: running, job: 4}
- {start: 2026-03-05T09:00, end: 2026-03-05T11:00, item: train, seed: 2, gpus: 2, wall_hours: 2, status: failed, job: 5}
"""
    )
    book, _ = calculate(load(tree)[0])
    assert book["demo.plan.train.actual"].use == 13 + 4 * 5 + 1 * 6 + 2 * 2
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("Added 0 runs; 5 rows skipped")
    assert (tree / "ledger/demo/runs/2026-03.yaml").read_text("utf-8") == text


def test_nothing_is_closed_where_a_row_is_wrong(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tree / "jobs.csv"
    table.write_text(TABLE.replace("2026-03-02T14:00", "2026-13-02T14:00"), "utf-8")
    assert main(["--root", str(tree), "add", "runs", str(table)]) == 2
    assert "jobs.csv:2: 2026-13-02 is not in the calendar" in capsys.readouterr().err
    assert (tree / "ledger/demo/runs/2026-03.yaml").read_text("utf-8") == MARCH


def test_an_open_entry_without_hours_is_told_once_it_is_old(tree: Path) -> None:
    """Of 2, 4 and 6 March, where the data reach to 6 April: more than the 30 days that no job runs for."""
    late = "- {date: 2026-04-05, item: test, gpus: 1, wall_hours: 1}\n"
    for day, found in (("2026-04-01", []), ("2026-04-06", ["demo.7", "demo.9", "demo.4"])):
        plant(tree, {"ledger/demo/runs/2026-04.yaml": late.replace("2026-04-05", day)})
        book, _ = calculate(load(tree)[0])
        told = [finding.address for finding in book.findings["demo"] if finding.rule == "jobs-in-doubt"]
        assert told == found


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("big", "big"),
        ("NVIDIA A100-SXM4-80GB", "big"),
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB"),  # the catalogue has none
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),  # it has two
        ("NVIDIA H100 PCIe", "NVIDIA H100 PCIe"),
        ("NVIDIA RTX 3050", "small"),  # of which nothing is known: by its title
        ("Tesla T4", "Tesla T4"),
    ],
)
def test_a_card_is_known_by_its_name(name: str, card: str, tmp_path: Path) -> None:
    cards = """\
card: {title: Card, vram_gib: 24}
big: {title: NVIDIA A100 80GB, vram_gib: 80}
one: {title: NVIDIA H100 80GB, vram_gib: 80}
two: {title: NVIDIA H100 SXM5, vram_gib: 80}
small: {title: NVIDIA RTX 3050, vram_gib: 8}
"""
    book, _ = calculate(load(plant(tmp_path, SMALL | {"ledger/catalog/gpus.yaml": cards}))[0])
    assert card_named(book, name) == card
