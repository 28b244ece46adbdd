"""What must not be exceeded (budgets, the ceiling, grants): how likely each is, and whether and when it is reached.

`reach` and `reach_grant` are the one rule by which pages and terminal tell when a limit is reached. A day is told only
where the limit is as likely exceeded as not; else the work ends first. Where a plan has extensions beside its base
budget, a limit has two chances: of the base plan, and with the extensions. The day is then that of whichever makes it
likely; extensions are never held against the final budget there, since it was not made for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.compute.audit.common import day_since_first_run, is_done
from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.language.quantity import ZERO
from reckon.model.figure import OUTSIDE, Figure, is_known, operands
from reckon.model.finding import Sentence, say
from reckon.model.kinds import CEILING, EXTENDED, FINAL, MONEY_CEILING, TOTALS, Total, called
from reckon.model.shares import MOST_CHANCE

from ..table import As, Bold, Cell, CellRow, CellRows, Columns, Table, below, figures
from ..table_rows import use_of
from ..view import View

LIKELY = MOST_CHANCE
"""From this probability on a limit is taken to be exceeded, and the day of that is told."""
PASSED = "passed"
DONE = "the work is done"
ENDS_FIRST = "the work ends first"
BASE_FIRST = "the base plan ends first"
"""Said of the final budget where there are extensions, whose chance to exceed it stands beside."""
WITH_EXTENSIONS = "with extensions"
NOT_BEFORE = "not before its end"
ENDED = "ended"
NO_PACE = "nothing was charged lately"
ENOUGH = "enough is left for the plan"
FEW_DAYS = "too few days of data"
NOT_KNOWN = "not known"


class Reach(NamedTuple):
    """How near a limit is: whether it is passed, the day of that, past or to come, or why no day is told.

    `chance` is the probability that it is exceeded by the base plan; `extended` the same with the extensions, None
    where the plan has none, or has nothing else. `beyond`: the day is that of the extensions; without them the work
    ends first. `unknown` says why nothing of that is known, where that is so, and `unknown_extended` why the chance
    with the extensions is not; empty elsewhere.
    """

    passed: bool
    day: Figure | None
    instead: str
    chance: Figure | None
    extended: Figure | None = None
    beyond: bool = False
    unknown: Sentence = ()
    unknown_extended: Sentence = ()


NO_LIMIT = Reach(False, None, "", None)


def reach(book: Book, project: str, total: Total) -> Reach | None:
    """How near a project is to a total; None where it has no such limit."""
    left = book.get(f"{project}.{total.remaining}")
    if left is None:
        return None
    chance, extended = _chances(book, project, total)
    day = book.get(f"{project}.limits.{total.id}.reached")
    if total is EXTENDED and extended:
        return _reach(book, (project,), left, day, extended)._replace(chance=chance, extended=extended)
    return _reach(book, (project,), left, day, chance, None if total is FINAL else extended)._replace(extended=extended)


def reach_money(book: Book, project: str) -> Reach | None:
    """How near a project is to its ceiling in money; None where it has none."""
    left = book.get(f"{project}.{MONEY_CEILING.remaining}")
    if left is None:
        return None
    found = _reach(book, (project,), left, None, book.get(f"{project}.{MONEY_CEILING.chance}"))
    return found if found.passed or found.instead in (DONE, ENDS_FIRST) else found._replace(instead="no day is known")


def _chances(book: Book, project: str, total: Total) -> tuple[Figure | None, Figure | None]:
    """How likely a total is exceeded by the base plan and with the extensions; one chance where there is one plan."""
    base = book.get(f"{project}.{FINAL.forecast}.probability_over_{total.id}")
    extended = book.get(f"{project}.{EXTENDED.forecast}.probability_over_{total.id}")
    # Of a project that is all extension, the chance stands where that of the final budget would.
    alone = book.get(f"{project}.{total.chance}")
    if alone is None and total is EXTENDED:
        alone = book.get(f"{project}.{FINAL.chance}")
    return (base, extended or alone) if total is EXTENDED and base else (base or alone, extended)


def reach_grant(book: Book, name: str) -> Reach | None:
    """How near the projects that share a grant are to using it up; None where none of them has figures.

    Of one that has ended, unless it is overdrawn, no chance is told: nothing more can be charged to it.
    """
    at, projects = f"allocations.{name}", book.allocations[name].projects
    left, end = book.get_all(at, "left", "end")
    if left is None:
        return None
    why = why_unknown(book, name)
    if why and not is_passed(left):
        return Reach(False, None, NOT_KNOWN, None, unknown=why)
    day, base, extended = book.get_all(at, "reached", "probability_over", "extended.probability_over")
    found = _reach(book, projects, left, day, base, extended)
    found = found._replace(unknown_extended=why_unknown(book, name, extended=True))
    if found.passed:
        return found
    if book.get(f"{at}.days_since_end"):
        return found._replace(day=None, instead=ENDED, chance=None, extended=None, beyond=False)
    day_of_it, last = use_of(found.day), use_of(end)
    late = day_of_it is not None and last is not None and day_of_it > last
    return found._replace(day=None, instead=NOT_BEFORE) if late else found


def is_likely(chance: Figure | None) -> bool:
    """Whether a limit is as likely exceeded as not, as far as is known."""
    use = use_of(chance)
    return use is not None and use >= LIKELY


def with_planned(view: View, chance: Figure | None) -> Cell:
    """A chance, and below it what the plan's was before any run."""
    planned = view.as_planned(chance)
    return below(chance, planned and (planned, " before any run"))


