"""proposals/<id>.yaml: what somebody would change in a plan and why. Nothing of it counts until it is adopted."""

from __future__ import annotations

from pydantic import Field

from reckon.model.record import Record
from reckon.model.values import Date, Words

MOST_PROPOSALS, MOST_CHANGES = 20, 100
"""How many proposals a project can have, and how many values one of them can change: each is calculated."""


class ProposedChange(Record):
    """A proposed value for an address, with the reason."""

    to: Words = Field(description="new value, as in the ledger: 238, 15%, all-seeds")
    reason: Words = Field(description="why")


class Proposal(Record):
    """A set of changes that nobody has approved yet; pages show their effect."""

    title: Words
    by: Words | None = Field(None, description="who proposes it")
    date: Date | None = Field(None, description="the day of the proposal")
    summary: Words | None = Field(None, description="why, in a few sentences")
    changes: dict[Words, ProposedChange] = Field(
        description="changes by address: `plan.train.gpu_hours: {to: 238, reason: An epoch takes nine hours.}`"
    )
