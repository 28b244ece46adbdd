"""How many stated figures agree under each way in which a document can be read."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..book import Book
from ..statements.claims import Check, check


class Reading(Struct, frozen=True):
    """Another reading of a comparison: its title, how many stated figures the two readings have with different values,
    and how many of these agree under the one that is shown and under the other."""

    title: str
    stated: int
    here: int
    there: int


def readings_of(book: Book, project_id: str) -> list[Reading]:
    """The other readings of a project, in the order of its comparisons."""
    records = {weighed.name: weighed.record for weighed in book.tradeoffs.get(project_id, ())}
    found = []
    for name, record in records.items():
        shown = records.get(record.reading_of) if record.reading_of else None
        if shown is not None:
            at = f"{project_id}.workloads"
            moved = {
                f"{project_id}.setups.{record.reading_of}.": f"{project_id}.setups.{name}.",
                f"{at}.{shown.workload}.": f"{at}.{record.workload}.",
            }
            pairs = list(_both(book, project_id, moved))
            title = record.title or name
            held = [(here.holds, there.holds) for here, there in pairs]
            found.append(Reading(title, len(held), sum(here for here, _ in held), sum(there for _, there in held)))
    return found


def _both(book: Book, project_id: str, moved: dict[str, str]) -> Iterator[tuple[Check, Check]]:
    """Each stated figure that both readings have, held against either."""
    for here in book.checks.get(project_id, ()):
        address = here.figure.address
        at = next((at for at in moved if address.startswith(at)), None)
        other = book.get(moved[at] + address.removeprefix(at)) if at else None
        # What is the same in both readings tells nothing of either.
        if other is not None and not other.missing and other.value != here.figure.value:
            project = book.projects[project_id]
            yield here, check(here.claim, other, project)
