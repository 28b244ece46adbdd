"""What an allocation will be charged: the work that it pays for and that is not done, exactly and in draws.

*Work to do* is billed as the runs of the plan would be. In each draw the hours to come of the lanes that an allocation
pays for (`payers.Lane`) are billed as it has billed hours of that card so far. Where allocations follow each other the
first one has the figures of all: what is left of the others is left for the same work. To one that has ended nothing
more is charged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.quantity import ZERO, add_up
from reckon.language.units import PLAIN
from reckon.model import records as r
from reckon.model.figure import Figures, missing_of
from reckon.model.kinds import as_planned
from reckon.model.ledger import Ids, Ledger, ProjectLedger

from ..sheet.cells import Addresses, Result, chain_of, formula_of, result
from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .allocation_pace import write_allocation_pace
from .allocations import AllocationCharges, Booked, Granted, has_ended
from .budget import budget_lines
from .forecast import DrawnFigures, Draws
from .forecast_inputs import Outlook, Unknown
from .money_lines import MoneyLine, add_lines
from .payer_units import PayerTerms, values_of
from .payers import Lane, cards_of, is_granted
from .prices import last_rate
from .promised import write_promised
from .random_numbers import DRAWS
from .shared_grants import Charged, write_left_to_spend
from .simulation import PERCENTS, add_draws, floated
from .work_to_do import Piece


class PaidWork(NamedTuple):
    """Work to come of a project on a card that an allocation pays for: its pieces, what an hour of the card is charged,
    what is billed of its runs, how many hours were billed of an hour so far (0: none was), and what an hour counts in
    the project's hours."""

    project: ProjectLedger
    outlook: Outlook
    lane: Lane
    pieces: tuple[Piece, ...]
    factor: Fraction
    charge: r.Billing | None
    billed: Fraction
    ratio: str

    def of(self, phases: Sequence[str]) -> Iterator[Piece]:
        """The pieces that are in some phases."""
        inside = {at for phase in phases for at in self.outlook.phases[phase]}
        return (piece for piece in self.pieces if piece.at in inside)

    def to_do(self, piece: Piece, figures: Figures) -> Fraction:
        """What the work that is to be done of a piece is billed as, in the unit of the allocation."""
        return piece.billed_to_do(figures, self.project.items[piece.item], self.charge) * self.factor

    def rate(self, figures: Figures) -> Fraction:
        """What an hour on the card will be charged: as it was so far, else as the plan would be."""
        if self.billed:
            return self.billed * self.factor
        hours = add_up(piece.to_do(figures) for piece in self.pieces)
        billed = add_up(self.to_do(piece, figures) for piece in self.pieces)
        return billed / hours if hours else self.factor


class PaidLine(NamedTuple):
    """A line of money that an allocation pays for, and what one of the currency of its project is in its own."""

    line: MoneyLine
    outlook: Outlook
    rate: Fraction

    def to_do(self, figures: Figures) -> Fraction:
        """The money of it that is not done, in the currency of the allocation."""
        return self.line.to_do(figures) * self.rate


class PayerWork(NamedTuple):
    """All work to come that an allocation pays for, in hours and as `lines` of money; `alone` says whether no other one
    could pay, or could have, for work of its projects on these cards; `follow` are those that pay after it, `missing`
    the inputs without which nothing of it is known."""

    granted: Granted
    alone: bool
    works: tuple[PaidWork, ...]
    lines: tuple[PaidLine, ...]
    follow: Ids
    missing: Addresses


