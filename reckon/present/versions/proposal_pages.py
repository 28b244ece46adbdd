"""The page of proposals: what each would change in the plan, as a bridge that leads there. Nothing of it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import asdict

from reckon.compute.book import Book
from reckon.compute.versions.difference import Difference, Part
from reckon.language.text import plural
from reckon.model.figure import Figure
from reckon.model.finding_groups import by_cause
from reckon.model.records import Proposal
from reckon.model.release import ReleasedFinding

from ..render.numbers import figure_text
from ..render.numbers import format_sentence as in_words
from .page import GONE, NOT_FOUND, VersionStep, describe_findings, describe_new, read_words, step_text
from .sentences import TextPair, with_share

PLAN = "the plan"
STATED_OTHERWISE, FEWEST_TOGETHER = "claim-contradicted", 2
"""That a source states the plan as it is, and not as it would be, is told once from so many figures."""


class Proposed(VersionStep, frozen=True, kw_only=True):
    """A proposal of a project: from the plan as it stands to what it would be. No release is on either side."""

    id: str
    record: Proposal

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return f"proposal-{self.id}"

    @property
    def book(self) -> Book | None:
        """The book as it would be."""
        return self.difference.new.book if self.difference else None

    @property
    def was(self) -> Figure | None:
        """The budget as it stands."""
        return self.part.was if self.part else None

    @property
    def now(self) -> Figure | None:
        """The budget as it would be."""
        return self.part.now if self.part else None

    @property
    def said(self) -> str:
        """What it comes to, in words for a terminal or a comment."""
        if not self.bridge or not self.was or not self.now:
            return f"{plural(len(self.record.changes), 'change')}; the budget stays"
        share = self.bridge.by / abs(self.was.use) if self.was.use else None
        return f"{figure_text(self.was)} → {figure_text(self.now)} ({with_share(self.bridge.by, share)})"


def make_proposed(difference: Difference, part: Part | None, name: str, record: Proposal) -> Proposed:
    """A proposal by what differs with it, and what of that is of its project."""
    words = read_words(step_text(difference, part, partial(_describe_findings, difference)))
    return Proposed(**asdict(words), compared=lambda: (difference, part), id=name, record=record)


def _describe_findings(difference: Difference, part: Part) -> list[TextPair]:
    """The findings that would come and go; those that would go by their causes, which the plan has now."""
    found = describe_findings(part, partial(_describe_new, difference))
    gone = [title for what, title in found if what in (GONE, NOT_FOUND)]
    causes = []
    for group in by_cause(difference.old.book.findings.get(part.id, ())):
        if any(in_words(each.title) in gone for each in group.all):
            causes.append(group)
    if len(gone) < FEWEST_TOGETHER or not causes:
        return found
    titles = "; ".join(in_words(group.title) for group in causes)
    together = f"{plural(len(gone), 'finding')} of {plural(len(causes), 'cause')} ({titles})"
    return [*(each for each in found if each[0] not in (GONE, NOT_FOUND)), (GONE, together)]


def _describe_new(difference: Difference, gained: Sequence[ReleasedFinding]) -> list[TextPair]:
    """The findings that would come; those that a source states the plan as it is, together."""
    told = {finding.id: figure.title for finding in gained if (figure := _of_source(difference, finding))}
    if len(told) < FEWEST_TOGETHER:
        return describe_new(gained)
    named = tuple(dict.fromkeys(told.values()))
    together = f"{plural(len(named), 'stated figure')} of the source would no longer be those of the plan"
    others = describe_new(finding for finding in gained if finding.id not in told)
    return [*others, ("new", f"{together} ({'; '.join(named)})")]


def _of_source(difference: Difference, finding: ReleasedFinding) -> Figure | None:
    """The figure of which a source states what the proposal would change."""
    rule, _, subject = finding.id.partition(":")
    found = difference.new.book.get(subject.partition("#")[0])
    return found if rule == STATED_OTHERWISE and not finding.accepted else None
