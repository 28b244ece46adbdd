"""What the columns of trackers are called: Weights & Biases and MLflow, in the tables that they write.

W&B: the CSV of the table of runs in its pages (`Name`, `State`, `Created`, `Runtime` in seconds, and the columns that
are shown there), and what its API calls the same (`wandb.Api().runs(...)`: `id`, `name`, `state`, `created_at`, and
`_runtime` of the summary), which people write into a table themselves. MLflow: `mlflow experiments csv` and
`mlflow.search_runs(...).to_csv()`, which are the same table; the folder `mlruns/` is read as one (`mlruns`). The
person who ran something, the host and the path of what was run are in these tables, and not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

from reckon.language.quantity import ONE
from reckon.model.records import ImportSource
from reckon.model.records.imports import HeldColumn

_SECOND = Fraction(1, 3600)
_WANDB = {
    "job": ("ID", "id", "run_id", "Run ID"),
    "name": ("Name", "name", "run_name", "display_name"),
    "state": ("State", "state"),
    "start": ("Created", "created_at", "createdAt", "start_time"),
    "wall_hours": ("Runtime", "runtime", "_runtime", "summary._runtime", "duration"),
    "group": ("Group", "group"),
    "tags": ("Tags", "tags"),
    "seed": ("seed", "Seed", "config.seed"),
    "gpus": ("GPU Count", "gpu_count", "metadata.gpu_count"),
    "gpu": ("GPU Type", "gpu", "gpu_type", "metadata.gpu"),
}
_MLFLOW = {
    "job": ("run_id",),
    "name": ("tags.mlflow.runName", "run_name"),
    "state": ("status",),
    "start": ("start_time",),
    "end": ("end_time",),
    "group": ("experiment_id",),
    "parent": ("tags.mlflow.parentRunId",),
    "seed": ("params.seed",),
}
PRESETS = {"wandb": _WANDB, "mlflow": _MLFLOW}
PRESET_NAMES = frozenset(chain(*_MLFLOW.values()))


def columns_of(source: ImportSource, head: Sequence[str]) -> dict[str, HeldColumn]:
    """What the columns of a table hold: as its source says, and else as its format calls them."""
    columns = {str(column): fields for column, fields in source.columns_held.items()}
    fields = {column.holds for column in columns.values()}
    for holds, names in PRESETS.get(str(source.format), {}).items():
        column = next((name for name in names if name in head and name not in columns), None)
        if column and holds not in fields:
            columns[column] = HeldColumn(holds, _SECOND if holds == "wall_hours" else ONE)
    return columns


def column_names(source: ImportSource) -> set[str]:
    """The names of all columns that are asked for."""
    presets = PRESETS.get(str(source.format), {})
    return {*chain(*presets.values()), *map(str, source.columns_held)}


def is_wandb(head: Sequence[str]) -> bool:
    """Whether the names of columns are those of a table of runs of W&B."""
    usual = (*_WANDB["start"], *_WANDB["wall_hours"], "run_name", "display_name")
    return not any(set(head).isdisjoint(names) for names in (_WANDB["state"], _WANDB["name"], usual))


def is_mlflow(head: Sequence[str]) -> bool:
    """Whether the names of columns are those of a table of runs of MLflow."""
    return {"run_id", "status", "start_time"} <= set(head)
