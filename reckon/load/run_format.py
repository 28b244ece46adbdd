"""Entries of files of runs as texts: rows of a table, the line that is added for one, and lines of one file in another.

Whatever a field holds, its entry stays one line and one entry: what a YAML reader could take for anything but text is
quoted, and what would break a line is written as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from reckon.language.lazy import regex
from reckon.language.text import Text
from reckon.model import bounds
from reckon.model.figure import SUMMED
from reckon.model.finding import nearest
from reckon.model.records.imports import KEPT

from .formats import NotRows, run_format
from .yaml_nodes import Map, Seq, Stop, read_tree

SCHEMA_COMMENT = "# yaml-language-server: $schema=../../.schema/runs.schema.json\n"
DONE, TOTAL = "progress.done", "progress.total"
# The order in which the fields of a run are written; `progress` is written in two parts.
ORDER = (
    "date",
    "start",
    "end",
    "item",
    "seed",
    "unplanned",
    "run",
    "attempt",
    "gpu",
    "gpus",
    "wall_hours",
    "limit_hours",
    "gpu_hours",
    "status",
    "progress",
    "allocation",
    "price",
    "charged",
    *sorted(field.name for field in SUMMED),
    "energy_of",
    "watts",
    "pue",
    "grid",
    "peak_gib",
    "utilisation",
    "job",
    "qos",
    "partition",
    "kind",
    "note",
    "source",
)
# The same of the entries that `import` writes, and of what each of them keeps of its job, as `importers/job_records`
# and `importers/counting` write them. A line in another order is read as YAML, more slowly.
IMPORTED_ORDER = (
    "date",
    "start",
    "end",
    "item",
    "seed",
    "unplanned",
    "unassigned",
    "run",
    "gpu",
    "gpus",
    "gpu_hours",
    "status",
    "wall_hours",
    "utilisation",
    "job",
    "jobs",
    "imported",
)
JOB_ORDER = ("source", "rule", "state", "also", "gpus", *KEPT, "began", "again")
COLUMNS = (*(name for name in ORDER if name != "progress"), DONE, TOTAL, "progress")
# Fields whose text can look like a number or a truth value to other readers of YAML.
WORDS = (
    *("item", "seed", "run", "attempt", "gpu", "allocation", "price", "grid"),
    *("job", "qos", "partition", "note", "source"),
)

_TIME = regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)?")
_SAFE = regex(r"-?\w(?:[\w.%+/()=-]| (?=[\w.%+/()=-]))*")
_WHOLE = regex(r"0|[1-9][0-9]{0,14}")
_OTHER_TYPE = regex(
    r"[-+.]?[0-9][0-9a-f_.,:x+-]*|0o[0-7]+|[0-9]{4}-[0-9]{1,2}.*|null|true|false|yes|no|on|off|y|n", re.IGNORECASE
)
# What ends a line for one reader of YAML or another, and what they trim or skip: written as escapes.
_BREAKS = regex("[\t\n\r\x85\u2028\u2029\ufeff]")
# Comments that tell of the file, not of its entry: its schema, and the help in a file that the forge's page began.
_CLOCK = regex(r"(?:([0-9]{1,4})-)?([0-9]{1,4}):([0-5][0-9]):([0-5][0-9])")
_OF_FILE = regex(r"#\s*yaml-language-server:\s*\$schema=\S+|#: .*")


EntryFields = Mapping[str, str]
"""The fields of an entry by name, as they are written; `progress` is two of them."""
ColumnFields = Mapping[str, str]
"""The field that a column holds, by the name of the column; an empty one leaves it out."""


class EntryRow(Struct, frozen=True):
    """The fields of one run as they are written, and the line of the table that it stands in."""

    line: int
    fields: EntryFields


class Loose(Struct, frozen=True):
    """The one entry of a file: its fields as texts, and its lines, which begin with `- `, and what it is read as."""

    fields: EntryFields
    lines: tuple[str, ...]
    tree: Map


def written(fields: EntryFields) -> str:
    """The line of an entry: its fields by name, in their order, as they were given."""
    parts = dict(fields)
    if DONE in parts or TOTAL in parts:
        names = {"done": parts.get(DONE), "total": parts.get(TOTAL)}
        parts["progress"] = "{" + ", ".join(f"{key}: {scalar(text)}" for key, text in names.items() if text) + "}"
    pairs = (
        f"{name}: {parts[name] if name == 'progress' else scalar(parts[name], name in WORDS)}"
        for name in ORDER
        if name in parts
    )
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
    """The first line that is neither empty nor a comment."""
    return next(filter(has_content, text.removeprefix("\ufeff").splitlines()), None)


def has_content(line: str) -> bool:
    """Whether a line is neither empty nor a comment, nor the mark where a document begins."""
    return bool(line.strip()) and not line.lstrip().startswith("#") and line.rstrip() != "---"


def added(text: str, lines: Iterable[str], schema: str = SCHEMA_COMMENT) -> str:
    """The text of a file with more lines at its end, with the indentation and line ends of those that are there.

    A file that is empty begins with the comment that tells editors its schema; a last line without its end gets one.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    first = first_line(text) or ""
    indent = first[: len(first) - len(first.lstrip())]
    before = text or schema
    if not before.endswith("\n"):
        before += end
    return before + "".join(f"{indent if line else ''}{line}{end}" for line in lines)


