# ruff: noqa: E501 (lines of a ledger and messages stand unbroken)
"""What a forge does with a form of a run: the shell of the files that `init` writes, against repositories of our own."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hub import ROOT, git, read
from tests.small import plant

GITHUB, GITLAB = ROOT / "starter/.github/workflows/add-run.yml", ROOT / "starter/.gitlab/add-run.yml"
HOSTILE = "$(touch \"$HOME/owned\") `id` ''' ::error::x ##[error]y @everyone ```\\"
TOKEN = "ghs_0123456789abcdef"
pytestmark = [
    pytest.mark.full,
    *(pytest.mark.skipif(not shutil.which(one), reason=f"{one} is not here") for one in ("git", "curl", "jq")),
]


def step(named: str) -> str:
    (text,) = [one["run"] for one in read(GITHUB)["jobs"]["add"]["steps"] if one.get("name", "").startswith(named)]
    return str(text)


@dataclass
class Played:
    """A forge: its repository `team/budgets.git`, a checkout of main, and what was asked of its API."""

    top: Path
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    refuses: tuple[str, ...] = ()
    api: str = ""

    @property
    def origin(self) -> Path:
        return self.top / "team/budgets.git"

    @property
    def work(self) -> Path:
        return self.top / "work"

    def shell(self, text: str, **env: str) -> subprocess.CompletedProcess[str]:
        """A step as a runner runs it, with the `budget` of the tests; pip has nothing to do."""
        tools = self.top / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "budget").write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(ROOT / "budget.py")])} "$@"\n')
        (tools / "python").write_text("#!/bin/sh\nexit 0\n")
        for one in tools.iterdir():
            one.chmod(0o755)
        home = self.top / "home"
        home.mkdir(exist_ok=True)
        settings = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), **env}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=self.work, env=settings, capture_output=True, text=True, timeout=120)
        assert TOKEN not in done.stdout + done.stderr
        assert not (home / "owned").exists(), "what is typed into a form is run by no shell"
        return done


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """A forge with a small ledger on main."""
    there = Played(tmp_path)
    plant(there.work)
    git(there.work, "init", "-q", "-b", "main")
    git(there.work, "add", ".")
    git(there.work, "commit", "-qm", "Start")
    there.origin.parent.mkdir()
    git(there.top, "clone", "-q", "--bare", str(there.work), str(there.origin))
    git(there.origin, "config", "receive.advertisePushOptions", "true")
    hook = there.origin / "hooks/post-receive"
    hook.write_text('#!/bin/sh\nenv | grep "^GIT_PUSH_OPTION_[0-9]" | sort > options\n')
    hook.chmod(0o755)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            assert self.headers["Authorization"] == f"Bearer {TOKEN}"
            there.asked.append((self.command, self.path, said))
            self.send_response(403 if self.path in there.refuses else 200)
            self.end_headers()
            self.wfile.write(json.dumps({"html_url": "https://forge/team/budgets/pull/8"}).encode())

        do_POST = do_PATCH = answer

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        there.api = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield there
        server.shutdown()


def filed(played: Played, **answers: str) -> dict[str, str]:
    """An issue out of the form, and what a runner of GitHub sets for it."""
    given = {
        "Project": "demo",
        "Item": "train",
        "Seed": "2",
        "Date": "2026-02-03",
        "GPUs": "4",
        "Hours": "5",
        **answers,
    }
    body = "\n\n".join(f"### {label}\n\n{text}" for label, text in given.items())
    event = {"action": "opened", "issue": {"number": 7, "title": HOSTILE, "body": body, "state": "open"}}
    (played.top / "event.json").write_text(json.dumps(event), "utf-8")
    (played.top / "temp").mkdir(exist_ok=True)
    return {
        "LEDGER_FOLDER": ".",
        "GITHUB_EVENT_PATH": str(played.top / "event.json"),
        "RUNNER_TEMP": str(played.top / "temp"),
        "GITHUB_REF_NAME": "main",
        "GITHUB_SERVER_URL": f"file://{played.top}",
        "GITHUB_REPOSITORY": "team/budgets",
        "GITHUB_API_URL": played.api,
        "TOKEN": TOKEN,
        **{name: "bot" for name in read(GITHUB)["jobs"]["add"]["steps"][-1]["env"] if name.startswith("GIT_")},
    }


def run(played: Played, env: dict[str, str]) -> int:
    """The steps that follow on the installation; what the last of them ended with."""
    code = 0
    for named in ("Write", "Open"):
        done = played.shell(step(named), **env)
        assert "error" not in done.stdout, "nothing of the form is in the log"
        code = done.returncode
    return code


AT = "/repos/team/budgets"


def test_a_form_becomes_a_change_and_its_issue_is_closed(played: Played) -> None:
    assert run(played, filed(played, Note=HOSTILE)) == 0
    assert [(how, path) for how, path, _ in played.asked] == [
        ("POST", f"{AT}/pulls"),
        ("POST", f"{AT}/issues/7/comments"),
        ("PATCH", f"{AT}/issues/7"),
    ]
    pull, comment, closed = (said for _, _, said in played.asked)
    assert (pull["title"], pull["head"], pull["base"]) == ("A run, from issue #7", "run-issue-7", "main")
    assert comment["body"].startswith("This became a change: https://forge/team/budgets/pull/8. No person opened it,")
    assert closed == {"state": "closed", "state_reason": "completed"}
    for one in (pull, comment):
        assert all(line.startswith("    ") for line in one["body"].split("\n\n", 1)[1].split("\n")), "as text alone"
    changed = git(played.origin, "diff", "main...run-issue-7")
    (entry,) = re.findall(r"^\+(- .*)$", changed, re.MULTILINE)
    assert yaml.safe_load(entry)[0]["note"] == " ".join(HOSTILE.split())
    names = git(played.origin, "diff", "--name-only", "main...run-issue-7").split()
    assert len(names) == 1
    assert names[0].startswith("ledger/demo/runs/")


def test_a_form_that_is_refused_is_told_with_its_places_and_stays_open(played: Played) -> None:
    assert run(played, filed(played, Item="trian", Note=HOSTILE)) == 0
    ((how, path, said),) = played.asked
    assert (how, path) == ("POST", f"{AT}/issues/7/comments")
    head, _, told = said["body"].partition("\n\n")
    assert head == "This did not become an entry. Its author edits the form above, and it is tried again."
    assert re.search(
        r"^    ledger/demo/runs/\S+:\d+:\d+: there is no item `trian` in the plan; did you mean `train`\?", told
    )
    assert git(played.origin, "branch", "--list", "run-*") == ""
    played.asked.clear()
    assert run(played, filed(played, Colour="red")) == 0
    assert "\n\n    form:25: `Colour` is not a field of a run;" in played.asked[0][2]["body"]


def test_where_actions_may_open_no_change_a_click_of_a_persons_does(played: Played) -> None:
    played.refuses = (f"{AT}/pulls",)
    env = filed(played)
    assert run(played, env) == 0
    assert [path for _, path, _ in played.asked] == [f"{AT}/pulls", f"{AT}/issues/7/comments"], "the issue stays open"
    assert "/team/budgets/compare/main...run-issue-7?expand=1\n\n    ledger/" in played.asked[1][2]["body"]
    before = git(played.origin, "rev-parse", "run-issue-7")
    git(played.work, "checkout", "-q", "--detach", "HEAD~1")  # the form is edited: the job begins at main again
    assert run(played, env) == 0
    assert played.asked[-1][2]["body"].startswith(
        "This form has its branch `run-issue-7` already: correct the entry there."
    )
    assert git(played.origin, "rev-parse", "run-issue-7") == before


def test_a_failure_of_the_program_is_told_and_fails(played: Played) -> None:
    env = filed(played)
    assert played.shell(step("Write"), **env).returncode == 0
    (played.top / "temp/code").write_text("4\n")
    assert played.shell(step("Open"), **env).returncode == 1
    assert [path for _, path, _ in played.asked] == [f"{AT}/issues/7/comments"]


def test_the_workflow_takes_members_alone_and_nothing_of_an_issue_into_its_text() -> None:
    tree = read(GITHUB)
    assert tree[True] == {"issues": {"types": ["opened", "edited"]}}, "`on`, which YAML 1.1 takes for true"
    assert tree["permissions"] == {}
    (job,) = tree["jobs"].values()
    assert job["permissions"] == {"contents": "write", "pull-requests": "write", "issues": "write"}
    assert (
        """contains(fromJSON('["OWNER", "MEMBER", "COLLABORATOR"]'), github.event.issue.author_association)"""
        in job["if"]
    )
    assert "github.event.sender.login == github.event.issue.user.login" in job["if"], "others may edit an issue"
    assert re.findall(r"\$\{\{(.*?)\}\}", GITHUB.read_text("utf-8")) == [
        " github.event.issue.number ",
        " github.token ",
    ]
    assert all("${{" not in one.get("run", "") for one in job["steps"])
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", one["uses"]) for one in job["steps"] if "uses" in one)
    assert ["TOKEN" in one.get("env", {}) for one in job["steps"]] == [False, False, False, False, True]
    form = read(ROOT / "starter/.github/ISSUE_TEMPLATE/run.yml")
    assert form["labels"] == ["run"]
    assert form["title"] == "Run: "


# GitLab.


def pipeline(played: Played, **answers: str) -> dict[str, str]:
    """What a runner of GitLab sets for a pipeline that was started by hand."""
    given = {"ITEM": "train", "SEED": "2", "DATE": "2026-02-03", "GPUS": "4", "WALL_HOURS": "5", **answers}
    return {
        "LEDGER_FOLDER": ".",
        "CI_PIPELINE_ID": "31",
        "CI_DEFAULT_BRANCH": "main",
        "CI_SERVER_HOST": "forge.example",
        "CI_PROJECT_URL": f"file://{played.top}/team/budgets",
        **{f"RUN_{name}": text for name, text in given.items()},
    }


def script(job: str) -> str:
    return "\n".join(str(one) for one in read(GITLAB)[job]["script"])


def test_a_pipeline_started_by_hand_opens_a_merge_request(played: Played) -> None:
    env = pipeline(played, NOTE=HOSTILE)
    done = played.shell(script("add-run"), **env)
    assert done.returncode == 0, done.stderr
    git(played.work, "reset", "-q", "--hard")  # the next job begins at main, with the artifact
    done = played.shell(script("open-run"), **env, LEDGER_PUSH_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr
    changed = git(played.origin, "diff", "main...run-31")
    (entry,) = re.findall(r"^\+(- .*)$", changed, re.MULTILINE)
    assert yaml.safe_load(entry)[0]["note"] == " ".join(HOSTILE.split())
    assert (played.origin / "options").read_text("utf-8").splitlines() == [
        "GIT_PUSH_OPTION_0=merge_request.create",
        "GIT_PUSH_OPTION_1=merge_request.target=main",
        "GIT_PUSH_OPTION_2=merge_request.remove_source_branch",
        "GIT_PUSH_OPTION_3=merge_request.title=A run, from pipeline 31",
    ]


def test_without_a_token_the_entry_is_shown_to_be_added_by_hand(played: Played) -> None:
    env = pipeline(played)
    assert played.shell(script("add-run"), **env).returncode == 0
    done = played.shell(script("open-run"), **env)
    assert done.returncode == 3 == read(GITLAB)["open-run"]["allow_failure"]["exit_codes"]
    assert "has no LEDGER_PUSH_TOKEN" in done.stdout
    assert "\n+- {date: 2026-02-03, item: train, seed: 2, gpus: 4, wall_hours: 5}\n" in done.stdout
    assert git(played.origin, "branch", "--list", "run-*") == ""


def test_what_is_refused_ends_the_job_with_its_places(played: Played) -> None:
    done = played.shell(script("add-run"), **pipeline(played, ITEM="trian"))
    assert done.returncode == 2
    assert re.search(r"^ledger/demo/runs/\S+:\d+:\d+: there is no item `trian` in the plan;", done.stderr)
    assert not (played.work / "run.patch").exists()


def test_the_job_that_reads_what_was_filled_in_has_no_token_that_may_push() -> None:
    tree = read(GITLAB)
    reads, pushes = tree["add-run"], tree["open-run"]
    assert "environment" not in reads
    assert "LEDGER_PUSH_TOKEN" not in str(reads)
    assert pushes["environment"] == {"name": "ledger-pages", "action": "access"}
    assert "RUN_" not in script("open-run")
    (rule,) = reads["rules"]
    assert pushes["rules"] == [rule]
    assert rule["if"] == '$CI_PIPELINE_SOURCE == "web" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $RUN_ITEM'
