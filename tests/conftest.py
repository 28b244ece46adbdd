"""What tests of the ledger share: a small ledger out of the texts that a test writes down."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as profiles

from reckon.cli import main
from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.load.site import settings
from reckon.present import pages
from tests.example_tree import plant_example
from tests.remembering import remembered
from tests.small import plant
from tests.trying import LONG, QUICK, examples

ROOT = Path(__file__).resolve().parents[1]

# The same examples on every machine: a test that fails for one person fails for all.
profiles.register_profile("house", derandomize=True, deadline=None, max_examples=examples(100))
profiles.load_profile("house")

# No test is answered from what an earlier run left, and none leaves anything in the cache of the person who runs them.
CACHE = tempfile.mkdtemp(prefix="budget-tests-")
os.environ["XDG_CACHE_HOME"] = CACHE


def pytest_sessionfinish() -> None:
    """Takes the cache of the tests away."""
    shutil.rmtree(CACHE, ignore_errors=True)


LEFT_OUT = pytest.StashKey[int]()
"""How many tests the quick ones leave out."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Gives each property the mark `long`, and leaves out what only the long tests or all tests run."""
    if QUICK:
        leave_out_full(config, items)
    for item in items:
        if not LONG and any(mark.kwargs.get("only") for mark in item.iter_markers("long")):
            item.add_marker(pytest.mark.skip(reason="make test-long"))
        elif getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.long)


def leave_out_full(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes the tests that are marked `full` out of `items`, and notes how many these are."""
    full = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=full)
    config.stash[LEFT_OUT] = len(full)
    if hasattr(config, "workeroutput"):
        # A process of xdist, which collects all tests by itself: what it says at its end is read below.
        config.workeroutput["left_out"] = len(full)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes over how many tests a process of xdist left out, which is the same in each of them."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says how many tests were left out."""
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out:,} tests deselected (full): `make test-all` runs them")


CATALOG = ("gpus", "models")
DEFAULTS = {
    "project": "title: P\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n",
    "gpus": "card: {title: Card, vram_gib: 40}\nother: {title: Other}\n",
}


@dataclass
class Tree:
    """A ledger on disk."""

    root: Path

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", newline="")

    def problems(self, changes: Sequence[tuple[str, str]] = ()) -> list[str]:
        """All that is wrong with it, or would be with changes, as `file:line:column: wrong; right`."""
        read, problems = load(self.root, changes)
        of_the_site = settings(self.root, "site_name: S")[1]
        return [str(problem) for problem in sorted({*problems, *calculate(read)[1], *of_the_site})]

    def book(self) -> Book:
        read, problems = load(self.root)
        book, more = calculate(read)
        assert [str(problem) for problem in problems + more] == []
        return book

    def findings(self, project: str = "p") -> list[str]:
        return [f"{one.severity} {one.id}" for one in self.book().findings[project]]


@pytest.fixture(scope="session", autouse=True)
def all_tests_frozen() -> None:
    """A collection of garbage walks through all that is there: the tests themselves are left out of that."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def pictures_drawn_once() -> Iterator[None]:
    """Many tests make the pages of the same few ledgers. Those about drawing call `draw` where it is defined."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pages, "draw", remembered(pages.draw))
        yield


@pytest.fixture
def ledger(tmp_path: Path) -> Callable[..., Tree]:
    """Writes files by the name of their record: plan='…' is ledger/p/plan.yaml.

    `project` and `gpus` stand there in any case; `project` is added to the fields that each project needs.
    """

    def write(**texts: str) -> Tree:
        tree = Tree(tmp_path)
        files = {**DEFAULTS, **texts}
        if not files["project"].startswith("title:"):
            files["project"] = DEFAULTS["project"] + files["project"]
        for name, text in files.items():
            tree.write(place(name), text)
        return tree

    return write


@pytest.fixture(scope="session")
def small_with_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small ledger with its pages, to be copied: drawing its pictures takes a second."""
    root = plant(tmp_path_factory.mktemp("small") / "tree")
    assert main(["render", "--root", str(root)]) == 0
    return root


@pytest.fixture(scope="session")
def example_with_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in a tree of its own, with its pages, to be copied."""
    return plant_example(tmp_path_factory.mktemp("birdsong") / "tree", pages=True)


@pytest.fixture
def example_tree(example_with_pages: Path, tmp_path: Path) -> Path:
    """A copy of the example in a tree of its own, and of its pages."""
    return shutil.copytree(example_with_pages, tmp_path / "tree")


@pytest.fixture
def rendered(small_with_pages: Path, tmp_path: Path) -> Path:
    """A copy of the small ledger and of its pages."""
    return shutil.copytree(small_with_pages, tmp_path / "tree")


@pytest.fixture
def zensical(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zensical can be imported, here and in processes that are started. Without it, a test that needs it is skipped."""
    found = [str(path.parent) for path in ROOT.glob(".venv-zensical/lib/python*/site-packages/zensical")]
    if not found:
        pytest.skip("Zensical is not installed: `make builders`")
    monkeypatch.setattr(sys, "path", [*sys.path, *found])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), *found]))


def place(name: str) -> str:
    """Where a record stands in the tree; `runs` is one file of runs, other paths are given in full."""
    if "/" in name or name == "mkdocs.yml":
        return name
    if name in CATALOG:
        return f"ledger/catalog/{name}.yaml"
    others = {"allocations": "ledger/allocations.yaml", "runs": "ledger/p/runs/2025.yaml"}
    return others.get(name, f"ledger/p/{name}.yaml")
