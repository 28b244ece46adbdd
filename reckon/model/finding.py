"""A finding of the audit, as a value: what does not hold, the arithmetic put in, what it means and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from reckon.language.text import Place

from .figure import Figure

SEVERITIES = ("error", "warning", "note")

Sentence = tuple[str | Figure, ...]
"""Words and figures in order; rounding and escaping are left to whoever prints it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding with a stable id (`rule:address`).

    `accepted` holds the reason where the authors have accepted it, `until` the version or date up to which they have,
    and `was` the severity that it has otherwise.
    """

    rule: str
    severity: str
    subject: str
    title: Sentence
    arithmetic: Sentence
    meaning: Sentence
    remedy: Sentence
    places: tuple[Place, ...] = ()
    accepted: str = ""
    was: str = ""
    until: str = ""

    @property
    def id(self) -> str:
        """What `accept:` names: the rule and the address it speaks of."""
        return f"{self.rule}:{self.subject}"

    def accept(self, reason: str, until: str = "") -> Finding:
        """The finding as a listed note with the reason."""
        return replace(self, accepted=reason, severity="note", was=self.severity, until=until)


def say(text: str, **parts: Figure | str) -> Sentence:
    """A sentence out of a text with `{name}` placeholders for figures and ledger text."""
    found: list[str | Figure] = []
    for index, piece in enumerate(text.replace("{", "}").split("}")):
        found.append(parts[piece] if index % 2 else piece)
    return tuple(one for one in found if one != "")


def joined(parts: Iterable[Sentence], between: str = "; ") -> Sentence:
    """Sentences in one, with something between every two."""
    told: Sentence = ()
    for part in parts:
        told += ((between,) if told else ()) + part
    return told
