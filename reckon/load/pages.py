"""Pages that a project names: their sections show records that there are, and details lie under one page."""

from __future__ import annotations

from reckon.language.text import NOWHERE, place_of
from reckon.model.finding import Problem, Problems, nearest
from reckon.model.kinds import INSIDE, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.pages import DERIVATIONS, TAKEN, showable

SHOWN = (*(name for name, kind in {**PROJECT, **INSIDE}.items() if kind.block), "catalog.gpus")
"""Examples of what sections of pages can show, for messages."""


def check_pages(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each page whose name is taken, and for each address of a section at which there is no record."""
    known = showable(ledger, project) if project.project.pages else {}
    for name, page in project.project.pages.items():
        if name in TAKEN or name.startswith(f"{DERIVATIONS}-"):
            yield Problem(place_of(name), f"`{name}` is the name of a page that every project has", "rename it")
        above = project.project.pages.get(page.under) if page.under is not None else None
        if page.under is not None and (page.under == name or (above and above.under is not None)):
            yield Problem(
                place_of(page.under),
                f"`{page.under[:60]}` is a page of details too",
                "name a page that is not below another",
            )
        for address in (address for some in page.sections.values() for address in some):
            # What is wrong in a record that could not be read is told there.
            full = address if address.startswith("catalog.") else f"{project.id}.{address}"
            if address not in known and place_of(address) is not NOWHERE and not ledger.unread(full):
                right = nearest(address, known) or f"write an address that starts with {', '.join(SHOWN)}"
                yield Problem(place_of(address), f"there is no record at `{address[:80]}`", right)
