"""Runs and plans on other cards than the budget counts in; what a run says of itself is judged in `entries`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from reckon.language.quantity import add_up
from reckon.model.finding import Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..sheet.inputs import ratio_address

SLIGHT = Fraction(1, 100)
"""Hours of another GPU below this share of the plan are not worth a ratio."""


def ratio_missing(project: ProjectLedger, book: Book) -> Findings:
    """Runs on another kind of GPU whose hours cannot enter the total, because a ratio is missing."""
    total = book.find(project, "actual.total")
    for address in total.missing if total else ():
        yield make_finding(
            "ratio-missing",
            address,
            "Runs on another kind of GPU cannot be counted",
            say("there is no {address}", address=address),
            "Actual and what is left are unknown until it is there: unknown is never zero.",
            "State under `counts_as` of that card how many hours of the project's GPU one of its hours counts as.",
            (project.project.place,),
        )


def plan_on_another_gpu(project: ProjectLedger, book: Book) -> Findings:
    """Items that run on another kind of GPU than the budget counts, without a ratio between the two.

    Silent where all of them together are less than a hundredth of what is planned: no ratio would move the budget.
    """
    target = project.project.gpu
    gpus = book.catalog.gpus
    cards = {name: item.gpu or target for name, item in project.items.items()}
    others = {
        name: own
        for name, own in cards.items()
        if own != target and own in gpus and ratio_address(own, target) not in book.figures
    }
    if _slight(project, book, others):
        return
    for name, own in others.items():
        item = project.items[name]
        yield make_finding(
            "plan-on-another-gpu",
            f"{project.id}.plan.{name}",
            say("{title}: planned on a GPU that the budget does not count in", title=item.title),
            say(
                "{plan} on {card} are summed as hours of {target}",
                plan=book[f"{project.id}.plan.{name}.gpu_hours"],
                card=gpus[own].title,
                target=gpus[target].title if target in gpus else target,
            ),
            (
                "No ratio between the two is known: the plan takes an hour of one for an hour of the other, and runs "
                "there are not counted."
            ),
            "State the ratio under `counts_as` of that card.",
            (item.place,),
        )


def _slight(project: ProjectLedger, book: Book, names: Iterable[str]) -> bool:
    """Whether items are planned at less than a hundredth of all together; never where hours of one are unknown."""
    most = {name: book[f"{project.id}.plan.{name}.total"].value.high for name in project.items}
    some = [most[name] for name in names]
    whole = add_up(hours for hours in most.values() if hours is not None)
    return None not in some and add_up(hours for hours in some if hours is not None) < SLIGHT * whole
