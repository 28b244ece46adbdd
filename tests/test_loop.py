"""The daily loop, played on a forge of our own: people edit ledger files in the browser, CI does the rest.

Nobody has an installation but the runners. `hub` is the forge, `runners` runs the shell that `init` writes.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.hub import CANARY, ROOT, Hub, Runner
from tests.runners import GitHub, GitLab
from tests.test_flow import budget

pytestmark = [pytest.mark.skipif(not shutil.which(one), reason=f"{one} is not here") for one in ("git", "curl", "jq")]
FORGES = (GitHub, GitLab)
both = pytest.mark.parametrize("kind", FORGES, ids=lambda kind: kind.__name__.lower())
ANN = ("ledger/example/runs/ann.yaml", "- {date: 2026-01-27, item: train, seed: 2, gpus: 4, wall_hours: 3}\n")
BEN = ("ledger/example/runs/2026-01-28-train-s2-0a1b2c.yaml",
       "- {date: 2026-01-28, item: train, seed: 2, gpus: 4, wall_hours: 5}\n")  # fmt: skip
MONTH = "ledger/example/runs/2026-01.yaml"
PLAN = "ledger/example/plan.yaml"


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a warm `budget` listens."""
    place = tmp_path_factory.mktemp("warm") / "socket"
    server = subprocess.Popen([sys.executable, "-m", "tests.warm", str(place)], cwd=ROOT, stdin=subprocess.DEVNULL)
    while not place.exists() and server.poll() is None:
        time.sleep(0.05)
    yield place
    server.kill()
    server.wait()


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `init` writes, to be copied."""
    tree = tmp_path_factory.mktemp("team") / "tree"
    assert budget(Path(), "init", str(tree)).returncode == 0
    (tree / "requirements.txt").write_text("the base's program\n", "utf-8")
    return tree


def hub_of(tree: Path, home: Path) -> Hub:
    (home / "forge/team").mkdir(parents=True)
    return Hub.of(Path(shutil.copytree(tree, home / "first")), home / "forge/team/budgets.git")


@pytest.fixture
def hub(team: Path, tmp_path: Path) -> Hub:
    """The team's repository on the forge."""
    return hub_of(team, tmp_path)


def runner(kind: type[Runner], hub: Hub, warm: Path) -> Runner:
    return kind(hub, hub.place.parents[2] / "runner", warm)


def forms(token: str) -> Iterator[str]:
    """A token as it could be said: as it is, turned round, or in base64, wherever it begins there."""
    for text in (token, token[::-1]):
        yield text
        for shift in range(3):
            yield base64.b64encode(b" " * shift + text.encode()).decode().rstrip("=")[4:-4]


def leaked(texts: Iterable[str]) -> list[str]:
    return [form for text in texts for form in forms(CANARY) if form in text]


def texts(folder: Path | None) -> list[str]:
    assert folder
    return [path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()]


@both
def test_two_people_add_a_run_at_the_same_time_and_both_are_on_the_site(kind: type, hub: Hub, warm: Path) -> None:
    run = runner(kind, hub, warm)
    ended = [run.main()]  # of the first push
    assert hub.git("log", "--format=%an", "main").splitlines() == ["Ann"], "nothing differs, nothing is pushed"
    before = hub.read("docs/example/index.md")
    for branch, (path, text) in {"ann": ANN, "ben": BEN}.items():
        hub.edit(branch, {path: text})
    reviews = [run.change(branch)["review"] for branch in ("ann", "ben")]
    assert [one.code for one in reviews] == [0, 0], reviews[0].log + reviews[1].log
    hub.merge("ann")
    second = hub.merged("ben")
    # While the job of the first merge pushes, the second is merged.
    hub.at_a_push('test -e raced && exit 0; touch raced; git update-ref refs/heads/main "$(cat merge-of-both)"')
    hub.edit("both", {})
    hub.git("update-ref", "refs/heads/both", second)
    (hub.place / "merge-of-both").write_text(second)
    ended += [run.main(), run.main()]  # of the first merge, which renders both; of the second
    assert [one.code for one in ended] == [0] * 3, "".join(one.log for one in ended)
    assert (hub.place / "raced").exists()
    runs = hub.read(MONTH)
    assert [runs.count(text.strip()) for _, text in (ANN, BEN)] == [1, 1]
    assert hub.files("ledger/example/runs") == [MONTH]
    assert hub.by(machine=False) == sorted([ANN[0], BEN[0]])
    assert [path for path in hub.by(machine=True) if not path.startswith(("docs/", "ledger/example/runs/"))] == []
    machine = [one for one in hub.git("log", "--format=%an", "main").splitlines() if one not in ("Ann",)]
    assert len(machine) == 1, "one commit for both, and none where nothing differs"
    assert hub.read("docs/example/index.md") != before
    assert run.published
    for page in (hub.read("docs/example/status.md"), (run.published / "example/status/index.html").read_text("utf-8")):
        assert "2026-01-28" in page
    assert leaked([*(one.log for one in ended), *texts(run.published), hub.git("log", "-p", "main")]) == []
