"""What records of measuring say of each other must fit: settings and their columns, levers, reported figures."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import Place, place_of
from reckon.language.units import key_unit, kind_words
from reckon.model import records as r
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.problem import Problem, nearest

TIME = (("time", 1),)


def check_measured(ledger: Ledger) -> list[Problem]:
    """A problem for each setting, lever and projection that cannot mean what it says."""
    found: list[Problem] = []
    for framework, record in ledger.catalog.settings.items():
        for name, spec in record.settings.items():
            if not ledger.unread(f"catalog.settings.{framework}.settings.{name}"):
                found += _spec(str(name), place_of(name), spec)
    for one in ledger.projects.values():
        for id_, lever in one.levers.items():
            if not ledger.unread(f"{one.id}.levers.{id_}"):
                found += _lever(lever)
        for projection in one.projections.values():
            found += _reported(one, projection)
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


def _reported(one: ProjectLedger, projection: r.Projection) -> Iterator[Problem]:
    """What was reported for a projection is a time, as the projection is."""
    named = one.figures.get(str(projection.reported)) if projection.reported is not None else None
    for written in named.figures.values() if named else ():
        if written.unit.kinds != TIME:
            wrong = f"`{str(projection.reported)[:60]}` measures {kind_words(written.unit.kinds)}, a projection time"
            yield Problem(place_of(projection.reported), wrong, "name a figure in hours or another time")