def read_table(
    raw: bytes, file: str, mapping: ColumnFields, standing: ColumnFields
) -> tuple[list[EntryRow], list[str]]:
    """The rows of a table, and all that is wrong with it as a table, as `file:line: wrong; right`.

    The mapping gives the field of a column that is not named after one; an empty field leaves the column out. The
    standing mapping is for all tables of a project, so a table need not have its columns; the other one takes
    precedence.
    """
    if len(raw) > bounds.TABLE:
        return [], [f"{file}:1: the table is larger than 64 MiB; split it"]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [], [f"{file}:1: the table is not UTF-8; save it as UTF-8"]
    rows: list[EntryRow] = []
    wrong: list[str] = []
    try:
        for line, fields, said in _read_rows(run_format(file).rows(text, file), mapping, standing):
            wrong += [f"{file}:{line}: {what}" for what in said]
            rows += [EntryRow(line, fields)] if fields is not None else []
    except NotRows as error:
        wrong.append(f"{file}:1: {error}")
    return rows, wrong


def _read_rows(
    lines: Iterator[Sequence[Text]], mapping: ColumnFields, standing: ColumnFields
) -> Iterator[tuple[int, dict[str, str] | None, list[str]]]:
    """Each line of a table, with its fields (None where these are not known) and what is wrong with it."""
    names = next(lines, ())
    if not names:
        yield 1, None, ["the table is empty; its first row names the columns"]
        return
    columns, said = _columns(names, mapping, standing)
    yield names[0].place.line, None, said
    for cells in lines if not said else ():  # else what the rows hold is not known
        wrong = f"this row has {len(cells)} cells, the first {len(columns)}; check for a stray comma"
        found = _read_row(columns, cells) if len(cells) == len(columns) else (None, [wrong])
        yield cells[0].place.line, *found


def _columns(names: Sequence[str], mapping: ColumnFields, standing: ColumnFields) -> tuple[list[str], list[str]]:
    """The field of each column (empty where it is left out), and what is wrong with their names."""
    fields = []
    wrong = [
        f"there is no column `{column}`; {nearest(column, names) or 'check the first row'}"
        for column in mapping
        if column not in names
    ]
    for column in names:
        field = mapping.get(column, standing.get(column, column))
        if field and field not in COLUMNS:
            otherwise = f"map it with --map '{column}=FIELD', or skip it with `{column}=`"
            wrong.append(f"`{field}` is not a field of a run; {nearest(field, COLUMNS) or otherwise}")
        elif field and field in fields:
            wrong.append(f"two columns hold `{field}`; skip one with --map '{column}='")
        fields.append(field)
    if "item" not in fields:
        wrong.append("there is no column for `item`; name it with --map COLUMN=item")
    return fields, wrong


