"""The history of Pixelis: from 1.0.0 to 1.1.0 in steps that add up exactly, whichever way the two are named."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from tests.released import tree

ROOT = Path(__file__).resolve().parents[2]
STEPS = [
    # three seeds, and 15 % of contingency on them
    ("pixelis.plan.sft.gpu_hours", 3 * (238 - 45) * F("1.15"), "gpu_hours: 238", "gpu_hours: 45"),
    ("pixelis.plan.rft.gpu_hours", 3 * (1680 - 250) * F("1.15"), "gpu_hours: 1680", "gpu_hours: 250"),
    # once for all seeds, and not for each of three
    ("pixelis.plan.evaluation.scope", (40 - 3 * 40) * F("1.15"), "scope: all-seeds", "scope: per-seed"),
]


def diff(root: Path, *words: str, form: str = "json") -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--root", str(root), "diff", *words, "--project", "pixelis", "--format", form])
    assert (code, err.getvalue()) == (0, "")
    return out.getvalue()


def bridge(text: str) -> Any:
    (part,) = (one for one in json.loads(text)["parts"] if one["id"] == "pixelis")
    return part["bridge"]


def git(root: Path, *words: str) -> None:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **settings})


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home = tmp_path_factory.mktemp("folders")
    return tree(home / "old", "1.0.0"), tree(home / "new", "1.1.0")


@pytest.fixture(scope="module")
def repository(folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit for each release."""
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    for folder, tag in zip(folders, ("old", "new"), strict=True):
        shutil.rmtree(root / "ledger", ignore_errors=True)
        shutil.copytree(folder / "ledger", root / "ledger")
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", tag)
        git(root, "tag", tag)
    return root


@pytest.fixture(params=["releases", "revisions", "folders"])
def told(request: pytest.FixtureRequest, folders: tuple[Path, Path], repository: Path) -> Any:
    match request.param:
        case "releases":
            return bridge(diff(ROOT, "1.0.0", "1.1.0"))
        case "revisions":
            return bridge(diff(repository, "old", "new"))
    return bridge(diff(ROOT, *map(str, folders)))


def test_the_steps_add_up_exactly(told: Any) -> None:
    old, new = F(told["old"]["use"]), F(told["new"]["use"])
    assert (old, new) == (F("2335.25"), F("7842.6"))
    assert [(one["addresses"], F(one["by"])) for one in told["steps"]] == [([address], by) for address, by, *_ in STEPS]
    assert sum((F(one["by"]) for one in told["steps"]), old) == new


def test_each_step_has_its_ledger_lines(told: Any, folders: tuple[Path, Path]) -> None:
    for (_, _, now, _), step in zip(STEPS, told["steps"], strict=True):
        lines = [(one["file"], one["line"]) for one in step["places"]]
        texts = [(folders[1] / file).read_text("utf-8").splitlines()[line - 1] for file, line in lines]
        assert any(now in text for text in texts), texts


def test_lines_of_both_sides_are_told(folders: tuple[Path, Path]) -> None:
    text = diff(ROOT, "1.0.0", "1.1.0", form="text")
    plans = [(folder / "ledger/pixelis/plan.yaml").read_text("utf-8").splitlines() for folder in folders]
    for address, _, now, was in STEPS[1:]:  # the first stands at the same line on both sides
        item = address.split(".")[2]
        lines = [
            next(number for number, line in enumerate(plan, 1) if said in line and number > plan.index(f"    {item}:"))
            for plan, said in zip(plans, (was, now), strict=True)
        ]
        assert f"ledger/pixelis/plan.yaml:{lines[0]} → {lines[1]}" in text


def test_nothing_moved_from_a_release_to_itself(folders: tuple[Path, Path], repository: Path) -> None:
    assert diff(ROOT, "1.1.0", "1.1.0", form="text") == ""
    assert diff(ROOT, str(folders[0]), str(folders[0]), form="text") == ""
    assert diff(repository, "old", "old", form="text") == ""


def test_the_page_of_changes_gives_the_reason_of_each_step() -> None:
    section = (
        (ROOT / "docs/pixelis/changes.md").read_text("utf-8").partition("\n## 1.1.0\n")[2].partition("\n## 1.0.0\n")[0]
    )
    rows = [line for line in section.splitlines() if line.startswith("| ") and "<br>*" in line]
    assert len(rows) == len(STEPS)
    assert all(f"{float(by):+,.2f}".replace("-", "−") in row for (_, by, *_), row in zip(STEPS, rows, strict=True))
