"""A document of markdown as passages: each text of a line or a cell, with its line and what names what stands in it.

No library reads it, so that the command needs no extra, in a hook too: figures are told by lines, and a cell of a table
has one here. Nothing refuses a document. Every function takes linear time, so that a stranger's may be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

MOST_HEADS = 200
"""How many columns of a table have a head here."""
MOST_FOLLOWING = 200
IGNORED = re.compile(r"<!--\s{0,9}cover:\s{0,9}ignore\s{0,9}-->")
_COMMENT = re.compile(r"<!--.*?-->")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)")
_CELL_END = re.compile(r"(?<!\\)\|")
_ADDRESS = re.compile(r"\]\([^()\s]{0,500}\)|\bhttps?://\S{1,500}|</?[A-Za-z][^<>]{0,200}>")
_WORD = re.compile(r"[a-z]+\d*")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ings?|e[dsr]?|s)$")
_COMMON = frozenset(
    _WORD.findall(
        "the and for per with from that this are was not all one two its has have than then use used into each only "
        "about other more less most least total value number figure stated plan planned planning budget cost costs "
        "estimate estimated estimates estimation setting settings time configuration configurations config configs "
        "project claims measurements gpu gpus hour hours day days minute minutes second seconds gib min sec"
    )
)
"""Words that name nothing."""


class Passage(Struct, frozen=True):
    """The text of a line or a cell of a document: its line, the heading above it, the heads of its column and row, the
    words that name what stands in it, and how the line goes on below. `is_code` is what stands in a block of code, such
    as a drawn picture. `ignored` is the line of the comment that dismisses it; 0 where none does."""

    text: str
    line: int
    section: str
    column: str = ""
    row: str = ""
    words: frozenset[str] = frozenset()
    following: str = ""
    is_code: bool = False
    ignored: int = 0
    document: str = ""


class Document(Struct, frozen=True):
    """What a document holds, under its name: its passages, and the lines of the comments that dismiss some of it."""

    name: str
    passages: Sequence[Passage]
    comments: Sequence[int]


def words_of(*texts: str) -> frozenset[str]:
    """The words of some texts that can name a figure, without their endings: `saves` and `saved` are one."""
    found = {word for text in texts for word in _WORD.findall(text.lower()) if len(word) > 2}
    return frozenset(_ENDING.sub("", word) for word in found - _COMMON)


def read_document(text: str, name: str = "") -> Document:
    """The passages of a document, in its order."""
    reader = _Reader(name)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        reader.take(number, line, lines[number] if number < len(lines) else "")
    return Document(name, tuple(reader.passages), tuple(reader.comments))


class _Reader:
    """Takes line by line, and knows what stands above."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.passages: list[Passage] = []
        self.comments: list[int] = []
        self._headings: list[tuple[int, str]] = []
        self._items: list[tuple[int, str]] = []
        self._intro = ""
        self._heads: list[str] | None = None
        self._fence = ""
        self._in_comment = False
        self._waiting = 0
        self._block = 0
        self._section: tuple[int, int] = (0, 0)
        self._following = ""

    def take(self, number: int, line: str, following: str) -> None:
        """Takes the next line; `following` is the one after it."""
        if self._take_fence(line):
            return
        here = number if not self._fence and IGNORED.search(line) else 0
        if here:
            self.comments.append(number)
        line = line if self._fence else self._strip_comments(line)
        if not line.strip():
            self._waiting = here or self._waiting
            self._end_block(keep_waiting=bool(self._waiting))
            return
        heading = None if self._fence else _HEADING.fullmatch(line)
        if self._waiting and not heading:
            self._block = self._waiting
        ignored = here or self._block
        self._following = following[:MOST_FOLLOWING] if _goes_on(following) else ""
        if heading:
            self._take_heading(number, heading, here or self._waiting)
        elif not self._fence and "|" in line and (self._heads is not None or _is_rule(following)):
            self._take_row(number, line, ignored)
        else:
            self._take_text(number, line, ignored)
        self._waiting = 0

    def _take_fence(self, line: str) -> bool:
        """Whether a line opens or closes a block of code."""
        found = _FENCE.match(line)
        if not found or (self._fence and self._fence != found[1]):
            return False
        self._fence = "" if self._fence else found[1]
        return True

    def _strip_comments(self, line: str) -> str:
        if self._in_comment:
            _, end, line = line.partition("-->")
            if not end:
                return ""
            self._in_comment = False
        line = _COMMENT.sub(" ", line)
        line, begin, _ = line.partition("<!--")
        self._in_comment = bool(begin)
        return line

    def _end_block(self, keep_waiting: bool) -> None:
        """A blank line ends tables and what a comment dismisses; items of a list go on behind it."""
        self._heads = None
        self._block = 0
        if not keep_waiting:
            self._waiting = 0

    def _take_heading(self, number: int, found: re.Match[str], ignored: int) -> None:
        level, title = len(found[1]), found[2].strip(" #\t")
        self._following = ""
        self._headings = [heading for heading in self._headings if heading[0] < level]
        self._headings.append((level, title))
        self._items, self._intro, self._heads, self._block = [], "", None, 0
        if self._section[0] and level <= self._section[1]:
            self._section = (0, 0)
        if ignored:
            self._section = (ignored, level)
        self._add(number, title, 0)

    def _take_row(self, number: int, line: str, ignored: int) -> None:
        if _is_rule(line) and self._heads is not None:
            return
        self._following = ""
        cells = [cell.strip() for cell in _CELL_END.split(line.strip().removeprefix("|").removesuffix("|"))]
        if self._heads is None:
            self._heads = [plain(cell) for cell in cells[:MOST_HEADS]]
            for cell in cells:
                self._add(number, cell, ignored)
            return
        row = plain(cells[0])[:200]
        for index, cell in enumerate(cells):
            column = self._heads[index] if index < len(self._heads) else ""
            self._add(number, cell, ignored, column, row if index else "")

    def _take_text(self, number: int, line: str, ignored: int) -> None:
        found = None if self._fence else _ITEM.fullmatch(line)
        self._heads = None
        if not found:
            self._items = self._items if line[:1] in " \t" else []
            self._intro = "" if self._fence else line[:200]
            self._add(number, line, ignored)
            return
        indent = len(found[1].expandtabs(4))
        self._items = [item for item in self._items if item[0] < indent][-9:]
        self._add(number, found[2], ignored)
        self._items.append((indent, found[2][:200]))

    def _add(self, number: int, text: str, ignored: int, column: str = "", row: str = "") -> None:
        if not text:
            return
        names = [title for _, title in self._headings[-2:]]
        names += [item for _, item in self._items]
        words = words_of(text, column, row, self._intro, self._following, *names)
        section = plain(self._headings[-1][1]) if self._headings else ""
        self.passages.append(
            Passage(
                plain(text),
                number,
                section,
                column,
                row,
                words,
                self._following,
                is_code=bool(self._fence),
                ignored=ignored or self._section[0],
                document=self._name,
            )
        )


def _goes_on(line: str) -> bool:
    """Whether a line goes on with the sentence of the one above."""
    starts = _HEADING.match(line) or _ITEM.match(line) or _FENCE.match(line)
    return bool(line.strip()) and "|" not in line and not starts


def _is_rule(line: str) -> bool:
    """Whether a line divides the heads of a table from its rows."""
    return "-" in line and "|" in line and not line.strip(" \t|:-")


def plain(text: str) -> str:
    """A text without marks of emphasis and code, addresses of links and tags."""
    return _ADDRESS.sub(" ", text).replace("*", "").replace("`", "").strip()
