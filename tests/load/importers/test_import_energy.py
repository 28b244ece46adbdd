"""Energy that is measured beside a job: the rows of CodeCarbon, and how they join jobs whose hours others have."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.importers.tally import MERGED
from reckon.load.reader import load
from tests.exported import CARBON, HAND, export, files, kept, planted, sample, skipped, sound, take, told

HEAD = "timestamp,project_name,run_id,duration,energy_consumed,longitude,latitude,pue\n"


def rows(*found: str) -> bytes:
    return (HEAD + "".join(f"{row}\n" for row in found)).encode()


def energy(root: Path, address: str = "demo.actual.energy") -> float:
    book, problems = calculate(load(root)[0])
    assert problems == []
    figure = book.get(address)
    return float(figure.use or 0) if figure else 0.0


def test_the_last_row_of_a_run_stands_and_rows_without_an_id_are_named() -> None:
    taken = sound(CARBON, "codecarbon.csv")
    jobs = [stored.job for stored in taken.merged.jobs.values()]
    assert len(jobs) == 16
    assert float(sum(job.extras.energy_kwh for job in jobs)) == pytest.approx(0.00783, abs=5e-6)
    assert float(sum(job.elapsed for job in jobs)) / 3600 == pytest.approx(1.463, abs=5e-4)
    assert skipped(taken) == {"without a run_id": 5, MERGED: 7}
    lines = "lines 3, 4, 5, 6, 7"
    assert taken.notes == [f"codecarbon.csv: 5 rows have no run_id and cannot be distinguished: {lines}; not imported"]
    lock = files(taken)["lock"]
    assert "added: {entries: 16, energy_kwh: 0.007826071852}" in lock
    assert "spent" not in lock, "no hours of GPUs"


def test_energy_with_a_pue_in_it_is_that_of_the_facility_and_is_not_multiplied_again(tmp_path: Path) -> None:
    root = planted(tmp_path, CARBON)
    project = root / "ledger/demo/project.yaml"
    project.write_text(project.read_text("utf-8") + "pue: 1.5\n", "utf-8")
    dump = root / "emissions.csv"
    dump.write_bytes(rows("2025-03-01T11:00:00,code,a,3600,12,,,1.2", "2025-03-01T11:00:00,code,b,3600,10,,,1.0"))
    assert main(["--root", str(root), "import", str(dump)]) == 0
    assert energy(root, "demo.energy.actual") == pytest.approx(12 + 10 * 1.5)


def test_an_amount_as_programs_write_it_is_kept_to_twelve_decimals() -> None:
    taken = sound(CARBON, rows("2025-03-01T11:00:00,code,a,60.5,3.435810400385386e-05,,,"))
    assert "energy_kwh: 0.000034358104" in "".join(files(taken).values())


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (
            "2025-03-01T11:00:00,code,a,soon,12,,,1",
            "duration, energy or PUE is not a number; check for a truncated row, or skip it with `skip:`",
        ),
        ("today,code,a,60,12,,,1", "the timestamp is not a time; write it as 2025-09-12T14:06:12"),
        (
            "2025-03-01T11:00:00,code,a",
            "this row has 3 cells, the first line 8; check for a missing or extra comma, or skip it with `skip:`",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_its_line(row: str, wrong: str) -> None:
    assert told(take(CARBON, rows(row))) == [f"dump.txt:2:1: {wrong}"]


def test_a_table_that_is_none_of_codecarbon_says_what_it_lacks() -> None:
    wrong = "dump.txt:1:1: there is no column `run_id` and `energy_consumed`"
    right = "import the `emissions.csv` that CodeCarbon writes"
    assert told(take(CARBON, b"timestamp,duration\n2025-03-01T11:00:00,3\n")) == [f"{wrong}; {right}"]


ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 99), st.integers(1, 99)), min_size=1, max_size=6)


@given(ROWS, st.data(), st.integers(0, 6))
def test_order_and_splitting_of_files_change_nothing(
    found: list[tuple[str, int, int]], data: st.DataObject, at: int
) -> None:
    """All rows of a run are cumulative from eleven o'clock."""
    times = {held: f"2025-03-01T11:{held // 60:02}:{held % 60:02}" for held in range(100)}
    lines = [f"{times[held]},code,{run},{held},{power},,,1" for run, held, power in found]
    whole = sound(CARBON, rows(*lines))
    shuffled = data.draw(st.permutations(lines))
    parts = [rows(*part) for part in (shuffled[:at], shuffled[at:]) if part]
    split = sound(CARBON, *parts)
    assert split.merged.texts("x") == whole.merged.texts("x")


def test_entries_are_read_back_as_they_were_written() -> None:
    taken = sound(CARBON, "codecarbon.csv")
    assert {stored.key: stored.lines("carbon", taken.merged.zone) for stored in kept(taken)} == {
        key: stored.lines("carbon", taken.merged.zone) for key, stored in taken.merged.jobs.items()
    }


