"""Releases that somebody else wrote, damaged, moved or left half-done: said plainly, and nothing is written."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from reckon.model.release import Changed, read_snapshot, seal
from reckon.publish import journal
from tests.cli.test_release import HEAD, ROOT, Done, budget, edit, every, frozen, released
from tests.small import SMALL, plant

SNAPSHOT, PENDING = "ledger/demo/releases/1.0.json", "ledger/demo/releases/.pending.json"
JOURNAL = "ledger/demo/.journal.json"
PAGES = "docs/demo/releases/1.0"
TOTAL = "demo.budget.final"


@pytest.fixture(scope="module")
def made(small_with_pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small ledger with a release, to be copied."""
    root = shutil.copytree(small_with_pages, tmp_path_factory.mktemp("made") / "tree")
    released(root)
    return root


@pytest.fixture
def tree(made: Path, tmp_path: Path) -> Path:
    root = shutil.copytree(made, tmp_path / "tree")
    (root / ".git").mkdir()  # without it, no command of git is named
    return root


def snapshot(root: Path) -> dict[str, Any]:
    return dict(json.loads((root / SNAPSHOT).read_text("utf-8")))


def sealed(whole: dict[str, Any]) -> str:
    """A snapshot with a checksum that is right, as whoever knows how it is made can write one."""
    inner = {key: value for key, value in whole.items() if key != "sha256"}
    return json.dumps({**inner, "sha256": seal(inner)}, ensure_ascii=False)


def everywhere(root: Path) -> dict[str, bytes]:
    """Every file of a tree and of the folder that it stands in."""
    return every(root.parent)


def refused(root: Path, said: str) -> None:
    """`check` and `render --check` give 1 and say so, `render` and `release` stop, and nothing is written anywhere."""
    before = everywhere(root)
    for words, codes in (
        (["check"], (1,)),
        (["render", "--check"], (1,)),
        (["render"], (1, 2)),
        (["release", "demo", "1.1", "-m", "Why"], (1, 2)),
    ):
        done = budget(root, *words)
        assert done.code in codes, (words, done)
        assert said in done.out + done.err, words
    assert everywhere(root) == before


def figure(**said: object) -> Callable[[dict[str, Any]], None]:
    return lambda whole: whole["figures"][TOTAL].update(said)


def file(name: str, text: object = "x") -> Callable[[dict[str, Any]], None]:
    return lambda whole: whole["files"].update({name: text})


def page(path: str) -> Callable[[dict[str, Any]], None]:
    return lambda whole: whole["pages"].update({path: "0" * 64})


def said(**what: object) -> Callable[[dict[str, Any]], None]:
    return lambda whole: whole.update(what)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        *(
            (file(name), "is not the path of a ledger file")
            for name in (
                "../../out.yaml",
                "/tmp/out.yaml",
                "ledger/../out.yaml",
                "docs/x.md",
                "ledger/a\0.yaml",
                "ledger\\x.yaml",
                "ledger/.yaml/../../../x.yaml",
                "ledger//x.yaml",
                "ledger/demo/x.py",
            )
        ),
        (file("ledger/x.yaml", 3), "is not the path of a ledger file"),
        *(
            (page(path), "is not a page of it")
            for path in (
                "../../etc/passwd",
                "/etc/passwd",
                f"{PAGES}/../../../../x.md",
                f"{PAGES}/$(id).md",
                f"{PAGES}/a\x1b.md",
                "docs/demo/releases/2.0/index.md",
                f"{PAGES}/index.html",
            )
        ),
        (said(pages={f"{PAGES}/index.md": 3}), "is not a page of it"),
        *((figure(use=end), f"the figure `{TOTAL}` is invalid") for end in ("abc", "1/0", 3, "1e999999", "9" * 9999)),
        (figure(missing="abc"), f"the figure `{TOTAL}` is invalid"),
        (figure(title=None), f"the figure `{TOTAL}` is invalid"),
        (said(findings=[{"id": "a", "severity": ["x"], "title": "t", "accepted": ""}]), "a finding is invalid"),
        (said(findings=[3]), "a finding is invalid"),
        *(
            (said(**{key: 3}), f"`{key}` is missing or invalid")
            for key in ("figures", "files", "findings", "pages", "date", "reason", "data_through")
        ),
        (lambda whole: whole.pop("date"), "`date` is missing"),
        (said(date="<script>"), "its version, date or reason is invalid"),
        (said(reason="W" * 2000), "its version, date or reason is invalid"),
        *((said(format=number), "this is not a snapshot of a release") for number in (-1, True, "1", 1.5, None, [1])),
        (said(more=float("nan")), "this is not a snapshot of a release"),
        (said(format=float("inf")), "this is not a snapshot of a release"),
        (said(project="other"), "the snapshot is of another release, other 1.0; restore the names of file and folder"),
    ],
)
def test_nothing_is_taken_that_no_release_writes(
    tree: Path, change: Callable[[dict[str, Any]], None], wrong: str
) -> None:
    whole = snapshot(tree)
    change(whole)
    with pytest.raises(Changed) as found:
        read_snapshot(sealed(whole), "demo", "1.0")
    assert wrong in f"{found.value.wrong}; {found.value.right}"


