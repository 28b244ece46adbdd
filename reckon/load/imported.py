"""Imported entries stand where the importer writes them, name a source that there is, and nothing else is there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from reckon.language.text import place_of
from reckon.model.finding import Problem, nearest
from reckon.model.kinds import IMPORTED
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Run


def check_imported(ledger: Ledger, project: ProjectLedger) -> Iterator[Problem]:
    """A problem for each entry that is in the wrong folder, or was imported from no source of imports.yaml."""
    for file in project.runs:
        inside = PurePosixPath(file.file).parent.name == IMPORTED
        for run in file.runs:
            if not ledger.unread(f"{project.id}.runs.{run.place}"):
                yield from _entry(ledger, project, run, inside)


def _read(ledger: Ledger, project: ProjectLedger) -> bool:
    """Whether imports.yaml could be read."""
    return not ledger.unread(f"{project.id}.imports")


def _entry(ledger: Ledger, project: ProjectLedger, run: Run, inside: bool) -> Iterator[Problem]:
    if inside and run.imported is None:
        wrong = f"an entry in runs/{IMPORTED}/ was not imported"
        yield Problem(run.place, wrong, f"move it to a file in runs/: the importer rewrites those in runs/{IMPORTED}/")
    elif run.imported is not None and not inside:
        wrong = f"an imported entry stands outside runs/{IMPORTED}/"
        yield Problem(run.imported.place, wrong, "take it out, and import the export again; or take `imported` out")
    elif run.imported is not None and run.imported.source not in project.imports and _read(ledger, project):
        right = nearest(run.imported.source, project.imports) or "write the source there, or undo its import first"
        wrong = f"there is no source `{run.imported.source[:60]}` in imports.yaml"
        yield Problem(place_of(run.imported.source), wrong, right)
    if run.unassigned and run.imported is None:
        wrong = "`unassigned` is for imported runs that no rule fits"
        yield Problem(run.place, wrong, "name the item, or say `unplanned: true`")
