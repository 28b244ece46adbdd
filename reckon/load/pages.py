"""Pages of a project have names of their own, and their sections name records that exist."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import NOWHERE, place_of
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.problem import Problem, nearest
from reckon.model.sections import FIXED_PAGES, showable

KINDS = "measurements, projections, bounds, configurations, levers, figures, citations, catalog.gpus, and so on"


def check_pages(ledger: Ledger, one: ProjectLedger) -> Iterator[Problem]:
    """A problem for each page whose name is taken, and for each address of a section at which there is no record."""
    known = showable(ledger, one) if one.project.pages else {}
    for name, page in one.project.pages.items():
        if name in FIXED_PAGES:
            yield Problem(place_of(name), f"a page cannot be called `{name}`: each project has that one", "rename it")
        for address in (address for some in page.sections.values() for address in some):
            # What is wrong in a record that could not be read is told there.
            full = address if address.startswith("catalog.") else f"{one.id}.{address}"
            if address not in known and place_of(address) is not NOWHERE and not ledger.unread(full):
                right = nearest(address, known) or f"write the address of one of {KINDS}"
                yield Problem(place_of(address), f"there is no record at `{address[:80]}`", right)
