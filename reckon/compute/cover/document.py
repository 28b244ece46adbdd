"""A document of markdown as passages: each text of a line or a cell, with its line and what names what stands in it.

No library reads it, so that the command needs no extra, in a hook too: figures are told by lines, and a cell of a table
has one here. Nothing refuses a document. Every function takes linear time, so that a stranger's may be read.
"""

from __future__ import annotations

import re
from itertools import pairwise

from msgspec import Struct

MOST_NAME = 200
"""How many characters of a head or a line beside it name what stands in a line."""
_IGNORED = re.compile(r"<!--\s{0,9}cover:\s{0,9}ignore\s{0,9}-->")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_STARTS = re.compile(r"\s*([-*+#]|\d{1,9}[.)])\s")
_CELL_END = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"(?=.*-)(?=.*\|)[ \t|:-]+")
"""What divides the heads of a table from its rows."""
_MARKUP = re.compile(
    r"<!--[^<]{0,2000}?-->|\]\([^()\s]{0,500}\)|\bhttps?://\S{1,500}|</?[A-Za-z][^<>]{0,200}>|[*`]|\s?CO[2₂](?:eq?)?"
)
_WORD = re.compile(r"[a-z]+\d{2,}|[a-z]{2,}\d|\b[a-z]\d\b|[a-z]{3,}")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ings?|e[dsr]?|ens?|s)$")
_COMMON = frozenset(
    _WORD.findall(
        "the and for per with from that this are was not all one two its has have than then use used into each only "
        "about other more less most least value number figure stated plan planned planning "
        "estimate estimated estimates estimation setting settings time configuration configurations config configs "
        "project claims measurements gpu gpus hour hours day days minute minutes second seconds gib min sec"
    )
)
"""Words that name nothing."""


class Passage(Struct, frozen=True):
    """The text of a line or a cell: its document and line, the heading above it, the heads of its row and column, the
    words that name what stands in it, and how the line goes on below. `is_code` is what stands in a block of code, such
    as a drawn picture. `ignored` is the place of the comment that dismisses it, if one does; `table` is the line with
    the heads of its table."""

    text: str
    head: str = ""
    following: str = ""
    words: frozenset[str] = frozenset()
    document: str = ""
    line: int = 0
    section: str = ""
    is_code: bool = False
    ignored: str = ""
    table: int = 0


def words_of(*texts: str) -> frozenset[str]:
    """The words of some texts that can name a figure, without their endings: `saves` and `saved` are one."""
    found = {word for text in texts for word in _WORD.findall(text.lower())}
    return frozenset(_ENDING.sub("", word) for word in found - _COMMON)


def plain(text: str) -> str:
    """A text without comments, marks of emphasis and code, addresses, tags, and the CO2 of `t CO2e`."""
    return _MARKUP.sub("", text).strip()


def read_document(text: str, name: str = "") -> list[Passage]:
    """The passages of a document, and one without text for each comment. A comment dismisses its line; one by itself
    the block, or the section, below."""
    passages = []
    titles: list[str] = []
    heads: list[str] = []
    intro, is_code, block, section, level, table = "", False, "", "", 0, 0
    for number, (line, next_line) in enumerate(pairwise([*text.splitlines(), ""]), 1):
        below = next_line[:MOST_NAME]
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            continue
        comment = f"{name}:{number}" if _IGNORED.search(line) else ""
        if comment:
            passages.append(Passage("", ignored=comment))
        shown = line if is_code else plain(line)
        if not shown:
            heads, block, table = [], comment, 0
            continue
        heading = None if is_code else _HEADING.fullmatch(shown)
        if heading:
            depth = len(heading[1])
            intro = ""
            titles = [*titles[: depth - 1], heading[2][:MOST_NAME]]
            if block or depth <= level:
                section = block
                level = depth
                block = ""
        context = intro
        if "|" in shown and (heads or _RULE.fullmatch(below)):
            cells = [plain(cell) for cell in _CELL_END.split(line.strip().strip("|"))]
            below_heads = list(zip(cells, heads, strict=False))
            units = "".join(f", {cell[:MOST_NAME]}" for cell, head in below_heads if head.lower() in ("unit", "units"))
            parts = [(cell, f"{cells[0][:MOST_NAME]}, {head[:MOST_NAME]}{units}", "") for cell, head in below_heads]
            if not heads:
                parts = [(cell, "", "") for cell in cells]
                table, heads = number, cells
        else:
            parts = [(shown, "", "" if _STARTS.match(below) or "|" in below else below)]
            intro = intro if _STARTS.match(line) else shown[:MOST_NAME]
        ignored = comment or block or section
        for part in parts:
            words = words_of(*part, context, *titles[-2:])
            passages.append(Passage(*part, words, name, number, "".join(titles[-1:]), is_code, ignored, table))
    return passages
