"""A session on a copy of the example: runs come in, the last one breaches a policy, and branches meet.

All figures are worked by hand from the ledger under ledger/birdsong, which is made up.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.example_tree import MADE_UP
from tests.hub import git
from tests.test_flow import ROOT, alone, budget

JUNE = "ledger/birdsong/runs/2025-06.yaml"
OWN = r"ledger/birdsong/runs/2025-06-1\d-[a-z]+-s\d-[0-9a-f]{6}\.yaml"
BREACH = "policy-breached:birdsong.policies.contingency-left"
CEILING = "policy-breached:birdsong.policies.below-ceiling"
GRANT = "plan-above-limit:allocations.spring-grant"


@pytest.fixture
def tree(example_tree: Path) -> Path:
    """The example, with what git leaves alone in this repository."""
    shutil.copy(ROOT / ".gitignore", example_tree)
    return example_tree


def add(tree: Path, words: str) -> str:
    done = budget(tree, "add", "run", *words.split())
    assert done.returncode == 0, done.stderr
    return done.stdout


def code(tree: Path, *words: str) -> int:
    return budget(tree, *words).returncode


def explained(tree: Path, address: str) -> str:
    """The first line of a derivation after its address: the figure as it is printed."""
    done = budget(tree, "explain", f"birdsong.{address}")
    return done.stdout.splitlines()[0].partition(" = ")[2].partition("   ")[0]


def printed(tree: Path, address: str) -> str:
    """A figure as it stands on a page of derivations."""
    text = "\n".join(page.read_text("utf-8") for page in (tree / "docs/birdsong").glob("derivations*.md"))
    found = re.search(rf'<a id="birdsong\.{re.escape(address)}"></a>.*?<br>\*\*(.*?)\*\*', text)
    assert found, address
    return found[1]


def test_ci_finds_the_example_up_to_date_and_without_a_breach() -> None:
    fresh, sound = alone(ROOT, "render", "--check"), alone(ROOT, "check", "birdsong", "--fail-on", "warning")
    assert fresh.returncode == 0, fresh.stdout
    assert sound.returncode == 0, sound.stdout


@pytest.mark.full
def test_the_site_of_the_example_builds_without_a_warning(tree: Path, tmp_path: Path) -> None:
    done = alone(tree, "build", "--site-dir", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert "none of these figures was measured" in (tmp_path / "site/birdsong/index.html").read_text("utf-8")


def test_all_of_the_example_says_that_it_is_made_up() -> None:
    files = [*(ROOT / "ledger/birdsong").rglob("*.yaml"), ROOT / "docs/birdsong/index.md"]
    assert len(files) == 7
    silent = [path for path in files if "none of these figures was measured" not in path.read_text("utf-8").lower()]
    assert silent == []
    assert "Birdsong (made-up example)" in (ROOT / "docs/index.md").read_text("utf-8")


def test_each_entry_of_the_example_says_that_it_is_made_up_and_no_other_project_names_it() -> None:
    for path, names in MADE_UP.items():
        records = yaml.safe_load((ROOT / path).read_text("utf-8"))
        assert {records[name]["source"].partition(" for")[0] for name in names} == {"made up"}
    others = [path for path in (ROOT / "ledger").glob("*/*.yaml") if path.parent.name not in ("birdsong", "catalog")]
    named = {name for names in MADE_UP.values() for name in names}
    assert len(others) > 30
    assert [path for path in others if named & {*re.findall(r"[\w-]+", path.read_text("utf-8"))}] == []


def test_the_example_as_it_is_committed(tree: Path) -> None:
    """Drawn are 7.96 by the sweep, 47.4 and 18.8 by two seeds, 3.232 by robustness, 31.05 by unplanned runs."""
    drawn = 7.96 + 47.4 + 18.8 + 3.232 + 31.05
    assert drawn == pytest.approx(180 - 71.558)
    assert explained(tree, "contingency.left") == "71.6 GPU-h (71.558 exactly)"
    assert explained(tree, "actual.total") == "1,094 GPU-h (1,094.362 exactly)"
    # Pretraining lost 21 idle, 33.4 - 22 and 9.2; 38.8 - 33; 7.6 and 29.2 - 22: its plan is 220 a seed, 11 a twentieth.
    # The sweep lost 5.52, fine-tuning 1.4, robustness 2.76, ablation 3.2, and 8.8 are of no item.
    # Labels lost 2.64: the other run of that day made the third tenth.
    lost = 41.6 + 5.8 + 14.8 + 5.52 + 1.4 + 2.76 + 3.2 + 8.8 + 2.64
    assert lost == pytest.approx(86.52)
    assert explained(tree, "actual.waste_share") == "7.9%"  # 86.52 / 1,094.362
    assert explained(tree, "plan.labels.freed") == "4 GPU-h (3.96 exactly)"  # 48 - 73.4 x 0.6


# What is added; then runs, actual hours, share lost, contingency left and its share, and the exit code of `check`.
SESSION = [
    # 3.6 x 4 = 14.4 end the second seed of fine-tuning at 55.2 of 60: nothing is drawn. 86.52 / 1,108.762
    (
        "--date 2025-06-11 --item finetune --seed 2 --attempt 5 --gpus 4 --wall-hours 3.6 --progress 10/10",
        (75, "1,109 GPU-h", "7.8%", "71.6 GPU-h", "39.8%"),
        0,
    ),
    # 10 hours fail, and 10 of the 20 of that seed are left: lost, but nothing drawn. 96.52 / 1,118.762
    (
        "--date 2025-06-11 --item robustness --seed 2 --gpu a100-80gb --gpus 4 --wall-hours 2.5 --status out-of-memory",
        (76, "1,119 GPU-h", "8.6%", "71.6 GPU-h", "39.8%"),
        0,
    ),
    # 42 more make 256.8 of 220: 36.8 are drawn, 34.758 of 180 left. 138.52 / 1,160.762
    (
        "--date 2025-06-12 --item pretrain --seed 3 --attempt 7 --gpus 4 --wall-hours 10.5 --status failed",
        (77, "1,161 GPU-h", "11.9%", "34.8 GPU-h", "19.3%"),
        3,
    ),
]


def test_three_runs_and_the_last_breaches_a_policy(tree: Path) -> None:
    assert (code(tree, "check"), code(tree, "render", "--check")) == (0, 0)
    for words, (runs, *figures), verdict in SESSION:
        told = add(tree, words)
        assert re.match(rf"{OWN}:2: - {{date: 2025-06-1", told)
        stale = budget(tree, "render", "--check")
        assert stale.returncode == 1
        for page in ("index", "status"):
            assert f"stale: docs/birdsong/{page}.md" in stale.stdout
        assert code(tree, "render") == 0
        assert code(tree, "render", "--check") == 0
        addresses = ("actual.total", "actual.waste_share", "contingency.left", "contingency.left_share")
        assert [printed(tree, address) for address in addresses] == figures
        left = f"[{figures[2].removesuffix(' GPU-h')}][contingency.left]"
        assert left in (tree / "docs/birdsong/status.md").read_text("utf-8")
        assert re.search(rf"^{runs} runs\b", budget(tree, "status").stdout, re.MULTILINE)
        done = budget(tree, "check")
        assert done.returncode == verdict, done.stdout
        findings = (tree / "docs/birdsong/findings.md").read_text("utf-8")
        assert (BREACH in done.stdout) == (BREACH in findings) == bool(verdict)
    found = re.findall(r"^(?:error|warning): .*\n +(\S+)", done.stdout, re.MULTILINE)
    assert found == [CEILING], "and nothing else is wrong: the grant, short by less than 0.1%, is told with it"
    assert GRANT in done.stdout
    assert BREACH in done.stdout
    words = "208 GPU-h of the work that it pays for are still to be done, 207 GPU-h are left"
    assert words in done.stdout, "273 less 14.4, 10 and 42"
    assert "19.3% and must be at least 20%" in done.stdout
    assert "decide what to drop before the rest is drawn" in done.stdout


def test_a_run_that_is_refused_changes_nothing(tree: Path) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    done = budget(tree, "add", "run", "--item", "finetune", "--seed", "4", "--gpus", "4", "--wall-hours", "3:30")
    assert done.returncode == 2
    assert "`4` is not a seed" in done.stderr
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


needs_git = pytest.mark.skipif(not shutil.which("git"), reason="git is not here")


def branch(tree: Path, name: str, *runs: str) -> None:
    """A branch on which somebody adds runs, renders, and commits the ledger with the pages."""
    git(tree, "checkout", "-qb", name, "main")
    for words in runs:
        add(tree, words)
    assert code(tree, "render") == 0
    git(tree, "add", ".")
    git(tree, "commit", "-qm", f"Runs of {name}")


@pytest.mark.full
@needs_git
def test_branches_with_runs_and_pages_meet(tree: Path) -> None:
    """The ledger merges by itself, without a merge driver, as entries stand in files of their own; one `render` mends
    the pages."""
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Start")
    same, both, own = "--date 2025-06-13", "--date 2025-07-01", "--date 2025-08-01"
    hour = "--item finetune --seed 3 --gpus 4 --wall-hours 0.25 --progress"
    branch(tree, "ours", f"{same} {hour} 1/100", f"{both} {hour} 2/100")
    branch(tree, "theirs", f"{same} {hour} 3/100", f"{both} {hour} 4/100", f"{own} {hour} 5/100")
    git(tree, "merge", "-q", "--no-edit", "ours", fails=True)
    torn = [line[3:] for line in git(tree, "status", "--porcelain").splitlines() if line.startswith(("UU", "AA"))]
    assert torn
    assert [path for path in torn if not path.startswith("docs/")] == []
    assert budget(tree, "status").returncode == 0, "the ledger is whole"
    assert code(tree, "render", "--check") == 1
    assert code(tree, "render") == 0
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Merge")
    # In August a grant has ended and phases are past their days, which `check` tells; nothing else is wrong.
    assert (code(tree, "render", "--check"), code(tree, "check")) == (0, 3)
    assert printed(tree, "plan.finetune.seeds.3.actual") == "5 GPU-h"
    told = budget(tree, "tidy")
    assert told.stdout.count("\nmerged") == 4, told.stdout
    july = (tree / "ledger/birdsong/runs/2025-07.yaml").read_text("utf-8")
    assert july.count("yaml-language-server") == 1
    assert july.count("- {date: 2025-07-01") == 2
    assert budget(tree, "tidy").stdout == "Nothing to merge.\n"
    assert code(tree, "render") == 0
    assert printed(tree, "plan.finetune.seeds.3.actual") == "5 GPU-h"
    drawn = {path: path.read_bytes() for path in (tree / "docs").rglob("*") if path.is_file()}
    for path in drawn:
        if "releases" not in path.parts:  # those are no pages of today: nothing makes them again
            path.unlink()
    assert code(tree, "render") == 0
    assert {path: path.read_bytes() for path in (tree / "docs").rglob("*") if path.is_file()} == drawn


@needs_git
def test_a_last_line_that_one_branch_rewrote_is_not_counted_twice(tree: Path) -> None:
    """The line of the running job was written anew when it ended, while somebody added a run: both merge."""
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "ledger")
    git(tree, "commit", "-qm", "Start")
    git(tree, "checkout", "-qb", "ended")
    june = tree / JUNE
    was = june.read_text("utf-8")
    assert was.splitlines()[-1].count("status: running") == 1
    ended = was.replace("status: running, progress: {done: 17,", "progress: {done: 20,")
    june.write_text(ended, "utf-8")
    git(tree, "commit", "-qam", "It ended")
    git(tree, "checkout", "-qb", "adds", "main")
    add(tree, "--date 2025-06-13 --item finetune --seed 3 --gpus 4 --wall-hours 1 --progress 1/10")
    git(tree, "add", "ledger")
    git(tree, "commit", "-qm", "One more")
    git(tree, "merge", "-q", "--no-edit", "ended")
    assert code(tree, "tidy") == 0
    assert june.read_text("utf-8") == ended + (
        "- {date: 2025-06-13, item: finetune, seed: 3, gpus: 4, wall_hours: 1, progress: {done: 1, total: 10}}\n"
    )
    assert code(tree, "check") == 0
