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

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from itertools import chain

from msgspec import Struct

from reckon.language.quantity import ONE, ZERO, add_up
from reckon.model.figure import UNASSIGNED
from reckon.model.fixed_point import Number
from reckon.model.ledger import Kinds, ProjectLedger
from reckon.model.records import Run

from .attempts import BASES, COUNTED, IMPORTED, NEVER, NOTHING, Attempts, KeptStep, Lost, Told
from .progress_groups import Alike, Attempted, RunGroups, Telling

UNBEGUN = Told(ZERO, "", "no run has begun")
IDLE = "held-idle"
"""The status of GPUs that were held and did nothing."""


def finishes_of(project: ProjectLedger, name: str) -> str:
    """What a completed job of a source finishes, whatever the item says of its runs. Nothing, while jobs of the source
    are counted together: once its rules are applied, those that finish something are an entry each."""
    source, lock = project.imports.get(name), project.locks.get(name)
    return NEVER if source is None or (lock and lock.counted) else source.finishes


class PieceOfWork(Struct):
    """The logical runs of a piece of work by their names; the one without a name is that of the piece.

    `jobs` are those that were imported, by their ids; under an empty one are all that say nothing of the work done.
    Hours that are added are `per`-th parts of one.
    """

    per: int = 1
    runs: dict[str, Attempts] = {}
    jobs: dict[str, Attempts] = {}
    idle: list[tuple[Number, int]] = []

    def add(self, run: Run | Attempted, hours: Number | None, ends: str, number: int) -> None:
        """Adds a run, with its hours on the project's GPU, what it finishes and its number."""
        if run.imported and run.progress is None:
            self._of(self.jobs, "" if ends == NEVER else str(run.job)).add(run, hours, ends, number)
        else:
            self._of(self.runs, run.run or "").add(run, hours, ends, number)

    def add_alike(self, told: Telling, runs: Alike) -> None:
        """Adds runs that state no progress. GPUs held idle attempted nothing."""
        if runs.status == IDLE:
            self.idle += [(runs.hours, runs.charged)] if runs.hours else []
        elif told.source is None:
            self._of(self.runs, told.run or "").add_alike(runs)
        elif runs.ends == NEVER:
            self._of(self.jobs, "").add_alike(runs)
        else:
            for number, run, hours in runs.each():
                self.add(run, hours, runs.ends, number)

    def _of(self, known: dict[str, Attempts], name: str) -> Attempts:
        if name not in known:
            known[name] = Attempts(self.per)
        return known[name]

    def say(self, run: Run) -> None:
        """Takes in the progress that an entry without hours states; it is not an attempt."""
        self._of(self.runs, run.run or "").say(run)

    @property
    def begun(self) -> bool:
        """Whether anything was attempted."""
        return bool(self.runs or self.jobs)

    @property
    def only_imported(self) -> bool:
        """Whether all that was attempted was imported from sources whose completed jobs say nothing of the work."""
        return not self.runs and set(self.jobs) == {""}

    @property
    def causes(self) -> set[str]:
        """The statuses of the attempts that may have lost hours."""
        return {each.step.status for each in self._lossy} | ({IDLE} if self.idle else set())

    @property
    def _lossy(self) -> Iterator[KeptStep]:
        """What its attempts did that may have lost hours."""
        attempts = chain(self.runs.values(), self.jobs.values())
        return (each for its in attempts for each in its.kept() if each.may_lose)

    @property
    def needs_plan(self) -> bool:
        """Whether what was lost hangs on the plan: an attempt made progress that may be lost."""
        return any(each.gained for each in self._lossy)

    def losses(self, plan: Fraction, runs: Fraction | None) -> list[Lost]:
        """What was lost, of a piece of work with such a plan that takes so many runs (None: not known).

        The plan of a logical run is its part of that. Slow is not lost: where several attempts made progress and all
        were slower than the plan, the fastest of them is the measure.
        """
        part = plan / (runs or max(len([name for name in self.runs if name]), 1))
        parts = [(attempts, part if name else plan) for name, attempts in sorted(self.runs.items())]
        # A job that states no progress got nothing done, whatever its plan.
        parts += [(attempts, plan) for _, attempts in sorted(self.jobs.items())]
        rates = [rate for attempts, own in parts for rate in attempts.rates(own)]
        pace = max(min(rates), ONE) if len(rates) > 1 else ONE
        idle = (Lost(Fraction(hours, self.per), many, IDLE) for hours, many in self.idle)
        return [*idle, *(lost for attempts, own in parts for lost in attempts.losses(own * pace))]

    @property
    def unsettled(self) -> bool:
        """Whether the plan of the piece may decide what its completed runs say."""
        return any("" in attempts.finishes for attempts in self.runs.values())

    @property
    def completed_runs(self) -> Fraction:
        """How many runs are completed: named ones once each, as far as they are done, and each entry without a name."""
        every = (*self.runs.items(), *self.jobs.items())
        named = (attempts.done for name, attempts in every if name)
        return sum(named, Fraction(self.runs[""].counted if "" in self.runs else 0))

    def counted(self, runs: Fraction) -> Told:
        """How far it has come where it takes so many runs."""
        if not self.begun:
            return UNBEGUN
        counted = Told(min(self.completed_runs / runs, ONE), COUNTED, "completed runs over those it takes")
        return self.stated or counted

    @property
    def stated(self) -> Told | None:
        """How far it has come, where progress is stated of the piece, and not of a run by its name."""
        return self.runs[""].stated if "" in self.runs else None

    def told(self, plan: Fraction | None) -> Told:
        """How far it has come, given its planned hours (None: not known), where nothing says how many runs it takes."""
        if not self.begun:
            return UNBEGUN
        if self.only_imported:
            return Told(None, NOTHING, IMPORTED)
        if self.stated:
            return self.runs[""].told(plan)
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
        return Told(add_up(known) / len(known), basis, "the mean over its runs")


def gathered(
    project: ProjectLedger, kinds: Kinds, seeded: Collection[str], counts: Mapping[str, Number | None], times: int
) -> dict[tuple[str, str], PieceOfWork]:
    """The work of each item, or of each seed of one that is per seed, as the runs of a project tell it.

    `counts` are what an hour on each kind of GPU counts, so many `times`; None where that is not known.
    """
    rows, work = project.rows, dict[tuple[str, str], PieceOfWork]()
    (charged, per), groups = rows.charged, RunGroups(project, kinds)
    of_source = {name: finishes_of(project, name) for name in project.imports}
    for group, told in enumerate(groups.groups):
        item, seed, status, gpu, *_ = kinds.traits[told.kind]
        if item in ("", UNASSIGNED):
            continue
        piece = work.setdefault((item, seed if item in seeded else ""), PieceOfWork(per * times))
        own = project.items[item].finishes or ""
        ends = own if told.source is None else of_source.get(told.source, NEVER)
        ratio = counts[gpu] if kinds.traits[told.kind].budgeted else 0
        if not told.progress:
            piece.add_alike(told, Alike(groups, group, status, ends, ratio))
            continue
        for number in groups.numbers[group]:
            piece.add(rows.run(number), None if ratio is None else charged[number] * ratio, ends, number)
    return work
