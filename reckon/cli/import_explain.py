"""What became of a job of an import, in lines."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.calendar_days import HOUR
from reckon.load.importers import clock
from reckon.load.importers.job import Job
from reckon.load.importers.job_records import StoredJob, decimal_text, seconds_text
from reckon.load.importers.taking import Taken
from reckon.model.records.imports import gpus_text
from reckon.present.render.escape import terminal
from reckon.present.render.numbers import number_text


def explained(taken: Taken, wanted: str) -> Iterator[str]:
    """What became of the jobs with an id: what was stated of them, the rule, and the hours step by step."""
    for key, stored in taken.merged.jobs.items():
        if wanted in (stored.name, key.id, stored.job.also):
            yield from map(terminal, _explained(taken, stored))


def _explained(taken: Taken, stored: StoredJob) -> Iterator[str]:
    job, zone = stored.job, taken.merged.zone
    line = f" (line {job.line})" if job.line else ""
    yield f"{stored.name}{line}"
    moments = [clock.written(moment, zone) for moment in (job.start, job.end) if moment is not None]
    yield f"  ran       {' to '.join(moments) or 'at an unknown time'}{'' if job.end else ', still running'}"
    if job.elapsed or not stored.adds:
        yield f"  elapsed   {seconds_text(job.elapsed)} s = {number_text(Fraction(job.elapsed) / HOUR)} h"
    yield f"  state     {job.state} -> {stored.status}"
    if not stored.adds or job.gpus:
        yield f"  GPUs      {gpus_text(job.gpus) or 'not stated'}"
    yield from _describe_stated(job)
    yield from (f"  {name:<9} {text}" for name, text in job.says.items())
    made = stored.made
    if made.ignored:
        yield f"  rule      {made.rule}: ignored"
    elif made.encloses:
        yield f"  rule      {made.rule or 'none fits'}: not counted, because jobs in it are"
    elif not stored.ran:
        yield "  rule      none: no GPU stated"
    else:
        yield f"  rule      {made.rule or 'none fits: unassigned'}"
    for part in made.portions:
        where = f"{part.item or 'unassigned'}{f', seed {made.seed}' if made.seed else ''}"
        if stored.adds:
            share = "" if part.gpus == 1 else f"{part.gpus} of it "
            yield f"  adds      {stored.adds} {share}to {job.extras.adds_to or 'no job'}, for {where}"
        else:
            what = f"{part.gpus} x {seconds_text(job.elapsed)} s"
            hours = number_text(part.gpus * job.elapsed / HOUR)
            yield f"  hours     {what} = {hours} GPU-h for {where}, {part.card}"


def _describe_stated(job: Job) -> Iterator[str]:
    """What a job states beside its hours."""
    extras = job.extras
    if extras.done is not None and extras.total is not None:
        yield f"  progress  {decimal_text(extras.done)} of {decimal_text(extras.total)}"
    if extras.energy_kwh is not None:
        of = "the whole facility, with PUE" if extras.facility else "the machine"
        yield f"  energy    {decimal_text(extras.energy_kwh)} kWh of {of}"
    for name, amount in (("billed", extras.billed_usd), ("effective", extras.effective_usd)):
        if amount is not None:
            yield f"  {name:<9} {decimal_text(amount)} USD"
    for name, text in (("seed", extras.seed), ("parent", extras.parent)):
        if text:
            yield f"  {name:<9} {text}"
