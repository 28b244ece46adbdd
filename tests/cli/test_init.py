"""`init` writes a tree that checks, renders and builds as it is, or nothing at all and says what is in the way."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from reckon.cli import init, main, parse
from reckon.publish import starter as publishing
from tests.commands import given
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, str(ROOT / "budget.py")]


def run(where: Path, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command as a user gives it: from a folder, without --root. The site is built in a process of its own."""
    if not more and words[:1] != ("build",):
        return given(where, *words)
    return subprocess.run([*COMMAND, *words], cwd=where, capture_output=True, text=True, timeout=300, **more)


def everything(root: Path) -> dict[str, Any]:
    """All paths below a folder, links not followed, with the bytes of files."""
    found: dict[str, Any] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("init") / "new" / "budgets"
    done = run(root.parents[1], "init", "new/budgets")
    assert done.returncode == 0, done.stderr
    told = [line.strip() for line in done.stdout.splitlines()]
    assert "with made-up numbers" in told[0]
    at = told.index("Next:")
    assert told[at + 1 : at + 5] == [
        "cd new/budgets",
        *(f"python budget.py {one}" for one in ("serve", "add run example", "check")),
    ]
    return root


@pytest.fixture
def tree(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "tree")


def test_the_tree_checks_renders_and_builds_as_it_is(tree: Path) -> None:
    before = everything(tree)
    for words in (("check", "--fail-on", "warning"), ("render", "--check"), ("schema", "--check")):
        done = run(tree, *words)
        assert (done.returncode, done.stderr) == (0, ""), (words, done.stdout)
    done = run(tree, "render")
    assert done.stdout.startswith("All ")
    assert everything(tree) == before
    done = run(tree, "build")
    assert (done.returncode, done.stderr) == (0, "")
    page = (tree / "site/index.html").read_text("utf-8")
    assert "Our budgets" in page
    assert (tree / "site/assets/budget.css").is_file()


def test_it_holds_what_a_team_needs_and_every_number_is_said_to_be_made_up(made: Path) -> None:
    assert len(list(made.glob(".budget/budget_ledger-*-py3-none-any.whl"))) == 1
    wanted = {
        ".budget/files.json",
        ".budget/pinned.txt",
        ".gitattributes",
        ".github/workflows/ledger.yml",
        ".gitignore",
        ".gitlab-ci.yml",
        ".pre-commit-config.yaml",
        "README.md",
        "mkdocs.yml",
        "requirements.txt",
        "docs/index.md",
        "docs/example/status.md",
        "ledger/catalog/gpus.yaml",
        "ledger/catalog/prices.yaml",
        "ledger/example/plan.yaml",
        "ledger/example/project.yaml",
        "ledger/example/runs/2026-01.yaml",
        "ledger/.schema/plan.schema.json",
    }
    assert wanted <= everything(made).keys()
    assert not [name for name in everything(made) if name.endswith(".tmp") or "budget-init" in name]
    numbers = [path for path in made.glob("ledger/**/*.yaml") if path.name != "tree.yaml"]
    silent = [path for path in numbers if "made up" not in path.read_text("utf-8")]
    assert silent == []
    assert "made-up numbers" in (made / "docs/index.md").read_text("utf-8")
    assert "**All numbers of the project `example` are made up.**" in (made / "README.md").read_text("utf-8")


def test_no_place_of_this_machine_and_no_day_stands_in_it(made: Path, tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "again")]) == 0
    assert everything(tmp_path / "again") == everything(made)
    for path in made.rglob("*"):
        assert path.is_dir() or str(made.parent).encode() not in path.read_bytes(), path


def test_editors_find_the_schema_that_each_file_names(made: Path) -> None:
    files = list(made.glob("ledger/**/*.yaml"))
    assert len(files) == 7
    for path in files:
        first = path.read_text("utf-8").split("\n", 1)[0]
        schema = path.parent / first.removeprefix("# yaml-language-server: $schema=")
        assert schema.resolve().is_relative_to((made / "ledger/.schema").resolve())
        assert schema.is_file(), path


def test_what_its_readme_tells_next_goes(tree: Path) -> None:
    readme = (tree / "README.md").read_text("utf-8")
    (line,) = [line for line in readme.splitlines() if line.startswith("budget add run")]
    words = line.partition("  #")[0].strip().partition(" ")[2].split()
    done = run(tree, *words, "--date", "2026-01-26")
    assert done.returncode == 0, done.stderr
    assert run(tree, "render", "--check").returncode == 1
    assert run(tree, "render").returncode == 0
    assert run(tree, "check").returncode == 0
    for path in [line.split("`")[1] for line in readme.splitlines() if line.startswith("| `")]:
        assert (tree / path).exists(), path


