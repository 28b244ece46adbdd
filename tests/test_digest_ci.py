"""The digest of each week: the shell of the files that `init` writes, against a forge of the tests."""

from __future__ import annotations

import json
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
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.hub import PERSON, QUIET, ROOT, git, read
from tests.small import plant

GITHUB, GITLAB = ROOT / "starter/.github/workflows/digest.yml", ROOT / "starter/.gitlab/digest.yml"
TOKEN = "ghs_0123456789abcdef"
ME = 12
LONG_AGO = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}
RUN = {"ledger/demo/runs/more.yaml": "- {date: 2026-02-02, item: train, seed: 2, gpus: 4, wall_hours: 5}\n"}
MARK = "<!-- budget-ledger: digest -->"
pytestmark = [
    pytest.mark.full,
    *(pytest.mark.skipif(not shutil.which(tool), reason=f"no {tool} here") for tool in ("git", "curl", "jq")),
]


@dataclass
class Issues:
    """A forge's issues, as GitHub and GitLab show them both, the newest first, with the comments on each."""

    work: Path
    kept: list[dict[str, Any]] = field(default_factory=list)
    told: list[tuple[int, str]] = field(default_factory=list)
    off: bool = False
    api: str = ""

    def opened(self, title: str, text: str, state: str = "", login: str = "github-actions[bot]", by: int = ME) -> int:
        number = len(self.kept) + 1
        self.kept.insert(
            0,
            {
                "number": number,
                "iid": number,
                "title": title,
                "body": text,
                "description": text,
                "state": state or "open",
                "user": {"login": login},
                "author": {"id": by},
            },
        )
        return number

    def answer(self, command: str, address: str, said: dict[str, str]) -> Any:
        parts = urlsplit(address)
        if parts.path == "/user":
            return {"id": ME}
        if self.off:
            return None
        if command == "GET":
            query = parse_qs(parts.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return self.kept[size * (page - 1) : size * page]
        if parts.path.endswith("/issues"):
            number = self.opened(said["title"], said.get("body") or said["description"])
            return {"number": number, "iid": number}
        self.told.append((int(parts.path.split("/")[-2]), said["body"]))
        return {}

    def shell(self, text: str, **env: str) -> subprocess.CompletedProcess[str]:
        """A step as a runner runs it, with the `budget` of the tests; pip has nothing to do."""
        tools = self.work.parent / "tools"
        tools.mkdir(exist_ok=True)
        python = shlex.quote(sys.executable)
        (tools / "budget").write_text(f'#!/bin/sh\nexec {python} {shlex.quote(str(ROOT / "budget.py"))} "$@"\n')
        (tools / "python").write_text(f'#!/bin/sh\ncase " $* " in *" pip "*) ;; *) exec {python} "$@" ;; esac\n')
        for tool in tools.iterdir():
            tool.chmod(0o755)
        temp = self.work.parent / "temp"
        temp.mkdir(exist_ok=True)
        whole = {
            **QUIET,
            **PERSON,
            "PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin",
            "LEDGER_FOLDER": ".",
            "RUNNER_TEMP": str(temp),
            "GITHUB_STEP_SUMMARY": str(temp / "summary.md"),
            "GITHUB_API_URL": self.api,
            "CI_API_V4_URL": self.api,
            "GITHUB_REPOSITORY": "team/budgets",
            "CI_PROJECT_ID": "3",
            **env,
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=self.work, env=whole, capture_output=True, text=True, timeout=120)
        assert TOKEN not in done.stdout + done.stderr
        return done


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Issues]:
    """A forge whose repository was begun long ago."""
    there = Issues(plant(tmp_path / "work"))
    git(there.work, "init", "-q", "-b", "main")
    git(there.work, "add", ".")
    git(there.work, "commit", "-qm", "Start", env={**PERSON, **LONG_AGO})

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            door = self.headers.get("Authorization", "").removeprefix("Bearer ") or self.headers.get("PRIVATE-TOKEN")
            assert door == TOKEN
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8")
            form = self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
            body = {key: each[0] for key, each in parse_qs(text).items()} if form else json.loads(text or "{}")
            said = there.answer(self.command, self.path, body)
            self.send_response(410 if said is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        do_GET = do_POST = answer

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        there.api = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield there
        server.shutdown()


def on_github(forge: Issues, since: str = "") -> str:
    """What both steps of the workflow print, and the summary."""
    (job,) = read(GITHUB)["jobs"].values()
    summary = forge.work.parent / "temp/summary.md"
    summary.unlink(missing_ok=True)
    said = ""
    for named, env in (("What changed", {"SINCE": since}), ("Write it below the issue", {"TOKEN": TOKEN})):
        (text,) = [step["run"] for step in job["steps"] if step.get("name") == named]
        done = forge.shell(text, **env)
        assert done.returncode == 0, done.stderr
        said += done.stdout
    return said + summary.read_text("utf-8")


def on_gitlab(forge: Issues, since: str = "", token: str = TOKEN) -> str:
    """What both jobs print."""
    tree, said = read(GITLAB), ""
    for name, env in (("digest", {}), ("post-digest", {"LEDGER_TOKEN": token})):
        done = forge.shell("\n".join(tree[name]["script"]), DIGEST_SINCE=since or "1 week ago", **env)
        assert done.returncode == 0, done.stderr
        said += done.stdout
    return said


both = pytest.mark.parametrize("week", [on_github, on_gitlab], ids=["github", "gitlab"])


def merged(forge: Issues, files: dict[str, str]) -> None:
    plant(forge.work, files)
    git(forge.work, "add", ".")
    git(forge.work, "commit", "-qm", "A run")


@both
def test_each_week_is_a_comment_on_an_issue_that_is_opened_once(week: Any, forge: Issues) -> None:
    merged(forge, RUN)
    assert "Demo: 1 run more, +20 GPU-h" in week(forge).replace("*", "")
    week(forge)
    (issue,) = forge.kept
    assert issue["body"].startswith(MARK)
    assert [number for number, _ in forge.told] == [1, 1]
    assert re.match(r"Since `20[0-9-]{8}`: 1 project changed, of 1; nothing is at risk\.\n", forge.told[0][1])


@both
def test_a_week_without_news_writes_nothing(week: Any, forge: Issues) -> None:
    assert "No figure changed since " in week(forge)
    assert (forge.kept, forge.told) == ([], [])


@both
def test_a_ledger_with_problems_is_told_and_not_passed_over(week: Any, forge: Issues) -> None:
    merged(forge, {"ledger/demo/plan.yaml": "first: [\n"})
    week(forge)
    assert forge.told[0][1].startswith("No digest: the ledger has problems.")


@both
def test_where_the_repository_is_younger_it_begins_with_its_first_commit(week: Any, forge: Issues) -> None:
    merged(forge, RUN)
    week(forge, "30 years ago")
    assert "1 run more, +20 GPU-h" in forge.told[0][1]


@both
def test_whoever_closes_the_issue_stops_it(week: Any, forge: Issues) -> None:
    forge.opened("Weekly", f"{MARK}\n", state="closed")
    for number in range(120):
        forge.opened(f"Another {number}", "")
    merged(forge, RUN)
    assert "ssue #1 is closed; the digest is only in the " in week(forge)
    assert forge.told == []


@both
def test_an_issue_of_a_stranger_with_our_mark_is_not_ours(week: Any, forge: Issues) -> None:
    forge.opened("Mine", f"{MARK}\n", login="mallory", by=99)
    merged(forge, RUN)
    week(forge)
    assert [number for number, _ in forge.told] == [2]


def test_where_there_are_no_issues_or_no_token_it_is_read_in_the_run(forge: Issues) -> None:
    merged(forge, RUN)
    assert "There is no LEDGER_TOKEN in the environment ledger-comment" in on_gitlab(forge, token="")
    forge.off = True
    said = on_github(forge)
    assert "are not readable; the digest is in the summary of this run" in said
    assert "1 run more, +20 GPU-h" in said
    assert forge.told == []


def test_the_job_may_write_issues_and_nothing_else() -> None:
    tree = read(GITHUB)
    (job,) = tree["jobs"].values()
    assert set(tree[True]) == {"schedule", "workflow_dispatch"}, "`on`, which YAML 1.1 takes for true"
    assert (tree["permissions"], job["permissions"]) == ({}, {"contents": "read", "issues": "write"})
    assert job["if"] == "github.ref_name == github.event.repository.default_branch"
    assert ["TOKEN" in step.get("env", {}) for step in job["steps"]] == [False, False, False, False, True]
    assert all("${{" not in step.get("run", "") for step in job["steps"])
    reads, posts = (read(GITLAB)[name] for name in ("digest", "post-digest"))
    assert reads["rules"] == posts["rules"]
    assert "environment" not in reads
    assert posts["environment"] == {"name": "ledger-comment", "action": "access"}
    assert posts["variables"] == {"GIT_STRATEGY": "none"}
