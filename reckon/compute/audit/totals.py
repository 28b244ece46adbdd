"""Plans as a whole: against what their estimates add up to, against what a line repeats, and margins that are taken
twice, stated or not; and whether it leaves a reserve below its limits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.groups import group_by
from reckon.language.text import Refusal
from reckon.language.units import GPU_HOURS
from reckon.model.amounts import Derived
from reckon.model.figure import Figure, closure, places_of, planned, span_of
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.kinds import FINAL
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.budget import budget_lines
from ..sheet.cells import chain_of, formula_of
from ..sheet.evaluate import derive
from .common import known_figures, product, summed, times_as_much
from .plans import FAR, lines_of, unlike_its_estimate

APART = Fraction(1, 10)
"""A line may miss what it repeats by this share: plans are rounded."""
SLIGHT = Fraction(1, 20)
"""Margins of less than this share of all that the contingency covers are not worth a word."""
MARGINS = frozenset(("margin", "buffer", "contingency", "safety"))
"""Words of the name of an input that is a margin."""


def plan_unlike_its_estimate(project: ProjectLedger, book: Book) -> Findings:
    """What is planned beside what is estimated: of single lines, of all of them, and of lines that repeat others."""
    for line in lines_of(project, book):
        yield from unlike_its_estimate(line)
    yield from _below_as_a_whole(project, book)
    yield from _unlike_what_it_repeats(project, book)


def _below_as_a_whole(project: ProjectLedger, book: Book) -> Findings:
    """The budget with its contingency is below the low end of what its lines come to by their estimates without one.

    Told where two lines or more are short: what a single one misses is told of that line. What is told has the
    contingency on both sides, where there is one.
    """
    final, estimated = book.get_all(project.id, FINAL.hours, "estimates.subtotal")
    if final is None or estimated is None or final.use is None or estimated.value.low is None:
        return
    short = list(short_lines(project, book).values())
    if final.use < estimated.value.low and len(short) > 1:
        estimated = book.find(project, "estimates.final") or estimated
        yield make_finding(
            "plan-unlike-its-estimate",
            final.address,
            "",
            say(
                "the final budget is {final}; with all its lines at their estimates it is {estimated}",
                estimated=estimated,
                final=final,
            )
            + times_as_much(estimated, final, ": {ratio} as much")
            + say(". Planned too low are {lines}", lines=", ".join(short)),
            places=places_of(estimated),
            evidence="whole",
        )


def short_lines(project: ProjectLedger, book: Book) -> dict[str, str]:
    """The lines of the base budget that are planned below the low end of their estimates, for all seeds: their ids and
    titles."""
    base = {line.item for line in budget_lines(project) if not line.extension}
    found = {}
    for line in lines_of(project, book):
        total, estimated = (book[f"{line.at}.{key}"] for key in ("total", "estimate_total"))
        if line.name in base and planned(total) < span_of(estimated).low:
            found[line.name] = str(line.item.title)
    return found


def _unlike_what_it_repeats(project: ProjectLedger, book: Book) -> Findings:
    """A line that says what it repeats, and how often, and is planned at less than that costs, or at twice as much."""
    for name, item in project.items.items():
        at = f"{project.id}.plan.{name}"
        total = book[f"{at}.total"]
        cost = book.get(f"{at}.repeated")
        if not item.repeats or not cost or total.use is None or cost.value.low is None:
            continue
        below = total.use < cost.value.low * (1 - APART)
        if not below and planned(total) <= FAR * span_of(cost).high:
            continue
        told = say(
            "{times} of {lines} are {cost} as planned",
            times=book[f"{at}.repeats.times"],
            cost=cost,
            lines=" + ".join(project.items[part].title for part in item.repeats.of),
        )
        told += say("; for the line {planned} are planned", planned=total)
        yield make_finding(
            "plan-unlike-its-estimate",
            at,
            f"{item.title}: planned at {'less' if below else 'more'} than what it repeats",
            told + times_as_much(*((cost, total) if below else (total, cost)), ": {ratio} as much"),
            "" if below else "The same runs are planned at two prices.",
            evidence="repeats",
            is_mild=not below,
        )


class Covered(NamedTuple):
    """What a contingency covers: where its share stands, the share, its lines, and their hours, all seeds counted."""

    at: str
    share: Figure
    lines: Sequence[str]
    whole: Figure

    def doubt(self, subject: str, told: Sentence, *figures: Figure | None, evidence: str = "") -> Finding:
        """A finding about it, or about one of its lines."""
        lines = places_of(self.share, *figures)
        return make_finding("margin-on-margin", subject, "", told, places=lines, evidence=evidence)


def margin_on_margin(project: ProjectLedger, book: Book) -> Findings:
    """A contingency on lines that have a margin already, stated or not; or of more than the whole of what it covers."""
    for rate, lines in group_by(budget_lines(project), lambda line: line.rate).items():
        share = book.find(project, rate) if rate else None
        if share is None or not share.use:
            continue
        covered = [line.item for line in lines]
        whole = sum_over(project, book, covered, "total", "what the contingency covers")
        if whole.use is None:
            continue
        found = Covered(f"{project.id}.{rate}", share, covered, whole)
        yield from _twice(project, book, found)
        yield from _unstated(project, book, found)
        if share.use > 1:
            told = say("{share} of {whole} is {extra}", share=share, whole=whole, extra=product(whole, share))
            yield found.doubt(found.at, told, evidence="above")


def _twice(project: ProjectLedger, book: Book, covered: Covered) -> Findings:
    """Contingency taken on lines whose planned hours include a margin already."""
    rate = covered.at
    members = [name for name in covered.lines if _has_margin(project, book, name, rate)]
    if not members:
        return
    whole = sum_over(project, book, members, "total", "lines that include a margin")
    extra = product(whole, covered.share)
    margin = _margin(project, book, members)
    titles = ", ".join(project.items[name].title for name in members)
    told = say("{lines}: {whole} are planned", lines=titles, whole=whole)
    told += say(", {margin} of it as a margin", margin=margin) if margin else ()
    told += say(". The contingency of {share} adds {extra}", share=covered.share, extra=extra)
    line = f"{project.id}.plan.{members[0]}"
    is_of_line = len(members) == 1 and rate == f"{project.id}.contingency"
    yield covered.doubt(line if is_of_line else rate, told, whole, margin)


def _has_margin(project: ProjectLedger, book: Book, name: str, rate: str) -> bool:
    """Whether a line says that it includes a margin, or its hours are calculated with one: the rate that covers it, or
    an input of its own that is called one."""
    item = project.items[name]
    amounts = [amount for amount in (item.gpu_hours, item.estimate) if isinstance(amount, Derived)]
    called = (key for amount in amounts for key in amount.inputs if MARGINS.intersection(key.split("_")))
    hours, estimate, margin = book.get_all(f"{project.id}.plan.{name}", "gpu_hours", "estimate", "margin")
    rests = closure(*filter(None, (hours, estimate)))
    if margin and span_of(margin).high <= 0:
        return False  # it is planned below what the margin is for
    return item.includes_margin or any(called) or any(part.address == rate for part in rests)


def _margin(project: ProjectLedger, book: Book, members: Sequence[str]) -> Figure | None:
    """The margin that lines include, for all seeds, in GPU-hours; None unless all of them say how much it is."""
    addresses = [f"plan.{name}.{key}" for name in members for key in ("margin", "total", "gpu_hours")]
    known = known_figures(book, {address: f"{project.id}.{address}" for address in addresses})
    if known is None:
        return None
    parts = [formula_of("max({0}.margin, 0 gpu_hours) * {0}.total / {0}.gpu_hours", f"plan.{name}") for name in members]
    try:
        return derive(chain_of(" + ", parts), known, GPU_HOURS, title="margin of these lines")
    except Refusal:
        return None


def sum_over(project: ProjectLedger, book: Book, items: Sequence[str], key: str, title: str) -> Figure:
    """A sum over items of one of their figures, in GPU-hours."""
    return summed((book[f"{project.id}.plan.{item}.{key}"] for item in items), GPU_HOURS, title)


def _unstated(project: ProjectLedger, book: Book, covered: Covered) -> Findings:
    """Lines that are planned above the high end of their estimate without `includes_margin`, under a contingency; and
    not so far that something else is wrong."""
    above = {
        line.name: line.item.title
        for line in lines_of(project, book)
        if line.name in covered.lines
        and not (line.item.includes_margin or line.is_twice or line.is_far_above)
        and line.high is not None
        and line.high < line.planned
    }
    if not above:
        return
    total = sum_over(project, book, [*above], "total", "these lines, as planned")
    estimated = sum_over(project, book, [*above], "estimate_total", "these lines, as estimated")
    if planned(total) - span_of(estimated).high >= SLIGHT * planned(covered.whole):
        text = "{lines}: {planned} planned, {estimated} estimated; {share} come on top"
        lines = ", ".join(above.values())
        told = say(text, lines=lines, planned=total, estimated=estimated, share=covered.share)
        yield covered.doubt(covered.at, told, total, evidence="unstated")
