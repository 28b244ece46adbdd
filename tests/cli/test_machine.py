"""A machine that fails is told as such: it is no mistake of the ledger, and nothing is concluded or removed."""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_release import Done, budget, edit, every, released

FULL = errno.ENOSPC, os.strerror(errno.ENOSPC)


@pytest.fixture(scope="module")
def made(small_with_pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases, and what moved between them has a picture; to be copied."""
    root = shutil.copytree(small_with_pages, tmp_path_factory.mktemp("made") / "tree")
    released(root)
    edit(root, "ledger/demo/plan.yaml", "gpu_hours: 10", "gpu_hours: 30")
    assert budget(root, "render").code == 0
    released(root, "1.1")
    edit(root, "ledger/demo/plan.yaml", "gpu_hours: 30", "gpu_hours: 45")
    assert budget(root, "render").code == 0
    assert list((root / "docs/demo").glob("changes-*.svg"))
    return root


@pytest.fixture
def tree(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "tree")


def fails(error: int, under: Path, opening: str) -> Callable[..., Any]:
    """`open` of a machine that fails at files below a folder, when they are opened in this way."""
    real = io.open

    def opened(file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        if opening in mode and str(file).startswith(str(under)):
            raise OSError(error, os.strerror(error), str(file))
        return real(file, mode, *more, **named)

    return opened


COMMANDS = (
    ["render"],
    ["render", "--check"],
    ["diff", "1.0"],
    ["diff", "1.0", "1.1"],
    ["review", "1.0"],
    ["release", "demo", "1.2", "-m", "Why"],
)


@pytest.mark.full
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(("opening", "error"), [("x", errno.ENOSPC), ("r", errno.EIO), ("r", errno.EMFILE)])
def test_a_temporary_folder_that_fails_is_an_error_and_nothing_is_written(
    tree: Path, tmp_path: Path, words: list[str], opening: str, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = tmp_path / "spare"
    spare.mkdir()
    before = every(tree)
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    failing = fails(error, spare, opening)
    monkeypatch.setattr(builtins, "open", failing)
    monkeypatch.setattr(io, "open", failing)
    done = budget(tree, *words)
    assert done.code == 2, done
    assert done.err.startswith(f"{spare}/budget-")
    assert done.err.endswith(f": {os.strerror(error)}\n")
    assert len(done.err.splitlines()) == 1
    assert "cannot be read by this version" not in done.out
    assert every(tree) == before
    assert os.listdir(spare) == []


def test_without_any_temporary_folder_nothing_is_concluded(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    before = every(tree)
    monkeypatch.setattr(tempfile, "gettempdir", none)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", none)
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert budget(tree, "render") == Done(2, "", "output: No usable temporary directory found in ['/tmp']\n")
    assert every(tree) == before


def test_a_release_that_is_really_of_another_program_is_still_said(tree: Path) -> None:
    """What a release holds and this program cannot read is no failing machine."""
    from tests.cli.test_release_hostile import SNAPSHOT, sealed, snapshot

    whole = snapshot(tree)
    whole["files"]["ledger/demo/plan.yaml"] = "one: {titel: One}\n"
    (tree / SNAPSHOT).write_text(sealed(whole), "utf-8")
    assert budget(tree, "render").code == 0
    assert "cannot be read by this version" in (tree / "docs/demo/history.md").read_text("utf-8")


@pytest.mark.full
@pytest.mark.parametrize("at", range(0, 12, 3))
def test_a_disk_that_is_full_while_pages_are_written_loses_none(
    tree: Path, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page is the old or the new one, nothing is removed, and once there is room all is brought up to date."""
    gone = "docs/demo/gone.md"
    edit(tree, "ledger/demo/plan.yaml", "gpu_hours: 45", "gpu_hours: 50")
    (tree / gone).write_text("<!-- Made by `budget render` -->\n")
    before, left = every(tree), iter(range(at))
    real = os.fsync

    def full(number: int) -> None:
        if next(left, None) is None:
            raise OSError(*FULL)
        real(number)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        done = budget(tree, "render")
    assert (done.code, done.err.partition(": ")[2]) == (2, "No space left on device\n")
    assert done.err.startswith(f"{tree}/docs/")
    after = every(tree)
    assert after.keys() == before.keys()
    assert sum(after[name] != before[name] for name in before) == at
    assert budget(tree, "render").code == 0
    assert not (tree / gone).exists()
    assert budget(tree, "render", "--check").code == 0
