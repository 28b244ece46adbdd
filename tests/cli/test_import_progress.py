"""How far the reading of a long export is, on a terminal alone."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.load.importers import taking
from tests.exported import CEDAR, FOX, SAMPLES, planted


class Screen(io.StringIO):
    """A terminal that keeps what was written on it."""

    def isatty(self) -> bool:
        return True


def percents(root: Path, name: str, screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen)
        assert main(["--root", str(root), "import", str(SAMPLES / name), "--dry-run"]) == 0
    return [int(found) for found in re.findall(r"\r\x1b\[KReading \S+ … ([0-9]+)%", screen.getvalue())]


@pytest.mark.parametrize(("source", "name"), [(FOX, "fox.txt"), (CEDAR, "cedar.json")])
def test_a_long_file_says_how_far_it_is_read(
    source: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "LONG", 1)
    screen = Screen()
    found = percents(planted(tmp_path, source), name, screen, monkeypatch)
    assert found == sorted(set(found)), "each is said once"
    assert len(found) > (10 if source is FOX else 0)
    assert found[-1] > 50
    assert screen.getvalue().endswith("\r\x1b[K"), "nothing of it stays"


def test_a_short_one_says_no_percents_and_a_pipe_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, screen, pipe = planted(tmp_path, FOX), Screen(), io.StringIO()
    assert percents(root, "fox.txt", screen, monkeypatch) == []
    assert "\x1b[KReading " in screen.getvalue()
    monkeypatch.setattr(taking, "LONG", 1)
    percents(root, "fox.txt", pipe, monkeypatch)
    assert pipe.getvalue() == ""
