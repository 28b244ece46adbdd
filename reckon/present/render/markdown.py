"""A table as markdown, on the page that a Printer prints onto: every cell passes through the Printer."""

from __future__ import annotations

from markupsafe import Markup as Safe

from reckon.compute.statements.passages import Saying
from reckon.language.text import Place, Text
from reckon.model.figure import Figure

from ..table import Anchor, As, Bold, Cell, Code, Column, Italic, LedgerLine, LedgerLines, Lines, Link, ShareBar, Table
from .printing import Printer, counted


def markdown(table: Table, printer: Printer) -> Safe:
    """The lines of a table, and below them how many rows it leaves out; nothing where it has no rows."""
    if not table:
        return Safe("")
    fitted = table.fitted()
    rows = [[column.heading for column in fitted.columns], *fitted.rows]
    head, *body = ("".join(_cell(*pair, printer) for pair in zip(row, fitted.columns, strict=True)) for row in rows)
    rule = "".join("---:|" if column.right else "---|" for column in fitted.columns)
    lines = [f"|{line}" for line in (head, rule, *body)]
    if table.more:
        more = printer.figure(counted(table.more, table.what))
        lines += ["", f"{more} more {table.what} are in `budget export`."]
    return Safe("\n".join(lines))


def _cell(cell: Cell, column: Column, printer: Printer) -> str:
    """A cell with the line behind it; one that its row does not have is narrower than one with nothing in it."""
    if cell == "":
        return " |"
    if cell is None or (column.nothing and isinstance(cell, Figure) and cell.missing):
        return f" {column.nothing} |"
    shown = printer.shown_as(cell, column.form) if isinstance(cell, Figure) else piece(cell, printer)
    return f" {shown} |"


def piece(part: Cell, printer: Printer) -> Safe:
    """What stands in a cell: a figure with its unit, a text, or what `table` lists as pieces."""
    match part:
        case As():
            return printer.shown_as(part.figure, part.form, part.places)
        case Bold():
            return Safe(f"**{piece(part.piece, printer)}**")
        case Italic():
            return Safe(f"*{piece(part.piece, printer)}*")
        case Code():
            return printer.code(part.text)
        case Link():
            return printer.leading(piece(part.piece, printer), part.target)
        case LedgerLine():
            return printer.at(part.text, part.place)
        case LedgerLines():
            return printer.places(part.places)
        case Anchor():
            return printer.anchor(part.address)
        case ShareBar():
            return printer.bar(part.share)
        case Lines():
            return Safe("<br>".join(piece(line, printer) for line in part.pieces))
        case tuple() if not isinstance(part, Saying | Place):
            return Safe("".join(_among(inner, printer) for inner in part))
    return printer.put(part)


def _among(part: Cell, printer: Printer) -> str:
    """A piece among others: our words keep the spaces at their ends."""
    return printer.words(part) if isinstance(part, str) and not isinstance(part, Text) else piece(part, printer)
