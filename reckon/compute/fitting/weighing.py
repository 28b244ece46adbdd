"""Sets of levers, weighed at planned values: what is missing on a card under each, and what it costs in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from reckon.language.quantity import Value
from reckon.model.figure import Figure, planned

from .configured import Configured
from .effects import Candidates, Effect, differ, time_of
from .times import longer

MOST_TRIED = 12
ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class State:
    """What some levers leave of each part, in bytes, and of each pool, as a share; and how much longer they make each
    part of the time, planned and at most. `unstated` are those that do not say by how much."""

    levers: tuple[Effect, ...]
    parts: Mapping[str, Fraction]
    pools: Mapping[str, Fraction]
    slower: Mapping[str, tuple[Fraction, Fraction]]
    unstated: tuple[str, ...] = ()

    def after(self, effect: Effect) -> State:
        """The state with one lever more, after the others."""
        parts, slower, unstated = self.parts, self.slower, self.unstated
        if effect.part in parts:
            left = parts[effect.part] * (1 - effect.saves) - effect.saves_bytes
            parts = {**parts, effect.part: max(left, Fraction(0))}
        if effect.slower is None or effect.slowest is None:
            unstated = (*unstated, effect.name)
        elif effect.slows:
            use, high = slower.get(effect.slows, (ONE, ONE))
            slower = {**slower, effect.slows: (use * effect.slower, high * effect.slowest)}
        pools = {**self.pools, **dict(effect.pools)} if effect.pools else self.pools
        return State((*self.levers, effect), parts, pools, slower, unstated)


class Weighing:
    """The sets of levers that may be tried on a configuration, each with what it leaves and costs."""

    def __init__(self, figures: Mapping[str, Figure], configured: Configured, candidates: Candidates) -> None:
        self.figures, self.configured, self.effects = figures, configured, candidates.effects
        self.reserve = planned(figures.get(f"{configured.one.id}.reserve_gib"))

    @property
    def greedy(self) -> bool:
        """Whether there are too many levers to try all sets of them."""
        return len(self.effects) > MOST_TRIED

    def states(self, usable: Fraction) -> Sequence[State]:
        """The sets that are tried on a card with so many bytes; none where a part has no planned value."""
        if self.bare is None:
            return ()
        return self._greedily(self.bare, usable) if self.greedy else self._all

    def fitting(self, usable: Fraction) -> Sequence[State]:
        """The sets under which the configuration fits a card with so many bytes, the cheapest first."""
        fitting = [one for one in self.states(usable) if not self.lacking(one, usable)]
        return sorted(fitting, key=lambda one: (*self.cost(one), self.need(one, usable)))

    def nearest(self, usable: Fraction) -> State | None:
        """The set under which least is missing on a card with so many bytes."""
        states = self.states(usable)
        return min(states, key=lambda one: (self.lacking(one, usable), *self.cost(one)), default=None)

    @cached_property
    def bare(self) -> State | None:
        """The configuration as it is; None where a part or a pool has no planned value."""
        at, project = self.configured.at, self.configured.one.id
        parts: dict[str, Fraction] = {}
        pools: dict[str, Fraction] = {}
        for part, (_, record) in self.configured.parts.items():
            if record.is_pool:
                figure = self.figures.get(f"{project}.{self.configured.share_of(part)}")
            elif record.reckoned == "rest":
                continue
            else:
                figure = self.figures.get(f"{project}.{at}.memory.{part}.need_gib")
            if figure is None or figure.use is None:
                if record.within is not None:
                    continue  # it takes nothing beside its pool; whether that holds it is left open, as in the verdict
                return None
            (pools if record.is_pool else parts)[part] = planned(figure)
        return self._slowed(State((), parts, pools, {}))

    def _slowed(self, state: State) -> State:
        """With the time that applied levers cost, save those that the stated time has in it already."""
        source = self.configured.holder("hours")
        held = Configured(self.configured.one, source).levers if source else ()
        slower = dict(state.slower)
        for name in (one for one in self.configured.levers if one not in held):
            lever, at = self.configured.one.levers[name], f"{self.configured.one.id}.levers.{name}"
            part, use, high = time_of(self.figures, lever, at)
            if part and use is not None and high is not None:
                before = slower.get(part, (ONE, ONE))
                slower[part] = before[0] * use, before[1] * high
        return replace(state, slower=slower)

    @cached_property
    def _all(self) -> Sequence[State]:
        """Every set of levers that can be in force together, in the order of the ledger."""
        found = [self.bare] if self.bare else []
        for effect in self.effects:
            found += [one.after(effect) for one in found if _together(one, effect)]
        return found

    def _greedily(self, best: State, usable: Fraction) -> Sequence[State]:
        """One set: what frees most is added until it fits; then what it fits without is taken away, dearest first."""
        while self.lacking(best, usable):
            more = [self._made((*best.levers, one)) for one in self.effects
                    if one not in best.levers and _together(best, one)]  # fmt: skip
            nearest = min(more, key=lambda one: (self.lacking(one, usable), *self.cost(one)), default=best)
            if self.lacking(nearest, usable) >= self.lacking(best, usable):
                return [best]
            best = nearest
        alone = sorted(best.levers, key=lambda one: self.cost(self._made((one,))), reverse=True)
        for effect in alone:
            fewer = self._made(tuple(one for one in best.levers if one != effect))
            best = best if self.lacking(fewer, usable) else fewer
        return [best]

    def _made(self, levers: Sequence[Effect]) -> State:
        """The state that some levers make, in the order of the ledger."""
        assert self.bare is not None
        state = self.bare
        for effect in (one for one in self.effects if one in levers):
            state = state.after(effect)
        return state

    def need(self, state: State, usable: Fraction) -> Fraction:
        """What some levers leave to be needed on a card with so many bytes."""
        parts = self.configured.parts
        outside = (size for part, size in state.parts.items() if parts[part][1].within is None)
        return sum(outside, Fraction(0)) + sum(state.pools.values()) * usable

    def lacking(self, state: State, usable: Fraction) -> Fraction:
        """What is missing on a card, in bytes: of the card beside the reserve, or of a pool for what is in it."""
        short = [self.need(state, usable) + self.reserve - usable]
        for pool, share in state.pools.items():
            inside = (state.parts[part] for part in self.configured.inside(pool) if part in state.parts)
            short.append(sum(inside, Fraction(0)) - share * usable)
        return max(*short, Fraction(0))

    def cost(self, state: State) -> tuple[int, Fraction, int]:
        """What levers cost, to be compared: a slow-down that is not stated is worse than any that is."""
        return len(state.unstated), self.time(state)[0], len(state.levers)

    def time(self, state: State) -> tuple[Fraction, bool]:
        """How many times longer it takes, and whether that is an upper bound, for want of the shares of the time."""
        if not state.slower:
            return ONE, False
        shares = {part: value for part in state.slower if (value := self._share(part))}
        if len(shares) < len(state.slower):
            most = {part: Value(ONE, use, high) for part, (use, high) in state.slower.items()}
            return longer(most, shares, True)[1] or ONE, True
        more = ((shares[part].use or 0) * (use - 1) for part, (use, _) in state.slower.items())
        return sum(more, ONE), False

    def _share(self, part: str) -> Value | None:
        """The share of the time that a part takes; None where it is not known."""
        if not self.configured.share_is_known(part):
            return None
        figure = self.figures.get(f"{self.configured.one.id}.{self.configured.address('time')}.{part}")
        return figure.value if figure else None


def _together(state: State, effect: Effect) -> bool:
    """Whether a lever can be in force beside others: no two set the same to different values."""
    return not any(differ(one.sets, effect.sets) for one in state.levers)
