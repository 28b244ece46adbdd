"""What groups of jobs that an engine found mean: jobs counted by month, rows that are no jobs, and what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from reckon.language.calendar_days import FIRST_OF_1970, iso
from reckon.language.text import plural
from reckon.model.finding import Problem, ProblemList

from ..archive import Row
from ..assignment import Rules, Unmatched
from ..attempts import PREEMPTED
from ..counting import Counts, count_group
from ..job import status_of
from ..job_records import UNDATED, why_aside
from ..merging import ASIDE, NO_GPU
from ..reading import Reading
from ..taking import ELSEWHERE
from ..tally import MERGED, SAME
from ..tres import Unreadable, gpus_of
from .compiled_rules import has_none
from .expression import Query

SKIPPED = {"steps": "steps", "pending": "pending", "cluster": "of other clusters", "elsewhere": ELSEWHERE}
_READ = "an engine cannot read"
_TIME = "write it as 2025-09-12T14:06:12, in a text or time column"
WRONG = {
    "id": ("no job id", "check the column that holds JobIDRaw"),
    "submit": (f"a submit time that {_READ}", _TIME),
    "elapsed": (f"an elapsed time that {_READ}", "export ElapsedRaw, in whole seconds"),
    "start": (f"a start that {_READ}", _TIME),
    "end": (f"an end that {_READ}", _TIME),
    "span": ("an end before the start", "correct these rows, or remove them from the table"),
}
"""What is wrong with rows, and what would be right."""
_ANY_GPU = re.compile(r"(?:^|,) *gres/gpu(?::[^=,]*)?=0*[1-9]")


@dataclass(slots=True)
class TableReading:
    """What an engine says of a table: jobs counted by the month in which they began, how often rules under `gpus:` were
    used, what is wrong with how many rows, and all else that is found by reading."""

    reading: Reading
    months: dict[str, Counts] = field(default_factory=dict)
    filled: Counter[str] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def problems(self) -> ProblemList:
        """What is wrong with how many rows: it is told of the source, since a table has no lines."""
        place = self.reading.source.place
        found = []
        for (wrong, right), rows in sorted(self.wrong.items()):
            found.append(Problem(place, f"{plural(rows, 'row')} of the table: {wrong}", right))
        return found


def read_groups(groups: Iterable[Row], query: Query, rules: Rules) -> TableReading:
    """What the groups of a table say."""
    reading = Reading("", query.source, query.zone)
    found = TableReading(reading)
    for group in groups:
        rows = group["rows"]
        why = group["why"]
        reading.rows += rows
        if group["on_gpus"]:
            reading.partitions.add(group["partition"])
        if why is None or why in ("pending", "cluster", "elsewhere"):
            reading.seen(group["latest"])
        if why is None:
            _add_jobs(found, group, query, rules)
        elif why in SKIPPED:
            reading.skipped[SKIPPED[why]] += rows
        else:
            found.wrong[_describe_wrong(group)] += rows
    return found


def _describe_wrong(group: Row) -> tuple[str, str]:
    if group["why"] != "state":
        return WRONG[group["why"]]
    if not group["word"]:
        return "a value that is not a job state", "check which column holds the state"
    word = group["word"][:30]
    right = f"map it: `statuses: {{{word}: failed}}`"
    return f"unknown job state `{word}`", right


def _add_jobs(found: TableReading, group: Row, query: Query, rules: Rules) -> None:
    rows = group["rows"]
    try:
        gpus = gpus_of(group["tres"])
        if bool(gpus) != bool(_ANY_GPU.search(group["tres"])):
            raise Unreadable
        match = query.rules.match(group, gpus)
        made = rules.assigned(match, gpus)
    except Unreadable:
        found.wrong["a count of GPUs that is not a whole number", "check AllocTRES"] += rows
        return
    except Unmatched as unmatched:
        found.wrong[unmatched.wrong, unmatched.right] += rows
        return
    skipped = found.reading.skipped
    if not group["candidate"]:
        skipped[NO_GPU] += rows
        return
    found.filled.update(dict.fromkeys(made.filled, rows))
    if group["tied"]:
        wrong = "two records of a job, without a sign whether both count or which is later"
        found.wrong[wrong, "remove the corrected ones from the table"] += group["tied"]
    if not group["stands"]:
        skipped[SAME if group["repeats"] else MERGED] += rows
        return
    if not made.portions:
        skipped[ASIDE[why_aside(made)]] += rows
    status = PREEMPTED if group["closed"] else status_of(query.source, group["word"]) or ""
    first = group["first_day"]
    month = UNDATED if first is None else iso(first + FIRST_OF_1970)[:7]
    counts = found.months.setdefault(month, Counts(query.edges, query.zone))
    jobs = {**group, "jobs": rows, "status": status, "none": has_none(query.source, match, made)}
    count_group(counts, jobs, made, gpus)
