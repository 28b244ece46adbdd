"""What a document on paper is made of: headings, paragraphs, lists, tables of texts and pictures, each with a bound.

All texts are plain: what a ledger writes as markdown loses its marks here, but for what stands out. Whitespace becomes
one space, and what no reader sees is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from reckon.compute.statements.passages import Saying
from reckon.language.lean import dataclass, regex
from reckon.model.figure import Figure

from ..charts.words import tidy
from ..render.numbers import figure_text

LONGEST_TEXT, LONGEST_ITEM, LONGEST_CELL, LONGEST_TITLE, LONGEST_FIGURE = 1_500, 400, 200, 100, 26
LINE = 80
"""The letters that a line has room for: a wide one counts more (`_long`)."""
ROOM, HEADING, HIGHEST = 112, 3, 70
"""The lines of text that four pages have beside two pictures; those of a heading; and how high a picture may be."""
MOST_SPANS = 60
_MARKS = regex(
    r"\*\*(?P<bold>[^*]+)\*\*|!?\[(?P<link>[^\[\]]*)\]\([^()]*\)|`(?P<code>[^`]+)`|\\(?P<literal>[!-/:-@\[-`{-~])"
)
_ITEM = regex(r"[ ]{0,3}(?:[-*+]|[0-9]{1,3}[.)])[ ]+")
_WIDE = regex(r"[mwA-Z%@]|[^\x00-\x7f]")
_SIZE = regex(r'<svg[^>]* width="(?P<wide>[0-9.]+)" height="(?P<high>[0-9.]+)"')
Span = tuple[str, bool]


class NotTypeset(Exception):
    """Something stands in the way of a PDF; the message says what, and what would help."""


def clean(text: str, longest: int = LONGEST_CELL) -> str:
    """A text in one line without what nobody sees, cut with `…` where it is longer."""
    found = tidy(text)
    return found if len(found) <= longest else found[: longest - 1].rstrip() + "…"


def worded(saying: Saying | str) -> str:
    """Ledger text with what it quotes, its markdown as it stands."""
    parts = (saying,) if isinstance(saying, str) else saying
    return "".join(part if isinstance(part, str) else figure_text(part) if isinstance(part, Figure) else part.title
                   for part in parts)  # fmt: skip


def spans(markdown: str, longest: int = LONGEST_TEXT) -> list[Span]:
    """A paragraph in pieces, each with whether it stands out; links and code are their texts."""
    found: list[Span] = []
    text, at = clean(markdown, longest), 0
    for mark in _MARKS.finditer(text):
        inner = next((inner for inner in mark.groups() if inner is not None), "")
        found.append((text[at : mark.start()].replace("**", ""), False))
        found.append((flat(inner, longest) if mark["bold"] else inner, mark["bold"] is not None))
        at = mark.end()
        if len(found) > MOST_SPANS:
            break
    return [piece for piece in [*found, (text[at:].replace("**", ""), False)] if piece[0]]


def flat(markdown: str, longest: int = LONGEST_CELL) -> str:
    """The same as one text in which nothing stands out."""
    return clean("".join(piece for piece, _ in spans(markdown, longest)), longest)


class Row(NamedTuple):
    """A row of a table; `bold` for a sum."""

    cells: Sequence[str]
    bold: bool = False


@dataclass(frozen=True, slots=True)
class PaperPicture:
    """A picture: its name, its SVG, what it shows in words, and its width in hundredths of the column."""

    name: str
    svg: str
    alt: str
    width: int


class Blocks:
    """The parts of a document in their order, as long as it has room for them: then it is four pages at most.

    Room is counted in lines of text, and no text takes more than is counted. Pictures have room of their own.
    """

    def __init__(self) -> None:
        self.parts: list[Mapping[str, Any]] = []
        self.full = False
        self._left = ROOM

    def _takes(self, lines: int) -> bool:
        """Whether there is room for some lines, which are then taken; once there is not, nothing else is put down."""
        self.full = self.full or lines > self._left
        self._left -= 0 if self.full else lines
        return not self.full

    def heading(self, text: str) -> None:
        """A heading below the title."""
        if self._takes(HEADING):
            self.parts.append({"is": "heading", "text": clean(text, LONGEST_TITLE)})

    def paragraph(self, markdown: str) -> None:
        """A paragraph; nothing for an empty one."""
        if (found := spans(markdown)) and self._takes(_lines(found) + 1):
            self.parts.append({"is": "paragraph", "spans": found})

    def prose(self, markdown: str, most: int = 6) -> None:
        """Ledger text of some paragraphs and lists, the first of them. Tables, headings and fences are left out."""
        for block in re.split(r"\n\s*\n", markdown.strip())[:most]:
            lines = block.split("\n")
            if lines[0].lstrip().startswith(("#", "|", "```", ">", "<")):
                continue
            starts = [at for at, line in enumerate(lines) if _ITEM.match(line)]
            if not starts or starts[0]:
                self.paragraph(block)
            else:
                items = (lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True))
                self.bullets(_ITEM.sub("", "\n".join(item), count=1) for item in items)

    def bullets(self, items: Iterable[str], most: int = 8) -> None:
        """A list, its first items."""
        found = [spans(item, LONGEST_ITEM) for item in islice(items, most)]
        if kept := [item for item in found if item and self._takes(_lines(item) + 1)]:
            self.parts.append({"is": "list", "items": kept})

    def table(self, head: Sequence[str], rows: Iterable[Row], figures: str, wide: bool = False) -> None:
        """A table; `figures` has a sign for each column, `>` where it stands to the right. `wide` ones are of texts."""
        right = [sign == ">" for sign in figures]
        longest = [LONGEST_FIGURE if figure else LONGEST_CELL if wide else LONGEST_TITLE for figure in right]
        heads = [clean(cell, LONGEST_FIGURE) for cell in head]
        found = [Row([clean(cell, most) for cell, most in zip(row.cells, longest, strict=True)], row.bold)
                 for row in islice(rows, ROOM)]  # fmt: skip
        widths = [1] * len(right) if wide else _widths([heads, *(row.cells for row in found)], right)
        if found and self._takes(_high(heads, widths)):
            kept = [row for row in found if self._takes(_high(row.cells, widths))]
            cells = [{"cells": row.cells, "bold": row.bold} for row in kept]
            self.parts.append({"is": "table", "head": heads, "rows": cells, "right": right, "widths": widths})

    def picture(self, shown: PaperPicture) -> None:
        """A picture. Raises NotTypeset for one without its text: whoever cannot see it would have nothing."""
        alt = clean(shown.alt, LONGEST_TEXT)
        if not alt:
            raise NotTypeset(f"the picture {clean(shown.name)} has no text that says what it shows: it is not printed")
        self.parts.append({"is": "picture", "svg": shown.svg, "alt": alt, "width": _width(shown)})


def _lines(found: Sequence[Span]) -> int:
    return 1 + sum(_long(text) for text, _ in found) // LINE


def _long(text: str) -> int:
    """How much room a text takes, in letters of the usual width."""
    return len(text) + 2 * len(_WIDE.findall(text)) // 3


def _widths(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[int]:
    """The shares of columns in a line, by their longest cells: no column takes all, and none has nothing."""
    longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [min(max(most, 8), 14 if figure else 46) for most, figure in zip(longest, right, strict=True)]


def _high(cells: Sequence[str], widths: Sequence[int]) -> int:
    """The lines that a row takes."""
    return 1 + max(_long(cell) * sum(widths) // (width * LINE) for cell, width in zip(cells, widths, strict=True))


def _width(shown: PaperPicture) -> int:
    """How wide a picture is, in hundredths of the column, so that it is at most `HIGHEST` hundredths of that high."""
    size = _SIZE.search(shown.svg)
    steep = float(size["high"]) / float(size["wide"]) if size else 1.0
    return max(1, min(shown.width, int(HIGHEST / steep)))


@dataclass(frozen=True, slots=True)
class Paper:
    """A document: its title and kind, what it is (`standing`), the line at the foot, its address on the web if it has
    one, its day, whether it is a draft, and its parts."""

    title: str
    kind: str
    standing: str
    foot: str
    address: str
    day: str
    draft: bool
    blocks: Blocks

    def text(self) -> str:
        """All of it as JSON."""
        day = [int(part) for part in self.day.split("-")] if re.fullmatch(r"\d{4}-\d\d-\d\d", self.day) else []
        whole = {"title": clean(self.title, LONGEST_TITLE), "kind": self.kind, "standing": clean(self.standing, 600),
                 "foot": clean(self.foot), "address": self.address, "day": day, "draft": self.draft,
                 "blocks": self.blocks.parts, "more": self.blocks.full}  # fmt: skip
        return json.dumps(whole, ensure_ascii=False)

