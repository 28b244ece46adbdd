"""Runs and plans on other cards than the budget counts in; what a run says of itself is judged in `entries`."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..sheet.inputs import ratio_address


def ratio_missing(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Runs on another kind of GPU whose hours cannot enter the total, because a ratio is missing."""
    total = book.get(f"{project.id}.actual.total")
    for address in total.missing if total else ():
        yield Finding(
            "ratio-missing", "error", address, say("Runs on another kind of GPU cannot be counted"),
            say("there is no {address}", address=address),
            say("Actual and remaining are unknown until it is there: unknown is never zero."),
            say("State under `counts_as` of that card how many hours of the project's GPU one of its hours counts as."),
            (project.project.place,),
        )  # fmt: skip


def plan_on_another_gpu(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Items that run on another kind of GPU than the budget counts, without a ratio between the two."""
    target, gpus = str(project.project.gpu), book.ledger.catalog.gpus
    for name, item in project.items.items():
        own = str(item.gpu or target)
        if own == target or own not in gpus or ratio_address(own, target) in book.figures:
            continue
        yield Finding(
            "plan-on-another-gpu", "note", f"{project.id}.plan.{name}",
            say("{title}: planned on a GPU that the budget does not count in", title=str(item.title)),
            say("{plan} on {card} are summed as hours of {target}", plan=book[f"{project.id}.plan.{name}.gpu_hours"],
                card=str(gpus[own].title), target=str(gpus[target].title) if target in gpus else target),
            say("No ratio between the two is known: the plan takes an hour of one for an hour of the other, and runs "
                "there are not counted."),
            say("State the ratio under `counts_as` of that card."), (item.place,),
        )  # fmt: skip
