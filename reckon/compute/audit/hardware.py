"""Hardware against the work that it is recommended for."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..choosing.memory import NOT
from .common import places


def hardware_cannot_hold(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A card that cannot hold the job; an error where it cannot at the planned value, else a warning."""
    for verdict in book.verdicts.get(one.id, ()):
        if NOT not in (verdict.low, verdict.use, verdict.high):
            continue
        card, subject = book.ledger.catalog.gpus[verdict.card], verdict.subject
        kind, name = subject.split(".", 1)
        record = one.project.hardware[name] if kind == "hardware" else one.items[name]
        never = verdict.low == NOT
        yield Finding(
            "hardware-cannot-hold",
            "error" if verdict.use == NOT else "warning",
            f"{one.id}.{subject}.{verdict.card}",
            say("{title}: {card} cannot hold " + ("the job" if never else "the whole range of the job"),
                title=str(record.title), card=str(card.title)),
            say("{need} needed on each GPU, {usable} usable: {words}",
                need=verdict.need, usable=verdict.usable, words=verdict.words),
            say(("The" if never else "At the high end the") + " job would run out of memory on this card."),
            say("Name a card with more memory, or a configuration that needs less."),
            (record.place, *places(verdict.need, verdict.usable)),
        )  # fmt: skip
