"""A job as a scheduler or tracker states it, whatever wrote it down; and what the words for its state mean."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.language.groups import group_by
from reckon.model.records import ImportSource
from reckon.model.records.imports import ENERGY, PROGRESS, Gpus

from .clock import Moment

Exact = Fraction | int
"""An amount that is kept exactly."""


class Extras(NamedTuple):
    """What a source states of a job beside its hours; what is None or empty it does not say.

    Progress is `done` of `total`, energy in kWh (`facility` where it is that of the whole data centre), utilisation a
    part of 1, money in US dollars. `parent` is the id of the job that encloses it, `adds_to` the job that has its
    hours: cluster and id. `through` is the end of the last charge of a bill, `rows` how many rows of it are added up.
    """

    seed: str = ""
    parent: str = ""
    adds_to: str = ""
    done: Fraction | None = None
    total: Fraction | None = None
    energy_kwh: Fraction | None = None
    facility: bool = False
    utilisation: Fraction | None = None
    billed_usd: Fraction | None = None
    effective_usd: Fraction | None = None
    through: Moment = None
    rows: int = 0

    def states(self, what: str) -> bool:
        """Whether it states progress, energy or money."""
        if what == PROGRESS:
            return self.done is not None and bool(self.total)
        if what == ENERGY:
            return self.energy_kwh is not None
        return self.billed_usd is not None or self.effective_usd is not None


NO_EXTRAS = Extras()


Says = Mapping[str, str]
"""What a job says of itself, by the names under which patterns are matched against it."""


class Job(Struct, frozen=True):
    """What one row of an export says of a job.

    `id` is unique in its cluster at one time, `also` another spelling of it (`123_4` of an array). Moments are seconds
    since 1970, None where they are not known. `elapsed` is the time for which it held what was allocated to it, in
    seconds, without the time for which it was suspended. `gpus` are counts by the type that the source names, `says`
    what patterns can be matched against.
    """

    line: int
    id: str
    state: str
    elapsed: Exact
    submit: Moment = None
    start: Moment = None
    end: Moment = None
    gpus: Gpus = ()
    nodes: int = 1
    cluster: str = ""
    also: str = ""
    says: Says = {}
    extras: Extras = NO_EXTRAS

    @property
    def stated_gpu_seconds(self) -> Exact:
        """What it held of all the GPUs that its source states, before any rule."""
        return sum(count for _, count in self.gpus) * self.elapsed


PENDING, RUNNING, QUEUED = "pending", "running", "queued"
# Slurm's states, as `sacct` and its JSON write them, and their short forms: slurm.schedmd.com/job_state_codes.html.
_STATES = {
    "completed": "COMPLETED CD",
    "failed": "FAILED F SPECIAL_EXIT SE",
    "cancelled": "CANCELLED CA CANCELED",
    "timeout": "TIMEOUT TO DEADLINE DL",
    "out-of-memory": "OUT_OF_MEMORY OOM",
    "node-failure": "NODE_FAIL NF BOOT_FAIL BF LAUNCH_FAILED RECONFIG_FAIL",
    # An attempt that was put back into the queue: what it held is spent, and the next attempt begins anew.
    "preempted": "PREEMPTED PR REQUEUED RQ REQUEUE_FED RF",
    RUNNING: (
        "RUNNING R COMPLETING CG CONFIGURING CF SUSPENDED S STOPPED ST SIGNALING SI STAGE_OUT SO RESIZING RS UPDATE_DB"
    ),
    # A sibling in a federation of clusters took the place of one that is revoked: it never ran here.
    PENDING: "PENDING PD REQUEUE_HOLD RH RESV_DEL_HOLD RD POWER_UP_NODE EXPEDITING REVOKED RV",
}
STATES = {state: status for status, states in _STATES.items() for state in states.split()}
"""The status of a run for each state of a job; `pending` is none: such a job has held nothing."""


ANY = "*"
"""Stands for all words for a state that are not listed."""
NO_STATE = "UNSTATED"
"""Stands for a state that is not stated, in place of its word."""


def state_word(text: str) -> str:
    """The word of a state, without what follows it: who cancelled a job is nobody's business here."""
    return text.strip().split(" ", 1)[0].upper().rstrip("+") or NO_STATE


def states_by_status(source: ImportSource) -> dict[str, list[str]]:
    """All states that are known of a source, by the status of a run that each means."""
    states = sorted({*STATES, *(word.upper() for word in source.statuses if word)})
    return group_by(states, lambda state: status_of(source, state) or "")


def status_of(source: ImportSource, state: str) -> str | None:
    """The status of a run for a state: as the ledger says of this source, else as its format does; None if unknown."""
    words = {word.upper() or NO_STATE: str(status) for word, status in source.statuses.items()}
    status = words.get(state) or words.get(ANY)
    if status is None and not source.has_own_states:
        return STATES.get(state)
    return PENDING if status == QUEUED else status
