"""What a forecast reads off the sheet: the pieces of work of a project, its ranges, and hours that are just spent."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from math import fsum

from msgspec import Struct

from reckon.model.figure import Figure, missing_of

from .actuals import Tally, by_seed, spent_outside
from .forecast_draws import DEFAULT_RANGE
from .loss_model import LossModel, loss_model
from .simulation import Drawn, Learnt, Piece, draw_with_losses, floated, learn, spread_of

Figures = Mapping[str, Figure]


class Unknown(Struct, frozen=True):
    """A forecast that cannot be made because these inputs are missing."""

    missing: tuple[str, ...]


class Outlook(Struct, frozen=True):
    """The addresses that a project's forecast reads.

    `phases` are its pieces of work, `loose` the hours of a phase that are just spent, `outside` those of no phase;
    `ranges` pairs what states a range of the plan with its weight; `base` names the phases of the base budget;
    `lossy` are pieces of work with failed attempts, and what else of items per seed has some; `begun` says that there
    are runs.
    """

    id: str
    seed: int
    phases: Mapping[str, tuple[str, ...]]
    loose: Mapping[str, tuple[str, ...]]
    outside: tuple[str, ...]
    ranges: tuple[tuple[str, str], ...]
    base: tuple[str, ...]
    lossy: frozenset[str] = frozenset()
    begun: bool = False

    @property
    def extends(self) -> bool:
        """Whether there are extensions beside a base budget."""
        return 0 < len(self.base) < len(self.phases)

    def needs(self) -> tuple[str, ...]:
        """The addresses of all that any of its cells reads."""
        pieces = chain.from_iterable(self.phases.values())
        inner = [f"{piece}.{name}" for piece in pieces for name in ("actual", "complete_share")]
        charged = [f"{self.id}.phases.{phase}.actual" for phase in self.phases] + [f"{self.id}.actual.waste"]
        spent = (*chain.from_iterable(self.loose.values()), *charged, *self.outside, *self.seen())
        return (*inner, *spent, *self.needs_as_planned())

    def needs_as_planned(self) -> tuple[str, ...]:
        """The addresses of what the draws with nothing begun read."""
        plans = (f"{piece}.bac" for piece in chain.from_iterable(self.phases.values()))
        return (*plans, *chain.from_iterable(self.ranges))

    def as_planned(
        self, figures: Figures, phases: Iterable[str], dropped: Container[str] = ()
    ) -> list[float] | Unknown:
        """The hours of some phases in each draw with nothing begun, without what is dropped."""
        pieces = chain.from_iterable(self.phases[phase] for phase in phases)
        plans = [figures[f"{at}.bac"] for at in pieces if at not in dropped]
        if missing := missing_of(plans):
            return Unknown(missing)
        waiting = [Piece(_float(plan), 0.0, 0.0) for plan in plans]
        return draw_with_losses(waiting, learn((), self.spread(figures)), None, self.seed, self.id).totals

    def seen(self) -> tuple[str, ...]:
        """The addresses of what was lost, by piece of work."""
        return tuple(f"{at}.{name}" for at in sorted(self.lossy) for name in ("lost", "losses"))

    def pieces(self, figures: Figures, phases: Iterable[str], dropped: Container[str] = ()) -> list[Piece] | Unknown:
        """The pieces of work of some phases, those dropped as if they were done; or what is missing to know them."""
        found, missing = [], {}
        for at in chain.from_iterable(self.phases[phase] for phase in phases):
            plan, spent, done = (figures[f"{at}.{name}"] for name in ("bac", "actual", "complete_share"))
            # Work that is done needs no plan; it only teaches nothing without one.
            ended = done.use == 1 or at in dropped
            wanted = (spent,) if ended else (spent, plan)
            missing.update(dict.fromkeys(address for figure in wanted for address in figure.missing))
            if ended:
                share = 1.0
            elif done.use is None:
                share = None
            else:
                share = floated(done.use)
            found.append(Piece(_float(plan), _float(spent), share, self._lost(figures, at)))
        return Unknown(tuple(missing)) if missing else found

    def learnt(self, figures: Figures) -> Learnt:
        """What the finished work of all phases teaches."""
        known = [
            Piece(_float(figures[f"{at}.bac"]), _float(figures[f"{at}.actual"]), 1, self._lost(figures, at))
            for phase in self.phases.values()
            for at in phase
            if figures[f"{at}.complete_share"].use == 1
        ]
        return learn(known, self.spread(figures))

    def _lost(self, figures: Figures, at: str) -> float:
        return _float(figures[f"{at}.lost"]) if at in self.lossy else 0.0

    def losses(self, figures: Figures) -> LossModel | None:
        """What the failed attempts of all phases teach of losses; nothing before the first run."""
        if not self.begun:
            return None
        pieces = [at for phase in self.phases.values() for at in phase]
        planned = fsum(_float(figures[f"{at}.bac"]) for at in pieces)
        useful = fsum(max(_float(figures[f"{at}.actual"]) - self._lost(figures, at), 0.0) for at in pieces)
        lossy = sorted(self.lossy)
        number = fsum(_float(figures[f"{at}.losses"]) for at in lossy)
        lost = fsum(_float(figures[f"{at}.lost"]) for at in lossy)
        return loss_model(planned, useful, number, lost)

    def spread(self, figures: Figures) -> float:
        """The spread of the plan's own ranges, each weighing as its item; the default for items without one."""
        return spread_of(_range(figures[stated], figures[weight]) for stated, weight in self.ranges)

    def drawn(
        self, figures: Figures, phases: Sequence[str], more: Iterable[str] = (), dropped: Container[str] = ()
    ) -> Drawn | Unknown:
        """The hours of some phases in each draw, with further hours that are just spent, without what is dropped."""
        pieces = self.pieces(figures, phases, dropped)
        if isinstance(pieces, Unknown):
            return pieces
        loose = chain.from_iterable(self.loose[phase] for phase in phases)
        spent = [figures[address] for address in (*more, *loose)]
        if missing := missing_of(spent):
            return Unknown(missing)
        sure = fsum(_float(figure) for figure in spent)
        drawn = draw_with_losses(pieces, self.learnt(figures), self.losses(figures), self.seed, self.id)
        return Drawn([sure + hours for hours in drawn.totals], drawn.lost)

    def draws(
        self, figures: Figures, phases: Sequence[str], more: Iterable[str] = (), dropped: Container[str] = ()
    ) -> list[float] | Unknown:
        """The hours alone of each draw."""
        drawn = self.drawn(figures, phases, more, dropped)
        return drawn if isinstance(drawn, Unknown) else drawn.totals

    def lost(self, figures: Figures, phases: Sequence[str]) -> list[float] | Unknown:
        """What of the hours of some phases, and of those of no piece of work, is or will be lost, in each draw."""
        drawn = self.drawn(figures, phases)
        if isinstance(drawn, Unknown):
            return drawn
        pieces = chain.from_iterable(self.phases.values())
        beside = _float(figures[f"{self.id}.actual.waste"]) - fsum(self._lost(figures, at) for at in pieces)
        return [hours + beside for hours in drawn.lost]


