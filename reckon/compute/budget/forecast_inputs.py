"""What a forecast reads off the sheet: the pieces of work of a project, its ranges, and hours that are just spent."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from math import fsum
from types import MappingProxyType

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.model.figure import Figure, Figures, missing_of
from reckon.model.ledger import Ids

from ..sheet.cells import Addresses
from .actuals import Tally, by_seed, spent_outside
from .loss_model import LossModel, loss_model
from .payers import Lane, PayerRules
from .random_numbers import DRAWS
from .simulation import DEFAULT_RANGE, Drawn, Learnt, Piece, add_draws, draw_with_losses, floated, learn, spread_of


class Unknown(Exception):
    """A forecast cannot be made because these inputs are missing."""

    def __init__(self, missing: Addresses) -> None:
        super().__init__(*missing)
        self.missing = missing


def demand(figures: Iterable[Figure | None]) -> None:
    """Raises Unknown where any of some figures has no value because inputs are missing."""
    if missing := missing_of(figures):
        raise Unknown(missing)


class Outlook(Struct, frozen=True):
    """The addresses that a project's forecast reads.

    `phases` are its pieces of work, `loose` the hours of a phase that are just spent, `outside` those of no phase;
    `ranges` pairs what states a range of the plan with its weight; `base` names the phases of the base budget;
    `lossy` are pieces of work with failed attempts, and what else of items per seed has some; `begun` says that there
    are runs; `lanes` say who pays for each piece of work, and on which card it is.
    """

    id: str
    seed: int
    phases: Mapping[str, Addresses]
    loose: Mapping[str, Addresses]
    outside: Addresses
    ranges: tuple[tuple[str, str], ...]
    base: Ids
    lossy: frozenset[str] = frozenset()
    begun: bool = False
    lanes: Mapping[str, Lane] = MappingProxyType({})

    def part_of(self, piece: str) -> tuple[str, str]:
        """The item that a piece of work is of, and the seed (empty: all of it), by the address of the piece."""
        item, _, seed = piece.removeprefix(f"{self.id}.plan.").partition(".seeds.")
        return item, seed

    def item_of(self, piece: str) -> str:
        """The item that a piece of work is of."""
        return self.part_of(piece)[0]

    @property
    def extends(self) -> bool:
        """Whether there are extensions beside a base budget."""
        return 0 < len(self.base) < len(self.phases)

    def counted(self, extended: bool) -> Ids:
        """The phases that count: those of the base budget, or all."""
        return tuple(self.phases) if extended or not self.base else self.base

    def needs(self) -> Addresses:
        """The addresses of all that any of its cells reads."""
        pieces = chain.from_iterable(self.phases.values())
        inner = [f"{piece}.{name}" for piece in pieces for name in ("actual", "waste", "complete_share")]
        charged = [f"{self.id}.phases.{phase}.actual" for phase in self.phases] + [f"{self.id}.actual.waste"]
        spent = (*chain.from_iterable(self.loose.values()), *charged, *self.outside, *self.seen())
        return (*inner, *spent, *self.needs_as_planned())

    def needs_as_planned(self) -> Addresses:
        """The addresses of what the draws with nothing begun read."""
        plans = (f"{piece}.bac" for piece in chain.from_iterable(self.phases.values()))
        return (*plans, *chain.from_iterable(self.ranges))

    def shown(self) -> Addresses:
        """The addresses of what the draws rest on, which their derivations show."""
        names = ("finished", "ratio", "spread", *(("lost", "losses_seen") if self.begun else ()))
        return tuple(f"{self.id}.forecast.{name}" for name in names)

    def pieces_in(self, phases: Iterable[str]) -> list[str]:
        """The addresses of the pieces of work of some phases."""
        return [*chain.from_iterable(self.phases[phase] for phase in phases)]

    def _draw(self, pieces: Mapping[str, Piece], learnt: Learnt, losses: LossModel | None) -> dict[Lane, Drawn]:
        """Pieces of work in each draw, by who pays for them and on which card; told apart where not all are paid
        alike."""
        several, found = len({*self.lanes.values()}) > 1, {}
        for lane, addresses in group_by(pieces, lambda at: self.lanes[at]).items():
            stream, its = lane.words if several else "", tuple(pieces[at] for at in addresses)
            found[lane] = draw_with_losses(its, learnt, losses, self.seed, self.id, stream)
        return found

    def as_planned_by_lane(self, figures: Figures, phases: Iterable[str]) -> dict[Lane, Drawn]:
        """Some phases in each draw with nothing begun, by who pays for them and on which card."""
        plans = {at: figures[f"{at}.bac"] for at in self.pieces_in(phases)}
        demand(plans.values())
        waiting = {at: Piece(_float(plan), 0.0, 0.0) for at, plan in plans.items()}
        return self._draw(waiting, learn((), self.spread(figures)), None)

    def as_planned(self, figures: Figures, phases: Iterable[str]) -> list[float]:
        """The hours of some phases in each draw with nothing begun."""
        totals = [0.0] * DRAWS
        for drawn in self.as_planned_by_lane(figures, phases).values():
            totals = add_draws(totals, drawn.totals)
        return totals

    def seen(self) -> Addresses:
        """The addresses of what was lost, by piece of work."""
        return tuple(f"{at}.{name}" for at in sorted(self.lossy) for name in ("lost", "losses"))

    def pieces(self, figures: Figures, phases: Iterable[str], dropped: Container[str] = ()) -> dict[str, Piece]:
        """The pieces of work of some phases by address, those dropped as if they were done. Raises Unknown."""
        found, wanted = {}, list[Figure]()
        for at in self.pieces_in(phases):
            plan, spent, done = (figures[f"{at}.{name}"] for name in ("bac", "actual", "complete_share"))
            # Work that is done needs no plan; it only teaches nothing without one.
            ended = done.use == 1 or at in dropped
            wanted += (spent,) if ended else (spent, plan)
            share = None if done.use is None else floated(done.use)
            found[at] = self._piece(figures, at, 1.0 if ended else share)
        demand(wanted)
        return found

    def learnt(self, figures: Figures) -> Learnt:
        """What the finished work of all phases teaches."""
        finished = [at for at in self.pieces_in(self.phases) if figures[f"{at}.complete_share"].use == 1]
        return learn([self._piece(figures, at, 1) for at in finished], self.spread(figures))

    def _piece(self, figures: Figures, at: str, share: float | None) -> Piece:
        """A piece of work of which such a share is done."""
        plan, spent, lost = (_float(figures[f"{at}.{name}"]) for name in ("bac", "actual", "waste"))
        return Piece(plan, spent, share, lost)

    def losses(self, figures: Figures) -> LossModel | None:
        """What the failed attempts of all phases teach of losses; nothing before the first run."""
        if not self.begun:
            return None
        pieces = [self._piece(figures, at, None) for at in self.pieces_in(self.phases)]
        planned, useful = fsum(piece.plan for piece in pieces), fsum(piece.useful for piece in pieces)
        lossy = sorted(self.lossy)
        number = fsum(_float(figures[f"{at}.losses"]) for at in lossy)
        lost = fsum(_float(figures[f"{at}.lost"]) for at in lossy)
        return loss_model(planned, useful, number, lost)

    def spread(self, figures: Figures) -> float:
        """The spread of the plan's own ranges, each weighing as its item; the default for items without one."""
        return spread_of(_range(figures[stated], figures[weight]) for stated, weight in self.ranges)

    def drawn_by_lane(self, figures: Figures, phases: Iterable[str], dropped: Container[str] = ()) -> dict[Lane, Drawn]:
        """The pieces of work of some phases in each draw, by who pays for them and on which card. Raises Unknown."""
        pieces = self.pieces(figures, phases, dropped)
        return self._draw(pieces, self.learnt(figures), self.losses(figures))

    def coming_by_lane(self, figures: Figures, phases: Sequence[str], is_planned: bool) -> dict[Lane, list[float]]:
        """The hours that are to come in each draw, beyond those that are spent, by who pays for them and on which card;
        as planned, all hours with nothing begun. Raises Unknown."""
        if is_planned:
            return {lane: drawn.totals for lane, drawn in self.as_planned_by_lane(figures, phases).items()}
        by_lane = self.drawn_by_lane(figures, phases)
        spent = dict.fromkeys(by_lane, 0.0)
        for at in self.pieces_in(phases):
            spent[self.lanes[at]] += _float(figures[f"{at}.actual"])
        return {lane: [max(total - spent[lane], 0.0) for total in drawn.totals] for lane, drawn in by_lane.items()}

    def drawn(
        self, figures: Figures, phases: Sequence[str], more: Iterable[str] = (), dropped: Container[str] = ()
    ) -> Drawn:
        """The hours of some phases in each draw, with further hours that are just spent, without what is dropped.
        Raises Unknown."""
        by_lane = self.drawn_by_lane(figures, phases, dropped)
        loose = chain.from_iterable(self.loose[phase] for phase in phases)
        spent = [figures[address] for address in (*more, *loose)]
        demand(spent)
        totals, lost = [fsum(map(_float, spent))] * DRAWS, [0.0] * DRAWS
        for drawn in by_lane.values():
            totals, lost = add_draws(totals, drawn.totals), add_draws(lost, drawn.lost)
        return Drawn(totals, lost)

    def lost(self, figures: Figures, phases: Sequence[str]) -> list[float]:
        """What of the hours of some phases, and of those of no piece of work, is or will be lost, in each draw."""
        lost = self.drawn(figures, phases).lost
        pieces = fsum(_float(figures[f"{at}.waste"]) for at in self.pieces_in(self.phases))
        beside = _float(figures[f"{self.id}.actual.waste"]) - pieces
        return [hours + beside for hours in lost]


