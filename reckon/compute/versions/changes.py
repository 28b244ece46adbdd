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

from .change import GONE, Change, Swap
from .essence import where
from .lists import ACCEPTED, CLAIMS, DROPS, listed
from .plan import plans
from .records import At, Found, collections, differences, named
from .runs import runs

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


def _shared(old: Ledger, new: Ledger) -> Iterator[Found]:
    for name in CATALOG:
        sides = getattr(old.catalog, name), getattr(new.catalog, name)
        yield collections(*sides, f"catalog.{name}", ("catalog", name), name)
    yield collections(old.allocations, new.allocations, ALLOCATIONS.id, (ALLOCATIONS.id,), ALLOCATIONS.id)


def _project(old: Ledger, new: Ledger, name: str) -> Found:
    was, now = old.projects.get(name), new.projects.get(name)
    at = At(name, ("projects", name), "", name)
    if was is None or now is None:
        one = was or now
        assert one is not None
        place, title = where(one.project), named(one.project, name)
        if was is None:
            swap = Swap(at.path, one, None)
            return Found([Change("added", name, title, now_place=place, swaps=(swap,), record=name, of="project")])
        swap = Swap(at.path, GONE)
        return Found(gone=[Change("removed", name, title, was_place=place, swaps=(swap,), record=name, of="project")])
    return _both(at, was, now)


def _both(at: At, was: ProjectLedger, now: ProjectLedger) -> Found:
    head = At(at.address, (*at.path, "project"), "", at.record)
    found = Found(list(differences(head, was.project, now.project, skip=tuple(_LISTS))))
    for key, entries in _LISTS.items():
        found.put += listed(entries, getattr(was.project, key), getattr(now.project, key), head.below(key, key))
    for kind in in_bridge():
        part = _OWN.get(kind.id, _collection)(at, was, now, kind)
        found.put += part.put
        found.gone[:0] = part.gone
    return found


def _collection(at: At, was: ProjectLedger, now: ProjectLedger, kind: RecordKind) -> Found:
    sides = getattr(was, kind.id), getattr(now, kind.id)
    return collections(*sides, f"{at.address}.{kind.id}", (*at.path, kind.id), kind.id)


def _plan(at: At, was: ProjectLedger, now: ProjectLedger, _: RecordKind) -> Found:
    return plans(was.plan, now.plan, at.address)


def _runs(at: At, was: ProjectLedger, now: ProjectLedger, _: RecordKind) -> Found:
    return Found(list(runs(was.runs, now.runs, at.address)))


def _texts(at: At, was: ProjectLedger, now: ProjectLedger, kind: RecordKind) -> Found:
    """Texts move no figure and are not told: the pages show them."""
    found = _collection(at, was, now, kind)
    return Found(*([replace(change, quiet=True) for change in changed] for changed in (found.put, found.gone)))


def _claims(at: At, was: ProjectLedger, now: ProjectLedger, kind: RecordKind) -> Found:
    return Found(list(listed(CLAIMS, was.claims, now.claims, at.below(kind.id, kind.id))))


_OWN: Mapping[str, Callable[[At, ProjectLedger, ProjectLedger, RecordKind], Found]] = {
    "plan": _plan, "runs": _runs, "texts": _texts, "claims": _claims,
}  # fmt: skip
"""The kinds that are not compared record by record, by their ids."""
_LISTS = {"accept": ACCEPTED, "descope": DROPS}
"""The lists of project.yaml, by their keys."""