@pytest.mark.parametrize("name", ["../../out.yaml", "/{here}/out.yaml", "ledger/demo/plan.yaml/x.yaml"])
def test_a_snapshot_writes_nothing_elsewhere(tree: Path, name: str) -> None:
    """The page of changes reads releases again from their files: those stay in their own folder."""
    whole = snapshot(tree)
    whole["files"][name.format(here=str(tree.parent).lstrip("/"))] = "x"
    (tree / SNAPSHOT).write_text(sealed(whole), "utf-8")
    before = everywhere(tree)
    for words in (["check"], ["render", "--check"], ["diff", "1.0"]):
        assert budget(tree, *words).code in (0, 1, 2)
    assert everywhere(tree) == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"format": 1' + "0" * 5000 + "}",
        '{"format": 1e999}',
        '{"format": NaN}',
        '{"reason": "\\ud800", "format": 1}',
        "\ufeff{}",
    ],
    ids=["empty", "list", "null", "deep", "deeper", "long", "infinite", "nan", "surrogate", "mark"],
)
def test_what_is_no_snapshot_is_refused(tree: Path, text: str) -> None:
    (tree / SNAPSHOT).write_text(text, "utf-8")
    refused(tree, f"{SNAPSHOT}:1:1: this is not a snapshot of a release; restore it: git checkout -- {SNAPSHOT}")


def test_a_key_is_said_once(tree: Path) -> None:
    edit(tree, SNAPSHOT, '"reason":', '"reason": "Another",\n "reason":')
    refused(tree, "this is not a snapshot of a release")


def test_keys_that_are_there_twice_in_a_file_of_a_snapshot_are_told(tree: Path) -> None:
    """Whoever can seal a snapshot can write anything into it."""
    whole = snapshot(tree)
    whole["files"]["ledger/demo/figures.yaml"] = "a: {title: A}\na: {title: A}\nb: {title: B}\nb: {title: B}\n"
    (tree / SNAPSHOT).write_text(sealed(whole), "utf-8")
    done = budget(tree, "diff", "1.0")
    assert done.code == 2
    for line in (2, 4):
        assert f"demo@1.0: ledger/demo/figures.yaml:{line}:1: `{'_ab'[line // 2]}` appears twice; keep one" in done.err
    assert budget(tree, "render").code == 0
    assert "cannot be read by this version" in (tree / "docs/demo/history.md").read_text("utf-8")


def test_a_snapshot_beyond_all_bounds_is_not_read(tree: Path) -> None:
    with open(tree / SNAPSHOT, "ab") as file_:
        file_.truncate(65 * 1024 * 1024)
    assert "it is larger than 64 MiB; restore it" in budget(tree, "check").out


def test_an_older_format_is_read_for_ever(tree: Path) -> None:
    """Format 0, which is made up, had neither findings nor pages."""
    whole = snapshot(tree)
    old = {key: value for key, value in whole.items() if key not in ("findings", "pages")}
    one = read_snapshot(sealed({**old, "format": 0}), "demo", "1.0")
    assert one.figures[TOTAL].use == "99"
    assert (one.findings, one.pages) == ((), {})


def test_a_newer_format_names_a_newer_program_and_nothing_else(tree: Path) -> None:
    whole = snapshot(tree)
    (tree / SNAPSHOT).write_text(sealed({"format": 2, "later": whole}), "utf-8")
    right = "the snapshot has a newer format than this program knows; upgrade the program"
    refused(tree, f"{SNAPSHOT}:1:1: {right}")
    assert budget(tree, "check").out.splitlines()[:2] == [f"{SNAPSHOT}:1:1: {right}", "1 problem in 1 file"]


