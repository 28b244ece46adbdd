"""What a proposal must be before it is calculated: not too much of it, and of its own project alone."""

from __future__ import annotations

from reckon.language.text import place_of
from reckon.model.finding import Problem, Problems
from reckon.model.kinds import SHARED
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import MOST_CHANGES, MOST_PROPOSALS


def check_proposals(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each proposal that changes nothing, too much, or what other projects share."""
    for number, (name, record) in enumerate(project.proposals.items()):
        if number == MOST_PROPOSALS:
            yield Problem(
                record.place,
                f"there are more than {MOST_PROPOSALS} proposals",
                "adopt or remove some",
            )
        if not record.changes and not ledger.unread(f"{project.id}.proposals.{name}"):
            yield Problem(record.place, "this proposal has no changes", "add `changes:`, each with `to` and `reason`")
        if len(record.changes) > MOST_CHANGES:
            yield Problem(record.place, f"this changes more than {MOST_CHANGES} values", "split it")
        for address in list(record.changes)[:MOST_CHANGES]:
            scope = address.partition(".")[0]
            if scope in SHARED or (scope in ledger.projects and scope != project.id):
                wrong = f"`{address[:80]}` is not part of this project"
                right = "propose values from its own files"
                yield Problem(place_of(address), wrong, right)
