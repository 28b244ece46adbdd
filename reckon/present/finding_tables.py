"""Tables of what the audit of a project found, by cause, and of stated figures and words beside those that follow from
the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reckon.compute.audit.common import called, in_unit_of, name_of, stated_at
from reckon.compute.audit.consequences import without_links
from reckon.compute.statements.agreement import CONFIRMED, CONSISTENT, IMPRECISE, ONE_END, UNCHECKED, WRONG
from reckon.compute.statements.claims import AGAIN, CARRIED, WAYS, Check, each_claim
from reckon.compute.statements.guesses import record_of
from reckon.compute.statements.structure import by_its_name, row_title
from reckon.language.groups import group_by
from reckon.language.text import Place
from reckon.model.figure import Calculated, Figure, Worked
from reckon.model.finding import SEVERITIES, Finding, Sentence
from reckon.model.finding_groups import FindingGroup

from .render.numbers import format_sentence
from .render.printing import counted
from .table import (
    As,
    Bold,
    Cell,
    CellRow,
    CellRows,
    Code,
    Columns,
    LedgerLine,
    LedgerLines,
    Table,
    below,
    figures,
    joined,
    words,
)
from .table_rows import only
from .view import OfProject

WHY = 3
"""Which of the cells of a finding about what is stated has its cause."""
MOST_TABLES = 4
MOST_OPERANDS = 6
"""A calculation of more figures than these is left to the derivations."""


class Findings(OfProject):
    """What the audit of a project shows in tables."""

    def rows(self, group: FindingGroup) -> Table:
        """The findings of one cause, if there are several: each with its numbers, its id and its line."""
        if len(group.members) < 2:
            return Table(())
        if not all(found.cells for found in group.members):
            return _make_findings_table(group.members)
        return _make_stated_table(group.members, format_sentence(group.title))

    def title(self, group: FindingGroup) -> Sentence:
        """The title of an entry, whose figures lead nowhere."""
        return without_links(group.title)

    def places(self, group: FindingGroup) -> tuple[Place, ...]:
        """The lines of a finding by itself; of what is stated the line that states it: its figure leads to the rest."""
        return group.lead.places[:1] if group.lead.cells else group.lead.places

    def where(self, group: FindingGroup) -> Sentence:
        """Where in its document a figure is stated, or the tables that state several; empty of all else."""
        at = [(found, format_sentence(cell)) for found in group.members for cell in found.cells[WHY + 1 :]]
        at = at or [(found, place) for found in group.members for place in self._places_stated(found)]
        tables = list(dict.fromkeys(_find_table(found, place, group.by_rows) for found, place in at if place))
        return ("; ".join(tables[:MOST_TABLES]),) if tables else ()

    def _places_stated(self, found: Finding) -> list[str]:
        """Where its document states what a finding is about, or its record, or the figures that it names."""
        lines = {(place.file, place.line) for place in found.places}
        claims = each_claim(self.ledger.claims) if found.of_source else ()
        at = [stated_at(claim) for claim in claims if (claim.place.file, claim.place.line) in lines]
        _, kind, *names = found.address.split(".")
        records = getattr(self.ledger, kind, None)
        record = records.get(names[0]) if names and isinstance(records, dict) else None
        if source := getattr(record, "source", None):
            return [source, *at]
        named = [part.address for part in found.arithmetic if isinstance(part, Figure)]
        checks = self.book.checks[self.view.id] if found.of_source else ()
        own = record_of(found.address) if len(names) > 1 else None
        return at or [
            stated_at(check.claim)
            for check in checks
            if check.figure.address in named or record_of(check.figure.address) == own
        ]

    def why(self, group: FindingGroup) -> Sentence:
        """The figures of an entry; of what is stated, whose title has them, the cause that all of them have, or that
        none is known of what is no note."""
        if group.lead.cells:
            found = _find_cause(group.lead) if _has_one_cause(group.members) else ()
            is_told = group.remark or group.lead.meaning or any(map(_find_cause, group.members))
            return found if is_told else ("No cause found",)
        return () if group.by_rows else group.arithmetic

    def calculation(self, group: FindingGroup) -> Cell:
        """How the first figure of an entry about stated ones is calculated, in numbers; nothing of notes."""
        figure = _find_calculated(group.lead)
        if figure is None or (group.by_rows and group.severity == "note"):
            return None
        of = () if self.is_about_one(group) else (row_title(format_sentence(group.lead.cells[0])), ": ")
        how: Cell = figure.origin.how if isinstance(figure.origin, Worked) else As(figure, "workings")
        return (*of, how, " = ", As(figure, "plain"))

    def is_about_one(self, group: FindingGroup) -> bool:
        """Whether all findings of an entry are about one stated figure, or state one word."""
        titles = {_format_first_cells(found)[:1] for found in group.members}
        cells = group.lead.cells
        return bool(cells) and (len(titles) == 1 or not isinstance(cells[1][0], Figure))

    def change(self, group: FindingGroup) -> Sentence:
        """What to change of several rows: the remedy that all of them have, or else to write what is calculated."""
        remedies = {format_sentence(found.remedy) for found in group.members}
        if len(remedies) == 1 or self.is_about_one(group):
            return group.lead.remedy
        return ("Write the calculated figures.",)

    def also(self, group: FindingGroup) -> Sentence:
        """Where else the same is stated; of several figures the tables."""
        at = [(found, format_sentence(cell)) for found in self.again(group) for cell in found.cells[WHY + 1 :]]
        tables = dict.fromkeys(_find_table(found, place, group.by_rows) for found, place in at)
        return ("; ".join(tables),)

    def again(self, group: FindingGroup) -> list[Finding]:
        """What follows from a cause in so far as it states the same once more."""
        stated = _find_stated_cells(group)
        return [found for found in group.following if _format_first_cells(found) in stated]

    def otherwise(self, group: FindingGroup) -> list[Finding]:
        """That the one figure that does not agree is stated otherwise elsewhere: all values, with their places."""
        one = self.is_about_one(group)
        return [found for found in group.following if one and found.rule == "stated-differently"]

    def carried(self, group: FindingGroup) -> list[Finding]:
        """What else follows from a cause."""
        stated = _find_stated_cells(group)
        return [found for found in group.following if found.cells and _format_first_cells(found) not in stated]

    def distinct(self, group: FindingGroup) -> list[str]:
        """The same by what it is of: each figure once, wherever it is stated."""
        return list(dict.fromkeys(_format_first_cells(found)[0] for found in self.carried(group)))

    def consequences(self, group: FindingGroup) -> Table:
        """What is not kept because of a cause."""
        rows = [[below(found.title, Code(found.id)), found.arithmetic] for found in group.consequences]
        return Table.of(["Follows", "Arithmetic"], rows)

    def following(self, group: FindingGroup) -> Table:
        """The same as a table: each figure with all that is stated of it."""
        return _make_brief_table(self.carried(group), group.severity)

    @property
    def stated(self) -> Mapping[str, Figure]:
        """How many figures are stated, and how many of them are of each class: see `statements/agreement`."""
        checks = self.book.checks[self.view.id]
        kinds = [check.kind for check in checks]
        follow = sum(1 for check in checks if check.kind in WRONG and check.way in (AGAIN, CARRIED))
        found = {
            "every": len(checks),
            "confirmed": kinds.count(CONFIRMED),
            "consistent": sum(map(kinds.count, CONSISTENT)),
            "imprecise": sum(map(kinds.count, IMPRECISE)),
            "contradicted": sum(map(kinds.count, WRONG)),
            "follow": follow,
            "unchecked": kinds.count(UNCHECKED),
        }
        return {name: counted(number, "") for name, number in found.items()}

    @property
    def words(self) -> tuple[Figure, Figure]:
        """How many words are stated, and how many of them agree."""
        agree = [claim.holds for claim in self.book.worded[self.view.id]]
        return counted(len(agree), ""), counted(agree.count(True), "")

    @property
    def checks(self) -> Table:
        """Stated figures."""
        columns: Columns = ["Figure", figures("Stated"), figures("Calculated"), "Agrees", "Where"]
        return Table(columns, [_make_check_row(check) for check in self.book.checks[self.view.id]])

    @property
    def worded(self) -> Table:
        """Stated words."""
        verdicts: dict[bool | None, Cell] = {None: "unknown", True: "yes", False: Bold("no")}
        rows: CellRows = [
            [claim.word.about, claim.stated.title, claim.word.title, verdicts[claim.holds], claim.claim.at]
            for claim in self.book.worded[self.view.id]
        ]
        return Table(["What", "Stated", "Calculated", "Agrees", "Where"], rows)


def _format_first_cells(found: Finding) -> tuple[str, ...]:
    """The name of a stated figure and what is stated, as text; empty for a finding of another kind."""
    return tuple(map(format_sentence, found.cells[:2]))


def _find_stated_cells(group: FindingGroup) -> set[tuple[str, ...]]:
    """The same of all findings of a cause that are about stated figures."""
    return {_format_first_cells(found) for found in group.members if found.cells}


def _find_table(found: Finding, at: str, is_of_rows: bool) -> str:
    """Where a document states a figure, without the last part if that is the row: of several figures, or by the id that
    the title says in words."""
    table, _, row = at.rpartition(", ")
    return table if table and (is_of_rows or row in found.address.split(".")) else at


def _find_cause(found: Finding) -> Sentence:
    """What explains a stated figure or word; empty where that is not known."""
    return found.cells[WHY] if len(found.cells) > WHY else ()


def _has_one_cause(findings: Sequence[Finding]) -> bool:
    """Whether the same explains all of some findings."""
    return len({format_sentence(_find_cause(found)) for found in findings}) == 1


def _find_calculated(found: Finding) -> Figure | None:
    """The figure that is calculated instead of a stated one; None where no formula with a few operands gives it."""
    figures = [part for cell in found.cells[2:3] for part in cell if isinstance(part, Figure) and part.title]
    figure = by_its_name(figures[-1]) if figures else None
    origin = figure and figure.origin
    is_short = isinstance(origin, (Calculated, Worked)) and 0 < len(origin.operands) <= MOST_OPERANDS
    return figure if is_short else None


def _make_findings_table(findings: Sequence[Finding]) -> Table:
    """Findings that are about no stated figure, each with its arithmetic and its first line."""
    rows = [[below(found.title, Code(found.id)), found.arithmetic, LedgerLines(found.places[:1])] for found in findings]
    return Table.of(["Finding", "Arithmetic", "Ledger line"], rows)


def _make_stated_table(findings: Sequence[Finding], heading: str) -> Table:
    """Stated figures by line, each with so much of its name as the heading does not say of all of them."""
    full_names = [format_sentence(found.cells[0]) for found in findings]
    names = [_shorten_name(name, heading) for name in full_names]
    named = any(names)
    shared_file = only(found.places[0].file for found in findings)
    columns: Columns = [
        "Figure" if named else "Finding",
        "Stated",
        "Calculated",
        words("Why", optional=True, shown=not _has_one_cause(findings)),
        words(("Line of ", Code(shared_file)) if shared_file else "Ledger line"),
    ]
    rows = []
    for name, full_name, found in zip(names, full_names, findings, strict=True):
        title = below(name or full_name, Code(found.id)) if named else Code(found.id)
        place = found.places[0]
        # The number of a line is enough where the heading names its file.
        line = LedgerLine(str(place.line), place) if shared_file else LedgerLines([place])
        # What its notes say of a cause stands above the table.
        cause = _find_cause(found) or ("" if found.meaning else "no cause found")
        rows.append([title, *found.cells[1:3], cause, line])
    return Table.of(columns, rows)


def _shorten_name(name: str, heading: str) -> str:
    """What a heading leaves unsaid of a figure named `subject: what`: nothing, its subject, or all of it."""
    if heading.startswith(f"{name_of(name)}: "):
        return ""
    subject, _, what = name.rpartition(": ")
    said = f", {heading[:1].lower()}{heading[1:]}"
    return subject if subject and f", {what}: " in said else name


def _make_brief_table(findings: Sequence[Finding], severity: str) -> Table:
    """Stated figures and words, each with all that is stated of it, what is calculated, and how it follows from what is
    no note."""
    rows: CellRows = []
    for same in group_by(findings, lambda found: format_sentence(found.cells[0])).values():
        stated = {format_sentence(found.cells[1]): found.cells[1] for found in same}
        gravest = min(same, key=lambda found: SEVERITIES.index(found.severity))
        why = _find_cause(gravest) or None
        rows.append([gravest.cells[0], joined(stated.values()), gravest.cells[2], why])
    return Table.of(["Figure", "Stated", "Calculated", words("Why", optional=True, shown=severity != "note")], rows)


def _make_check_row(check: Check) -> CellRow:
    """A stated figure, with the sign of what was called approximate, beside what is calculated."""
    stated = (check.about, As(check.stated))
    calculated = As(in_unit_of(check.stated, check.figure))
    return [called(check.figure), stated, calculated, _format_verdict(check), check.claim.at]


def _format_verdict(check: Check) -> Cell:
    """The class of a stated figure; of one that is contradicted what is known of why."""
    if check.kind == UNCHECKED:
        return f"unchecked: the ledger supposes {check.supposed}" if check.supposed else "unchecked"
    if check.holds:
        return check.kind if check.kind == CONFIRMED else f"consistent: {check.kind}"
    why = WAYS[check.way] if check.way else check.slip
    kind = Bold("contradicted: one end" if check.kind == ONE_END else check.kind)
    return (kind, ": ", why) if why else kind
