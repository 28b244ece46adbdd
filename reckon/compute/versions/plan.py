"""What differs between two plans: phases and items, which can move from phase to phase. An item is in one place always,
so that every plan between the two can be reckoned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.model.records import Item, Phase

from .change import GONE, Change, Swap
from .essence import where
from .records import At, Found, Keys, added, differences, named, ordered, removed, renamed, renames

Plan = Mapping[str, Phase]


def plans(old: Plan, new: Plan, project: str) -> Found:
    """What differs between two plans of a project."""
    return _Plans(old, new, project).found()


class _Plans:
    def __init__(self, old: Plan, new: Plan, project: str) -> None:
        self.old, self.new, self.project = old, new, project
        self.path: Keys = ("projects", project, "plan")
        self.were = _phases_renamed(old, new)
        """New phase -> the old one that it was, for those that have another id."""
        self.at_old = {str(item): str(name) for name, phase in old.items() for item in phase.items}
        self.at_new = {str(item): str(name) for name, phase in new.items() for item in phase.items}
        self.items_were = renames(_items(old), _items(new))

    def found(self) -> Found:
        """Phases that are new, and what differs in each; what is gone comes apart."""
        found = Found()
        before: str | None = None
        for name, phase in self.new.items():
            found.put += self._phase(str(name), phase, before)
            before = str(name)
        for name, phase in self.new.items():
            found.put += self._items(str(name), phase)
        found.gone = list(self._gone())
        if again := ordered(self.old, self.new, self.were, f"{self.project}.phases", self.path):
            found.gone.append(again)
        for name, phase in self.new.items():
            was = self.old.get(self.were.get(str(name), str(name)))
            within = f"{self.project}.phases.{name}.items", (*self.path, str(name), "items")
            if was and (again := ordered(was.items, phase.items, self.items_were, *within)):
                found.gone.append(again)
        return found

    def _phase(self, name: str, phase: Phase, before: str | None) -> Iterator[Change]:
        """A phase and its own fields; one that is new comes with those of its items that are new too."""
        at = At(
            f"{self.project}.phases.{name}", (*self.path, name), named(phase, name), f"{self.project}.phases.{name}"
        )
        if name in self.were:
            was = self.were[name]
            yield renamed(at, self.path, was, self.old[was], phase, before, "phase")
            yield from differences(at, self.old[was], phase, skip=("title", "items"))
        elif name in self.old:
            yield from differences(at, self.old[name], phase, skip=("items",), of="phase")
        else:
            own = {item: record for item, record in phase.items.items() if self._is_new(str(item))}
            yield added(at, phase.model_copy(update={"items": own}), before, "phase")

    def _is_new(self, item: str) -> bool:
        return item not in self.at_old and item not in self.items_were

    def _items(self, phase: str, record: Phase) -> Iterator[Change]:
        whole = phase not in self.old and phase not in self.were
        before: str | None = None
        for name, item in ((str(name), item) for name, item in record.items.items()):
            path = (*self.path, phase, "items", name)
            at = At(f"{self.project}.plan.{name}", path, named(item, name), f"{self.project}.plan.{name}")
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
                at = At(f"{self.project}.phases.{name}", (*self.path, name), named(phase, name))
                yield removed(at, phase, "phase")
                continue
            for item, record in phase.items.items():
                if item not in kept:
                    at = At(f"{self.project}.plan.{item}", (*self.path, held, "items", str(item)), named(record, item))
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
