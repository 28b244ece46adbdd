"""What publishes the package, and what brings it into workflows of others: its shape, and the shell of its steps."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from reckon import __version__
from reckon.cli import parse
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[1]


def steps(path: str) -> list[dict[str, Any]]:
    tree = yaml.safe_load((ROOT / path).read_text("utf-8"))
    return [one for part in (tree.get("jobs") or {"": tree["runs"]}).values() for one in part["steps"]]


def bash(script: str, where: Path, **given: str) -> subprocess.CompletedProcess[str]:
    """A step as a runner calls it."""
    env = {**os.environ, **given}
    return subprocess.run(["bash", "-e", "-c", script], cwd=where, env=env, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("path", [".github/workflows/publish.yml", "action.yml"])
def test_actions_are_named_by_their_commit(path: str) -> None:
    used = [one["uses"] for one in steps(path) if "uses" in one]
    assert used
    assert not [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", one)]
    for one in steps(path):
        assert "${{" not in one.get("run", ""), "a value that others write must not become shell"


def test_only_the_job_that_publishes_may_ask_for_a_token_and_it_runs_nothing_of_ours() -> None:
    tree = yaml.safe_load((ROOT / ".github/workflows/publish.yml").read_text("utf-8"))
    assert tree["permissions"] == {"contents": "read"}
    asking = {name: job["permissions"] for name, job in tree["jobs"].items() if "permissions" in job}
    assert asking == {"publish": {"id-token": "write"}}
    publish = tree["jobs"]["publish"]
    assert (publish["needs"], publish["environment"]["name"]) == ("smoke", "pypi")
    assert [one["uses"].partition("@")[0] for one in publish["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]


@pytest.mark.parametrize(("tag", "code"), [(f"v{__version__}", 0), ("v9.9.9", 1), (__version__.replace(".", "x"), 1)])
def test_a_tag_that_is_not_the_version_is_not_built(tag: str, code: int) -> None:
    (step,) = [one for one in steps(".github/workflows/publish.yml") if one.get("name") == "The tag is the version"]
    done = bash(step["run"], ROOT, GITHUB_REF_NAME=tag)
    assert done.returncode == code
    assert ("is not the version" in done.stdout) == bool(code)


@pytest.mark.full
def test_the_action_runs_a_command_and_leaves_it_for_later_steps(tmp_path: Path) -> None:
    """Its shell, as a runner calls it; what it installs is here already, in these very versions."""
    plant(tmp_path / "work/our budgets", SMALL)
    # Of a change: neither is what runs.
    plant(tmp_path / "work", {"pip/__main__.py": "raise SystemExit(9)", "reckon/__init__.py": "raise SystemExit(9)"})
    install, once = (one["run"] for one in steps("action.yml") if "run" in one)
    given = {
        "GITHUB_ACTION_PATH": str(ROOT),
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "FOLDER": "our budgets",
        "GITHUB_PATH": str(tmp_path / "path"),
        "PIP_NO_INDEX": "1",
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for words in ("check", "render --check"):
        done = bash(install, tmp_path / "work", **given, PATH=path, COMMAND=words)
        assert done.returncode == 0, done.stdout + done.stderr
    path = (tmp_path / "path").read_text("utf-8").splitlines()[0] + os.pathsep + path
    for words, code, says in (("check $(touch evil)", 2, "there is no project `$(touch`"), ("check", 0, "")):
        done = bash(once, tmp_path / "work", **given, PATH=path, COMMAND=words)
        assert done.returncode == code, done.stdout + done.stderr
        assert says in done.stderr
    assert not (tmp_path / "work/evil").exists()


def test_the_example_for_gitlab_asks_for_what_there_is() -> None:
    tree = yaml.safe_load((ROOT / "examples/ci/gitlab.yml").read_text("utf-8"))
    job = tree["budget-check"]
    assert job["extends"] == ".budget"
    lines = re.findall(r"^budget (.*?) (?:>.*)?\|\| failed=\$\?$", job["script"][0], re.MULTILINE)
    assert [parse(shlex.split(line)).command for line in lines] == ["check", "check", "import"]
