"""The script that imports each night, with a bare repository and a made-up `sacct`; the guide says how to set it up."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub import Hub, git
from tests.small import plant
from tests.test_guide import PAGES, whole

ROOT = Path(__file__).resolve().parents[1]
PAGE = PAGES["team.md"]
SCRIPT = (ROOT / "examples" / "ci" / "import-runs.sh").read_text("utf-8")
PUSHED = "Pushed import/fox: open a change with it, if none is open."
WAITS = "All of it is on import/fox, and waits to be merged."
NOTHING_NEW = "No run is new."
RUNS = "ledger/speech/runs/import/fox-2024-11.yaml"
pytestmark = [pytest.mark.full, pytest.mark.skipif(shutil.which("flock") is None, reason="flock is not here")]


class Cluster:
    """A machine with `sacct`, a clone and the script; and a server, which lets the branch of the script alone pass."""

    def __init__(self, place: Path) -> None:
        tree = {path: text for path, text in whole("import.md").items() if path.startswith("ledger/")}
        self.hub = Hub.of(plant(place / "tree", tree), place / "forge/team/budgets.git")
        hook = re.search(r'`(test "\$1" = refs/heads/import/fox)`', PAGE)
        assert hook
        self.write(self.hub.place / "hooks/update", hook[1])
        self.home = place / "home"
        git(place, "clone", "-q", str(self.hub.place), str(self.home / "ledger-job"))
        self.write(self.home / "ledger-env/bin/budget", f'exec "{sys.executable}" "{ROOT}/budget.py" "$@"')
        self.export = self.home / "jobs.txt"
        shutil.copy(ROOT / "examples/exports/fox.txt", self.export)
        self.write(self.home / "bin/sacct", f'echo "TZ=$TZ $*" > "{self.home}/asked"; cat "{self.export}"')

    def write(self, path: Path, line: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        path.chmod(0o755)

    def runs(self, code: int = 0) -> str:
        """What the script says; its last line is what became of it."""
        env = {
            **os.environ,
            "HOME": str(self.home),
            "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(self.home),
        }
        done = subprocess.run(["bash", "-c", SCRIPT], env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == code, done.stdout + done.stderr
        assert [path.name for path in self.home.glob("tmp.*")] == [], "no export is left"
        return done.stdout + done.stderr

    def tips(self) -> dict[str, str]:
        lines = self.hub.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def test_a_night_after_the_other(cluster: Cluster) -> None:
    said = cluster.runs().splitlines()
    assert "+ 16 new  ~ 0 replaced  = 0 same  – 80 skipped (steps 67, without a GPU 13)" in said
    assert said[-1] == PUSHED
    first = cluster.tips()
    assert set(first) == {"refs/heads/main", "refs/heads/import/fox"}
    changed = cluster.hub.git("diff", "--name-only", "main", "import/fox").splitlines()
    assert changed == ["ledger/speech/imports.lock.yaml", RUNS]
    asked = (cluster.home / "asked").read_text("utf-8")
    assert asked.startswith("TZ=UTC --parsable2 --allocations --duplicates --noconvert --allusers --accounts ec313 ")

    assert cluster.runs().splitlines()[-1] == WAITS
    assert cluster.tips() == first, "a night without a new job pushes nothing"

    text = cluster.export.read_text("utf-8")
    job = next(line for line in text.splitlines() if "nsk-transcription-job" in line and "COMPLETED" in line)
    cluster.export.write_text(text + re.sub(r"^[0-9]+\|[0-9]+", "974999|974999", job) + "\n", "utf-8")
    assert cluster.runs().splitlines()[-1] == PUSHED
    assert cluster.hub.git("rev-list", "--count", "main..import/fox") == "1", "the branch is made anew"
    assert cluster.hub.git("show", f"import/fox:{RUNS}").count("\n- {") == 17

    cluster.hub.merge("import/fox")
    later = cluster.tips()
    lines = cluster.export.read_text("utf-8").splitlines(keepends=True)
    cluster.export.write_text("".join([lines[0], *lines[40:]]), "utf-8")  # a window that begins later
    assert cluster.runs().splitlines()[-1] == NOTHING_NEW
    assert cluster.tips() == later


def test_the_three_answers_stand_in_the_guide() -> None:
    assert f"```text\n{PUSHED}\n{WAITS}\n{NOTHING_NEW}\n```" in PAGE


def test_what_cannot_be_imported_is_told_and_not_pushed(cluster: Cluster) -> None:
    was = cluster.tips()
    text = cluster.export.read_text("utf-8")
    cluster.export.write_text(text.replace("gres/gpu:rtx30=", "gres/gpu:h900="), "utf-8")
    said = cluster.runs(code=2)
    assert "no card for the GPU type `h900`" in said
    assert cluster.tips() == was
    cluster.write(cluster.home / "bin/sacct", "echo Slurm is away >&2; exit 1")
    assert "Slurm is away" in cluster.runs(code=1)
    cluster.export.write_text(text, "utf-8")
    cluster.write(cluster.home / "bin/sacct", f'cat "{cluster.export}"')
    assert cluster.runs().splitlines()[-1] == PUSHED, "the next night goes on"


def test_what_a_night_left_behind_is_thrown_away(cluster: Cluster) -> None:
    clone = cluster.home / "ledger-job"
    (clone / "ledger/speech/plan.yaml").write_text("by hand\n", "utf-8")
    (clone / "ledger/speech/.journal.json").write_text("cut off\n", "utf-8")
    (clone / "ledger/speech/runs").mkdir()
    (clone / "ledger/speech/runs/mine.yaml").write_text("- {}\n", "utf-8")
    assert cluster.runs().splitlines()[-1] == PUSHED
    changed = cluster.hub.git("diff", "--name-only", "main", "import/fox").splitlines()
    assert changed == ["ledger/speech/imports.lock.yaml", RUNS]


def test_its_key_can_push_no_other_branch(cluster: Cluster) -> None:
    clone, was = cluster.home / "ledger-job", cluster.tips()
    git(clone, "commit", "--allow-empty", "-qm", "More")
    for name in ("refs/heads/main", "refs/heads/other", "refs/heads/import/fox2", "refs/tags/v1"):
        git(clone, "push", "--force", "origin", f"HEAD:{name}", fails=True)
        assert cluster.tips() == was
    git(clone, "push", "origin", "HEAD:refs/heads/import/fox")


def test_two_at_once_do_not_meet(cluster: Cluster) -> None:
    lock = cluster.home / "ledger-job/.git/import.lock"
    lock.touch()
    with subprocess.Popen(
        ["flock", str(lock), "sh", "-c", "echo held; cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        assert cluster.runs() == "The import before this one is still at work.\n"
        other.communicate("")
