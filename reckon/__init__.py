"""The engine of the budget ledger: what the ledger says is calculated into a book and said through templates.

For notebooks, `reckon.open(path)` gives a ledger with its tables as pandas DataFrames. In a training, what runs in
`with reckon.log_run(project, item):` is recorded as a run.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes long to import, and `entry` imports this package
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from reckon.model.finding import InvalidLedger
    from reckon.model.version import VERSION as __version__
    from reckon.notebook import OpenedLedger
    from reckon.run_log import LoggedRun as log_run

__all__ = ["InvalidLedger", "__version__", "log_run"]  # not `open`: a star import must leave Python's own


def open(path: str | PathLike[str] = ".") -> OpenedLedger:
    """Reads the ledger of a tree, a folder with `ledger/` in it, and calculates all of its figures. Writes nothing.

    Gives its `projects`, `runs`, `figures`, `plan` and `findings` as pandas DataFrames, `explain(address)`,
    `with_changes(…)` and `releases`. Raises InvalidLedger, which carries all that is wrong with it.
    """
    from pathlib import Path

    from reckon.notebook import opened

    return opened(Path(path), {})


def __getattr__(name: str) -> Any:
    """What is offered, imported once it is asked for: `entry` imports this package and little else."""
    if name == "__version__":
        from reckon.model.version import VERSION

        return VERSION
    if name == "InvalidLedger":
        from reckon.model.finding import InvalidLedger

        return InvalidLedger
    if name == "log_run":
        from reckon.run_log import LoggedRun

        return LoggedRun
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
