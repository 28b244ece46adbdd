"""What is said to be faster, cheaper, larger or within a limit, and is not, by the stated figures themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.quantity import ZERO
from reckon.model.figure import Figure, Span, places_of, span_of
from reckon.model.finding import Common, Finding, Findings, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim

from ..book import Book
from ..statements.agreement import IMPRECISE, assumed, half_digit_of
from ..statements.claims import Order, order_of
from .common import in_unit_of, name_of, numbered, stated_at, supposed, what_of
from .stated import Stated, stated_of, stated_span

BEYOND = {"below": "is above", "above": "is below", "within": "is not within"}
"""What a figure is of which nothing is as it is said to be."""


class Side(Struct, frozen=True):
    """A side of an order: the figure, how it is shown, its ends, and between which it can lie before it was rounded; in
    base units."""

    figure: Figure
    shown: Figure
    ends: Span
    wide: Span

    @property
    def calculated(self) -> Side:
        """The same as calculated, whatever is stated."""
        ends = span_of(self.figure)
        return Side(self.figure, self.figure, ends, ends)

    def turned(self) -> Side:
        """The same with everything below zero, so that what was above is below."""
        ends, wide = (Span(-span.high, -span.low) for span in (self.ends, self.wide))
        return Side(self.figure, self.shown, ends, wide)


def order_contradicted(project: ProjectLedger, book: Book) -> Findings:
    """A figure that is said to be below, above or within another, and is not: an error where none of its range is, a
    warning where no end of it is, or an end is beyond the limit. What was rounded is given the benefit."""
    claims = [(claim, order) for claim in project.claims if (order := order_of(claim))]
    stated = stated_of(project, book) if claims else {}
    seen = Counter[str]()
    told: dict[Hashable, list[Finding]] = {}
    titles = {}
    for claim, order in claims:
        figure = book.quoted(project.id, claim.of)
        limit = book.quoted(project.id, order.other) if not order.is_quantity else figure and order.limit(figure.unit)
        if figure is None or limit is None:
            continue
        first, second = (_side(project, stated, claim, each) for each in (figure, limit))
        severity = _judged(order, first, second)
        if severity:
            finding = _finding(numbered(seen, figure.address), claim, order, severity, first, second)
            if wrong := _because(project, book, claim, order, (first, second)):
                yield _following(finding, wrong, order, first, second)
                continue
            alike = told.setdefault((claim.document, order.relation, limit.address or order.other), [])
            alike.append(finding)
            what = (second.shown,) if order.is_quantity else (limit.title,)
            titles[alike[0].id] = say("Several figures are not {relation} ", relation=order.relation) + what
    for alike in told.values():
        common = Common(alike[0].id, titles[alike[0].id])
        yield from (replace(finding, common=common) for finding in alike)


def _because(project: ProjectLedger, book: Book, claim: Claim, order: Order, sides: tuple[Side, Side]) -> str:
    """The address of a side whose stated figure does not agree, where the order is right by the calculated figures:
    then it only follows from that; empty else."""
    first, second = (side.calculated for side in sides)
    if first.ends == second.ends or _judged(order, first, second):
        return ""
    wrong = {
        check.figure.address
        for check in book.checks[project.id]
        if not check.holds and check.claim.document == claim.document
    }
    return next((side.figure.address for side in sides if side.figure.address in wrong), "")


def _following(finding: Finding, wrong: str, order: Order, first: Side, second: Side) -> Finding:
    """The finding as a row below the stated figure that it follows from."""
    both = (first.figure.title, " against ", second.figure.title)
    stated = (first.shown, f", not {order.relation} ", second.shown)
    cells = (both, stated, (in_unit_of(first.shown, first.figure),), finding.meaning)
    return replace(finding, common=Common(f"claim-contradicted:{wrong}"), follows=True, cells=cells)


def _side(project: ProjectLedger, stated: Stated, claim: Claim, figure: Figure) -> Side:
    """What the document of a claim states of a figure, the first of it that has no finding of its own, or else the
    first; without that the figure as calculated. What the ledger has from the document was rounded too, as was a number
    that it is said to be below or above. A limit was not."""
    said = [each for each in stated.get(figure.address, ()) if each.claim.document == claim.document]
    own = min(said, key=lambda each: (not each.holds, each.kind in IMPRECISE), default=None)
    calculated = span_of(figure)
    if own is None:
        is_limit = claim.within and not figure.address
        half = ZERO if is_limit else figure.unit.to_base(half_digit_of(figure, project)[0])
        return Side(figure, figure, calculated, Span(calculated.low - half, calculated.high + half))
    return Side(figure, own.stated, span_of(own.stated), stated_span(own))


def _judged(order: Order, first: Side, second: Side) -> str:
    """The severity of what is wrong with an order; empty where nothing is."""
    if order.relation == "above":
        first, second = first.turned(), second.turned()
    if first.wide.low > second.wide.high:
        return "error"
    slack = first.wide.high - first.ends.high
    beyond = first.ends.high - slack > second.wide.high
    return "warning" if beyond and (order.relation == "within" or first.ends.low >= second.ends.low) else ""


def _finding(subject: str, claim: Claim, order: Order, severity: str, first: Side, second: Side) -> Finding:
    much = BEYOND[order.relation] if severity == "error" else f"is not all {order.relation}"
    sides: dict[str, Figure | str] = {"first": first.shown, "second": second.shown, "relation": order.relation}
    sides |= {"title": name_of(first.figure.title), "other": what_of(second.figure)}
    sides |= {"much": much, "at": stated_at(claim)}
    remedy = "Correct {first} or {second}, or leave the statement out."
    if not (order.is_quantity or second.figure.is_stated or second.shown is not second.figure):
        remedy = "Write what is {relation} {second}, or say what {first} is of."
    # What is stated rests on nothing of the ledger; what is calculated may rest on what it supposes.
    ours = assumed(*(side.figure for side in (first, second) if side.shown is side.figure))
    return make_finding(
        "order-contradicted",
        subject,
        say("{title}: {first} {much} {second}" + " ({other})" * (not order.is_quantity), **sides),
        (() if claim.notes else say("it should be {relation} {second} ({at})", **sides)) + supposed(ours),
        claim.notes or "",
        claim.remedy or say(remedy, **sides),
        (claim.place, *places_of(first.figure, second.figure)[:10]),
        remark=bool(ours),
        severity="note" if ours else severity,
    )
