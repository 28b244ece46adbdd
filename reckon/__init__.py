"""The engine of the budget ledger: what the ledger says is calculated into a book and said through templates.

For notebooks, `reckon.open(path)` gives a ledger with its tables as pandas DataFrames.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes long to import, and `entry` imports this package
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from reckon.model.finding import InvalidLedger
    from reckon.model.version import VERSION as __version__
    from reckon.notebook import OpenedLedger
    from reckon.run_log import LoggedRun

__all__ = ["InvalidLedger", "__version__"]  # not `open`: a star import must leave Python's own


def open(path: str | PathLike[str] = ".") -> OpenedLedger:
    """Reads the ledger of a tree, a folder with `ledger/` in it, and calculates all of its figures. Writes nothing.

    Gives its `projects`, `runs`, `figures`, `plan` and `findings` as pandas DataFrames, `explain(address)`,
    `with_changes(…)` and `releases`. Raises InvalidLedger, which carries all that is wrong with it.
    """
    from pathlib import Path

    from reckon.notebook import opened

    return opened(Path(path), {})


def log_run(project: str, item: str, root: str | PathLike[str] = ".", **fields: object) -> LoggedRun:
    """Records what runs in a `with` block as a run of an item, as `budget log` does. Raises nothing.

    The root is a folder with `ledger/` in it; fields are those of a run, such as `seed=1` or `gpus=8`.
    """
    from reckon.run_log import LoggedRun

    given = {name: str(value) for name, value in fields.items() if value is not None}
    return LoggedRun(project, item, str(root), given, program="budget", dies=True)


def __getattr__(name: str) -> Any:
    """What is offered, imported once it is asked for: `entry` imports this package and little else."""
    if name == "__version__":
        from reckon.model.version import VERSION

        return VERSION
    if name == "InvalidLedger":
        from reckon.model.finding import InvalidLedger

        return InvalidLedger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
