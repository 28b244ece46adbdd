"""All differences between two ledgers, in the order in which a bridge takes them.

What others may rest on is put in before them and taken away after them: the catalogue, grants, and project by project
project.yaml, what its plan rests on, the plan, runs, texts and claims; in each file from top to bottom. What is gone
comes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reckon.model.ledger import CATALOG_FILES, Ledger, ProjectLedger

from .change import GONE, Change, Swap
from .essence import where
from .lists import ACCEPTED, CLAIMS, DROPS, listed
from .plan import plans
from .records import At, Found, collections, differences, named
from .runs import runs

RESTED_ON = ("figures", "measurements", "projections", "bounds", "configurations", "levers", "workloads", "setups")
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
    for name in CATALOG_FILES:
        sides = getattr(old.catalog, name), getattr(new.catalog, name)
        yield collections(*sides, f"catalog.{name}", ("catalog", name), name)
    yield collections(old.allocations, new.allocations, "allocations", ("allocations",), "allocations")


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
    found = Found(list(differences(head, was.project, now.project, skip=("accept", "descope"))))
    found.put += listed(ACCEPTED, was.project.accept, now.project.accept, head.below("accept", "accept"))
    found.put += listed(DROPS, was.project.descope, now.project.descope, head.below("descope", "descope"))
    below = [_collection(at, was, now, kind) for kind in RESTED_ON]
    below.append(plans(was.plan, now.plan, at.address))
    for one in below:
        found.put += one.put
        found.gone[:0] = one.gone
    found.put += runs(was.runs, now.runs, at.address)
    texts = _collection(at, was, now, "texts")
    found.put += [replace(one, quiet=True) for one in texts.put]
    found.gone = [*(replace(one, quiet=True) for one in texts.gone), *found.gone]
    found.put += listed(CLAIMS, was.claims, now.claims, at.below("claims", "claims"))
    return found


def _collection(at: At, was: ProjectLedger, now: ProjectLedger, kind: str) -> Found:
    sides = getattr(was, kind), getattr(now, kind)
    return collections(*sides, f"{at.address}.{kind}", (*at.path, kind), kind)