def _float(figure: Figure) -> float:
    return floated(figure.use)


def _range(stated: Figure, weight: Figure) -> tuple[float, float, float]:
    low, high = stated.value.low, stated.value.high
    first, last = floated(low), floated(high)
    if high is None or not 0 < first < last:
        return 1.0, float(DEFAULT_RANGE**2), _float(weight)
    return first, last, _float(weight)


def outlook_of(tally: Tally, lossy: frozenset[str]) -> Outlook:
    """The outlook of a project from its plan, the sums over its runs and the addresses of what had failed attempts."""
    project, sheet = tally.project, tally.sheet
    phases: dict[str, tuple[str, ...]] = {}
    loose: dict[str, tuple[str, ...]] = {}
    ranges = []
    for phase_name, phase in project.plan.items():
        pieces: list[str] = []
        spent: list[str] = []
        for name, item in phase.items.items():
            at = f"{project.id}.plan.{name}"
            seeds = () if tally.loose(name) else by_seed(project, item)
            pieces += [f"{at}.seeds.{seed}" for seed in seeds] or [at]
            if seeds and f"{at}.no_seed.actual" in sheet.cells:
                spent.append(f"{at}.no_seed.actual")
            ranges.append((f"{at}.{'gpu_hours' if item.estimate is None else 'estimate'}", f"{at}.bac"))
        if pieces:
            phases[phase_name], loose[phase_name] = tuple(pieces), tuple(spent)
    outside = tuple(f"{project.id}.{address}" for address in spent_outside(sheet, project.id))
    base = tuple(name for name in phases if not project.plan[name].extension)
    return Outlook(
        project.id,
        project.project.forecast_seed or 0,
        phases,
        loose,
        outside,
        tuple(ranges),
        base,
        lossy,
        tally.begun,
    )
