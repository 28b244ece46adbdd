"""What changed alike, told together: entries of lists whose change is the same, and figures that moved the same way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Moved, Part
from reckon.compute.versions.lists import ACCEPTED, CLAIMS
from reckon.model.kinds import group_of

from .words import ARROW, cut, moved_by, values

LISTED = (ACCEPTED.of, CLAIMS.of)
MOST_NAMED = 3
LONGEST = 160
_SAID = {
    (ACCEPTED.of, "added"): "newly accepted",
    (ACCEPTED.of, "removed"): "no longer accepted",
    (CLAIMS.of, "added"): "added",
    (CLAIMS.of, "removed"): "removed",
}


@dataclass(frozen=True, slots=True)
class Group:
    """Entries of a list that changed alike: what became of them, in words, and each."""

    what: str
    entries: tuple[Change, ...]


def inputs(part: Part) -> list[Change]:
    """The changed inputs that are no entries of a list."""
    return [one for one in part.told if one.of not in LISTED]


def accepted(part: Part) -> list[Group]:
    """The findings that are accepted anew, no longer, or otherwise."""
    return _groups(one for one in part.told if one.of == ACCEPTED.of)


def claims(part: Part) -> list[Group]:
    """The claims that were added, removed or changed."""
    return _groups(one for one in part.told if one.of == CLAIMS.of)


def _groups(changed: Iterable[Change]) -> list[Group]:
    found: dict[str, list[Change]] = {}
    for one in sorted(changed, key=lambda one: ("added", "removed").index(one.kind) if one.kind != "changed" else 2):
        found.setdefault(_what(one), []).append(one)
    return [Group(what, tuple(some)) for what, some in found.items()]


def _what(one: Change) -> str:
    if one.kind == "changed":
        was, now = (cut(said, LONGEST) or "nothing" for said in (one.was, one.now))
        return f"{one.part}: {was}{ARROW}{now}"
    said = cut(one.now or one.was, LONGEST) if one.of == ACCEPTED.of else ""
    return _SAID[one.of, one.kind] + (f" ({said})" if said else "")


def entry(one: Change) -> str:
    """An entry of a list by what names it; a claim that came or went with what it states."""
    said = cut(one.now or one.was) if one.of == CLAIMS.of and one.kind != "changed" else ""
    return one.title + (f": {said}" if said else "")


def gist(groups: Collection[Group]) -> str:
    """What became of the entries of a list, in a line: `6 no longer accepted; 18 until: 1.1.0 → 1.2.0`."""
    counts: dict[str, int] = {}
    for one in groups:
        first = one.entries[0]
        what = _SAID.get((first.of, first.kind), cut(one.what) if len(one.entries) > 1 else "changed")
        counts[what] = counts.get(what, 0) + len(one.entries)
    return "; ".join(f"{many:,} {what}" for what, many in counts.items())


@dataclass(frozen=True, slots=True)
class Alike:
    """Figures at or below one address that moved the same way: the title of the first, the address, their names below
    it, and the move."""

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
        more = len(self.names) - MOST_NAMED
        return f"{at}: {', '.join(self.names[:MOST_NAMED])}" + (f" and {more:,} more" if more > 0 else "")


def alike(moved: Sequence[Moved]) -> Iterator[Alike]:
    """The figures that moved, those of one record together that moved the same way; in the order of the first.

    One that is as unknown as it was, for want of something else, is left out.
    """
    found: dict[tuple[str, ...], list[Moved]] = {}
    for one in moved:
        if not (one.was.missing and one.now.missing):
            found.setdefault((_owner(one.now.address)[0], *values(one), moved_by(one)), []).append(one)
    for (address, was, now, by), some in found.items():
        names = tuple(_owner(one.now.address)[1] for one in some)
        yield Alike(some[0].now.title, address, names, was, now, by)


def _owner(address: str) -> tuple[str, str]:
    """The address of what a figure belongs to, as `pixelis.plan.sft` or `pixelis.budget`, and its name below that."""
    words = address.split(".")
    at = min(3 if words[1:] and group_of(words[1]).by_record else 2, len(words) - 1)
    return ".".join(words[:at]), ".".join(words[at:])


def owners(addresses: Iterable[str], project: str) -> str:
    """What some figures belong to, the first of many."""
    found = list(dict.fromkeys(_owner(one)[0].removeprefix(f"{project}.") for one in addresses))
    more = len(found) - MOST_NAMED
    return ", ".join(found[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
