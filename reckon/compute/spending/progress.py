"""How far work has come, from what its runs say was done; hours used say nothing of that.

A piece of work is an item, or one seed of an item per seed. Its attempts belong to a logical run (`run`; without one,
to the one that the piece has). A logical run is done when an attempt completed and none is running, unless that attempt
says that less was done. Otherwise the progress of its latest attempt counts. Where nothing says, it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from reckon.language.text import NOWHERE, Place
from reckon.model.records import Run

Latest = tuple[int, str, Fraction, Place]


@dataclass(slots=True)
class Attempts:
    """The attempts of one logical run, as they are gathered."""

    completed: Place | None = None
    running: bool = False
    latest: Latest | None = None

    def add(self, run: Run) -> None:
        """One attempt more; the order in which they come does not matter."""
        self.running = self.running or run.status == "running"
        if run.progress is not None and run.progress.total:
            share = run.progress.done / run.progress.total
            number = int(run.attempt) if run.attempt and run.attempt.isdecimal() else 1
            moment = str(run.end or run.date or run.start or "").replace("T", " ")
            one = (number, moment, share, run.progress.place)
            self.latest = one if self.latest is None else max(self.latest, one)
        elif run.status == "completed":
            self.completed = run.place if self.completed is None else min(self.completed, run.place)

    @property
    def share(self) -> Fraction | None:
        """The share of the work that is done; None where no attempt says."""
        if self.completed and not self.running:
            return Fraction(1)
        return self.latest[2] if self.latest else None

    @property
    def place(self) -> Place:
        """The ledger line that says so."""
        if self.completed and not self.running:
            return self.completed
        return self.latest[3] if self.latest else NOWHERE


@dataclass(slots=True)
class Work:
    """The logical runs of one piece of work by their names."""

    runs: dict[str, Attempts] = field(default_factory=dict)

    def add(self, run: Run) -> None:
        """One run more. GPUs that were held idle attempted nothing."""
        if run.status != "held-idle" or run.progress is not None:
            self.runs.setdefault(str(run.run or ""), Attempts()).add(run)

    @property
    def told(self) -> list[Attempts]:
        """The logical runs that count: those that failed without a word are left out where another one counts."""
        found = [self.runs[name] for name in sorted(self.runs)]
        return [one for one in found if one.running or one.share is not None] or found

    @property
    def share(self) -> Fraction | None:
        """The share of the work that is done, logical runs counting alike; 0 before the first, None where unknown."""
        shares = [one.share for one in self.told]
        known = [share for share in shares if share is not None]
        if len(known) < len(shares):
            return None
        return sum(known, Fraction(0)) / len(known) if known else Fraction(0)

    @property
    def how(self) -> tuple[str, Place]:
        """In words, what the share comes from, and the ledger line where it is one."""
        told = self.told
        if not told:
            return "no run has begun", NOWHERE
        if self.share is None:
            return "its runs state no progress", NOWHERE
        if len(told) > 1:
            return "the mean over its runs", NOWHERE
        return ("done of total in its latest attempt" if told[0].share != 1 else "completed"), told[0].place
