"""Where a project stands, in a few lines and in the tables of its status page: what templates see beside its View."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

from reckon.model import records as r
from reckon.model.figure import SUMMED, Figure
from reckon.model.finding import Sentence
from reckon.model.kinds import CEILING

from ..render.printing import counted
from ..table import MOST_ROWS, CellRow, CellRows, Table, below, figures
from ..view import OfProject, View
from ..word_templates import compose
from .accepted_findings import accepted_breaches
from .dates import dates_table, has_few_days, whole_dates
from .energy import energy_basis, energy_items, energy_totals, groups_of, spent_energy, uses_board_power
from .forecast_basis import Stating, known_from, stating_runs, untold
from .grants import limits_table, payers_table, unknown_of_grants
from .imports import imported_line
from .limits import (
    money_by_card,
    money_lines_table,
    money_table,
    one_price,
    paid,
    unless_passed,
)
from .policies import rules_table, verdicts
from .state import state_of, verdict
from .work import (
    causes,
    draws,
    draws_table,
    earned_table,
    months_table,
    reserve_table,
    runs_table,
    statuses_table,
    unclear,
    used_share,
    useful_table,
    waste_table,
    work_table,
)


def _summed(view: View) -> Iterator[tuple[str, Figure, Stating | None]]:
    """What runs state and is summed: its name, the sum, and how many runs state it, where some do not."""
    for field in SUMMED:
        figure = view.maybe(f"actual.{field.key}")
        # What runs state of their energy is part of the sum of energy, where there is one.
        is_part = field.key == "energy" and view.maybe("energy.actual")
        if figure and not is_part:
            yield field.shown, figure, stating_runs(view, figure)


def dropped_table(view: View) -> Table:
    """What is given up, why, and where the project ends without it and all that stand above it; the first rows."""
    names = ("probability_over_plan", "probability_over_ceiling", "p50", "p90")
    ends = ("saves", *names[:2], "forecast_p50", "forecast_p90")
    rows: CellRows = []
    for number, drop in enumerate(view.project.descope[:MOST_ROWS], 1):
        cells = [unless_passed(view, f"descope.{number}.{name}") for name in ends]
        rows.append([below(_describe_drop(view, drop), drop.why), *cells])
    nothing: CellRow = ["Nothing", "", *(unless_passed(view, f"forecast.{name}") for name in names)]
    ceiling = figures("Risk to the ceiling", shown=view.maybe(CEILING.hours) is not None)
    return Table(
        [
            "",
            *map(figures, ("Saves", "Risk to the budget")),
            ceiling,
            *map(figures, ("Forecast", "P90")),
        ],
        [nothing, *rows] if rows else [],
    )


def _describe_drop(view: View, drop: r.Drop) -> str:
    parts = [str(view.ledger.items[drop.item].title)] if drop.item else []
    if drop.phase:
        parts.append(view.ledger.plan[drop.phase].title)
    if drop.seed:
        parts.append(f"seed {drop.seed}")
    return ", ".join(parts)


Made = TypeVar("Made")


def _of_view(make: Callable[[View], Made]) -> cached_property[Made]:
    """A property that is made of the project, once; what it is, the function says."""
    return cached_property(lambda standing: make(standing.view))


class Standing(OfProject):
    """Where a project stands: the tables of its status page. They have no rows where there is nothing to say."""

    work = _of_view(lambda view: Table(()) if view.planned and not view.runs else work_table(view))
    months = _of_view(months_table)
    limits = _of_view(limits_table)
    payers = _of_view(payers_table)
    dates = _of_view(dates_table)
    whole = _of_view(whole_dates)
    few_days = _of_view(has_few_days)
    money = _of_view(money_table)
    money_by_card = _of_view(money_by_card)
    money_lines = _of_view(money_lines_table)
    energy = _of_view(energy_totals)
    imported = _of_view(imported_line)
    energies = _of_view(spent_energy)
    energy_items = _of_view(energy_items)
    energy_basis = _of_view(energy_basis)
    reserve = _of_view(reserve_table)
    drawn = _of_view(draws_table)
    rules = _of_view(rules_table)
    waste = _of_view(waste_table)
    statuses = _of_view(statuses_table)
    useful = _of_view(useful_table)
    dropped = _of_view(dropped_table)
    latest = _of_view(runs_table)
    earned = _of_view(earned_table)
    state = _of_view(state_of)
    verdict = _of_view(verdict)
    unknown_of_grants = _of_view(unknown_of_grants)
    untold = _of_view(untold)
    paid = _of_view(paid)
    one_price = _of_view(one_price)
    used = _of_view(used_share)
    draws = _of_view(draws)
    verdicts = _of_view(verdicts)
    causes = _of_view(causes)
    accepted = _of_view(accepted_breaches)
    unclear = _of_view(unclear)

    @property
    def stated(self) -> Table:
        """What runs state and is summed, and how many of them state it."""
        rows: CellRows = [
            [field, (sum_, *(compose("status", "stated_by", stating) if stating else ()))]
            for field, sum_, stating in _summed(self.view)
        ]
        return Table(["Stated by runs", ""], rows)

    @property
    def recorded(self) -> Figure:
        """How many runs are recorded."""
        return counted(sum(self.ledger.rows.many), "runs")

    @property
    def audit(self) -> Sentence:
        """How many findings are open."""
        return compose("status", "audit", self.view)

    @property
    def energy_method(self) -> Sentence:
        """How energy and emissions come about, and how sure they are."""
        return compose("energy", "method", self.view, groups_of(self.view), uses_board_power(self.view))

    @property
    def known_from(self) -> Sentence:
        """What tells how far pieces of work are, and of how many."""
        return compose("status", "known_from", known_from(self.view))

    @property
    def done(self) -> bool:
        """Whether all planned work is done, so that a forecast has nothing to say."""
        return self.view.done
