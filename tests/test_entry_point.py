"""Where a command begins: an answer is given again, to the byte, while nothing that it hangs on has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import gettempdir

import pytest

from reckon import entry, user_cache
from tests.reading import ROOT
from tests.small import plant

FOLLOWS = """
import sys
sys.path.insert(0, {engine!r})
sys.argv = {words!r}
from reckon import entry, user_cache
code = entry.main()
print(code, "reckon.cli" in sys.modules, "typing" in sys.modules, file=sys.stderr)
"""
WATCHED = """
import os, sys
sys.path.insert(0, {engine!r})
opened = set()
sys.addaudithook(lambda event, given: opened.add(str(given[0])) if event in ("open", "os.listdir", "os.scandir") else
                 opened.add(event) if event.startswith(("subprocess", "socket", "os.exec", "os.posix_spawn")) else None)
from reckon.cli import main
main({words!r})
print("\\n".join(sorted({{os.path.abspath(name) if os.sep in name else name for name in opened}})), file=sys.stderr)
"""


@pytest.fixture
def tree(example_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example as a tree of its own, with a cache of its own, where CI is not known of."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("CI", raising=False)
    return example_tree


def called(tree: Path, *words: str) -> tuple[int, str, str, bool]:
    """The exit code of a command, what it said on both streams, and whether it was worked out."""
    told = FOLLOWS.format(engine=str(ROOT), words=["budget", *words])
    done = subprocess.run([sys.executable, "-c", told], cwd=tree, capture_output=True, text=True, check=True)
    said, _, last = done.stderr.rstrip("\n").rpartition("\n")
    code, worked, _ = last.split()
    return int(code), done.stdout, said, worked == "True"


@pytest.mark.parametrize(
    "words", [("check",), ("check", "--format=json"), ("status",), ("render",), ("render", "birdsong")]
)
def test_an_answer_is_given_again_to_the_byte(tree: Path, words: tuple[str, ...]) -> None:
    if words[0] == "render":
        called(tree, "render", "--no-cache")
    first, again = called(tree, *words), called(tree, *words)
    assert first[:3] == again[:3]
    assert (first[3], again[3]) == (True, False)
    assert first[1]


def test_what_is_given_again_imports_nothing_heavy(tree: Path) -> None:
    called(tree, "status")
    told = FOLLOWS.format(engine=str(ROOT), words=["budget", "status"])
    loaded = f"{told}\nprint(*(name for name in sys.modules if name.startswith('reckon')), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", loaded], cwd=tree, capture_output=True, text=True, check=True)
    assert set(done.stderr.splitlines()[-1].split()) == {
        "reckon",
        "reckon.entry",
        "reckon.user_cache",
        "reckon.encoding",
    }


def test_problems_are_told_again_with_their_code(tree: Path) -> None:
    with open(tree / "ledger/birdsong/plan.yaml", "a") as file:
        file.write("nothing: {of: this}\n")
    first, again = called(tree, "status"), called(tree, "status")
    assert first[0] == 2
    assert "unknown key `of`" in first[2]
    assert first[:3] == again[:3]
    assert not again[3]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("ledger/__pycache__/x.yaml", "`__pycache__` is not a project id"),
        (".journal.json", "`budget` did not write this file"),
    ],
)
def test_what_is_read_beside_the_ledger_is_answered_anew(tree: Path, path: str, said: str) -> None:
    """What lies there is refused, so an answer from before must not be given again."""
    before = called(tree, "check")
    (tree / path).parent.mkdir(exist_ok=True)
    (tree / path).write_text("x: 1\n")
    first, anew = called(tree, "check"), called(tree, "check", "--no-cache")
    assert first == anew
    assert before[0] == 0 != first[0]
    assert said in first[1]


def test_how_a_file_is_restored_hangs_on_git_above_the_tree(tree: Path) -> None:
    (tree / "docs/birdsong/releases/0.1.0/index.md").write_text("x")
    assert "it is not in a git repository" in called(tree, "check")[1]
    (tree.parent / ".git").mkdir()
    told = called(tree, "check")
    assert "git checkout -- docs/birdsong/releases/0.1.0/index.md" in told[1]
    assert told == called(tree, "check", "--no-cache")


def _edit(path: str) -> Callable[[Path], None]:
    """Changes one sign of a file and leaves its size and its times as they were."""

    def edited(tree: Path) -> None:
        file = tree / path
        times, text = file.stat(), file.read_bytes()
        file.write_bytes(text[:-1] + bytes([text[-1] ^ 1]))
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    return edited


def _written(path: str) -> Callable[[Path], None]:
    def written(tree: Path) -> None:
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text("x")

    return written


CHANGES = {
    "a ledger": _edit("ledger/birdsong/plan.yaml"),
    "the catalogue": _edit("ledger/catalog/gpus.yaml"),
    "a release": _edit("ledger/birdsong/releases/0.1.0.json"),
    "a page": _edit("docs/birdsong/status.md"),
    "a released page": _edit("docs/birdsong/releases/0.1.0/index.md"),
    "settings": _written("mkdocs.yml"),
    "a template": _written("templates/budget.md.j2"),
    "a new file": _written("ledger/birdsong/notes.md"),
    "an empty folder": lambda tree: (tree / "ledger/other").mkdir(),
    "a file that is gone": lambda tree: (tree / "docs/birdsong/status.md").unlink(),
    "a folder of bytecode": lambda tree: (tree / "ledger/__pycache__").mkdir(),
    "a file in a folder of bytecode": _written("ledger/birdsong/__pycache__/x.yaml"),
    "the journal of the tree": _written(".journal.json"),
    "a new name": lambda tree: (tree / "docs/birdsong/status.md").rename(tree / "docs/birdsong/states.md"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_part_of_a_tree_is_in_the_key(tree: Path, change: Callable[[Path], None]) -> None:
    before = entry.key_of(str(tree), ["check"])
    assert entry.key_of(str(tree), ["check"]) == before
    change(tree)
    assert entry.key_of(str(tree), ["check"]) != before


def test_the_call_and_what_is_installed_are_in_the_key(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [entry.key_of(str(tree), list(words)) for words in (("check",), ("status",), ("check", "x"))]
    for where, name, value in (
        (sys, "argv", ["budget.py"]),
        (sys, "version", "3.99"),
        (sys, "platform", "elsewhere"),
        (entry, "installed", lambda: iter(["jinja2-99.dist-info"])),
    ):
        with monkeypatch.context() as other:
            other.setattr(where, name, value)
            keys.append(entry.key_of(str(tree), ["check"]))
    with monkeypatch.context() as other:
        other.chdir(tree)
        keys.append(entry.key_of(str(tree), ["check"]))
    assert len(set(keys)) == len(keys)
    with monkeypatch.context() as other:
        other.setattr(sys.stdout, "isatty", lambda: True)
        assert entry.key_of(str(tree), ["check"]) not in keys


def test_the_program_is_in_the_key(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "reckon/language", tmp_path / "copy/reckon/language")
    monkeypatch.setattr(entry, "PROGRAM", str(tmp_path / "copy/reckon"))
    keys = {entry.key_of(str(tree), ["check"])}
    _edit("reckon/language/calendar_days.py")(tmp_path / "copy")
    keys.add(entry.key_of(str(tree), ["check"]))
    _written("templates/budget.md.j2")(tmp_path / "copy")
    keys.add(entry.key_of(str(tree), ["check"]))
    _written("reckon/language/__pycache__/days.pyc")(tmp_path / "copy")
    assert entry.key_of(str(tree), ["check"]) in keys
    assert len(keys) == 3


def test_of_an_installed_program_the_list_of_its_files_is_in_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reckon/templates").mkdir(parents=True)
    monkeypatch.setattr(entry, "PROGRAM", str(tmp_path / "reckon"))
    assert entry.program() == [str(tmp_path / "reckon")]  # no list: all of it
    _written("budget_ledger-1.0.dist-info/RECORD")(tmp_path)
    assert entry.program() == [str(tmp_path / "budget_ledger-1.0.dist-info/RECORD")]


def opened_by(tree: Path, *words: str) -> list[str]:
    """What a command opens, as Python tells it: files and folders, and anything that it begins."""
    told = WATCHED.format(engine=str(ROOT), words=list(words))
    done = subprocess.run([sys.executable, "-c", told], cwd=tree, capture_output=True, text=True, check=True)
    return [line for line in done.stderr.splitlines() if line.strip()]


@pytest.mark.full
def test_no_change_of_what_is_read_gets_an_answer_from_before(tree: Path) -> None:
    """Each file that a command opens is changed, is removed, and gets another one beside it."""
    own = (ROOT / "templates/macros.md.j2").read_text("utf-8")
    plant(tree, {"mkdocs.yml": "site_name: S\n", "templates/macros.md.j2": own})
    called(tree, "render")
    opened = {tree / line for command in ("check", "status", "render") for line in opened_by(tree, command)}
    paths = [path for path in sorted(opened) if path.is_relative_to(tree) and path.is_file()]
    homes = {f"{path.parent.relative_to(tree).as_posix()}/*{path.suffix}" for path in paths}
    assert {"./*.yml", "docs/*.yml", "docs/birdsong/*.svg", "docs/birdsong/*.json", "docs/birdsong/*.md"} <= homes
    assert {"ledger/birdsong/*.yaml", "ledger/birdsong/runs/*.yaml", "ledger/birdsong/releases/*.json"} <= homes
    assert {"docs/birdsong/releases/0.1.0/*.md", "ledger/catalog/*.yaml", "templates/*.j2"} <= homes
    before = entry.key_of(str(tree), ["check"])
    for path in paths:
        text = path.read_bytes()
        path.write_bytes(text[:-1] + b"?")
        assert entry.key_of(str(tree), ["check"]) != before, path
        path.unlink()
        assert entry.key_of(str(tree), ["check"]) != before, path
        path.write_bytes(text)
        if path.parent != tree:  # beside settings and ledger lies what nothing reads
            beside = path.with_name(f"another{path.suffix}")
            beside.write_bytes(text)
            assert entry.key_of(str(tree), ["check"]) != before, path
            beside.unlink()
    assert entry.key_of(str(tree), ["check"]) == before


@pytest.mark.parametrize("words", [("check",), ("status",), ("render",)])
def test_a_command_opens_nothing_that_is_not_in_the_key(tree: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    called(tree, "render")
    opened = opened_by(tree, *words)
    assert not [line for line in opened if line.startswith(("subprocess", "socket", "os."))]
    paths = {Path(line) for line in opened if line.startswith("/")}
    of_the_key = [*(tree / name for name in entry.TREE), *map(Path, entry.program())]
    of_python = [Path(sys.prefix), Path(sys.base_prefix), Path("/dev"), Path("/etc"), Path("/usr"), Path("/proc")]
    made_for_it = [path for path in paths if path.parent == Path(gettempdir()) and not path.exists()]
    known = [*of_the_key, *of_python, *made_for_it]
    beyond = {path for path in paths if not any(path.is_relative_to(folder) for folder in known)}
    assert tree / "ledger/birdsong/plan.yaml" in paths
    assert beyond <= {tree, ROOT, Path(gettempdir())}  # listed, by Python and for a temporary folder


@pytest.mark.parametrize(
    "words",
    [
        ("render", "--check"),
        ("render", "--redraw"),
        ("render", "--out", "x"),
        ("check", "--against", "HEAD"),
        ("diff",),
        ("explain", "birdsong.budget.final"),
        ("--traceback", "check"),
        ("check", "--format"),
        (),
        ("--root",),
        ("--help",),
    ],
)
def test_no_answer_is_kept_of_anything_else(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(entry.Unkept):
        entry.find_root(words)


def test_the_root_is_found_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert entry.find_root(["check"]) == "."
    assert entry.find_root(["--root", "a", "check"]) == entry.find_root(["check", "--root=a"]) == "a"
    assert entry.find_root(["status", "birdsong", "--set", "seeds=3", "--root", "b"]) == "b"


def test_ci_and_who_asks_for_it_have_it_worked_out(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called(tree, "status")
    assert not called(tree, "status")[3]
    assert called(tree, "status", "--no-cache")[3]
    monkeypatch.setenv("CI", "true")
    assert called(tree, "status")[3]


@pytest.mark.parametrize(
    ("name", "to"), [("ledger/link.md", "ledger/birdsong/plan.yaml"), ("mkdocs.yml", "nowhere"), ("templates", "docs")]
)
def test_a_tree_with_links_has_no_key(tree: Path, name: str, to: str) -> None:
    (tree / name).symlink_to(tree / to)
    with pytest.raises(entry.Unkept, match="link"):
        entry.key_of(str(tree), ["check"])


def test_a_cache_that_others_may_write_to_is_left_alone(tree: Path, tmp_path: Path) -> None:
    called(tree, "status")
    (tmp_path / "cache/budget-ledger").chmod(0o777)
    assert called(tree, "status")[3]


def test_a_damaged_answer_is_worked_out_again(tree: Path, tmp_path: Path) -> None:
    first = called(tree, "status")
    (kept,) = (path for path in (tmp_path / "cache/budget-ledger").iterdir() if path.is_file())
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.write_bytes(kept.read_bytes().replace(b"birdsong", b"birdsang"))
    assert called(tree, "status") == first


def test_a_render_that_wrote_something_is_not_kept(tree: Path) -> None:
    (tree / "docs/birdsong/status.md").unlink()
    written = called(tree, "render")
    assert "docs/birdsong/status.md" in written[1]
    (tree / "docs/birdsong/status.md").unlink()
    assert called(tree, "render") == written
    assert (tree / "docs/birdsong/status.md").exists()


def test_the_cache_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "MOST_KEPT", 3)
    for number in range(5):
        path = tmp_path / f"{number}"
        entry.remember(str(path), 0, [(1, "so\n"), (2, "ö\n"), (1, "far\n")])
        os.utime(path, ns=(number, number))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "4"]
    assert entry.recall(str(tmp_path / "4")) == (0, [(1, "so\n"), (2, "ö\n"), (1, "far\n")])
    entry.remember(str(tmp_path / "long"), 0, [(1, "x" * user_cache.LONGEST)])
    assert not (tmp_path / "long").exists()
