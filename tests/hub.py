"""A forge to play on: a bare repository, people who edit in the browser, merges as a server makes them, and runners.

A runner takes the text of our workflow files as it stands. `runners` says what of them is not run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
CANARY = "canary-5ecret-TOKEN-of-the-jobs"
PERSON = {
    f"GIT_{one}_{what}": text
    for one in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))
}
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
BOTS = ("github-actions[bot]", "Budget ledger")


def git(folder: Path, *words: str, given: str = "", env: Mapping[str, str] = PERSON, fails: bool = False) -> str:
    """What a command of git says, without settings of whoever runs the tests; an error where it fails, or does not."""
    env = {"PATH": os.environ["PATH"], **QUIET, **env}
    done = subprocess.run(["git", *words], cwd=folder, env=env, input=given, capture_output=True, text=True, timeout=60)
    assert bool(done.returncode) == fails, (words, done.stdout + done.stderr)
    return done.stdout.strip()


@dataclass
class Hub:
    """The forge's repository. Nobody clones it but the runners."""

    place: Path

    @property
    def name(self) -> str:
        """What the forge calls it: TEAM/REPOSITORY."""
        return "/".join(self.place.parts[-2:]).removesuffix(".git")

    @classmethod
    def of(cls, tree: Path, place: Path) -> Hub:
        """A forge that has a tree as the first commit of its main branch."""
        git(tree, "init", "-q", "-b", "main")
        git(tree, "add", "--all")
        git(tree, "commit", "-qm", "Start")
        git(tree, "clone", "-q", "--bare", str(tree), str(place))
        return cls(place)

    def git(self, *words: str, given: str = "", env: Mapping[str, str] = PERSON) -> str:
        return git(self.place, *words, given=given, env=env)

    def edit(self, branch: str, files: Mapping[str, str | None], base: str = "main", why: str = "Edit") -> str:
        """Files typed into the browser, or removed, as a commit on a branch that is made for it."""
        with tempfile.TemporaryDirectory() as aside:
            env = {**PERSON, "GIT_INDEX_FILE": str(Path(aside, "index"))}
            self.git("read-tree", base, env=env)
            for path, text in files.items():
                if text is None:
                    self.git("update-index", "--index-info", given=f"0 {'0' * 40}\t{path}\n", env=env)
                else:
                    mode, text = ("120000", text.removeprefix("-> ")) if text.startswith("-> ") else ("100644", text)
                    blob = self.git("hash-object", "-w", "--stdin", given=text)
                    self.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}", env=env)
            commit = self.git("commit-tree", "-p", base, "-m", why, self.git("write-tree", env=env))
        self.git("update-ref", f"refs/heads/{branch}", commit)
        return commit

    def merged(self, branch: str) -> str:
        """The merge of a branch into main, which nothing points to yet; no file says how lines are merged."""
        tree = self.git("merge-tree", "--write-tree", "main", branch).splitlines()[0]
        return self.git("commit-tree", "-p", "main", "-p", branch, "-m", f"Merge {branch}", tree)

    def merge(self, branch: str) -> None:
        """Merges a branch into main, as the button does; an error where they conflict."""
        self.git("update-ref", "refs/heads/main", self.merged(branch))

    def tip(self) -> str:
        return self.git("rev-parse", "main")

    def read(self, path: str) -> str:
        return self.git("show", f"main:{path}")

    def files(self, folder: str = ".") -> list[str]:
        return self.git("ls-tree", "-r", "--name-only", "main", "--", folder).splitlines()

    def by(self, machine: bool) -> list[str]:
        """The files that commits of the machine on main touched after the first one, or those of people."""
        lines = self.git("log", "--topo-order", "--no-merges", "--name-only", "--format=*%an", "main").splitlines()
        found, author = set(), ""
        for line in lines[: max(n for n, line in enumerate(lines) if line.startswith("*"))]:
            author = line[1:] if line.startswith("*") else author
            if line and not line.startswith("*") and (author in BOTS) == machine:
                found.add(line)
        return sorted(found)

    def at_a_push(self, shell: str) -> None:
        """What the server does when somebody pushes, before it takes it: refuses, or is overtaken."""
        hook = self.place / "hooks/pre-receive"
        hook.write_text(f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\n{shell}\n")
        hook.chmod(0o755)


@dataclass
class Ran:
    """What became of a job: its exit code, what it printed, the names of steps that failed, and what it left."""

    code: int = 0
    log: str = ""
    failed: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    site: Path | None = None
    work: Path = Path()


@dataclass
class Runner:
    """What both kinds of runner share: tools, and a shell that has what the forge sets, and nothing else."""

    hub: Hub
    home: Path
    socket: Path
    api: str = ""
    token: str = CANARY
    builds: bool = True  # else a page stands for the site
    tree_at: str = "."

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        tools = self.home / "tools"
        tools.mkdir(exist_ok=True)
        python, log = shlex.quote(sys.executable), shlex.quote(str(self.home / "pip.log"))
        warm = shlex.join([sys.executable, "-I", "-S", str(ROOT / "tests/warm.py"), str(self.socket)])
        made = "true" if self.builds else "false"
        texts = {
            "budget": f'for last; do :; done\n[ "$3" != build ] || {made} ||'
            f' {{ mkdir -p "$last" && echo site > "$last/index.html" && exit 0; }}\nexec {warm} "$@"',
            "python": f'case " $* " in *" -m pip "*) for last; do :; done; echo "$*: $(cat "$last")" >> {log} ;;'
            f' *) exec {python} "$@" ;; esac',
        }
        for name, text in texts.items():
            (tools / name).write_text(f"#!/bin/sh\n{text}\n")
            (tools / name).chmod(0o755)

    @property
    def installed(self) -> list[str]:
        """What was installed so far: the words of pip, and what stood in the list."""
        log = self.home / "pip.log"
        return log.read_text("utf-8").splitlines() if log.exists() else []

    def folder(self, what: str) -> Path:
        return Path(tempfile.mkdtemp(prefix=f"{what}-", dir=self.home))

    def clone(self, commit: str) -> Path:
        """What a runner checks out: the commit, and the branches of the forge beside it."""
        work = self.folder("work")
        git(work, "clone", "-q", "--no-checkout", str(self.hub.place), ".")
        git(work, "fetch", "-q", "origin", commit)
        git(work, "checkout", "-q", "--detach", commit)
        return work

    def shell(self, work: Path, text: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        whole = {"PATH": f"{self.home / 'tools'}{os.pathsep}{os.environ['PATH']}", **QUIET, **env}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
        return subprocess.run(command, cwd=work, env=whole, capture_output=True, text=True, timeout=300)


def read(path: Path) -> dict[Any, Any]:
    """A workflow file."""
    tree = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(tree, dict)
    return tree
