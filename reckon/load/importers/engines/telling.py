"""What groups of jobs that an engine found mean: jobs counted by month, rows that are no jobs, and what is wrong."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import tzinfo
from fractions import Fraction

from reckon.language.calendar_days import FIRST_OF_1970, iso
from reckon.language.text import plural
from reckon.model.finding import Problem, ProblemList
from reckon.model.patterns import GROUPS
from reckon.model.records.imports import IGNORED, NO_GPUS

from .. import clock
from ..archive import Row
from ..assign import Assignment, Rules, Unmatched, gap_of
from ..attempts import PREEMPTED
from ..counting import AsideSort, Counts, Held
from ..job import status_of
from ..merging import ASIDE, NO_GPU
from ..reading import Reading
from ..stored import UNDATED, whole, why_aside
from ..taking import ELSEWHERE
from ..tally import MERGED, SAME
from ..tres import Unreadable, gpus_of
from .expression import Asked

SKIPPED = {"steps": "steps", "pending": "pending", "cluster": "of other clusters", "elsewhere": ELSEWHERE}
_READ = "cannot be read by an engine"
_TIME = "write it as 2025-09-12T14:06:12, in a column of text or of times"
WRONG = {
    "id": ("no id of a job", "look at the column that holds JobIDRaw"),
    "submit": (f"a submit time that {_READ}", _TIME),
    "elapsed": (f"an elapsed time that {_READ}", "give ElapsedRaw, in whole seconds"),
    "start": (f"a start that {_READ}", _TIME),
    "end": (f"an end that {_READ}", _TIME),
    "span": ("an end before the start", "correct these rows, or leave them out of the table"),
}
"""What is wrong with rows, and what would be right."""
_ANY_GPU = re.compile(r"(?:^|,) *gres/gpu(?::[^=,]*)?=0*[1-9]")


@dataclass(slots=True)
class Told:
    """What an engine says of a table: jobs counted by the month in which they began, how often rules under `gpus:` were
    used, what is wrong with how many rows, and all else that is found by reading."""

    reading: Reading
    months: dict[str, Counts] = field(default_factory=dict)
    filled: Counter[str] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)

    def problems(self, asked: Asked) -> ProblemList:
        """What is wrong with how many rows: it is told of the source, since a table has no lines."""
        return [
            Problem(asked.source.place, f"{plural(rows, 'row')} of the table: {what}", right)
            for (what, right), rows in sorted(self.wrong.items())
        ]


def told(groups: Iterable[Row], asked: Asked, rules: Rules) -> Told:
    """What the groups of a table say."""
    reading = Reading("", asked.source, asked.zone)
    found = Told(reading)
    for group in groups:
        reading.rows += group["rows"]
        if group["gpu"]:
            reading.partitions.add(group["partition"])
        if group["why"] in (None, "pending", "cluster", "elsewhere"):
            reading.seen(group["latest"])
        if group["why"] in SKIPPED:
            reading.skipped[SKIPPED[group["why"]]] += group["rows"]
        elif group["why"] is not None:
            found.wrong[_wrong(group)] += group["rows"]
        else:
            _add(found, group, asked, rules)
    return found


def _wrong(group: Row) -> tuple[str, str]:
    if group["why"] != "state":
        return WRONG[group["why"]]
    if not group["word"]:
        return "what is not a state of a job", "look at which column holds the state"
    word = group["word"][:30]
    right = f"write what it means: `statuses: {{{word}: failed}}`"
    return f"`{word}` is not a state of a job that is known here", right


def _add(found: Told, group: Row, asked: Asked, rules: Rules) -> None:
    """Adds a group of jobs."""
    try:
        gpus = gpus_of(group["tres"])
        if bool(gpus) != (_ANY_GPU.search(group["tres"]) is not None):
            raise Unreadable
        kind = gap_of(gpus)
        number = group[kind] if kind else -1
        match = asked.rules.match(group["rule"], [group[name] for name in GROUPS], number, kind)
        made = rules.assigned(match, gpus)
    except Unreadable:
        found.wrong["a count of GPUs that is not a whole number", "look at AllocTRES"] += group["rows"]
        return
    except Unmatched as unmatched:
        found.wrong[unmatched.wrong, unmatched.right] += group["rows"]
        return
    if not group["candidate"]:
        found.reading.skipped[NO_GPU] += group["rows"]
    else:
        found.filled.update(dict.fromkeys(made.filled, group["rows"]))
    if group["tied"]:
        wrong = "two records of a job, of which nothing says whether both count, or which is the later"
        found.wrong[wrong, "leave out of the table those that were corrected"] += group["tied"]
    _add_fate(found, group, made, asked)
    if group["stands"]:
        gap = asked.source.gpus.get(match.gap)
        none = not made.portions and not made.ignored and gap is not None and gap.count == 0
        counts = found.months.setdefault(_month(group), Counts(asked.edges))
        status = PREEMPTED if group["closed"] else status_of(asked.source, group["word"]) or ""
        said = {**group, "status": status, "none": none}
        count(counts, said, made, sum(number for _, number in gpus), asked.zone)


def _add_fate(found: Told, group: Row, made: Assignment, asked: Asked) -> None:
    """Adds what became of the rows of a group that are no runs."""
    if not group["candidate"]:
        return
    if group["stands"]:
        found.reading.skipped.update({} if made.portions else {ASIDE[why_aside(made)]: group["rows"]})
    else:
        found.reading.skipped[SAME if group["repeats"] else MERGED] += group["rows"]


def _month(group: Row) -> str:
    """The month in which the jobs of a group began."""
    return UNDATED if group["first"] is None else iso(group["first"] + FIRST_OF_1970)[:7]


def count(counts: Counts, group: Row, made: Assignment, gpus: int | Fraction, zone: tzinfo | None) -> None:
    """Adds a group of jobs, each of which states so many GPUs, to those of the month in which they began.

    Of jobs that do not lie between two edges (`stretch` is None) and of those whose seconds are not a whole number,
    `each` has the seconds of one.
    """
    jobs = group["jobs"]
    each = None if group["each"] is None else whole(Fraction(group["each"]))
    seconds = group["seconds"] if each is None else each * jobs
    if made.ignored:
        counts.set_aside(AsideSort(IGNORED, made.rule, ""), jobs, whole(seconds * gpus))
    elif group["none"]:
        counts.jobs += jobs
    elif not made.portions:
        counts.set_aside(AsideSort(NO_GPUS, "", group["partition"] or ""), jobs, whole(seconds * group["nodes"]))
    elif each is None:
        days = range(group["first"] + FIRST_OF_1970, group["last"] + FIRST_OF_1970 + 1)
        counts.add_within(made, group["status"], group["word"], group["named"] or "", jobs, seconds, days)
    else:
        moments = (group[name] for name in ("start", "end", "submitted"))
        start, end, submit = ("" if moment is None else clock.written(moment, zone) for moment in moments)
        held = Held(start, end, "" if start or end else submit[:10], each)
        counts.add(made, group["status"], group["word"], group["named"] or "", held, jobs)
