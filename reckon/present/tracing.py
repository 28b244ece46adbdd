"""Where figures can be checked: the derivations pages (every figure, how it comes about, the ledger lines that it rests
on), and what is stated somewhere, held against what follows from the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reckon.compute.audit.common import assumed, called, in_unit_of
from reckon.compute.audit.readings import readings_of
from reckon.compute.book import Book
from reckon.compute.statements.claims import WAYS, Check
from reckon.language.expression import Name
from reckon.language.text import Place
from reckon.model.figure import Calculated, Figure, Stated, Tallied, operands
from reckon.model.finding import SEVERITIES, Finding
from reckon.model.groups import FindingGroup
from reckon.model.kinds import ALLOCATIONS, group_of

from .render.numbers import figure_text, told
from .render.printing import counted
from .table import MOST_ROWS, Anchor, As, Bold, Cell, Code, LedgerLines, Lines, Table, below, figures, joined, words
from .view import View

MOST_SETUPS = 60
MOST_FILES = 6
OF_ITS_OWN = ("on", "memory", "slower")

_OF_RUNS = ("useful", "waste", "used_share", "cpi", "etc", "vac")


@dataclass()
class DerivationGroup:
    """Figures that belong together: those that are calculated, and those that are stated."""

    title: str
    reckoned: list[Figure] = field(default_factory=list)
    stated: list[Figure] = field(default_factory=list)
    more: int = 0

    @property
    def workings(self) -> Table:
        """The calculated ones, each with its formula in names and in numbers, and what it rests on."""
        return Table([words("Figure"), words("How it is calculated")], [
            [below((Anchor(figure.address), figure.title), (Bold(As(figure, "plain")), " ", As(figure, "exactly")),
                   Code(figure.address)),
             below(As(figure, "named"), _numbered(figure), *_basis(figure))]
            for figure in self.reckoned
        ])  # fmt: skip

    @property
    def values(self) -> Table:
        """The stated ones, each with its ledger line."""
        return Table([words("Stated"), figures("Value", "full"), words("Ledger line")], [
            [below((Anchor(figure.address), figure.title), Code(figure.address)), As(figure),
             figure.place if figure.place.line else None]
            for figure in self.stated
        ])  # fmt: skip


def _numbered(figure: Figure) -> Cell:
    """How a figure comes about with the numbers put in, and what that is; nothing where that would be the figure again.
    One that is another figure by another name leads there, unless its ledger line stands below."""
    if not isinstance(figure.origin, Calculated):
        return None
    same = all(figure_text(each) == figure_text(figure) for each in operands(figure))
    if not (same and isinstance(figure.origin.formula.tree, Name)):
        return As(figure, "workings"), " = ", As(figure, "plain")
    return None if stated_below(figure) else As(figure, "workings")


def _basis(figure: Figure) -> Iterator[Cell]:
    """The files of the runs that a figure adds up, or the ledger lines of what it is calculated from."""
    if isinstance(figure.origin, Tallied):
        for file, count, _ in figure.origin.files[:MOST_FILES]:
            yield (counted(count, "runs"), " of the runs in ", Code(file))
        if not figure.origin.files:
            yield "no runs yet"
    elif places := stated_below(figure):
        yield LedgerLines(places)


def groups(book: Book, prefixes: Iterable[str]) -> list[DerivationGroup]:
    """The figures below some addresses, grouped by what they belong to, in the order of the ledger."""
    found: dict[str, DerivationGroup] = {}
    for address, figure in (pair for prefix in dict.fromkeys(prefixes) for pair in book.own(prefix).items()):
        if _idle(book, address):
            continue
        group = found.setdefault(*_key(book, address, found))
        rows = group.stated if isinstance(figure.origin, Stated) else group.reckoned
        if len(rows) < MOST_ROWS:
            rows.append(figure)
        else:
            group.more += 1
    return [found[key] for key in sorted(found, key=lambda key: group_of(key).place)]


def _idle(book: Book, address: str) -> bool:
    """Whether a figure follows from there being no runs of a seed, and no other row leads to it."""
    at, _, last = address.rpartition(".")
    if ".seeds." not in at or last not in _OF_RUNS:
        return False
    actual = book.get(f"{at}.actual")
    return actual is not None and isinstance(actual.origin, Tallied) and not actual.origin.count


def _key(book: Book, address: str, found: Mapping[str, DerivationGroup]) -> tuple[str, DerivationGroup]:
    parts = address.split(".")
    if parts[1] == "setups" and len(parts) > 4:
        setup = ".".join(parts[1:4])
        if setup in found or sum(key.startswith("setups.") for key in found) < MOST_SETUPS:
            return setup, DerivationGroup(f"{book.ledger.projects[parts[0]].setups[parts[2]].title}: {parts[3]}")
    if parts[1] == "configurations" and len(parts) > 4 and parts[3] in OF_ITS_OWN:
        # With every card of the catalogue, one configuration has as many figures as a page of others.
        name = f"configurations.{parts[2]}"
        if name in found or sum(key.startswith("configurations.") for key in found) < MOST_SETUPS:
            return name, DerivationGroup(str(book.ledger.projects[parts[0]].configurations[parts[2]].title))
    if parts[1] == "plan":
        return f"plan.{parts[2]}", DerivationGroup(str(book.ledger.projects[parts[0]].items[parts[2]].title))
    if parts[0] == ALLOCATIONS.id:
        return parts[0], DerivationGroup(ALLOCATIONS.heading)
    if len(parts) == 2:
        return "project", DerivationGroup("Project")
    return parts[1], DerivationGroup(group_of(parts[1]).heading)


def stated_below(figure: Figure) -> list[Place]:
    """The ledger lines of a figure: its own, and those of the stated figures that it is directly calculated from."""
    own = [figure.place] if figure.place.line else []
    stated = (operand.place for operand in operands(figure) if isinstance(operand.origin, Stated))
    return own + [place for place in stated if place.line]


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
        return _stated_rows(group.members, told(group.title))

    def places(self, group: FindingGroup) -> tuple[Place, ...]:
        """The lines of a finding by itself; of what is stated the line that states it: its figure leads to the rest."""
        return group.lead.places[:1] if group.lead.cells else group.lead.places

    def again(self, group: FindingGroup) -> list[Finding]:
        """What follows from a cause in so far as it states the same once more."""
        return [found for found in group.following if _said(found) in _said_of(group)]

    def otherwise(self, group: FindingGroup) -> list[Finding]:
        """That the one figure that does not agree is stated otherwise elsewhere: all values, with their places."""
        alone = len({_said(found)[:1] for found in group.members}) == 1
        return [found for found in group.following if found.rule == "stated-differently" and alone]

    def carried(self, group: FindingGroup) -> list[Finding]:
        """What else follows from a cause."""
        return [found for found in group.following if found.cells and _said(found) not in _said_of(group)]

    def distinct(self, group: FindingGroup) -> list[tuple[str, ...]]:
        """The same without what only says one figure again, in another table or sentence."""
        return list(dict.fromkeys(_said(found) for found in self.carried(group)))

    def following(self, group: FindingGroup) -> Table:
        """The same as a table: each figure with all that is stated of it."""
        return _briefly(self.carried(group))

    def single(self, group: FindingGroup) -> Cell:
        """The same, where it is one stated figure."""
        (found,) = self.carried(group)
        subject, _, what = told(found.cells[0]).rpartition(": ")
        known = {told(member.cells[0]).rpartition(": ")[0] for member in group.members if member.cells}
        name = what if subject in known else found.cells[0]
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
        return [(found.title, counted(found.stated, ""), counted(found.here, ""), counted(found.there, ""))
                for found in readings_of(self.view.book, self.view.id)]  # fmt: skip

    @property
    def checks(self) -> Table:
        """Stated figures."""
        columns = [words("Figure"), figures("Stated"), figures("Calculated"), words("Agrees"), words("Where")]
        return Table(columns, [
            [called(check.figure), _stated(check), As(in_unit_of(check.stated, check.figure)), _holds(check),
             check.claim.at]
            for check in self.view.book.checks[self.view.id]
        ])  # fmt: skip

    @property
    def worded(self) -> Table:
        """Stated words."""
        columns = [*map(words, ("What", "Stated", "Calculated", "Agrees", "Where"))]
        return Table(columns, [
            [claim.word.about, claim.stated.title, claim.word.title,
             "not decided" if claim.holds is None else "yes" if claim.holds else Bold("no"), claim.claim.at]
            for claim in self.view.book.worded[self.view.id]
        ])  # fmt: skip


def _said(found: Finding) -> tuple[str, ...]:
    return tuple(told(cell) for cell in found.cells[:2])


def _said_of(group: FindingGroup) -> set[tuple[str, ...]]:
    return {_said(found) for found in group.members if found.cells}


def _plain_rows(some: Sequence[Finding]) -> Table:
    columns = [*map(words, ("Finding", "Arithmetic", "Ledger line"))]
    return Table.of(columns, (
        [below(found.title, Code(found.id)), found.arithmetic, LedgerLines(found.places[:1])] for found in some
    ))  # fmt: skip


def _stated_rows(some: Sequence[Finding], heading: str) -> Table:
    """Stated figures by line, each with so much of its name as the heading does not say of all of them."""
    names = [_unsaid(told(found.cells[0]), heading) for found in some]
    if named := any(names):
        names = [name or told(found.cells[0]) for name, found in zip(names, some, strict=True)]
    columns = [words("Figure" if named else "Finding"), words("Stated"),
               words("What is stated beside it gives", optional=True), words("Calculated"),
               words("Ledger line")]  # fmt: skip
    return Table.of(columns, (
        [below(name, Code(found.id)) if named else Code(found.id), found.cells[1],
         found.cells[2] or None, found.cells[3], LedgerLines(found.places[:1])]
        for name, found in zip(names, some, strict=True)
    ))  # fmt: skip


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
        of, _, what = told(found.cells[0]).rpartition(": ")
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
    values = {told(found.cells[1]): found.cells[1] for found in alike}
    first = min(alike, key=lambda found: SEVERITIES.index(found.severity))
    line: list[Cell] = [f"{what} " if named else "", joined(values.values()), " (", alike[0].cells[3], ")"]
    if first.severity != "note":
        line += [": ", Bold(first.severity)]
        for way in first.cells[4:]:
            line += [", ", "likewise" if told(way) in ways else way]
            ways.add(told(way))
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
