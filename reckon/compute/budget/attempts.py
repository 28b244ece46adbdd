"""The attempts of one logical run, and what they tell of the work that it was for: see `progress`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from reckon.language.quantity import ONE, ZERO
from reckon.language.text import NOWHERE, Place
from reckon.model.figure import NO_RUN, USEFUL
from reckon.model.fixed_point import Number
from reckon.model.records import Progress, Run

from .progress_groups import Alike, Attempted, Completion, Moment, moment_of, moment_on

STATED, COUNTED, COMPLETED, SUITED, NOTHING = BASES = ("progress", "runs", "completed", "hours", "nothing")
"""What the share of a piece of work can rest on; the last where it has begun and nothing tells."""
RUNNING, UNCOUNTED = "a run that has not ended states no progress", "it is not said how many runs it takes"
SEEDLESS = "its runs name no seed"
IMPORTED = "its runs were imported, and `finishes` of their source says that they show nothing of the work done"
"""Why nothing tells, where it is not for the hours of completed runs."""
NEVER = "never"
LEAST, MOST = Fraction(1, 2), 2
"""A completed run whose hours are so many times the plan of its piece ends it."""
UNSAID = Moment(0, "")
"""That of attempts of which it does not matter."""


def _is_within(hours: Number, below: int, least: int, above: int, most: int) -> bool:
    """Whether hours are from least/below to most/above."""
    return least <= hours * below and hours * above <= most


class AttemptStep(NamedTuple):
    """An attempt that states progress (share, and the place of that) or failed, with its hours; or `many` that failed,
    with those of all.

    Progress that is stated beside the attempts has no hours and the status NO_RUN.
    """

    moment: Moment
    share: Fraction | None
    hours: Number
    status: str
    many: int = 1
    place: Place = NOWHERE

    @property
    def failed(self) -> bool:
        """Whether its hours are lost but for the progress that is kept."""
        return self.status not in USEFUL


class Lost(NamedTuple):
    """Hours that were lost, by how many attempts, of which status."""

    hours: Fraction
    many: int
    status: str


class KeptStep(NamedTuple):
    """An attempt with the share of the work that it did, and what of that was not lost again by progress that went
    back."""

    step: AttemptStep
    gained: Fraction
    kept: Fraction

    @property
    def may_lose(self) -> bool:
        """Whether any of its hours may be lost."""
        return bool(self.step.hours) and (self.step.failed or self.kept < self.gained)


class Told(NamedTuple):
    """What is known of a piece of work: its share (None: not known), what that rests on, and in words how and where.

    `hours` are those of the completed run that took most, where no completed run's hours suit the plan.
    """

    share: Fraction | None
    basis: str
    how: str
    place: Place = NOWHERE
    hours: Fraction | None = None


class Attempts(Struct):
    """The attempts of one logical run, as they are gathered; `others` are the hours of those that did not end it.

    Hours in it are `per`-th parts of one. `completed` are attempts that completed, with their numbers in the ledger;
    `alike` are groups of such; `steps` are those that state progress or failed; `numbered` are the days and the numbers
    of attempts that have both.
    """

    per: int = 1
    running: bool = False
    numbered: list[tuple[str, int]] = []
    completed: list[tuple[int, Completion]] = []
    alike: list[Alike] = []
    counted: int = 0
    others: Number = 0
    steps: list[AttemptStep] = []

    def add(self, run: Run | Attempted, hours: Number | None, ends: str, number: int) -> None:
        """Adds an attempt, which has this number in the ledger; the order in which they come does not matter."""
        self.running = self.running or run.status == "running"
        moment = moment_of(run)
        if moment.number and moment.day:
            self.numbered.append((moment.day, moment.number))
        completed, failed = run.status == "completed", run.status not in USEFUL
        self.counted += run.many if completed and ends != NEVER else 0
        if run.progress is not None and run.progress.total:
            self._report(run.progress, moment, hours or 0, run.status)
        elif failed:
            self.steps.append(AttemptStep(moment, None, hours or 0, run.status, run.many))
        elif completed:
            self.completed.append((number, Completion(moment, run.place, hours, ends)))
            return
        self.others += hours or 0

    def add_alike(self, runs: Alike) -> None:
        """Adds attempts that state no progress: as `add` of each would."""
        self.running = self.running or runs.status == "running"
        if runs.status == "completed":
            self.counted += runs.many if runs.ends != NEVER else 0
            self.alike.append(runs)
            return
        if runs.status not in USEFUL:
            self.steps.append(AttemptStep(UNSAID, None, runs.hours, runs.status, runs.charged))
        self.others += runs.hours

    def completions(self, *ends: str) -> list[Completion]:
        """The attempts that completed and finish one of these, in the order of the ledger."""
        found = [pair for pair in self.completed if pair[1].ends in ends]
        found += [pair for runs in self.alike if runs.ends in ends for pair in runs.completions()]
        return [run for _, run in sorted(found, key=itemgetter(0))]

    @property
    def finishes(self) -> set[str]:
        """What its attempts that completed finish."""
        return {run.ends for _, run in self.completed} | {runs.ends for runs in self.alike}

    def say(self, run: Run) -> None:
        """Takes in progress that is stated beside the attempts."""
        if run.progress is not None and run.progress.total:
            self._report(run.progress, moment_on(None, run.moment), 0, NO_RUN)

    def _report(self, progress: Progress, moment: Moment, hours: Number, status: str) -> None:
        share = progress.done / progress.total
        self.steps.append(AttemptStep(moment, share, hours, status, place=progress.place))

    def _order(self) -> Callable[[Moment], Moment]:
        """What places a moment among those of the other attempts: one without a number comes after all that have one
        and are not later by their day; before all others it has the first number."""
        days, numbers = [day for day, _ in sorted(self.numbered)], [number for _, number in sorted(self.numbered)]
        highest = [1, *accumulate(numbers, max)]

        def placed(moment: Moment) -> Moment:
            if moment.number:
                return moment
            return Moment(highest[bisect_right(days, moment.day)], moment.day)

        return placed

    @property
    def latest(self) -> AttemptStep | None:
        """The progress that its latest attempt states."""
        placed = self._order()
        reported = (step for step in self.steps if step.share is not None)
        return max(reported, default=None, key=lambda step: (placed(step.moment), step.share, step.place))

    @property
    def stated(self) -> Told | None:
        """How far it has come by the progress that its latest attempt states."""
        if (latest := self.latest) is None:
            return None
        return Told(latest.share, STATED, "done of total in its latest attempt", latest.place)

    def kept(self) -> list[KeptStep]:
        """What each attempt did of the work, and what of that is kept, in order of time. Progress that goes back takes
        from the attempts that had made it, the latest first."""
        placed = self._order()
        moved = [step._replace(moment=placed(step.moment)) for step in self.steps]
        steps = sorted(moved, key=lambda step: (step.moment, step.share or 0, step.failed, step.hours))
        gained, done, before, last = [ZERO] * len(steps), list[tuple[int, Fraction]](), ZERO, UNSAID
        kept = gained[:]
        for number, (moment, share, _, status, *_) in enumerate(steps):
            if share is None or (share > before and status == NO_RUN):
                continue
            if share > before:
                done.append((number, before))
                gained[number] = kept[number] = share - before
            elif not moment.after(last):
                continue
            while done and before > share:
                maker, since = done[-1]
                kept[maker] -= before - max(since, share)
                before = max(since, share)
                if since >= share:
                    done.pop()
            before, last = share, moment
        return [KeptStep(*each) for each in zip(steps, gained, kept, strict=True)]

    def rates(self, plan: Fraction) -> list[Fraction]:
        """How many times its planned hours the progress of each attempt took that made any."""
        found = [each for each in self.kept() if each.gained and each.step.hours]
        return [each.step.hours / (each.gained * plan * self.per) for each in found] if plan else []

    def losses(self, plan: Fraction) -> list[Lost]:
        """What its attempts lost: hours of those that failed, less what the plan gives for the progress that is kept;
        and of others what it gives for progress that went back."""
        found = []
        for step, gained, kept in self.kept():
            worth = (kept if step.failed else gained - kept) * plan * self.per
            lost = max(step.hours - worth, ZERO) if step.failed else min(worth, Fraction(step.hours))
            if lost:
                found.append(Lost(Fraction(lost, self.per), step.many, step.status))
        return found

    def _last(self, ended: list[Completion]) -> Completion | None:
        """The first line of those that ended it, unless it runs or a later attempt states what is done."""
        placed, latest = self._order(), self.latest
        late = placed(latest.moment) if latest else None
        found = [] if self.running else [run for run in ended if not (late and late.after(placed(run.moment)))]
        return min(found, key=lambda run: run.place) if found else None

    def _suited(self, unsettled: list[Completion], plan: Fraction | None) -> list[Completion]:
        """The completed runs whose hours suit the plan of the piece; all, where it has none. Unknown hours never do."""
        if not plan:
            return unsettled
        least, most = LEAST * plan * self.per - self.others, MOST * plan * self.per
        ends = (least.denominator, least.numerator, most.denominator, most.numerator)
        return [run for run in unsettled if run.hours is not None and _is_within(run.hours, *ends)]

    def told(self, plan: Fraction | None) -> Told:
        """How much of a logical run is done that is all of its piece, or one of several that are alike."""
        if sure := self._last(self.completions("piece")):
            return Told(ONE, COMPLETED, "completed", sure.place)
        unsettled = self.completions("")
        if ended := self._last(self._suited(unsettled, plan)):
            if not plan or ended.hours is None:
                return Told(ONE, COMPLETED, "completed", ended.place)
            return Told(ONE, SUITED, "completed, with hours near its plan", ended.place)
        if stated := self.stated:
            return stated
        if self.adds_nothing:
            return Told(ZERO, "", "no attempt got anything done")
        if self.running:
            return Told(None, NOTHING, RUNNING)
        if not unsettled:
            return Told(None, NOTHING, UNCOUNTED)
        longest = max(unsettled, key=lambda run: run.hours or 0)
        hours = None if longest.hours is None else Fraction(longest.hours, self.per)
        return Told(None, NOTHING, "its runs state no progress", longest.place, hours)

    @property
    def adds_nothing(self) -> bool:
        """Whether it adds nothing to what is done: its attempts failed without a word, or finish nothing."""
        return not self.running and self.latest is None and self.finishes <= {NEVER}

    @property
    def done(self) -> Fraction:
        """How much of it is done as one of the runs that an item takes."""
        if self._last(self.completions(*(self.finishes - {NEVER}))):
            return ONE
        return (self.latest and self.latest.share) or ZERO
