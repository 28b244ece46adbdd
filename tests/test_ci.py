"""The CI files, ours and those that `init` writes: their shape, and the shell of their steps, run as a forge would."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from reckon.present.review import MARK
from tests.forge import forge
from tests.test_flow import budget, edit

ROOT = Path(__file__).resolve().parents[1]
GITHUB = {"ours": ROOT / ".github/workflows/ledger.yml", "theirs": ROOT / "starter/.github/workflows/ledger.yml"}
GITLAB = {"ours": ROOT / ".gitlab-ci.yml", "theirs": ROOT / "starter/.gitlab-ci.yml"}
WHOSE = ("ours", "theirs")
needs = {one: pytest.mark.skipif(not shutil.which(one), reason=f"{one} is not here") for one in ("git", "curl", "jq")}


def read(path: Path) -> dict[Any, Any]:
    tree = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(tree, dict)
    return tree


def steps(whose: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in read(GITHUB[whose])["jobs"].items():
        for step in job["steps"]:
            yield name, step


@pytest.mark.parametrize("whose", WHOSE)
def test_a_workflow_may_do_no_more_than_it_has_to(whose: str) -> None:
    tree = read(GITHUB[whose])
    assert set(tree[True]) == {"push", "pull_request"}, "`on`, which YAML 1.1 takes for true"
    assert tree["permissions"] == {"contents": "read"}
    rights = {name: job.get("permissions") for name, job in tree["jobs"].items()}
    assert rights == {
        "review": None, "comment": {"pull-requests": "write"}, "publish": {"pages": "write", "id-token": "write"},
    }  # fmt: skip
    assert "head.repo.full_name == github.repository" in tree["jobs"]["comment"]["if"], "not for forks"
    assert tree["jobs"]["publish"]["if"] == "github.event_name == 'push'"
    assert all(job["timeout-minutes"] <= 15 for job in tree["jobs"].values())
    for job, step in steps(whose):
        if job != "review":
            assert "checkout" not in step.get("uses", ""), "what may write runs nothing of the change"
        assert "${{" not in step.get("run", ""), "nothing of the event becomes part of a shell's text"
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@(v\d+|[0-9a-f]{40})", step["uses"])


@pytest.mark.parametrize("path", [*GITHUB.values(), *GITLAB.values()], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_addresses_stand_in_them(path: Path) -> None:
    assert "://" not in path.read_text("utf-8")


@pytest.mark.parametrize("whose", WHOSE)
def test_a_pipeline_runs_for_merge_requests_and_the_default_branch(whose: str) -> None:
    tree = read(GITLAB[whose])
    assert [one["if"] for one in tree["workflow"]["rules"]] == [
        '$CI_PIPELINE_SOURCE == "merge_request_event"', "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH",
    ]  # fmt: skip
    jobs = {name: job for name, job in tree.items() if name not in ("workflow", "stages")}
    assert set(jobs) == {"review", "comment", "pages"}
    assert all({"stage", "image", "script"} <= job.keys() and job["stage"] in tree["stages"] for job in jobs.values())
    (rule,) = jobs["comment"]["rules"]
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID" in rule["if"], "not for forks"
    assert jobs["review"]["artifacts"]["reports"] == {"codequality": "gl-code-quality-report.json"}
    assert jobs["pages"]["artifacts"]["paths"] == ["public"]


def as_ours(text: str) -> list[str]:
    """The lines of a file without comments, with the command as it is called in this repository."""
    text = re.sub(r"(?<![\w-])budget (review|check|render|build)\b", r"python budget.py \1", text)
    text = re.sub(r"  #.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r" --fail-on never(?= \|\| failed|$)", "", text, flags=re.MULTILINE)
    lines = [line for line in text.splitlines() if line.strip() and "requirements.txt" not in line]
    return [line for line in lines if not line.lstrip().startswith("#")]


@pytest.mark.parametrize("files", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_ours_and_theirs_differ_in_how_the_command_is_there(files: dict[str, Path]) -> None:
    ours, theirs = (as_ours(files[whose].read_text("utf-8")) for whose in WHOSE)
    assert [line for line in ours if line not in theirs] == []
    assert len([line for line in theirs if line not in ours]) <= 1


@pytest.mark.parametrize("path", [".pre-commit-hooks.yaml", "starter/.pre-commit-config.yaml"])
def test_hooks_before_a_commit_call_commands_that_there_are(path: str, rendered: Path) -> None:
    tree = yaml.safe_load((ROOT / path).read_text("utf-8"))
    hooks = tree if isinstance(tree, list) else tree["repos"][0]["hooks"]
    assert [one["id"] for one in hooks] == ["budget-check", "budget-render"]
    for one in hooks:
        assert one["pass_filenames"] is False
        assert re.match(one["files"], "ledger/demo/plan.yaml")
        command, *words = one["entry"].split()
        assert command == "budget"
        assert budget(rendered, *words).returncode == 0


# What a forge does with the steps.


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """What `init` writes, as a repository with a main branch, in which somebody changes a number and renders."""
    tree = tmp_path / "work"
    assert budget(Path(), "init", str(tree)).returncode == 0
    git(tree, "init", "-q", "-b", "main")
    commit(tree, "Start")
    git(tree, "checkout", "-qb", "change")
    edit(tree, "example/plan.yaml", "gpu_hours: 110", "gpu_hours: 120")
    assert budget(tree, "render").returncode == 0
    commit(tree, "More hours")
    return tree


def git(tree: Path, *words: str) -> None:
    who = {f"GIT_{one}_{what}": "somebody@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=tree, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def commit(tree: Path, why: str) -> None:
    git(tree, "add", ".")
    git(tree, "commit", "-qm", why)


def shell(tree: Path, text: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A step as a runner runs it: bash that stops at the first failure, with the `budget` and `python` of the tests."""
    tools = tree.parent / "tools"
    tools.mkdir(exist_ok=True)
    for name, words in {"budget": [sys.executable, str(ROOT / "budget.py")], "python": [sys.executable]}.items():
        (tools / name).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        (tools / name).chmod(0o755)
    settings = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", **env}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True, timeout=300)


