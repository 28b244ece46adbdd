"""Levers: changes that do the opposite of what is said of them, or that their configuration does not have."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import place_of
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Sentence, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..fitting.configured import LEVER, Configured
from ..fitting.settings import ACTIVE, Declared, alike, declared, spec_of


def reduction_increases(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A change that is said to reduce a setting, and puts it higher than it was."""
    for name, lever in one.levers.items():
        at = f"{one.id}.levers.{name}"
        for key in (key for key in lever.lowers if key in lever.was and key in lever.sets):
            spec = spec_of(book.ledger, one, str(lever.configuration), str(key))
            was = declared(book.figures, f"{at}.was.{key}", str(key), lever.was[key], spec)
            sets = declared(book.figures, f"{at}.sets.{key}", str(key), lever.sets[key], spec)
            if _raised(was, sets):
                yield Finding(
                    "reduction-increases", "error", sets.at,
                    say("{title}: said to reduce, and increases", title=str(lever.title)),
                    say("{key} was {was}, and is set to {sets}", key=str(key), was=_value(was), sets=_value(sets)),
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
    """A lever that is active on a configuration, or applied by it, where that says something else for what it sets."""
    for name, lever in one.levers.items():
        at = f"{one.id}.levers.{name}"
        for key, written in lever.sets.items():
            told: Sentence = ()
            lines = []
            for configuration in _on(one, str(name), lever):
                spec = spec_of(book.ledger, one, configuration, str(key))
                sets = declared(book.figures, f"{at}.sets.{key}", str(key), written, spec)
                says = _said(book, one, configuration, str(name), str(key), spec)
                if says and not alike(sets, says):
                    first = say("it sets {key} to {sets}", key=str(key), sets=_value(sets)) if not told else ()
                    title = str(one.configurations[configuration].title)
                    told += first + say(", {title} says {says}", title=title, says=_value(says))
                    lines += [sets.place, says.place]
            if told:
                yield Finding(
                    "lever-against-configuration", "error", f"{at}.sets.{key}",
                    say("{title}: active, but not in the configuration", title=str(lever.title)), told,
                    say("A setting has one value: either the lever is not active, or the configuration is another."),
                    say("Correct one of them, or give the lever another status."),
                    tuple(dict.fromkeys(lines)),
                )  # fmt: skip


def _on(one: ProjectLedger, name: str, lever: r.Lever) -> tuple[str, ...]:
    """The configurations that a lever says it is active on, or that apply it themselves."""
    own = [str(lever.configuration)] if lever.status == ACTIVE and lever.configuration in one.configurations else []
    return tuple(
        dict.fromkeys([*own, *(str(key) for key, record in one.configurations.items() if name in record.levers)])
    )


def _said(
    book: Book, one: ProjectLedger, configuration: str, lever: str, key: str, spec: r.SettingSpec
) -> Declared | None:
    """What a configuration has for a setting; None where it has nothing, or what the lever itself sets."""
    held = next((held for name, held in Configured(one, configuration).settings.items() if str(name) == key), None)
    if held is None or (held.how == LEVER and held.by == lever):
        return None
    return declared(book.figures, f"{one.id}.{held.address}", key, held.value, spec)


def _value(setting: Declared) -> Figure | str:
    return setting.figure or setting.text
