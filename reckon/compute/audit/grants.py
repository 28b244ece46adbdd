"""What is planned against what was granted: what is still to be spent of final budgets, and what is left of the grants.

Grants are taken together with all others that their projects draw on, so that nothing is found where the hours can be
shared out somehow. A grant on another GPU than the project counts in is held against the lines that are planned there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from reckon.language.expression import Binary, Call, Formula, names
from reckon.language.text import Refusal
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Sentence, make_finding, say
from reckon.model.kinds import FINAL
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.budget import BudgetLine, budget_lines
from ..sheet.cells import picked, read_formula, sum_of, total_of
from ..sheet.evaluate import derive
from ..sheet.inputs import ratio_address
from .common import is_above, places
from .work_to_do import work_above_grant

NONE = "0 gpu_hours"


class GrantsDrawn(Struct, frozen=True):
    """Projects that share grants, with all grants that any of them draws on, and the GPU that all of them count in."""

    book: Book
    projects: tuple[ProjectLedger, ...]
    grants: Mapping[str, r.Allocation]
    gpu: str

    def lines(self, card: str) -> Iterator[tuple[ProjectLedger, BudgetLine]]:
        """The lines of the base budget that are planned on a card."""
        for project in self.projects:
            for line in budget_lines(project):
                if not line.extension and str(project.items[line.item].gpu or self.gpu) == card:
                    yield project, line

    def cards(self) -> list[str]:
        """The cards that lines are planned on."""
        found = [
            str(project.items[line.item].gpu or self.gpu)
            for project in self.projects
            for line in budget_lines(project)
            if not line.extension
        ]
        return list(dict.fromkeys(found))

    def of(self, card: str) -> list[str]:
        """The ids of the grants whose hours can be used on a card."""
        return [name for name, grant in self.grants.items() if str(grant.gpu or card) == card]

    def counted(self) -> list[str]:
        """The ids of the grants that count: on the GPU that the projects count in, and on cards that lines are planned
        on."""
        cards = {self.gpu, *self.cards()}
        return [name for name, grant in self.grants.items() if grant.gpu is None or str(grant.gpu) in cards]

    def figure(self, formula: Formula, title: str) -> Figure | None:
        """What a formula of addresses comes to; None where one of them is not known.

        Where more ranges both raise and lower it than can be tried, it is that of the planning values.
        """
        inputs = {name.name: self.book.get(name.name) for name in names(formula.tree)}
        known = {name: figure for name, figure in inputs.items() if figure and not figure.missing}
        if len(known) < len(inputs):
            return None
        try:
            return derive(formula, known, GPU_HOURS, title=title)
        except Refusal:
            planned = {name: picked(figure, "use") for name, figure in known.items()}
            return derive(formula, planned, GPU_HOURS, title=title)


def plan_above_grant(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """More is planned than is left of the grants: of a grant by the final budgets of all projects that share it, or
    by the work that is to do."""
    seen, found = set(), list[Finding]()
    for name, grant in book.ledger.allocations.items():
        if project.id not in grant.projects:
            continue
        drawing = _drawing(book, grant)
        other = drawing is not None and grant.gpu is not None and grant.gpu != drawing.gpu
        key = (frozenset(map(str, grant.projects)), str(grant.gpu) if other else "")
        if drawing is None or key in seen:
            continue
        seen.add(key)
        found += _above(drawing, f"allocations.{name}", str(grant.gpu) if other else "")
    yield from found or work_above_grant(book, project)


def _drawing(book: Book, grant: r.Allocation) -> GrantsDrawn | None:
    """A grant's projects that have a final budget, and all their grants; None where they count in different GPUs."""
    budgets = [name for name in grant.projects if f"{name}.{FINAL.hours}" in book.figures]
    sharing = tuple(book.ledger.projects[name] for name in budgets)
    cards = {str(project.project.gpu) for project in sharing}
    if len(cards) != 1:
        return None
    grants = {name: any_ for name, any_ in book.ledger.allocations.items() if set(any_.projects) & set(budgets)}
    return GrantsDrawn(book, sharing, grants, cards.pop())


def _above(drawing: GrantsDrawn, subject: str, card: str) -> Iterator[Finding]:
    """What is found where more is to be spent than is left, in all or (with a card) on that card alone."""
    coming, left = (_planned_on(drawing, card), _left_on(drawing, card)) if card else (_coming(drawing), _left(drawing))
    if coming is None or left is None or not is_above(coming, left):
        return
    counted = drawing.of(card) if card else drawing.counted()
    many = len(counted) > 1
    grants = "the grants" if many else "the grant"
    granted = [drawing.book.get(f"allocations.{name}.gpu_hours") for name in counted]
    yield make_finding(
        "plan-above-grant",
        subject,
        say(f"More is planned than {grants} {'have' if many else 'has'}"),
        _arithmetic(drawing, coming, left, card, grants),
        say("Carried out as planned, the work needs hours that nobody has granted."),
        say("Plan less, ask for more hours, or enter the grant that is missing."),
        places(*granted),
    )