def step(named: str) -> str:
    (text,) = [one["run"] for _, one in steps("theirs") if one.get("name", "").startswith(named)]
    return str(text)


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """What a runner of GitHub sets for a pull request."""
    (tmp_path / "temp").mkdir()
    files = {"GITHUB_STEP_SUMMARY": "summary.md", "GITHUB_OUTPUT": "output", "RUNNER_TEMP": "temp"}
    return {**{name: str(tmp_path / file) for name, file in files.items()}, "BASE": "main"}


def output(runner: dict[str, str]) -> str:
    """The one output of the step, read as a runner reads it."""
    head, *lines, end = Path(runner["GITHUB_OUTPUT"]).read_text("utf-8").splitlines()
    name, _, mark = head.partition("<<")
    assert (name, mark) == ("comment", end)
    assert end not in lines
    return "\n".join(lines) + "\n"


@needs["git"]
def test_the_steps_of_a_pull_request(repository: Path, runner: dict[str, str]) -> None:
    assert shell(repository, step("What changes"), **runner).returncode == 0
    summary = Path(runner["GITHUB_STEP_SUMMARY"]).read_text("utf-8")
    assert output(runner) == summary
    assert summary.startswith(f"{MARK}\n\n## Budget ledger\n")
    assert "The pages are those of the ledger." in summary
    assert "### Against `main`" in summary
    assert "| Training: GPU hours: 110 → 120 | `ledger/example/plan.yaml:24` | +22 | 341 |" in summary
    for one in ("Problems", "Pages", "Site"):
        done = shell(repository, step(one), **runner)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (repository / "site/index.html").is_file()


@needs["git"]
def test_what_does_not_hold_fails_its_step_and_is_told(repository: Path, runner: dict[str, str]) -> None:
    edit(repository, "example/plan.yaml", "gpu_hours: 120", "gpu_hours: 90")
    assert shell(repository, step("What changes"), **runner).returncode == 0
    assert " pages and pictures are not up to date.**" in (said := output(runner))
    assert "- `docs/example/index.md`" in said
    gate = shell(repository, step("Pages"), **runner)
    assert gate.returncode == 1
    assert gate.stdout.startswith("stale: docs/")
    edit(repository, "example/plan.yaml", "gpu_hours: 90", "gpu_hours: ninety")
    Path(runner["GITHUB_OUTPUT"]).unlink()
    assert shell(repository, step("What changes"), **runner).returncode == 0
    assert "**1 problem in the ledger.**" in output(runner)
    assert "`ledger/example/plan.yaml:" in output(runner)
    marks = shell(repository, step("Problems"), **runner)
    assert marks.returncode == 2
    found = re.match(r"::error file=(\S+?),line=(\d+),col=(\d+),title=Problem::", marks.stdout)
    assert found
    line = (repository / found[1]).read_text("utf-8").splitlines()[int(found[2]) - 1]
    assert line[int(found[3]) - 1 :].startswith("ninety")


