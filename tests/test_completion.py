"""Completion at a TAB: in real shells, from kept words, without the engine, and no text of a ledger acts in it.

Tests in zsh and fish are left out where these are not installed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from reckon import completion
from scripts.shell_words import SHELL_WORDS, shell_words
from tests.commands import given
from tests.reading import ROOT
from tests.small import SMALL, plant

ACTS = ("$(touch acted)", "`touch acted`", "x;touch acted", "x\ntouch acted")
HOSTILE = (*ACTS, "-rf", "a b", "a\tb", "*", "~", "é", "a'b", 'a"b', "a\\b")
GRANT = "spring: {title: Spring, projects: [demo], gpu_hours: 1000}\n"
LOADED = """
import sys
sys.path.insert(0, {engine!r})
sys.argv = ["budget", "__complete", *{words!r}]
before = set(sys.modules)
from reckon import entry
entry.main()
print(*sorted(name for name in set(sys.modules) - before if not name.startswith("_")), file=sys.stderr)
"""
IN_SHELL = {
    "bash": """
COMP_WORDS=(budget {words}); COMP_CWORD={place}
_budget budget; printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    # `compadd` takes words only while somebody types; here it says which it was given.
    "zsh": """
compadd() {{ while [[ $1 != -- ]]; do shift; done; shift; (( $# == 0 )) || print -rl -- "$@" }}
_files() {{ print FILES }}
words=(budget {words}); CURRENT={place}+1
_budget
""",
    "fish": "complete -C {line}\n",
}
BEFORE = {"zsh": "compdef() { true; }\n"}