def _work_paid_by(
    sheet: Sheet,
    ledger: Ledger,
    granted: Granted,
    outlooks: Mapping[str, Outlook],
    pieces: Mapping[str, Mapping[str, Piece]],
    lines: Mapping[str, Sequence[MoneyLine]],
    booked: Booked,
) -> PayerWork:
    """The work to come that an allocation pays for, or is the first to pay for."""
    name, works, paid = granted.name, list[PaidWork](), list[PaidLine]()
    missing, follow = dict[str, None](), dict[str, None]()
    for project_id in granted.projects:
        project, outlook = ledger.projects[project_id], outlooks[project_id]
        target = project.gpu
        for lane in dict.fromkeys(outlook.lanes.values()):
            if not lane.known or not lane.payers or lane.payers[0] != name:
                continue
            terms = PayerTerms(ledger, project, name)
            factor, lacks = terms.factor(values_of(sheet), lane.card, lane.price)
            charge = terms.billing(lane.card, lane.price)
            ratio = "" if lane.card == target else ratio_address(lane.card, target)
            missing |= dict.fromkeys(
                each for each in (lacks, ratio) if each and (each == lacks or each not in sheet.cells)
            )
            its = tuple(piece for at, piece in pieces[project_id].items() if outlook.lanes[at] == lane)
            billed = booked.rates.get(lane.card, ZERO)
            works.append(PaidWork(project, outlook, lane, its, factor, charge, billed, ratio))
            follow |= dict.fromkeys(lane.payers[1:])
        for line in lines[project_id]:
            if line.lane.known and line.lane.payers[:1] == (name,):
                rate = last_rate(ledger, project.currency, granted.grant.currency)
                value = rate.value(values_of(sheet)) if rate else None
                missing |= {} if value is not None else {f"catalog.rates.usd_per_{granted.grant.currency}": None}
                paid.append(PaidLine(line, outlook, value or ZERO))
    cards = {work.lane.card for work in works}
    others = [
        other
        for other, grant in ledger.allocations.items()
        if other != name and {*grant.projects} & {*granted.projects} and _takes_any(ledger, grant, cards)
    ]
    return PayerWork(granted, booked.whole and not others, tuple(works), tuple(paid), tuple(follow), tuple(missing))


def _takes_any(ledger: Ledger, grant: r.Allocation, cards: Set[str]) -> bool:
    """Whether an allocation can be charged for hours on one of some cards."""
    own = cards_of(ledger, grant)
    return bool(cards) and (own is None or bool(own & cards))


def write_allocation_forecasts(
    sheet: Sheet,
    ledger: Ledger,
    allocations: Mapping[str, AllocationCharges],
    outlooks: Mapping[str, Outlook],
    pieces: Mapping[str, Mapping[str, Piece]],
    lines: Mapping[str, Sequence[MoneyLine]],
    charged: Charged,
) -> None:
    """Writes of each allocation the work to do that it pays for, what it will be charged, its pace, and when it is used
    up; and of each project the work to do by who pays."""
    for name, (granted, booked, through) in allocations.items():
        own = {project: outlooks[project] for project in granted.projects}
        work = _work_paid_by(sheet, ledger, granted, own, pieces, lines, booked)
        unknown = write_left_to_spend(sheet, ledger, name, own)
        _write_to_do(work, unknown)
        _write_short_by(work)
        if all(outlook.phases for outlook in own.values()):
            _write_forecast(work, unknown, False)
            if any(outlook.extends for outlook in own.values()):
                unknown_extended = write_left_to_spend(sheet, ledger, name, own, extended=True)
                _write_forecast(work, unknown_extended, True)
        write_promised(sheet, ledger, granted, charged)
        write_allocation_pace(sheet, granted, booked, through, unknown)


def _write_short_by(work: PayerWork) -> None:
    """Writes by how much what is left is less than the work to do, and what is to be asked for."""
    granted, nothing = work.granted, work.granted.measure.nothing
    payers = [granted.at, *(f"allocations.{name}" for name in work.follow)]
    left = [formula_of("max({}.left, {})", payer, nothing) for payer in payers]
    short = formula_of("max({}, {})", chain_of(" - ", ["to_do", *left]), nothing)
    granted.formula("short_by", "short by", short, late=True)
    # Nothing is left of an allocation that is only applied for.
    asked = chain_of(" - ", ["to_do_with_contingency", *(left if is_granted(granted.grant) else ())])
    granted.formula("asked", "to be asked for", formula_of("max({}, {})", asked, nothing), late=True)


def _outlooks(work: PayerWork) -> list[Outlook]:
    """The outlooks of the projects whose work it pays for, each once."""
    outlooks = [*(each.outlook for each in work.works), *(each.outlook for each in work.lines)]
    return list({outlook.id: outlook for outlook in outlooks}.values())


