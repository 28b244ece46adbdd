"""Figures that moved alike, told together: by the record that they belong to, by how they moved, and by the method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reckon.compute.versions.difference import Moved, Part
from reckon.language.calendar_days import DATE
from reckon.language.groups import group_by
from reckon.model.kinds import group_of

from ..render.numbers import figure_text, use_text
from .sentences import NAMES, TextPair, several, signed, with_share


class Alike(NamedTuple):
    """Figures at or below one address that moved alike: the title of the first, their names below it, the move."""

    title: str
    address: str
    names: tuple[str, ...]
    was: str
    now: str
    by: str

    def said(self, project: str = "") -> str:
        """Which figures they are; without the id of a project, if that is given."""
        at = self.address.removeprefix(f"{project}.") if project else self.address
        if len(self.names) == 1:
            return f"{at}.{self.names[0]}"
        return f"{at}: {several(self.names, *NAMES)}"


def group_moves(moved: Sequence[Moved]) -> Iterator[Alike]:
    """The figures that moved, those of one record together that moved the same way; in the order of the first.

    One that is as unknown as it was, because something else is missing, is left out.
    """
    told = (figure for figure in moved if not (figure.was.missing and figure.now.missing))
    found = group_by(told, lambda figure: (_owner(figure.now.address)[0], *_move(figure)))
    for (address, was, now, by), some in found.items():
        names = tuple(_owner(figure.now.address)[1] for figure in some)
        yield Alike(some[0].now.title, address, names, was, now, by)


def _move(moved: Moved) -> tuple[str, str, str]:
    """A figure on both sides, with its ranges, or alone where these hide that it moved; and by how much it moved."""
    was = figure_text(moved.was)
    now = figure_text(moved.now)
    ends = (was, now) if was != now else (use_text(moved.was), use_text(moved.now))
    return (*ends, _moved_by(moved))


def _moved_by(moved: Moved) -> str:
    """By how much a figure moved: `+177, +7.6%`; in points for shares, in days for dates."""
    by = moved.by
    if by is None:
        return ""
    if not by:
        return "another range"
    if moved.now.unit is DATE:
        return f"{signed(by)} d"
    if moved.now.form == "%":
        return f"{signed(by * 100)} {'point' if abs(by * 100) == 1 else 'points'}"
    return with_share(by, moved.share)


def _owner(address: str) -> tuple[str, str]:
    """The address of what a figure belongs to, as `pixelis.plan.sft` or `pixelis.budget`, and its name below that."""
    words = address.split(".")
    at = min(3 if words[1:] and group_of(words[1]).by_record else 2, len(words) - 1)
    return ".".join(words[:at]), ".".join(words[at:])


def owners(addresses: Iterable[str], project: str) -> str:
    """What some figures belong to, the first of many."""
    named = dict.fromkeys(_owner(address)[0].removeprefix(f"{project}.") for address in addresses)
    return several(list(named), *NAMES)


def by_method(part: Part) -> list[TextPair]:
    """What the method moved, in words, each with the sentence: figures of the whole before those of one record."""
    return [(owners(sorted(change.figures, key=_of_record), part.id), change.sentence) for change in part.method]


def _of_record(address: str) -> bool:
    return group_of(address.split(".")[1]).by_record
