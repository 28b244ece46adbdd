"""Addresses quoted in the ledger (by claims, texts, measurements) must be those of figures or words that exist."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping

from reckon.language.text import Refusal, Text, place_of
from reckon.model.figure import Figure
from reckon.model.finding import Problem, nearest, refused
from reckon.model.ledger import Ledger, ProjectLedger, touches
from reckon.model.records import Claim

from ..choosing.tradeoff import RANKS, Tradeoff
from ..sheet.lookup import find, picked
from ..sheet.sheet import Sheet
from .claims import each, read_claim
from .word import Word, choices_of, word_of
from .words import Known


def check_addresses(known: Known, ledger: Ledger, tradeoffs: Mapping[str, tuple[Tradeoff, ...]]) -> list[Problem]:
    """A problem for each quoted address or setup that leads nowhere, and each claim that states no quantity or word."""
    sheet = known.sheet
    found = [problem for one in ledger.projects.values() for problem in _project(known, one)]
    if not ledger.broken and not sheet.problems:  # setups rest on much of the ledger: some may lack for that reason
        found += [problem for weighed in tradeoffs.values() for one in weighed for problem in _setups(ledger, one)]
    return found


def _project(known: Known, one: ProjectLedger) -> Iterator[Problem]:
    sheet = known.sheet
    for text in one.texts.values():
        for address in text.rows:
            yield from _exists(sheet, one.id, address)
    for claim in one.claims:
        yield from _says_one_thing(sheet, one, claim)
    for claim in each(one.claims):
        yield from _claim(known, one, claim)
    for name, measurement in one.measurements.items():
        for key in measurement.memory:
            if f"{one.id}.measurements.{name}.{key}" not in sheet.cells:
                right = nearest(key, measurement.figures)
                yield Problem(place_of(key), f"this record has no figure `{key[:60]}`", right)


def _says_one_thing(sheet: Sheet, one: ProjectLedger, claim: Claim) -> Iterator[Problem]:
    """Refuses a claim that states nothing or two things, and a row of a table that misses its columns."""
    said = [part for part in (claim.states, claim.terms, claim.rows) if part]
    if len(said) != 1 and not touches(sheet.broken, f"{one.id}.claims.{claim.place}"):
        right = "write `states:` for a figure, `rows:` for a table, or `terms:` for a formula"
        yield Problem(claim.place, "a claim says one thing", right)
    for row, cells in claim.rows.items():
        if len(cells) != len(claim.columns):
            wrong = f"a row of {len(cells)} stands in a table of {len(claim.columns)} columns"
            yield Problem(place_of(row), wrong, "write one figure for each of `columns:`, `-` where there is none")


def _claim(known: Known, one: ProjectLedger, claim: Claim) -> Iterator[Problem]:
    sheet = known.sheet
    if worded := worded_at(sheet.cells, known.words, one.id, claim.of):
        yield from _states_word(known.words[worded], claim)
        return
    if not known.could_be(one.id, claim.of):
        yield from _exists(sheet, one.id, claim.of, known.words)
    figure = quoted(sheet, one.id, claim.of)
    if claim.states is not None and figure:
        try:
            read_claim(claim, figure.unit)
        except Refusal as refusal:
            yield refused(refusal, claim.states)
    terms = [*one.items, "contingency", "extensions"]
    for term in claim.terms:
        if term not in terms and not touches(sheet.broken, f"{one.id}.plan.{term}"):
            yield Problem(place_of(term), f"there is no item `{term[:60]}` in the plan", nearest(term, terms))


def _states_word(word: Word, claim: Claim) -> Iterator[Problem]:
    """A claim on a word states one that it can be; a formula is never one."""
    if claim.states is not None:
        try:
            word_of(word, claim.of, str(claim.states).strip())
        except Refusal as refusal:
            yield refused(refusal, claim.states)
    elif claim.terms:
        yield Problem(place_of(claim.of), f"`{claim.of[:60]}` is a word, and no figure", choices_of(word))


def _setups(ledger: Ledger, found: Tradeoff) -> Iterator[Problem]:
    """What a record says of single setups is of some that there are."""
    record = found.record
    every = {f"{card}-x{count.number}" for card in ledger.catalog.gpus for count in record.counts}
    named = [*([record.reference] if record.reference else []), *record.market]
    searched = [search.choice for search in record.searches.values() if search.choice]
    for setups, among in ((named, found.choices), (searched, (*found.choices, *RANKS)), (record.leave_out, every)):
        for setup in setups:
            if setup not in among:
                right = nearest(setup, sorted(among)) or "write a card and how many, as rtx-3090-x4"
                yield Problem(place_of(setup), f"there is no setup `{setup[:60]}`", right)


def quoted(sheet: Sheet, project: str, address: str) -> Figure | None:
    """The figure that an address quoted in a project means; None where it could not be reckoned."""
    found, end = sheet.find(project, address)
    figure = sheet.figures.get(found)
    return picked(figure, end) if figure and end else figure


def worded_at(figures: Container[str], words: Container[str], project: str, address: str) -> str:
    """The address of the word that an address quoted in a project means; empty where it means a figure, or nothing."""
    if find(figures, project, address)[0]:
        return ""
    found, end = find(words, project, address)
    return "" if end else found


def _exists(sheet: Sheet, project: str, address: Text, words: Collection[str] = ()) -> Iterator[Problem]:
    if not sheet.find(project, address)[0] and not sheet.could_be(project, address):
        right = sheet.near(project, address, words) or "`budget explain --list` shows them all"
        yield Problem(place_of(address), f"there is no figure `{address[:80]}`", right)
