"""No job is charged twice."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.text import Text, place_of
from reckon.model.finding import Problem
from reckon.model.ledger import Ledger, ProjectLedger


def jobs_twice(_: Ledger, project: ProjectLedger) -> Iterator[Problem]:
    """A job is charged once: a second entry with its id is most likely the same run, added again."""
    first: dict[str, Text] = {}
    for job in (run.job for file in project.runs for run in file.runs if run.job is not None):
        if (stands := first.setdefault(job, job)) is not job:
            where = f"{place_of(stands).file}:{place_of(stands).line}"
            right = f"the first is {where}; keep one: `budget update run` changes an entry"
            yield Problem(place_of(job), f"job `{job[:60]}` is there twice", right)
