"""Inputs that are missing: what has to be found out, and what is not known without it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from reckon.language.calendar_days import LAST
from reckon.language.text import NOWHERE, Place, first_of, some_of
from reckon.model.figure import Figure, is_known, planned
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.kinds import CATALOG, PROJECT, TOTALS
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.payers import PayerRules
from ..budget.priced_cards import unpriced_at
from ..budget.prices import CardPrice, PricedCard, Terms, lists_of, planned_on, price_of, ran_on
from ..measuring.projections import Fields

SUMS = tuple(f"{group}.{total.id}" for group in ("budget", "estimates") for total in TOTALS.values() if total.planned)
"""The totals that have no value where an input is unknown, in the order in which they are told."""
MOST_LINES = 5
EARLIER = (
    "Write the price before that without a day, beside `since`, or with the day from which it applies; date the runs "
    "that have no date; or state `cost_usd` of the runs."
)
"""What to do about a price that is known only from some day on."""


def input_missing(project: ProjectLedger, book: Book) -> Findings:
    """All that is missing: ratios of cards, inputs of totals, prices, power, and inputs of projections. Without a ratio
    runs cannot be counted, which is graver than all others."""
    total = book.find(project, "actual.total")
    for address in total.missing if total else ():
        _, _, card, _, own = address.split(".")
        record = book.ledger.catalog.gpus[card]
        runs = (run.place for _, run, traits in project.each_run() if traits.gpu == card)
        yield make_finding(
            "input-missing",
            address,
            record.title,
            say("there is no {address}", address=address),
            remedy=f"State under `counts_as` of `{card}` how many hours of {own} one of its hours counts as.",
            places=(record.place, *islice(runs, 1)),
            evidence="ratio",
        )
    yield from _inputs(project, book)
    yield from _prices(project, book)
    yield from _power(project, book)
    yield from _projections(project, book)


def _inputs(project: ProjectLedger, book: Book) -> Findings:
    """Unknown inputs that leave a total of the budget without a value: unknown is never zero. And planned hours without
    an upper end, as `80+`: where a range has no `use`, somebody decided that."""
    planned = [book.find(project, f"plan.{name}.total") for name in project.items]
    # Where nothing is planned and work was done, the ledger tells what was spent: there is no plan to complete.
    spent_only = project.rows and all(figure and figure.value.unknown for figure in planned)
    totals = [total for address in SUMS if not spent_only and (total := book.find(project, address))]
    wanted: dict[str, str] = {}
    for total in totals:
        for missing in total.missing:
            wanted.setdefault(missing, total.title)
    for missing, title in wanted.items():
        figure = book.get(missing)
        yield make_finding(
            "input-missing",
            missing,
            say("{title} is unknown", title=figure.title if figure else missing),
            say("{total} cannot be calculated without {missing}", total=title, missing=missing),
            "Every total that depends on it is unknown too: unknown is never zero.",
            "State a number or a range, however wide; `use` can be left unknown.",
            (figure.place,) if figure else (),
        )
    for hours in (book.find(project, f"plan.{name}.gpu_hours") for name in project.items):
        if is_known(hours) and hours.use is None is hours.value.high and not hours.value.unknown:
            yield make_finding(
                "input-missing",
                hours.address,
                say("{title} has no planning value", title=hours.title),
                say("{hours} has no upper end", hours=hours),
                "A sum keeps the bound; complete, EAC and forecast have no value without a planning value.",
                "State a range, however wide, or a planning value, as `{low: 80, use: 100, high: unknown}`.",
            )


def _prices(project: ProjectLedger, book: Book) -> Findings:
    """Cards that plan and runs use and that have no price: sums of money are at least what they say. Where none of them
    has one, nothing is said in money, and that is told once."""
    terms = Terms(book.ledger, PayerRules(book.ledger, project))
    # Of work that a payer pays for on terms of its own, and of lines in money, no list is asked.
    on_lists = (pair for pair in planned_on(terms, LAST) if not pair[1].payer)
    lines = {name: used for name, used in on_lists if not project.items[name].currency}
    uses = {PricedCard(project.project.price or "", project.gpu), *ran_on(project), *lines.values()}
    cards = [*book.catalog.gpus]
    ordered = sorted(uses, key=lambda used: (cards.index(used.card), used.named))
    prices = {used: price_of(book.ledger, project, used) for used in ordered}
    if project.price_lists and not any(prices.values()):
        yield _no_price_at_all(project, book, ordered)
        return
    for used, price in prices.items():
        if book.find(project, unpriced_at(used)):
            own = [project.items[name].title for name, on in lines.items() if on == used]
            yield _no_price(project, book, used, own, price)


def _no_price(
    project: ProjectLedger, book: Book, used: PricedCard, lines: Sequence[str], price: CardPrice | None
) -> Finding:
    """That no list has a price of a card, or that the list that is named for work on it has none; or has none before
    some day."""
    hours = f"{project.id}.money.{used.within}by_gpu.{used.card}"
    told = _used(book.get(f"{hours}.hours"), first_of(lines, MOST_LINES), len(lines))
    title = "{card} has no price"
    remedy = "Add its price to one of the lists, or state `cost_usd` of its runs."
    at = _listed_at(project, book, [used])
    when = ""
    if used.named:
        title = "The price list {list} has no price of {card}"
        remedy = "Add its price to {list}, name another list there, or state `cost_usd`."
        at = (book.catalog.prices[used.named].place,)
    if price:
        spans = {span.words: found for span in price.missing if (found := book.get(f"{hours}.{span.name}.hours"))}
        told = joined((say("{h} were spent on it {span}", h=h, span=span) for span, h in spans.items()), " and ")
        title += " {when}"
        when = " or ".join(spans)
        remedy = EARLIER
    lists = ", ".join(lists_of(book.ledger, project, used))
    return make_finding(
        "input-missing",
        f"{project.id}.{unpriced_at(used)}",
        say(title, card=book.catalog.gpus[used.card].title, list=used.named, when=when),
        told + say("; its price is not known ({lists})", lists=lists),
        remedy=say(remedy, list=used.named),
        places=at,
        evidence="price",
    )


def _used(spent: Figure | None, lines: str, many: int) -> Sentence:
    """What was spent on a card, and which lines are planned on it."""
    told = say("{hours} were spent on it", hours=spent) if planned(spent) else ()
    are = "is" if many == 1 else "are"
    on_it = say("{lines} {are} planned on it", lines=lines, are=are) if many else ()
    return joined(filter(None, (told, on_it)), " and ")


def _no_price_at_all(project: ProjectLedger, book: Book, unpriced: Sequence[PricedCard]) -> Finding:
    """That no card of those that plan and runs use has a price."""
    titles = list(dict.fromkeys(book.catalog.gpus[used.card].title for used in unpriced))
    lists = ", ".join(project.price_lists)
    return make_finding(
        "input-missing",
        f"{project.id}.money.unpriced",
        "No card that is used has a price",
        say("{cards}: no price is known ({lists})", cards=first_of(titles, MOST_LINES), lists=lists),
        "So plan, runs and forecast have no money.",
        "Add the prices to one of the lists, or remove `prices` from project.yaml.",
        _listed_at(project, book, unpriced),
        evidence="price",
    )


def _listed_at(project: ProjectLedger, book: Book, unpriced: Sequence[PricedCard]) -> tuple[Place, ...]:
    """Where lists that count name one of these cards without a price; where none does, the project."""
    catalog = book.catalog.prices
    asked = [(catalog[name], used.card) for used in unpriced for name in lists_of(book.ledger, project, used)]
    places = dict.fromkeys(found.place for found, card in asked if card in found.cards)
    return tuple(places) or (project.project.place,)


def _power(project: ProjectLedger, book: Book) -> Findings:
    """Cards of no known power that plan or runs use: sums of energy are at least what they say."""
    for card, record in book.catalog.gpus.items():
        at = f"{project.id}.energy.unpowered.{card}"
        if book.get(at):
            of_card = (item for item in project.items.values() if project.card_for(item) == card)
            lines = [item.title for item in of_card if item.watts is None]
            spent = book.find(project, f"actual.by_gpu.{card}")
            yield make_finding(
                "input-missing",
                at,
                record.title,
                _used(spent, some_of(lines, MOST_LINES), len(lines)) + say("; the catalogue has no `watts` of it"),
                places=(record.place,),
                evidence="power",
            )


def _projections(project: ProjectLedger, book: Book) -> Findings:
    """Projections without a value because inputs are missing: each of them, and where to write it."""
    lacking: dict[str, dict[str, None]] = {name: {} for name in project.projections}
    for address, figure in book.own(project.id).items() if lacking else ():
        _, kind, *names = address.split(".")
        if kind == "projections" and figure.missing:
            lacking[names[0]] |= dict.fromkeys(figure.missing)
    bases = {record.base for record in project.projections.values()}
    for name, wanted in lacking.items():
        fields = Fields(project, name)
        at = f"{project.id}.{fields.at}"
        if not fields.measurements and name not in bases:
            wanted[f"{at}.measurements"] = None
        if wanted:
            named = (say("{address} ({where})", address=address, where=_where(address)) for address in wanted)
            known = (found.place for address in wanted if (found := book.get(address)))
            lines = [place for place in (project.projections[name].place, *known) if place is not NOWHERE]
            yield make_finding(
                "input-missing",
                at,
                fields.title,
                say("it has no value without ") + joined(named, ", "),
                places=lines[:20],
                evidence="projection",
            )


def _where(address: str) -> str:
    """The file that an input is written in: `ledger/catalog/models.yaml`, `ledger/demo/projections.yaml`."""
    home, kind, *_ = [*address.split("."), ""]
    files = CATALOG if home == "catalog" else PROJECT
    return f"ledger/{home}/{kind if kind in files else 'project'}.yaml"
