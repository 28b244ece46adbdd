"""What the last release of a project planned on another card: its hours, for the audit to hold the plan against."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reckon.language.text import Text
from reckon.model import bounds
from reckon.model.ledger import LastRelease, ProjectLedger
from reckon.model.release import HOME, Changed, Snapshot, numeric, read_snapshot

from . import files, migration
from .yaml_nodes import Map, Stop, as_map, read_tree


def last_release(root: Path, project: ProjectLedger) -> LastRelease | None:
    """The last release of a project, if it was on another card; None where there is none or it cannot be read, which
    `check` tells."""
    home = root / "ledger" / project.id / HOME
    paths = [path for path in files.entries(root, home, []) if path.suffix == ".json" and numeric(path.stem)]
    if not paths:
        return None
    newest = max(paths, key=lambda path: numeric(path.stem) or ())
    text = files.read(root, newest, [], bounds.SNAPSHOT)
    try:
        snapshot = read_snapshot(text or "", project.id, newest.stem)
        gpu = _tree(snapshot, "project").get(Text("gpu"))
        if gpu is None or str(gpu) == project.gpu:
            return None
        hours = {
            item: snapshot.figures[at].value
            for item in _without_card(_tree(snapshot, "plan"))
            if (at := f"{project.id}.plan.{item}.gpu_hours") in snapshot.figures
        }
    except (Changed, Stop):
        return None
    return LastRelease(snapshot.version, str(gpu), hours)


def _tree(snapshot: Snapshot, name: str) -> Map:
    """A file of the project as it was; empty where it had none."""
    path = f"ledger/{snapshot.project}/{name}.yaml"
    number = migration.format_of(snapshot.files.get(migration.FILE))
    return as_map(read_tree(migration.stepped(path, snapshot.files.get(path, ""), number), name, []))


def _without_card(plan: Map) -> Iterator[str]:
    """The items of a plan that name no card of their own."""
    for phase in plan.values():
        for name, item in as_map(as_map(phase).get(Text("items"))).items():
            if "gpu" not in as_map(item):
                yield name
