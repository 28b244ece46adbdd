"""Texts that are left out: their condition is not met, or cannot be decided."""

from __future__ import annotations

from reckon.model.finding import Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.conditions import Judged
from .common import stands


def text_left_out(project: ProjectLedger, book: Book) -> Findings:
    """A text that is left out: what it is bound to does not hold, and it says nothing otherwise; or that is not known
    yet, which is milder."""
    for said in book.texts[project.id]:
        when = said.passage.when
        if when is None or said.judged is None or said.judged.holds or said.stands:
            continue
        yield make_finding(
            "text-left-out",
            f"{project.id}.texts.{said.name}",
            said.title or said.name,
            _found(said.judged),
            say("It stands only where {when}.", when=" ".join(when.formula.text.split())),
            places=(when.place,),
            evidence="undecided" if said.judged.holds is None else "",
        )


def _found(judged: Judged) -> Sentence:
    """What is missing to decide a condition; else its comparisons, as they are found."""
    if judged.holds is None and judged.missing:
        return say("it cannot be decided without {wanted}", wanted=", ".join(judged.missing[:6]))
    return joined((stands(part) for part in judged.parts), ", ")
