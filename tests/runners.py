"""What GitHub's and GitLab's runners do with our files, as far as it can be played: the shell of each job as it stands.

What only a forge can do is looked up here and nowhere else: expressions in `_facts` and `CONDITIONS`, where a new one
fails the play, and actions in `_use`; of GitLab `rules`, `environment`, `resource_group` and `artifacts`. When a
job runs is read off the files, in `test_ci.py`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.hub import CANARY, ROOT, Ran, Runner, read

NOTHING: Mapping[str, str] = {}
CONDITIONS = {
    "steps.install.outputs.ready == 'true'": ("steps.install.outputs.ready", "true"),
    "${{ !cancelled() && steps.changes.outcome == 'success' }}": ("steps.changes.outcome", "success"),
    "vars.LEDGER_APP_ID != ''": ("vars.LEDGER_APP_ID", "some"),
    "steps.pages.outputs.on == 'true'": ("steps.pages.outputs.on", "true"),
}
GOES_ON = "!cancelled()"  # what runs after a failure too


class GitHub(Runner):
    """A runner of GitHub: each step is a shell of its own, with the environment that its file gives it."""

    tree = read(ROOT / "starter/.github/workflows/ledger.yml")
    published: Path | None = None

    def change(self, branch: str, number: str = "7") -> dict[str, Ran]:
        """What runs for a pull request, and what became of it."""
        commit = self.hub.merged(branch)
        ran = {"review": self.job("review", commit)}
        said = {f"needs.review.outputs.{name}": text for name, text in ran["review"].outputs.items()}
        if said.get("needs.review.outputs.installs") == "changed":
            ran["try"] = self.job("try", commit)
        if said.get("needs.review.outputs.comment") and self.api:
            ran["comment"] = self.job("comment", commit, {**said, "github.event.pull_request.number": number})
        return ran

    def main(self, **inputs: str) -> Ran:
        """What runs after a merge, or where a release was started by hand."""
        ran = self.job_of_main(**inputs)
        if not ran.code and self.api:
            self.job("publish", self.hub.tip(), site=ran.site)
        elif not ran.code:
            self.published = ran.site
        return ran

    def job_of_main(self, **inputs: str) -> Ran:
        """The job that may push, alone."""
        return self.job("main", self.hub.tip(), {f"inputs.{name}": text for name, text in inputs.items()})

    def job(self, name: str, commit: str, told: Mapping[str, str] = NOTHING, site: Path | None = None) -> Ran:
        """Runs the steps of a job."""
        job, temp = self.tree["jobs"][name], self.folder("temp")
        ran = Ran(site=site, work=self.folder("empty"))
        facts = {**self._facts(temp), **told}
        for number, step in enumerate(job["steps"]):
            if not _runs(step.get("if", ""), facts, ran):
                continue
            if "uses" in step:
                self._use(step, commit, facts, ran)
                continue
            env = {**self.tree["env"], "LEDGER_FOLDER": self.tree_at, **job.get("env", {}), **step.get("env", {})}
            env = {one: _said(str(text), facts) for one, text in env.items()} | self._set(temp, number)
            done = self.shell(ran.work, step["run"], env)
            ran.log += f"== {step['name']}\n{done.stdout}{done.stderr}"
            outputs = _outputs(temp / f"output-{number}")
            facts |= {f"steps.{step.get('id')}.outputs.{key}": text for key, text in outputs.items()}
            facts[f"steps.{step.get('id')}.outcome"] = "failure" if done.returncode else "success"
            ran.outputs |= outputs
            if done.returncode:
                ran.code = ran.code or done.returncode
                ran.failed.append(step["name"])
        return ran

    def _facts(self, temp: Path) -> dict[str, str]:
        """What an expression comes to in every job: empty where nobody has set it."""
        empty = [
            "vars.LEDGER_APP_ID",
            "secrets.LEDGER_DEPLOY_KEY",
            *(f"inputs.{one}" for one in ("project", "version", "reason")),
        ]
        return {
            **dict.fromkeys(empty, ""),
            "runner.temp": str(temp),
            "github.base_ref": "main",
            "github.ref_name": "main",
            "github.server_url": f"file://{self.hub.place.parents[1]}",
            "github.token": self.token,
            "github.repository": self.hub.name,
            "steps.app.outputs.token || github.token": self.token,
        }

    def _set(self, temp: Path, number: int) -> dict[str, str]:
        """What GitHub sets for each step."""
        return {
            "GITHUB_OUTPUT": str(temp / f"output-{number}"),
            "RUNNER_TEMP": str(temp),
            "CI": "true",
            "GITHUB_STEP_SUMMARY": str(temp / "summary.md"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": self.hub.name,
        }

    def _use(self, step: Mapping[str, Any], commit: str, facts: Mapping[str, str], ran: Ran) -> None:
        action = step["uses"].partition("@")[0]
        if action == "actions/checkout":
            ran.work = self.clone(commit)
        elif action == "actions/upload-pages-artifact":
            ran.site = Path(_said(step["with"]["path"], facts))
        elif action == "actions/deploy-pages":
            self.published = ran.site
        else:
            assert action == "actions/setup-python", action


def _runs(condition: str, facts: Mapping[str, str], ran: Ran) -> bool:
    if not condition:
        return not ran.failed
    name, wanted = CONDITIONS[condition]
    return facts.get(name) == wanted and (GOES_ON in condition or not ran.failed)


def _said(text: str, facts: Mapping[str, str]) -> str:
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: facts[found[1]], text)


def _outputs(path: Path) -> dict[str, str]:
    """The outputs of a step, read as a runner reads them."""
    lines = iter(path.read_text("utf-8").splitlines() if path.exists() else [])
    found = {}
    for line in lines:
        name, heredoc, end = line.partition("<<")
        if heredoc:
            kept = list(iter(lambda: next(lines), end))
            found[name] = "".join(f"{one}\n" for one in kept)
        else:
            name, _, found_text = line.partition("=")
            found[name] = found_text
    return found


class GitLab(Runner):
    """A runner of GitLab: the script of a job is one shell, with all that the project and its environment set."""

    tree = read(ROOT / "starter/.gitlab-ci.yml")
    published: Path | None = None
    push_token = CANARY

    def change(self, branch: str, number: str = "7") -> dict[str, Ran]:
        """What runs for a merge request, and what became of it."""
        commit = self.hub.git("rev-parse", branch)
        base = self.hub.git("merge-base", "main", branch)
        told = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_IID": number}
        ran = {"review": self.job("review", commit, told)}
        changed = self.hub.git("diff", "--name-only", f"{base}..{commit}").splitlines()
        if any(re.match(r"(.*/)?(requirements\.txt$|\.budget/)", path) for path in changed):
            ran["try"] = self.job("try", commit, told)
        if self.api:
            env = {**told, "LEDGER_TOKEN": CANARY}
            ran["comment"] = self.job("comment", "", env, artifacts=[ran["review"].work / "review.md"])
        return ran

    def main(self, **inputs: str) -> Ran:
        """What runs after a merge, or where a release was started by hand."""
        ran = self.job_of_main(**inputs)
        if not ran.code:
            made = self.job("pages", "", artifacts=[ran.work / "public"])
            self.published = made.work / "public" if not made.code else self.published
        return ran

    def job_of_main(self, **inputs: str) -> Ran:
        """The job that may push, alone."""
        told = {f"RELEASE_{name.upper()}": text for name, text in inputs.items()}
        return self.job("main", self.hub.tip(), {**told, "LEDGER_PUSH_TOKEN": self.push_token})

    def job(
        self, name: str, commit: str, told: Mapping[str, str] = NOTHING, artifacts: list[Path] | None = None
    ) -> Ran:
        """Runs the script of a job."""
        job = self.tree[name]
        work = self.clone(commit) if job.get("variables", {}).get("GIT_STRATEGY") != "none" else self.folder("empty")
        for path in artifacts or ():
            if path.is_symlink() or path.is_file():
                shutil.copy2(path, work, follow_symlinks=False)
            elif path.is_dir():
                shutil.copytree(path, work / path.name)
        own = {name: one["value"] if isinstance(one, dict) else one for name, one in self.tree["variables"].items()}
        env = {
            "CI": "true",
            "GITLAB_CI": "true",
            "CI_JOB_TOKEN": self.token,
            "CI_DEFAULT_BRANCH": "main",
            "CI_PROJECT_URL": str(self.hub.place).removesuffix(".git"),
            "CI_SERVER_HOST": "gitlab.example",
            "CI_API_V4_URL": self.api,
            "CI_PROJECT_ID": "3",
        }
        done = self.shell(work, "\n".join(job["script"]), {**env, **own, "LEDGER_FOLDER": self.tree_at, **told})
        site = work / "public"
        return Ran(done.returncode, done.stdout + done.stderr, work=work, site=site if site.is_dir() else None)
