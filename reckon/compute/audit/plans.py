"""Lines of the plan: against the estimates behind them, and seeds that are counted twice; and plans without reserve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as replace_figure
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.quantity import ONE, ZERO, Quantity
from reckon.language.text import Text
from reckon.language.units import HOURS, singular
from reckon.model.amounts import AmountValue, Derived
from reckon.model.figure import Figure, is_known, operands, places_of, planned, value_in
from reckon.model.finding import Common, Correction, Finding, Findings, Sentence, correct_fields, make_finding, say
from reckon.model.kinds import CEILING, MONEY_CEILING, as_planned
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Item
from reckon.model.shares import MOST_CHANCE

from ..book import Book
from ..budget.budget import covers_seeds
from ..sheet.cells import picked
from ..statements.structure import factors_of, recalculate
from .common import is_done, ratio, times_as_much
from .limits import above_allocations, above_ceilings

SLIGHT = Fraction(1, 1000)
"""A plan that is below its estimate by no more than this share is the estimate, rounded somewhere."""
HALF, MOST_ROUNDED = Fraction(1, 2), Fraction(1, 100)
"""What rounding to whole hours leaves out at most, and as a share of the plan."""
FAR = 2
"""A plan of this many times the high end of its estimate is told whatever may explain it."""
CLEARLY = Fraction(3, 2)
"""A plan of less than this many times the high end of its estimate may just be generous."""
WIDE = Fraction(3, 2)
"""A range whose ends are further apart than this has some multiple near any plan: that tells nothing."""
SLACK = Fraction(1, 20)
"""A factor explains a plan that it misses by at most this share: plans are rounded."""
REPEATS = ("run", "repeat", "repetition")
SEED = "seed"


class Line(NamedTuple):
    """A line of the plan that has hours to plan with and an estimate with a low end: its id and address, its item, what
    is planned and estimated, the number of seeds, whether the estimate is for all of these, and what its document
    states of it otherwise."""

    name: str
    at: str
    item: Item
    plan: Figure
    estimate: Figure
    seeds: Figure | None
    of_all: bool
    stated: Figure | None = None

    @property
    def planned(self) -> Fraction:
        """The hours to plan with."""
        return self.plan.use or ZERO

    @property
    def low(self) -> Fraction:
        """The low end of the estimate."""
        return self.estimate.value.low or ZERO

    @property
    def high(self) -> Fraction | None:
        """The high end of the estimate; None where it is open."""
        return self.estimate.value.high

    @property
    def is_twice(self) -> bool:
        """Whether it multiplies by the seeds an estimate that counts them."""
        return self.item.scope == "per-seed" and self.of_all

    @property
    def is_one_seed(self) -> bool:
        """Whether that estimate is what is planned for one seed, times the seeds."""
        whole = self.planned * (planned(self.seeds) or 1)
        return self.is_twice and self.low * (1 - SLACK) <= whole <= (self.high or self.low) * (1 + SLACK)

    @property
    def lacks_digit(self) -> bool:
        """Whether ten times the plan is what is estimated."""
        return 0 < self.low <= 10 * self.planned <= (self.high or self.low)

    @property
    def right(self) -> AmountValue | None:
        """What would be planned: what its document states, the plan with a digit more, or else the estimate."""
        hours = self.item.gpu_hours
        if not isinstance(hours, Quantity) or not (self.stated or self.lacks_digit):
            return self.item.estimate
        more = hours.value.scaled(Fraction(10))
        return replace(hours, value=value_in(self.stated, hours.unit) if self.stated else more)

    @property
    def is_far_above(self) -> bool:
        """Whether the plan is more than generous."""
        return self.high is not None and 0 < self.high * CLEARLY <= self.planned

    def doubt(
        self, evidence: str, told: Sentence, meaning: str = "", remedy: str = "", *, is_mild: bool = False
    ) -> Finding:
        """A finding about it, by some evidence."""
        if self.stated:
            told += say("; its document states {stated}", stated=self.stated)
            remedy = "Write what the document states, or correct that."
        return make_finding(
            "plan-unlike-its-estimate",
            self.at,
            self.item.title,
            told,
            meaning,
            remedy,
            evidence=evidence,
            is_mild=is_mild,
            corrections=correct_fields(self.item.place, gpu_hours=self.right),
        )


def lines_of(project: ProjectLedger, book: Book) -> Iterator[Line]:
    """The lines of the plan that have both, in its order."""
    seeds = book.find(project, "seeds")
    said = group_by(book.checks[project.id], lambda check: check.figure.address)
    for name, item in project.items.items():
        at = f"{project.id}.plan.{name}"
        plan, estimate, total = book.get_all(at, "gpu_hours", "estimate", "total")
        if plan and estimate and plan.use is not None and estimate.value.low is not None:
            of_all = covers_seeds(book[f"{at}.estimate_total"])
            # Where its document has two numbers, or this one, neither speaks against the plan.
            others = {check.value: check for check in said.get(f"{at}.total", ()) if total and total.use == plan.use}
            stated = [check.stated for check in others.values() if len(others) == 1 and not check.holds]
            yield Line(name, at, item, plan, estimate, seeds, of_all, *stated)


def unlike_its_estimate(line: Line) -> Findings:
    """What is planned for a line beside what it is estimated at: one entry, the cause first."""
    if line.is_one_seed:
        return
    # A line that is too small since it is the time on the clock is one mistake.
    found = list(_by_the_clock(line)) or [*_below_its_estimate(line), *_above_its_estimate(line)]
    yield from (replace(each, common=Common(found[0].id)) for each in found)


def _by_the_clock(line: Line) -> Findings:
    """A plan that is too small for its estimate, but would suit it if wall-clock hours were GPU-hours."""
    gpus = gpus_of(line.estimate)
    wall = ratio(line.estimate, gpus, HOURS, "") if gpus else None
    if wall is None or wall.value.low is None or wall.value.high is None or line.planned >= line.low:
        return
    # Near the wall-clock time, a usual margin included, and nearer to it than to the GPU-hours.
    if wall.value.low / 2 <= line.planned <= wall.value.high * 2 and line.planned**2 <= wall.value.high * line.low:
        told = "the plan is {plan}; {wall} of wall-clock time on {gpus} is {estimate}"
        yield line.doubt("clock", say(told, estimate=line.estimate, gpus=gpus, wall=wall, plan=line.plan))


def _below_its_estimate(line: Line) -> Findings:
    """The estimate does not support its plan: error below its low end, warning below its planned value. A plan that is
    the estimate in whole hours is supported."""
    aim = line.low if line.estimate.use is None else line.estimate.use
    off = abs(aim - line.planned)
    is_rounded = line.planned.denominator == 1 and off <= min(HALF, line.planned * MOST_ROUNDED)
    is_below = line.planned < line.low
    if line.planned >= aim or off <= line.planned * SLIGHT or (is_rounded and line.estimate.use is not None):
        return
    told = say("estimate {estimate}, plan {plan}", estimate=line.estimate, plan=line.plan)
    told += times_as_much(line.estimate, line.plan, ": {ratio} as much")
    if line.lacks_digit:
        told += say("; it is ten times too small: a digit?")
    meaning = "" if is_below else "The plan covers only the low part of the estimate."
    yield line.doubt("below", told, meaning, is_mild=not is_below)


MEANT = {
    "per-seed": (
        "it is the estimate times the {count}, and the line is multiplied by them again",
        "Plan one seed: the scope per-seed does the multiplying.",
    ),
    "all-seeds": (
        "it is the estimate times the {count}: the estimate counts one of them",
        "Write the seeds into the estimate, or let the line be per-seed and plan one of them.",
    ),
    "gpus": (
        "it is the estimate times the {count}, which the estimate counts already",
        "Plan the GPU-hours that the estimate gives: they are GPUs times hours.",
    ),
}
"""By what a plan is its estimate times too many of: why, and what to do."""


def _above_its_estimate(line: Line) -> Findings:
    """A plan that is its estimate multiplied by the GPUs or the seeds once more, or is far above it."""
    if line.is_twice or not line.is_far_above:
        return
    counts = {str(line.item.scope): line.seeds, "gpus": gpus_of(line.estimate)}
    why = next((why for why, count in counts.items() if why in MEANT and _is_times(line, count)), "")
    if not why and line.planned < (line.high or 0) * FAR:
        return
    told = say("plan {plan}, estimate {estimate}", plan=line.plan, estimate=line.estimate)
    told += times_as_much(line.plan, line.estimate, ": {ratio} as much")
    is_certain = why not in ("", "all-seeds")
    meaning = "" if is_certain else "What is planned is not what the estimate gives."
    cause, remedy = MEANT.get(why, ("", ""))
    if why:
        told += say("; " + cause, count=counts[why])
    yield line.doubt("above", told, meaning, remedy, is_mild=not is_certain)


def _is_times(line: Line, count: Figure | None) -> bool:
    """Whether a plan far above its estimate is that times a count, its rounding allowed; of a wide range any is."""
    times = count.use if count and count.use else ONE
    if line.high is None or line.high > line.low * WIDE:
        return False
    return line.low * times * (1 - SLACK) <= line.planned <= line.high * times * (1 + SLACK)


def gpus_of(estimate: Figure) -> Figure | None:
    """The number of GPUs that an estimate multiplies by, where it is more than one."""
    several = (each for each in operands(estimate) if each.unit.kinds == (("gpu", 1),) and (each.use or 0) > 1)
    return next((each for each in several if each.value.exact), None)


def seeds_counted_twice(project: ProjectLedger, book: Book) -> Findings:
    """A per-seed line whose estimate already counts the seeds; or whose hours are multiplied by a number of seeds or
    runs of their own that is the number of seeds."""
    for line in lines_of(project, book):
        if line.is_twice and line.seeds:
            title = "{title}: the seeds are counted twice ({total} in all, the estimate is {estimate})"
            told = "the estimate {estimate} is for all {seeds}, the plan of {plan} is multiplied by them again: {total}"
            meaning = "The line is in the budget once for each seed, though it covers every seed already."
            remedy = say("Count it once ({plan}, not × {seeds}), or plan one seed.", plan=line.plan, seeds=line.seeds)
            right: tuple[Correction, ...] = correct_fields(line.item.place, scope=Text("all-seeds"))
            if line.is_one_seed:
                title = "{title}: the seeds are counted twice in the estimate ({estimate}, planned are {total})"
                told = "the estimate {estimate} is for all {seeds}, the plan of {plan} is that of one: {total} in all"
                meaning = "The scope per-seed multiplies by the seeds; the plan is right, its estimate is not."
                remedy = ("Estimate one seed: take the seeds out of the estimate.",)
                right = ()
            total = book[f"{line.at}.total"]
            yield make_finding(
                "seeds-counted-twice",
                line.at,
                say(title, title=line.item.title, total=total, estimate=line.estimate),
                say(told, estimate=line.estimate, seeds=line.seeds, plan=line.plan, total=total),
                meaning,
                remedy,
                corrections=right,
            )
    seeds = book.find(project, "seeds")
    for name, item in project.items.items():
        if item.scope == "per-seed" and seeds and (seeds.use or 0) >= 2:
            at = f"{project.id}.plan.{name}"
            yield from _under_another_name(book, f"{at}.gpu_hours", item.gpu_hours, item, seeds)
            yield from _under_another_name(book, f"{at}.estimate", item.estimate, item, seeds)


def _under_another_name(book: Book, at: str, amount: AmountValue | None, item: Item, seeds: Figure) -> Findings:
    """Hours of a line that count as many seeds of their own, or runs; where the item says how many `runs` a piece of it
    takes, the runs of its formula are those."""
    inputs = amount.inputs if isinstance(amount, Derived) else {}
    counts = factors_of(book[at]) if inputs else {}
    words = (SEED,) if item.runs else (SEED, *REPEATS)
    own = [key for key in inputs if counts.get(key) == seeds.use and _word(key) in words]
    for key in own[:1]:
        count = book[f"{at}.{key}"]
        what = "the plan" if at.endswith("gpu_hours") else "the estimate"
        total = book[f"{at.rpartition('.')[0]}.total"]
        told = "{what} counts {count}, and the line is multiplied by {seeds}: {total} in all"
        yield make_finding(
            "seeds-counted-twice",
            at,
            item.title,
            say(told, what=what, count=count, seeds=seeds, total=total),
            evidence="count",
            is_mild=_word(key) != SEED,
        )


def _word(key: str) -> str:
    """The last word of the name of a count, in the singular: `own_seeds` counts a seed."""
    return singular(key.rpartition("_")[2]) if "_per_" not in key else ""


def rests_on_low_end(project: ProjectLedger, book: Book) -> Findings:
    """An estimate that takes one value where the item's settings give a range that goes further."""
    for name, item in project.items.items():
        at = f"{project.id}.plan.{name}"
        for key in item.estimate.inputs if isinstance(item.estimate, Derived) else ():
            given = book.get(f"{at}.settings.{key}")
            taken = book.get(f"{at}.estimate.{key}")
            if given and taken and 0 < (taken.value.high or 0) < (given.value.high or 0):
                told = say("the estimate takes {taken}, the settings say {given}", taken=taken, given=given)
                estimate = book[f"{at}.estimate"]
                high = recalculate(estimate, {taken.address: picked(given, "high")}) if is_known(estimate) else None
                if high:
                    text = ". At the high end it would be {shown} instead of {estimate}"
                    told += say(text, shown=replace_figure(high[0], address=""), estimate=estimate)
                yield make_finding("rests-on-low-end", taken.address, item.title, told, places=places_of(taken, given))


def planned_without_reserve(project: ProjectLedger, book: Book) -> Findings:
    """A limit that others set is as likely exceeded as not by the plan itself, before anything begins. Of one that more
    is planned for than it allows, that is told instead."""
    if is_done(book, project.id):
        return
    if not any(above_ceilings(project, book)):
        for total, words in ((CEILING, "the ceiling"), (MONEY_CEILING, "the ceiling in money")):
            at = f"{project.id}.{total.hours}"
            yield from _without(book, f"{project.id}.{total.chance}", at, at, words)
    if any(above_allocations(project, book)):
        return
    for name, grant in book.ledger.grants_of(project.id).items():
        at = f"allocations.{name}"
        if not book.get(f"{at}.days_since_end"):
            yield from _without(book, f"{at}.probability_over", f"{at}.granted", at, f"“{grant.title}”")


def _without(book: Book, chance: str, limit: str, subject: str, words: str) -> Findings:
    by_plan = book.get(as_planned(chance))
    allowed = book.get(limit)
    if planned(by_plan) >= MOST_CHANCE:
        told = say("the plan itself exceeds {allowed} with a chance of {planned}", allowed=allowed, planned=by_plan)
        yield make_finding("planned-without-reserve", subject, words, told)
