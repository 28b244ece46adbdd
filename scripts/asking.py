"""What the program of a checkout answers when it is asked: started by `scripts/same.py`, once for each side.

    python scripts/asking.py CHECKOUT TASKS.json OUT

A task is a tree and commands that are run in it, one after the other, in this one process: the clock stands still and
ids follow each other, so that what is written hangs on the ledger alone. What a command prints, its exit code, and the
files of the tree afterwards, are written below OUT. Of ours only that checkout is imported.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
IDS = count(1)
NAMES = re.compile(r"[^a-z0-9.=-]+")
ADDRESS = re.compile(r'"address": "([^"]+)"')


class StoppedClock(datetime):
    """The time as the program asks for it."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> StoppedClock:
        """The same moment always."""
        return cls.fromtimestamp(NOW.timestamp(), tz)


def fixed_bytes(size: int) -> bytes:
    """In the place of `os.urandom`: the next number."""
    return next(IDS).to_bytes(size, "big")


def undrawn(picture: Any) -> Any:
    """A picture as what it would be drawn of: the same drawing follows from the same specification."""
    drawing = import_module("reckon.present.charts.picture").Drawing
    return drawing("", json.dumps(picture.specification(), indent=1, sort_keys=True))


def run(words: Sequence[str], tree: Path) -> str:
    """What a command prints, and its exit code, without the place where the tree lies."""
    main = import_module("reckon.cli").main
    stdout, stderr = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code
        except Exception as error:
            code = f"{type(error).__name__}: {error}"
    said = f"exit {code}\n--- out\n{stdout.getvalue()}--- err\n{stderr.getvalue()}"
    return said.replace(str(tree), "TREE")


def explained(most: int) -> list[list[str]]:
    """Commands that explain some of the figures of the tree, evenly chosen."""
    addresses = ADDRESS.findall(run(["export", "--format", "json"], Path.cwd()))
    chosen = addresses[:: max(1, len(addresses) // most)] if most else []
    return [["explain", address, *more] for address in chosen for more in ([], ["--runs"])]


def files_of(tree: Path) -> dict[str, bytes]:
    """The files of a tree by their names, without those that a program keeps for itself."""
    found = {}
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree)
        if path.is_file() and "__pycache__" not in name.parts and ".git" not in name.parts:
            found[name.as_posix()] = path.read_bytes()
    return found


def answer(task: dict[str, Any], out: Path) -> None:
    """Runs the commands of a task in its tree; of a small tree all answers stand in one file."""
    tree = Path(task["root"])
    os.chdir(tree)
    commands = task["commands"] + explained(task["explain"])
    said = [(" ".join(words), run(words, tree)) for words in commands]
    written = files_of(tree) if task["writes"] else {}
    if task["small"]:
        parts = [f"=== {name}\n{text}" for name, text in said]
        parts += [f"=== file {name}\n{body.decode('utf-8', 'backslashreplace')}" for name, body in written.items()]
        out.with_suffix(".txt").write_text("\n".join(parts), encoding="utf-8")
        return
    out.mkdir(parents=True)
    for number, (name, text) in enumerate(said):
        short = NAMES.sub("_", name)[:100]
        (out / f"{number:04}-{short}.txt").write_text(text, encoding="utf-8")
    for name, body in written.items():
        path = out / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


def main(checkout: str, tasks: str, out: str) -> None:
    """Answers all tasks."""
    sys.path.insert(0, checkout)
    sys.argv[0] = "budget.py"
    os.urandom = fixed_bytes
    setattr(import_module("reckon.cli.clock"), "datetime", StoppedClock)  # noqa: B010 - no type checker knows it
    pages = import_module("reckon.present.pages")
    drawn = pages.draw
    for task in json.loads(Path(tasks).read_text(encoding="utf-8")):
        pages.draw = undrawn if task["undrawn"] else drawn
        answer(task, Path(out) / task["name"])


if __name__ == "__main__":
    main(*sys.argv[1:])
