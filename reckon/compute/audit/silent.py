"""Texts that are left out: their condition is not met, or cannot be decided."""

from __future__ import annotations

from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.text_blocks import Said
from .common import stands


def text_no_longer_holds(project: ProjectLedger, book: Book) -> Findings:
    """A text that is left out, because what it is bound to does not hold and it says nothing otherwise."""
    for said in book.texts.get(project.id, ()):
        if said.judged and said.judged.holds is False and not said.stands:
            yield _left_out(
                "text-no-longer-holds",
                project,
                said,
                _compared(said),
                say("Write what is true now, say it with `otherwise`, or take the text out."),
            )


def text_undecided(project: ProjectLedger, book: Book) -> Findings:
    """A text that is left out until it is known whether what it is bound to holds."""
    for said in book.texts.get(project.id, ()):
        if said.judged and said.judged.holds is None:
            wanted = ", ".join(said.judged.missing[:6])
            lacking = say("it cannot be decided without {wanted}", wanted=wanted) if wanted else _compared(said)
            remedy = say("Find out what is unknown; the text then stands or is told again.")
            yield _left_out("text-undecided", project, said, lacking, remedy)


def _left_out(rule: str, project: ProjectLedger, said: Said, arithmetic: Sentence, remedy: Sentence) -> Finding:
    when = said.passage.when
    assert when is not None
    title = say("Text {title} is left out", title=said.title or said.name)
    meaning = say("It stands only where {when}.", when=" ".join(when.formula.text.split()))
    return make_finding(rule, f"{project.id}.texts.{said.name}", title, arithmetic, meaning, remedy, (when.place,))


def _compared(said: Said) -> Sentence:
    assert said.judged is not None
    parts: list[str | Figure] = []
    for part in said.judged.parts:
        parts += [", "] * bool(parts) + [*stands(part)]
    return tuple(parts)
