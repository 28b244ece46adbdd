"""Pieces of lines that fit a terminal: bars, cut titles, two texts at both ends of a line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, zip_longest
from textwrap import wrap
from typing import TypeAlias

from reckon.compute.book import Book
from reckon.encoding import terminal_width
from reckon.language.quantity import point
from reckon.language.text import NOWHERE, plural
from reckon.model.figure import Figure, is_known
from reckon.model.finding import SEVERITIES
from reckon.model.finding_groups import by_cause
from reckon.model.ledger import Ledger

from ..render import escape
from ..render.numbers import decimal, figure_text, format_sentence, planned_text, use_text, value_text
from ..table import As, Bold, Cell, Code, Column, Table, words
from ..table import Lines as Below

Lines: TypeAlias = Iterator[str]
"""What is printed, line by line."""
INDENT = "    "
BAR = 8
LABEL = 18


def line_width() -> int:
    """The columns of a line: those of the terminal, or 80."""
    return terminal_width(80)


def answer_width() -> int:
    """The columns of a line of an answer: those of the terminal, or 100."""
    return terminal_width(100)


def lay_lines(lines: Iterable[str]) -> Lines:
    """Lines as wide as the terminal, what is longer below them; whole in a pipe."""
    for line in lines:
        yield from lay_line(line)


def lay_line(line: str, below: str = "") -> list[str]:
    """The same of one line, with what stands before the indent of what is longer."""
    line = escape.terminal(line)
    width = terminal_width(sys.maxsize)
    if len(line) <= width:
        return [line]
    return wrap(line, width, subsequent_indent=below + INDENT, break_long_words=False, break_on_hyphens=False)


def bar(share: Fraction) -> str:
    """A share as blocks and percent; what is beyond the whole fills the bar."""
    full = max(0, min(int(share * BAR), BAR))
    return "█" * full + "░" * (BAR - full) + (f" {decimal(share * 100, 0)}%" if share < 10 else " >10×")


def contingency(book: Book, project_id: str) -> str:
    """How much of the contingency is drawn and left."""
    planned, drawn, left = book.get_all(project_id, "budget.contingency", "contingency.drawn", "contingency.left")
    if not (planned and drawn and is_known(left) and planned.use) or drawn.use is None:
        return ""
    share = f"{bar(drawn.use / planned.use)} drawn"
    if left.use and left.use < 0:
        over = figure_text(replace(left, value=point(-left.use)))
        return f"{share}; {over} more than its {use_text(planned)}"
    return f"{share}; {planned_text(left)} of {use_text(planned)} left"


def use(figure: Figure | None) -> str:
    """The value to plan with; nothing where there is no figure."""
    return use_text(figure) if figure else ""


def cut(text: str, width: int) -> str:
    """A text in so many columns."""
    return text if len(text) <= width else text[: width - 1] + "…"


def fitted(left: str, right: str) -> str:
    """Two texts at both ends of a line; the left one is cut where they do not fit."""
    left = cut(left, line_width() - len(right) - 2)
    return left + right.rjust(line_width() - len(left))


def list_entry(label: str, text: str) -> Lines:
    """The lines of an entry of a list: its label and what is said under it, which goes on below where it is long."""
    for number, line in enumerate(wrap(text, line_width() - LABEL, break_on_hyphens=False)):
        yield f"{'' if number else f'  {label}:':{LABEL}}{line}"


WORDS_WIDTH = 18
"""The most that a column of words keeps for itself in a grid."""
TITLE_WIDTH = 28
"""The most of a title that words leave room for where they are long."""
LEAST_TITLE = 8
"""What a title keeps, however wide the numbers are: then a line is longer than the terminal."""


def grid(headings: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> Lines:
    """Rows as wide as a line: a title, numbers, and words in the last column, which go on below where they are long;
    below each its note, if it has one. A column in which no row has anything is left out.
    """
    if not rows:
        return
    every = [headings, *rows]
    numbers = [at for at in range(1, len(headings) - 1) if any(row[at] for row in rows)]
    wide = {at: max(len(row[at]) for row in every) for at in numbers}
    room = line_width() - sum(wide.values()) - 2 * len(wide)
    words = max(len(row[-1]) for row in rows)
    words = min(max(words, len(headings[-1])) if words else 0, max(WORDS_WIDTH, room - TITLE_WIDTH))
    width = min(max(len(row[0]) for row in every), max(room - words - 2 * bool(words), LEAST_TITLE))
    for row, note in zip_longest(every, ["", *notes], fillvalue=""):
        line = f"{_cut_name(row[0], width):{width}}" + "".join(f"  {row[at]:>{wide[at]}}" for at in numbers)
        beside = max(line_width() - len(line) - 2, WORDS_WIDTH)
        first, *more = wrap(row[-1] if words else "", beside, break_on_hyphens=False) or [""]
        yield f"{line}  {first}".rstrip()
        yield from (f"{'':{len(line)}}  {text}" for text in more)
        yield from wrap(note, line_width(), initial_indent=INDENT, subsequent_indent=INDENT)


def _cut_name(text: str, width: int) -> str:
    """A title in so many columns, with the unit behind it: `Grant of the…, in node-hours`."""
    name, comma, unit = text.rpartition(", in ")
    room = width - len(comma) - len(unit)
    return cut(name, room) + comma + unit if 3 < room < len(name) else cut(text, width)


def pieces(cell: Cell, column: Column) -> list[str]:
    """What a cell says on a terminal, what stands below it on a page apart."""
    if isinstance(cell, Below):
        return [_say(piece) for piece in cell.pieces]
    if isinstance(cell, Figure):
        return [value_text(cell) if column.form == "bare" else figure_text(cell)]
    return [column.nothing if cell is None else _say(cell)]


def _say(cell: object) -> str:
    """A piece of a cell: figures in it have their units."""
    if isinstance(cell, Bold):
        return _say(cell.piece)
    if isinstance(cell, As):
        return value_text(cell.figure) if cell.form in ("bare", "sourced") else figure_text(cell.figure)
    if isinstance(cell, Figure):
        return figure_text(cell)
    return "".join(map(_say, cell)) if isinstance(cell, tuple) else str(cell)


LONGEST_CELL = 40


def block(lines: Iterable[str], form: str, hyphens: bool = False) -> Lines:
    """Sentences: wrapped for a terminal, also after `hyphens` if asked for; a paragraph each in markdown."""
    for number, line in enumerate(lines):
        if form == "markdown":
            if number:
                yield ""
            yield escape.inline(line)
        else:
            yield from wrapped(escape.terminal(line), hyphens=hyphens)


def wrapped(line: str, indent: str = "", hyphens: bool = False) -> list[str]:
    """A sentence over as many lines as it takes."""
    return wrap(line, answer_width(), initial_indent=indent, subsequent_indent=indent or "  ", break_on_hyphens=hyphens)


def columns(table: Table, form: str, said: Sequence[str] = (), note: str = "", longest: int = LONGEST_CELL) -> Lines:
    """A table, and what is `said` of each row: below it on a terminal, in a column of its own in markdown.

    That column is called `note`; without a name it is there only if something is said. On a terminal, cells are cut at
    `longest`, but not the last of a row; what is said breaks at hyphens too where the column has a name.
    """
    heads, rows = table.fitted()
    said = said or [""] * len(table)
    headings = [column.heading for column in heads]
    every = [list(map(_cell_text, row, heads)) for row in (headings, *rows)]
    if form == "markdown":
        heads.append(words(note or "Notes", shown=bool(note or any(said))))
        noted = Table(heads, [[*row, text or None] for row, text in zip(every[1:], said, strict=True)])
        from ..render.printing import Printer  # a terminal needs no markupsafe

        yield from Printer("").table(noted).split("\n")
        return
    cells = [list(map(_bare_text, row)) for row in every]
    shortened = []
    for *most, last in cells:
        shortened.append([*(cut(cell, longest) for cell in most), last])
    head, *lines = aligned(shortened)
    yield cut(head, answer_width())
    for line, text in zip(lines, said, strict=True):
        yield cut(line, answer_width())
        yield from wrapped(escape.terminal(text), " " * 6, hyphens=bool(note))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows whose cells stand below each other, a line each."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, wide)).rstrip() for row in rows]


def _cell_text(cell: Cell, column: Column) -> str | Code | None:
    """What is written for a cell: a text, or a figure without its unit, which stands in the heading."""
    if isinstance(cell, Figure):
        return ranged(cell) if column.form == "spread" else use_text(cell)
    assert cell is None or isinstance(cell, str | Code), "a table for a terminal has texts and figures"
    return cell or column.nothing or None


def _bare_text(cell: str | Code | None) -> str:
    return escape.terminal(cell.text if isinstance(cell, Code) else cell or "")


def ranged(figure: Figure) -> str:
    """The value to plan with, and its range behind it."""
    full = value_text(figure)
    planned = use_text(figure)
    return planned if full == planned else f"{planned} ({full})"


def missing_text(missing: Sequence[str], names: Mapping[str, str]) -> str:
    """What is missing: by address, or as the command line calls it."""
    called = dict.fromkeys(names.get(address.rpartition(".")[2], address) for address in missing)
    return f"{', '.join(called)} {'is' if len(called) == 1 else 'are'} missing"


LONGEST = 60


def list_changes(book: Book) -> Lines:
    """A line for each change: `with pixelis.seeds = 5 (ledger: 3)`; none for a ledger as it stands.

    Below them stands what became of planned hours where a project changed its GPU.
    """
    for change in book.ledger.changes:
        was = "not in the ledger" if change.was is None else f"ledger: {cut(change.was, LONGEST)}"
        yield escape.terminal(f"with {change.address} = {cut(change.value, LONGEST)} ({was})")
    for name in book.ledger.converted:
        yield f"with the planned hours of {name} converted to hours on that GPU; runs stay on theirs"
    set_here = {change.address for change in book.ledger.changes}
    for finding in chain.from_iterable(book.findings.values()):
        if finding.rule == "hours-of-another-card" and finding.address in set_here:
            yield f"{finding.severity}: {format_sentence(finding.arithmetic)}. {format_sentence(finding.remedy)}"


def changed(ledger: Ledger) -> dict[str, str]:
    """The same for other programs: what was given, by address."""
    return {change.address: change.value for change in ledger.changes}


def wanting(book: Book, address: str) -> str:
    """A sentence about an input that is missing."""
    figure = book.get(address)
    if is_known(figure):
        return f"Undefined where {address} can be zero."
    if figure and figure.place is not NOWHERE:
        return f"Missing: {address}, which is `unknown` ({figure.place.short})."
    owner, kind, name, rest = [*address.split(".", 3), "", "", ""][:4]
    if not rest:
        return f"Missing: {address}."
    return f"Missing: {address}; write `{rest}` below `{name}` in ledger/{owner}/{kind}.yaml."


def counts(book: Book, project_id: str) -> str:
    """How many findings of each severity, each cause once; those of sources, remarks and the accepted ones apart:
    `2 errors, 1 warning; in the source 3 errors; 4 remarks; 1 accepted`."""
    groups = by_cause(book.findings.get(project_id, ()))
    accepted = sum(1 for group in groups if group.accepted)
    remarks = sum(len(group.remarks) for group in groups)
    open_ = [group for group in groups if not (group.accepted or group.remark)]
    own = _by_severity(group.severity for group in open_ if not group.of_source)
    source = _by_severity(group.severity for group in open_ if group.of_source)
    none = "none open" if accepted else "none"
    told = own or ("none of its own" if source else none)
    told += f"; in the source {source}" if source else ""
    told += f"; {plural(remarks, 'remark')}" if remarks else ""
    return told + (f"; {accepted:,} accepted" if accepted else "")


def _by_severity(severities: Iterable[str]) -> str:
    found = list(severities)
    return ", ".join(plural(many, severity) for severity in SEVERITIES if (many := found.count(severity)))
