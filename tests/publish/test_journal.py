"""The journal: several files of a project change all together or not at all, whoever is killed, whoever wrote it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from reckon.model import bounds
from reckon.model.release import checksum
from reckon.publish import journal
from reckon.publish.files import Blocked
from reckon.publish.write_plan import JOURNAL, FileChange
from tests.killing import killed
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
HOME = "ledger/demo"
ONE, TWO, NEW, OLD = (f"{HOME}/runs/{name}.yaml" for name in ("2026-01", "2026-02", "2026-03", "detour"))
DETOUR = "- {date: 2026-02-02, item: detour, unplanned: true, gpu_hours: 2}\n"
FILES = {**SMALL, TWO: SMALL[TWO].replace(DETOUR, ""), OLD: DETOUR}
MOVED = [  # as `tidy` would have it, with a new file and one more that is changed
    FileChange(TWO, FILES[TWO], SMALL[TWO]),
    FileChange(ONE, FILES[ONE], FILES[ONE] + "# seen\n"),
    FileChange(NEW, None, "# Runs of March.\n"),
    FileChange(OLD, DETOUR, None),
]
AFTER = {TWO: SMALL[TWO], ONE: FILES[ONE] + "# seen\n", NEW: "# Runs of March.\n", OLD: None}
BEFORE = {one.path: one.was for one in MOVED}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree", FILES)


def there(root: Path) -> dict[str, str | None]:
    return {path: (root / path).read_text("utf-8") if (root / path).exists() else None for path in BEFORE}


def hidden(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob(".*"))


def put(root: Path, changes: list[FileChange] = MOVED) -> None:
    with journal.opened(root, HOME):
        journal.apply_changes(root, HOME, changes)


def test_all_of_it_is_made_and_nothing_stays_behind(tree: Path) -> None:
    put(tree)
    assert there(tree) == AFTER
    assert hidden(tree) == []


@pytest.mark.parametrize("which", [0, 2, 3], ids=["changed", "made", "removed"])
def test_one_file_needs_no_journal(which: int, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(journal, "write_whole")
    put(tree, [MOVED[which]])
    assert there(tree) == {**BEFORE, MOVED[which].path: MOVED[which].text}
    assert hidden(tree) == []


@pytest.mark.parametrize("which", range(4))
def test_a_file_that_is_not_what_was_read_stops_all(which: int, tree: Path) -> None:
    path = MOVED[which].path
    (tree / path).write_text("theirs\n")
    with pytest.raises(Blocked, match=f"{path} was changed by someone else just now; nothing written"):
        put(tree)
    assert there(tree) == {**BEFORE, path: "theirs\n"}
    assert hidden(tree) == []


def test_a_new_file_takes_no_place_that_is_taken_meanwhile(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def late(rough: Path, place: Path) -> None:
        place.write_text("theirs\n")
        link(rough, place)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(Blocked, match=r"2026-03\.yaml already exists; nothing written"):
        put(tree, [MOVED[2]])
    assert (tree / NEW).read_text() == "theirs\n"
    assert hidden(tree) == []


STEPS = ["os.open", "os.fsync", "os.replace", "pathlib.Path.chmod", "pathlib.Path.unlink", "pathlib.Path.mkdir"]
IMPORTS = "from reckon.publish import journal; from tests.publish.test_journal import HOME, MOVED"
PUT = """
root = pathlib.Path(words[0])
with journal.opened(root, HOME):
    journal.apply_changes(root, HOME, MOVED)
