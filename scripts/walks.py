"""Follows three values through the program, and lists the functions that handled them.

    python scripts/walks.py [--write]

Each walk puts a value that occurs nowhere else into a small tree, runs one command, and notes every function of the
engine that was given the value or gave it back: by itself, in a text, or held by a small object or list. Of what
presents, only what happens while the page of the walk is made is noted. So the lists in ARCHITECTURE.md are what
happened, not what somebody remembers.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from msgspec import Struct, structs

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "reckon"
PAGE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- walks -->", "<!-- end of walks -->"
MOST_NAMED = 4
MAKES_A_PAGE = "render_page"
MOST_HELD = 12  # a longer list, or an object with more fields, is no carrier of one value
DEPTH = 2


class Walk(NamedTuple):
    """What is followed: the heading, an edit of the tree, the command, and the numbers by which it is known."""

    title: str
    file: str
    edit: tuple[str, str]
    command: tuple[str, ...]
    marks: tuple[str, ...]
    page: str = ""


WALKS = (
    Walk(
        "A run, from its line in the ledger to the status page",
        "ledger/example/runs/2026-01.yaml",
        ("item: data, gpus: 4, wall_hours: 4.5", "item: data, gpus: 3, wall_hours: 4.37"),
        ("render", "--out", "../pages"),
        ("4.37", "13.11"),
        "example/status.md",
    ),
    Walk(
        "The contingency, from `project.yaml` to the budget page",
        "ledger/example/project.yaml",
        ("contingency: 10%", "contingency: 17.77%"),
        ("render", "--out", "../pages"),
        ("0.1777", "17.77", "51.533"),
        "example/index.md",
    ),
    Walk(
        "`--set example.seeds=137`, to `explain`",
        "ledger/example/project.yaml",
        ("", ""),
        ("explain", "example.plan.train.total", "--set", "example.seeds=137"),
        ("137",),
    ),
)


class Seen:
    """Notes functions of the engine that carry a value, in the order in which they first do."""

    def __init__(self, marks: Sequence[str], page: str) -> None:
        self.page, self.inside = page, not page
        self.numbers = {Fraction(mark) for mark in marks}
        self.text = re.compile("|".join(rf"(?<![\d.,]){re.escape(mark)}(?![\d])" for mark in marks))
        self.found: dict[tuple[str, str], None] = {}

    def __call__(self, frame: FrameType, event: str, given: Any) -> None:
        """What the interpreter calls at each call and return."""
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(str(ENGINE)) or code.co_name[0] == "<":
            return
        if self.page and code.co_name == MAKES_A_PAGE:
            self.inside = event == "call" and frame.f_locals["printer"].page == self.page
        if not self.inside and code.co_filename.startswith(str(ENGINE / "present")):
            return
        values = [given] if event == "return" else [frame.f_locals.get(name) for name in arguments(code)]
        if any(self.carries(value) for value in values):
            path = Path(code.co_filename).relative_to(ROOT).as_posix()
            self.found.setdefault((path, code.co_qualname))

    def carries(self, value: Any, depth: int = DEPTH) -> bool:
        """Whether a value is the one that is followed, or holds it among a few others."""
        if isinstance(value, bool) or value is None:
            return False
        if isinstance(value, int | float | Fraction):
            return value in self.numbers
        if isinstance(value, str):
            return len(value) < 400 and bool(self.text.search(value))
        return depth > 0 and any(self.carries(part, depth - 1) for part in held(value))


def arguments(code: CodeType) -> Sequence[str]:
    """The names of a function's parameters."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def held(value: Any) -> Iterator[Any]:
    """What a small object or list holds; nothing of a large one."""
    if isinstance(value, list | tuple | set | frozenset):
        parts = list(value) if len(value) <= MOST_HELD else []
    elif isinstance(value, dict):
        parts = list(value.values()) if len(value) <= MOST_HELD else []
    else:
        own = getattr(value, "__dict__", None) or {name: getattr(value, name, None) for name in slots(type(value))}
        if isinstance(value, Struct):  # which may have both
            own = {**structs.asdict(value), **own}
        parts = list(own.values()) if len(own) <= MOST_HELD else []
    yield from parts


def slots(kind: type) -> Sequence[str]:
    """The names of the slots of a class."""
    names = getattr(kind, "__slots__", ())
    return (names,) if isinstance(names, str) else tuple(names)


def follow(walk: Walk) -> dict[tuple[str, str], None]:
    """The functions that carried the value of a walk: (file, name), in order."""
    from reckon.cli import main

    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "tree"
        shutil.copytree(ROOT / "starter", tree)
        path = tree / walk.file
        text = path.read_text("utf-8")
        assert walk.edit[0] in text, walk.title
        path.write_text(text.replace(*walk.edit, 1), "utf-8")
        seen, before = Seen(walk.marks, walk.page), Path.cwd()
        os.chdir(tree)
        sys.setprofile(seen)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                code = main(list(walk.command))
        finally:
            sys.setprofile(None)
            os.chdir(before)
        assert code == 0, f"{walk.title}: exit {code}"
    return seen.found


def told(walk: Walk) -> Iterator[str]:
    """The lines of a walk: each file, and the first functions in it, in the order in which they were met."""
    files: dict[str, list[str]] = {}
    for path, name in follow(walk):
        files.setdefault(path, []).append(name.replace(".<locals>", ""))
    yield f"**{walk.title}** ({len(files)} files)"
    yield ""
    for path, names in files.items():
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"- `{path}`: {', '.join(names[:MOST_NAMED])}{more}"


def text() -> str:
    """All walks, as they stand in ARCHITECTURE.md."""
    return "\n\n".join("\n".join(told(walk)) for walk in WALKS)


def between(document: str, walks: str) -> str:
    """The document with these walks in it."""
    head, _, rest = document.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{walks}\n\n{END}{rest.partition(END)[2]}"


def main(words: Sequence[str]) -> None:
    """Prints the walks, or writes them into ARCHITECTURE.md."""
    if "--write" in words:
        PAGE.write_text(between(PAGE.read_text("utf-8"), text()), "utf-8")
    else:
        print(text())


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv[1:])
