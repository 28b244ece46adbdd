"""All differences between two ledgers, in the order in which a bridge takes them.

What others may rest on is put in before them and taken away after them: the catalogue, grants, and project by project
project.yaml, what its plan rests on, the plan, runs, texts and claims; in each file from top to bottom. What is gone
comes last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reckon.language.text import NOWHERE
from reckon.model.kinds import ALLOCATIONS, CATALOG, PROPOSALS, in_bridge
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.record import Record
from reckon.model.records import Item, Phase

from .canonical import first_place
from .change import REMOVED, Change, Kind, Replacement
from .list_diff import ACCEPTED, CLAIMS, DROPS, diff_lists, runs
from .record_diff import (
    At,
    Differences,
    Keys,
    added,
    collections,
    differences,
    ordered,
    record_title,
    removed,
    renamed,
    renames,
)

ORDER = (
    "the catalogue, grants, then each project: project.yaml, the inputs of the plan (figures, measurements, "
    "projections, configurations, setups), the plan, runs; in each from top to bottom; what is gone comes last"
)


def changes(old: Ledger, new: Ledger) -> tuple[Change, ...]:
    """All that differs between two ledgers, in the order in which it is swapped."""
    found = Differences()
    for name in CATALOG:
        sides = getattr(old.catalog, name), getattr(new.catalog, name)
        found.add(collections(*sides, f"catalog.{name}", ("catalog", name), name))
    found.add(collections(old.allocations, new.allocations, ALLOCATIONS.id, (ALLOCATIONS.id,), ALLOCATIONS.id))
    for name in {**old.projects, **new.projects}:
        found.add(_project(old, new, name))
    return (*found.put, *found.gone)


def _project(old: Ledger, new: Ledger, name: str) -> Differences:
    was, now = old.projects.get(name), new.projects.get(name)
    path = ("projects", name)
    if was and now:
        return _diff_projects(At(name, path, "", name), was, now)
    project = was or now
    assert project is not None
    at, place = At(name, path, record_title(project.project, name), name), first_place(project.project)
    if now:
        return Differences([at.change("added", "", "", NOWHERE, place, Replacement(path, project), of="project")])
    return Differences(gone=[at.change("removed", "", "", place, NOWHERE, Replacement(path, REMOVED), of="project")])


def _diff_projects(at: At, was: ProjectLedger, now: ProjectLedger) -> Differences:
    head = At(at.address, (*at.path, "project"), "", at.record)
    found = Differences(list(differences(head, was.project, now.project, skip=tuple(_LISTS), of="project")))
    for key, entries in _LISTS.items():
        found.put += diff_lists(entries, getattr(was.project, key), getattr(now.project, key), head.below(key, key))
    for kind in in_bridge():
        found.add(_collection(at, was, now, kind.id))
    name = PROPOSALS.id
    found.add(collections(was.proposals, now.proposals, f"{at.address}.{name}", (*at.path, name), "proposal"))
    return found


def _collection(at: At, was: ProjectLedger, now: ProjectLedger, kind: str) -> Differences:
    """What differs in the records of a kind."""
    match kind:
        case "plan":
            return _Plans(was, now).found()
        case "runs":
            return Differences(list(runs(was, now)))
        case "claims":
            return Differences(list(diff_lists(CLAIMS, was.claims, now.claims, at.below(kind, kind))))
    found = collections(getattr(was, kind), getattr(now, kind), f"{at.address}.{kind}", (*at.path, kind), kind)
    if kind != "texts":
        return found
    # Texts move no figure and are not told: the pages show them.
    put = [replace(change, quiet=True) for change in found.put]
    gone = [replace(change, quiet=True) for change in found.gone]
    return Differences(put, gone)


_LISTS = {"accept": ACCEPTED, "descope": DROPS}
"""The lists of project.yaml, by their keys."""


class _Plans:
    """Two plans of a project, by which phases and items have another id, or another place, in the new one."""

    def __init__(self, was: ProjectLedger, now: ProjectLedger) -> None:
        self.old, self.new, self.project_id = was.plan, now.plan, now.id
        self.path: Keys = ("projects", now.id, "plan")
        self.were = _phases_renamed(was.plan, now.plan)
        """New phase -> the old one that it was, for those that have another id."""
        self.held = {name: name for name in was.plan} | {name: new for new, name in self.were.items()}
        """Old phase -> its id in the new plan, if it is there."""
        self.at_old = {item: name for name, phase in was.plan.items() for item in phase.items}
        self.items_were = renames(was.items, now.items)
        self.kept = {*now.items, *self.items_were.values()}

    def found(self) -> Differences:
        """Phases that are new, and what differs in each; what is gone comes apart."""
        found = Differences(gone=list(self._gone()))
        before: str | None = None
        for name, phase in self.new.items():
            found.put += self._phase(name, phase, before)
            before = name
        found.gone += ordered(self.old, self.new, f"{self.project_id}.phases", self.path)
        for name, phase in self.new.items():
            found.put += self._items(name, phase)
            if was := self.old.get(self.were.get(name, name)):
                within = f"{self.project_id}.phases.{name}.items", (*self.path, name, "items")
                found.gone += ordered(was.items, phase.items, *within)
        return found

    def _phase(self, name: str, phase: Phase, before: str | None) -> Iterator[Change]:
        """A phase and its own fields; one that is new comes with those of its items that are new too."""
        at = self._at("phases", name, (*self.path, name), phase)
        if name in self.were:
            was = self.were[name]
            yield renamed(at, self.path, was, self.old[was], phase, before, "phase")
            yield from differences(at, self.old[was], phase, skip=("title", "items"))
        elif name in self.old:
            yield from differences(at, self.old[name], phase, skip=("items",), of="phase")
        else:
            own = {item: record for item, record in phase.items.items() if self._is_new(item)}
            yield added(at, phase.model_copy(update={"items": own}), before, "phase")

    def _at(self, kind: str, name: str, path: Keys, record: Record) -> At:
        address = f"{self.project_id}.{kind}.{name}"
        return At(address, path, record_title(record, name), address)

    def _is_new(self, item: str) -> bool:
        return item not in self.at_old and item not in self.items_were

    def _items(self, phase: str, record: Phase) -> Iterator[Change]:
        whole = phase not in self.old and phase not in self.were
        before: str | None = None
        for name, item in record.items.items():
            at = self._at("plan", name, (*self.path, phase, "items", name), item)
            if not self._is_new(name):
                yield from self._item(at, phase, item, before)
            elif not whole:
                yield added(at, item, before, "item")
            before = name

    def _item(self, at: At, phase: str, item: Item, before: str | None) -> Iterator[Change]:
        """An item that was there before: under another id, in another phase, or with other fields."""
        name = at.path[-1]
        was = self.items_were.get(name, name)
        home = self.at_old[was]
        old, held = self.old[home].items[was], self.held[home]
        if was != name or held != phase:
            swaps = Replacement((*self.path, held, "items", was), REMOVED), Replacement(at.path, old, before)
            said = (
                (was, name)
                if was != name
                else (record_title(self.old[home], home), record_title(self.new[phase], phase))
            )
            kind: Kind = "renamed" if was != name else "moved"
            yield at.change(kind, *said, first_place(old), first_place(item), *swaps, of="item")
        yield from differences(at, old, item, skip=("title",) if was != name else (), of="item")

    def _gone(self) -> Iterator[Change]:
        """Items that are gone from phases that are still there, and phases that are gone with what is still in them."""
        for name, phase in self.old.items():
            held = self.held[name]
            if held not in self.new:
                yield removed(self._at("phases", name, (*self.path, name), phase), phase, "phase")
                continue
            for item, record in phase.items.items():
                if item not in self.kept:
                    path = (*self.path, held, "items", item)
                    yield removed(self._at("plan", item, path, record), record, "item")


def _phases_renamed(old: Mapping[str, Phase], new: Mapping[str, Phase]) -> dict[str, str]:
    """Phases that have another id, with the title and the items that one had which is gone: new id -> old id."""
    gone = {(phase.title, frozenset(phase.items)): name for name, phase in old.items() if name not in new}
    came = ((name, (phase.title, frozenset(phase.items))) for name, phase in new.items() if name not in old)
    return {name: gone.pop(same) for name, same in came if same in gone}
