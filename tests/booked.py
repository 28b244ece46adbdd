"""A ledger that a test writes down, as its book and its pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.pages import present
from tests.small import plant

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"


def booked(root: Path, files: Mapping[str, str]) -> Book:
    """The book of files below `ledger/`, in which nothing is wrong."""
    plant(root / "ledger", files)
    ledger, wrong = load(root)
    book, more = calculate(ledger)
    assert [*wrong, *more] == []
    return book


def paged(book: Book) -> dict[str, str]:
    """The pages of a book by their paths, without its pictures."""
    made = present(book, [TEMPLATES], lambda path: None)
    return {name: text for name, text in made.items() if isinstance(text, str)}


STANDING = (("status", ""), ("attempts", ""), ("costs", ""), ("findings", "## Policies"), ("derivations", "## Method"))
"""The pages on which stands how a project goes, and why, each with the heading from which on it does."""


def standing(pages: Mapping[str, str], home: str = "docs/p") -> str:
    """What those pages of a project say, one after the other."""
    found = ((pages.get(f"{home}/{name}.md", ""), heading) for name, heading in STANDING)
    return "\n".join(text[text.index(heading) :] if heading in text else "" for text, heading in found)
