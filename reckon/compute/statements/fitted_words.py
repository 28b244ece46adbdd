"""Words about configurations: whether each fits on each card, and the smallest card on which it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reckon.model.ledger import Ledger, ProjectLedger

from ..fitting.fits import Fitted, smallest
from .word import NONE, VERDICTS, Word, titles_of


def words_of_fits(ledger: Ledger, one: ProjectLedger, fitted: Sequence[Fitted]) -> Iterator[tuple[str, Word]]:
    """Address and word of what the configurations of a project come to."""
    cards = {str(card): str(record.title) for card, record in ledger.catalog.gpus.items()}
    yield from titles_of(f"{one.id}.configurations", one.configurations)
    for each in fitted:
        known = each.verdict is not None and each.verdict.use in VERDICTS.values()
        words = each.verdict.use if each.verdict and known else "unknown"
        missing = () if known else each.missing or (f"{one.id}.{each.pair.at}.need_gib",)
        title = f"{one.configurations[each.pair.configuration].title} on {cards[each.pair.card]}"
        yield f"{one.id}.{each.pair.at}.verdict", Word(words.replace(" ", "-"), words, title, VERDICTS, missing)
    for name in dict.fromkeys(each.pair.configuration for each in fitted):
        yield f"{one.id}.configurations.{name}.smallest-card", _smallest(one, name, fitted, cards)


def _smallest(one: ProjectLedger, name: str, fitted: Sequence[Fitted], cards: Mapping[str, str]) -> Word:
    own = [each for each in fitted if each.pair.configuration == name]
    card, among = smallest(own, name) or NONE, {**cards, NONE: NONE}
    missing = tuple(dict.fromkeys(address for each in own for address in each.missing))
    return Word(card, among[card], f"Smallest card for {one.configurations[name].title}", among, missing)
