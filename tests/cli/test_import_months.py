"""Months of more jobs than a source lets stand as lines: what is written, in whatever order and pieces dumps come; what
needs the file of jobs, and what is said where it is not there, or is not it."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
from pathlib import Path

import pytest

from tests.months import IMPORTS, LOCK, RUNS, booked, dump, imported, job, ledger_of, planted, ran, source, tree

MOST = 10
FILES = tree(random.Random(1))


def rows_of(seed: int, many: int = 60) -> list[dict[str, str]]:
    """Rows of jobs; some of them twice, as they ran and as they ended."""
    draw = random.Random(seed)
    found = [job(draw, number, "UTC") for number in range(1000, 1000 + many)]
    ended = [row for row in found if row["State"] == "COMPLETED"]
    early = [
        {**row, "State": "RUNNING", "End": "Unknown", "ElapsedRaw": str(int(row["ElapsedRaw"]) // 2)}
        for row in ended[::3]
    ]
    return found + early


def begun(root: Path, most: int = MOST) -> Path:
    return planted(root, FILES, "UTC", most)


def written(root: Path) -> dict[str, bytes]:
    """What imports wrote, but for what the lock says of the dumps: their checksums, and which jobs one of them lacks,
    or has with fewer hours than one before it."""
    found = {name: raw for name, raw in ledger_of(root).items() if name.startswith((RUNS, "jobs/", LOCK))}
    text = found[LOCK].decode()
    return {**found, LOCK: re.sub(r"  (exports|doubts):\n(    .*\n)+", "", text).encode()}


def jobs_file(root: Path, month: str = "2025-03") -> Path:
    (found,) = (root / "jobs/demo").glob(f"fox-{month}.*.jsonl.gz")
    return found


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of which March is counted together."""
    return imported(begun(tmp_path_factory.mktemp("counted")), dump(rows_of(1)))


