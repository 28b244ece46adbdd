"""An entry that stands in a file of its own -> lines of another file of runs, with its comments: nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .entry import DONE, TOTAL, added, says, takes_lines, written
from .events import Stop
from .tree import Map, Seq, read_tree

# Comments that tell of the file, not of its entry: its schema, and the help in a file that the forge's page began.
_OF_FILE = re.compile(r"#\s*yaml-language-server:\s*\$schema=\S+|#: .*")


@dataclass(frozen=True, slots=True)
class Loose:
    """The one entry of a file: its fields as texts, and its lines, which begin with `- `, and what it is read as."""

    fields: Mapping[str, str]
    lines: tuple[str, ...]
    tree: Map


def loose(text: str) -> Loose | None:
    """The one entry of a file's text; None where its lines, or a comment of it, could not stand in another file."""
    found = _entries(text)
    if found is None or len(found) != 1:
        return None
    fields = _fields(found[0])
    carried = _carried(text)
    # Empty lines at the end are left out, unless they belong to a text there.
    for lines in (_trimmed(carried), carried, () if "#" in _bare(text) else (written(fields),)):
        if lines and _entries("\n".join([*lines, ""])) == found:
            return Loose(fields, lines, found[0])
    return None


def together(text: str, some: Sequence[Loose]) -> str | None:
    """The text of a file with these entries at its end; None where it does not take them."""
    before = _entries(text) if text else []
    if before is None or not takes_lines(text):
        return None
    whole = added(text, [line for one in some for line in one.lines])
    return whole if _entries(whole) == [*before, *(one.tree for one in some)] else None


def _entries(text: str) -> list[Any] | None:
    """The entries of a text as they are written; None where anything is wrong with it."""
    problems: list[Any] = []
    try:
        tree = read_tree(text.removeprefix("\ufeff"), "", problems)
    except Stop:
        return None
    if not tree and not problems:
        return []
    whole = isinstance(tree, Seq) and all(isinstance(one, Map) for one in tree)
    return list(tree) if whole and not problems else None


def _fields(tree: Map) -> dict[str, str]:
    """The fields of an entry as texts; what is no field is left out, and so told apart by its own reading."""
    found = {str(key): str(value) for key, value in tree.items() if isinstance(value, str)}
    done = tree.get("progress")  # type: ignore[call-overload]
    if isinstance(done, Map):
        found |= {name: str(done[key]) for key, name in (("done", DONE), ("total", TOTAL)) if key in done}  # type: ignore[index]
    return found


def _carried(text: str) -> tuple[str, ...]:
    """The lines of a text from the left margin, without those that tell of the file; none where they are no entry."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")
    begin = next((number for number, line in enumerate(lines) if says(line)), 0)
    indent = len(lines[begin]) - len(lines[begin].lstrip(" "))
    above = [line.strip() for line in lines[:begin] if line.lstrip().startswith("#")]
    below = [line[indent:] if not line[:indent].strip() else line.lstrip() for line in lines[begin:]]
    whole = takes_lines(text) and not any(line.rstrip() == "..." for line in below)  # what ends a document ends a file
    return (*(line for line in above if not _OF_FILE.fullmatch(line)), *below) if whole else ()


def _trimmed(lines: tuple[str, ...]) -> tuple[str, ...]:
    last = max((number for number, line in enumerate(lines) if line.strip()), default=-1)
    return lines[: last + 1]


def _bare(text: str) -> str:
    """A text without the comments that tell of the file."""
    return "\n".join(line for line in text.removeprefix("\ufeff").splitlines() if not _OF_FILE.fullmatch(line.strip()))
