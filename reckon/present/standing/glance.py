"""Where a project stands, in a few lines: at the head of its status page, and as a row of the portfolio."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.figure import SUMMED, Figure

from ..table import As, Cell, Code, Link, ShareBar, Table, joined, known, words
from ..view import MOST_WANTED, View
from .rules import verdicts
from .state import chances, state_of
from .work import budget_rows, used_share

Pairs = Iterator[tuple[str, Cell]]


def glance_table(view: View) -> Table:
    """What stands below the state of a project: a label and what is said of it, a line each."""
    rows = [*_begun(view), *_hours(view), *_expected(view), *_money(view), *_checked(view)]
    return Table([words("At a glance"), words("")], rows)


def version_cell(view: View) -> Cell:
    """What a living page is: a version as it is written, or what has come after the newest release."""
    if not view.released:
        return view.project.version
    release = Link(view.released, f"releases/{view.released}/index.md")
    return ("after ", release, ", data through ", view.through)


def _begun(view: View) -> Pairs:
    yield ("Version", version_cell(view)) if view.released else ("Data through", view.through)
    complete = view.maybe("performance.complete_share")
    if view.planned and complete:
        where = Link("what is not defined", "#not-defined")
        yield "Work complete", ("not known: see ", where) if complete.missing else ShareBar(complete)


def _hours(view: View) -> Pairs:
    if not view.planned:
        yield "Charged", As(view.fig("actual.total"))
    used = used_share(view)
    bar: Cell = (ShareBar(used), ": ") if used and not used.missing else ""
    for row in budget_rows(view) if view.planned else ():
        yield row.title, (bar, *_charged(row.actual, row.planned, row.remaining))
        bar = ""
    if view.maybe("ceiling"):
        yield "Ceiling", _charged(*map(view.fig, ("actual.total", "ceiling", "actual.below_ceiling")))


def _charged(actual: Figure | None, planned: Figure | None, left: Figure | None) -> tuple[Cell, ...]:
    bare = [As(figure, "bare") if figure else None for figure in (actual, left)]
    return (bare[0], " of ", planned, " charged, ", bare[1], " left")


def _expected(view: View) -> Pairs:
    complete = view.maybe("performance.complete_share")
    if view.planned and (p50 := view.maybe("forecast.p50")):
        yield "Forecast at the end", _forecast(view, p50)
    near: list[Cell] = [(what, " ", "passed" if of.passed else of.chance) for what, of in chances(view)]
    if near and state_of(view).word != "done" and not (complete and complete.use == 1):
        yield "Probability of passing", joined(near, "; ")


def _forecast(view: View, p50: Figure) -> Cell:
    low, high = view.fig("forecast.p10"), view.fig("forecast.p90")
    if p50.missing:
        return ("not defined, for want of ", joined(map(Code, p50.missing[:MOST_WANTED])))
    if low.use == high.use:
        return As(p50)
    within = (As(low, "bare"), "–", high, " (from the tenth to the ninetieth percentile), ")
    return (*within, As(p50, "bare"), " at the median")


def _money(view: View) -> Pairs:
    spent, budget, forecast = (view.maybe(f"money.{name}") for name in ("actual", "final", "forecast_p50"))
    if spent:
        said: list[Cell] = [known(spent) or "–", " spent"]
        if view.planned and budget:
            said += [" of ", known(budget) or "–"]
        if view.planned and forecast and not forecast.missing:
            low, high = (view.fig(f"money.forecast_{name}") for name in ("p10", "p90"))
            said += ["; forecast ", low, " to ", high, ", ", forecast, " at the median"]
        yield "In money", (*said, ", at ", view.fig("money.usd_per_gpu_hour"))
    for field in SUMMED:
        if figure := view.maybe(f"actual.{field.key}"):
            yield field.shown, As(figure)


def _checked(view: View) -> Pairs:
    if found := verdicts(view):
        yield "Policies", joined((As(count, "bare"), f" {word}") for count, word in found)
    errors, warnings = (view.severity(name) for name in ("error", "warning"))
    said = (view.many(errors, "error", "errors"), ", ", view.many(warnings, "warning", "warnings"), ": see the ")
    told = (*said, Link("findings", "findings.md"))
    yield "Audit", told if errors or warnings else "nothing contradicts the figures"
