"""A run as the rules see it, and what they hold it against: the dates of its project, its plan, and its card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import asdict

from reckon.language.calendar_days import HOUR, first_day, last_day, seconds, seconds_between
from reckon.language.quantity import ONE, ZERO
from reckon.model.figure import USEFUL, Figure
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run

from ...book import Book
from ...budget.prices import PricedCard, dollar_price
from ..plans import gpus_of
from .history import History, history_of
from .siblings import Kinship, Siblings, kinship_of

SLACK, MINUTE = Fraction(101, 100), Fraction(1, 60)
"""Clocks and rounding: one percent and a minute. BLOOM's 118 d 5 h 41 min on 118 days are right."""
DATED = 24
"""Hours by which a run may have begun before the day, month or year that dates its end."""
TWO_DAYS, MONTH = 48, 31 * 24
"""Hours that an entry without start and end seldom has; and those beyond which one of a single date is in another unit,
if that fits."""
HALF, NINE_TENTHS = Fraction(1, 2), Fraction(9, 10)
"""Of the time from its start to its end a run has a half at least, where its hours are in another unit, and nine tenths
where they are GPU-hours: a few GPUs are a small factor, by which anything could be explained."""
OVER, NEAR = 3, Fraction(3, 2)
"""Of a plan: GPU-hours above three times of it are doubtful where half to one and a half of it is near by."""
BEYOND, TWICE = 10, 2
"""Of a plan: hours above ten times of it are in another unit, if in that they are at most twice of it."""
MINUTES = Fraction(60)
SECONDS = Fraction(3600)
Piece = tuple[str, bool]
"""A piece of work: an item, and whether it is one seed of it."""


def bounds_of(figure: Figure) -> tuple[Fraction, Fraction]:
    """The low and the high end of a figure; the value to plan with, or else 0, in place of one that is not known."""
    use = figure.use or ZERO
    return figure.value.low or use, figure.value.high or use


class Expected(NamedTuple):
    """The hours that a run is expected to take, and whether these are estimated, with how many GPUs; else they are
    planned."""

    hours: Figure
    estimated: bool = False
    gpus: Figure | None = None

    @property
    def most(self) -> Fraction:
        """Their high end, or the value to plan with where they have none."""
        return self.hours.value.high or self.hours.use or ZERO

    def scaled(self, part: Fraction) -> Expected:
        """A part of them."""
        return self._replace(hours=replace(self.hours, value=self.hours.value.scaled(part)))


class RunEntry(Struct, frozen=True):
    """A run, its file and its number there, and the card that it was on.

    `apart` are the least and the most seconds from its start to its end; None where one of them is not stated. Where
    that is exact, `begins` is the second of the calendar at which it began.
    """

    run: Run
    file: str
    number: int
    card: str
    apart: tuple[int, int] | None
    begins: int | None = None
    row: int = 0
    """Its number among all runs of the project, from 0."""

    @property
    def exact(self) -> bool:
        """Whether the time from its start to its end is known to the minute."""
        return self.begins is not None

    @property
    def ends(self) -> int:
        """The second of the calendar at which it ended; only where that is exact."""
        return (self.begins or 0) + (self.apart[1] if self.apart else 0)

    def address(self, project_id: str) -> str:
        """How findings name it: by its file and its number there."""
        return f"{project_id}.runs.{self.file.rsplit('/', 1)[-1].removesuffix('.yaml')}.{self.number}"


def entries_of(project: ProjectLedger, numbers: Iterable[int] | None = None) -> Iterator[RunEntry]:
    """The runs of a project with these numbers; without any all of them, in the order of the ledger."""
    for each in range(len(project.rows)) if numbers is None else numbers:
        file, number = project.rows.at(each)
        run = file.runs[number]
        apart = seconds_between(run.start, run.end) if run.start and run.end else None
        exact = apart and apart[0] == apart[1]
        begins = seconds(str(run.start)) if exact else None
        yield RunEntry(run, file.file, number + 1, project.card_of(run), apart, begins, each)


class Around(Struct, frozen=True):
    """What the runs of a project are compared with.

    `began` is the first day that it states; 0 where it states none. `expected` are hours by item, and whether a seed of
    it is named: as they are estimated, else planned. They are on the card of the item. `history` and `kinship` are what
    its runs say beside each other.
    """

    project: ProjectLedger
    book: Book
    began: int
    expected: Mapping[Piece, Expected]
    history: History
    kinship: Kinship


def around(project: ProjectLedger, book: Book) -> Around:
    """All that the runs of a project are compared with, gathered once."""
    history = history_of(project)
    return Around(
        project,
        book,
        first_day(project.project.began),
        dict(_expected(project, book)),
        history,
        kinship_of(project, history.gains),
    )