@pytest.mark.parametrize("where", [SNAPSHOT, f"{PAGES}/index.md"])
def test_a_release_is_never_merged(tree: Path, where: str) -> None:
    text = (tree / where).read_text("utf-8")
    (tree / where).write_text(f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n", "utf-8")
    for words in (["check"], ["render", "--check"]):
        done = budget(tree, *words)
        assert done.code == 1
        assert f"a release cannot be merged; take one side, git checkout --ours -- {where} (or --theirs)" in (
            done.out + done.err
        )


def test_a_way_back_is_safe_to_paste(tree: Path) -> None:
    home = tree / "ledger/$(id) x/releases"
    home.mkdir(parents=True)
    shutil.copy(tree / SNAPSHOT, home / "1.0.json")
    (home / "1.0.json").write_text("{}")
    assert "git checkout -- 'ledger/$(id) x/releases/1.0.json' (" in budget(tree, "check").out


@pytest.mark.parametrize("step", ["docs/demo", "docs/demo/releases", PAGES])
def test_a_folder_that_became_a_link_is_told_once(tree: Path, tmp_path: Path, step: str) -> None:
    shutil.move(tree / step, tmp_path / "away")
    (tree / step).symlink_to(tmp_path / "away")
    done = budget(tree, "check")
    assert done.code == 1
    told = [line for line in done.out.splitlines() if line.startswith("docs/")]
    assert f"{step}:1:1: this folder was replaced by a link; replace it by the folder itself [not-a-folder]" in told
    assert len(told) <= 2
    assert budget(tree, "render", "--check").code != 0


def test_a_snapshot_behind_a_link_is_not_followed(tree: Path) -> None:
    (tree / SNAPSHOT).rename(tree / "kept.json")
    (tree / SNAPSHOT).symlink_to(tree / "kept.json")
    done = budget(tree, "check")
    assert done.code == 1
    assert f"{SNAPSHOT}:1:1: this is a link, not a file; " in done.out


def test_a_link_beside_the_folders_of_releases_is_no_file_of_one(tree: Path, tmp_path: Path) -> None:
    (tree / "docs/demo/releases/2.0").symlink_to(tmp_path)
    done = budget(tree, "check")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith("docs/")] == [
        "docs/demo/releases/2.0:1:1: this folder was replaced by a link; replace it by the folder itself [not-a-folder]"
    ]


@pytest.mark.parametrize("link", ["docs/demo", "ledger/other"])
def test_nothing_is_told_of_what_lies_behind_the_link_of_a_project(tree: Path, tmp_path: Path, link: str) -> None:
    if (tree / link).exists():
        shutil.rmtree(tree / link)
    plant(
        tmp_path / "away",
        {"releases/9.9/secret.md": "x\n", "releases/9.9.json": "{}\n", "releases/secret.json": "{}\n"},
    )
    (tree / link).symlink_to(tmp_path / "away")
    done = budget(tree, "check")
    assert done.code in (1, 2)
    assert "secret" not in done.out + done.err
    assert "9.9" not in done.out + done.err


def test_own_pages_may_be_called_releases(tree: Path) -> None:
    plant(tree, {"docs/guide/releases/how.md": "# How we release\n"})
    assert budget(tree, "render").code == 0
    assert budget(tree, "check").code == 0


def test_another_id_leaves_a_release_behind(tree: Path) -> None:
    """A release keeps the id of its project: what is said leads back, and nothing is called superfluous."""
    for top in ("ledger", "docs"):
        shutil.move(tree / top / "demo", tree / top / "other")
    done = budget(tree, "check")
    assert done.code == 1
    assert "ledger/other/releases/1.0.json:1:1: the snapshot is of another release, demo 1.0; restore" in done.out
    assert "remove it" not in done.out


