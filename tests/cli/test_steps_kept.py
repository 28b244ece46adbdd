"""What pages say of a step between two releases is kept: only the step to today is worked out again, to the same bytes.

The releases are of `tests/cli/kelp-1.0.0.json`, each with another plan.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reckon import entry
from reckon.cli import books, main
from reckon.cli.release_steps import version_steps
from reckon.compute.versions import difference
from reckon.model.release import seal
from reckon.publish import releases
from reckon.user_cache import MOST_STEPS, Aids, Store
from tests.small import plant

RELEASED = json.loads((Path(__file__).parent / "kelp-1.0.0.json").read_text("utf-8"))
PLAN, PAGE = "ledger/kelp/plan.yaml", "docs/kelp/history.md"
FILES: dict[str, str] = {
    **RELEASED["files"],
    "ledger/kelp/project.yaml": RELEASED["files"]["ledger/kelp/project.yaml"].replace(", Team: team", ""),
    "ledger/catalog/gpus.yaml": RELEASED["files"]["ledger/catalog/gpus.yaml"].replace("3x", "4x"),
}
"""The ledger of the release, without the two lines that a tree of today may not have."""


def snapshot(number: int, plan: str = "") -> dict[str, str]:
    """A release as a file, without pages: each has ten hours more of training than the one before."""
    plan = plan or FILES[PLAN].replace("gpu_hours: 50", f"gpu_hours: {60 + 10 * number}", 1)
    whole = {**RELEASED, "pages": {}, "figures": {}, "version": f"1.{number}.0", "files": {**FILES, PLAN: plan}}
    del whole["sha256"]
    return {f"ledger/kelp/releases/1.{number}.0.json": json.dumps({**whole, "sha256": seal(whole)})}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with five releases, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CI", raising=False)
    return with_releases(tmp_path / "tree", 5)


def with_releases(root: Path, many: int) -> Path:
    """A project that has been released so many times."""
    made = {name: text for number in range(many) for name, text in snapshot(number).items()}
    return plant(root, {**FILES, **made})


class Counted:
    """How often a ledger was calculated, and two versions compared, since it was last asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._done = {"calculated": 0, "compared": 0}
        for name, home, what in (("calculated", books, "calculate"), ("compared", difference, "compare")):
            monkeypatch.setattr(home, what, self._counting(name, getattr(home, what)))

    def _counting(self, name: str, function: Any) -> Any:
        def counting(*given: Any, **named: Any) -> Any:
            self._done[name] += 1
            return function(*given, **named)

        return counting

    def since(self) -> Mapping[str, int]:
        found, self._done = self._done, dict.fromkeys(self._done, 0)
        return found


def steps(program: str, most: int = MOST_STEPS) -> Store:
    """Where steps are kept of a program of some digest."""
    return Store("steps", most, program)


