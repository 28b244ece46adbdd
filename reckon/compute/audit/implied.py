"""What stated figures imply together: the efficiency of several GPUs, what an hour saved costs, and what is saved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise

from msgspec import Struct

from reckon.language.quantity import ZERO
from reckon.language.units import Unit
from reckon.model.figure import Figure, Figures, planned
from reckon.model.finding import Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..choosing.pareto import Point, Tradeoff, frontier, hull
from ..fitting.effective_settings import Configured
from ..fitting.memory_needs import AMOUNTS
from ..measuring.projections import Fields, pairs
from ..sheet.cells import read_formula, total_of
from ..sheet.evaluate import derive
from ..statements.claims import is_shared
from .common import Span, counted, product, span_of, stated_at
from .stating import Stated, Statement, single, stated_of

MOST_ROWS = 8
ROUNDED = Fraction(1, 200)
"""An efficiency is stated in whole per cent."""
DEARER = Fraction(3, 2)
"""By which factor an hour has to cost more from the nearest choice before it is told."""
SAME_WORK = frozenset(
    (
        "title",
        "base",
        "measurements",
        "gpus",
        "efficiency",
        "prices",
        "compare",
        "reported",
        "leaves_out",
        "notes",
        "source",
        "place",
    )
)
"""The fields in which a projection may differ from its base and is of the same work."""


class Shared(Struct, frozen=True):
    """Times that are stated for the same work on fewer and on more GPUs: what it is called, how many times as many GPUs
    there are, the times, and the efficiency that they imply."""

    title: str
    times: Fraction
    few: Statement
    many: Statement
    span: Span

    @property
    def implied(self) -> Figure:
        """The efficiency: the first time over the second and over how many times as many GPUs there are."""
        assert self.few.value.use is not None
        assert self.many.value.use is not None
        use = self.few.value.use / (self.many.value.use * self.times)
        return replace(counted(use), form="%")

    @property
    def said(self) -> Sentence:
        """The times and what they imply, in words."""
        return say(
            "{title}: {few} becomes {many}, {implied}",
            title=self.title,
            few=self.few.stated,
            many=self.many.stated,
            implied=self.implied,
        )


def efficiency_implied(project: ProjectLedger, book: Book) -> Findings:
    """Stated times on fewer and on more GPUs that imply an efficiency above 100 %, or not the one that is stated.

    Times that are wrong for another reason have entries of their own, and are told here only where no other is.
    """
    stated = stated_of(project, book)
    checks = book.checks.get(project.id, ())
    wrong = {check.figure.address for check in checks if not (check.holds or check.way or is_shared(check))}
    others = {address: said for address, said in stated.items() if address not in wrong}
    for weighed in book.tradeoffs.get(project.id, ()):
        work = project.workloads[weighed.record.workload]
        efficiency = book.find(project, f"workloads.{weighed.record.workload}.efficiency")
        # Runs and models that do not divide by the GPUs leave some idle, so that less than the efficiency is reached.
        whole = book.find(project, f"workloads.{weighed.record.workload}.models") if work.runs is None else None
        title = weighed.record.title or weighed.name
        for some in (others, stated):
            rows = list(_of_setups(some, weighed))
            least = [row for row in rows if whole and whole.use and (whole.use / row.times).denominator == 1]
            if found := list(_efficiency(f"{project.id}.setups.{weighed.name}", title, rows, efficiency, least)):
                yield from found
                break
    for name, record, measurement in pairs(project):
        if record.base is None or not record.model_fields_set <= SAME_WORK:
            continue
        at = f"{project.id}.projections.{name}.{measurement}.hours"
        rows = list(_of_projection(project, book, stated, name, measurement))
        efficiency = book.find(project, Fields(project, name).address("efficiency"))
        yield from _efficiency(at, Fields(project, name).title, rows, efficiency, rows)


def _of_setups(stated: Stated, weighed: Tradeoff) -> Iterator[Shared]:
    """The setups of several GPUs whose time is stated beside that of one GPU of the same kind, in the same document."""
    for choice in weighed.choices.values():
        one = weighed.choices.get(f"{choice.card}-x1")
        if one is not None and choice.gpus > 1:
            yield from _shared(
                stated, f"{one.at}.hours", f"{choice.at}.hours", Fraction(choice.gpus), weighed.titles[choice.id]
            )


def _of_projection(project: ProjectLedger, book: Book, stated: Stated, name: str, measurement: str) -> Iterator[Shared]:
    """A projection on more GPUs than its base, with the times that are stated of both."""
    at = f"{project.id}.projections.{name}"
    base = f"{project.id}.projections.{project.projections[name].base}"
    counts = [_gpus(project, book, each, measurement) for each in (base, at)]
    if all(counts) and counts[1] > counts[0]:
        fields = Fields(project, name)
        yield from _shared(
            stated, f"{base}.{measurement}.hours", f"{at}.{measurement}.hours", counts[1] / counts[0], fields.title
        )


def _gpus(project: ProjectLedger, book: Book, at: str, measurement: str) -> Fraction:
    """The GPUs that a projection is for, or else those measured on; 0 where neither is known."""
    address = Fields(project, at.rpartition(".")[2]).address("gpus") or f"measurements.{measurement}.gpus"
    figure = book.find(project, address)
    return figure.use if figure and figure.use is not None and figure.value.exact else ZERO


def _shared(stated: Stated, few_at: str, many_at: str, times: Fraction, title: str) -> Iterator[Shared]:
    many = single(stated, many_at)
    few = single(stated, few_at, many.claim.document) if many else None
    if many and few and few.span and many.span and many.value.use and (span := few.span.over(many.span.times(times))):
        yield Shared(title, times, few, many, span)


def _efficiency(
    at: str, title: str, rows: Sequence[Shared], efficiency: Figure | None, least: Sequence[Shared]
) -> Findings:
    """One finding of all rows that cannot be; `least` are those that may not be below the stated efficiency either."""
    above = [row for row in rows if row.span.low > 1]
    other = [row for row in rows if row not in above and _is_other(row.span, efficiency, row in least)]
    if not above and not other:
        return
    told = joined([row.said for row in (*above, *other)[:MOST_ROWS]])
    more = len(above) + len(other) - MOST_ROWS
    told += say("; and {more} more", more=str(more)) if more > 0 else ()
    told += say("; stated is {efficiency}", efficiency=efficiency) if efficiency else ()
    yield make_finding(
        "efficiency-implied",
        at,
        say(
            "{title}: the stated times imply an efficiency above 100%"
            if above
            else "{title}: the stated times do not have the stated efficiency",
            title=title,
        ),
        told,
        "So many GPUs cannot be faster together than one by one."
        if above
        else "The efficiency was not applied, or another one was.",
        "Find out which of the times was not calculated from the other, and state the efficiency that was used.",
        list(dict.fromkeys(part.claim.place for row in (*above, *other) for part in (row.few, row.many)))[:20],
        is_mild=not above,
    )


def _is_other(span: Span, efficiency: Figure | None, least: bool) -> bool:
    """Whether an implied efficiency is not the stated one, whatever the digits behind those that are printed."""
    if efficiency is None or efficiency.value.low is None or efficiency.value.high is None:
        return False
    return span.low > efficiency.value.high + ROUNDED or (least and span.high < efficiency.value.low - ROUNDED)


def marginal_from_afar(project: ProjectLedger, book: Book) -> Findings:
    """A stated price of an hour saved that is measured from a choice far off, where a nearer one makes it dearer."""
    stated = stated_of(project, book)
    for weighed in book.tradeoffs.get(project.id, ()):
        known = {
            name: pair
            for name, choice in weighed.choices.items()
            if (pair := _time_and_cost(stated, choice.at)) is not None
        }
        points = [Point(name, *(part.value.use or ZERO for part in pair)) for name, pair in known.items()]
        best = [point.id for point in hull(frontier(points))]
        for near, name in pairwise(best):
            _, said = stated.get(f"{weighed.choices[name].at}.usd_per_hour_saved", (None, ()))
            found = ((each, far) for each in said if (far := _measured_from(weighed, each, name, near, known)))
            yield from (_marginal(weighed, each, name, near, far, known) for each, far in islice(found, 1))


Pair = tuple[Statement, Statement]


def _time_and_cost(stated: Stated, at: str) -> Pair | None:
    """The first single numbers that are stated for the time and the cost of a setup."""
    hours = single(stated, f"{at}.hours")
    usd = single(stated, f"{at}.usd")
    return (hours, usd) if hours and usd and hours.span and usd.span else None


def _measured_from(weighed: Tradeoff, said: Statement, name: str, near: str, known: Mapping[str, Pair]) -> str:
    """The choice that a stated price of an hour saved is measured from, where that is not the nearest and an hour costs
    much more from that; empty else. Of several that fit, the reference is it, or else the first."""
    nearest = _price_of_an_hour(known[near], known[name])
    if not said.value.exact or said.span is None or nearest is None or nearest.low <= said.span.high * DEARER:
        return ""
    spans = {other: _price_of_an_hour(known[other], known[name]) for other in known if other not in (name, near)}
    fitting = [other for other, span in spans.items() if span and span.meets(said.span)]
    return weighed.reference if weighed.reference in fitting else next(iter(fitting), "")


def _price_of_an_hour(slow: Pair, fast: Pair) -> Span | None:
    """What an hour saved costs between two choices, by what is stated of them; None where none is saved."""
    spans = [part.span for part in (*slow, *fast)]
    if None in spans:
        return None
    slow_hours, slow_usd, fast_hours, fast_usd = (span for span in spans if span is not None)
    dearer = fast_usd.less(slow_usd)
    return dearer.over(slow_hours.less(fast_hours)) if dearer.low >= 0 else None


def _marginal(weighed: Tradeoff, said: Statement, name: str, near: str, far: str, known: Mapping[str, Pair]) -> Finding:
    near_hours, near_usd = known[near]
    hours, usd = known[name]
    assert near_usd.value.use is not None
    assert near_hours.value.use is not None
    price = ((usd.value.use or 0) - near_usd.value.use) / (near_hours.value.use - (hours.value.use or 0))
    titles = weighed.titles
    return make_finding(
        "marginal-from-afar",
        f"{weighed.choices[name].at}.usd_per_hour_saved",
        say("{title}: an hour saved is priced from a choice far off", title=titles[name]),
        say(
            "stated {said} ({at}), from {far}; from {near} ({near_hours}, {near_usd}) to {hours}, {usd} it is {dear}",
            said=said.stated,
            at=stated_at(said.claim),
            far=titles[far],
            near=titles[near],
            near_hours=near_hours.stated,
            near_usd=near_usd.stated,
            hours=hours.stated,
            usd=usd.stated,
            dear=counted(price, said.stated.unit),
        ),
        "The first hours are saved more cheaply by the nearer choice; only the last ones are what this one buys.",
        "Measure it from the nearest choice that is worth having.",
        (said.claim.place, near_hours.claim.place, near_usd.claim.place),
    )


def savings_miss_difference(project: ProjectLedger, book: Book) -> Findings:
    """Stated memory of a configuration and of its base, whose difference is not what its levers are said to save."""
    stated = stated_of(project, book)
    totals: dict[str, dict[str, Statement]] = defaultdict(dict)
    for address in stated:
        head, _, card = address.removesuffix(".need_gib").rpartition(".on.")
        if head and address.endswith(".need_gib") and (found := single(stated, address)):
            totals[head.rpartition(".")[2]][card] = found
    for name, record in project.configurations.items():
        of_base = totals.get(str(record.base), {})
        for card, less in totals.get(name, {}).items():
            if card in of_base:
                yield from _savings(project, book, name, card, of_base[card], less)


def _savings(project: ProjectLedger, book: Book, name: str, card: str, more: Statement, less: Statement) -> Findings:
    """That the savings are not the difference; nothing where one of them is not known."""
    record = project.configurations[name]
    on = [f"{project.id}.configurations.{each}" for each in (record.base, name)]
    levers = [lever for lever in record.levers if project.levers[lever].part is not None]
    saved = [figure for lever in levers if (figure := _saved(project, book, lever, on, card))]
    if not levers or len(saved) < len(levers) or not more.span or not less.span:
        return
    whole = _total(saved, more.stated.unit)
    gap = derive(read_formula("more - less"), {"more": more.stated, "less": less.stated}, more.stated.unit, title="gap")
    low = whole.value.low
    high = whole.value.high
    scale = book[f"{on[1]}.on.{card}.need_gib"].unit.scale / more.stated.unit.scale
    if low is None or high is None or more.span.less(less.span).times(scale).meets(Span(low, high)):
        return
    yield make_finding(
        "savings-miss-difference",
        f"{on[1]}.on.{card}",
        say("{title}: what is saved is not the difference of the totals", title=record.title),
        say(
            "from {more} to {less} are {gap}; the savings come to {whole}: ",
            more=more.stated,
            less=less.stated,
            gap=gap,
            whole=whole,
        )
        + joined(
            [
                say("{what} {figure}", what=project.levers[lever].title, figure=figure)
                for lever, figure in zip(levers, saved, strict=True)
            ],
            ", ",
        )
        + _miscounted(project, book, dict(zip(levers, saved, strict=True)), on),
        "A saving is counted twice, as one that lies within another, or one is not named.",
        "Name each saving once; leave out what lies within a part that is taken whole.",
        (more.claim.place, less.claim.place, *(project.levers[lever].place for lever in levers))[:20],
    )


def _miscounted(project: ProjectLedger, book: Book, saved: Figures, on: Sequence[str]) -> Sentence:
    """Which savings are not in the difference: those of a part within a pool that is made smaller too, and those of a
    part that is stated before and after with another difference."""
    parts = Configured(project, on[0].rpartition(".")[2]).parts
    by_part: dict[str, list[Figure]] = defaultdict(list)
    for name, figure in saved.items():
        by_part[str(project.levers[name].part)].append(figure)
    told: Sentence = ()
    for part, some in by_part.items():
        record = parts[part][1] if part in parts else None
        whole = _total(some, some[0].unit)
        pool = (record.within or "") if record else ""
        if pool in by_part and pool in parts:
            told += say("; {whole} lie within {pool}", whole=whole, pool=parts[pool][1].title)
        before, after = (book.get(f"{each}.memory.{part}.need_gib") for each in on)
        if not record or not before or not after or before.missing or after.missing:
            continue
        less = planned(before) - planned(after)
        if (span := span_of(whole)) and not span.low <= less <= span.high:
            told += say(
                "; those of {part} come to {whole}, and it goes from {before} to {after}",
                part=record.title,
                whole=whole,
                before=before,
                after=after,
            )
    return told


def _total(saved: Iterable[Figure], unit: Unit) -> Figure:
    """What several savings come to."""
    parts = {f"part{number}": figure for number, figure in enumerate(saved)}
    return derive(total_of(list(parts)), parts, unit, title="savings", checked=False)


def _saved(project: ProjectLedger, book: Book, name: str, on: Sequence[str], card: str) -> Figure | None:
    """What a lever is said to save, or a smaller pool saves on a card, between two configurations; None if unknown."""
    lever = project.levers[name]
    at, before, after = f"{project.id}.levers.{name}", *(f"{each}.on.{card}.{lever.part}_gib" for each in on)
    if stated := next(iter(lever.list_stated(AMOUNTS)), ""):
        return book.get(f"{at}.{stated}")
    if lever.saves is not None:
        part = book.get(f"{on[0]}.memory.{lever.part}.need_gib")
        return product(part, book[f"{at}.saves"]) if part else None
    pools = {"before": book.get(before), "after": book.get(after)}
    known = {key: pool for key, pool in pools.items() if pool}
    if len(known) < 2:
        return None
    return derive(read_formula("before - after"), known, known["before"].unit, title="pool")