def test_damage_is_told_with_all_else_that_is_wrong(tree: Path) -> None:
    (tree / PAGES / "index.md").write_text("changed\n")
    damage = f"{PAGES}/index.md:1:1: this page of release 1.0 was changed"
    edit(tree, "ledger/demo/plan.yaml", "hours_per_epoch: 1-2", "hours_per_epoch: 10-20")
    done = budget(tree, "check")
    assert done.code == 1
    assert damage in done.out
    assert "error: " in done.out
    assert "plan-unlike-its-estimate:demo.plan.train#clock" in done.out
    done = budget(tree, "render", "--check")
    assert done.code == 1
    assert damage in done.err
    assert "stale: docs/demo/index.md\n" in done.out
    edit(tree, "ledger/demo/plan.yaml", "gpu_hours: 10", "gpu_hours: ten")
    for words in (["check"], ["render", "--check"]):
        done = budget(tree, *words)
        assert done.code == 2
        assert damage in done.out + done.err
        assert "`ten` is not a number" in done.out + done.err


def test_a_render_leaves_a_damaged_release_as_it_is(tree: Path) -> None:
    (tree / PAGES / "index.md").write_text("changed\n")
    (tree / PAGES / "status.md").unlink()
    (tree / PAGES / "more.md").write_text("more\n")
    edit(tree, "ledger/demo/plan.yaml", "gpu_hours: 40", "gpu_hours: 60")
    before = frozen(tree)
    assert budget(tree, "render").code == 0
    assert frozen(tree) == before


# What a release left half-done, or somebody who wants that it looks so.


def journalled(root: Path, **said_: object) -> list[dict[str, Any]]:
    """The files of a release as a journal has them, with their texts; `said_` is what its snapshot says."""
    whole = {**snapshot(root), **said_}
    text = sealed({**whole, "pages": {path: sha256(b"# Page\n").hexdigest() for path in whole["pages"]}})
    version = whole["version"]
    made = {**dict.fromkeys(whole["pages"], "# Page\n"), f"ledger/demo/releases/{version}.json": text}
    head = {"path": HEAD, "was": sha256((root / HEAD).read_bytes()).hexdigest(), "text": whole["files"][HEAD]}
    return [*({"path": path, "was": None, "text": text} for path, text in made.items()), head]


def forged(root: Path) -> list[dict[str, Any]]:
    """A journal with release 7.0, which is whole."""
    pages = {path.replace("/1.0/", "/7.0/"): "" for path in snapshot(root)["pages"]}
    files = {**snapshot(root)["files"], HEAD: SMALL[HEAD] + "# released\n"}
    return journalled(root, version="7.0", pages=pages, files=files)


SEVEN = "ledger/demo/releases/7.0.json"
ODD: Mapping[str, Callable[[list[dict[str, Any]]], object]] = {
    "without a page": lambda files: files.pop(0),
    "without its snapshot": lambda files: [files.remove(one) for one in list(files) if one["path"] == SEVEN],
    "another page": lambda files: files[0].update(text="# Another\n"),
    "a page more": lambda files: files.append({**files[0], "path": "docs/demo/releases/7.0/more.md"}),
    "a page elsewhere": lambda files: files[0].update(path="docs/demo/index.md"),
    "a file of another release": lambda files: files[0].update(path=f"{PAGES}/index.md"),
    "over a page": lambda files: files[0].update(was="0" * 64),
    "a page that goes": lambda files: files[0].update(text=None, was="0" * 64),
    "another project.yaml": lambda files: files[-1].update(text="title: Evil\n"),
    "a file of the ledger": lambda files: files.append({**files[0], "path": "ledger/demo/runs/x.yaml"}),
    "a file outside": lambda files: files.append({**files[0], "path": "../out.md"}),
}


def test_a_release_in_a_journal_is_completed_whole(tree: Path) -> None:
    (tree / JOURNAL).write_text(json.dumps({"format": 1, "files": forged(tree)}), "utf-8")
    assert f"{JOURNAL}:1:1: a release was interrupted here; `render` completes it" in budget(tree, "check").out
    assert budget(tree, "render").out.startswith("completed the release of demo 7.0\n")
    assert (tree / HEAD).read_text("utf-8") == SMALL[HEAD] + "# released\n"
    assert budget(tree, "check").code == 0


def test_a_ledger_that_was_changed_meanwhile_keeps_a_release_and_its_own_words(tree: Path) -> None:
    (tree / JOURNAL).write_text(json.dumps({"format": 1, "files": forged(tree)}), "utf-8")
    edit(tree, HEAD, "title: ", "title: My ")
    kept = (tree / HEAD).read_bytes()
    done = budget(tree, "render")
    meanwhile = f"{HEAD} was changed meanwhile; write its entry under `versions` by hand\n"
    assert (done.code, done.err) == (2, f"demo 7.0 is released, but {meanwhile}")
    assert (tree / HEAD).read_bytes() == kept
    assert budget(tree, "check").code == 0


