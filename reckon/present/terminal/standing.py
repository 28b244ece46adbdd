"""How a project stands to its limits: pace and dates, contingency, policies, money; each in a line."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.book import Book
from reckon.model.figure import Figure
from reckon.model.kinds import FINAL, TOTALS
from reckon.model.ledger import ProjectLedger

from ..numbers import figure_text, use_text
from ..standing.reaching import is_done, reach
from .bars import bar, listed, use


def standing(book: Book, one: ProjectLedger) -> Iterator[str]:
    """The lines; each is left out where there is nothing to say."""
    for label, text in (
        ("pace", _pace(book, one.id)),
        ("contingency", contingency(book, one.id)),
        ("money", _money(book, one.id)),
        ("policies", policies(book, one.id)),
    ):
        if text:
            yield from listed(label, text)


def _pace(book: Book, at: str) -> str:
    """The present pace, when work is done at it, and when limits are reached that it is likely to come to."""
    pace = book.get(f"{at}.pace.gpu_hours_per_day")
    if pace is None or pace.missing or not pace.use or is_done(book, at):
        return ""
    end = book.get(f"{at}.pace.end")
    days = [f"work done {use(end)} (P50)"] if end and not end.missing else []
    for total in TOTALS.values():
        near, words = reach(book, at, total.id), "budget" if total is FINAL else total.words
        if near and near.day:
            days.append(f"{words} {'passed' if near.passed else 'reached'} {use(near.day)}")
    return f"{figure_text(pace)}" + (f"; {', '.join(days)}" if days else "")


def contingency(book: Book, at: str) -> str:
    """How much of the contingency is drawn and left."""
    planned, drawn, left = (
        book.get(f"{at}.{name}") for name in ("budget.contingency", "contingency.drawn", "contingency.left")
    )
    if planned is None or drawn is None or left is None or left.missing or not planned.use or drawn.use is None:
        return ""
    return f"{bar(drawn.use / planned.use)} drawn; {figure_text(left)} of {use_text(planned)} left"


def _money(book: Book, at: str) -> str:
    parts, ended = [], _use(book, f"{at}.forecast.p10") == _use(book, f"{at}.forecast.p90")
    for name, words in (("actual", "spent"), ("final", "budget"), ("forecast_p50", "forecast P50")):
        figure = book.get(f"{at}.money.{name}")
        if figure and not figure.missing and not (ended and name == "forecast_p50"):
            parts.append(f"{_round(figure)} {words}")
    return ", ".join(parts)


def _use(book: Book, address: str) -> Fraction | None:
    figure = book.get(address)
    return figure.use if figure else None


def _round(figure: Figure) -> str:
    return figure.unit.symbol + use_text(figure)


def policies(book: Book, project: str) -> str:
    """How many policies hold, and which are breached or cannot be decided yet."""
    found = book.policies.get(project, ())
    if not found:
        return ""
    hold = sum(1 for one in found if one.holds)
    parts = [f"{hold:,} hold{'s'[: hold == 1]}"] if hold else []
    for value, words in ((False, "breached"), (None, "not decided yet")):
        names = [one.name + (f" ({one.about})" if one.about else "") for one in found if one.holds is value]
        if names:
            shown = ", ".join(dict.fromkeys(names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
            parts.append(f"{len(names):,} {words}: {shown}" if value is False else f"{len(names):,} {words}")
    return "; ".join(parts)