def _read_row(names: Sequence[str], cells: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    fields = {name: cell for name, cell in zip(names, cells, strict=True) if name and cell}
    wrong = []
    if (done := fields.pop("progress", "")) and (parts := progress_parts(done)) is not None:
        fields |= parts
    elif done:
        wrong.append(f"`{done[:40]}` is not a progress; write done and total, such as 3/5")
    if not {"date", "start", "end"} & set(fields):
        wrong.append("this row has no day; add `date`, or `start` and `end`")
    if "status" in fields:  # COMPLETED and OUT_OF_MEMORY, as schedulers write them
        fields["status"] = fields["status"].lower().replace("_", "-").replace(" ", "-")
    if "wall_hours" in fields:
        fields["wall_hours"] = _by_clock(fields["wall_hours"])
    if fields.get("unplanned", "").lower() in ("true", "false"):
        fields["unplanned"] = fields["unplanned"].lower()
    return fields, wrong


def _by_clock(cell: str) -> str:
    """A time in the words of a ledger, where a scheduler wrote it by the clock: 1-02:45:00 is `1 d 2 h 45 min`.

    Two numbers alone may be hours and minutes or minutes and seconds, so that they stay as they are, and are refused.
    """
    if not (found := _CLOCK.fullmatch(cell)):
        return cell
    parts = zip(map(int, found.groups("0")), ("d", "h", "min", "s"), strict=True)
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0"


def loose(text: str) -> Loose | None:
    """The one entry of a file's text; None where its lines, or a comment of it, could not stand in another file."""
    found = entries_of(text)
    if found is None or len(found) != 1:
        return None
    fields = fields_of(found[0])
    carried = _carried(text)
    # Empty lines at the end are left out, unless they belong to a text there.
    end = max((number for number, line in enumerate(carried, 1) if line.strip()), default=0)
    for lines in (carried[:end], carried, () if "#" in _bare(text) else (written(fields),)):
        if lines and entries_of("\n".join([*lines, ""])) == found:
            return Loose(fields, lines, found[0])
    return None


def together(text: str, some: Sequence[Loose]) -> str | None:
    """The text of a file with these entries at its end; None where it does not take them."""
    before = entries_of(text) if text else []
    if before is None or not takes_lines(text):
        return None
    whole = added(text, [line for entry in some for line in entry.lines])
    return whole if entries_of(whole) == [*before, *(entry.tree for entry in some)] else None


def entries_of(text: str) -> list[Any] | None:
    """The entries of a text as they are written; None where anything is wrong with it."""
    problems: list[Any] = []
    try:
        tree = read_tree(text.removeprefix("\ufeff"), "", problems) or Seq()
    except Stop:
        return None
    whole = isinstance(tree, Seq) and all(isinstance(entry, Map) for entry in tree)
    return list(tree) if whole and not problems else None


def fields_of(tree: Map) -> dict[str, str]:
    """The fields of an entry as texts; what is not a field is left out, and so told apart by its own reading."""
    found = {str(key): str(value) for key, value in tree.items() if isinstance(value, str)}
    done = tree.get("progress")  # type: ignore[call-overload]
    if isinstance(done, Map):
        found |= {name: str(done[key]) for key, name in (("done", DONE), ("total", TOTAL)) if key in done}  # type: ignore[index]
    return found


def _carried(text: str) -> tuple[str, ...]:
    """The lines of a text from the left margin, without those that tell of the file; none where they are no entry."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")
    begin = next((number for number, line in enumerate(lines) if has_content(line)), 0)
    indent = len(lines[begin]) - len(lines[begin].lstrip(" "))
    above = [line.strip() for line in lines[:begin] if line.lstrip().startswith("#")]
    below = [line[indent:] if not line[:indent].strip() else line.lstrip() for line in lines[begin:]]
    whole = takes_lines(text) and not any(line.rstrip() == "..." for line in below)  # what ends a document ends a file
    return (*(line for line in above if not _OF_FILE.fullmatch(line)), *below) if whole else ()


def _bare(text: str) -> str:
    """A text without the comments that tell of the file."""
    return "\n".join(line for line in text.removeprefix("\ufeff").splitlines() if not _OF_FILE.fullmatch(line.strip()))
