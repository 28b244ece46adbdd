"""What a document on paper is made of: headings, paragraphs, lists, tables of texts and pictures, each with a bound.

All texts are plain: what a ledger writes as markdown loses its marks here, but for what stands out. Whitespace becomes
one space, and what no reader sees is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reckon.compute.statements.passages import Saying
from reckon.language.lean import dataclass, regex
from reckon.model.figure import Figure

from ..charts.words import tidy
from ..render.numbers import figure_text

LONGEST_TEXT, LONGEST_CELL, LONGEST_TITLE = 1_500, 220, 120
MOST_SPANS = 60
_MARKS = regex(
    r"\*\*(?P<bold>[^*]+)\*\*|!?\[(?P<link>[^\[\]]*)\]\([^()]*\)|`(?P<code>[^`]+)`|\\(?P<literal>[!-/:-@\[-`{-~])"
)
_ITEM = regex(r"[ ]{0,3}(?:[-*+]|[0-9]{1,3}[.)])[ ]+")
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
    text = clean(markdown, longest)
    return clean("".join(piece for piece, _ in spans(text, longest)), longest) if _MARKS.search(text) else text


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


class Blocks(list[Mapping[str, Any]]):
    """The parts of a document in their order."""

    def heading(self, text: str) -> None:
        """A heading below the title."""
        self.append({"is": "heading", "text": clean(text)})

    def paragraph(self, markdown: str) -> None:
        """A paragraph; nothing for an empty one."""
        if found := spans(markdown):
            self.append({"is": "paragraph", "spans": found})

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
        if found := [spans(item) for item in items][:most]:
            self.append({"is": "list", "items": found})

    def table(self, head: Sequence[str], rows: Iterable[Row], figures: str, wide: bool = False) -> None:
        """A table; `figures` has a sign for each column, `>` where it stands to the right. `wide` ones are of texts."""
        cells = [{"cells": [clean(cell) for cell in row.cells], "bold": row.bold} for row in rows]
        right = [sign == ">" for sign in figures]
        if cells:
            self.append({"is": "table", "head": list(head), "rows": cells, "right": right, "wide": wide})

    def picture(self, shown: PaperPicture) -> None:
        """A picture. Raises NotTypeset for one without its text: whoever cannot see it would have nothing."""
        alt = clean(shown.alt, LONGEST_TEXT)
        if not alt:
            raise NotTypeset(f"the picture {clean(shown.name)} has no text that says what it shows: it is not printed")
        self.append({"is": "picture", "svg": shown.svg, "alt": alt, "width": shown.width})


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
                 "blocks": list(self.blocks)}  # fmt: skip
        return json.dumps(whole, ensure_ascii=False)

