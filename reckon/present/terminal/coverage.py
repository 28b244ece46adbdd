"""What `cover` says: which figures of a document have no place in the ledger, and which inputs are not in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from msgspec import Struct

from reckon.compute.cover.coverage import Coverage
from reckon.compute.cover.holdings import CLAIM, INPUT, Entry
from reckon.compute.cover.printed import Number
from reckon.language.text import list_first, plural

from ..render.escape import terminal
from .lines import ANSWER_WIDTH, cut

FORMAT_NUMBER = 1
AFTER = "… and {} more lines: `--all` prints them"
NO_SECTION = "(no heading)"
MOST_CONTEXT = 200


class ReadDocument(Struct, frozen=True):
    """A document as it was named: its SHA-256, and whether it is another than the project names."""

    name: str
    sha256: str
    has_changed: bool


def format_coverage(found: Coverage, documents: Iterable[ReadDocument], project: str, most: int = 0) -> Iterator[str]:
    """Both counts in a sentence, then both lists; in at most so many lines below it, where `most` is not 0."""
    lines = list(_list_lines(found, documents, project, most == 0))
    yield _summarise(found)
    yield from list_first(lines, most or len(lines), AFTER)


def _summarise(found: Coverage) -> str:
    held = len(found.figures) - len(found.absent)
    inputs, claims = _of_kind(found.unstated, INPUT), _of_kind(found.unstated, CLAIM)
    lacking = plural(len(inputs), "input") + (f" and {plural(len(claims), 'claim')}" if claims else "")
    verb = "is" if len(found.unstated) == 1 else "are"
    return (
        f"{held:,} of {plural(len(found.figures), 'figure')} with a unit have a place in the ledger; "
        f"{lacking} of the ledger {verb} not in the document."
    )


def _of_kind(entries: Iterable[Entry], kind: str) -> list[Entry]:
    return [entry for entry in entries if entry.kind == kind]


def _list_lines(found: Coverage, documents: Iterable[ReadDocument], project: str, is_whole: bool) -> Iterator[str]:
    for document in documents:
        if document.has_changed:
            yield _line(f"The document changed: {document.name} has the SHA-256 {document.sha256}.")
    if found.unstated:
        yield from ("", "In the ledger, not in the document:")
        yield from (_line(f"  {_entry(entry)}") for entry in found.unstated)
    yield from _list_absent("In the document, not in the ledger:", found.absent)
    if is_whole:
        yield from _list_absent("Numbers without a unit that are not in the ledger:", found.absent_plain)
    elif found.absent_plain:
        yield from ("", f"{plural(len(found.absent_plain), 'number')} without a unit not in the ledger: see `--all`.")
    if found.moved:
        yield from ("", "Moved: write the new `line`.")
        yield from (_line(f"  {_entry(each.entry)}: now line {each.number.passage.line}") for each in found.moved)
    yield from _list_dismissals(found, project)


def _list_absent(title: str, numbers: Iterable[Number]) -> Iterator[str]:
    """Numbers of a document below their headings."""
    for index, ((_, section), some) in enumerate(groupby(numbers, _section_of)):
        if index == 0:
            yield from ("", title)
        yield _line(f"  {section or NO_SECTION}")
        for number in some:
            passage = number.passage
            yield _line(f"    {passage.document}:{passage.line}: {number.shown}, in “{_context(number)}”")


def _section_of(number: Number) -> tuple[str, str]:
    return number.passage.document, number.passage.section


def _context(number: Number) -> str:
    """What stands around a number: the heads of its row and column, or its line."""
    passage = number.passage
    return (" / ".join(part for part in (passage.row, passage.column) if part) or passage.text)[:MOST_CONTEXT]


def _list_dismissals(found: Coverage, project: str) -> Iterator[str]:
    if found.dismissed:
        yield from ("", f"Dismissed: {plural(len(found.dismissed), 'number')} of the document.")
    for idle in found.idle:
        yield _line(f"{idle.document}:{idle.line}: this comment dismisses nothing; remove it")
    for text in found.idle_texts:
        yield _line(f"`ignore` of {project} names `{text}`, which dismisses nothing; remove it")


def _entry(entry: Entry) -> str:
    named = f" (line {entry.line})" if entry.line else ""
    return f"{entry.place.short}: {entry.kind} {entry.shown}{named}, {entry.address}"


def _line(text: str) -> str:
    return cut(terminal(text), ANSWER_WIDTH)


def coverage_json(found: Coverage, documents: Iterable[ReadDocument], project: str) -> str:
    """The same for programs."""
    counts = {
        "figures": len(found.figures),
        "absent": len(found.absent),
        **{f"{kind}s": len(_of_kind(found.entries, kind)) for kind in (INPUT, CLAIM)},
        **{f"unstated_{kind}s": len(_of_kind(found.unstated, kind)) for kind in (INPUT, CLAIM)},
    }
    named = [
        {"document": document.name, "sha256": document.sha256, "changed": document.has_changed}
        for document in documents
    ]
    told = {
        "format": FORMAT_NUMBER,
        "project": project,
        "documents": named,
        "counts": counts,
        "absent": list(map(_number_data, found.absent)),
        "absent_without_unit": list(map(_number_data, found.absent_plain)),
        "unstated": list(map(_entry_data, found.unstated)),
        "moved": [{**_entry_data(each.entry), "now": each.number.passage.line} for each in found.moved],
        "dismissed": list(map(_number_data, found.dismissed)),
        "idle_comments": [{"document": each.document, "line": each.line} for each in found.idle],
        "idle_texts": list(found.idle_texts),
    }
    return json.dumps(told, ensure_ascii=False, indent=2)


def _number_data(number: Number) -> Mapping[str, object]:
    passage = number.passage
    return {
        "document": passage.document,
        "line": passage.line,
        "section": passage.section,
        "number": number.shown,
        "text": _context(number),
    }


def _entry_data(entry: Entry) -> Mapping[str, object]:
    return {
        "kind": entry.kind,
        "address": entry.address,
        "value": entry.shown,
        **entry.place._asdict(),
        "document_line": entry.line,
    }
