"""What is said to be faster, cheaper, larger or within a limit, and is not, by the stated figures themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reckon.language.quantity import Value
from reckon.model.figure import Figure
from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.orders import Order, order_of
from .common import places, stated_at
from .stating import Span, Stated, stated_of


@dataclass(frozen=True, slots=True)
class Side:
    """A side of an order: the figure, how it is shown, its ends, and between which it can lie before it was rounded; in
    base units."""

    figure: Figure
    shown: Figure
    ends: Span
    wide: Span

    def turned(self) -> Side:
        """The same with everything below zero, so that what was above is below."""
        ends, wide = (Span(-span.high, -span.low) for span in (self.ends, self.wide))
        return Side(self.figure, self.shown, ends, wide)


def order_contradicted(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A figure that is said to be below, above or within another, and is not: an error where none of its range is, a
    warning where no end of it is, or an end is beyond the limit. What was rounded is given the benefit."""
    claims = [(claim, order) for claim in project.claims if (order := order_of(claim))]
    stated = stated_of(project, book) if claims else {}
    seen: dict[str, int] = {}
    for claim, order in claims:
        figure = book.quoted(project.id, claim.of)
        first = figure and _side(stated, claim, figure)
        second = _other(project, book, stated, claim, order, figure) if figure else None
        severity = _judged(order, first, second) if first and second else ""
        if first and second and severity:
            number = seen[first.figure.address] = seen.get(first.figure.address, 0) + 1
            yield _finding(claim, order, severity, first, second, number)


def _other(
    project: ProjectLedger, book: Book, stated: Stated, claim: Claim, order: Order, figure: Figure
) -> Side | None:
    if order.is_quantity:
        limit = order.limit(figure.unit)
        span = _span(limit.value, limit)
        return Side(limit, limit, span, span) if span else None
    other = book.quoted(project.id, order.other)
    return _side(stated, claim, other) if other else None


def _side(stated: Stated, claim: Claim, figure: Figure) -> Side | None:
    """What the document of a claim states of a figure, the first of it; else the figure as calculated."""
    _, said = stated.get(figure.address, (None, ()))
    own = next((each for each in said if str(each.claim.source or "") == str(claim.source or "")), None)
    ends = _span(own.value if own else figure.value, figure)
    if own is None or own.span is None:
        return Side(figure, figure, ends, ends) if ends else None
    wide = Span(*(figure.unit.to_base(end) for end in own.span))
    return Side(figure, own.stated, ends, wide) if ends else None


def _span(value: Value, figure: Figure) -> Span | None:
    """The ends of a value in base units; None where one is open or unknown."""
    if value.low is None or value.high is None:
        return None
    return Span(figure.unit.to_base(value.low), figure.unit.to_base(value.high))


def _judged(order: Order, first: Side, second: Side) -> str:
    """The severity of what is wrong with an order; empty where nothing is."""
    if order.relation == "above":
        first, second = first.turned(), second.turned()
    if first.wide.low > second.wide.high:
        return "error"
    slack = first.wide.high - first.ends.high
    beyond = first.ends.high - slack > second.wide.high
    return "warning" if beyond and (order.relation == "within" or first.ends.low >= second.ends.low) else ""


def _finding(claim: Claim, order: Order, severity: str, first: Side, second: Side, number: int) -> Finding:
    said = say("said to be {relation} {second}", relation=order.relation, second=second.shown)
    said += () if order.is_quantity else say(", {title}", title=second.figure.title)
    much = "not" if severity == "error" else "not all"
    return Finding(
        "order-contradicted", severity, first.figure.address + ("" if number == 1 else f"#{number}"),
        say("{title}: {much} {relation} what it is said to be", title=first.figure.title, much=much,
            relation=order.relation),
        say("{first}; ", first=first.shown) + said + say(" ({at})", at=stated_at(claim)),
        say("What is said of the two is not so by the figures that stand beside it."),
        say("Correct what is said, or the figures."),
        tuple(dict.fromkeys((claim.place, *places(first.figure, second.figure)[:10]))),
    )  # fmt: skip
