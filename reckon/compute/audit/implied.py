"""What stated figures imply together: what levers are said to save, and the totals that are stated with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from reckon.language.groups import group_by
from reckon.model.figure import Figure, Figures, Span, is_known, planned, span_of
from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..fitting.effective_settings import Configured
from ..fitting.memory_needs import AMOUNTS
from ..fitting.verdict import saving_on
from ..sheet.cells import read_formula
from ..sheet.evaluate import derive
from ..statements.claims import Check
from .common import summed
from .stated import stated_of, stated_span


def savings_miss_difference(project: ProjectLedger, book: Book) -> Findings:
    """Stated memory of a configuration and of its base, whose difference is not what its levers are said to save."""
    totals: dict[str, dict[str, Check]] = defaultdict(dict)
    for address, every in stated_of(project, book).items():
        head, _, card = address.removesuffix(".need_gib").rpartition(".on.")
        found = next((check for check in every if check.stated.value.exact), None)
        if head and address.endswith(".need_gib") and found:
            totals[head.rpartition(".")[2]][card] = found
    for name, record in project.configurations.items():
        of_base = totals.get(str(record.base), {})
        for card, less in totals.get(name, {}).items():
            if card in of_base:
                yield from _savings(project, book, name, card, of_base[card], less)


def _savings(project: ProjectLedger, book: Book, name: str, card: str, more: Check, less: Check) -> Findings:
    """That the savings are not the difference; nothing where one of them is not known."""
    record = project.configurations[name]
    on = [f"{project.id}.configurations.{each}" for each in (record.base, name)]
    levers = [lever for lever in record.levers if project.levers[lever].part]
    base = str(record.base)
    saved = {str(lever): figure for lever in levers if (figure := _saved(project, book, lever, base, card))}
    if not levers or len(saved) < len(levers):
        return
    whole = summed(saved.values(), more.stated.unit, "savings")
    gap = derive(read_formula("more - less"), {"more": more.stated, "less": less.stated}, more.stated.unit, title="gap")
    before = stated_span(more)
    after = stated_span(less)
    if Span(before.low - after.high, before.high - after.low).meets(span_of(whole)):
        return
    told = say(
        "the total falls by {gap}, from {more} to {less}. The savings add up to {whole}. They are ",
        more=more.stated,
        less=less.stated,
        gap=gap,
        whole=whole,
    )
    told += joined(
        (say("{what} {figure}", what=project.levers[key].title, figure=each) for key, each in saved.items()), ", "
    )
    yield make_finding(
        "savings-miss-difference",
        f"{on[1]}.on.{card}",
        say(
            "{title}: the savings add up to {whole}, the totals differ by {gap}",
            title=record.title,
            whole=whole,
            gap=gap,
        ),
        told + _miscounted(project, book, saved, on),
        "A saving may be counted twice, or be stated too high."
        if planned(whole) > planned(gap)
        else "A saving is not named, or is stated too low.",
        places=(more.claim.place, less.claim.place, *(project.levers[lever].place for lever in levers))[:20],
    )


def _miscounted(project: ProjectLedger, book: Book, saved: Figures, on: Sequence[str]) -> Sentence:
    """Which savings are not in the difference: those of a part within a pool that is made smaller too, and those of a
    part that is stated before and after with another difference."""
    parts = {name: part for name, (_, part) in Configured(project, on[0].rpartition(".")[2]).parts.items()}
    by_part = group_by(saved, lambda name: str(project.levers[name].part))
    told: Sentence = ()
    for name, levers in by_part.items():
        part = parts.get(name)
        if part is None:
            continue
        some = [saved[lever] for lever in levers]
        whole = summed(some, some[0].unit, "savings")
        pool = parts.get(part.within or "")
        if pool and part.within in by_part:
            told += say(
                ". Do not add {levers}: these {whole} are inside {pool}, which is counted as a whole",
                levers=" and ".join(project.levers[lever].title for lever in levers),
                whole=whole,
                pool=pool.title,
            )
        before, after = (book.get(f"{each}.memory.{name}.need_gib") for each in on)
        span = span_of(whole)
        if is_known(before) and is_known(after) and not span.low <= planned(before) - planned(after) <= span.high:
            text = ". {part} saves {whole}, but goes from {before} to {after}"
            told += say(text, part=part.title, whole=whole, before=before, after=after)
    return told


def _saved(project: ProjectLedger, book: Book, name: str, base: str, card: str) -> Figure | None:
    """What a lever is said to save, as it is stated, or takes off its part of a configuration; None if unknown."""
    if stated := next(iter(project.levers[name].list_stated(AMOUNTS)), ""):
        return book.get(f"{project.id}.levers.{name}.{stated}")
    return saving_on(book.figures, Configured(project, base), name, card)
