"""Everything that reaches a page passes through a Printer: figures are rounded and linked, ledger text is escaped.

What a template puts into a page is a figure, ledger text, a place, or markup made here; a bare number is refused, so
that no numeral can stand on a page that is not traced to the ledger. `mark` sees each piece with its kind; a test uses
it to prove that. `rows` has the page of the row of each figure, by address: a calculated figure leads there. With a
`forge`, a ledger line leads to where it is corrected; `lines_of` gives the lines of its file. Printers of one site
share `forms`: what leads to a row is noted there, for the row to show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from posixpath import dirname, relpath
from textwrap import shorten
from typing import Any

from markupsafe import Markup as Safe

from reckon.compute.statements.text_blocks import Saying
from reckon.language.lazy import regex
from reckon.language.quantity import point
from reckon.language.text import Place, Text, capitalise, lines_by_file
from reckon.language.units import PLAIN, SIGNS, Unit
from reckon.model.figure import Calculated, Figure, Worked
from reckon.model.finding import Sentence
from reckon.model.records import Forge

from .. import table as t
from . import escape, numbers
from .formulas import formula_text
from .products import finer
from .shown_forms import ShownForms

_TICKED = regex(r"`([A-Za-z][A-Za-z0-9_.:-]{0,79})`")

MOST_LETTERS = 90
"""The most letters of a ledger line that a page quotes."""
Mark = Callable[[str, str], str]
TEXTS: Mapping[t.Form, Callable[..., str]] = {
    "bare": numbers.value_text,
    "use": numbers.use_text,
    "planned": numbers.planned_text,
    "ranged": numbers.told_text,
    "placed": numbers.placed_text,
    "fine": numbers.fine_text,
    "rowed": numbers.row_text,
    "finely": numbers.planned_finely,
}
"""The forms that print a figure as one text, each with what makes that; all others are methods of the Printer."""
WITH_PLACES = ("placed", "fine", "rowed", "finely")
"""The forms that are told how many decimals a figure has."""


def unmarked(kind: str, text: str) -> str:
    """The pieces of a page as they are."""
    return text


def counted(number: int, of: str) -> Figure:
    """A number of things that the engine counted, as a figure."""
    return Figure("", of, PLAIN, point(Fraction(number)), Worked(of))


def several(number: int, single: str, more: str = "") -> Figure:
    """A number of things, with the word for one of them or for more (the same with an s unless given) as its unit."""
    words = more or f"{single}s"
    return replace(counted(number, words), unit=Unit(symbol=single if number == 1 else words))


def further(number: int, of: str) -> Figure | None:
    """How many things are not shown; None where none are left."""
    return counted(number, of) if number > 0 else None


@dataclass(frozen=True)
class Printer:
    """Prints onto one page: `page` is its path under docs/, from which links are made."""

    page: str
    mark: Mark = unmarked
    rows: Mapping[str, str] = field(default_factory=dict)
    forge: Forge | None = None
    lines_of: Callable[[str], list[str]] = lambda _file: []
    forms: ShownForms = field(default_factory=ShownForms, repr=False, compare=False)
    _told: dict[int, tuple[Figure, str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def put(self, value: object) -> Safe:
        """What a template prints: the `finalize` of every `{{ }}`."""
        if hasattr(value, "__html__") or isinstance(value, escape.Markup):
            return Safe(value)
        if isinstance(value, Figure):
            return self.figure(value)
        if isinstance(value, Place):
            return self.place(value)
        if isinstance(value, str):
            return self.text(value)
        if value is None:
            return Safe("")
        if isinstance(value, Saying):
            return self.quoting(value, lambda text, _: escape.cell(text))
        if isinstance(value, tuple):
            return self.say(value)
        from jinja2 import Undefined  # terminals come here too, and never this far

        if isinstance(value, Undefined):
            str(value)  # a strict undefined says its name
        if isinstance(value, t.Table):
            raise TypeError(t.THIS)
        shown = f" {value!r}"[:60] if isinstance(value, int | float | Fraction) else ""  # others can be a whole book
        raise TypeError(f"{type(value).__name__}{shown} cannot be printed: a number on a page is a figure")

    def text(self, text: str) -> Safe:
        """Ledger text as inline markdown that does nothing but print itself."""
        return Safe(self.mark("text", escape.cell(text)))

    def prose(self, text: str | Saying) -> Safe:
        """Ledger text whose field is typed markdown."""
        saying = text if isinstance(text, Saying) else Saying((text,))
        return self.quoting(saying, lambda text, inside: escape.block(text, self.page, inside))

    def quoting(self, saying: Saying, escaped: Callable[[str, Mapping[int, str]], str]) -> Safe:
        """Ledger text with what it quotes, escaped as a whole: stand-ins keep the places until that is done."""
        text = ""
        inside = {}
        put: dict[int, str] = {}
        for part in saying:
            if isinstance(part, str):
                text += escape.no_stand_ins(part)
            else:
                code = escape.FIRST_STAND_IN + len(put)
                text += chr(code)
                inside[code] = numbers.figure_text(part) if isinstance(part, Figure) else part.title
                put[code] = self.figure(part) if isinstance(part, Figure) else escape.inline(part.title)
        return Safe(self.mark("text", str(escaped(text, inside)).translate(put)))

    def code(self, text: str) -> Safe:
        """Text as inline code: formulas, addresses, ids."""
        return Safe(self.mark("text", escape.code(text)))

    def fence(self, language: str, text: str) -> Safe:
        """Lines in a fence of their own, to be copied as they are; none of them, and no backtick, can leave it."""
        return Safe(self.mark("text", escape.block(f"```{language}\n{text}\n```").strip()))

    def place(self, place: Place) -> Safe:
        """A ledger line: file and line, and its text, cut short where that is long, if the file is read."""
        lines = self.lines_of(place.file)[place.line - 1 : place.line]
        told = (self.code(shorten(line, MOST_LETTERS, placeholder="…")) for line in lines)
        return Safe(" ".join([self.at(f"{place.file}:{place.line}", place), *told]))

    def at(self, text: str, place: Place) -> Safe:
        """A ledger line in words of its page; where the forge is known, it leads to the line, to be corrected."""
        shown = Safe(self.mark("place", escape.code(text)))
        return self.leading(shown, self.forge.at_line(place.file, place.line)) if self.forge and place.line else shown

    def leading(self, text: str, address: str, title: str = "") -> Safe:
        """A text as a link to an address of ours, with the title that a pointer shows."""
        target = f'{address} "{title}"' if title else address
        return Safe(f"[{self.put(text)}]({self.mark('place', target)})")

    def places(self, places: Iterable[Place]) -> Safe:
        """Ledger lines, gathered by file: `ledger/x/plan.yaml` 11, 14, 15."""
        shown = (f"{escape.code(file)} {lines}" for file, lines in lines_by_file(places).items() if file)
        return Safe(self.mark("place", "; ".join(shown)))

    def figure(self, figure: Figure, text: str = "") -> Safe:
        """A figure with its unit; one that is calculated leads to its derivation."""
        told = text or self._text_of(figure)
        leads = figure.address in self.rows and not figure.is_stated
        return self._prove(figure, told) if leads else self._print(told)

    def _print(self, told: str) -> Safe:
        return Safe(self.mark("figure", escape.inline(told)))

    def _prove(self, figure: Figure, told: str) -> Safe:
        """The text of a figure as a link to its row, which shows that text."""
        page = self.rows[figure.address]
        self.forms.note(figure, self._print(numbers.with_unit(figure, told)))
        target = "" if page == self.page else relpath(f"/{page}", f"/{dirname(self.page)}")
        return self.leading(self._print(told), f"{target}#{escape.anchor(figure.address)}")

    def _text_of(self, figure: Figure) -> str:
        """A figure as text, worked out once: it stands in its row, and in all that rest on it."""
        if id(figure) not in self._told:
            self._told[id(figure)] = figure, numbers.figure_text(figure)  # kept with it, so that no other gets its id
        return self._told[id(figure)][1]

    def spent(self, figure: Figure) -> Safe:
        """A time in the unit that a person would tell it in, with its range."""
        told = numbers.in_time(figure)
        return self.figure(told, numbers.told_text(told))

    def sourced(self, figure: Figure) -> Safe:
        """A figure without its unit; where it is stated, it leads to its row among what is stated."""
        told = numbers.value_text(figure)
        return self._prove(figure, told) if figure.address in self.rows else self.figure(figure, told)

    def exactly(self, figure: Figure) -> Safe:
        """`(200.25 exactly)` where rounding hides digits, else nothing."""
        digits = numbers.exact_text(figure)
        return Safe(f"({self._print(digits)} exactly)") if digits else Safe("")

    def proof(self, figure: Figure) -> Safe:
        """The value to plan with and its range, in the row of the figure."""
        return self._print(numbers.ranged_text(figure))

    def others(self, figure: Figure) -> Safe:
        """What stands behind that: all digits, and how else the pages print the figure."""
        exactly = self.exactly(figure)
        held = self.forms.hold(figure, f"{numbers.ranged_text(figure)} {exactly}")
        return Safe(f" {exactly}".rstrip() + held)

    def workings(self, figure: Figure) -> Safe:
        """How a figure comes about with the numbers put in, each linked to its derivation: `3 epochs × 8 h/epoch`."""
        origin = figure.origin
        if not isinstance(origin, Calculated):
            return self.plain(figure)
        shown = {name: str(self.figure(operand)) for name, operand in finer(figure).items()}
        return Safe(self.mark("formula", formula_text(origin.formula.tree, shown)))

    def numbers(self, figure: Figure) -> Safe:
        """The workings with what they come to: `3 epochs × 8 h/epoch = 24 h`."""
        before = f"{self.workings(figure)} = " if isinstance(figure.origin, Calculated) else ""
        return Safe(f"{before}{self.figure(figure)}")

    def say(self, sentence: Sentence) -> Safe:
        """A sentence of words and figures."""
        return self._join(sentence, self.words)

    def advise(self, sentence: Sentence) -> Safe:
        """A sentence of its own: with a capital, and what stands in backticks, as names of keys do, as code."""
        first, *rest = sentence or ("",)
        begun = capitalise(first) if isinstance(first, str) else first
        return self._join((begun, *rest), self._ticked)

    def _join(self, sentence: Sentence, words: Callable[[str], str]) -> Safe:
        return Safe("".join(self.figure(part) if isinstance(part, Figure) else words(part) for part in sentence))

    def _ticked(self, text: str) -> str:
        pieces = _TICKED.split(text)  # words and names by turns
        return "".join(self.code(piece) if at % 2 else self.words(piece) for at, piece in enumerate(pieces))

    def words(self, text: str) -> str:
        """Words inside a sentence: escaped, with the spaces at their ends kept."""
        inner = text.strip()
        start = text[: len(text) - len(text.lstrip())]
        return start + self.mark("text", escape.cell(inner)) + (text[len(start) + len(inner) :]) if inner else text

    def plain(self, figure: Figure) -> Safe:
        """A figure with its unit, without a link."""
        return Safe(self.mark("figure", escape.cell(self._text_of(figure))))

    def named(self, figure: Figure) -> Safe:
        """The formula of a figure in the names of the ledger."""
        return self.code(numbers.with_names(figure))

    def spread(self, figure: Figure) -> Safe:
        """The value to plan with, and its range in brackets behind it, without unit; a price has cents as that has."""
        use, ends = numbers.use_text(figure), numbers.value_text(figure)
        if "." in ends and use.isdecimal() and 0 < int(use) < 100 and figure.unit.symbol.startswith((*SIGNS,)):
            use += "." + "0" * numbers.CENTS
        shown, value = self.figure(figure, use), figure.value
        return shown if value.low == value.high else Safe(f"{shown} ({self.figure(figure, ends)})")

    def anchor(self, address: str) -> Safe:
        """Where links to the derivation of a figure lead."""
        return Safe(f'<a id="{self.mark("place", escape.anchor(address))}"></a>')

    def shown_as(self, figure: Figure, form: t.Form, places: int = 0) -> Safe:
        """A figure in one of the forms of tables."""
        return self.form(form)(figure, *([places] if form in WITH_PLACES else []))

    def form(self, form: t.Form) -> Callable[..., Safe]:
        """What prints figures in a form."""
        if text := TEXTS.get(form):
            return lambda figure, *places: self.figure(figure, text(figure, *places))
        method: Callable[..., Safe] = getattr(self, "figure" if form == "full" else form)
        return method

    def table(self, table: t.Table) -> Safe:
        """A table as markdown, and below it how many rows it leaves out; nothing where it has no rows."""
        if not table:
            return Safe("")
        columns, rows = table.fitted()
        headings = [column.heading for column in columns]
        head, *body = ("".join(map(self._cell, row, columns)) for row in (headings, *rows))
        rule = "".join("---:|" if column.right else "---|" for column in columns)
        lines = [f"|{line}" for line in (head, rule, *body)]
        if table.more:
            more = self.figure(counted(table.more, table.what))
            lines += ["", f"{more} more {table.what} are in `budget export`."]
        return Safe("\n".join(lines))

    def _cell(self, cell: t.Cell, column: t.Column) -> str:
        """A cell with the line behind it; one that its row does not have is narrower than one with nothing in it."""
        if cell == "":
            return " |"
        if cell is None or (column.nothing and isinstance(cell, Figure) and cell.missing):
            return f" {column.nothing} |"
        return f" {self.shown_as(cell, column.form) if isinstance(cell, Figure) else self.piece(cell)} |"

    def piece(self, part: t.Cell) -> Safe:
        """What stands in a cell: a figure with its unit, a text, or what `table` lists as pieces."""
        if printed := PIECES.get(type(part)):
            return printed(self, part)
        if isinstance(part, tuple) and not isinstance(part, Saying | Place):
            return self._several(part)
        return self.put(part)

    def _several(self, parts: Iterable[t.Cell]) -> Safe:
        """Pieces one after the other. Among other pieces, our words keep the spaces at their ends."""
        ours = ((part, isinstance(part, str) and not isinstance(part, Text)) for part in parts)
        return Safe("".join(self.words(str(part)) if words else self.piece(part) for part, words in ours))


PIECES: Mapping[type, Callable[[Printer, Any], Safe]] = {
    str: Printer.text,
    Text: Printer.text,
    tuple: Printer._several,
    t.As: lambda printer, part: printer.shown_as(part.figure, part.form, part.places),
    t.Bold: lambda printer, part: Safe(f"**{printer.piece(part.piece)}**"),
    t.Italic: lambda printer, part: Safe(f"*{printer.piece(part.piece)}*"),
    t.Code: lambda printer, part: printer.code(part.text),
    t.Link: lambda printer, part: printer.leading(printer.piece(part.piece), part.target),
    t.LedgerLine: lambda printer, part: printer.at(part.text, part.place),
    t.LedgerLines: lambda printer, part: printer.places(part.places),
    t.Anchor: lambda printer, part: printer.anchor(part.address),
    t.Lines: lambda printer, part: Safe("<br>".join(map(printer.piece, part.pieces))),
}
"""What prints each kind of piece: found by its type, since a page has tens of thousands."""
