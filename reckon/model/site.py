"""What a tree says of its site, as data that no builder has seen yet; and who renders its pages (ledger/tree.yaml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PEOPLE, CI, NONE = "people", "ci", "none"
FILE = "mkdocs.yml"
ORDER = "docs/nav.yml"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a site: texts, numbers, flags, lists and maps by the names that MkDocs has for them.

    `ordered` says that the order of the pages is the one that a render makes (`INHERIT: docs/nav.yml`).
    """

    values: Mapping[str, Any]
    ordered: bool
