"""The policies of a project on its status page: which are breached, unknown and met, and what they require."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from reckon.compute.audit.limits import breach_id, compared
from reckon.compute.statements.conditions import Compared, PolicyResult
from reckon.model.figure import Figure

from ..render.printing import counted
from ..table import MOST_ROWS, Bold, Cell, CellRow, CellRows, Code, Table, below, joined
from ..view import MOST_WANTED, View
from .accepted_findings import reason_of
from .forecast_basis import describe_missing

WORST_FIRST = ((False, "breached"), (None, "unknown"), (True, "met"))


def rules_table(view: View) -> Table:
    """The policies of a project over each thing, with what they require and their verdicts; what is breached first."""
    found = view.book.policies.get(view.id, ())
    ordered = [(kept, verdict) for holds, verdict in WORST_FIRST for kept in found if kept.holds is holds]
    rows: CellRows = []
    for kept, verdict in ordered[:MOST_ROWS]:
        title = kept.policy.title or kept.name
        requirement = Code(kept.policy.require.formula.text)
        rows.append([title, kept.about or "the project", _verdict(view, kept, verdict), requirement])
    return Table(["Policy", "Of", "Verdict", "Requires"], rows)


def verdicts(view: View) -> list[tuple[Figure, str]]:
    """How many policies are breached, unknown and met; what none is, is left out."""
    found = [kept.holds for kept in view.book.policies.get(view.id, ())]
    return [(counted(number, word), word) for holds, word in WORST_FIRST if (number := found.count(holds))]


def _verdict(view: View, kept: PolicyResult, verdict: str) -> Cell:
    """The verdict in a word and in figures, or what is missing for it; and the message of one that is breached."""
    said: CellRow = [Bold(verdict) if kept.holds is False else verdict]
    found = [part for part in kept.judged.parts if not part.missing]
    said += [
        (": " if number == 0 else "; ", *compared(_short(part, kept.about or str(view.project.title))))
        for number, part in enumerate(found)
    ]
    if kept.holds is None and kept.judged.missing:
        missing = [describe_missing(view, address) for address in kept.judged.missing[:MOST_WANTED]]
        said += [" without ", joined(text if " " in text else Code(text) for text in missing)]
    return below(tuple(said), _policy_answer(view, kept) if kept.holds is False else None)


def _policy_answer(view: View, kept: PolicyResult) -> str:
    """Why a breach is accepted and by whom; of one that is open the message of its policy."""
    ids = breach_id(view.ledger, kept)
    lead = next((found for group in view.accepted for found in group.members if found.id == ids), None)
    return f"accepted: {reason_of(lead)}" if lead else kept.policy.remedy


def _short(part: Compared, about: str) -> Compared:
    """A comparison whose figures do not say again what the row is about."""
    left, right = (replace(side, title=side.title.removeprefix(f"{about}: ")) for side in (part.left, part.right))
    return structs.replace(part, left=left, right=right)
