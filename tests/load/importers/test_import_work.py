"""An import of many jobs: its work grows as they do, and what it wrote is read by its lines. Work is counted: no time
is asserted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.load import canonical_runs, reader
from reckon.load.importers import job_records, taking
from tests.exported import CEDAR, FOX, FROMAGE, HABROK, HAND, MIG, SAMPLES, begun, export, files, kept, planted, sound
from tests.work import growth

DAY = 24


def dump(many: int) -> bytes:
    """Jobs of an hour each, one after the other, of seven names."""
    return export(
        *(
            {
                "JobIDRaw": str(number),
                "JobName": f"train-{number % 7}",
                "Submit": f"2025-03-{1 + number // DAY % 28:02}T00:00:00",
                "Start": f"2025-03-{1 + number // DAY % 28:02}T{number % (DAY - 1):02}:00:00",
                "End": f"2025-03-{1 + number // DAY % 28:02}T{number % (DAY - 1) + 1:02}:00:00",
            }
            for number in range(many)
        )
    )


def test_work_grows_as_the_jobs_do() -> None:
    def first(many: int) -> Callable[[], object]:
        raw = dump(many)
        return lambda: files(sound(HAND, raw))

    def again(many: int) -> Callable[[], object]:
        raw = dump(many)
        there = kept(sound(HAND, raw))

        def do() -> object:
            taken = begun(HAND, there)
            taking.take(taken, raw, "dump.txt")
            return files(taken)

        return do

    assert growth(first, 200) < 2.2
    assert growth(again, 200) < 2.2


def test_jobs_that_stand_there_are_compared_without_writing_them(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = dump(50)
    there = kept(sound(HAND, raw))
    taken = begun(HAND, there)
    monkeypatch.setattr(job_records, "entry_lines", lambda *_: pytest.fail("a job was written to compare it"))
    taking.take(taken, raw, "dump.txt")
    assert dict(taken.merged.count_outcomes()) == {"same": 50}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (FOX, "fox.txt"),
        (FOX + MIG, "fox-mig.txt"),
        (HABROK, "habrok.txt"),
        (CEDAR, "cedar.json"),
        (FROMAGE, "fromage-4.json"),
    ],
)
def test_what_is_written_of_each_sample_is_read_by_its_lines(
    source: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canonical_runs, "LEAST", 0)
    own, read = planted(tmp_path, source), reader.read_entries

    def by_yaml(text: str, file: str, *rest: object) -> None:
        assert "/runs/import/" not in file
        read(text, file, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "read_entries", by_yaml)
    imports = partial(main, ["--root", str(own), "import", str(SAMPLES / name)])
    assert imports() == imports() == 0
    assert main(["--root", str(own), "check"]) == 0
