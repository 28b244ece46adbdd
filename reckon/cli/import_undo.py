"""What was imported before: taken out again, or made anew by the rules of today."""

from __future__ import annotations

from reckon.load.importers import months, taking
from reckon.load.importers.archive import Archive
from reckon.load.importers.taking import Taken

from .output import CommandError


def undo(taken: Taken, archive: Archive, month: str) -> None:
    """Takes out what was imported; where all of it goes, the exports are forgotten too."""
    merged = taken.merged
    kept = {key: job for key, job in merged.jobs.items() if month and job.month(merged.zone) != month}
    counted = months.forgotten(taken, archive, month)
    if len(kept) == len(merged.jobs) and not counted:
        when = f" in {month}" if month else ""
        raise CommandError(f"nothing was imported from {taken.rules.name}{when}; nothing was written")
    _take_out_attempts(taken, month)
    merged.jobs = kept
    taking.settle(taken)
    # An export that is read again after this has to count again.
    taken.exports = {} if not month else taken.exports
    taken.partitions = taken.partitions if month else set()


def _take_out_attempts(taken: Taken, month: str) -> None:
    """Takes out the attempts that are left out of jobs that go, and those that began in a month that goes."""
    merged = taken.merged
    if merged.attempts is None:
        return
    gone = {key for key, job in merged.jobs.items() if month in ("", job.month(merged.zone))}
    merged.attempts.states = {
        key: state
        for key, state in merged.attempts.states.items()
        if month and key.job not in gone and state.month(merged.zone) != month
    }


def reapply(taken: Taken) -> None:
    """Applies the rules as they are now. Raises CommandError where they ask for what is not kept."""
    if forgetful := taken.rules.source.forgetful:
        named = ", ".join(f"`{name}`" for name in forgetful)
        raise CommandError(
            f"rule {named} asks for what no entry keeps; import the exports again: their jobs are replaced"
        )
    taking.reapply(taken)
