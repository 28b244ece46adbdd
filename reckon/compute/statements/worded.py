"""Words stated somewhere (`does-not-fit`, `frontier`, the setup that is cheapest), held against those that follow."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reckon.model.records import Claim

from .addresses import worded_at
from .claims import each
from .word import Word, word_of


@dataclass(frozen=True, slots=True)
class Worded:
    """A claim held against the word at an address; `holds` is None while an input is missing that the word rests on."""

    claim: Claim
    address: str
    word: Word
    stated: Word

    @property
    def holds(self) -> bool | None:
        """Whether the word is the one that was stated."""
        return None if self.word.missing else self.word.id == self.stated.id


def check_words(
    figures: Container[str], words: Mapping[str, Word], project: str, claims: Sequence[Claim]
) -> Iterator[Worded]:
    """The claims of a project that state words, each held against its own."""
    for claim in each(claims):
        address = worded_at(figures, words, project, claim.of)
        if address and claim.states is not None:
            word = words[address]
            yield Worded(claim, address, word, word_of(word, claim.of, str(claim.states).strip()))
