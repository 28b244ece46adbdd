"""What an address in a section of a page names: a record and how it is shown, as `measurements.cpu-requests`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .bases import chain
from .ledger import Ledger, ProjectLedger

FIXED_PAGES = ("index", "status", "derivations", "findings", "history", "changes", "releases")
"""Names under docs/<project>/ that are taken."""

CARDS, MODELS, COSTS, PARTS = "specifications", "models", "costs", "parts"
CONFIGURATIONS, TOGETHER = "configurations", "together"
MEMORY, FIT, TIMES = "memory", "fit", "times"


class Shown(NamedTuple):
    """A record of a section: how it is shown, and its id; that of a device is its address.

    What shows all records of a kind together has no id. `card` is the card that memory is shown on, where one is named.
    """

    kind: str
    id: str
    card: str = ""


def showable(ledger: Ledger, one: ProjectLedger) -> dict[str, tuple[Shown, ...]]:
    """All that a section of a project's page can name, by address."""
    return dict(_every(ledger, one))


def _every(ledger: Ledger, one: ProjectLedger) -> Iterator[tuple[str, tuple[Shown, ...]]]:
    records: Mapping[str, Mapping[str, object]] = {
        "measurements": one.measurements, "projections": one.projections, "bounds": one.bounds,
        "configurations": one.configurations, "levers": one.levers, "figures": one.figures,
        "citations": one.project.citations,
    }  # fmt: skip
    for kind, some in records.items():
        for name in some:
            yield f"{kind}.{name}", (Shown(kind, str(name)),)
            for of, part in (("projections", COSTS), ("measurements", PARTS)):
                if kind == of:
                    yield f"{kind}.{name}.{part}", (Shown(part, str(name)),)
    yield from _configured(ledger, one)
    for kind in ("levers", "citations"):
        if records[kind]:
            yield kind, tuple(Shown(kind, str(name)) for name in records[kind])
    catalog = ledger.catalog
    shared: Mapping[str, tuple[str, Mapping[str, object]]] = {
        "catalog.gpus": (CARDS, catalog.gpus), "catalog.devices": (CARDS, catalog.devices),
        "catalog.models": (MODELS, catalog.models),
    }  # fmt: skip
    for at, (kind, some) in shared.items():
        for name in some:
            yield f"{at}.{name}", (Shown(kind, f"{at}.{name}" if kind == CARDS else str(name)),)


def _configured(ledger: Ledger, one: ProjectLedger) -> Iterator[tuple[str, tuple[Shown, ...]]]:
    """Configurations side by side, the memory of each or of all, on which cards they fit, and their times."""
    if one.configurations:
        yield CONFIGURATIONS, (Shown(TOGETHER, ""),)
    cards = tuple(ledger.catalog.gpus)
    filled = [str(name) for name in one.configurations if _holds(one, str(name), "memory")]
    for name in filled:
        yield f"{CONFIGURATIONS}.{name}.{MEMORY}", (Shown(MEMORY, name),)
        yield from ((f"{CONFIGURATIONS}.{name}.on.{card}", (Shown(MEMORY, name, str(card)),)) for card in cards)
    if filled:
        yield MEMORY, (Shown(MEMORY, ""),)
        yield from ((f"{MEMORY}.{card}", (Shown(MEMORY, "", str(card)),)) for card in cards)
        yield FIT, (Shown(FIT, ""),)
    if any(_holds(one, str(name), "hours") for name in one.configurations):
        yield TIMES, (Shown(TIMES, ""),)


def _holds(one: ProjectLedger, name: str, field: str) -> bool:
    """Whether a configuration has something in a field, by itself or through its bases."""
    return any(getattr(one.configurations[each], field) for each in chain(one.configurations, name))