def _float(figure: Figure) -> float:
    return floated(figure.use)


def _range(stated: Figure, weight: Figure) -> tuple[float, float, float]:
    low, high = stated.value.low, stated.value.high
    first, last = floated(low), floated(high)
    if high is None or not 0 < first < last:
        return 1.0, float(DEFAULT_RANGE**2), _float(weight)
    return first, last, _float(weight)


def outlook_of(tally: Tally, lossy: frozenset[str], rules: PayerRules) -> Outlook:
    """The outlook of a project from its plan, the sums over its runs, the addresses of what had failed attempts, and
    who pays for its work."""
    project, sheet = tally.project, tally.sheet
    lanes: dict[str, Lane] = {}
    phases: dict[str, Addresses] = {}
    loose: dict[str, Addresses] = {}
    ranges = []
    for phase_name, phase in project.plan.items():
        pieces: list[str] = []
        spent: list[str] = []
        for name, item in phase.items.items():
            at = f"{project.id}.plan.{name}"
            seeds = () if tally.loose(name) else by_seed(project, item)
            own = [f"{at}.seeds.{seed}" for seed in seeds] or [at]
            # No hours of a line of money are to come, and nobody is to pay for them.
            lane = Lane((), tally.target, True) if item.currency else rules.coming(name, tally.spent.last)
            lanes |= dict.fromkeys(own, lane)
            pieces += own
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
        lanes,
    )
