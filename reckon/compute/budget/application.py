"""What an application to a computing centre asks for: hours in the centre's unit, by period and by phase.

The whole is rounded once, to the digit that it is printed with: none after the point where it is a whole number, one
otherwise. Its parts are whole numbers of that digit and add up to it exactly: each gets what it has in full, and what
is left goes to the largest remainders, the earliest first where these are equal (the method of Hamilton).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import first_day, iso, last_day
from reckon.language.quantity import ONE, ZERO, add_up
from reckon.language.text import Unable
from reckon.model import records as r
from reckon.model.figure import Figure, Figures, closure, use_at
from reckon.model.kinds import CEILING, EXTENDED, budget_of
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.inputs import ratio_address
from .left_of_plan import Share, is_whole, shares
from .payers import is_granted

PERIODS = {"quarters": 3, "half-years": 6}
"""What a request can be divided by: how many months each is."""
_LETTER = {"quarters": "Q", "half-years": "H"}
GPU_HOURS = "GPU-h"
MOST_PERIODS = 20


class NotRequested(Unable):
    """Something is missing that an application states; the message says what, and what would be right."""


class Part(NamedTuple):
    """A part of what is asked for: what it is called, its GPU-hours and its units, both to the printed digit."""

    title: str
    hours: Fraction
    units: Fraction


class Request(Struct, frozen=True):
    """What is asked for of a grant: the figure, how many units a GPU-hour is, and the parts, each list a whole.

    `hours` and `units` are rounded to `hour_places` and `unit_places` decimals. `by_plan` says whether the periods
    follow the dates of phases; else the hours are spread evenly over the days. `late` says whether the planned days of
    a phase are past when they begin, `after` the day through which hours are charged, where they begin behind it, and
    `beyond` are the titles of phases that are planned for days behind the last period.
    `phases` is empty where they are not what the figure is made of.
    """

    name: str
    grant: r.Allocation
    figure: Figure
    per_hour: Fraction
    per_own: Fraction
    hours: Fraction
    units: Fraction
    hour_places: int
    unit_places: int
    periods: Sequence[Part]
    phases: Sequence[Part]
    by_plan: bool
    late: bool = False
    after: str = ""
    beyond: Sequence[str] = ()

    @property
    def unit(self) -> str:
        """What the centre calls its unit."""
        return self.grant.charge.unit if self.grant.charge else GPU_HOURS


def requested(ledger: Ledger, figures: Figures, project_id: str, name: str, address: str, by: str) -> Request:
    """What a project asks for of the grant of this name: a figure in GPU-hours, by the periods of `PERIODS`.

    Raises NotRequested.
    """
    grant, project, figure = ledger.allocations[name], ledger.projects[project_id], figures[address]
    own = address == f"allocations.{name}.asked"
    if figure.missing or figure.use is None:
        missing = f" without {', '.join(figure.missing[:3])}" if figure.missing else ""
        raise NotRequested(f"{address} is not known{missing}")
    if figure.unit.symbol != GPU_HOURS and not own:
        raise NotRequested(f"{address} is not a number of GPU-hours; name another figure with --of")
    if figure.use <= 0:
        raise NotRequested(_describe_nothing_left(figures, project_id, name if own else "", address))
    per_own = _units(figures, grant, name)
    per_hour = per_own if own else per_own / _ratio(figures, project, grant, name)
    after = 0 if is_whole(project_id, address) else _charged_through(figures, project)
    windows, after = _windows(grant, name, by, after)
    exact_hours = figure.use / per_hour if own and grant.units is not None else figure.use
    exact_units = exact_hours * per_hour
    places = _places(exact_hours), _places(exact_units)
    wholes = _rounded(exact_hours, places[0]), _rounded(exact_units, places[1])
    phases = shares(figures, project, figure)
    work = phases or _work(figures, project, bool(after))
    weights, by_plan, late = _weights(project, windows, work)
    beyond = [
        phase.title
        for part in work
        if (phase := project.plan.get(part.phase)) and last_day(phase.until or phase.since or "0001") > windows[-1][2]
    ]
    return Request(
        name,
        grant,
        figure,
        per_hour,
        per_own,
        *wholes,
        *places,
        _split_hours([title for title, _, _ in windows], weights, wholes, places),
        _split_hours([part.title for part in phases], [part.hours for part in phases], wholes, places),
        by_plan,
        late,
        iso(after) if after else "",
        beyond,
    )


def _describe_nothing_left(figures: Figures, project_id: str, grant: str, address: str) -> str:
    """Why nothing is asked for: of a grant that has enough, or of a figure that is not above 0."""
    right = "name another figure with --of"
    if grant:
        covered = "what is left of it covers the work to do and its contingency"
        return f"nothing is left to ask of allocations.{grant}: {covered}; {right}"
    beyond = figures.get(f"{project_id}.{EXTENDED.remaining}")
    other = f", as {beyond.address}" if beyond and beyond.use is not None and beyond.use > 0 else ""
    return f"nothing is left to ask for: {address} is not above 0; {right}{other}"


def hours_by_card(ledger: Ledger, figures: Figures, project_id: str, name: str, address: str) -> Mapping[str, Fraction]:
    """The unfinished hours in a figure by card, each as hours of that card, if some are on other cards than a grant's.

    Empty where they are not, where the grant names no card, or where all work of the project is on one card: then a
    ratio turns it into hours of the grant's card. Hours are those that are left of the plan of each item or, of a whole
    budget, those that are planned.
    """
    grant, project = ledger.allocations[name], ledger.projects[project_id]
    own = project.gpu
    cards = {item_name: item.gpu or own for item_name, item in project.items.items()}
    if grant.gpu is None or len({*cards.values()}) < 2:
        return {}
    column = "total" if is_whole(project_id, address) else "remaining"
    plan = f"{project_id}.plan."

    def is_no_item(part: Figure) -> bool:
        return not part.address.startswith(plan)  # what the hours of an item rest on may be those of another

    inside = [part.address for part in closure(figures[address], through=is_no_item)]
    found: dict[str, Fraction] = defaultdict(Fraction)
    for item_name, card in cards.items():
        at = f"{project_id}.plan.{item_name}"
        done, hours = figures[f"{at}.complete_share"].use, figures[f"{at}.{column}"].use
        if done != 1 and hours and hours > 0 and any(part.startswith(f"{at}.") for part in inside):
            found[card] += hours / (use_at(figures, ratio_address(card, own)) or 1)
    return found if found.keys() - {grant.gpu} else {}


def asked_first(ledger: Ledger, figures: Figures, project_id: str, name: str) -> str:
    """The address of what an application asks for unless another is named: what is to be asked of this allocation on
    top of what it granted. Of one that granted nothing yet and pays for all of the work as it is held, the budget, or
    what is left of that."""
    grant = ledger.allocations[name]
    apart = is_granted(grant) or grant.bills or paid_by_others(figures, project_id, name)
    if f"{project_id}.payers.{name}.to_do" in figures and apart:
        return f"allocations.{name}.asked"
    total, used = budget_of(figures, project_id), figures.get(f"{project_id}.{CEILING.actual}")
    return f"{project_id}.{total.remaining if used is not None and used.use != 0 else total.hours}"


def paid_by_others(figures: Figures, project_id: str, name: str) -> dict[str, Figure]:
    """The work to do of a project that an allocation does not pay for, by the id of who does: another allocation, or
    `unnamed` and `none`."""
    start, end, found = f"{project_id}.payers.", ".to_do", {}
    for address, figure in figures.items():
        if address.startswith(start) and address.endswith(end) and figure.use:
            found[address.removeprefix(start).removesuffix(end)] = figure
    found.pop(name, None)
    return found


def apportioned(whole: Fraction, weights: Sequence[Fraction], places: int) -> list[Fraction]:
    """A whole number of 10^-places in parts of that size which add up to it, as near to the weights as can be.

    The largest remainders get what is left over, the earliest first. Weights are at least 0, and not all are.
    """
    scale, total = 10**places, add_up(weights)
    exact = [whole * scale * weight / total for weight in weights]
    full = [number.numerator // number.denominator for number in exact]
    left = int(whole * scale) - sum(full)
    order = sorted(range(len(weights)), key=lambda at: (full[at] - exact[at], at))
    return [Fraction(number + (order.index(at) < left), scale) for at, number in enumerate(full)]


def _split_hours(
    titles: Sequence[str], weights: Sequence[Fraction], wholes: tuple[Fraction, Fraction], places: tuple[int, int]
) -> list[Part]:
    if not titles:
        return []
    hours, units = (apportioned(whole, weights, most) for whole, most in zip(wholes, places, strict=True))
    return [Part(*part) for part in zip(titles, hours, units, strict=True)]


def _places(number: Fraction) -> int:
    return 0 if number.denominator == 1 else 1


def _rounded(number: Fraction, places: int) -> Fraction:
    """Half to even, as all that is printed."""
    return Fraction(round(number * 10**places), 10**places)


def _units(figures: Figures, grant: r.Allocation, name: str) -> Fraction:
    """How many units the centre charges for an hour of the card of its grant. Raises NotRequested."""
    at = f"allocations.{name}.charge"
    if grant.charge is not None and grant.charge.cards:
        card = grant.charge.cards[0] if len(grant.charge.cards) == 1 else grant.gpu or ""
        figure = figures.get(f"{at}.units_per_gpu_hour.{card}")
        if figure is None or not figure.use:
            right = "write `gpu` of the card whose hours are applied for"
            raise NotRequested(f"allocations.{name} counts the hours of several cards; {right}")
        return figure.use
    for key, turned in (("gpus_per_unit", True), ("units_per_gpu_hour", False)):
        if figure := figures.get(f"{at}.{key}"):
            if figure.missing or figure.use is None or not figure.value.exact or figure.use <= 0:
                raise NotRequested(f"{at}.{key} is not one number above 0; write it into ledger/allocations.yaml")
            return 1 / figure.use if turned else figure.use
    return ONE


def _ratio(figures: Figures, project: ProjectLedger, grant: r.Allocation, name: str) -> Fraction:
    """What an hour on the card of a grant counts as in hours of the project's. Raises NotRequested."""
    own, card = project.gpu, grant.gpu
    if card is None or card == own:
        return ONE
    ratio = figures.get(at := ratio_address(card, own))
    if ratio is None or ratio.missing or ratio.use is None or ratio.use <= 0:
        raise NotRequested(f"allocations.{name} is on {card}, the plan on {own}: write {at} into the catalogue")
    return ratio.use


