"""Tables of what the audit of a project found, by cause, and of stated figures and words beside those that follow from
the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reckon.compute.audit.common import assumed, called, in_unit_of
from reckon.compute.audit.readings import readings_of
from reckon.compute.statements.claims import WAYS, Check
from reckon.language.text import Place
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES, Finding
from reckon.model.finding_groups import FindingGroup

from .render.numbers import format_sentence
from .render.printing import counted
from .table import As, Bold, Cell, Code, LedgerLine, LedgerLines, Lines, Table, below, figures, joined, words
from .view import View


@dataclass(frozen=True)
class Findings:
    """What the audit of a project shows in tables."""

    view: View

    def rows(self, group: FindingGroup) -> Table:
        """The findings of one cause, if there are several: each with its numbers, its id and its line."""
        if len(group.members) < 2:
            return Table(())
        if not all(found.cells for found in group.members):
            return _plain_rows(group.members)
        return _stated_rows(group.members, format_sentence(group.title))

    def places(self, group: FindingGroup) -> tuple[Place, ...]:
        """The lines of a finding by itself; of what is stated the line that states it: its figure leads to the rest."""
        return group.lead.places[:1] if group.lead.cells else group.lead.places

    def again(self, group: FindingGroup) -> list[Finding]:
        """What follows from a cause in so far as it states the same once more."""
        return [found for found in group.following if _cells_of(found) in _said_of(group)]

    def otherwise(self, group: FindingGroup) -> list[Finding]:
        """That the one figure that does not agree is stated otherwise elsewhere: all values, with their places."""
        alone = len({_cells_of(found)[:1] for found in group.members}) == 1
        return [found for found in group.following if found.rule == "stated-differently" and alone]

    def carried(self, group: FindingGroup) -> list[Finding]:
        """What else follows from a cause."""
        return [found for found in group.following if found.cells and _cells_of(found) not in _said_of(group)]

    def distinct(self, group: FindingGroup) -> list[tuple[str, ...]]:
        """The same without what only says one figure again, in another table or sentence."""
        return list(dict.fromkeys(_cells_of(found) for found in self.carried(group)))

    def following(self, group: FindingGroup) -> Table:
        """The same as a table: each figure with all that is stated of it."""
        return _briefly(self.carried(group))

    def single(self, group: FindingGroup) -> Cell:
        """The same, where it is one stated figure."""
        (found,) = self.carried(group)
        subject, _, what = format_sentence(found.cells[0]).rpartition(": ")
        subjects = {format_sentence(member.cells[0]).rpartition(": ")[0] for member in group.members if member.cells}
        name = what if subjects == {subject} else found.cells[0]
        return name, " ", _stated_line("", [found], False, set())

    @property
    def remarks(self) -> list[Finding]:
        """Stated figures and words that only a supposition of the ledger contradicts."""
        return [found for group in self.view.groups for found in group.remarks]

    @property
    def agreeing(self) -> Figure:
        """How many stated figures and words agree."""
        book, name = self.view.book, self.view.id
        held = [check.holds for check in book.checks[name]] + [found.holds is True for found in book.worded[name]]
        return counted(held.count(True), "")

    @property
    def stated(self) -> Figure:
        """How many figures and words are stated and held against the ledger."""
        return counted(len(self.view.book.checks[self.view.id]) + len(self.view.book.worded[self.view.id]), "")

    @property
    def readings(self) -> list[tuple[str, Figure, Figure, Figure]]:
        """The other readings of what is stated: what each is called, how many stated figures both have, how many of
        these agree here, and how many there."""
        return [
            (found.title, counted(found.stated, ""), counted(found.here, ""), counted(found.there, ""))
            for found in readings_of(self.view.book, self.view.id)
        ]

    @property
    def checks(self) -> Table:
        """Stated figures."""
        columns = [words("Figure"), figures("Stated"), figures("Calculated"), words("Agrees"), words("Where")]
        return Table(
            columns,
            [
                [
                    called(check.figure),
                    _stated(check),
                    As(in_unit_of(check.stated, check.figure)),
                    _holds(check),
                    check.claim.at,
                ]
                for check in self.view.book.checks[self.view.id]
            ],
        )

    @property
    def worded(self) -> Table:
        """Stated words."""
        columns = [*map(words, ("What", "Stated", "Calculated", "Agrees", "Where"))]
        return Table(
            columns,
            [
                [
                    claim.word.about,
                    claim.stated.title,
                    claim.word.title,
                    "not decided" if claim.holds is None else "yes" if claim.holds else Bold("no"),
                    claim.claim.at,
                ]
                for claim in self.view.book.worded[self.view.id]
            ],
        )


def _cells_of(found: Finding) -> tuple[str, ...]:
    return tuple(format_sentence(cell) for cell in found.cells[:2])


def _said_of(group: FindingGroup) -> set[tuple[str, ...]]:
    return {_cells_of(found) for found in group.members if found.cells}


def _plain_rows(some: Sequence[Finding]) -> Table:
    columns = [*map(words, ("Finding", "Arithmetic", "Ledger line"))]
    return Table.of(
        columns,
        ([below(found.title, Code(found.id)), found.arithmetic, LedgerLines(found.places[:1])] for found in some),
    )


def _stated_rows(some: Sequence[Finding], heading: str) -> Table:
    """Stated figures by line, each with so much of its name as the heading does not say of all of them."""
    names = [_unsaid(format_sentence(found.cells[0]), heading) for found in some]
    if named := any(names):
        names = [name or format_sentence(found.cells[0]) for name, found in zip(names, some, strict=True)]
    files = {found.places[0].file for found in some}
    shared = files.pop() if len(files) == 1 else ""
    columns = [
        words("Figure" if named else "Finding"),
        words("Stated"),
        words("What is stated beside it gives", optional=True),
        words("Calculated"),
        words(("Line of ", Code(shared)) if shared else "Ledger line"),
    ]
    return Table.of(
        columns,
        (
            [
                below(name, Code(found.id)) if named else Code(found.id),
                found.cells[1],
                found.cells[2] or None,
                found.cells[3],
                _line_of(found.places[0], shared),
            ]
            for name, found in zip(names, some, strict=True)
        ),
    )


def _line_of(place: Place, file: str) -> Cell:
    """A ledger line; its number alone where the heading names its file."""
    return LedgerLine(str(place.line), place) if file else LedgerLines([place])


def _unsaid(name: str, heading: str) -> str:
    """What a heading leaves unsaid of a figure named `subject: what`: nothing, its subject, or all of it."""
    if heading.startswith(f"{name}: "):
        return ""
    subject, _, what = name.rpartition(": ")
    return subject if subject and f": {what}: " in f": {heading[:1].lower()}{heading[1:]}" else name


def _briefly(some: Sequence[Finding]) -> Table:
    """Stated figures by what they are of: each with what is stated, wherever, and what is calculated."""
    by: dict[str, dict[str, list[Finding]]] = {}
    for found in some:
        of, _, what = format_sentence(found.cells[0]).rpartition(": ")
        by.setdefault(of, {}).setdefault(what, []).append(found)
    rows: list[list[Cell]] = []
    ways: set[str] = set()
    for of, figures_ in by.items():
        lines = tuple(_stated_line(what, alike, bool(of), ways) for what, alike in figures_.items())
        rows += [[of, Lines(lines)]] if of else [[what, line] for what, line in zip(figures_, lines, strict=True)]
    return Table.of([words("Of"), words("Stated (calculated)")], rows)


def _stated_line(what: str, alike: Sequence[Finding], named: bool, ways: set[str]) -> Cell:
    """What is stated of a figure, and what is calculated; how severe it is, above a note, and how it follows: in full
    the first time, which is noted in `ways`."""
    values = {format_sentence(found.cells[1]): found.cells[1] for found in alike}
    first = min(alike, key=lambda found: SEVERITIES.index(found.severity))
    line: list[Cell] = [f"{what} " if named else "", joined(values.values()), " (", alike[0].cells[3], ")"]
    if first.severity != "note":
        line += [": ", Bold(first.severity)]
        for way in first.cells[4:]:
            line += [", ", "likewise" if format_sentence(way) in ways else way]
            ways.add(format_sentence(way))
    return tuple(line)


def _stated(check: Check) -> Cell:
    """What was stated, with the sign of what was called approximate."""
    figure = As(check.stated)
    return ("~", figure) if str(check.claim.states or "").strip().startswith(("~", "≈")) else figure


def _holds(check: Check) -> Cell:
    if check.holds:
        return "yes"
    if check.way:
        return Bold("no"), ": ", WAYS[check.way]
    if ours := assumed(check.figure):
        return f"no, by what the ledger supposes: {ours}"
    return (Bold("no"), ": ", check.slip) if check.slip else Bold("no")
