"""Jobs that began again in another month, where months are counted together; and what is said of such months when
rules or sources change."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from reckon.compute.book import Book
from tests.months import IMPORTS, LOCK, RUNS, booked, dump, imported, job, ledger_of, planted, ran, source, tree
from tests.trying import LONG

MOST = 10
FILES = tree(random.Random(1))
Row = dict[str, str]


def begun(root: Path, most: int = MOST) -> Path:
    return planted(root, FILES, "UTC", most)


def moved(draw: random.Random, row: Row) -> Row:
    """A further attempt of a job, which was put back into the queue."""
    start = datetime.fromisoformat(row["Start"]) + timedelta(days=draw.choice((25, 31, 200)))
    seconds, state = draw.choice((60, 4000, 90_000)), draw.choice(("COMPLETED", "FAILED", "RUNNING"))
    end = "Unknown" if state == "RUNNING" else (start + timedelta(seconds=seconds)).isoformat()
    return {**row, "Start": start.isoformat(), "End": end, "ElapsedRaw": str(seconds), "State": state}


def rows_of(seed: int, many: int = 50) -> list[Row]:
    """Rows of jobs, some of which began again in another month."""
    draw = random.Random(seed)
    first = [job(draw, number, "UTC") for number in range(1000, 1000 + many)]
    first = [{**row, "State": draw.choice((row["State"], "RUNNING", "NODE_FAIL"))} for row in first]
    return first + [moved(draw, row) for row in draw.sample(first, many // 4)]


def written(root: Path) -> dict[str, bytes]:
    """What imports wrote, but for what the lock says of the dumps: their checksums, and what one of them lacks."""
    found = {name: raw for name, raw in ledger_of(root).items() if name.startswith((RUNS, "jobs/", LOCK))}
    told = re.compile(r"  (exports|doubts):\n(    .*\n)+")
    return {**found, LOCK: told.sub("", found[LOCK].decode()).encode()}


def sums(book: Book) -> dict[str, object]:
    found = book.figures.items()
    return {at: figure.value for at, figure in found if at.endswith((".actual", ".total", ".waste", ".by_month"))}


@pytest.mark.full
@pytest.mark.parametrize("seed", range(40 if LONG else 4))
def test_dumps_in_any_order_give_the_same_files_and_the_sums_of_lines(seed: int, tmp_path: Path) -> None:
    draw, rows = random.Random(seed), rows_of(seed)
    whole = imported(begun(tmp_path / "whole"), dump(rows))
    assert any(name.startswith("jobs/") for name in written(whole))
    lines = imported(begun(tmp_path / "lines", 99_999), dump(rows))
    assert sums(booked(whole)) == sums(booked(lines))
    for number in range(2):
        mixed = draw.sample(rows, len(rows))
        cuts = sorted(draw.sample(range(1, len(rows)), 3))
        pieces = [dump(mixed[first:last]) for first, last in zip([0, *cuts], [*cuts, None], strict=True)]
        assert written(imported(begun(tmp_path / f"cut-{number}"), *pieces)) == written(whole)


def row_of(number: int, start: str, **cells: str) -> Row:
    """A job of an hour on two cards of the project."""
    end = (datetime.fromisoformat(start) + timedelta(hours=1)).isoformat()
    return {
        **job(random.Random(1), number, "UTC"),
        "Submit": "2025-03-20T00:00:00+00:00",
        "Start": start,
        "End": end,
        "State": "COMPLETED",
        "ElapsedRaw": "3600",
        "AllocTRES": "gres/gpu=2",
        "JobName": "of-once",
        "Partition": "normal",
        **cells,
    }


MARCH = [row_of(number, "2025-03-20T10:00:00+00:00", State="NODE_FAIL") for number in range(MOST + 2)]
AGAIN = row_of(0, "2025-04-02T10:00:00+00:00")


def status_of(root: Path) -> Counter[str]:
    """Jobs by status, as the entries have them."""
    found = Counter[str]()
    for file in booked(root).ledger.projects["demo"].runs:
        for run in file.runs:
            found[str(run.status)] += run.many if run.imported else 0
    return +found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A ledger with twelve jobs of March that failed, counted together."""
    return imported(begun(tmp_path / "tree"), dump(MARCH))


def file_of(root: Path, *rows: Row) -> str:
    file = root.parent / "more.txt"
    file.write_text(dump(rows), "utf-8")
    return str(file)


def test_a_job_that_begins_again_in_another_month_is_counted_in_both(root: Path) -> None:
    code, out, _ = ran(root, file_of(root, AGAIN))
    assert code == 0
    assert "+ 1 new  ~ 0 replaced  = 0 same" in out.splitlines()
    assert status_of(root) == {"node-failure": 12, "completed": 1}
    assert ran(root, file_of(root, MARCH[0]))[0] == 0, "the earlier attempt, once more"
    assert status_of(root) == {"node-failure": 12, "completed": 1}
    assert ran(root, "--check")[0] == 0


def test_a_month_that_jobs_left_is_as_if_it_had_never_had_them(root: Path) -> None:
    """Records of February enclose two. Ten jobs are left, which are not more than ten: so any order of exports gives
    the same files."""
    whole = {"End": "2025-04-02T10:00:00+00:00", "ElapsedRaw": "3027600"}
    later = [row_of(number, "2025-02-26T09:00:00+00:00", **whole) for number in range(2)]
    assert ran(root, file_of(root, *later))[0] == 0
    assert not list((root / "jobs").rglob("*.jsonl.gz"))
    other = imported(begun(root.parent / "other"), dump(later), dump(MARCH))
    assert written(root) == written(other)


