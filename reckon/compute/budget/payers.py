"""Which grants could be charged for hours, where more than one of a project's grants could be.

A grant takes hours on its card, or on any card where it names none, on the days between its dates; hours without a date
count within the dates of every grant. No run says which grant it is charged to. So it is not known what grants have
used whose projects have hours that more than one of them takes; what they have used together is known.

Nor is it known what a grant will be charged while other grants of a project could be charged for the same work to come,
or while it names no card and the work to come is on several.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import LAST, first_day, last_day
from reckon.language.quantity import UNKNOWN, Quantity, point
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import Ledger

from ..sheet.cells import Cell, Computed, read_formula, sum_of
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .actuals import Tally

Tallies = Mapping[str, Tally]


class SharedGrants(Struct, frozen=True):
    """Grants that share hours which more than one of them could be charged for, by their ids in order.

    `shared` are these hours by grant, as each counts them, `own` those that it alone takes, `rivals` the grants that
    could be charged for its shared hours, itself included. `used` are the hours that any of them takes, in hours on
    `card` or, where that is empty, as their projects count them; None where they count in hours that cannot be added.
    """

    names: tuple[str, ...]
    shared: Mapping[str, Fraction]
    own: Mapping[str, Fraction]
    rivals: Mapping[str, tuple[str, ...]]
    card: str = ""
    used: Fraction | None = None


class _Taken(NamedTuple):
    """Hours of a project on a card, as hours of that card, with the grants that could be charged for them."""

    project: str
    card: str
    grants: tuple[str, ...]
    hours: Fraction


def find_shared_grants(ledger: Ledger, tallies: Tallies) -> Mapping[str, SharedGrants]:
    """The grants that share hours with others, each with those that it is bound to by shared hours."""
    found: dict[str, SharedGrants] = {}
    several = [project for project in tallies if len(grants_of(ledger, project)) > 1]
    taken = {project: list(_hours_taken(ledger, tallies[project])) for project in several}
    shared = [hours.grants for its in taken.values() for hours in its if len(hours.grants) > 1]
    for names in _connected(shared):
        members = tuple(name for name in ledger.allocations if name in names)
        projects = {project for name in members for project in ledger.allocations[name].projects if project in tallies}
        for project in projects - taken.keys():
            taken[project] = list(_hours_taken(ledger, tallies[project]))
        its = [hours for project in sorted(projects) for hours in taken[project] if names & set(hours.grants)]
        group = _group(ledger, tallies, members, its)
        found |= dict.fromkeys(members, group)
    return found


def grants_of(ledger: Ledger, project: str) -> dict[str, r.Allocation]:
    """The grants that a project draws on, by id, without those that are not granted yet."""
    found = ledger.allocations.items()
    return {name: grant for name, grant in found if project in grant.projects and is_granted(grant)}


def is_granted(grant: r.Allocation) -> bool:
    """Whether hours were granted. Those of a grant that is only applied for are stated as unknown."""
    return not isinstance(grant.gpu_hours, Quantity) or grant.gpu_hours.value.use is not None


def is_only_payer(ledger: Ledger, name: str, tally: Tally) -> bool:
    """Whether all work of a project that a grant can take is, or was, charged to it: no other grant takes that card,
    and no run is from before its first day."""
    grant, first = ledger.allocations[name], days_of_grant(ledger.allocations[name])[0]
    others = (other for key, other in grants_of(ledger, tally.project.id).items() if key != name)
    alone = not any(grant.gpu is None or takes_card(other, str(grant.gpu)) for other in others)
    return alone and not (tally.spent.dated and tally.spent.first < first)


def takes_card(grant: r.Allocation, card: str) -> bool:
    """Whether a grant can be charged for hours on a card."""
    return grant.gpu is None or str(grant.gpu) == card


def days_of_grant(grant: r.Allocation) -> tuple[int, int]:
    """The first and the last day of a grant; 0 and the last of the calendar where it has none."""
    return first_day(str(grant.since or "")), last_day(str(grant.until or "")) or LAST


def takes(grant: r.Allocation, card: str, day: int) -> bool:
    """Whether a grant can be charged for hours on a card and a day, or (day 0) without a date."""
    first, last = days_of_grant(grant)
    return takes_card(grant, card) and (not day or first <= day <= last)


def _hours_taken(ledger: Ledger, tally: Tally) -> Iterator[_Taken]:
    """The hours of a project by card and by the grants that take them."""
    project = tally.project.id
    grants = grants_of(ledger, project)
    for card, by_day in tally.held.items():
        sums: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        for day, hours in by_day.items():
            sums[tuple(name for name, grant in grants.items() if takes(grant, card, day))] += hours
        yield from (_Taken(project, card, names, hours) for names, hours in sums.items() if names and hours)


def _connected(sets: Iterable[tuple[str, ...]]) -> list[set[str]]:
    """Sets of names joined where they have a name in common."""
    found: list[set[str]] = []
    for names in sets:
        joined = set(names)
        apart = []
        for group in found:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        found = [*apart, joined]
    return found


def _group(ledger: Ledger, tallies: Tallies, names: tuple[str, ...], taken: Sequence[_Taken]) -> SharedGrants:
    """Grants that share hours, with the hours that any of them takes."""
    shared, own = dict.fromkeys(names, Fraction(0)), dict.fromkeys(names, Fraction(0))
    rivals: dict[str, set[str]] = {name: {name} for name in names}
    for hours in taken:
        sums = shared if len(hours.grants) > 1 else own
        for name in hours.grants:
            sums[name] += hours.hours * _as_counted(ledger.allocations[name], hours, tallies)
            rivals[name].update(hours.grants)
    ordered = {}
    for name in names:
        ordered[name] = tuple(other for other in names if other in rivals[name])
    grants = [ledger.allocations[name] for name in names]
    card = _common_card(grants, tallies, taken)
    factors = [_ratio(tallies[hours.project], hours.card, card) if card else None for hours in taken]
    if not card and all(grant.gpu is None for grant in grants):
        factors = [tallies[hours.project].ratio(hours.card) for hours in taken]
    if None in factors:
        return SharedGrants(names, shared, own, ordered)
    counted = (hours.hours * (factor or 0) for hours, factor in zip(taken, factors, strict=True))
    return SharedGrants(names, shared, own, ordered, card, sum(counted, Fraction(0)))


def _as_counted(grant: r.Allocation, hours: _Taken, tallies: Tallies) -> Fraction:
    """What an hour counts for a grant: as itself on its own card, else as the project counts it; 0 if that is not
    known."""
    return Fraction(1) if grant.gpu is not None else tallies[hours.project].ratio(hours.card) or Fraction(0)


def _common_card(grants: Sequence[r.Allocation], tallies: Tallies, taken: Sequence[_Taken]) -> str:
    """The card in whose hours some grants can be added up: that of all of them, or the one in which all their projects
    count; empty where there is none, or a ratio is missing."""
    own = {str(grant.gpu) for grant in grants if grant.gpu is not None}
    if len(own) == 1 and all(grant.gpu is not None for grant in grants):
        return own.pop()
    tally = {str(project): tallies[project] for grant in grants for project in grant.projects if project in tallies}
    counting = {each.target for each in tally.values()}
    if len(counting) != 1:
        return ""
    card = counting.pop()
    known = [_ratio(tally[hours.project], hours.card, card) for hours in taken]
    known += [_ratio(next(iter(tally.values())), name, card) for name in own]
    return card if all(known) else ""


def _ratio(tally: Tally, card: str, target: str) -> Fraction | None:
    """What an hour on a card counts as on another one."""
    return Fraction(1) if card == target else tally.ratio(card)


def write_shared_grants(sheet: Sheet, ledger: Ledger, tallies: Tallies, groups: Mapping[str, SharedGrants]) -> None:
    """Writes of each such grant the hours that others could be charged for, and what is left of them together."""
    for name, group in groups.items():
        at, title = f"allocations.{name}", ledger.allocations[name].title
        words = f"{title}: hours that another grant could be charged for"
        how = "hours on days and cards for which another grant could be charged, too"
        sheet.counted(Figure(f"{at}.shared", words, GPU_HOURS, point(group.shared[name]), Worked(how)))
        words, how = f"{title}: used, at the least", "hours for which no other grant could be charged"
        sheet.counted(Figure(f"{at}.used_at_least", words, GPU_HOURS, point(group.own[name]), Worked(how)))
        left = "gpu_hours - used_at_least"
        left = f"min({left}, 0 gpu_hours)" if _has_ended(ledger, name, tallies) else left
        sheet.formula(f"{at}.left_at_most", f"{title}: left, at the most", GPU_HOURS, left)
        if name == group.names[0] and group.used is not None:
            ended = any(_has_ended(ledger, each, tallies) for each in group.names)
            _together(sheet, ledger, at, group, group.used, ended)


def _has_ended(ledger: Ledger, name: str, tallies: Tallies) -> bool:
    """Whether the last day of a grant is before the last data of its projects."""
    grant = ledger.allocations[name]
    return any(_is_over(grant, tallies[project]) for project in grant.projects if project in tallies)


def _together(sheet: Sheet, ledger: Ledger, at: str, group: SharedGrants, used: Fraction, ended: bool) -> None:
    """What grants have together, in hours that can be added. Where one has `ended`, nobody knows how much of what is
    left was of that one, and can be used no more."""
    titles = join_titles(ledger, group.names, "and")
    how = "hours for which any of these grants could be charged, each hour once"
    sheet.counted(Figure(f"{at}.together.used", f"{titles}: used together", GPU_HOURS, point(used), Worked(how)))
    parts = []
    for name in group.names:
        own = ledger.allocations[name].gpu
        ratio = f" * {ratio_address(str(own), group.card)}" if own is not None and str(own) != group.card else ""
        parts.append(read_formula(f"allocations.{name}.gpu_hours{ratio}"))
    sheet.formula(f"{at}.together.granted", f"{titles}: granted together", GPU_HOURS, sum_of(parts))
    if not ended:
        sheet.formula(f"{at}.together.left", f"{titles}: left together", GPU_HOURS, "granted - used")


def join_titles(ledger: Ledger, names: Sequence[str], word: str) -> str:
    """The titles of some grants in quotation marks: “A”, “B” and “C”."""
    *first, last = [f"“{ledger.allocations[name].title}”" for name in names]
    return f"{', '.join(first)} {word} {last}" if first else last


class _Work(NamedTuple):
    """An item that a grant could be charged for: the address of how far it is done, its card, and the other grants that
    could be charged for it."""

    complete: str
    card: str
    rivals: tuple[str, ...]


def write_left_to_spend(sheet: Sheet, ledger: Ledger, name: str, tallies: Tallies, extended: bool = False) -> str:
    """Writes what is left of a grant for the work to come, where that may be unknown; gives the address of it.

    It is unknown while the unfinished work (with the extensions, if asked for) could be charged to another grant as
    well, or is on several cards and the grant names none. Elsewhere it is simply what is left.
    """
    grant, at = ledger.allocations[name], f"allocations.{name}"
    work = list(_work_of(ledger, name, tallies, extended))
    cards = dict.fromkeys(each.card for each in work)
    if len(cards) < 2 and not any(each.rivals for each in work):
        return f"{at}.left"
    address, title = f"{at}.{'extended.' * extended}left_to_spend", f"{grant.title}: left for the work to come"

    def left_to_spend(figures: Mapping[str, Figure]) -> Figure:
        left = figures[f"{at}.left"]
        lacks, why = _what_is_unknown(ledger, name, [each for each in work if figures[each.complete].use != 1])
        if why and not left.missing:
            return Figure(address, title, GPU_HOURS, UNKNOWN, Worked(why, (left,)), "", (f"{at}.{lacks}",))
        origin = Worked("what is left", (left,))
        return Figure(address, title, GPU_HOURS, left.value, origin, "", left.missing, left.leaves)

    needs = (f"{at}.left", *(each.complete for each in work))
    sheet.write(Cell(address, title, GPU_HOURS, Computed(needs, left_to_spend)))
    return address


def _work_of(ledger: Ledger, name: str, tallies: Tallies, extended: bool) -> Iterator[_Work]:
    """The items that a grant could be charged for while it is open, with the other grants that could be, too."""
    grant = ledger.allocations[name]
    for project in grant.projects if is_granted(grant) else ():
        if project not in tallies or _is_over(grant, tallies[project]):
            continue
        phases = ledger.projects[project].plan.values()
        has_base = any(phase.items and not phase.extension for phase in phases)
        counted = [phase for phase in phases if extended or not (has_base and phase.extension)]
        for item_name, item in ((key, item) for phase in counted for key, item in phase.items.items()):
            card = str(item.gpu or ledger.projects[project].project.gpu)
            if takes_card(grant, card):
                rivals = tuple(_rivals(ledger, project, name, card, tallies[project]))
                yield _Work(f"{project}.plan.{item_name}.complete_share", card, rivals)


def _is_over(grant: r.Allocation, tally: Tally) -> bool:
    """Whether the last day of a grant is before the last data of a project."""
    return days_of_grant(grant)[1] < tally.spent.last


def _rivals(ledger: Ledger, project: str, name: str, card: str, tally: Tally) -> Iterator[str]:
    """The other grants of a project that take hours on a card on a day to come on which a grant is open."""
    since, until = days_of_grant(ledger.allocations[name])
    for other, grant in grants_of(ledger, project).items():
        first, last = days_of_grant(grant)
        both_open = max(since, first, tally.spent.last) <= min(until, last)
        if other != name and takes_card(grant, card) and both_open:
            yield other


def _what_is_unknown(ledger: Ledger, name: str, work: Sequence[_Work]) -> tuple[str, str]:
    """What is missing to know what a grant will be charged for unfinished work, and why; both empty where it is known.

    `payer` is missing where other grants could be charged, `gpu` where the grant names no card.
    """
    rivals = {rival for each in work for rival in each.rivals}
    if rivals:
        names = [each for each in ledger.allocations if each == name or each in rivals]
        return "payer", f"the work to come could be charged to {join_titles(ledger, names, 'or')}"
    cards = dict.fromkeys(each.card for each in work)
    if ledger.allocations[name].gpu is not None or len(cards) < 2:
        return "", ""
    *first, last = (str(ledger.catalog.gpus[card].title) if card in ledger.catalog.gpus else card for card in cards)
    title = ledger.allocations[name].title
    return "gpu", f"the work to come is on {', '.join(first)} and {last}, and “{title}” names no card"