@pytest.mark.parametrize("name", ODD)
def test_a_journal_holds_one_whole_release_and_nothing_else(tree: Path, name: str) -> None:
    files = forged(tree)
    ODD[name](files)
    (tree / JOURNAL).write_text(json.dumps({"format": 1, "files": files}), "utf-8")
    before = everywhere(tree)
    assert budget(tree, "render") == Done(2, "", f"{JOURNAL} was not written by `budget`; remove it\n")
    assert everywhere(tree) == before


@pytest.mark.parametrize("step", ["docs/demo/releases", "docs/demo/releases/7.0", "docs/demo/releases/7.0/index.md"])
def test_a_release_in_a_journal_goes_through_no_link(tree: Path, tmp_path: Path, step: str) -> None:
    (tree / step).parent.mkdir(exist_ok=True)
    if (tree / step).exists():
        shutil.move(tree / step, tmp_path / "was")
    (tmp_path / "away").mkdir()
    (tree / step).symlink_to(tmp_path / "away")
    (tree / JOURNAL).write_text(json.dumps({"format": 1, "files": forged(tree)}), "utf-8")
    done = budget(tree, "render")
    assert done.code == 2
    assert "is a link, which `budget` does not follow" in done.err or "is not a file" in done.err
    assert list((tmp_path / "away").iterdir()) == []
    assert not (tree / SEVEN).exists()


def test_what_an_older_version_left_of_a_release_is_removed_by_hand(tree: Path) -> None:
    (tree / PENDING).write_text(json.dumps({"version": "7.0", "was": "0" * 64, "snapshot": sealed(snapshot(tree))}))
    before = everywhere(tree)
    done = budget(tree, "render")
    assert (done.code, done.err) == (2, f"{PENDING} was not written by `budget`; remove it\n")
    assert budget(tree, "check").code == 1
    assert everywhere(tree) == before


def test_a_plan_of_a_folder_that_is_a_link_is_left_alone(tree: Path, tmp_path: Path) -> None:
    away = shutil.copytree(tree / "ledger/demo", tmp_path / "away")
    (away / "releases/.pending.json").write_text("{}")
    (tree / "ledger/linked").symlink_to(away)
    before = every(away)
    assert budget(tree, "render").code == 2  # the link is refused by the reader
    assert every(away) == before


def test_what_a_kill_leaves_behind_is_removed_by_the_next_run(tree: Path) -> None:
    left = {
        "ledger/demo/..journal.json.7.tmp": "x",
        "ledger/demo/releases/.1.1.json.7.tmp": "x",
    }
    own = {"docs/demo/releases/.mine": "x", "docs/demo/releases/.mine.tmp": "x", "ledger/demo/releases/.notes.tmp": "x"}
    plant(tree, {**left, **own})
    before = frozen(tree)
    assert budget(tree, "render") == Done(0, "All 21 files are up to date.\n", "")
    assert [name for name in left if (tree / name).exists()] == []
    assert [name for name in own if not (tree / name).exists()] == []
    assert frozen(tree) == before


@pytest.mark.full
@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device", "a file")],
    ids=["interrupted", "disk full"],
)
@pytest.mark.parametrize(
    ("step", "where", "made"),
    [
        ("rough_copy", "1.0/derivations.md", False),
        ("rough_copy", "demo/project.yaml", False),
        ("replace", ".journal.json", False),
        ("replace", "1.0/index.md", True),
        ("replace", "1.0/status.md", True),
        ("replace", "1.0.json", True),
        ("replace", "project.yaml", True),
        ("replace", "docs/demo/index.md", True),
    ],
)
def test_a_release_that_stops_is_there_whole_or_not_at_all(
    small_with_pages: Path, tmp_path: Path, step: str, where: str, made: bool, error: BaseException
) -> None:
    root = shutil.copytree(small_with_pages, tmp_path / "tree")
    before = every(root)

    owner: Any = journal if step == "rough_copy" else os
    real = getattr(owner, step)

    def stops(*words: Any) -> Any:
        if any(str(word).endswith(where) for word in words if isinstance(word, Path)):
            raise error
        return real(*words)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, step, stops)
        done = budget(root, "release", "demo", "1.0", "-m", "Why", "--date", "2026-03-01")
    interrupted = isinstance(error, KeyboardInterrupt)
    assert (done.code, done.err) == ((130, "") if interrupted else (2, "a file: No space left on device\n"))
    if made:
        assert budget(root, "render").code == 0
    else:
        assert every(root) == before
        released(root)
    assert "status: released" in (root / HEAD).read_text("utf-8")
    assert budget(root, "check").code == 0
    assert budget(root, "render", "--check").code == 0
    assert [name for name in every(root) if "/." in name] == []


