"""The ledger of a release, from its snapshot. A release never changes, so tests may hold its figures by hand.

The living ledgers are edited after each run; a test that counted on their figures would fail for a new figure.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from tests.small import plant

ROOT = Path(__file__).resolve().parents[1]


@cache
def files(version: str = "1.0.0", project: str = "pixelis") -> dict[str, str]:
    """The files of the project, the catalogue, the grants and the projects that these name, as they were."""
    snapshot = json.loads((ROOT / f"ledger/{project}/releases/{version}.json").read_text("utf-8"))
    return dict(snapshot["files"])


def tree(root: Path, version: str = "1.0.0", project: str = "pixelis") -> Path:
    """A folder with the ledger of a release."""
    return plant(root, files(version, project))
