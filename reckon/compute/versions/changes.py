"""All differences between two ledgers, in the order in which a bridge takes them.

What others may rest on is put in before them and taken away after them: the catalogue, grants, and project by project
project.yaml, what its plan rests on, the plan, runs, texts and claims; in each file from top to bottom. What is gone
comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from reckon.model.kinds import ALLOCATIONS, CATALOG, RecordKind, in_bridge
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Item, Phase
from reckon.model.values import Record

from .change import GONE, Change, Swap
from .essence import where
from .lists import ACCEPTED, CLAIMS, DROPS, listed, runs
from .records import At, Differences, Keys, added, collections, differences, named, ordered, removed, renamed, renames

ORDER = (
    "the catalogue, grants, then each project: project.yaml, what the plan rests on (figures, measurements, "
    "projections, configurations, setups), the plan, runs; in each from top to bottom; what is gone comes last"
)


def changes(old: Ledger, new: Ledger) -> tuple[Change, ...]:
    """All that differs between two ledgers, in the order in which it is swapped."""
    put: list[Change] = []
    gone: list[Change] = []
    for found in (*_shared(old, new), *(_project(old, new, name) for name in {**old.projects, **new.projects})):
        put += found.put
        gone[:0] = found.gone  # what others rest on goes after them
    return (*put, *gone)


def _shared(old: Ledger, new: Ledger) -> Iterator[Differences]:
    for name in CATALOG:
        sides = getattr(old.catalog, name), getattr(new.catalog, name)
        yield collections(*sides, f"catalog.{name}", ("catalog", name), name)
    yield collections(old.allocations, new.allocations, ALLOCATIONS.id, (ALLOCATIONS.id,), ALLOCATIONS.id)


def _project(old: Ledger, new: Ledger, name: str) -> Differences:
    was, now = old.projects.get(name), new.projects.get(name)
    at = At(name, ("projects", name), "", name)
    if was is None or now is None:
        project = was or now
        assert project is not None
        place, title = where(project.project), named(project.project, name)
        swap = Swap(at.path, GONE if now is None else project)
        change = Change("added", name, title, swaps=(swap,), record=name, of="project")
        if now is not None:
            return Differences([replace(change, now_place=place)])
        return Differences(gone=[replace(change, kind="removed", was_place=place)])
    return _both(at, was, now)


def _both(at: At, was: ProjectLedger, now: ProjectLedger) -> Differences:
    head = At(at.address, (*at.path, "project"), "", at.record)
    found = Differences(list(differences(head, was.project, now.project, skip=tuple(_LISTS))))
    for key, entries in _LISTS.items():
        found.put += listed(entries, getattr(was.project, key), getattr(now.project, key), head.below(key, key))
    for kind in in_bridge():
        part = _OWN.get(kind.id, _collection)(at, was, now, kind)
        found.put += part.put
        found.gone[:0] = part.gone
    return found


def _collection(at: At, was: ProjectLedger, now: ProjectLedger, kind: RecordKind) -> Differences:
    sides = getattr(was, kind.id), getattr(now, kind.id)
    return collections(*sides, f"{at.address}.{kind.id}", (*at.path, kind.id), kind.id)


def _plan(at: At, was: ProjectLedger, now: ProjectLedger, _: RecordKind) -> Differences:
    return _Plans(was.plan, now.plan, at.address).found()


def _runs(at: At, was: ProjectLedger, now: ProjectLedger, _: RecordKind) -> Differences:
    return Differences(list(runs(was.runs, now.runs, at.address)))


def _texts(at: At, was: ProjectLedger, now: ProjectLedger, kind: RecordKind) -> Differences:
    """Texts move no figure and are not told: the pages show them."""
    found = _collection(at, was, now, kind)
    return Differences(*([replace(change, quiet=True) for change in changed] for changed in (found.put, found.gone)))


def _claims(at: At, was: ProjectLedger, now: ProjectLedger, kind: RecordKind) -> Differences:
    return Differences(list(listed(CLAIMS, was.claims, now.claims, at.below(kind.id, kind.id))))


_OWN: Mapping[str, Callable[[At, ProjectLedger, ProjectLedger, RecordKind], Differences]] = {
    "plan": _plan, "runs": _runs, "texts": _texts, "claims": _claims,
}  # fmt: skip
"""The kinds that are not compared record by record, by their ids."""
_LISTS = {"accept": ACCEPTED, "descope": DROPS}
"""The lists of project.yaml, by their keys."""


Plan = Mapping[str, Phase]


class _Plans:
    """Two plans of a project, by which phases and items have another id, or another place, in the new one."""

    def __init__(self, old: Plan, new: Plan, project_id: str) -> None:
        self.old, self.new, self.project_id = old, new, project_id
        self.path: Keys = ("projects", project_id, "plan")
        self.were = _phases_renamed(old, new)
        """New phase -> the old one that it was, for those that have another id."""
        self.at_old = {str(item): str(name) for name, phase in old.items() for item in phase.items}
        self.at_new = {str(item): str(name) for name, phase in new.items() for item in phase.items}
        self.items_were = renames(_items(old), _items(new))

    def found(self) -> Differences:
        """Phases that are new, and what differs in each; what is gone comes apart."""
        found = Differences()
        before: str | None = None
        for name, phase in self.new.items():
            found.put += self._phase(str(name), phase, before)
            before = str(name)
        for name, phase in self.new.items():
            found.put += self._items(str(name), phase)
        found.gone = list(self._gone())
        if again := ordered(self.old, self.new, f"{self.project_id}.phases", self.path):
            found.gone.append(again)
        for name, phase in self.new.items():
            was = self.old.get(self.were.get(str(name), str(name)))
            within = f"{self.project_id}.phases.{name}.items", (*self.path, str(name), "items")
            if was and (again := ordered(was.items, phase.items, *within)):
                found.gone.append(again)
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
            own = {item: record for item, record in phase.items.items() if self._is_new(str(item))}
            yield added(at, phase.model_copy(update={"items": own}), before, "phase")

    def _at(self, kind: str, name: str, path: Keys, record: Record) -> At:
        address = f"{self.project_id}.{kind}.{name}"
        return At(address, path, named(record, name), address)

    def _is_new(self, item: str) -> bool:
        return item not in self.at_old and item not in self.items_were

    def _items(self, phase: str, record: Phase) -> Iterator[Change]:
        whole = phase not in self.old and phase not in self.were
        before: str | None = None
        for name, item in ((str(name), item) for name, item in record.items.items()):
            path = (*self.path, phase, "items", name)
            at = self._at("plan", name, path, item)
            if self._is_new(name):
                if not whole:
                    yield added(at, item, before, "item")
            else:
                yield from self._item(at, phase, item, before)
            before = name

    def _item(self, at: At, phase: str, item: Item, before: str | None) -> Iterator[Change]:
        """An item that was there before: under another id, in another phase, or with other fields."""
        name = at.path[-1]
        was = self.items_were.get(name, name)
        home = self.at_old[was]
        old = self.old[home].items[was]
        held = next((new for new, old_phase in self.were.items() if old_phase == home), home)
        away = held != phase
        if was != name or away:
            swaps = (Swap((*self.path, held, "items", was), GONE), Swap(at.path, old, before))
            places = where(old), where(item)
            said = (was, name) if was != name else (named(self.old[home], home), named(self.new[phase], phase))
            kind = "renamed" if was != name else "moved"
            yield Change(kind, at.address, at.title, *said, *places, swaps, at.record, "item")  # type: ignore[arg-type]
        yield from differences(at, old, item, skip=("title",) if was != name else (), of="item")

    def _gone(self) -> Iterator[Change]:
        """Items that are gone from phases that are still there, and phases that are gone with what is still in them."""
        kept = {*self.at_new, *self.items_were.values()}
        for name, phase in ((str(name), phase) for name, phase in self.old.items()):
            held = next((new for new, old in self.were.items() if old == name), name)
            if held not in self.new:
                at = self._at("phases", name, (*self.path, name), phase)
                yield removed(at, phase, "phase")
                continue
            for item, record in phase.items.items():
                if item not in kept:
                    at = self._at("plan", str(item), (*self.path, held, "items", str(item)), record)
                    yield removed(at, record, "item")


def _items(plan: Plan) -> dict[str, Item]:
    return {str(name): item for phase in plan.values() for name, item in phase.items.items()}


def _phases_renamed(old: Plan, new: Plan) -> dict[str, str]:
    """Phases that have another id, with the title and the items that one had which is gone: new id -> old id."""
    gone = {(str(phase.title), frozenset(phase.items)): str(name) for name, phase in old.items() if name not in new}
    found: dict[str, str] = {}
    for name, phase in new.items():
        was = gone.pop((str(phase.title), frozenset(phase.items)), None) if name not in old else None
        if was is not None:
            found[str(name)] = was
    return found