def is_passed(left: Figure) -> bool:
    """Whether more was spent than there was."""
    return (use_of(left) or 0) < 0


def unless_passed(view: View, address: str) -> Cell:
    """The chance of exceeding budget or ceiling at an address, or that it is passed: nothing that is given up undoes
    that. Any other figure as it is."""
    total = {"plan": FINAL, "ceiling": CEILING}.get(address.rpartition("probability_over_")[2])
    left = view.maybe(total.remaining) if total else None
    return PASSED if left and is_passed(left) else view.maybe(address)


def _reach(
    book: Book,
    projects: Iterable[str],
    left: Figure,
    day: Figure | None,
    chance: Figure | None,
    extended: Figure | None = None,
) -> Reach:
    """How near a limit is by its chance; or with the extensions, where they share it and the base plan ends first."""
    day = day_since_first_run(book, projects, day) if is_passed(left) else day
    instead = _why_no_day(book, projects, left, day, chance)
    beyond = False
    if instead == ENDS_FIRST and is_likely(extended):
        later = _why_no_day(book, projects, left, day, extended)
        if later in ("", FEW_DAYS):
            instead, beyond = later, not later
    return Reach(is_passed(left), None if instead else day, instead, chance, extended, beyond)


def _why_no_day(book: Book, projects: Iterable[str], left: Figure, day: Figure | None, chance: Figure | None) -> str:
    """Why it is not told on which day a limit is reached; empty where it is."""
    if is_passed(left):
        return "" if is_known(day) else PASSED
    if all(is_done(book, project) for project in projects):
        return DONE
    if use_of(chance) is not None and not is_likely(chance):
        return ENDS_FIRST
    if not day:
        return "runs have no dates" if any(book.projects[project].rows for project in projects) else "not begun"
    if use_of(day) is not None:
        return ""
    if any(name.endswith(".short_by") for name in day.missing):
        return ENOUGH
    return FEW_DAYS if any(name.endswith(".days_of_data") for name in day.missing) else NO_PACE


LimitRow = tuple[Reach, CellRow]
"""How near a limit is, and its row."""


def limit_rows(view: View) -> Iterator[LimitRow]:
    """The limits that a project sets itself, the smallest first: how likely each is exceeded, what is left of it, how
    large it is, and when it is reached, or was. A plan that is the best case is none."""
    bounds = [total for total in TOTALS.values() if not (total is FINAL and view.project.plan_is)]
    totals = [total for total in bounds if view.in_hours and (view.planned or not total.planned)]
    found = [(total, near) for total in totals if (near := reach(view.book, view.id, total))]
    for total, near in sorted(found, key=lambda pair: _size(view.fig(pair[0].hours))):
        amounts = (view.fig(total.remaining), As(view.fig(total.hours), "sourced"))
        alone = total is FINAL and near.extended and near.instead == ENDS_FIRST
        yield limit_row(view, total.title, near, amounts, (BASE_FIRST if alone else day_cell(near),))
    if near := reach_money(view.book, view.id):
        left, size = (As(view.fig(name)) for name in (MONEY_CEILING.remaining, MONEY_CEILING.hours))
        yield limit_row(view, MONEY_CEILING.title, near, (left, size), (day_cell(near),))


def limit_row(view: View, title: Cell, near: Reach, amounts: tuple[Cell, Cell], ends: Sequence[Cell]) -> LimitRow:
    """The row of a limit: `amounts` are what is left of it and its size, `ends` when it is reached, and what else ends
    it."""
    chance, extended = odds_cells(view, near)
    return near, [title, chance, *amounts, extended, below(*ends)]


def _size(limit: Figure) -> tuple[bool, Fraction]:
    """By which limits are ordered: those that are not known come last."""
    return limit.use is None, limit.use or ZERO


def odds_cells(view: View, near: Reach) -> CellRow:
    """How likely a limit is exceeded, by the base plan and with the extensions, each with what it was as planned; or
    why that is not known."""
    if near.unknown:
        return [(f"{NOT_KNOWN}: ", *near.unknown), NOT_KNOWN]
    if near.passed:
        return [PASSED, PASSED]
    unknown = (f"{NOT_KNOWN}: ", *near.unknown_extended) if near.unknown_extended else None
    return [with_planned(view, near.chance), unknown or with_planned(view, near.extended)]


def day_cell(near: Reach, word: str = "passed on") -> Cell:
    """The day on which a limit is reached, or was passed; or why there is none."""
    if near.instead or not near.day:
        return near.instead or None
    if near.beyond:
        return (near.day, f" {WITH_EXTENSIONS}")
    return (f"{word} ", near.day) if near.passed else near.day