def test_its_readme_says_how_to_do_what_a_team_does_daily(tree: Path) -> None:
    """Each command in it is one, each page of the guide is there, and its `accept` does settle that finding."""
    readme = (tree / "README.md").read_text("utf-8")
    said = [words for words in re.findall(r"`budget ([^`]+)`", readme) if "PAGE" not in words]
    for words in said:
        if words != "--help":
            parse(shlex.split(words.replace("jobs.csv", "jobs.csv --project example")))
    assert {"add", "check", "diff", "status", "explain", "release", "guide"} <= {one.split()[0] for one in said}
    pages = readme.partition("`budget guide PAGE`")[2].partition("\n## ")[0]
    for page in re.findall(r"`([a-z]+)`", pages):
        assert (ROOT / "docs/guide" / f"{page}.md").is_file(), page

    plan = tree / "ledger/example/plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("gpu_hours: 110", "gpu_hours: 80"), "utf-8")
    assert run(tree, "check").returncode == 3
    (accepted,) = re.findall(r"^```yaml\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    with open(tree / "ledger/example/project.yaml", "a", encoding="utf-8") as file:
        file.write(f"\n{accepted}")
    done = run(tree, "check")
    assert done.returncode == 0, done.stdout
    assert "1 accepted" in done.stdout


def test_the_journey_of_its_readme_goes_without_git(tree: Path) -> None:
    """Two releases with a change between them, and what `diff` says of the two."""
    alone = {"env": {**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)}}
    assert run(tree, "release", "example", "1.0.0", "-m", "As proposed.").returncode == 0
    plan = tree / "ledger/example/plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("gpu_hours: 30", "gpu_hours: 40"), "utf-8")
    assert run(tree, "release", "example", "1.1.0", "-m", "More.").returncode == 0
    done = run(tree, "diff", "1.0.0", "1.1.0", **alone)
    assert "319 → 330 GPU-h (+11, +3.4%)" in done.stdout, done.stderr
    page = tree / "docs/example/releases/1.0.0/index.md"
    was = page.read_bytes()
    page.write_bytes(was + b"x")
    done = run(tree, "check")
    assert (done.returncode, "restore it from your copy" in done.stdout + done.stderr) == (1, True)
    page.write_bytes(was)
    assert run(tree, "check").returncode == 0


def test_nothing_in_it_names_a_command_that_is_not_installed(tree: Path) -> None:
    for words in (("release", "example", "1.0.0", "-m", "Why"), ("render",)):
        assert run(tree, *words).returncode == 0
    files = [path for path in tree.rglob("*") if path.is_file() and path.suffix != ".whl"]
    said = [path for path in files if b"budget.py" in path.read_bytes()]
    assert said == []


def test_inside_a_repository_it_says_that_ci_does_not_look_there(tmp_path: Path) -> None:
    (tmp_path / "forge/.git").mkdir(parents=True)
    done = run(tmp_path / "forge", "init", "our budgets")
    assert done.returncode == 0
    assert "  cd 'our budgets'\n" in done.stdout
    assert f"CI reads its files only at the top of a repository, which is {tmp_path / 'forge'}; see" in done.stderr
    assert "top of a repository" not in run(tmp_path / "forge", "init", "../alone").stderr


def test_the_current_folder_may_hold_git_and_an_environment(tmp_path: Path) -> None:
    plant(tmp_path, {".git/HEAD": "ref: refs/heads/main\n", ".venv/pyvenv.cfg": ""})
    done = run(tmp_path, "init", ".")
    assert done.returncode == 0, done.stderr
    assert "cd " not in done.stdout
    assert (tmp_path / "ledger/example/plan.yaml").is_file()
    assert (tmp_path / ".git/HEAD").is_file()
    assert run(tmp_path, "render", "--check").returncode == 0


def test_it_writes_beside_files_that_are_not_in_the_way(tmp_path: Path) -> None:
    """A plan that somebody wrote, code, a workflow of its own: all stay, byte for byte."""
    mine = {"plan.md": "mine", "src/train.py": "", ".github/workflows/own.yml": "on: push\n", "LICENSE": "mine"}
    plant(tmp_path, {"docs.md": "mine", **mine})
    done = run(tmp_path, "init", ".")
    assert done.returncode == 0, done.stderr
    assert {path: (tmp_path / path).read_text("utf-8") for path in mine} == mine
    assert (tmp_path / ".github/workflows/ledger.yml").is_file()
    assert not (tmp_path / ".budget-init").exists()
    assert run(tmp_path, "render", "--check").returncode == 0
    refused(tmp_path, ".", ". has .gitattributes, ", " README.md, ledger, ")


def refused(tmp_path: Path, folder: str, *says: str) -> None:
    before = everything(tmp_path)
    done = run(tmp_path, "init", folder)
    assert (done.returncode, done.stdout) == (2, "")
    for one in (*says, "Nothing written"):
        assert one in done.stderr
    assert "Traceback" not in done.stderr
    assert everything(tmp_path) == before


