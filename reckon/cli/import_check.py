"""The files of a source as its importer writes them, and `import --check`: whether they are so."""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from reckon.load.importers import doubts, lockfile, merging, months, taking
from reckon.load.importers.lockfile import Digests, digests_of
from reckon.load.importers.taking import Taken
from reckon.model import release
from reckon.model.boundary_days import edges_of
from reckon.model.kinds import IMPORTED, LOCK
from reckon.model.ledger import ProjectLedger
from reckon.model.records import ImportLock
from reckon.publish import journal
from reckon.publish.write_plan import FileChange

from .books import load_sound_book
from .output import DIFFERS, FINE, say
from .transaction import asked_project, projects

IMPORTS = "imports.yaml"
_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}|undated")


def changes_of(root: Path, project: ProjectLedger, taken: Taken) -> list[FileChange]:
    """The files of a source, and the lock, that are not as they are to be by the rules of today."""
    texts = _make_texts(root, project, taken, digests_of(taken.source))
    found = [FileChange(path, journal.current(root, path), text) for path, text in sorted(texts.items())]
    return [change for change in found if change.was != change.text]


def _make_texts(root: Path, project: ProjectLedger, taken: Taken, made: Digests) -> dict[str, str | None]:
    """What the importer writes of a source: a text by path, None where a file goes."""
    name = taken.rules.name
    entries = taken.merged.texts(project.id)
    for month, state in taken.merged.months.items():
        path = merging.path_of(project.id, name, month)
        if state.counts is None and (as_it_is := journal.current(root, path)) is not None:
            entries[path] = as_it_is
    texts: dict[str, str | None] = dict(entries)
    own = f"ledger/{project.id}/runs/{IMPORTED}/{name}-"
    for file in project.written:
        if file.file.startswith(own) and all(run.imported and run.imported.source == name for run in file.runs):
            texts.setdefault(file.file, None)
    lock = _lock(project)
    sums = {month_of(path, name): release.checksum(text.encode()) for path, text in entries.items()}
    left = taken.exports or taken.merged.jobs or taken.merged.months
    lines = lockfile.lock_lines(taken, made, sums) if left else ()
    texts[lock] = lockfile.lock_text(list(project.imports), name, lines, journal.current(root, lock))
    return texts


def _lock(project: ProjectLedger) -> str:
    return f"ledger/{project.id}/{LOCK.id}.yaml"


def month_of(path: str, source: str) -> str:
    """The month of a file of runs of a source."""
    return PurePosixPath(path).stem.removeprefix(f"{source}-")


def edited(root: Path, project: ProjectLedger, name: str) -> list[str]:
    """The files of runs of a source that are not as the importer wrote them, by the checksums in the lock."""
    lock = project.locks.get(name)
    found = []
    for month, checksum in sorted(lock.entries.items()) if lock else ():
        path = merging.path_of(project.id, name, month)
        text = journal.current(root, path)
        if _MONTH.fullmatch(month) and (text is None or release.checksum(text.encode()) != checksum):
            found.append(path)
    return found


def check(options: Namespace) -> int:
    """Whether what was imported into a project, or into all, is what the importer would write by the rules of today.

    Without a project nothing is said, and no ledger read, where no project has imports: CI asks this of every tree.
    """
    if not options.project and (options.root / "ledger").is_dir():
        names = [name for name in projects(options.root) if os.path.lexists(options.root / "ledger" / name / IMPORTS)]
    else:
        names = [asked_project(options)]
    if not names:
        return FINE
    book = load_sound_book(options.root)
    wrong: list[str] = []
    for project in map(book.projects.__getitem__, names):
        edges = edges_of(book.ledger, project)
        for source in project.imports:
            wrong += _of_source(options.root, project, source, edges)
    say(wrong or [f"Imported entries of {name} are unchanged." for name in names])
    return DIFFERS if wrong else FINE


def _of_source(root: Path, project: ProjectLedger, name: str, edges: Sequence[int]) -> Iterator[str]:
    """What of a source is not as its importer would write it."""
    taken, lock = months.begin(root, project, name), project.locks.get(name)
    lock_file = _lock(project)
    back = f"`budget import {project.id} --undo {name}` and importing its exports rebuild it"
    months.open_some(taken)
    if lock is None:
        if taken.merged.jobs:
            yield f"{lock_file}: it has no record of {name}, which has entries; import its exports again"
        return
    if not taken.merged.stale and not taken.source.forgetful:
        taking.reapply(taken)  # checksums can be written by hand too, but not what the rules make of a job
        doubts.settle(taken)
    months.settle_months(taken, project, edges, as_it_is=True)
    texts = _make_texts(root, project, taken, Digests(str(lock.rules), str(lock.read or "")))
    altered = sorted({*edited(root, project, name), *_unlike(root, texts, lock, name)} - {lock_file})
    for path in altered:
        yield f"{path}: was edited by hand; restore it from your history and correct {IMPORTS} instead; or {back}"
    if not altered and texts[lock_file] != journal.current(root, lock_file):
        yield f"{lock_file}: does not match the entries of {name}; restore both from your history; or {back}"
    if taken.merged.stale:
        right = f"`budget import {project.id} --reapply --with {name}` applies them"
        if forgetful := taken.source.forgetful:
            asked = ", ".join(f"`{rule}`" for rule in forgetful)
            right = f"import its exports again: rule {asked} needs fields that no entry keeps"
        yield f"ledger/{project.id}/{IMPORTS}: the rules of {name} have changed since the last import; {right}"


def _unlike(root: Path, texts: Mapping[str, str | None], lock: ImportLock, name: str) -> Iterator[str]:
    """The files that are not what the rules make of the jobs in them, or that the lock does not know."""
    for path, text in texts.items():
        if text != journal.current(root, path) or month_of(path, name) not in lock.entries:
            yield path