@needs["curl"]
@needs["jq"]
def test_the_comment_is_one_and_written_anew(tmp_path: Path, runner: dict[str, str]) -> None:
    (tmp_path / "work").mkdir()
    env = {**runner, "GITHUB_REPOSITORY": "team/budgets", "NUMBER": "7", "TOKEN": "secret"}
    theirs = {"id": 5, "body": f"{MARK} is what I type", "user": {"login": "ann", "type": "User"}}
    with forge() as there:
        there.comments += [theirs.copy()]
        for body in (f'{MARK}\n\nfirst `a` "b" $HOME\n', f"{MARK}\n\nsecond – ×\n" + "x" * 59_000):
            done = shell(tmp_path / "work", step("Write"), **env, COMMENT=body, GITHUB_API_URL=there.address)
            assert done.returncode == 0, done.stderr
            assert [one["body"] for one in there.comments] == [theirs["body"], body]
            assert "secret" not in done.stdout + done.stderr
    assert {head for _, _, head in there.asked} == {"Bearer secret"}
    at = "/repos/team/budgets/issues"
    assert [(how, path) for how, path, _ in there.asked if how != "GET"] == [
        ("POST", f"{at}/7/comments"), ("PATCH", f"{at}/comments/101"),
    ]  # fmt: skip


@needs["git"]
def test_the_first_push_of_a_branch_is_held_against_nothing(repository: Path) -> None:
    """Forges name a commit of noughts then."""
    done = budget(repository, "review", "0" * 40)
    assert done.returncode == 0
    assert done.stdout.endswith("\n\nThere was nothing before that this could be held against.\n")
    done = budget(repository, "review", "gone")
    said = "&#96;gone&#96; is no release, no folder with a ledger/, and no revision of this repository"
    assert done.stdout.endswith(f"What moves against `gone` cannot be told: {said}\n")


def script(job: str) -> list[str]:
    return [str(one) for one in read(GITLAB["theirs"])[job]["script"]]


@needs["git"]
@needs["curl"]
def test_the_jobs_of_a_merge_request(repository: Path) -> None:
    head = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "main", "CI_COMMIT_BEFORE_SHA": "0" * 40}
    _, review, gates = script("review")
    assert shell(repository, review, **head).returncode == 0
    text = (repository / "review.md").read_text("utf-8")
    assert text.startswith(MARK)
    assert "| Training: GPU hours: 110 → 120 | `ledger/example/plan.yaml:24` | +22 | 341 |" in text
    assert json.loads((repository / "gl-code-quality-report.json").read_text("utf-8")) == []
    assert shell(repository, gates).returncode == 0
    assert (repository / "site/index.html").is_file()
    edit(repository, "example/plan.yaml", "gpu_hours: 120", "gpu_hours: 60")
    assert shell(repository, gates).returncode == 1
    assert shell(repository, review, **head).returncode == 0
    (found,) = json.loads((repository / "gl-code-quality-report.json").read_text("utf-8"))
    assert found.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
    assert found["location"] == {
        "path": "ledger/example/plan.yaml",
        "lines": {"begin": found["location"]["lines"]["begin"]},
    }
    assert (found["check_name"], found["severity"]) == ("estimate-above-plan", "critical")
    env = {"CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "7", "LEDGER_TOKEN": "secret"}
    with forge() as there:
        there.comments += [{"id": 5, "body": "Looks good"}]
        for n in range(2):
            (repository / "review.md").write_text(f"{MARK}\n\n{n}: a&b=c + d\n", "utf-8")
            done = shell(repository, *script("comment"), **env, CI_API_V4_URL=there.address)
            assert done.returncode == 0, done.stderr
    assert [one["body"] for one in there.comments] == ["Looks good", f"{MARK}\n\n1: a&b=c + d\n"]
    at = "/projects/3/merge_requests/7/notes"
    assert [one for one in there.asked if one[0] != "GET"] == [("POST", at, "secret"), ("PUT", f"{at}/101", "secret")]
    assert shell(repository, *script("pages")).returncode == 0
    assert (repository / "public/index.html").is_file()
