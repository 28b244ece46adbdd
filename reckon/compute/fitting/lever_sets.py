"""Levers that may be tried on a configuration, what each does, and sets of them weighed at planned values.

The search weighs thousands of sets. It does so in plain arithmetic that follows `memory_needs` and `times` step by
step; what it finds is then calculated by the sheet (`search.Trials`), and a test holds the two against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from msgspec import Struct

from reckon.language.quantity import ONE, ZERO, Value, add_up
from reckon.model.figure import Figures, planned, use_at
from reckon.model.ledger import Ids, ProjectLedger

from .effective_settings import Configured, is_same_setting
from .memory_needs import AMOUNTS
from .times import longer
from .verdict import slowdown_of

MOST_TRIED = 12
REJECTED = "rejected"
# Why a lever that has to do with the memory of a configuration is not tried.
UNSTATED, TAKEN, POOLED = "what it saves is not stated", "it sets what {} sets already", "{} is as large as {} says"


class Effect(Struct, frozen=True):
    """What a lever does: shares and bytes that it saves of a part, shares of the card that it sets pools to, time.

    `slower` and `slowest` are how many times longer the part of the time takes, planned and at most; None where the
    lever slows it down and does not say by how much.
    """

    name: str
    sets: Mapping[str, object]
    part: str = ""
    saves: Fraction = ZERO
    saves_bytes: Fraction = ZERO
    pools: tuple[tuple[str, Fraction], ...] = ()
    slows: str = ""
    slower: Fraction | None = ONE
    slowest: Fraction | None = ONE


class Candidates(Struct, frozen=True):
    """The levers that may be tried, in the order of the ledger, and why others that touch the memory may not."""

    effects: tuple[Effect, ...]
    left_out: Mapping[str, str]


def candidates_of(figures: Figures, configured: Configured) -> Candidates:
    """Levers that name this configuration or none, that are neither rejected nor applied, and free memory by a stated
    amount."""
    effects: list[Effect] = []
    left_out: dict[str, str] = {}
    for name, lever in configured.project.levers.items():
        known = lever.configuration is None or lever.configuration == configured.name
        sized = (lever.part or "") in configured.parts or any(key in lever.sets for _, key in _pools(configured))
        if not known or not sized or lever.status == REJECTED or name in configured.levers:
            continue
        effect = effect_of(figures, configured, name)
        # A lever that is applied already and sets the same to another value: both cannot be in force.
        applied = (other for other in configured.levers if differ(configured.project.levers[other].sets, lever.sets))
        if rival := next(applied, ""):
            left_out[name] = TAKEN.format(rival)
        elif isinstance(effect, str):
            left_out[name] = effect
        else:
            effects.append(effect)
    return Candidates(tuple(effects), left_out)


def _pools(configured: Configured) -> Iterator[tuple[str, str]]:
    """The pools of a configuration whose size a setting says, and that setting."""
    for part, (_, record) in configured.parts.items():
        if record.pool is not None:
            yield part, record.pool


def differ(first: Mapping[str, object], second: Mapping[str, object]) -> bool:
    """Whether two levers set the same setting to different values."""
    return any(key in second and not is_same_setting(value, second[key]) for key, value in first.items())  # type: ignore[arg-type]


def effect_of(figures: Figures, configured: Configured, name: str) -> Effect | str:
    """What a lever does to a configuration, or why that cannot be said."""
    lever, at = configured.project.levers[name], f"{configured.project.id}.levers.{name}"
    part, pools = lever.part or "", []
    for pool, key in _pools(configured):
        if key in lever.sets:
            if (share := use_at(figures, f"{at}.sets.{key}")) is None:
                return UNSTATED
            pools.append((pool, share))
    record = configured.parts[part][1] if part in configured.parts else None
    saves = saves_bytes = ZERO
    if record is not None and record.is_pool:
        # The setting of a pool says how large it is; what the lever says that it saves is not counted once more.
        if part not in dict(pools):
            return POOLED.format(part, f"`{record.pool}`" if record.pool is not None else "its share")
    elif record is not None:
        stated = [use_at(figures, f"{at}.{key}") for key in lever.list_stated(("saves", *AMOUNTS))]
        if not stated or None in stated:
            return UNSTATED
        saves = planned(figures.get(f"{at}.saves"))
        saves_bytes = add_up(planned(figures.get(f"{at}.{key}")) for key in AMOUNTS)
    slows, slower, slowest = time_of(figures, configured.project, name)
    return Effect(name, lever.sets, part, saves, saves_bytes, tuple(pools), slows, slower, slowest)


def time_of(figures: Figures, project: ProjectLedger, name: str) -> tuple[str, Fraction | None, Fraction | None]:
    """The part of the time that a lever slows down, and how many times longer it makes it, planned and at most."""
    lever = project.levers[name]
    if lever.slower is None and lever.throughput_lower is None and lever.slows is None:
        return "", ONE, ONE
    figure = slowdown_of(figures, project, name) if lever.slows is not None else None
    return lever.slows or "", *((figure.value.use, figure.value.high) if figure else (None, None))


class LeverSet(Struct, frozen=True):
    """A set of levers: what they leave of each part, in bytes, and of each pool, as a share; and how much longer they
    make each part of the time, planned and at most. `unstated` are those that do not say by how much."""

    levers: tuple[Effect, ...]
    parts: Mapping[str, Fraction]
    pools: Mapping[str, Fraction]
    slower: Mapping[str, tuple[Fraction, Fraction]]
    unstated: Ids = ()

    @property
    def names(self) -> Ids:
        """The ids of its levers."""
        return tuple(lever.name for lever in self.levers)

    def after(self, effect: Effect) -> LeverSet:
        """The set with one lever more, after the others."""
        parts, slower, unstated = self.parts, self.slower, self.unstated
        if effect.part in parts:
            left = parts[effect.part] * (1 - effect.saves) - effect.saves_bytes
            parts = {**parts, effect.part: max(left, ZERO)}
        if effect.slower is None or effect.slowest is None:
            unstated = (*unstated, effect.name)
        elif effect.slows:
            use, high = slower.get(effect.slows, (ONE, ONE))
            slower = {**slower, effect.slows: (use * effect.slower, high * effect.slowest)}
        pools = {**self.pools, **dict(effect.pools)} if effect.pools else self.pools
        return LeverSet((*self.levers, effect), parts, pools, slower, unstated)


class Weighing:
    """The sets of levers that may be tried on a configuration, each with what it leaves and costs."""

    def __init__(self, figures: Figures, configured: Configured, candidates: Candidates) -> None:
        self.figures, self.configured, self.effects = figures, configured, candidates.effects
        self.reserve = planned(figures.get(f"{configured.project.id}.reserve_gib"))

    @property
    def greedy(self) -> bool:
        """Whether there are too many levers to try all sets of them."""
        return len(self.effects) > MOST_TRIED

    def lever_sets(self, usable: Fraction) -> Sequence[LeverSet]:
        """The sets that are tried on a card with so many bytes; none where a part has no planned value."""
        if self.bare is None:
            return ()
        return self._greedily(self.bare, usable) if self.greedy else self._all

    def fitting(self, usable: Fraction) -> Sequence[LeverSet]:
        """The sets under which the configuration fits a card with so many bytes, the cheapest first."""
        fitting = [lever_set for lever_set in self.lever_sets(usable) if not self.lacking(lever_set, usable)]
        return sorted(fitting, key=lambda lever_set: (*self.cost(lever_set), self.need(lever_set, usable)))

    def nearest(self, usable: Fraction) -> LeverSet | None:
        """The set under which least is missing on a card with so many bytes."""
        return min(self.lever_sets(usable), key=lambda lever_set: self._order(lever_set, usable), default=None)

    def _order(self, lever_set: LeverSet, usable: Fraction) -> tuple[Fraction, int, Fraction, int]:
        """What is missing under a set, then what it costs: the least of it is the nearest."""
        return self.lacking(lever_set, usable), *self.cost(lever_set)

    @cached_property
    def bare(self) -> LeverSet | None:
        """The configuration as it is; None where a part or a pool has no planned value."""
        parts: dict[str, Fraction] = {}
        pools: dict[str, Fraction] = {}
        for part, (_, record) in self.configured.parts.items():
            if record.reckoned == "rest":
                continue
            share, need = self.configured.share_of(part), f"{self.configured.at}.memory.{part}.need_gib"
            figure = self.figures.get(f"{self.configured.project.id}.{share if record.is_pool else need}")
            if figure is None or figure.use is None:
                if record.within is not None:
                    continue  # it takes nothing beside its pool; whether that holds it is left open, as in the verdict
                return None
            (pools if record.is_pool else parts)[part] = planned(figure)
        return LeverSet((), parts, pools, self._slowed())

    def _slowed(self) -> Mapping[str, tuple[Fraction, Fraction]]:
        """The time that applied levers cost, save those that the stated time has in it already."""
        source = self.configured.holder("hours")
        held = Configured(self.configured.project, source).levers if source else ()
        slower: dict[str, tuple[Fraction, Fraction]] = {}
        for name in self.configured.levers:
            part, use, high = time_of(self.figures, self.configured.project, name)
            if name not in held and part and use is not None and high is not None:
                before = slower.get(part, (ONE, ONE))
                slower[part] = before[0] * use, before[1] * high
        return slower

    @cached_property
    def _all(self) -> Sequence[LeverSet]:
        """Every set of levers that can be in force together, in the order of the ledger."""
        found = [self.bare] if self.bare else []
        for effect in self.effects:
            found += [lever_set.after(effect) for lever_set in found if _together(lever_set, effect)]
        return found

    def _greedily(self, best: LeverSet, usable: Fraction) -> Sequence[LeverSet]:
        """One set: what frees most is added until it fits; then what it fits without is taken away, dearest first."""
        while self.lacking(best, usable):
            more = [
                self._made((*best.levers, effect))
                for effect in self.effects
                if effect not in best.levers and _together(best, effect)
            ]
            nearest = min(more, key=lambda lever_set: self._order(lever_set, usable), default=best)
            if self.lacking(nearest, usable) >= self.lacking(best, usable):
                return [best]
            best = nearest
        alone = sorted(best.levers, key=lambda effect: self.cost(self._made((effect,))), reverse=True)
        for effect in alone:
            fewer = self._made(tuple(lever for lever in best.levers if lever != effect))
            best = best if self.lacking(fewer, usable) else fewer
        return [best]

    def _made(self, levers: Sequence[Effect]) -> LeverSet:
        """The set of some levers, in the order of the ledger."""
        assert self.bare is not None
        lever_set = self.bare
        for effect in (effect for effect in self.effects if effect in levers):
            lever_set = lever_set.after(effect)
        return lever_set

    def need(self, lever_set: LeverSet, usable: Fraction) -> Fraction:
        """What some levers leave to be needed on a card with so many bytes."""
        parts = self.configured.parts
        outside = (size for part, size in lever_set.parts.items() if parts[part][1].within is None)
        return add_up(outside) + sum(lever_set.pools.values()) * usable

    def lacking(self, lever_set: LeverSet, usable: Fraction) -> Fraction:
        """What is missing on a card, in bytes: of the card beside the reserve, or of a pool for what is in it."""
        short = [self.need(lever_set, usable) + self.reserve - usable]
        for pool, share in lever_set.pools.items():
            inside = (lever_set.parts[part] for part in self.configured.inside(pool) if part in lever_set.parts)
            short.append(add_up(inside) - share * usable)
        return max(*short, ZERO)

    def cost(self, lever_set: LeverSet) -> tuple[int, Fraction, int]:
        """What levers cost, to be compared: a slow-down that is not stated is worse than any that is."""
        return len(lever_set.unstated), self.time(lever_set)[0], len(lever_set.levers)

    def time(self, lever_set: LeverSet) -> tuple[Fraction, bool]:
        """How many times longer it takes, and whether that is an upper bound, as shares of the time are missing."""
        if not lever_set.slower:
            return ONE, False
        at = f"{self.configured.project.id}.{self.configured.address('time')}"
        known = (part for part in lever_set.slower if self.configured.share_is_known(part))
        shares = {part: figure.value for part in known if (figure := self.figures.get(f"{at}.{part}"))}
        if len(shares) < len(lever_set.slower):
            most = {part: Value(ONE, use, high) for part, (use, high) in lever_set.slower.items()}
            return longer(most, shares, True)[1] or ONE, True
        more = ((shares[part].use or 0) * (use - 1) for part, (use, _) in lever_set.slower.items())
        return sum(more, ONE), False


def _together(lever_set: LeverSet, effect: Effect) -> bool:
    """Whether a lever can be in force beside others: no two set the same to different values."""
    return not any(differ(lever.sets, effect.sets) for lever in lever_set.levers)
