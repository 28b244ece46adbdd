"""What the README shows of Pixelis and of the example is what the commands print of them.

`python -m tests.test_samples` writes the samples anew.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest

from reckon.cli import add, clock, main
from tests.released import files

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"README.md": 2}
"""The pages, each with how many samples it has at least."""
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHORT_ID = "a1b2c3"
HEAD = "ledger/pixelis/project.yaml"


def pixelis(root: Path) -> Path:
    """Pixelis as it is, with the projects that its grants name, its pages and those of its release."""
    for name in (name for name in files() if (ROOT / name).exists()):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    shutil.copytree(ROOT / "ledger/pixelis", root / "ledger/pixelis", dirs_exist_ok=True)
    shutil.copytree(ROOT / "docs/pixelis/releases", root / "docs/pixelis/releases")
    run(root, "render")
    return root


def run(root: Path, *words: str) -> str:
    """What a command prints, both streams together, on a day on which the shown runs are over. Each file of a run has
    the short id that samples show."""
    both = io.StringIO()
    day = patch.object(clock, "current_time", lambda: datetime(2026, 12, 1, tzinfo=UTC))
    drawn = patch.object(add, "short_id", lambda: SHORT_ID)
    with redirect_stdout(both), redirect_stderr(both), day, drawn:
        main([*words, "--root", str(root)])
    return both.getvalue()


def edit(root: Path, old: str, new: str) -> None:
    path = root / HEAD
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def session(page: str, root: Path) -> Iterator[tuple[str, str, str]]:
    """Each command on Pixelis that a page shows, with what it shows and what is printed, in one session."""
    text = (ROOT / page).read_text("utf-8")
    for block in CONSOLE.findall(text):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            words = shlex.split(command)
            if words[:2] != ["python", "budget.py"] or "seeds=5" in command:
                continue
            if "birdsong" in shown:  # samples only read the example
                yield command, shown, run(ROOT, *words[2:])
                continue
            if words[2:] == ["render", "--check"]:  # the reader is told to change a number first
                edit(root, "\nseeds: 3\n", "\nseeds: 5\n")
            yield command, shown, run(root, *words[2:])
            if words[2] == "explain" and "seeds: 5" in (root / HEAD).read_text("utf-8"):  # and to put it back
                edit(root, "\nseeds: 5\n", "\nseeds: 3\n")
                run(root, "render")


def agrees(shown: str, printed: str) -> bool:
    """Whether the two are the same; lines may be left out of a sample where it has a line of dots."""
    parts = [re.escape(part) for part in re.split(r"^ *…\n", shown, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


@pytest.mark.parametrize("page", PAGES)
def test_samples_are_what_is_printed(page: str, tmp_path: Path) -> None:
    found = list(session(page, pixelis(tmp_path)))
    assert len(found) >= PAGES[page]
    for command, shown, printed in found:
        if shown:
            assert agrees(shown, printed), f"{command}\n{printed}"


def rewrite(page: str) -> None:
    """Puts what is printed in the place of samples that differ; those with dots are named, to be done by hand."""
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / page).read_text("utf-8")
        for command, shown, printed in session(page, pixelis(Path(folder))):
            if not shown or agrees(shown, printed):
                continue
            if "…\n" in shown:
                print(f"{page}: {command}\n{printed}")
            else:
                text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{printed}")
        (ROOT / page).write_text(text, "utf-8")


if __name__ == "__main__":
    for one in sys.argv[1:] or PAGES:
        rewrite(one)