# A job with two GPUs for an hour, split between two items; its energy comes from another source.
SPLIT = HAND + "  rules:\n    all: {when: {name: '.*'}, split: {data: 25%, sft: 75%}}\n"
METER = """\
meter:
  format: csv
  counts: energy
  cluster: hand
  timezone: UTC
  columns: {Id: job, Kwh: energy_kwh, Job: scheduler_job, Name: name, At: end}
  rules:
    all: {when: {name: '.*'}, item: data}
"""


def metered(root: Path, *lines: str) -> Path:
    dump = root / "meter.csv"
    dump.write_text("Id,Kwh,Job,Name,At\n" + "".join(f"{line}\n" for line in lines), "utf-8")
    return dump


def imported(root: Path, *words: str) -> int:
    return main(["--root", str(root), "import", *words])


def test_energy_of_a_job_replaces_hours_times_power_and_is_shared_by_its_parts(tmp_path: Path) -> None:
    root = planted(tmp_path, SPLIT + METER)
    cards = root / "ledger/catalog/gpus.yaml"
    cards.write_text(cards.read_text("utf-8").replace("title: A100-40GB", "title: A100, watts: 400"), "utf-8")
    project = root / "ledger/demo/project.yaml"
    project.write_text(project.read_text("utf-8") + "pue: 1.0\n", "utf-8")
    jobs = root / "jobs.txt"
    jobs.write_bytes(export({}, {"JobIDRaw": "8", "Submit": "2025-03-02T09:00:00"}))
    assert imported(root, str(jobs), "--with", "hand") == 0
    # Two jobs of 2 GPU-hours at 400 W are 0.8 kWh each; job 7 was measured at 3 kWh.
    assert energy(root, "demo.energy.actual") == pytest.approx(1.6)
    assert imported(root, str(metered(root, "m1,1,7,x,", "m2,2,7,x,", "m3,5,99,x,")), "--with", "meter") == 0
    assert energy(root, "demo.energy.actual") == pytest.approx(3 + 0.8 + 5), "job 99 is not there: it stands by itself"
    assert energy(root, "demo.plan.sft.energy.actual") == pytest.approx(0.75 * (3 + 0.8))
    assert energy(root, "demo.actual.total") == pytest.approx(4), "hours stay"
    book, _ = calculate(load(root)[0])
    statuses = {at for at in book.figures if at.startswith("demo.actual.by_status.")}
    assert statuses == {"demo.actual.by_status.completed"}, "what adds energy is no run with a status"
    assert getattr(book["demo.actual.total"].origin, "count", None) == 4, "nor one that is counted"
    assert imported(root, "--check") == 0, "its own entries are read back unjoined"
    assert imported(root, str(metered(root, "m1,1,7,x,", "m2,2,7,x,", "m3,5,99,x,")), "--with", "meter") == 0
    assert imported(root, "--undo", "meter") == 0
    assert energy(root, "demo.energy.actual") == pytest.approx(1.6)


def test_an_id_that_was_used_twice_needs_the_time_of_submission(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = planted(tmp_path, SPLIT + METER)
    jobs = root / "jobs.txt"
    jobs.write_bytes(export({}, {"Submit": "2025-03-02T09:00:00"}))
    assert imported(root, str(jobs), "--with", "hand") == 0
    capsys.readouterr()
    assert imported(root, str(metered(root, "m1,1,7,x,", "m2,2,7@2025-03-02T09:00:00Z,x,")), "--with", "meter") == 0
    out = capsys.readouterr().out
    assert "1 of 2 belong to jobs in the ledger" in out
    assert "meter/m1 adds to hand/7: 2 jobs have that id; add the submit time" in out
    (project,) = load(root)[0].projects.values()
    stated = {str(run.job): run.energy_kwh for file in project.runs for run in file.runs if run.item == "data"}
    assert stated == {"hand/7@2025-03-01T09:00:00Z": None, "hand/7@2025-03-02T09:00:00Z": Fraction(1, 2)}
    assert [str(run.job) for file in project.additions for run in file.runs] == ["meter/m1"]


def test_the_order_of_sources_changes_nothing(tmp_path: Path) -> None:
    found = set()
    for number, order in enumerate(permutations(("hand", "meter"))):
        root = planted(tmp_path / str(number), SPLIT + METER)
        exports = {"hand": root / "jobs.txt", "meter": metered(root, "m1,1,7,x,")}
        exports["hand"].write_bytes(export({}))
        for name in order:
            assert imported(root, str(exports[name]), "--with", name) == 0
        found.add(str(sorted((path.name, path.read_text("utf-8")) for path in (root / "ledger/demo").rglob("*.yaml"))))
        assert energy(root) == pytest.approx(1)
    assert len(found) == 1
    assert sample("codecarbon.csv"), "kept beside these"
