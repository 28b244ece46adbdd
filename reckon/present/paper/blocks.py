"""What a document on paper is made of: headings, paragraphs, lists, tables of texts and pictures, each with a bound.

All texts are plain: what a ledger writes as markdown loses its marks here, but for what stands out. Whitespace becomes
one space, and what no reader sees is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from reckon.compute.statements.text_blocks import Saying
from reckon.language.text import Unable
from reckon.model.figure import Figure

from ..charts.words import tidy
from ..render.numbers import figure_text

LONGEST_TEXT, LONGEST_ITEM, LONGEST_CELL, LONGEST_TITLE, LONGEST_FIGURE, LONGEST_HEAD = (1_500, 400, 200, 160, 26, 40)
HIGHEST = 70
"""How high a picture may be, in hundredths of the width of a line."""
COLUMN, WORDS, SMALLEST = 482, 12, 5.5
"""How wide a line is, in points; how large the words of a picture are in its own measure; and the smallest that are
printed, in points."""
SMALL = 0.8
"""The share of its width that a picture has where room is scarce, as far as its words stay readable."""
MOST_SPANS, MOST_ENTRIES, LEAST_ENTRIES = 60, 240, 3
"""The most pieces of a paragraph; the most entries of a list or a table; and how many a list keeps to save room."""
ELSEWHERE = "the pages of the project"
_MARKS = re.compile(
    r"\*\*(?P<bold>[^*]+)\*\*|!?\[(?P<link>[^\[\]]*)\]\([^()]*\)|`(?P<code>[^`]+)`|\\(?P<literal>[!-/:-@\[-`{-~])"
)
_ITEM = re.compile(r"[ ]{0,3}(?:[-*+]|[0-9]{1,3}[.)])[ ]+")
_SIZE = re.compile(r'<svg[^>]* width="(?P<wide>[0-9.]+)" height="(?P<high>[0-9.]+)"')
Span = tuple[str, bool]
Part = Mapping[str, Any]
"""A part of a document, as data for Typst: what it `is`, and what that takes."""


class NotTypeset(Unable):
    """Something stands in the way of a PDF; the message says what, and what would help."""


def clean(text: str, longest: int = LONGEST_CELL) -> str:
    """A text in one line without what nobody sees, cut with `…` where it is longer."""
    seen = text[: 8 * longest]  # what is far longer need not be looked at
    found = tidy(seen)
    return found if len(found) <= longest and seen == text else found[: longest - 1].rstrip() + "…"


def brief(text: str, longest: int) -> str:
    """A text in one line, cut behind a word where it is longer."""
    found = clean(text, 10 * longest)
    if len(found) <= longest:
        return found
    head, space, _ = found[:longest].rpartition(" ")
    return f"{head if space and 2 * len(head) > longest else found[: longest - 1]}…"


def expand_quotes(saying: Saying | str) -> str:
    """Ledger text with what it quotes, its markdown as it stands."""
    parts = (saying,) if isinstance(saying, str) else saying
    return "".join(
        part if isinstance(part, str) else figure_text(part) if isinstance(part, Figure) else part.title
        for part in parts
    )


def spans(markdown: str, longest: int = LONGEST_TEXT) -> list[Span]:
    """A paragraph in pieces, each with whether it stands out; links and code are their texts."""
    found = []
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
    """A row of a table; `bold` for a sum. One that is `fixed` stays where others are left out, as sums do."""

    cells: Sequence[str]
    bold: bool = False
    fixed: bool = False


class Blocks:
    """The parts of a document in their order. Whoever typesets it counts the pages, and has lists shortened (`cut`)."""

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def heading(self, text: str) -> None:
        """A heading below the title."""
        self.parts.append({"is": "heading", "text": clean(text, LONGEST_TITLE)})

    def paragraph(self, markdown: str) -> None:
        """A paragraph; nothing for an empty one."""
        if found := spans(markdown):
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

    def bullets(self, items: Iterable[str], what: str = "points", where: str = ELSEWHERE) -> None:
        """A list. `what` its entries are called, and `where` all of them stand, is said of those that are left out."""
        every = [item for item in items if item.strip()]
        if found := [shown for item in every[:MOST_ENTRIES] if (shown := spans(item, LONGEST_ITEM))]:
            beyond = len(every) - len(found)
            self.parts.append({"is": "list", "items": found, "beyond": beyond, "what": what, "where": where})

    def table(
        self,
        head: Sequence[str],
        rows: Iterable[Row],
        figures: str,
        wide: bool = False,
        what: str = "rows",
        where: str = ELSEWHERE,
    ) -> None:
        """A table; `figures` has a sign for each column, `>` where it stands to the right. `wide` ones are of texts.

        `what` and `where` are as with `bullets`.
        """
        right = [sign == ">" for sign in figures]
        longest = [LONGEST_FIGURE if figure else LONGEST_CELL if wide else LONGEST_TITLE for figure in right]
        heads, every = [clean(cell, LONGEST_HEAD) for cell in head], list(rows)
        found = []
        for row in _first(every, [row.fixed for row in every], MOST_ENTRIES):
            cells = [clean(cell, most) for cell, most in zip(row.cells, longest, strict=True)]
            found.append(row._replace(cells=cells))
        if found:
            widths = [1] * len(right) if wide else _widths(heads, [row.cells for row in found], right)
            self.parts.append(
                {
                    "is": "table",
                    "head": heads,
                    "rows": [row._asdict() for row in found],
                    "right": right,
                    "widths": widths,
                    "beyond": len(every) - len(found),
                    "what": what,
                    "where": where,
                }
            )

    def picture(self, name: str, svg: str, alt: str, width: int, spare: bool = False) -> bool:
        """A picture, by its name, its SVG, what it shows in words, and its width in hundredths of the column, less if
        it is too high. False where its words would be too small to read. One that is `spare` is left out where that
        saves a page.

        Raises NotTypeset for one without its text: whoever cannot see it would have nothing.
        """
        words = clean(alt, LONGEST_TEXT)
        if not words:
            raise NotTypeset(f"the picture {clean(name)} has no text that says what it shows: it is not printed")
        size = _SIZE.search(svg)
        assert size, "a drawn picture says how large it is"
        wide, high = float(size["wide"]), float(size["high"])
        width = max(1, min(width, int(HIGHEST / (high / wide))))
        legible = SMALLEST * 100 * wide / (WORDS * COLUMN)
        if width < legible:
            return False
        self.parts.append(
            {
                "is": "picture",
                "svg": svg,
                "alt": words,
                "width": width,
                "spare": spare,
                "least": max(ceil(legible), round(SMALL * width)),
            }
        )
        return True

    @property
    def longest(self) -> int:
        """How many entries the longest list or table has."""
        return max((len(part[_entries(part)]) for part in self.parts if _entries(part)), default=0)

    @property
    def spares(self) -> bool:
        """Whether there is a picture that can be left out."""
        return any(part.get("spare") for part in self.parts)

    def cut(self, most: int, parts: int, bare: bool = False) -> list[Part]:
        """The first parts, with no more than so many entries in a list beside those that are fixed. Each list says how
        many it leaves out and where they stand; behind the parts it is said which sections are left out. A `bare`
        document has no spare pictures."""
        kept = [_shortened(part, most) for part in self.parts[:parts] if not (bare and part.get("spare"))]
        if gone := self.parts[parts:]:
            while kept and kept[-1]["is"] == "heading":
                gone, kept = [kept[-1], *gone], kept[:-1]
            names = ", ".join(f"“{part['text']}”" for part in gone if part["is"] == "heading")
            named = f" ({names})" if names else ""
            said = f"There is more than four pages have room for{named}: {ELSEWHERE} have all of it."
            kept.append({"is": "more", "text": said})
        return kept


def _first(entries: Sequence[Any], fixed: Sequence[bool], most: int) -> list[Any]:
    """The first entries, so many, and beside them those that are fixed."""
    gone = {*[at for at, stays in enumerate(fixed) if not stays][most:]}
    return [entry for at, entry in enumerate(entries) if at not in gone]


def _entries(part: Part) -> str:
    """The key of the entries of a part; empty where it has none."""
    return {"list": "items", "table": "rows"}.get(part["is"], "")


def _shortened(part: Part, most: int) -> Part:
    """A part with so many entries, and what is said of the others."""
    if not (key := _entries(part)):
        return part
    every = part[key]
    kept = _first(every, [part["is"] == "table" and entry["fixed"] for entry in every], most)
    left = len(every) - len(kept) + part["beyond"]
    said = f"{left:,} more {part['what'] if left > 1 else part['what'].removesuffix('s')}: see {part['where']}."
    return {**part, key: kept, "left": said if left else ""}


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> list[int]:
    """The shares of columns in a line, by their longest cells: no column takes all, and none has nothing."""
    longest = []
    for head, *column in zip(heads, *rows, strict=True):
        longest.append(max(*map(len, column), *map(len, head.split()), 8))
    return [min(most, 22 if figure else 38) + (4 if figure else 2) for most, figure in zip(longest, right, strict=True)]


class Look(NamedTuple):
    """How a document is set: its lines nearer to each other, pictures smaller, or at the foot of a page with the text
    that stands below them before them; and whether without the pictures that are spare."""

    tight: bool = False
    small: bool = False
    floats: bool = False
    bare: bool = False


PLAIN = Look()


class PaperHead(NamedTuple):
    """What an edition is of: a release by its version, day and reason, or a `draft` of one by the day of the ledger.

    `address` is where the pages of the site stand; empty where the site has none.
    """

    version: str
    day: str
    reason: str = ""
    draft: bool = False
    address: str = ""
    as_published: bool = False

    @property
    def way(self) -> str:
        """How the release came about."""
        return "as published" if self.as_published else "released"


class Paper(NamedTuple):
    """A document: its title and kind, what it is (`standing`), the line at the foot, what it is of, and its parts."""

    title: str
    kind: str
    standing: str
    foot: str
    head: PaperHead
    blocks: Blocks

    def text(self, look: Look = PLAIN, most: int = MOST_ENTRIES, parts: int | None = None) -> str:
        """All of it as JSON; or its first parts, with no more than so many entries in a list."""
        head = self.head
        day = [int(part) for part in head.day.split("-")] if re.fullmatch(r"\d{4}-\d\d-\d\d", head.day) else []
        shown = self.blocks.cut(most, len(self.blocks.parts) if parts is None else parts, look.bare)
        whole = {
            "title": clean(self.title, LONGEST_TITLE),
            "kind": self.kind,
            "standing": clean(self.standing, 600),
            "foot": clean(self.foot),
            "address": head.address,
            "day": day,
            "draft": head.draft,
            "head": brief(self.title, 80),
            "blocks": shown,
            **look._asdict(),
        }
        return json.dumps(whole, ensure_ascii=False)
