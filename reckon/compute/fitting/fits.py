"""Whether each configuration fits on each card: the verdict of `memory.judge`, with the reserve and room in pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from reckon.model.figure import Figure, planned
from reckon.model.ledger import Ledger, ProjectLedger

from ..choosing.memory import FITS, NOT, Verdict, usable_at, verdict
from .configured import Configured
from .needs import Pair, pairs_of


@dataclass(frozen=True, slots=True)
class Fitted:
    """A configuration on a card: the verdict (None where something is missing), and the pools that are too small.

    `reserve` is the figure of the memory that is to stay free; None where no reserve is stated.
    """

    pair: Pair
    verdict: Verdict | None
    missing: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    reserve: Figure | None = None


def fits_of(
    figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger, names: Iterable[str] | None = None
) -> Iterator[Fitted]:
    """The verdict on every configuration with memory parts (or on those named) on every card, in order."""
    reserve = figures.get(f"{one.id}.reserve_gib")
    for pair in pairs_of(ledger, one, names):
        need, usable = figures.get(f"{one.id}.{pair.at}.need_gib"), figures.get(usable_at(figures, pair.card))
        if need is None or usable is None:
            continue
        if need.missing or usable.missing:
            yield Fitted(pair, None, need.missing or usable.missing, (), reserve)
            continue
        found = verdict(pair.at, pair.card, need, usable, planned(reserve))
        short = tuple(_short(figures, one, pair))
        if found and short:
            found = replace(found, low=NOT, use=NOT, high=NOT)
        yield Fitted(pair, found, (), short, reserve)


def _short(figures: Mapping[str, Figure], one: ProjectLedger, pair: Pair) -> Iterator[str]:
    """The pools of a configuration that are too small on a card for what stands within them, at planned values."""
    configured = Configured(one, pair.configuration)
    for part, (_, record) in configured.parts.items():
        if not record.is_pool:
            continue
        inside = [figures.get(f"{one.id}.{configured.at}.memory.{name}.need_gib") for name in configured.inside(part)]
        taken = sum((figure.use for figure in inside if figure and figure.use is not None), Fraction(0))
        pool = figures.get(f"{one.id}.{pair.at}.{part}_gib")
        if pool and pool.use is not None and taken > pool.use:
            yield part


def smallest(fitted: list[Fitted], configuration: str) -> str:
    """The card with the least memory on which a configuration fits at planned values; empty where it fits on none."""
    own = [one for one in fitted if one.pair.configuration == configuration]
    found = [one for one in own if one.verdict and one.verdict.use == FITS]
    return min(found, key=_room).pair.card if found else ""


def _room(one: Fitted) -> Fraction:
    assert one.verdict is not None
    assert one.verdict.usable.use is not None
    return one.verdict.usable.use