def _write_to_do(work: PayerWork, unknown: Sequence[str]) -> None:
    """Writes the work to do in the unit of an allocation, without and with its contingency, and by project. It is not
    known while another allocation might pay for some of it."""
    writer = work.granted.writer
    _write_billed(writer, work, "to_do", "work to do", unknown)
    words = "work to do, with its contingency"
    _write_billed(writer, work, "to_do_with_contingency", words, unknown, with_contingency=True)
    for outlook in _outlooks(work):
        works = tuple(each for each in work.works if each.outlook is outlook)
        own = work._replace(works=works, lines=tuple(each for each in work.lines if each.outlook is outlook))
        at = f"{outlook.id}.payers.{work.granted.name}"
        _write_billed(replace(writer, at=at), own, "to_do", "work to do of this project", unknown)


class BilledPart(NamedTuple):
    """A piece of work or a line of money as it will be billed: its address, that of the contingency that covers it
    (empty for none), what it reads, what it lacks, and what of it is to be done."""

    at: str
    contingency: str
    needs: Addresses
    missing: Callable[[Figures], Addresses]
    to_do: Callable[[Figures], Fraction]


def _billed_parts(work: PayerWork, with_contingency: bool) -> Iterator[BilledPart]:
    """What an allocation will bill of the base budgets of its projects, each with the contingency that covers it."""
    for each in work.works:
        rates = _rates(each.project) if with_contingency else {}
        for piece in each.of(each.outlook.counted(extended=False)):
            to_do = partial(each.to_do, piece)
            yield BilledPart(piece.at, rates.get(piece.item, ""), piece.needs, piece.missing, to_do)
    for paid in work.lines:
        if paid.line.in_base:
            rates = _rates(paid.line.project) if with_contingency else {}
            yield BilledPart(
                paid.line.at, rates.get(paid.line.item, ""), paid.line.needs, paid.line.missing, paid.to_do
            )


def _write_billed(
    writer: FigureWriter,
    work: PayerWork,
    key: str,
    words: str,
    unknown: Sequence[str],
    with_contingency: bool = False,
) -> None:
    """Writes what the work that is to be done is billed as."""
    parts = [*_billed_parts(work, with_contingency)]
    needs = [need for part in parts for need in (*part.needs, part.contingency) if need]

    def to_do(figures: Figures) -> Result:
        missing, total = [*work.missing, *missing_of(figures[address] for address in unknown)], ZERO
        for part in parts:
            rate = figures[part.contingency] if part.contingency else None
            missing += (*part.missing(figures), *missing_of([rate]))
            total += part.to_do(figures) * (1 + ((rate.use if rate else 0) or 0))
        return result(total, HOW_BILLED, (figures[f"{part.at}.complete_share"] for part in parts), missing)

    writer.compute(key, words, work.granted.unit, (*needs, *unknown), to_do, late=True)


HOW_BILLED = "planned hours of the work that is not done and that it pays for, billed as the plan's runs would be"


def _rates(project: ProjectLedger) -> dict[str, str]:
    """The address of the contingency that covers each item, where one does."""
    return {line.item: f"{project.id}.{line.rate}" for line in budget_lines(project) if line.rate}


def _write_forecast(work: PayerWork, unknown: Sequence[str], extended: bool) -> None:
    """Writes what an allocation will be charged, how likely that is more than there is, and by how much."""
    granted, writer = work.granted, work.granted.writer
    if extended:
        writer = replace(writer, at=f"{granted.at}.extended", title=f"{granted.title}, with extensions")
    limit = _write_limit(writer, work)
    if _outlooks(work):
        _write_drawn(writer, work, limit, unknown, extended)
    else:
        _write_no_work(writer, granted, limit, unknown)
    for percent in (50, 90):
        formula = formula_of("max({} - {}, {})", f"forecast_p{percent}", limit, granted.measure.nothing)
        words = f"short by, P{percent}"
        writer.formula(f"short_by_p{percent}", words, formula, unit=granted.unit, late=True)


