"""How a tree is kept, and what that makes commands say: `tree`, hints, `render`, `release`, and reviews of changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.hub import git
from tests.small import plant
from tests.test_flow import Done, budget

WAYS = ("ci", "people", "none")
RUN = ("--date", "2026-02-03", "--item", "test", "--gpus", "1", "--wall-hours", "1")


def keep(root: Path, way: str, more: str = "") -> None:
    plant(root, {"ledger/tree.yaml": f"format: 3\npages: {way}\n{more}"})


def test_a_script_asks_for_one_setting_and_a_person_for_all(rendered: Path) -> None:
    older = "format: 1\n`python budget.py migrate` updates it to format 3.\n"
    assert budget(rendered, "tree") == Done(0, f"pages: people\n{older}", "")
    assert budget(rendered, "tree", "forge") == Done(0, "\n", "")
    keep(rendered, "ci", "forge: {address: https://github.com/team/budgets}\n")
    assert budget(rendered, "tree") == Done(0, "pages: ci\nforge: https://github.com/team/budgets\nformat: 3\n", "")
    assert budget(rendered, "tree", "pages") == Done(0, "ci\n", "")
    plant(rendered, {"ledger/demo/plan.yaml": "first: {title: [}\n"})
    assert budget(rendered, "tree", "pages") == Done(0, "ci\n", ""), "mistakes elsewhere do not matter"
    keep(rendered, "cy")
    done = budget(rendered, "tree", "pages")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ledger/tree.yaml:2:8: ")
    assert budget(rendered / "docs", "tree").returncode == 2


@pytest.mark.parametrize(
    ("way", "last"),
    [
        ("people", "Next: python budget.py render"),
        ("ci", "Next: commit the file and open a change; the pages follow after the merge."),
        ("none", "Next: commit the file and open a change; the site follows after the merge."),
    ],
)
def test_who_adds_a_run_is_told_what_is_next(way: str, last: str, rendered: Path) -> None:
    keep(rendered, way)
    for words in (("add", "run", "demo", *RUN), ("tidy",)):
        done = budget(rendered, *words)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == last


def test_pages_that_are_rendered_where_a_job_does_it_are_to_be_left_out(rendered: Path) -> None:
    keep(rendered, "ci")
    plant(rendered, {"ledger/demo/runs/more.yaml": "- {date: 2026-02-03, item: test, gpu_hours: 1}\n"})
    done = budget(rendered, "render", "--check")
    assert done.returncode == 1
    assert done.stdout.endswith(" files are out of date. CI renders them after the merge.\n")
    last = "Do not commit pages: CI renders them after the merge."
    assert budget(rendered, "render").stdout.splitlines()[-1] == last


@pytest.mark.parametrize("way", WAYS)
def test_a_release_needs_rendered_pages_only_where_people_render(way: str, rendered: Path) -> None:
    keep(rendered, way)
    plant(rendered, {"ledger/demo/runs/more.yaml": "- {date: 2026-02-03, item: test, gpu_hours: 1}\n"})
    before = (rendered / "docs/demo/index.md").read_text("utf-8")
    done = budget(rendered, "release", "demo", "1.1.0", "-m", "Because.", "--date", "2026-03-01")
    assert done.returncode == (1 if way == "people" else 0), done.stderr
    assert (rendered / "docs/demo/index.md").read_text("utf-8") == before
    frozen = rendered / "docs/demo/releases/1.1.0/status.md"
    assert frozen.is_file() == (way != "people")
    if frozen.is_file():
        assert "2026-02-03" in frozen.read_text("utf-8"), "made of the ledger, and not of what lay there"


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("people", "The pages match the ledger."),
        ("ci", "The pages are rendered after the merge."),
        ("none", "The site is rendered after the merge."),
    ],
)
def test_a_reviewer_is_told_what_does_not_belong_into_a_change(way: str, said: str, rendered: Path) -> None:
    keep(rendered, way)
    git(rendered, "init", "-q", "-b", "main")
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Start")
    git(rendered, "checkout", "-qb", "change")
    plant(rendered, {"docs/guide/ours.md": "# Ours\n", "docs/assets/ours.txt": "x\n"})
    assert budget(rendered, "render").returncode == 0  # so that the order of the pages has it
    git(rendered, "add", "docs/guide", "docs/assets")
    git(rendered, "commit", "-qm", "A page of ours")
    done = budget(rendered, "review", "main")
    assert f"\n\nNo figure changes.\n\n{said}\n" in done.stdout
    assert "This change" not in done.stdout
    pages = {f"docs/demo/page-{n:02}.md": "<!-- Made by `budget render` -->\n" for n in range(12)}
    others = {"docs/aaa/releases/1.0/index.md": "x\n", "requirements.txt": "x\n", ".github/workflows/a.yml": "x\n"}
    plant(rendered, {**pages, **others})
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Much more")
    told = budget(rendered, "review", "main").stdout
    assert "**This change alters what CI runs, or where it gets the program from.**" in told
    assert "- `.github/workflows/a.yml`\n- `requirements.txt`\n" in told
    carried = r"<b>This change carries (\d+) pages and pictures\.</b> .* leave them out\.</summary>\n\n((- .*\n)+)"
    found = re.search(carried, told)
    assert bool(found) == (way != "people")
    if found:
        *named, last = found[2].splitlines()
        assert "- `docs/demo/page-00.md`" in named
        assert (len(named), last) == (10, f"- and {int(found[1]) - 10} more")
    for inside in ("- `docs/guide/", "- `docs/assets/", "- `docs/aaa/releases/1.0/index.md`\n"):
        assert inside not in told


@pytest.mark.parametrize("way", WAYS)
def test_a_reviewer_is_told_of_a_file_that_stops_the_site(way: str, rendered: Path) -> None:
    keep(rendered, way)
    assert budget(rendered, "render").returncode == 0
    git(rendered, "init", "-q", "-b", "main")
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Start")
    git(rendered, "checkout", "-qb", "change")
    plant(rendered, {"docs/demo/notes.md": "Ours.\n"})
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Notes")
    told = budget(rendered, "review", "main").stdout
    assert "**The site cannot be built: `docs/` holds 1 file that no ledger made.**" in told
    assert "\n- `docs/demo/notes.md`\n" in told
    assert "This change carries" not in told
    assert "out of date" not in told
    assert budget(rendered, "render").returncode == 2, "and that is so"


@pytest.mark.parametrize(("way", "told"), [("ci", True), ("none", False)])
def test_pages_that_a_change_removes_are_to_go_where_none_are_kept(way: str, told: bool, rendered: Path) -> None:
    keep(rendered, way)
    git(rendered, "init", "-q", "-b", "main")
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Start")
    git(rendered, "checkout", "-qb", "change")
    git(rendered, "rm", "-rq", "docs")
    git(rendered, "commit", "-qm", "No pages")
    assert ("This change carries" in budget(rendered, "review", "main").stdout) == told


@pytest.mark.parametrize("altered", ["ledger/demo/releases/1.0.0.json", "docs/demo/releases/1.0.0/index.md"])
@pytest.mark.parametrize("gone", [True, False])
def test_a_reviewer_is_told_that_a_release_is_altered_or_removed(altered: str, gone: bool, rendered: Path) -> None:
    """Whole, and with all that names it, so that what is left holds together: only git knows that it was there."""
    both = ("ledger/demo/releases/1.0.0.json", "docs/demo/releases/1.0.0/index.md")
    git(rendered, "init", "-q", "-b", "main")
    plant(rendered, dict.fromkeys(both, "{}"))
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Start")
    git(rendered, "checkout", "-qb", "change")
    for path in both if gone else (altered,):
        (rendered / path).unlink() if gone else (rendered / path).write_text("other")
    plant(rendered, {"ledger/demo/releases/1.1.0.json": "{}"})
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Alter")
    told = budget(rendered, "review", "main").stdout
    assert "**This change alters or removes what was released.**" in told
    assert f"- `{altered}`\n" in told
    assert "1.1.0.json`\n" not in told, "what is new is not altered"


def test_a_release_that_is_removed_whole_stops_a_change(rendered: Path) -> None:
    """What is left holds together, so that only git knows that it was there."""
    assert budget(rendered, "release", "demo", "1.0", "-m", "As planned.").returncode == 0
    git(rendered, "init", "-q", "-b", "main")
    git(rendered, "add", ".")
    git(rendered, "commit", "-qm", "Start")
    git(rendered, "checkout", "-qb", "change")
    assert budget(rendered, "check", "--against", "main").returncode == 0
    git(rendered, "rm", "-rq", "ledger/demo/releases", "docs/demo/releases")
    git(rendered, "commit", "-qm", "Gone")
    assert budget(rendered, "check").returncode == 0
    done = budget(rendered, "check", "--against", "main")
    assert done.returncode == 1
    wrong = "this change alters or removes what was released; restore it: git checkout main --"
    assert f"ledger/demo/releases/1.0.json:1:1: {wrong} ledger/demo/releases/1.0.json\n" in done.stdout + done.stderr
    marks = budget(rendered, "check", "--format", "github", "--fail-on", "never", "--against", "main")
    assert marks.returncode == 1
    assert "::error file=docs/demo/releases/1.0/index.md,line=1," in marks.stdout
