"""What is stated somewhere against what is reckoned."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.text import place_of
from reckon.model.figure import Figure, closure
from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..statements.claims import Check
from ..statements.worded import Worded
from .common import in_unit_of, places, stated_at
from .grounds import grounds

SLIGHT = Fraction(1, 10)


def claim_contradicted(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A stated figure or word that the reckoned one contradicts; a warning where a figure is off by under a tenth."""
    seen: dict[str, int] = {}
    for check in book.checks.get(one.id, ()):
        if not check.holds:
            number = seen[check.figure.address] = seen.get(check.figure.address, 0) + 1
            yield _contradicted(check, _numbered(number))
    for found in book.worded.get(one.id, ()):
        if found.holds is False:
            number = seen[found.address] = seen.get(found.address, 0) + 1
            yield _misnamed(one, book, found, _numbered(number))


def _numbered(number: int) -> str:
    """Several claims may speak of one figure: the second and later ones are numbered."""
    return "" if number == 1 else f"#{number}"


def _contradicted(check: Check, suffix: str) -> Finding:
    figure, claim = check.figure, check.claim
    stated, reckoned = check.stated, in_unit_of(check.stated, figure)
    arithmetic = say("stated {stated} ({at}), reckoned {figure}", stated=stated, at=stated_at(claim), figure=reckoned)
    if check.slip:
        arithmetic += say("; {slip}", slip=check.slip)
    return Finding(
        "claim-contradicted",
        "error" if check.off >= SLIGHT else "warning",
        f"{figure.address}{suffix}",
        say("{title}: the stated figure does not hold", title=figure.title),
        arithmetic,
        say("A reader who takes the stated figure plans with a number that its own inputs do not give."),
        say("Correct the statement, or the inputs that it should rest on."),
        (claim.place, *places(figure)[:10]),
    )


def _misnamed(one: ProjectLedger, book: Book, found: Worded, suffix: str) -> Finding:
    told, figures = grounds(one, book, found)
    arithmetic = say("stated {stated} ({at}), reckoned {word}",
                     stated=found.stated.title, at=stated_at(found.claim), word=found.word.title)  # fmt: skip
    return Finding(
        "claim-contradicted",
        "error",
        f"{found.address}{suffix}",
        say("{what}: what is stated does not hold", what=found.word.about),
        arithmetic + (say(": ") + told if told else ()),
        say("A reader who takes what is stated decides on something that the figures do not give."),
        say("Correct the statement, or the inputs that it should rest on."),
        (found.claim.place, *places(*figures)[:10]),
    )


def _terms(one: ProjectLedger, book: Book, of: str) -> list[str]:
    """The items, and the contingency, that a total of the budget sums; found by walking down from it."""
    figure = book.quoted(one.id, of)
    found = closure(figure, through=lambda below: not _term(one, below)) if figure else ()
    return list(dict.fromkeys(term for below in found if (term := _term(one, below))))


def _term(one: ProjectLedger, figure: Figure) -> str:
    """The item that a figure belongs to, or `contingency`; empty for any other figure."""
    parts = figure.address.split(".")
    if parts[1:2] == ["plan"] and len(parts) > 2:
        return parts[2]
    return "contingency" if figure.address == f"{one.id}.budget.contingency" else ""


def formula_misses_line(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A formula stated elsewhere whose terms are not the lines that the budget sums."""
    seen: dict[str, int] = {}
    for claim in one.claims:
        wanted = _terms(one, book, str(claim.of))
        missed = [name for name in wanted if name not in claim.terms]
        if not claim.terms or not missed:
            continue
        number = seen[claim.of] = seen.get(claim.of, 0) + 1
        shown = ", ".join(str(one.items[name].title) if name in one.items else name for name in missed)
        parts = [book[f"{one.id}.plan.{name}.total"] for name in missed if name in one.items]
        yield Finding(
            "formula-misses-line",
            "error",
            f"{one.id}.{claim.of}" + _numbered(number),
            say("A stated formula leaves out a line of the budget"),
            say("{at} does not name {missed}", at=str(claim.at), missed=shown)
            + (say(": {part}", part=parts[0]) if len(parts) == 1 else ()),
            say("Whoever applies the formula gets less than the budget that stands beside it."),
            say("Add the line to the formula, or take it out of the budget."),
            (place_of(claim.of), *places(*parts)),
        )