def test_a_render_removes_what_a_killed_one_left(tree: Path) -> None:
    """Only what is named as its own half-written files are, is a minute old, and lies where pages do."""
    old, new = ("docs/demo/.status.md.7.tmp", "docs/.x.svg.71.tmp"), ("docs/demo/.index.md.8.tmp",)
    own = ("docs/guide/.how.md.9.tmp", "docs/demo/.mine.tmp", "docs/demo/.keep")
    plant(tree, dict.fromkeys((*old, *new, *own), "x"))
    for name in (*old, *own):
        os.utime(tree / name, (1_600_000_000, 1_600_000_000))
    edit(tree, "ledger/demo/plan.yaml", "gpu_hours: 40", "gpu_hours: 60")
    assert budget(tree, "render").code == 0
    assert [name for name in (*old, *new, *own) if (tree / name).exists()] == [*new, *own]


def test_a_root_may_be_a_link(small_with_pages: Path, tmp_path: Path) -> None:
    shutil.copytree(small_with_pages, tmp_path / "tree")
    (tmp_path / "link").symlink_to(tmp_path / "tree")
    released(tmp_path / "link")
    assert budget(tmp_path / "link", "check").code == 0
    assert budget(tmp_path / "link", "render", "--check").code == 0


@pytest.mark.parametrize("version", ["CON", "1.0.0/..", "\x1b[31m1", "<b>1</b>", "1" * 5000, "１.0", "+1", "1.-1"])
def test_a_version_is_only_numbers_and_dots(tree: Path, version: str) -> None:
    before = everywhere(tree)
    done = budget(tree, "release", "demo", version, "-m", "Why")
    assert done.code == 2
    assert "is not a version; write numbers and dots, such as 1.1.0" in done.err
    assert "\x1b" not in done.err
    assert everywhere(tree) == before


def test_a_version_has_one_name(tree: Path) -> None:
    plant(tree, {HEAD: (tree / HEAD).read_text("utf-8") + "  1.1.0: {status: pending, note: Soon.}\n"})
    assert budget(tree, "render").code == 0
    done = budget(tree, "release", "demo", "1.1", "-m", "Why")
    assert done.code == 2
    assert done.err == f"`versions` of {HEAD} calls this version 1.1.0; release it by that name\n"
    released(tree, "1.1.0")


@pytest.mark.full
def test_two_releases_at_once_are_one_after_the_other(small_with_pages: Path, tmp_path: Path) -> None:
    root = shutil.copytree(small_with_pages, tmp_path / "tree")
    command = [sys.executable, str(ROOT / "budget.py"), "--root", str(root)]
    both = [[*command, "release", "demo", "1.0", "-m", why, "--date", "2026-03-01"] for why in ("One", "Two")]
    running = [subprocess.Popen(one, stderr=subprocess.PIPE, text=True) for one in (*both, [*command, "render"])]
    said_ = [one.communicate(timeout=120)[1] for one in running]
    assert sorted(one.returncode for one in running[:2]) in ([0, 1], [0, 2])
    assert "Traceback" not in "".join(said_)
    assert budget(root, "render").code == 0
    assert budget(root, "check").code == 0
    assert budget(root, "render", "--check").code == 0


def test_two_projects_have_releases_of_their_own(tree: Path) -> None:
    plant(tree, {name.replace("demo", "other"): text for name, text in SMALL.items() if "demo" in name})
    assert budget(tree, "render").code == 0
    before = frozen(tree)
    done = budget(tree, "release", "other", "1.0", "-m", "Why", "--date", "2026-03-01")
    assert done.code == 0, done.err
    assert frozen(tree) == before
    assert budget(tree, "check").code == 0
    assert budget(tree, "render", "--check").code == 0
    assert "name one: demo@1.0, other@1.0" in budget(tree, "diff", "1.0").err
