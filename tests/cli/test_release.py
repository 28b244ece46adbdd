"""`release`: a version is frozen, all of it or nothing, and stays as it is whatever happens to ledger and templates."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from posixpath import join, normpath
from typing import NamedTuple

import pytest

from reckon.cli import main, release
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.load.versions import with_release
from reckon.model.release import numeric, read_snapshot
from reckon.present.charts import Drawing
from reckon.present.export import snapshot_of
from reckon.present.pages import frozen as pages_of
from reckon.publish.files import existing
from reckon.publish.reference_links import as_made
from reckon.publish.site_markup import laid_out
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
HEAD = "ledger/demo/project.yaml"


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


def budget(root: Path, *words: str) -> Done:
    """A command in this process, which has the libraries that draw already."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--root", str(root), *words])
    return Done(code, out.getvalue(), err.getvalue())


def alone(root: Path, *words: str) -> Done:
    """A command in a process of its own, as it is used."""
    command = [sys.executable, str(ROOT / "budget.py"), "--root", str(root), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def released(root: Path, version: str = "1.0", date: str = "2026-03-01") -> Done:
    done = budget(root, "release", "demo", version, "-m", f"Why {version}", "--date", date)
    assert done.code == 0, done.out + done.err
    return done


def frozen(root: Path, version: str = "1.0") -> dict[str, bytes]:
    """Every file of a release."""
    found = {path: path.read_bytes() for path in (root / f"docs/demo/releases/{version}").rglob("*") if path.is_file()}
    snapshot = root / f"ledger/demo/releases/{version}.json"
    return {str(path.relative_to(root)): raw for path, raw in {**found, snapshot: snapshot.read_bytes()}.items()}


def every(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def edit(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text("utf-8")
    assert text.count(old) == 1, old
    (root / file).write_text(text.replace(old, new), "utf-8")


def test_a_release_keeps_its_bytes_while_plan_and_templates_change(rendered: Path) -> None:
    root = rendered
    edit(root, HEAD, "version: 1.0\n", "version: 1.0  # of this plan\n")
    plant(
        root,
        {
            HEAD: (root / HEAD).read_text("utf-8") + "versions:\n"
            "  1.1: {status: pending, note: Runs go in., waits_for: 'runs'}  # soon\n"
        },
    )
    assert budget(root, "render").code == 0
    told = alone(root, "release", "demo", "1.0", "-m", "Why 1.0", "--date", "2026-03-01")
    assert told.code == 0
    assert "Released demo 1.0: docs/demo/releases/1.0/\n" in told.out
    head = (root / HEAD).read_text("utf-8")
    assert "version: 1.0  # of this plan\n" in head
    assert "  1.0: {status: released, date: 2026-03-01, note: Why 1.0}\n" in head
    assert "  1.1: {status: pending, note: Runs go in., waits_for: 'runs'}  # soon\n" in head
    before = frozen(root)
    assert len(before) > 5
    assert budget(root, "render", "--check").code == 0
    page = (root / "docs/demo/lines.md").read_text("utf-8")
    assert "| Version | after [1.0](releases/1.0/index.md), data through 2026-02-02 |" in page
    kept = (root / "docs/demo/releases/1.0/index.md").read_text("utf-8")
    assert "# Demo: budget, version 1.0\n" in kept
    assert "2026-03-01" in kept

    edit(root, "ledger/demo/plan.yaml", "gpu_hours: 40", "gpu_hours: 60")
    plant(root, {"templates/budget.md.j2": "---\ntitle: Mine\n---\n{{ header }}\n\n# Mine\n"})
    assert alone(root, "render").code == 0
    assert frozen(root) == before
    assert "# Mine" in (root / "docs/demo/index.md").read_text("utf-8")
    assert alone(root, "check").code == 0


def test_a_release_stands_by_itself(rendered: Path) -> None:
    """Links stay inside, but for the list of releases; pictures are static; a search does not find it."""
    released(rendered)
    folder = rendered / "docs/demo/releases/1.0"
    assert list(folder.glob("*.svg"))
    assert not list(folder.glob("*.json"))
    names = {path.name for path in folder.iterdir()}
    for path in folder.glob("*.md"):
        text = as_made(path.read_text("utf-8"))
        assert text.startswith("<!-- Released as 1.0")
        above = laid_out(text, f"demo/releases/1.0/{path.name}").partition("\n---\n")[0]
        assert above.endswith("search:\n  exclude: true")
        assert "data-spec" not in text
        for target, anchor in re.findall(r"\]\(([^()\s#]*)(?:#([^)\s]+))?\)", text):
            assert target in {*names, "../index.md", ""}, f"{path.name}: {target}"
            rows = (folder / (target or path.name)).read_text("utf-8") if "." in anchor else ""
            assert "." not in anchor or f'<a id="{anchor}">' in rows, f"{path.name}: {target}#{anchor}"


def test_the_real_projects_would_stand_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without writing or drawing: the pages of all kinds of projects as they would be frozen."""
    monkeypatch.setattr("reckon.present.pages.draw", lambda picture: Drawing("<svg/>", "{}"))
    book, _ = calculate(load(ROOT)[0])
    for project in book.ledger.projects:
        snapshot = snapshot_of(book, project, {}, "2026-01-01", "Why")
        pages = pages_of(book, snapshot, [ROOT / "templates"], existing(ROOT))
        assert strayed(pages) == []


def strayed(pages: Mapping[str, str]) -> list[str]:
    """Links of frozen pages that lead nowhere, or out."""
    found = []
    for path, text in pages.items():
        links = re.findall(r"\]\(([^()\s#:]*)(?:#([^)\s]+))?\)", text) if path.endswith(".md") else ()
        for target, anchor in links:
            leads = normpath(join(path, "..", target)) if target else path
            if leads not in pages and target != "../index.md":
                found.append(f"{path}: {target}")
            elif "." in anchor and f'<a id="{anchor}">' not in pages[leads]:
                found.append(f"{path}: {target}#{anchor}")
    return found


def test_the_snapshot_is_enough_to_read_the_ledger_again(rendered: Path, tmp_path: Path) -> None:
    released(rendered)
    text = (rendered / "ledger/demo/releases/1.0.json").read_text("utf-8")
    snapshot = read_snapshot(text, "demo", "1.0")
    assert (snapshot.date, snapshot.reason, snapshot.data_through) == ("2026-03-01", "Why 1.0", "2026-02-02")
    assert snapshot.figures["demo.budget.final"].use == "99"
    assert snapshot.figures["demo.budget.final"].unit == "GPU-h"
    again = plant(tmp_path / "again", snapshot.files)
    ledger, problems = load(again)
    assert problems == []
    assert str(ledger.projects["demo"].project.version) == "1.0"
    assert {name: (rendered / name).read_text("utf-8") for name in snapshot.files} == dict(snapshot.files)


def test_a_grant_that_others_share_is_read_again_with_them(rendered: Path, tmp_path: Path) -> None:
    head = (rendered / HEAD).read_text("utf-8")
    grant = "grant: {title: Grant, gpu: card, gpu_hours: 500, projects: [demo, other]}\n"
    plant(rendered, {"ledger/other/project.yaml": head, "ledger/allocations.yaml": grant})
    assert budget(rendered, "render").code == 0
    released(rendered)
    snapshot = read_snapshot((rendered / "ledger/demo/releases/1.0.json").read_text("utf-8"), "demo", "1.0")
    assert load(plant(tmp_path / "again", snapshot.files))[1] == []


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("changed", "docs/demo/releases/1.0/index.md:1:1: this page of release 1.0 was changed; restore it: git"),
        ("missing", "docs/demo/releases/1.0/index.md:1:1: this page of release 1.0 is missing; restore it: git"),
        ("more", "docs/demo/releases/1.0/more.md:1:1: this file is not part of a release; remove it"),
        ("figure", "ledger/demo/releases/1.0.json:1:1: the snapshot was changed: its checksum"),
        ("broken", "ledger/demo/releases/1.0.json:1:1: this is not a snapshot of a release; restore it: git"),
        ("renamed", "ledger/demo/releases/1.7.json:1:1: the snapshot is of another release, demo 1.0; restore"),
        ("gone", "docs/demo/releases/1.0/index.md:1:1: this file is not part of a release; remove it, or restore its"),
        (
            "newer",
            "ledger/demo/releases/1.0.json:1:1: the snapshot has a newer format than this program knows; upgrade",
        ),
        ("stray", "ledger/demo/releases/notes.txt:1:1: this file is not a snapshot of a release; remove it"),
        ("link", "docs/demo/releases/1.0/index.md:1:1: this page of release 1.0 was replaced by a link; restore it"),
    ],
)
def test_a_release_that_was_touched_is_refused_and_how_to_mend_it_is_said(rendered: Path, what: str, said: str) -> None:
    root = rendered
    released(root)
    (root / ".git").mkdir()  # without it, no command of git is named
    page, snapshot = root / "docs/demo/releases/1.0/index.md", root / "ledger/demo/releases/1.0.json"
    match what:
        case "changed":
            page.write_text(page.read_text("utf-8").replace("99", "98"), "utf-8")
        case "missing":
            page.unlink()
        case "more":
            page.with_name("more.md").write_text("# More\n")
        case "figure":
            edit(root, "ledger/demo/releases/1.0.json", '"data_through": "2026-02-02"', '"data_through": "2026-02-03"')
        case "broken":
            snapshot.write_text("{}\n")
        case "renamed":
            snapshot.rename(snapshot.with_name("1.7.json"))
        case "gone":
            snapshot.unlink()
        case "newer":
            edit(root, "ledger/demo/releases/1.0.json", '"format": 1', '"format": 9')
        case "stray":
            snapshot.with_name("notes.txt").write_text("x")
        case "link":
            shutil.copy(page, root / "page.md")
            page.unlink()
            page.symlink_to(root / "page.md")
    before = every(root)
    for words in (["check"], ["render", "--check"]):
        done = budget(root, *words)
        assert done.code == 1, done.out + done.err
        assert said in done.out + done.err
    done = budget(root, "release", "demo", "1.1", "-m", "Why")
    assert done.code == 1
    assert every(root) == before


def test_pages_of_a_snapshot_that_cannot_be_read_are_not_called_strays(rendered: Path) -> None:
    """They are as they were released: whoever removed them would lose them."""
    released(rendered)
    snapshot = rendered / "ledger/demo/releases/1.0.json"
    snapshot.write_text("{}")
    done = budget(rendered, "check")
    assert done.code == 1
    assert "1 problem in 1 file" in done.out + done.err
    snapshot.unlink()
    done = budget(rendered, "check")
    assert "this file is not part of a release; remove it, or restore its snapshot" in done.out + done.err


def test_what_is_got_back_is_accepted(rendered: Path) -> None:
    """The command that the message names does mend it."""
    root = rendered
    released(root)
    git = ["git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "1.0"]):
        subprocess.run([*git, *words], check=True)
    page = root / "docs/demo/releases/1.0/index.md"
    page.write_text("changed\n")
    said = budget(root, "check").out
    mend = re.search(r"git checkout -- (\S+)", said)
    assert mend
    subprocess.run([*git, "checkout", "-q", "--", mend[1]], check=True)
    assert budget(root, "check").code == 0


@pytest.mark.parametrize(
    "version", ["../../x", "..", "", "1..2", "v1", "01.1", "1.x", "1.0\n", "1/2", "9999999", "1.0.0.0.0.0"]
)
def test_a_version_is_numbers_and_dots(rendered: Path, version: str) -> None:
    before = every(rendered)
    done = budget(rendered, "release", "demo", version, "-m", "Why")
    assert done.code == 2
    assert "is not a version; write numbers and dots, such as 1.1.0" in done.err
    assert every(rendered) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["../../x", "1.0", "-m", "Why"], "there is no project `../../x`; there are `demo`"),
        (["demo", "1.0", "-m", " \n"], "say why in up to 1,000 characters"),
        (["demo", "1.0", "-m", "W" * 1001], "say why in up to 1,000 characters"),
        (["demo", "1.0", "-m", "a\x1bb"], "U+001B is not allowed in a text"),
        (
            ["demo", "1.0", "-m", "Why", "--date", "2026-02-30"],
            "`2026-02-30` is not a date; write one such as 2025-09-03",
        ),
        (["demo", "1.0", "-m", "Why", "--date", "20260201"], "`20260201` is not a date"),
        (["demo", "1.0", "-m", "Why", "--date", "9999-01-01"], "`9999-01-01` has not come yet; today is "),
    ],
)
def test_what_cannot_be_meant_is_refused_plainly(rendered: Path, words: list[str], said: str) -> None:
    before = every(rendered)
    done = budget(rendered, "release", *words)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert every(rendered) == before


def test_versions_only_rise_and_ten_comes_after_two(rendered: Path) -> None:
    root = rendered
    for version in ("1.2", "1.10"):
        released(root, version)
    for version in ("1.10", "1.10.0", "1.9", "1.2", "1"):
        done = budget(root, "release", "demo", version, "-m", "Why", "--date", "2026-03-02")
        assert done.code == 2, version
        assert "choose a later version" in done.err
    assert "is before 2026-03-01" in budget(root, "release", "demo", "2", "-m", "Why", "--date", "2026-01-01").err
    nav = (root / "docs/nav.yml").read_text("utf-8")
    index = (root / "docs/demo/releases/index.md").read_text("utf-8")
    assert nav.index('"1.10"') < nav.index('"1.2"')
    assert index.index("[1.10]") < index.index("[1.2]")
    assert "after [1.10]" in (root / "docs/demo/index.md").read_text("utf-8")
    assert numeric("1.0.0") == numeric("1")
    assert budget(root, "render", "--check").code == 0


def test_pages_are_looked_at_before_they_are_frozen(rendered: Path) -> None:
    edit(rendered, "ledger/demo/plan.yaml", "gpu_hours: 40", "gpu_hours: 60")
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code == 1
    assert "stale: docs/demo/index.md\n" in done.err
    assert every(rendered) == before


def test_errors_are_settled_or_accepted_with_a_reason(rendered: Path) -> None:
    edit(rendered, "ledger/demo/plan.yaml", "hours_per_epoch: 1-2", "hours_per_epoch: 10-20")
    assert budget(rendered, "render").code == 0
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code == 3
    assert "(plan-unlike-its-estimate:demo.plan.train#clock)" in done.err
    assert "accept it under `accept` in ledger/demo/project.yaml, with `reason` and `by`" in done.err
    assert every(rendered) == before
    ids = re.findall(r"\(([a-z-]+:\S+)\)", done.err)
    accept = "".join(f"  - {{finding: '{one}', reason: 'As it was.'}}\n" for one in ids)
    head = (rendered / HEAD).read_text("utf-8")
    plant(rendered, {HEAD: f"{head}accept:\n{accept}"})
    assert budget(rendered, "render").code == 0
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code == 3
    assert f"{len(ids)} accepted finding does not name who accepted: add `by` to each" in done.err
    plant(rendered, {HEAD: f"{head}accept:\n{accept.replace('reason:', 'by: Ann *A*, reason:')}"})
    assert budget(rendered, "render").code == 0
    assert "> Accepted by Ann \\*A\\* (otherwise error): As it was." in (rendered / "docs/demo/findings.md").read_text()
    released(rendered)
    index = (rendered / "docs/demo/releases/index.md").read_text("utf-8")
    assert f"{len(ids)} accepted" in index


def test_a_document_as_published_keeps_its_findings_open(rendered: Path) -> None:
    edit(rendered, "ledger/demo/plan.yaml", "hours_per_epoch: 1-2", "hours_per_epoch: 10-20")
    assert budget(rendered, "render").code == 0
    words = ("demo", "1.0", "--as-published", "-m", "As submitted", "--date", "2026-03-01")
    assert budget(rendered, "release", *words).code == 0
    folder = rendered / "docs/demo/releases"
    head = "> Version 1.0, as published 2026-03-01 with data through"
    index = (folder / "1.0/index.md").read_text("utf-8")
    assert head in index
    assert "finds in it is open, and nobody accepts it: 1 error." in index
    assert "as published 2026-03-01" in (folder / "index.md").read_text("utf-8")
    assert "[Pages as published](releases/1.0/index.md)" in (rendered / "docs/demo/history.md").read_text("utf-8")
    assert json.loads((rendered / "ledger/demo/releases/1.0.json").read_text("utf-8"))["as_published"] is True
    assert budget(rendered, "render", "--check").code == 0


def test_a_document_as_published_accepts_nothing(rendered: Path) -> None:
    edit(rendered, "ledger/demo/plan.yaml", "hours_per_epoch: 1-2", "hours_per_epoch: 10-20")
    accept = "accept: [{finding: 'plan-unlike-its-estimate:demo.plan.train#clock', reason: Agreed., by: Ann}]\n"
    plant(rendered, {HEAD: (rendered / HEAD).read_text("utf-8") + accept})
    assert budget(rendered, "render").code == 0
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.0", "--as-published", "-m", "As submitted")
    assert (done.code, every(rendered)) == (3, before)
    assert done.err.startswith(
        "ledger/demo/project.yaml has `accept`, but a document as published keeps its findings open"
    )


def test_an_acceptance_until_this_version_has_run_out(rendered: Path) -> None:
    """The findings are those of the ledger as it will be, with the version that is released."""
    edit(rendered, "ledger/demo/plan.yaml", "hours_per_epoch: 1-2", "hours_per_epoch: 10-20")
    told = json.loads(budget(rendered, "check", "--format", "json").out)["findings"]
    ids = [row["id"] for cause in told for row in cause["rows"]]
    accept = "".join(f"  - {{finding: '{one}', reason: 'As it was.', by: Ann, until: 1.1}}\n" for one in ids)
    plant(rendered, {HEAD: (rendered / HEAD).read_text("utf-8") + "accept:\n" + accept})
    assert budget(rendered, "render").code == 0
    released(rendered)
    before = every(rendered)
    assert budget(rendered, "release", "demo", "1.1", "-m", "Why").code == 3
    assert every(rendered) == before


def test_what_stands_in_the_way_is_not_replaced(rendered: Path) -> None:
    plant(rendered, {"docs/demo/releases/1.0/index.md": "# Somebody's own\n"})
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code == 1
    assert "docs/demo/releases/1.0/index.md:1:1: this file is not part of a release" in done.err
    assert every(rendered) == before


@pytest.mark.parametrize("home", ["docs/demo/releases", "ledger/demo/releases"])
def test_no_link_leads_a_release_out_of_the_root(rendered: Path, home: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (rendered / home).symlink_to(out)
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code != 0
    assert f"{home}:1:1: this is not a folder" in done.err or "leads out of the root" in done.err
    assert list(out.iterdir()) == []


def test_a_project_that_is_a_link_out_of_the_root_is_refused(rendered: Path, tmp_path: Path) -> None:
    away = shutil.move(rendered / "ledger/demo", tmp_path / "away")
    (rendered / "ledger/demo").symlink_to(away)
    before = every(Path(away))
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code == 2
    assert every(Path(away)) == before


@pytest.mark.parametrize("name", ["releases", "history"])
def test_a_page_where_releases_are_is_refused(rendered: Path, name: str) -> None:
    plant(rendered, {HEAD: (rendered / HEAD).read_text("utf-8") + f"pages: {{{name}: {{title: Mine}}}}\n"})
    done = budget(rendered, "render")
    assert done.code == 2
    assert f"`{name}` is the name of a page that every project has" in done.err


def test_the_markers_of_a_merge_are_told_and_nothing_is_written(rendered: Path) -> None:
    plant(
        rendered, {"ledger/demo/plan.yaml": "<<<<<<< HEAD\n" + (rendered / "ledger/demo/plan.yaml").read_text("utf-8")}
    )
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.0", "-m", "Why")
    assert done.code == 2
    assert "a merge conflict was left here" in done.err
    assert every(rendered) == before


KILLED = """
import os, sys
from reckon.cli import main
from reckon.present import pages

root, last = sys.argv[1], int(sys.argv[2])
done = []

def counted(real):
    def act(*args, **more):
        done.append(str(args[-1]))
        if len(done) == last:
            os._exit(137)
        return real(*args, **more)
    return act

# What the pictures of the release show does not matter here, and drawing them takes longer than all else.
pages.drawn = lambda shown: {f"{name}.svg": "<svg/>" for name in shown}
for name in ("replace", "rename", "unlink", "rmdir"):
    setattr(os, name, counted(getattr(os, name)))
code = main(["release", "demo", "1.0", "-m", "Why", "--date", "2026-03-01", "--root", root])
print("\\n".join(done), file=sys.stderr)
sys.exit(code)
"""


def killed_before(root: Path, step: int) -> subprocess.CompletedProcess[str]:
    """Releases in a process that ends, as if it were killed, just before it moves or removes its nth file."""
    command = [sys.executable, "-c", KILLED, str(root), str(step)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)


@pytest.mark.full
def test_a_release_that_is_killed_is_there_whole_or_not_at_all(small_with_pages: Path, tmp_path: Path) -> None:
    """Killed before each of its steps: nothing to be seen yet, or completed by the next `render`."""
    steps = killed_before(shutil.copytree(small_with_pages, tmp_path / "whole"), 0).stderr.splitlines()
    turn, end = (number for number, path in enumerate(steps, 1) if path.endswith("/.journal.json"))
    outcomes = []
    for step in (1, turn // 2, *range(turn, turn + 4), *range(end - 4, end + 4)):
        root = shutil.copytree(small_with_pages, tmp_path / f"tree{step}")
        before = every(root)
        assert killed_before(root, step).returncode == 137
        after = every(root)
        hidden = {path for path in after if "/." in path}
        if "ledger/demo/.journal.json" in hidden:
            done = budget(root, "check")
            assert done.code == 1
            assert "a release was interrupted here; `render` completes it" in done.out
            assert "completed the release of demo 1.0\n" in budget(root, "render").out
            outcomes.append("completed")
        elif "ledger/demo/releases/1.0.json" in after:
            assert budget(root, "render").code == 0
            outcomes.append("whole")
        else:
            assert {path: raw for path, raw in after.items() if path not in hidden} == before
            released(root)
            outcomes.append("nothing")
        assert budget(root, "render", "--check").code == 0
        assert budget(root, "check").code == 0
        assert "status: released" in (root / HEAD).read_text("utf-8")
        # What is half written has a hidden name; a later write of the same file sweeps it away.
        assert [path for path in every(root) if "/." in path and not path.endswith((".add.lock", ".tmp"))] == []
    assert outcomes[:3] == ["nothing"] * 3
    assert outcomes[3:] == sorted(outcomes[3:])
    assert {"completed", "whole"} == set(outcomes[3:])


def test_changes_are_told_as_a_bridge_that_adds_up(rendered: Path) -> None:
    root = rendered
    released(root, "1.0")
    edit(root, HEAD, "contingency: 10%", "contingency: 5%")
    edit(root, "ledger/demo/plan.yaml", "gpu_hours: 40", "gpu_hours: 60")
    assert budget(root, "render").code == 0
    released(root, "1.1")
    plant(root, {"ledger/demo/runs/2026-03.yaml": "- {date: 2026-03-05, item: test, gpu_hours: 1}\n"})
    assert budget(root, "render").code == 0
    text = (root / "docs/demo/history.md").read_text("utf-8")
    headings = re.findall(r"^## (.*)", text, re.MULTILINE)
    assert headings[:3] == [
        "1.1 – 2026-03-01: the budget changed",
        "Since 1.1: the budget did not change",
        "1.0 – 2026-03-01: first release",
    ], "the latest change of the plan comes before runs alone"
    _, section, since, _ = re.split(r"\n## (?:1\.1|Since 1\.1|1\.0).*", text)
    assert section.startswith("\n\n| Change | GPU-h |")
    assert "Why 1.1. [Frozen pages](releases/1.1/index.md) · budget 136 GPU-h" in section
    rows = re.findall(r"^\| (.*?) \| ([+−][\d.]+) \| ", section, re.MULTILINE)
    assert rows == [("Contingency: 10% → 5%", "−4.5"), ("Training: GPU-hours: 40 → 60", "+42.0")]
    assert "| **Final budget: 99.0 → 136.5** | **+37.5** |" in section
    assert "`ledger/demo/plan.yaml:7`" in section
    assert "Forecast then: " in section
    assert "Spent: 16.5 GPU-h → [17.5 GPU-h]" in since
    assert (
        "**The budget was 99 GPU-h in 1.0 and is [136 GPU-h][budget.final] now; it has not changed since 1.1.**" in text
    )
    alt = (
        "Final budget rises by 37.5 GPU-h from 1.0 to 1.1. "
        "Final budget from 99.0 to 136.5 GPU-h: Contingency: 10% → 5% −4.5 and Training: GPU-hours: 40 → 60 +42.0."
    )
    assert f"![{alt}](changes-1.1.svg)" in section
    assert (root / "docs/demo/changes-1.1.svg").is_file()
    assert budget(root, "render", "--check").code == 0


TEXTS = {
    "a new one after the last": (
        "version: 1.0 # c\nversions:\n  1.0: {status: released, note: n}  # keep\n\n# end\nseeds: 2\n",
        "version: 1.1 # c\nversions:\n  1.0: {status: released, note: n}  # keep\n"
        "  1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}\n\n# end\nseeds: 2\n",
    ),
    "a new one in its place": (
        "version: 1.0\nversions:\n  1.0: {status: released, note: n}\n  # far\n  1.20: {status: future, note: f}\n",
        "version: 1.1\nversions:\n  1.0: {status: released, note: n}\n  # far\n"
        "  1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}\n  1.20: {status: future, note: f}\n",
    ),
    "one that was pending": (
        "version: 1.0\nversions:\n  1.1:\n    # about it\n    status: pending\n    note: |\n      long\n      text\n"
        "    waits_for: x\n\n# end\n",
        "version: 1.1\nversions:\n  1.1:\n    # about it\n    date: 2026-03-01\n    status: released\n"
        "    note: 'It''s: so'\n\n# end\n",
    ),
    "one line": (
        "versions: {1.0: {status: released, note: n}, 2.0: {status: future, note: f}}\nversion: 1\n",
        "versions: {1.0: {status: released, note: n}, 1.1: {status: released, date: 2026-03-01, note: 'It''s: so'},"
        " 2.0: {status: future, note: f}}\nversion: 1.1\n",
    ),
    "none yet, with the line ends of Windows": (
        "version: 1.0\r\nseeds: 2",
        "version: 1.1\r\nseeds: 2\r\n\r\n"
        "versions:\r\n  1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}\r\n",
    ),
    "what blocks it first": (
        "version: 1.0\nversions:\n  1.1:\n    waits_for: |\n      long\n    note: n  # k\n    status: pending\n",
        "version: 1.1\nversions:\n  1.1:\n    date: 2026-03-01\n    note: 'It''s: so'  # k\n    status: released\n",
    ),
    "nothing but what blocks it": (
        "versions:\n  1.1:\n    waits_for: x\nversion: 1.0\n",
        "versions:\n  1.1:\n    status: released\n    date: 2026-03-01\n    note: 'It''s: so'\nversion: 1.1\n",
    ),
    "quoted keys": (
        "\"version\": '1.0' # c\nversions:\n  \"0.1\": {status: released}\n  '2.0': {status: future}\n",
        '"version": 1.1 # c\nversions:\n  "0.1": {status: released}\n'
        "  1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}\n  '2.0': {status: future}\n",
    ),
    "braces over lines": (
        "version: 1.0\nversions: {\n  0.1: {status: released},  # c\n}\n",
        "version: 1.1\nversions: {\n  0.1: {status: released},"
        " 1.1: {status: released, date: 2026-03-01, note: 'It''s: so'},  # c\n}\n",
    ),
    "a whole file in braces": (
        "{title: T, version: 1.0}\n",
        "{title: T, version: 1.1, versions: {1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}}}\n",
    ),
    "an indented file": (
        "  version: 1.0\n  seeds: 2\n",
        "  version: 1.1\n  seeds: 2\n\n  versions:\n    1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}\n",
    ),
    "a document with an end": (
        "---\nversion: 1.0\n...\n",
        "---\nversion: 1.1\n\nversions:\n  1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}\n...\n",
    ),
    "an empty map": (
        "version: 1.0\nversions: {}\n",
        "version: 1.1\nversions: {1.1: {status: released, date: 2026-03-01, note: 'It''s: so'}}\n",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_exactly_the_entry_of_the_version_changes(name: str) -> None:
    text, wanted = TEXTS[name]
    assert with_release(text, "1.1", "2026-03-01", "It's: so") == wanted


@pytest.mark.parametrize(
    "versions",
    [
        "  ? 0.1\n  : {status: released, note: n}\n  ? 2.0\n  : {status: future, note: f}\n",
        "  {0.1:\t{status: released, note: n}}\n",
    ],
    ids=["question", "tab"],
)
def test_an_entry_that_cannot_be_written_is_said_and_nothing_is(rendered: Path, versions: str) -> None:
    plant(rendered, {HEAD: (rendered / HEAD).read_text("utf-8") + "versions:\n" + versions})
    assert budget(rendered, "render").code == 0
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.1", "-m", "Why")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"{HEAD} has no place for the entry; write it by hand, with `version: 1.1`\n"
    assert every(rendered) == before


def test_where_a_job_renders_a_release_does_not_ask_for_pages(rendered: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it write any but its own; a stranger's file is refused all the same."""
    monkeypatch.setattr(release, "keeps_pages", lambda root: False)
    plant(rendered, {"ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace("gpu_hours: 10", "gpu_hours: 11")})
    plant(rendered, {"docs/demo/notes.md": "mine"})
    before = every(rendered)
    done = budget(rendered, "release", "demo", "1.1", "-m", "Why")
    assert (done.code, done.out) == (2, "")
    assert "docs/demo/notes.md" in done.err
    assert every(rendered) == before
    (rendered / "docs/demo/notes.md").unlink()
    before = every(rendered)
    assert budget(rendered, "release", "demo", "1.1", "-m", "Why").code == 0
    after = every(rendered)
    assert {name for name in after if after[name] != before.get(name)} == {
        HEAD,
        "ledger/demo/releases/1.1.json",
        *frozen(rendered, "1.1"),
    }


@pytest.mark.full
def test_the_site_says_of_old_releases_that_there_is_a_newer_one(rendered: Path) -> None:
    root = rendered
    released(root, "1.2")
    released(root, "1.10")
    before = {**frozen(root, "1.2"), **frozen(root, "1.10")}
    assert budget(root, "build").code == 0
    old, new = ((root / f"site/demo/releases/{one}/status/index.html").read_text("utf-8") for one in ("1.2", "1.10"))
    assert 'A newer version exists: <a href="../../1.10/status/">1.10</a>' in old
    assert "A newer version exists" not in new
    assert {**frozen(root, "1.2"), **frozen(root, "1.10")} == before
    found = json.loads((root / "site/search/search_index.json").read_text("utf-8"))["docs"]
    assert [one["location"] for one in found if re.search(r"releases/\d", one["location"])] == []
    assert [one["location"] for one in found if one["location"] == "demo/"]
    assert "data-spec" not in old
