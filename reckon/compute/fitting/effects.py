"""Levers that may be tried on a configuration, and what each does, at planned values.

The search weighs thousands of sets of levers. It does so in plain arithmetic (`weighing`) that follows `needs` and
`times` step by step; what it finds is then reckoned by the sheet (`trial`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from reckon.model import records as r
from reckon.model.figure import Figure, planned

from .configured import Configured, alike

REJECTED = "rejected"
# Why a lever that has to do with the memory of a configuration is not tried.
UNSTATED, TAKEN, POOLED = "what it saves is not stated", "it sets what {} sets already", "{} is as large as {} says"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a lever does: shares and bytes that it saves of a part, shares of the card that it sets pools to, time.

    `slower` and `slowest` are how many times longer the part of the time takes, planned and at most; None where the
    lever slows it down and does not say by how much.
    """

    name: str
    sets: Mapping[str, object]
    part: str = ""
    saves: Fraction = Fraction(0)
    saves_bytes: Fraction = Fraction(0)
    pools: tuple[tuple[str, Fraction], ...] = ()
    slows: str = ""
    slower: Fraction | None = Fraction(1)
    slowest: Fraction | None = Fraction(1)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The levers that may be tried, in the order of the ledger, and why others that touch the memory may not."""

    effects: tuple[Effect, ...]
    left_out: Mapping[str, str]


def candidates_of(figures: Mapping[str, Figure], configured: Configured) -> Candidates:
    """Levers that name this configuration or none, that are neither rejected nor applied, and free memory by a stated
    amount."""
    effects: list[Effect] = []
    left_out: dict[str, str] = {}
    for name, lever in configured.one.levers.items():
        known = lever.configuration is None or str(lever.configuration) == configured.name
        if not known or lever.status == REJECTED or name in configured.levers or not _touches(configured, lever):
            continue
        effect = effect_of(figures, configured, str(name))
        if rival := _rival(configured, lever):
            left_out[str(name)] = TAKEN.format(rival)
        elif isinstance(effect, str):
            left_out[str(name)] = effect
        else:
            effects.append(effect)
    return Candidates(tuple(effects), left_out)


def _touches(configured: Configured, lever: r.Lever) -> bool:
    """Whether a lever has to do with the memory of a configuration at all."""
    return str(lever.part or "") in configured.parts or any(key in lever.sets for _, key in _pools(configured))


def _pools(configured: Configured) -> Iterator[tuple[str, str]]:
    """The pools of a configuration whose size a setting says, and that setting."""
    for part, (_, record) in configured.parts.items():
        if record.pool is not None:
            yield part, str(record.pool)


def _rival(configured: Configured, lever: r.Lever) -> str:
    """A lever that is applied already and sets the same to another value: both cannot be in force."""
    for name in configured.levers:
        if differ(configured.one.levers[name].sets, lever.sets):
            return name
    return ""


def differ(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two levers set the same setting to different values."""
    return any(key in other and not alike(value, other[key]) for key, value in one.items())  # type: ignore[arg-type]


def effect_of(figures: Mapping[str, Figure], configured: Configured, name: str) -> Effect | str:
    """What a lever does to a configuration, or why that cannot be said."""
    lever, at = configured.one.levers[name], f"{configured.one.id}.levers.{name}"
    part, pools = str(lever.part or ""), []
    for pool, key in _pools(configured):
        if key in lever.sets:
            share = figures.get(f"{at}.sets.{key}")
            if share is None or share.use is None:
                return UNSTATED
            pools.append((pool, share.use))
    record = configured.parts[part][1] if part in configured.parts else None
    saves = saves_bytes = Fraction(0)
    if record is not None and record.is_pool:
        # The setting of a pool says how large it is; what the lever says that it saves is not counted once more.
        if part not in dict(pools):
            return POOLED.format(part, f"`{record.pool}`" if record.pool is not None else "its share")
    elif record is not None:
        stated = [figures.get(f"{at}.{key}") for key in ("saves", "saves_gb") if getattr(lever, key) is not None]
        if not stated or any(one is None or one.use is None for one in stated):
            return UNSTATED
        saves, saves_bytes = (planned(figures.get(f"{at}.{key}")) for key in ("saves", "saves_gb"))
    slows, slower, slowest = time_of(figures, lever, at)
    return Effect(name, lever.sets, part, saves, saves_bytes, tuple(pools), slows, slower, slowest)


def time_of(figures: Mapping[str, Figure], lever: r.Lever, at: str) -> tuple[str, Fraction | None, Fraction | None]:
    """The part of the time that a lever slows down, and how many times longer it makes it, planned and at most."""
    stated = [key for key in ("slower", "throughput_lower") if getattr(lever, key) is not None]
    if not stated:
        return str(lever.slows or ""), *((None, None) if lever.slows is not None else (Fraction(1), Fraction(1)))
    if lever.slows is None:
        return "", None, None
    ends: list[Fraction | None] = []
    for end in ("use", "high"):
        factor: Fraction | None = Fraction(1)
        for key in stated:
            figure = figures.get(f"{at}.{key}")
            given = getattr(figure.value, end) if figure else None
            if factor is None or given is None or (key == "throughput_lower" and given >= 1):
                factor = None
            else:
                factor = factor * (1 + given) if key == "slower" else factor / (1 - given)
        ends.append(factor)
    return str(lever.slows), ends[0], ends[1]
