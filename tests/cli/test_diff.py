# ruff: noqa: E501 (messages stand unbroken)
"""`diff` as it is run: between revisions, folders, releases and the working tree; what is refused; what is printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.release import ReleasedFigure, ReleasedFinding, Snapshot, seal
from reckon.present.export import found_in, released_figure
from tests.commands import given
from tests.small import SMALL, plant

DOOR = Path(__file__).resolve().parents[2] / "budget.py"
PLAN, PROJECT = "ledger/demo/plan.yaml", "ledger/demo/project.yaml"
WHO = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-03-01T23:30:00-0500",
    "GIT_COMMITTER_DATE": "2026-03-01T23:30:00-0500",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=root, env={**os.environ, **WHO}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def does(folder: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of a command in a folder, in this process."""
    done = given(folder, *words)
    return done.returncode, done.stdout, done.stderr


def diff(root: Path, *words: str, cwd: Path | None = None, **env: str) -> tuple[int, str, str]:
    """Exit code, output and complaints of a `diff`; with an environment of its own, in a process of its own."""
    if not env:
        return does(cwd or root, "diff", *words)
    command = [sys.executable, str(DOOR), "diff", *words]
    done = subprocess.run(command, cwd=cwd or root, env={**os.environ, **env}, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def whole(root: Path, *words: str) -> Any:
    code, out, err = diff(root, *words, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out) if out else None


def edit(root: Path, name: str, was: str, now: str) -> None:
    text = (root / name).read_text("utf-8")
    assert was in text
    (root / name).write_text(text.replace(was, now), "utf-8")


def state(root: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file() and ".git" not in path.parts
    }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits: as the small ledger is, tagged `first`; and with a third seed and more hours."""
    root = plant(tmp_path / "tree")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "tag", "first")
    edit(root, PROJECT, "seeds: 2", "seeds: 3")
    edit(root, PLAN, "gpu_hours: 40", "gpu_hours: 60")
    git(root, "commit", "-q", "-a", "-m", "two")
    return root


def snapshot(root: Path, version: str, **changed: Any) -> Snapshot:
    """A release of the small ledger as it stands in a root, written there; some of it said otherwise."""
    ledger, _ = load(root)
    book, _ = calculate(ledger)
    files = {name: (root / name).read_text("utf-8") for name in ledger.files}
    figures = {at: released_figure(one) for at, one in book.figures.items()}
    one = Snapshot("demo", version, "2026-03-01", "why", "2026-02-02", files, figures, found_in(book)["demo"], {})
    one = replace(one, **changed)
    path = root / one.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(one.text(), "utf-8")
    return one


def test_revisions_and_the_working_tree(repository: Path) -> None:
    before = state(repository)
    code, out, err = diff(repository, "first", "HEAD")
    assert (code, err) == (0, "")
    assert out.splitlines()[:14] == [
        "first → HEAD",
        "",
        "Demo: 99 → 209 GPU-h (+110, +111%)",
        "  step by step, GPU-h",
        "    first                                                               99",
        "    Seeds: 2 → 3                                                       +44",
        "        ledger/demo/project.yaml:5",
        "    Training: GPU-hours: 40 → 60                                       +66",
        "        ledger/demo/plan.yaml:7",
        "    HEAD                                                               209",
        "  inputs",
        "    Seeds: 2 → 3  ledger/demo/project.yaml:5 (A. Author, 2026-03-01)",
        "    Training: GPU-hours: 40 → 60",
        "        ledger/demo/plan.yaml:7 (A. Author, 2026-03-01)",
    ]
    assert out.splitlines()[-4].startswith("Steps swap inputs one by one, in ledger order: the catalogue, grants, then")
    assert diff(repository) == (0, "", "")
    assert diff(repository, "HEAD", "main", "--exit-code") == (0, "", "")
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    assert diff(repository)[1].splitlines()[2] == "Demo: 209 → 220 GPU-h (+11, +5.3%)"
    assert diff(repository, "--exit-code")[0] == 1
    assert diff(repository, "first")[1].splitlines()[0] == "first → the working tree"
    edit(repository, PLAN, "gpu_hours: 20", "gpu_hours: 10")
    assert state(repository) == before


def test_the_same_between_folders_as_between_revisions(repository: Path, tmp_path: Path) -> None:
    old = plant(tmp_path / "old")
    by_git, by_folder = whole(repository, "first", "HEAD"), whole(repository, str(old), str(repository))
    for one in (by_git, by_folder):
        del one["old"], one["new"]
    assert by_git == by_folder
    assert by_git["parts"][0]["inputs"][0] | {"title": ""} == {
        "kind": "changed",
        "address": "demo.seeds",
        "title": "",
        "record": None,
        "field": None,
        "reason": None,
        "old": "2",
        "new": "3",
        "old_place": {"file": PROJECT, "line": 5, "column": 8},
        "new_place": {"file": PROJECT, "line": 5, "column": 8},
        "author": "A. Author",
        "date": "2026-03-01",
    }
    steps = by_git["parts"][0]["bridge"]["steps"]
    assert [(one["by"], one["addresses"]) for one in steps] == [
        ("44", ["demo.seeds"]),
        ("66", ["demo.plan.train.gpu_hours"]),
    ]


def test_a_root_below_the_top_of_a_repository_and_the_variables_of_a_hook(repository: Path, tmp_path: Path) -> None:
    inner = plant(repository / "deep" / "er")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "three")
    edit(inner, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    assert (
        diff(inner, GIT_DIR=str(tmp_path / "nowhere"), GIT_INDEX_FILE="x")[1]
        .splitlines()[2]
        .startswith("Demo: 99 → 110")
    )
    code, _, err = diff(inner, "first")
    assert (code, err) == (2, "first: it has no ledger/ under this root\n")


def test_releases(repository: Path) -> None:
    git(repository, "checkout", "-q", "first")
    figures = {"demo.budget.final": ReleasedFigure("Final budget", "GPU-h", "98", "98", "98", ())}
    snapshot(repository, "1.0.0", figures=figures)
    git(repository, "checkout", "-q", "main")
    snapshot(repository, "1.10.0")
    steps = whole(repository, "1.0.0", "demo@1.10.0")["parts"][0]["bridge"]["steps"]
    assert [(one["cause"], one["by"]) for one in steps] == [("reckoning", "1"), ("inputs", "44"), ("inputs", "66")]
    text = diff(repository, "1.0.0", "1.10")[1]
    assert text.startswith("demo@1.0.0 → demo@1.10.0\n\nDemo: 98 → 209 GPU-h (+111, +113%)\n")
    assert re.search(r"^ {4}the method changed since demo@1\.0\.0 +\+1$", text, re.MULTILINE)
    assert diff(repository, "1.10.0") == (0, "", "")
    assert diff(repository, "demo@2")[2] == "`demo` has no release 2; it has 1.0.0, 1.10.0\n"
    shutil.copytree(repository / "ledger/demo", repository / "ledger/other")
    edit(repository, "ledger/other/releases/1.0.0.json", '"demo"', '"other"')
    assert diff(repository, "1.0.0")[2] == "several projects have a release 1.0.0; name one: demo@1.0.0, other@1.0.0\n"
    assert diff(repository, "1.0.0", "--project", "demo")[0] == 0


def test_a_release_in_an_older_format_is_read(repository: Path) -> None:
    """Format 0 has neither findings nor pages."""
    kept = snapshot(repository, "0.9", figures={})
    path = repository / kept.file
    old = {key: value for key, value in json.loads(kept.text()).items() if key not in ("findings", "pages", "sha256")}
    old["format"] = 0
    path.write_text(json.dumps({**old, "sha256": seal(old)}), "utf-8")
    edit(repository, PROJECT, "contingency: 10%", "ceiling: 50")
    part = whole(repository, "0.9")["parts"][0]
    assert part["total"]["new"]["use"] == "190"
    assert part["findings"] == {"gained": [], "lost": [], "altered": [], "silenced": []}


def test_a_release_names_findings_by_older_ids(repository: Path) -> None:
    """A rule that is called otherwise since is no change; what it found and is gone has the newer id."""
    text = "t: {section: S, text: Here., when: budget.final < 1 gpu_hours}\n"
    (repository / "ledger/demo/texts.yaml").write_text(text, "utf-8")
    older = ReleasedFinding("text-no-longer-holds:demo.texts.t", "warning", "Text t is left out", "")
    snapshot(repository, "1.0.0", findings=(older, replace(older, id="text-no-longer-holds:demo.texts.gone")))
    found = whole(repository, "1.0.0")["parts"][0]["findings"]
    assert [each["id"] for each in found["lost"]] == ["text-left-out:demo.texts.gone"]
    assert "text-left-out:demo.texts.t" not in [each["id"] for each in found["gained"]]


def test_a_release_that_was_changed_is_refused(repository: Path) -> None:
    kept = snapshot(repository, "1.0.0")
    edit(repository, kept.file, '"why"', '"because"')
    code, out, err = diff(repository, "1.0.0")
    assert (code, out) == (2, "")
    assert err.startswith(f"{kept.file}: the snapshot was changed: its checksum differs; ")
    (repository / kept.file).write_text("[" * 10_000, "utf-8")
    assert diff(repository, "1.0.0")[2].startswith(f"{kept.file}: this is not a snapshot of a release")


def test_a_release_of_a_project_knows_its_grants_without_the_others(repository: Path) -> None:
    grant = "grant: {title: Grant, gpu: card, gpu_hours: 500, projects: [demo, other]}\n"
    (repository / "ledger/allocations.yaml").write_text(grant.replace(", other", ""), "utf-8")
    files = {**dict(snapshot(repository, "1.0").files), "ledger/allocations.yaml": grant}
    snapshot(repository, "1.0", files=files)
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    assert whole(repository, "1.0")["parts"][0]["bridge"]["by"] == "11"


def test_a_shallow_clone_says_that_it_is_one(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), "clone")
    wrong = "`HEAD~1` is not a release, a folder with a ledger/ or a revision of this repository, which has only its"
    assert diff(tmp_path / "clone", "HEAD~1") == (2, "", f"{wrong} last commits here; run git fetch --unshallow\n")
    assert diff(tmp_path / "clone", "HEAD") == (0, "", "")


def test_hostile_releases(repository: Path, tmp_path: Path) -> None:
    for name in ("../out.yaml", "/out.yaml", "ledger/../../out.yaml", "docs/x.md", "ledger\\x.yaml"):
        snapshot(repository, "1.0.0", files={name: "x"})
        code, out, err = diff(repository, "1.0.0")
        assert (code, out) == (2, "")
        assert f"this is not a snapshot of a release: `{name}` is not the path of a ledger file; " in err
    assert not (tmp_path / "out.yaml").exists()
    kept = repository / "ledger/demo/releases/1.0.0.json"
    kept.unlink()
    (tmp_path / "secret.json").write_text("{}", "utf-8")
    kept.symlink_to(tmp_path / "secret.json")
    assert diff(repository, "demo@1.0.0")[2] == "`demo` has no release 1.0.0; it has none yet\n"
    assert diff(repository, "demo@../../x")[0] == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--", "--output=x"], "`--output=x` is not a revision; it begins with a dash or has control characters\n"),
        (["--", "-x", "first"], "`-x` is not a revision; it begins with a dash or has control characters\n"),
        (["first\n"], "`first?` is not a revision; it begins with a dash or has control characters\n"),
        (["0" * 40], "the branch is new (its revision is all zeros); there is nothing to compare with\n"),
        (["nothing"], "`nothing` is not a release, a folder with a ledger/ or a revision of this repository\n"),
        (["^first"], "`^first` is not a release, a folder with a ledger/ or a revision of this repository\n"),
        (
            ["first..HEAD"],
            "`first..HEAD` is not a release, a folder with a ledger/ or a revision of this repository\n",
        ),
        (["./nowhere"], "there is no `./nowhere`\n"),
        (["../"], "there is no folder ledger/ in `../`\n"),
        (["first", "--project", "demi"], "neither side has a project `demi`; there are demo\n"),
        (
            ["first", "--of", "budget.finale"],
            "neither side has a figure `budget.finale`; `explain --list` shows them\n",
        ),
    ],
)
def test_what_is_no_tree_is_refused(repository: Path, words: list[str], says: str) -> None:
    before = state(repository.parent)
    assert diff(repository, *words) == (2, "", says)
    assert state(repository.parent) == before


def test_without_git(tmp_path: Path) -> None:
    root = plant(tmp_path / "tree")
    alone = {"GIT_CEILING_DIRECTORIES": str(tmp_path)}
    said = "and there is no git repository here; name a release such as 1.0.0, or a folder such as ../copy\n"
    assert diff(root, **alone) == (2, "", f"`HEAD` is the last commit, {said}")
    said = "`v1` is not a folder with a ledger/ and not a release, and there is no git repository here\n"
    assert diff(root, "v1", **alone) == (2, "", said)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    said = "`HEAD` is the last commit, but there is no commit; commit first, or name a release or a folder\n"
    assert diff(root, **alone) == (2, "", said)
    assert diff(root, PATH="")[2] == "git is not installed; name folders or releases to compare\n"
    other = plant(tmp_path / "other")
    edit(other, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    assert (
        "Demo: 99 → 110 GPU-h" in diff(root, str(other), ".", PATH="")[1]
        or "Demo: 110 → 99" in diff(root, str(other), ".", PATH="")[1]
    )


def test_problems_are_told_with_the_side(repository: Path) -> None:
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: ten")
    git(repository, "commit", "-q", "-a", "-m", "broken")
    (repository / PLAN).write_text("<<<<<<< HEAD\na: 1\n=======\nb: 2\n>>>>>>> x\n", "utf-8")
    code, out, err = diff(repository)
    assert (code, out) == (2, "")
    assert "HEAD: ledger/demo/plan.yaml:12:18: `ten` is not a number" in err
    assert "the working tree: ledger/demo/plan.yaml:1:1: " in err


def test_links_in_a_revision(repository: Path, tmp_path: Path) -> None:
    """One that stays in the ledger is followed, one that leaves it is refused; nothing is written through either."""
    (repository / "ledger/copy").symlink_to("demo")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "inner link")
    assert diff(repository, "HEAD", ".") == (0, "", "")
    for target in ("/etc/hostname", "../../../secret", "../../other.yaml"):
        (repository / "ledger/demo/figures.yaml").unlink(missing_ok=True)
        (repository / "ledger/demo/figures.yaml").symlink_to(target)
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", "outer link")
        said = "HEAD: ledger/demo/figures.yaml: this link leads out of ledger/; replace it by the file itself\n"
        assert diff(repository, "HEAD", "first") == (2, "", said)


def test_text_of_a_ledger_does_nothing_in_a_review(repository: Path) -> None:
    hostile = "'<img src=x onerror=alert(1)> | @everyone **x** [a](javascript:x) `y` #1 !2 gh-3'"
    edit(repository, PLAN, "title: Training", f"title: {hostile}")
    code, out, _ = diff(repository, "first", "--format", "markdown")
    assert code == 0
    assert "<img" not in out
    assert "@everyone" not in out
    assert not re.search(r"(?<!&)#\d|!\d|gh-\d", out)
    assert not re.search(r"(?<!\\)\]\(javascript", out)
    assert "**x**" not in out
    lines = [line for line in out.splitlines() if line.startswith("|") and "Training" in line]
    assert lines
    assert all(line.replace("\\|", "").count("|") in (4, 5) for line in lines)


def test_markdown_has_a_summary_first_and_is_bounded(repository: Path) -> None:
    figures = "".join(
        f"f{n}: {{title: Figure {n}, gpu_hours: {{formula: budget.final * {n}.5}}}}\n" for n in range(2, 300)
    )
    (repository / "ledger/demo/figures.yaml").write_text(figures, "utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "figures")
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    code, out, err = diff(repository, "--format", "markdown")
    assert (code, err) == (0, "")
    assert out.startswith(
        "**Demo: 209 → 220 GPU-h (+11, +5.3%)**  \n1 input changed, 362 figures moved  \n\nFrom `HEAD` to `the working tree`.\n"
    )
    assert "| `HEAD` |  | 209 |  |\n| Testing: GPU-hours: 10 → 20 | +11 | 220 | `ledger/demo/plan.yaml:12` |" in out
    assert '<details markdown="1">\n<summary>Inputs that changed (1)</summary>' in out
    assert re.search(r"\| … and [23]\d\d more \|", out)
    assert all(len(block.splitlines()) < 50 for block in out.split("<details"))
    assert out.count("<details") == out.count("</details>")


def test_only_above_and_another_figure(repository: Path) -> None:
    assert diff(repository, "first", "--only-above", "500h") == (0, "", "")
    assert diff(repository, "first", "--only-above", "5000%", "--exit-code") == (0, "", "")
    assert diff(repository, "first", "--only-above", "five")[0] == 2
    found = whole(repository, "first", "--of", "estimates.final")["parts"][0]["bridge"]
    assert (found["address"], found["by"]) == ("demo.estimates.final", "19.8")
    assert (
        diff(repository, "first", "--of", "estimates.final")[1]
        .splitlines()[2]
        .startswith("Demo, Final budget (from estimates): ")
    )
    assert whole(repository, "first", "--of", "demo.plan.train.total")["parts"][0]["bridge"]["by"] == "100"
    runs = "- {date: 2026-03-01, item: test, gpu_hours: 4}\n" * 3
    (repository / "ledger/demo/runs/2026-03.yaml").write_text(runs, "utf-8")
    part = whole(repository, "HEAD", "--of", "actual.total")["parts"][0]
    assert part["runs"] == [
        {
            "kind": "runs",
            "item": "test",
            "month": "2026-03",
            "old": 0,
            "new": 3,
            "old_gpu_hours": "0",
            "new_gpu_hours": "12",
            "old_charged_gpu_hours": "0",
            "new_charged_gpu_hours": "12",
            "place": {"file": "ledger/demo/runs/2026-03.yaml", "line": 1, "column": 3},
        }
    ]
    assert part["bridge"]["by"] == "12"


def test_a_project_that_is_new(repository: Path) -> None:
    for name in ("project", "plan"):
        path = repository / f"ledger/next/{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SMALL[f"ledger/demo/{name}.yaml"].replace("title: Demo", "title: Next"), "utf-8")
    assert diff(repository)[1].splitlines() == [
        "HEAD → the working tree",
        "",
        "Next: added, 99 GPU-h",
        "  inputs",
        "    added project Next  ledger/next/project.yaml:1",
    ]


def test_what_changed_alike_in_a_list_is_told_together(repository: Path) -> None:
    lines = "".join(f"  - {{finding: 'rule-{n}:demo.x', reason: As it was., until: 1.1}}\n" for n in range(8))
    (repository / PROJECT).write_text((repository / PROJECT).read_text("utf-8") + f"accept:\n{lines}", "utf-8")
    git(repository, "commit", "-q", "-a", "-m", "accepted")
    whole_text = (repository / PROJECT).read_text("utf-8")
    gone = whole_text.replace("  - {finding: 'rule-0:demo.x', reason: As it was., until: 1.1}\n", "")
    (repository / PROJECT).write_text(gone.replace("until: 1.1}", "until: 1.2}"), "utf-8")
    out = diff(repository)[1].splitlines()
    at = out.index("  accepted findings")
    assert out[at + 1 : at + 8] == [
        "    rule-0:demo.x: no longer accepted (until 1.1: As it was.)",
        "        ledger/demo/project.yaml:8 (before)",
        "    7 until: 1.1 → 1.2",
        "      rule-1:demo.x  ledger/demo/project.yaml:9 → 8",
        "      rule-2:demo.x  ledger/demo/project.yaml:10 → 9",
        "      rule-3:demo.x  ledger/demo/project.yaml:11 → 10",
        "      … and 4 more: `--format json` has all",
    ]
    said = diff(repository, "--format", "markdown")[1]
    assert "<summary>Accepted findings (1 no longer accepted; 7 until: 1.1 → 1.2)</summary>" in said
    assert said.count("| until: 1.1 → 1.2 | rule-") == 7
    inputs = whole(repository)["parts"][0]["inputs"]
    assert [one["record"] for one in inputs] == ["accepted finding"] * 8
    assert {(one["field"], one["old"], one["new"]) for one in inputs if one["kind"] == "changed"} == {
        ("until", "1.1", "1.2")
    }


def test_a_review_compares_once_and_says_why_not(repository: Path) -> None:
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    for base, says in (
        ("HEAD", "| Testing: GPU-hours: 10 → 20 |"),
        ("nowhere", "cannot be compared with `nowhere`"),
        ("-x", "cannot be compared with `-x`"),
    ):
        code, out, err = does(repository, "review", "--", base)
        assert (code, err) == (0, "")
        assert says in out


def reviewed(root: Path, base: str) -> list[str]:
    """The lines of a review above all that is folded."""
    code, out, err = does(root, "review", base)
    assert (code, err) == (0, "")
    first, *_ = out.partition("\n\n<details")
    assert (f"<summary>All that differs from <code>{base}</code></summary>" in out) == (
        "No figure changes." not in first
    )
    return first.partition("## Budget ledger\n\n")[2].splitlines()


def test_a_review_begins_with_what_a_run_does_to_the_budget(repository: Path) -> None:
    """Spent 10 + 3 + 1.5 + 2 = 16.5; the budget 3 x 60 + 10 = 190 and 10 % of it, 209; 12 more of train."""
    path = repository / "ledger/demo/runs/2026-02-03-ann.yaml"
    path.write_text(
        "- {date: 2026-02-03, item: train, seed: 2, gpus: 4, wall_hours: 3, progress: {done: 3, total: 3}}\n", "utf-8"
    )
    lines = reviewed(repository, "HEAD")
    assert lines[:4] == ["**Demo**: 1 run more, +12 GPU-h; within plan", "", "| | Before | Now |", "|---|---:|---:|"]
    rows = dict(line.strip("| ").split(" | ", 1) for line in lines[4 : lines.index("", 4)])
    assert "Spent" not in rows, "what moves with each run decides nothing"
    assert "Money spent" not in rows, "no price list is named"
    assert rows["Left of the final budget"] == "192 GPU-h | 180 GPU-h", "of 209"
    path.write_text("- {date: 2026-02-03, item: train, seed: 2, gpus: 4, wall_hours: 300}\n", "utf-8")
    lines = reviewed(repository, "HEAD")
    # What follows from the hours of the run is told with it.
    new = lines.index("New findings, 3 of 2 causes:")
    assert any(line.startswith("- **warning**: ") for line in lines[new:])


def test_a_review_tells_of_the_projects_that_a_change_touches_and_no_other(repository: Path) -> None:
    """An item of 10 hours is planned with 20: 10 more, and a tenth of contingency. What is found in the other project
    is no matter of this change; comments alone move nothing."""
    plant(
        repository,
        {
            name.replace("demo", "other"): text.replace("Demo", "Other").replace("gpu_hours: 40", "gpu_hours: 1")
            for name, text in SMALL.items()
            if "/demo/" in name
        },
    )
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Another project")
    assert "other" in does(repository, "review")[1]
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    lines = reviewed(repository, "HEAD")
    assert lines[0] == "**Demo**: final budget 209 → 220 GPU-h (+11); within plan"
    rows = [line for line in lines if line.startswith("| Final budget |")]
    assert rows == ["| Final budget | 209 GPU-h | 220 GPU-h |"]
    start = lines.index("Final budget, step by step:")
    assert lines[start + 5] == f"| Testing: GPU-hours: 10 → 20 | +11 | 220 | `{PLAN}:12` |", lines[start:]
    assert not any("other" in line.lower() for line in lines)
    git(repository, "checkout", "-q", PLAN)
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 10  # a word")
    assert reviewed(repository, "HEAD") == ["No figure changes."]


@pytest.mark.parametrize("named", ["origin/main", "a commit"])
def test_a_change_is_held_against_the_revision_and_not_a_folder_that_it_brings(repository: Path, named: str) -> None:
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    base = git(repository, "rev-parse", "HEAD") if named == "a commit" else named
    edit(repository, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    told = reviewed(repository, base)
    assert any("GPU-hours: 10 → 20" in line for line in told)
    shutil.copytree(repository / "ledger", repository / base / "ledger")
    assert reviewed(repository, base) == told
    assert diff(repository, f"./{base}", ".") == (0, "", "")


@pytest.mark.full
@pytest.mark.parametrize("words", [["review", "main"], ["diff", "main"], ["diff"]], ids=" ".join)
def test_a_folder_that_looks_like_a_repository_runs_nothing(tmp_path: Path, words: list[str]) -> None:
    """In a folder of a larger repository, git would take it for a bare one before it sees that above. Its settings name
    programs, and its objects are those of the real one."""
    root = plant(tmp_path / "whole/lab")
    git(tmp_path / "whole", "init", "-q", "-b", "main")
    git(tmp_path / "whole", "add", ".")
    git(tmp_path / "whole", "commit", "-q", "-m", "one")
    mark = tmp_path / "ran"
    settings = f'[core]\n repositoryformatversion = 0\n bare = false\n worktree = ..\n fsmonitor = touch {mark}\n[filter "x"]\n clean = touch {mark}; cat\n'
    plant(
        root,
        {
            "config": settings,
            "HEAD": "ref: refs/heads/main\n",
            "objects/info/alternates": "../../.git/objects\n",
            "refs/heads/main": git(tmp_path / "whole", "rev-parse", "HEAD") + "\n",
            ".gitattributes": "* filter=x\n",
        },
    )
    edit(root, PLAN, "gpu_hours: 10", "gpu_hours: 20")
    done = subprocess.run([sys.executable, str(DOOR), "--root", str(root), *words], capture_output=True, text=True)
    assert not mark.exists()
    assert "look like a git repository" in done.stdout + done.stderr


def test_words_of_a_finding_do_nothing_in_a_review(repository: Path) -> None:
    edit(repository, PLAN, "title: Training", "title: '<b>x</b> | @all [a](javascript:x) #1 !2 GH-3 team/budgets#4'")
    path = repository / "ledger/demo/runs/2026-02-03-ann.yaml"
    path.write_text("- {date: 2026-02-03, item: train, seed: 2, gpus: 4, wall_hours: 300}\n", "utf-8")
    said = "\n".join(reviewed(repository, "HEAD"))
    assert "<b>" not in said
    assert "](javascript" not in said.replace("\\]", "")
    assert "@all" not in said
    assert not re.search(r"(?<!&)#\d|!\d|GH-\d", said)
