"""Levers: changes that do the opposite of what is said of them, or that their configuration does not have."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import place_of
from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..measuring.settings import ACTIVE, Declared, alike, spec_of, stated_in


def reduction_increases(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A change that is said to reduce a setting, and puts it higher than it was."""
    for name, lever in one.levers.items():
        at = f"{one.id}.levers.{name}"
        for key in lever.lowers:
            spec = spec_of(book.ledger, one, str(lever.configuration), str(key))
            was = stated_in(book.figures, f"{at}.was", lever.was, str(key), spec)
            sets = stated_in(book.figures, f"{at}.sets", lever.sets, str(key), spec)
            if was and sets and _raised(was, sets):
                yield Finding(
                    "reduction-increases", "error", sets.at,
                    say("{title}: said to reduce, and increases", title=str(lever.title)),
                    say("{key} was {was}, and is set to {sets}", key=str(key),
                        was=was.figure or was.text, sets=sets.figure or sets.text),
                    say("What is said of the change and its two values cannot both be right."),
                    say("Correct what is said, or the values if they stand the wrong way round."),
                    (place_of(key), was.place, sets.place),
                )  # fmt: skip


def _raised(was: Declared, sets: Declared) -> bool:
    """Whether a setting is known to be higher than it was: by values to plan with, in whatever unit."""
    before, after = was.figure, sets.figure
    if before is None or after is None or before.use is None or after.use is None:
        return False
    return before.unit.kinds == after.unit.kinds and before.unit.to_base(before.use) < after.unit.to_base(after.use)


def lever_against_configuration(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """An active lever that sets something else than its configuration says."""
    for name, lever in one.levers.items():
        record = one.configurations.get(str(lever.configuration))
        if lever.status != ACTIVE or record is None:
            continue
        for key in lever.sets:
            spec = spec_of(book.ledger, one, str(lever.configuration), str(key))
            there = f"{one.id}.configurations.{lever.configuration}.settings"
            sets = stated_in(book.figures, f"{one.id}.levers.{name}.sets", lever.sets, str(key), spec)
            says = stated_in(book.figures, there, record.settings, str(key), spec)
            if sets and says and not alike(sets, says):
                yield Finding(
                    "lever-against-configuration", "error", sets.at,
                    say("{title}: active, but not in the configuration", title=str(lever.title)),
                    say("it sets {key} to {sets}, {configuration} says {says}", key=str(key),
                        sets=sets.figure or sets.text, configuration=str(record.title), says=says.figure or says.text),
                    say("A setting has one value: either the lever is not active, or the configuration is another."),
                    say("Correct one of them, or give the lever another status."),
                    (sets.place, says.place),
                )  # fmt: skip
