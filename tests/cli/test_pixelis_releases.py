"""What is proposed for Pixelis: from its plan to what its own configuration asks for, in steps that add up exactly,
whichever way the two are named."""

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
PROPOSAL = Path("ledger/pixelis/proposals/own-configuration.yaml")
NAMED = "pixelis@own-configuration"
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
    """The plan as it was published, with the proposal beside it; and the same with that adopted."""
    home = tmp_path_factory.mktemp("folders")
    folders = home / "old", home / "new"
    for folder in folders:
        path = tree(folder) / PROPOSAL
        path.parent.mkdir()
        shutil.copyfile(ROOT / PROPOSAL, path)
    with redirect_stdout(io.StringIO()):
        assert main(["--root", str(folders[1]), "propose", "pixelis", "--adopt", path.stem, "--for", "1.1.0"]) == 0
    return folders


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


@pytest.fixture(params=["proposal", "revisions", "folders"])
def told(request: pytest.FixtureRequest, folders: tuple[Path, Path], repository: Path) -> Any:
    match request.param:
        case "proposal":
            return bridge(diff(folders[0], ".", NAMED))
        case "revisions":
            return bridge(diff(repository, "old", "new"))
    return bridge(diff(ROOT, *map(str, folders)))


def test_the_steps_add_up_exactly(told: Any) -> None:
    old, new = F(told["old"]["use"]), F(told["new"]["use"])
    assert (old, new) == (F("1535.25"), F("7042.6"))
    assert [(one["addresses"], F(one["by"])) for one in told["steps"]] == [([address], by) for address, by, *_ in STEPS]
    assert sum((F(one["by"]) for one in told["steps"]), old) == new


def test_each_step_has_its_ledger_lines(folders: tuple[Path, Path]) -> None:
    told = bridge(diff(ROOT, *map(str, folders)))
    for (_, _, now, _), step in zip(STEPS, told["steps"], strict=True):
        lines = [(one["file"], one["line"]) for one in step["places"]]
        texts = [(folders[1] / file).read_text("utf-8").splitlines()[line - 1] for file, line in lines]
        assert any(now in text for text in texts), texts


def test_a_proposal_is_told_by_the_lines_of_its_file(folders: tuple[Path, Path]) -> None:
    text = diff(folders[0], ".", NAMED, form="text")
    plan = (folders[0] / "ledger/pixelis/plan.yaml").read_text("utf-8").splitlines()
    written = (folders[0] / PROPOSAL).read_text("utf-8").splitlines()
    for address, _, now, was in STEPS:
        item = address.split(".")[2]
        line = next(at for at, said in enumerate(plan, 1) if was in said and at > plan.index(f"    {item}:"))
        value, above = f"    to: {now.partition(': ')[2]}", written.index(f"  {address.removeprefix('pixelis.')}:")
        to = next(at for at, said in enumerate(written, 1) if said == value and at > above)
        assert f"ledger/pixelis/plan.yaml:{line} → {PROPOSAL}:{to}" in text


def test_nothing_moved_from_a_side_to_itself(folders: tuple[Path, Path], repository: Path) -> None:
    assert diff(ROOT, "1.0.0", "1.0.0", form="text") == ""
    assert diff(folders[0], NAMED, NAMED, form="text") == ""
    assert diff(ROOT, str(folders[0]), str(folders[0]), form="text") == ""
    assert diff(repository, "old", "old", form="text") == ""


def test_the_page_of_proposals_gives_the_reason_of_each_step() -> None:
    page = (ROOT / "docs/pixelis/proposals.md").read_text("utf-8")
    table = page.partition("| Change | GPU-h | Why | Ledger |\n")[2].partition("| **Final budget")[0]
    rows = [line.split(" | ") for line in table.splitlines()[1:]]
    assert [(row[1], bool(row[2])) for row in rows] == [
        (f"{float(by):+,.2f}".replace("-", "−"), True) for _, by, *_ in STEPS
    ]
    assert "> Proposal (not approved); proposed by the maintainers of this ledger, 2026-11-22." in page


def test_the_document_is_kept_as_published() -> None:
    """Nothing of it is accepted, and no page says that its authors accept or decide what they did not write."""
    read = json.loads((ROOT / "ledger/pixelis/releases/1.0.0.json").read_text("utf-8"))
    assert read["as_published"] is True
    assert [one["id"] for one in read["findings"] if one["accepted"]] == []
    assert "accept:" not in read["files"]["ledger/pixelis/project.yaml"]
    assert sorted(path.stem for path in (ROOT / "ledger/pixelis/releases").iterdir()) == ["1.0.0"]
    assert not any("/proposals/" in name for name in read["files"])
