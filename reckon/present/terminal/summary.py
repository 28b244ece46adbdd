"""`status`: where each project stands, in lines that fit a terminal of 80 columns.

First what is said of the whole, a line each; then the table of planned, actual, remaining and expected hours by phase,
item and seed; last the grants that projects share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap

from reckon.compute.book import Book
from reckon.language.quantity import point
from reckon.language.text import list_first
from reckon.model.figure import Figure, is_known, missing_of
from reckon.model.kinds import CEILING, EXTENDED, FINAL, TOTALS, called

from ..budget.accepted_findings import accepted_breaches
from ..budget.dates import has_few_days, phase_dates, whole_dates
from ..budget.energy import amount, groups_of
from ..budget.forecast_basis import describe_missing, expected_losses, rests_on, untold
from ..budget.grants import unknown_of_grants
from ..budget.imports import imported_line
from ..budget.limits import ENDED, FEW_DAYS, NO_LIMIT, NOT_KNOWN, PASSED, WITH_EXTENSIONS, reach, reach_grant
from ..budget.state import chances, state_of
from ..budget.work import work_rows
from ..render.escape import terminal
from ..render.numbers import figure_text, format_sentence, use_text
from ..view import View
from .lines import LINE_WIDTH, Lines, bar, contingency, counts, cut, fitted, list_entry, use

TITLE = 22
MOST_ROWS = 200
MOST_DATES = 12
DATES_TITLE = 16
INDENT = {"item": "  ", "seed": "    "}
HoursRow = tuple[str, list[Figure | None]]


def status(book: Book, projects: Sequence[str] = ()) -> Lines:
    """The lines of the summary of some projects, with a row for each item and seed; or of all, without."""
    for number, name in enumerate(projects or book.projects):
        if number:
            yield ""
        yield from map(terminal, _project(View(book, book.projects[name]), bool(projects)))


def shared(book: Book, projects: Sequence[str] = ()) -> Lines:
    """The lines of the grants that some projects share, or all."""
    return map(terminal, _grants(book, projects or list(book.projects)))


def _project(view: View, detail: bool) -> Lines:
    project, book, planned = view.ledger, view.book, view.planned
    runs = sum(project.rows.many)
    until = f"data through {view.through}" if runs else f"plan of {view.project.as_of}"
    yield fitted(f"{view.project.title} {view.project.version} ({view.id})", until)
    if view.kind == "budget":
        yield from _dates(view)
        yield from _state(view)
    if planned and view.in_hours:
        yield from list_entry("budget", _budget(view))
    yield from list_entry("runs", f"{runs:,}{_lost(view)}" if runs else "no runs recorded yet")
    if project.imports:
        yield from list_entry("imported", format_sentence(imported_line(view)))
    if planned and view.in_hours:
        yield from _earned(view)
        if runs:  # a forecast from the plan alone knows no more than the plan
            yield from _outlook(view)
    said = (
        ("pace", _pace(view)),
        ("contingency", contingency(book, view.id)),
        ("money", _money(view)),
        ("energy", _energy(view)),
        ("policies", policies(book, view.id)),
        ("findings", counts(book, view.id)),
    )
    for label, text in said:
        yield from list_entry(label, text)
    if view.in_hours:
        yield from _table(view, detail)


def _state(view: View) -> Lines:
    """The state where somebody should look at it; of any other what is accepted."""
    state = state_of(view)
    if state.grave:
        yield from list_entry("state", f"{state.word}: {format_sentence(state.why)}")
        return
    for breach in accepted_breaches(view):
        yield from list_entry("accepted", format_sentence(breach))


def _budget(view: View) -> str:
    found = []
    for title, total in (("", FINAL), ("with extensions ", EXTENDED), ("ceiling ", CEILING)):
        figure = view.maybe(total.hours)
        if is_known(figure):
            found.append(title + figure_text(figure))
    missing = missing_of(view.maybe(total.hours) for total in (FINAL, EXTENDED))
    if missing and not found:
        found.append(f"unknown without {_describe_missing(view, missing)}")
    return ", ".join(found)


def _lost(view: View) -> str:
    """The share of what was spent that is lost."""
    share = view.maybe("actual.waste_share")
    return f", {figure_text(share)} of their hours lost" if share and share.use else ""


def _earned(view: View) -> Lines:
    """How far the work has come, and where that leads."""
    total = view.budget
    addresses = ("performance.complete_share", "performance.eac", total.left_at_end, total.used_share)
    done, end, left, spent = map(view.maybe, addresses)
    if done and end and left:
        used = f"; {figure_text(spent)} of the budget spent" if is_known(spent) else ""
        yield from list_entry("complete", _or_why(view, done, f"{figure_text(done)} of the work{used}"))
        yield from list_entry("rests on", _basis(view))
        yield from list_entry("EAC", _or_why(view, end, figure_text(end) + _describe_left(left)))


def _basis(view: View) -> str:
    """What the share of the work that is done rests on, by how many pieces of work."""
    parts, blind = [format_sentence(rests_on(view))], untold(view)
    if blind:
        parts.append(f"nothing tells ({use_text(blind)}), where the forecast rests on hours alone")
    return "; ".join(part for part in parts if part)


def _outlook(view: View) -> Lines:
    """The forecast of a project and how likely its limits are exceeded; nothing where all is done."""
    low, middle, high = view.maybe_all("forecast", "p10", "p50", "p90")
    if low and middle and high and (middle.missing or low.use != high.use):
        losses = expected_losses(view)
        of_which = f", of which lost {use_text(losses)}" if losses else ""
        within = f"{use(low)}–{use(high)} GPU-h (P10–P90), P50 {use_text(middle)}{of_which}"
        yield from list_entry("forecast", _or_why(view, middle, within))
        yield from list_entry("chances", _likely(view, False))
    if not view.done:
        yield from list_entry("if extended", _likely(view, True))
        yield from list_entry("not known", "; ".join(map(format_sentence, unknown_of_grants(view))))


def _likely(view: View, extended: bool) -> str:
    """How likely each limit is exceeded by the base plan or with the extensions, or that it is."""
    budget = EXTENDED if extended else view.budget
    told: list[str] = []
    passed: list[str] = []
    for odds in chances(view, extended):
        words = odds.what.replace(budget.words, "budget" if budget is FINAL else budget.words)
        beside = f" ({figure_text(odds.planned)} as planned)" if odds.planned else ""
        if odds.passed:
            passed.append(words)
        else:
            told.append(f"{words} {figure_text(odds.chance)}{beside}")
    found = [f"to exceed {', '.join(told)}"] if told else []
    return "; ".join([*(f"{words} is {PASSED}" for words in passed), *found])


def _or_why(view: View, figure: Figure, text: str) -> str:
    """A text of a figure; or that it is undefined, and the first input that would settle it."""
    return f"undefined without {_describe_missing(view, figure.missing)}" if figure.missing else text


def _describe_missing(view: View, missing: tuple[str, ...]) -> str:
    more = len(missing) - 1
    return cut(describe_missing(view, missing[0]), 50 if more else 58) + (f" and {more:,} more" if more else "")


def _describe_left(left: Figure) -> str:
    """What an estimate at completion leaves of its budget."""
    if left.missing or left.use is None:
        return ""
    if not left.use:
        return ", as budgeted"
    size = figure_text(replace(left, value=point(abs(left.use))))
    return f", {size} {'below' if left.use > 0 else 'above'} the budget"


def _pace(view: View) -> str:
    """The present pace, and when limits are reached that it is likely to come to."""
    pace = view.maybe("pace.gpu_hours_per_day")
    if not is_known(pace) or not pace.use or view.done:
        return ""
    days = []
    for total in TOTALS.values():
        near, words = reach(view.book, view.id, total), called(view.project, total.words).removeprefix("final ")
        if near and near.day:
            beyond = f" {WITH_EXTENSIONS}" if near.beyond else ""
            days.append(f"{words} {'passed' if near.passed else 'reached'} {use(near.day)}{beyond}")
    return f"{figure_text(pace)}" + (f"; {', '.join(days)}" if days else "")


def _dates(view: View) -> Lines:
    """When the work is done, all of it and by phase: at the present pace with its range, and at the earliest."""
    if view.done:
        return
    whole, phases = whole_dates(view), list(phase_dates(view))
    spread = f" ({use(whole.spread[0])} to {use(whole.spread[1])}, P10–P90)" if whole.spread else ""
    parts = [f"{use(whole.done)}{spread}"] if whole.done else []
    parts += [f"{FEW_DAYS} to say at the present pace"] if has_few_days(view) else []
    parts += [f"earliest possible end {use(whole.earliest)}"] if whole.earliest else []
    yield from list_entry("done by", "; ".join(parts))
    if phases:
        headings = ("planned", "P50", "P10", "P90", "earliest")
        yield f"    {'done by':{DATES_TITLE}}" + "".join(f" {heading:>10}" for heading in headings)
    lines = []
    for found in phases:
        ends = (found.done, found.low, found.high, found.earliest)
        days = [found.until, *(use(end) if end else "" for end in ends)]
        late = " late" if found.is_late(found.done) or found.is_late(found.earliest) else ""
        columns = "".join(f" {day:>10}" for day in days)
        lines.append(f"    {cut(found.title, DATES_TITLE):{DATES_TITLE}}{columns}{late}".rstrip())
    yield from list_first(lines, MOST_DATES, "    … and {} more phases: see the status page")


def _money(view: View) -> str:
    """What was spent, the budget and the forecast in money; the forecast from the first run on, until it is certain."""
    low, high = view.maybe_all("forecast", "p10", "p90")
    certain = not view.runs or (low and low.use) == (high and high.use)
    named = {"actual": "spent", "final": "budget", **({} if certain else {"forecast_p50": "forecast P50"})}
    if view.maybe("money.in_kind") and view.maybe("money.below_ceiling"):
        named["paid"] = "of it paid"
    named["ceiling"] = "ceiling of that" if view.maybe("money.in_kind") else "ceiling"
    found = ((view.maybe(f"money.{name}"), words) for name, words in named.items())
    return ", ".join(f"{_amount(figure)} {words}" for figure, words in found if is_known(figure))


def _amount(figure: Figure) -> str:
    return figure_text(figure) if figure.use is None else figure.unit.symbol + use_text(figure)


def _energy(view: View) -> str:
    """Energy and emissions that were taken, with the budget of each."""
    found: list[str] = []
    for group in groups_of(view):
        spent, budget = (amount(view, group, f"{group}.{name}") for name in ("actual", FINAL.id))
        if spent and spent.missing:
            reason = f"unknown without {_describe_missing(view, spent.missing)}"
            found += [] if reason in found else [reason]
            continue
        of = f" of {figure_text(budget)}" if view.planned and is_known(budget) else ""
        found.append(f"{figure_text(spent)}{of}" if spent else "")
    return "; ".join(found)


def policies(book: Book, project_id: str) -> str:
    """How many policies hold, and which are breached or cannot be decided yet."""
    found = book.policies.get(project_id, ())
    hold = sum(1 for result in found if result.holds)
    parts = [f"{hold:,} hold{'s'[: hold == 1]}"] if hold else []
    for value, words in ((False, "breached"), (None, "not decided yet")):
        judged = (result for result in found if result.holds is value)
        names = [result.name + (f" ({result.about})" if result.about else "") for result in judged]
        if names:
            shown = ", ".join(dict.fromkeys(names[:3])) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
            parts.append(f"{len(names):,} {words}: {shown}" if value is False else f"{len(names):,} {words}")
    return "; ".join(parts)


def _table(view: View, detail: bool) -> Lines:
    """The rows of a project's phases and limits; in detail, those of items and seeds too."""
    head = cut(view.hours.replace("GPU-hours", "GPU-h") if "(" in view.hours else view.hours, TITLE + 2)
    if not view.planned:
        yield f"  {head}{'actual':>{TITLE + 11 - len(head)}}"
        for title, figures in [*_plan(view, True), ("Actual", [None, view.fig("actual.total")])]:
            yield f"  {cut(title, TITLE):{TITLE}}{' ' + use(figures[1]):>11}"
        return
    rows = [*_plan(view, detail), *_totals(view)]
    if rows:
        yield f"  {head}{'planned':>{TITLE + 11 - len(head)}}{'actual':>10}{'left':>10}{'EAC':>10}  hours used"
    lines = [f"  {_format_row(title, TITLE + 40, figures)}".rstrip() for title, figures in rows]
    yield from list_first(lines, MOST_ROWS, "  … and {} more rows: see `export`")


