"""The runs of a project beside each other: how far each brought its piece of work, and what does not go together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, NamedTuple

from reckon.language.calendar_days import first_day, iso, last_day
from reckon.language.groups import group_by
from reckon.language.lazy import regex
from reckon.language.quantity import ZERO
from reckon.language.text import Place, Text
from reckon.language.units import key_unit
from reckon.model.figure import USEFUL
from reckon.model.finding import Fields, Sentence, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records.run import Progress

from ..common import counted


class Piece(NamedTuple):
    """A piece of work: an item, a seed of it where it is planned for each, and the name of a run; empty where there is
    none."""

    item: str
    seed: str
    run: str


ATTEMPTS, PROGRESS, TIME, GPUS = "attempts", "progress", "time", "gpus"
"""What runs may contradict each other in."""
MONTHLY = regex(r".*/(\d{4}-\d\d)\.yaml")
FEW_DAYS, MONTH, LATE = 7, 31, 150
"""Days: from the month of its file to a run that is not just entered late; from any other run to one before the plan;
and to one after all others."""
LEAST_DAYS = 5
"""Of fewer days with runs none is called far from the others."""
OTHERS, TIMES = 3, 4
"""So many other runs have to agree on their GPUs, of which an odd one has four times as many."""
NAMED_OTHERS = 2
"""So many other runs have to name the same card for one that names none to be odd."""


class Step(NamedTuple):
    """A run of a piece of work: its day, the number of its attempt (0: none), its number in the ledger, how much is
    done after it out of what whole (0: not stated), its seed, and whether it failed."""

    day: int
    attempt: int
    number: int
    done: Fraction
    total: Fraction
    seed: str
    failed: bool

    @property
    def reached(self) -> str:
        """How far the work was after it, and on which day."""
        return f"{self.done}/{self.total}" + (f" on {iso(self.day)}" if self.day else "")

    @property
    def numbered(self) -> str:
        """Which attempt it is, and of which day."""
        return f"attempt {self.attempt}" + (f" of {iso(self.day)}" if self.day else "")

    @property
    def is_end(self) -> bool:
        """Whether all is done after it."""
        return 0 < self.total <= self.done


Pieces = Mapping[Piece, Sequence[Step]]


class Contradiction(NamedTuple):
    """By its number a run that contradicts others, in what it does, what says so, and the lines of these; and its
    fields with which it would not contradict them, where that is known."""

    number: int
    kind: str
    arithmetic: Sentence
    also: tuple[Place, ...] = ()
    fields: Fields = ()


class History(NamedTuple):
    """By the numbers of runs: the progress that each made, and what is odd about it beside others."""

    gains: Mapping[int, Fraction]
    odd: Mapping[int, Sequence[Contradiction]]


def history_of(project: ProjectLedger) -> History:
    """What the runs of a project say beside each other. Of those of schedulers attempts and progress are left out."""
    rows = project.rows
    gains: dict[int, Fraction] = {}
    moments = rows.columns("end", "date", "start")
    days = [last_day(end or date or start) for end, date, start in moments]
    found = [*_far_from_all(project, days), *_of_another_month(project, days), *_other_gpus(project)]
    pieces = _pieces(project, days) if rows.says("progress.done") or rows.says("attempt") else {}
    wholes: dict[tuple[str, str], Counter[Fraction]] = defaultdict(Counter)
    for piece, steps in pieces.items():
        wholes[piece.item, piece.run].update(step.total for step in steps if step.total)
    for piece in pieces:
        attempts = [*_attempts(project, pieces, piece)]
        odd = {each.number for each in attempts}
        # What goes back where attempts are out of order only follows from that.
        progress = _progress(project, pieces, piece, wholes[piece.item, piece.run], gains)
        found += attempts + [each for each in progress if not odd or each.number in odd]
    return History(gains, group_by(found, itemgetter(0)))


def _pieces(project: ProjectLedger, days: Sequence[int]) -> Pieces:
    """The runs of each piece of planned work, as steps of it in their order."""
    names = ("item", "seed", "run", "attempt", "progress.done", "progress.total", "status", "imported.source")
    columns = project.rows.columns(*names)
    pieces = defaultdict(list)
    for number, (item, seed, run, attempt, done, total, status, source) in enumerate(columns):
        if not source and item in project.items:
            own = str(seed or "")
            piece = Piece(str(item), own if project.items[item].scope == "per-seed" else "", str(run or ""))
            count = int(attempt) if attempt and attempt.isdigit() else 0
            failed = status not in USEFUL
            pieces[piece].append(Step(days[number], count, number, done or ZERO, total or ZERO, own, failed))
    return {piece: sorted(steps) for piece, steps in pieces.items()}


def _attempts(project: ProjectLedger, pieces: Pieces, piece: Piece) -> Iterator[Contradiction]:
    """Attempts with a number that was there before, or is lower than one of an earlier day; or before which one is
    missing. Nothing of runs without a name, of which a piece takes several."""
    if project.items[piece.item].runs and not piece.run:
        return
    numbered = [step for step in pieces[piece] if step.attempt]
    for steps in group_by(numbered, lambda step: step.seed).values():
        known = {step.attempt for step in steps}
        seen = dict[int, Step]()
        top = steps[0]
        for step in steps:
            if step.attempt > top.attempt:
                top = step
                if step.attempt - 1 not in known:
                    other = _twice(pieces, piece, step.attempt - 1)
                    told = say("seed {seed}: ", seed=step.seed) if other else ()
                    told += say("{attempt} is there, the one before it is missing", attempt=step.numbered)
                    yield Contradiction((other or step).number, ATTEMPTS, told)
            elif top is not step:
                other = seen.get(step.attempt, top)
                told = say("{attempt} is behind {other}", attempt=step.numbered, other=other.numbered)
                yield Contradiction(step.number, ATTEMPTS, told, (project.rows.place(other.number),))
            seen[step.attempt] = step


def _twice(pieces: Pieces, piece: Piece, attempt: int) -> Step | None:
    """The last run of another seed that says to be an attempt which that seed has twice: it may be of this one."""
    others = (other for other in pieces if other != piece and other == piece._replace(seed=other.seed))
    same = ([step for step in pieces[other] if step.attempt == attempt] for other in others)
    return next((steps[-1] for steps in same if len(steps) > 1), None)


def _progress(
    project: ProjectLedger, pieces: Pieces, piece: Piece, wholes: Counter[Fraction], gains: dict[int, Fraction]
) -> Iterator[Contradiction]:
    """Runs whose progress is out of another whole than is usual, goes back though nothing failed, or goes on after the
    end. What each of the others made is put into `gains`."""
    before: Step | None = None
    failed = False
    whole, many = max(wholes.items(), key=itemgetter(1), default=(ZERO, 0))
    for step in pieces[piece]:
        failed = failed or step.failed
        if step.total and step.total != whole:
            if many > 1:
                text = "its progress is {reached}, others are out of {whole}"
                told = say(text, reached=step.reached, whole=str(whole))
                right = Progress.model_construct(done=step.done, total=whole) if step.done <= whole else None
                yield Contradiction(step.number, PROGRESS, told, fields=(("progress", right),))
        elif step.total:
            gain = step.done - (before.done if before else ZERO)
            if gain > 0 and (before or step.attempt <= 1):
                gains[step.number] = gain
            if before and (before.is_end or (gain < 0 and not failed)):
                # A run after the end may be of another seed, of which the same work has not ended.
                seeds = project.seeds if piece.seed and before.is_end else ()
                steps = {seed: pieces.get(piece._replace(seed=seed), ()) for seed in seeds}
                others = {seed: some for seed, some in steps.items() if not any(each.is_end for each in some)}
                text = "its progress is {reached} and goes back: {before} before"
                if before.is_end:
                    text = "its progress is {reached}, after the end: {before}"
                told = say(text, reached=step.reached, before=before.reached)
                told += say("; not at its end is seed {seeds}", seeds=", ".join(others)) if others else ()
                fitting = [seed for seed, some in others.items() if all(each.done < step.done for each in some)]
                field = ("seed", Text(fitting[0])) if len(fitting) == 1 else ("progress", None)
                yield Contradiction(step.number, PROGRESS, told, (project.rows.place(before.number),), (field,))
            before = step
            failed = step.failed


def _far_from_all(project: ProjectLedger, days: Sequence[int]) -> Iterator[Contradiction]:
    """The only run of the first or the last day, where that is far from any other and outside of the plan."""
    known = sorted({*days} - {0})
    dates = [day for phase in project.plan.values() for day in (phase.since, phase.until) if day]
    begins = min(map(first_day, dates), default=0)
    ends = max(map(last_day, dates), default=0)
    first, second = (*known, begins + MONTH, begins + MONTH)[:2]
    if first < begins and second - first >= MONTH and not project.project.began:
        text = "it is of {day}, before the plan, which begins on {begins}"
        yield Contradiction(days.index(first), TIME, say(text, day=iso(first), begins=iso(begins)))
    if len(known) >= LEAST_DAYS and known[-1] > ends and known[-1] - known[-2] >= LATE:
        text = "it is of {day}, the run before it of {other}"
        yield Contradiction(days.index(known[-1]), TIME, say(text, day=iso(known[-1]), other=iso(known[-2])))


def _of_another_month(project: ProjectLedger, days: Sequence[int]) -> Iterator[Contradiction]:
    """The runs of a file that are more than a month from the one that it is of; or well outside of it, and in it if day
    and month are swapped."""
    made = first_day(project.project.as_of)
    for file, start, stop in project.rows.spans():
        month = found[1] if (found := MONTHLY.fullmatch(file)) else ""
        first = first_day(month)
        last = last_day(month)
        for number in (number for number in range(start, stop) if month and days[number]):
            day = iso(days[number])
            apart = max(first - days[number], days[number] - last)
            is_swapped = apart > FEW_DAYS and f"{day[:4]}-{day[8:]}-{day[5:7]}".startswith(month)
            if is_swapped or apart > MONTH:
                told = say("it is of {day}, in the file of {month}", day=day, month=month)
                if is_swapped:
                    told += say("; with day and month swapped it is in it")
                elif days[number] < made:
                    told += say(", and before the plan was made")
                yield Contradiction(number, TIME, told)


def _other_gpus(project: ProjectLedger) -> Iterator[Contradiction]:
    """The runs that held many times the GPUs of every other run of their item, all of which held the same; and those
    that name no card, where every other run of their item names the same one, which is not that of the item."""
    gpus, per = project.rows.amounts("gpus")
    unit = key_unit("gpus")
    for item, number, value, usual, many in _lone(project, gpus):
        if value and usual and many >= OTHERS and value >= TIMES * usual:
            held = Fraction(value) / per
            right = Fraction(usual) / per
            text = "it held {own}, the others of {item} all {usual}"
            told = say(text, own=counted(held, unit), item=project.title_of(item), usual=counted(right, unit))
            yield Contradiction(number, GPUS, told, fields=(("gpus", right),))
    for item, number, value, usual, many in _lone(project, project.rows.column("gpu")):
        card = project.card_on(item, None)
        if value is None and many >= NAMED_OTHERS and usual != card:
            text = "it names no card and counts as on `{own}`; the others of {item} all name `{usual}`"
            told = say(text, own=card, item=project.title_of(item), usual=usual)
            yield Contradiction(number, GPUS, told, fields=(("gpu", usual),))


def _lone(project: ProjectLedger, values: Sequence[Any]) -> Iterator[tuple[str, int, Any, Any, int]]:
    """The only run of an item that says something else in a column than all others: the item, its number, what it says,
    and what so many others say."""
    pairs = [*zip(project.rows.column("item"), values, strict=True)]
    by_item = group_by(Counter(pairs).items(), lambda counts: counts[0][0])
    numbers: dict[tuple[str, Any], int] = {}
    for item, counts in by_item.items():
        (pair, once), ((_, usual), many), *others = [*sorted(counts, key=itemgetter(1)), (("", None), 0)]
        if once == 1 and many and len(others) == 1:
            numbers = numbers or dict(zip(pairs, range(len(pairs)), strict=True))
            yield item, numbers[pair], pair[1], usual, many
