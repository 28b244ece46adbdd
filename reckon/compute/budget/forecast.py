"""The cells of the forecast: where budgets end, how likely limits are exceeded, and what the finished work has taught.

A forecast is of the base budget with its unplanned runs; where there are extensions, `extended` is of everything. A
ceiling and grants are held against base budget and what extensions have spent so far: those to come may never be run.
Where a plan has both, each limit is held against both (`probability_over_LIMIT`): all limits against the same draws, so
that a higher limit is never likelier to be exceeded. Beside each chance stands what it was as planned, from the draws
with nothing begun (`as_planned`).
If there is not enough, the forecast after each entry of `descope` shows what dropping it would save.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from fractions import Fraction
from itertools import chain

from reckon.language.quantity import ZERO, Value
from reckon.language.units import GPU_HOURS, PLAIN, Unit
from reckon.model import records as r
from reckon.model.figure import Figures
from reckon.model.kinds import EXTENDED, FINAL, Total, as_planned
from reckon.model.ledger import Ids, ProjectLedger

from ..sheet.cells import Result, formula_of, result
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .forecast_inputs import Outlook, Unknown, demand, outlook_of
from .payers import PayerRules
from .random_numbers import DRAWS
from .simulation import DEFAULT_RANGE, PERCENTS, factor, probability, quantile, width

Draws = Callable[[Figures], list[float]]


def write_forecast(sheet: Sheet, tally: Tally, lossy: frozenset[str], rules: PayerRules) -> Outlook:
    """Writes the forecast of a project; gives back what it reads, for grants that it shares."""
    outlook = outlook_of(tally, lossy, rules)
    base = outlook.base
    for name in outlook.phases:
        writer = FigureWriter.of_phase(sheet, tally.project, name)
        drawn = DrawnFigures(writer, outlook, lambda figures, name=name: outlook.drawn(figures, (name,)).totals)  # type: ignore[misc]
        for percent in PERCENTS:
            drawn.quantile(f"forecast_p{percent}", f"forecast, P{percent}", percent, f"{writer.at}.actual")
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
    needs, writer = outlook.needs(), FigureWriter(sheet, f"{outlook.id}.forecast")

    def finished(figures: Figures) -> Result:
        return result(outlook.learnt(figures).finished, "items, or seeds of items per seed, that are complete")

    def ratio(figures: Figures) -> Result:
        how = "geometric mean of useful / planned hours of finished work, the plan counting as one more piece at 100%"
        return result(factor(outlook.learnt(figures).mean), how)

    def spread(figures: Figures) -> Result:
        how = "factor from the median to P90, from finished work and the ranges of the plan"
        return result(factor(width(outlook.learnt(figures))), f"{how} ({DEFAULT_RANGE} without one)")

    writer.compute("finished", "Finished pieces of work", PLAIN, needs, finished, late=True)
    writer.compute("ratio", "Expected of planned hours", PLAIN, needs, ratio, "%", late=True)
    writer.compute("spread", "Spread of that ratio", PLAIN, needs, spread, "%", late=True)


def _budget(sheet: Sheet, outlook: Outlook, name: str, phases: Ids, total: Total) -> None:
    """The forecast of a budget, and how likely it and the ceiling are exceeded."""
    project, title = outlook.id, "Forecast" if total is FINAL else "Forecast with extensions"
    writer = FigureWriter(sheet, f"{project}.{name}")
    drawn = DrawnFigures(writer, outlook, lambda figures: outlook.drawn(figures, phases, outlook.outside).totals)
    for percent in PERCENTS:
        drawn.quantile(f"p{percent}", f"{title}, P{percent}", percent, f"{project}.{total.actual}")
    planned = DrawnFigures(writer, outlook, lambda figures: outlook.as_planned(figures, phases), is_planned=True)
    drawn.odds(planned, "probability_over_plan", f"{title}: more than the budget", f"{project}.{total.hours}")
    if outlook.begun:
        lost = DrawnFigures(writer, outlook, lambda figures: outlook.lost(figures, phases))
        lost.quantile("losses", f"{title}: the part that is lost, P50", 50, f"{project}.forecast.lost")
    charged = DrawnFigures(writer, outlook, lambda figures: charges(outlook, figures, phases))
    if f"{project}.ceiling" in sheet.cells:
        charged.odds(planned, "probability_over_ceiling", f"{title}: more than the ceiling", f"{project}.ceiling")
    limits: tuple[Total, ...] = ()
    if outlook.extends:
        limits = (FINAL, EXTENDED) if total is FINAL else (FINAL,)
    for limit in limits:
        words = f"{title}, all that is charged: more than the {limit.words}"
        charged.odds(planned, f"probability_over_{limit.id}", words, f"{project}.{limit.hours}")


def charges(outlook: Outlook, figures: Figures, phases: Sequence[str], dropped: Container[str] = ()) -> list[float]:
    """Hours that will be charged in each draw: some phases without what is dropped, and what the others have spent."""
    others = [f"{outlook.id}.phases.{name}.actual" for name in outlook.phases if name not in phases]
    return outlook.drawn(figures, phases, (*outlook.outside, *others), dropped).totals


class DrawnFigures:
    """Writes figures that are read off the same draws. Their derivations show what hours are multiplied by: `rates`."""

    def __init__(
        self,
        writer: FigureWriter,
        outlook: Outlook,
        draws: Draws,
        *others: Outlook,
        more: Iterable[str] = (),
        unit: Unit = GPU_HOURS,
        is_planned: bool = False,
        rates: Iterable[str] = (),
    ) -> None:
        self.writer, self._draws, self.unit = writer, draws, unit
        self._drawn: Sequence[float] = ()
        outlooks = (outlook, *others)
        needs = (shared.needs_as_planned() if is_planned else shared.needs() for shared in outlooks)
        self.needs = (*more, *chain.from_iterable(needs))
        learnt = chain.from_iterable(shared.shown() for shared in outlooks)
        self.shown = () if is_planned else (*rates, *learnt)

    def draws(self, figures: Figures) -> Sequence[float]:
        """The draws that all figures of this writer are read off, in order, made once: what is below never changes."""
        self._drawn = self._drawn or sorted(self._draws(figures))
        return self._drawn

    def quantile(self, key: str, words: str, percent: int, least: str = "") -> None:
        """What a percentage of draws stays below; never less than what is spent, or (without that) than nothing."""
        how = f"{percent}% of {DRAWS:,} draws stay below"
        self._write(key, words, self.unit, how, least, lambda draws, spent: quantile(draws, percent, spent))

    def probability(self, key: str, words: str, limit: str) -> None:
        """The share of draws above a limit."""
        self._write(key, words, PLAIN, f"share of {DRAWS:,} draws above the limit", limit, probability)

    def odds(self, planned: DrawnFigures, key: str, words: str, limit: str) -> None:
        """The same, with what it was as planned: the share of draws with nothing begun."""
        self.probability(key, words, limit)
        planned.probability(as_planned(key), f"{words}, as planned", limit)

    def _write(
        self,
        key: str,
        words: str,
        unit: Unit,
        how: str,
        other: str,
        read: Callable[[Sequence[float], Fraction], Value],
    ) -> None:
        needs = [other, *self.shown] if other else self.shown

        def read_off(figures: Figures) -> Result:
            rests_on = [figures[address] for address in needs]
            limit = rests_on[0].use if other else ZERO
            try:
                draws = self.draws(figures)
                demand(rests_on[:1] if other else ())
            except Unknown as unknown:
                return result(0, how, rests_on, unknown.missing)
            return result(0, how, rests_on, [other]) if limit is None else result(read(draws, limit), how, rests_on)

        form = "%" if unit is PLAIN else ""
        self.writer.compute(key, words, unit, (*self.needs, *needs), read_off, form, late=True)


def write_descoping(sheet: Sheet, outlook: Outlook, project: ProjectLedger) -> None:
    """Writes, for each entry of `descope`, the forecast without it and the chance of exceeding each limit.

    What is dropped keeps what it was charged, and its remaining work falls away. Each row is with all rows above it.
    """
    if not outlook.phases:
        return
    dropped: set[str] = set()
    for number, drop in enumerate(project.project.descope, 1):
        dropped |= set(pieces_of(outlook, drop))
        _without(sheet, outlook, number, frozenset(dropped))


def _without(sheet: Sheet, outlook: Outlook, number: int, dropped: frozenset[str]) -> None:
    """The forecast after so many entries are dropped."""
    project, phases = outlook.id, outlook.counted(extended=False)
    total = FINAL if outlook.base else EXTENDED
    writer, after = FigureWriter(sheet, f"{project}.descope.{number}"), f"after dropping {number}"
    drawn = DrawnFigures(
        writer, outlook, lambda figures: outlook.drawn(figures, phases, outlook.outside, dropped).totals
    )
    spent = f"{project}.{total.actual}"
    for percent in (50, 90):
        drawn.quantile(f"forecast_p{percent}", f"Forecast {after}, P{percent}", percent, spent)
    drawn.probability("probability_over_plan", f"More than the budget {after}", f"{project}.{total.hours}")
    if f"{project}.ceiling" in sheet.cells:
        charged = DrawnFigures(writer, outlook, lambda figures: charges(outlook, figures, phases, dropped))
        charged.probability("probability_over_ceiling", f"More than the ceiling {after}", f"{project}.ceiling")
    before = f"descope.{number - 1}.forecast_p50" if number > 1 else "forecast.p50"
    saved = formula_of("max({} - forecast_p50, 0 gpu_hours)", before)
    writer.hours("saves", f"Saved by dropping {number}, P50", saved, late=True)


def pieces_of(outlook: Outlook, drop: r.Drop) -> list[str]:
    """The addresses of the pieces of work that an entry drops."""
    found = []
    for phase, pieces in outlook.phases.items():
        if drop.phase is not None and phase != drop.phase:
            continue
        for piece in pieces:
            item, seed = outlook.part_of(piece)
            if (drop.item is None or item == drop.item) and (drop.seed is None or seed == drop.seed):
                found.append(piece)
    return found
