"""The figures that a word follows from: what a verdict, a standing or the winner of a ranking rests on."""

from __future__ import annotations

from dataclasses import replace

from reckon.model.figure import Figure
from reckon.model.finding import Sentence, joined, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..choosing.memory import Verdict
from ..choosing.tradeoff import RANKS, Tradeoff
from ..fitting.fits import Fitted
from ..sheet.cells import picked
from ..statements.worded import Worded


def grounds(one: ProjectLedger, book: Book, found: Worded) -> tuple[Sentence, tuple[Figure, ...]]:
    """Why a word is what it is, as a sentence and the figures in it; nothing where no more is known."""
    for fitted in book.fits.get(one.id, ()):
        if found.address == f"{one.id}.{fitted.pair.at}.verdict" and fitted.verdict:
            return _fit(fitted, fitted.verdict)
    for weighed in book.tradeoffs.get(one.id, ()):
        at = f"{one.id}.setups.{weighed.name}."
        if found.address.startswith(at):
            return _setup(book, weighed, found, found.address.removeprefix(at))
    return (), ()


def _fit(fitted: Fitted, verdict: Verdict) -> tuple[Sentence, tuple[Figure, ...]]:
    """The need, what the card has, what is to stay free, and the pools that are too small."""
    told = say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)
    told += say(", {reserve} of them to stay free", reserve=fitted.reserve) if fitted.reserve else ()
    for part in fitted.short:
        told += say("; {pool} is too small for what is in it", pool=part)
    return told, tuple(figure for figure in (verdict.need, verdict.usable, fitted.reserve) if figure)


def _setup(book: Book, weighed: Tradeoff, found: Worded, last: str) -> tuple[Sentence, tuple[Figure, ...]]:
    """Time and cost of the two setups that a ranking could pick, or of a setup and the one that dominates it."""
    if last in RANKS:
        return _beside(book, weighed, [one for one in (found.stated.id, found.word.id) if one in weighed.points])
    choice, _, what = last.rpartition(".")
    if what == "standing" and choice in weighed.points:
        return _beside(book, weighed, [choice, *([weighed.dominated[choice]] if choice in weighed.dominated else [])])
    if what == "memory" and (verdict := weighed.verdicts.get(choice)):
        told = say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)
        return told, (verdict.need, verdict.usable)
    return (), ()


def _beside(book: Book, weighed: Tradeoff, choices: list[str]) -> tuple[Sentence, tuple[Figure, ...]]:
    found = [(weighed.titles[choice], *_figures(book, weighed, choice)) for choice in choices]
    told = (say("{setup} {hours} for {usd}", setup=title, hours=hours, usd=usd) for title, hours, usd in found)
    return joined(told, ", "), tuple(figure for _, *figures in found for figure in figures)


def _figures(book: Book, weighed: Tradeoff, choice: str) -> tuple[Figure, Figure]:
    """Time and cost at the values to plan with, by which setups are weighed."""
    hours, usd = (book[f"{weighed.choices[choice].at}.{key}"] for key in ("hours", "usd"))
    return replace(picked(hours, "use"), address=hours.address), replace(picked(usd, "use"), address=usd.address)
