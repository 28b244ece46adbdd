"""Rules over what energy and emissions rest on."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import some_of
from reckon.model.finding import Finding, joined, say
from reckon.model.ledger import ProjectLedger

from ..book import Book

MOST_LINES = 5


def power_missing(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A card of no known power that plan or runs use: sums of energy are at least what they say."""
    for card, record in book.ledger.catalog.gpus.items():
        at = f"{project.id}.energy.unpowered.{card}"
        if book.get(at) is None:
            continue
        used = (item for item in project.items.values() if item.watts is None)
        planned = [str(item.title) for item in used if (item.gpu or project.project.gpu) == card]
        spent = book.get(f"{project.id}.actual.by_gpu.{card}")
        told = [say("{hours} were spent on it", hours=spent)] if spent and spent.use else []
        are = "is" if len(planned) == 1 else "are"
        told += [say("{lines} {are} planned on it", lines=some_of(planned, MOST_LINES), are=are)] if planned else []
        yield Finding(
            "power-missing", "warning", at, say("The power of {card} is not known", card=str(record.title)),
            joined(told, " and ") + say("; the catalogue has no `watts` of it"),
            say("Energy and emissions with it are at least what they say."),
            say("Write its `watts` in the catalogue, with the source; or state `watts` of the item or run, or "
                "`energy_kwh` of the run."), (record.place,),
        )  # fmt: skip
