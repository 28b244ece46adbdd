"""What a ledger holds, as a document can print it: its inputs and claims, which are looked for in the document, and all
else in which a figure of the document can have its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import Value
from reckon.language.text import Place
from reckon.language.units import Powers, Unit
from reckon.model.figure import Figure, Stated
from reckon.model.ledger import ProjectLedger
from reckon.model.record import Record
from reckon.model.records import Phase

from ..book import Book
from .document import Passage, plain, words_of
from .printed import Number, kinds_of, numbers_in

ONE = (Fraction(1),)
"""A single GPU, seed or sample is not asked for: documents write it as a word, or not at all."""
INPUT, CLAIM = "input", "claim"
_QUOTED = re.compile(r"\{[^{}]{1,300}\}")
NO_TEXTS = ("id", "runs", "entries", "additions", "queued", "locks", "imports", "proposals", "files", "claims")
"""What of a project has no texts that a document could state: runs, what commands made, and claims, which are
entries."""


class Holding(Struct, frozen=True):
    """A number that the ledger holds: its address, what it measures, its ends in base units, and as they are
    written."""

    address: str
    kinds: Powers
    ends: tuple[Fraction, ...]
    written: tuple[Fraction, ...]
    words: frozenset[str]


class Entry(Struct, frozen=True):
    """An input or a claim: what it is, its address, its number as it is written, and where; `line` is that of the
    document which its record names."""

    kind: str
    address: str
    shown: str
    place: Place
    holding: Holding
    line: int | None = None


class Holdings(Struct, frozen=True):
    """All that a ledger holds of a project: its entries, figures that are calculated or stand in the catalogue, and
    numbers of its texts."""

    entries: tuple[Entry, ...]
    figures: tuple[Holding, ...]
    texts: tuple[Number, ...]


def holdings_of(project: ProjectLedger, book: Book) -> Holdings:
    """What the ledger holds of a project."""
    own = book.own(project.id).values()
    entries = [*_inputs(project, own), *_claims(project, book)]
    others = [figure for figure in own if not figure.is_stated]
    common = _own_words(project)
    figures = [holding for figure in (*others, *book.own("catalog").values()) for holding in _whole(figure, common)]
    return Holdings(tuple(entries), tuple(figures), tuple(_numbers(project, book)))


def _inputs(project: ProjectLedger, figures: Iterable[Figure]) -> Iterator[Entry]:
    lines, common = dict(_named_lines(project)), _own_words(project)
    for figure in figures:
        ends = ends_of(figure.value)
        if isinstance(figure.origin, Stated) and ends and not (ends == ONE and not kinds_of(figure.unit)):
            holding = _hold(figure.address, figure.unit, ends, words_of(figure.address, figure.title) - common)
            shown = _shown(figure.origin.text, figure.unit)
            yield Entry(INPUT, figure.address, shown, figure.place, holding, _line_of(figure.address, lines))


def _claims(project: ProjectLedger, book: Book) -> Iterator[Entry]:
    common = _own_words(project)
    for check in book.checks.get(project.id, ()):
        stated, claim = check.stated, check.claim
        ends = ends_of(stated.value)
        if ends and claim.states:
            words = words_of(check.figure.address, check.figure.title, str(claim.at)) - common
            holding = _hold(check.figure.address, stated.unit, ends, words)
            shown = _shown(str(claim.states), stated.unit)
            yield Entry(CLAIM, check.figure.address, shown, claim.place, holding, claim.line)


def _shown(text: str, unit: Unit) -> str:
    """A number as the ledger writes it, with the unit of its key where it names none itself."""
    bare = not re.search(r"[A-Za-z%]", text)
    return f"{text} {unit.symbol}".strip() if bare else text


def ends_of(value: Value) -> tuple[Fraction, ...]:
    """The ends of a value, those that it has; one where it is no range."""
    if value.low == 0 and value.use is None and value.high is not None:
        return (value.high,)  # `<5` begins at zero, which nobody prints
    return tuple(dict.fromkeys(end for end in (value.low, value.high) if end is not None))


def _hold(address: str, unit: Unit, written: tuple[Fraction, ...], words: frozenset[str]) -> Holding:
    scale = unit.scale / unit.lot
    return Holding(address, kinds_of(unit), tuple(end * scale for end in written), written, words)


def _own_words(project: ProjectLedger) -> frozenset[str]:
    """The words that all of a project has in its addresses, and that so name nothing."""
    return words_of(project.id, project.project.title)


def _whole(figure: Figure, common: frozenset[str]) -> Iterator[Holding]:
    """A figure as its range, and each of its ends and what is planned with as a number."""
    words = words_of(figure.address, figure.title) - common
    ends = ends_of(figure.value)
    if len(ends) > 1:
        yield _hold(figure.address, figure.unit, ends, words)
    use = figure.value.use
    for end in {*ends, *([use] if use is not None else [])}:
        yield _hold(figure.address, figure.unit, (end,), words)


def _named_lines(project: ProjectLedger) -> Iterator[tuple[str, int]]:
    """The lines of the document that items and figures name, by the address of the record."""
    items = ((f"plan.{name}", item.line) for phase in project.plan.values() for name, item in phase.items.items())
    figures = ((f"figures.{name}", figure.line) for name, figure in project.figures.items())
    for address, line in (*items, *figures):
        if line is not None:
            yield f"{project.id}.{address}", line


def _line_of(address: str, lines: Mapping[str, int]) -> int | None:
    """The line that the record at an address names, or that of which it is a field."""
    return lines.get(address, lines.get(address.rpartition(".")[0]))


def _numbers(project: ProjectLedger, book: Book) -> Iterator[Number]:
    """The numbers that stand in texts of the project and the catalogue; the section of each is the address of its
    record."""
    for home, kinds in ((project, project.__struct_fields__), (book.catalog, book.catalog.__struct_fields__)):
        root = project.id if home is project else "catalog"
        for kind in kinds:
            if kind not in NO_TEXTS:
                yield from _numbers_of(f"{root}.{kind}", getattr(home, kind))


def _numbers_of(address: str, value: object) -> Iterator[Number]:
    """The numbers of texts below an address, by record."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _numbers_of(f"{address}.{name}", each)
    elif isinstance(value, Phase):
        yield from _numbers_of(address.rpartition(".")[0], value.items)
        yield from _numbers_in(address, (value.title, value.settings, value.notes))
    else:
        yield from _numbers_in(address, value)


def _numbers_in(address: str, value: object) -> Iterator[Number]:
    for text in _texts(value):
        for line in plain(_QUOTED.sub(" ", text)).splitlines():
            yield from numbers_in(Passage(line, 0, address, words=words_of(line)))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Record):
        for name in type(value).model_fields:
            if name not in ("place", "source"):
                yield from _texts(getattr(value, name))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _texts(key)
            yield from _texts(each)
    elif isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        for each in value:
            yield from _texts(each)
