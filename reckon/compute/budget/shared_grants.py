"""Which grants could be charged for hours, where more than one of a project's grants could be.

Where nothing names the payer of some hours (`payers`) and several grants take them, it is not known what each of these
has used; what they have used together is known.

Nor is it known what a grant will be charged while other grants of a project could be charged for the same work to come,
or while it names no card and the work to come is on several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.language.quantity import ONE, add_up
from reckon.language.units import GPU_HOURS
from reckon.model import records as r
from reckon.model.figure import Figures
from reckon.model.ledger import Ids, Ledger

from ..sheet.cells import Addresses, Result, chain_of, formula_of, result, sum_of
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .forecast_inputs import Outlook
from .pace import Measure
from .payers import ChargedDays, ProjectCharges

Tallies = Mapping[str, Tally]
Charged = Mapping[str, ProjectCharges]
_Taken = tuple[Tally, ChargedDays[str]]
"""Hours of a project on a card, as hours of that card, with the grants that could be charged for them."""


class SharedGrants(Struct, frozen=True):
    """Grants that share hours which more than one of them could be charged for, by their ids in order.

    `shared` are these hours by grant, as each counts them, `own` those that it alone takes, `rivals` the grants that
    could be charged for its shared hours, itself included. `used` are the hours that any of them takes, in hours on
    `card` or, where that is empty, as their projects count them; None where they count in hours that cannot be added.
    """

    names: Ids
    rivals: Mapping[str, Ids]
    card: str = ""
    used: Fraction | None = None


def find_shared_grants(ledger: Ledger, tallies: Tallies, charged: Charged) -> Mapping[str, SharedGrants]:
    """The grants that share hours with others, each with those that it is bound to by shared hours."""
    found: dict[str, SharedGrants] = {}
    taken = {name: _hours_taken(charged[name]) for name in tallies if len(charged[name].rules.grants) > 1}
    for names in _connected(each.payers for its in taken.values() for each in its if len(each.payers) > 1):
        members, its = tuple(name for name in ledger.allocations if name in names), list[_Taken]()
        for project in sorted({project for name in members for project in ledger.allocations[name].projects}):
            if project in tallies:
                own = taken[project] if project in taken else _hours_taken(charged[project])
                its += [(tallies[project], each) for each in own if names & set(each.payers)]
        found |= dict.fromkeys(members, _group(ledger, tallies, members, its))
    return found


def _hours_taken(charged: ProjectCharges) -> list[ChargedDays[str]]:
    """The hours of a project by card and by the grants that could be charged for them."""
    return [each for each in charged.held(lambda traits: "") if each.payers and each.days.total]


def _connected(sets: Iterable[Ids]) -> list[set[str]]:
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


def _group(ledger: Ledger, tallies: Tallies, names: Ids, taken: Sequence[_Taken]) -> SharedGrants:
    """Grants that share hours, with the hours that any of them takes."""
    rivals: dict[str, set[str]] = {name: {name} for name in names}
    for _, each in taken:
        for name in each.payers:
            rivals[name].update(each.payers)
    ordered = {}
    for name in names:
        ordered[name] = tuple(other for other in names if other in rivals[name])
    grants = [ledger.allocations[name] for name in names]
    if not all(map(_counts_held_hours, grants)) or any(tally.project.rows.says("charged") for tally, _ in taken):
        return SharedGrants(names, ordered)
    card = _common_card(grants, tallies, taken)
    factors = [_ratio(tally, each.card, card) for tally, each in taken]
    if None in factors or (not card and any(grant.gpu is not None for grant in grants)):
        return SharedGrants(names, ordered)
    counted = (each.days.total * (factor or 0) for (_, each), factor in zip(taken, factors, strict=True))
    return SharedGrants(names, ordered, card, add_up(counted))


def _counts_held_hours(grant: r.Allocation) -> bool:
    """Whether what a grant is charged are the hours that runs held, and nothing else."""
    is_booked = any(change.is_booking for change in grant.changes)
    return grant.amount_key == "gpu_hours" and not grant.bills and not is_booked


def _common_card(grants: Sequence[r.Allocation], tallies: Tallies, taken: Sequence[_Taken]) -> str:
    """The card in whose hours some grants can be added up: that of all of them, or the one in which all their projects
    count; empty where there is none, or a ratio is missing."""
    own = {grant.gpu for grant in grants if grant.gpu is not None}
    if len(own) == 1 and all(grant.gpu is not None for grant in grants):
        return own.pop()
    tally = {project: tallies[project] for grant in grants for project in grant.projects if project in tallies}
    counting = {each.target for each in tally.values()}
    if len(counting) != 1:
        return ""
    card = counting.pop()
    known = [_ratio(its, each.card, card) for its, each in taken]
    known += [_ratio(next(iter(tally.values())), name, card) for name in own]
    return card if all(known) else ""


def _ratio(tally: Tally, card: str, target: str) -> Fraction | None:
    """What an hour on a card counts as on another one."""
    return ONE if card == target else tally.ratio(card)


class ChargedParts(NamedTuple):
    """What a grant was charged for certain, and what it could be charged beside, as others could; in its measure. What
    writes its figures, and whether it has ended."""

    writer: FigureWriter
    certain: Fraction
    shared: Fraction
    measure: Measure
    has_ended: bool


def write_shared_grants(
    ledger: Ledger, groups: Mapping[str, SharedGrants], charged: Mapping[str, ChargedParts]
) -> None:
    """Writes of each such grant what others could be charged for, and what is left of them together."""
    for name, group in groups.items():
        writer, certain, shared, measure, has_ended = charged[name]
        how = "hours on days and cards for which another grant could be charged, too"
        writer.count("shared", "hours that another grant could be charged for", measure.unit, shared, how)
        how = "hours for which no other grant could be charged"
        writer.count("used_at_least", "used, at least", measure.unit, certain, how)
        left = "min(granted - used_at_least, {})" if has_ended else "granted - used_at_least"
        writer.formula("left_at_most", "left, at most", formula_of(left, measure.nothing), unit=measure.unit)
        if name == group.names[0] and group.used is not None:
            together = FigureWriter(writer.sheet, f"{writer.at}.together", join_titles(ledger, group.names, "and"))
            ended = any(charged[each].has_ended for each in group.names)
            _write_together(together, ledger, group, group.used, ended)


def _write_together(writer: FigureWriter, ledger: Ledger, group: SharedGrants, used: Fraction, ended: bool) -> None:
    """What grants have together, in hours that can be added. Where one has `ended`, nobody knows how much of what is
    left was of that one, and can be used no more."""
    how = "hours for which any of these grants could be charged, each hour once"
    writer.count("used", "used together", GPU_HOURS, used, how)
    parts = []
    for name in group.names:
        own = ledger.allocations[name].gpu
        ratios = [ratio_address(own, group.card)] if own is not None and own != group.card else []
        parts.append(chain_of(" * ", [f"allocations.{name}.granted", *ratios]))
    writer.hours("granted", "granted together", sum_of(parts))
    if not ended:
        writer.hours("left", "left together", "granted - used")


def join_titles(ledger: Ledger, names: Sequence[str], word: str) -> str:
    """The titles of some grants in quotation marks: “A”, “B” and “C”."""
    *first, last = [f"“{ledger.allocations[name].title}”" for name in names]
    return f"{', '.join(first)} {word} {last}" if first else last


def write_left_to_spend(
    sheet: Sheet, ledger: Ledger, name: str, outlooks: Mapping[str, Outlook], extended: bool = False
) -> Addresses:
    """Writes what is left of a grant for the work to come, where that may be unknown; gives the address of it, or none
    where it is simply what is left.

    It is unknown while unfinished work (with the extensions, if asked for) could be charged to another grant as well.
    """
    grant, at = ledger.allocations[name], f"allocations.{name}"
    work = list(_undecided_work(name, outlooks, extended))
    if not work:
        return ()
    writer, key = FigureWriter(sheet, at, grant.title), f"{'extended.' * extended}left_to_spend"

    def left_to_spend(figures: Figures) -> Result:
        left = figures[f"{at}.left"]
        rivals = {payer for complete, payers in work if figures[complete].use != 1 for payer in payers}
        if rivals and not left.missing:
            titles = join_titles(ledger, [each for each in ledger.allocations if each in rivals], "or")
            return result(0, f"the work to come could be charged to {titles}", [left], [f"{at}.payer"])
        return result(left.value, "what is left", [left], left.missing, left.leaves)

    needs = (f"{at}.left", *(complete for complete, _ in work))
    unit = sheet.cells[f"{at}.left"].unit
    writer.compute(key, "left for the work to come", unit, needs, left_to_spend)
    return (f"{at}.{key}",)


def _undecided_work(name: str, outlooks: Mapping[str, Outlook], extended: bool) -> Iterator[tuple[str, Ids]]:
    """The pieces of work that a grant or another one could be charged for: the address of how far each is done, and
    all grants that could be."""
    for outlook in outlooks.values():
        for piece in outlook.pieces_in(outlook.counted(extended)):
            lane = outlook.lanes[piece]
            if name in lane.payers and not lane.known:
                yield f"{piece}.complete_share", lane.payers
