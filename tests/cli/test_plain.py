"""What commands say is plain: no mistake of the program passes for another, no argument floods, and no text acts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from reckon.cli import check, main, render
from reckon.present.render.escape import idle
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree")


# A mistake of the program: code 4 and one line.


@pytest.mark.parametrize(
    "error",
    [
        KeyError("x\ny"),
        RecursionError("too deep"),
        MemoryError(),
        AssertionError("no"),
        ModuleNotFoundError("No module named 'reckon.gone'", name="reckon.gone"),
        ValueError("::error::x" * 9000),
    ],
)
def test_a_mistake_of_the_program_is_one_line_and_code_4(
    tree: Path, error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise error

    for module in (check, render):
        monkeypatch.setattr(module, "read", fails)
    for words in (["check"], ["render"], ["render", "--check"]):
        assert main([*words, "--root", str(tree)]) == 4
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert len(err) < 600
        assert err.startswith(f"internal error, not a mistake in your ledger: {type(error).__name__}: ")
        assert re.search(r" \(reckon/cli/check\.py:\d+\); check whether anything was written, and report", err)
    for words in (["--traceback", "check"], ["check", "--traceback"]):
        assert main([*words, "--root", str(tree)]) == 4
        told = capsys.readouterr().err
        assert told.startswith("Traceback (most recent call last):\n")
        assert type(error).__name__ in told


def test_a_flood_of_brackets_is_a_problem_and_no_mistake_of_the_program(tree: Path) -> None:
    plant(tree, {"ledger/demo/texts.yaml": "[" * 100_000, "ledger/demo/claims.yaml": "- {of: " + "(" * 50_000 + "}\n"})
    assert main(["check", "--root", str(tree)]) == 2


# Arguments are echoed in short.

LONG = "x" * 120_000  # a system takes 128 KiB of one


@pytest.mark.parametrize(
    "words",
    [
        [LONG],
        ["render", LONG],
        ["render", *(f"p{one}" for one in range(3000))],
        ["--root", LONG, "check"],
        ["explain", LONG],
        ["explain", f"demo.{LONG}"],
        ["explain", "budget.final", "--set", LONG],
        ["explain", "budget.final", "--set", f"{LONG}=5"],
        ["explain", "budget.final", "--set", f"seeds={LONG}"],
        ["explain", "budget.final", "--runs", "--page", LONG],
        ["status", LONG],
        ["check", "--format", LONG],
        ["diff", LONG],
        ["diff", f"demo@{LONG}"],
        ["diff", f"./{LONG}"],
        ["diff", ".", ".", "--project", LONG],
        ["diff", ".", ".", "--of", LONG],
        ["diff", "--only-above", LONG],
        ["release", LONG, "1", "-m", "x"],
        ["release", "demo", LONG, "-m", "x"],
        ["release", "demo", "9", "-m", "x", "--date", LONG],
        ["guide", LONG],
        ["template", LONG],
        ["init", LONG],
        ["serve", "--port", LONG],
        ["choose", LONG],
        ["choose", "--deadline", LONG],
        ["fit", LONG],
        ["fit", "--params", LONG],
        ["fit", "--model", LONG],
        ["fit", "--params", "7B", "--gpu", LONG],
        ["projection", LONG],
        ["add", LONG],
        ["add", "run", LONG],
        ["add", "run", LONG, "--project", f"{LONG}y"],
        ["add", "run", "demo", "--item", "train", "--gpu-hours", LONG],
        ["add", "run", "demo", "--file", LONG],
        ["add", "run", "demo", "--progress", LONG],
        ["add", "runs", "t.csv", "--map", LONG],
        ["add", "measurement", "t.csv", "--unit", LONG],
        ["add", "measurement", LONG],
        ["add", "measurement", "t.csv", "--id", LONG, "--title", LONG, "--kind", LONG, "--date", LONG, "--device", "d"],
    ],
)
def test_an_argument_of_any_length_is_told_in_short(
    words: list[str], tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree)
    plant(tree, {"t.csv": "id,a [s]\n1,2\n"})
    monkeypatch.setattr(sys, "stdin", None)
    with suppress(SystemExit):  # by argparse, with 2 as another test holds
        assert main(words) == 2
    out, err = capsys.readouterr()
    assert len(out.encode()) < 1024
    assert 0 < len(err.encode()) < 2048


def test_a_long_argument_is_told_in_short_in_a_process_of_its_own(tree: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "budget.py"), "--root", str(tree), "explain", f"\x1b[2J\x07{LONG}"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"there is no figure `\\x1b[2J\\x07xxx")
    assert len(done.stderr) < 300


def test_what_argparse_says_acts_on_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--format", "\x1b[2J\n::error::x"])
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert acting(err) == []


# No text acts in a log. What the runner of GitHub takes for a command stands in its ActionCommand.cs.

COMMANDS = (
    "::error file=a,line=1::x",
    "::add-mask::x",
    "::stop-commands::x",
    "::set-output name=a::b",
    "##[error]x",
    "a ##[add-mask]x",
    "##vso[task.setvariable]x",
    "\u00a0::error::x",
    "\u200b::error::x",
    ":\u200b:error::x",
    "\ufeff::error::x",
    "#\u200b#[error]x",
    "a\r::error::x",
    "a\n\t ::error::x",
    "\x1b[0Ksection_start:1:x\r\x1b[0Kx",
)
IGNORED = re.compile("[\u200b\u200c\u200d\u00ad\ufeff\0]")  # what a comparison by culture passes over


def acting(text: str) -> list[str]:
    """The lines of a log in which a runner would find a command."""
    lines = [IGNORED.sub("", line) for line in re.split("\r\n|\r|\n", text)]
    found = [line for line in lines if line.lstrip().startswith("::") or "##[" in line or "##vso[" in line]
    return found + re.findall("section_start:[0-9]+:[^\r]*\r\x1b", text)


@pytest.mark.parametrize("text", COMMANDS)
def test_what_a_runner_would_take_for_a_command_is_left_idle(text: str) -> None:
    if "section_start" not in text:  # that is made harmless as all that acts on a terminal is
        assert acting(text) != []
        assert acting(idle(text)) == []
    assert json.loads(idle(json.dumps({"a": text}, ensure_ascii=False))) == {"a": text}


@pytest.mark.parametrize("text", ["a::b", "std::error::x", "# [x](y)", "## [1.0](x)", ": :x", "#[x]", "- ::x", ""])
def test_an_ordinary_line_keeps_its_bytes(text: str) -> None:
    assert idle(text) == text


def test_what_is_left_idle_can_still_be_read() -> None:
    assert idle("::error::x\n  ::x\na ##[b]") == "\\u003a:error::x\n  \\u003a:x\na \\u0023#[b]"


def test_it_takes_no_longer_for_a_long_line() -> None:
    """Each of these would take hours where a pattern goes back over what it has passed."""
    for text in (" \x1c\u200b" * 100_000, "#" * 300_000, "\n" * 300_000, ":\u200b" * 150_000, "\r" * 300_000):
        assert len(idle(text)) >= len(text)


def quoted(text: str) -> str:
    return json.dumps(text)


def test_no_text_of_a_ledger_acts_in_any_output(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, titles, notes, claims and templates that hold commands, in all that shipped CI prints; long words, so that
    they come to the beginning of a line where lines are wrapped."""
    clean = [one for one in COMMANDS if one.isprintable() or "\u200b" in one]
    hostile = " ".join(f"{'w' * (96 + at % 5)} {one} {'w' * (98 - at % 3)}{one}" for at, one in enumerate(clean))
    assert main(["render", "--root", str(tree)]) == 0
    capsys.readouterr()
    project = SMALL["ledger/demo/project.yaml"].replace("title: Demo", f"title: {quoted(clean[0])}")
    texts = f"a: {{section: {quoted(clean[0])}, text: {quoted('::error::x' + chr(10) + clean[4])}}}\n"
    claims = f"- {{of: budget.final, states: 990, at: {quoted(hostile)}}}\n"
    plant(
        tree,
        {
            "ledger/demo/project.yaml": project + f"summary: {quoted(hostile)}\n",
            "ledger/demo/texts.yaml": texts,
            "ledger/demo/claims.yaml": claims,
        },
    )
    for words in (
        ["check"],
        ["check", "--format", "json"],
        ["check", "--format", "gitlab"],
        ["review"],
        ["render", "--check", "--diff"],
        ["status"],
        ["status", "demo"],
        ["explain", "demo.budget.final"],
        ["explain", "--list"],
        ["export"],
        ["export", "--format", "csv"],
        ["render"],
    ):
        assert main([*words, "--root", str(tree)]) in (0, 1, 3)
        assert acting("".join(capsys.readouterr())) == [], words
    (tree / "templates").mkdir()
    for template in ("{{ '\n::error::x'.nothing }}", "{{ view.fig('\\n::error::x##[error]') }}", "{% include '::x' %}"):
        plant(tree, {"templates/history.md.j2": template})
        assert main(["render", "--root", str(tree)]) == 2
        assert acting("".join(capsys.readouterr())) == []
    plant(
        tree,
        {
            "ledger/demo/claims.yaml": f"- {{of: {quoted(hostile)}, states: 990, at: x, {quoted(clean[0])}: 3}}\n",
            "ledger/::error::x.yaml": "a",
            "ledger/demo/runs/##[error]x.yaml": "- ::error::x\n",
        },
    )
    for words in (["check"], ["render"], ["review"], ["check", "--format", "json"]):
        assert main([*words, "--root", str(tree)]) in (0, 2)
        assert acting("".join(capsys.readouterr())) == [], words
    assert main(["check", "--root", str(tree), "--format", "github"]) == 2
    for line in capsys.readouterr().out.splitlines():
        assert re.fullmatch(r"::(error|warning|notice) ([a-z]+=[^:,\r\n]*,?)+::[^\r\n]*", line), line
