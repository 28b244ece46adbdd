"""Texts of a document bound to its figures: what they quote, and whether what they rest on holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from msgspec import Struct

from reckon.language.expression import Formula, Name
from reckon.language.parser import Quote, pieces
from reckon.language.text import Refusal, Text
from reckon.language.units import Unit, key_unit, kind_words, value_unit
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure, value_in
from reckon.model.finding import ProblemList, refused
from reckon.model.ledger import ProjectLedger

from .conditions import Judged, judge, sought
from .words import Known, Word


class Saying(tuple["str | Figure | Word", ...]):
    """A text of the ledger, cut at the figures and words that it quotes."""

    __slots__ = ()


Parts = Mapping[str, Saying] | tuple[Saying, ...]
"""The parts of a text, by their labels where they have some."""


class Said(Struct, frozen=True):
    """A text as it stands in the document, under the names of its record: empty where it is left out.

    `judged` is how its condition was found; None where it has none.
    """

    name: str
    passage: r.Passage
    judged: Judged | None = None
    text: Saying = Saying()
    parts: Parts = ()
    rows: tuple[str, ...] = ()
    stands: bool = True

    @property
    def title(self) -> Text | None:
        """Its heading."""
        return self.passage.title

    @property
    def section(self) -> Text:
        """The heading that it stands under."""
        return self.passage.section


def say_texts(known: Known, project: ProjectLedger) -> tuple[list[Said], ProblemList]:
    """Every text of a project as it stands, and what is wrong with what texts quote and rest on."""
    reader = _TextReader(known, project.id, [])
    return [reader.said(name, passage) for name, passage in project.texts.items()], reader.problems


class _TextReader(Struct, frozen=True):
    """Reads the texts of a project; mistakes are appended to `problems`."""

    known: Known
    project_id: str
    problems: ProblemList

    def said(self, name: str, passage: r.Passage) -> Said:
        """A text as it stands. All its wordings are read, so that a mistake in one that does not stand is told."""
        judged = self.judged(passage)
        text = self.saying(passage.text)
        otherwise = self.saying(passage.otherwise)
        if isinstance(passage.parts, dict):
            parts: Parts = {label: self.saying(part) for label, part in passage.parts.items()}
        else:
            parts = tuple(map(self.saying, passage.parts))
        # Where a condition cannot be judged something is wrong, and no text is shown.
        if judged is None or judged.holds:
            return Said(name, passage, judged, text, parts, passage.rows)
        stands = bool(otherwise) and judged.holds is False
        return Said(name, passage, judged, otherwise if stands else Saying(), stands=stands)

    def judged(self, passage: r.Passage) -> Judged | None:
        """How the condition of a text is found; None where it has none, or one that cannot be judged."""
        if passage.when is None:
            return None
        formula = passage.when.formula
        try:
            terms = list(sought(formula.tree, lambda name: self.known.word(self.project_id, name)))
            meant = {term.name: self.meant(term.name, term.at) for term in terms}
            given = {name: value for name, value in meant.items() if value}
            return judge(formula, given) if len(given) == len(meant) else None
        except Refusal as refusal:
            text = formula.text if isinstance(formula.text, Text) else Text(formula.text, passage.when.place)
            self.problems.append(refused(refusal, text))
            return None

    def saying(self, text: Text | None) -> Saying:
        """A text cut at what it quotes; nothing of one with a mistake."""
        try:
            cut = [piece if isinstance(piece, str) else self.quoted(piece) for piece in pieces(text or "")]
            return Saying(piece for piece in cut if piece is not None)
        except Refusal as refusal:
            self.problems.append(refused(refusal, text))
            return Saying()

    def quoted(self, quote: Quote) -> Figure | Word | None:
        """What a quotation means, in the unit that it asks for. Raises Refusal."""
        found = self.meant(quote.address, quote.at)
        if not quote.unit or found is None:
            return found
        if isinstance(found, Word):
            address = quote.address[:60]
            raise Refusal(f"`{address}` is a word and has no unit", f"write `{{{address}}}`", quote.at)
        unit = _unit(found, quote)
        formula = Formula(found.address, Name(found.address, 0))
        # In another unit of its kind it is a calculated figure, and rounded as such.
        return replace(
            found, unit=unit, value=value_in(found, unit), origin=Calculated(formula, {found.address: found})
        )

    def meant(self, name: str, at: int) -> Figure | Word | None:
        """What a name means in this project; None where that could not be read or calculated. Raises Refusal."""
        address, end = self.known.find(self.project_id, name)
        if address:
            found = self.known.means(address, end)
            # An end of a figure leads to the derivation of the whole.
            return replace(found, address=address) if end and isinstance(found, Figure) else found
        return self.known.coming((self.project_id,), name, at)


def _unit(figure: Figure, quote: Quote) -> Unit:
    """The unit asked for, written as after a number (`min`, `gpu-days`) or as in a key (`minutes_per_epoch`)."""
    unit = value_unit(quote.unit) or key_unit(quote.unit)
    if not unit.kinds:
        raise Refusal(f"`{quote.unit[:40]}` is no unit", "write one such as h, d, min, GiB, gpu-days", quote.at)
    if unit.kinds == figure.unit.kinds and not unit.counts and figure.unit.counts:
        # `{seconds_per_step in min}` is minutes per step: what it is counted by need not be said again.
        _, slash, counted = figure.unit.symbol.partition("/")
        return replace(unit, counts=figure.unit.counts, symbol=unit.symbol + slash + counted)
    if (unit.kinds, unit.counts) != (figure.unit.kinds, figure.unit.counts):
        raise Refusal(
            f"`{quote.unit[:40]}` measures {kind_words(unit.kinds)}, the figure {kind_words(figure.unit.kinds)}",
            "name a unit of the same kind, or none",
            quote.at,
        )
    return unit
