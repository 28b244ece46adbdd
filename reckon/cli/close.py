"""`close`: what allocations were charged in a period is frozen; with --adjust, what changed since is taken in."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial

from reckon.compute.book import Book
from reckon.compute.budget.closed_periods import Charges, unadjusted
from reckon.compute.budget.payers import is_granted
from reckon.compute.budget.shared_grants import join_titles
from reckon.language.calendar_days import iso
from reckon.language.text import echoed, first_unseen
from reckon.language.units import key_unit
from reckon.model.closing import CHARGED, Closing, Period, added, items_of, period_of, read_closing, total_of
from reckon.model.figure import COSTS
from reckon.model.release import LONGEST_REASON, Changed
from reckon.present.render.numbers import number_text
from reckon.publish.write_plan import FileChange

from . import clock
from .adjustments import (
    Learned,
    adjustment,
    ask_for_known,
    charges_of,
    closed_before,
    describe_adjustment,
    read_closings,
    title_of,
)
from .arguments import Parser, day, dry_run_option
from .output import CommandError, no_such, program
from .transaction import Draft, run_transaction
from .tree import next_step

PERIODS = "2026, 2026-Q3 or 2026-09"


def declare_close(parser: Parser) -> None:
    """The command line of `close`."""
    parser.does(
        close,
        _goes_together,
        "A closed period never changes; later imports and entries are recorded as adjustments.",
    )
    parser.option("period", "PERIOD", f"period to close, such as {PERIODS}", nargs="?", default="")
    parser.option("--allocation", "ID", "close only this allocation (default: all that were charged)")
    parser.flag(
        "--adjust",
        "record later edits of closed periods as an adjustment",
    )
    parser.option("--date", "DAY", "date of the closing or adjustment (default: today)", type=day, default=0)
    parser.add_argument(
        "-m", "--message", default="", metavar="WHY", help="reason in a sentence, printed on the statement"
    )
    dry_run_option(parser)


def _goes_together(parser: Parser, options: Namespace) -> None:
    if not options.period and not options.adjust:
        parser.error(f"name the period, such as {PERIODS}; --adjust alone takes all closed ones")


def close(options: Namespace) -> None:
    """Closes a period, or adjusts what is closed. Raises CommandError where it cannot be."""
    learned, period = _read_day_and_reason(options), period_of(options.period)
    if options.period and period is None:
        raise CommandError(f"`{echoed(options.period)}` is not a period; write {PERIODS}")
    if period and not options.adjust:
        run_transaction(options.root, "", partial(_closed, options, learned, period))
    else:
        run_transaction(options.root, "", partial(_adjusted, options, learned, period))


def _read_day_and_reason(options: Namespace) -> Learned:
    """The day and the reason that were given. Raises CommandError where they cannot be meant."""
    today, reason = clock.current_time(), " ".join(options.message.split())
    day_ = iso(options.date) if options.date else f"{today:%Y-%m-%d}"
    wrong = []
    if len(reason) > LONGEST_REASON:
        wrong.append(f"give a reason of at most {LONGEST_REASON:,} characters")
    if unseen := first_unseen(reason):
        wrong.append(f"{unseen} is not allowed in a text; remove it from the reason")
    if clock.later(day_, today):
        wrong.append(f"`{day_}` has not come yet; today is {today:%Y-%m-%d}")
    if wrong:
        raise CommandError(*wrong)
    return Learned(day_, reason)


def _allocations(options: Namespace, book: Book) -> list[str]:
    """The allocations that are asked for. Raises CommandError where there is no such one."""
    known = [str(name) for name in book.allocations]
    if not known:
        raise CommandError("there is no allocation to close; add one to ledger/allocations.yaml")
    if options.allocation and options.allocation not in known:
        raise CommandError(no_such("allocation", options.allocation, known, f"there are {', '.join(known[:10])}"))
    return [options.allocation] if options.allocation else known


def _closed(options: Namespace, learned: Learned, period: Period, book: Book) -> Draft:
    """The closing of a period, with all that it writes."""
    known, charges = read_closings(options.root), charges_of(book)
    made: list[Closing] = []
    said: list[str] = []
    for name in _allocations(options, book):
        if why := _unready(book, charges, closed_before(known, name), name, period, learned):
            said.append(why)
            continue
        found = _closings(book, charges, name, period, learned)
        if any(items_of(each.sums) for each in found):
            made += found
        else:
            said.append(f"{title_of(book, name)} was charged nothing in {period.name}; there is nothing to close")
    if not made:
        raise CommandError(*said)
    return _make_draft(options, book, made, [*_describe_closings(book, made), *said])


def _unready(
    book: Book, charges: Charges, closed: Sequence[Closing], name: str, period: Period, learned: Learned
) -> str:
    """Why a period of an allocation cannot be closed; empty where it can."""
    title = title_of(book, name)
    met = next((each for each in closed if each.days.meets(period)), None)
    if met and met.period == period.name:
        later = f"`{program()} close --adjust` records later edits"
        return f"{period.name} of {title} was closed on {met.date} and never changes; {later}"
    if met:
        return f"{period.name} of {title} meets {met.period}, closed on {met.date}; name one that does not overlap"
    if learned.day <= iso(period.last):
        return f"{period.name} goes to {iso(period.last)}, and cannot be closed on {learned.day}; give a later --date"
    if not charges.projects(name):
        return f"{title} has no projects in ledger/allocations.yaml; there is nothing to close"
    if not is_granted(book.allocations[name]):
        return f"{title} is not granted yet (`gpu_hours: unknown`), so nothing is charged to it"
    shared, grants = charges.shared(name, period.first, period.last)
    if shared:
        hours = f"{number_text(shared)} GPU-h of {period.name}"
        titles = join_titles(book.ledger, grants, "or")
        return f"{hours} could be charged to {titles}; name who pays for them, as `allocation: {name}`"
    through = charges.known_through(name)
    if through <= period.last:
        right = "import later runs, or set `as_of` of a project to a later day"
        return (
            f"{period.name} of {title} has not ended: it goes to {iso(period.last)}, and its projects are known "
            f"through {iso(through) if through else 'no day'}; {right}"
        )
    return ""


def _closings(book: Book, charges: Charges, name: str, period: Period, learned: Learned) -> list[Closing]:
    """The closing of each project of an allocation. Raises CommandError where a ratio is missing for one."""
    projects, through = tuple(sorted(charges.projects(name))), iso(charges.known_through(name))
    balance, unknown = charges.balance(name, period.first, period.last)
    sums = {project: charges.sums(name, project, period.first, period.last) for project in projects}
    ask_for_known([unknown, *(missing for _, missing in sums.values())])
    head, unit = (period.name, learned.day, through), book.allocations[name].unit_words
    return [
        Closing(name, project, *head, added(balance, own), 0, learned.reason, projects, unit)
        for project, (own, _) in sums.items()
    ]


def _describe_closings(book: Book, made: Sequence[Closing]) -> Iterator[str]:
    """What was closed: each allocation with its hours, and its projects below it."""
    for name in dict.fromkeys(each.allocation for each in made):
        its = [each for each in made if each.allocation == name]
        unit = book.allocations[name].unit_words
        yield f"Closed {its[0].period} of {title_of(book, name)}: {_hours(its, unit)}"
        yield from (f"  {each.project}: {_hours([each], unit)}" for each in its)


def _hours(some: Sequence[Closing], unit: str) -> str:
    sums = added(*(each.sums for each in some))
    used, useful, failed = (number_text(total_of(sums, name)) for name in CHARGED)
    costs = ((key_unit(name).symbol, total_of(sums, name)) for name in COSTS)
    stated = [f"{symbol}{number_text(cost, money=True)} stated" for symbol, cost in costs if cost]
    return ", ".join([f"{used} {unit} used", f"{useful} completed or running", f"{failed} failed", *stated])


def _adjusted(options: Namespace, learned: Learned, period: Period | None, book: Book) -> Draft:
    """The adjustments by which closed periods say what is true now."""
    known, charges = read_closings(options.root), charges_of(book)
    names = _allocations(options, book)
    if period and not any(met.period == period.name for name in names for met in closed_before(known, name)):
        raise CommandError(f"{period.name} is not closed and needs no adjustment")
    rests = [
        rest
        for rest in unadjusted(charges, known)
        if rest.closed.allocation in names and period in (None, rest.closed.days)
    ]
    if late := next((rest.closed for rest in rests if rest.closed.date > learned.day), None):
        said = f"{late.period} of {title_of(book, late.allocation)} was closed on {late.date}"
        raise CommandError(f"{said}, after {learned.day}; give a later day with --date")
    ask_for_known(rest.missing for rest in rests)
    if not rests:
        return Draft((), ["Nothing to adjust: the ledger agrees with all closed periods."])
    made = [adjustment(charges, known, rest, learned) for rest in rests]
    return _make_draft(options, book, made, [describe_adjustment(book, each) for each in made])


def _make_draft(options: Namespace, book: Book, made: Sequence[Closing], said: Sequence[str]) -> Draft:
    """The files, each of which can be read again, and what is told of them. Raises CommandError."""
    for each in made:
        try:
            read_closing(each.text(), each.file)
        except Changed as changed:
            raise CommandError(f"{each.file} could not be read back: {changed.wrong}; nothing written") from None
    changes = [FileChange(each.file, None, each.text()) for each in made]
    wrote = [f"wrote {change.path}" for change in changes] if not options.dry_run else []
    lines = [*said, *wrote, "", next_step(book.ledger.settings, options.dry_run)]
    return Draft(() if options.dry_run else changes, lines)
