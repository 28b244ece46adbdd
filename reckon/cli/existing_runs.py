"""Runs that are in the ledger already, as somebody adds them again: what they say anew, and the command that writes it.

A job is in the ledger once, and so is an attempt of a run. A second entry for one would count its hours twice.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from shlex import quote

from reckon.compute.versions.canonical import essence
from reckon.language.text import echoed, place_of
from reckon.load.entry_edits import run_of
from reckon.load.run_format import DONE, ORDER, TOTAL, EntryFields, EntryRow
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run

from .output import CommandError, program
from .prompts import parent_field

MOST_ROWS = 10
NAMED = {"run", "attempt"}
"""What names a run that has no job."""


def unless_known(options: Namespace, project: ProjectLedger, given: EntryFields) -> None:
    """Raises CommandError where a run that is to be added is in the ledger already, with the command that changes
    it."""
    run = _standing(project, given)
    if not run:
        return
    names = ["job"] if run.job is not None and "job" in given else ["run", "attempt"]
    what = " and ".join(f"{name} `{echoed(given[name])}`" for name in names)
    again = _anew(given, run, names)
    right = "Both say the same."
    if again:
        right = f"To change that entry: {_command(options, project.id, given, names, again)}"
    raise CommandError(f"{what} is already in the ledger: {place_of(run.item).short}", right, "Nothing written.")


def _standing(project: ProjectLedger, given: EntryFields) -> Run | None:
    """The first entry of a run: by its job, else by its name and attempt, for the same item and seed."""
    if "job" not in given and not given.keys() >= NAMED:
        return None
    fields, rows = ("run", "attempt", "item", "seed"), project.rows
    wanted = [given.get(name, "") for name in fields]
    for number, (job, *said) in enumerate(rows.columns("job", *fields)):
        if job is not None and "job" in given:
            found = str(job) == given["job"]
        else:
            found = given.keys() >= NAMED and [str(value or "") for value in said] == wanted
        if found:
            return rows.run(number)
    return None


def _anew(given: EntryFields, run: Run, names: Sequence[str]) -> list[str]:
    """The fields of a run that are not as its entry has them."""
    new = run_of(given)
    found = []
    for name in sorted({parent_field(name) for name in given}, key=ORDER.index):
        said = getattr(new, name, None)
        if name not in names and (said is None or essence(said) != essence(getattr(run, name))):
            found.append(name)
    return found


def _command(
    options: Namespace, project_id: str, given: EntryFields, names: Sequence[str], again: Sequence[str]
) -> str:
    """The command line that brings an entry up to date."""
    root = ["--root", str(options.root)] if options.root.parts else []
    words = [*root, "update", "run", project_id]
    for name in (*names, *again):
        words.append(f"--{name.replace('_', '-')}")
        if name == "progress":
            words.append(f"{given.get(DONE, '')}/{given.get(TOTAL, '')}")
        elif name != "unplanned":
            words.append(given[name])
    return f"{program()} {' '.join(map(quote, words))}"


def otherwise(options: Namespace, project: ProjectLedger, rows: Sequence[EntryRow]) -> Iterator[str]:
    """Which rows of a table, whose jobs are in the ledger already, say something else than their entries."""
    by_job = {str(run.job): run for run in project.rows if run.job is not None}
    found = []
    for row in rows:
        run = by_job.get(row.fields["job"])
        again = _anew(row.fields, run, ["job"]) if run else []
        if run and again:
            found.append((row, run, again))
    if found:
        which = "1 of these rows says" if len(found) == 1 else f"{len(found):,} of these rows say"
        yield f"{which} something else than the entry; change it with `update run`:"
    for row, run, again in found[:MOST_ROWS]:
        yield f"  {options.table}:{row.line}: {', '.join(again)}, for {place_of(run.item).short}"
        yield f"    {_command(options, project.id, row.fields, ['job'], again)}"
    if len(found) > MOST_ROWS:
        yield f"  … and {len(found) - MOST_ROWS:,} more rows"
