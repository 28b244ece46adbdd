"""What commands print on a terminal: as wide as it is, severity in colour; in a pipe, as ever."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

import pytest

from reckon import encoding
from reckon.cli import main
from tests.reading import ROOT
from tests.small import SMALL, plant

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
LONG = "Training on all of the data with the largest of the models that fit the cards of the department, once more"
PROJECT = SMALL["ledger/demo/project.yaml"].replace("title: Demo", f"title: {LONG}")
CLAIMS = """\
- {of: budget.final, states: 990, at: Part 3 of the report that the team wrote for it}
- {of: budget.subtotal, states: 91, at: Part 4}
- {of: budget.contingency, states: 9.1, at: Part 4}
- {of: plan.test.total, states: 10.6, at: Part 5}
"""
SLIPS = {
    "ledger/demo/project.yaml": PROJECT + "ceiling: 40\n",
    "ledger/demo/claims.yaml": CLAIMS,
}
RED, YELLOW, DIM = "\x1b[31m{}\x1b[0m", "\x1b[33m{}\x1b[0m", "\x1b[2m{}\x1b[0m"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with findings of each severity, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("CI", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return plant(plant(tmp_path / "tree"), SLIPS)


def command(*words: str) -> list[str]:
    return [sys.executable, str(ROOT / "budget.py"), *words]


def on_terminal(tree: Path, width: int, *words: str, env: Mapping[str, str] | None = None) -> tuple[str, str]:
    """What a command writes to a terminal of so many columns, and what to standard error, which is a pipe."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    given = {**os.environ, **(env or {})}
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command(*words), cwd=tree, env=given, stdin=theirs, stdout=theirs, stderr=pipe, text=True
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux ends a terminal so
            break
        if not data:
            break
        seen += data
    os.close(ours)
    return seen.decode().replace("\r\n", "\n"), process.communicate()[1]


def piped(tree: Path, *words: str, env: Mapping[str, str] | None = None) -> str:
    given = {**os.environ, **(env or {})}
    return subprocess.run(command(*words), cwd=tree, env=given, capture_output=True, text=True, check=False).stdout


def lay(tree: Path, width: int, *words: str) -> list[str]:
    """The lines of a command on a terminal, without colours."""
    return ESCAPE.sub("", on_terminal(tree, width, *words)[0]).splitlines()


@pytest.mark.parametrize("words", [("check",), ("check", "demo"), ("status",)])
def test_lines_are_as_wide_as_the_terminal(tree: Path, words: tuple[str, ...]) -> None:
    widest = []
    for width in (60, 100, 200):
        lines = lay(tree, width, *words)
        widest.append(max(map(len, lines)))
        # Six columns of hours keep their numbers, and a title of eight signs, where there is no room for them.
        beyond = [line for line in lines if len(line) > width and not re.match(r".{8}(  +\S+){4}", line)]
        assert not beyond
    assert widest[0] < widest[1] < widest[2]


RUN = ("--item", "train", "--seed", "1", "--gpus", "1", "--wall-hours", "1", "--date", "2026-02-02")


@pytest.mark.parametrize(
    "words",
    [
        ("explain", "demo.budget.final"),
        ("explain", "demo.forecast.p50"),
        ("explain", "--list"),
        ("explain", "demo.actual.total", "--runs"),
        ("add", "run", "demo", *RUN, "--dry-run"),
        ("can-i", "demo", *RUN[1:]),
    ],
)
def test_long_lines_go_on_below(tree: Path, words: tuple[str, ...]) -> None:
    """The numbers of the table of hours, and ids, which somebody may copy, keep together."""
    whole = piped(tree, *words).splitlines()
    for width in (60, 100, 200):
        lines = lay(tree, width, *words)
        beyond = [line for line in lines if len(line) > width]
        assert not [line for line in beyond if not re.fullmatch(r".{10}(  +\S+){4}|[ │]*\S+", line)]
    assert max(map(len, whole)) > 60
    if words[0] == "explain":  # the others name a file by chance
        assert " ".join(lines).replace("│", " ").split() == " ".join(whole).replace("│", " ").split()


def test_a_finding_has_the_same_words_at_any_width(tree: Path) -> None:
    texts = [" ".join(lay(tree, width, "check", "demo")).split() for width in (60, 100, 200)]
    assert texts[0] == texts[1] == texts[2] == piped(tree, "check", "demo").split()


def test_what_is_piped_hangs_on_no_terminal(tree: Path) -> None:
    plain = [piped(tree, *words) for words in (("check",), ("status",))]
    env = {"COLUMNS": "60", "TERM": "dumb", "NO_COLOR": "1"}
    assert plain == [piped(tree, *words, "--no-cache", env=env) for words in (("check",), ("status",))]
    assert "\x1b" not in "".join(plain)
    assert on_terminal(tree, 80, "status", env={"NO_COLOR": "1"})[0] == plain[1]


