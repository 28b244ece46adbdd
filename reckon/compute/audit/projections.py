"""Projections: those that lack an input, and those that a figure reported elsewhere does not bear out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.language.text import NOWHERE
from reckon.model.finding import Finding, joined, say
from reckon.model.kinds import CATALOG, PROJECT
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..measuring.projections import OUTSIDE, OVERLAPS, Fields, pairs
from .common import factor_apart, places, times_as_much

APART: Mapping[str, tuple[str, str, str]] = {
    OUTSIDE: ("warning", "outside of what was reported elsewhere", "They share no value: neither confirms the other."),
    OVERLAPS: ("note", "only partly inside what was reported elsewhere", "They agree on a part of their ranges only."),
}


def reported_apart(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A projection that lies outside of the range of a figure reported elsewhere, or overlaps it."""
    for name, _, measurement in pairs(one):
        at = f"{one.id}.projections.{name}.{measurement}"
        word = book.words.get(f"{at}.reported")
        if word is None or word.id not in APART:
            continue
        severity, title, meaning = APART[word.id]
        named = str(Fields(one, name).value("reported"))
        hours, reported, source = book[f"{at}.hours"], book[f"{one.id}.figures.{named}"], one.figures[named].source
        spans = [figure.value.scaled(figure.unit.scale) for figure in (hours, reported)]
        larger, smaller = (hours, reported) if (spans[0].low or 0) > (spans[1].low or 0) else (reported, hours)
        yield Finding(
            "reported-apart", severity, f"{at}.reported",
            say("{title}: {stands}", title=Fields(one, name).title, stands=title),
            say("projected from {of} {hours}; {about}: {reported}", of=str(one.measurements[measurement].title),
                hours=hours, about=reported.title, reported=reported)
            + (say(" ({source})", source=str(source)) if source else ())
            + (times_as_much(larger, smaller, "; {ratio} apart") if factor_apart(*spans) > 1 else ()),
            say(meaning),
            say("Look for what the two count differently, and say so; or correct the inputs of the projection."),
            places(reported, hours),
        )  # fmt: skip


def projection_undetermined(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A projection without a value for want of inputs: each of them, and where to write it."""
    lacking, bases = _lacking(one, book), {str(record.base) for record in one.projections.values()}
    for name, record in one.projections.items():
        fields = Fields(one, str(name))
        at, wanted = f"{one.id}.{fields.at}", lacking.get(str(name), {})
        if not fields.measurements and name not in bases:
            wanted[f"{at}.measurements"] = None
        if wanted:
            named = (say("{address} ({where})", address=address, where=_where(address)) for address in wanted)
            known = [figure.place for address in wanted if (figure := book.get(address))]
            yield Finding(
                "projection-undetermined", "warning", at, say("{title}: undetermined", title=fields.title),
                say("it has no value for want of ") + joined(named, ", "),
                say("Nothing is supposed in their place: what is not known is not guessed."),
                say("Write them there, as a range where they are uncertain."),
                tuple(place for place in (record.place, *known) if place is not NOWHERE)[:20],
            )  # fmt: skip


def _lacking(one: ProjectLedger, book: Book) -> dict[str, dict[str, None]]:
    """By projection, the addresses of the inputs for want of which figures of it have no value; each once, in order."""
    found: dict[str, dict[str, None]] = {}
    for address, figure in book.figures.items():
        if figure.missing and address.startswith(f"{one.id}.projections."):
            found.setdefault(address.split(".")[2], {}).update(dict.fromkeys(figure.missing))
    return found


def _where(address: str) -> str:
    """The file that an input is written in: `ledger/catalog/models.yaml`, `ledger/demo/projections.yaml`."""
    home, kind, *_ = [*address.split("."), ""]
    files = CATALOG if home == "catalog" else PROJECT
    return f"ledger/{home}/{kind if kind in files else 'project'}.yaml"
