"""Pages of a tree as a reader sees them: rendered in memory, without links, and table by table."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.pages import present

ROOT = Path(__file__).resolve().parents[1]


def existing(path: str) -> str | None:
    """A file of this repository, as a page that is there already."""
    file = ROOT / path
    return file.read_text("utf-8") if file.is_file() else None


def files_of(root: Path, known: bool = False) -> dict[str, str]:
    """All files that are rendered from a ledger without problems; `known` takes ours for those that are there."""
    ledger, wrong = load(root)
    book, more = calculate(ledger)
    assert [str(one) for one in [*wrong, *more]] == []
    return present(book, [ROOT / "templates"], existing if known else lambda path: None)


@cache
def shipped() -> Book:
    """The book of this repository, in which nothing is wrong."""
    ledger, wrong = load(ROOT)
    book, more = calculate(ledger)
    assert wrong + more == []
    return book


def plain(text: str) -> str:
    """A page without its links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def sections(page: str) -> dict[str, list[list[str]]]:
    """The rows of the tables under each heading, without their links; headings of tables are rows too."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in plain(page).splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|") and not line.startswith("|--"):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return found
