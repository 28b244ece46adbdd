"""A run as the rules see it, and what they hold it against: the dates of its project, its plan, and its card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from msgspec import Struct

from reckon.language.calendar_days import first_day, last_day, seconds, seconds_between
from reckon.language.quantity import ONE, ZERO
from reckon.model.figure import Figure, Figures
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Item, Run

from ...book import Book
from ...budget.prices import PricedCard, dollar_price

Piece = tuple[str, bool]
"""A piece of work: an item, and whether it is one seed of it."""


def bounds_of(figure: Figure) -> tuple[Fraction, Fraction]:
    """The low and the high end of a figure; the value to plan with, or else 0, in place of one that is not known."""
    use = figure.use or ZERO
    return figure.value.low or use, figure.value.high or use


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


def entries_of(project: ProjectLedger) -> Iterator[RunEntry]:
    """The runs of a project, in the order of its ledger."""
    yield from some_entries(project, range(len(project.rows)))


def some_entries(project: ProjectLedger, numbers: Iterable[int]) -> Iterator[RunEntry]:
    """The runs of a project with these numbers."""
    for each in numbers:
        file, number = project.rows.at(each)
        run = file.runs[number]
        apart = seconds_between(run.start, run.end) if run.start and run.end else None
        exact = apart is not None and apart[0] == apart[1]
        begins = seconds(str(run.start)) if exact else None
        yield RunEntry(run, file.file, number + 1, project.card_of(run), apart, begins)


class Entries:
    """The runs of a project as the rules see them. Each is made once, when a rule has to look at it."""

    def __init__(self, project: ProjectLedger) -> None:
        self.project = project
        self._made: dict[int, RunEntry] = {}

    def of(self, numbers: Sequence[int]) -> list[RunEntry]:
        """Those of some numbers."""
        wanted = [number for number in numbers if number not in self._made]
        self._made |= zip(wanted, some_entries(self.project, wanted), strict=True)
        return [self._made[number] for number in numbers]

    @property
    def all(self) -> list[RunEntry]:
        """All of them, in the order of the ledger."""
        return self.of(range(len(self.project.rows)))


class Around(Struct, frozen=True):
    """What the runs of a project are held against.

    `first` and `last` are the first and the last day that its ledger names, and `began` the one that it states; 0 where
    there is none. `planned` are hours by item, and whether a seed of it is named; they are on the card of the item.
    `shares` are those of one of several runs, as they were asked for. `estimated` are the hours that its estimate gives
    an item at the most, for a seed of it and for all of it.
    """

    project: ProjectLedger
    book: Book
    began: int
    first: int
    last: int
    phases: Mapping[str, str]
    planned: Mapping[Piece, Figure]
    estimated: Mapping[Piece, Fraction]
    memory: Figures
    power: Figures
    shares: dict[tuple[str, bool, Fraction], Figure | None] = {}

    def plan(self, entry: RunEntry) -> Figure | None:
        """The hours planned for the piece of work that a run belongs to; None where they are for another card.

        Where a piece takes several `runs`, they are those of one of them, unless the entry states progress of all.
        """
        item = self.project.items.get(entry.run.item)
        if item is None or self.project.card_for(item) != entry.card:
            return None
        many = self.share(entry)
        asked = entry.run.item, entry.run.seed is not None or many > 1, many
        if asked not in self.shares:
            planned = self.planned.get(asked[:2])
            if planned and many > 1:
                planned = replace(planned, value=planned.value.scaled(1 / many))
            self.shares[asked] = planned
        return self.shares[asked]

    def expected(self, entry: RunEntry) -> Fraction | None:
        """The GPU-hours that a run takes at the most by the estimate of its item, as far as its progress says that it
        came; None where there is no estimate, or one for another card."""
        run = entry.run
        item = self.project.items.get(entry.run.item)
        many = self.share(entry)
        estimate = self.estimated.get((run.item, run.seed is not None or many > 1))
        if estimate is None or item is None or self.project.card_for(item) != entry.card:
            return None
        done = run.progress.done / run.progress.total if run.progress and run.progress.total else ONE
        return estimate / many * done

    def share(self, entry: RunEntry) -> Fraction:
        """How many runs the plan is for that a run is held against: 1 where it is that of all its piece."""
        item = self.project.items.get(entry.run.item)
        whole = entry.run.progress is not None and entry.run.run is None
        runs = item.runs.value.use if item and item.runs and not whole else None
        return runs or ONE

    def price(self, entry: RunEntry) -> Figure | None:
        """What an hour on the card of a run costs on its day."""
        run, named = entry.run, self.project.named_for("price", entry.run)
        price = dollar_price(self.book.ledger, self.project, PricedCard(named, entry.card))
        day = last_day(run.moment)
        return self.book.get(price.spans[price.at(day)].address) if price else None


def around(project: ProjectLedger, book: Book) -> Around:
    """All that the runs of a project are held against, gathered once."""
    began = first_day(project.project.began or "")
    days = [moment for moment in _moments(project) if moment]
    return Around(
        project,
        book,
        began,
        began or min(map(first_day, days)),
        max(map(last_day, days)),
        {name: phase for phase, part in project.plan.items() for name in part.items},
        dict(_planned(project, book)),
        dict(_estimated(project, book)),
        dict(_memory(book)),
        dict(_power(book)),
    )


def _moments(project: ProjectLedger) -> set[str]:
    """The days that a ledger names: of the plan, of its phases, of runs and of measurements."""
    rows = project.rows
    found = {str(start or "")[:10] for start in rows.values("start")}
    ends = (
        zip(rows.column("end"), rows.column("date"), strict=True)
        if rows.says("end")
        else ((None, date) for date in rows.values("date"))
    )
    found |= {str(end or date or "")[:10] for end, date in {*ends}}
    found |= {day or "" for phase in project.plan.values() for day in (phase.since, phase.until)}
    found |= {measurement.date or "" for measurement in project.measurements.values()}
    return {*found, project.project.as_of, project.project.began or ""}


def _planned(project: ProjectLedger, book: Book) -> Iterator[tuple[Piece, Figure]]:
    """The hours of each item for a run that names a seed, and for one that names none."""
    for name, item in project.items.items():
        of_seed, whole = book.get_all(f"{project.id}.plan.{name}", "gpu_hours", "total")
        if of_seed is not None and of_seed.use:
            yield (name, True), of_seed
            many = _seeds(project, item) > 1 and project.card_for(item) == project.gpu
            yield (name, False), whole if many and whole is not None and whole.use else of_seed


def _estimated(project: ProjectLedger, book: Book) -> Iterator[tuple[Piece, Fraction]]:
    """The high end of what each item is estimated to take, for one of its seeds and for all of them."""
    for name, item in project.items.items():
        one, whole = book.get_all(f"{project.id}.plan.{name}", "estimate", "estimate_total")
        if one and whole and one.value.high and whole.value.high:
            seeds = _seeds(project, item) if project.card_for(item) == project.gpu else 1
            yield (name, True), whole.value.high / seeds if seeds > 1 else one.value.high
            yield (name, False), whole.value.high if seeds > 1 else one.value.high


def _seeds(project: ProjectLedger, item: Item) -> int:
    return (len(project.seeds) or 1) if item.scope == "per-seed" else 1


def _memory(book: Book) -> Iterator[tuple[str, Figure]]:
    """The memory of each card: the larger of what is printed on it and of what can be used."""
    for card in book.catalog.gpus:
        found = [book.get(f"catalog.gpus.{card}.{name}") for name in ("vram_gib", "usable_vram_gib")]
        known = [figure for figure in found if figure is not None and figure.use is not None]
        if known:
            yield card, max(known, key=lambda figure: bounds_of(figure)[1])


def _power(book: Book) -> Iterator[tuple[str, Figure]]:
    """What the board of each card may draw."""
    for card in book.catalog.gpus:
        board = book.get(f"catalog.gpus.{card}.watts")
        if board is not None and board.use:
            yield card, board
