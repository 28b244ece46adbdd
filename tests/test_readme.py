"""The first screen of the README is a day as it goes in the tree that `init` writes: entry, comment, job, page.

`python -m tests.test_readme` writes it anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from reckon.cli import main
from tests.hub import git

pytestmark = pytest.mark.full

README = Path(__file__).resolve().parents[1] / "README.md"
ENTRY = "ledger/example/runs/seed-2-ann.yaml"
WRITTEN, ROWS = 1, 3  # lines that are shown of each


def said(root: Path, *words: str) -> str:
    """What the command prints, called by the name that it has where it is installed."""
    out = StringIO()
    with redirect_stdout(out), patch.object(sys, "argv", ["budget"]):
        assert main([*words, "--root", str(root)]) == 0
    return out.getvalue()


def day(root: Path, entry: str) -> Iterator[tuple[str, str]]:
    """What is shown of each step: what stands before it in the README, and the lines."""
    with redirect_stdout(StringIO()):
        assert main(["init", str(root)]) == 0
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Start")
    (root / ENTRY).write_text(entry, "utf-8")
    comment = said(root, "review", "main").partition("## Budget ledger\n\n")[2].partition("\n\nThe pages")[0]
    yield "what it does to the budget:\n\n", quoted(comment)
    yield "$ budget tidy\n", said(root, "tidy").partition("\n\n")[0] + "\n"
    lines = said(root, "render").splitlines()
    wrote = [line for line in lines if line.startswith("wrote docs/example/") and line.endswith(".md")]
    yield "$ budget render\n", "".join(f"{line}\n" for line in [*wrote[:WRITTEN], "…"])
    page = (root / "docs/example/status.md").read_text("utf-8")
    table = re.sub(r"\[([^]]*)\](?:\([^)]*\)|\[[^]]*\])", r"\1", page[page.index("- **") :]).splitlines()
    yield "reads the status page:**\n\n", quoted("\n".join(table[:ROWS]))


def quoted(text: str) -> str:
    return "".join(f"> {line}".rstrip() + "\n" for line in text.splitlines())


def shown(text: str, before: str) -> str:
    """What stands in the README behind some words: a quote, or lines up to the next command or the end of the block."""
    behind = text.partition(before)[2]
    quote = re.match(r"(?:>.*\n)+", behind)
    return quote[0] if quote else re.split(r"^(?:\$ |```)", behind, maxsplit=1, flags=re.MULTILINE)[0]


def entry_of(text: str) -> str:
    return text.partition("```yaml\n")[2].partition("```")[0]


def test_a_day_goes_as_the_readme_tells(tmp_path: Path) -> None:
    text = README.read_text("utf-8")
    first = text[: text.index("## Try it")]
    for before, is_so in day(tmp_path / "tree", entry_of(text)):
        assert shown(first, before) == is_so
    asked = ["git", "status", "--short", "-uall"]
    names = subprocess.run(asked, cwd=tmp_path / "tree", capture_output=True, text=True).stdout
    assert {line[3:].split("/")[0] for line in names.splitlines()} == {"ledger", "docs"}


def rewrite() -> None:
    """Puts what is so in the place of what is shown."""
    text = README.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for before, is_so in day(Path(folder, "tree"), entry_of(text)):
            text = text.replace(before + shown(text, before), before + is_so, 1)
    README.write_text(text, "utf-8")


if __name__ == "__main__":
    rewrite()
