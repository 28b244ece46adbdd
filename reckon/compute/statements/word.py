"""A word at an address, beside the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reckon.language.text import Refusal
from reckon.model.finding import nearest

from ..choosing import memory

NONE = "none"
VERDICTS: Mapping[str, str] = {one.replace(" ", "-"): one for one in (memory.FITS, memory.TIGHT, memory.NOT)}


@dataclass(frozen=True, slots=True)
class Word:
    """A word at an address: its id, and its title as pages print it.

    `about` says what it is the word for. `among` holds the titles of all that it can be, by id; it is empty where
    a thing is only called so. `missing` names the inputs for want of which it is not known yet.
    """

    id: str
    title: str
    about: str = ""
    among: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


def titles_of(at: str, records: Mapping[str, Any]) -> Iterator[tuple[str, Word]]:
    """Address and title of records that stand below an address; their ids where they have no title."""
    for name, record in records.items():
        yield f"{at}.{name}", Word(str(name), str(record.title or name), "title")


def word_of(word: Word, name: str, text: str, at: int = 0) -> Word:
    """What a text says that the word at an address is. Raises Refusal where it can never be that."""
    if text not in word.among:
        right = nearest(text, word.among) or choices_of(word)
        raise Refusal(f"`{text[:60]}` is nothing that `{name[:60]}` can be", right, at)
    return Word(text, word.among[text])


def choices_of(word: Word) -> str:
    """A hint at what a word can be."""
    shown = ", ".join(f"`{one}`" for one in list(word.among)[:6])
    return f"write one of {shown}" if shown else "it is always the same: compare a ranking, or a standing"