"""
NUMBERS = {
    "os.open": 1,
    "os.fsync": 4,
    "os.replace": 4,
    "pathlib.Path.chmod": 4,
    "pathlib.Path.unlink": 10,
    "pathlib.Path.mkdir": 4,
}


@pytest.mark.full
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_whoever_is_killed_at_any_step_has_made_all_or_nothing(step: str, when: str, tmp_path: Path) -> None:
    """Each call of a step in its turn; what the last one leaves is completed by whoever comes next."""
    cases = []
    for number in range(1, NUMBERS[step] + 1):
        tree = plant(tmp_path / f"{number}", FILES)
        if not killed(IMPORTS, PUT, step, number, when, tree):
            assert number > 1
            break
        made = (tree / HOME / JOURNAL).exists()
        cut = there(tree)
        if not made:
            assert cut in (BEFORE, AFTER)
        assert len(journal.cut_off(tree)) == made
        with journal.opened(tree, HOME) as said:
            assert len(said) == made
        assert there(tree) == (AFTER if made else cut)
        assert hidden(tree) == []
        cases.append(made)
    assert cases
    assert any(cases) == (step in ("os.replace", "pathlib.Path.unlink"))


@pytest.mark.parametrize("fails", range(1, 6))
def test_a_disk_that_fails_has_changed_nothing_or_keeps_what_is_left(
    fails: int, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, calls = os.replace, 0

    def full(was: Path, now: Path) -> None:
        nonlocal calls
        calls += 1
        if calls >= fails:
            raise OSError(28, "No space left on device")
        replace(was, now)

    monkeypatch.setattr(os, "replace", full)
    if fails == 1:
        with pytest.raises(OSError, match="No space"):
            put(tree)
        assert (there(tree), hidden(tree)) == (BEFORE, [])
        return
    if fails < 5:
        with pytest.raises(Blocked, match=r"\(No space left on device\): `render` completes it; do not add it again"):
            put(tree)
    else:
        put(tree)
    monkeypatch.undo()
    journal.complete(tree)
    assert (there(tree), hidden(tree)) == (AFTER, [])


def cut(root: Path, **other: Any) -> Path:
    """A journal as it stands when nothing of it is done yet, with what another one would say."""
    files = [
        {"path": one.path, "was": None if one.was is None else checksum(one.was.encode()), "text": one.text}
        for one in MOVED
    ]
    path = root / HOME / JOURNAL
    path.write_text(json.dumps({"format": 1, "files": files, **other}), "utf-8")
    return path


def test_commands_complete_it_and_check_tells_it(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    says = f"{HOME}/{JOURNAL}:1:1: an earlier command was interrupted here; `render` completes it"
    for words in (["render"], ["add", "run", "--item", "test", "--gpu-hours", "1"], ["tidy"]):
        plant(tree, FILES)
        (tree / NEW).unlink(missing_ok=True)
        cut(tree)
        for asks, code in ((["check"], 1), (["render", "--check"], 1), (["tidy", "--check"], 2)):
            assert main(["--root", str(tree), *asks]) == code
            out, err = capsys.readouterr()
            assert says in out + err
        assert main(["--root", str(tree), "review"]) == 0
        assert "an earlier command was interrupted here" in capsys.readouterr().out
        assert there(tree) == BEFORE
        assert main(["--root", str(tree), *words]) == 0
        assert capsys.readouterr().out.startswith("completed an interrupted change in ledger/demo: 4 files\n")
        assert there(tree) == AFTER
        assert not (tree / HOME / JOURNAL).exists()


def test_it_is_completed_twice_as_well_as_once(tree: Path) -> None:
    for _ in range(2):
        cut(tree)
        assert journal.complete(tree) == ["completed an interrupted change in ledger/demo: 4 files"]
        assert there(tree) == AFTER
    assert journal.complete(tree) == []


@pytest.mark.parametrize("path", [ONE, OLD, NEW])
def test_what_was_changed_meanwhile_is_not_written_over(path: str, tree: Path) -> None:
    cut(tree)
    (tree / path).write_text("mine\n")
    with pytest.raises(Blocked, match=f"{path} was changed meanwhile; add what is missing to it, and remove"):
        journal.complete(tree)
    assert there(tree) == {**BEFORE, path: "mine\n"}


def one(path: object, text: object = "x", was: object = None) -> dict[str, object]:
    return {"path": path, "was": was, "text": text}


FINE = one(f"{HOME}/runs/x.yaml")
NEVER_WRITTEN: list[Any] = [
    [one("ledger/demo/../../out.yaml"), FINE],
    [one("../out.yaml"), FINE],
    [one("/tmp/out.yaml"), FINE],
    [one("ledger/demo/runs/../../../out.yaml"), FINE],
    [one("ledger/demo/runs/..\\..\\..\\out.yaml"), FINE],
    [one("ledger/demo/runs/C:out.yaml"), FINE],
    [one("ledger/demo/runs/a/out.yaml"), FINE],
    [one("ledger/demo/runs/.out.yaml"), FINE],
    [one("ledger/demo/runs/out.md"), FINE],
    [one("ledger/demo/runs/out\n.yaml"), FINE],
    [one("ledger/demo/out.yaml"), FINE],
    [one("ledger/demo/runs.yaml"), FINE],
    [one("ledger/demo/releases/1.0.json"), FINE],
    [one("ledger/demo/.add.lock"), FINE],
    [one("ledger/twin/runs/out.yaml"), FINE],
    [one("ledger/catalog/gpus.yaml"), FINE],
    [one("docs/index.md"), FINE],
    [one("requirements.txt"), FINE],
    [one(".git/config"), FINE],
    [one(f"{HOME}/plan.yaml", None, checksum(FILES[f"{HOME}/plan.yaml"].encode())), FINE],
    [one(f"{HOME}/runs/y.yaml", None), FINE],
    [one(f"{HOME}/runs/y.yaml", "x", checksum(b"x")), FINE],
    [one(f"{HOME}/runs/y.yaml", "x", "yes"), FINE],
    [one(f"{HOME}/runs/y.yaml", "x", 3), FINE],
    [one(f"{HOME}/runs/y.yaml", 3), FINE],
    [one(f"{HOME}/runs/y.yaml", "\ud800"), FINE],
    [one(3), FINE],
    [one([f"{HOME}/runs/y.yaml"]), FINE],
    [{**FINE, "mode": 0o777}, one(f"{HOME}/runs/y.yaml")],
    ["x", FINE],
    [FINE, FINE],
    [FINE],
    [],
    None,
    {"a": 1, "b": 2},
]


@pytest.mark.parametrize("files", NEVER_WRITTEN, ids=lambda one: json.dumps(one)[:60])
def test_nothing_is_taken_that_is_not_written_here(files: Any, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in tree.parent.rglob("*") if path.is_file()}
    path = cut(tree, files=files)
    kept = path.read_bytes()
    for words in (["render"], ["tidy"], ["add", "run", "--item", "test", "--gpu-hours", "1"]):
        assert main(["--root", str(tree), *words]) == 2
        assert f"{HOME}/{JOURNAL} was not written by `budget`; remove it" in capsys.readouterr().err
    assert main(["--root", str(tree), "check"]) == 1
    assert f"{HOME}/{JOURNAL}:1:1: `budget` did not write this file; remove it" in capsys.readouterr().out
    found = {path: path.read_bytes() for path in tree.parent.rglob("*") if path.is_file()}
    assert found == {**before, path: kept}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null", "[]", '{"format": 2, "files": []}', "\xff"])
def test_what_is_no_journal_is_left_alone(text: str, tree: Path) -> None:
    (tree / HOME / JOURNAL).write_bytes(text.encode("latin-1"))
    with pytest.raises(Blocked, match="was not written by `budget`"):
        journal.complete(tree)
    assert there(tree) == BEFORE


def test_a_journal_is_bounded(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "WRITE_PLAN", 200)
    with pytest.raises(Blocked, match="too large to write into ledger/demo at once; nothing written"):
        put(tree)
    assert (there(tree), hidden(tree)) == (BEFORE, [])
    cut(tree)
    with pytest.raises(Blocked, match="was not written by `budget`"):
        journal.complete(tree)


def linked_journal(tree: Path, outside: Path) -> None:
    cut(tree).rename(outside / "journal")
    (tree / HOME / JOURNAL).symlink_to(outside / "journal")


def linked_file(tree: Path, outside: Path) -> None:
    (outside / "detour").write_text(DETOUR)
    (tree / OLD).unlink()
    (tree / OLD).symlink_to(outside / "detour")
    cut(tree)


def dangling(tree: Path, outside: Path) -> None:
    (tree / NEW).symlink_to(outside / "new")
    cut(tree)


def linked_to_hidden(tree: Path, outside: Path) -> None:
    (tree / ".git").mkdir()
    (tree / NEW).symlink_to("../../../.git/config")
    cut(tree)


def linked_folder(tree: Path, outside: Path) -> None:
    (tree / HOME / "runs").rename(outside / "runs")
    (tree / HOME / "runs").symlink_to(outside / "runs")
    cut(tree)


def linked_beside(tree: Path, outside: Path) -> None:
    (tree / "requirements.txt").write_text(FILES[ONE])
    (tree / ONE).unlink()
    (tree / ONE).symlink_to("../../../requirements.txt")
    cut(tree)


def linked_twice(tree: Path, outside: Path) -> None:
    (tree / NEW).symlink_to("2026-01.yaml")
    cut(tree)


LINKED = [linked_journal, linked_file, dangling, linked_to_hidden, linked_folder, linked_beside, linked_twice]


@pytest.mark.parametrize("make", LINKED, ids=lambda one: one.__name__)
def test_no_link_leads_out_of_the_ledger(make: Callable[[Path, Path], None], tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    make(tree, outside)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(Blocked, match=r"by a link|was not written by `budget`"):
        journal.complete(tree)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    (tree / HOME / JOURNAL).unlink()
    if make not in (linked_journal, linked_twice):
        with pytest.raises(Blocked, match="by a link"):
            put(tree)


def test_a_link_in_the_ledger_stays_one(tree: Path) -> None:
    real = tree / HOME / "runs/january.txt"
    (tree / ONE).rename(real)
    (tree / ONE).symlink_to("january.txt")
    put(tree)
    assert (tree / ONE).is_symlink()
    assert there(tree) == AFTER
    assert real.read_text() == AFTER[ONE]


def test_the_lock_is_no_link(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / HOME / journal.LOCK).symlink_to(tmp_path / "made")
    assert main(["--root", str(tree), "add", "run", "--item", "test", "--gpu-hours", "1"]) == 2
    assert f"{HOME}/.add.lock is a link, which `budget` does not follow; remove it" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()
    assert there(tree) == BEFORE


@pytest.mark.parametrize("place", ["ledger", "ledger/demo"])
def test_no_lock_is_made_where_a_folder_above_leads_out(place: str, tree: Path, tmp_path: Path) -> None:
    (tree / place).rename(tmp_path / "outside")
    (tree / place).symlink_to(tmp_path / "outside")
    with pytest.raises(Blocked, match="ledger/demo leads out of the root by a link"), journal.alone(tree, HOME):
        pass
    assert [path for path in tmp_path.rglob("*") if path.name == journal.LOCK] == []


def test_what_was_staged_by_the_killed_is_removed_and_nothing_else(tree: Path) -> None:
    (tree / HOME / "runs/import").mkdir()
    for name in (
        f"{HOME}/runs/.2026-03.yaml.77.tmp",
        f"{HOME}/runs/import/.fox-2026-03.yaml.77.tmp",
        f"{HOME}/..journal.json.77.tmp",
        f"{HOME}/runs/.note.tmp",
    ):
        (tree / name).write_text("half")
    put(tree, [MOVED[0]])
    assert hidden(tree) == [".note.tmp"]