def test_what_is_in_the_way_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    plant(tmp_path, {"full/README.md": "mine", "full/LICENSE": "", "file": "text", "docs/docs/x.md": "mine"})
    plant(tmp_path, {f"many/{name}": "" for name in (".gitignore", "README.md", ".github/workflows/digest.yml", "x")})
    plant(tmp_path, {f"many/{name}": "" for name in ("ledger/x", "mkdocs.yml", ".gitlab-ci.yml", "docs/x")})
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.github").symlink_to(tmp_path / "many")
    refused(tmp_path, "full", "full has README.md, which `init` does not overwrite; move that elsewhere")
    refused(
        tmp_path,
        "many",
        "many has .gitignore, .gitlab-ci.yml, README.md, ledger, mkdocs.yml, .github/workflows/digest.yml, which",
    )
    refused(tmp_path, "linked", "linked has .github, which")
    refused(tmp_path, "docs", "docs has docs, which")
    refused(tmp_path, "file", "file is a file; name a folder")
    done = run(tmp_path, "init", "file/below")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Not a directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "out").symlink_to(outside)
    (inner / "nowhere").symlink_to(tmp_path / "gone")
    for name in ("out", "nowhere"):
        refused(inner, name, f"{name} is a link; name the folder itself")
    assert everything(outside) == {}


def test_no_tree_inside_another(tmp_path: Path) -> None:
    plant(tmp_path, SMALL)
    for place in ("new", "ledger/new", "docs/deep/er"):
        refused(tmp_path, place, f"{place} is inside another tree with a ledger", "or name a folder elsewhere")
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    done = run(tmp_path.parent, "init", f"{link.name}/new")
    assert done.returncode == 2
    assert "inside another tree" in done.stderr


def test_the_second_init_is_refused_and_changes_nothing(tree: Path) -> None:
    refused(tree, ".", "which `init` does not overwrite")


@pytest.mark.full
def test_two_at_once_make_one_tree(tmp_path: Path) -> None:
    both = [subprocess.Popen([*COMMAND, "init", "t"], cwd=tmp_path, stdout=-1, stderr=-1, text=True) for _ in "12"]
    done = [(one.communicate(timeout=300), one.returncode) for one in both]
    assert sorted(code for _, code in done) == [0, 2], done
    (told,) = [err for (_, err), code in done if code == 2]
    assert ("another `init` is running" in told) or ("which `init` does not overwrite" in told)
    assert "Traceback" not in told
    assert run(tmp_path / "t", "render", "--check").returncode == 0


def test_what_was_left_by_one_that_was_killed_is_named(tmp_path: Path) -> None:
    plant(tmp_path, {"t/.budget-init/ledger/x.yaml": ""})
    refused(tmp_path, "t", "another `init` is running there; if not, remove", ".budget-init")


def test_where_something_fails_on_the_way_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rendering fails, the disk does, somebody else writes meanwhile: the folder is as it was."""
    (tmp_path / "there").mkdir()
    before = everything(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def meanwhile(*_: object) -> tuple[dict[str, str], list[object]]:
        plant(tmp_path, {"there/README.md": "mine"})
        return {}, []

    with monkeypatch.context() as patched:
        patched.setattr(init, "pages_of", full)
        for folder in ("there", "new/deep"):
            assert main(["init", str(tmp_path / folder)]) == 2
            assert "No space left on device" in capsys.readouterr().err
            assert everything(tmp_path) == before
    with monkeypatch.context() as patched:
        patched.setattr(init, "pages_of", meanwhile)
        assert main(["init", str(tmp_path / "there")]) == 2
    assert "there has README.md, which" in capsys.readouterr().err
    assert everything(tmp_path) == {**before, "there/README.md": b"mine"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_without_permission_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    done = run(tmp_path, "init", "locked")
    assert done.returncode == 2
    assert "Permission denied" in done.stderr


def test_a_folder_that_may_not_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(publishing.Path, "mkdir", denied)
    assert main(["init", str(tmp_path / "locked")]) == 2
    told = capsys.readouterr().err
    assert told.endswith("locked: Permission denied\n")
    assert everything(tmp_path) == {}


def test_names_of_folders_do_not_act_on_the_terminal(tmp_path: Path) -> None:
    plant(tmp_path, {"f\x1b[31m/README.md": ""})
    done = run(tmp_path, "init", "f\x1b[31m")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr


def test_init_takes_no_root(tmp_path: Path) -> None:
    done = run(tmp_path, "init", "t", "--root", "elsewhere")
    assert done.returncode == 2
    assert "takes its folder as DIR" in done.stderr
    assert everything(tmp_path) == {}


def test_settings_of_the_site_are_ours_under_another_name(made: Path) -> None:
    ours, theirs = (path.read_text("utf-8").splitlines() for path in (ROOT / "mkdocs.yml", made / "mkdocs.yml"))
    assert [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]] == [
        ("site_name: Budget ledger", "site_name: Our budgets")
    ]
    assert yaml.safe_load("\n".join(theirs).replace("!!", ""))["docs_dir"] == "docs"
