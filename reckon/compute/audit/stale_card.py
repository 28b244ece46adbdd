"""Planned hours that stayed as they were while the GPU of their project changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import ZERO, add_up
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, places_of
from reckon.model.finding import Finding, Findings, joined, make_finding, say
from reckon.model.ledger import LastRelease, ProjectLedger
from reckon.model.records import Item

from ..book import Book
from ..budget.card_conversion import card_of_runs, cards_before, find_unconverted, moved
from ..sheet.inputs import ratio_address
from .common import counted, product, summed

STATE = "State the ratio under `counts_as` of one of the two, and "
ADD = "Add `--convert` to the command: it turns planned hours into hours on the new GPU, and runs stay on theirs."
WRITE = "Write the hours that the work takes on the new GPU; if they are those already, accept the finding."
SLIGHT = Fraction(1, 100)
"""Hours of another GPU below this share of the plan are not worth a ratio."""


class CardMove(Struct, frozen=True):
    """What changed its GPU: the address of that, the cards, the items whose hours stayed, since when in words, and the
    hours of runs that changed with it."""

    at: str
    was: str
    now: str
    names: Sequence[str]
    when: str
    spent: Fraction = ZERO


def hours_of_another_card(project: ProjectLedger, book: Book) -> Findings:
    """Planned hours on another card than they are counted on: since it changed, or as they were planned."""
    yield from _kept(project, book)
    yield from _summed_unconverted(project, book)


def _kept(project: ProjectLedger, book: Book) -> Findings:
    """A project or an item that changed its GPU, by a what-if or since its last release, and whose hours stayed."""
    last = book.ledger.released.get(project.id)
    if project.id in book.ledger.converted:
        return
    if moved(book.ledger, project) or cards_before(book.ledger, project):
        for move in _asked(project, book):
            if {move.was, move.now} <= set(book.catalog.gpus) and (move.names or move.spent):
                yield _finding(project, book, move, ADD)
    elif last and (names := _as_released(project, book, last)):
        move = CardMove(f"{project.id}.gpu", last.gpu, project.project.gpu, names, f" in release {last.version}")
        yield _finding(project, book, move, WRITE)


def _asked(project: ProjectLedger, book: Book) -> Iterator[CardMove]:
    """What a what-if moved: the project with the lines that follow it, then items by themselves."""
    kept = find_unconverted(book.ledger, project)
    spent: dict[str, Fraction] = defaultdict(Fraction)  # by item; of unplanned runs under nothing
    card = card_of_runs(book.ledger, project)
    for run in project.rows:
        if card(run):
            spent[run.item if run.item in project.items else ""] += run.charged_hours
    own = {name: item.gpu for name, item in project.items.items() if item.gpu}
    if whole := moved(book.ledger, project):
        names = [name for name in kept if name not in own]
        hours = add_up(charged for name, charged in spent.items() if name not in own)
        yield CardMove(f"{project.id}.gpu", str(whole.was), whole.value, names, "", hours)
    cards = cards_before(book.ledger, project)
    for name, now in own.items():
        if name in cards:
            at = f"{project.id}.plan.{name}.gpu"
            yield CardMove(at, cards[name], now, [name] if name in kept else [], "", spent[name])


def _as_released(project: ProjectLedger, book: Book, last: LastRelease) -> list[str]:
    """The items without a card of their own that were released, if none of them has other hours now: whoever changed
    some has looked at them."""
    found = {
        name: book[f"{project.id}.plan.{name}.gpu_hours"].value
        for name, item in project.items.items()
        if not item.gpu and name in last.hours
    }
    return list(found) if all(value == last.hours[name] for name, value in found.items()) else []


def _planned(project: ProjectLedger, book: Book, items: Mapping[str, Item]) -> Figure:
    """The planned hours of some items, each in hours on its own GPU."""
    seeds = book.find(project, "seeds")
    parts = []
    for name, item in items.items():
        hours = book[f"{project.id}.plan.{name}.gpu_hours"]
        parts.append(product(hours, seeds) if seeds and item.scope == "per-seed" else hours)
    return summed(parts, GPU_HOURS, "lines that moved")


def _finding(project: ProjectLedger, book: Book, move: CardMove, remedy: str) -> Finding:
    """The hours that stand on another card than they were planned or run on; what to do where a ratio is known."""
    gpus = book.catalog.gpus
    was, now = (gpus[gpu].title if gpu in gpus else gpu for gpu in (move.was, move.now))
    own = {name: item for name, item in project.items.items() if name in move.names}
    factor = book.get(ratio_address(move.was, move.now))
    known = factor if factor and factor.use is not None else None
    told = []
    whole = None
    title = "The GPU of past runs changed"
    words = "on {now}, which were on {was}"
    if own:
        title = "The GPU changed, and the planned hours did not"
        words = "on {now}, too"
        whole = _planned(project, book, own)
        text = "{whole} planned on {was}{when} are counted as hours on {now}"
        converted = say("; no ratio between the two is known")
        if known:
            converted = say("; at {ratio} they are {hours}", ratio=known, hours=product(whole, known))
        told.append(say(text, whole=whole, was=was, now=now, when=move.when) + converted)
    if move.spent:
        spent = counted(move.spent, GPU_HOURS)
        told.append(say("{spent} of past runs count as spent " + words, spent=spent, was=was, now=now))
    if not known:
        remedy = f"{STATE}{remedy[0].lower()}{remedy[1:]}"
    return make_finding(
        "hours-of-another-card",
        move.at,
        title,
        joined(told),
        remedy=remedy,
        places=places_of(whole),
        evidence="kept",
    )


def _summed_unconverted(project: ProjectLedger, book: Book) -> Findings:
    """Items that run on another kind of GPU than the budget counts, without a ratio between the two.

    Silent where all of them together are less than a hundredth of what is planned: no ratio would move the budget.
    """
    target = project.project.gpu
    gpus = book.catalog.gpus
    others = {}
    for name, item in project.items.items():
        own = item.gpu or target
        if own != target and ratio_address(own, target) not in book.figures:
            others[name] = own
    most = {name: book[f"{project.id}.plan.{name}.total"].value.high for name in project.items}
    some = {most[name] for name in others}
    whole = add_up(filter(None, most.values()))
    if None not in some and add_up(most[name] or ZERO for name in others) < SLIGHT * whole:
        return
    for name, own in others.items():
        item = project.items[name]
        yield make_finding(
            "hours-of-another-card",
            f"{project.id}.plan.{name}",
            item.title,
            say(
                "{plan} on {card} are summed as hours of {target}",
                plan=book[f"{project.id}.plan.{name}.gpu_hours"],
                card=gpus[own].title,
                target=gpus[target].title,
            ),
            places=(item.place,),
        )
