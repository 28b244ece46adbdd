"""What differs between two sides, as a comment in a review: a short summary first, details folded, all of it bounded.

`review` has a summary of its own above them. Nothing of a ledger can act: it is escaped for tables, `@name` calls
nobody, and `#1` links no issue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.ledger_diff import ORDER
from reckon.compute.versions.list_diff import ACCEPTED, CLAIMS
from reckon.compute.versions.steps import Bridge

from ..render.escape import CALLS, Markup, attribute, code, inline
from ..render.printing import Printer
from ..table import Bold, CellRow, CellRows, Code, Column, Columns, Table, figures, words
from ..terminal.lines import Lines
from . import sentences
from .grouping import by_method, group_moves

MOST_ROWS = 40
MOST_PARTS = 40
MOST_CHARACTERS = 60_000
LEFT_OUT = "`budget diff` shows further details."


def markdown(of: Difference, authors: sentences.Authors) -> Lines:
    """All that differs; no line where nothing does."""
    if of.empty:
        return
    shown = of.parts[:MOST_PARTS]
    for part in shown:
        yield f"**{_prose(sentences.headline(part))}**  "
        if part.bridge:
            yield f"{inline(sentences.count_kinds(part))}  "
    if len(of.parts) > MOST_PARTS:
        yield f"… and {len(of.parts) - MOST_PARTS:,} more projects"
    yield ""
    yield f"From {_calm('', code(of.old.name))} to {_calm('', code(of.new.name))}."
    size = 0
    left_out = False
    for part in shown:
        for lines in _blocks(of, part, authors, len(shown) > 1):
            size += sum(len(line) + 1 for line in lines)
            left_out = left_out or size > MOST_CHARACTERS
            if not left_out:
                yield from lines
    if any(part.bridge for part in shown):
        yield from ("", f"Steps swap inputs one by one, in ledger order: {ORDER}.")
    if left_out:
        yield from ("", LEFT_OUT)


def _blocks(of: Difference, part: Part, authors: sentences.Authors, several: bool) -> Iterator[list[str]]:
    """The pieces of a part, each whole: its bridge, and its details."""
    if several:
        yield ["", f"### {_prose(part.title)}"]
    if part.bridge:
        yield ["", *bridge(of, part, part.bridge, MOST_ROWS)]
    if told := by_method(part):
        head = f"Moved by the method, which changed since {_prose(part.method[0].since)}:"
        yield ["", head, "", *_list_reasons(told)]
    if told := sentences.reasons_without_move(of, part):
        yield ["", "Also changed, with reason:", "", *_list_reasons(told)]
    if told := sentences.dropped(part)[:MOST_ROWS]:
        head = "Dropped, and a finding with it:"
        yield ["", head, "", *_list_reasons((what, f"No longer found: {gone}") for what, gone in told)]
    for title, table in _tables(part, authors):
        if table:
            summary = f"<summary>{attribute(title)}</summary>"
            yield ["", '<details markdown="1">', summary, "", *_table_lines(table), "", "</details>"]


def _list_reasons(told: Iterable[sentences.TextPair]) -> Lines:
    """What is told as a list, each with its reason."""
    return (f"- {_prose(what)}. *{_prose(why)}*" for what, why in told)


def bridge(of: Difference, part: Part, crossing: Bridge, most: int) -> list[str]:
    """A bridge as a table of at most so many rows, its last one the total, under a line that says what is bridged."""
    first, *steps, last = sentences.bridge_lines(of, part)
    rows: CellRows = [[Code(first.what), None, first.total, None], *(line.cells for line in steps)]
    rows.append([Code(last.what), None, Bold(last.total), None])
    by_unit = Markup(f"By, {crossing.unit.symbol}" if crossing.unit.symbol else "By")
    columns: Columns = ["Step", figures(by_unit, nothing=""), figures("Total", nothing=""), "Ledger lines"]
    said = sentences.shared_steps(crossing)
    head = [f"{_prose(crossing.title)}, step by step:", ""]
    return [*head, *_table_lines(Table(columns, rows), most, total=True), *(["", said] if said else [])]


def _tables(part: Part, authors: sentences.Authors) -> Iterator[tuple[str, Table]]:
    """What is folded: each table with its title. A column in which nothing stands is left out."""

    def origin(change: Change) -> CellRow:
        """The ledger lines of a change, and who wrote them."""
        places = sentences.format_places(change)
        return [Code(places) if places else None, sentences.by_whom(change, authors) or None]

    changed = sentences.inputs(part)
    inputs = [[sentences.described(change), *origin(change)] for change in changed]
    yield f"Inputs that changed ({len(changed):,})", Table(_columns("Input", "Ledger lines", "By"), inputs)
    for title, head, kind in (("Claims", "Claim", CLAIMS), ("Accepted findings", "Finding", ACCEPTED)):
        groups = sentences.grouped(part, kind.of)
        entries = [
            [became, sentences.entry(change), *origin(change)] for became, some in groups.items() for change in some
        ]
        yield f"{title} ({sentences.gist(groups)})", Table(_columns("Change", head, "Ledger lines", "By"), entries)
    yield _findings(part)
    moves = [[Code(move.said()), move.was, move.now, move.by or None] for move in group_moves(part.moved)]
    yield f"Figures that moved ({len(part.moved):,})", Table(_columns("Figure", "Was", "Is", "By"), moves)


def _findings(part: Part) -> tuple[str, Table]:
    """The findings that came, went, and are judged otherwise, and how many of each."""
    rows: CellRows = []
    for what, some in (("gained", part.gained), ("lost", part.lost)):
        rows += [[what, sentences.standing(finding), finding.title, Code(finding.id)] for finding in some]
    rows += [["now", now.severity, sentences.altered((was, now)), Code(now.id)] for was, now in part.altered]
    counts = ((part.gained, "gained"), (part.lost, "lost"), (part.altered, "judged otherwise"))
    title = ", ".join(f"{len(some):,} {what}" for some, what in counts if some)
    return f"Findings ({title})", Table([words(None), *_columns("Severity", "Finding", "Id")], rows)


def _columns(*headings: str) -> list[Column]:
    return [words(heading, optional=number > 1) for number, heading in enumerate(headings)]


def _table_lines(table: Table, most: int = MOST_ROWS, total: bool = False) -> list[str]:
    """A table with its first rows and a count of the others; the last row stays where it is a total."""
    columns, rows = table.fitted()
    if len(rows) > most:
        last = rows[-1:] if total else []
        more = f"… and {len(rows) - most + 1 - len(last):,} more"
        rows = [*rows[: most - 1], [more, *[None] * (len(columns) - 1)], *last]
    return str(Printer("", _calm).table(Table(columns, rows))).split("\n")


def _prose(text: str) -> str:
    return _calm("text", inline(text))


def _calm(_kind: str, text: str) -> str:
    """Escaped text in which `@name` does not mention anybody and `#1` links no issue; inside code they never do."""
    return text if text.startswith(("`", "<code>")) else CALLS.sub(r"\g<0><!-- -->", text)
