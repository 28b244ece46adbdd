"""What the importer keeps: of each job in its entry, and of all that was read in the lock of imports."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field

from reckon.language.text import Text
from reckon.model.record import Record
from reckon.model.values import Date, Exactly, Flag, HeldGpus, Lasting, Moment, Ratio, Signed, Words

from .imports import IGNORED, NO_GPUS, PARENT, Portion, gpus_in
from .shared import CardRef, word


class KeptOfJob(Record):
    """The stored facts of a job, so that rules can be applied again."""

    rule: Words | None = Field(None, description="rule that matched it; none if no rule fits")
    state: Words = Field(description="state, in the source's words")
    also: Words | None = Field(None, description="another id of the job: `123_4` of an array")
    gpus: Words | None = Field(None, description="GPUs, in the source's words: `a100=4`")
    part: Portion | None = Field(None, description="the part of the job that this entry is, of one without GPUs")
    seed: Words | None = Field(None, description="in the source's words")
    parent: Words | None = Field(None, description="the job that encloses it, whose hours are counted with it")
    done: Exactly | None = Field(None, description="progress made")
    total: Exactly | None = Field(None, description="total of that progress")
    energy_kwh: Exactly | None = Field(None, description="of all the job")
    facility: Flag = Field(False, description="the energy is of the whole facility")
    billed_usd: Signed | None = Field(None, description="what was billed for it")
    effective_usd: Signed | None = Field(None, description="what it cost with discounts")
    through: Moment | None = Field(None, description="the end of the last charge that is in it")
    rows: Exactly | None = Field(None, description="how many rows of a bill are in it")
    name: Words | None = Field(None, description="the name of the job")
    account: Words | None = Field(None, description="its account")
    partition: Words | None = Field(None, description="its partition")
    qos: Words | None = Field(None, description="its quality of service")


class ImportedFrom(KeptOfJob):
    """What an entry keeps of the job that it was imported from."""

    source: Words = Field(description="the id of the source")
    began: Date | None = Field(None, description="of jobs counted together: the first day on which they can have begun")
    again: Flag | None = Field(None, description="of jobs counted together: another entry counts them")


class JobAside(KeptOfJob):
    """A job that was read and is not a run of the project: a rule ignores it, it states no GPU, or encloses others."""

    job: Words = Field(description="its id")
    why: Annotated[Text, word(IGNORED, NO_GPUS, PARENT)] = Field(description="`parent`: it encloses others")
    start: Moment | None = Field(None, description="when it began")
    end: Moment | None = Field(None, description="when it ended")
    wall_seconds: Lasting = Field(description="how long it ran")
    nodes: Exactly = Field(Fraction(1), description="on how many nodes")
    adds_to: Words | None = Field(None, description="the job that it adds to")
    utilisation: Ratio | None = Field(None, description="utilisation of its GPUs")

    @property
    def gpus_stated(self) -> int | Fraction:
        """How many GPUs the job states, of all types."""
        return sum(count for _, count in gpus_in(str(self.gpus or "")))


class StatusSum(Record):
    """The jobs of a status: how many, and for how many GPU-seconds."""

    jobs: Exactly = Field(description="how many")
    gpu_seconds: Words = Field(description="their GPU-seconds")


class AddedSum(Record):
    """The total that entries without hours add."""

    entries: Exactly = Field(description="how many")
    energy_kwh: Exactly | None = Field(None, description="their energy")
    billed_usd: Signed | None = Field(None, description="what was billed for them")
    effective_usd: Signed | None = Field(None, description="what they cost with discounts")


class AsideSum(Record):
    """Jobs of a month that were counted together and are not runs of the project."""

    why: Annotated[Text, word(IGNORED, NO_GPUS, PARENT)] = Field(description="`parent`: they enclose others")
    rule: Words | None = Field(None, description="the rule that ignores them")
    partition: Words | None = Field(None, description="where they ran, if they state no GPU")
    jobs: Exactly = Field(description="how many")
    wall_seconds: Lasting = Field(description="seconds of the GPUs that they state, or of their nodes")


class HeldPeak(Record):
    """The most GPUs that jobs of a month held at one time."""

    card: CardRef | None = Field(None, description="card (default: all cards)")
    gpus: HeldGpus = Field(description="how many")
    at: Moment = Field(description="when that first was")


class CountedMonth(Record):
    """A month whose jobs are counted together, an entry for those that are alike."""

    jobs: Exactly = Field(description="how many began in it")
    archive: Words | None = Field(None, description="checksum of the lines of the file that holds them")
    table: Words | None = Field(None, description="the table that they were counted in, where no file holds them")
    running: Exactly | None = Field(None, description="jobs still running when last seen")
    held: tuple[HeldPeak, ...] = Field((), description="the most GPUs that they held at one time")
    spent: dict[Words, StatusSum] = Field(default_factory=dict, description="jobs and GPU-seconds by status")
    aside: tuple[AsideSum, ...] = Field((), description="jobs that are not runs")


class ImportLock(Record):
    """All that was imported from a source. Only the importer writes it."""

    exports: dict[Words, Words] = Field(default_factory=dict, description="checksum of each file, and its last moment")
    rules: Words = Field(description="digest of the rules that the entries were made by")
    read: Words | None = Field(None, description="digest of the settings for reading rows")
    entries: dict[Words, Words] = Field(default_factory=dict, description="checksum of the file of each month")
    partitions: tuple[Words, ...] = Field((), description="partitions with rows that have or request a GPU")
    counted: dict[Words, CountedMonth] = Field(default_factory=dict, description="months of jobs counted together")
    spent: dict[Words, StatusSum] = Field(default_factory=dict, description="jobs and GPU-seconds by status")
    added: AddedSum | None = Field(None, description="of a source that counts no hours")
    running: tuple[Words, ...] = Field((), description="jobs that had not ended when they were last seen")
    doubts: dict[Words, Words] = Field(default_factory=dict, description="jobs with doubtful hours, and the reason")
    aside: tuple[JobAside, ...] = Field((), description="jobs that were read and are not runs")

    @property
    def through(self) -> str:
        """The day of the last moment of its exports; empty where there are none."""
        return max(map(str, self.exports.values()), default="")[:10]
