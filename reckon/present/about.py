"""What a project is about, which decides the pages that it has; and which of its records those pages show."""

from __future__ import annotations

from typing import Literal, TypeAlias

from reckon.model.ledger import ProjectLedger

ProjectKind: TypeAlias = Literal["budget", "comparison", "measured"]


def kind_of(one: ProjectLedger) -> ProjectKind:
    """A budget where there is a plan or a run; else a comparison of hardware, or what was measured and projected.

    Only a budget has a status. A project that has nothing of all that is a budget that is yet to be written.
    """
    if one.items or any(file.runs for file in one.runs):
        return "budget"
    if one.workloads:
        return "comparison"
    return "measured" if one.project.pages or one.measurements or one.configurations else "budget"


def placed(one: ProjectLedger) -> set[str]:
    """The addresses that sections of its pages show."""
    pages = one.project.pages.values()
    return {str(address) for page in pages for some in page.sections.values() for address in some}