def _write_drawn(writer: FigureWriter, work: PayerWork, limit: str, unknown: Sequence[str], extended: bool) -> None:
    """Writes what is read off the draws of the work that it pays for."""
    used, chance = f"{work.granted.at}.used", "probability_over"
    needs = [used, *unknown]
    needs += [need for each in work.works for piece in each.pieces for need in piece.needs]
    needs += [each.ratio for each in work.works if each.ratio]
    needs += [need for each in work.lines for need in each.line.needs]
    first, *others = _outlooks(work)
    draws = _make_draws(work, unknown, extended)
    drawn = DrawnFigures(writer, first, draws, *others, more=needs, unit=work.granted.unit)
    for percent in PERCENTS:
        drawn.quantile(f"forecast_p{percent}", f"forecast of its projects, P{percent}", percent, used)
    drawn.probability(chance, "more than granted", limit)
    if work.alone:
        draws = _make_draws(work, unknown, extended, is_planned=True)
        planned = DrawnFigures(writer, first, draws, *others, more=needs, is_planned=True)
        planned.probability(as_planned(chance), "more than granted, as planned", limit)


def _write_no_work(writer: FigureWriter, granted: Granted, limit: str, unknown: Sequence[str]) -> None:
    """The same figures of an allocation that pays for no work to come: it stays at what it was charged. They are not
    known where another one might pay for some of its work."""
    used, how = f"{granted.at}.used", "it pays for no work to come"

    def stays(figures: Figures) -> Result:
        at_hand = [figures[name] for name in (used, *unknown)]
        return result(figures[used].use or 0, how, at_hand, missing_of(at_hand))

    def is_over(figures: Figures) -> Result:
        at_hand = [figures[name] for name in (used, limit, *unknown)]
        over = (figures[used].use or 0) > (figures[limit].use or 0)
        return result(int(over), how, at_hand, missing_of(at_hand))

    needs = (used, limit, *unknown)
    for percent in PERCENTS:
        words = f"forecast of its projects, P{percent}"
        writer.compute(f"forecast_p{percent}", words, granted.unit, needs, stays, late=True)
    writer.compute("probability_over", "more than granted", PLAIN, needs, is_over, "%", late=True)


def _write_limit(writer: FigureWriter, work: PayerWork) -> str:
    """The address of what may be charged: what was granted and, where others pay after it, what is left of these."""
    granted = work.granted
    if not work.follow:
        return f"{granted.at}.granted"
    parts = [formula_of("max(allocations.{}.left, {})", name, granted.measure.nothing) for name in work.follow]
    words = "granted, with what is left of those that follow"
    formula = chain_of(" + ", [f"{granted.at}.granted", *parts])
    replace(writer, title=granted.title).formula("granted_in_turn", words, formula, unit=granted.unit)
    return f"{writer.at}.granted_in_turn"


def _make_draws(work: PayerWork, unknown: Sequence[str], extended: bool, is_planned: bool = False) -> Draws:
    """What makes the draws of what an allocation will have been charged; or, as planned, with nothing begun. To one
    that has ended nothing more is charged."""
    used, ended = f"{work.granted.at}.used", has_ended(work.granted)
    so_far = () if is_planned else (used, *unknown)

    def draws(figures: Figures) -> list[float]:
        at = (*so_far, *(each.ratio for each in work.works if each.ratio))
        if missing := (*work.missing, *missing_of(figures[address] for address in at)):
            raise Unknown(missing)
        totals = [0.0 if is_planned else floated(figures[used].use)] * DRAWS
        if ended and not is_planned:
            return totals
        for each in work.works:
            phases = each.outlook.counted(extended)
            coming = each.outlook.coming_by_lane(figures, phases, is_planned)
            ratio = floated(figures[each.ratio].use) if each.ratio else 1.0
            rate = floated(each.rate(figures)) / ratio
            totals = add_draws(totals, coming.get(each.lane, [0.0] * DRAWS), rate)
        return add_lines(totals, _lines(work, extended), figures, is_planned)

    return draws


def _lines(work: PayerWork, extended: bool) -> list[tuple[MoneyLine, Outlook, float]]:
    """The lines of money that count, with what one of the currency of their project is in that of the payer."""
    lines = (each for each in work.lines if extended or each.line.in_base)
    return [(each.line, each.outlook, floated(each.rate)) for each in lines]
