"""Planned hours that stayed as they were while the GPU of their project changed."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.units import GPU_HOURS
from reckon.model.finding import Finding, say
from reckon.model.ledger import LastRelease, ProjectLedger

from ..book import Book
from ..budget.conversion import moved, stands
from ..sheet.cells import total_of
from ..sheet.evaluate import derive
from ..sheet.inputs import ratio_address
from .common import places, product

STATE = "State the ratio under `counts_as` of one of the two, and "


def hours_kept_on_another_gpu(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A project that changed its GPU, by a what-if or since its last release, and whose planned hours stayed."""
    change, last = moved(book.ledger, project), book.ledger.released.get(project.id)
    if change and change.was is not None:
        names = stands(book.ledger, project) if project.id not in book.ledger.converted else []
        if names and {change.was, change.value} <= set(book.ledger.catalog.gpus):
            asked = ("Add `--convert` to the command.", STATE + "add `--convert` to the command.")
            yield _finding(project, book, change.was, names, "", asked)
    elif last and (names := _as_released(project, book, last)):
        write = "write the hours that the work takes on the new GPU; if they are those already, accept the finding."
        yield _finding(project, book, last.gpu, names, f" in release {last.version}", ("W" + write[1:], STATE + write))


def _as_released(project: ProjectLedger, book: Book, last: LastRelease) -> list[str]:
    """The items without a card of their own that were released, if none of them has other hours now: whoever changed
    some has looked at them."""
    found = {name: book[f"{project.id}.plan.{name}.gpu_hours"].value for name, item in project.items.items()
             if item.gpu is None and name in last.hours}  # fmt: skip
    return list(found) if all(value == last.hours[name] for name, value in found.items()) else []


def _finding(
    project: ProjectLedger, book: Book, gpu: str, names: list[str], when: str, remedies: tuple[str, str]
) -> Finding:
    """The hours of some items, planned on one GPU, that stand as hours on the project's; what to do with a ratio
    between the two and without one."""
    gpus, now = book.ledger.catalog.gpus, str(project.project.gpu)
    totals = {f"plan.{name}.total": book[f"{project.id}.plan.{name}.total"] for name in names}
    whole = derive(total_of(list(totals)), totals, GPU_HOURS, title="lines without a GPU of their own")
    factor = book.get(ratio_address(gpu, now))
    known = factor is not None and factor.use is not None
    arithmetic = say("{whole} planned on {was}{when} stand as hours on {now}", whole=whole, when=when,
                     was=str(gpus[gpu].title if gpu in gpus else gpu), now=str(gpus[now].title))  # fmt: skip
    return Finding(
        "hours-kept-on-another-gpu", "warning", f"{project.id}.gpu",
        say("The GPU changed, and the planned hours did not"),
        arithmetic + (say("; at {ratio} they are {hours}", ratio=factor, hours=product(whole, factor))
                      if factor and known else say("; no ratio between the two is known")),
        say("An hour on one GPU is not an hour on another: budget and money are those of the hours as they stand."),
        say(remedies[0] if known else remedies[1]), places(whole),
    )  # fmt: skip
