"""The package without its extras: what its commands do, and what they say of the rest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from reckon.cli.init import source
from tests.exported import FOX, SAMPLES, planted
from tests.small import SMALL, plant

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements-light.txt").read_text("utf-8"), re.MULTILINE)
GRANT = {"ledger/allocations.yaml": "spring: {title: Spring grant, gpu_hours: 2000, projects: [demo]}\n"}
RUN = ("--date", "2026-01-11", "--item", "train", "--seed", "2", "--gpus", "1", "--wall-hours", "3")


@pytest.fixture(scope="module")
def budget(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, installed in an environment that has the libraries of requirements-light.txt and no others."""
    place = tmp_path_factory.mktemp("light")
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", place / "env"], check=True, timeout=60)
    (packages,) = place.glob("env/lib/python*/site-packages")
    for library in LIBRARIES:
        found = distribution(library)
        for name in {file.parts[0] for file in found.files or () if file.parts[0] != ".."} - {"__pycache__"}:
            (packages / name).symlink_to(str(found.locate_file(name)))
    wheel = source().wheel
    assert wheel
    (place / wheel[0]).write_bytes(wheel[1])
    pip = [sys.executable, "-I", "-m", "pip", "--disable-pip-version-check", "--python", place / "env/bin/python"]
    words = ["install", "--quiet", "--no-deps", "--no-index", place / wheel[0]]
    subprocess.run([*pip, *words], check=True, timeout=300)
    return place / "env/bin/budget"


def run(budget: Path, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([budget, *words], cwd=root, capture_output=True, text=True, timeout=120, env=ours)


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=root, check=True, timeout=60)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = plant(tmp_path / "tree", {**SMALL, **GRANT})
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "a")
    return root


def test_each_command_without_pictures_and_site_works(budget: Path, tree: Path) -> None:
    for words in (
        ("add", "run", *RUN),
        ("check",),
        ("status",),
        ("explain", "demo.budget.final"),
        ("diff", "HEAD", "."),
        ("digest", "--since", "2026-01-01"),
        ("export", "--format", "csv"),
        ("export", "--format", "csv", "--table", "runs", "--spreadsheet"),
        ("export",),
        ("propose",),
        ("tidy",),
        ("schema",),
        ("template",),
        ("tree", "pages"),
        ("guide", "start"),
        ("close", "2026-01", "--date", "2026-02-05"),
    ):
        done = run(budget, tree, *words)
        assert done.returncode == 0, (words, done.stdout + done.stderr)
        assert "not installed" not in done.stderr
    shipped = run(budget, ROOT, "choose", "phase2-collection")
    assert shipped.returncode == 0, shipped.stderr


def test_jobs_are_imported_by_patterns(budget: Path, tmp_path: Path) -> None:
    root = planted(tmp_path, FOX)
    done = run(budget, root, "import", str(SAMPLES / "fox.txt"))
    assert done.returncode == 0, done.stderr
    assert list(root.glob("ledger/demo/runs/import*"))


def test_a_review_says_that_it_compared_no_pictures(budget: Path, tree: Path) -> None:
    """Pictures that lie in the tree are then neither stale nor strange."""
    plant(tree, {"docs/demo/burn-up.svg": "<!-- picture 0 -->\n", "ledger/tree.yaml": "pages: people\n"})
    done = run(budget, tree, "review", "HEAD")
    assert done.returncode == 0, done.stderr
    assert "The pictures were not compared: the package vl_convert is not installed here" in done.stdout
    assert "docs/demo/index.md" in done.stdout
    assert ".svg" not in done.stdout


@pytest.mark.parametrize(
    ("words", "library", "extra"),
    [
        (("render",), "vl_convert", "pictures"),
        (("render", "--check"), "vl_convert", "pictures"),
        (("build",), "mkdocs", "site"),
        (("build", "--builder", "zensical"), "zensical", "zensical"),
        (("serve", "--builder", "zensical"), "zensical", "zensical"),
        (("init", "new"), "vl_convert", "pictures"),
        (("release", "demo", "1.1", "-m", "Why."), "vl_convert", "pictures"),
        (("release", "demo", "1.1", "-m", "Why.", "--draft", "a.pdf"), "vl_convert", "pictures"),
        (("application", "demo", "--out", "a.pdf"), "typst", "pdf"),
        (("export", "--format", "xlsx", "--out", "a.xlsx"), "openpyxl", "xlsx"),
        (("export", "--format", "parquet", "--out", "a.parquet"), "pyarrow", "parquet"),
    ],
)
def test_what_needs_an_extra_says_how_to_get_it_before_any_work(
    words: tuple[str, ...], library: str, extra: str, budget: Path, tree: Path
) -> None:
    before = sorted(tree.rglob("*"))
    (tree / "ledger/demo/plan.yaml").write_text("this is no plan", "utf-8")
    done = run(budget, tree, *words)
    assert (done.returncode, done.stdout) == (2, "")
    # This environment has no pip, as those of uv.
    command = f"uv pip install --python {budget.parent}/python 'budget-ledger[{extra}]'"
    assert done.stderr == f"the package {library} is needed and not installed; to get it: {command}\n"
    assert sorted(tree.rglob("*")) == before


def test_an_installation_by_pipx_is_told_the_command_of_pipx(budget: Path, tree: Path) -> None:
    mark = budget.parents[1] / "pipx_metadata.json"
    mark.touch()
    try:
        said = run(budget, tree, "render").stderr
    finally:
        mark.unlink()
    assert said.endswith("to get it: pipx runpip env install 'budget-ledger[pictures]'\n")
