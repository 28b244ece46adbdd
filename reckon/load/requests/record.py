"""A measurement as the lines of YAML that are added for it, and the text of a file with it at its end.

A field is one line whatever it holds, and a row is one line: what is given is read back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..entry import first_line, scalar

SCHEMA_COMMENT = "# yaml-language-server: $schema=../.schema/measurements.schema.json\n"
BEFORE = ("title", "kind", "date", "device", "gpus", "model", "dtype", "configuration", "row")
AFTER = ("notes", "source")
FIELDS = (*BEFORE, *AFTER)
# Fields whose text can look like a number or a truth value to other readers of YAML.
_WORDS = ("title", "device", "model", "dtype", "configuration", "row", *AFTER)


def written(
    name: str, fields: Mapping[str, str], rows: Sequence[Mapping[str, str]], total: Sequence[str]
) -> Iterator[str]:
    """The lines of a record. Fields that no measurement has stand as figures of its own, before the notes."""
    yield f"{name}:"
    yield from _lines(fields, BEFORE)
    if rows:
        yield "  rows:"
        yield from (f"    - {{{', '.join(f'{key}: {scalar(cell)}' for key, cell in row.items())}}}" for row in rows)
    if total:
        yield f"  total: [{', '.join(scalar(one) for one in total)}]"
    yield from _lines(fields, [one for one in fields if one not in FIELDS])
    yield from _lines(fields, AFTER)


def _lines(fields: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    return (f"  {name}: {scalar(fields[name], name in _WORDS)}" for name in names if name in fields)


def takes_records(text: str) -> bool:
    """Whether a file holds `id:` lines with fields below, or nothing yet: a record can stand at its end."""
    first = first_line(text)
    return first is None or not first.lstrip().startswith(("{", "- ", "[", "'", '"'))


def with_record(text: str, lines: Iterable[str]) -> tuple[str, int]:
    """The text of a file with a record more at its end, and the line where that begins; the rest stays as it was.

    A file that is empty begins with the comment that tells editors its schema.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    first = first_line(text) or ""
    indent = first[: len(first) - len(first.lstrip())]
    before = text or SCHEMA_COMMENT
    if not before.endswith("\n"):
        before += end
    return before + "".join(f"{indent}{line}{end}" for line in lines), before.count("\n") + 1
