"""How far each piece of work has come. Its runs say so; hours used alone say nothing of that.

A piece of work is an item, or one seed of an item per seed. Attempts with one name (`run`) are one logical run. The
share of a piece that is done comes from, strongest first:

1. progress that is stated: of an entry with a name it speaks of that logical run, of one without of the piece;
2. `runs` of the item: the completed runs that count, divided by it, at most all. A named run counts once, with the
   progress that it states until it is done; entries without a name count one each;
3. `finishes: piece`: a completed run ends its piece, which is done to the mean over its logical runs;
4. without any of these a completed run ends its piece only if its hours suit the plan of the piece: it alone takes at
   most twice the plan, and with the attempts of its logical run that did not end it at least half. Other completed runs
   of that logical run do not add to these: where there are several, one of them did not end the piece.

What adds nothing leaves a piece as far as it was, which is 0% where nothing else tells: an attempt that failed, was
cancelled or ran out of time and states no progress, and a completed run that finishes nothing (`finishes: never`).

A completed run that does not tell (`finishes: run` where no number of runs is known, or hours that do not suit) is left
out where another one tells; where none does, or one still runs and states no progress, the share is not known. Without
a known plan there is nothing to compare hours with, and a completed run ends its piece. Progress that is stated later
than a run completed goes before that.

What an imported job says, `finishes` of its source decides, which is `never` where nothing is said: such jobs, whether
they run or have ended, are spent and move no share. Where it is `run` or `piece`, each job is a logical run by itself:
the name under `run` that a rule gives is that of a group, whose jobs may well run at one time.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import NamedTuple

from reckon.language.lean import dataclass
from reckon.language.text import NOWHERE, Place
from reckon.model.figure import USEFUL
from reckon.model.records import ImportSource, Item, Run

STATED, COUNTED, COMPLETED, SUITED, NOTHING = BASES = ("progress", "runs", "completed", "hours", "nothing")
"""What the share of a piece of work can rest on; the last where it has begun and nothing tells."""
RUNNING, UNCOUNTED = "a run that has not ended states no progress", "it is not said how many runs it takes"
SEEDLESS = "its runs name no seed"
IMPORTED = "its runs were imported, and `finishes` of their source says that they tell nothing of the work done"
"""Why nothing tells, where it is not for the hours of completed runs."""
NEVER = "never"
LEAST, MOST = Fraction(1, 2), 2
"""A completed run whose hours are so many times the plan of its piece ends it."""


def finishes(item: Item) -> str:
    """What a completed run of an item finishes: `piece`, `run`, `never`, or empty where nothing says."""
    return str(item.finishes or "")


def finishes_of(source: ImportSource | None) -> str:
    """What a completed job of a source finishes, whatever the item says of its runs."""
    return str(source.finishes) if source else NEVER


class Moment(NamedTuple):
    """When an attempt was made: by its number, then by its date."""

    number: int
    day: str

    def after(self, other: Moment) -> bool:
        """Whether it is known to be later than another one."""
        if self.number != other.number:
            return self.number > other.number
        return bool(self.day and other.day) and self.day > other.day


class ReportedShare(NamedTuple):
    """Progress that an attempt states."""

    moment: Moment
    share: Fraction
    place: Place


class AttemptStep(NamedTuple):
    """An attempt that states progress (share) or failed, with the hours that are lost if it got nothing done."""

    moment: Moment
    share: Fraction | None
    lost: Fraction


class Completion(NamedTuple):
    """An attempt that completed and states no progress: what it finishes, and its hours (None: a ratio is missing)."""

    moment: Moment
    place: Place
    hours: Fraction | None
    ends: str


class Told(NamedTuple):
    """What is known of a piece of work: its share (None: not known), what that rests on, and in words how and where.

    `hours` are those of the completed run that took most, where no completed run's hours suit the plan.
    """

    share: Fraction | None
    basis: str
    how: str
    place: Place = NOWHERE
    hours: Fraction | None = None


@dataclass(slots=True)
class Attempts:
    """The attempts of one logical run, as they are gathered; `others` are the hours of those that did not end it."""

    running: bool = False
    latest: ReportedShare | None = None
    completions: list[Completion] = field(default_factory=list)
    counted: int = 0
    others: Fraction = Fraction(0)
    steps: list[AttemptStep] = field(default_factory=list)

    def add(self, run: Run, hours: Fraction | None, ends: str) -> None:
        """Adds an attempt; the order in which they come does not matter."""
        self.running = self.running or run.status == "running"
        number = int(run.attempt) if run.attempt and run.attempt.isdecimal() else 1
        moment = Moment(number, str(run.end or run.date or run.start or "").replace("T", " "))
        completed, failed = run.status == "completed", run.status not in USEFUL
        self.counted += completed and ends != "never"
        if run.progress is not None and run.progress.total:
            reported = ReportedShare(moment, run.progress.done / run.progress.total, run.progress.place)
            self.latest = reported if self.latest is None else max(self.latest, reported)
            self.steps.append(AttemptStep(moment, reported.share, (hours or Fraction(0)) if failed else Fraction(0)))
        elif failed:
            self.steps.append(AttemptStep(moment, None, hours or Fraction(0)))
        elif completed:
            self.completions.append(Completion(moment, run.place, hours, ends))
            return
        self.others += hours or 0

    def say(self, run: Run) -> None:
        """Takes in progress that is stated beside the attempts."""
        moment = Moment(1, str(run.end or run.date or run.start or "").replace("T", " "))
        if run.progress is not None and run.progress.total:
            reported = ReportedShare(moment, run.progress.done / run.progress.total, run.progress.place)
            self.latest = reported if self.latest is None else max(self.latest, reported)

    def losses(self, plan: Fraction) -> list[Fraction]:
        """What each failed attempt lost: its hours, less those in which the plan would have made its progress."""
        before, found = Fraction(0), []
        for step in sorted(self.steps, key=lambda step: (step.moment, step.share or 0, step.lost)):
            gained = Fraction(0) if step.share is None else max(step.share - before, Fraction(0))
            before = before if step.share is None else step.share
            if step.lost > gained * plan:
                found.append(step.lost - gained * plan)
        return found

    def _last(self, ended: list[Completion]) -> Completion | None:
        """The first line of those that ended it, unless it runs or a later attempt states what is done."""
        late = self.latest.moment if self.latest else None
        found = [] if self.running else [run for run in ended if not (late and late.after(run.moment))]
        return min(found, key=lambda run: run.place) if found else None

    def _suited(self, unsettled: list[Completion], plan: Fraction | None) -> list[Completion]:
        """The completed runs whose hours suit the plan of the piece, as far as both are known."""
        if not plan:
            return unsettled
        least, most = LEAST * plan - self.others, MOST * plan
        return [run for run in unsettled if run.hours is None or least <= run.hours <= most]

    def told(self, plan: Fraction | None) -> Told:
        """How much of a logical run is done that is all of its piece, or one of several that are alike."""
        if sure := self._last([run for run in self.completions if run.ends == "piece"]):
            return Told(Fraction(1), COMPLETED, "completed", sure.place)
        unsettled = [run for run in self.completions if not run.ends]
        if ended := self._last(self._suited(unsettled, plan)):
            if not plan or ended.hours is None:
                return Told(Fraction(1), COMPLETED, "completed", ended.place)
            return Told(Fraction(1), SUITED, "completed, with hours near its plan", ended.place)
        if self.latest:
            return Told(self.latest.share, STATED, "done of total in its latest attempt", self.latest.place)
        if self.adds_nothing:
            return Told(Fraction(0), "", "no attempt got anything done")
        if self.running:
            return Told(None, NOTHING, RUNNING)
        if not unsettled:
            return Told(None, NOTHING, UNCOUNTED)
        longest = max(unsettled, key=lambda run: run.hours or 0)
        return Told(None, NOTHING, "its runs state no progress", longest.place, longest.hours)

    @property
    def adds_nothing(self) -> bool:
        """Whether it adds nothing to what is done: its attempts failed without a word, or finish nothing."""
        return not self.running and self.latest is None and all(run.ends == "never" for run in self.completions)

    @property
    def done(self) -> Fraction:
        """How much of it is done as one of the runs that an item takes."""
        if self._last([run for run in self.completions if run.ends != "never"]):
            return Fraction(1)
        return self.latest.share if self.latest else Fraction(0)


@dataclass(slots=True)
class PieceOfWork:
    """The logical runs of a piece of work by their names; the one without a name is that of the piece.

    `jobs` are those that were imported, by their ids; under an empty one are all that say nothing of the work done.
    """

    runs: dict[str, Attempts] = field(default_factory=dict)
    jobs: dict[str, Attempts] = field(default_factory=dict)
    idle: list[Fraction] = field(default_factory=list)

    def add(self, run: Run, hours: Fraction | None, ends: str) -> None:
        """Adds a run, with its hours on the project's GPU and what it finishes. GPUs held idle attempted nothing."""
        if run.imported and run.progress is None and run.status != "held-idle":
            self.jobs.setdefault("" if ends == NEVER else str(run.job), Attempts()).add(run, hours, ends)
        elif run.status != "held-idle" or run.progress is not None:
            self.runs.setdefault(str(run.run or ""), Attempts()).add(run, hours, ends)
        elif hours:
            self.idle.append(hours)

    def say(self, run: Run) -> None:
        """Takes in the progress that an entry without hours states; it is not an attempt."""
        self.runs.setdefault(str(run.run or ""), Attempts()).say(run)

    @property
    def begun(self) -> bool:
        """Whether anything was attempted."""
        return bool(self.runs or self.jobs)

    @property
    def only_imported(self) -> bool:
        """Whether all that was attempted was imported from sources whose completed jobs say nothing of the work."""
        return not self.runs and set(self.jobs) == {""}

    @property
    def failed(self) -> bool:
        """Whether any attempt failed, or held GPUs idle."""
        every = (*self.runs.values(), *self.jobs.values())
        return bool(self.idle) or any(step.lost for attempts in every for step in attempts.steps)

    def losses(self, plan: Fraction, runs: Fraction | None) -> list[Fraction]:
        """What each failed attempt lost, of a piece of work with such a plan that takes so many runs (None: not known).

        The plan of a logical run is its part of that.
        """
        part = plan / (runs or max(len([name for name in self.runs if name]), 1))
        parts = [(attempts, part if name else plan) for name, attempts in sorted(self.runs.items())]
        # A job that states no progress got nothing done, whatever its plan.
        parts += [(attempts, plan) for _, attempts in sorted(self.jobs.items())]
        return [*self.idle, *(lost for attempts, own in parts for lost in attempts.losses(own))]

    @property
    def unsettled(self) -> bool:
        """Whether the plan of the piece may decide what its completed runs say."""
        return any(not run.ends for attempts in self.runs.values() for run in attempts.completions)

    @property
    def completed_runs(self) -> Fraction:
        """How many runs are completed: named ones once each, as far as they are done, and each entry without a name."""
        every = (*self.runs.items(), *self.jobs.items())
        named = (attempts.done for name, attempts in every if name)
        return sum(named, Fraction(self.runs[""].counted if "" in self.runs else 0))

    def counted(self, runs: Fraction) -> Told:
        """How far it has come where it takes so many runs."""
        whole = self.runs.get("")
        if not self.begun:
            return Told(Fraction(0), "", "no run has begun")
        if whole and whole.latest:
            return Told(whole.latest.share, STATED, "done of total in its latest attempt", whole.latest.place)
        return Told(min(self.completed_runs / runs, Fraction(1)), COUNTED, "completed runs over those it takes")

    def told(self, plan: Fraction | None) -> Told:
        """How far it has come, given its planned hours (None: not known), where nothing says how many runs it takes."""
        if not self.begun:
            return Told(Fraction(0), "", "no run has begun")
        if self.only_imported:
            return Told(None, NOTHING, IMPORTED)
        whole = self.runs.get("")
        if whole and whole.latest:
            return whole.told(plan)
        jobs = [attempts for job, attempts in sorted(self.jobs.items()) if job]
        named = [attempts for _, attempts in sorted(self.runs.items())]
        found = [(attempts, attempts.told(plan)) for attempts in (*named, *jobs)]
        every = [told for _, told in found]
        # Logical runs that add nothing, or without a word, are left out where another one counts; one that still runs
        # is to come.
        live = [(attempts, told) for attempts, told in found if not attempts.adds_nothing] or found[:1]
        several = [told for attempts, told in live if attempts.running or told.share is not None] or every
        if len(several) == 1:
            return several[0]
        known = [told.share for told in several if told.share is not None]
        if len(known) < len(several):
            return max((told for told in several if told.share is None), key=lambda told: told.hours or -1)
        # It rests on the weakest of what they say.
        basis = max((told.basis for told in several), key=BASES.index)
        return Told(sum(known, Fraction(0)) / len(known), basis, "the mean over its runs")
