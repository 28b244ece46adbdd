"""What the first page of a tree says before its tables: what the site is, which projects need attention and why, and in
which documents of others something does not follow.

No clock is read: that data is old is seen by how far it lies behind the newest of another project that goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from reckon.language.calendar_days import last_day
from reckon.language.quantity import ZERO
from reckon.model.figure import Figure
from reckon.model.finding import Sentence, joined
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.records.shared import DOCUMENT, EXAMPLE

from .budget.accepted_findings import accepted_breaches
from .budget.budget_headline import budget_answer
from .budget.budget_shares import ending
from .budget.state import BASE_ONLY, dangers, extensions_begun
from .budget.status import Standing
from .portfolio import Portfolio
from .render.printing import several
from .view import View
from .word_templates import compose

STALE_DAYS = 28
"""A project that goes on is said to have old data where its newest is more days before the newest of another."""

MOST_NAMED = 10
"""The most projects that are named as needing attention, and the most documents."""

MOST_TOLD = 20
"""The most projects whose summaries stand on the first page; the pages of all begin with them."""

TONES = ("CAUTION", "WARNING")
"""The tones of states that somebody should look at, the gravest first (`budget/state`)."""


class Wanting(NamedTuple):
    """A project that is to be looked at: what it is in a word or two, why in figures, and the page that says more."""

    view: View
    word: str
    why: Sentence
    page: str


@dataclass(frozen=True)
class FirstPage:
    """The first page, as its template sees it beside the tables of the portfolio."""

    portfolio: Portfolio

    @property
    def main(self) -> Portfolio | None:
        """The shelf that the page is about: the team's own projects, or else what there is; None without projects."""
        return next(iter(self.portfolio.shelves), None)

    @property
    def about(self) -> Sentence:
        """What this site is, without the full stop at its end."""
        main = self.main
        if main is None:
            return ()
        return compose("home", "about", main, self.portfolio.shelves[1:])

    @property
    def is_example(self) -> bool:
        """Whether there are examples alone."""
        return self.main is not None and self.main.origin == EXAMPLE

    @cached_property
    def judged(self) -> list[Standing]:
        """The budgets whose state counts: those of the team, or of examples where there is nothing else."""
        return [] if self.main is None or self.main.origin == DOCUMENT else list(self.main.standings)

    @property
    def answer(self) -> Sentence:
        """Of a single budget what its own first page says first, without the full stop; else nothing."""
        return budget_answer(self.judged[0].view) if len(self.judged) == 1 else ()

    @cached_property
    def wanting(self) -> list[Wanting]:
        """The budgets that need attention, the gravest first: above a limit, likely to be, or with old data."""
        ranked = []
        for standing in self.judged:
            rank, wanting = _judge(standing, self._newest)
            if wanting:
                shares = ending(standing.view)
                ranked.append((rank, -shares.most if shares else ZERO, wanting))
        return [wanting for *_, wanting in sorted(ranked, key=itemgetter(0, 1))]

    @property
    def named(self) -> list[Wanting]:
        """The first of them; `unnamed` counts the others."""
        return self.wanting[:MOST_NAMED]

    @property
    def unnamed(self) -> Figure | None:
        """How many more there are; None where all are named."""
        more = len(self.wanting) - MOST_NAMED
        return several(more, "project") if more > 0 else None

    @property
    def well(self) -> Sentence:
        """What is said where nothing needs attention, without the full stop; empty where no budget can say so."""
        begun = [standing for standing in self.judged if standing.view.planned and standing.view.runs]
        if self.wanting or not self.judged:
            return ()
        if not begun:
            return () if any(standing.view.runs for standing in self.judged) else compose("home", "not_begun")
        base_only = any(standing.state.word == BASE_ONLY for standing in begun)
        warnings = any(standing.view.severity("warning") for standing in self.judged)
        return compose("home", "well", len(begun) == 1, base_only, warnings)

    @property
    def accepted(self) -> list[Wanting]:
        """The first budgets of which something is not kept and accepted, and that need no attention for anything
        else: those that do say it there."""
        well = [standing.view for standing in self.judged if standing.state.tone not in TONES]
        accepted = [
            Wanting(view, "accepted", why, "status") for view in well if (why := joined(accepted_breaches(view)))
        ]
        return accepted[:MOST_NAMED]

    @cached_property
    def contradicted(self) -> list[Wanting]:
        """The documents of others in which figures do not follow, those with most errors first."""
        views = [view for shelf in self.portfolio.shelves if shelf.origin == DOCUMENT for view in shelf.views]
        by_errors = sorted(views, key=lambda view: -len(view.sourced("error")))
        return [
            Wanting(view, "", compose("home", "contradicted", errors), "findings")
            for view in by_errors
            if (errors := view.sourced("error"))
        ]

    @property
    def unpictured(self) -> Figure | None:
        """How many projects with runs have no budget that is known, so that the picture leaves them out."""
        standings = self.portfolio.standings
        left = [standing for standing in standings if standing.view.runs and not ending(standing.view)]
        return several(len(left), "project") if left else None

    @property
    def told(self) -> Sequence[View]:
        """The projects whose summaries stand at the end, by shelf; none where there are more than a page takes."""
        summed_up = [view for shelf in self.portfolio.shelves for view in shelf.views if view.project.summary]
        return summed_up if len(summed_up) <= MOST_TOLD else ()

    @cached_property
    def _newest(self) -> int | None:
        """The newest day of which a budget of the team has data, as a number."""
        return max((last_day(each.view.through) for each in self.judged if each.view.dated), default=None)


def _judge(standing: Standing, newest: int | None) -> tuple[int, Wanting | None]:
    """How grave it is that a project needs attention (0 is gravest), and why; None where it does not."""
    view, state = standing.view, standing.state
    old = _describe_old_data(standing, newest)
    if state.tone in TONES:
        why = joined([reason for reason in (*dangers(view), _describe_forecast(standing), old) if reason])
        return TONES.index(state.tone), Wanting(view, state.word, why, "status")
    return len(TONES), Wanting(view, "old data", old, "status") if old else None


def _describe_old_data(standing: Standing, newest: int | None) -> Sentence:
    """That the data of a project which goes on are old; empty where they are not, or nothing goes on."""
    view = standing.view
    if newest is None or not (view.dated and view.runs) or standing.done or not view.planned:
        return ()
    behind = newest - last_day(view.through)
    if behind <= STALE_DAYS:
        return ()
    return compose("home", "old_data", view.through, behind)


def _describe_forecast(standing: Standing) -> Sentence:
    """Where a project is forecast to end, with the extensions once these have begun; empty where nothing is forecast,
    or nothing but what is spent."""
    view = standing.view
    shares = ending(view)
    total, forecast = view.budget, FINAL.forecast
    extended = view.maybe(f"{EXTENDED.forecast}.p50")
    beyond = total is FINAL and extensions_begun(view) and extended is not None
    if beyond:
        total, forecast = EXTENDED, EXTENDED.forecast
    median = view.maybe(f"{forecast}.p50")
    if shares is None or shares.forecast is None or median is None:
        return ()
    limit = None if standing.state.tone == TONES[0] else view.fig(total.hours)
    return compose("home", "ahead", median, limit, beyond)