def money_table(view: View) -> Table:
    """Planned and actual amounts by phase, and of the whole."""
    phases = [(phase.title, f"phases.{name}.money") for name, phase in view.ledger.plan.items() if phase.items]
    rows: CellRows = [[title, view.maybe(f"{at}.planned"), view.maybe(f"{at}.actual")] for title, at in phases]
    rows += [[each.title, "", spent] for each in OUTSIDE if (spent := view.maybe(f"money.{each.key}.actual"))]
    reserved = view.maybe("budget.contingency") or view.maybe("budget.extensions_contingency")
    for total in TOTALS.values() if view.planned else ():
        if figure := view.maybe(f"money.{total.id}"):
            title = called(view.project, total.title)
            name: Cell = Bold(title) if total.planned else title
            rows.append([(name, ", contingency included") if reserved and total.planned else name, figure, ""])
    for phase, at in phases:
        if ceiling := view.maybe(f"{at}.ceiling"):
            rows.append([f"Ceiling of {phase}", ceiling, ""])
    rows.append([Bold("Total charged"), "", view.maybe("money.actual")])
    if in_kind := view.maybe("money.in_kind"):
        rows.append(["including in kind: what granted hours are worth", "", in_kind])
    return Table(["", figures("Planned", "full", shown=view.planned), figures("Actual", "full")], rows)


def money_lines_table(view: View) -> Table:
    """The lines of money: planned, spent, how far each is done, what is to do, and who pays."""
    rows: CellRows = []
    for name, item in view.ledger.items.items():
        if item.currency:
            at = f"plan.{name}"
            amounts = view.maybe_all(f"{at}.money", "planned", "actual")
            rest = (view.maybe(f"{at}.complete_share"), view.maybe(f"{at}.money.to_do"))
            rows.append([item.title, *amounts, *rest])
    columns: Columns = ["Line of money", *(figures(heading, "full") for heading in ("Planned", "Actual"))]
    return Table([*columns, figures("Done", shown=view.runs), figures("Work to do", "full", shown=view.runs)], rows)


def paid(view: View) -> Sentence:
    """What was spent, of how much, and what is forecast, in money; empty where nothing is known of money."""
    spent, budget = view.maybe("money.actual"), view.maybe("money.final")
    low, median, high = (view.maybe(f"money.forecast_{name}") for name in ("p10", "p50", "p90"))
    if spent is None:
        return ()
    told = say("{spent} spent", spent=spent)
    if view.planned and budget:
        told += say(" of {budget}", budget=budget)
    if view.planned and is_known(median) and low and high:
        told += say("; forecast {median} ({low} to {high})", median=median, low=low, high=high)
    price = one_price(view)
    return told + (say(", at {price}", price=price) if price else ())


def one_price(view: View) -> Figure | None:
    """The price of an hour, where all that was spent and is planned is hours at this one price."""
    spent, price = view.maybe("money.actual"), view.maybe(f"money.{view.project.currency}_per_gpu_hour")
    if not (spent and price):
        return None
    listed = next((part.address for part in operands(price)), price.address)
    planned = (view.maybe(f"plan.{name}.money.planned") for name in view.ledger.items)
    amounts = [*operands(spent), *(figure for figure in planned if figure)]
    paid = ([part.address for part in operands(amount)] for amount in amounts)
    return price if all(listed in addresses for addresses in paid) else None


def money_by_card(view: View) -> Table:
    """What was spent by card and price, with the hours there; nothing where it is all at one price."""
    spent = view.maybe("money.actual")
    parts = operands(spent) if spent and not one_price(view) else ()
    rows = [_priced(view, part) for part in parts]
    return Table(
        ["GPU", figures("Hours there", "full"), figures("Price", "full"), figures("Cost", "full")],
        rows if len(rows) > 1 else [],
    )


def _priced(view: View, cost: Figure) -> CellRow:
    """A row of hours on a card at a price; or what runs state that they cost."""
    hours = [*operands(cost)]
    if ".by_gpu." not in cost.address:
        stated = "As payers booked" if ".charged_" in cost.address else "As runs state"
        stated = "As runs and bills state" if view.ledger.additions else stated
        other = cost.address.partition("stated_")[2][:3].upper()
        return [f"{stated}, in {other}" if other else stated, "", "", cost]
    within, _, below = cost.address.removeprefix(f"{view.id}.money.").partition("by_gpu.")
    card, *price = below.split(".")
    when = {"since": f", from {price[1]}", "before": f", before {price[1]}"} if len(price) > 2 else {}
    told = view.card(card) + when.get(price[0], ", runs without a date" * (price[0] == "undated"))
    kind, _, named = within.rstrip(".").partition(".")
    return [told + _terms_of(view, kind, named), *hours, cost]


def _terms_of(view: View, kind: str, named: str) -> str:
    """By whom hours are paid, or at the prices of which list, as the end of a title."""
    if kind == "by_payer":
        grant = view.book.allocations.get(named)
        return f", paid by {grant.title}" if grant else ", payer not named"
    return f", at {_list_title(view, named)}" if named else ""


def _list_title(view: View, name: str) -> str:
    """The title of a price list."""
    known = view.book.catalog.prices.get(name)
    return (known.title or name) if known else name
