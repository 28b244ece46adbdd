"""Inputs that are not known, and what cannot be reckoned for want of them."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.finding import Finding, say
from reckon.model.kinds import TOTALS
from reckon.model.ledger import ProjectLedger

from ..book import Book

SUMS = tuple(f"{group}.{total.id}" for group in ("budget", "estimates") for total in TOTALS.values() if total.planned)


def input_unknown(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Unknown inputs that leave a total of the budget without a value: unknown is never zero."""
    wanted: dict[str, str] = {}
    for address in SUMS:
        total = book.get(f"{one.id}.{address}")
        for missing in total.missing if total else ():
            wanted.setdefault(missing, str(total.title) if total else "")
    for missing, total_title in wanted.items():
        figure = book.get(missing)
        yield Finding(
            "input-unknown",
            "warning",
            missing,
            say("{title} is unknown", title=figure.title if figure else missing),
            say("{total} cannot be reckoned without {missing}", total=total_title, missing=missing),
            say("Every total that rests on it is unknown too: unknown is never zero."),
            say("State a number or a range, however wide; `use` can be left unknown."),
            (figure.place,) if figure else (),
        )
