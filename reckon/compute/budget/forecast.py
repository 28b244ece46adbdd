"""The cells of the forecast: where budgets end, how likely limits are exceeded, and what the finished work has taught.

A forecast is of the base budget with its unplanned runs; where there are extensions, `extended` is of everything. A
ceiling and grants are held against base budget and what extensions have spent so far: those to come may never be run.
Where a plan has both, each limit is held against both (`probability_over_LIMIT`): all limits against the same draws, so
that a higher limit is never likelier to be exceeded. Beside each chance stands what it was as planned, from the draws
with nothing begun (`as_planned`).
If there is not enough, the forecast after each entry of `descope` shows what dropping it would save.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import NamedTuple

from msgspec import Struct, structs

from reckon.language.quantity import UNKNOWN, Value, point
from reckon.language.units import GPU_HOURS, PLAIN, Unit
from reckon.model import records as r
from reckon.model.figure import NO_RUN, Figure, Worked
from reckon.model.kinds import EXTENDED, FINAL, Total, as_planned
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Cell, Computed
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .actuals import Tally
from .forecast_draws import DEFAULT_RANGE, DRAWS
from .forecast_inputs import Figures, Outlook, Unknown, outlook_of
from .pace import has_ended
from .payers import is_only_payer, write_left_to_spend
from .simulation import factor, floated, probability, quantile, width

PERCENTS = (10, 50, 90)
Draws = Callable[[Figures], "list[float] | Unknown"]


def write_forecast(sheet: Sheet, tally: Tally, lossy: frozenset[str]) -> Outlook:
    """Writes the forecast of a project; gives back what it reads, for grants that it shares."""
    outlook = outlook_of(tally, lossy)
    project, base = outlook.id, outlook.base
    for name in outlook.phases:
        title = f"{tally.project.plan[name].title}: forecast, P50"
        writer = DrawnFigures(sheet, outlook, lambda figures, name=name: outlook.draws(figures, (name,)))  # type: ignore[misc]
        writer.quantile(f"{project}.phases.{name}.forecast_p50", title, 50, f"{project}.phases.{name}.actual")
    if outlook.phases:
        _learnt(sheet, outlook)
    if base:
        _budget(sheet, outlook, FINAL.forecast, base, FINAL)
    if len(outlook.phases) > len(base):
        at = EXTENDED.forecast if base else FINAL.forecast
        _budget(sheet, outlook, at, tuple(outlook.phases), EXTENDED)
    return outlook


def _learnt(sheet: Sheet, outlook: Outlook) -> None:
    """What the draws rest on: how many pieces of work have finished, and the ratio and spread that they teach."""
    needs, at = outlook.needs(), f"{outlook.id}.forecast"
    spread = (
        f"factor from the median to P90, from finished work and the ranges of the plan ({DEFAULT_RANGE} without one)"
    )
    ratio = "geometric mean of useful / planned hours of finished work, the plan counting as one more piece at 100%"
    for name, title, how, form, value in (
        (
            "finished",
            "Finished pieces of work",
            "items, or seeds of items per seed, that are complete",
            "",
            lambda figures: point(outlook.learnt(figures).finished),
        ),
        ("ratio", "Expected of planned hours", ratio, "%", lambda figures: point(factor(outlook.learnt(figures).mean))),
        ("spread", "Spread of that ratio", spread, "%", lambda figures: point(factor(width(outlook.learnt(figures))))),
    ):

        def figure(figures: Figures, name=name, title=title, how=how, form=form, value=value) -> Figure:  # type: ignore[no-untyped-def]
            return Figure(f"{at}.{name}", title, PLAIN, value(figures), Worked(how), form)

        sheet.write(Cell(f"{at}.{name}", title, PLAIN, Computed(needs, figure), form=form, late=True))


def _budget(sheet: Sheet, outlook: Outlook, name: str, phases: tuple[str, ...], total: Total) -> None:
    """The forecast of a budget, and how likely it and the ceiling are exceeded."""
    project = outlook.id
    at, title = f"{project}.{name}", "Forecast" if total is FINAL else "Forecast with extensions"
    writer = DrawnFigures(sheet, outlook, lambda figures: outlook.draws(figures, phases, outlook.outside))
    for percent in PERCENTS:
        writer.quantile(f"{at}.p{percent}", f"{title}, P{percent}", percent, f"{project}.{total.actual}")
    planned = DrawnFigures(sheet, outlook, lambda figures: outlook.as_planned(figures, phases), is_planned=True)
    writer.odds(planned, f"{at}.probability_over_plan", f"{title}: more than the budget", f"{project}.{total.hours}")
    if outlook.begun:
        lost = DrawnFigures(sheet, outlook, lambda figures: outlook.lost(figures, phases))
        lost.quantile(f"{at}.losses", f"{title}: of which losses, P50", 50, f"{project}.forecast.lost")
    charged = DrawnFigures(sheet, outlook, lambda figures: charges(outlook, figures, phases))
    if f"{project}.ceiling" in sheet.cells:
        words = f"{title}: more than the ceiling"
        charged.odds(planned, f"{at}.probability_over_ceiling", words, f"{project}.ceiling")
    limits: tuple[Total, ...] = ()
    if outlook.extends:
        limits = (FINAL, EXTENDED) if total is FINAL else (FINAL,)
    for limit in limits:
        words = f"{title}, all that is charged: more than the {limit.words}"
        charged.odds(planned, f"{at}.probability_over_{limit.id}", words, f"{project}.{limit.hours}")


def charges(
    outlook: Outlook, figures: Figures, phases: Sequence[str], dropped: Container[str] = ()
) -> list[float] | Unknown:
    """Hours that will be charged in each draw: some phases without what is dropped, and what the others have spent."""
    others = [f"{outlook.id}.phases.{name}.actual" for name in outlook.phases if name not in phases]
    return outlook.draws(figures, phases, (*outlook.outside, *others), dropped)


def write_grants(sheet: Sheet, ledger: Ledger, outlooks: Mapping[str, Outlook], tallies: Mapping[str, Tally]) -> None:
    """Writes, for each grant, the forecast of the projects that share it and how likely they exceed it.

    Where one of them has extensions beside its base budget, the same follows with those. Work to come on its card is
    taken to be charged to it; work on other cards is not. There is no forecast of a grant on another card than its
    projects count in while nothing is planned there, or work that is planned elsewhere runs there, too.
    """
    for name, grant in ledger.allocations.items():
        shared = [outlooks[project] for project in grant.projects if project in outlooks]
        if not shared or any(not outlook.phases for outlook in shared):
            continue
        projects = [_charged_project(ledger, outlook, grant, tallies[outlook.id]) for outlook in shared]
        if not all(project.known for project in projects) or not any(project.works_there for project in projects):
            continue
        alone = all(is_only_payer(ledger, name, tallies[outlook.id]) for outlook in shared)
        _grant(sheet, f"allocations.{name}", str(grant.title), projects, False, alone)
        if any(outlook.extends for outlook in shared):
            write_left_to_spend(sheet, ledger, name, tallies, extended=True)
            _grant(sheet, f"allocations.{name}", f"{grant.title}, with extensions", projects, True, alone)


class _ChargedProject(NamedTuple):
    """A project that draws on a grant: its outlook; the pieces of work that the grant is not charged for; the address
    of what an hour on the grant's card counts as in the project, empty where that is one; whether any work is planned
    on that card; and whether what will run there is known from the plan."""

    outlook: Outlook
    elsewhere: frozenset[str]
    ratio: str
    works_there: bool
    known: bool


def _charged_project(ledger: Ledger, outlook: Outlook, grant: r.Allocation, tally: Tally) -> _ChargedProject:
    project = ledger.projects[outlook.id]
    own, card = str(project.project.gpu), str(grant.gpu)
    if grant.gpu is None:
        return _ChargedProject(outlook, frozenset(), "", works_there=True, known=True)
    there = {name for name, item in project.items.items() if str(item.gpu or own) == card}
    addresses = {f"{project.id}.plan.{name}" for name in there}
    pieces = chain.from_iterable(outlook.phases.values())
    elsewhere = frozenset(piece for piece in pieces if piece.partition(".seeds.")[0] not in addresses)
    if card == own:
        return _ChargedProject(outlook, elsewhere, "", works_there=True, known=True)
    ratio = ratio_address(card, own)
    ran = {traits.item for traits in tally.groups if traits.gpu == card and traits.status != NO_RUN}
    known = ratio in tally.sheet.cells and not (ran & project.items.keys() - there)
    return _ChargedProject(outlook, elsewhere, ratio, bool(there), known)


def _grant(
    sheet: Sheet, grant: str, title: str, projects: Sequence[_ChargedProject], extended: bool, alone: bool
) -> None:
    """The forecast of the projects that share a grant, with all their extensions or without those to come. What was
    likely as planned is known where all of their work there is charged to it alone."""
    at = f"{grant}.extended" if extended else grant
    left = f"{at}.left_to_spend" if f"{at}.left_to_spend" in sheet.cells else ""
    draws = _GrantCharges(f"{grant}.used", left, tuple(projects), extended, has_ended(sheet, grant))
    first, *others = (project.outlook for project in projects)
    writer = DrawnFigures(sheet, first, draws, *others, more=draws.needs())
    for percent in PERCENTS:
        words = f"{title}: forecast of its projects, P{percent}"
        writer.quantile(f"{at}.forecast_p{percent}", words, percent, f"{grant}.used")
    over, words = f"{at}.probability_over", f"{title}: more than granted"
    writer.probability(over, words, f"{grant}.gpu_hours")
    if alone:
        draws = structs.replace(draws, is_planned=True)
        planned = DrawnFigures(sheet, first, draws, *others, more=draws.needs(), is_planned=True)
        planned.probability(as_planned(over), f"{words}, as planned", f"{grant}.gpu_hours")


class _GrantCharges(Struct, frozen=True):
    """Hours that a grant will be charged, in each draw: what is used of it, and what its projects have yet to spend.

    To one that has ended nothing more is charged. What is `left` for the work to come says why that is not known; its
    address is empty where it is known.
    """

    used: str
    left: str
    projects: tuple[_ChargedProject, ...]
    extended: bool
    """Whether extensions to come count."""
    ended: bool = False
    is_planned: bool = False
    """Whether they are those with nothing begun."""

    def needs(self) -> tuple[str, ...]:
        """The addresses that it reads beside those of the outlooks."""
        ratios = tuple(project.ratio for project in self.projects if project.ratio)
        if self.is_planned:
            return ratios
        spent = (f"{project.outlook.id}.actual.total" for project in self.projects)
        left = (self.left,) if self.left else ()
        return (self.used, *left, *spent, *ratios)

    def __call__(self, figures: Figures) -> list[float] | Unknown:
        if missing := tuple(address for at in self.needs() for address in figures[at].missing):
            return Unknown(tuple(dict.fromkeys(missing)))
        totals = [0.0 if self.is_planned else floated(figures[self.used].use)] * DRAWS
        for project in () if self.ended and not self.is_planned else self.projects:
            outlook = project.outlook
            whole = self.extended or not outlook.base
            phases = tuple(outlook.phases) if whole else outlook.base
            draw = outlook.as_planned if self.is_planned else partial(charges, outlook)
            drawn = draw(figures, phases, dropped=project.elsewhere)
            if isinstance(drawn, Unknown):
                return drawn
            spent = 0.0 if self.is_planned else floated(figures[f"{outlook.id}.actual.total"].use)
            ratio = floated(figures[project.ratio].use) if project.ratio else 1.0
            to_come = (max(charged - spent, 0.0) / ratio for charged in drawn)
            totals = [hours + more for hours, more in zip(totals, to_come, strict=True)]
        return totals


class DrawnFigures:
    """Writes figures that are read off the same draws."""

    def __init__(
        self,
        sheet: Sheet,
        outlook: Outlook,
        draws: Draws,
        *others: Outlook,
        more: Iterable[str] = (),
        is_planned: bool = False,
    ) -> None:
        self.sheet, self._draws = sheet, draws
        self._drawn: Sequence[float] | Unknown | None = None
        outlooks = (outlook, *others)
        self.shown: tuple[str, ...] = ()
        if is_planned:
            self.needs = (*more, *(address for shared in outlooks for address in shared.needs_as_planned()))
            return
        self.needs = (*more, *(address for shared in outlooks for address in shared.needs()))
        shown = []
        for shared in outlooks:
            names = ["finished", "ratio", "spread"]
            if shared.begun:
                names += ["lost", "losses_seen"]
            shown += [f"{shared.id}.forecast.{name}" for name in names]
        self.shown = tuple(shown)

    def draws(self, figures: Figures) -> Sequence[float] | Unknown:
        """The draws that all figures of this writer are read off, in order, made once: what is below never changes.

        They are kept as an array, a quarter of the size of a list: a ledger of 500 projects has thousands of them.
        """
        if self._drawn is None:
            drawn = self._draws(figures)
            self._drawn = drawn if isinstance(drawn, Unknown) else array("d", sorted(drawn))
        return self._drawn

    def quantile(self, address: str, title: str, percent: int, least: str) -> None:
        """The hours that a percentage of draws stays below; never less than what is spent."""
        how = f"{percent}% of {DRAWS:,} draws stay below"
        self._write(address, title, GPU_HOURS, how, least, lambda draws, spent: quantile(draws, percent, spent))

    def probability(self, address: str, title: str, limit: str) -> None:
        """The share of draws above a limit."""
        self._write(address, title, PLAIN, f"share of {DRAWS:,} draws above the limit", limit, probability)

    def odds(self, planned: DrawnFigures, address: str, title: str, limit: str) -> None:
        """The same, with what it was as planned: the share of draws with nothing begun."""
        self.probability(address, title, limit)
        planned.probability(as_planned(address), f"{title}, as planned", limit)

    def _write(
        self,
        address: str,
        title: str,
        unit: Unit,
        how: str,
        other: str,
        read: Callable[[Sequence[float], Fraction], Value],
    ) -> None:
        form = "%" if unit is PLAIN else ""

        def figure(figures: Figures) -> Figure:
            against, draws = figures[other], self.draws(figures)
            origin = Worked(how, (against, *(figures[shown] for shown in self.shown)))
            missing = draws.missing if isinstance(draws, Unknown) else against.missing
            if not missing and against.use is None:
                missing = (other,)
            if missing or isinstance(draws, Unknown) or against.use is None:
                return Figure(address, title, unit, UNKNOWN, origin, form, missing)
            return Figure(address, title, unit, read(draws, against.use), origin, form)

        needs = (*self.needs, *self.shown, other)
        self.sheet.write(Cell(address, title, unit, Computed(needs, figure), form=form, late=True))


def write_descoping(sheet: Sheet, outlook: Outlook, project: ProjectLedger) -> None:
    """Writes, for each entry of `descope`, the forecast without it and the chance of exceeding each limit.

    What is dropped keeps what it was charged, and its remaining work falls away. Each row is with all rows above it.
    """
    if not outlook.phases:
        return
    dropped: set[str] = set()
    for number, drop in enumerate(project.project.descope, 1):
        dropped |= set(pieces_of(outlook, project, drop))
        _without(sheet, outlook, number, frozenset(dropped))


def _without(sheet: Sheet, outlook: Outlook, number: int, dropped: frozenset[str]) -> None:
    """The forecast after so many entries are dropped."""
    project, phases = outlook.id, outlook.base or tuple(outlook.phases)
    total = FINAL if outlook.base else EXTENDED
    at, after = f"{project}.descope.{number}", f"after dropping {number}"
    writer = DrawnFigures(sheet, outlook, lambda figures: outlook.draws(figures, phases, outlook.outside, dropped))
    spent = f"{project}.{total.actual}"
    for percent in (50, 90):
        writer.quantile(f"{at}.forecast_p{percent}", f"Forecast {after}, P{percent}", percent, spent)
    writer.probability(f"{at}.probability_over_plan", f"More than the budget {after}", f"{project}.{total.hours}")
    if f"{project}.ceiling" in sheet.cells:
        charged = DrawnFigures(sheet, outlook, lambda figures: charges(outlook, figures, phases, dropped))
        charged.probability(f"{at}.probability_over_ceiling", f"More than the ceiling {after}", f"{project}.ceiling")
    before = f"descope.{number - 1}.forecast_p50" if number > 1 else "forecast.p50"
    formula = f"max({before} - forecast_p50, 0 gpu_hours)"
    sheet.formula(f"{at}.saves", f"Saved by dropping {number}, P50", GPU_HOURS, formula, late=True)


def pieces_of(outlook: Outlook, project: ProjectLedger, drop: r.Drop) -> list[str]:
    """The addresses of the pieces of work that an entry drops."""
    found = []
    for phase, pieces in outlook.phases.items():
        if drop.phase is not None and phase != drop.phase:
            continue
        for piece in pieces:
            item, _, seed = piece.removeprefix(f"{project.id}.plan.").partition(".seeds.")
            if (drop.item is None or item == drop.item) and (drop.seed is None or seed == drop.seed):
                found.append(piece)
    return found
