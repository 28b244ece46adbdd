"""A document as a PDF, by Typst: what alone imports it.

The PDF is tagged and checked as PDF/UA-1 while it is made: a picture without a text, or a letter that no font has, is
an error there. The fonts are those of the pictures (`charts/font`), and are embedded; fonts of the machine are not
looked at. Its identifier follows from its contents and its date is the document's, so it has the same bytes anywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from reckon.language.text import echoed

from ..charts.words import FONT, bundled_glyphs
from .blocks import NotTypeset, Paper

HERE = Path(__file__).resolve().parent
TEMPLATE = "paper.typ"
STANDARD: Final = "ua-1"
MOST_SHOWN = 5
MISSING = "a PDF needs the package typst, which is not installed; to get it: python -m pip install 'budget-ledger[pdf]'"


def missing() -> str:
    """What is to be installed before a PDF can be made; empty where all is there."""
    from importlib.util import find_spec

    return "" if find_spec("typst") else MISSING


def pdf(paper: Paper) -> bytes:
    """The document as a PDF. Raises NotTypeset, for texts with letters that the fonts do not have too."""
    if said := missing():
        raise NotTypeset(said)
    text = paper.text()
    _ask_for_letters(paper, text)
    import typst

    try:
        made = typst.compile(
            HERE / TEMPLATE, root=HERE, font_paths=[FONT], ignore_system_fonts=True, format="pdf", timestamp=0,
            sys_inputs={"paper": text}, pdf_standards=[STANDARD],
        )  # fmt: skip
    except typst.TypstError as error:
        raise NotTypeset(f"this cannot be printed: {echoed(error.message, 300)}") from None
    assert isinstance(made, bytes), "a PDF is one file"
    return made


def _ask_for_letters(paper: Paper, text: str) -> None:
    """Makes sure that the fonts have each letter of a document, pictures with their SVG included."""
    odd = sorted({ord(sign) for sign in text} - bundled_glyphs())
    if odd:
        letters = ", ".join(f"U+{code:04X}" for code in odd[:MOST_SHOWN]) + (" and more" if odd[MOST_SHOWN:] else "")
        wrong = f"the texts of “{paper.title[:60]}” have letters that the fonts on paper lack: {letters}"
        raise NotTypeset(f"{wrong}; they have Latin, Greek and Cyrillic letters: write those in the ledger")