def test_without_its_file_a_month_that_may_have_a_job_is_named(root: Path) -> None:
    shutil.rmtree(root / "jobs")
    code, _, err = ran(root, file_of(root, AGAIN))
    assert code == 2
    assert (
        f"{RUNS}/fox-2025-03.yaml:1:1: the jobs of 2025-03 are counted together, but needed one by one, since "
        "an export has jobs that may be among them: jobs/demo/fox-2025-03."
    ) in err
    submitted_later = {**AGAIN, "Submit": "2025-04-01T00:00:00+00:00"}
    assert ran(root, file_of(root, submitted_later))[0] == 0, "it cannot be one of March"


def test_an_earlier_month_needs_no_file_of_a_later_one(root: Path) -> None:
    shutil.rmtree(root / "jobs")
    february = row_of(99, "2025-02-20T10:00:00+00:00", Submit="2025-02-20T00:00:00+00:00")
    assert ran(root, file_of(root, february))[0] == 0
    unknown = {**february, "JobIDRaw": "100", "JobID": "100", "Submit": "Unknown"}
    assert "may be among them" in ran(root, file_of(root, unknown))[2], "an id alone may be used again"


@pytest.mark.full
@pytest.mark.parametrize("there", [True, False])
def test_an_engine_leaves_such_jobs_to_the_plain_reader(there: bool, root: Path) -> None:
    pytest.importorskip("duckdb")
    if not there:
        shutil.rmtree(root / "jobs")
    before = ledger_of(root)
    code, _, err = ran(root, file_of(root, AGAIN), "--engine", "duckdb")
    assert (code, ledger_of(root)) == (2, before)
    assert err.startswith(
        "jobs of fox that may be among the jobs of 2025-03 began in another month since; import this export without "
    )
    submitted_later = {**AGAIN, "Submit": "2025-04-01T00:00:00+00:00"}
    assert ran(root, file_of(root, submitted_later), "--engine", "duckdb")[0] == 0, "it cannot be one of March"


def changed(root: Path, *lines: str) -> None:
    """Adds lines to the source."""
    text = source("UTC", MOST)
    (root / IMPORTS).write_text(text.replace("  title: Fox\n", "\n".join(["  title: Fox", *lines, ""])), "utf-8")


def test_a_source_that_asks_what_each_job_did_gets_its_entries_back(root: Path) -> None:
    assert ran(root, file_of(root, *(row_of(number, "2025-03-21T10:00:00+00:00") for number in range(50, 53))))[0] == 0
    before = {at: figure.value for at, figure in booked(root).figures.items()}
    changed(root, "  finishes: run")
    assert {at: figure.value for at, figure in booked(root).figures.items()} == before, "what is counted says nothing"
    code, out, _ = ran(root, "--check")
    assert (code, out.count("\n")) == (1, 1)
    assert "the rules of fox have changed since the last import" in out
    code, out, _ = ran(root, "--reapply")
    assert code == 0
    assert "2025-03: 15 jobs stay separate entries because `finishes: run` of fox needs the outcome of each job" in out
    assert not list((root / "jobs").rglob("*.jsonl.gz"))
    assert b"jobs:" not in ledger_of(root)[f"{RUNS}/fox-2025-03.yaml"]
    assert ran(root, "--check")[0] == 0
    lines = begun(root.parent / "lines", 99_999)
    changed(lines, "  finishes: run")
    imported(lines, dump(MARCH), dump(row_of(number, "2025-03-21T10:00:00+00:00") for number in range(50, 53)))
    found = [{at: figure.value for at, figure in booked(each).figures.items()} for each in (root, lines)]
    assert found[0] == found[1]


def test_a_rule_that_changed_is_told_with_the_months_and_files_that_it_needs(root: Path) -> None:
    changed(root, "  statuses: {NODE_FAIL: failed}")
    (file,) = (root / "jobs/demo").glob("*.jsonl.gz")
    (found,) = [each for each in booked(root).findings["demo"] if each.rule == "rules-not-applied"]
    remedy = "".join(part if isinstance(part, str) else "" for part in found.remedy)
    assert remedy.endswith(" That reads the files of jobs of 2025-03.")
    code, _, err = ran(root, file_of(root, AGAIN), "--engine", "duckdb")
    assert code == 2
    assert err.splitlines()[0] == (
        "the rules of fox have changed; apply them first with `budget import demo --reapply --with fox`; that reads "
        f"{file.relative_to(root)}"
    )
    file.unlink()
    assert ", since the rules of fox have changed: " in ran(root, file_of(root, AGAIN))[2]


def test_an_import_says_what_to_do_with_its_files_of_jobs(tmp_path: Path) -> None:
    root = begun(tmp_path / "tree")
    code, out, _ = ran(root, file_of(root, *MARCH))
    assert code == 0
    told = [
        "Commit the new files in jobs/demo/ too; or keep them elsewhere, exclude jobs/ from Git, and name the "
        "place under `archive:` of fox.",
        "Figures do not need them. They name each job, with its account, partition and QOS.",
    ]
    assert [line for line in out.splitlines() if line in told] == told
    changed(root, "  archive: s3://bucket/jobs")
    assert ran(root, "--reapply")[0] == 0
    out = ran(root, file_of(root, row_of(69, "2025-03-21T10:00:00+00:00")))[1]
    assert "Copy the new files in jobs/demo/ to s3://bucket/jobs, where the others are." in out.splitlines()
    assert "jobs/demo" not in ran(root, file_of(root, row_of(70, "2025-06-02T10:00:00+00:00")))[1]
    assert "Commit the new" not in ran(root, file_of(root, *MARCH[:3]), "--dry-run")[1]
