"""What a figure has no value for want of: the input by its address, and where it is to be written."""

from __future__ import annotations

from reckon.compute.book import Book
from reckon.language.text import NOWHERE


def wanting(book: Book, address: str) -> str:
    """A sentence about an input that is missing."""
    figure = book.get(address)
    if figure and not figure.missing:
        return f"Undefined where {address} can be zero."
    if figure and figure.place is not NOWHERE:
        return f"Missing: {address}, which is `unknown` ({figure.place.short})."
    owner, kind, name, *rest = [*address.split("."), "", "", ""][:3] + address.split(".")[3:]
    if not rest:
        return f"Missing: {address}."
    return f"Missing: {address}; write `{'.'.join(rest)}` below `{name}` in ledger/{owner}/{kind}.yaml."
