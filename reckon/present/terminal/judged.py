"""What `explain` says of a policy or a finding: it is no figure, but it rests on some."""

from __future__ import annotations

from reckon.compute.audit.limits import compared
from reckon.compute.book import Book
from reckon.compute.statements.policies import PolicyResult

from ..escape import terminal
from .messages import told

HOLDS = {True: "holds", False: "does not hold", None: "cannot be decided yet"}
BREACHED = "policy-breached:"


def judged(book: Book, text: str) -> str:
    """What a policy (`policies.NAME`, or the id of its finding) requires and how it stands; that a finding is one."""
    named = text.removeprefix(BREACHED)
    for one, some in book.policies.items():
        of = [kept for kept in some if _is(f"{one}.policies.{kept.name}", named)]
        if of:
            head = f"`{of[0].name}` is a policy, and no figure: it requires `{of[0].policy.require.formula.text}`"
            return terminal("; ".join([head, *(_verdict(kept) for kept in of)]))
    if any(found.id == text for some in book.findings.values() for found in some):
        return terminal(f"`{text}` is a finding, and no figure; `budget check` tells it")
    return ""


def _is(address: str, text: str) -> bool:
    """Whether a text names a policy, its project left out or not, or the policy over one thing."""
    return any(f"{text}.".startswith(f"{name}.") for name in (address, address.partition(".")[2]))


def _verdict(kept: PolicyResult) -> str:
    """Whether a policy holds over a thing, with the comparisons that say so, or what is missing."""
    missing = kept.holds is None
    parts = [f"no value of {name}" for name in kept.judged.missing] if missing else [
        told(compared(part)) for part in kept.judged.parts if not part.missing
    ]  # fmt: skip
    about = f" for {kept.about}" if kept.about else ""
    return f"it {HOLDS[kept.holds]}{about} ({', '.join(parts)})"
