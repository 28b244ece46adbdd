"""What of limits, policies and dates is not kept and accepted: said wherever it would be said if it were open."""

from __future__ import annotations

from reckon.compute.audit.common import POLICY
from reckon.model.finding import Finding, Sentence
from reckon.model.finding_groups import FindingGroup

from ..view import NOT_KEPT, View

BREACHED = "policy-breached"
BREACHES = (*NOT_KEPT, "date-cannot-be-met")
"""The rules of findings that a limit, a policy or a date is not kept."""


def accepted_breaches(view: View) -> list[Sentence]:
    """Each limit, policy and date that is not kept, which somebody accepts: with the reason, by whom and until when."""
    return [_lived_with(group) for group in view.accepted if group.rule in BREACHES]


def _lived_with(group: FindingGroup) -> Sentence:
    policy = ("the policy ", *quoted(group.title), " is breached")
    return (*(policy if group.rule == BREACHED else group.title), ": ", reason_of(group.lead))


def reason_of(found: Finding) -> str:
    """Why a finding is accepted, by whom and until when: `the first try failed (by Mira, until 1.0)`."""
    terms = [f"{word} {said}" for word, said in (("by", found.by), ("until", found.until)) if said]
    return " ".join(found.accepted.split()).rstrip(".") + (f" ({', '.join(terms)})" if terms else "")


def quoted(title: Sentence) -> Sentence:
    """The title of a finding about a policy, without the words that say what it is."""
    head, *rest = title
    return ("“", *rest, "”") if str(head) == POLICY and rest else title
