"""MLflow's store of files, the folder `mlruns/`, as the table that `mlflow experiments csv` would write of it.

Experiments are folders in it, and runs folders in these: `meta.yaml` says when a run began and ended (in milliseconds
since 1970) and how (`status`, a number), and a file stands for each tag, parameter and metric. Of these only what
columns ask for is read. No link is followed, files are read up to a bound, and runs that were deleted are left out.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path

from reckon.model.finding import Problem
from reckon.model.tree import READ_ONLY

from ..yaml_nodes import Map, Stop, read_tree
from .reading import NotAnExport

MOST_RUNS, MOST_BYTES = 100_000, 64 * 1024
_STATED = ("run_id", "experiment_id", "status", "start_time", "end_time", "run_name")
_KINDS = ("tags", "params", "metrics")


def as_table(folder: Path, columns: Collection[str]) -> bytes:
    """The runs of a folder as CSV, sorted by their ids, with those of the wanted columns that any has.

    Raises NotAnExport where there is no run in it.
    """
    found = islice(_rows(folder, [*filter(_is_file, columns)]), MOST_RUNS + 1)
    rows = sorted(found, key=lambda row: row["run_id"])
    if len(rows) > MOST_RUNS:
        raise NotAnExport(f"this folder has more than {MOST_RUNS:,} runs", "name fewer experiments")
    if not rows:
        raise NotAnExport(
            "this folder has no MLflow runs",
            "name the folder `mlruns`, or a table written by `mlflow experiments csv`",
        )
    names = set[str]().union(*rows)
    text = io.StringIO()
    table = csv.DictWriter(text, [*_STATED, *sorted(names.difference(_STATED))], restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def _rows(folder: Path, names: Collection[str]) -> Iterator[dict[str, str]]:
    for experiment in _folders(folder):
        for run in _folders(experiment):
            row = _meta(run)
            if row is None:
                continue
            row |= {name: _value(run, *name.split(".", 1)) for name in names}
            yield {name: text for name, text in row.items() if text or name in _STATED}


def _folders(folder: Path) -> Iterator[Path]:
    """The folders in a folder, no links, and none that is hidden as `.trash` is."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    yield from (folder / name for name in sorted(names) if not name.startswith("."))


def _meta(run: Path) -> dict[str, str] | None:
    """What a run states of itself; None where the folder is none of a run, or of one that was deleted."""
    text = _text(run / "meta.yaml")
    problems = list[Problem]()
    try:
        tree = read_tree(text, "meta.yaml", problems) if text else None
    except Stop:
        tree = None
    if not isinstance(tree, Map):
        return None
    fields = {str(name): str(value) for name, value in tree.items() if value is not None}
    if not fields.get("run_id") or fields.get("lifecycle_stage") == "deleted":
        return None
    return {name: fields.get(name, "") for name in _STATED}


def _value(run: Path, kind: str, name: str) -> str:
    """What a tag or a parameter holds; of a metric the last value, of lines `time value step`."""
    if (run / kind).is_symlink():
        return ""
    text = _text(run / kind / name).strip()
    if kind != "metrics":
        return text
    parts = text.rpartition("\n")[2].split()
    return parts[1] if len(parts) > 1 else ""


def _text(path: Path) -> str:
    """The text of a file, nothing of a link; of one beyond the bound its end, which of a metric is the last."""
    if path.is_symlink():  # where the system cannot open without following it
        return ""
    try:
        with os.fdopen(os.open(path, READ_ONLY), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(size - MOST_BYTES, 0))
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _is_file(name: str) -> bool:
    """Whether a column is a tag, a parameter or a metric, named as a file in the folder of these."""
    kind, _, file = name.partition(".")
    return kind in _KINDS and file not in ("", ".", "..") and "/" not in file and "\0" not in file
