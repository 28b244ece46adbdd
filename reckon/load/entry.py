"""An entry of a file of runs as the one line that is added for it, and the text of a file with such lines more.

Whatever a field holds, its entry stays one line and one entry: what a YAML reader could take for anything but text is
quoted, and what would break a line is written as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from reckon.model.sums import SUMMED

SCHEMA_COMMENT = "# yaml-language-server: $schema=../../.schema/runs.schema.json\n"
DONE, TOTAL = "progress.done", "progress.total"
# The order in which the fields of a run are written; `progress` is written in two parts.
ORDER = (
    "date", "start", "end", "item", "seed", "unplanned", "run", "attempt", "gpu", "gpus", "wall_hours", "gpu_hours",
    "status", "progress", *sorted(field.name for field in SUMMED), "utilisation", "job", "kind", "note", "source",
)  # fmt: skip
FIELDS = (*(name for name in ORDER if name != "progress"), DONE, TOTAL)
# Fields whose text can look like a number or a truth value to other readers of YAML.
_WORDS = ("item", "seed", "run", "attempt", "gpu", "job", "note", "source")

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)?")
_SAFE = re.compile(r"-?\w(?:[\w.%+/()=-]| (?=[\w.%+/()=-]))*")
_WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")
_OTHER_TYPE = re.compile(
    r"[-+.]?[0-9][0-9a-f_.,:x+-]*|0o[0-7]+|[0-9]{4}-[0-9]{1,2}.*|null|true|false|yes|no|on|off|y|n", re.IGNORECASE
)
# What ends a line for one reader of YAML or another, and what they trim or skip: written as escapes.
_BREAKS = re.compile("[\t\n\r\x85\u2028\u2029\ufeff]")


def written(fields: Mapping[str, str]) -> str:
    """The line of an entry: its fields by name, in their order, as they were given."""
    parts = dict(fields)
    if DONE in parts or TOTAL in parts:
        names = {"done": parts.get(DONE), "total": parts.get(TOTAL)}
        parts["progress"] = "{" + ", ".join(f"{key}: {scalar(text)}" for key, text in names.items() if text) + "}"
    pairs = [
        f"{name}: {parts[name] if name == 'progress' else scalar(parts[name], name in _WORDS)}"
        for name in ORDER
        if name in parts
    ]
    return "- {" + ", ".join(pairs) + "}"


def scalar(text: str, word: bool = False) -> str:
    """A text as a scalar inside a flow map: plain where nothing in it means anything to YAML, else quoted."""
    if _BREAKS.search(text):
        inner = text.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", inner) + '"'
    plain = _SAFE.fullmatch(text) or _TIME.fullmatch(text)
    if plain and not (word and _OTHER_TYPE.fullmatch(text) and not _WHOLE.fullmatch(text)):
        return text
    return "'" + text.replace("'", "''") + "'"


def progress_parts(text: str) -> dict[str, str] | None:
    """The two parts of `3/5`; None where the text is not of that form."""
    done, slash, total = (part.strip() for part in text.partition("/"))
    return {DONE: done, TOTAL: total} if slash and done and total and "/" not in total else None


def takes_lines(text: str) -> bool:
    """Whether a file is written as lines that begin with `- `, or holds nothing yet: lines can be added to it."""
    first = first_line(text)
    return first is None or first.lstrip().startswith("- ") or first.strip() == "-"


def first_line(text: str) -> str | None:
    """The first line that says something."""
    return next(filter(says, text.removeprefix("\ufeff").splitlines()), None)


def says(line: str) -> bool:
    """Whether a line is neither empty nor a comment, nor the mark where a document begins."""
    return bool(line.strip()) and not line.lstrip().startswith("#") and line.rstrip() != "---"


def added(text: str, lines: Iterable[str]) -> str:
    """The text of a file of runs with lines more at its end, indented and ended as those that are there.

    A file that is empty begins with the comment that tells editors its schema; a last line without its end gets one.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    first = first_line(text) or ""
    indent = first[: len(first) - len(first.lstrip())]
    before = text or SCHEMA_COMMENT
    if not before.endswith("\n"):
        before += end
    return before + "".join(f"{indent if line else ''}{line}{end}" for line in lines)