def _expected(project: ProjectLedger, book: Book) -> Iterator[tuple[Piece, Expected]]:
    """The hours of each item for a run that names a seed, and for one that names none: estimated, else planned."""
    for name, item in project.items.items():
        planned, whole, one, estimated = book.get_all(
            f"{project.id}.plan.{name}", "gpu_hours", "total", "estimate", "estimate_total"
        )
        is_per_seed = item.scope == "per-seed" and project.card_for(item) == project.gpu
        seeds = len(project.seeds) if is_per_seed else 1
        if one and estimated and one.value.high:
            gpus = gpus_of(one)
            of_all = Expected(estimated, True, gpus)
            yield (name, True), of_all.scaled(Fraction(1, seeds)) if seeds > 1 else Expected(one, True, gpus)
            yield (name, False), of_all if seeds > 1 else Expected(one, True, gpus)
        elif planned and planned.use:
            yield (name, True), Expected(planned)
            yield (name, False), Expected(whole if seeds > 1 and whole else planned)


class HeldEntry(RunEntry, frozen=True, kw_only=True):
    """A run with its wall-clock hours, and the witnesses that they are compared with; 0 where it does not say how
    long it took.

    `least` and `most` are the hours between its start and its end, `dated` those that a single date leaves. `plan` is
    what it is expected to take: what its piece of work is, or one of the runs (`share`) that this takes, or the part
    that it says it did. `siblings` are other runs of its kind.
    """

    around: Around
    hours: Fraction
    least: Fraction
    most: Fraction | None
    dated: Fraction | None
    plan: Expected | None
    part: Fraction
    share: Fraction
    siblings: Siblings | None

    @property
    def gpus(self) -> Fraction:
        """GPUs held; 1 where that is not stated."""
        return self.run.gpus or ONE

    @property
    def charged(self) -> Fraction:
        """GPUs times hours."""
        return self.gpus * self.hours

    @property
    def price(self) -> Figure | None:
        """What an hour on its card costs on its day."""
        book = self.around.book
        used = PricedCard(self.around.project.named_for("price", self.run), self.card)
        price = dollar_price(book.ledger, self.around.project, used)
        return book.get(price.spans[price.at(last_day(self.run.moment))].address) if price else None

    @property
    def limit(self) -> Fraction | None:
        """The hours that are certain to be too many if there are more: of its times, or of its single date."""
        return self.dated if self.most is None else self.most

    @property
    def too_long(self) -> bool:
        """Whether it is longer than its own dates leave."""
        return self.limit is not None and self.hours > self.limit * SLACK + MINUTE

    @property
    def timed(self) -> bool:
        """Whether it has a start and an end that tell how long it took."""
        return self.most is not None and bool(self.least or not self.too_long)

    @property
    def seldom(self) -> bool:
        """Whether it has no start and end that tell how long it took, and more hours than its dates or two days."""
        return not self.timed and self.hours > (self.limit or TWO_DAYS)

    @property
    def unusual(self) -> Fraction | None:
        """The GPU-hours that it took, for a unit of progress or for all, where those of its kind took others."""
        return self.around.kinship.odd.get(self.row)

    @property
    def is_precise(self) -> bool:
        """Whether what it is expected to take is known better than by the plan of a whole piece of work."""
        return self.share > 1 or bool(self.plan and (self.plan.estimated or self.run.progress))

    def is_beyond(self, times: int) -> bool:
        """Whether it took more than so many times what it is expected to take."""
        return self.plan is not None and self.charged > times * self.plan.most

    def fits(self, factor: Fraction) -> bool:
        """Whether hours so many times less would suit its dates and its plan."""
        hours = self.hours / factor
        in_time = self.limit is None or hours <= self.limit * SLACK + MINUTE
        return in_time and (self.plan is None or self.gpus * hours <= TWICE * self.plan.most)

    def is_near(self, factor: Fraction) -> bool:
        """Whether hours so many times less would be half to twice of its plan."""
        return self.plan is not None and self.fits(factor) and self.charged / factor >= HALF * self.plan.most


def held(entry: RunEntry, around: Around) -> HeldEntry:
    """The hours of a run beside what they are compared with.

    Where a piece of work takes several `runs`, what is expected are the hours of one of them, unless the entry states
    progress of all; where it says how far it came, those of that, unless it failed. Nothing is expected on another card
    than the item is planned on.
    """
    run = entry.run
    least, most = (Fraction(seconds, HOUR) for seconds in entry.apart or (0, 0))
    item = around.project.items.get(run.item)
    is_of_all = run.progress and not run.run
    share = (item.runs_a_piece if item and not is_of_all else None) or ONE
    gain = around.history.gains.get(entry.row)
    part = gain / run.progress.total if gain and run.progress and run.status in USEFUL else ONE
    expected = around.expected.get((run.item, run.seed is not None or share > 1))
    is_on_its_card = item and around.project.card_for(item) == entry.card
    single = run.date if not run.start and not run.end else None
    return HeldEntry(
        **asdict(entry),
        around=around,
        hours=run.held_hours or ZERO,
        least=least,
        most=most if entry.apart else None,
        dated=Fraction((last_day(single) - first_day(single) + 1) * 24 + DATED) if single else None,
        plan=expected.scaled(part / share) if expected and is_on_its_card else None,
        part=part,
        share=share,
        siblings=around.kinship.groups.get((run.item, entry.card, gain is not None)),
    )