def make_tree(home: Path, patch: pytest.MonkeyPatch) -> Path:
    """A small tree, with a command `budget` beside it and a cache of its own."""
    patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    patch.setenv("HOME", str(home))
    patch.delenv("CI", raising=False)
    command = home / "bin/budget"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(ROOT / "budget.py")])} "$@"\n')
    command.chmod(0o755)
    patch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    return plant(home / "tree", {**SMALL, "ledger/allocations.yaml": GRANT})


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_tree(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def calculated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A tree whose words are kept."""
    with pytest.MonkeyPatch.context() as patch:
        tree = make_tree(tmp_path_factory.mktemp("calculated"), patch)
        calculate(tree)
        yield tree


def complete(tree: Path, *words: str) -> list[str]:
    """What a script of a shell is answered."""
    done = subprocess.run(["budget", "__complete", *words], cwd=tree, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def calculate(tree: Path) -> None:
    assert subprocess.run(["budget", "check"], cwd=tree, capture_output=True, check=False).returncode == 0


def complete_in(shell: str, tree: Path, *words: str) -> list[str]:
    """What a shell would show behind `budget`, of which the last word is begun."""
    quoted = " ".join(map(shlex.quote, words))
    line = shlex.quote(" ".join(["budget", *words]))
    asked = IN_SHELL[shell].format(words=quoted, place=len(words), line=line)
    script = given(tree, "completion", shell).stdout
    program = [shell, "--no-config"] if shell == "fish" else [shell, "-f"] if shell == "zsh" else [shell, "--norc"]
    text = f"{BEFORE.get(shell, '')}{script}\n{asked}"
    done = subprocess.run([*program, "-c", text], cwd=tree, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()


def shells() -> list[object]:
    missing = {name: not shutil.which(name) for name in IN_SHELL}
    return [
        pytest.param(name, marks=pytest.mark.skipif(missing[name], reason=f"{name} is not installed"))
        for name in IN_SHELL
    ]


def test_the_list_of_commands_is_what_they_take() -> None:
    assert SHELL_WORDS.read_text("utf-8") == shell_words(), "run python -m scripts.guide"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("exp",), ["explain", "export"]),
        (("check", "--f"), ["--fail-on", "--format"]),
        (("check", "--format", ""), ["github", "gitlab", "json", "text"]),
        (("check", "--format", "=", "j"), ["json"]),  # as bash parts it
        (("check", "--format", "="), ["github", "gitlab", "json", "text"]),
        (("check", "--format=j"), ["--format=json"]),
        (("add", "r"), ["run", "runs"]),
        (("add", "run", ""), ["demo"]),
        (("status", "demo", "d"), ["demo"]),
        (("log", "demo", "train", "--seed", ""), ["1", "2"]),
        (("log", "demo", "train", "--seed=2"), ["--seed=2"]),
        (("log", "other", "train", "--seed", ""), []),
        (("add", "run", "demo", "--status", "c"), ["cancelled", "completed"]),
        (("update", "run", "--status", "held"), ["held-idle"]),
        (("why", "no-such-i"), ["no-such-item"]),
        (("why", "limit-p"), ["limit-passed"]),
        (("log", "demo", ""), ["test", "train"]),
        (("log", "--seed", "1", "demo", "tr"), ["train"]),
        (("log", "other", ""), []),
        (("log", "demo", "train", "--", "de"), []),
        (("add", "run", "--project", "demo", "--item", "te"), ["test"]),
        (("can-i", "demo", "train", "--gpu", ""), ["card"]),
        (("can-i", "demo", "train", "--allocation", ""), ["spring"]),
        (("explain", "d"), ["demo."]),
        (("explain", "demo.budget.fin"), ["demo.budget.final"]),
        (("status", "--set", "demo.see"), ["demo.seeds"]),
        (("guide", "sta"), ["start"]),
        (("add", "runs", ""), []),
    ],
)
def test_words_are_completed_by_what_stands_before_them(
    calculated: Path, words: tuple[str, ...], found: list[str]
) -> None:
    with chdir(calculated):
        assert completion.complete(words, lambda root: pytest.fail("calculated again")) == found


def test_the_codes_of_why_are_those_that_it_explains(calculated: Path) -> None:
    guide = (ROOT / "docs/guide/messages.md").read_text("utf-8")
    explained = set(re.findall(r"^(?:### |\| (?:<a id=\S+></a>)?`)([a-z0-9-]+)`?(?: \||$)", guide, re.MULTILINE))
    assert len(explained) > 200
    assert set(complete(calculated, "why", "")) == explained
    for code in ("not-utf-8", "limit-passed"):
        assert given(calculated, "why", code).stdout.startswith(f"{code}\n")


def test_an_address_is_completed_part_by_part(calculated: Path) -> None:
    found = complete(calculated, "explain", "demo.plan.")
    assert {"demo.plan.train.", "demo.plan.test."} <= set(found)
    assert all(word.count(".") <= 3 for word in found)
    assert complete(calculated, "explain", "demo.plan.train.gpu_h") == ["demo.plan.train.gpu_hours"]


def test_a_tab_imports_nothing_of_the_engine(calculated: Path) -> None:
    told = LOADED.format(engine=str(ROOT), words=["explain", "demo.budget.fin"])
    done = subprocess.run([sys.executable, "-c", told], cwd=calculated, capture_output=True, text=True, check=True)
    assert done.stdout == "demo.budget.final\n"
    ours = {"reckon", "reckon.entry", "reckon.encoding", "reckon.user_cache", "reckon.completion"}
    assert set(done.stderr.split()) <= ours | {"zlib", "hashlib", "gc"}


def test_a_ledger_that_nobody_calculated_is_calculated_once(tree: Path) -> None:
    assert complete(tree, "log", "demo", "tr") == ["train"]
    with open(tree / "ledger/demo/plan.yaml", "a") as plan:
        plan.write("    trial: {title: T, scope: one-time, gpu_hours: 1}\n")
    assert complete(tree, "log", "demo", "tr") == ["train"], "as it was kept"
    calculate(tree)
    assert complete(tree, "log", "demo", "tr") == ["train", "trial"]


def test_a_ledger_that_cannot_be_calculated_is_tried_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tree, {"ledger/demo/plan.yaml": "first: {title: [}\n"})
    assert complete(tree, "explain", "") == []
    monkeypatch.chdir(tree)
    assert completion.complete(["explain", ""], lambda root: pytest.fail("tried again")) == []


def test_what_is_kept_outlives_a_mistake_in_the_ledger(tree: Path) -> None:
    calculate(tree)
    plant(tree, {"ledger/demo/plan.yaml": "first: {title: [}\n"})
    assert subprocess.run(["budget", "check"], cwd=tree, capture_output=True, check=False).returncode == 2
    assert complete(tree, "log", "demo", "tr") == ["train"]


def test_where_nothing_can_be_kept_nothing_is_calculated(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache/budget-ledger").mkdir(parents=True)
    (tmp_path / "cache/budget-ledger").chmod(0o777)
    monkeypatch.chdir(tree)
    assert completion.complete(["explain", ""], lambda root: pytest.fail("calculated")) == []
    assert complete(tree, "sta") == ["status"]


def test_outside_of_a_ledger_commands_are_completed(tmp_path: Path, calculated: Path) -> None:
    assert complete(tmp_path, "explain", "") == []
    assert complete(tmp_path, "log", "") == []
    assert complete(tmp_path, "tem") == ["template"]
    assert complete(tmp_path) == complete(tmp_path, "")
    assert complete(tmp_path, "--root", str(calculated), "status", "") == ["demo"]
    assert complete(tmp_path, f"--root={calculated}", "explain", "demo.budget.fin") == ["demo.budget.final"]


@pytest.mark.parametrize("shell", shells())
def test_no_text_of_a_ledger_acts_in_a_shell(tree: Path, shell: str) -> None:
    kinds = ("PROJECT", "ITEM.demo", "SEED.demo", "CARD", "ALLOCATION", "ADDRESS")
    kept = [(kind, word) for word in HOSTILE for kind in kinds]
    completion.keep_words(str(tree), [*kept, ("ITEM.demo", "fine\nITEM.demo $(touch acted)")])
    for words in (
        ("log", "demo"),
        ("log", "demo", "x", "--seed"),
        ("can-i", "x", "y", "--gpu"),
        ("close", "--allocation"),
        ("explain",),
        ("status",),
    ):
        found = complete(tree, *words, "")
        assert set(found) <= {"fine", "x"}
        shown = {word.partition("\t")[0] for word in complete_in(shell, tree, *words, "")}
        assert {word for word in shown if word not in ("", "FILES", "ledger/")} == set(found)
    assert complete(tree, "status", "$(touch acted)") == []
    assert not list(tree.rglob("acted"))


@pytest.mark.parametrize("shell", shells())
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("exp",), {"explain", "export"}),
        (("log", "demo", ""), {"test", "train"}),
        (("explain", "demo.budget.fin"), {"demo.budget.final"}),
        (("check", "--format", "js"), {"json"}),
    ],
)
def test_shells_complete(calculated: Path, shell: str, words: tuple[str, ...], found: set[str]) -> None:
    assert set(complete_in(shell, calculated, *words)) == found


@pytest.mark.parametrize("shell", shells())
def test_where_a_file_stands_shells_complete_files(tree: Path, shell: str) -> None:
    (tree / "jobs.csv").touch()
    found = complete_in(shell, tree, "add", "runs", "job")
    assert found == {"bash": [""], "zsh": ["FILES"], "fish": ["jobs.csv"]}[shell]
    if shell == "bash":
        assert "-o default" in given(tree, "completion", "bash").stdout


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_leaves_no_space_behind_a_dot(calculated: Path) -> None:
    script = given(calculated, "completion", "bash").stdout
    watched = f'{script}\ncompopt() {{ echo "$1 $2"; }}\n'
    for begun, told in (("demo.bud", "-o nospace\ndemo.budget.\n"), ("demo.budget.fin", "demo.budget.final\n")):
        asked = watched + IN_SHELL["bash"].format(words=f"explain {begun}", place=2)
        assert subprocess.run(["bash", "-c", asked], cwd=calculated, capture_output=True, text=True).stdout == told


def test_an_unknown_shell_is_refused(tree: Path) -> None:
    done = given(tree, "completion", "tcsh")
    assert done.returncode == 2
    assert "bash" in done.stderr


def test_an_exit_code_is_no_code_of_a_message() -> None:
    """`why` takes codes of messages; what `log --ended` takes is a number."""
    (line,) = (line for line in shell_words().splitlines() if line.startswith("log:"))
    assert "--ended=|" in line
