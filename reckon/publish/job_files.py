"""Files of jobs beside the ledger: each has its checksum in its name, so none is ever overwritten by another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from .files import Blocked, write_whole

HOME = "jobs"


def write_job_files(root: Path, files: Mapping[str, bytes | Path]) -> None:
    """Writes files, each whole. Raises Blocked where one cannot be."""
    for path, raw in files.items():
        target = _target(root, path)
        try:
            write_whole(target, raw)
        except OSError as error:
            raise Blocked(f"{path} cannot be written: {error.strerror}; the ledger is unchanged") from None


def drop(root: Path, paths: Collection[str]) -> None:
    """Takes files away that nothing names any more; one that cannot be taken away harms nobody."""
    for path in paths:
        with suppress(OSError):
            _target(root, path).unlink(missing_ok=True)


def _target(root: Path, path: str) -> Path:
    """The place of a file of jobs. Raises Blocked where a link leads elsewhere."""
    target = root / path
    for step in (root / HOME, target.parent, target):
        if step.is_symlink():
            raise Blocked(f"{path} is a link or below one; `budget` does not write job files through links")
    return target
