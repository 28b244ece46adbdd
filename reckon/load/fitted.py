"""What parts of the memory of a configuration say must fit: each its size in one way, and what holds it is a pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.language.text import place_of
from reckon.model import records as r
from reckon.model.bases import chain
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.problem import Problem, nearest

SIZES = ("gb", "gib", "pool", "share", "reckoned")
REST = "rest"


def check_fitted(ledger: Ledger) -> list[Problem]:
    """A problem for each part of the memory of a configuration that cannot mean what it says."""
    found: list[Problem] = []
    for one in ledger.projects.values():
        for name, record in one.configurations.items():
            if not ledger.unread(f"{one.id}.configurations"):
                found += _parts(one, str(name), record)
    return found


def _parts(one: ProjectLedger, name: str, record: r.Configuration) -> Iterator[Problem]:
    whole = _whole(one, name)
    pools = [part for part, each in whole.items() if each.is_pool]
    rests: dict[str, str] = {}
    for part, each in record.memory.items():
        sizes = [key for key in SIZES if getattr(each, key) is not None]
        if len(sizes) > 1:
            wrong = f"`{part}` says how large it is by `{sizes[0]}` and by `{sizes[1]}`"
            yield Problem(place_of(part), wrong, "keep one of them")
        elif each.within is not None and each.is_pool:
            wrong = f"`{part}` is a pool, and a pool stands in no other"
            yield Problem(place_of(each.within), wrong, "leave `within` out")
        elif each.within is not None and each.within not in pools:
            hint = nearest(str(each.within), pools) or "name a part with `pool` or `share`"
            yield Problem(place_of(each.within), f"`{str(each.within)[:60]}` is no pool of this configuration", hint)
        elif each.reckoned == REST and each.within is None:
            yield Problem(place_of(part), f"of which pool `{part}` is the rest is not said", "write `within:`")
        elif each.reckoned == REST:
            first = rests.setdefault(str(each.within), part)
            if first != part:
                wrong = f"`{part}` and `{first}` are both the rest of `{each.within}`"
                yield Problem(place_of(part), wrong, "state the size of one of them")


def _whole(one: ProjectLedger, name: str) -> Mapping[str, r.MemoryPart]:
    """The parts of a configuration with those of its bases; its own take the place of a base's."""
    held = (one.configurations[each].memory for each in reversed(chain(one.configurations, name)))
    return {str(part): record for memory in held for part, record in memory.items()}
