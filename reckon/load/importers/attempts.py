"""When two rows of one job are states of it, and when they are attempts that each held it; and what came of the rows.

They are states of one job where their times meet: both began at one moment, or each began before the other ended.
Where the times of one are not known, they meet if one of the two still ran.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from .job import RUNNING
from .stored import JobKey, StoredJob

ALIKE, STATES, ATTEMPTS = "rows alike", "earlier states of jobs", "earlier attempts"
"""What rows are that state a job which another row states, too."""
Span = tuple[int | Fraction, int | Fraction]
After = Callable[[StoredJob, StoredJob], bool]
"""Whether the first of two states of a job stands, and not the second."""


def span_of(stored: StoredJob) -> Span | None:
    """From when to when a job ran, as far as is known; None where neither its start nor its end is."""
    job = stored.job
    if job.start is not None:
        return job.start, job.start + job.elapsed if job.end is None else job.end
    return None if job.end is None else (job.end - job.elapsed, job.end)


def meet(one: StoredJob, other: StoredJob) -> bool:
    """Whether the times of two states of a job meet."""
    first = span_of(one)
    second = span_of(other)
    if first is None or second is None:
        return RUNNING in (one.status, other.status)
    return first[0] == second[0] or (first[0] < second[1] and second[0] < first[1])


def is_attempt(state: StoredJob, counted: StoredJob) -> bool:
    """Whether a state of a job is an attempt of its own, beside the state that counts."""
    return state.job.start is not None and not meet(state, counted)


class Rows(Struct):
    """The rows of exports that state jobs: of each job the state that stands among them, of jobs with several rows all
    states that differ, and how many rows say what another one says."""

    best: dict[JobKey, StoredJob] = {}
    several: dict[JobKey, dict[tuple[object, ...], StoredJob]] = {}
    alike: int = 0

    def add(self, found: StoredJob, after: After) -> None:
        """Takes note of a row."""
        best = self.best.setdefault(found.key, found)
        if best is found:
            return
        states = self.several.setdefault(found.key, {best.content: best})
        content = found.content
        if content in states:
            self.alike += 1
            return
        states[content] = found
        if after(found, best):
            self.best[found.key] = found

    def apart(self) -> list[tuple[StoredJob, StoredJob]]:
        """The states of jobs whose times do not meet those of the state that stands, each with that state."""
        pairs = ((state, self.best[key]) for key, states in self.several.items() for state in states.values())
        return [(state, best) for state, best in pairs if state is not best and not meet(state, best)]

    def left_out(self, after: After, with_attempts: bool) -> Counter[str]:
        """How many rows are not those of the states that stand, by what they are."""
        found = Counter({ALIKE: self.alike})
        for key, states in self.several.items():
            best = self.best[key]
            firsts = last_by_start(states.values(), after) if with_attempts else {}
            for state in states.values():
                if state is not best:
                    attempt = firsts.get(state.job.start) is state and is_attempt(state, best)
                    found[ATTEMPTS if attempt else STATES] += 1
        return found


def last_by_start(states: Iterable[StoredJob], after: After) -> dict[int | None, StoredJob]:
    """Of the states of a job that began at one moment the one that stands, by that moment."""
    found: dict[int | None, StoredJob] = {}
    for state in states:
        known = found.get(state.job.start)
        if known is None or after(state, known):
            found[state.job.start] = state
    return found


class AttemptKey(NamedTuple):
    """A job, and when an attempt of it began."""

    job: JobKey
    start: int | None


class Attempts(Struct):
    """States of jobs that began at another moment than the one that counts: of those that began at one moment the one
    that stands. All are kept, so that the order in which exports are read changes nothing.

    `counted_apart` are those that are attempts of their own: they share no time with the one that counts.
    """

    states: dict[AttemptKey, StoredJob] = {}
    counted_apart: set[AttemptKey] = set()

    def keep(self, state: StoredJob, after: After) -> None:
        """Takes in a state that does not count, unless a later one that began at the same moment is there."""
        key = AttemptKey(state.key, state.job.start)
        known = self.states.get(key)
        if state.job.start is not None and (known is None or after(state, known)):
            self.states[key] = state

    def settle(self, standing: Mapping[JobKey, StoredJob]) -> None:
        """Says of the states of some jobs, by the state that counts of each, whether they are attempts of their own."""
        for key, state in list(self.states.items()):
            stands = standing.get(key.job)
            if stands is None:
                continue
            if stands.job.start == key.start:
                del self.states[key]
            elif is_attempt(state, stands):
                self.counted_apart.add(key)
            else:
                self.counted_apart.discard(key)
