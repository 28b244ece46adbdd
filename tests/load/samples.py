"""The samples under errors/: a small ledger each, with all that is to be said of it below `== problems`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

SAMPLES = sorted((Path(__file__).parent / "errors").glob("*.txt"))


def read_sample(path: Path) -> tuple[dict[str, str], str]:
    """The files of a sample by name, and the problems that it is to have."""
    pieces = re.split(r"^== (.*)\n", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
    files = dict(zip(pieces[::2], pieces[1::2], strict=True))
    return files, files.pop("problems", "")


def told(path: Path, ledger: Callable[..., Any]) -> list[str]:
    """What is said of a sample, with the changes in the lines below its `== set`."""
    files, _ = read_sample(path)
    changes = [line.split("=", 1) for line in files.pop("set", "").splitlines()]
    return list(ledger(**files).problems(changes))
