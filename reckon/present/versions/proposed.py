"""The page of proposals: what each would change in the plan, as a bridge that leads there. Nothing of it is decided."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.language.text import plural
from reckon.model.figure import Figure
from reckon.model.records import Proposal

from ..render.numbers import figure_text
from .page import VersionStep
from .wording import with_share

PLAN = "the plan"


@dataclass(frozen=True)
class Proposed(VersionStep):
    """A proposal of a project: from the plan as it stands to what it would be. No release is on either side."""

    id: str = ""
    record: Proposal | None = None

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return f"proposal-{self.id}"

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
            many = plural(len(self.record.changes), "change") if self.record else "nothing"
            return f"{many}; the budget stays"
        share = self.bridge.by / abs(self.was.use) if self.was.use else None
        return f"{figure_text(self.was)} → {figure_text(self.now)} ({with_share(self.bridge.by, share)})"