def _plan(view: View, detail: bool) -> Iterator[HoursRow]:
    for row in work_rows(view):
        if row.level != "seedless" and (detail or row.level not in INDENT):
            end = view.maybe(f"{row.at}.eac") if row.at else row.actual
            yield INDENT.get(row.level, "") + row.title, [row.planned, row.actual, row.remaining, end]


def _totals(view: View) -> Iterator[HoursRow]:
    for total in TOTALS.values():
        figures = [view.maybe(address) for address in (total.hours, total.actual, total.remaining, total.eac)]
        if figures[0]:
            yield called(view.project, total.title), figures


def _format_row(title: str, width: int, figures: list[Figure | None]) -> str:
    """A title and its figures; long numbers take their place from the title, never from each other."""
    columns = "".join(f"{' ' + use(figure):>10}" for figure in figures)
    room = width - len(columns)
    # That does not measure the work done.
    planned, actual = (figure.use if figure else None for figure in figures[:2])
    used = bar(actual / planned) if planned and actual is not None else ""
    return f"{cut(title, room):{room + 1}}{columns}  {used}"


def _grants(book: Book, project_ids: Sequence[str]) -> Lines:
    """Who pays for some projects: granted, charged, left and to do of each, and how it ends."""
    found = {name: grant for name, grant in book.allocations.items() if set(project_ids) & set(grant.projects)}
    if found:
        headings = "".join(f"{heading:>10}" for heading in ("granted", "charged", "left", "to do"))
        yield f"{'Who pays':{_WHO}}{headings}"
    for name, grant in found.items():
        unit = "" if grant.amount_key == "gpu_hours" else cut(f", {grant.unit_words}", _WHO // 2)
        figures = book.get_all(f"allocations.{name}", "granted", "used", "left", "to_do")
        columns = "".join(f"{' ' + use(figure):>10}" for figure in figures)
        title = cut(grant.title, _WHO - 2 - len(unit)) + unit
        yield f"  {title:{_WHO - 2}}{columns}"
        yield from wrap(_ends(book, name), LINE_WIDTH, initial_indent="    ", subsequent_indent="    ")
    for project_id in project_ids:
        yield from _unnamed(book, project_id)


_WHO = 36
"""How wide the titles of allocations are."""


def _unnamed(book: Book, project_id: str) -> Lines:
    """Hours and work of a project for which several allocations could be charged."""
    held, left, to_do = book.get_all(f"{project_id}.payers.unnamed", "held", "left", "to_do")
    if held:
        columns = "".join(f"{use(figure):>10}" for figure in (None, held, left, to_do))
        yield f"  {'payer not named':{_WHO - 2}}{columns}"


def _ends(book: Book, name: str) -> str:
    """When a grant ends or has ended, and what that leaves unused; or when it is used up, or was."""
    near = reach_grant(book, name) or NO_LIMIT
    end, unused, short = book.get_all(f"allocations.{name}", "end", "unused", "short_by")
    unit, lacks = book.allocations[name].unit_words, f"; short by {use(short)}" if short and short.use else ""
    if near.passed:
        return (f"overdrawn since {use(near.day)}" if near.day else "overdrawn") + lacks
    ended = near.instead == ENDED
    parts = [f"{'ended' if ended else 'ends'} {use(end)}"] if end else []
    if near.unknown:
        parts.append(f"{NOT_KNOWN}: {format_sentence(near.unknown)}")
    elif near.day and not near.beyond:
        parts.append(f"at the present pace used up on {use(near.day)}")
    elif unused and unused.use and not lacks:
        parts.append(f"{use(unused)} {unit} {'unused' if ended else 'will expire unused'}")
    if near.day and near.beyond:
        parts.append(f"{WITH_EXTENSIONS} used up on {use(near.day)}")
    return ("; ".join(parts) + lacks).removeprefix("; ")
