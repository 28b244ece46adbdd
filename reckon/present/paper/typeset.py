"""A document as a PDF, by Typst: what alone imports it.

The PDF is tagged and checked as PDF/UA-1 while it is made: a picture without a text, or a letter that no font has, is
an error there. The fonts are those of the pictures (`charts/font`), and are embedded; fonts of the machine are not
looked at. Its identifier follows from its contents and its date is the document's, so it has the same bytes anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from reckon.language.text import echoed

from ..charts.words import FONT, bundled_glyphs
from .blocks import LEAST_ENTRIES, Look, NotTypeset, Paper

HERE = Path(__file__).resolve().parent
TEMPLATE = "paper.typ"
STANDARD: Final = "ua-1"
LOOKS = (Look(), Look(tight=True), Look(tight=True, small=True), Look(floats=True), Look(tight=True, floats=True))
"""How a document can be set; the first that takes the fewest pages is taken."""
MOST_PAGES, COARSE = 4, 2
"""The most pages of a document; and how finely they are drawn to be counted, in pixels an inch."""
MOST_SHOWN = 5
MISSING = "a PDF needs the package typst, which is not installed; to get it: python -m pip install 'budget-ledger[pdf]'"


def missing() -> str:
    """What is to be installed before a PDF can be made; empty where all is there."""
    from importlib.util import find_spec

    return "" if find_spec("typst") else MISSING


def pdf(paper: Paper) -> bytes:
    """The document as a PDF of at most four pages. Raises NotTypeset, for texts with letters that the fonts do not have
    too."""
    if said := missing():
        raise NotTypeset(said)
    _ask_for_letters(paper, paper.text())
    import typst

    press = typst.Compiler(HERE / TEMPLATE, root=HERE, font_paths=[FONT], ignore_system_fonts=True)

    def pages(text: str) -> int:
        """How many pages a text takes."""
        drawn = press.compile(format="png", ppi=COARSE, sys_inputs={"paper": text})
        return len(drawn) if isinstance(drawn, list) else 1

    try:
        text = fitted(paper, pages)
        made = press.compile(format="pdf", timestamp=0, sys_inputs={"paper": text}, pdf_standards=[STANDARD])
    except typst.TypstError as error:
        raise NotTypeset(f"this cannot be printed: {echoed(error.message, 300)}") from None
    assert isinstance(made, bytes), "a PDF is one file"
    return made


Pages = Callable[[str], int]
"""How many pages a text takes."""


def fitted(paper: Paper, pages: Pages) -> str:
    """The text of a document that takes the fewest pages, set as `LOOKS` has it; the first look that does so.

    One of more than four is cut: first all lists to one length, the longest that fits, then its end. What is left out
    is said in it.
    """
    found = {look: pages(paper.text(look)) for look in LOOKS}
    look = min(LOOKS, key=lambda look: found[look])
    if found[look] <= MOST_PAGES:
        return paper.text(look)

    def fits(most: int, parts: int | None = None) -> bool:
        return pages(paper.text(look, most, parts)) <= MOST_PAGES

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