def _charged_through(figures: Figures, project: ProjectLedger) -> int:
    """The day through which hours are charged already; 0 where none are, or on no known day."""
    if not use_at(figures, f"{project.id}.{CEILING.actual}"):
        return 0
    return int(use_at(figures, f"{project.id}.pace.through") or 0)


def _work(figures: Figures, project: ProjectLedger, left: bool) -> Sequence[Share]:
    """The parts by which other figures are divided: those of what remains of the budget, or of the whole budget."""
    total = budget_of(figures, project.id)
    whole = figures.get(f"{project.id}.{total.remaining if left else total.hours}")
    return shares(figures, project, whole) if whole is not None and whole.use and whole.use > 0 else []


Window = tuple[str, int, int]
"""A period: what it is called, its first and its last day."""


def _windows(grant: r.Allocation, name: str, by: str, after: int) -> tuple[list[Window], int]:
    """The periods of a grant, each with its first and last day that count: those after a day; and that day, or 0 where
    the grant begins later. Raises NotRequested."""
    if grant.since is None or grant.until is None:
        raise NotRequested(f"allocations.{name} has no `since` and `until`; write the days that are applied for")
    first, last = first_day(grant.since), last_day(grant.until)
    if first <= last <= after:
        wrong = f"allocations.{name} ends on {iso(last)}, and runs go through {iso(after)}: no day of it is left"
        raise NotRequested(f"{wrong} to ask hours for; write a grant of later days, and name it with --grant")
    after = after if after >= first else 0
    first = max(first, after + 1)
    found = list(islice(_calendar(first, last, by), MOST_PERIODS + 1))
    if not found or len(found) > MOST_PERIODS:
        wrong = f"allocations.{name} goes from {grant.since} to {grant.until}"
        raise NotRequested(f"{wrong}; write days that are 1 to {MOST_PERIODS} {by}")
    return found, after


