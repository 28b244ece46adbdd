"""`init --upgrade` brings files for CI up to date, and never what a team made of them; all, or nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from reckon import __version__
from reckon.cli import init, main
from reckon.model.release import checksum
from reckon.publish import journal
from reckon.publish import starter as publishing
from reckon.publish.files import Blocked
from reckon.publish.journal import LOCK
from reckon.publish.write_plan import DIGESTS, JOURNAL, ours
from tests.cli.test_init import everything
from tests.killing import killed
from tests.small import SMALL, plant

CI, LAB, IGNORED = ".github/workflows/ledger.yml", ".gitlab-ci.yml", ".gitignore"
ASKS = "requirements.txt"
PINS, FIRST_WHEEL, NEXT_WHEEL = ".budget/pinned.txt", ".budget/b-1.whl", ".budget/b-2.whl"
FIRST = {CI: b"ci 1\n", LAB: b"lab 1\n", IGNORED: b"site\n", ASKS: b"b==1\n", PINS: b"a==1\n", FIRST_WHEEL: b"PK1"}
NEXT = {CI: b"ci 2\n", LAB: b"lab 2\n", IGNORED: b"site\n", ASKS: b"b==2\n", PINS: b"a==2\n", NEXT_WHEEL: b"PK2"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return begun(tmp_path / "tree")


def begun(root: Path) -> Path:
    """A tree as version 1 wrote it."""
    plant(root, SMALL)
    put(root, {**FIRST, DIGESTS: publishing.digests(FIRST, "0.1.0")})
    return root


def put(root: Path, files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def upgrade(root: Path, wanted: Mapping[str, bytes] = NEXT) -> list[str]:
    """Twice: the second run finds nothing to do."""
    said = publishing.upgrade(root, wanted, "0.2.0")
    after = everything(root)
    assert publishing.upgrade(root, wanted, "0.2.0") == []
    assert everything(root) == after
    return said


def files(root: Path) -> dict[str, bytes]:
    """What is there, but for the ledger and the digests."""
    found = {name: data for name, data in everything(root).items() if data is not None}
    return {name: data for name, data in found.items() if not name.startswith("ledger/") and name != DIGESTS}


def test_what_nobody_changed_is_replaced_and_the_old_wheel_goes(tree: Path) -> None:
    assert upgrade(tree) == [
        f"{FIRST_WHEEL}: removed, no longer needed",
        f"{NEXT_WHEEL}: written",
        f"{PINS}: updated",
        f"{CI}: updated",
        f"{LAB}: updated",
        f"{ASKS}: updated",
        f"{DIGESTS}: updated",
    ]
    assert files(tree) == NEXT


def test_what_only_the_team_changed_stays_without_a_word(tree: Path) -> None:
    put(tree, {IGNORED: b"site\nmine\n"})
    assert not [line for line in upgrade(tree) if IGNORED in line]
    assert files(tree) == {**NEXT, IGNORED: b"site\nmine\n"}


def test_where_both_changed_it_ours_is_put_beside_and_said(tree: Path) -> None:
    put(tree, {CI: b"ci 1\nmine\n"})
    (line,) = [line for line in upgrade(tree) if line.startswith(CI)]
    assert line.startswith(f"{CI}: changed here, kept; the new version is {CI}.new: copy what")
    assert files(tree) == {**NEXT, CI: b"ci 1\nmine\n", f"{CI}.new": b"ci 2\n"}
    # Whether they took it over or not: what comes later is held against what they were given.
    later = {**NEXT, CI: b"ci 3\n"}
    upgrade(tree, later)
    assert files(tree) == {**later, CI: b"ci 1\nmine\n", f"{CI}.new": b"ci 3\n"}


def test_what_somebody_wrote_into_the_place_beside_is_not_lost(tree: Path) -> None:
    put(tree, {CI: b"ci 1\nmine\n", f"{CI}.new": b"notes of mine\n"})
    refused(tree, f"{CI}.new is in the way")


def test_a_change_that_is_ours_as_well_is_no_conflict(tree: Path) -> None:
    put(tree, {CI: b"ci 2\n"})
    assert not [line for line in upgrade(tree) if line.startswith(CI)]
    assert files(tree) == NEXT


def test_a_file_that_the_team_removed_stays_away(tree: Path) -> None:
    (tree / LAB).unlink()
    (tree / IGNORED).unlink()
    assert [line for line in upgrade(tree) if "skipped" in line] == [f"{LAB}: missing here, skipped"]
    assert files(tree) == {path: data for path, data in NEXT.items() if path not in (LAB, IGNORED)}


def test_requirements_of_their_own_keep_the_wheel_that_they_name(tree: Path) -> None:
    mine = b"b==1\nanother==3\n"
    put(tree, {ASKS: mine})
    upgrade(tree)
    assert files(tree) == {**NEXT, ASKS: mine, f"{ASKS}.new": b"b==2\n", FIRST_WHEEL: b"PK1"}
    put(tree, {ASKS: b"b==2\n"})
    (tree / f"{ASKS}.new").unlink()
    assert upgrade(tree) == [
        f"{FIRST_WHEEL}: removed, no longer needed",
        f"{DIGESTS}: updated",
    ]
    assert files(tree) == NEXT


def test_what_requirements_name_is_there_again(tree: Path) -> None:
    (tree / PINS).unlink()
    put(tree, {FIRST_WHEEL: b"with another end of line"})
    assert upgrade(tree, FIRST)[:2] == [f"{FIRST_WHEEL}: updated", f"{PINS}: written"]
    assert files(tree) == FIRST


def test_a_team_that_installs_in_another_way_gets_no_wheel_back(tree: Path) -> None:
    (tree / PINS).unlink()
    (tree / FIRST_WHEEL).unlink()
    put(tree, {ASKS: b"from elsewhere\n"})
    upgrade(tree, {**FIRST, CI: b"ci 2\n"})
    assert files(tree) == {CI: b"ci 2\n", LAB: b"lab 1\n", IGNORED: b"site\n", ASKS: b"from elsewhere\n"}


def test_without_digests_each_file_that_differs_counts_as_changed(tree: Path) -> None:
    """As an older `init` left it."""
    for path in (DIGESTS, PINS, FIRST_WHEEL, LAB):
        (tree / path).unlink()
    said = upgrade(tree)
    assert said[0] == "An older `init` wrote no digests here, so each file that differs counts as changed."
    assert files(tree) == {
        PINS: b"a==2\n",
        NEXT_WHEEL: b"PK2",
        IGNORED: b"site\n",
        CI: b"ci 1\n",
        f"{CI}.new": b"ci 2\n",
        ASKS: b"b==1\n",
        f"{ASKS}.new": b"b==2\n",
    }


# All or nothing, and nothing of a stranger's.


def refused(root: Path, *says: str) -> None:
    before = everything(root.parent)
    with pytest.raises(Blocked) as error:
        publishing.upgrade(root, NEXT, "0.2.0")
    for one in says:
        assert one in str(error.value)
    assert everything(root.parent) == before


OUTSIDE = b"of somebody else\n"


@pytest.mark.parametrize(
    "path",
    [
        "../../x",
        "../x",
        "/etc/passwd",
        "ledger/demo/plan.yaml",
        ".git/config",
        ".git",
        ".env",
        "README.md",
        ".budget/../ledger/demo/plan.yaml",
        ".github/../../x",
        ".budget/deep/x",
        "",
        ".budget/",
        ".budget/.x",
        "docs/index.md",
        ".budget/a\nb",
        "..\\x",
        ".budget/files.json",
        ".GITHUB/x",
    ],
)
def test_a_file_of_digests_cannot_name_what_init_does_not_write(path: str, tree: Path) -> None:
    """Its digests could be those of the files, which would then be removed as ours."""
    (tree.parent / "x").write_bytes(OUTSIDE)
    told = json.loads((tree / DIGESTS).read_bytes())
    told["files"][path] = checksum(OUTSIDE)
    put(tree, {DIGESTS: json.dumps(told).encode()})
    refused(tree, "files.json is not as `init` writes it", "restore it from your history")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        "1" * 5000,
        "[" * 100_000,
        "\xff",
        '{"format": 1, "version": 2, "files": {}}',
        '{"format": 1, "version": "0.1.0", "files": []}',
        '{"format": 1, "version": "0.1.0", "files": {".gitignore": 1}}',
        '{"format": 1, "version": "x", "files": {}}',
        '{"format": 1, "files": {}}',
        " " * 2_000_000,
    ],
)
def test_what_is_no_file_of_digests_is_refused(text: str, tree: Path) -> None:
    put(tree, {DIGESTS: text.encode("latin-1")})
    refused(tree, "files.json cannot be read", "restore it from your history")


@pytest.mark.parametrize(("form", "version"), [(1, "0.10.0"), (2, "0.1.0"), (1, "0.2.1rc1")])
def test_an_older_program_does_not_take_back_what_a_newer_one_wrote(form: int, version: str, tree: Path) -> None:
    put(tree, {DIGESTS: json.dumps({"format": form, "version": version, "files": {}}).encode()})
    refused(tree, f"written by version {version}, and this is 0.2.0; upgrade the package first")


@pytest.mark.parametrize(
    "path",
    [
        CI,
        ".github/workflows",
        ".github",
        ".budget",
        PINS,
        FIRST_WHEEL,
        NEXT_WHEEL,
        DIGESTS,
        ASKS,
        f"{CI}.new",
    ],
)
@pytest.mark.parametrize("there", [True, False])
def test_no_link_is_followed(path: str, there: bool, tree: Path) -> None:
    outside = tree.parent / "outside"
    put(outside, {"workflows/ledger.yml": OUTSIDE, "ledger.yml": OUTSIDE, "x": OUTSIDE})
    if path.endswith(".new"):
        put(tree, {CI: b"mine\n"})
    if (tree / path).exists():
        (tree / path).rename(tree.parent / "aside")
    (tree / path).symlink_to((outside if "." not in Path(path).name[1:] else outside / "x") if there else tree / "gone")
    refused(tree, "link" if "." not in Path(path).name[1:] and path != IGNORED else path)


def test_only_a_tree_is_upgraded(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tree)
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "link", "is not a folder")
    refused(tmp_path / "empty", "has no ledger; create one with `init` without --upgrade")
    refused(tmp_path / "nowhere", "is not a folder")
    (tree / CI).unlink()
    (tree / CI).mkdir()
    refused(tree, f"{CI} is not a file")


@pytest.mark.parametrize("last", [False, True], ids=["while writing", "while moving in"])
def test_where_a_disk_is_full_on_the_way_nothing_is_changed_or_the_next_completes_it(
    last: bool, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {name: data for name, data in everything(tree).items() if data is not None}
    name, module = ("replace", os) if last else ("rough_copy", journal)
    real, calls = getattr(module, name), []

    def full(*words: object) -> object:
        calls.append(words)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        return real(*words)

    monkeypatch.setattr(module, name, full)
    with pytest.raises((OSError, Blocked), match="No space left") as error:
        publishing.upgrade(tree, NEXT, "0.2.0")
    monkeypatch.undo()
    assert (JOURNAL in everything(tree)) == last
    if last:
        assert str(error.value).endswith("completed now (No space left on device): `init --upgrade` completes it")
        upgrade(tree)
        assert files(tree) == NEXT
    else:
        assert {name: data for name, data in everything(tree).items() if data is not None} == before


IMPORTS = "from reckon.publish import starter; from tests.cli.test_upgrade import WANTED"
UPGRADE = 'starter.upgrade(pathlib.Path(words[0]), WANTED, "0.2.0")'
WHEEL = bytes(range(256))  # which is no text
WANTED = {**NEXT, NEXT_WHEEL: WHEEL, ".github/actions/new/action.yml": b"new\n"}


@pytest.mark.full
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["os.open", "os.fsync", "os.replace", "pathlib.Path.unlink", "pathlib.Path.mkdir"])
def test_whoever_is_killed_at_any_step_has_made_all_or_nothing(step: str, when: str, tmp_path: Path) -> None:
    """What a kill leaves is told by `check`, and completed by an upgrade, also by one to a version after that."""
    cases = []
    for number in range(1, 30):
        root = begun(tmp_path / f"{number}")
        if not killed(IMPORTS, UPGRADE, step, number, when, root):
            assert number > 1
            break
        made, seen = (root / JOURNAL).exists(), {name: data for name, data in files(root).items() if "tmp" not in name}
        assert made or {name: data for name, data in seen.items() if name != LOCK} in (FIRST, WANTED)
        said = journal.cut_off(root, tree=True)
        assert [one.right for one in said] == ["`init --upgrade` completes it"] * made
        assert journal.cut_off(root) == []
        assert journal.complete(root) == []
        later = {**WANTED, CI: b"ci 3\n"}
        told = publishing.upgrade(root, later, "0.3.0")
        assert (told[0].startswith("completed an interrupted change in the tree: ")) == made
        assert files(root) == later
        cases.append(made)
    assert any(cases) == (step in ("os.replace", "pathlib.Path.unlink"))


def strange(path: str, text: str | None = "x") -> dict[str, str | None]:
    return {"path": path, "was": None, "text": text}


@pytest.mark.parametrize(
    "path",
    [
        "ledger/demo/x.yaml",
        "docs/index.md",
        "README.md",
        "../x",
        "/tmp/x",
        ".git/config",
        ".env",
        "mkdocs.yml",
        "",
        ".budget/../README.md",
        ".github/../../x",
        ".journal.json",
        ".add.lock",
        "x.new",
        "ledger/demo/releases/1.0.json",
    ],
)
def test_a_journal_of_somebody_else_writes_nothing_but_files_for_ci(path: str, tree: Path) -> None:
    put(tree, {JOURNAL: json.dumps({"format": 1, "files": [strange(path), strange(".budget/x")]}).encode()})
    refused(tree, f"{JOURNAL} was not written by `budget`; remove it")
    (problem,) = journal.cut_off(tree, tree=True)
    assert str(problem) == f"{JOURNAL}:1:1: `budget` did not write this file; remove it"


def test_a_journal_of_somebody_else_follows_no_link(tree: Path) -> None:
    outside = tree.parent / "outside"
    put(outside, {"x": OUTSIDE})
    (tree / ".github/actions").symlink_to(outside)
    told = {"format": 1, "files": [strange(".github/actions/y"), strange(".budget/x")]}
    put(tree, {JOURNAL: json.dumps(told).encode()})
    refused(tree, ".github/actions is a link, which `budget` does not follow")


# The command itself.


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "tree"
    assert main(["init", str(root)]) == 0
    return root


def test_a_new_tree_is_up_to_date(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(made)
    before = everything(made)
    assert main(["init", "--upgrade"]) == 0
    assert capsys.readouterr().out == "Everything is up to date.\n"
    assert everything(made) == before
    told = json.loads((made / DIGESTS).read_bytes())
    assert told["version"] == __version__
    assert told["files"].keys() == {
        ASKS,
        CI,
        IGNORED,
        LAB,
        PINS,
        ".gitattributes",
        ".pre-commit-config.yaml",
        ".budget/main.sh",
        f".budget/budget_ledger-{__version__}-py3-none-any.whl",
    } | {one for one in everything(made) if re.match(r"\.git(hub|lab)/", one) and (made / one).is_file()}


def test_a_tree_of_an_older_version_is_told_what_became_of_each_file(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What people write is not touched: the ledger, README.md, mkdocs.yml."""
    older = {**init._new(), CI: b"older\n", "README.md": b"older\n", "mkdocs.yml": b"site_name: Older\n"}
    monkeypatch.setattr(init, "_new", lambda: older)
    assert main(["init", str(tmp_path / "tree")]) == 0
    monkeypatch.undo()
    (tmp_path / "tree/ledger/example/plan.yaml").write_text("mine", "utf-8")
    capsys.readouterr()
    assert main(["init", "--upgrade", str(tmp_path / "tree")]) == 0
    assert capsys.readouterr().out == f"{CI}: updated\n{DIGESTS}: updated\n"
    now, new = everything(tmp_path / "tree"), everything(made)
    assert {path for path in new if now[path] != new[path]} == {"README.md", "mkdocs.yml", "ledger/example/plan.yaml"}


def test_a_folder_is_asked_for_where_a_tree_is_begun(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["init"])
    assert ended.value.code == 2
    assert "init needs DIR" in capsys.readouterr().err


def test_every_file_that_a_tree_begins_with_is_ours_or_the_teams() -> None:
    """A new file under starter/ has to be one of these, or no tree is ever told of a newer one."""
    theirs = {path for path in init._new() if not ours(path) and not path.startswith("ledger/")}
    assert theirs == {"README.md", "mkdocs.yml"}
