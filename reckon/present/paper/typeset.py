"""A document as a PDF, by Typst: what alone imports it.

The PDF is tagged and checked as PDF/UA-1 while it is made: a picture without a text, or a letter that no font has, is
an error there. The fonts are those of the pictures (`charts/font`), and are embedded; fonts of the machine are not
looked at. Its identifier follows from its contents and its date is the document's, so it has the same bytes anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from reckon.language.text import echoed

from ..charts.words import FONT, bundled_glyphs
from .blocks import LEAST_ENTRIES, Look, NotTypeset, Paper

HERE = Path(__file__).resolve().parent
TEMPLATE = "paper.typ"
STANDARD: Final = "ua-1"
LOOKS = (Look(), Look(tight=True), Look(tight=True, small=True), Look(floats=True), Look(tight=True, floats=True))
"""How a document can be set; of those that take the fewest pages, the first that leaves the fewest hollow."""
MOST_PAGES = 4
TOP, BOTTOM = 2.1, 27.6
"""Where the text of a page begins and ends, in centimetres from above."""
LEAST_FULL, LEAST_LAST = 2 / 3, 0.3
"""How full a page is to be, as a share of its height; and how full the last one."""
SPLIT = ("list", "table")
"""The parts that go on on the next page, and leave no gap at the end of one."""
MOST_SHOWN = 5


def pdf(paper: Paper) -> bytes:
    """The document as a PDF of at most four pages. Raises NotTypeset, for texts with letters that the fonts do not have
    too."""
    _ask_for_letters(paper, paper.text())
    import typst

    def press(text: str) -> typst.Compiler:
        known = {"paper": text}
        return typst.Compiler(HERE / TEMPLATE, root=HERE, font_paths=[FONT], ignore_system_fonts=True, sys_inputs=known)

    def laid(text: str) -> Filled:
        """How a text fills its pages."""
        spots = json.loads(press(text).query("<spot>", field="value"))
        return filled([Spot(each["kind"], each["page"], each["y"]) for each in spots], spots[-1]["of"])

    try:
        made = press(fitted(paper, laid)).compile(format="pdf", timestamp=0, pdf_standards=[STANDARD])
    except typst.TypstError as error:
        raise NotTypeset(f"this cannot be printed: {echoed(error.message, 300)}") from None
    assert isinstance(made, bytes), "a PDF is one file"
    return made


class Spot(NamedTuple):
    """Where a part of a document ends: its kind, its page, and how many centimetres from above."""

    kind: str
    page: int
    y: float


class Filled(NamedTuple):
    """How many pages a text takes, and how many of them are hollow: emptier than `LEAST_FULL`, or `LEAST_LAST`."""

    pages: int
    hollow: int = 0


def filled(spots: Sequence[Spot], pages: int) -> Filled:
    """How parts that end at these spots, in their order, fill so many pages. A document of one page is never hollow."""
    low = dict[int, float]()
    for before, spot in pairwise([Spot("", 1, TOP), *spots]):
        if spot.page > before.page and spot.kind in SPLIT:
            low[before.page] = BOTTOM
        low[spot.page] = max(low.get(spot.page, TOP), spot.y)
    shares = {page: (low.get(page, BOTTOM) - TOP) / (BOTTOM - TOP) for page in range(1, pages + 1)}
    hollow = sum(share < (LEAST_LAST if page == pages else LEAST_FULL) for page, share in shares.items())
    return Filled(pages, hollow if pages > 1 else 0)


Laid = Callable[[str], Filled]
"""How a text fills its pages."""


def fitted(paper: Paper, laid: Laid) -> str:
    """The text of a document that takes the fewest pages, set as `LOOKS` has it; the first look of those that leave the
    fewest hollow. What is spare is left out only where that saves a page.

    One of more than four is cut: first all lists to one length, the longest that fits, then its end. What is left out
    is said in it.
    """
    looks = [*LOOKS, *(look._replace(bare=True) for look in LOOKS if paper.blocks.spares)]
    found = {look: laid(paper.text(look)) for look in looks}
    look = min(looks, key=lambda look: found[look])
    if found[look].pages <= MOST_PAGES:
        return paper.text(look)

    def fits(most: int, parts: int | None = None) -> bool:
        return laid(paper.text(look, most, parts)).pages <= MOST_PAGES

    if fits(LEAST_ENTRIES):
        return paper.text(look, _most(LEAST_ENTRIES, paper.blocks.longest, fits))
    kept = _most(0, len(paper.blocks.parts), lambda parts: fits(LEAST_ENTRIES, parts))
    return paper.text(look, LEAST_ENTRIES, kept)


def _most(least: int, most: int, right: Callable[[int], bool]) -> int:
    """The largest number that is right, by halves; the least is, and the most is not."""
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if right(middle) else (least, middle)
    return least


def _ask_for_letters(paper: Paper, text: str) -> None:
    """Makes sure that the fonts have each letter of a document, pictures with their SVG included."""
    odd = sorted({ord(sign) for sign in text} - bundled_glyphs())
    if odd:
        letters = ", ".join(f"U+{code:04X}" for code in odd[:MOST_SHOWN]) + (" and more" if odd[MOST_SHOWN:] else "")
        wrong = f"the texts of “{paper.title[:60]}” have letters that the fonts on paper lack: {letters}"
        raise NotTypeset(f"{wrong}; they have Latin, Greek and Cyrillic letters: write those in the ledger")