def _calendar(first: int, last: int, by: str) -> Iterator[Window]:
    months = PERIODS[by]
    day = first
    while day <= last:
        year, month = int(iso(day)[:4]), int(iso(day)[5:7])
        number = (month - 1) // months + 1
        end = min(last_day(f"{year:04d}-{number * months:02d}"), last)
        yield f"{year} {_LETTER[by]}{number}, {iso(day)} to {iso(end)}", day, end
        day = end + 1


def _weights(
    project: ProjectLedger, windows: Sequence[Window], parts: Sequence[Share]
) -> tuple[Sequence[Fraction], bool, bool]:
    """How much of the work falls into each period, whether days of phases say so, and whether those of a phase are past
    by then.

    The hours of a phase are spread evenly over its planned days inside these periods. Where those are past, they are
    spread from the first day to the last planned one of all; those of a phase without days there, over all days. Where
    no phase has any, that is so of all hours. Contingency follows the phases.
    """
    start, end = windows[0][1], windows[-1][2]
    whole = [Fraction(last - first + 1, end - start + 1) for _, first, last in windows]
    spans = [(part.hours, *_days(project.plan[part.phase], start, end)) for part in parts if part.phase]
    ahead = [until for _, since, until, dated in spans if dated and since <= until]
    weights, late = [ZERO] * len(windows), False
    for hours, since, until, dated in spans:
        over = dated and until < start
        late |= over
        first, last = (start, max(ahead, default=end)) if over else (since, until)
        placed = (dated and since <= until) or (over and ahead)
        shares = [_overlap(window, first, last) for window in windows] if placed else whole
        weights = [weight + hours * share for weight, share in zip(weights, shares, strict=True)]
    return (weights, True, late) if ahead and any(weights) else (whole, False, late)


def _days(phase: r.Phase, start: int, end: int) -> tuple[int, int, bool]:
    """The planned days of a phase from a first to a last day that count, and whether it has any dates."""
    since = max(start, first_day(phase.since)) if phase.since else start
    until = min(end, last_day(phase.until)) if phase.until else end
    return since, until, phase.since is not None or phase.until is not None


def _overlap(window: Window, since: int, until: int) -> Fraction:
    _, first, last = window
    return Fraction(max(0, min(last, until) - max(first, since) + 1), until - since + 1)
