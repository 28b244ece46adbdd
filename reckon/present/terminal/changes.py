"""The head of what is reckoned on a changed ledger: which changes it was reckoned with."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.ledger import Ledger

from ..escape import terminal
from .bars import cut

LONGEST = 60


def changes(ledger: Ledger) -> Iterator[str]:
    """A line for each change: `with pixelis.seeds = 5 (ledger: 3)`; none for a ledger as it stands."""
    for one in ledger.changes:
        was = "not in the ledger" if one.was is None else f"ledger: {cut(one.was, LONGEST)}"
        yield terminal(f"with {one.address} = {cut(one.value, LONGEST)} ({was})")