def rendered(root: Path, kept: Store | None) -> str:
    """The page of changes after a render, which ends well."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert main(["--root", str(root), "render"], Aids(kept)) == 0, err.getvalue()
    return (root / PAGE).read_text("utf-8")


def pages(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted((root / "docs").rglob("*")) if path.is_file()}


def test_the_plan_of_the_releases_differs() -> None:
    assert FILES[PLAN].count("gpu_hours: 50") == 1


@pytest.mark.full
def test_of_twenty_releases_the_newest_is_calculated_again_and_no_other(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted(monkeypatch)
    with_releases(tree, 20)
    first = rendered(tree, steps("program"))
    assert counted.since() == {"calculated": 21, "compared": 20}
    made = pages(tree)
    assert rendered(tree, steps("program")) == first
    assert counted.since() == {"calculated": 2, "compared": 1}
    assert first.count("\n## ") == 21
    plant(tree, snapshot(20))
    rendered(tree, steps("program"))
    assert counted.since() == {"calculated": 3, "compared": 2}  # the newest two, and the ledger
    (tree / "ledger/kelp/releases/1.20.0.json").unlink()
    assert rendered(tree, None) == first
    assert counted.since() == {"calculated": 21, "compared": 20}
    assert pages(tree) == made


@pytest.mark.full
def test_what_is_kept_hangs_on_both_releases_and_on_the_program(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered(tree, steps("program"))
    counted = Counted(monkeypatch)
    plant(tree, snapshot(2, FILES[PLAN]))  # the steps to it and from it
    page = rendered(tree, steps("program"))
    assert counted.since() == {"calculated": 5, "compared": 3}  # it, one on each side, the newest, and the ledger
    assert rendered(tree, steps("another program")) == page
    assert counted.since() == {"calculated": 6, "compared": 5}


@pytest.mark.full
def test_what_cannot_be_trusted_is_worked_out_again(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = rendered(tree, steps("program"))
    counted, home = Counted(monkeypatch), tmp_path / "cache/budget-ledger/steps"
    assert {path.stat().st_mode & 0o777 for path in home.iterdir()} == {0o600}
    damaged = sorted(home.iterdir())[1]
    damaged.write_bytes(damaged.read_bytes().replace(b"GPU", b"CPU"))
    assert rendered(tree, steps("program")) == page
    assert counted.since()["compared"] == 2
    home.chmod(0o777)
    assert rendered(tree, steps("program")) == page
    assert counted.since()["compared"] == 5


def test_a_release_that_cannot_be_read_leaves_nothing(tree: Path, tmp_path: Path) -> None:
    plant(tree, snapshot(2, "a: [\n"))
    page = rendered(tree, steps("program"))
    assert page.count("cannot be read by this version of the program") == 2
    assert len(list((tmp_path / "cache/budget-ledger/steps").iterdir())) == 2
    assert rendered(tree, steps("program")) == page


@pytest.mark.full
def test_a_template_that_asks_for_more_gets_it(tree: Path) -> None:
    """Templates of a tree may ask for all that differs, which is worked out for them alone."""
    asks = (
        "---\ntitle: Mine\n---\n{{ header }}\n\n{% for leap in leaps %}{% if leap.part and leap.bridge %}"
        "- {{ leap.part.title }}, {{ leap.difference.new.name }}, {{ leap.bridge.title }}\n{% endif %}{% endfor %}\n"
    )
    plant(tree, {"templates/history.md.j2": asks})
    page = rendered(tree, None)
    assert page.count("Final budget") == 5
    assert rendered(tree, steps("program")) == rendered(tree, steps("program")) == page


def test_no_more_than_so_many_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = steps("program", 3)
    for number in range(5):
        kept.put(b"text", "a", str(number))
        for path in (tmp_path / "budget-ledger/steps").iterdir():
            if path.stat().st_mtime_ns > 10**15:
                os.utime(path, ns=(number, number))
    assert [kept.get("a", str(number)) for number in range(5)] == [None, None, b"text", b"text", b"text"]


def test_of_a_release_that_was_not_read_from_its_file_nothing_is_kept(tree: Path, tmp_path: Path) -> None:
    """It has no checksum, by which it would be known again."""
    book, found = books.read(tree)[0], releases.releases(tree)[0]
    loose = {"kelp": [replace(each, sealed="") for each in found["kelp"]]}
    assert len(version_steps(book, loose, steps("program"))["kelp"]) == 6
    assert not (tmp_path / "cache/budget-ledger/steps").exists()
    version_steps(book, found, steps("program"))
    assert len(list((tmp_path / "cache/budget-ledger/steps").iterdir())) == 4


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("render",), True),
        (("--root", "x", "render"), True),
        (("build",), True),
        (("serve",), True),
        (("render", "--check"), False),
        (("render", "--redraw"), False),
        (("check",), False),
        (("release",), False),
    ],
)
def test_who_asks_what_is_true_has_it_worked_out(
    words: tuple[str, ...], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed: list[Aids] = []
    monkeypatch.setattr("reckon.cli.main", lambda words, aids: handed.append(aids) or 0)
    monkeypatch.setattr(entry, "find_root", lambda words: (_ for _ in ()).throw(entry.Unkept))
    for without in (("--no-cache",), ()):
        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setattr("sys.argv", ["budget", *words, *without])
        entry.main()
    monkeypatch.setenv("CI", "1")
    entry.main()
    assert [aids.steps is not None for aids in handed] == [False, shown, False]
