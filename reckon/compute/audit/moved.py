"""Configurations that differ in nothing that takes memory, and take different amounts of it all the same."""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.model.figure import is_known, value_in
from reckon.model.finding import Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..fitting import effective_settings as settled
from ..fitting.effective_settings import Configured, Declared, settings_of
from .common import places, span_of

IDLE = (settled.EPOCHS, settled.LABEL, settled.TIMEOUT, settled.TEMPERATURE, settled.SAMPLING, settled.DECODING)
"""The roles of settings that take no memory."""
FIELDS = ("model", "dtype", "optimizer", "sharding", "recompute", "gpus", "tokens", "sequences")
"""The fields of a configuration that parts of its memory are calculated from."""


class _Asked(Struct, frozen=True):
    """A configuration: what of it takes memory, and the settings that take none, each with its value."""

    configured: Configured
    takes: Hashable
    idle: dict[str, tuple[str, Hashable]]


def memory_moved_by_nothing(project: ProjectLedger, book: Book) -> Findings:
    """A configuration that takes more or less than another one of its family, from which it differs in settings alone
    that take none. Ranges that meet may be one amount."""
    configured = (Configured(project, name) for name in project.configurations)
    asked = (_asked(project, book, each) for each in configured if each.parts)
    for first, *others in group_by(asked, lambda each: each.takes).values():
        for other in others:
            both = {**first.idle, **other.idle}
            differing = [title for key, (title, _) in both.items() if first.idle.get(key) != other.idle.get(key)]
            if differing:
                yield from _apart(project, book, first.configured, other.configured, ", ".join(differing))


def _asked(project: ProjectLedger, book: Book, configured: Configured) -> _Asked:
    """A configuration with its settings told apart. A lever that sets nothing and works on a part counts as one."""
    found = list(settings_of(book.figures, book.ledger, project, configured.name))
    idle = {each.name: (each.title, _plain(each)) for each in found if each.role in IDLE}
    taking = frozenset((each.name, _plain(each)) for each in found if each.name not in idle)
    bare = tuple(lever for lever in configured.levers if not project.levers[lever].sets)
    fields = tuple(str(configured.value(field)) for field in FIELDS)
    return _Asked(configured, (configured.chain[-1], taking, bare, fields), idle)


def _plain(setting: Declared) -> Hashable:
    """What a setting is set to: a quantity in whatever unit, or words."""
    if setting.figure is None:
        return setting.text.casefold()
    return setting.figure.unit.kinds, value_in(setting.figure)


def _apart(project: ProjectLedger, book: Book, first: Configured, other: Configured, idle: str) -> Findings:
    """That two needs share no value, on the first such card: that of the project before others."""
    for card in dict.fromkeys((project.project.gpu, *book.catalog.gpus)):
        before, need = (book.find(project, f"{each.at}.on.{card}.need_gib") for each in (first, other))
        if is_known(before) and is_known(need) and not span_of(before).meets(span_of(need)):
            yield make_finding(
                "memory-moved-by-nothing",
                f"{project.id}.{other.at}.memory",
                f"{other.title}: other memory than {first.title}, and nothing that takes any differs",
                say(
                    "on {card} {first} takes {before}, {title} {need}; they differ in {idle}",
                    card=book.catalog.gpus[card].title,
                    first=first.title,
                    before=before,
                    title=other.title,
                    need=need,
                    idle=idle,
                ),
                "Both run with the same of all that takes memory, so one of the two amounts is wrong.",
                "State the part that differs once, in the configuration that both rest on; or write the setting that "
                "makes the difference.",
                places(before, need),
            )
            return
