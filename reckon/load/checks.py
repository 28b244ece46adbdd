"""What records say of each other must fit: settings and their columns, levers, reported figures, parts of memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.language.text import Place, place_of
from reckon.language.units import key_unit, kind_words
from reckon.model import records as r
from reckon.model.finding import Problem, nearest
from reckon.model.ledger import Ledger, ProjectLedger, chain

TIME = (("time", 1),)


SIZES = ("gb", "gib", "pool", "share", "reckoned")
REST = "rest"


def check_records(ledger: Ledger) -> list[Problem]:
    """A problem for each setting, lever, projection and part of the memory that cannot mean what it says."""
    found: list[Problem] = []
    for framework, known in ledger.catalog.settings.items():
        for name, spec in known.settings.items():
            if not ledger.unread(f"catalog.settings.{framework}.settings.{name}"):
                found += _spec(str(name), place_of(name), spec)
    for project in ledger.projects.values():
        for id_, lever in project.levers.items():
            if not ledger.unread(f"{project.id}.levers.{id_}"):
                found += _lever(lever)
        for projection in project.projections.values():
            found += _reported(project, projection)
        if not ledger.unread(f"{project.id}.configurations"):
            for id_, configuration in project.configurations.items():
                found += _parts(project, str(id_), configuration)
    return found


def _spec(name: str, place: Place, spec: r.SettingSpec) -> Iterator[Problem]:
    """A time-out is a time, and what limits a column measures what the column does."""
    kinds = spec.measure(name).kinds
    if spec.role == "request-timeout" and kinds != TIME:
        wrong = f"a time-out is a time, and `{name[:60]}` measures {kind_words(kinds)}"
        yield Problem(place if spec.unit is None else place_of(spec.unit), wrong, "write `unit: seconds`")
    elif spec.of is not None and key_unit(spec.of).kinds != kinds:
        column = f"`{spec.of[:60]}` {kind_words(key_unit(spec.of).kinds)}"
        wrong = f"`{name[:60]}` measures {kind_words(kinds)}, the column {column}"
        yield Problem(place_of(spec.of), wrong, "name the column that it limits, or correct its `unit:`")


def _lever(lever: r.Lever) -> Iterator[Problem]:
    """What a lever is said to lower is among what it sets."""
    for name in lever.lowers:
        if name not in lever.sets:
            yield Problem(place_of(name), f"this lever sets no `{name[:60]}`", nearest(name, lever.sets) or "add it")


def _reported(project: ProjectLedger, projection: r.Projection) -> Iterator[Problem]:
    """What was reported for a projection is a time, as the projection is."""
    named = project.figures.get(str(projection.reported)) if projection.reported is not None else None
    for written in named.figures.values() if named else ():
        if written.unit.kinds != TIME:
            wrong = f"`{str(projection.reported)[:60]}` measures {kind_words(written.unit.kinds)}, a projection time"
            yield Problem(place_of(projection.reported), wrong, "name a figure in hours or another time")


def _parts(project: ProjectLedger, name: str, record: r.Configuration) -> Iterator[Problem]:
    """What the parts of a configuration say: each its size in one way, and what holds it is a pool."""
    pools = [part for part, each in _whole(project, name).items() if each.is_pool]
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


def _whole(project: ProjectLedger, name: str) -> Mapping[str, r.MemoryPart]:
    """The parts of a configuration with those of its bases; its own take the place of a base's."""
    held = (project.configurations[each].memory for each in reversed(chain(project.configurations, name)))
    return {str(part): record for memory in held for part, record in memory.items()}
