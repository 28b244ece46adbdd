"""What stated figures imply together: what levers are said to save, and the totals that are stated with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from reckon.language.units import Unit
from reckon.model.figure import Figure, Figures, planned
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..fitting.effective_settings import Configured
from ..fitting.memory_needs import AMOUNTS
from ..sheet.cells import read_formula, total_of
from ..sheet.evaluate import derive
from ..statements.claims import Check
from .common import Span, product, span_of
from .stating import stated_of, stated_span


def savings_miss_difference(project: ProjectLedger, book: Book) -> Findings:
    """Stated memory of a configuration and of its base, whose difference is not what its levers are said to save."""
    totals: dict[str, dict[str, Check]] = defaultdict(dict)
    for address, every in stated_of(project, book).items():
        head, _, card = address.removesuffix(".need_gib").rpartition(".on.")
        if head and address.endswith(".need_gib") and (found := next(filter(_is_single, every), None)):
            totals[head.rpartition(".")[2]][card] = found
    for name, record in project.configurations.items():
        of_base = totals.get(str(record.base), {})
        for card, less in totals.get(name, {}).items():
            if card in of_base:
                yield from _savings(project, book, name, card, of_base[card], less)


def _is_single(check: Check) -> bool:
    return check.stated.value.exact


def _savings(project: ProjectLedger, book: Book, name: str, card: str, more: Check, less: Check) -> Findings:
    """That the savings are not the difference; nothing where one of them is not known."""
    record = project.configurations[name]
    on = [f"{project.id}.configurations.{each}" for each in (record.base, name)]
    levers = [lever for lever in record.levers if project.levers[lever].part is not None]
    saved = [figure for lever in levers if (figure := _saved(project, book, lever, on, card))]
    spans = stated_span(more), stated_span(less)
    if not levers or len(saved) < len(levers) or not spans[0] or not spans[1]:
        return
    whole = _total(saved, more.stated.unit)
    gap = derive(read_formula("more - less"), {"more": more.stated, "less": less.stated}, more.stated.unit, title="gap")
    low = whole.value.low
    high = whole.value.high
    scale = book[f"{on[1]}.on.{card}.need_gib"].unit.scale / more.stated.unit.scale
    if low is None or high is None or spans[0].less(spans[1]).times(scale).meets(Span(low, high)):
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
