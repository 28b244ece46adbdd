"""Who renders the pages of a tree, as `pages` in ledger/tree.yaml says it."""

from __future__ import annotations

PEOPLE, CI, NONE = "people", "ci", "none"