def _arithmetic(drawing: GrantsDrawn, coming: Figure, left: Figure, card: str, grants: str) -> Sentence:
    """What is planned and granted, and what is to be spent and left of it where something was spent."""
    book = drawing.book
    spent = any(bool(book[f"{project.id}.{FINAL.actual}"].use) for project in drawing.projects)
    used = any(bool(book[f"allocations.{name}.used"].use) for name in drawing.grants)
    final = drawing.figure(total_of([f"{project.id}.{FINAL.hours}" for project in drawing.projects]), "final budgets")
    planned = "the final budget is" if len(drawing.projects) == 1 else "the final budgets of its projects are"
    if card:
        named = book.ledger.catalog.gpus.get(card)
        return say(
            "{coming} are still to be spent on {card}, {left} are left of {grants}",
            coming=coming,
            card=str(named.title if named else card),
            left=left,
            grants=grants,
        )
    if final is not None and final.use == coming.use and not (spent or used):
        return say("{planned} {final}, {grants} {left}", planned=planned, final=final, grants=grants, left=left)
    more = say("{planned} {final}; ", planned=planned, final=final) if final is not None else ()
    return (
        more
        + say(
            "{coming} of that are still to come, {left} are left of {grants}", coming=coming, left=left, grants=grants
        )
        + _ended(drawing)
    )


def _ended(drawing: GrantsDrawn) -> Sentence:
    """When the last of the grants that count ended, if all have."""
    ats = [f"allocations.{name}" for name in drawing.counted()]
    ends = [drawing.book.get(f"{at}.end") for at in ats if drawing.book.get(f"{at}.days_since_end")]
    days = [end for end in ends if end is not None and end.use is not None]
    if not days or len(days) < len(ats):
        return ()
    last = max(days, key=lambda end: end.use or 0)
    words = "the last of which ended on {day}" if len(days) > 1 else "which ended on {day}"
    return say(f", {words}", day=last)


def _coming(drawing: GrantsDrawn) -> Figure | None:
    """What is still to be spent of the final budgets, without lines on cards that no grant is for."""
    parts = []
    for project in drawing.projects:
        if (done := drawing.book.get(f"{project.id}.{FINAL.complete}")) and done.use == 1:
            continue
        apart = [
            _uncovered(project, line)
            for card in drawing.cards()
            if not drawing.of(card)
            for own, line in drawing.lines(card)
            if own is project
        ]
        parts.append(_less(read_formula(f"{project.id}.{FINAL.remaining}"), apart))
    return drawing.figure(sum_of(parts), "to come") if parts else None


def _less(whole: Formula, parts: list[Formula]) -> Formula:
    """What is left of a formula without some others, at least nothing. It is flat, however many they are."""
    left = whole
    if parts:
        rest = sum_of(parts)
        left = Formula(f"{whole.text} - ({rest.text})", Binary("-", whole.tree, rest.tree, 0))
    nothing = read_formula(NONE)
    return Formula(f"max({left.text}, {NONE})", Call("max", (left.tree, nothing.tree), 0))


def _uncovered(project: ProjectLedger, line: BudgetLine) -> Formula:
    """What is still to be spent of a line with its contingency, as a formula."""
    total = f"{project.id}.plan.{line.item}.total"
    margin = f" + {total} * {project.id}.{line.rate}" if line.rate else ""
    return read_formula(f"max({total}{margin} - {project.id}.plan.{line.item}.actual, {NONE})")


def _left(drawing: GrantsDrawn) -> Figure | None:
    """What is left of the grants in hours of the GPU that counts; of those on other cards where lines are planned."""
    parts = []
    for name in drawing.counted():
        left, card = _left_of(drawing, name)
        ratio = f" * {ratio_address(card, drawing.gpu)}" if card != drawing.gpu else ""
        parts.append(f"max({left}, {NONE}){ratio}")
    return drawing.figure(_sum_of_each(parts), "left of the grants")


def _sum_of_each(parts: Iterable[str]) -> Formula:
    """The sum of some formulas, each once."""
    return sum_of([read_formula(part) for part in dict.fromkeys(parts)])


def _left_of(drawing: GrantsDrawn, name: str) -> tuple[str, str]:
    """The address of what is left of a grant, and the card in whose hours it is.

    Where other grants share its hours, that is what all of them have left together, or what it has left at the most.
    """
    card, group = str(drawing.grants[name].gpu or drawing.gpu), drawing.book.shared_grants.get(name)
    if group is None:
        return f"allocations.{name}.left", card
    together = f"allocations.{group.names[0]}.together.left"
    if group.card and drawing.book.get(together):
        return together, group.card
    return f"allocations.{name}.left_at_most", card


def _planned_on(drawing: GrantsDrawn, card: str) -> Figure | None:
    """What is still to be spent of the lines on a card, in its own hours."""
    parts = []
    for project, line in drawing.lines(card):
        seeds = f" * {project.id}.seeds" if project.items[line.item].scope == "per-seed" else ""
        parts.append(read_formula(f"{project.id}.plan.{line.item}.gpu_hours{seeds}"))
    if not parts:
        return None
    spent = [at for project in drawing.projects if drawing.book.get(at := f"{project.id}.actual.by_gpu.{card}")]
    return drawing.figure(_less(sum_of(parts), [read_formula(at) for at in spent]), "to come there")


def _left_on(drawing: GrantsDrawn, card: str) -> Figure | None:
    """What is left of the grants on a card; None where hours of a grant without a card can be used there."""
    found = drawing.of(card)
    if any(drawing.grants[name].gpu is None for name in found):
        return None
    parts = [f"max({_left_of(drawing, name)[0]}, {NONE})" for name in found]
    return drawing.figure(_sum_of_each(parts), "left of the grants")
