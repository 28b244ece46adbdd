"""Where a project stands, in a few lines and in the tables of its status page: what templates see beside its View."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from reckon.compute.audit.common import is_done
from reckon.model import records as r
from reckon.model.figure import SUMMED, Figure
from reckon.model.finding import Sentence, say
from reckon.model.kinds import CEILING, FINAL, budget_of

from ..rows import FigureRow, Unclear
from ..table import MOST_ROWS, As, Cell, Code, Link, ShareBar, Table, below, figures, joined, known, words
from ..view import MOST_WANTED, View
from .accepted import accepted_breaches
from .basis import expected_losses, known_from, lost, stated_by, untold
from .energy import energy_basis, energy_glance, energy_items, energy_method, energy_totals
from .grants import grants_table, unknown_of_grants
from .imports import imported_line
from .limits import (
    PASSED,
    Reach,
    dates_table,
    is_late,
    limits_table,
    money_by_card,
    money_table,
    one_price,
    unless_passed,
)  # fmt: skip
from .policies import rules_table, verdicts
from .state import ProjectState, chances, near_limits, state_of, version_cell
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

Pairs = Iterator[tuple[str, Cell]]


def glance_table(view: View) -> Table:
    """What stands below the state of a project: a label and what is said of it, a line each."""
    rows = [*_begun(view), *_hours(view), *_expected(view), *_money(view), *_checked(view)]
    return Table([words("At a glance"), words("")], rows)


def _begun(view: View) -> Pairs:
    if view.released:
        yield "Version", version_cell(view)
    elif view.dated:
        yield "Data through", view.through
    if view.ledger.imports and (said := imported_line(view)):
        yield "Imported", (said, ": see the ", Link("imports", "imports.md"))
    complete = view.maybe(FINAL.complete)
    if view.planned and complete:
        see: Cell = (": see ", Link("what is not defined", "#not-defined")) if view.runs else ""
        yield "Work complete", ("not known", see) if complete.missing else ShareBar(complete)


def _hours(view: View) -> Pairs:
    if not view.planned:
        yield "Charged", As(view.fig("actual.total"))
    used = used_share(view)
    bar: Cell = (ShareBar(used), ": ") if used and not used.missing else ""
    for row in budget_rows(view) if view.planned else ():
        best = row.actual, " charged, at best ", row.planned
        yield row.title, (bar, *(best if view.project.plan_is else _charged(row.actual, row.planned, row.remaining)))
        bar = ""
    if view.maybe(CEILING.hours):
        yield CEILING.title, _charged(*map(view.fig, (CEILING.actual, CEILING.hours, CEILING.remaining)))


def _charged(actual: Figure | None, planned: Figure | None, left: Figure | None) -> tuple[Cell, ...]:
    bare = [As(figure, "bare") if figure else None for figure in (actual, left)]
    return (bare[0], " of ", planned, " charged, ", bare[1], " left")


def _expected(view: View) -> Pairs:
    if view.planned and not view.runs:  # a forecast from the plan alone knows no more than the plan
        return
    complete = view.maybe(FINAL.complete)
    if view.planned and (p50 := view.maybe("forecast.p50")):
        yield "Forecast at the end", _forecast(view, p50)
    if state_of(view).word == "done":
        return
    base, extended = (
        [(odds.what, " ", PASSED if odds.passed else odds.chance) for odds in chances(view, among)]
        for among in (False, True)
    )
    if base and not (complete and complete.use == 1):
        yield "Chance of exceeding", joined(base, "; ")
    if extended:
        yield "The same with extensions", joined(extended, "; ")
    if unknown := unknown_of_grants(view):
        yield "Not known of allocations", joined(unknown, "; ")


def _forecast(view: View, p50: Figure) -> Cell:
    low, high = view.fig("forecast.p10"), view.fig("forecast.p90")
    if p50.missing:
        return ("not defined without ", joined(map(Code, p50.missing[:MOST_WANTED])))
    if low.use == high.use:
        return As(p50)
    within = (As(low, "bare"), "–", high, " (from the tenth to the ninetieth percentile), ")
    losses = expected_losses(view)
    return (*within, As(p50, "bare"), " at the median", *((", of which ", losses, " losses") if losses else ()))


def _money(view: View) -> Pairs:
    spent, budget, forecast = (view.maybe(f"money.{name}") for name in ("actual", "final", "forecast_p50"))
    if spent:
        said: list[Cell] = [known(spent) or "–", " spent"]
        if view.planned and budget:
            said += [" of ", known(budget) or "–"]
        if view.planned and forecast and not forecast.missing:
            low, high = (view.fig(f"money.forecast_{name}") for name in ("p10", "p90"))
            said += ["; forecast ", low, " to ", high, ", ", forecast, " at the median"]
        price = one_price(view)
        yield "In money", (*said, *((", at ", price) if price else ()))
    yield from energy_glance(view)
    for field in SUMMED:
        # What runs state of their energy is part of the sum above, where there is one.
        stands = field.key == "energy" and view.maybe("energy.actual")
        if (figure := view.maybe(f"actual.{field.key}")) and not stands:
            yield field.shown, (As(figure), *stated_by(view, figure))


def _checked(view: View) -> Pairs:
    if found := verdicts(view):
        yield "Policies", joined((As(count, "bare"), f" {word}") for count, word in found)
    errors, warnings = (view.severity(name) for name in ("error", "warning"))
    said: tuple[Cell, ...] = (view.many(errors, "error", "errors"), ", ", view.many(warnings, "warning", "warnings"))
    if not (errors or warnings):
        notes = (", ", view.many(view.notes, "note", "notes")) if view.notes else ()
        said = ("nothing contradicts the figures" if not view.doubts else "nothing in the ledger itself", *notes)
    if source := view.in_source:
        said = (*said, "; ", view.many(source, "finding", "findings"), " in the source")
    grave = errors or warnings or view.notes or source
    yield "Audit", (*said, ": see the ", Link("findings", "findings.md")) if grave else said[0]


def dropped_table(view: View) -> Table:
    """What is given up, why, and where the project ends without it and all that stand above it; the first rows."""
    names = ("probability_over_plan", "probability_over_ceiling", "p50", "p90")
    ends = ("saves", *names[:2], "forecast_p50", "forecast_p90")
    rows = [[below(_what(view, drop), drop.why), *(unless_passed(view, f"descope.{number}.{name}") for name in ends)]
            for number, drop in enumerate(view.project.descope[:MOST_ROWS], 1)]  # fmt: skip
    nothing: list[Cell] = ["Nothing", "", *(unless_passed(view, f"forecast.{name}") for name in names)]
    ceiling = figures("Chance of exceeding the ceiling", shown=view.maybe(CEILING.hours) is not None)
    columns = [words(""), *map(figures, ("Saves", "Chance of exceeding the budget")), ceiling,
               *map(figures, ("Median", "Ninetieth percentile"))]  # fmt: skip
    return Table(columns, [nothing, *rows] if rows else [])


def _what(view: View, drop: r.Drop) -> str:
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

    glance = _table(glance_table)
    work = _table(work_table)
    months = _table(months_table)
    limits = _table(limits_table)
    grants = _table(grants_table)
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
    def state(self) -> ProjectState:
        """The state in a word, and why."""
        return state_of(self.view)

    @property
    def energy_method(self) -> Sentence:
        """How energy and emissions come about, and how sure they are."""
        return energy_method(self.view)

    @cached_property
    def chances(self) -> list[tuple[str, Reach]]:
        """How likely budget, ceiling and grants are passed, and which are."""
        near = near_limits(self.view, budget_of(self.view.book.figures, self.view.id))
        return [(what, limit) for what, limit in near if limit.chance and not limit.chance.missing]

    @property
    def unknown_of_grants(self) -> list[Sentence]:
        """Why it is not known what grants of the project were charged, or will be, each reason once."""
        return unknown_of_grants(self.view)

    @property
    def known_from(self) -> Sentence:
        """What tells how far pieces of work are, and of how many."""
        return known_from(self.view)

    @property
    def done(self) -> bool:
        """Whether all planned work is done, so that a forecast has nothing to say."""
        return is_done(self.view.book, self.view.id)

    @property
    def elsewhere(self) -> Sentence:
        """What the status page has besides, as the subject of a sentence."""
        here = (("seeds", self.view.project.seeds), ("attempts that did not complete", self.waste),
                ("the newest runs", True), ("what is left of every limit", self.limits or self.grants))  # fmt: skip
        *most, last = (words for words, there in here if there)
        told = f"{', '.join(most)} and {last}" if most else last
        return say(f"{told[:1].upper()}{told[1:]} are")

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
        """The hours of attempts that did not complete by their status."""
        return causes(self.view)

    @property
    def accepted(self) -> list[Sentence]:
        """What is not kept and accepted, with the reasons."""
        return accepted_breaches(self.view)

    @property
    def lost(self) -> Sentence:
        """What of the hours in attempts that did not complete is lost."""
        return lost(self.view)

    @cached_property
    def unclear(self) -> list[Unclear]:
        """What cannot be estimated at completion, and why."""
        return list(unclear(self.view))