@pytest.fixture
def root(counted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(counted, tmp_path / "tree")


def refused(root: Path, *words: str) -> str:
    """What is said of a command that writes nothing."""
    before = ledger_of(root)
    code, out, err = ran(root, *words)
    assert (code, out) == (2, "")
    assert ledger_of(root) == before
    assert "Traceback" not in err
    return err


def more(root: Path, **cells: str) -> str:
    """The path of a dump with a job more, which began in March."""
    row = {
        **rows_of(1)[0],
        "JobIDRaw": "77",
        "JobID": "77",
        "Submit": "2025-03-10T09:00:00+00:00",
        "Start": "2025-03-10T10:00:00+00:00",
        "End": "2025-03-10T11:00:00+00:00",
        "State": "COMPLETED",
        "ElapsedRaw": "3600",
        "AllocTRES": "gres/gpu=2",
        "JobName": "of-once",
        "Partition": "normal",
        **cells,
    }
    file = root.parent / "more.txt"
    file.write_text(dump([row]), "utf-8")
    return str(file)


def test_a_month_is_counted_together_once_it_has_more_jobs_than_lines(tmp_path: Path) -> None:
    """Seven jobs of March in two dumps of which neither alone has more than six."""
    march = [row for row in rows_of(1) if row["Start"].startswith("2025-03") and "gpu" in row["AllocTRES"]][:7]
    root = imported(begun(tmp_path / "a", 6), dump(march[:4]))
    assert not (root / "jobs").exists()
    assert b"jobs:" not in ledger_of(root)[f"{RUNS}/fox-2025-03.yaml"]
    imported(root, dump(march[4:6]))
    assert not (root / "jobs").exists(), "six are not more than six"
    imported(root, dump(march[6:]))
    assert b"jobs:" in ledger_of(root)[f"{RUNS}/fox-2025-03.yaml"]
    assert written(root) == written(imported(begun(tmp_path / "b", 6), dump(march)))


def test_it_stays_so_whatever_the_source_says_later(root: Path) -> None:
    before = ledger_of(root)
    (root / IMPORTS).write_text(source("UTC", 999_999), "utf-8")
    assert ran(root, "--check")[0] == 0
    assert ran(root, "--reapply")[0] == 0
    assert ran(root, more(root))[0] == 0
    assert b"jobs:" in ledger_of(root)[f"{RUNS}/fox-2025-03.yaml"]
    assert "fox/77@" not in "".join(raw.decode() for name, raw in ledger_of(root).items() if name.startswith(RUNS))
    assert set(ledger_of(root)) - set(before) == {str(jobs_file(root).relative_to(root))}, "the file before is gone"


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_dumps_in_any_order_and_pieces_give_the_same_files(seed: int, tmp_path: Path) -> None:
    """The entries, the lock and the files of jobs, byte for byte."""
    draw, rows = random.Random(seed), rows_of(seed, 80)
    whole = written(imported(begun(tmp_path / "whole"), dump(rows)))
    assert sum(name.startswith("jobs/") for name in whole) >= 1
    for number in range(2):
        mixed = draw.sample(rows, len(rows))
        cuts = sorted(draw.sample(range(1, len(rows)), 3))
        pieces = [dump(mixed[first:last]) for first, last in zip([0, *cuts], [*cuts, None], strict=True)]
        found = written(imported(begun(tmp_path / f"cut-{number}"), *pieces, pieces[0]))
        assert found.keys() == whole.keys()
        assert found == whole


def test_the_same_dump_twice_writes_nothing(root: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*.*")}
    file = root.parent / "again.txt"
    file.write_text(dump(rows_of(1)), "utf-8")
    code, out, err = ran(root, str(file))
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith("+ 0 new  ~ 0 replaced  = ")
    assert "Nothing written: everything is already imported." in out.splitlines()
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*.*")} == before


def test_a_trial_writes_no_file_of_jobs(tmp_path: Path) -> None:
    root = begun(tmp_path / "tree")
    before = ledger_of(root)
    (tmp_path / "dump.txt").write_text(dump(rows_of(1)), "utf-8")
    code, out, err = ran(root, str(tmp_path / "dump.txt"), "--dry-run")
    assert (code, err) == (0, "")
    file = r"jobs/demo/fox-2025-03\.[0-9a-f]{12}\.jsonl\.gz"
    assert re.search(rf"2025-03: \d+ jobs counted together in \d+ entries; {file} lists them", out)
    assert ledger_of(root) == before


BAD = {
    "gone": lambda file: file.unlink(),
    "altered": lambda file: file.write_bytes(file.read_bytes()[:-9] + b"x" + file.read_bytes()[-8:]),
    "no lines": lambda file: file.write_bytes(b"job,hours\n1,2\n"),
    "of another month": lambda file: file.write_bytes(jobs_file(file.parents[2], "2025-10").read_bytes()),
    "a link that leads out": lambda file: (
        file.replace(file.parents[3] / "kept.gz"),
        file.symlink_to(file.parents[3] / "kept.gz"),
    ),
    "below a link that leads out": lambda file: (
        shutil.move(file.parents[1], file.parents[3] / "kept"),
        file.parents[1].symlink_to(file.parents[3] / "kept"),
    ),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
    "in Parquet": lambda file: file.rename(file.with_name(file.name.replace("jsonl.gz", "parquet"))),
}


@pytest.mark.parametrize("kind", BAD)
def test_without_its_file_a_counted_month_is_refused_by_name(kind: str, root: Path) -> None:
    file = jobs_file(root)
    at = file.relative_to(root)
    BAD[kind](file)
    why = (
        "leads out of the tree"
        if "link" in kind
        else ("is missing" if kind in ("gone", "a folder", "in Parquet") else "is not the file that the lock names")
    )
    of_it, again = "an export has more of them", "rules are applied again"
    for words, since in (([more(root)], of_it), (["--reapply"], again), ([more(root), "--dry-run"], of_it)):
        err = refused(root, *words)
        assert (
            f"{RUNS}/fox-2025-03.yaml:1:1: the jobs of 2025-03 are counted together, but needed one by one, since "
            f"{since}: {at} {why}; restore it from your copy; or remove the month (`budget import demo "
            "--undo fox --month 2025-03`), and import all its exports again [jobs-file]"
        ) in err.splitlines()
        assert "Nothing written." in err.splitlines()


def test_all_else_works_without_the_files_of_jobs(root: Path) -> None:
    figures = {name: figure.value for name, figure in booked(root).figures.items()}
    shutil.rmtree(root / "jobs")
    assert {name: figure.value for name, figure in booked(root).figures.items()} == figures
    code, out, err = ran(root, "--check")
    assert (code, out, err) == (0, "Imported entries of demo are unchanged.\n", "")
    april = more(
        root, Submit="2025-04-10T09:00:00+00:00", Start="2025-04-10T10:00:00+00:00", End="2025-04-10T11:00:00+00:00"
    )
    assert ran(root, april)[0] == 0, "it touches no month that is counted"
    assert ran(root, "--check")[0] == 0
    assert ran(root, "--undo", "fox", "--month", "2025-03")[0] == 0
    assert f"{RUNS}/fox-2025-03.yaml" not in ledger_of(root)
    assert ran(root, "--check")[0] == 0
    again = root.parent / "again.txt"
    again.write_text(dump(row for row in rows_of(1) if row["Start"].startswith("2025-03")), "utf-8")
    assert ran(root, str(again))[0] == 0
    assert jobs_file(root).is_file()
    assert ran(root, "--undo", "fox")[0] == 0
    assert not any(name.startswith((RUNS, "jobs/", LOCK)) for name in ledger_of(root))


def test_where_the_files_are_kept_elsewhere_that_is_said(root: Path) -> None:
    file = root / IMPORTS
    kept = file.read_text("utf-8").replace("  title: Fox\n", "  title: Fox\n  archive: s3://bucket/jobs\n")
    file.write_text(kept, "utf-8")
    shutil.rmtree(root / "jobs")
    assert "; copy it from s3://bucket/jobs; or remove the month (" in refused(root, "--reapply")


@pytest.mark.parametrize(
    ("old", "new"), [("jobs: 2", "jobs: 3"), ("394488 GPU-s", "394489 GPU-s"), ("item: many", "item: once")]
)
@pytest.mark.parametrize("there", [True, False])
def test_an_edit_of_counted_entries_is_found(old: str, new: str, there: bool, root: Path) -> None:
    file = root / RUNS / "fox-2025-03.yaml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
    if not there:
        shutil.rmtree(root / "jobs")
    code, out, _ = ran(root, "--check")
    assert code == 1
    assert out.startswith(f"{RUNS}/fox-2025-03.yaml: was edited by hand; ")
    assert "was edited by hand" in refused(root, more(root))


def test_an_edit_of_entries_and_their_checksum_is_found_where_the_jobs_are(root: Path) -> None:
    file, lock = root / RUNS / "fox-2025-03.yaml", root / LOCK
    was = file.read_bytes()
    file.write_bytes(was.replace(b"item: many", b"item: once", 1))
    sums = [hashlib.sha256(raw).hexdigest() for raw in (was, file.read_bytes())]
    assert sums[0] in lock.read_text("utf-8")
    lock.write_text(lock.read_text("utf-8").replace(*sums), "utf-8")
    code, out, _ = ran(root, "--check")
    assert (code, out.split(":")[0]) == (1, f"{RUNS}/fox-2025-03.yaml")
    shutil.rmtree(root / "jobs")
    assert ran(root, "--check")[0] == 0, "nothing is left by which it could be seen"


def test_a_job_of_a_counted_month_is_explained_from_its_file(root: Path) -> None:
    assert ran(root, more(root))[0] == 0
    code, out, _ = ran(root, "--explain", "77")
    assert code == 0
    assert "  hours     2 x 3600 s = 2 GPU-h for once, card" in out.splitlines()
    assert "  ran       2025-03-10T10:00:00Z to 2025-03-10T11:00:00Z" in out.splitlines()
    at = jobs_file(root).relative_to(root)
    shutil.rmtree(root / "jobs")
    said = refused(root, "--explain", "77")
    assert "no job `77` was imported" in said
    assert f"Not looked at: 2025-03: {at} is missing" in said.splitlines()


@pytest.mark.parametrize("name", ["jobs", "jobs/demo"])
def test_nothing_is_written_through_a_link(name: str, tmp_path: Path) -> None:
    root, elsewhere = begun(tmp_path / "tree"), tmp_path / "elsewhere"
    elsewhere.mkdir()
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).symlink_to(elsewhere)
    (tmp_path / "dump.txt").write_text(dump(rows_of(1)), "utf-8")
    before = {path: path.read_bytes() for path in (root / "ledger").rglob("*.yaml")}
    code, _, err = ran(root, str(tmp_path / "dump.txt"))
    assert code == 2
    assert re.search(r"jobs/demo/fox-2025-03\.[0-9a-f]{12}\.jsonl\.gz is a link or below one", err)
    assert list(elsewhere.iterdir()) == []
    assert {path: path.read_bytes() for path in (root / "ledger").rglob("*.yaml")} == before
