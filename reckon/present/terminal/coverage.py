"""What `cover` says: which figures of a document have no place in the ledger, and which inputs are not in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reckon.compute.cover.coverage import Coverage, distance
from reckon.language.text import list_first, plural

from ..render.escape import terminal
from .lines import answer_width, cut

BLOCKS = (
    ("changed", "The document changed; check it, and write its new `source_sha256`:", "  {0}"),
    ("unstated", "In the ledger, not in the document:", "  {0[file]}:{0[line]}: {0[kind]} {0[value]}, {0[address]}"),
    ("absent", "In the document, not in the ledger:", "    {0[document]}:{0[line]}: {0[number]}, in “{0[text]}”"),
    (
        "moved",
        "Moved, so write the new `line`:",
        "  {0[file]}:{0[line]}: {0[value]}, {0[address]}: {0[document]}:{0[now]}",
    ),
    ("idle", "These dismiss nothing, so remove them:", "  {0}"),
)
"""The rows that are told, with what stands above them and how each is written."""
MOST_TEXT = 200


def coverage_data(found: Coverage, changed: Sequence[str]) -> dict[str, Any]:
    """Both lists with their counts, what else was found, and the documents that changed, as data."""
    rows: dict[str, list[Any]] = {"unstated": [], "moved": [], "absent": []}
    for entry, number in found.entries:
        row = {"kind": entry.kind, "address": entry.address, "value": entry.shown, **entry.place._asdict()}
        if number is None:
            rows["unstated"].append(row)
        elif distance(entry, number):
            rows["moved"].append({**row, "document": number.passage.document, "now": number.passage.line})
    for number in found.absent:
        passage = number.passage
        text = (passage.head or passage.text)[:MOST_TEXT]
        row = {"document": passage.document, "line": passage.line, "section": passage.section}
        rows["absent"].append({**row, "number": number.shown, "text": text})
    return {"figures": len(found.figures), **rows, "changed": changed, "idle": found.idle}


def format_coverage(data: Mapping[str, Any], most: int) -> Iterator[str]:
    """Both counts, then both lists: in at most so many lines, where `most` is not 0."""
    figures = data["figures"]
    kinds = [row["kind"] for row in data["unstated"]]
    lacking = " and ".join(plural(kinds.count(kind), kind) for kind in ("input", "claim"))
    yield f"{figures - len(data['absent']):,} of {plural(figures, 'figure')} have a place in the ledger."
    yield f"The document lacks {lacking} of the ledger."
    lines = [cut(terminal(line), answer_width()) for line in _list_lines(data)]
    yield from list_first(lines, most or len(lines), "… and {} more lines: `--all` prints them")


def _list_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """The rows below their titles, those of a document below its headings."""
    for name, title, form in BLOCKS:
        section = ""
        yield from ["", title] if data[name] else []
        for row in data[name]:
            if name == "absent" and section != row["section"]:
                section = row["section"]
                yield f"  {section}"
            yield form.format(row)
