"""Where a project stands, in a few lines and in the tables of its status page: what templates see beside its View."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from reckon.compute.audit.common import is_done
from reckon.model import records as r
from reckon.model.figure import SUMMED, Figure
from reckon.model.finding import Sentence
from reckon.model.kinds import CEILING

from ..table import MOST_ROWS, Cell, CellRows, Table, below, figures, words
from ..table_rows import FigureRow, Unclear
from ..view import View
from ..word_templates import compose, compose_rows
from .accepted_findings import accepted_breaches
from .energy import energy_basis, energy_items, energy_totals, groups_of, spent_energy, uses_board_power
from .forecast_basis import Stating, expected_losses, known_from, stating_runs, untold
from .grants import charged_table, grants_table, unknown_of_grants
from .imports import imported_line
from .limits import (
    dates_table,
    is_late,
    limits_table,
    money_by_card,
    money_table,
    one_price,
    unless_passed,
)
from .policies import rules_table, verdicts
from .state import ProjectState, chances, state_of
from .work import (
    Draw,
    budget_rows,
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


def glance_table(standing: Standing) -> Table:
    """What stands below the state of a project: a label and what is said of it, a line each."""
    view = standing.view
    rows = compose_rows(
        "status",
        "glance",
        standing,
        imported_line(view) if view.ledger.imports else None,
        budget_rows(view) if view.planned else [],
        chances(view),
        chances(view, extended=True),
        expected_losses(view),
        spent_energy(view),
        list(_summed(view)),
    )
    return Table([words("At a glance"), words("")], rows)


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
    nothing: list[Cell] = ["Nothing", "", *(unless_passed(view, f"forecast.{name}") for name in names)]
    ceiling = figures("Chance of exceeding the ceiling", shown=view.maybe(CEILING.hours) is not None)
    columns = [
        words(""),
        *map(figures, ("Saves", "Chance of exceeding the budget")),
        ceiling,
        *map(figures, ("Median", "Ninetieth percentile")),
    ]
    return Table(columns, [nothing, *rows] if rows else [])


def _describe_drop(view: View, drop: r.Drop) -> str:
    parts = [str(view.ledger.items[drop.item].title)] if drop.item is not None else []
    if drop.phase is not None:
        parts.append(str(view.ledger.plan[drop.phase].title))
    if drop.seed is not None:
        parts.append(f"seed {drop.seed}")
    return ", ".join(parts)


def _table(of: Callable[[View], Table]) -> cached_property[Table]:
    """A property that is a table of the project, made once; what is in it, its function says."""
    return cached_property(lambda standing: of(standing.view))


@dataclass(frozen=True)
class Standing:
    """Where a project stands: the tables of its status page. They have no rows where there is nothing to say."""

    view: View

    work = _table(work_table)
    months = _table(months_table)
    limits = _table(limits_table)
    grants = _table(grants_table)
    charged = _table(charged_table)
    dates = _table(dates_table)
    money = _table(money_table)
    money_by_card = _table(money_by_card)
    energy = _table(energy_totals)
    energy_items = _table(energy_items)
    energy_basis = _table(energy_basis)
    reserve = _table(reserve_table)
    drawn = _table(draws_table)
    rules = _table(rules_table)
    waste = _table(waste_table)
    statuses = _table(statuses_table)
    useful = _table(useful_table)
    dropped = _table(dropped_table)
    latest = _table(runs_table)
    earned = _table(earned_table)

    @cached_property
    def glance(self) -> Table:
        """The project at a glance."""
        return glance_table(self)

    @cached_property
    def state(self) -> ProjectState:
        """The state in a word, and why."""
        return state_of(self.view)

    @property
    def energy_method(self) -> Sentence:
        """How energy and emissions come about, and how sure they are."""
        return compose("energy", "method", self.view, groups_of(self.view), uses_board_power(self.view))

    @property
    def unknown_of_grants(self) -> list[Sentence]:
        """Why it is not known what grants of the project were charged, or will be, each reason once."""
        return unknown_of_grants(self.view)

    @property
    def known_from(self) -> Sentence:
        """What tells how far pieces of work are, and of how many."""
        return compose("status", "known_from", known_from(self.view))

    @property
    def done(self) -> bool:
        """Whether all planned work is done, so that a forecast has nothing to say."""
        return is_done(self.view.book, self.view.id)

    @property
    def elsewhere(self) -> Sentence:
        """What the status page has besides, as the subject of a sentence."""
        return compose("status", "elsewhere", self)

    @property
    def late(self) -> bool:
        """Whether a phase cannot end on its day."""
        return any(is_late(self.view, name) for name in self.view.ledger.plan)

    @property
    def untold(self) -> Figure | None:
        """How many pieces of work have begun of which nothing says how much is done."""
        return untold(self.view)

    @property
    def one_price(self) -> Figure | None:
        """The price of an hour, where all that was spent is hours at this one price."""
        return one_price(self.view)

    @property
    def used(self) -> Figure | None:
        """The share of the budget that is spent: of the final one, or of the extended where all is extension."""
        return used_share(self.view)

    @cached_property
    def draws(self) -> list[Draw]:
        """What drew on the contingency."""
        return draws(self.view)

    @cached_property
    def verdicts(self) -> list[tuple[Figure, str]]:
        """How many policies are breached, undecided and kept; what none is, is left out."""
        return verdicts(self.view)

    @cached_property
    def causes(self) -> list[FigureRow]:
        """What attempts lost by their status."""
        return causes(self.view)

    @property
    def accepted(self) -> list[Sentence]:
        """What is not kept and accepted, with the reasons."""
        return accepted_breaches(self.view)

    @cached_property
    def unclear(self) -> list[Unclear]:
        """What cannot be estimated at completion, and why."""
        return list(unclear(self.view))