def test_severities_and_codes_have_their_colours(tree: Path) -> None:
    told, _ = on_terminal(tree, 200, "check", "demo")
    for ink, head, code in (
        (RED, "error", "claim-contradicted:demo.budget.final"),
        (YELLOW, "warning", "claim-contradicted:demo.plan.test.total"),
        (DIM, "note", "claim-contradicted:demo.budget.contingency"),
    ):
        assert re.search(rf"^{re.escape(ink.format(head))}.*\n    {re.escape(ink.format(code))}$", told, re.MULTILINE)
    counted = f"demo: 1 {RED.format('error')}; in the source 1 {RED.format('error')}, 1 {YELLOW.format('warning')}, 1 "
    assert told.startswith(f"{counted}{DIM.format('note')}\n")
    assert ESCAPE.sub("", told) == piped(tree, "check", "demo")
    inked = re.findall(r"\x1b\[[0-9]+m(.*?)\x1b\[0m", told)
    assert all(re.fullmatch(r"(error|warning|note)s?|[a-z-]+:[\w.#-]+", text) for text in inked)
    assert f"1 {RED.format('error')}" in on_terminal(tree, 100, "status")[0]


def test_the_code_of_a_problem_is_red_on_either_stream(tree: Path) -> None:
    plant(tree, {"ledger/demo/project.yaml": PROJECT.replace("seeds: 2", "seeds: many")})
    told, _ = on_terminal(tree, 60, "check")
    assert re.search(r"^ledger/demo/project\.yaml:5:8: .* \[\x1b\[31m[a-z-]+\x1b\[0m\]$", told, re.MULTILINE)
    assert told.count("\x1b") == 2, "a line of a problem is left whole"
    told, complaints = on_terminal(tree, 60, "status")
    assert told == ""
    assert "\x1b" not in complaints, "standard error is a pipe here"
    assert "ledger/demo/project.yaml:5:8: " in complaints


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_declined(tree: Path, env: dict[str, str]) -> None:
    assert "\x1b" not in on_terminal(tree, 100, "check", env=env)[0]
    assert "\x1b" in on_terminal(tree, 100, "check", env={"NO_COLOR": ""})[0], "empty asks for nothing"


@pytest.mark.parametrize("words", [("check",), ("status",)])
def test_an_answer_is_kept_for_its_terminal_alone(tree: Path, words: tuple[str, ...]) -> None:
    looks: list[tuple[int, dict[str, str]]] = [(60, {}), (200, {}), (200, {"NO_COLOR": "1"})]
    first = [on_terminal(tree, width, *words, env=env)[0] for width, env in looks]
    again = [on_terminal(tree, width, *words, env=env)[0] for width, env in looks]
    anew = [on_terminal(tree, width, *words, "--no-cache", env=env)[0] for width, env in looks]
    assert first == again == anew
    assert len(set(first)) == len(looks)
    assert piped(tree, *words) == piped(tree, *words, "--no-cache")


def test_a_width_that_nobody_can_use_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen:
        def isatty(self) -> bool:
            return True

        def fileno(self) -> int:
            raise OSError("no terminal after all")

    monkeypatch.setattr(sys, "stdout", Screen())
    for said, width in (("", 80), ("wide", 80), ("0", 80), ("-3", 80), ("3", encoding.NARROWEST), ("132", 132)):
        monkeypatch.setenv("COLUMNS", said)
        assert encoding.terminal_width(80) == width


class Screen(io.StringIO):
    """A terminal that keeps what was written on it."""

    def isatty(self) -> bool:
        return True


def counted(tree: Path, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """What a command counts on standard error."""
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen)
        assert main(["--root", str(tree), *words]) == 0
    return re.findall(r"\r\x1b\[K([^\r]+ [0-9]+ of [0-9]+ [^\r]+)(?=\r\x1b\[K)", screen.getvalue())


def test_rendering_counts_pages_on_a_terminal_alone(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe = Screen(), io.StringIO()
    found = counted(tree, screen, monkeypatch, "render")
    pages = len(list((tree / "docs").rglob("*.md")))
    assert found == [f"Rendering {number} of {pages} pages" for number in range(1, pages + 1)]
    assert screen.getvalue().endswith("\r\x1b[K"), "nothing of it stays"
    assert "\n" not in screen.getvalue(), "one line"
    assert counted(tree, pipe, monkeypatch, "render") == []
    assert pipe.getvalue() == ""


@pytest.mark.full
def test_building_counts_pages_on_a_terminal_alone(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen, pipe, site = Screen(), io.StringIO(), tmp_path / "site"
    found = counted(tree, screen, monkeypatch, "build", "--site-dir", str(site))
    whole = [line for line in found if line.startswith("Building")]
    pages = int(whole[-1].split()[3])
    assert pages == len(list(site.rglob("*.html"))) - 1, "all but 404.html"
    assert list(dict.fromkeys(whole)) == [f"Building {number} of {pages} pages" for number in range(1, pages + 1)]
    assert any(line.startswith("Rendering 1 of ") for line in found)
    assert screen.getvalue().endswith("\r\x1b[K")
    assert counted(tree, pipe, monkeypatch, "build", "--site-dir", str(site)) == []
    assert pipe.getvalue() == ""
