"""What rules make of rows of an engine: once of all that are alike, with numbers by which the engine knows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from msgspec.structs import replace

from reckon.model.records.imports import KEPT, UNSTATED, UNTYPED, Gpus

from ..assign import Assignment, Rules, Unmatched, gap_of, in_order
from ..job import Job
from ..stored import JobKey, StoredJob
from ..taking import without_gpu
from ..tres import gpus_of
from .matching import Compiled, compiled
from .rows import JOB, PARTS, TABLE

LEAVE, KEEP, KEEP_IF_LONG = range(3)
"""Whether jobs that are alike are kept: they are not, they are, those are that took any time."""
ALIKE = ("rule", "unstated", "untyped", "item", "seed", "gpus")
"""The columns by which the rules make the same of rows."""
SORTS = {
    **{name: TABLE[name] for name in ALIKE},
    "made": "INTEGER",
    "held": "INTEGER",
    "own_run": "VARCHAR",
    "ran": "BOOLEAN",
    "keep": "UTINYINT",
    "none": "BOOLEAN",
}
"""The columns of the table of what was made of rows that are alike."""


class Made(NamedTuple):
    """What is made of rows that are alike: numbers of the assignment and of the GPUs that they state, and its run where
    the rule names that."""

    alike: tuple[Any, ...]
    made: int
    held: int
    own_run: str
    ran: bool
    keep: int
    none: bool
    filled: tuple[str, ...]

    @property
    def row(self) -> tuple[Any, ...]:
        """It, in the columns of `SORTS`."""
        return (*self.alike, self.made, self.held, self.own_run, self.ran, self.keep, self.none)


@dataclass(slots=True)
class Assigning:
    """The rules of a source, and all that they have made so far: each has its number, in the order of which it came.

    An assignment is kept without the run that a pattern captures, which each row has itself.
    """

    rules: Rules
    compiled: Compiled = field(init=False)
    made: dict[Assignment, int] = field(default_factory=dict)
    shown: dict[int, Assignment] = field(default_factory=dict)
    held: dict[Gpus, int] = field(default_factory=dict)
    known: dict[tuple[Any, ...], Made | Unmatched] = field(default_factory=dict)
    told: int = 0

    def __post_init__(self) -> None:
        self.compiled = compiled(self.rules.source)

    def of(self, alike: tuple[Any, ...]) -> Made | Unmatched:
        """What is made of rows that say the same in the columns of `ALIKE`; or why nothing can be."""
        found = self.known.get(alike)
        if found is None:
            found = self.known[alike] = self._of(alike)
        return found

    def _of(self, alike: tuple[Any, ...]) -> Made | Unmatched:
        rule, unstated, untyped, item, seed, text = alike
        gpus = gpus_of(text)
        kind = gap_of(gpus)
        gap = {UNSTATED: unstated, UNTYPED: untyped}.get(kind, -1)
        try:
            made = self.rules.assigned(self.compiled.match(rule, (item, seed, ""), gap, kind), gpus)
        except Unmatched as unmatched:
            return unmatched
        gpuless = without_gpu(made, bool(gpus))
        keep = KEEP if not gpuless else LEAVE if made.ignored else KEEP_IF_LONG
        return Made(
            alike,
            self.number(made, True),
            self.number_of(gpus),
            made.run,
            bool(made.portions),
            keep,
            not made.ignored and self._none(unstated),
            made.filled,
        )

    def _none(self, unstated: int) -> bool:
        """Whether the rule for jobs that state no GPU says that they had none, as `Rules.has_none`."""
        if unstated < 0:
            return False
        return self.rules.source.gpus[self.compiled.gaps[UNSTATED][unstated].name].count == 0

    def news(self) -> Iterable[tuple[Any, ...]]:
        """The rows for the table of `SORTS` that were found since this was asked before."""
        every = list(self.known.values())[self.told :]
        self.told = len(self.known)
        return [made.row for made in every if isinstance(made, Made)]

    def number(self, made: Assignment, by_rules: bool = False) -> int:
        """The number of what rules made, whatever the order of its portions; that of the rules of today is kept."""
        bare = replace(made, run="", filled=())
        number = self.made.setdefault(replace(bare, portions=tuple(in_order(made.portions))), len(self.made))
        if by_rules or number not in self.shown:
            self.shown[number] = bare
        return number

    def number_of(self, gpus: Gpus) -> int:
        """The number of some GPUs."""
        return self.held.setdefault(gpus, len(self.held))

    def row(self, stored: StoredJob, file: int) -> tuple[Any, ...]:
        """A job of which is known what the rules made, in the columns of `TABLE`."""
        job, made = stored.job, stored.made
        elapsed, rest = divmod(Fraction(job.elapsed), 1)
        row = {
            "file": file,
            "line": job.line,
            "what": JOB,
            "cluster": stored.key.cluster,
            "id": stored.key.id,
            "submit": stored.key.submit,
            "began": job.start,
            "ended": job.end,
            "elapsed": int(elapsed),
            "rest": int(rest * PARTS),
            "status": stored.status,
            "state": job.state,
            "also": job.also,
            "nodes": job.nodes,
            **{name: job.says.get(name, "") for name in KEPT},
            "run": made.run,
            "made": self.number(made, file > 0),
            "held": self.number_of(job.gpus),
            "none": stored.held_none and self.rules.has_none(job),
        }
        return tuple(row.get(name) for name in TABLE)


STORED = (
    "cluster",
    "id",
    "submit",
    "began",
    "ended",
    "elapsed",
    "rest",
    "status",
    "state",
    "also",
    "nodes",
    *KEPT,
    "run",
    "made",
    "held",
)
"""The columns of which a job is made again."""


@dataclass(slots=True)
class Jobs:
    """Jobs made again of rows."""

    made: list[Assignment]
    held: list[Gpus]
    _words: dict[tuple[str, ...], Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, assigning: Assigning) -> Jobs:
        """Jobs by the numbers that have been given."""
        return cls([assigning.shown[number] for number in assigning.made.values()], list(assigning.held))

    @property
    def runs(self) -> str:
        """The numbers of what is made of runs, as a list of SQL."""
        return ", ".join(str(number) for number, made in enumerate(self.made) if made.portions) or "-1"

    def job(self, row: tuple[Any, ...]) -> StoredJob:
        """A job, of the columns in `STORED`."""
        said = dict(zip(STORED, row, strict=True))
        says = {name: said[name] for name in KEPT if said[name]}
        elapsed = Fraction(said["rest"], PARTS) + said["elapsed"] if said["rest"] else said["elapsed"]
        key = JobKey(said["cluster"], said["id"], said["submit"])
        job = Job(
            0,
            key.id,
            said["state"],
            elapsed,
            key.submit,
            said["began"],
            said["ended"],
            self.held[said["held"]],
            said["nodes"],
            key.cluster,
            said["also"],
            says,
        )
        return StoredJob(key, job, said["status"], self.made_of(said["made"], said["run"]))

    def made_of(self, number: int, run: str) -> Assignment:
        """What the rules made of a job, with its run."""
        return replace(self.made[number], run=run) if run else self.made[number]
